// Giving up a long operation between the pieces that the thread pool makes of it.
#pragma once

#include <cstdint>
#include <exception>

namespace numjit {

/// Leaves an operation that was given up: what it was writing is incomplete. No numjit::error: nothing tries another way.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

namespace detail {

/// Asked on the thread that called a long run of the pool, between pieces; true: the run throws Interrupted.
using interrupt_question = bool (*)();

/// From one question to the next.
inline constexpr std::int64_t interrupt_every_ns = 40'000'000;

/// Runs of this thread ask `question` while the object lives, at most every interrupt_every_ns; null: they don't. Those
/// whose estimate is longer are cut into pieces that are not.
class [[nodiscard]] Interruptible {
 public:
  explicit Interruptible(interrupt_question question);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  interrupt_question before_;
};

}  // namespace detail
}  // namespace numjit
