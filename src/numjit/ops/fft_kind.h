// Which transform the fft routine does: the second word of its parameters.
#pragma once

#include <cstdint>

namespace numjit::detail {

/// Complex to complex in both directions, real to half of the complex numbers, and back. The other words: the
/// length, the axis, and the bits of the factor (a double).
enum class fft_kind : std::int64_t { forward, backward, from_real, to_real };

}  // namespace numjit::detail
