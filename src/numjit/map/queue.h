// What stands between threads: a queue with an end, and a budget of bytes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

namespace numjit::map {

/// At most `capacity` items wait; ended when its last producer has left.
template <class T>
class BoundedQueue {
 public:
  BoundedQueue(std::size_t capacity, int producers) : capacity_(capacity), producers_(producers) {}

  void push(T item) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] { return items_.size() < capacity_; });
    items_.push_back(std::move(item));
    ready_.notify_one();
  }
  /// Nothing when all producers have left and the queue is empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return !items_.empty() || producers_ == 0; });
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    room_.notify_one();
    return item;
  }
  void producer_left() {
    std::lock_guard lock(mutex_);
    if (--producers_ == 0) ready_.notify_all();
  }

 private:
  const std::size_t capacity_;
  int producers_;
  std::deque<T> items_;
  std::mutex mutex_;
  std::condition_variable room_, ready_;
};

/// Bytes that files in flight share. One that alone is too large gets all of it.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t bytes) : bytes_(bytes) {}
  void acquire(std::int64_t bytes) {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return used_ == 0 || used_ + bytes <= bytes_; });
    used_ += bytes;
  }
  void release(std::int64_t bytes) {
    std::lock_guard lock(mutex_);
    used_ -= bytes;
    freed_.notify_all();
  }

 private:
  const std::int64_t bytes_;
  std::int64_t used_ = 0;
  std::mutex mutex_;
  std::condition_variable freed_;
};

}  // namespace numjit::map
