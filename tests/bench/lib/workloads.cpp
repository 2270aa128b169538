// The workloads as a user writes them; workloads.py has the same in NumPy's words.
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

np::array row_sums(const np::array& x) { return np::sum(x, {.axis = 1}); }

np::array mean_square(const np::array& x, const np::array& y) {
  auto d = x - y;
  return np::mean(d * d);
}

np::array kmeans(const np::array& points, const np::array& centres) {
  auto diff = points(np::_, np::newaxis) - centres(np::newaxis);
  return np::argmin(np::sum(diff * diff, {.axis = -1}), {.axis = 1});
}

np::array heat(const np::array& u, const np::array& next) {
  const auto in = np::slice(1, -1), up = np::slice(0, -2), down = np::slice(2, np::none);
  next(in, in) =
      u(in, in) + 0.1 * (u(up, in) + u(down, in) + u(in, up) + u(in, down) - 4 * u(in, in));
  return next;
}

template <class F, std::size_t... I>
np::array call(const F& f, const arrays& in, std::index_sequence<I...>) {
  return f(in[I]...);
}
template <class F>
struct arity;
template <class R, class... A>
struct arity<R (*)(A...)> {
  static constexpr std::size_t value = sizeof...(A);
};

template <auto fn>
Workload make(const char* name) {
  using indices = std::make_index_sequence<arity<decltype(fn)>::value>;
  return {name, [](const arrays& in) { return call(fn, in, indices()); },
          [](const arrays& in) {
            static const auto fast = np::compile(fn);
            return call(fast, in, indices());
          }};
}

}  // namespace

const Workload* find_workload(const std::string& name) {
  static const Workload all[] = {
      make<chain>("chain"),       make<black_scholes>("black_scholes"),
      make<row_sums>("row_sums"), make<mean_square>("mean_square"),
      make<kmeans>("kmeans"),     make<heat>("heat"),
      make<chain>("small"),
  };
  for (const Workload& w : all)
    if (name == w.name) return &w;
  return nullptr;
}

numjit::array distinct(int i, const numjit::array& a, const numjit::array& b) {
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
