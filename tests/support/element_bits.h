// Whether two elements have the same bits, as the promise of equal results means it.
#pragma once

#include <cstdint>
#include <cstring>

#include <numjit/array/dtype.h>

namespace numjit::testing {

template <class T>
bool same_real_bits(const char* a, const char* b) {
  T x, y;
  std::memcpy(&x, a, sizeof x);
  std::memcpy(&y, b, sizeof y);
  return std::memcmp(&x, &y, sizeof x) == 0 || (x != x && y != y);
}

/// Two NaN are equal whatever their sign and payload; parts of complex numbers count one by one. Written
/// apart from the library's own comparison (array/same_bits.h), which the tests are to check.
inline bool same_element_bits(dtype_id type, const char* a, const char* b) {
  switch (type) {
    case dtype_id::float16: {
      std::uint16_t x, y;
      std::memcpy(&x, a, 2);
      std::memcpy(&y, b, 2);
      return x == y || ((x & 0x7fff) > 0x7c00 && (y & 0x7fff) > 0x7c00);
    }
    case dtype_id::float32: return same_real_bits<float>(a, b);
    case dtype_id::float64: return same_real_bits<double>(a, b);
    case dtype_id::complex64: return same_real_bits<float>(a, b) && same_real_bits<float>(a + 4, b + 4);
    case dtype_id::complex128: return same_real_bits<double>(a, b) && same_real_bits<double>(a + 8, b + 8);
    default: return std::memcmp(a, b, dtype(type).itemsize()) == 0;
  }
}

}  // namespace numjit::testing
