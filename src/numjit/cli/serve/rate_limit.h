// How many requests are taken in a while.
#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>

namespace numjit::cli {

/// A bucket of `burst` tokens that gains `per_second`; each request takes one.
class RateLimit {
 public:
  using clock = std::chrono::steady_clock;

  RateLimit(double per_second, double burst) : per_second_(per_second), burst_(burst), tokens_(burst) {}

  /// False if there is none left at `now`, which never goes back.
  bool take(clock::time_point now = clock::now()) {
    std::lock_guard lock(mutex_);
    tokens_ = std::min(burst_, tokens_ + per_second_ * std::chrono::duration<double>(now - last_).count());
    last_ = now;
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  std::mutex mutex_;
  const double per_second_, burst_;
  double tokens_;
  clock::time_point last_ = clock::now();
};

}  // namespace numjit::cli
