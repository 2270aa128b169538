// Copies of arguments, for runs that must leave the arguments alone.
#pragma once

#include <vector>

#include <numjit/array/node.h>

namespace numjit::tracing {

/// Copies with the layouts of `from`, and sharing memory as they do; the caller holds one reference to
/// each. Null stays null.
void copy_sharing(const std::vector<node*>& from, std::vector<node*>& copies);

}  // namespace numjit::tracing
