// Rounding, comparison, logic, bit and selection loops of bool and integer dtypes.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_integer_rest(loop_table& table) { fill_family<family::integer_rest>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
