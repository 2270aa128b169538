// Decimal text of floating-point values as NumPy's Dragon4 routines write it. Not a public header.
#pragma once

#include <string>

#include <numjit/array/half.h>

namespace numjit::detail {

/// How digits after the point are trimmed: NumPy's trim= 'k' (keep), '.' (all zeros, point stays),
/// '0' (one zero stays), '-' (zeros and point).
enum class trim_mode : char { keep = 'k', point = '.', zero = '0', all = '-' };

/// Arguments of NumPy's dragon4_positional and dragon4_scientific: at most `precision` digits after the
/// point (-1: as many as make the value unique), at least `min_digits`, blanks or zeros up to the paddings;
/// not `unique`: exactly `precision` digits.
struct float_style {
  int precision = -1;
  int min_digits = 0;
  trim_mode trim = trim_mode::keep;
  bool sign = false;   // '+' before positive values
  int pad_left = 0;    // characters before the point
  int pad_right = 0;   // characters after the point (positional)
  int exp_digits = 2;  // of the exponent (scientific)
  bool unique = true;
};
template <class T>
std::string format_positional(T value, const float_style& style);
template <class T>
std::string format_scientific(T value, const float_style& style);

/// str() of a NumPy float scalar: "3.0", "1e-05", "nan".
template <class T>
std::string format_scalar(T value, trim_mode positional_trim = trim_mode::zero);

}  // namespace numjit::detail
