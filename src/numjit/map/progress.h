// How far the run is, while it runs: a bar on a terminal, lines elsewhere.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include <numjit/map/work.h>

namespace numjit::map {

class Progress {
 public:
  /// Nothing is shown unless `on`.
  Progress(const Counts& counts, bool on);
  /// Shows how it ended.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void run();
  void draw_bar(bool last) const;
  void print_line() const;

  const Counts& counts_;
  const std::int64_t began_;
  bool terminal_ = false, over_ = false;
  std::mutex mutex_;
  std::condition_variable end_;
  std::thread thread_;
};

}  // namespace numjit::map
