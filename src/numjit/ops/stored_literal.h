// What a program stores. Floats into integer arrays: NumPy takes int() of them, and refuses what that refuses.
#pragma once

#include <cmath>
#include <string_view>

#include <numjit/ops/promotion.h>

namespace numjit {

/// Is it a float on its way into an integer dtype?
inline bool stores_as_integer(const operand& literal, dtype_id type) {
  const char kind = dtype(type).kind();
  return literal.kind() == weak_kind::float_ && (kind == 'i' || kind == 'u');
}

/// Checks that the whole part of a float fits an integer dtype. ValueError: "cannot convert float NaN to integer".
/// OverflowError: "cannot convert float infinity to integer", and as check_literal().
inline void check_whole(std::string_view op, const operand& literal, dtype_id type) {
  const double x = literal.real();
  if (std::isnan(x)) throw ValueError(std::string(op), "cannot convert float NaN to integer");
  if (std::isinf(x)) throw OverflowError(std::string(op), "cannot convert float infinity to integer");
  if (x >= 0x1p64 || x < -0x1p63) throw OverflowError(std::string(op), "Python int too large to convert to C long");
  check_literal(op, x >= 0x1p63 ? operand(static_cast<std::uint64_t>(x)) : operand(static_cast<std::int64_t>(x)), type);
}

/// Would it pass?
inline bool whole_fits(const operand& literal, dtype_id type) {
  const double x = literal.real();
  if (!(x < 0x1p64 && x >= -0x1p63)) return false;
  return literal_fits(x >= 0x1p63 ? operand(static_cast<std::uint64_t>(x)) : operand(static_cast<std::int64_t>(x)), type);
}

/// ValueError unless a store repeats values of one shape to fill another: "could not broadcast input array from shape (3,) into
/// shape (4,)". Leading axes of length 1 beyond the other's are dropped.
void check_spread(std::string_view op, const dims& values, const dims& shape);

namespace detail {
/// A number without axes as an element of a signed integer dtype, by the rules of literals: as check_literal() and
/// check_whole() when its value is known, which may be when the graph runs.
array stored_number(const operand& number, dtype_id type);
}  // namespace detail

}  // namespace numjit
