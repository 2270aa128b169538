// Where errors that depend on values arise: operations that run at once, and errors that leave the whole call.
#include <numjit/trace/record/value_errors.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <numjit/array/unusable.h>
#include <numjit/base/error.h>
#include <numjit/base/error_location.h>
#include <numjit/ops/op_text.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/random_draw.h>
#include <numjit/ops/routine.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/pending.h>

namespace numjit {
namespace detail {

bool (*errors_are_watched)() = nullptr;
bool (*kept_error_was_swallowed)() = nullptr;

}  // namespace detail

namespace tracing {
namespace {

using detail::routine_id;

// Routines of LAPACK that find no answer for some matrices.
value_errors of_routine(const op_params& params) {
  switch (static_cast<routine_id>(params[0])) {
    case routine_id::inverse:
      return params[1] != 0 ? value_errors::none : value_errors::of_library;  // lenient: NaNs stand for no answer
    case routine_id::solve:
    case routine_id::cholesky:
    case routine_id::svd:
    case routine_id::singular_values:
    case routine_id::eigh:
    case routine_id::eigvalsh:
    case routine_id::eig:
    case routine_id::eigvals:
    case routine_id::lstsq: return value_errors::of_library;
    case routine_id::check:
    case routine_id::ufunc_reduce:
    case routine_id::ufunc_accumulate:
    case routine_id::ufunc_reduceat:
    case routine_id::ufunc_at: return value_errors::possible;
    default: return value_errors::none;
  }
}

bool has_open_length(const op_call& call) {
  for (const operand& o : call.in)
    if (o.n() && o.n()->is(node::unsized)) return true;
  return false;
}

}  // namespace

value_errors value_errors_of(const op_call& call) {
  if (call.op == op_id::routine) return of_routine(call.p());
  if (call.op == op_id::random_draw)  // parameters that are arrays
    return call.in.size() > 1 ? value_errors::of_library : value_errors::none;
  const bool takes_any_index =
      call.op == op_id::take && call.p().size() > 1 && static_cast<layout::take_mode>(call.p()[1]) != layout::take_mode::raise;
  if (structure_of(call.op).fails_by_value && !takes_any_index) return value_errors::possible;
  // What an open length must be: more than 0 for an extreme, that of a shape.
  const op_kind kind = info(call.op).kind;
  const bool takes_any = kind == op_kind::ufunc || kind == op_kind::scan || call.op == op_id::axis_length;
  return !takes_any && has_open_length(call) ? value_errors::possible : value_errors::none;
}

// The operation was recorded: it runs now, after all that is pending, where it has to.
void Recorder::settle_errors(const Record& record) {
  // In replay the body promises to do nothing but array work: only a handler makes a difference.
  const bool always = record.errors == value_errors::of_library && !function_->replay;
  if (!always && !is_watched()) return;
  note_other_work();  // what a handler does is no array work
  if (observers.need(CallObserver::costs)) {
    const char* why = always ? "fails for some values" : "fails for some values, and is in a try or with";
    tell_cut(fmt::format("{} {}", op_text(record.op, record.params), why), record.where);
  }
  struct Settling {
    const Record*& which;
    ~Settling() { which = nullptr; }
  } settling{settling_ = &record};
  end_segment(EndKind::cut);
}

bool Recorder::is_watched() { return detail::errors_are_watched && detail::errors_are_watched(); }

void Recorder::tell_cut(const std::string& reason, const location& where) {
  observers.tell([&](CallObserver& o) { o.on_cut_reason(reason, where); });
}

// Of the operation that failed when the segment up to `last` ran: can its error be one that depends on values?
bool Recorder::is_value_error(const SegmentEnd* end, const std::exception_ptr& error, const Record*& failed) const {
  const detail::OfOperation* operation = detail::operation_of(error);
  if (!end || !operation || operation->node < 0 || operation->node >= std::ssize(end->path)) return false;
  failed = end->path[static_cast<std::size_t>(operation->node)];
  if (failed->errors == value_errors::none) return false;
  try {
    std::rethrow_exception(error);
  } catch (const MemoryError&) {
    return false;
  } catch (...) {
    return true;
  }
}

// A segment failed, and is forgotten. What an operation throws that did not run at once belongs to a line where nobody
// watched: eager code would have left the compiled call there, so that no handler here may have it, and no later error may
// hide it.
void Recorder::throw_of_segment(EndKind kind, const SegmentEnd* end) {
  const std::exception_ptr error = std::current_exception();
  const Record* failed = nullptr;
  const bool of_values = is_value_error(end, error, failed);
  if (kind == EndKind::exception) {
    if (of_values && !kept_error_) keep(error, true);
    return;
  }
  if (of_values && failed != settling_ && kind != EndKind::region_end && is_watched()) {
    keep(error, true);
    throw LeavesCall();
  }
  std::rethrow_exception(error);
}

void Recorder::keep(std::exception_ptr error, bool leaves_call) {
  kept_error_ = std::move(error);
  kept_leaves_call_ = leaves_call;
  path_.expected = nullptr;  // so that the next operation goes the way on which kept errors are asked for
}

// Code that goes on after an error that leaves the call may still look at what was there before.
void Recorder::throw_swallowed() {
  if (kept_leaves_call_) return;
  if (const std::exception_ptr error = take_kept()) std::rethrow_exception(error);
}

void Recorder::refuse_unusable(const std::string& op, const node* n) const {
  if (kept_error_ && kept_leaves_call_) throw LeavesCall();
  detail::throw_unusable(op, n);
}

std::exception_ptr Recorder::take_kept() {
  const std::exception_ptr error = std::exchange(kept_error_, nullptr);
  const bool leaves_call = std::exchange(kept_leaves_call_, false);
  if (error && !leaves_call && detail::kept_error_was_swallowed && !detail::kept_error_was_swallowed()) return nullptr;
  return error;
}

void do_not_replay() {
  if (detail::recording) Recorder::current().note_other_work();
}

void keep_error() {
  if (!detail::recording) return;
  Recorder& recorder = Recorder::current();
  if (!recorder.keeps_error()) recorder.keep(std::current_exception(), false);
}

}  // namespace tracing
}  // namespace numjit
