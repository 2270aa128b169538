// Settings of one thread on another.
#include <numjit/trace/state/thread_settings.h>

#include <utility>

#include <numjit/array/remote.h>

namespace numjit::tracing {

ThreadSettings ThreadSettings::of_this_thread() { return {&detail::current_overlay, &thread_stance, &detail::scope_device}; }

BorrowedSettings::BorrowedSettings(const ThreadSettings& of)
    : overlay_(std::exchange(detail::current_overlay, *of.overlay)),
      stance_(std::exchange(thread_stance, *of.stance)),
      device_(std::exchange(detail::scope_device, *of.device)),
      top_(std::exchange(detail::top_interpreter, nullptr)),
      recording_(std::exchange(detail::recording, false)) {}

BorrowedSettings::~BorrowedSettings() {
  detail::current_overlay = overlay_;
  thread_stance = stance_;
  detail::scope_device = device_;
  detail::top_interpreter = top_;
  detail::recording = recording_;
}

}  // namespace numjit::tracing
