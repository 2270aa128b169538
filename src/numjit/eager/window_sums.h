// Sums of products of windows, as correlations need them: plain memory in, plain memory out.
#pragma once

#include <cstdint>

#include <numjit/array/dtype.h>

namespace numjit::eager {

/// Does sum_windows know windows of this dtype and length? Of integers and floats of 32 and 64 bits, up to 2^20.
bool sums_windows(dtype_id type, std::int64_t m);

/// out[i] = sum over k < m of a[i + k] * v[k] for i < count, with the bits that sum() of the products has; all contiguous.
void sum_windows(dtype_id type, const char* a, const char* v, std::int64_t m, std::int64_t count, char* out);

}  // namespace numjit::eager
