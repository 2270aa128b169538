// Eigenvalues of a symmetric matrix by Jacobi's rotations, all pairs in turn, until the rest is
// nothing.
#include <numjit/np.h>

namespace np = numjit;

namespace jacobi_eigenvalues {

std::pair<np::array, double> inputs() {
  auto rng = np::random::default_rng(19);
  auto a = rng.normal({.size = {6, 6}});
  return {a + a.T(), 1e-12};
}

// Makes a(p, q) zero.
void rotate(const np::array& a, const np::array& vectors, std::int64_t p, std::int64_t q) {
  auto theta = 0.5 * np::arctan2(2 * a(p, q), a(q, q) - a(p, p));
  auto c = np::cos(theta), s = np::sin(theta);
  for (const auto& m : {a, a.T(), vectors}) {  // columns, then rows, then columns
    auto left = m(np::_, p).copy(), right = m(np::_, q).copy();
    m(np::_, p) = c * left - s * right;
    m(np::_, q) = s * left + c * right;
  }
}

std::vector<np::array> run(const np::array& matrix, double tolerance) {
  auto a = matrix.copy();
  const auto n = a.len();
  auto vectors = np::eye(n);
  int sweeps = 0;
  while (np::sqrt(np::sum(np::square(np::tril(a, -1)))) > tolerance) {  // a break per sweep
    for (std::int64_t p = 0; p < n - 1; ++p)
      for (std::int64_t q = p + 1; q < n; ++q) rotate(a, vectors, p, q);
    ++sweeps;
  }
  auto values = np::diag(a);
  auto order = np::argsort(values);
  vectors = vectors(np::_, order);
  vectors = vectors * np::sign(vectors(0));
  const bool right = np::allclose(values(order), np::linalg::eigvalsh(matrix));
  return {values(order), vectors, np::array(sweeps), np::array(right)};
}

}  // namespace jacobi_eigenvalues
