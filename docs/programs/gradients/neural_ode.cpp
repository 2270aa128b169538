// A neural differential equation learns a spiral; its gradient by the adjoint equation is that of
// going back through RK4.
#include "expect.h"
#include "optimisers.h"

#include <functional>

namespace neural_ode {

using optimisers::along, optimisers::zeros_like;

constexpr double h = 0.1;

struct network {
  np::array w1, b1, w2, b2;
  NUMJIT_FIELDS(network, w1, b1, w2, b2)
};

/// y may be a tree.
template <class F, class Tree>
Tree rk4(F f, const Tree& y, double h) {
  const Tree a = f(y), b = f(along(y, h / 2, a)), c = f(along(y, h / 2, b)), d = f(along(y, h, c));
  auto add = [&](auto& y, auto& a, auto& b, auto& c, auto& d) {
    return y + h / 6 * (a + 2 * b + 2 * c + d);
  };
  return np::tree::map(add, y, a, b, c, d);
}

template <class F>
np::array solve(F f, const np::array& y, std::int64_t steps) {
  std::vector<np::array> path{y};
  for (int i = 0; i < steps; ++i) path.push_back(rk4(f, path.back(), h));
  return np::stack(path);
}

std::tuple<network, np::array> inputs() {
  auto rng = np::random::default_rng(14);
  auto w1 = rng.normal(0, 0.5, {2, 16}), w2 = rng.normal(0, 0.3, {16, 2});
  auto starts = rng.normal(0, 0.2, {4, 2}) + np::array{1.2, 0.0};
  const np::array turn{{-0.1, 1.5}, {-1.5, -0.1}};
  auto truth = [&](const np::array& y) { return np::matmul(np::power(y, 3), turn); };
  return {network{w1, np::zeros(16), w2, np::zeros(2)}, solve(truth, starts, 20)};
}

np::array field(const network& p, const np::array& y) {
  return np::matmul(np::tanh(np::matmul(np::power(y, 3), p.w1) + p.b1), p.w2) + p.b2;
}

using solver = std::function<np::array(const network&, const np::array&)>;

/// The way back of `solved` by the adjoint equation. It runs backwards in time, along the path;
/// what the observations say comes in where they were made.
std::tuple<network, np::array> back(const std::pair<network, np::array>& kept, const np::array& g) {
  const auto& [p, path] = kept;
  using state = std::tuple<np::array, np::array, network>;  // y, adjoint, total
  auto slope = [&p = p](const state& s) {
    auto [slope, pull] = np::vjp(field, p, std::get<0>(s));
    auto [by_p, by_y] = pull(std::get<1>(s));
    return state{slope, -by_y, np::tree::map([](auto& x) { return -x; }, by_p)};
  };
  np::array adjoint = g(-1);
  network total = zeros_like(p);
  for (auto k = path.len() - 1; k > 0; --k) {
    std::tie(std::ignore, adjoint, total) = rk4(slope, state{path(k), adjoint, total}, -h);
    adjoint = adjoint + g(k - 1);
  }
  return {total, adjoint};
}

std::tuple<np::array, np::array, np::array> run(const network& start, const np::array& seen) {
  const solver solved = [&](const network& p, const np::array& y) {
    return solve([&](const np::array& y) { return field(p, y); }, y, seen.len() - 1);
  };
  auto forward = [&](const network& p, const np::array& y) {
    auto path = solved(p, y);
    return std::pair(path, std::pair(p, path));
  };
  const solver by_adjoint = np::custom_vjp(solved, forward, back);
  auto loss = [&](const network& p, const solver& way) {
    return np::mean(np::square(way(p, seen(0)) - seen));
  };

  auto one = np::grad(loss)(start, by_adjoint), other = np::grad(loss)(start, solved);
  auto far = [](auto& a, auto& b) { return np::max(np::abs(a - b)) / np::max(np::abs(b)); };
  auto [w1, b1, w2, b2] = np::tree::map(far, one, other);
  auto [p, losses] = optimisers::minimise([&](const network& p) { return loss(p, by_adjoint); },
                                          start, optimisers::adam{0.03}, 150);
  return {losses, np::stack({w1, b1, w2, b2}), solved(p, seen(0))};
}

void check(const np::array& losses, const np::array& difference, const np::array&) {
  expect(losses(-1) < 0.002 * losses(0), "it learns");
  expect(np::all(difference < 1e-4), "both gradients have the error of RK4");
}

}  // namespace neural_ode
