// cast<To>(v): NumPy's astype between element types, with the values that NumPy 2.4 gives on x86-64
// where C leaves them undefined (float to integer out of range).
#pragma once

#include <numjit/ops/math/compare.h>

namespace numjit::m {

namespace detail {

/// x86's cvtt: truncates; the least value for NaN and everything out of range. I is int32 or int64.
template <class I, floating V>
NUMJIT_M auto truncate_to(V v) {
  using W = rebind<V, I>;
  constexpr double limit = sizeof(I) == 4 ? 0x1p31 : 0x1p63;
  // -2^31 - 0.5 still truncates into int32; a float has no such value, nor a double next to -2^63.
  constexpr bool finer = sizeof(I) == 4 && double_value<V>;
  const auto above = finer ? gt(v, lit<V>(-limit - 1.0)) : ge(v, lit<V>(-limit));
  const auto in_range = above & lt(v, lit<V>(limit));
  const W whole = convert<I>(keep(in_range, v));
  return sel(resize_mask<W>(in_range), whole, W(static_cast<I>(sign_bit<I>)));
}

/// To uint32 and uint64 the upper half of the range goes through a shifted value.
template <class I, floating V>
NUMJIT_M auto truncate_to_unsigned(V v) {
  using W = rebind<V, uint_of<I>>;
  const V half_range = lit<V>(sizeof(I) == 4 ? 0x1p31 : 0x1p63);
  const auto upper = ge(v, half_range);
  const W low = bits(truncate_to<I>(sel(upper, v - half_range, v)));
  return W(low ^ keep(resize_mask<W>(upper), W(sign_bit<I>)));
}

}  // namespace detail

/// NumPy's astype of one element. To bool: different from zero. Float to int8/16 and uint8/16 goes
/// through int32. float16 is converted by its loops.
/// Example: cast<std::int32_t>(-1.5) is -1, cast<std::uint8_t>(300.0) is 44.
template <class To, real_value V>
NUMJIT_M auto cast(V v) {
  using From = elem_of<V>;
  if constexpr (std::is_same_v<To, From>) {
    return v;
  } else if constexpr (std::is_same_v<To, bool>) {
    return m::truth(v);
  } else if constexpr (is_complex_type<To>) {
    using R = decltype(To{}.re);
    return complex<rebind<V, R>>(convert<R>(v));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (sizeof(To) < 4)
      return convert<To>(detail::truncate_to<std::int32_t>(v));
    else if constexpr (std::is_signed_v<To>)
      return detail::truncate_to<To>(v);
    else
      return detail::truncate_to_unsigned<std::make_signed_t<To>>(v);
  } else {
    return convert<To>(v);
  }
}

/// Complex to real drops the imaginary part, to bool asks whether either part differs from zero.
template <class To, class T>
NUMJIT_M auto cast(complex<T> z) {
  if constexpr (std::is_same_v<To, bool>) {
    return detail::either(z.re != T(0), z.im != T(0));
  } else if constexpr (is_complex_type<To>) {
    using R = decltype(To{}.re);
    return complex<rebind<T, R>>(convert<R>(z.re), convert<R>(z.im));
  } else {
    return m::cast<To>(z.re);
  }
}

}  // namespace numjit::m
