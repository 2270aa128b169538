// Complex loops of long ops.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_complex_long(loop_table& table) { fill_family<family::complex_long>(table); }

}  // namespace numjit::eager::NUMJIT_ISA
