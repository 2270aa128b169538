// numpy.emath: functions whose results are complex where real ones would be NaN.
#pragma once

#include <numjit/np_options.h>

namespace numjit::emath {

/// The ufuncs of these names, of complex numbers if an element lies outside of where the real
/// function is defined: below 0 for roots, logarithms and powers, beyond [-1, 1] for the inverse
/// functions. The values decide the dtype, so these are graph breaks inside a compiled function.
/// complex64 for float32 and integers up to 16 bits, else complex128.
///   np::emath::sqrt(-1)  ->  1j
array sqrt(const operand& x);
array log(const operand& x);
array log2(const operand& x);
array log10(const operand& x);
array arccos(const operand& x);
array arcsin(const operand& x);
array arctanh(const operand& x);
/// Logarithms to base n.
array logn(const operand& n, const operand& x);
/// Powers; negative exponents make floats of integers.
array power(const operand& x, const operand& p);

}  // namespace numjit::emath
