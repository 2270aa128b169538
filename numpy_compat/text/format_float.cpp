// Decimal text of floating-point values: shortest unique digits, cut or extended by exact rounding.
#include "format_float.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace numjit::detail {

namespace {

/// Shortest decimal digits that read back as the value, as "d.ddde+XX".
std::string shortest(double v) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, v, std::chars_format::scientific).ptr;
  return {text, end};
}
std::string shortest(float v) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, v, std::chars_format::scientific).ptr;
  return {text, end};
}
std::string shortest(half v) {
  const double wide = static_cast<double>(static_cast<float>(v));
  char text[64];
  for (int digits = 0; digits < 6; ++digits) {
    auto end = std::to_chars(text, text + sizeof text, wide, std::chars_format::scientific, digits).ptr;
    const double back = std::strtod(std::string(text, end).c_str(), nullptr);
    if (static_cast<float>(half(back)) == static_cast<float>(v)) return {text, end};
  }
  return shortest(wide);
}

double widen(double v) { return v; }
double widen(float v) { return static_cast<double>(v); }
double widen(half v) { return static_cast<double>(static_cast<float>(v)); }

/// Exactly rounded text with that many digits after the point.
std::string rounded(double v, std::chars_format format, int digits) {
  char text[1200];
  auto end = std::to_chars(text, text + sizeof text, v, format, digits).ptr;
  return {text, end};
}

struct decimal {
  std::string digits;  // without point
  int exponent;        // of the first digit
};
template <class T>
decimal unique_digits(T magnitude) {
  std::string s = shortest(magnitude);
  std::size_t e = s.find('e');
  decimal d{s.substr(0, 1), std::atoi(s.c_str() + e + 1)};
  if (e > 1) d.digits += s.substr(2, e - 2);
  while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
  return d;
}

void trim_fraction(std::string& fraction, bool& point, trim_mode trim) {
  if (trim == trim_mode::keep) return;
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  if (trim == trim_mode::zero && fraction.empty()) fraction = "0";
  if (trim == trim_mode::all && fraction.empty()) point = false;
}

template <class T>
bool is_negative(T v) {
  return std::signbit(widen(v));
}

std::string with_left(std::string whole, const float_style& s, bool negative) {
  if (negative)
    whole.insert(0, "-");
  else if (s.sign)
    whole.insert(0, "+");
  if (static_cast<int>(whole.size()) < s.pad_left) whole.insert(0, static_cast<std::size_t>(s.pad_left) - whole.size(), ' ');
  return whole;
}

void split_at_point(const std::string& text, std::string& whole, std::string& fraction) {
  std::size_t dot = text.find('.');
  whole = text.substr(0, dot);
  fraction = dot == std::string::npos ? "" : text.substr(dot + 1);
}

}  // namespace

template <class T>
std::string format_positional(T value, const float_style& s) {
  const double magnitude = std::fabs(widen(value));
  std::string whole = "0", fraction;
  if (!s.unique) {
    split_at_point(rounded(magnitude, std::chars_format::fixed, s.precision), whole, fraction);
  } else if (magnitude != 0) {
    decimal d = unique_digits(T(magnitude));
    const int count = static_cast<int>(d.digits.size());
    const int behind = count - 1 - d.exponent;  // digits after the point; negative: zeros before it
    const int wanted = s.trim == trim_mode::keep ? s.min_digits : 0;
    if (s.precision >= 0 && behind > s.precision) {
      split_at_point(rounded(magnitude, std::chars_format::fixed, s.precision), whole, fraction);
    } else if (behind < wanted) {
      split_at_point(rounded(magnitude, std::chars_format::fixed, wanted), whole, fraction);
    } else if (behind <= 0) {
      whole = d.digits + std::string(static_cast<std::size_t>(-behind), '0');
    } else if (d.exponent >= 0) {
      whole = d.digits.substr(0, static_cast<std::size_t>(d.exponent) + 1);
      fraction = d.digits.substr(static_cast<std::size_t>(d.exponent) + 1);
    } else {
      fraction = std::string(static_cast<std::size_t>(-d.exponent - 1), '0') + d.digits;
    }
  } else if (s.trim == trim_mode::keep && s.min_digits > 0) {
    fraction.assign(static_cast<std::size_t>(s.min_digits), '0');
  }
  bool point = true;
  trim_fraction(fraction, point, s.trim);
  std::string text = with_left(whole, s, is_negative(value));
  if (point) text += '.';
  text += fraction;
  const int right = static_cast<int>(fraction.size()) + (point ? 0 : -1);
  if (s.pad_right > 0 && right < s.pad_right) text.append(static_cast<std::size_t>(s.pad_right - right), ' ');
  return text;
}

template <class T>
std::string format_scientific(T value, const float_style& s) {
  const double magnitude = std::fabs(widen(value));
  std::string whole = "0", fraction;
  int exponent = 0;
  auto take = [&](const std::string& text) {
    std::size_t e = text.find('e');
    split_at_point(text.substr(0, e), whole, fraction);
    exponent = std::atoi(text.c_str() + e + 1);
  };
  const int wanted = s.trim == trim_mode::keep ? s.min_digits : 0;
  if (!s.unique) {
    take(rounded(magnitude, std::chars_format::scientific, s.precision));
  } else if (magnitude != 0) {
    decimal d = unique_digits(T(magnitude));
    const int behind = static_cast<int>(d.digits.size()) - 1;
    if (s.precision >= 0 && behind > s.precision) {
      take(rounded(magnitude, std::chars_format::scientific, s.precision));
    } else if (behind < wanted) {
      take(rounded(magnitude, std::chars_format::scientific, wanted));
    } else {
      whole = d.digits.substr(0, 1);
      fraction = d.digits.substr(1);
      exponent = d.exponent;
    }
  } else {
    fraction.assign(static_cast<std::size_t>(wanted), '0');
  }
  bool point = true;
  trim_fraction(fraction, point, s.trim);
  std::string text = with_left(whole, s, is_negative(value));
  if (point) text += '.';
  text += fraction;
  std::string power = std::to_string(exponent < 0 ? -exponent : exponent);
  const int digits = s.exp_digits < 2 ? 2 : s.exp_digits;
  if (static_cast<int>(power.size()) < digits) power.insert(0, static_cast<std::size_t>(digits) - power.size(), '0');
  return text + (exponent < 0 ? "e-" : "e+") + power;
}

template <class T>
std::string format_scalar(T value, trim_mode positional_trim) {
  const double v = widen(value), magnitude = std::fabs(v);
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  const double limit = std::is_same_v<T, double> ? 1e16 : std::is_same_v<T, float> ? 1e6 : 1e3;
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < limit)) return format_positional(value, {.trim = positional_trim});
  return format_scientific(value, {.trim = trim_mode::all});
}

#define NUMJIT_FORMAT(T)                                            \
  template std::string format_positional<T>(T, const float_style&); \
  template std::string format_scientific<T>(T, const float_style&); \
  template std::string format_scalar<T>(T, trim_mode);
NUMJIT_FORMAT(half)
NUMJIT_FORMAT(float)
NUMJIT_FORMAT(double)
#undef NUMJIT_FORMAT

}  // namespace numjit::detail
