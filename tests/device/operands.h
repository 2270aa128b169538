// Operands of the tests of products.
#pragma once

#include <complex>
#include <cstdint>

#include <numjit/np.h>

namespace numjit::testing {

/// An array of small whole numbers, complex ones where `type` is complex: their sums are exact in any order.
inline array whole_numbers(const dims& shape, const dtype& type) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  array x = remainder(arange(static_cast<double>(n)) * 7.0, 11.0) - 5.0;
  if (type.kind() == 'c') x = x + remainder(arange(static_cast<double>(n)), 3.0) * std::complex<double>(0.0, 1.0);
  return reshape(x.astype(type), shape);
}

}  // namespace numjit::testing
