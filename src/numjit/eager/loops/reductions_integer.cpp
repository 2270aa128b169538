// Reductions over bool and integer dtypes.
#include <numjit/eager/loops/reduce.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_reductions_integer(loop_table& table) { fill_reductions<reduction_family::integer>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
