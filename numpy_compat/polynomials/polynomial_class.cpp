// np::polynomial::Polynomial, over the functions of coefficient vectors.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <ostream>

#include <numjit/polynomial.h>

#include <surface.h>

namespace numjit::polynomial {

namespace {

constexpr int max_power = 100;

/// One axis of floats, not empty.
array series_of(const operand& given) {
  const array c = atleast_1d(detail::to_array(given));
  if (c.ndim() > 1) throw ValueError("Polynomial", "Coefficient array is not 1-d");
  if (c.size() == 0) throw ValueError("Polynomial", "Coefficient array is empty");
  const char kind = c.dtype().kind();
  return kind == 'f' || kind == 'c' ? c : c.astype(float64);
}

array interval_of(const array& given, const char* name) {
  if (given.empty_handle()) return array{-1.0, 1.0};
  const array ends = series_of(given);
  if (ends.size() != 2) throw ValueError("Polynomial", std::string(name) + " has wrong number of elements.");
  return ends;
}

bool is_zero(const array& c, std::int64_t i) { return c(i).item<std::complex<double>>() == 0.0; }

/// Without zeros at the end, but for the first coefficient.
array trimmed(const array& c) {
  std::int64_t n = c.size();
  while (n > 1 && is_zero(c, n - 1)) --n;
  return c(slice(none, n));
}

array turned(const array& c) { return flip(c, 0); }

std::pair<double, double> map_between(const array& from, const array& to) {
  const double a = from(0).item(), b = from(1).item(), c = to(0).item(), d = to(1).item();
  return {(b * c - a * d) / (b - a), (d - c) / (b - a)};
}

array mapped(const operand& x, const array& from, const array& to) {
  const auto [off, scale] = map_between(from, to);
  return off + scale * detail::to_array(x);
}

/// Sums and differences, where one of both may be longer.
array joined(const array& a, const array& b, bool subtracts) {
  const array low = turned(a), high = turned(b);
  return trimmed(turned(subtracts ? polysub(low, high) : polyadd(low, high)));
}

array times(const array& a, const array& b) { return trimmed(convolve(a, b)); }

std::pair<array, array> divided(const array& a, const array& b) {
  const std::int64_t n = b.size();
  if (is_zero(b, n - 1)) throw ZeroDivisionError("Polynomial", "");
  if (a.size() < n) return {a(slice(none, 1)) * 0, a};
  const array last = b(n - 1);
  if (n == 1) return {a / last, a(slice(none, 1)) * 0};
  const array rest = b(slice(none, n - 1)) / last;
  array left = a.astype(result_type(a, rest));
  for (std::int64_t i = a.size() - n, j = a.size() - 1; i >= 0; --i, --j) left(slice(i, j)) -= rest * left(j);
  return {left(slice(n - 1, none)) / last, trimmed(left(slice(none, n - 1)))};
}

void check_fits(const Polynomial& a, const Polynomial& b) {
  if (!array_equal(a.domain(), b.domain())) throw TypeError("Polynomial", "Domains differ");
  if (!array_equal(a.window(), b.window())) throw TypeError("Polynomial", "Windows differ");
  if (a.symbol() != b.symbol()) throw ValueError("Polynomial", "Polynomial symbols differ");
}

polynomial_options options_of(const Polynomial& p) { return {p.domain(), p.window(), p.symbol()}; }

std::string number_text(double x, bool parentheses) {
  const print_options o = get_printoptions();
  if (std::isnan(x)) return o.nanstr;
  if (std::isinf(x)) return o.infstr;
  const format_float_options format{.precision = o.precision, .trim = '0'};
  const double least = std::pow(10.0, std::min(0.0, std::floor(-(o.precision - 1) / 2.0)));
  if (x == 0 || (std::abs(x) < 1e8 && std::abs(x) >= least)) return format_float_positional(x, format);
  const std::string text = format_float_scientific(x, format);
  return parentheses ? "(" + text + ")" : text;
}

std::string raised(std::int64_t power) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char digit : std::to_string(power)) text += digits[digit - '0'];
  return text;
}

/// Characters rather than bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string variable_text(const Polynomial& p) {
  const auto [off, scale] = p.mapparms();
  if (off == 0 && scale == 1) return p.symbol();
  const std::string scaled = scale == 1 ? p.symbol() : number_text(scale, false) + p.symbol();
  return off == 0 ? "(" + scaled + ")" : "(" + number_text(off, false) + " + " + scaled + ")";
}

}  // namespace

