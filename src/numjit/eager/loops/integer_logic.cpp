// Rounding, comparison, logic, bit and selection loops of bool and integer dtypes.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_integer_logic(loop_table& table) { fill_family<family::integer_logic>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
