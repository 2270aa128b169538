// hx<T>: a Halide Expr that knows its C++ element type, and the math vocabulary's primitives on it.
//
// Op rows are instantiated with hx<T> to lower them. Every operator here is a form that Halide
// computes as IEEE and NumPy say (under Target::StrictFloat): signed sums wrap through unsigned
// ones,
// <= and >= are false for NaN, minus flips the sign bit, integer division truncates and never sees
// a bad divisor, double constants keep all their bits on every back end. Do not take `e` apart and
// use Halide's own operators on floats.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <Halide.h>

#include <numjit/ops/math/value.h>

namespace numjit::halide_gen {

/// The call that `rarely` leaves in an expression, and the lowering pass that turns it into a
/// branch. Every pipeline whose expressions come from hx needs the pass; without it the kernel
/// doesn't link.
inline constexpr const char* rare_name = "numjit_rare";
void add_rare_pass(Halide::Pipeline& pipeline);

/// Constant of element type T. Doubles that a float can't hold go through their bits: the C-like
/// back ends print double literals as floats. So does -0, which Halide's simplifier takes for the same as 0:
/// of select(a, select(b, 0, x), -0) it makes select(a && !b, x, 0).
template <class T>
Halide::Expr constant(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return Halide::Internal::make_bool(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    if ((value == 0 && std::signbit(value)) ||
        (sizeof(T) == 8 && (std::isnan(value) || static_cast<double>(static_cast<float>(value)) != value)))
      return Halide::reinterpret(Halide::type_of<T>(),
                                 Halide::Expr(__builtin_bit_cast(m::uint_of<T>, value)));
    return Halide::Internal::FloatImm::make(Halide::type_of<T>(), value);
  } else if constexpr (std::is_signed_v<T>) {
    return Halide::Internal::IntImm::make(Halide::type_of<T>(), value);
  } else {
    return Halide::Internal::UIntImm::make(Halide::type_of<T>(), value);
  }
}

/// A Halide expression of element type T (bool, [u]int8..64, float, double).
template <class T>
struct hx {
  Halide::Expr e;

  hx() = default;
  hx(T value) : e(constant<T>(value)) {}
  /// Takes an expression of exactly T's Halide type.
  explicit hx(Halide::Expr expr) : e(std::move(expr)) { user_assert_type(); }

 private:
  void user_assert_type() const {
    if (e.type().element_of() != Halide::type_of<T>()) __builtin_trap();
  }
};

template <class V>
inline constexpr bool is_hx = false;
template <class T>
inline constexpr bool is_hx<hx<T>> = true;

}  // namespace numjit::halide_gen

namespace numjit::m {
template <class T>
struct value_traits<halide_gen::hx<T>> {
  using elem = T;
  template <class U>
  using rebind = halide_gen::hx<U>;
  static constexpr bool scalar = false;
};
template <class T>
struct value_traits<complex<halide_gen::hx<T>>> {
  using elem = complex<T>;
  static constexpr bool scalar = false;
};
}  // namespace numjit::m

