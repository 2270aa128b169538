// The layout of an array as inference found it. Internal.
#pragma once

#include <cmath>

#include <numjit/array/node.h>
#include <numjit/array/zeroed_storage.h>
#include <numjit/ops/bind.h>
#include <numjit/ops/param_layout.h>

namespace numjit::detail {

/// New arrays whose axes lie in another order than C's have strides, too.
inline void set_layout(node* n, const inference& inferred) {
  if (inferred.is_view || !inferred.strides.empty())
    set_layout(n, inferred.type, inferred.shape.size(), inferred.shape.data(), inferred.strides.data());
  else
    set_contiguous_layout(n, inferred.type, inferred.shape.size(), inferred.shape.data());
}

/// A new concrete array of that layout with uninitialised storage.
inline array new_result(const inference& inferred) {
  array made = array::adopt(allocate_node());
  set_layout(made.get(), inferred);
  allocate_storage(made.get());
  return made;
}

/// Does op `full` with these parameters make zeros, all bits of which are 0 in any dtype (as those of -0.0 are not)?
inline bool fills_with_zeros(op_id op, const op_params& params) {
  if (op != op_id::full) return false;
  const layout::number value = layout::full_of(params).value;
  return value.bits == 0 && value.imag == 0 && !std::signbit(value.imag);
}

/// new_result() for who fills it with zeros; `zeroed`: whether it holds zeros already.
inline array new_zeros(const inference& inferred, bool& zeroed) {
  array made = array::adopt(allocate_node());
  set_layout(made.get(), inferred);
  zeroed = allocate_zeroed_storage(made.get());
  return made;
}

}  // namespace numjit::detail
