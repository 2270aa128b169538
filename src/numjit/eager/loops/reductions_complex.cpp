// Reductions over complex dtypes.
#include <numjit/eager/loops/reduce.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_reductions_complex(loop_table& table) { fill_reductions<reduction_family::complex_>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
