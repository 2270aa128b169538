// Conjugate gradients with Jacobi's preconditioner for a sparse system in three arrays (CSR).
#include <numjit/np.h>

namespace np = numjit;

namespace conjugate_gradient {

std::tuple<np::array, np::array, np::array, np::array, double> inputs() {
  // A plate of 9 x 9 points with springs of unequal stiffness to the neighbours and to the ground.
  auto rng = np::random::default_rng(14);
  const int n = 9;
  const auto first_part = np::slice(np::none, -1), last_part = np::slice(1, np::none);
  auto number = np::arange(n * n).reshape(n, n);
  auto first = np::concatenate({number(np::_, first_part).ravel(), number(first_part).ravel()});
  auto second = np::concatenate({number(np::_, last_part).ravel(), number(last_part).ravel()});
  auto stiffness = rng.uniform(0.5, 2.0, first.len());
  return {first, second, stiffness, rng.normal({.size = n * n}), 1e-9};
}

struct sparse_matrix {
  np::array rows, columns, values;
};

// Rows, columns and values of the matrix, sorted by row.
sparse_matrix assemble(const np::array& first, const np::array& second, const np::array& stiffness,
                       std::int64_t n) {
  auto rows = np::concatenate({first, second, first, second, np::arange(n)});
  auto columns = np::concatenate({second, first, first, second, np::arange(n)});
  auto values = np::concatenate({-stiffness, -stiffness, stiffness, stiffness, np::full(n, 0.1)});
  auto order = np::lexsort({columns, rows});
  return {rows(order), columns(order), values(order)};
}

std::tuple<np::array, np::array, np::array> run(const np::array& first, const np::array& second,
                                                const np::array& stiffness, const np::array& b,
                                                double tolerance) {
  const auto n = b.len();
  auto [rows, columns, values] = assemble(first, second, stiffness, n);
  auto starts = np::searchsorted(rows, np::arange(n));
  // Sums of segments as differences of running sums; below by counting.
  auto running = np::cumulative_sum(values * b(columns), {.include_initial = true});
  auto ends = np::searchsorted(rows, np::arange(n), "right");
  auto product = running(ends) - running(starts);
  auto diagonal = np::bincount(rows, np::where(rows == columns, values, 0.0), n);
  auto x = np::zeros(n), r = b.copy();
  auto z = r / diagonal;
  auto p = z, rz = np::dot(r, z);
  int rounds = 0;
  while (np::sqrt(np::dot(r, r)) > tolerance) {  // a break per round
    auto ap = np::bincount(rows, values * p(columns), n);
    auto alpha = rz / np::dot(p, ap);
    x = x + alpha * p;
    r = r - alpha * ap;
    z = r / diagonal;
    auto before = rz;
    rz = np::dot(r, z);
    p = z + rz / before * p;
    ++rounds;
  }
  return {product, x, np::array(rounds)};
}

}  // namespace conjugate_gradient