namespace numjit::halide_gen {

template <class T>
concept is_float = std::is_floating_point_v<T>;
template <class T>
concept is_int = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
using uint_for = m::uint_of<T>;

// ---- bits, conversions --------------------------------------------------------------------------

template <class T>
requires(!std::is_same_v<T, bool>) hx<uint_for<T>> bits(hx<T> v) {
  if constexpr (std::is_same_v<T, uint_for<T>>)
    return v;
  else
    return hx<uint_for<T>>(Halide::reinterpret(Halide::type_of<uint_for<T>>(), v.e));
}
/// The value of type hx<E> = To whose bits are u.
template <class To, class U>
requires(is_hx<To>) To from_bits(hx<U> u) {
  using E = m::elem_of<To>;
  static_assert(sizeof(E) == sizeof(U));
  if constexpr (std::is_same_v<E, U>)
    return u;
  else
    return To(Halide::reinterpret(Halide::type_of<E>(), u.e));
}
/// A short integer as an int32 of which Halide knows no range; LLVM sees through it. Halide would follow the range
/// through float operations, where the expressions of both its ends double at each step: a complex power of a uint8
/// never got through that.
inline Halide::Expr without_range(const Halide::Expr& e) {
  const Halide::Expr top = Halide::Internal::make_const(Halide::UInt(32), 0x80000000u);
  const Halide::Expr wide = Halide::cast(Halide::UInt(32), Halide::cast(Halide::Int(32), e));
  return Halide::cast(Halide::Int(32), (wide ^ top) - top);
}

/// static_cast to element type To; for float to integer only in range.
template <class To, class T>
hx<To> convert(hx<T> v) {
  if constexpr (std::is_same_v<To, T>)
    return v;
  else if constexpr (std::is_same_v<To, bool>)
    return ne(v, hx<T>(T(0)));
  else if constexpr (std::is_floating_point_v<To> && std::is_integral_v<T> && sizeof(T) < 4)
    return hx<To>(Halide::cast(Halide::type_of<To>(), without_range(v.e)));
  else
    return hx<To>(Halide::cast(Halide::type_of<To>(), v.e));
}

// ---- masks
// ----------------------------------------------------------------------------------------

inline hx<bool> operator&(hx<bool> a, hx<bool> b) { return hx<bool>(a.e && b.e); }
inline hx<bool> operator|(hx<bool> a, hx<bool> b) { return hx<bool>(a.e || b.e); }
inline hx<bool> operator!(hx<bool> a) { return hx<bool>(!a.e); }
inline hx<bool> operator^(hx<bool> a, hx<bool> b) {
  return hx<bool>((a.e && !b.e) || (!a.e && b.e));
}
inline hx<bool> to_bool(hx<bool> c) { return c; }
template <class T>
hx<bool> mask_like(hx<T>, hx<bool> c) {
  return c;
}
template <class V>
requires(is_hx<V>) hx<bool> resize_mask(hx<bool> c) { return c; }

// ---- comparison, selection --------------------------------------------------------------------

template <class T>
hx<bool> lt(hx<T> a, hx<T> b) {
  if constexpr (std::is_same_v<T, bool>)
    return (!a) & b;
  else
    return hx<bool>(a.e < b.e);
}
template <class T>
hx<bool> gt(hx<T> a, hx<T> b) {
  return lt(b, a);
}
/// By the bits: Halide (to 21, StrictFloat or not) takes x != x as false where x is broadcast and the
/// vector masked.
template <is_float T>
hx<bool> is_nan(hx<T> v) {
  using I = std::make_signed_t<uint_for<T>>;
  const Halide::Expr magnitude =
      Halide::reinterpret(Halide::type_of<I>(), v.e) & constant<I>(std::numeric_limits<I>::max());
  return hx<bool>(magnitude > constant<I>(__builtin_bit_cast(I, std::numeric_limits<T>::infinity())));
}
template <class T>
hx<bool> ne(hx<T> a, hx<T> b) {
  if constexpr (std::is_same_v<T, bool>)
    return a ^ b;
  else if constexpr (is_float<T>)
    return Halide::Internal::graph_equal(a.e, b.e) ? is_nan(a) : hx<bool>(a.e != b.e);
  else
    return hx<bool>(a.e != b.e);
}
template <class T>
hx<bool> eq(hx<T> a, hx<T> b) {
  if constexpr (std::is_same_v<T, bool>)
    return !(a ^ b);
  else if constexpr (is_float<T>)
    return Halide::Internal::graph_equal(a.e, b.e) ? !is_nan(a) : hx<bool>(a.e == b.e);
  else
    return hx<bool>(a.e == b.e);
}
template <class T>
hx<bool> le(hx<T> a, hx<T> b) {
  if constexpr (is_float<T>)
    return lt(a, b) | eq(a, b);  // Halide's <= is true for NaN
  else
    return !lt(b, a);
}
template <class T>
hx<bool> ge(hx<T> a, hx<T> b) {
  return le(b, a);
}

template <class T>
hx<T> sel(hx<bool> c, hx<T> a, hx<T> b) {
  if constexpr (std::is_same_v<T, bool>)
    return (c & a) | (!c & b);
  else
    return hx<T>(Halide::select(c.e, a.e, b.e));
}
template <class T>
hx<T> keep(hx<bool> c, hx<T> a) {
  return sel(c, a, hx<T>(T(0)));
}

/// What complex.h chooses with: both sides are computed.
template <class T>
hx<T> pick(hx<bool> c, hx<T> a, hx<T> b) {
  return sel(c, a, b);
}
template <class T>
complex<hx<T>> pick(hx<bool> c, complex<hx<T>> a, complex<hx<T>> b) {
  return {sel(c, a.re, b.re), sel(c, a.im, b.im)};
}
template <class F, class G>
auto choose(hx<bool> c, F f, G g) {
  return pick(c, f(), g());
}

/// `usual`, or where the condition holds slow(), which is evaluated only in vectors where it holds
/// for some lane. Pipelines with it need add_rare_pass.
template <class T, class F>
hx<T> rarely(hx<bool> c, F slow, hx<T> usual) {
  using Halide::Internal::Call;
  const hx<T> other = slow();
  return hx<T>(
      Call::make(Halide::type_of<T>(), rare_name, {c.e, other.e, usual.e}, Call::PureExtern));
}

/// Whether what is lowered on this thread is linked with numjit_kernel_math_rt.o.
inline thread_local bool far_calls = false;
/// Says so while it lives.
class [[nodiscard]] FarCalls {
 public:
  explicit FarCalls(bool on) : before_(std::exchange(far_calls, on)) {}
  ~FarCalls() { far_calls = before_; }
  FarCalls(const FarCalls&) = delete;
  FarCalls& operator=(const FarCalls&) = delete;

