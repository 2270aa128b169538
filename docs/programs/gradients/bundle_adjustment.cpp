// Bundle adjustment: cameras and points from where the points are seen, by Levenberg and
// Marquardt's steps with np::jacobian.
#include "expect.h"

namespace np = numjit;

namespace bundle_adjustment {

/// Rodrigues's rotation of x by the vectors `ways`: (n, 3) and (m, 3) give (n, m, 3).
np::array turn(const np::array& ways, const np::array& x) {
  auto way = ways(np::_, np::newaxis);
  // A turn by nothing has a derivative, too.
  auto square = np::sum(np::square(way), {.axis = -1, .keepdims = true}) + 1e-16;
  auto angle = np::sqrt(square);
  auto once = np::cross(way, x);
  return x + np::sin(angle) / angle * once + (1 - np::cos(angle)) / square * np::cross(way, once);
}

np::array project(const np::array& cameras, const np::array& points) {
  auto place = turn(cameras(np::_, np::slice(3)), points) +
               cameras(np::_, np::newaxis, np::slice(3, np::none));
  return place(np::ellipsis, np::slice(2)) / place(np::ellipsis, np::slice(2, np::none));
}

std::tuple<np::array, np::array, np::array, np::array> inputs() {
  auto rng = np::random::default_rng(12);
  auto points = rng.uniform(-1, 1, {12, 3}) + np::array{0.0, 0.0, 5.0};
  auto turns = rng.normal(0, 0.15, {4, 3}), shifts = rng.normal(0, 0.6, {4, 3});
  auto cameras = np::concatenate({turns, shifts}, {.axis = 1});
  cameras(0) = 0.0;  // the first camera is where the world begins
  auto seen = project(cameras, points) + rng.normal(0, 1e-3, {4, 12, 2});
  auto first_cameras = cameras(np::slice(1, np::none)) + rng.normal(0, 0.05, {3, 6});
  return {first_cameras, points + rng.normal(0, 0.3, {12, 3}), seen, points};
}

std::tuple<np::array, np::array> run(np::array cameras, np::array points, const np::array& seen,
                                     const np::array& truth) {
  const int rounds = 12;
  auto residuals = [&](const np::array& cameras, const np::array& points) {
    return (project(np::concatenate({np::zeros({1, 6}), cameras}), points) - seen).ravel();
  };
  auto losses = np::empty(rounds);
  np::array damping(1e-3);
  for (int i = 0; i < rounds; ++i) {
    auto r = residuals(cameras, points);
    losses(i) = 0.5 * np::dot(r, r);
    auto [by_camera, by_point] = np::jacobian<0, 1>(residuals)(cameras, points);
    auto j = np::concatenate({by_camera.reshape(r.len(), -1), by_point.reshape(r.len(), -1)},
                             {.axis = 1});
    // Nothing tells the scale of the world: the damping holds it.
    auto bent = np::matmul(j.T(), j) + damping * np::eye(j.shape()[1]);
    auto step = np::linalg::solve(bent, -np::matmul(j.T(), r));
    auto new_cameras = cameras + step(np::slice(cameras.size())).reshape(cameras.shape());
    auto new_points = points + step(np::slice(cameras.size(), np::none)).reshape(points.shape());
    r = residuals(new_cameras, new_points);
    auto better = 0.5 * np::dot(r, r) < losses(i);  // np::where, so that the graph goes on
    damping = np::where(better, damping / 10, damping * 10);
    cameras = np::where(better, new_cameras, cameras);
    points = np::where(better, new_points, points);
  }
  auto scale = np::sum(points * truth) / np::sum(np::square(points));
  return {losses, scale * points - truth};
}

void check(const np::array& losses, const np::array& error) {
  expect(losses(-1) < 2e-4 * losses(0), "the loss falls");
  // What is left is the noise, of which 96 numbers less 53 that are free remain.
  auto noise = np::sqrt(2 * losses(-1) / (96 - 53));
  expect(0.7e-3 < noise && noise < 1.3e-3, "what is left is the noise");
  expect(np::sqrt(np::mean(np::square(error))) < 0.03, "the points are found");
}

}  // namespace bundle_adjustment
