// Texts of single numbers, and of arrays by NumPy's function names.
#include <algorithm>

#include <surface.h>
#include "format_float.h"

namespace numjit {

namespace {

detail::float_style style_of(const char* name, const format_float_options& o) {
  if (std::string("k.0-").find(o.trim) == std::string::npos)
    throw ValueError(name, "trim option must be one of 'k', '.', '0', '-': got '" + std::string(1, o.trim) + "'.");
  return {.precision = o.precision,
          .min_digits = o.min_digits,
          .trim = static_cast<detail::trim_mode>(o.trim),
          .sign = o.sign,
          .pad_left = o.pad_left,
          .pad_right = o.pad_right,
          .exp_digits = o.exp_digits};
}

std::string digits_of(std::uint64_t n, unsigned base) {
  constexpr const char* digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string text;
  for (; n > 0; n /= base) text += digits[n % base];
  std::reverse(text.begin(), text.end());
  return text;
}
std::uint64_t magnitude(std::int64_t n) { return n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n); }

}  // namespace

std::string array_str(const array& a) { return a.str(); }
std::string array_repr(const array& a) { return a.repr(); }

std::string format_float_positional(double x, const format_float_options& o) {
  return detail::format_positional(x, style_of("format_float_positional", o));
}
std::string format_float_positional(float x, const format_float_options& o) {
  return detail::format_positional(x, style_of("format_float_positional", o));
}
std::string format_float_scientific(double x, const format_float_options& o) {
  return detail::format_scientific(x, style_of("format_float_scientific", o));
}
std::string format_float_scientific(float x, const format_float_options& o) {
  return detail::format_scientific(x, style_of("format_float_scientific", o));
}

std::string base_repr(std::int64_t number, int base, int padding) {
  if (base > 36) throw ValueError("base_repr", "Bases greater than 36 not handled in base_repr.");
  if (base < 2) throw ValueError("base_repr", "Bases less than 2 not handled in base_repr.");
  std::string text = std::string(static_cast<std::size_t>(std::max(padding, 0)), '0') +
                     digits_of(magnitude(number), static_cast<unsigned>(base));
  if (number < 0) text.insert(0, "-");
  return text.empty() ? "0" : text;
}

std::string binary_repr(std::int64_t number, std::optional<int> width) {
  auto filled = [&](const std::string& digits, char with) {
    const int have = static_cast<int>(digits.size());
    if (width && *width < have)
      throw ValueError("binary_repr",
                       "Insufficient bit width=" + std::to_string(*width) + " provided for binwidth=" + std::to_string(have));
    return std::string(static_cast<std::size_t>(width ? *width - have : 0), with) + digits;
  };
  if (number == 0) return std::string(static_cast<std::size_t>(std::max(width.value_or(1), 1)), '0');
  const std::string digits = digits_of(magnitude(number), 2);
  if (number > 0) return filled(digits, '0');
  if (!width) return "-" + digits;
  // Two's complement in one digit more than the magnitude has, but at powers of two.
  std::size_t bits = digits.size();
  if (digits.find('1', 1) == std::string::npos) --bits;
  std::string low(bits + 1, '0');
  for (std::size_t k = 0; k <= bits; ++k) low[bits - k] = (static_cast<std::uint64_t>(number) >> k) & 1 ? '1' : '0';
  return filled(low, '1');
}

}  // namespace numjit