 private:
  bool before_;
};

template <class Far, class T, class... Args>
hx<T> rarely_called(hx<bool> c, hx<T> usual, Args... args) {
  const auto far = [&] {
    if (!far_calls) return Far::of(args...);
    return hx<double>(Halide::Internal::Call::make(Halide::Float(64), Far::name, {args.e...},
                                                   Halide::Internal::Call::PureExtern));
  };
  return rarely(c, [&] { return convert<T>(far()); }, usual);
}

// ---- exact operations
// -----------------------------------------------------------------------------

template <is_float T>
hx<T> sqrt_of(hx<T> v) {
  return hx<T>(Halide::sqrt(v.e));
}
template <is_float T>
hx<T> floor_of(hx<T> v) {
  return hx<T>(Halide::floor(v.e));
}
template <is_float T>
hx<T> ceil_of(hx<T> v) {
  return hx<T>(Halide::ceil(v.e));
}
template <is_float T>
hx<T> trunc_of(hx<T> v) {
  return hx<T>(Halide::trunc(v.e));
}
template <is_float T>
hx<T> rint_of(hx<T> v) {
  return hx<T>(Halide::round(v.e));
}
namespace detail {
/// Signed results of an unsigned operation on the bits: wraps instead of being undefined.
template <class T, class F>
hx<T> through_unsigned(hx<T> a, hx<T> b, F f) {
  return from_bits<hx<T>>(hx<uint_for<T>>(f(bits(a).e, bits(b).e)));
}
}  // namespace detail

template <is_int T>
hx<T> wrap_add(hx<T> a, hx<T> b) {
  return detail::through_unsigned(a, b, [](auto x, auto y) { return x + y; });
}
template <is_int T>
hx<T> wrap_sub(hx<T> a, hx<T> b) {
  return detail::through_unsigned(a, b, [](auto x, auto y) { return x - y; });
}
template <is_int T>
hx<T> wrap_mul(hx<T> a, hx<T> b) {
  return detail::through_unsigned(a, b, [](auto x, auto y) { return x * y; });
}
namespace detail {
/// Does an expression vary with neither loops nor loads?
bool is_same_everywhere(const Halide::Expr& e);

}  // namespace detail

template <is_int T>
hx<T> shift_left(hx<T> a, hx<T> n) {
  return from_bits<hx<T>>(hx<uint_for<T>>(bits(a).e << bits(n).e));
}
template <is_int T>
hx<T> shift_right(hx<T> a, hx<T> n) {
  return hx<T>(a.e >> bits(n).e);
}
template <is_int T>
hx<T> bit_and(hx<T> a, hx<T> b) {
  return hx<T>(a.e & b.e);
}
template <is_int T>
hx<T> bit_or(hx<T> a, hx<T> b) {
  return hx<T>(a.e | b.e);
}
template <is_int T>
hx<T> bit_xor(hx<T> a, hx<T> b) {
  return hx<T>(a.e ^ b.e);
}
template <is_int T>
hx<T> bit_not(hx<T> a) {
  return hx<T>(~a.e);
}
template <is_int T>
hx<std::uint8_t> count_bits(hx<T> a) {
  return hx<std::uint8_t>(Halide::cast(Halide::UInt(8), Halide::popcount(a.e)));
}

// ---- natural operators, all of them safe
// ----------------------------------------------------------

template <is_float T>
hx<T> operator+(hx<T> a, hx<T> b) {
  return hx<T>(a.e + b.e);
}
template <is_float T>
hx<T> operator-(hx<T> a, hx<T> b) {
  return hx<T>(a.e - b.e);
}
template <is_float T>
hx<T> operator*(hx<T> a, hx<T> b) {
  return hx<T>(a.e * b.e);
}
template <is_float T>
hx<T> operator/(hx<T> a, hx<T> b) {
  return hx<T>(a.e / b.e);
}
template <is_float T>
hx<T> operator-(hx<T> a) {
  return m::negated(a);
}
template <is_int T>
hx<T> operator+(hx<T> a, hx<T> b) {
  return wrap_add(a, b);
}
template <is_int T>
hx<T> operator-(hx<T> a, hx<T> b) {
  return wrap_sub(a, b);
}
template <is_int T>
hx<T> operator*(hx<T> a, hx<T> b) {
  return wrap_mul(a, b);
}
template <is_int T>
hx<T> operator-(hx<T> a) {
  return wrap_sub(hx<T>(T(0)), a);
}
template <is_int T>
hx<T> operator&(hx<T> a, hx<T> b) {
  return bit_and(a, b);
}
template <is_int T>
hx<T> operator|(hx<T> a, hx<T> b) {
  return bit_or(a, b);
}
template <is_int T>
hx<T> operator^(hx<T> a, hx<T> b) {
  return bit_xor(a, b);
}
template <is_int T>
hx<T> operator~(hx<T> a) {
  return bit_not(a);
}
template <is_int T>
hx<T> operator<<(hx<T> a, int n) {
  return shift_left(a, hx<T>(static_cast<T>(n)));
}
template <is_int T>
hx<T> operator>>(hx<T> a, int n) {
  return shift_right(a, hx<T>(static_cast<T>(n)));
}
template <class T>
hx<bool> operator<(hx<T> a, hx<T> b) {
  return lt(a, b);
}
template <class T>
hx<bool> operator>(hx<T> a, hx<T> b) {
  return gt(a, b);
}
template <class T>
hx<bool> operator<=(hx<T> a, hx<T> b) {
  return le(a, b);
}
template <class T>
hx<bool> operator>=(hx<T> a, hx<T> b) {
  return ge(a, b);
}
template <class T>
hx<bool> operator==(hx<T> a, hx<T> b) {
  return eq(a, b);
}
template <class T>
hx<bool> operator!=(hx<T> a, hx<T> b) {
  return ne(a, b);
}

}  // namespace numjit::halide_gen

#include <quotients.h>
