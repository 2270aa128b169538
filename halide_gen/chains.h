// How far the operations of a kernel depend on each other.
#pragma once

#include <vector>

#include <Halide.h>

namespace numjit::halide_gen {

/// Costs of the operations of expressions, in additions: all of them, and the longest chain of which each waits for
/// the one before. What `rarely` hides counts for nothing.
struct ChainLength {
  double all = 0, longest = 0;
};
ChainLength chain_length(const std::vector<Halide::Expr>& values);

/// How many vectors a loop's step takes side by side. A processor finds work beside a chain in the next steps of the
/// loop only as far as it looks ahead, some hundred instructions: a long chain with little beside it waits for itself.
int vectors_side_by_side(const std::vector<Halide::Expr>& values);

}  // namespace numjit::halide_gen
