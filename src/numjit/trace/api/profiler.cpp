// Profiler, budget and compile times: what the collectors and counters saw, added up.
#include <numjit/trace/api/profiler.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numjit/base/error.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/trace/api/api.h>
#include <numjit/trace/api/collector_scope.h>
#include <numjit/trace/record/recorder.h>

namespace numjit {
namespace {

double ms(std::int64_t ns) { return static_cast<double>(ns) * 1e-6; }

std::string plural(std::uint64_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

// Seconds spent by the recorder itself, by function. Immortal, as threads may end late.
struct RecordingTimes {
  std::mutex mutex;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> by_function;  // record, passes
  std::uint64_t generation = 0;
};
RecordingTimes& recording_times() {
  static auto& instance = *new RecordingTimes;
  return instance;
}

}  // namespace

// ---- profiler ----

profiler::profiler() : watching_("profiler", true), before_(counters()) {}
profiler::~profiler() = default;

profile_report profiler::report() const {
  const explain_report seen = watching_.report();
  const tracing::Collector& collected = watching_.collected();
  const counter_values now = counters();
  profile_report report;
  report.calls = collected.calls;
  report.breaks = seen.break_reasons;
  report.recompiles = seen.recompiles;
  report.compiled = now.kernels_compiled - before_.kernels_compiled;
  report.disk_hits = now.kernels_loaded - before_.kernels_loaded;
  report.memory_hits = now.cache_hits - before_.cache_hits - report.disk_hits;
  report.eager_ops = now.eager_ops - before_.eager_ops;
  report.kernel_ns = collected.kernel_ns;
  report.eager_ns = std::max<std::int64_t>(0, collected.segment_ns - collected.kernel_ns);
  return report;
}

std::string profile_report::str() const {
  std::string text = fmt::format("{} of compiled functions: {:.3f} ms in kernels, {:.3f} ms outside\n", plural(calls, "call"),
                                 ms(kernel_ns), ms(eager_ns));
  auto out = std::back_inserter(text);
  fmt::format_to(out, "kernels asked for: {} in memory, {} on disk, {} compiled; {} run one by one\n", memory_hits, disk_hits,
                 compiled, plural(eager_ops, "op"));
  if (!breaks.empty()) text += "graph breaks, costliest first\n";
  for (const break_reason& b : breaks)
    fmt::format_to(out, "  {:>6} x {:>10.3f} ms  {}:{}  {} ({})\n", b.hits, ms(b.cost_ns), b.file, b.line, b.reason, b.id);
  if (!recompiles.empty()) text += "recompiles\n";
  for (const recompile_report& r : recompiles) fmt::format_to(out, "  {}\n", r.reason);
  return text;
}

std::string profile_report::json() const {
  using nlohmann::json;
  json j{{"calls", calls},         {"memory_hits", memory_hits}, {"disk_hits", disk_hits}, {"compiled", compiled},
         {"eager_ops", eager_ops}, {"eager_ns", eager_ns},       {"kernel_ns", kernel_ns}};
  j["breaks"] = json::array();
  for (const break_reason& b : breaks)
    j["breaks"].push_back(
        {{"id", b.id}, {"reason", b.reason}, {"file", b.file}, {"line", b.line}, {"hits", b.hits}, {"cost_ns", b.cost_ns}});
  j["recompiles"] = json::array();
  for (const recompile_report& r : recompiles)
    j["recompiles"].push_back({{"reason", r.reason}, {"file", r.file}, {"line", r.line}});
  return j.dump(2);
}

std::ostream& operator<<(std::ostream& out, const profile_report& report) { return out << report.str(); }

// ---- budget ----

budget::budget(budget_options options) : watching_("budget", true) {
  watching_.entry().limit = std::make_unique<const budget_options>(options);
}
budget::~budget() = default;
void budget::check() const { watching_.entry().check(); }

void tracing::CollectorEntry::check() const {
  if (!limit) return;
  const explain_report seen = report();
  if (limit->max_breaks >= 0 && seen.graph_break_count > limit->max_breaks) {
    const break_reason& worst = seen.break_reasons.front();
    throw GraphBreakError(
        worst.id, "budget",
        fmt::format("{}, allowed {}. Costliest: {}:{}, {} ({}), {}, {:.3f} ms. {}",
                    plural(static_cast<std::uint64_t>(seen.graph_break_count), "graph break"), limit->max_breaks, worst.file,
                    worst.line, worst.reason, worst.id, plural(worst.hits, "time"), ms(worst.cost_ns), worst.hint));
  }
  const auto recompiles = static_cast<std::int64_t>(seen.recompiles.size());
  if (limit->max_recompiles >= 0 && recompiles > limit->max_recompiles)
    throw RecompileError("budget",
                         fmt::format("{}, allowed {}. Last: {}", plural(static_cast<std::uint64_t>(recompiles), "recompile"),
                                     limit->max_recompiles, seen.recompiles.back().reason));
  const double outside = ms(segment_ns - kernel_ns);
  if (limit->max_fallback_ms >= 0 && outside > limit->max_fallback_ms)
    throw CompileError("budget", fmt::format("{:.3f} ms outside kernels, allowed {:.3f} ms. Longest segment: that "
                                             "of {}, {:.3f} ms. Wait for kernels with np::wait_for_compiles(), and "
                                             "see np::explain for what runs without one.",
                                             outside, limit->max_fallback_ms, slowest_function, ms(slowest_ns)));
}

// ---- compile times ----

namespace tracing {

void add_recording_time(const std::string& function, std::int64_t record_ns, std::int64_t passes_ns) {
  RecordingTimes& times = recording_times();
  std::lock_guard lock(times.mutex);
  if (times.generation != reset_generation()) {
    times.by_function.clear();
    times.generation = reset_generation();
  }
  auto& [record, passes] = times.by_function[function];
  record += record_ns;
  passes += passes_ns;
}

}  // namespace tracing

compile_times_report compile_times() {
  compile_times_report report;
  std::map<std::string, compile_times_report::phases> functions;
  {
    RecordingTimes& times = recording_times();
    std::lock_guard lock(times.mutex);
    if (times.generation == tracing::reset_generation())
      for (const auto& [name, ns] : times.by_function) {
        functions[name].record = ms(ns.first);
        functions[name].passes = ms(ns.second);
        report.total.record += ms(ns.first);
        report.total.passes += ms(ns.second);
      }
  }
  for (const auto& [name, ns] : runtime::kernel_times_by_function()) {
    compile_times_report::phases& phases = functions[name];
    phases.halide = ms(ns.codegen_ns);
    phases.link = ms(ns.link_ns);
    phases.load = ms(ns.load_ns);
    phases.disk = ms(ns.disk_ns);
  }
  const runtime::KernelTimes all = runtime::kernel_times();
  report.total.plugin = ms(all.plugin_ns);
  report.total.halide = ms(all.codegen_ns);
  report.total.link = ms(all.link_ns);
  report.total.load = ms(all.load_ns);
  report.total.disk = ms(all.disk_ns);
  report.functions.assign(functions.begin(), functions.end());
  std::stable_sort(report.functions.begin(), report.functions.end(),
                   [](const auto& a, const auto& b) { return a.second.total() > b.second.total(); });
  return report;
}

std::string compile_times_report::str() const {
  std::string text = fmt::format("{:<24} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "compile times in ms", "record",
                                 "passes", "plugin", "halide", "link", "load", "disk", "total");
  auto line = [&](const std::string& name, const phases& p) {
    text += fmt::format("{:<24} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f}\n", name, p.record,
                        p.passes, p.plugin, p.halide, p.link, p.load, p.disk, p.total());
  };
  for (const auto& [name, p] : functions) line(name, p);
  line("all", total);
  return text;
}

std::ostream& operator<<(std::ostream& out, const compile_times_report& report) { return out << report.str(); }

}  // namespace numjit
