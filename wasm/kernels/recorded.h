// rec<T>: a value that notes what is done with it, and the math vocabulary's primitives on it. Rows instantiated
// with it leave their formula in a graph (dag.h). Only the program that makes the table of rows includes this.
#pragma once

#include <type_traits>

#include <numjit/ops/math/value.h>

#include "dag.h"

namespace numjit::wasm_gen {

/// Where values are noted.
inline Dag& recording() {
  static Dag dag;
  return dag;
}

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, bool>) return Type::b;
  else if constexpr (std::is_same_v<T, float>) return Type::f32;
  else if constexpr (std::is_same_v<T, double>) return Type::f64;
  else {
    constexpr int at = sizeof(T) == 1 ? 1 : sizeof(T) == 2 ? 3 : sizeof(T) == 4 ? 5 : 7;
    return static_cast<Type>(at + (std::is_signed_v<T> ? 0 : 1));
  }
}

template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_same_v<T, bool>) return value;
  else return __builtin_bit_cast(m::uint_of<T>, value);
}

/// A noted value of element type T (bool, [u]int8..64, float, double).
template <class T>
struct rec {
  Id id = 0;

  rec() = default;
  rec(T value) : id(recording().constant(type_of<T>(), bits_of(value))) {}
  static rec of(Id id) {
    rec r;
    r.id = id;
    return r;
  }
};

template <class V>
inline constexpr bool is_rec = false;
template <class T>
inline constexpr bool is_rec<rec<T>> = true;

}  // namespace numjit::wasm_gen

namespace numjit {
/// Without the comparison of elements, which noted parts don't have.
template <class T>
struct complex<wasm_gen::rec<T>> {
  wasm_gen::rec<T> re{}, im{};
  complex() = default;
  complex(wasm_gen::rec<T> real, wasm_gen::rec<T> imag = wasm_gen::rec<T>(T(0))) : re(real), im(imag) {}
};
}  // namespace numjit

namespace numjit::m {
template <class T>
struct value_traits<wasm_gen::rec<T>> {
  using elem = T;
  template <class U>
  using rebind = wasm_gen::rec<U>;
  static constexpr bool scalar = false;
};
template <class T>
struct value_traits<complex<wasm_gen::rec<T>>> {
  using elem = complex<T>;
  static constexpr bool scalar = false;
};
}  // namespace numjit::m

