// The non-template part of np::compile and its companions.
#include <numjit/trace/api.h>

#include <fmt/format.h>

#include <numjit/runtime/kernel_cache.h>
#include <numjit/trace/recorder.h>

namespace numjit {
namespace tracing {

const std::string& name_of(const FunctionState& state) { return state.name; }
bool replays(const FunctionState& state) { return state.replay; }

std::shared_ptr<FunctionState> make_function_state(const compile_options& options) {
  auto state = std::make_shared<FunctionState>();
  const std::string& backend = options.backend.name();
  if (options.backend.function()) {
    state->backend = Backend::user;
    state->user_backend = options.backend.function();
  } else if (backend == "eager") {
    state->backend = Backend::eager;
  } else if (backend == "graph") {
    state->backend = Backend::graph;
  } else if (backend != "halide") {
    throw ValueError("compile", fmt::format("unknown backend: got '{}', expected one of 'eager', "
                                            "'graph', 'halide', or a function.",
                                            backend));
  }
  if (options.verify_replay < 0)
    throw ValueError("compile", fmt::format("verify_replay: got {}, expected 0 or more.",
                                            options.verify_replay));
  state->fullgraph = options.fullgraph || options.nopython;
  state->disabled = options.disable;
  state->replay = options.mode == mode::replay;
  state->verify_replay = options.verify_replay;
  state->static_sizes = options.dynamic == dynamic::no;
  state->arguments = options.args;
  state->float_mode = options.float_mode;
  state->name = options.name.empty() ? fmt::format("function {}", state->id) : options.name;
  return state;
}

}  // namespace tracing

counter_values counters() {
  const tracing::Counters& own = tracing::own_counters();
  const runtime::KernelCounters kernels = runtime::kernel_counters();
  counter_values values;
  values.graphs = own.graphs;
  values.breaks = own.breaks;
  values.cuts = own.cuts;
  values.recompiles = own.recompiles;
  values.eager_ops = own.eager_ops;
  values.kernels_compiled = static_cast<std::uint64_t>(kernels.compiled);
  values.kernels_loaded = static_cast<std::uint64_t>(kernels.loaded);
  values.cache_hits = static_cast<std::uint64_t>(kernels.loaded + kernels.memory_hits);
  values.quarantined = static_cast<std::uint64_t>(kernels.quarantined);
  return values;
}

void wait_for_compiles() { runtime::wait_for_compiles(); }

void reset() {
  if (detail::recording)
    throw ValueError("reset", "called inside a compiled function. Call it outside.");
  runtime::reset_kernels();
  tracing::bump_reset_generation();
  detail::forget_warnings();
  tracing::Counters& own = tracing::own_counters();
  own.graphs = own.breaks = own.cuts = own.recompiles = own.eager_ops = 0;
}

}  // namespace numjit
