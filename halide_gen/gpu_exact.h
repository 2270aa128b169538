// What keeps the bits of kernels for GPUs those of the CPU.
#pragma once

#include <vector>

#include <Halide.h>

namespace numjit::halide_gen {

/// Double constants go through their bits: Halide's OpenCL code prints them as floats (0.1 becomes 0.1f). The
/// expressions come with such constants (expr_value.h); lowering folds new ones. And it gives
/// popcount a name of its own that OpenCL lacks.
void add_opencl_pass(Halide::Pipeline& pipeline);

/// Turns "#pragma OPENCL FP_CONTRACT ON", which Halide puts at the head of OpenCL code also under StrictFloat, off.
/// The source lies in the object as plain text; its length stays.
void forbid_contraction(std::vector<char>& object);

}  // namespace numjit::halide_gen
