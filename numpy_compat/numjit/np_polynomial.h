// Polynomials as coefficient vectors, highest power first (np.poly1d's functions), windows, sinc and phases.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include <numjit/np_reductions.h>

namespace numjit {

/// Value of a polynomial at `x`, by Horner's rule: polyval({1, 2, 3}, x) = x^2 + 2 x + 3.
///   np::polyval(np::array{3, 0, 1}, 5)  ->  76
array polyval(const operand& p, const operand& x);
/// Sums, differences and products of polynomials.
array polyadd(const operand& a, const operand& b);
array polysub(const operand& a, const operand& b);
array polymul(const operand& a, const operand& b);
/// Quotient and remainder of u / v (float64 or complex128). The leading coefficient of v is not zero.
///   np::polydiv(np::array{3.0, 5, 2}, np::array{2.0, 1})  ->  [1.5, 1.75], [0.25]
std::pair<array, array> polydiv(const operand& u, const operand& v);
/// m-th derivative.
array polyder(const operand& p, int m = 1);
/// Constants of integrals: a number for all of them, or one each; 0 where left out.
class integration_constants {
 public:
  integration_constants() = default;
  integration_constants(double k) : values_(k) {}
  integration_constants(std::initializer_list<double> k) : values_(std::vector<double>(k)) {}
  integration_constants(const std::vector<double>& k) : values_(k.empty() ? array() : array(k)) {}
  integration_constants(array k) : values_(std::move(k)) {}
  const array& values() const { return values_; }

 private:
  array values_;
};
/// m-th integral. ValueError: "k must be a scalar or a rank-1 array of length 1 or >m."
array polyint(const operand& p, int m = 1, const integration_constants& k = {});
/// Coefficients of the polynomial with these zeros (1-D), or of the characteristic polynomial of a matrix.
///   np::poly(np::array{0, 1})  ->  [1, -1, 0]
array poly(const operand& zeros);
/// Zeros of a polynomial: eigenvalues of its companion matrix. Reads values. Real arrays if all of them are.
array roots(const operand& p);
/// Coefficients of the polynomial of degree `deg` nearest to points (x, y) by least squares, with weights on
/// y's distances. y may have columns. ValueError, TypeError: "expected non-empty vector for x", ...
///   np::polyfit(np::array{0, 1, 2}, np::array{1, 3, 7}, 2)  ->  [1, 1, 1]
struct polyfit_options {
  std::optional<double> rcond{};  // singular values below that times the largest count as 0; len(x) * eps by default
  array w{};
};
array polyfit(const operand& x, const operand& y, int deg, const polyfit_options& options);
template <class A = array>
array polyfit(const operand& x, const operand& y, int deg, beside_options<A> w = {}) {
  return polyfit(x, y, deg, polyfit_options{.w = w});
}
/// The same with what linalg::lstsq tells of it: NumPy's full=True.
struct polyfit_full_result {
  array c, residuals;
  std::int64_t rank;
  array s;
  double rcond;
};
polyfit_full_result polyfit_full(const operand& x, const operand& y, int deg, const polyfit_options& options = {});
/// With the covariance of the coefficients, by columns of y in its last axis: NumPy's cov=True, or "unscaled".
/// ValueError: "the number of data points must exceed order to scale the covariance matrix".
struct polyfit_cov_result {
  array c, V;
  std::int64_t rank;
};
polyfit_cov_result polyfit_cov(const operand& x, const operand& y, int deg, const polyfit_options& options = {},
                               bool is_scaled = true);

/// A polynomial of one variable with its arithmetic, as np.poly1d: coefficients from the highest power on, without
/// zeros in front, which reads values.
///   np::poly1d p({1, 0, -2});  p(3.0)  ->  7.0;  (p * p).order() == 4;  std::cout << p
class poly1d {
 public:
  struct options {
    bool r = false;  // the array holds the zeros of the polynomial
    std::string variable = "x";
  };
  /// ValueError: "Polynomial must be 1d only."
  explicit poly1d(const operand& coefficients) : poly1d(coefficients, options{}) {}
  poly1d(const operand& coefficients, const options& o);
  explicit poly1d(std::initializer_list<nested> coefficients) : poly1d(coefficients, options{}) {}
  poly1d(std::initializer_list<nested> coefficients, const options& o);
  const array& coeffs() const { return coefficients_; }
  std::int64_t order() const { return coefficients_.size() - 1; }
  array roots() const;
  const std::string& variable() const { return variable_; }
  /// Values at the elements of x.
  array operator()(const operand& x) const;
  /// The polynomial of another one.
  poly1d operator()(const poly1d& inner) const;
  /// The coefficient of a power, 0-D; 0 for powers that it has not.
  array operator[](std::int64_t power) const;
  poly1d deriv(int m = 1) const;
  poly1d integ(int m = 1, const integration_constants& k = {}) const;
  /// ValueError: "Power to non-negative integers only."
  poly1d pow(int n) const;
  /// NumPy's text: powers stand in a line of their own above.
  std::string str() const;

 private:
  array coefficients_;
  std::string variable_;
};
poly1d operator+(const poly1d& a, const poly1d& b);
poly1d operator-(const poly1d& a, const poly1d& b);
poly1d operator-(const poly1d& a);
poly1d operator*(const poly1d& a, const poly1d& b);
poly1d operator*(const poly1d& a, const operand& number);
poly1d operator*(const operand& number, const poly1d& a);
poly1d operator/(const poly1d& a, const operand& number);
/// Quotient and remainder.
std::pair<poly1d, poly1d> operator/(const poly1d& a, const poly1d& b);
/// Of equal coefficients.
bool operator==(const poly1d& a, const poly1d& b);
std::ostream& operator<<(std::ostream& out, const poly1d& p);

// Windows of M points (float64); [1] for M = 1 and empty below.
array bartlett(std::int64_t M, location where = location::here());
array blackman(std::int64_t M, location where = location::here());
array hamming(std::int64_t M, location where = location::here());
array hanning(std::int64_t M, location where = location::here());
array kaiser(std::int64_t M, double beta, location where = location::here());
/// Modified Bessel function of the first kind, order 0 (Chebyshev series of Clenshaw, as in Cephes).
array i0(const operand& x);
/// sin(pi x) / (pi x), 1 at 0.
array sinc(const operand& x);

struct unwrap_options {
  std::optional<operand> discont{};  // period / 2 by default
  std::int64_t axis = -1;
  operand period = 6.283185307179586476925;  // a whole number: integers stay integers
};
/// Jumps above `discont` between neighbours removed by adding multiples of the period.
array unwrap(const operand& p, const unwrap_options& options = {});

}  // namespace numjit
