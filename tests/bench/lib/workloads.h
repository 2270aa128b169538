// The workloads as a user writes them, and how the bench calls them.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <numjit/np.h>

namespace bench {

using arrays = std::vector<numjit::array>;

/// A workload: one NumPy-style function, as it stands and compiled. Both replace `out` by the results.
struct Workload {
  const char* name;
  void (*eager)(const arrays& in, arrays& out);
  void (*compiled)(const arrays& in, arrays& out);
};

/// By name; null if there is none.
const Workload* find_workload(const std::string& name);

// One list for each file of workloads.
std::span<const Workload> elementwise_workloads();
std::span<const Workload> simulation_workloads();
std::span<const Workload> stencil_workloads();
std::span<const Workload> reduction_workloads();
std::span<const Workload> data_workloads();
std::span<const Workload> image_workloads();
std::span<const Workload> linear_workloads();

/// The i-th of a family of small functions no two of which have the same graph.
constexpr int distinct_functions = 9;
numjit::array distinct(int i, const numjit::array& a, const numjit::array& b);

// ---- what makes a Workload of a function of arrays that returns one array or a std::array of them ----

namespace detail {

template <class F>
struct arity;
template <class R, class... A>
struct arity<R (*)(A...)> {
  static constexpr std::size_t value = sizeof...(A);
};

inline void keep(numjit::array result, arrays& out) {
  out.resize(1);
  out[0] = std::move(result);
}
template <std::size_t n>
void keep(std::array<numjit::array, n> results, arrays& out) {
  out.resize(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = std::move(results[i]);
}

template <class F, std::size_t... I>
void call(const F& f, const arrays& in, arrays& out, std::index_sequence<I...>) {
  keep(f(in[I]...), out);
}

}  // namespace detail

template <auto fn>
constexpr Workload make(const char* name) {
  using indices = std::make_index_sequence<detail::arity<decltype(fn)>::value>;
  return {name, [](const arrays& in, arrays& out) { detail::call(fn, in, out, indices()); },
          [](const arrays& in, arrays& out) {
            static const auto fast = numjit::compile(fn);
            detail::call(fast, in, out, indices());
          }};
}

}  // namespace bench
