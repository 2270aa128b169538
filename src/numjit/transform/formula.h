// What the derivatives of rows are written in: `g`, which is linear, and values, on which the rows are functions.
//
// Formulas are templates over the kind of value. A Value binds operations as it goes; Uses only finds out which of the operands
// and the result a formula needs. Zero stays zero: what is 0 in g contributes 0, whatever it is multiplied with or divided by, so
// that where(x > 0, sqrt(x), 0) has a derivative everywhere. That is a rule of values only: whether g is 0 decides nothing else.
#pragma once

#include <numjit/ops/calls.h>

namespace numjit::transform {

/// An array, or a number with the dtype that it has beside the arrays of the formula.
class Value {
 public:
  Value() = default;
  Value(int number) : literal_(number), is_literal_(true) {}
  Value(double number) : literal_(number), is_literal_(true) {}
  Value(bool number) : literal_(number), is_literal_(true) {}
  explicit Value(array held) : held_(std::move(held)) {}
  Value(const operand& number, dtype_id type) : literal_(number), type_(type), is_literal_(true) {}

  bool is_literal() const { return is_literal_; }
  /// Neither: of a g, exactly zero.
  bool is_nothing() const { return !is_literal_ && held_.empty_handle(); }
  operand get() const { return is_literal_ ? literal_ : operand(held_, "", "", 0); }
  const array& held() const { return held_; }
  double number() const { return literal_.real(); }
  bool is_complex() const {
    return is_literal_ ? literal_.kind() == weak_kind::complex_ : dtype(held_.get()->type).kind() == 'c';
  }

 private:
  friend Value apply(op_id op, const Value& a);
  /// The number as an array.
  Value as_array() const;

