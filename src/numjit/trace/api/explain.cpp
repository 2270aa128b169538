// explain(): collecting one call and printing what was compiled.
#include <numjit/trace/api/explain.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/debug_folder.h>
#include <numjit/base/thread_pool.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/launch/fused_call.h>
#include <numjit/trace/api/collector_scope.h>
#include <numjit/trace/record/recorder.h>

namespace numjit {
namespace tracing {

double copy_bandwidth() {
  // 0 where there is no memory for it. Best of a few copies of 32 MB on all threads: reads and writes both count.
  static const double measured = [] {
    constexpr std::int64_t bytes = 32 << 20;
    auto* from = static_cast<char*>(detail::try_allocate_block(bytes));
    auto* to = static_cast<char*>(detail::try_allocate_block(bytes));
    if (!from || !to) {
      if (from) detail::free_block(from, bytes);
      if (to) detail::free_block(to, bytes);
      return 0.0;
    }
    std::memset(from, 1, bytes);
    std::memset(to, 2, bytes);
    double best = 0;
    for (int round = 0; round < 5; ++round) {
      const auto start = std::chrono::steady_clock::now();
      detail::parallel_ranges(bytes, 1 << 20, 1e7, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
      });
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      best = std::max(best, 2.0 * bytes / time.count());
    }
    detail::free_block(from, bytes);
    detail::free_block(to, bytes);
    return best;
  }();
  return measured;
}

CollectorEntry::CollectorEntry(std::string watched, bool sums_only)
    : ScopeEntry(detail::scope_kind::collector), Collector(sums_only), name(std::move(watched)) {
  runtime::FusedCall::set_timing(true);
}
CollectorEntry::~CollectorEntry() { runtime::FusedCall::set_timing(false); }

// The thread may have ended, and its recorder with it.
void CollectorEntry::apply() noexcept {
  if (is_listed())
    Recorder::current().observers.add(*this);
  else
    ObserverList::remove(*this);
}

Explaining::Explaining(std::string function, bool sums_only) : entry_(new CollectorEntry(std::move(function), sums_only)) {
  detail::open_scope(entry_);
}
Explaining::Explaining(std::string function, const explain_options& options) : Explaining(std::move(function)) {
  entry_->waits = options.wait;
  if (options.wait) ready_kernels_.emplace(config_options{.compile = compile_mode::sync});
}
Explaining::~Explaining() { detail::end_scope(entry_); }

const Collector& Explaining::collected() const { return *entry_; }
explain_report Explaining::report() const { return entry_->report(); }
void Explaining::pause() noexcept { detail::pause_scope(entry_); }
void Explaining::go_on() noexcept { detail::resume_scope(entry_); }

explain_report CollectorEntry::report() const { return report_on(name, waits); }

explain_report Collector::report_on(const std::string& watched, bool waits) const {
  explain_report report;
  report.function = watched;
  report.timeline = timeline;
  report.cuts = cuts;
  for (const Cut& c : cut_reasons) report.cut_reasons.push_back({c.reason, c.where.file, c.where.line, c.hits});
  report.debug_folder = detail::debug_folder();
  for (const Break& b : breaks) {
    const BreakRow& row = break_row(b.event.id);
    report.break_reasons.push_back({std::string(row.id), std::string(row.title), explanation(b.event), std::string(row.hint),
                                    b.event.context, b.event.where.file, b.event.where.line, b.hits, b.cost_ns,
                                    user_stack(b.event)});
    report.graph_break_count += static_cast<int>(b.hits);
  }
  std::stable_sort(report.break_reasons.begin(), report.break_reasons.end(),
                   [](const auto& a, const auto& b) { return a.cost_ns > b.cost_ns; });
  bool has_backward = false;
  for (const Segment& segment : segments) {
    graph_report graph;
    graph.text = segment.graph_text;
    graph.op_count = segment.op_count;
    graph.runs = segment.runs;
    for (const location& where : segment.places)
      graph.places.push_back(where.line > 0 ? fmt::format("{}:{}", where.file, where.line) : "");
    if (segment.backward_ops > 0) graph.role = segment.backward_ops == segment.op_count ? "backward" : "forward and backward";
    has_backward |= segment.backward_ops > 0;
    report.tape.recomputed_ops += segment.recomputed_ops * static_cast<int>(segment.runs);
    for (const runtime::StepInfo& step : segment.steps) {
      kernel_report kernel{step.kernel, step.ops, step.schedule, step.bytes, step.ns, 0, step.flops, step.nodes};
      if (step.fused && !step.compiled && !waits)  // without a name until it is known which kernel it is
        kernel.schedule = step.kernel.empty() ? "compiling" : step.schedule + " (compiling)";
      if (step.sent) {
        kernel.hidden_ns = step.sent->hidden_ns();
        communication_report& all = report.communication;
        all = {all.operations + static_cast<int>(segment.runs), all.bytes + step.bytes, all.ns + step.ns,
               all.hidden_ns + kernel.hidden_ns};
      } else if (step.ns > 0 && step.bytes > 0 && copy_bandwidth() > 0)
        kernel.bandwidth_share = static_cast<double>(step.bytes) / (static_cast<double>(step.ns) * 1e-9) / copy_bandwidth();
      report.kernels.push_back(kernel);
      graph.kernels.push_back(std::move(kernel));
    }
    report.op_count += graph.op_count;
    report.peak_bytes = std::max(report.peak_bytes, segment.peak_bytes);
    for (const std::string& guard : segment.guards)
      if (std::find(report.guards.begin(), report.guards.end(), guard) == report.guards.end()) report.guards.push_back(guard);
    report.graphs.push_back(std::move(graph));
  }
  report.graph_count = static_cast<int>(report.graphs.size());
  report.eager_choice = eager_choice;
  report.tape.saved_bytes = saved_bytes;
  report.tape.thinned_segments = thinned_segments;
  if (!has_backward) report.tape.recomputed_ops = 0;
  report.tape.recomputed_ops += recipe_operations;
  for (const Recompile& r : recompiles) report.recompiles.push_back({r.reason, r.where.file, r.where.line});
  for (const Kept& k : kept) report.kept_arrays.push_back({k.array, k.bytes, k.where.file, k.where.line});
  const runtime::KernelTimes times = runtime::kernel_times();
  report.compile_times = {{"plugin", static_cast<double>(times.plugin_ns) * 1e-6},
                          {"codegen", static_cast<double>(times.codegen_ns) * 1e-6},
                          {"link", static_cast<double>(times.link_ns) * 1e-6},
                          {"load", static_cast<double>(times.load_ns) * 1e-6},
                          {"disk", static_cast<double>(times.disk_ns) * 1e-6}};
  return report;
}

}  // namespace tracing

