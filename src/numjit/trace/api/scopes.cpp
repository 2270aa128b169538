// Scope objects of tracing, and who carries out the operations of a thread while some are open.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include <numjit/array/remote.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/log.h>
#include <numjit/base/user_frames.h>
#include <numjit/ops/eager_on_thread.h>
#include <numjit/trace/api/region.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/interpreter_scope.h>

namespace numjit {
namespace tracing {
namespace {

// How many scopes of this thread turn compiling off, among them errstates that ask for something.
constinit thread_local int disabling [[gnu::tls_model("initial-exec")]] = 0;

bool is_asked(const detail::ScopeEntry& entry) {
  return entry.kind() == detail::scope_kind::disable || entry.kind() == detail::scope_kind::keep_tracing ||
         entry.kind() == detail::scope_kind::errstate;
}

[[maybe_unused]] const bool installed = [] {
  detail::find_interpreter = &find_interpreter;
  return true;
}();

}  // namespace

bool is_disabled_on_thread() noexcept { return disabling > 0; }

bool FunctionState::passes_through() const {
  if (detail::innermost_scope) [[unlikely]]
    detail::drop_ended_scopes();
  return disabled || disabling > 0 || config().disable.get() || current_stance() == Stance::force_eager;
}

/// A call of a trial.
struct MeasuredCall {
  std::shared_ptr<CallWeigher> weigher;  // which has the trial
  CallWeigher::Trial* trial;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};

namespace {
constinit thread_local int eager_calls = 0;
}

bool eager_call_is_open() { return eager_calls > 0; }

#ifdef __EMSCRIPTEN__  // pages load no code for trials
bool Region::goes_eagerly(std::span<const node* const>) { return false; }
void Region::end_measured(std::int64_t) {}
#else
bool Region::goes_eagerly(std::span<const node* const> arguments) {
  const std::shared_ptr<CallWeigher>* const known = recorder_->weigher_of(function_);
  if (!known) return false;
  const std::shared_ptr<CallWeigher>& weigher = *known;
  if (recorder_->observers.any()) {
    if (const std::string choice = weigher->choice_of(arguments); !choice.empty())
      recorder_->observers.tell([&](CallObserver& o) { o.on_eager_choice(choice); });
    return false;
  }
  CallWeigher::Trial* trial;
  const CallWeigher::Way way = weigher->begin(arguments, trial);
  if (trial) [[unlikely]]
    measured_ = std::make_shared<MeasuredCall>(MeasuredCall{weigher, trial});
  return way == CallWeigher::Way::eager;
}

void Region::end_measured(std::int64_t eager_guess) {
  std::chrono::nanoseconds time = std::chrono::steady_clock::now() - measured_->began;
  if (!is_eager_ && detail::fault_injected(detail::fault_point::slow_record)) time += std::chrono::seconds(1);
  const std::int64_t ns = time.count();
  const CallWeigher::Trial& trial = *measured_->trial;
  const auto way = is_eager_ ? CallWeigher::Way::eager : CallWeigher::Way::recorded;
  const bool chosen = CallWeigher::end(*measured_->trial, way, ns, eager_guess);
  if (!chosen || trial.settled != CallWeigher::Way::eager || !detail::log_enabled(log_channel::perf_hints)) return;
  detail::log(
      log_channel::perf_hints,
      fmt::format("{}: calls take {:.3g} ms recorded and {:.3g} ms one operation after the other, so that they run so from "
                  "now on. Compute whole rows at a time where you can, and np::where in place of branches on values.",
                  function_.name, static_cast<double>(trial.recorded_best) * 1e-6, static_cast<double>(trial.eager_best) * 1e-6));
}
#endif

Region::Region(FunctionState& function, std::span<const node* const> arguments) : function_(function) {
  if (function.passes_through()) return;
  recorder_ = &Recorder::current();
  if (!recorder_->is_open()) {
    if (!arguments.empty() && goes_eagerly(arguments)) {
      recorder_ = nullptr;
      is_eager_ = true;
      ++eager_calls;
      return;
    }
    recorder_->arguments = arguments;
    if (function.float_mode) [[unlikely]]
      float_mode_.emplace(config_options{.float_mode = function.float_mode});
  }
  // Code that runs while a segment does, or in place of one.
  if (recorder_->is_open() && !detail::recording) [[unlikely]] {
    recorder_ = nullptr;
    return;
  }
  // Inside code that is disabled without recursion a compiled function is recorded all the same.
  saved_interpreter_ = detail::own_context.base_interpreter;
  interpreter_changes_ = detail::interpreter_changes;
  recorder_->enter(function);
  if (measured_) [[unlikely]]
    recorder_->begin_guess();
  detail::set_base_interpreter(recorder_);
  if (function.fullgraph) recorder_->fullgraphs.push_back(recorder_->here());
}

// Left by an exception: what the program did before it still happens.
void Region::leave_by_exception() {
  if (function_.fullgraph) recorder_->fullgraphs.pop_back();
  recorder_->leave(function_, true);
  restore_interpreter();
}

void Region::restore_interpreter() noexcept {
  detail::set_base_interpreter(saved_interpreter_);
  if (interpreter_changes_ != detail::interpreter_changes) [[unlikely]]
    find_interpreter();
}

void Region::abandon() {
  if (is_eager_) {
    --eager_calls;
    return;
  }
  leave_by_exception();
  if (!recorder_->is_open()) recorder_->drop_kept();
}

void Region::fail() {
  if (!recorder_) return;
  leave_by_exception();
  Recorder* const recorder = std::exchange(recorder_, nullptr);
  if (recorder->is_open()) return;  // the outer call throws it
  if (const std::exception_ptr error = recorder->take_kept()) std::rethrow_exception(error);
}

void Region::finish() {
  Recorder* const recorder = std::exchange(recorder_, nullptr);
  if (!recorder) {
    if (measured_ && is_eager_) [[unlikely]]
      end_measured(0);
    return;
  }
  if (function_.fullgraph) recorder->fullgraphs.pop_back();
  {
    // leave() throws what the end of the segment throws.
    struct Restore {
      Region& region;
      ~Restore() { region.restore_interpreter(); }
    } restore{*this};
    recorder->leave(function_, false);
  }
  if (measured_) [[unlikely]]
    end_measured(recorder->eager_guess());
}

void flush_for_constant(const location& where) {
  if (detail::recording) Recorder::current().flush_for_constant(where);
}

// ---- who carries out ops ----

InterpreterEntry::InterpreterEntry(detail::scope_kind kind, const char* name)
    : ScopeEntry(kind), name_(name), thread_(detail::number_of_thread()), extents_(detail::eager_extents) {
  const Recorder* const recorder = recorder_of_thread();
  if (recorder && recorder->is_open() && recorder->region_extents == extents_) region_ = recorder->region_number;
}

bool InterpreterEntry::opened_in_this_call() const {
  if (region_ == 0 || thread_ != detail::number_of_thread()) return false;
  const Recorder& recorder = Recorder::current();
  return recorder.is_open() && recorder.region_number == region_;
}

const InterpreterEntry* scope_left_open() noexcept {
  detail::drop_ended_scopes();
  for (const detail::ScopeEntry* e = detail::innermost_scope; e; e = e->outer())
    if (is_asked(*e) && static_cast<const InterpreterEntry*>(e)->opened_in_this_call())
      return static_cast<const InterpreterEntry*>(e);
  return nullptr;
}

void InterpreterEntry::apply() noexcept {
  ++detail::interpreter_changes;
  find_interpreter();
}

/// The rule of interpreter_scope.h, over the list of the thread.
struct Decision {
  Decision() {
    for (detail::ScopeEntry* e = detail::innermost_scope; e; e = e->outer())
      if (is_asked(*e)) ask(static_cast<InterpreterEntry&>(*e));
  }
  void ask(InterpreterEntry& entry) {
    // What code that is over left open belongs to the code around it.
    entry.extents_ = std::min(entry.extents_, detail::eager_extents);
    if (entry.makes_eager()) ++disabling;
    if (entry.extents_ < detail::eager_extents || (inside && entry.region_ != region)) return;
    if (entry.kind() == detail::scope_kind::errstate) checks = checks || entry.makes_eager();
    if (entry.makes_eager())
      eager = true;
    else if (!decided && entry.kind() != detail::scope_kind::errstate) {
      decided = true;
      chosen = entry.chosen();
    }
  }

