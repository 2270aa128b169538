// Nodes that the records of a compiled function hand out.
#pragma once

#include <numjit/array/node.h>

namespace numjit::detail {

/// A new lazy node of the dtype and layout of `from`, with these flags beside those of contiguity.
node* new_lazy_like(const node* from, int flags);

}  // namespace numjit::detail
