// multivariate_normal: standard normal numbers times a factor of the covariance.
#include <surface.h>

#include <numjit/base/log.h>

namespace numjit::random {

using numjit::detail::at;

namespace {

constexpr const char* op = "multivariate_normal";

dims checked_shape(const array& mean, const array& cov, const multivariate_options& o) {
  if (mean.dtype().kind() == 'c' || cov.dtype().kind() == 'c') throw TypeError(op, "mean and cov must not be complex");
  if (mean.ndim() != 1) throw ValueError(op, "mean must be 1 dimensional");
  if (cov.ndim() != 2 || cov.shape(0) != cov.shape(1)) throw ValueError(op, "cov must be 2 dimensional and square");
  if (mean.shape(0) != cov.shape(0)) throw ValueError(op, "mean and cov must have same length");
  const std::string_view check(o.check_valid);
  if (check != "warn" && check != "raise" && check != "ignore")
    throw ValueError(op, "check_valid must equal 'warn', 'raise', or 'ignore'");
  dims shape = *o.size;
  shape.push_back(mean.shape(0));
  return shape;
}

[[noreturn]] void throw_not_semidefinite() {
  throw ValueError(op, "covariance is not symmetric positive-semidefinite.");
}

/// Is NumPy's test made? Where it would only warn, a graph that is recorded does not end for it.
bool is_checked(const multivariate_options& o) {
  const std::string_view check(o.check_valid);
  return check == "raise" || (check == "warn" && !numjit::detail::recording);
}
void tell_not_semidefinite(const multivariate_options& o) {
  if (std::string_view(o.check_valid) == "raise") throw_not_semidefinite();
  numjit::detail::warn("RuntimeWarning: covariance is not symmetric positive-semidefinite.");
}

void check_by_svd(const array& cov, const linalg::svd_result& f, const multivariate_options& o) {
  if (!is_checked(o)) return;
  const array again = matmul(multiply(f.Vh.T(), f.S), f.Vh);
  if (!allclose(again, cov, {.rtol = o.tol, .atol = o.tol})) tell_not_semidefinite(o);
}

/// F with F F^T = cov.
array factor_of(const array& cov, const multivariate_options& o) {
  const std::string_view method(o.method);
  if (method == "cholesky") return linalg::cholesky(cov);
  if (method == "eigh") {
    const linalg::eig_result e = linalg::eigh(cov);
    if (is_checked(o) && any(less(e.eigenvalues, -o.tol)).item<bool>()) tell_not_semidefinite(o);
    return multiply(e.eigenvectors, sqrt(absolute(e.eigenvalues)));
  }
  const linalg::svd_result f = linalg::svd(cov);
  check_by_svd(cov, f, o);
  return multiply(f.U, sqrt(f.S));
}

}  // namespace

array Generator::multivariate_normal(const array& mean, const array& cov, const multivariate_options& o, location where) const {
  const location_scope scope(where);
  const std::string_view method(o.method);
  if (method != "svd" && method != "eigh" && method != "cholesky")
    throw ValueError(op, "method must be one of {'eigh', 'svd', 'cholesky'}");
  const dims shape = checked_shape(mean, cov, o);
  const array x = reshape(standard_normal(shape), {-1, mean.shape(0)});
  const array factor = factor_of(cov.astype(float64), o);
  return reshape(add(mean, matmul(x, factor.T())), shape);
}

array RandomState::multivariate_normal(const array& mean, const array& cov, const multivariate_options& o, location where) const {
  const location_scope scope(where);
  const dims shape = checked_shape(mean, cov, o);
  const array x = reshape(standard_normal(shape), {-1, mean.shape(0)}), wide = cov.astype(float64);
  const linalg::svd_result f = linalg::svd(wide);
  check_by_svd(wide, f, o);
  const array factor = multiply(expand_dims(sqrt(f.S), -1), f.Vh);
  return reshape(add(matmul(x, factor), mean), shape);
}

}  // namespace numjit::random