  Recorder* const recorder = recorder_of_thread();
  const bool inside = recorder && recorder->is_open() && recorder->region_extents == detail::eager_extents;
  const std::uint64_t region = recorder ? recorder->region_number : 0;
  bool eager = false, checks = false, decided = false;
  int disabling = 0;
  interpreter* chosen = nullptr;
};

void find_interpreter() noexcept {
  apply_errstates();
  const Decision decision;
  disabling = decision.disabling;
  detail::recording = decision.inside && !decision.eager;
  if (detail::recording)
    detail::set_base_interpreter(decision.chosen ? decision.chosen : decision.recorder);
  else
    detail::set_base_interpreter(decision.checks ? float_error_checker() : nullptr);
}

// Carries out ops of one function eagerly and passes the others on to the recorder.
class Selective final : public interpreter {
 public:
  explicit Selective(disabled_code code) : code_(std::move(code)) {}

  array apply(const op_call& call) override {
    const location where = location_of(call);
    if (code_.function.empty()) code_ = {"", where.file, where.function};
    Recorder& recorder = Recorder::current();
    if (!is_own(where)) return recorder.apply(call);
    // Values of recorded callees that this op reads must exist first.
    recorder.end_segment(EndKind::break_);
    return detail::eager_interpreter->apply(call);
  }

