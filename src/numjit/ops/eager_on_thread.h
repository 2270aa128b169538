// Ops of this thread run eagerly for a scope, whatever interpreter is on top.
#pragma once

#include <utility>

#include <numjit/ops/bind.h>

namespace numjit::detail {

/// For code of users that runs while a segment does, or instead of one: what it calls is not recorded.
class [[nodiscard]] eager_on_thread {
 public:
  eager_on_thread()
      : top_(std::exchange(top_interpreter, nullptr)), recording_(std::exchange(recording, false)) {}
  ~eager_on_thread() {
    top_interpreter = top_;
    recording = recording_;
  }
  eager_on_thread(const eager_on_thread&) = delete;
  eager_on_thread& operator=(const eager_on_thread&) = delete;

 private:
  interpreter* top_;
  bool recording_;
};

}  // namespace numjit::detail
