// Gray and Scott's reaction and diffusion on a torus: stores in place, within a border that is
// refilled.
#include <numjit/np.h>

namespace np = numjit;

namespace gray_scott {

std::tuple<np::array, np::array, int> inputs() {
  auto rng = np::random::default_rng(2);
  auto u = np::ones({26, 26}), v = np::zeros({26, 26});
  const auto middle = np::slice(9, 16);
  u(middle, middle) = 0.5;
  v(middle, middle) = 0.25;
  return {u, v + 0.02 * rng.random({26, 26}), 20};
}

np::array laplacian(const np::array& z) {
  const auto in = np::slice(1, -1), before = np::slice(np::none, -2),
             behind = np::slice(2, np::none);
  return z(before, in) + z(in, before) - 4 * z(in, in) + z(in, behind) + z(behind, in);
}

void wrap(const np::array& z) {
  z(0) = z(-2);
  z(-1) = z(1);
  z(np::_, 0) = z(np::_, -2);
  z(np::_, -1) = z(np::_, 1);
}

std::pair<np::array, np::array> run(const np::array& u, const np::array& v, int steps) {
  const double feed = 0.035, kill = 0.065;
  const auto in = np::slice(1, -1);
  auto inner_u = u(in, in), inner_v = v(in, in);  // views: stores into them are stores into u and v
  for (int step = 0; step < steps; ++step) {
    auto reaction = inner_u * np::square(inner_v);
    auto change_u = laplacian(u), change_v = laplacian(v);
    inner_u += 0.16 * change_u - reaction + feed * (1 - inner_u);
    inner_v += 0.08 * change_v + reaction - (feed + kill) * inner_v;
    wrap(u);
    wrap(v);
  }
  return {u, v};
}

}  // namespace gray_scott
