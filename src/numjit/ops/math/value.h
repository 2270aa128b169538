// The floor of the math vocabulary: value types, masks, select and bit access for plain scalars.
//
// The vocabulary (namespace numjit::m) is one source for two kinds of value: plain scalars, over
// whose loops the C++ compiler vectorises, and halide_gen::hx<T>, a typed Halide Expr. This file
// holds the primitives for scalars; halide_gen/expr_value.h supplies the same names for hx, found
// by ADL. The rules that make both give the same bits: only + - * / sqrt, integer operations,
// comparison and selection; no fused multiply-add (build with -ffp-contract=off); no branch on a
// value.
//
// A condition inside the vocabulary is a mask in the form in which g++ vectorises selections: all bits set or none, but
// a bool for AVX-512, whose comparisons write registers of one bit an element. Only results of predicates become bool
// everywhere. float16 never gets here: its loops convert to float, evaluate the float form and round the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <numjit/array/complex.h>

// Always inlined: loops over values become vectors only without calls. Whoever instantiates the vocabulary on values
// that build expressions defines it as `inline`: inlined, these are megabytes of code that take minutes to compile.
#ifndef NUMJIT_M
#define NUMJIT_M [[gnu::always_inline]] inline
#endif
// For what is too long to inline. Internal linkage: eager loops are compiled for several
// instruction sets, and the linker must not give one of them another's copy.
#define NUMJIT_M_FAR [[maybe_unused]] static

