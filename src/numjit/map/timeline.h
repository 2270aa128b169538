// When each stage worked on which file, and what that says about the run as a whole.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace numjit::map {

/// What happens to a file, in this order. Only some devices have the second and the fourth.
enum class Stage : std::uint8_t { read, to_device, compute, from_device, write };
inline constexpr int stage_count = 5;
const char* stage_name(Stage stage);

/// Nanoseconds of a clock that all processes of a machine share.
std::int64_t now_ns();
/// What to add to it for the time of day, which machines agree about better.
std::int64_t clock_offset_ns();

struct StageTime {
  std::int64_t busy_ns = 0;  // from begin to end, without waiting for a core
  std::int64_t cpu_ns = 0;
  std::int64_t bytes = 0;
  std::int64_t count = 0;
};
using StageTimes = std::array<StageTime, stage_count>;

/// One bar of the timeline.
struct TimelineEvent {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t task = 0;
  std::uint16_t lane = 0;  // thread
  Stage stage = Stage::read;
};

class Timeline {
 public:
  /// Bars kept; of a longer run the first ones. Sums count everything.
  static constexpr std::size_t limit = 30000;

  void add(const TimelineEvent& event, const StageTime& time);
  StageTimes times() const;
  std::vector<TimelineEvent> events() const;
  bool is_cut() const;

 private:
  mutable std::mutex mutex_;
  StageTimes times_{};
  std::vector<TimelineEvent> events_;
  std::int64_t seen_ = 0;
};

/// Measures a stage on this thread until its end.
class StageScope {
 public:
  StageScope(Timeline& timeline, Stage stage, std::size_t task, int lane);
  /// Adds it to the timeline. A stage that throws is not added.
  void finish(std::int64_t bytes);

 private:
  Timeline& timeline_;
  TimelineEvent event_;
  std::int64_t cpu_, waited_;
};

/// Threads of each stage, for the best time that could have been.
struct StageThreads {
  int read = 1, compute = 1, write = 1, cores = 1;
};
/// Nanoseconds that the stages would have taken, perfectly overlapped: no less than each stage's share of its
/// threads, no less than all processor time on all cores.
std::int64_t best_time_ns(const StageTimes& times, const StageThreads& threads);

}  // namespace numjit::map
