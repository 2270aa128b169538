// The one entry of every op call: checks, infers, and hands the call to the interpreter on top.
#pragma once

#include <numjit/array/array.h>
#include <numjit/base/thread_context.h>
#include <numjit/ops/fixed_power.h>
#include <numjit/ops/op.h>
#include <numjit/ops/params.h>

namespace numjit {

/// One op call. Operands are borrowed for the duration of the call.
struct op_call {
  op_id op;
  operand_list in;
  const op_params* params = nullptr;   // null: none
  node* out = nullptr;                 // out=: written in place, must have the broadcast shape
  node* where_mask = nullptr;          // where=: bool array, ufuncs only
  location where{};                    // user code

  static const op_params& no_params();
  const op_params& p() const { return params ? *params : no_params(); }
};

/// What an op call will give: dtype, shape, loop. For views, and new arrays not in C order, strides; for views the offset.
struct inference {
  dtype_id type{};                     // dtype of the result
  int loop = -1;                       // ufunc/reduction loop
  dtype_id in_type[3]{};               // dtype each input is cast to first
  dims shape;
  bool is_view = false;
  dims strides;                        // bytes: views, and new arrays that are not in C order
  std::int64_t offset = 0;             // views: bytes from the input's first element
  bool data_dependent = false;         // shape known only after running: length_of_result(op)
};

/// Applies the op's dtype and shape rules. Throws TypeError, ValueError, AxisError, IndexError, OverflowError: where the op
/// is called, whenever it runs.
void infer(const op_call& call, inference& result);

/// Shape and dtype rules by kind, used by infer(); one `infer_<row>` per structural row.
void infer_ufunc(const op_call& call, inference& result);
void infer_reduction(const op_call& call, inference& result);
void infer_scan(const op_call& call, inference& result);
#define STRUCTURAL(name, ...) void infer_##name(const op_call& call, inference& result);
#include <numjit/ops/all_rows.inc>

/// Who carries calls out: the eager engine at the bottom, the recorder, transforms above.
class interpreter {
 public:
  virtual ~interpreter() = default;
  virtual array apply(const op_call& call) = 0;
  /// Ufuncs of one or two operands without options: most calls of most programs. The recorder knows a
  /// shorter way for them.
  virtual array apply_ufunc(op_id op, const operand& a) { return apply({op, a}); }
  virtual array apply_ufunc(op_id op, const operand& a, const operand& b) { return apply({op, {a, b}}); }
  // Asked of what stands over the base:
  /// The program reads the value of an array, see detail::concrete().
  virtual void sees_read(node*, const char* /*why*/, const location&) {}
  /// A view of `of` was made without an operation.
  virtual void sees_view(node* /*of*/, node* /*view*/, const location&) {}
  /// Does a transform follow what becomes of the array?
  virtual bool is_followed(node*) { return false; }
  /// Are views of arrays that have their memory made at once, as the eager engine makes them?
  virtual bool makes_views_at_once() { return false; }
  /// Does the eager engine carry out the next call, if all its arrays are small and have their memory?
  virtual bool runs_small_at_once() { return false; }
};

namespace detail {
/// The eager engine; set by eager/ before main, never null at run time.
extern constinit interpreter* eager_interpreter;
}  // namespace detail

namespace detail {
/// The thread's top interpreter; null means eager.
inline interpreter* top_interpreter() { return own_context.top_interpreter; }
inline interpreter& current_interpreter() {
  interpreter* const top = top_interpreter();
  return *(top ? top : eager_interpreter);
}
/// Runs what other threads have pending on the arrays of a call: see value_hooks::settle_others.
[[gnu::cold]] void settle_others(const op_call& call);
/// A view that no operation made, for the levels of transforms.
inline void tell_view(node* of, node* view, const location& where) {
  if (levels_are_open()) [[unlikely]]
    top_interpreter()->sees_view(of, view, where);
}
[[noreturn, gnu::cold]] void throw_followed(const char* op, const char* what);
[[noreturn, gnu::cold]] void throw_memory_followed();
/// Would derivatives, or batches, be lost by computing with the values of an array unseen?
inline bool is_followed(node* n) { return levels_are_open() && top_interpreter()->is_followed(n); }

/// Throws NotImplementedError for an array that a transform follows, as `what` of an operation that reads it as a number.
inline void refuse_followed(node* n, const char* op, const char* what) {
  if (is_followed(n)) [[unlikely]]
    throw_followed(op, what);
}

/// Throws NotImplementedError for an array that a transform follows, before its memory goes to code that no transform sees.
inline void refuse_memory(node* n) {
  if (is_followed(n)) [[unlikely]]
    throw_memory_followed();
}

/// A view that is pending: what makes it, of which array.
struct pending_view {
  op_id op;
  const op_params* params;
  node* of;
};
/// Is a lazy array a view? Set by the recorder.
using PendingViews = bool (*)(const node* n, pending_view& view);
extern constinit PendingViews view_of_pending;

/// Sets who carries out operations below the levels of transforms that are open on this thread.
inline void set_base_interpreter(interpreter* i) {
  if (own_context.top_interpreter == own_context.base_interpreter) own_context.top_interpreter = i;
  own_context.base_interpreter = i;
}
/// The questions of the interpreter on top.
inline bool makes_views_at_once() { return !others_record() && (!top_interpreter() || top_interpreter()->makes_views_at_once()); }
inline bool runs_small_at_once() { return !others_record() && (!top_interpreter() || top_interpreter()->runs_small_at_once()); }
}  // namespace detail

namespace detail {
/// power with options, which may be another op (fixed_power.h).
array bind_power(const op_call& call);
#ifndef __EMSCRIPTEN__
/// A ufunc with a large temporary among its arguments: where it can be, the result is that array.
array bind_temporaries(op_id op, const argument& a);
array bind_temporaries(op_id op, const argument& a, const argument& b);
#endif
}  // namespace detail

/// Runs an op call on the thread's top interpreter.
inline array bind(const op_call& call) {
  if (call.op == op_id::power) [[unlikely]] return detail::bind_power(call);
  return detail::current_interpreter().apply(call);
}
/// Runs a ufunc without options on the thread's top interpreter.
inline array bind_ufunc(op_id op, const operand& a) {
  return detail::current_interpreter().apply_ufunc(op, a);
}
inline array bind_ufunc(op_id op, const operand& a, const operand& b) {
  if (op == op_id::power && !b.is_array()) {
    if (const op_id fixed = op_of_power(a, b); fixed != op_id::power) return bind_ufunc(fixed, a);
  }
  return detail::current_interpreter().apply_ufunc(op, a, b);
}
/// The same as the last use of its arguments, which may be temporaries.
inline array bind_last(op_id op, const argument& a) {
#ifndef __EMSCRIPTEN__
  if (a.temporary()) return detail::bind_temporaries(op, a);
#endif
  return bind_ufunc(op, a);
}
inline array bind_last(op_id op, const argument& a, const argument& b) {
#ifndef __EMSCRIPTEN__
  if (a.temporary() || b.temporary()) return detail::bind_temporaries(op, a, b);
#endif
  return bind_ufunc(op, a, b);
}

/// Sets the thread's top interpreter for a scope.
class interpreter_scope {
 public:
  explicit interpreter_scope(interpreter* i) : saved_(detail::top_interpreter()) { detail::own_context.top_interpreter = i; }
  ~interpreter_scope() { detail::own_context.top_interpreter = saved_; }
  interpreter_scope(const interpreter_scope&) = delete;
  interpreter_scope& operator=(const interpreter_scope&) = delete;

 private:
  interpreter* saved_;
};

}  // namespace numjit
