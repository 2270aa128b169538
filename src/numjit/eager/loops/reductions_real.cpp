// Reductions over float16, float32 and float64.
#include <numjit/eager/loops/reduce.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_reductions_real(loop_table& table) { fill_reductions<reduction_family::real>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
