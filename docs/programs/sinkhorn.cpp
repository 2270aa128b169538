// Optimal transport by Sinkhorn's iteration in logarithms, between two clouds of points, until both
// margins fit.
#include <numjit/np.h>

namespace np = numjit;

namespace sinkhorn {

std::tuple<np::array, np::array, double, double> inputs() {
  auto rng = np::random::default_rng(53);
  auto x = rng.normal({.size = {20, 2}});
  return {x, rng.normal({.size = {15, 2}}) + np::array{2.0, 0.0}, 0.2, 1e-8};
}

np::array soft_min(const np::array& x, int axis) {
  auto top = np::max(x, {.axis = axis, .keepdims = true});
  return -np::squeeze(top, axis) - np::log(np::sum(np::exp(x - top), {.axis = axis}));
}

std::vector<np::array> run(const np::array& x, const np::array& y, double blur, double tolerance) {
  auto column = [](const np::array& v) { return v(np::_, np::newaxis); };
  auto cost = np::linalg::norm(column(x) - y, {.axis = -1});
  auto a = np::full(x.len(), 1.0 / x.len()), b = np::full(y.len(), 1.0 / y.len());
  auto f = np::zeros(x.len()), g = np::zeros(y.len());
  np::array plan, error(np::inf);
  while (error > tolerance) {  // a break each ten rounds
    for (int round = 0; round < 10; ++round) {
      f = blur * soft_min((g - cost) / blur + np::log(b), 1);
      g = blur * soft_min((column(f) - cost) / blur + column(np::log(a)), 0);
    }
    plan = np::exp((column(f) + g - cost) / blur) * column(a) * b;
    error = np::sum(np::abs(np::sum(plan, {.axis = 1}) - a));
  }
  auto moved = np::matmul(plan, y) * x.len();
  return {f - np::mean(f), np::sum(plan * cost), moved, np::argmax(plan, {.axis = 1}),
          np::sum(plan, {.axis = 0})};
}

}  // namespace sinkhorn
