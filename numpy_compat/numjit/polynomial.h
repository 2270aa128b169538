// np::polynomial::Polynomial: a polynomial as a value, coefficients from the lowest power on, its variable mapped from a
// domain to a window.
#pragma once

#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <numjit/np_options.h>

namespace numjit::polynomial {

/// Two numbers each, [-1, 1] where left out.
struct polynomial_options {
  array domain{}, window{};
  std::string symbol = "x";
};
struct integ_options {
  int m = 1;
  std::vector<double> k{};       // constants of integration, 0 where left out
  std::optional<double> lbnd{};  // where the integrals are 0: by default where the mapped variable is
};
struct fit_options {
  array domain{};  // that of x where left out
  std::optional<double> rcond{};
  array w{};
  array window{};
  std::string symbol = "x";
};

/// Making one reads values of domain and window, arithmetic reads coefficients.
///   np::polynomial::Polynomial p({1, 2, 3});  p(2.0)  ->  17.0;  p.deriv().coef()  ->  [2. 6.];  std::cout << p
class Polynomial {
 public:
  /// ValueError: "Coefficient array is not 1-d", "Coefficient array is empty", "Domain has wrong number of elements."
  explicit Polynomial(const operand& coef, const polynomial_options& o = {});
  explicit Polynomial(std::initializer_list<nested> coef, const polynomial_options& o = {}) : Polynomial(array(coef), o) {}

  /// The one of degree `deg` that fits points best, by least squares.
  static Polynomial fit(const operand& x, const operand& y, int deg, const fit_options& o = {});
  /// The one with these zeros.
  static Polynomial fromroots(const operand& roots, const polynomial_options& o = {});
  /// p(x) = x, and x to a power of the window. ValueError: "deg must be non-negative integer".
  static Polynomial identity(const polynomial_options& o = {});
  static Polynomial basis(int deg, const polynomial_options& o = {});

  const array& coef() const { return coef_; }
  const array& domain() const { return options_.domain; }
  const array& window() const { return options_.window; }
  const std::string& symbol() const { return options_.symbol; }
  std::int64_t degree() const { return coef_.size() - 1; }
  /// Offset and scale of the map from domain to window.
  std::pair<double, double> mapparms() const;

  /// Values at the elements of x.
  array operator()(const operand& x) const;
  /// The polynomial of another one.
  Polynomial operator()(const Polynomial& inner) const;
  /// ValueError: "The order of derivation must be non-negative"
  Polynomial deriv(int m = 1) const;
  Polynomial integ(const integ_options& o = {}) const;
  /// The zeros, sorted.
  array roots() const;
  /// Without the last coefficients that are no larger than `tol`.
  Polynomial trim(double tol = 0) const;
  /// The first coefficients alone. ValueError: "size must be a positive integer".
  Polynomial truncate(std::int64_t size) const;
  Polynomial cutdeg(std::int64_t deg) const { return truncate(deg + 1); }
  /// The same polynomial by another domain and window.
  Polynomial convert(const polynomial_options& o = {}) const;
  /// n points of the domain, and the values there.
  std::pair<array, array> linspace(std::int64_t n = 100) const;
  /// ValueError: "Power must be a non-negative integer.", "Power is too large".
  Polynomial pow(int n) const;
  /// NumPy's text: 1.0 + 2.0·x + 3.0·x².
  std::string str() const;

  /// Of the same coefficients, domain, window and symbol.
  friend bool operator==(const Polynomial& a, const Polynomial& b);

 private:
  Polynomial with(array coef) const { return Polynomial(coef, options_); }

  array coef_;
  polynomial_options options_;
};

// TypeError: "Domains differ", "Windows differ"; ValueError: "Polynomial symbols differ".
Polynomial operator+(const Polynomial& a, const Polynomial& b);
Polynomial operator-(const Polynomial& a, const Polynomial& b);
Polynomial operator*(const Polynomial& a, const Polynomial& b);
Polynomial operator-(const Polynomial& a);
Polynomial operator+(const Polynomial& a, const operand& number);
Polynomial operator+(const operand& number, const Polynomial& a);
Polynomial operator-(const Polynomial& a, const operand& number);
Polynomial operator-(const operand& number, const Polynomial& a);
Polynomial operator*(const Polynomial& a, const operand& number);
Polynomial operator*(const operand& number, const Polynomial& a);
Polynomial operator/(const Polynomial& a, const operand& number);
/// Quotient and remainder: Python's divmod, // and %. ZeroDivisionError where the highest coefficient of `b` is 0.
std::pair<Polynomial, Polynomial> divmod(const Polynomial& a, const Polynomial& b);
Polynomial floor_divide(const Polynomial& a, const Polynomial& b);
Polynomial operator%(const Polynomial& a, const Polynomial& b);
std::ostream& operator<<(std::ostream& out, const Polynomial& p);

}  // namespace numjit::polynomial
