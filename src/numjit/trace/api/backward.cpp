// The compiled function that sweeps over a compiled function's operations are calls of.
#include <mutex>

#include <numjit/trace/api/api.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/function_state.h>
#include <numjit/transform/backward_region.h>

namespace numjit::tracing {
namespace {

/// Made at the first use, shared by all threads. Null where graphs go to the user's backend: it may be gone by then.
std::shared_ptr<FunctionState> backward_of(FunctionState& function) {
  if (function.backend == Backend::user) return nullptr;
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  if (!function.backward) {
    function.backward = std::make_shared<FunctionState>();
    function.backward->name = function.name + ".backward";
    function.backward->disabled = function.disabled;
    function.backward->static_sizes = function.static_sizes;
    function.backward->backend = function.backend;
    function.backward->float_mode = function.float_mode;
  }
  return function.backward;
}

std::shared_ptr<void> function_here() {
  if (!detail::recording) return nullptr;
  FunctionState* const function = Recorder::current().function();
  return function ? backward_of(*function) : nullptr;
}

void run(void* function, const std::function<void()>& sweep) {
  run_region(*static_cast<FunctionState*>(function), sweep);
}

bool is_asked() { return detail::recording && Recorder::current().observers.need(CallObserver::graphs); }
void tell(std::int64_t bytes, int thinned, int recipe_operations) {
  Recorder::current().observers.tell([&](CallObserver& o) { o.on_tape(bytes, thinned, recipe_operations); });
}

[[maybe_unused]] const bool installed = [] {
  transform::backward_regions = {&function_here, &run, &is_asked, &tell};
  return true;
}();

}  // namespace
}  // namespace numjit::tracing
