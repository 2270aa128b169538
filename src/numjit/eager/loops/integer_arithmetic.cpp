// Arithmetic loops of bool and integer dtypes.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_integer_arithmetic(loop_table& table) { fill_family<family::integer_arithmetic>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
