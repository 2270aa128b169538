// What is left to read of a run: a summary for people, a .json file with the timeline for tools.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <numjit/device/memory.h>
#include <numjit/map/options.h>
#include <numjit/map/timeline.h>
#include <numjit/map/work.h>

namespace numjit::map {

/// What one process did.
struct ProcessTimes {
  int rank = 0;
  std::string device;
  StageThreads threads;
  StageTimes times{};
  std::vector<TimelineEvent> events;
  bool is_cut = false;
  std::int64_t peak_bytes = 0;               // of arrays
  std::vector<devices::HostNote> host_work;  // for want of a form on the device
};

struct MapReport {
  std::int64_t began_ns = 0, ended_ns = 0;  // of now_ns()
  std::int64_t total = 0, done = 0, skipped = 0, failed = 0;
  std::vector<Failure> failures;
  std::string stopped;  // why, "" if it was not
  int status = 0;
  int ranks = 1;
  std::int64_t memory = 0;
  std::vector<ProcessTimes> processes;
  std::vector<std::string> names;  // of tasks, by number
};

std::string summary(const MapReport& report);
/// The .json text. Opened in a trace viewer (Perfetto, chrome://tracing) it shows the timeline.
std::string report_json(const map_options& options, const MapReport& report);

}  // namespace numjit::map
