// Loops inside the expression of an element: Euclid's algorithm.
#pragma once

#include <Halide.h>

namespace numjit::halide_gen {

/// The greatest common divisor of two unsigned numbers of one type; of two zeros 0. The expression holds a Func that is
/// computed where the element is: for kernels of one thread an element.
Halide::Expr greatest_common_divisor(const Halide::Expr& x, const Halide::Expr& y);

}  // namespace numjit::halide_gen
