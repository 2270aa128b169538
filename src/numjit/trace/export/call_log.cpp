// Notes for export: segments, reads, and breaks that no bundle can hold.
#include <numjit/trace/export/call_log.h>

#include <cstring>
#include <utility>

#include <numjit/array/remote.h>
#include <numjit/base/error.h>

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

void CallLog::on_segment(const SegmentEvent& event) {
  const SegmentEnd& end = event.end;
  Segment segment{end.graph_of_run(event.live), {}, {}, {}};
  for (std::size_t i = 0; i < end.path.size(); ++i) {
    graph::Node& n = segment.graph.nodes[i];
    n.params = *end.params[i];
    if (n.kind == graph::NodeKind::input) segment.inputs.push_back(array::share(*end.slots[i]));
    if (n.live) segment.outputs.push_back(array::share(*end.slots[i]));
  }
  for (const runtime::ScalarValue* value : end.scalars) segment.scalars.push_back(*value);
  events.emplace_back(std::move(segment));
}

// Breaks of which the program only learns a value, or nothing, can be carried out again; what others do
// stays in the body.
void CallLog::before_break(const BreakEvent& event) {
  switch (event.id) {
    case BreakId::data_dependent_branch:
    case BreakId::scalar_read:
    case BreakId::user_break:
    case BreakId::evaluation: return;
    default: refuse(event);
  }
}

void CallLog::refuse(const BreakEvent& event) {
  refused = std::make_exception_ptr(GraphBreakError(std::string(break_row(event.id).id), "export_function",
                                                    "a bundle can't hold what happens at this break.\n" + break_text(event)));
  std::rethrow_exception(refused);
}

void CallLog::before_read(const BreakEvent& event, const char* why) {
  const std::string_view reason = why;
  before_break(event);
  // Functions that compute on elements themselves (searchsorted, histogram) look at whole arrays.
  const bool one_element = reason == "bool" || reason == "item" || reason == "index";
  if (event.id != BreakId::evaluation && !one_element) refuse(event);
}

// Bounds of an index array are checked again wherever the bundle runs.
void CallLog::after_read(const BreakEvent& event, node* of, const char* why) {
  if (event.id == BreakId::evaluation || std::string_view(why) == "index") return;
  events.emplace_back(Read{array::share(of), why, event.where, value_read(of, why)});
}

}  // namespace numjit::tracing
