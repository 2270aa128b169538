// What a collector adds up.
#include <numjit/trace/api/collector.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/clock.h>
#include <numjit/trace/record/recorder.h>

namespace numjit::tracing {
namespace {

bool is_same_place(const location& a, const location& b) { return a.line == b.line && std::string_view(a.file) == b.file; }

constexpr std::size_t most_events = 20000;  // of a timeline: a page that opens at once

constexpr int for_sums = CallObserver::costs | CallObserver::bodies | CallObserver::breaks;

}  // namespace

std::string hidden_text(std::int64_t hidden_ns, std::int64_t ns) {
  return fmt::format("{}% hidden", 100 * hidden_ns / std::max<std::int64_t>(ns, 1));
}

Collector::Collector(bool sums_only)
    : CallObserver(static_cast<std::uint8_t>(sums_only ? for_sums : for_sums | graphs)), sums_only_(sums_only) {}

void Collector::on_segment(const SegmentEvent& event) {
  if (!event.variant) return;
  const auto [segment, kernels] = event.times;
  segment_ns += segment;
  kernel_ns += kernels;
  if (const std::int64_t outside = segment - kernels; outside > slowest_ns) {
    slowest_ns = outside;
    slowest_function = event.function;
  }
  if (sums_only_) return;
  add_graph(event);
  if (event.kind == EndKind::break_) add_kept(event);
}

void Collector::add_graph(const SegmentEvent& event) {
  const graph::Graph graph = event.end.graph_of_run(event.live);
  const runtime::Plan& plan = *event.variant->plan;
  Segment segment{graph::to_text(graph), graph.op_count(), plan.steps(), event.recorder.guards_of(event.end), plan.peak_bytes()};
  for (const graph::Node& node : graph.nodes) segment.places.push_back(node.where);
  if (timeline_begin_ns >= 0) note_segment(event, segment.steps);
  std::vector<int> computed(graph.nodes.size(), 0);  // times
  for (const runtime::StepInfo& step : segment.steps)
    for (const int i : step.nodes) ++computed[static_cast<std::size_t>(i)];
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind != graph::NodeKind::op) continue;
    const bool is_backward = event.end.path[i]->is_backward;
    segment.backward_ops += is_backward;
    if (!is_backward) segment.recomputed_ops += std::max(computed[i] - 1, 0);
  }
  add(std::move(segment));
}

// Keeps a segment, or counts it where one of its kind is kept already.
void Collector::add(Segment segment) {
  const auto same = std::find_if(segments.begin(), segments.end(), [&](const Segment& s) {
    return s.graph_text == segment.graph_text && s.steps.size() == segment.steps.size();
  });
  if (same == segments.end()) return segments.push_back(std::move(segment));
  ++same->runs;
  same->peak_bytes = std::max(same->peak_bytes, segment.peak_bytes);
  for (std::string& guard : segment.guards)
    if (std::find(same->guards.begin(), same->guards.end(), guard) == same->guards.end())
      same->guards.push_back(std::move(guard));
  for (std::size_t i = 0; i < segment.steps.size(); ++i) {
    runtime::StepInfo& all = same->steps[i];
    runtime::StepInfo& step = segment.steps[i];
    if (all.kernel.empty()) all.kernel = step.kernel, all.schedule = step.schedule;
    all.compiled |= step.compiled;
    all.bytes += step.bytes;
    all.flops += step.flops;
    all.ns += step.ns;
    if (all.sent && step.sent) {
      all.sent->ns += step.sent->ns;
      all.sent->wait_ns += step.sent->wait_ns;
    }
  }
}

// Large values that are named where a break is: they are stored for it.
void Collector::add_kept(const SegmentEvent& event) {
  event.live.for_each([&](std::size_t i) {
    const Record& r = *event.end.path[event.end.lazies[i]];
    const std::int64_t bytes = r.cur->size * static_cast<std::int64_t>(dtype(r.cur->type).itemsize());
    if (r.is_view || bytes <= 1000000) return;
    kept.push_back({fmt::format("{} {}", dtype(r.cur->type).name(), dims(r.cur->shape, r.cur->rank).str()), bytes, r.where});
  });
}

void Collector::on_cut_reason(const std::string& reason, const location& where) {
  auto same = std::find_if(cut_reasons.begin(), cut_reasons.end(),
                           [&](const Cut& cut) { return cut.reason == reason && is_same_place(cut.where, where); });
  if (same == cut_reasons.end()) same = cut_reasons.insert(same, {reason, where, 0});
  ++same->hits;
}

void Collector::on_break(const BreakEvent& event, std::int64_t cost_ns) {
  auto same = std::find_if(breaks.begin(), breaks.end(),
                           [&](const Break& b) { return b.event.id == event.id && is_same_place(b.event.where, event.where); });
  if (same == breaks.end()) same = breaks.insert(same, {event, 0, 0});
  ++same->hits;
  same->cost_ns += cost_ns;
  if (timeline_begin_ns >= 0)
    note("break", fmt::format("{}:{} {}", event.where.file, event.where.line, break_row(event.id).title),
         detail::clock_ns() - cost_ns, cost_ns);
}

void Collector::on_recompile(const std::string& text, const location& where) {
  recompiles.push_back({text, where});
  if (timeline_begin_ns >= 0) note("recompile", text, detail::clock_ns(), 0);
}

void Collector::on_call_begin(const std::string& function) {
  if (timeline_begin_ns < 0) return;
  call_ = function;
  call_begin_ns_ = detail::clock_ns();
}

void Collector::on_call_end() {
  ++calls;
  if (timeline_begin_ns >= 0 && call_begin_ns_ > 0) note("call", call_, call_begin_ns_, detail::clock_ns() - call_begin_ns_);
}

void Collector::keep_timeline() { timeline_begin_ns = detail::clock_ns(); }

void Collector::note(std::string kind, std::string name, std::int64_t begin_ns, std::int64_t ns) {
  if (timeline.size() >= most_events) return;
  timeline.push_back({std::move(kind), std::move(name), begin_ns - timeline_begin_ns, ns, detail::memory_usage().in_use});
}

void Collector::note_segment(const SegmentEvent& event, const std::vector<runtime::StepInfo>& steps) {
  std::int64_t begin = detail::clock_ns() - event.times.segment_ns;
  note("segment", event.function, begin, event.times.segment_ns);
  for (const runtime::StepInfo& step : steps) {
    if (step.sent) {
      note("communication",
           fmt::format("{}: {} sent, {}", fmt::join(step.ops, ", "), detail::format_bytes(static_cast<std::size_t>(step.bytes)),
                       hidden_text(step.sent->hidden_ns(), step.sent->ns)),
           step.sent->begin_ns, step.ns);
      if (step.sent->wait_ns > 0)
        note("wait", fmt::format("{}", fmt::join(step.ops, ", ")), step.sent->wait_begin_ns, step.sent->wait_ns);
      continue;
    }
    if (step.ns > 0) note("kernel", fmt::format("{}: {}", step.schedule, fmt::join(step.ops, ", ")), begin, step.ns);
    begin += step.ns;
  }
}

}  // namespace numjit::tracing
