// Workloads of element by element work: formulas, choices, complex numbers, integer mixing.
#include "workloads.h"

namespace bench {
namespace {

namespace np = numjit;

np::array chain(const np::array& a, const np::array& b) {
  return a * b + np::sqrt(a) - b / (1 + a);
}

np::array normal_cdf(const np::array& x) {  // the logistic approximation
  return 1 / (1 + np::exp(-1.5976 * x - 0.07056 * x * x * x));
}

np::array black_scholes(const np::array& spot, const np::array& strike, const np::array& years) {
  const double rate = 0.02, volatility = 0.3;
  auto deviation = volatility * np::sqrt(years);
  auto d1 = (np::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
  auto d2 = d1 - deviation;
  return spot * normal_cdf(d1) - strike * np::exp(-rate * years) * normal_cdf(d2);
}

np::array gelu(const np::array& x) {
  return 0.5 * x * (1 + np::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

np::array where_chain(const np::array& income) {
  return np::where(income < 0.2, 0.1 * income,
                   np::where(income < 0.5, 0.02 + 0.3 * (income - 0.2),
                             np::where(income < 0.8, 0.11 + 0.4 * (income - 0.5),
                                       0.23 + 0.5 * (income - 0.8))));
}

np::array spectral_step(const np::array& u, const np::array& force, const np::array& k2) {
  const double dt = 0.01;
  return (u + dt * force) * np::exp(-k2 * dt) / (1 + dt * k2);
}

np::array hash32(const np::array& x) {  // the last mixing of MurmurHash3
  auto h = x ^ (x >> 16);
  h = h * 0x85ebca6bu;
  h = h ^ (h >> 13);
  h = h * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

np::array hash64(const np::array& x) {  // SplitMix64
  auto z = x + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

std::span<const Workload> elementwise_workloads() {
  static constexpr Workload all[] = {
      make<chain>("chain"),
      make<black_scholes>("black_scholes"),
      make<gelu>("gelu"),
      make<where_chain>("where_chain"),
      make<spectral_step>("spectral_step"),
      make<hash32>("hash32"),
      make<hash64>("hash64"),
  };
  return all;
}

}  // namespace bench
