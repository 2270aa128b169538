// float16 loops of long ops, evaluated in float32.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_half_long(loop_table& table) { fill_family<family::half_long>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
