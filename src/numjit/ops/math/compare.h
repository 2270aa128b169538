// Predicates: comparisons (int64 with uint64 exactly), truth, NaN tests, and selection by a bool
// value. Results are bool, or hx<bool>. complex_math.h has the complex forms.
#pragma once

#include <numjit/ops/math/value.h>

namespace numjit::m {

namespace detail {
// Scalars compare natively, which is what vectorises best when the result is stored as bool.
template <class V>
NUMJIT_M auto less_value(V a, V b) {
  if constexpr (value_traits<V>::scalar)
    return a < b;
  else
    return lt(a, b);
}
template <class V>
NUMJIT_M auto less_equal_value(V a, V b) {
  if constexpr (value_traits<V>::scalar)
    return a <= b;
  else
    return le(a, b);
}
template <class V>
NUMJIT_M auto equal_value(V a, V b) {
  if constexpr (value_traits<V>::scalar)
    return a == b;
  else
    return eq(a, b);
}
template <class V>
using bool_of = rebind<V, bool>;

// Both and either of two bool values, computed without a branch.
template <class B>
NUMJIT_M B both(B a, B b) {
  if constexpr (value_traits<B>::scalar)
    return static_cast<B>(int(a) & int(b));
  else
    return a & b;
}
template <class B>
NUMJIT_M B either(B a, B b) {
  if constexpr (value_traits<B>::scalar)
    return static_cast<B>(int(a) | int(b));
  else
    return a | b;
}
}  // namespace detail

// ---- equal types --------------------------------------------------------------------------------

template <real_value V>
NUMJIT_M auto equal(V a, V b) {
  return detail::equal_value(a, b);
}
template <real_value V>
NUMJIT_M auto not_equal(V a, V b) {
  return !detail::equal_value(a, b);
}
template <real_value V>
NUMJIT_M auto less(V a, V b) {
  return detail::less_value(a, b);
}
template <real_value V>
NUMJIT_M auto less_equal(V a, V b) {
  return detail::less_equal_value(a, b);
}
template <real_value V>
NUMJIT_M auto greater(V a, V b) {
  return detail::less_value(b, a);
}
template <real_value V>
NUMJIT_M auto greater_equal(V a, V b) {
  return detail::less_equal_value(b, a);
}

// ---- int64 with uint64: by value, not by conversion
// -----------------------------------------------

namespace detail {
template <class S, class U>
concept signed_with_unsigned = signed_integer<S> && unsigned_integer<U>;
template <signed_integer S>
NUMJIT_M auto below_zero(S a) {
  return less_value(a, S(elem_of<S>(0)));
}
}  // namespace detail

template <class S, class U>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto equal(S a, U b) {
  return detail::both(!detail::below_zero(a), detail::equal_value(U(bits(a)), b));
}
template <class S, class U>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto less(S a, U b) {
  return detail::either(detail::below_zero(a), detail::less_value(U(bits(a)), b));
}
template <class S, class U>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto greater(S a, U b) {
  return detail::both(!detail::below_zero(a), detail::less_value(b, U(bits(a))));
}
template <class S, class U>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto not_equal(S a, U b) {
  return !m::equal(a, b);
}
template <class S, class U>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto less_equal(S a, U b) {
  return !m::greater(a, b);
}
template <class S, class U>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto greater_equal(S a, U b) {
  return !m::less(a, b);
}

template <class U, class S>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto equal(U a, S b) { return m::equal(b, a); }
template <class U, class S>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto not_equal(U a, S b) {
  return m::not_equal(b, a);
}
template <class U, class S>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto less(U a, S b) {
  return m::greater(b, a);
}
template <class U, class S>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto less_equal(U a, S b) {
  return m::greater_equal(b, a);
}
template <class U, class S>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto greater(U a, S b) {
  return m::less(b, a);
}
template <class U, class S>
requires detail::signed_with_unsigned<S, U> NUMJIT_M auto greater_equal(U a, S b) {
  return m::less_equal(b, a);
}

// ---- truth
// ----------------------------------------------------------------------------------------

/// Whether NumPy counts the element as true: different from zero (NaN is true).
template <real_value V>
NUMJIT_M auto truth(V a) {
  if constexpr (boolean<V>)
    return a;
  else
    return !detail::equal_value(a, V(elem_of<V>(0)));
}
template <real_value V>
NUMJIT_M auto logical_not(V a) {
  return !m::truth(a);
}
template <real_value V>
NUMJIT_M auto logical_and(V a, V b) {
  return detail::both(m::truth(a), m::truth(b));
}
template <real_value V>
NUMJIT_M auto logical_or(V a, V b) {
  return detail::either(m::truth(a), m::truth(b));
}
template <real_value V>
NUMJIT_M auto logical_xor(V a, V b) {
  return detail::bool_of<V>(m::truth(a) ^ m::truth(b));
}

// ---- kinds of values
// --------------------------------------------------------------------------------

template <real_value V>
NUMJIT_M auto isnan(V a) {
  if constexpr (floating<V> && value_traits<V>::scalar)
    return a != a;
  else if constexpr (floating<V>)
    return to_bool(is_nan(a));
  else
    return detail::bool_of<V>(false);
}
template <real_value V>
NUMJIT_M auto isinf(V a) {
  if constexpr (floating<V> && value_traits<V>::scalar)
    return magnitude(a) == inf<V>();
  else if constexpr (floating<V>)
    return to_bool(is_inf(a));
  else
    return detail::bool_of<V>(false);
}
template <real_value V>
NUMJIT_M auto isfinite(V a) {
  if constexpr (floating<V> && value_traits<V>::scalar)
    return magnitude(a) < inf<V>();
  else if constexpr (floating<V>)
    return to_bool(is_finite(a));
  else
    return detail::bool_of<V>(true);
}
template <floating V>
NUMJIT_M auto signbit(V a) {
  using U = rebind<V, uint_of<elem_of<V>>>;
  return !detail::equal_value(sign_bits(a), U(uint_of<elem_of<V>>(0)));
}

/// a where c is true, else b. c is bool or hx<bool>; the branch not taken may hold anything.
template <class B, real_value V>
NUMJIT_M V where(B c, V a, V b) {
  return sel(mask_like(a, c), a, b);
}

}  // namespace numjit::m
