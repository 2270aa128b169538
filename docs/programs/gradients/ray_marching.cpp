// Rays march through a scene of signed distances; where a ball is and how large, by the gradient of
// the picture's misfit.
#include "expect.h"
#include "optimisers.h"

namespace ray_marching {

struct ball {
  np::array centre, radius;
  NUMJIT_FIELDS(ball, centre, radius)
};

/// The distance from a place to the ball or the floor, where they meet rounded off.
np::array scene(const ball& s, const np::array& place) {
  auto to_ball = np::sqrt(np::sum(np::square(place - s.centre))) - s.radius;
  auto to_floor = place(1) + 1;
  return -np::logaddexp(-8 * to_ball, -8 * to_floor) / 8;
}

/// What a surface hides fades in over a little depth: with sharp edges a pixel has it or has not,
/// and no slope.
np::array render(const ball& s, const np::array& ways) {
  auto sun = np::array{-1.0, 2.0, -1.5} / std::sqrt(7.25);
  auto along_rays = np::vmap(np::value_and_grad<1>(scene), {.in_axes = {np::none, 0}});
  auto look = np::vmap(along_rays, {.in_axes = {np::none, 0}});  // over depths and rays
  auto depths = np::linspace(1, 6, 40);
  auto [distances, normals] = look(s, depths(np::_, np::newaxis, np::newaxis) * ways);
  auto solids = 1 / (1 + np::exp(distances / 0.06));
  auto brights = (0.2 + 0.8 * np::maximum(np::matmul(normals, sun), 0)) *
                 np::exp(-0.2 * depths)(np::_, np::newaxis);
  auto seen = np::zeros(ways.len()), clear = np::ones(ways.len());
  for (int i = 0; i < depths.len(); ++i) {
    seen = seen + clear * solids(i) * brights(i);
    clear = clear * (1 - solids(i));
  }
  return seen + 0.1 * clear;
}

std::tuple<np::array, np::array, ball> inputs() {
  auto grid =
      np::meshgrid({np::linspace(0.6, -0.6, 24), np::linspace(-0.6, 0.6, 24)}, {.indexing = "ij"});
  auto y = grid[0].ravel(), x = grid[1].ravel();
  auto ways = np::stack({x, y, np::ones(x.size())}, {.axis = 1});
  ways = ways / np::linalg::norm(ways, {.axis = 1, .keepdims = true});
  const ball truth{np::array{0.3, -0.2, 3.0}, np::array(0.8)};
  return {ways, render(truth, ways), ball{np::array{-0.2, 0.1, 3.6}, np::array(0.6)}};
}

std::tuple<np::array, np::array, np::array, np::array> run(const np::array& ways,
                                                           const np::array& seen,
                                                           const ball& first) {
  auto loss = [&](const ball& s) { return np::mean(np::square(render(s, ways) - seen)); };
  auto [found, losses] = optimisers::lbfgs(loss, first, 20);
  return {losses, found.centre, found.radius, render(found, ways)};
}

void check(const np::array& losses, const np::array& centre, const np::array& radius,
           const np::array&) {
  expect(losses(-1) < 1e-5 * losses(0), "the same picture");
  expect(near(centre, np::array{0.3, -0.2, 3.0}, 0.01), "where the ball is");
  expect(near(radius, 0.8, 0.01), "how large it is");
}

}  // namespace ray_marching
