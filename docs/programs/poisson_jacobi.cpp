// Poisson's equation with a fixed border by Jacobi's iteration, until nothing changes any more.
#include <numjit/np.h>

namespace np = numjit;

namespace poisson_jacobi {

std::pair<np::array, double> inputs() {
  auto source = np::zeros({20, 20});
  source(6, 5) = 40.0;
  source(13, 14) = -25.0;
  return {source, 1e-2};
}

std::tuple<np::array, np::array, np::array> run(const np::array& source, double tolerance) {
  const auto in = np::slice(1, -1), before = np::slice(np::none, -2),
             behind = np::slice(2, np::none);
  auto u = np::zeros_like(source);
  u(0) = 1.0;
  auto change = np::array(np::inf);
  int sweeps = 0;
  while (change > tolerance) {  // needs a value: a break for each ten sweeps
    np::array old;
    for (int sweep = 0; sweep < 10; ++sweep) {
      old = u(in, in).copy();
      u(in, in) =
          0.25 * (u(before, in) + u(behind, in) + u(in, before) + u(in, behind) + source(in, in));
    }
    change = np::max(np::abs(u(in, in) - old));
    sweeps += 10;
  }
  auto flow = np::stack({-np::gradient(u, 1.0, 0), -np::gradient(u, 1.0, 1)});
  return {u, flow, np::array(sweeps)};
}

}  // namespace poisson_jacobi
