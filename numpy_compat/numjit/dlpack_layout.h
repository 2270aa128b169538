// DLPack's structures (versions 0.x and 1.x) and the exchange that C++ and Python share.
#pragma once

#include <cstdint>

#include <numjit/array/array.h>

namespace numjit::detail::dl {

struct Device { std::int32_t type, id; };
struct DataType { std::uint8_t code, bits; std::uint16_t lanes; };
struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct ManagedVersioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};
constexpr std::uint64_t readonly = 1, copied = 2;
constexpr std::int32_t cpu = 1;

/// A tensor that holds the (concrete) array.
Managed* make(const array& a);
ManagedVersioned* make_versioned(const array& a, bool copied);

/// An array that holds the tensor and calls `release(tensor)` at last: by default the tensor's deleter.
array take(Managed* m, void (*release)(void*) = nullptr);
array take(ManagedVersioned* m, void (*release)(void*) = nullptr);

}  // namespace numjit::detail::dl
