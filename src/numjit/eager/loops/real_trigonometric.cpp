// Trigonometric and hyperbolic loops of float32 and float64.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_real_trigonometric(loop_table& table) { fill_family<family::real_trigonometric>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
