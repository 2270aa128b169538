// The blocks of `gpu_elementwise`: what its generator makes of a size class, and what its launcher counts by.
#pragma once

#include <numjit/runtime/kernels/abi.h>

namespace numjit::runtime {

struct DeviceBlock {
  int threads_x, threads_y;
  int points;  // of a thread, along x, as far apart as there are threads
};

constexpr DeviceBlock device_block(std::uint32_t size_class, std::size_t operands) {
  constexpr std::size_t many_operands = 6;  // neighbours, mostly: blocks of more points read fewer of them twice
  if (size_class & device_narrow) return {4, 32, 1};
  if (size_class & device_rows) return {32, 8, 4};
  if (size_class & device_long) return {128, 1, operands > many_operands ? 8 : 4};
  return {64, 1, 1};  // two warps, or a wavefront
}

}  // namespace numjit::runtime
