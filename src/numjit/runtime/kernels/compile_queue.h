// Background threads for compiles, with a time limit per job and an orderly end of the process.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace numjit::runtime {

/// One piece of background work. Exactly one of publish() and expire() is called.
class CompileJob {
 public:
  virtual ~CompileJob() = default;
  virtual void run() noexcept = 0;      // the work; keeps its result to itself
  virtual void publish() noexcept = 0;  // run() ended in time
  virtual void store() noexcept = 0;    // after publish(); those who wait for the job don't wait for this
  virtual void expire() noexcept = 0;   // the time limit passed: run() goes on, but its result is dropped
  std::int64_t timeout_ms = 0;          // 0: none

 private:
  friend class CompileQueue;
  using clock = std::chrono::steady_clock;
  std::atomic<bool> claimed_{false};
  bool finished_ = false;  // under the queue's mutex
  clock::time_point deadline_ = clock::time_point::max();
};

class CompileQueue {
 public:
  static CompileQueue& instance();

  /// Queues a job; starts a thread for it if none is free and the cores allow (at least one).
  void push(std::shared_ptr<CompileJob> job);
  /// Waits until the job is published or expired, or finish() is called on it.
  void wait(CompileJob& job);
  /// For a job that turned out not to be needed.
  void finish(CompileJob& job);
  /// Waits until every job pushed so far and later is stored or expired.
  void wait_idle();

  /// From now on an exit of the process drops what is queued and waits for what runs. Each call
  /// registers again, to come before what was loaded since.
  void stop_at_exit();
  /// Drops what is queued and waits for what runs. False if a compile runs on beyond its time limit.
  bool stop();

  /// Fork handlers, called by the kernel cache in its own. No compile begins from pause() on, and those at work are waited
  /// for: the code generator's locks would never open in the child. One that takes longer than most is given up on.
  void pause();
  void before_fork() { mutex_.lock(); }
  void after_fork();
  /// In the child there are no threads: a new queue takes over. True if a job was running.
  static bool replace_in_child();

 private:
  void worker_main();
  void watch_main();
  static void at_exit(int status, void*);
  template <class Done>
  void wait_for(std::unique_lock<std::mutex>& lock, Done done);

  std::mutex mutex_;
  std::condition_variable work_, watch_, done_;
  std::deque<std::shared_ptr<CompileJob>> queue_;
  std::vector<std::shared_ptr<CompileJob>> running_;
  std::vector<std::thread> threads_;
  int workers_ = 0, idle_ = 0, busy_ = 0;  // busy_: inside run(), expired ones included
  std::int64_t unfinished_ = 0;
  int paused_ = 0;  // forks about to happen
  bool watched_ = false, stopping_ = false, registered_ = false;
};

}  // namespace numjit::runtime
