// Sums of numbers that are parameters.
#pragma once

#include <numjit/ops/param_layout.h>

namespace numjit::layout {

/// a + b: of integers an integer, which wraps.
inline number sum_of(const number& a, const number& b) {
  if (a.is_integer() && b.is_integer()) {
    number s = a;
    s.bits = static_cast<std::int64_t>(static_cast<std::uint64_t>(a.bits) + static_cast<std::uint64_t>(b.bits));
    return s;
  }
  if (a.kind == number::complex_ || b.kind == number::complex_)
    return number::of(a.as_double() + b.as_double(), a.imag + b.imag);
  return number::of(a.as_double() + b.as_double());
}

}  // namespace numjit::layout