Polynomial::Polynomial(const operand& coef, const polynomial_options& o) {
  const location_scope scope(coef.where());
  coef_ = series_of(coef);
  options_ = {interval_of(o.domain, "Domain"), interval_of(o.window, "Window"), o.symbol};
  const auto letter = [](char c) { return c == '_' || (c & 0x80) || std::isalpha(static_cast<unsigned char>(c)); };
  const auto inside = [&](char c) { return letter(c) || std::isdigit(static_cast<unsigned char>(c)); };
  if (o.symbol.empty() || !letter(o.symbol[0]) || !std::all_of(o.symbol.begin(), o.symbol.end(), inside))
    throw ValueError("Polynomial", "Symbol string must be a valid Python identifier");
}

Polynomial Polynomial::fit(const operand& x, const operand& y, int deg, const fit_options& o) {
  const location_scope scope(x.where());
  const array points = detail::to_array(x);
  array domain = o.domain.empty_handle() ? stack({min(points), max(points)}).astype(float64) : series_of(o.domain);
  if (domain(0).item() == domain(1).item()) domain = domain + array{-1.0, 1.0};
  const array window = interval_of(o.window, "Window");
  const array c = polyfit(mapped(points, domain, window), y, deg, polyfit_options{.rcond = o.rcond, .w = o.w});
  return Polynomial(turned(c), {domain, window, o.symbol});
}

Polynomial Polynomial::fromroots(const operand& roots, const polynomial_options& o) {
  const location_scope scope(roots.where());
  const array zeros = series_of(roots), domain = interval_of(o.domain, "Domain"), window = interval_of(o.window, "Window");
  const double scale = map_between(domain, window).second;
  const array c = turned(poly(mapped(zeros, domain, window)));
  return Polynomial(c / std::pow(scale, static_cast<double>(zeros.size())), {domain, window, o.symbol});
}

Polynomial Polynomial::identity(const polynomial_options& o) {
  const array domain = interval_of(o.domain, "Domain"), window = interval_of(o.window, "Window");
  const auto [off, scale] = map_between(window, domain);
  return Polynomial(array{off, scale}, {domain, window, o.symbol});
}

Polynomial Polynomial::basis(int deg, const polynomial_options& o) {
  if (deg < 0) throw ValueError("Polynomial", "deg must be non-negative integer");
  array c = zeros({deg + 1});
  c(deg) = 1;
  return Polynomial(c, o);
}

std::pair<double, double> Polynomial::mapparms() const { return map_between(domain(), window()); }

array Polynomial::operator()(const operand& x) const {
  const location_scope scope(x.where());
  const array at = mapped(x, domain(), window());
  return polyval(turned(coef_), at);
}
Polynomial Polynomial::operator()(const Polynomial& inner) const {
  const auto [off, scale] = mapparms();
  const Polynomial at = off + scale * inner;
  Polynomial value = coef_(degree()) + at * 0.0;
  for (std::int64_t i = degree() - 1; i >= 0; --i) value = coef_(i) + value * at;
  return value;
}

Polynomial Polynomial::deriv(int m) const {
  if (m < 0) throw ValueError("Polynomial", "The order of derivation must be non-negative");
  if (m > degree()) return with(coef_(slice(none, 1)) * 0);
  array c = coef_;
  const double scale = mapparms().second;
  for (; m > 0; --m) c = (c * scale)(slice(1, none)) * arange(1, c.size());
  return with(c);
}

Polynomial Polynomial::integ(const integ_options& o) const {
  if (o.m < 0) throw ValueError("Polynomial", "The order of integration must be non-negative");
  if (std::cmp_greater(o.k.size(), o.m)) throw ValueError("Polynomial", "Too many integration constants");
  const auto [off, scale] = mapparms();
  const double from = o.lbnd ? off + scale * *o.lbnd : 0.0;
  array c = coef_;
  for (int i = 0; i < o.m; ++i) {
    const double constant = std::cmp_less(i, o.k.size()) ? o.k[static_cast<std::size_t>(i)] : 0.0;
    c = c * (1 / scale);
    if (c.size() == 1 && is_zero(c, 0)) {
      c = c + constant;
      continue;
    }
    c = concatenate({c(slice(none, 1)) * 0, c / arange(1, c.size() + 1)});
    c(0) += constant - polyval(turned(c), from);
  }
  return with(c);
}

array Polynomial::roots() const {
  const array zeros = sort(numjit::roots(turned(trimmed(coef_))));
  return mapped(zeros, window(), domain());
}

