// Workloads on grids with neighbours: heat, waves, reaction and diffusion, Maxwell's equations.
#include "workloads.h"

namespace bench {
namespace {

namespace np = numjit;
using np::_;

const auto in = np::slice(1, -1), up = np::slice(0, -2), down = np::slice(2, np::none);
const auto from_1 = np::slice(1, np::none), to_last = np::slice(0, -1);

np::array laplacian(const np::array& u) {
  return u(up, in) + u(down, in) + u(in, up) + u(in, down) - 4 * u(in, in);
}

np::array heat(const np::array& u, const np::array& next) {
  next(in, in) = u(in, in) + 0.1 * laplacian(u);
  return next;
}

np::array wave(const np::array& u, const np::array& before, const np::array& next) {
  next(in, in) = 2 * u(in, in) - before(in, in) + 0.25 * laplacian(u);
  return next;
}

std::array<np::array, 2> gray_scott(const np::array& u, const np::array& v) {
  auto a = u(in, in), b = v(in, in);
  auto reaction = a * b * b;
  return {a + 0.16 * laplacian(u) - reaction + 0.06 * (1 - a),
          b + 0.08 * laplacian(v) + reaction - 0.122 * b};
}

std::array<np::array, 3> fdtd(const np::array& ez, const np::array& hx, const np::array& hy) {
  auto new_hx = hx - 0.5 * (ez(_, from_1) - ez(_, to_last));
  auto new_hy = hy + 0.5 * (ez(from_1) - ez(to_last));
  auto new_ez = ez.copy();
  new_ez(in, in) += 0.5 * (new_hy(from_1, in) - new_hy(to_last, in) - new_hx(in, from_1) +
                           new_hx(in, to_last));
  return {new_ez, new_hx, new_hy};
}

np::array time_loop(const np::array& start) {
  auto u = start.copy();
  for (int step = 0; step < 2000; ++step) u(in, in) += 0.1 * laplacian(u);
  return u;
}

// Borders meet their opposites.
np::array periodic(const np::array& start) {
  auto u = start;
  for (int step = 0; step < 10; ++step)
    u = u + 0.1 * (np::roll(u, 1, 0) + np::roll(u, -1, 0) + np::roll(u, 1, 1) + np::roll(u, -1, 1) - 4 * u);
  return u;
}

std::array<np::array, 2> reaction(const np::array& first, const np::array& second) {
  auto u = first.copy(), v = second.copy();
  for (int step = 0; step < 10; ++step) {
    auto a = u(in, in), b = v(in, in);
    auto around_u = laplacian(u), around_v = laplacian(v), made = a * b * b;
    a += 0.16 * around_u - made + 0.06 * (1 - a);
    b += 0.08 * around_v + made - 0.122 * b;
  }
  return {u, v};
}

}  // namespace

std::span<const Workload> stencil_workloads() {
  static constexpr Workload all[] = {
      make<heat>("heat"), make<wave>("wave"),           make<gray_scott>("gray_scott"),
      make<fdtd>("fdtd"), make<time_loop>("time_loop"), make<periodic>("periodic"),
      make<reaction>("reaction"),
  };
  return all;
}

}  // namespace bench
