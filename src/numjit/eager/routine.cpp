// Runs a routine of a library.
#include <numjit/eager/internal.h>
#include <numjit/ops/eager_on_thread.h>
#include <numjit/ops/routine.h>

namespace numjit::eager {

void run_routine(const structural_call& c) {
  // It may use operations itself, while a segment runs: those are not to be recorded.
  const numjit::detail::eager_on_thread eagerly;
  numjit::detail::find_routine(c.params[0])->run({c.params, c.in, c.n_in, c.result});
}

}  // namespace numjit::eager
