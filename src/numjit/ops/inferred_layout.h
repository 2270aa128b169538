// The layout of an array as inference found it. Internal.
#pragma once

#include <numjit/array/node.h>
#include <numjit/ops/bind.h>

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

}  // namespace numjit::detail
