// The shallow water equations by Lax and Friedrichs: a drop falls into a basin with walls; mass
// stays what it was.
#include <numjit/np.h>

namespace np = numjit;

namespace shallow_water {

std::pair<np::array, int> inputs() {
  auto grid = np::mgrid(np::slice(0, 22), np::slice(0, 26));
  auto y = grid(0), x = grid(1);
  return {1.0 + 0.4 * np::exp(-(np::square(x - 9) + np::square(y - 12)) / 8.0), 20};
}

// A border of mirrored cells; what flows through it flows back.
np::array walls(const np::array& inside) {
  auto q = np::pad(inside, {{0, 0}, {1, 1}, {1, 1}}, {.mode = "edge"});
  q(1, np::_, 0) *= -1;
  q(1, np::_, -1) *= -1;
  q(2, 0) *= -1;
  q(2, -1) *= -1;
  return q;
}

std::pair<np::array, np::array> fluxes(const np::array& q, double gravity) {
  auto h = q(0), hu = q(1), hv = q(2);
  auto pressure = 0.5 * gravity * np::square(h);
  auto along = np::stack({hu, np::square(hu) / h + pressure, hu * hv / h});
  auto across = np::stack({hv, hu * hv / h, np::square(hv) / h + pressure});
  return {along, across};
}

std::vector<np::array> run(const np::array& height, int steps) {
  const double gravity = 1.0, dt_dx = 0.25;
  const auto all = np::_;
  const auto in = np::slice(1, -1), before = np::slice(np::none, -2),
             behind = np::slice(2, np::none);
  auto q = np::stack({height, np::zeros_like(height), np::zeros_like(height)});
  auto mass = np::sum(height);
  for (int step = 0; step < steps; ++step) {
    auto wide = walls(q);
    auto [along, across] = fluxes(wide, gravity);
    auto around = wide(all, in, before) + wide(all, in, behind) + wide(all, before, in) +
                  wide(all, behind, in);
    q = 0.25 * around - 0.5 * dt_dx * (along(all, in, behind) - along(all, in, before));
    q -= 0.5 * dt_dx * (across(all, behind, in) - across(all, before, in));
  }
  auto speed = np::hypot(q(1), q(2)) / q(0);
  auto place = np::unravel_index(np::argmax(speed), speed.shape());
  return {q(0), speed, np::abs(np::sum(q(0)) / mass - 1) < 1e-12, place[1]};
}

}  // namespace shallow_water
