// What a thread has set for compiled calls, for another thread that runs in its place what it has pending.
#pragma once

#include <cstdint>

#include <numjit/base/config.h>
#include <numjit/ops/bind.h>
#include <numjit/trace/state/stance.h>

namespace numjit::tracing {

/// Where they stand: valid as long as the thread lives.
struct ThreadSettings {
  const detail::config_overlay** overlay;
  Stance* stance;
  std::uint8_t* device;

  static ThreadSettings of_this_thread();
};

/// Makes them those of this thread while it lives; operations run eagerly meanwhile.
class BorrowedSettings {
 public:
  explicit BorrowedSettings(const ThreadSettings& of);
  ~BorrowedSettings();
  BorrowedSettings(const BorrowedSettings&) = delete;
  BorrowedSettings& operator=(const BorrowedSettings&) = delete;

 private:
  const detail::config_overlay* overlay_;
  Stance stance_;
  std::uint8_t device_;
  interpreter* top_;
  bool recording_;
};

}  // namespace numjit::tracing
