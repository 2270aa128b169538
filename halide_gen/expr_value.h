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
/// back ends print double literals as floats.
template <class T>
Halide::Expr constant(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return Halide::Internal::make_bool(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (sizeof(T) == 8 &&
        (std::isnan(value) || static_cast<double>(static_cast<float>(value)) != value))
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

/// Vectors have no integer division, but one of floats: the quotient of integers below 2^p, rounded to
/// p + 1 bits or more, is never rounded up to an integer that it does not reach. `shift` is 1.5 * 2^p of
/// the widest p: adding it leaves the integer in the low bits. (A cast from float would do, if Halide did
/// not join it with later casts to unsigned types, for which negative values are undefined.)
///
/// A divisor that is the same everywhere is inverted once: with r = (1 / b) (1 + 2 epsilon), which roundings
/// leave above 1 / b, a r reaches every integer that a / b reaches, and is too large by less than 1 / b.
template <class T, class Float, class Word>
hx<T> quotient_through(hx<T> a, hx<T> b, Float shift) {
  const Halide::Type real = Halide::type_of<Float>(), word = Halide::type_of<Word>();
  const Halide::Expr number = Halide::cast(real, a.e), divisor = Halide::cast(real, b.e);
  const Halide::Expr inverse =
      constant<Float>(1) / divisor * constant<Float>(1 + 2 * std::numeric_limits<Float>::epsilon());
  const Halide::Expr quotient = Halide::trunc(is_same_everywhere(b.e) ? number * inverse : number / divisor);
  const Halide::Expr shifted = Halide::reinterpret(word, quotient + constant<Float>(shift));
  return hx<T>(Halide::reinterpret(Halide::type_of<T>(), Halide::cast(Halide::type_of<uint_for<T>>(),
                                   shifted - constant<Word>(__builtin_bit_cast(Word, shift)))));
}

/// Of 16 bits by a divisor that is the same everywhere: Granlund and Montgomery's multiplication by an inverse of 17
/// bits, whose upper half is all that a vector computes. With l = ceil(log2 d) and m = floor(2^16 (2^l - d) / d) + 1,
/// n / d is (t + (n - t) / 2) / 2^(l - 1) for t = m n / 2^16; for d = 1 no shift halves.
inline Halide::Expr quotient_by_same(const Halide::Expr& n, const Halide::Expr& d) {
  using Halide::Expr;
  const Halide::Type word = Halide::UInt(16), wide = Halide::UInt(32), real = Halide::Float(64);
  const Expr one = constant<std::uint32_t>(1), wide_d = Halide::cast(wide, d);
  // The exponent of 2 d - 1; not every GPU language counts leading zeros.
  const Expr log = (Halide::reinterpret(wide, Halide::cast(Halide::Float(32), wide_d + wide_d - one)) >>
                    constant<std::uint32_t>(23)) - constant<std::uint32_t>(127);
  const Expr above = ((one << log) - wide_d) << constant<std::uint32_t>(16);
  // By doubles, which no one keeps from computing once: both are below 2^32.
  const Expr ratio = Halide::cast(wide, Halide::trunc(Halide::cast(real, above) / Halide::cast(real, wide_d)));
  const Expr inverse = Halide::cast(word, ratio + one), first = Halide::cast(word, Halide::min(log, one));
  const Expr upper = Halide::cast(word, (Halide::cast(wide, n) * Halide::cast(wide, inverse)) >> constant<std::uint32_t>(16));
  return (upper + ((n - upper) >> first)) >> (Halide::cast(word, log) - first);
}

/// C's quotient of at most 16 bits by a divisor that is the same everywhere, from those of magnitudes.
template <class T>
hx<T> quotient_of_short(hx<T> a, hx<T> b) {
  const Halide::Type word = Halide::UInt(16);
  if constexpr (std::is_unsigned_v<T>) {
    return hx<T>(Halide::cast(Halide::type_of<T>(), quotient_by_same(Halide::cast(word, a.e), Halide::cast(word, b.e))));
  } else {
    const auto wide = [&](hx<T> v) { return Halide::reinterpret(word, Halide::cast(Halide::Int(16), v.e)); };
    const Halide::Expr zero = constant<std::uint16_t>(0), x = wide(a), y = wide(b);
    const Halide::Expr negative_a = a.e < constant<T>(T(0)), negative_b = b.e < constant<T>(T(0));
    const Halide::Expr q =
        quotient_by_same(Halide::select(negative_a, zero - x, x), Halide::select(negative_b, zero - y, y));
    const Halide::Expr differ = (negative_a && !negative_b) || (!negative_a && negative_b);
    return from_bits<hx<T>>(hx<uint_for<T>>(Halide::cast(Halide::type_of<uint_for<T>>(),
                                                         Halide::select(differ, zero - q, q))));
  }
}

/// For 64 bits: where both are below 2^51, which double and integer tell by the same bits after adding
/// 1.5 * 2^52.
template <class T>
hx<T> quotient_of_long(hx<T> a, hx<T> b) {
  using Halide::Expr;
  const Expr shift = constant<double>(0x1.8p52), bits_of_shift = constant<std::uint64_t>(0x4338000000000000);
  const Halide::Type real = Halide::Float(64), word = Halide::UInt(64);
  auto bits = [&](hx<T> v) { return Halide::reinterpret(word, v.e); };
  auto is_large = [&](hx<T> v) {
    if constexpr (std::is_unsigned_v<T>) return bits(v) >= constant<std::uint64_t>(std::uint64_t{1} << 51);
    else return bits(v) + constant<std::uint64_t>(std::uint64_t{1} << 51) >= constant<std::uint64_t>(std::uint64_t{1} << 52);
  };
  auto number = [&](hx<T> v) { return Halide::reinterpret(real, bits(v) + bits_of_shift) - shift; };
  const Expr quotient = Halide::trunc(number(a) / number(b));
  const hx<T> usual(Halide::reinterpret(Halide::type_of<T>(), Halide::reinterpret(word, quotient + shift) - bits_of_shift));
  return rarely(hx<bool>(is_large(a) || is_large(b)),
                [&] { return hx<T>(Halide::div_round_to_zero(a.e, b.e)); }, usual);
}
}  // namespace detail

/// C's quotient; b must be neither 0 nor, for signed types, -1.
template <is_int T>
hx<T> trunc_quotient(hx<T> a, hx<T> b) {
  if constexpr (sizeof(T) <= 2)
    return detail::is_same_everywhere(b.e) ? detail::quotient_of_short(a, b)
                                           : detail::quotient_through<T, float, std::uint32_t>(a, b, 0x1.8p23f);
  else if constexpr (sizeof(T) == 4) return detail::quotient_through<T, double, std::uint64_t>(a, b, 0x1.8p52);
  else return detail::quotient_of_long(a, b);
}
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
