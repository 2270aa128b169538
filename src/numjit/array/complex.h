// The complex element type: a plain pair, laid out as NumPy, C and std::complex lay it out.
#pragma once

#include <complex>

namespace numjit {

/// Element type of complex64 and complex128. Arithmetic lives in the math vocabulary (ops/math):
/// this is storage only, so that no compiler-chosen complex formula can enter a result.
template <class T>
struct complex {
  T re{}, im{};

  constexpr complex() = default;
  constexpr complex(T real, T imag = T(0)) : re(real), im(imag) {}
  constexpr complex(const std::complex<T>& z) : re(z.real()), im(z.imag()) {}
  template <class U>
    requires(!std::is_same_v<U, T>)
  explicit constexpr complex(const complex<U>& z) : re(T(z.re)), im(T(z.im)) {}
  operator std::complex<T>() const { return {re, im}; }
  friend constexpr bool operator==(const complex&, const complex&) = default;
};

static_assert(sizeof(complex<float>) == 8 && sizeof(complex<double>) == 16);

}  // namespace numjit
