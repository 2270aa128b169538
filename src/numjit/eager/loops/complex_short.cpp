// Complex loops of short ops.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_complex_short(loop_table& table) { fill_family<family::complex_short>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