Polynomial Polynomial::trim(double tol) const {
  if (!(tol >= 0)) throw ValueError("Polynomial", "tol must be non-negative");
  std::int64_t n = coef_.size();
  while (n > 0 && abs(coef_(n - 1)).item() <= tol) --n;
  return with(n == 0 ? coef_(slice(none, 1)) * 0 : coef_(slice(none, n)).copy());
}
Polynomial Polynomial::truncate(std::int64_t size) const {
  if (size < 1) throw ValueError("Polynomial", "size must be a positive integer");
  return with(coef_(slice(none, size)));
}
Polynomial Polynomial::convert(const polynomial_options& o) const {
  polynomial_options to = o;
  to.symbol = symbol();
  return (*this)(identity(to));
}
std::pair<array, array> Polynomial::linspace(std::int64_t n) const {
  const array x = numjit::linspace(domain()(0).item(), domain()(1).item(), n);
  return {x, (*this)(x)};
}
Polynomial Polynomial::pow(int n) const {
  if (n < 0) throw ValueError("Polynomial", "Power must be a non-negative integer.");
  if (n > max_power) throw ValueError("Polynomial", "Power is too large");
  array c = n == 0 ? ones({1}, coef_.dtype()) : coef_;
  for (int i = 1; i < n; ++i) c = convolve(c, coef_);
  return with(c);
}

std::string Polynomial::str() const {
  const std::size_t width = static_cast<std::size_t>(std::max(1, static_cast<int>(get_printoptions().linewidth)));
  const std::string variable = variable_text(*this);
  const bool complex = coef_.dtype().kind() == 'c';
  std::string text = complex ? coef_(0).str() : number_text(coef_(0).item(), false);
  for (std::int64_t i = 1; i <= degree(); ++i) {
    const double c = complex ? 0.0 : coef_(i).item();
    std::string term = complex ? "+ " + coef_(i).str() : (c >= 0 ? "+ " : "- ") + number_text(c >= 0 ? c : -c, true);
    term += "·" + variable + (i == 1 ? "" : raised(i));
    text += ' ';
    const std::size_t line = width_of(text.substr(text.rfind('\n') + 1));
    if (line + width_of(term) + (i < degree() ? 2 : 0) >= width) term[1] = '\n';
    text += term;
  }
  return text;
}

bool operator==(const Polynomial& a, const Polynomial& b) {
  return array_equal(a.coef(), b.coef()) && array_equal(a.domain(), b.domain()) && array_equal(a.window(), b.window()) &&
         a.symbol() == b.symbol();
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) { return check_fits(a, b), a + b.coef(); }
Polynomial operator-(const Polynomial& a, const Polynomial& b) { return check_fits(a, b), a - b.coef(); }
Polynomial operator*(const Polynomial& a, const Polynomial& b) { return check_fits(a, b), a * b.coef(); }
Polynomial operator-(const Polynomial& a) { return Polynomial(negative(a.coef()), options_of(a)); }
Polynomial operator+(const Polynomial& a, const operand& number) {
  const location_scope scope(number.where());
  return Polynomial(joined(a.coef(), series_of(number), false), options_of(a));
}
Polynomial operator+(const operand& number, const Polynomial& a) { return a + number; }
Polynomial operator-(const Polynomial& a, const operand& number) {
  const location_scope scope(number.where());
  return Polynomial(joined(a.coef(), series_of(number), true), options_of(a));
}
Polynomial operator-(const operand& number, const Polynomial& a) {
  const location_scope scope(number.where());
  return Polynomial(joined(series_of(number), a.coef(), true), options_of(a));
}
Polynomial operator*(const Polynomial& a, const operand& number) {
  const location_scope scope(number.where());
  return Polynomial(times(a.coef(), series_of(number)), options_of(a));
}
Polynomial operator*(const operand& number, const Polynomial& a) { return a * number; }
Polynomial operator/(const Polynomial& a, const operand& number) {
  const location_scope scope(number.where());
  return Polynomial(divided(a.coef(), series_of(number)).first, options_of(a));
}
std::pair<Polynomial, Polynomial> divmod(const Polynomial& a, const Polynomial& b) {
  check_fits(a, b);
  const auto [quotient, rest] = divided(a.coef(), b.coef());
  return {Polynomial(quotient, options_of(a)), Polynomial(rest, options_of(a))};
}
Polynomial floor_divide(const Polynomial& a, const Polynomial& b) { return divmod(a, b).first; }
Polynomial operator%(const Polynomial& a, const Polynomial& b) { return divmod(a, b).second; }
std::ostream& operator<<(std::ostream& out, const Polynomial& p) { return out << p.str(); }

}  // namespace numjit::polynomial
