// Workloads that reduce: sums along every axis, statistics, softmax and layer norm, running sums.
#include "workloads.h"

namespace bench {
namespace {

namespace np = numjit;

np::array row_sums(const np::array& x) { return np::sum(x, {.axis = 1}); }
np::array column_sums(const np::array& x) { return np::sum(x, {.axis = 0}); }
np::array full_sum(const np::array& x) { return np::sum(x); }

np::array mean_square(const np::array& x, const np::array& y) {
  auto d = x - y;
  return np::mean(d * d);
}

std::array<np::array, 4> moments(const np::array& x) {
  return {np::mean(x), np::std(x), np::min(x), np::max(x)};
}

np::array softmax(const np::array& x) {
  auto e = np::exp(x - np::max(x, {.axis = 1, .keepdims = true}));
  return e / np::sum(e, {.axis = 1, .keepdims = true});
}

np::array layer_norm(const np::array& x, const np::array& gain, const np::array& bias) {
  auto centred = x - np::mean(x, {.axis = 1, .keepdims = true});
  auto variance = np::mean(centred * centred, {.axis = 1, .keepdims = true});
  return centred / np::sqrt(variance + 1e-5) * gain + bias;
}

np::array running_sum(const np::array& x) { return np::cumsum(x); }

}  // namespace

std::span<const Workload> reduction_workloads() {
  static constexpr Workload all[] = {
      make<row_sums>("row_sums"),       make<column_sums>("column_sums"),
      make<full_sum>("full_sum"),       make<mean_square>("mean_square"),
      make<moments>("moments"),         make<softmax>("softmax"),
      make<layer_norm>("layer_norm"),   make<running_sum>("cumsum"),
  };
  return all;
}

}  // namespace bench
