// From the last pattern of Gray and Scott's reaction: at which rates it was fed and killed.
// Backwards through stores in place.
#include "expect.h"
#include "optimisers.h"

namespace gray_scott_inverse {

const np::slice inner(1, -1), before(np::none, -2), after(2, np::none);

np::array laplacian(const np::array& z) {
  return z(before, inner) + z(inner, before) - 4 * z(inner, inner) + z(inner, after) +
         z(after, inner);
}

np::array react(const np::array& first_u, const np::array& first_v, const np::array& feed,
                const np::array& kill, int steps = 50) {
  auto u = np::copy(first_u), v = np::copy(first_v);
  // Views: stores into them are stores into u and v.
  np::array inner_u = u(inner, inner), inner_v = v(inner, inner);
  for (int step = 0; step < steps; ++step) {
    auto reaction = inner_u * np::square(inner_v);
    auto change_u = laplacian(u), change_v = laplacian(v);
    inner_u += 0.16 * change_u - reaction + feed * (1 - inner_u);
    inner_v += 0.08 * change_v + reaction - (feed + kill) * inner_v;
    for (np::array z : {u, v}) {  // the border is that of a torus
      z(0) = z(-2), z(-1) = z(1);
      z(np::_, 0) = z(np::_, -2), z(np::_, -1) = z(np::_, 1);
    }
  }
  return np::stack({u, v});
}

std::tuple<np::array, np::array, np::array, np::array> inputs() {
  auto rng = np::random::default_rng(17);
  auto u = np::ones({22, 22}), v = np::zeros({22, 22});
  u(np::slice(7, 15), np::slice(7, 15)) = 0.5;
  v(np::slice(7, 15), np::slice(7, 15)) = 0.25;
  v += 0.02 * rng.random({22, 22});
  return {u, v, react(u, v, np::array(0.035), np::array(0.065)), np::array{0.05, 0.05}};
}

std::tuple<np::array, np::array, np::array> run(const np::array& u, const np::array& v,
                                                const np::array& seen, const np::array& start) {
  auto loss = [&](const np::array& rates) {
    return np::mean(np::square(react(u, v, rates(0), rates(1)) - seen));
  };
  auto [rates, losses] = optimisers::lbfgs(loss, start, 12);
  return {rates, losses, react(u, v, start(0), start(1))(1)};
}

void check(const np::array& rates, const np::array& losses, const np::array&) {
  expect(near(rates, np::array{0.035, 0.065}, 1e-5), "the true rates");
  expect(losses(-1) < 1e-8 * losses(0), "the same pattern");
}

}  // namespace gray_scott_inverse
