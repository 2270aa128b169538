// One stream a thread and device. A thread that ends leaves its streams to the next one.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include <numjit/device/device.h>

namespace numjit::devices {

/// Belongs to a device, and lives as long: for ever.
class ThreadStreams {
 public:
  /// The calling thread's stream: one it has, one that an ended thread left, or a new one.
  Stream& of_thread(const std::function<Stream*()>& make);
  /// Takes back the stream of a thread that ends.
  void leave(Stream* stream) noexcept;

 private:
  std::mutex mutex_;
  std::vector<Stream*> idle_;
};

}  // namespace numjit::devices