namespace {

std::string bytes_text(std::int64_t bytes) { return detail::format_bytes(static_cast<std::size_t>(bytes)); }

std::string time_text(std::int64_t ns) {
  if (ns < 1000) return fmt::format("{} ns", ns);
  if (ns < 1000000) return fmt::format("{:.1f} us", static_cast<double>(ns) * 1e-3);
  return fmt::format("{:.2f} ms", static_cast<double>(ns) * 1e-6);
}

// What a kernel did, in how long. What is faster than memory came out of the caches.
std::string cost_text(const kernel_report& k) {
  if (k.ns <= 0) return "";
  const std::string time = time_text(k.ns);
  if (k.hidden_ns >= 0)
    return fmt::format("{} sent in {}, {} waited for", bytes_text(k.bytes), time, time_text(k.ns - k.hidden_ns));
  if (k.flops > 0)
    return fmt::format("{} moved, {:.3g} GFLOP in {}, {:.3g} GFLOP/s", bytes_text(k.bytes), static_cast<double>(k.flops) * 1e-9,
                       time, static_cast<double>(k.flops) / static_cast<double>(k.ns));
  if (k.bytes == 0) return time;
  const std::string share =
      k.bandwidth_share > 1 ? "in cache" : fmt::format("{:.0f}% of copy bandwidth", 100 * k.bandwidth_share);
  return fmt::format("{} moved in {}, {}", bytes_text(k.bytes), time, share);
}

// "add, multiply x2, sum": ops in order, runs counted.
std::string ops_text(const std::vector<std::string>& ops) {
  std::string text;
  for (std::size_t i = 0; i < ops.size();) {
    std::size_t run = i;
    while (run < ops.size() && ops[run] == ops[i]) ++run;
    text += (text.empty() ? "" : ", ") + ops[i];
    if (run - i > 1) text += fmt::format(" x{}", run - i);
    i = run;
  }
  return text;
}

}  // namespace

