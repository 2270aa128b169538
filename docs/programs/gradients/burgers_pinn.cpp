// Burgers's equation by a network that fits it at points (PINN): its derivatives by jvp in jvp and
// grad, for all by vmap.
#include "expect.h"
#include "optimisers.h"

namespace burgers_pinn {

constexpr double viscosity = 0.1;

struct layer {
  np::array w, b;
  NUMJIT_FIELDS(layer, w, b)
};
using network = std::vector<layer>;

std::tuple<network, np::array, np::array> inputs() {
  auto rng = np::random::default_rng(15);
  const std::vector<int> sizes{2, 16, 16, 1};
  network p;
  for (std::size_t i = 0; i < 3; ++i) {
    const int from = sizes[i], to = sizes[i + 1];
    p.push_back({rng.normal(0, 1 / std::sqrt(from), {from, to}), np::zeros(to)});
  }
  auto x = rng.uniform(-1, 1, 250);
  return {p, x, rng.uniform(0, 1, 250)};
}

/// The speed at one place and time; what it is at t = 0 and at the walls holds whatever the network
/// says.
np::array flow(const network& p, const np::array& x, const np::array& t) {
  auto h = np::stack({x, t});
  for (std::size_t i = 0; i + 1 < p.size(); ++i) h = np::tanh(np::matmul(h, p[i].w) + p[i].b);
  auto out = np::matmul(h, p.back().w) + p.back().b;
  return -np::sin(np::pi * x) + t * (1 - x * x) * out(0);
}

/// How far the flow is from u_t + u u_x = viscosity u_xx.
np::array misfit(const network& p, const np::array& x, const np::array& t) {
  const std::tuple one(np::ones_like(x));
  auto by_x = [&](const np::array& x) {
    return np::jvp([&](const np::array& x) { return flow(p, x, t); }, std::tuple(x), one);
  };
  auto [first, second] = np::jvp(by_x, std::tuple(x), one);
  auto [u, u_x] = first;
  return np::grad<2>(flow)(p, x, t) + u * u_x - viscosity * second.second;
}

std::tuple<np::array, np::array> run(const network& start, const np::array& x, const np::array& t) {
  auto loss = [&](const network& p) {
    return np::mean(np::square(np::vmap(misfit, {.in_axes = {np::none, 0, 0}})(p, x, t)));
  };
  auto [p, losses] = optimisers::lbfgs(loss, start, 300);
  auto [at_x, at_t] = np::meshgrid(np::linspace(-1, 1, 41), np::linspace(0, 1, 11));
  auto over_x = np::vmap(flow, {.in_axes = {np::none, 0, 0}});
  return {losses, np::vmap(over_x, {.in_axes = {np::none, 0, 0}})(p, at_x, at_t)};
}

/// By Cole and Hopf's transformation: means over a kernel of heat.
np::array exact(const np::array& x, const np::array& t) {
  auto way = np::linspace(-4, 4, 2001), from = np::pi * (x(np::_, np::newaxis) - way);
  auto weight =
      np::exp(-np::square(way) / (4 * viscosity * t) - np::cos(from) / (2 * np::pi * viscosity));
  return -np::sum(np::sin(from) * weight, {.axis = 1}) / np::sum(weight, {.axis = 1});
}

void check(const np::array& losses, const np::array& u) {
  expect(losses(-1) < 2e-3 * losses(0), "the loss falls");
  auto x = np::linspace(-1, 1, 41), t = np::linspace(0, 1, 11);
  for (int i = 1; i < 11; ++i) expect(near(u(i), exact(x, t(i)), 0.03), "as the exact solution");
}

}  // namespace burgers_pinn
