// Sums of products whose products are never all in memory: plain memory in, plain memory out.
#pragma once

#include <cstdint>

#include <numjit/array/dtype.h>

namespace numjit::eager {

/// out[r] = sum over i of a[r, i] * b[r, i], with the bits that sum(multiply(a, b), -1) has; contiguous, n > 0, of
/// floats of 32 and 64 bits or complex numbers of these; `conjugated`: of the conjugates of a.
void sum_products(dtype_id type, const char* a, const char* b, std::int64_t rows, std::int64_t n, char* out,
                  bool conjugated = false);

}  // namespace numjit::eager