  array held_;
  operand literal_{0, "", "", 0};
  dtype_id type_ = dtype_id::float64;  // of a number of the program
  bool is_literal_ = false;
};

Value apply(op_id op, const Value& a);
Value apply(op_id op, const Value& a, const Value& b);
Value select(const Value& condition, const Value& a, const Value& b);

/// Which of a (1), b (2), c (4) and y (8) a formula uses.
struct Uses {
  unsigned bits = 0;
  constexpr Uses() = default;
  constexpr Uses(unsigned b) : bits(b) {}
  constexpr Uses(int) {}
  constexpr Uses(double) {}
  constexpr bool is_complex() const { return true; }
};
constexpr Uses apply(op_id, Uses a) { return a; }
constexpr Uses apply(op_id, Uses a, Uses b) { return a.bits | b.bits; }
constexpr Uses select(Uses condition, Uses a, Uses b) { return condition.bits | a.bits | b.bits; }

/// What is linear in a formula: g, and what is made of it.
template <class V>
struct Linear {
  V v;
};

/// The words of formulas, beside the names of rows.
namespace formula {

inline constexpr double pi = 3.14159265358979323846, ln2 = 0.69314718055994530942, ln10 = 2.30258509299404568402,
                        two_over_sqrt_pi = 1.12837916709551257390;
struct Zero {};
inline constexpr Zero zero;

// ---- values ----
#define UFUNC1(name, ...)                                             \
  inline Value name(const Value& a) { return apply(op_id::name, a); } \
  constexpr Uses name(Uses a) { return apply(op_id::name, a); }
#define UFUNC2(name, ...)                                                                \
  inline Value name(const Value& a, const Value& b) { return apply(op_id::name, a, b); } \
  constexpr Uses name(Uses a, Uses b) { return apply(op_id::name, a, b); }
#include <numjit/ops/all_rows.inc>

}  // namespace formula

// Found by their arguments, wherever they are used.
#define NUMJIT_FORMULA_OPERATOR(symbol, op)                                                       \
  inline Value operator symbol(const Value& a, const Value& b) { return apply(op_id::op, a, b); } \
  constexpr Uses operator symbol(Uses a, Uses b) { return apply(op_id::op, a, b); }
NUMJIT_FORMULA_OPERATOR(+, add)
NUMJIT_FORMULA_OPERATOR(-, subtract)
NUMJIT_FORMULA_OPERATOR(*, multiply)
NUMJIT_FORMULA_OPERATOR(/, divide)
NUMJIT_FORMULA_OPERATOR(==, equal)
NUMJIT_FORMULA_OPERATOR(<, less)
NUMJIT_FORMULA_OPERATOR(<=, less_equal)
NUMJIT_FORMULA_OPERATOR(>, greater)
NUMJIT_FORMULA_OPERATOR(>=, greater_equal)
NUMJIT_FORMULA_OPERATOR(&, bitwise_and)
NUMJIT_FORMULA_OPERATOR(|, bitwise_or)
#undef NUMJIT_FORMULA_OPERATOR
inline Value operator-(const Value& a) { return apply(op_id::negative, a); }
constexpr Uses operator-(Uses a) { return a; }

// ---- what is linear ----
Value scaled(const Value& g, const Value& by);
Value unscaled(const Value& g, const Value& by);
Value summed(const Value& g, const Value& h);
Value selected(const Value& condition, const Value& g, const Value& h);
Value changed(op_id op, const Value& g);  // a function that is linear
constexpr Uses scaled(Uses g, Uses by) { return g.bits | by.bits; }
constexpr Uses unscaled(Uses g, Uses by) { return g.bits | by.bits; }
constexpr Uses summed(Uses g, Uses h) { return g.bits | h.bits; }
constexpr Uses selected(Uses condition, Uses g, Uses h) { return select(condition, g, h); }
constexpr Uses changed(op_id, Uses g) { return g; }

template <class V, class W>
constexpr Linear<V> operator*(const Linear<V>& g, const W& by) {
  return {scaled(g.v, V(by))};
}
template <class V, class W>
constexpr Linear<V> operator/(const Linear<V>& g, const W& by) {
  return {unscaled(g.v, V(by))};
}
template <class V>
constexpr Linear<V> operator+(const Linear<V>& g, const Linear<V>& h) {
  return {summed(g.v, h.v)};
}
template <class V>
constexpr Linear<V> operator-(const Linear<V>& g) {
  return {changed(op_id::negative, g.v)};
}

namespace formula {

template <class V>
constexpr Linear<V> where(const V& condition, const Linear<V>& g, const Linear<V>& h) {
  return {selected(condition, g.v, h.v)};
}
template <class V>
constexpr Linear<V> where(const V& condition, const Linear<V>& g, Zero) {
  return {selected(condition, g.v, V(0))};
}
template <class V>
constexpr Linear<V> where(const V& condition, Zero, const Linear<V>& g) {
  return {selected(condition, V(0), g.v)};
}
template <class V>
constexpr Linear<V> conjugate(const Linear<V>& g) {
  return {changed(op_id::conjugate, g.v)};
}
/// The real part.
Value real_part(const Value& g);
constexpr Uses real_part(Uses g) { return g; }
template <class V>
constexpr Linear<V> real(const Linear<V>& g) {
  return {real_part(g.v)};
}
/// scale2 and unscale of what is linear and a value that is a change too.
template <class V>
constexpr Linear<V> scale2(const Linear<V>& g, const V& by) {
  return {apply(op_id::scale2, g.v, by)};
}
/// Of z / |z| = y: the part of g across y, by |z|; nothing of real numbers, and at 0, where sign(0) = 0 has no derivative.
template <class V>
constexpr Linear<V> along_circle(const Linear<V>& g, const V& a, const V& y) {
  if (!a.is_complex()) return {V()};
  const V size = absolute(a);
  return (g + -(real(g * conjugate(y)) * y)) / select(size == V(0), V(std::numeric_limits<double>::infinity()), size);
}

/// The derivative of the logarithm of the gamma function: by the recurrence beyond 10, where the asymptotic series holds to the
/// last bits; of what is not positive by reflection. Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 6.3.
template <class V>
constexpr V digamma(const V& a) {
  const V x = select(a > V(0), a, V(1) - a), z = x + V(10), r = V(1) / (z * z);
  V below = V(1) / x;
  for (int k = 1; k < 10; ++k) below = below + V(1) / (x + V(k));
  V series = V(1 / 12.);
  for (const double term : {691 / 32760., 1 / 132., 1 / 240., 1 / 252., 1 / 120., 1 / 12.}) series = V(term) - r * series;
  const V at_x = log(z) - V(0.5) / z - r * series - below;
  return select(a > V(0), at_x, at_x - V(pi) / tan(V(pi) * (a - rint(a))));
}

}  // namespace formula
}  // namespace numjit::transform