  /// Is it a line of the disabled function itself, comprehensions of Python among it?
  bool is_own(const location& where) const {
    if (code_.function.empty() || (!code_.file.empty() && code_.file != where.file)) return false;
    if (code_.function == where.function) return true;
    // "f.<locals>.<listcomp>:7"; what is defined in functions has the number of a line as well
    const std::string inside = code_.function.substr(0, code_.function.rfind(':')) + ".<locals>.<";
    const std::string_view function = where.function;
    return function.starts_with(inside) && !function.substr(inside.size()).starts_with("lambda>");
  }

 private:
  disabled_code code_;
};

class DisableEntry final : public InterpreterEntry {
 public:
  DisableEntry(bool recursive, const disabled_code& code)
      : InterpreterEntry(detail::scope_kind::disable, "disable_scope"), recursive_(recursive), selective_(code) {}
  bool recursive() const { return recursive_; }
  bool skips(const location& where) const { return !recursive_ && selective_.is_own(where); }

 private:
  bool makes_eager() const noexcept override { return recursive_; }
  interpreter* chosen() noexcept override { return &selective_; }
  bool recursive_;
  Selective selective_;
};

class KeepTracingEntry final : public InterpreterEntry {
 public:
  KeepTracingEntry() : InterpreterEntry(detail::scope_kind::keep_tracing, "dont_skip_tracing_scope") {}
};

class DeviceEntry final : public detail::ScopeEntry {
 public:
  explicit DeviceEntry(std::uint8_t index) : ScopeEntry(detail::scope_kind::device), index_(index) {}

 private:
  void apply() noexcept override {
    const auto* innermost = detail::scope_of_kind<DeviceEntry>(detail::scope_kind::device);
    detail::own_context.scope_device = innermost ? innermost->index_ : std::uint8_t{0};
  }
  std::uint8_t index_;
};

class BreakErrorEntry final : public detail::ScopeEntry {
 public:
  explicit BreakErrorEntry(bool on) : ScopeEntry(detail::scope_kind::break_error), on_(on) {}

