// Heat in a rod by Crank and Nicolson's implicit steps, each solved by Thomas's algorithm for
// tridiagonal systems.
#include <numjit/np.h>

namespace np = numjit;

namespace heat_implicit {

std::tuple<np::array, double, int> inputs() {
  auto x = np::linspace(0, 1, 18);
  return {np::exp(-100 * np::square(x - 0.3)), 0.4, 6};
}

// Solves a tridiagonal system; sweeps down, then up.
np::array thomas(double lower, double diagonal, double upper, const np::array& b) {
  const auto n = b.len();
  auto c = np::zeros(n), d = np::zeros(n);
  c(0) = upper / diagonal;
  d(0) = b(0) / diagonal;
  for (std::int64_t i = 1; i < n; ++i) {
    auto pivot = diagonal - lower * c(i - 1);
    c(i) = upper / pivot;
    d(i) = (b(i) - lower * d(i - 1)) / pivot;
  }
  for (std::int64_t i = n - 2; i >= 0; --i) d(i) -= c(i) * d(i + 1);
  return d;
}

std::tuple<np::array, np::array, np::array> run(np::array u, double r, int steps) {
  const auto in = np::slice(1, -1);
  std::vector<np::array> history{u};
  for (int t = 0; t < steps; ++t) {
    auto right =
        u(in) + 0.5 * r * (u(np::slice(2, np::none)) - 2 * u(in) + u(np::slice(np::none, -2)));
    u = np::pad(thomas(-0.5 * r, 1 + r, -0.5 * r, right), 1);
    history.push_back(u);
  }
  // The same by a matrix and its powers.
  const auto n = u.len() - 2;
  auto second = np::eye(n, {.k = 1}) - 2 * np::eye(n) + np::eye(n, {.k = -1});
  auto step = np::linalg::solve(np::eye(n) - 0.5 * r * second, np::eye(n) + 0.5 * r * second);
  auto final = np::matmul(np::linalg::matrix_power(step, steps), history[0](in));
  return {np::stack(history), np::trapezoid(u, 1.0 / 17), np::max(np::abs(final - u(in))) < 1e-6};
}

}  // namespace heat_implicit
