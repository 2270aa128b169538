// The recorder's notes for export: segments, reads, and breaks that no bundle can hold.
#include <numjit/trace/record/call_log.h>

#include <cstring>

#include <numjit/array/remote.h>
#include <numjit/base/error.h>
#include <numjit/trace/record/recorder.h>

namespace numjit::tracing {

std::string value_read(const node* n, std::string_view what) {
  detail::readable_on_host(n);
  if (what != "bool") return std::string(n->data, dtype(n->type).itemsize());
  bool truth = false;
  visit_dtype(n->type == dtype_id::bool_ ? dtype_id::uint8 : n->type, [&]<class T>() {
    T value;
    std::memcpy(&value, n->data, sizeof value);
    truth = !(value == T{});
  });
  return std::string(1, truth ? '\1' : '\0');
}

void Recorder::log_segment(const SegmentEnd& end) {
  CallLog::Segment segment{graph_of_run(end), {}, {}, {}};
  for (std::size_t i = 0; i < end.path.size(); ++i) {
    graph::Node& n = segment.graph.nodes[i];
    n.params = *end.params[i];
    if (n.kind == graph::NodeKind::input) segment.inputs.push_back(array::share(*end.slots[i]));
    if (n.live) segment.outputs.push_back(array::share(*end.slots[i]));
  }
  for (const runtime::ScalarValue* value : end.scalars) segment.scalars.push_back(*value);
  call_log->events.emplace_back(std::move(segment));
}

// Breaks of which the program only learns a value, or nothing, can be carried out again; what others do
// stays in the body.
void Recorder::log_break(const BreakEvent& event) {
  switch (event.id) {
    case BreakId::data_dependent_branch:
    case BreakId::scalar_read:
    case BreakId::user_break:
    case BreakId::evaluation: return;
    default: refuse_break(event);
  }
}

void Recorder::refuse_break(const BreakEvent& event) {
  auto refusal =
      std::make_exception_ptr(GraphBreakError(std::string(break_row(event.id).id), "export_function",
                                              "a bundle can't hold what happens at this break.\n" + break_text(event)));
  call_log->refused = refusal;
  std::rethrow_exception(refusal);
}

void Recorder::log_read(node* n, const char* why, const location& where) {
  const BreakEvent event = describe(break_of(why), where, n, why);
  const std::string_view reason = why;
  log_break(event);
  // Functions that compute on elements themselves (searchsorted, histogram) look at whole arrays.
  const bool one_element = reason == "bool" || reason == "item" || reason == "index";
  if (event.id != BreakId::evaluation && !one_element) refuse_break(event);
  struct Reading {
    CallLog& log;
    explicit Reading(CallLog& l) : log(l) { log.reading = true; }
    ~Reading() { log.reading = false; }
  };
  {
    const Reading reading(*call_log);
    materialize(n, why, where);
  }
  // Bounds of an index array are checked again wherever the bundle runs.
  if (event.id == BreakId::evaluation || reason == "index") return;
  call_log->events.emplace_back(CallLog::Read{array::share(n), why, event.where, value_read(n, why)});
}

}  // namespace numjit::tracing
