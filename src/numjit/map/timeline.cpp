// Clocks of threads, bars and sums.
#include <numjit/map/timeline.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include <fcntl.h>
#include <unistd.h>

#include <numjit/base/file.h>

namespace numjit::map {
namespace {

std::int64_t read_clock(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * std::int64_t{1000000000} + t.tv_nsec;
}

/// How long this thread was ready to run but had no core, 0 where the kernel does not tell.
std::int64_t waited_ns() {
  thread_local const detail::File file(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC));
  char text[96];
  const ssize_t n = file.fd < 0 ? -1 : pread(file.fd, text, sizeof text, 0);
  if (n <= 0) return 0;
  const char *end = text + n, *space = std::find(text, text + n, ' ');
  std::int64_t waited = 0;
  if (space != end) std::from_chars(space + 1, end, waited);
  return waited;
}

StageTime& at(StageTimes& times, Stage stage) { return times[static_cast<std::size_t>(stage)]; }

}  // namespace

const char* stage_name(Stage stage) {
  static constexpr const char* names[stage_count] = {"read", "to device", "compute", "from device", "write"};
  return names[static_cast<std::size_t>(stage)];
}

std::int64_t clock_offset_ns() { return read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC); }

std::int64_t now_ns() { return read_clock(CLOCK_MONOTONIC); }

void Timeline::add(const TimelineEvent& event, const StageTime& time) {
  std::lock_guard lock(mutex_);
  StageTime& sum = at(times_, event.stage);
  sum.busy_ns += time.busy_ns;
  sum.cpu_ns += time.cpu_ns;
  sum.bytes += time.bytes;
  sum.count += time.count;
  ++seen_;
  if (events_.size() < limit) events_.push_back(event);
}

StageTimes Timeline::times() const {
  std::lock_guard lock(mutex_);
  return times_;
}

std::vector<TimelineEvent> Timeline::events() const {
  std::lock_guard lock(mutex_);
  return events_;
}

bool Timeline::is_cut() const {
  std::lock_guard lock(mutex_);
  return seen_ > static_cast<std::int64_t>(events_.size());
}

StageScope::StageScope(Timeline& timeline, Stage stage, std::size_t task, int lane)
    : timeline_(timeline), cpu_(read_clock(CLOCK_THREAD_CPUTIME_ID)), waited_(waited_ns()) {
  event_.begin_ns = now_ns();
  event_.task = static_cast<std::uint32_t>(task);
  event_.lane = static_cast<std::uint16_t>(lane);
  event_.stage = stage;
}

void StageScope::finish(std::int64_t bytes) {
  event_.end_ns = now_ns();
  const std::int64_t waited = waited_ns() - waited_, cpu = read_clock(CLOCK_THREAD_CPUTIME_ID) - cpu_;
  const std::int64_t busy = std::max(cpu, event_.end_ns - event_.begin_ns - waited);
  timeline_.add(event_, {busy, cpu, bytes, 1});
}

std::int64_t best_time_ns(const StageTimes& times, const StageThreads& threads) {
  auto busy = [&](Stage stage) { return times[static_cast<std::size_t>(stage)].busy_ns; };
  std::int64_t cpu = 0, all = 0;
  for (const StageTime& t : times) {
    cpu += t.cpu_ns;
    all += t.busy_ns;
  }
  if (threads.compute == 1) return all;  // one file after another, one stage after another
  const std::int64_t worked = busy(Stage::to_device) + busy(Stage::compute) + busy(Stage::from_device);
  return std::max(
      {busy(Stage::read) / threads.read, worked / threads.compute, busy(Stage::write) / threads.write, cpu / threads.cores});
}

}  // namespace numjit::map
