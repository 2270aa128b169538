// Workloads by name, and the family of small functions for first calls; workloads/ has the same in
// NumPy's words, by the same names.
#include "workloads.h"

namespace bench {

namespace np = numjit;

const Workload* find_workload(const std::string& name) {
  const std::span<const Workload> lists[] = {
      elementwise_workloads(), simulation_workloads(), stencil_workloads(), reduction_workloads(),
      data_workloads(),        image_workloads(),      linear_workloads()};
  for (const std::span<const Workload>& list : lists)
    for (const Workload& w : list)
      if (name == w.name) return &w;
  return nullptr;
}

np::array distinct(int i, const np::array& a, const np::array& b) {
  np::array x = a;
  // The digits of i choose the ops, so that every i has a graph of its own.
  for (int digit = 0; digit < 4; ++digit, i /= 3) {
    if (i % 3 == 0) x = x * b + 0.5;
    if (i % 3 == 1) x = np::maximum(x, b) - 0.25;
    if (i % 3 == 2) x = np::sqrt(x * x + b);
  }
  return x;
}

}  // namespace bench
