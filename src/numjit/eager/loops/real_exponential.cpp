// Exponential and logarithm loops of float32 and float64.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_real_exponential(loop_table& table) { fill_family<family::real_exponential>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
