// Scopes that change who carries out the operations of a thread, and the rule by which the open ones decide together.
#pragma once

#include <cstdint>

#include <numjit/base/scope_entry.h>
#include <numjit/ops/bind.h>

namespace numjit::tracing {

class Recorder;

/// Such a scope: where it was opened. Inside a compiled call only scopes that were opened in that call count; there
/// disable_scope and errstate make operations eager while any of them is open, else the innermost of disable_scope with
/// `recursive = false` and dont_skip_tracing_scope decides. Inside code that runs while a segment does, or in place of one
/// (detail::eager_on_thread), only errstates count that were opened in it.
class InterpreterEntry : public detail::ScopeEntry {
 public:
  /// `name`: for the error at the end of a compiled call that the scope outlives.
  InterpreterEntry(detail::scope_kind kind, const char* name);
  /// Was it opened inside the compiled call that is open now on this thread?
  bool opened_in_this_call() const;
  const char* name() const { return name_; }

 private:
  friend struct Decision;
  void apply() noexcept override;
  /// What this scope says: eager; else the interpreter it names, or null for the recorder.
  virtual bool makes_eager() const noexcept { return false; }
  virtual interpreter* chosen() noexcept { return nullptr; }

  const char* name_;
  std::uint64_t thread_ = 0, region_ = 0;  // region_: 0 outside of compiled calls
  int extents_ = 0;
};

/// The recorder of this thread, or null if none was needed yet.
Recorder* recorder_of_thread() noexcept;
/// Does a scope of this thread turn compiling off?
bool is_disabled_on_thread() noexcept;

/// The innermost scope that was opened inside the compiled call that is open now and has not ended, or null.
const InterpreterEntry* scope_left_open() noexcept;

/// Who checks results for floating-point errors, while an errstate of the thread asks for it; else null.
interpreter* float_error_checker();
/// Sets what errstates say, before the rule above is applied.
void apply_errstates() noexcept;
/// The thread's interpreter, and whether it records, by the scopes that are open.
void find_interpreter() noexcept;

}  // namespace numjit::tracing
