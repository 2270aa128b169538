// Ops of this thread run eagerly for a scope, whatever interpreter is on top.
#pragma once

#include <cstdint>
#include <utility>

#include <numjit/ops/bind.h>

namespace numjit::detail {

/// How many of the extents below are open on this thread.
inline constinit thread_local int eager_extents [[gnu::tls_model("initial-exec")]] = 0;
/// Changes whenever a scope that has a say in who carries out ops comes or goes.
inline constinit thread_local std::uint32_t interpreter_changes [[gnu::tls_model("initial-exec")]] = 0;
/// Asks the scopes that are open; set by trace/ before main.
using InterpreterFinder = void (*)() noexcept;
extern constinit InterpreterFinder find_interpreter;

/// For code of users that runs while a segment does, or instead of one: what it calls is not recorded.
class [[nodiscard]] eager_on_thread {
 public:
  eager_on_thread()
      : top_(std::exchange(own_context.top_interpreter, nullptr)),
        base_(std::exchange(own_context.base_interpreter, nullptr)),
        recording_(std::exchange(recording, false)),
        changes_(interpreter_changes) {
    ++eager_extents;
  }
  ~eager_on_thread() {
    --eager_extents;
    own_context.top_interpreter = top_;
    own_context.base_interpreter = base_;
    recording = recording_;
    // That code may have ended scopes from before it, and left some of its own open.
    if (changes_ != interpreter_changes) [[unlikely]]
      find_interpreter();
  }
  eager_on_thread(const eager_on_thread&) = delete;
  eager_on_thread& operator=(const eager_on_thread&) = delete;

 private:
  interpreter *top_, *base_;
  bool recording_;
  std::uint32_t changes_;
};

}  // namespace numjit::detail
