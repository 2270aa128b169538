// dtypes as values: promotion, casting rules, limits, strong scalars.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <numjit/np_options.h>

namespace numjit {

/// Smallest dtype that both cast to safely: np::promote_types(np::int32, np::float32) -> float64.
dtype promote_types(dtype a, dtype b);
/// dtype of an expression of these operands, weak literals included.
dtype result_type(const operand& a, const operand& b);
dtype result_type(const operand& a, const operand& b, const operand& c);
inline dtype result_type(dtype a, dtype b) { return promote_types(a, b); }
/// May values be cast: "no", "equiv", "safe", "same_kind" or "unsafe".
bool can_cast(dtype from, dtype to, const char* casting = "safe");
/// The dtype of a name as NumPy writes it: "float32", "f4", "<f4", "d", "int". TypeError:
/// "data type 'x' not understood".
dtype dtype_of(std::string_view name);

inline constexpr dtype double_ = float64, single = float32, half_ = float16, intp = int64,
                       int_ = int64, uint = uint64, byte = int8, ubyte = uint8;

inline constexpr dtype csingle = complex64, cdouble = complex128, intc = int32, uintc = uint32, uintp = uint64,
                       longlong = int64, ulonglong = uint64, ulong = uint64, ushort = uint16, short_ = int16, long_ = int64;

/// Is a dtype of a kind: "bool", "signed integer", "unsigned integer", "integral", "real floating",
/// "complex floating", "numeric". ValueError for others.
///   np::isdtype(np::uint8, "integral")  ->  true
bool isdtype(dtype t, const char* kind);
inline bool isdtype(dtype t, dtype other) { return t == other; }
/// Is a dtype of a class of NumPy's tree: "generic", "number", "integer", "signedinteger", "unsignedinteger",
/// "inexact", "floating", "complexfloating", "bool". TypeError for others.
bool issubdtype(dtype t, const char* kind);
/// The classes by NumPy's names.
///   np::issubdtype(np::float32, np::floating)  ->  true
struct dtype_class {
  const char* name;
};
inline constexpr dtype_class generic{"generic"}, number{"number"}, integer{"integer"}, signedinteger{"signedinteger"},
    unsignedinteger{"unsignedinteger"}, inexact{"inexact"}, floating{"floating"}, complexfloating{"complexfloating"};
inline bool issubdtype(dtype t, dtype_class kind) { return issubdtype(t, kind.name); }
inline bool issubdtype(dtype t, dtype other) { return t == other; }
/// The smallest of NumPy's dtype characters in `typeset` that holds all of `typechars`; `otherwise` if none of them is
/// in it. "F" and "d" together make "D".
///   np::mintypecode("fD")  ->  'D'
char mintypecode(std::string_view typechars, std::string_view typeset = "GDFgdf", char otherwise = 'd');
/// The smallest dtype that holds a number; that of an array.
///   np::min_scalar_type(-300)  ->  int16
dtype min_scalar_type(const operand& value);
/// The float or complex dtype of computations with these arrays: integers count as float64. TypeError for bool:
/// "can't get common type for non-numeric array".
dtype common_type(const std::vector<array>& arrays);

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
