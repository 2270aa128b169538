// The layout of an array as inference found it. Internal.
#pragma once

#include <numjit/array/node.h>
#include <numjit/ops/bind.h>

namespace numjit::detail {

inline void set_layout(node* n, const inference& inferred) {
  if (inferred.is_view)
    set_layout(n, inferred.type, inferred.shape.size(), inferred.shape.data(), inferred.strides.data());
  else
    set_contiguous_layout(n, inferred.type, inferred.shape.size(), inferred.shape.data());
}

}  // namespace numjit::detail