std::string explain_report::str() const {
  std::uint64_t runs = 0;
  for (const graph_report& graph : graphs) runs += graph.runs;
  std::string text =
      fmt::format("{}: {} graph{}{}, {} graph break{}, {} op{}, peak {}\n", function, graph_count, graph_count == 1 ? "" : "s",
                  runs > graphs.size() ? fmt::format(" (run {} times)", runs) : "", graph_break_count,
                  graph_break_count == 1 ? "" : "s", op_count, op_count == 1 ? "" : "s", bytes_text(peak_bytes));
  auto out = std::back_inserter(text);
  if (!eager_choice.empty())
    fmt::format_to(out, "such calls run one operation after the other, which takes less time: {}\n", eager_choice);
  const bool has_roles = std::any_of(graphs.begin(), graphs.end(), [](const graph_report& g) { return g.role != "forward"; });
  if (has_roles)
    fmt::format_to(out, "way back: {} kept in memory for it, {} op{} computed again{}\n", bytes_text(tape.saved_bytes),
                   tape.recomputed_ops, tape.recomputed_ops == 1 ? "" : "s",
                   tape.thinned_segments == 0
                       ? ""
                       : fmt::format(", {} segment{} thinned", tape.thinned_segments, tape.thinned_segments == 1 ? "" : "s"));
  if (const communication_report& c = communication; c.operations > 0)
    fmt::format_to(out, "communication: {} operation{}, {} sent in {}, {}\n", c.operations, c.operations == 1 ? "" : "s",
                   bytes_text(c.bytes), time_text(c.ns), tracing::hidden_text(c.hidden_ns, c.ns));
  int number = 0;
  for (const graph_report& graph : graphs) {
    fmt::format_to(out, "\ngraph {}{} ({} op{}{})\n", ++number, graph.runs > 1 ? fmt::format(", {} times", graph.runs) : "",
                   graph.op_count, graph.op_count == 1 ? "" : "s", has_roles ? ", " + graph.role : "");
    for (const kernel_report& k : graph.kernels) {
      const std::string kind = k.hidden_ns >= 0            ? "sent, " + tracing::hidden_text(k.hidden_ns, k.ns)
                               : k.schedule == "compiling" ? "(compiling)"
                               : k.name.empty()            ? "(no kernel)"
                                                           : k.schedule;
      fmt::format_to(out, "  {:<22} {}\n", kind, ops_text(k.ops));
      if (const std::string cost = cost_text(k); !cost.empty()) fmt::format_to(out, "  {:<22} {}\n", "", cost);
    }
  }
  if (!break_reasons.empty()) text += "\ngraph breaks, costliest first\n";
  for (const break_reason& b : break_reasons) {
    fmt::format_to(out, "  {}:{}  {} ({}), {} time{}, {}\n      {}\n      Hint: {}\n", b.file, b.line, b.reason, b.id, b.hits,
                   b.hits == 1 ? "" : "s", time_text(b.cost_ns), b.explanation, b.hint);
    if (b.user_stack.size() > 1)
      fmt::format_to(out, "      User code traceback:\n        {}\n", fmt::join(b.user_stack, "\n        "));
  }
  if (!cut_reasons.empty()) text += "\ncuts, which are not graph breaks\n";
  for (const cut_reason& c : cut_reasons)
    fmt::format_to(out, "  {}:{}  {}, {} time{}\n", c.file, c.line, c.reason, c.hits, c.hits == 1 ? "" : "s");
  if (!kept_arrays.empty()) text += "\nlarge arrays alive at a graph break, so stored\n";
  for (const kept_array_report& k : kept_arrays)
    fmt::format_to(out, "  {}:{}  {}, {}\n", k.file, k.line, k.array, bytes_text(k.bytes));
  if (!guards.empty()) text += "\nguards\n";
  for (const std::string& guard : guards) fmt::format_to(out, "  {}\n", guard);
  if (!recompiles.empty()) text += "\nrecompiles\n";
  for (const recompile_report& r : recompiles) fmt::format_to(out, "  {}\n", r.reason);
  text += "\ncompile times of this process:";
  for (const auto& [phase, ms] : compile_times) fmt::format_to(out, " {} {:.1f} ms", phase, ms);
  text += '\n';
  if (!debug_folder.empty()) fmt::format_to(out, "\ndebug folder: {}\n", debug_folder);
  return text;
}

