// Arithmetic loops of float32 and float64.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_real_arithmetic(loop_table& table) { fill_family<family::real_arithmetic>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
