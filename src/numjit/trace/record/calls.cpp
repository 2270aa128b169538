// Calls of compiled functions begin and end, with the recorder of each thread and its tries of records.
#include <numjit/array/remote.h>
#include <numjit/base/config.h>
#include <numjit/base/thread_end.h>
#include <numjit/eager/engine.h>
#include <numjit/ops/eager_on_thread.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/repro/kernel_failures.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/record/replay_entry.h>
#include <numjit/trace/state/counters.h>
#include <numjit/trace/state/interpreter_scope.h>
#include <numjit/trace/state/op_policy.h>

#include <iterator>
#include <mutex>
#include <unordered_set>
#include <utility>

namespace numjit::tracing {
namespace {

std::atomic<std::uint64_t> generation{1};
std::atomic<std::uint64_t> next_function_id{1};

// The functions there are; threads hold tries of some of them.
struct LiveFunctions {
  std::unordered_set<std::uint64_t> ids;
  std::atomic<std::uint64_t> dead{0};
};
LiveFunctions& live_functions() {
  static auto& functions = *new LiveFunctions;
  return functions;
}

void materialize_hook(node* n, const char* why, const location& where) {
  if (detail::recording || n->is(node::lazy)) Recorder::current().materialize(n, why, where);
  if (!n->is(node::remote)) return;
  const std::string_view reason = why;
  if (reason == "size" || reason == "eval") return;
  // Who gets the address may write; what it was for is not said.
  if (reason == "data" && !n->is(node::readonly))
    detail::remote.write(n);
  else
    detail::remote.read(n);
}
void refuse_others(node* n, bool writes, std::string_view op, const location& where) {
  refuse_pending_elsewhere(recorder_of_thread(), n, writes, op, where);
}
bool view_of_pending(const node* n, detail::pending_view& view) {
  const Record* r = n->record;
  if (!r || !r->is_view || !r->in[0]) return false;
  view = {r->op, &r->params, r->in[0]->cur};
  return true;
}
struct InstallHooks {
  InstallHooks() {
    detail::view_of_pending = &view_of_pending;
    detail::read_hooks.settle_others = &refuse_others;
    detail::read_hooks.materialize = &materialize_hook;
    runtime::op_runner = &eager::run_into;
    runtime::length_counter = &eager::count_length;
#ifndef __EMSCRIPTEN__  // pages write nothing down
    runtime::reproducer_at_work = &runtime::capture_at_work;
#endif
  }
} install_hooks;

// Null before this thread's first compiled call and when its recorder is gone.
constinit thread_local Recorder* recorder_here [[gnu::tls_model("initial-exec")]] = nullptr;

}  // namespace

constinit std::atomic<std::uint64_t> trie_changes{1};

std::uint64_t reset_generation() { return generation.load(std::memory_order_relaxed); }
void bump_reset_generation() {
  ++generation;
  ++trie_changes;
}

Counters& own_counters() {
  static auto& counters = *new Counters;
  return counters;
}

FunctionState::FunctionState() : id(next_function_id++) {
  LiveFunctions& live = live_functions();
  std::lock_guard lock(tables_mutex());
  live.ids.insert(id);
}

FunctionState::~FunctionState() {
  LiveFunctions& live = live_functions();
  {
    std::lock_guard lock(tables_mutex());
    live.ids.erase(id);
    ++live.dead;
    ++trie_changes;
  }
  Recorder::forget_stale_records();
}

std::uint64_t dead_function_count() { return live_functions().dead.load(std::memory_order_acquire); }

bool is_live_function(std::uint64_t id) {
  LiveFunctions& live = live_functions();
  std::lock_guard lock(tables_mutex());
  return live.ids.contains(id);
}

Recorder& Recorder::current() {
  if (!recorder_here) [[unlikely]] {
    // Destructors of thread_local and static objects call compiled functions, too.
    recorder_here = new Recorder;
    detail::delete_at_end_of_thread(recorder_here);
    if (!detail::threads_take_turns && !std::exchange(detail::counted_here, true)) ++detail::recording_threads;
  }
  return *recorder_here;
}

Recorder* recorder_of_thread() noexcept { return recorder_here; }

Recorder::~Recorder() {
  if (std::exchange(detail::counted_here, false)) --detail::recording_threads;
  tries_.clear();
  lazies_.end();
}

// Drops the records of functions that are gone, and those made before np::reset() or under other rules for operations.
void Recorder::forget_tries(std::uint64_t generation) {
  const std::uint64_t dead = dead_function_count();
  if (in_replay || (dead == dead_seen_ && generation == generation_seen_)) return;
  dead_seen_ = dead;
  generation_seen_ = generation;
  const auto is_stale = [&](const auto& entry) {
    return entry.second->generation != generation || !is_live_function(entry.first);
  };
  if (const auto last = tries_.find(trie_function_); last != tries_.end() && is_stale(*last)) {
    path_.trie = nullptr;
    trie_function_ = 0;
  }
  // What they captured may call back: they end when the table is as it will be.
  std::vector<std::unique_ptr<Trie>> dropped;
  for (auto entry = tries_.begin(); entry != tries_.end();) {
    const bool stale = is_stale(*entry);
    if (stale) dropped.push_back(std::move(entry->second));
    entry = stale ? tries_.erase(entry) : std::next(entry);
  }
}

void Recorder::forget_stale_records() {
  Recorder* const recorder = recorder_here;
  if (recorder && !recorder->is_open()) recorder->forget_tries(reset_generation() + policy_generation());
}

void Recorder::find_trie(FunctionState& function) {
  const auto limit = static_cast<std::size_t>(config().segment_limit.get());
  const std::uint64_t generation = reset_generation() + policy_generation();
  cuts_.forget();
  forget_tries(generation);
  std::unique_ptr<Trie>& trie = tries_[function.id];
  if (!trie || trie->generation != generation || trie->segment_count > limit) {
    trie = std::make_unique<Trie>();
    trie->generation = generation;
    function.learned.renew(reset_generation());
    report_thread(observers);
  }
  path_.trie = trie.get();
  trie_function_ = function.id;
}

void Recorder::enter(FunctionState& function) {
  if (depth_++ > 0) return;
  eager_rest_ = false;
  ++region_number;
  region_extents = detail::eager_extents;
  if (current_stance() != Stance::run_only) runtime::compile_deferred();
  function_ = &function;
  select_trie(function);
  ++path_.trie->regions;
  small_loops_.begin_call(*path_.trie, small_loops_allowed());
  start_over(nullptr);
  if (observers.need(CallObserver::costs)) [[unlikely]]
    observers.tell([&](CallObserver& o) { o.on_call_begin(function.name); });
  detail::recording = true;
}

// A constant is computed eagerly. Under fullgraph nothing may run before the end: there it must not need
// what is pending, which stores could be.
void Recorder::flush_for_constant(const location& where) {
  if (!in_fullgraph()) return end_segment(EndKind::cut);
  if (path_.stored_owners.empty()) return;
  graph_break(BreakId::evaluation, where, nullptr, "assume_constant");
}

void Recorder::cut_for_changes(const location& where) {
  if (works_on_copies())  // for a bundle, which can't hold it
    return graph_break(BreakId::disabled_function, where, nullptr, "calling a function that changes its arguments");
  note_other_work();
  if (observers.need(CallObserver::costs))
    tell_cut("a function of allow_in_graph changes its arguments: runs at its line", where);
  end_segment(EndKind::cut);
}

void Recorder::drop_records() {
  if (depth_ == 0) return;
  end_segment(EndKind::cut);
  small_loops_.end();
  select_trie(*function_);
  start_over(nullptr);
}

// Addresses that the body took are gone with it.
void Recorder::hide_all() noexcept {
  for (const array& a : shown_) detail::hide(a.get());
  shown_.clear();
}

inline void Recorder::note_work() {
  if (small_loops_.ops > 0) own_counters().eager_ops += std::exchange(small_loops_.ops, 0);
  if (record_ns_ + passes_ns_ > 0)
    add_recording_time(function_->name, std::exchange(record_ns_, 0), std::exchange(passes_ns_, 0));
}

// At the end of the call: the error that was kept, unless the program swallowed it.
void Recorder::throw_kept() {
  const std::exception_ptr kept = take_kept();
  if (!kept) return;
  end_segment(EndKind::exception);
  note_work();
  drop_kept();
  std::rethrow_exception(kept);
}

void Recorder::leave(FunctionState&, bool unwinding) {
  if (depth_ > 1) {
    --depth_;
    return;
  }
  struct Close {
    Recorder& r;
    ~Close() {
      r.depth_ = 0;
      r.function_ = nullptr;
      r.small_loops_.end();
      r.cut_due_ = false;
      detail::recording = false;
      if (!r.shown_.empty()) [[unlikely]]
        r.hide_all();
    }
  } close{*this};
  if (kept_error_ && !unwinding) [[unlikely]]
    throw_kept();
  end_segment(unwinding ? EndKind::exception : EndKind::region_end);
  note_work();
  if (observers.need(CallObserver::costs) && !unwinding) [[unlikely]] {
    observers.tell([](CallObserver& o) { o.on_call_end(); });
    observers.tell([](CallObserver& o) { o.after_call(); });
  }
  if (!detail::innermost_scope || unwinding) [[likely]]
    return;
  if (const InterpreterEntry* left = scope_left_open())
    throw ValueError(left->name(),
                     "a scope that was opened inside the compiled function is still open "
                     "at its end: expected scopes to close in the reverse order of opening. "
                     "Keep the scope in a local variable.");
}

}  // namespace numjit::tracing
