// The non-template part of np::compile and its companions.
#include <numjit/trace/api/api.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <numjit/runtime/kernels/cache.h>
#include <numjit/trace/record/recorder.h>

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
    throw ValueError("compile", fmt::format("verify_replay: got {}, expected 0 or more.", options.verify_replay));
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

namespace {

bool are_same(const compile_options& a, const compile_options& b) {
  return a.fullgraph == b.fullgraph && a.nopython == b.nopython && a.dynamic == b.dynamic && a.mode == b.mode &&
         a.backend.name() == b.backend.name() && a.verify_replay == b.verify_replay && a.disable == b.disable &&
         a.float_mode == b.float_mode && a.name == b.name && a.args == b.args;
}

}  // namespace

std::shared_ptr<FunctionState> SharedStates::get(const compile_options& options) { return get(options, 0, false); }

std::shared_ptr<FunctionState> SharedStates::get(const compile_options& options, std::uint64_t kind, bool captures) {
  if (options.backend.function()) return make_function_state(options);  // may capture anything
  std::shared_ptr<FunctionState> dropped;                               // its end may take time
  std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->kind != kind || !are_same(entry->options, options)) continue;
    if (captures && 2 * entry->state->learned.recompiles() >= config().recompile_limit.get())
      dropped = std::exchange(entry->state, make_function_state(options));
    std::rotate(entries_.begin(), entry, entry + 1);
    return entries_.front().state;
  }
  if (entries_.size() == most) {
    dropped = std::move(entries_.back().state);
    entries_.pop_back();
  }
  entries_.insert(entries_.begin(), {options, kind, make_function_state(options)});
  return entries_.front().state;
}

SharedStates& SharedStates::of_function(const void* function) {
  static auto& mutex = *new std::mutex;
  static auto& all = *new std::unordered_map<const void*, SharedStates>;
  std::lock_guard lock(mutex);
  return all[function];
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
  values.new_paths = own.new_paths.load();
  return values;
}

void wait_for_compiles() { runtime::wait_for_compiles(); }

void reset() {
  if (detail::recording) throw ValueError("reset", "called inside a compiled function. Call it outside.");
  runtime::reset_kernels();
  tracing::bump_reset_generation();
  tracing::Recorder::forget_stale_records();
  tracing::empty_constant_slots();
  detail::forget_warnings();
  tracing::Counters& own = tracing::own_counters();
  own.graphs = own.breaks = own.cuts = own.recompiles = own.eager_ops = own.new_paths = 0;
}

}  // namespace numjit
