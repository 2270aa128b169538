// Rounding, comparison, logic and selection loops of float32 and float64.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_real_logic(loop_table& table) { fill_family<family::real_logic>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
