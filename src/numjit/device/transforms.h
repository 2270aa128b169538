// Fourier transforms by a library of a device's maker: what runtime/ asks for, and cufft.cpp does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <numjit/device/device.h>

namespace numjit::devices {

enum class TransformKind : std::uint8_t { forward, backward, from_real, to_real };

/// `count` lines one after the other, without a factor: of `n` complex numbers; from `n` real ones to the first n / 2 + 1
/// of their transform, or back. `from` is not `to`; on the way back to real numbers it may be overwritten.
struct Transform {
  TransformKind kind{};
  bool single = false;  // float32 and complex64, else float64 and complex128
  std::int64_t n = 0, count = 0;
  address from = 0, to = 0;
};

class Transforms {
 public:
  virtual ~Transforms() = default;
  /// Gives the work to the stream that this belongs to. False: it can't. DeviceError with the library's own error.
  virtual bool run(const Transform& transform) = 0;
  /// What the last run() needs on the device, for as long as its work may be done again: null if that is nothing.
  virtual std::shared_ptr<const void> in_use() { return nullptr; }
};

/// cuFFT for a CUDA stream, whose context is current; null where it is not there: `why` says so.
std::unique_ptr<Transforms> open_cufft(const std::string& device, void* stream, std::string& why);

}  // namespace numjit::devices
