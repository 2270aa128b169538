// Kernel specs from their canonical text: what others send or keep in files.
#pragma once

#include <string_view>

#include <numjit/graph/kernel_spec.h>

namespace numjit::graph {

/// Nodes of the largest kernel that is read from a text: several times what the planner puts into one.
inline constexpr std::size_t most_kernel_nodes = 512;

/// The spec whose to_text() this is. Nothing in the text is trusted: ValueError for one that is not to_text() of any
/// spec, or of one that no planner makes (unknown rows, inputs of other types than the row's, reductions that do not
/// fit their levels, more than most_kernel_nodes nodes).
KernelSpec kernel_spec_from_text(std::string_view text);

}  // namespace numjit::graph
