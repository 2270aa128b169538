// The kinds of transforms, as np::fft calls them.
#pragma once

#include <numjit/ops/fft_kind.h>

namespace numjit::fft::detail {

using Kind = numjit::detail::fft_kind;

}  // namespace numjit::fft::detail
