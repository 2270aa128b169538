// Element types of the reference: arithmetic spelled out, free of the library's own half, complex and casts.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <numjit/array/dtype.h>

namespace reference {

using numjit::dtype_id;

/// Value of the bits of a float16.
inline float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float sign = bits >> 15 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction ? std::nanf("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

/// The nearest float16, of two the even one. From a double, so that no value is rounded twice.
inline std::uint16_t half_bits(double x) {
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double magnitude = std::fabs(x);
  if (x != x) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (magnitude >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = magnitude == 0 ? -14 : std::ilogb(magnitude);
  if (exponent < -14) exponent = -14;
  // Units of the last place; nearbyint rounds halves to even.
  const double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  const int biased = (exponent + 14) * 1024 + static_cast<int>(units);  // a full fraction carries over
  return static_cast<std::uint16_t>(sign | biased);
}

template <class R>
struct Complex {
  R re = 0, im = 0;
};

template <class T> inline constexpr bool is_complex = false;
template <class R> inline constexpr bool is_complex<Complex<R>> = true;

/// Working type of a dtype: float16 is worked on as float32, bool as 0 and 1.
template <dtype_id D> struct WorkType { using type = numjit::cpp_type<D>; };
template <> struct WorkType<dtype_id::bool_> { using type = std::uint8_t; };
template <> struct WorkType<dtype_id::float16> { using type = float; };
template <> struct WorkType<dtype_id::complex64> { using type = Complex<float>; };
template <> struct WorkType<dtype_id::complex128> { using type = Complex<double>; };
template <dtype_id D> using Work = typename WorkType<D>::type;

/// Calls f.template operator()<D>() for the dtype.
template <class F>
decltype(auto) with_dtype(dtype_id id, F&& f) {
  switch (id) {
#define REFERENCE_DTYPE(name) \
  case dtype_id::name: return f.template operator()<dtype_id::name>();
    REFERENCE_DTYPE(bool_) REFERENCE_DTYPE(int8) REFERENCE_DTYPE(int16) REFERENCE_DTYPE(int32)
    REFERENCE_DTYPE(int64) REFERENCE_DTYPE(uint8) REFERENCE_DTYPE(uint16) REFERENCE_DTYPE(uint32)
    REFERENCE_DTYPE(uint64) REFERENCE_DTYPE(float16) REFERENCE_DTYPE(float32) REFERENCE_DTYPE(float64)
    REFERENCE_DTYPE(complex64) REFERENCE_DTYPE(complex128)
#undef REFERENCE_DTYPE
  }
  __builtin_unreachable();
}

template <dtype_id D>
Work<D> load(const char* from) {
  if constexpr (D == dtype_id::float16) {
    std::uint16_t bits;
    std::memcpy(&bits, from, 2);
    return half_value(bits);
  } else {
    Work<D> v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
}

template <dtype_id D>
void store(Work<D> v, char* to) {
  if constexpr (D == dtype_id::float16) {
    const std::uint16_t bits = half_bits(v);
    std::memcpy(to, &bits, 2);
  } else {
    std::memcpy(to, &v, sizeof v);
  }
}

/// A value of one working type in another; no rounding but the last.
template <class To, class From>
To convert(From v) {
  if constexpr (is_complex<To>) {
    using R = decltype(To::re);
    if constexpr (is_complex<From>) return {static_cast<R>(v.re), static_cast<R>(v.im)};
    else return {static_cast<R>(v), 0};
  } else if constexpr (is_complex<From>) {
    return static_cast<To>(v.re);
  } else {
    return static_cast<To>(v);
  }
}

/// The same for elements of dtypes: float16 is rounded to, also where it is worked on in float32.
template <dtype_id To, dtype_id From>
Work<To> cast(Work<From> v) {
  if constexpr (To == dtype_id::float16) {
    if constexpr (is_complex<Work<From>>) return half_value(half_bits(v.re));
    else return half_value(half_bits(static_cast<double>(v)));
  } else {
    return convert<Work<To>>(v);
  }
}

template <class T>
bool is_nan(T v) {
  if constexpr (is_complex<T>) return v.re != v.re || v.im != v.im;
  else return v != v;
}

/// a < b; complex numbers by real part, then by imaginary part.
template <class T>
bool is_less(T a, T b) {
  if constexpr (is_complex<T>) return a.re < b.re || (a.re == b.re && a.im < b.im);
  else return a < b;
}

template <class T>
T plus(T a, T b) {
  if constexpr (is_complex<T>) return {a.re + b.re, a.im + b.im};
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else return a + b;
}

template <class T>
T minus(T a, T b) {
  if constexpr (is_complex<T>) return {a.re - b.re, a.im - b.im};
  else return a - b;
}

template <class T>
T times(T a, T b) {
  if constexpr (is_complex<T>) return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else return a * b;
}

/// Quotient by a real number; a complex one is (re * (1/n), im * (1/n)) (Smith's method for b = n + 0i).
template <class T, class R>
T over(T a, R n) {
  if constexpr (is_complex<T>) {
    using P = decltype(T::re);
    const P b = static_cast<P>(n);
    if (b == 0) return {a.re / b, a.im / b};
    const P ratio = P(0) / b, by = P(1) / (b + P(0) * ratio);
    return {(a.re + a.im * ratio) * by, (a.im - a.re * ratio) * by};
  } else {
    return a / static_cast<T>(n);
  }
}

}  // namespace reference
