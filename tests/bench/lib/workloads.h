// The workloads as a user writes them.
#pragma once

#include <string>
#include <vector>

#include <numjit/np.h>

namespace bench {

using arrays = std::vector<numjit::array>;

/// A workload: one NumPy-style function, as it stands and compiled.
struct Workload {
  const char* name;
  numjit::array (*eager)(const arrays&);
  numjit::array (*compiled)(const arrays&);
};

/// By name; null if there is none.
const Workload* find_workload(const std::string& name);

/// The i-th of a family of small functions no two of which have the same graph.
constexpr int distinct_functions = 9;
numjit::array distinct(int i, const numjit::array& a, const numjit::array& b);

}  // namespace bench