namespace numjit::wasm_gen {

template <class T>
concept float_element = std::is_floating_point_v<T>;
template <class T>
concept int_element = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <class R, class... In>
rec<R> note(Prim prim, In... in) {
  return rec<R>::of(recording().make(prim, type_of<R>(), in.id...));
}

// ---- bits, conversions ----

template <class T>
  requires(!std::is_same_v<T, bool>)
rec<m::uint_of<T>> bits(rec<T> v) {
  if constexpr (std::is_same_v<T, m::uint_of<T>>) return v;
  else return note<m::uint_of<T>>(Prim::reinterpret, v);
}
template <class To, class U>
  requires(is_rec<To>)
To from_bits(rec<U> u) {
  using E = m::elem_of<To>;
  static_assert(sizeof(E) == sizeof(U));
  if constexpr (std::is_same_v<E, U>) return u;
  else return note<E>(Prim::reinterpret, u);
}
template <class To, class T>
rec<To> convert(rec<T> v) {
  if constexpr (std::is_same_v<To, T>) return v;
  else if constexpr (std::is_same_v<To, bool>) return ne(v, rec<T>(T(0)));
  else return note<To>(Prim::convert, v);
}

// ---- conditions ----

inline rec<bool> operator&(rec<bool> a, rec<bool> b) { return note<bool>(Prim::bit_and, a, b); }
inline rec<bool> operator|(rec<bool> a, rec<bool> b) { return note<bool>(Prim::bit_or, a, b); }
inline rec<bool> operator^(rec<bool> a, rec<bool> b) { return note<bool>(Prim::bit_xor, a, b); }
inline rec<bool> operator!(rec<bool> a) { return note<bool>(Prim::bit_not, a); }
inline rec<bool> to_bool(rec<bool> c) { return c; }
template <class T>
rec<bool> mask_like(rec<T>, rec<bool> c) {
  return c;
}
template <class V>
  requires(is_rec<V>)
rec<bool> resize_mask(rec<bool> c) {
  return c;
}

template <class T>
rec<bool> lt(rec<T> a, rec<T> b) {
  if constexpr (std::is_same_v<T, bool>) return (!a) & b;
  else return note<bool>(Prim::lt, a, b);
}
template <class T>
rec<bool> gt(rec<T> a, rec<T> b) {
  return lt(b, a);
}
template <class T>
rec<bool> le(rec<T> a, rec<T> b) {
  if constexpr (std::is_same_v<T, bool>) return (!a) | b;
  else return note<bool>(Prim::le, a, b);
}
template <class T>
rec<bool> ge(rec<T> a, rec<T> b) {
  return le(b, a);
}
template <class T>
rec<bool> ne(rec<T> a, rec<T> b) {
  if constexpr (std::is_same_v<T, bool>) return a ^ b;
  else return note<bool>(Prim::ne, a, b);
}
template <class T>
rec<bool> eq(rec<T> a, rec<T> b) {
  if constexpr (std::is_same_v<T, bool>) return !(a ^ b);
  else return note<bool>(Prim::eq, a, b);
}

template <class T>
rec<T> sel(rec<bool> c, rec<T> a, rec<T> b) {
  if constexpr (std::is_same_v<T, bool>) return (c & a) | (!c & b);
  else return note<T>(Prim::select, c, a, b);
}
template <class T>
rec<T> keep(rec<bool> c, rec<T> a) {
  return sel(c, a, rec<T>(T(0)));
}
template <class T>
rec<T> pick(rec<bool> c, rec<T> a, rec<T> b) {
  return sel(c, a, b);
}
template <class T>
complex<rec<T>> pick(rec<bool> c, complex<rec<T>> a, complex<rec<T>> b) {
  return {sel(c, a.re, b.re), sel(c, a.im, b.im)};
}
template <class F, class G>
auto choose(rec<bool> c, F f, G g) {
  return pick(c, f(), g());
}
template <class T, class F>
rec<T> rarely(rec<bool> c, F slow, rec<T> usual) {
  return note<T>(Prim::rarely, c, rec<T>(slow()), usual);
}

// ---- exact operations ----

template <float_element T> rec<T> sqrt_of(rec<T> v) { return note<T>(Prim::sqrt, v); }
template <float_element T> rec<T> floor_of(rec<T> v) { return note<T>(Prim::floor, v); }
template <float_element T> rec<T> ceil_of(rec<T> v) { return note<T>(Prim::ceil, v); }
template <float_element T> rec<T> trunc_of(rec<T> v) { return note<T>(Prim::trunc, v); }
template <float_element T> rec<T> rint_of(rec<T> v) { return note<T>(Prim::nearest, v); }
template <int_element T> rec<T> wrap_add(rec<T> a, rec<T> b) { return note<T>(Prim::add, a, b); }
template <int_element T> rec<T> wrap_sub(rec<T> a, rec<T> b) { return note<T>(Prim::sub, a, b); }
template <int_element T> rec<T> wrap_mul(rec<T> a, rec<T> b) { return note<T>(Prim::mul, a, b); }
template <int_element T> rec<T> trunc_quotient(rec<T> a, rec<T> b) { return note<T>(Prim::quotient, a, b); }
template <int_element T> rec<T> shift_left(rec<T> a, rec<T> n) { return note<T>(Prim::shl, a, n); }
template <int_element T> rec<T> shift_right(rec<T> a, rec<T> n) { return note<T>(Prim::shr, a, n); }
template <int_element T> rec<T> bit_and(rec<T> a, rec<T> b) { return note<T>(Prim::bit_and, a, b); }
template <int_element T> rec<T> bit_or(rec<T> a, rec<T> b) { return note<T>(Prim::bit_or, a, b); }
template <int_element T> rec<T> bit_xor(rec<T> a, rec<T> b) { return note<T>(Prim::bit_xor, a, b); }
template <int_element T> rec<T> bit_not(rec<T> a) { return note<T>(Prim::bit_not, a); }
template <int_element T>
rec<std::uint8_t> count_bits(rec<T> a) {
  return convert<std::uint8_t>(note<T>(Prim::popcount, a));
}

// ---- operators ----

template <float_element T> rec<T> operator+(rec<T> a, rec<T> b) { return note<T>(Prim::add, a, b); }
template <float_element T> rec<T> operator-(rec<T> a, rec<T> b) { return note<T>(Prim::sub, a, b); }
template <float_element T> rec<T> operator*(rec<T> a, rec<T> b) { return note<T>(Prim::mul, a, b); }
template <float_element T> rec<T> operator/(rec<T> a, rec<T> b) { return note<T>(Prim::div, a, b); }
template <float_element T> rec<T> operator-(rec<T> a) { return m::negated(a); }
template <int_element T> rec<T> operator+(rec<T> a, rec<T> b) { return wrap_add(a, b); }
template <int_element T> rec<T> operator-(rec<T> a, rec<T> b) { return wrap_sub(a, b); }
template <int_element T> rec<T> operator*(rec<T> a, rec<T> b) { return wrap_mul(a, b); }
template <int_element T> rec<T> operator-(rec<T> a) { return wrap_sub(rec<T>(T(0)), a); }
template <int_element T> rec<T> operator&(rec<T> a, rec<T> b) { return bit_and(a, b); }
template <int_element T> rec<T> operator|(rec<T> a, rec<T> b) { return bit_or(a, b); }
template <int_element T> rec<T> operator^(rec<T> a, rec<T> b) { return bit_xor(a, b); }
template <int_element T> rec<T> operator~(rec<T> a) { return bit_not(a); }
template <int_element T> rec<T> operator<<(rec<T> a, int n) { return shift_left(a, rec<T>(static_cast<T>(n))); }
template <int_element T> rec<T> operator>>(rec<T> a, int n) { return shift_right(a, rec<T>(static_cast<T>(n))); }
template <class T> rec<bool> operator<(rec<T> a, rec<T> b) { return lt(a, b); }
template <class T> rec<bool> operator>(rec<T> a, rec<T> b) { return gt(a, b); }
template <class T> rec<bool> operator<=(rec<T> a, rec<T> b) { return le(a, b); }
template <class T> rec<bool> operator>=(rec<T> a, rec<T> b) { return ge(a, b); }
template <class T> rec<bool> operator==(rec<T> a, rec<T> b) { return eq(a, b); }
template <class T> rec<bool> operator!=(rec<T> a, rec<T> b) { return ne(a, b); }

// ---- float16: its bits outside of an op, a float inside ----

/// Exponent and fraction moved to float's places are the value times 2^-112, subnormals included.
inline rec<float> widened(rec<std::uint16_t> h) {
  using U = rec<std::uint32_t>;
  const U u = convert<std::uint32_t>(h);
  const U magnitude = u & U(0x7fffu), sign = (u & U(0x8000u)) << 16;
  const U moved = magnitude << 13;
  const U scaled = bits(from_bits<rec<float>>(moved) * rec<float>(0x1p112f));
  return from_bits<rec<float>>(sel(ge(magnitude, U(0x7c00u)), moved | U(0x7f800000u), scaled) | sign);
}

/// The rounding is that of an integer carry; for subnormals that of a float sum whose last place is theirs.
inline rec<std::uint16_t> rounded(rec<float> v) {
  using U = rec<std::uint32_t>;
  const U all = bits(v), u = all & U(0x7fffffffu), sign = (all & U(0x80000000u)) >> 16;
  const U subnormal = bits(from_bits<rec<float>>(u) + rec<float>(0.5f)) - U(std::uint32_t(127 - 15 + 13 + 1) << 23);
  const U normal = (u + U(0xc8000fffu) + ((u >> 13) & U(1u))) >> 13;
  const U special = sel(gt(u, U(0x7f800000u)), U(0x7e00u), U(0x7c00u));
  const U magnitude = sel(ge(u, U(143u << 23)), special, sel(lt(u, U(113u << 23)), subnormal, normal));
  return convert<std::uint16_t>(magnitude | sign);
}
/// Through a float with an odd last place where the double lies between two: no second rounding then.
inline rec<std::uint16_t> rounded(rec<double> v) {
  using U = rec<std::uint32_t>;
  const rec<float> near = convert<float>(v);
  const rec<double> back = convert<double>(near);
  const U bits_near = bits(near);
  const U inward = sel(gt(m::magnitude(back), m::magnitude(v)), bits_near - U(1u), bits_near);
  return rounded(from_bits<rec<float>>(sel(eq(back, v), bits_near, inward | U(1u))));
}
template <class T>
  requires(std::is_integral_v<T>)
rec<std::uint16_t> rounded(rec<T> v) {
  if constexpr (sizeof(T) <= 2) return rounded(convert<float>(v));
  else return rounded(convert<double>(v));
}

/// nextafter on float16's own grid.
inline rec<std::uint16_t> next_half(rec<std::uint16_t> a, rec<std::uint16_t> b) {
  using U = rec<std::uint16_t>;
  const auto u16 = [](unsigned v) { return U(static_cast<std::uint16_t>(v)); };
  const rec<float> x = widened(a), y = widened(b);
  const U sign = a & u16(0x8000);
  const rec<bool> outward = !(lt(x, y) ^ eq(sign, u16(0)));
  const U moved = sel(outward, a + u16(1), a - u16(1));
  const U least = sel(gt(y, rec<float>(0.0f)), u16(0x0001), u16(0x8001));
  const U next = sel(eq(a & u16(0x7fff), u16(0)), least, moved);
  return sel(m::is_nan(x) | m::is_nan(y), rounded(x + y), sel(eq(x, y), b, next));
}

}  // namespace numjit::wasm_gen
