// Arrays inside composites: operations on them report the place of the user's call, not the library's line.
// Not a public header.
#pragma once

#include <utility>

#include "surface.h"

namespace numjit::detail {

/// An array with the place that operations on it report.
class placed {
 public:
  placed(array a, const location& where) : value_(std::move(a)), where_(where) {}
  operator operand() const { return at(value_, where_); }  // NOLINT: what composites are for
  operator const array&() const { return value_; }
  const location& where() const { return where_; }
  const array* operator->() const { return &value_; }
  /// The same with another array: x.with(sqrt(x)).
  placed with(array a) const { return {std::move(a), where_}; }

 private:
  array value_;
  location where_;
};

template <class T>
concept placed_operand = std::same_as<T, placed> || weak_scalar<T>;

inline operand as_operand(const placed& a, const location&) { return a; }
template <weak_scalar T>
operand as_operand(T value, const location& where) {
  return at(value, where);
}

#define NUMJIT_PLACED_LEFT(symbol, name)                                   \
  template <placed_operand B>                                              \
  placed operator symbol(const placed& a, const B& b) {                    \
    return a.with(numjit::name(a, as_operand(b, a.where())));              \
  }
#define NUMJIT_PLACED(symbol, name)                                        \
  NUMJIT_PLACED_LEFT(symbol, name)                                         \
  template <weak_scalar A>                                                 \
  placed operator symbol(const A& a, const placed& b) {                    \
    return b.with(numjit::name(as_operand(a, b.where()), b));              \
  }
NUMJIT_PLACED(+, add)
NUMJIT_PLACED(-, subtract)
NUMJIT_PLACED(*, multiply)
NUMJIT_PLACED(/, divide)
NUMJIT_PLACED(%, remainder)
NUMJIT_PLACED(<, less)
NUMJIT_PLACED(<=, less_equal)
NUMJIT_PLACED(>, greater)
NUMJIT_PLACED(>=, greater_equal)
NUMJIT_PLACED(&, bitwise_and)
NUMJIT_PLACED(|, bitwise_or)
// The language turns these two round by itself, and then wants a bool.
NUMJIT_PLACED_LEFT(==, equal)
NUMJIT_PLACED_LEFT(!=, not_equal)
#undef NUMJIT_PLACED_LEFT
#undef NUMJIT_PLACED

/// The operand as a placed array.
inline placed place(const operand& a) { return {to_array(a), a.where()}; }
inline placed place(const array& a, const location& where) { return {a, where}; }
/// The same cast to a dtype, and as a floating dtype that integers become.
inline placed place_as(const operand& a, dtype_id t) {
  const placed x = place(a);
  return x->get()->type == t ? x : x.with(cast_in_order(x, t, x, 'K'));
}
inline bool is_integral_type(dtype_id t) {
  const char k = dtype(t).kind();
  return k == 'b' || k == 'i' || k == 'u';
}
inline placed place_float(const operand& a) {
  return is_integral_type(type_of(a)) ? place_as(a, dtype_id::float64) : place(a);
}
inline placed negative_of(const placed& a) { return a.with(negative(a)); }

/// Slices and single elements along an axis.
inline placed part(const placed& a, int axis, std::int64_t start, std::int64_t stop, std::int64_t step = layout::none) {
  return a.with(slice_axis(a, axis, start, stop, step));
}
inline placed pick(const placed& a, int axis, std::int64_t i) { return a.with(pick_axis(a, axis, i)); }

}  // namespace numjit::detail