namespace numjit::m {

namespace detail {
template <std::size_t N>
struct sized_uint;
template <>
struct sized_uint<1> {
  using type = std::uint8_t;
};
template <>
struct sized_uint<2> {
  using type = std::uint16_t;
};
template <>
struct sized_uint<4> {
  using type = std::uint32_t;
};
template <>
struct sized_uint<8> {
  using type = std::uint64_t;
};
}  // namespace detail

/// Unsigned integer of the same width as element type T.
template <class T>
using uint_of = typename detail::sized_uint<sizeof(T)>::type;
/// Signed integer of the same width as element type T.
template <class T>
using int_of = std::make_signed_t<uint_of<T>>;

#ifdef __AVX512F__
inline namespace bool_masks {
/// A scalar condition on elements as wide as U.
template <class U>
struct mask {
  bool v;
  NUMJIT_M static mask of(bool c) { return {c}; }
  NUMJIT_M bool holds() const { return v; }
  NUMJIT_M friend mask operator&(mask a, mask b) { return {static_cast<bool>(a.v & b.v)}; }
  NUMJIT_M friend mask operator|(mask a, mask b) { return {static_cast<bool>(a.v | b.v)}; }
  NUMJIT_M friend mask operator^(mask a, mask b) { return {static_cast<bool>(a.v ^ b.v)}; }
  NUMJIT_M friend mask operator!(mask a) { return {!a.v}; }
};
template <class U>
NUMJIT_M U select_bits(mask<U> c, U a, U b) {
  return c.v ? a : b;
}
template <class To, class U>
NUMJIT_M mask<To> resized(mask<U> c) {
  return {c.v};
}
}  // namespace bool_masks
#else
inline namespace wide_masks {
/// A scalar condition: all bits of the element's width set, or none.
template <class U>
struct mask {
  U v;
  NUMJIT_M static mask of(bool c) { return {static_cast<U>(U(0) - static_cast<U>(c))}; }
  NUMJIT_M bool holds() const { return (v & 1) != 0; }
  NUMJIT_M friend mask operator&(mask a, mask b) { return {static_cast<U>(a.v & b.v)}; }
  NUMJIT_M friend mask operator|(mask a, mask b) { return {static_cast<U>(a.v | b.v)}; }
  NUMJIT_M friend mask operator^(mask a, mask b) { return {static_cast<U>(a.v ^ b.v)}; }
  NUMJIT_M friend mask operator!(mask a) { return {static_cast<U>(~a.v)}; }
};
template <class U>
NUMJIT_M U select_bits(mask<U> c, U a, U b) {
  return static_cast<U>((a & c.v) | (b & static_cast<U>(~c.v)));
}
template <class To, class U>
NUMJIT_M mask<To> resized(mask<U> c) {
  return {static_cast<To>(static_cast<std::make_signed_t<To>>(static_cast<std::make_signed_t<U>>(c.v)))};
}
}  // namespace wide_masks
#endif

/// What a value type is: its element type, and the value type with another element.
template <class V>
struct value_traits {
  using elem = V;
  template <class U>
  using rebind = U;
  static constexpr bool scalar = true;
};
template <class V>
using elem_of = typename value_traits<V>::elem;
template <class V, class U>
using rebind = typename value_traits<V>::template rebind<U>;

template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<complex<T>> = true;

template <class V>
concept plain = value_traits<V>::scalar && std::is_arithmetic_v<V>;
template <class V>
concept floating = std::is_floating_point_v<elem_of<V>>;
template <class V>
concept boolean = std::is_same_v < elem_of<V>,
bool > ;
template <class V>
concept integer = std::is_integral_v<elem_of<V>> && !boolean<V>;
template <class V>
concept signed_integer = integer<V> && std::is_signed_v<elem_of<V>>;
template <class V>
concept unsigned_integer = integer<V> && !std::is_signed_v<elem_of<V>>;
template <class V>
concept real_value = floating<V> || integer<V> || boolean<V>;
template <class V>
concept complex_value = is_complex_type<V>;
template <class V>
concept double_value = std::is_same_v < elem_of<V>,
double > ;
template <class V>
concept single_value = std::is_same_v < elem_of<V>,
float > ;

// ---- bits and conversions -------------------------------------------------------------------

/// The bits of v as an unsigned integer of its width.
template <plain V>
NUMJIT_M uint_of<V> bits(V v) {
  return __builtin_bit_cast(uint_of<V>, v);
}
/// The value of type To whose bits are u.
template <class To, plain U>
NUMJIT_M To from_bits(U u) {
  return __builtin_bit_cast(To, u);
}
/// static_cast; for float to integer only in range.
template <class To, plain V>
NUMJIT_M To convert(V v) {
  return static_cast<To>(v);
}

// ---- comparison and selection -----------------------------------------------------------------

#define NUMJIT_COMPARE(name, op)             \
  template <plain V>                         \
  NUMJIT_M mask<uint_of<V>> name(V a, V b) { \
    return mask<uint_of<V>>::of(a op b);     \
  }
NUMJIT_COMPARE(lt, <)
NUMJIT_COMPARE(gt, >)
NUMJIT_COMPARE(le, <=)
NUMJIT_COMPARE(ge, >=)
NUMJIT_COMPARE(eq, ==)
NUMJIT_COMPARE(ne, !=)
#undef NUMJIT_COMPARE

/// A bool value from a mask.
template <class U>
NUMJIT_M bool to_bool(mask<U> c) {
  return c.holds();
}
/// a where the mask is set, else b; a and b may be NaN or anything else, nothing is computed on
/// them.
template <plain V>
NUMJIT_M V sel(mask<uint_of<V>> c, V a, V b) {
  return from_bits<V>(select_bits(c, bits(a), bits(b)));
}
/// The same by bits. g++ computes what follows a condition on both of its sides, with more conditions, where it sees one.
template <class C, class V>
NUMJIT_M V blend(C c, V a, V b) {
  if constexpr (plain<V>) {
    const uint_of<V> set = static_cast<uint_of<V>>(uint_of<V>(0) - static_cast<uint_of<V>>(to_bool(c)));
    return from_bits<V>(static_cast<uint_of<V>>((bits(a) & set) | (bits(b) & static_cast<uint_of<V>>(~set))));
  } else {
    return sel(c, a, b);
  }
}
/// a where the mask is set, else +0.
template <plain V>
NUMJIT_M V keep(mask<uint_of<V>> c, V a) {
  return from_bits<V>(select_bits(c, bits(a), uint_of<V>(0)));
}
namespace detail {
template <class F>
[[gnu::noinline, gnu::cold]] static auto call_out_of_line(F f) {
  return f();
}
}  // namespace detail
/// `usual`, or where the condition holds what slow() returns. A branch, for conditions that hardly
/// ever hold: a scalar loop with it is not vectorised; a kernel tests whole vectors at once.
template <class U, class F, plain V>
NUMJIT_M V rarely(mask<U> c, F slow, V usual) {
  if (__builtin_expect(c.holds(), false)) return detail::call_out_of_line(slow);
  return usual;
}
/// The same, where the slow side is Far::of(args...), of doubles: kernels may call it by Far's name.
template <class Far, class C, class V, class... Args>
NUMJIT_M V rarely_called(C c, V usual, Args... args) {
  return rarely(
      c, [=]() __attribute__((always_inline)) { return convert<elem_of<V>>(Far::of(args...)); }, usual);
}
/// An operand whose rare side its caller has found not to be needed, see `ordinary_angle` and `far_quotient`: functions
/// of it contain no branch, so that loops over it are vectorised. The result is the same.
template <class T>
struct tame {
  T value;
};
/// A mask for V's element width from a bool value.
template <plain V>
NUMJIT_M mask<uint_of<V>> mask_like(V, bool c) {
  return mask<uint_of<V>>::of(c);
}
/// The same condition for an element of another width.
template <class V, class U>
NUMJIT_M mask<uint_of<V>> resize_mask(mask<U> c) {
  return resized<uint_of<V>>(c);
}

// ---- exact operations that have no operator ---------------------------------------------------

template <plain V>
requires floating<V> NUMJIT_M V sqrt_of(V v) {
  if constexpr (sizeof(V) == 4)
    return __builtin_sqrtf(v);
  else
    return __builtin_sqrt(v);
}
template <plain V>
requires floating<V> NUMJIT_M V floor_of(V v) {
  if constexpr (sizeof(V) == 4)
    return __builtin_floorf(v);
  else
    return __builtin_floor(v);
}
template <plain V>
requires floating<V> NUMJIT_M V ceil_of(V v) {
  if constexpr (sizeof(V) == 4)
    return __builtin_ceilf(v);
  else
    return __builtin_ceil(v);
}
template <plain V>
requires floating<V> NUMJIT_M V trunc_of(V v) {
  if constexpr (sizeof(V) == 4)
    return __builtin_truncf(v);
  else
    return __builtin_trunc(v);
}
/// Nearest integer, halves to even.
template <plain V>
requires floating<V> NUMJIT_M V rint_of(V v) {
  if constexpr (sizeof(V) == 4)
    return __builtin_nearbyintf(v);
  else
    return __builtin_nearbyint(v);
}
// Integer sums, differences and products that wrap, in any width (narrow types do not leave
// theirs).
template <plain V>
requires integer<V> NUMJIT_M V wrap_add(V a, V b) {
  return static_cast<V>(static_cast<uint_of<V>>(a) + static_cast<uint_of<V>>(b));
}
template <plain V>
requires integer<V> NUMJIT_M V wrap_sub(V a, V b) {
  return static_cast<V>(static_cast<uint_of<V>>(a) - static_cast<uint_of<V>>(b));
}
template <plain V>
requires integer<V> NUMJIT_M V wrap_mul(V a, V b) {
  // unsigned, not uint16: the promotion of a narrow product to int could overflow
  using W = std::conditional_t<(sizeof(V) < 4), unsigned, uint_of<V>>;
  return static_cast<V>(static_cast<W>(static_cast<uint_of<V>>(a)) *
                        static_cast<W>(static_cast<uint_of<V>>(b)));
}
/// C's quotient; b must be neither 0 nor, for signed types, -1.
template <plain V>
requires integer<V> NUMJIT_M V trunc_quotient(V a, V b) {
  // Exact: the quotient differs from the next integer by more than its rounding. Vectors have no
  // integer division.
  if constexpr (sizeof(V) <= 2)
    return static_cast<V>(static_cast<float>(a) / static_cast<float>(b));
  else if constexpr (sizeof(V) == 4)
    return static_cast<V>(static_cast<double>(a) / static_cast<double>(b));
  else
    return static_cast<V>(a / b);
}
/// Shifts by a count that is known to be in [0, width).
template <plain V>
requires integer<V> NUMJIT_M V shift_left(V a, V n) {
  return static_cast<V>(static_cast<uint_of<V>>(a) << n);
}
template <plain V>
requires integer<V> NUMJIT_M V shift_right(V a, V n) { return static_cast<V>(a >> n); }
template <plain V>
requires integer<V> NUMJIT_M V bit_and(V a, V b) { return static_cast<V>(a & b); }
template <plain V>
requires integer<V> NUMJIT_M V bit_or(V a, V b) { return static_cast<V>(a | b); }
template <plain V>
requires integer<V> NUMJIT_M V bit_xor(V a, V b) { return static_cast<V>(a ^ b); }
template <plain V>
requires integer<V> NUMJIT_M V bit_not(V a) { return static_cast<V>(~a); }
/// Number of set bits, as uint8.
template <plain V>
requires unsigned_integer<V> NUMJIT_M std::uint8_t count_bits(V a) {
  return static_cast<std::uint8_t>(__builtin_popcountll(a));
}

// ---- shared by both kinds of value --------------------------------------------------------------

/// Constants of V's element type, given as double.
template <class V>
NUMJIT_M V lit(double c) {
  return V(static_cast<elem_of<V>>(c));
}

namespace detail {
/// Coefficients in pairs: (c0 + c1 x) + x^2 (...).
template <class V>
NUMJIT_M V in_pairs(V, V, double c0) {
  return lit<V>(c0);
}
template <class V, class... C>
NUMJIT_M V in_pairs(V x, V square, double c0, double c1, C... rest) {
  const V pair = lit<V>(c0) + x * lit<V>(c1);
  if constexpr (sizeof...(rest) == 0)
    return pair;
  else
    return pair + square * in_pairs(x, square, rest...);
}
/// In fours: ((c0 + c1 x) + x^2 (c2 + c3 x)) + x^4 (...).
template <class V, class... C>
NUMJIT_M V in_fours(V x, V square, V fourth, double c0, double c1, double c2, double c3, C... rest) {
  const V four = in_pairs(x, square, c0, c1, c2, c3);
  if constexpr (sizeof...(rest) > 4)
    return four + fourth * in_fours(x, square, fourth, rest...);
  else
    return four + fourth * in_pairs(x, square, rest...);
}
}  // namespace detail

/// c0 + c1 x + c2 x^2 + ...: by Horner's rule up to three coefficients, by Estrin's beyond, as there
/// the processor waits for no more than a fraction of the products one after the other (a loop
/// would stop vectorisation).
template <class V, class... C>
NUMJIT_M V polynomial(V x, double c0, C... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return lit<V>(c0);
  } else if constexpr (sizeof...(rest) < 3) {
    return lit<V>(c0) + x * polynomial(x, rest...);
  } else {
    const V square = x * x;
    if constexpr (sizeof...(rest) < 6)
      return detail::in_pairs(x, square, c0, rest...);
    else
      return detail::in_fours(x, square, square * square, c0, rest...);
  }
}

