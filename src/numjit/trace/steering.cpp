// The non-template part of what steers recording.
#include <numjit/trace/steering.h>

#include <numjit/array/marks.h>
#include <numjit/base/error.h>
#include <numjit/ops/bind.h>
#include <numjit/trace/recorder.h>

namespace numjit {
namespace tracing {

void throw_empty_callable(const char* op) {
  throw TypeError(op, "the callable is empty: got a null function, expected one that can be called.");
}

array call_black_box(std::int64_t number, std::span<const operand> in) {
  op_params params;
  params.push(number);
  return bind({op_id::black_box, in, &params, nullptr, nullptr, in.empty() ? location{} : in[0].where()});
}

}  // namespace tracing

void graph_break(std::string message, const char* file, const char* function, int line) {
  tracing::Recorder& recorder = tracing::Recorder::current();
  if (detail::recording)
    recorder.graph_break(tracing::BreakId::user_break, {file, function, line}, nullptr, message);
}

void flush(const char* file, const char* function, int line) {
  tracing::Recorder& recorder = tracing::Recorder::current();
  if (detail::recording)
    recorder.graph_break(tracing::BreakId::evaluation, {file, function, line}, nullptr, "flush");
}

bool is_compiling() { return detail::recording; }

void mark_static(const array& x, int axis) {
  node* n = x.get();
  detail::mark_axis(n, normalize_axis("mark_static", axis, n->rank), true);
}

void mark_dynamic(const array& x, int axis) {
  node* n = x.get();
  detail::mark_axis(n, normalize_axis("mark_dynamic", axis, n->rank), false);
}

}  // namespace numjit
