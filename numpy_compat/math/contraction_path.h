// In which order an einsum contracts its operands: NumPy's two searches, over labels and sizes alone.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace numjit::detail {

struct contraction_problem {
  std::vector<std::string> inputs;  // a label an axis
  std::string output;
  std::map<char, double> sizes;
};

/// Operands of each step, by their places among those that are left; a result comes last.
using contraction_path = std::vector<std::vector<int>>;

/// By the optimal search or the greedy one. Temporaries have at most `memory_limit` elements (0: as the largest operand
/// or the result).
contraction_path find_contraction_path(const contraction_problem& problem, bool optimal, double memory_limit);

/// NumPy's table of a path: steps, scalings, costs.
std::string describe_contraction(const contraction_problem& problem, const contraction_path& path);

}  // namespace numjit::detail
