// float16 loops of short ops, evaluated in float32.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_half_short(loop_table& table) { fill_family<family::half_short>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
