// The queue's threads: workers that compile, a watchdog that gives up on slow ones.
#include <numjit/runtime/kernels/compile_queue.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <pthread.h>
#include <unistd.h>

#include <numjit/base/check_interrupt.h>
#include <numjit/base/interrupt.h>

namespace numjit::runtime {
namespace {

std::atomic<CompileQueue*> the_queue{nullptr};
std::mutex making;
constinit thread_local bool on_queue_thread = false;

/// Starts a thread that takes no signals: those are the program's.
template <class F>
std::thread quiet_thread(F main) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread([main] {
    on_queue_thread = true;
    pthread_setname_np(pthread_self(), "numjit-compile");
    main();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

int most_workers() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1); }

/// Ends with the main thread, before anything else that exit() does. A compile that is still loading the
/// code generator makes static objects, which end before the handler that was registered earlier. One that
/// runs on beyond its time limit uses them until the end: the handler is registered anew, so that it comes
/// next, before all of them.
struct MainThreadEnd {
  ~MainThreadEnd() {
    CompileQueue* queue = the_queue.load();
    if (queue && !queue->stop()) queue->stop_at_exit();
  }
};

// Made while the library is loaded, which the main thread does before main.
[[maybe_unused]] const bool main_thread_watched = [] {
  if (gettid() != getpid()) return false;
  thread_local MainThreadEnd end;
  static_cast<void>(&end);
  return true;
}();

}  // namespace

CompileQueue& CompileQueue::instance() {
  if (CompileQueue* queue = the_queue.load(std::memory_order_acquire)) return *queue;
  std::lock_guard lock(making);
  if (!the_queue.load()) the_queue.store(new CompileQueue);  // immortal: threads use it until the end
  return *the_queue.load();
}

void CompileQueue::push(std::shared_ptr<CompileJob> job) {
  std::lock_guard lock(mutex_);
  if (!registered_) {
    registered_ = true;
    on_exit(at_exit, nullptr);
  }
  ++unfinished_;
  queue_.push_back(std::move(job));
  if (idle_ < static_cast<int>(queue_.size()) && workers_ < most_workers() && !stopping_) {
    threads_.push_back(quiet_thread([this] { worker_main(); }));
    ++workers_;
  }
  work_.notify_one();
}

void CompileQueue::worker_main() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while ((queue_.empty() || paused_ > 0) && !stopping_) {
      ++idle_;
      work_.wait(lock);
      --idle_;
    }
    if (stopping_) break;
    std::shared_ptr<CompileJob> job = std::move(queue_.front());
    queue_.pop_front();
    if (job->timeout_ms > 0) {
      job->deadline_ = CompileJob::clock::now() + std::chrono::milliseconds(job->timeout_ms);
      if (!watched_) threads_.push_back(quiet_thread([this] { watch_main(); }));
      watched_ = true;
      watch_.notify_one();
    }
    running_.push_back(job);
    ++busy_;
    lock.unlock();
    job->run();
    bool in_time = !job->claimed_.exchange(true);
    if (in_time) job->publish();
    lock.lock();
    --busy_;
    running_.erase(std::find(running_.begin(), running_.end(), job));
    if (!in_time) break;  // the watchdog has counted this thread out: another may work in its place
    job->finished_ = true;
    done_.notify_all();
    lock.unlock();
    job->store();
    job.reset();
    lock.lock();
    --unfinished_;
    done_.notify_all();
  }
  done_.notify_all();
}

void CompileQueue::watch_main() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    auto next = CompileJob::clock::time_point::max();
    std::shared_ptr<CompileJob> late;
    for (const auto& job : running_) {
      if (job->claimed_.load()) continue;
      if (job->deadline_ <= CompileJob::clock::now()) late = job;
      next = std::min(next, job->deadline_);
    }
    if (late) {
      if (late->claimed_.exchange(true)) continue;
      --workers_;
      lock.unlock();
      late->expire();
      lock.lock();
      late->finished_ = true;
      --unfinished_;
      done_.notify_all();
      if (!queue_.empty() && !stopping_) {
        threads_.push_back(quiet_thread([this] { worker_main(); }));
        ++workers_;
      }
    } else if (next == CompileJob::clock::time_point::max()) {
      watch_.wait(lock);
    } else {
      watch_.wait_until(lock, next);
    }
  }
}

/// Waits until `done`; given up when the thread's runs are. The compiles go on.
template <class Done>
void CompileQueue::wait_for(std::unique_lock<std::mutex>& lock, Done done) {
  while (!done_.wait_for(lock, std::chrono::nanoseconds(numjit::detail::interrupt_every_ns), done)) {
    lock.unlock();
    numjit::detail::check_interrupt();
    lock.lock();
  }
}

void CompileQueue::wait(CompileJob& job) {
  std::unique_lock lock(mutex_);
  wait_for(lock, [&] { return job.finished_ || stopping_; });
}

void CompileQueue::finish(CompileJob& job) {
  std::lock_guard lock(mutex_);
  job.finished_ = true;
  done_.notify_all();
}

void CompileQueue::wait_idle() {
  std::unique_lock lock(mutex_);
  wait_for(lock, [&] { return unfinished_ == 0 || stopping_; });
}

void CompileQueue::stop_at_exit() { on_exit(at_exit, nullptr); }

void CompileQueue::at_exit(int status, void*) {
  CompileQueue* queue = the_queue.load();
  if (!queue || on_queue_thread || queue->stop()) return;
  std::fflush(nullptr);
  _exit(status);
}

bool CompileQueue::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  queue_.clear();
  unfinished_ = 0;
  work_.notify_all();
  watch_.notify_all();
  done_.notify_all();
  // A compile can't be killed, and must not run while the libraries it uses are torn down. One that
  // has passed its time limit is not waited for: then the process ends without tearing down.
  auto until = CompileJob::clock::now();
  for (const auto& job : running_)
    if (!job->claimed_.load()) until = std::max(until, job->deadline_);
  auto quiet = [&] { return busy_ == 0; };
  if (until == CompileJob::clock::time_point::max()) {
    done_.wait(lock, quiet);
  } else if (!done_.wait_until(lock, until, quiet)) {
    for (std::thread& thread : threads_) thread.detach();  // nobody joins them any more
    threads_.clear();
    return false;
  }
  std::vector<std::thread> threads = std::move(threads_);
  threads_.clear();
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  return true;
}

void CompileQueue::pause() {
  constexpr std::chrono::seconds patience(2);
  std::unique_lock lock(mutex_);
  ++paused_;
  if (!on_queue_thread) done_.wait_for(lock, patience, [&] { return busy_ == 0; });
}

void CompileQueue::after_fork() {
  --paused_;
  if (!queue_.empty()) work_.notify_all();
  mutex_.unlock();
}

bool CompileQueue::replace_in_child() {
  CompileQueue* before = the_queue.load();
  bool was_busy = before && before->busy_ > 0;
  // The old one is left as it is: its mutex, waiters and threads belong to the parent.
  the_queue.store(nullptr);
  return was_busy;
}

}  // namespace numjit::runtime
