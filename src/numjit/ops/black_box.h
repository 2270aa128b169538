// Functions of users as single operations of a graph: the table behind the row black_box.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include <numjit/array/array.h>
#include <numjit/array/dims.h>
#include <numjit/array/dtype.h>

namespace numjit {

/// dtype and shape of an array whose values are not known yet.
struct array_spec {
  numjit::dtype dtype;
  dims shape;
};

namespace detail {

struct black_box {
  std::function<array_spec(std::span<const array_spec>)> shape_rule;
  std::function<array(std::span<const array>)> function;
  std::int64_t number = 0;  // unique, never given twice: the parameter of op black_box
};

/// Gives a box its number. It lives as long as the handle that is returned, or a copy: graphs hold the number only.
std::shared_ptr<const black_box> add_black_box(black_box box);
/// What a rule gets of an operand.
array_spec spec_of(const operand& o);
/// What the function of a box gets: the array's memory, but not for writing.
array read_only_view(node* n);
/// The result of the function for arguments it may not store into, unless it was said that it changes them. ValueError if it
/// tries to, and if the result is not what the shape rule said.
array result_of(const black_box& box, std::span<const array> arguments, const array_spec& promised);
/// The box of a number; InternalError if it is gone.
std::shared_ptr<const black_box> black_box_of(std::int64_t number);

}  // namespace detail
}  // namespace numjit
