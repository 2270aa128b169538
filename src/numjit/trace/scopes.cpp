// Scope objects of tracing.
#include <fmt/format.h>

#include <numjit/array/remote.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/trace/recorder.h>
#include <numjit/trace/region.h>

namespace numjit {
namespace tracing {
namespace {

// Depth of recursive disable scopes on this thread.
constinit thread_local int disabled_depth [[gnu::tls_model("initial-exec")]] = 0;

}  // namespace

int& disabled_depth_of_thread() { return disabled_depth; }

bool FunctionState::passes_through() const {
  return disabled || disabled_depth > 0 || config().disable.get() || current_stance() == Stance::force_eager;
}

Region::Region(FunctionState& function, std::span<const node* const> arguments) : function_(function) {
  if (function.passes_through()) return;
  recorder_ = &Recorder::current();
  if (!recorder_->is_open()) {
    recorder_->arguments = arguments;
    if (function.float_mode) [[unlikely]] float_mode_.emplace(config_options{.float_mode = function.float_mode});
  }
  // Inside code that is disabled without recursion a compiled function is recorded all the same.
  saved_interpreter_ = detail::top_interpreter;
  recorder_->enter(function);
  detail::top_interpreter = recorder_;
  if (function.fullgraph) recorder_->fullgraphs.push_back(recorder_->here());
}

// Left by an exception: what the program did before it still happens.
void Region::leave_by_exception() {
  if (function_.fullgraph) recorder_->fullgraphs.pop_back();
  recorder_->leave(function_, true);
  detail::top_interpreter = saved_interpreter_;
}

void Region::abandon() {
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
  if (!recorder) return;
  if (function_.fullgraph) recorder->fullgraphs.pop_back();
  // leave() throws what the end of the segment throws.
  struct Restore {
    interpreter* saved;
    ~Restore() { detail::top_interpreter = saved; }
  } restore{saved_interpreter_};
  recorder->leave(function_, false);
}

void flush_for_constant(const location& where) {
  if (detail::recording) Recorder::current().flush_for_constant(where);
}

SavedInterpreter::SavedInterpreter(const char* scope)
    : top_(detail::top_interpreter), recording_(detail::recording) {
  if (!recording_) return;
  Recorder& recorder = Recorder::current();
  region_ = recorder.region_number;
  ++recorder.scopes_inside;
  recorder.scope_inside = scope;
}

bool SavedInterpreter::restore() {
  if (recording_) {
    Recorder& recorder = Recorder::current();
    if (!recorder.is_open() || recorder.region_number != region_) return false;
    --recorder.scopes_inside;
  }
  detail::top_interpreter = top_;
  detail::recording = recording_;
  return true;
}

void break_for_device(const location& where) {
  if (detail::recording) Recorder::current().graph_break(BreakId::device_change, where);
}

std::uint64_t constants_generation() { return reset_generation(); }

}  // namespace tracing

dont_skip_tracing_scope::dont_skip_tracing_scope() : saved_("dont_skip_tracing_scope") {
  if (saved_.inside_region()) detail::top_interpreter = &tracing::Recorder::current();
}
dont_skip_tracing_scope::~dont_skip_tracing_scope() { saved_.restore(); }

namespace {

// Before the scope swaps the interpreter: what is pending runs.
int break_for_disable(const disable_options& options, const location& where) {
  if (detail::recording)
    tracing::Recorder::current().graph_break(tracing::BreakId::disabled_function, where, nullptr,
                                             options.reason);
  return std::uncaught_exceptions();
}

}  // namespace

disable_scope::disable_scope(disable_options options, const char* file, const char* function, int line)
    : recursive_(options.recursive),
      exceptions_(break_for_disable(options, {file, function, line})),
      saved_("disable_scope") {
  if (recursive_) {
    ++tracing::disabled_depth_of_thread();
    detail::top_interpreter = nullptr;
    detail::recording = false;
  } else if (saved_.inside_region()) {
    selective_.recorder = detail::top_interpreter;
    detail::top_interpreter = &selective_;
  }
}

disable_scope::~disable_scope() noexcept(false) {
  if (recursive_) --tracing::disabled_depth_of_thread();
  if (!saved_.restore()) return;
  // What callees recorded belongs to this scope and ends with it.
  if (!recursive_ && saved_.inside_region() && std::uncaught_exceptions() == exceptions_)
    tracing::Recorder::current().end_segment(tracing::EndKind::break_);
}

array disable_scope::selective::apply(const op_call& call) {
  const location where = tracing::place_of(call);
  if (!known_) {
    known_ = true;
    file_ = where.file;
    function_ = where.function;
  }
  if (file_ != where.file || function_ != where.function) return recorder->apply(call);
  // Values of recorded callees that this op reads must exist first.
  tracing::Recorder::current().end_segment(tracing::EndKind::break_);
  return detail::eager_interpreter->apply(call);
}

device::device(std::string_view name, location where) : exceptions_(std::uncaught_exceptions()) {
  const std::uint8_t index = detail::device_index(name);
  tracing::break_for_device(where);
  saved_ = std::exchange(detail::scope_device, index == 0 ? detail::cpu_scope : index);
}

// What was recorded inside belongs to the scope's device.
device::~device() noexcept(false) {
  struct Restore {
    std::uint8_t saved;
    ~Restore() { detail::scope_device = saved; }
  } restore{saved_};
  if (detail::recording && std::uncaught_exceptions() == exceptions_)
    tracing::Recorder::current().end_segment(tracing::EndKind::break_);
}

error_on_graph_break_scope::error_on_graph_break_scope(bool on)
    : saved_(tracing::Recorder::current().error_on_break) {
  tracing::Recorder::current().error_on_break = on;
}
error_on_graph_break_scope::~error_on_graph_break_scope() {
  tracing::Recorder::current().error_on_break = saved_;
}

}  // namespace numjit
