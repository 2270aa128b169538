// float16 in kernels: its bits (UInt(16)) in memory and between ops, float while an op is evaluated.
#pragma once

#include <expr_value.h>

namespace numjit::halide_gen {

/// The float of a float16 given by its bits.
hx<float> widened(const Halide::Expr& bits);

/// Bits of the nearest float16, halves to even; a double is rounded once, as array/half.h does.
Halide::Expr rounded(hx<float> v);
Halide::Expr rounded(hx<double> v);
template <class T>
requires(std::is_integral_v<T>) Halide::Expr rounded(hx<T> v) {
  if constexpr (sizeof(T) <= 2) return rounded(convert<float>(v));
  else return rounded(convert<double>(v));
}

/// nextafter on float16's own grid.
Halide::Expr next_half(const Halide::Expr& a, const Halide::Expr& b);

/// The pass that turns the conversions into code: instructions where the target has them (F16C),
/// integer and float arithmetic elsewhere, with the same bits. Every pipeline with float16 needs it.
void add_half_pass(Halide::Pipeline& pipeline, const Halide::Target& target);

}  // namespace numjit::halide_gen
