// QR decomposition by Householder's reflections, by hand, and least squares with it.
#include <numjit/np.h>

namespace np = numjit;

namespace qr_householder {

std::pair<np::array, np::array> inputs() {
  auto t = np::linspace(0, 1, 10);
  return {np::vander(t, 4), np::sin(5 * t)};
}

std::pair<np::array, np::array> decompose(const np::array& a) {
  auto r = a.copy(), q = np::eye(a.len());
  for (std::int64_t k = 0; k < a.shape(1); ++k) {
    const auto from_k = np::slice(k, np::none);
    auto v = r(from_k, k).copy();
    v(0) += np::copysign(np::linalg::norm(v), v(0));
    v /= np::linalg::norm(v);
    r(from_k) -= 2 * np::outer(v, np::matmul(v, r(from_k)));
    q(np::_, from_k) -= 2 * np::outer(np::matmul(q(np::_, from_k), v), v);
  }
  return {q, np::triu(r)};
}

std::vector<np::array> run(const np::array& a, const np::array& b) {
  const auto n = a.shape(1);
  auto [q, r] = decompose(a);
  auto rotated = np::matmul(q.T(), b);
  auto x = np::zeros(n);
  for (std::int64_t i = n - 1; i >= 0; --i) {
    auto known = np::matmul(r(i, np::slice(i + 1, n)), x(np::slice(i + 1, np::none)));
    x(i) = (rotated(i) - known) / r(i, i);
  }
  auto orthogonal = np::max(np::abs(np::matmul(q.T(), q) - np::eye(q.len()))) < 1e-14;
  auto known = np::linalg::lstsq(a, b).x;
  return {q,
          r,
          x,
          orthogonal,
          np::max(np::abs(x - known)) < 1e-10,
          np::linalg::norm(rotated(np::slice(n, np::none)))};
}

}  // namespace qr_householder
