// Workloads around matrix products.
#include "workloads.h"

namespace bench {
namespace {

namespace np = numjit;

np::array dense_layer(const np::array& x, const np::array& weights, const np::array& bias) {
  return np::maximum(np::matmul(x, weights) + bias, 0);
}

np::array einsum_chain(const np::array& a, const np::array& b, const np::array& c) {
  return np::einsum("bij,bjk,bkl->bil", {a, b, c});
}

}  // namespace

std::span<const Workload> linear_workloads() {
  static constexpr Workload all[] = {
      make<dense_layer>("dense_layer"),
      make<einsum_chain>("einsum_chain"),
  };
  return all;
}

}  // namespace bench
