// Integers of a kernel in narrower types, where no value needs the wide one.
//
//   operands B, scalars l                       the same, while scalar 0 is in [0, 16383]
//     %0 = operand 0          0 .. 255            %0 = operand 0
//     %1 = cast.l(%0)         0 .. 255            %1 = cast.H(%0)
//     %2 = add.ll->l(%1, %1)  0 .. 510            %2 = add.HH->H(%1, %1)
//     %3 = scalar 0           0 .. 16383          %4 = cast.H(%3)
//     %4 = floor_divide.ll->l(%2, %3)             %5 = floor_divide.HH->H(%2, %4)
//     %5 = cast.B(%4)                             %6 = cast.B(%5)
//
// The elements' dtypes bound what they can be, and each op what comes out of that. Where exact results fit a
// narrower type, computing in it gives the same numbers, with more of them in a vector. Programs widen pixels to
// int64 because NumPy would wrap; their literals are small. So scalars are assumed to be small, and the kernel
// asks whether they are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <numjit/graph/kernel_spec.h>

namespace numjit::graph {

/// What a scalar argument has to lie in, both ends included.
struct ScalarBound {
  std::uint16_t scalar = 0;
  std::int64_t least = 0, most = 0;
  friend bool operator==(const ScalarBound&, const ScalarBound&) = default;
};

/// A spec with the same operands, scalars and outputs, and the same values while the bounds hold.
struct NarrowSpec {
  KernelSpec spec;
  std::vector<ScalarBound> bounds;
};

/// The elementwise `spec` in the narrowest of uint16, int16 and int32 that makes its widest element narrower;
/// nothing where none does.
std::optional<NarrowSpec> narrow_integers(const KernelSpec& spec);

}  // namespace numjit::graph