std::string explain_report::json() const {
  using nlohmann::json;
  auto kernel_json = [](const kernel_report& k) {
    return json{{"name", k.name},   {"ops", k.ops},     {"schedule", k.schedule},
                {"bytes", k.bytes}, {"ns", k.ns},       {"bandwidth_share", k.bandwidth_share},
                {"flops", k.flops}, {"nodes", k.nodes}, {"hidden_ns", k.hidden_ns}};
  };
  json j{
      {"function", function},
      {"graph_count", graph_count},
      {"graph_break_count", graph_break_count},
      {"op_count", op_count},
      {"peak_bytes", peak_bytes},
      {"cuts", cuts},
      {"eager_choice", eager_choice},
      {"tape",
       {{"saved_bytes", tape.saved_bytes}, {"recomputed_ops", tape.recomputed_ops}, {"thinned_segments", tape.thinned_segments}}},
      {"communication",
       {{"operations", communication.operations},
        {"bytes", communication.bytes},
        {"ns", communication.ns},
        {"hidden_ns", communication.hidden_ns}}},
      {"guards", guards},
      {"debug_folder", debug_folder}};
  j["break_reasons"] = json::array();
  for (const break_reason& b : break_reasons)
    j["break_reasons"].push_back({{"id", b.id},
                                  {"reason", b.reason},
                                  {"explanation", b.explanation},
                                  {"hint", b.hint},
                                  {"context", b.context},
                                  {"file", b.file},
                                  {"line", b.line},
                                  {"hits", b.hits},
                                  {"cost_ns", b.cost_ns},
                                  {"user_stack", b.user_stack}});
  j["cut_reasons"] = json::array();
  for (const cut_reason& c : cut_reasons)
    j["cut_reasons"].push_back({{"reason", c.reason}, {"file", c.file}, {"line", c.line}, {"hits", c.hits}});
  j["graphs"] = json::array();
  for (const graph_report& g : graphs) {
    json graph{{"text", g.text}, {"role", g.role},     {"op_count", g.op_count},
               {"runs", g.runs}, {"places", g.places}, {"kernels", json::array()}};
    for (const kernel_report& k : g.kernels) graph["kernels"].push_back(kernel_json(k));
    j["graphs"].push_back(std::move(graph));
  }
  j["kernels"] = json::array();
  for (const kernel_report& k : kernels) j["kernels"].push_back(kernel_json(k));
  j["recompiles"] = json::array();
  for (const recompile_report& r : recompiles)
    j["recompiles"].push_back({{"reason", r.reason}, {"file", r.file}, {"line", r.line}});
  j["kept_arrays"] = json::array();
  for (const kept_array_report& k : kept_arrays)
    j["kept_arrays"].push_back({{"array", k.array}, {"bytes", k.bytes}, {"file", k.file}, {"line", k.line}});
  j["compile_times"] = json::object();
  for (const auto& [phase, ms] : compile_times) j["compile_times"][phase] = ms;
  j["timeline"] = json::array();
  for (const timeline_event& e : timeline)
    j["timeline"].push_back({{"kind", e.kind}, {"name", e.name}, {"begin_ns", e.begin_ns}, {"ns", e.ns}, {"memory", e.memory}});
  return j.dump(2);
}

std::ostream& operator<<(std::ostream& out, const explain_report& report) { return out << report.str(); }

}  // namespace numjit