template <class E>
inline constexpr uint_of<E> sign_bit = uint_of<E>(1) << (sizeof(E) * 8 - 1);
template <class E>
inline constexpr double infinity_of = __builtin_inf();

template <floating V>
NUMJIT_M V inf() {
  return lit<V>(__builtin_inf());
}
template <floating V>
NUMJIT_M V nan() {
  return lit<V>(__builtin_nan(""));
}

/// |v| and the sign of v as bits; v with a sign (given as bits) flipped in.
template <floating V>
NUMJIT_M V magnitude(V v) {
  using U = rebind<V, uint_of<elem_of<V>>>;
  return from_bits<V>(bits(v) & U(static_cast<uint_of<elem_of<V>>>(~sign_bit<elem_of<V>>)));
}
template <floating V>
NUMJIT_M auto sign_bits(V v) {
  using U = rebind<V, uint_of<elem_of<V>>>;
  return bits(v) & U(sign_bit<elem_of<V>>);
}
template <floating V, class U>
NUMJIT_M V flip_sign(V v, U sign) {
  return from_bits<V>(bits(v) ^ sign);
}
/// -v, also of zeros and NaNs.
template <floating V>
NUMJIT_M V negated(V v) {
  using U = rebind<V, uint_of<elem_of<V>>>;
  return from_bits<V>(bits(v) ^ U(sign_bit<elem_of<V>>));
}
/// Magnitude of a, sign of b.
template <floating V>
NUMJIT_M V with_sign(V a, V b) {
  return from_bits<V>(bits(magnitude(a)) | sign_bits(b));
}
/// Is the sign bit set? A comparison of floats where g++ vectorises no test of a bit.
template <floating V>
NUMJIT_M auto has_sign(V v) {
  const V one = lit<V>(1.0);
  if constexpr (plain<V>) return lt(with_sign(one, v), V(0));
  else return resize_mask<V>(ne(sign_bits(v), sign_bits(one)));
}
template <floating V>
NUMJIT_M auto is_nan(V v) {
  return ne(v, v);
}
template <floating V>
NUMJIT_M auto is_inf(V v) {
  return eq(magnitude(v), inf<V>());
}
template <floating V>
NUMJIT_M auto is_finite(V v) {
  return lt(magnitude(v), inf<V>());
}

/// The value itself in the other float width (exact to double, one rounding to float).
template <floating V>
NUMJIT_M auto widen(V v) {
  return convert<double>(v);
}
template <floating V>
NUMJIT_M auto narrow(V v) {
  return convert<float>(v);
}

}  // namespace numjit::m
