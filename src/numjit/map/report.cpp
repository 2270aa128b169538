// Sums, shares and trace events.
#include <numjit/map/report.h>

#include <algorithm>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <numjit/base/buffer_pool.h>

namespace numjit::map {
namespace {

using json = nlohmann::ordered_json;

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

double rounded(double x) { return static_cast<double>(static_cast<std::int64_t>(x * 1e6 + 0.5)) / 1e6; }

StageTimes sum_of(const MapReport& report) {
  StageTimes sum{};
  for (const ProcessTimes& process : report.processes)
    for (std::size_t i = 0; i < stage_count; ++i) {
      sum[i].busy_ns += process.times[i].busy_ns;
      sum[i].cpu_ns += process.times[i].cpu_ns;
      sum[i].bytes += process.times[i].bytes;
      sum[i].count += process.times[i].count;
    }
  return sum;
}

std::int64_t busy_of(const StageTimes& times) {
  std::int64_t busy = 0;
  for (const StageTime& t : times) busy += t.busy_ns;
  return busy;
}

/// The slowest process decides.
std::int64_t best_of(const MapReport& report) {
  std::int64_t best = 0;
  for (const ProcessTimes& process : report.processes) best = std::max(best, best_time_ns(process.times, process.threads));
  return best;
}

/// Of all processes, what moved most first.
std::vector<devices::HostNote> host_work_of(const MapReport& report) {
  std::vector<devices::HostNote> all;
  for (const ProcessTimes& process : report.processes)
    for (const devices::HostNote& note : process.host_work) {
      const auto known =
          std::find_if(all.begin(), all.end(), [&](const auto& n) { return n.device == note.device && n.op == note.op; });
      if (known == all.end()) {
        all.push_back(note);
        continue;
      }
      known->count += note.count;
      known->bytes += note.bytes;
    }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return all;
}

/// A line for what the device left to the host, "" if that is nothing.
std::string host_work_line(const MapReport& report) {
  std::vector<std::string> ops;
  std::int64_t bytes = 0;
  for (const devices::HostNote& note : host_work_of(report)) {
    if (std::find(ops.begin(), ops.end(), note.op) == ops.end()) ops.push_back(note.op);
    bytes += note.bytes;
  }
  if (ops.empty()) return "";
  constexpr std::size_t most = 6;
  const std::size_t more = ops.size() > most ? ops.size() - most : 0;
  ops.resize(ops.size() - more);
  return fmt::format("on the host: {}{} ({} moved)\n", fmt::join(ops, ", "), more ? fmt::format(" and {} more", more) : "",
                     detail::format_bytes(static_cast<std::uint64_t>(bytes)));
}

json host_work_json(const MapReport& report) {
  json list = json::array();
  for (const devices::HostNote& n : host_work_of(report))
    list.push_back({{"device", n.device}, {"op", n.op}, {"count", n.count}, {"bytes", n.bytes}});
  return list;
}

json stages_json(const MapReport& report) {
  const StageTimes times = sum_of(report);
  const std::int64_t busy = busy_of(times);
  json stages = json::object();
  for (std::size_t i = 0; i < stage_count; ++i) {
    if (times[i].count == 0) continue;
    stages[stage_name(static_cast<Stage>(i))] = {
        {"seconds", rounded(seconds(times[i].busy_ns))},
        {"cpu_seconds", rounded(seconds(times[i].cpu_ns))},
        {"share", busy ? rounded(static_cast<double>(times[i].busy_ns) / static_cast<double>(busy)) : 0.0},
        {"bytes", times[i].bytes},
        {"count", times[i].count}};
  }
  return stages;
}

std::string lane_name(int lane, const StageThreads& threads) {
  if (threads.cores == 1 && threads.compute == 1) return "all stages";
  if (lane < threads.read) return fmt::format("read {}", lane);
  if (lane < threads.read + threads.compute) return fmt::format("compute {}", lane - threads.read);
  return fmt::format("write {}", lane - threads.read - threads.compute);
}

json events_json(const MapReport& report) {
  json events = json::array();
  for (const ProcessTimes& process : report.processes) {
    std::vector<bool> named;
    for (const TimelineEvent& e : process.events) {
      if (e.lane >= named.size()) named.resize(e.lane + std::size_t{1});
      if (!named[e.lane])
        events.push_back({{"name", "thread_name"},
                          {"ph", "M"},
                          {"pid", process.rank},
                          {"tid", e.lane},
                          {"args", {{"name", lane_name(e.lane, process.threads)}}}});
      named[e.lane] = true;
      events.push_back({{"name", e.task < report.names.size() ? report.names[e.task] : ""},
                        {"cat", stage_name(e.stage)},
                        {"ph", "X"},
                        {"ts", static_cast<double>((e.begin_ns - report.began_ns) / 100) / 10},
                        {"dur", static_cast<double>((e.end_ns - e.begin_ns) / 100) / 10},
                        {"pid", process.rank},
                        {"tid", e.lane}});
    }
  }
  return events;
}

}  // namespace

std::string summary(const MapReport& report) {
  const double wall = seconds(report.ended_ns - report.began_ns);
  const StageTimes times = sum_of(report);
  const std::int64_t busy = busy_of(times), left = report.total - report.done - report.skipped - report.failed;
  std::string text = fmt::format("{} file{} in {:.2f} s: {} done, {} finished before, {} failed", report.total,
                                 report.total == 1 ? "" : "s", wall, report.done, report.skipped, report.failed);
  text += left > 0 ? fmt::format(", {} not begun\n", left) : "\n";
  if (busy == 0) return text;
  for (std::size_t i = 0; i < stage_count; ++i) {
    if (times[i].count == 0) continue;
    const double s = seconds(times[i].busy_ns);
    text += fmt::format("{:<12}{:>9.2f} s  {:>3.0f}%  {:>9} at {:.2f} GB/s\n", stage_name(static_cast<Stage>(i)), s,
                        100.0 * s / seconds(busy), detail::format_bytes(static_cast<std::uint64_t>(times[i].bytes)),
                        static_cast<double>(times[i].bytes) / std::max(s, 1e-9) * 1e-9);
  }
  text += host_work_line(report);
  if (report.processes.size() == 1 && report.processes[0].threads.compute == 1) return text;  // nothing can overlap
  const double best = seconds(best_of(report));
  text += fmt::format("overlap: {:.0f}% of the best, which is {:.2f} s for these stages\n",
                      std::min(100.0, 100.0 * best / std::max(wall, 1e-9)), best);
  return text;
}

std::string report_json(const map_options& options, const MapReport& report) {
  const double wall = seconds(report.ended_ns - report.began_ns), best = seconds(best_of(report));
  const std::time_t began = std::time(nullptr) - static_cast<std::time_t>(seconds(now_ns() - report.began_ns));
  json j;
  j["job"] = options.job;
  j["inputs"] = options.patterns;
  j["output"] = options.folder;
  j["devices"] = json::array();  // of the ranks, in order
  for (const ProcessTimes& process : report.processes) j["devices"].push_back(process.device);
  j["jobs"] = report.processes.empty() ? 0 : report.processes[0].threads.compute;
  j["shard"] = options.shard;
  j["ranks"] = report.ranks;
  j["memory_bytes"] = report.memory;
  j["began"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(began));
  j["seconds"] = rounded(wall);
  j["exit_status"] = report.status;
  j["stopped"] = report.stopped;
  j["files"] = {{"total", report.total},
                {"done", report.done},
                {"finished_before", report.skipped},
                {"failed", report.failed},
                {"not_begun", report.total - report.done - report.skipped - report.failed}};
  j["failures"] = json::array();
  for (const Failure& f : report.failures) j["failures"].push_back({{"inputs", f.inputs}, {"error", f.error}});
  j["stages"] = stages_json(report);
  j["host_work"] = host_work_json(report);
  j["overlap"] = {{"best_seconds", rounded(best)}, {"efficiency", wall > 0 ? rounded(std::min(1.0, best / wall)) : 0.0}};
  std::int64_t peak = 0;
  bool is_cut = false;
  for (const ProcessTimes& process : report.processes) {
    peak = std::max(peak, process.peak_bytes);
    is_cut = is_cut || process.is_cut;
  }
  j["peak_array_bytes"] = peak;
  j["timeline_is_cut"] = is_cut;
  j["displayTimeUnit"] = "ms";
  j["traceEvents"] = events_json(report);
  return j.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace numjit::map
