// Loops of erf, erfc, gamma and gammaln of float32 and float64.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_real_special(loop_table& table) { fill_family<family::real_special>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
