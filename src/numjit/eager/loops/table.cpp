// Puts together the table of one instruction set.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

#define NUMJIT_TEXT_(x) #x
#define NUMJIT_TEXT(x) NUMJIT_TEXT_(x)

const loop_table& table() {
  static const loop_table& filled = *[] {
    auto* t = new loop_table;  // immortal: loops run until the process ends
    t->isa = NUMJIT_TEXT(NUMJIT_ISA);
    fill_integer_arithmetic(*t);
    fill_integer_logic(*t);
    fill_real_arithmetic(*t);
    fill_real_exponential(*t);
    fill_real_trigonometric(*t);
    fill_real_special(*t);
    fill_real_logic(*t);
    fill_half_short(*t);
    fill_half_long(*t);
    fill_complex_short(*t);
    fill_complex_long(*t);
    fill_casts(*t);
    fill_reductions_real(*t);
    fill_reductions_integer(*t);
    fill_reductions_complex(*t);
    fill_arg_reductions(*t);
    fill_scans(*t);
    fill_windows(*t);
    return t;
  }();
  return filled;
}

}  // namespace numjit::eager::NUMJIT_ISA
