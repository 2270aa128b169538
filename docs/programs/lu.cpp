// LU decomposition with partial pivoting by hand, and what it is for: solving, the determinant, the
// inverse.
#include <numjit/np.h>

namespace np = numjit;

namespace lu {

std::pair<np::array, np::array> inputs() {
  auto rng = np::random::default_rng(3);
  auto a = rng.normal({.size = {8, 8}});
  return {a, rng.normal({.size = 8})};
}

struct decomposition {
  np::array lu, order, swaps;
};

decomposition decompose(const np::array& a) {
  const auto n = a.len();
  auto lu = a.copy(), order = np::arange(n), swaps = np::array(0);
  for (std::int64_t k = 0; k < n - 1; ++k) {
    const auto from_k = np::slice(k, np::none), below = np::slice(k + 1, np::none);
    auto pivot = k + np::argmax(np::abs(lu(from_k, k)));
    swaps = swaps + (pivot != k);
    auto pair = np::stack({np::array(k), pivot});
    auto reversed = np::flip(pair);
    lu(pair) = lu(reversed);
    order(pair) = order(reversed);
    lu(below, k) /= lu(k, k);
    lu(below, below) -= np::outer(lu(below, k), lu(k, below));
  }
  return {lu, order, swaps};
}

np::array solve(const np::array& lu, const np::array& order, const np::array& b) {
  auto x = b(order).copy();
  for (std::int64_t i = 0; i < x.len(); ++i)
    x(i) -= np::matmul(lu(i, np::slice(i)), x(np::slice(i)));
  for (std::int64_t i = x.len() - 1; i >= 0; --i) {
    const auto behind = np::slice(i + 1, np::none);
    x(i) = (x(i) - np::matmul(lu(i, behind), x(behind))) / lu(i, i);
  }
  return x;
}

std::vector<np::array> run(const np::array& a, const np::array& b) {
  auto [lu, order, swaps] = decompose(a);
  auto lower = np::tril(lu, -1) + np::eye(a.len()), upper = np::triu(lu);
  auto x = solve(lu, order, b);
  auto inverse = solve(lu, order, np::eye(a.len()));
  auto determinant = np::where(swaps % 2 == 0, 1.0, -1.0) * np::prod(np::diag(lu));
  auto right = np::max(np::abs(np::matmul(lower, upper) - a(order))) < 1e-13;
  return {order,
          right,
          x,
          np::abs(np::matmul(a, x) - b) < 1e-12,
          inverse,
          determinant,
          np::linalg::det(a)};
}

}  // namespace lu
