// dtypes as values: promotion, casting rules, limits, strong scalars.
#pragma once

#include <cstdint>

#include <numjit/np_options.h>

namespace numjit {

/// Smallest dtype that both cast to safely: np::promote_types(np::int32, np::float32) -> float64.
dtype promote_types(dtype a, dtype b);
/// dtype of an expression of these operands, weak literals included.
dtype result_type(const operand& a, const operand& b);
dtype result_type(const operand& a, const operand& b, const operand& c);
/// May values be cast: "no", "equiv", "safe", "same_kind" or "unsafe".
bool can_cast(dtype from, dtype to, const char* casting = "safe");
/// The dtype of a name as NumPy writes it: "float32", "f4", "<f4", "d", "int". TypeError:
/// "data type 'x' not understood".
dtype dtype_of(std::string_view name);

inline constexpr dtype double_ = float64, single = float32, half_ = float16, intp = int64,
                       int_ = int64, uint = uint64, byte = int8, ubyte = uint8;

/// Limits of a float dtype. ValueError for others.
struct finfo {
  explicit finfo(numjit::dtype t);
  numjit::dtype dtype;
  int bits;
  double eps, max, min, tiny, smallest_subnormal, resolution;
  int precision;
};
/// Limits of an integer dtype. ValueError for others.
struct iinfo {
  explicit iinfo(numjit::dtype t);
  numjit::dtype dtype;
  int bits;
  std::int64_t min;
  std::uint64_t max;
};

}  // namespace numjit
