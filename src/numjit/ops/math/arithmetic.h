// Arithmetic of bool and floating-point elements; integer.h has the integers, complex_math.h the
// rest.
#pragma once

#include <numjit/ops/math/compare.h>
#include <numjit/ops/math/fmod.h>

namespace numjit::m {

// ---- bool: NumPy's loops for '?' ----------------------------------------------------------------

template <boolean V>
NUMJIT_M V add(V a, V b) {
  return detail::either(a, b);
}
template <boolean V>
NUMJIT_M V multiply(V a, V b) {
  return detail::both(a, b);
}
template <boolean V>
NUMJIT_M V absolute(V a) {
  return a;
}
template <boolean V>
NUMJIT_M V maximum(V a, V b) {
  return detail::either(a, b);
}
template <boolean V>
NUMJIT_M V minimum(V a, V b) {
  return detail::both(a, b);
}
template <boolean V>
NUMJIT_M V fmax(V a, V b) {
  return detail::either(a, b);
}
template <boolean V>
NUMJIT_M V fmin(V a, V b) {
  return detail::both(a, b);
}
template <boolean V>
NUMJIT_M V bitwise_and(V a, V b) {
  return detail::both(a, b);
}
template <boolean V>
NUMJIT_M V bitwise_or(V a, V b) {
  return detail::either(a, b);
}
template <boolean V>
NUMJIT_M V bitwise_xor(V a, V b) {
  return V(a ^ b);
}
template <boolean V>
NUMJIT_M V invert(V a) {
  return V(!a);
}
template <boolean V>
NUMJIT_M V clip(V a, V lo, V hi) {
  return detail::both(detail::either(a, lo), hi);
}

// ---- floats
// ---------------------------------------------------------------------------------------

template <floating V>
NUMJIT_M V add(V a, V b) {
  return a + b;
}
template <floating V>
NUMJIT_M V subtract(V a, V b) {
  return a - b;
}
template <floating V>
NUMJIT_M V multiply(V a, V b) {
  return a * b;
}
template <floating V>
NUMJIT_M V divide(V a, V b) {
  return a / b;
}
template <floating V>
NUMJIT_M V negative(V a) {
  return negated(a);
}
template <floating V>
NUMJIT_M V positive(V a) {
  return a;
}
template <floating V>
NUMJIT_M V absolute(V a) {
  return magnitude(a);
}
template <floating V>
NUMJIT_M V fabs(V a) {
  return magnitude(a);
}
template <floating V>
NUMJIT_M V conjugate(V a) {
  return a;
}
template <floating V>
NUMJIT_M V square(V a) {
  return a * a;
}
template <floating V>
NUMJIT_M V reciprocal(V a) {
  return lit<V>(1.0) / a;
}
template <floating V>
NUMJIT_M V sqrt(V a) {
  return sqrt_of(a);
}
/// -1, 0, 1, or NaN; 0 for either zero.
template <floating V>
NUMJIT_M V sign(V a) {
  const V one = sel(lt(a, lit<V>(0.0)), lit<V>(-1.0), keep(gt(a, lit<V>(0.0)), lit<V>(1.0)));
  return sel(is_nan(a), a, one);
}
template <floating V>
NUMJIT_M V copysign(V a, V b) {
  return with_sign(a, b);
}

namespace detail {
template <floating V>
NUMJIT_M V remainder_from(V mod, V b) {
  const V zero = lit<V>(0.0);
  const V moved = sel(lt(b, zero) ^ lt(mod, zero), mod + b, mod);
  const V result = sel(eq(mod, zero), with_sign(zero, b), moved);
  return sel(eq(b, zero), mod, result);
}
template <floating V>
NUMJIT_M V floor_quotient(V a, V b, V mod) {
  const V zero = lit<V>(0.0), one = lit<V>(1.0);
  const auto off = ne(mod, zero) & (lt(b, zero) ^ lt(mod, zero));
  V div = (a - mod) / b;
  div = sel(off, div - one, div);
  const V low = floor_of(div);
  const V snapped = sel(gt(div - low, lit<V>(0.5)), low + one, low);
  const V result = sel(eq(div, zero), with_sign(zero, a / b), snapped);
  return sel(eq(b, zero), a / b, result);
}
}  // namespace detail

/// C's fmod, as np.fmod.
template <floating V>
NUMJIT_M V fmod(V a, V b) {
  return detail::fmod_of(a, b);
}
template <class T>
requires std::is_floating_point_v<T> NUMJIT_M T fmod(tame<T> a, T b) {
  return detail::fmod_of(a, b);
}

/// Python's modulo: sign of the divisor; NaN for a zero divisor.
template <floating V>
NUMJIT_M V remainder(V a, V b) {
  return detail::remainder_from(detail::fmod_of(a, b), b);
}
template <class T>
requires std::is_floating_point_v<T> NUMJIT_M T remainder(tame<T> a, T b) {
  return detail::remainder_from(detail::fmod_of(a, b), b);
}

/// Floor of the exact quotient (NumPy's npy_floor_divide); a/b for a zero divisor.
template <floating V>
NUMJIT_M V floor_divide(V a, V b) {
  return detail::floor_quotient(a, b, detail::fmod_of(a, b));
}
template <class T>
requires std::is_floating_point_v<T> NUMJIT_M T floor_divide(tame<T> a, T b) {
  return detail::floor_quotient(a.value, b, detail::fmod_of(a, b));
}

/// The larger value; a NaN wins, the first one if both are; of equal values the second.
template <floating V>
NUMJIT_M V maximum(V a, V b) {
  return sel(gt(a, b) | is_nan(a), a, b);
}
template <floating V>
NUMJIT_M V minimum(V a, V b) {
  return sel(lt(a, b) | is_nan(a), a, b);
}
/// The larger value; a NaN loses; of equal values the first.
template <floating V>
NUMJIT_M V fmax(V a, V b) {
  return sel(ge(a, b) | is_nan(b), a, b);
}
template <floating V>
NUMJIT_M V fmin(V a, V b) {
  return sel(le(a, b) | is_nan(b), a, b);
}

/// min(max(a, lo), hi); NaN if any of them is. hi wins if lo > hi.
template <floating V>
NUMJIT_M V clip(V a, V lo, V hi) {
  const V raised = sel(is_nan(a), a, sel(lt(a, lo) | is_nan(lo), lo, a));
  return sel((lt(hi, raised) | is_nan(hi)) & !is_nan(raised), hi, raised);
}

template <floating V>
NUMJIT_M V degrees(V a) {
  using E = elem_of<V>;
  return a * V(E(180.0) / E(3.141592653589793238462643383279502884L));
}
template <floating V>
NUMJIT_M V radians(V a) {
  using E = elem_of<V>;
  return a * V(E(3.141592653589793238462643383279502884L) / E(180.0));
}

/// 0 below zero, h0 at zero, 1 above; NaN for NaN.
template <floating V>
NUMJIT_M V heaviside(V a, V h0) {
  const V zero = lit<V>(0.0);
  const V step = sel(eq(a, zero), h0, keep(gt(a, zero), lit<V>(1.0)));
  return sel(is_nan(a), a, step);
}

/// The product or quotient; 0 where the first (of scale2: or the second) is 0, whatever the other is.
template <floating V>
NUMJIT_M V scale(V a, V b) {
  const V zero = lit<V>(0.0);
  return sel(eq(a, zero), zero, a * b);
}
template <floating V>
NUMJIT_M V unscale(V a, V b) {
  const V zero = lit<V>(0.0);
  return sel(eq(a, zero), zero, a / b);
}
template <floating V>
NUMJIT_M V scale2(V a, V b) {
  const V zero = lit<V>(0.0);
  return sel(eq(a, zero) | eq(b, zero), zero, a * b);
}

/// The next value after a in the direction of b.
template <floating V>
NUMJIT_M V nextafter(V a, V b) {
  using E = elem_of<V>;
  using U = rebind<V, uint_of<E>>;
  const U one = U(uint_of<E>(1));
  const U u = bits(a);
  // Away from zero the bits count up, towards zero down.
  const auto outward =
      gt(magnitude(b), magnitude(a)) & resize_mask<V>(eq(sign_bits(a), sign_bits(b)));
  const U moved = sel(resize_mask<U>(outward), u + one, u - one);
  const U least = one | sign_bits(b);
  const V next = from_bits<V>(sel(resize_mask<U>(eq(a, lit<V>(0.0))), least, moved));
  return sel(is_nan(a) | is_nan(b), a + b, sel(eq(a, b), b, next));
}

}  // namespace numjit::m
