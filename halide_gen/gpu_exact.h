// What keeps the bits of kernels for GPUs those of the CPU.
#pragma once

#include <vector>

#include <Halide.h>

namespace numjit::halide_gen {

/// What the target's code generator needs to keep the bits.
///
/// OpenCL: double constants go through their bits, as they are printed as floats (0.1 becomes 0.1f). The
/// expressions come with such constants (expr_value.h); lowering folds new ones. And popcount gets the name
/// that OpenCL knows.
/// CUDA: products are never contracted with sums.
void add_gpu_pass(Halide::Pipeline& pipeline, const Halide::Target& target);

/// Turns "#pragma OPENCL FP_CONTRACT ON", which Halide puts at the head of OpenCL code also under StrictFloat, off.
/// The source lies in the object as plain text; its length stays.
void forbid_contraction(std::vector<char>& object);

}  // namespace numjit::halide_gen
