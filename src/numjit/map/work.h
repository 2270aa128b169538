// Who hands out tasks and hears how they ended: a list in this process, or rank 0 of several.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <numjit/map/journal.h>
#include <numjit/map/tasks.h>

namespace numjit::map {

/// A file that could not be mapped.
struct Failure {
  std::vector<std::string> inputs;
  std::string error;
};

/// How far the run is. Written by many threads.
struct Counts {
  std::atomic<std::int64_t> total{0}, done{0}, skipped{0}, failed{0};
  std::int64_t ended() const { return done + skipped + failed; }
};

/// Why no further tasks are begun: a signal, or an error after which others make no sense.
class Stop {
 public:
  bool asked() const { return signal_.load(std::memory_order_relaxed) != 0 || broken_.load(std::memory_order_relaxed); }
  int signal() const { return signal_; }
  /// Async-signal-safe.
  void by_signal(int number) { signal_ = number; }
  void by_error(const std::string& text);
  /// "" if there was none.
  std::string error() const;

 private:
  std::atomic<int> signal_{0};
  std::atomic<bool> broken_{false};
  mutable std::mutex mutex_;
  std::string error_;
};

/// What a source has for those who ask: a task, or that none will come. Neither: all are in hands, from which they may
/// come back, so that one asks again later.
struct TaskOffer {
  std::optional<Task> task;
  bool over = false;
};

class TaskSource {
 public:
  virtual ~TaskSource() = default;
  /// The next task. Over if there is nothing left or the run stops. From many threads.
  virtual TaskOffer next() = 0;
  /// A task ended: with its output in place, or with an error.
  virtual void ended(const Task& task, const std::string& error) = 0;
};

/// The tasks of this process. Finished ones are left out as their turn comes.
class TaskList final : public TaskSource {
 public:
  TaskList(std::vector<Task> tasks, const Journal& journal, const Stop& stop, Counts& counts);
  TaskOffer next() override;
  void ended(const Task& task, const std::string& error) override;
  /// In the order of the tasks.
  std::vector<Failure> failures() const;

 private:
  const std::vector<Task> tasks_;
  const Journal& journal_;
  const Stop& stop_;
  Counts& counts_;
  std::atomic<std::size_t> at_{0};
  mutable std::mutex mutex_;
  std::vector<std::pair<std::size_t, Failure>> failures_;
};

/// One line to stderr about a file that failed.
void tell_failure(const Failure& failure);

}  // namespace numjit::map
