// np::poly1d: polynomials as values.
#include <cstdio>
#include <ostream>

#include <surface.h>

namespace numjit {

namespace {

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

std::string coefficient_text(const array& c) {
  const auto z = c.item<std::complex<double>>();
  if (z.imag() == 0) return number_text(z.real());
  if (z.real() == 0) return number_text(z.imag()) + "j";
  return "(" + number_text(z.real()) + " + " + number_text(z.imag()) + "j)";
}

std::string term_text(const std::string& coefficient, std::int64_t power, const std::string& variable, bool first) {
  if (coefficient == "0") return power == 0 && first ? "0" : "";
  if (power == 0) return coefficient;
  const std::string factor = coefficient + " " + variable;
  return power == 1 ? factor : factor + "**" + std::to_string(power);
}

/// Two lines for each 70 characters: the powers, raised, and the rest.
std::string raised_powers(const std::string& text) {
  constexpr std::size_t width = 70;
  std::string powers, rest, out = " ";
  std::size_t from = 0;
  for (;;) {
    const std::size_t mark = text.find("**", from);
    if (mark == std::string::npos) break;
    std::size_t end = mark + 2;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    const std::string power = text.substr(mark + 2, end - mark - 2), part = text.substr(from, mark - from);
    const std::string below = part + std::string(power.size() - 1, ' '), above = std::string(part.size() - 1, ' ') + power;
    from = end;
    if (rest.size() + below.size() > width || powers.size() + above.size() > width) {
      out += powers + "\n" + rest + "\n ";
      powers = above;
      rest = below;
    } else {
      rest += below;
      powers += above;
    }
  }
  return out + powers + "\n" + rest + text.substr(from);
}

}  // namespace

poly1d::poly1d(const operand& given, const options& o) : variable_(o.variable) {
  const location_scope scope(given.where());
  const array x = detail::to_array(given);
  const array c = atleast_1d(o.r ? poly(x) : x);
  if (c.ndim() > 1) throw ValueError("poly1d", "Polynomial must be 1d only.");
  coefficients_ = trim_zeros(c, "f");
  if (coefficients_.size() == 0) coefficients_ = zeros({1}, c.dtype());
}

poly1d::poly1d(std::initializer_list<nested> given, const options& o)
    // One array in braces is the coefficients, not a row of them.
    : poly1d(given.size() == 1 && !given.begin()->is_list() && given.begin()->element() ? array::share(given.begin()->element())
                                                                                        : array(given),
             o) {}

array poly1d::roots() const { return numjit::roots(coefficients_); }
array poly1d::operator()(const operand& x) const {
  const location_scope scope(x.where());
  return polyval(coefficients_, x);
}
poly1d poly1d::operator()(const poly1d& inner) const {
  poly1d y(zeros({1}, coefficients_.dtype()));
  for (std::int64_t i = 0; i <= order(); ++i) y = y * inner + poly1d(coefficients_(i));
  return y;
}
array poly1d::operator[](std::int64_t power) const {
  if (power < 0 || power > order()) return zeros({}, coefficients_.dtype());
  return coefficients_(order() - power);
}
poly1d poly1d::deriv(int m) const {
  const array c = polyder(coefficients_, m);
  return poly1d(c.size() == 0 ? zeros({1}, c.dtype()) : c);
}
poly1d poly1d::integ(int m, const integration_constants& k) const { return poly1d(polyint(coefficients_, m, k)); }
poly1d poly1d::pow(int n) const {
  if (n < 0) throw ValueError("poly1d", "Power to non-negative integers only.");
  array result = ones({1}, int64);
  for (int i = 0; i < n; ++i) result = polymul(coefficients_, result);
  return poly1d(result);
}

std::string poly1d::str() const {
  std::string text = "0";
  for (std::int64_t k = 0; k <= order(); ++k) {
    const std::string term = term_text(coefficient_text(coefficients_(k)), order() - k, variable_, k == 0);
    if (k == 0)
      text = term;
    else if (term.starts_with("-"))
      text += " - " + term.substr(1);
    else if (!term.empty())
      text += " + " + term;
  }
  return raised_powers(text);
}

poly1d operator+(const poly1d& a, const poly1d& b) { return poly1d(polyadd(a.coeffs(), b.coeffs())); }
poly1d operator-(const poly1d& a, const poly1d& b) { return poly1d(polysub(a.coeffs(), b.coeffs())); }
poly1d operator-(const poly1d& a) { return poly1d(negative(a.coeffs())); }
poly1d operator*(const poly1d& a, const poly1d& b) { return poly1d(polymul(a.coeffs(), b.coeffs())); }
poly1d operator*(const poly1d& a, const operand& number) {
  const location_scope scope(number.where());
  return poly1d(multiply(a.coeffs(), number));
}
poly1d operator*(const operand& number, const poly1d& a) {
  const location_scope scope(number.where());
  return poly1d(multiply(number, a.coeffs()));
}
poly1d operator/(const poly1d& a, const operand& number) {
  const location_scope scope(number.where());
  return poly1d(divide(a.coeffs(), number));
}
std::pair<poly1d, poly1d> operator/(const poly1d& a, const poly1d& b) {
  const auto [quotient, rest] = polydiv(a.coeffs(), b.coeffs());
  return {poly1d(quotient), poly1d(rest)};
}
bool operator==(const poly1d& a, const poly1d& b) { return array_equal(a.coeffs(), b.coeffs()); }
std::ostream& operator<<(std::ostream& out, const poly1d& p) { return out << p.str(); }

}  // namespace numjit
