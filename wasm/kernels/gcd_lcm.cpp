// The loops that are compiled into the module: those of rows that are no expressions.
#include <numjit/eager/loops/ufunc.h>

namespace numjit::eager::NUMJIT_ISA {

void fill_gcd_lcm(loop_table& table) {
  const auto fill = [&]<op_id Op, int... Loop>(std::integer_sequence<int, Loop...>) {
    ((table.ufunc[static_cast<int>(Op)][Loop] = ufunc_loop<Op, Loop>::run), ...);
  };
  fill.template operator()<op_id::gcd>(std::make_integer_sequence<int, loop_count<op_id::gcd>>{});
  fill.template operator()<op_id::lcm>(std::make_integer_sequence<int, loop_count<op_id::lcm>>{});
}

}  // namespace numjit::eager::NUMJIT_ISA
