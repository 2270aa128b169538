// What every op call shares: the eager interpreter's slot and the empty parameter list.
#include <numjit/ops/bind.h>

namespace numjit {

namespace detail {

// Filled by the eager engine before main.
constinit interpreter* eager_interpreter = nullptr;

}  // namespace detail

const op_params& op_call::no_params() {
  // Leaked on purpose: calls may come while other static objects are being destroyed.
  static const op_params& empty = *new op_params;
  return empty;
}

}  // namespace numjit
