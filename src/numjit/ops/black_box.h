// Functions of users as single operations of a graph: the table behind the row black_box.
#pragma once

#include <functional>
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
};

/// Adds a box; its number is the parameter of op black_box. Boxes live as long as the process, as
/// recorded graphs may hold their number.
std::int64_t add_black_box(black_box box);
const black_box& black_box_of(std::int64_t number);

}  // namespace detail
}  // namespace numjit
