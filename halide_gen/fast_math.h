// What float_mode = fast adds to a pipeline.
#pragma once

#include <Halide.h>

namespace numjit::halide_gen {

/// Fuses products with the sums and differences they go into, where the target has an instruction
/// for it. Everything else stays strict: NaN, infinities and signed zeros keep their meaning.
void add_fast_math_pass(Halide::Pipeline& pipeline, const Halide::Target& target);

}  // namespace numjit::halide_gen
