// Whether an array's memory is about to change: for code outside that would look at it.
#pragma once

#include <numjit/array/array.h>

namespace numjit::tracing {

/// True inside a compiled function if stores that did not run yet write the array's storage: reading
/// its elements would end the graph.
bool has_pending_stores(node* n);

}  // namespace numjit::tracing