 private:
  void apply() noexcept override {
    const auto* innermost = detail::scope_of_kind<BreakErrorEntry>(detail::scope_kind::break_error);
    Recorder::current().error_on_break = innermost && innermost->on_;
  }
  bool on_;
};

namespace {

template <class Entry>
Entry* opened(Entry* entry) {
  detail::open_scope(entry);
  return entry;
}

}  // namespace

void break_for_device(const location& where) {
  if (detail::recording) Recorder::current().graph_break(BreakId::device_change, where);
}

std::uint64_t constants_generation() { return reset_generation(); }

bool is_skipped(const location& where) {
  const auto* innermost = detail::scope_of_kind<DisableEntry>(detail::scope_kind::disable);
  return innermost && innermost->opened_in_this_call() && innermost->skips(where);
}

std::string function_at(const void* code) { return detail::function_name_at(code); }

bool is_of_standard_library(const location& where) {
  const std::string_view file = where.file;
  return file.find("/c++/") != std::string_view::npos;
}

}  // namespace tracing

dont_skip_tracing_scope::dont_skip_tracing_scope() : entry_(tracing::opened(new tracing::KeepTracingEntry)) {}
dont_skip_tracing_scope::~dont_skip_tracing_scope() { detail::end_scope(entry_); }

namespace {

// Before the scope swaps the interpreter: what is pending runs. `what`: "calling function 'f'".
int break_for_disable(const disable_options& options, std::string_view by, const location& where, std::string_view what) {
  if (detail::recording) {
    std::string text = fmt::format("{}: excluded by np::{}", what, by);
    if (!options.recursive) text += " without recursion, what it calls is recorded";
    if (!options.reason.empty()) text += ", reason: " + options.reason;
    tracing::Recorder::current().graph_break(tracing::BreakId::disabled_function, where, nullptr, text);
  }
  return std::uncaught_exceptions();
}

std::string skipped_text(const disable_options& options, const tracing::disabled_code& code) {
  const std::string name = code.name.empty() ? "a function without a name" : fmt::format("function '{}'", code.name);
  return fmt::format("{} {}", options.recursive ? "calling" : "inlining", name);
}

}  // namespace

disable_scope::disable_scope(disable_options options, const char* file, const char* function, int line)
    : exceptions_(break_for_disable(options, "disable_scope", {file, function, line}, "the code of a scope")),
      entry_(tracing::opened(new tracing::DisableEntry(options.recursive, {"", file, function}))) {}
disable_scope::disable_scope(const disable_options& options, const tracing::disabled_code& code, const location& where)
    : exceptions_(break_for_disable(options, "disable", where, skipped_text(options, code))),
      entry_(tracing::opened(new tracing::DisableEntry(options.recursive, code))) {}

disable_scope::~disable_scope() noexcept(false) {
  const bool selective = entry_->opened_in_this_call() && !entry_->recursive();
  detail::end_scope(entry_);
  // What callees recorded belongs to this scope and ends with it.
  if (selective && detail::recording && std::uncaught_exceptions() == exceptions_)
    tracing::Recorder::current().end_segment(tracing::EndKind::break_);
}

namespace {

tracing::DeviceEntry* device_entry(std::string_view name, const location& where) {
  const std::uint8_t index = detail::device_index(name);
  tracing::break_for_device(where);
  return tracing::opened(new tracing::DeviceEntry(index == 0 ? detail::cpu_scope : index));
}

}  // namespace

device::device(std::string_view name, location where)
    : exceptions_(std::uncaught_exceptions()), entry_(device_entry(name, where)) {}

// What was recorded inside belongs to the scope's device.
device::~device() noexcept(false) {
  struct End {
    tracing::DeviceEntry* entry;
    ~End() { detail::end_scope(entry); }
  } end{entry_};
  if (detail::recording && std::uncaught_exceptions() == exceptions_)
    tracing::Recorder::current().end_segment(tracing::EndKind::break_);
}

error_on_graph_break_scope::error_on_graph_break_scope(bool on) : entry_(tracing::opened(new tracing::BreakErrorEntry(on))) {}
error_on_graph_break_scope::~error_on_graph_break_scope() { detail::end_scope(entry_); }

}  // namespace numjit
