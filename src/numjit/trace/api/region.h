// Scope objects of tracing: a compiled region, disabled code, breaks as errors.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <numjit/base/config.h>
#include <numjit/base/location.h>
#include <numjit/ops/bind.h>

namespace numjit {

namespace tracing {

struct FunctionState;
struct MeasuredCall;
class Recorder;
class DisableEntry;
class DeviceEntry;
class KeepTracingEntry;
class BreakErrorEntry;

/// A compiled call in progress. finish() runs what is pending; a region left by an exception runs its
/// pending part too, stores included, before the exception goes on.
class Region {
 public:
  /// `arguments`: the nodes of the parameters that are arrays, null for others, for texts.
  explicit Region(FunctionState& function, std::span<const node* const> arguments = {});
  ~Region() {
    if (recorder_ || is_eager_) [[unlikely]]
      abandon();
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  void finish();
  /// The body has thrown: runs what is pending. What an operation before that throws, and eager code would have thrown
  /// first, is thrown here.
  void fail();

 private:
  bool goes_eagerly(std::span<const node* const> arguments);
  void end_measured(std::int64_t eager_guess);
  void abandon();
  void leave_by_exception();
  void restore_interpreter() noexcept;

  FunctionState& function_;
  Recorder* recorder_ = nullptr;  // null: finished, or disabled
  interpreter* saved_interpreter_ = nullptr;
  std::uint32_t interpreter_changes_ = 0;   // as it began: scopes that came or went since have a say in who comes next
  std::optional<config_scope> float_mode_;  // of a function that has its own
  bool is_eager_ = false;                   // such calls take less time so
  std::shared_ptr<MeasuredCall> measured_;  // one of a trial
};

/// Does a compiled call of this thread run eagerly because that takes less time?
bool eager_call_is_open();

/// A graph break, if a compiled function is being recorded: the program asks for another device.
void break_for_device(const location& where);

/// Ends what is pending, without a graph break, before a constant of assume_constant is computed.
void flush_for_constant(const location& where);

/// Grows with np::reset(): results of assume_constant are those of one generation.
std::uint64_t constants_generation();

}  // namespace tracing

/// Options of np::disable.
struct disable_options {
  bool recursive = true;
  std::string reason{};
};

namespace tracing {

/// A function under np::disable: its name for texts, and how the places of its operations say whose they are.
struct disabled_code {
  std::string name{};      // "": it has none
  std::string file{};      // "": any
  std::string function{};  // "": not known; then it is the one that has the first operation
};

/// The unqualified name of the function at an address, by the program's symbols; "" if it has none.
std::string function_at(const void* code);

/// Is it a line of a function that np::disable, without recursion, keeps from being recorded?
bool is_skipped(const location& where);

}  // namespace tracing

/// Code in this scope is not compiled: pending work runs first, ops inside run eagerly, recording
/// resumes after. `recursive = false`: only the ops written in the function that opens the scope are
/// eager; functions it calls are recorded.
///
/// Scopes of one or several kinds may end in any order: what holds is what the open ones say, and of these the one opened
/// last. A scope that was opened inside a compiled call belongs to it: where the call ends first, that is a ValueError
/// which names the scope. One that ends on another thread is dropped by the thread that opened it when that next opens or
/// ends a scope or begins a compiled call.
///   { np::disable_scope off; y = debug_print(x); }
class disable_scope {
 public:
  explicit disable_scope(disable_options options = {}, const char* file = __builtin_FILE(),
                         const char* function = __builtin_FUNCTION(), int line = __builtin_LINE());
  /// The scope of a call of a function, made at `where`.
  disable_scope(const disable_options& options, const tracing::disabled_code& code, const location& where);
  ~disable_scope() noexcept(false);
  disable_scope(const disable_scope&) = delete;
  disable_scope& operator=(const disable_scope&) = delete;

 private:
  int exceptions_;
  tracing::DisableEntry* entry_;
};

/// Code in this scope is recorded although a disable_scope with `recursive = false` surrounds it.
class [[nodiscard]] dont_skip_tracing_scope {
 public:
  dont_skip_tracing_scope();
  ~dont_skip_tracing_scope();
  dont_skip_tracing_scope(const dont_skip_tracing_scope&) = delete;
  dont_skip_tracing_scope& operator=(const dont_skip_tracing_scope&) = delete;

 private:
  tracing::KeepTracingEntry* entry_;
};

/// Sets the device of creation functions and of compiled calls on this thread until the scope ends;
/// scopes nest. Opened inside a compiled function, it ends the segment. Compiled calls move arguments of other
/// devices in, and what was written back; results stay if any argument was there already. Errors: ValueError for
/// a name that is none, DeviceError for a device that this build or machine does not have.
///   { np::device gpu("cuda"); y = f(x); }
class [[nodiscard]] device {
 public:
  explicit device(std::string_view name, location where = location::here());
  ~device() noexcept(false);
  device(const device&) = delete;
  device& operator=(const device&) = delete;

 private:
  int exceptions_;
  tracing::DeviceEntry* entry_;
};

/// While it lives, a graph break on this thread is a GraphBreakError (true) or allowed (false).
class error_on_graph_break_scope {
 public:
  explicit error_on_graph_break_scope(bool on);
  ~error_on_graph_break_scope();
  error_on_graph_break_scope(const error_on_graph_break_scope&) = delete;
  error_on_graph_break_scope& operator=(const error_on_graph_break_scope&) = delete;

 private:
  tracing::BreakErrorEntry* entry_;
};

}  // namespace numjit
