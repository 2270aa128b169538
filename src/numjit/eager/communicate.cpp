// Runs an operation between ranks, for which distributed/ has the messages.
#include <numjit/eager/internal.h>
#include <numjit/ops/communicate.h>

namespace numjit::detail {
constinit communication_engine communications;
}  // namespace numjit::detail

namespace numjit::eager {

void run_communicate(const structural_call& c) { numjit::detail::communications.run({c.params, c.in[1], c.result}); }

}  // namespace numjit::eager
