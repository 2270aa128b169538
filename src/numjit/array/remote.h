// Arrays whose storage lies on a device, as code that computes on the host sees them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <numjit/array/node.h>
#include <numjit/base/device_name.h>
#include <numjit/base/thread_context.h>

namespace numjit::detail {

/// What the device layer does for the rest. Nodes with the flag `remote` exist only where it is linked in, so
/// that nobody else needs to ask for null.
///
/// The `data` of a remote node is an address of the host: that of its host copy, which may be stale and whose
/// pages may not even be there. Views, overlap and identity work on it as on any other; reading or writing
/// through it has to be announced.
struct remote_hooks {
  /// The host copy is current afterwards; the device's stays current too.
  void (*read)(const node* n);
  /// The host copy is current afterwards, and the device's is stale: the host is about to write.
  void (*write)(const node* n);
  /// Makes a host array (which owns its storage) one of a device. Its memory becomes the host copy.
  void (*adopt)(node* n, std::uint8_t device);
  /// A new array on a device (0: on the host) with the elements of `n`. One reference.
  node* (*copy)(const node* n, std::uint8_t device);
  /// "opencl:0". ValueError for what is no device name, DeviceError for a device that is not there.
  std::uint8_t (*open)(std::string_view name);
  const std::string& (*name)(std::uint8_t device);
  /// Says that the host computes what arrays of a device asked for.
  void (*note)(std::uint8_t device, std::string_view op, std::int64_t bytes);
};
extern constinit remote_hooks remote;

/// What thread_context::scope_device is for the CPU.
inline constexpr std::uint8_t cpu_scope = 0xff;

/// The index of config.device. Errors as device_index.
std::uint8_t configured_device();
/// Where new arrays and compiled calls of this thread belong: to the innermost scope's device, else to config.device.
inline std::uint8_t device_now() {
  const std::uint8_t scope = own_context.scope_device;
  if (scope == 0) [[likely]]
    return config_names_device.load(std::memory_order_relaxed) ? configured_device() : std::uint8_t{0};
  return scope == cpu_scope ? std::uint8_t{0} : scope;
}

/// The memory of `n` may be read afterwards.
inline const node* readable_on_host(const node* n) {
  if (n->is(node::remote)) [[unlikely]] remote.read(n);
  return n;
}
/// The memory of `n` may be read and written afterwards.
inline node* writable_on_host(node* n) {
  if (n->is(node::remote)) [[unlikely]] remote.write(n);
  return n;
}

/// 0 for "cpu", else the device's index, opened if it is not yet. Errors as remote_hooks::open; DeviceError in
/// a build without devices.
std::uint8_t device_index(std::string_view name);
/// "cpu" or the name of the device.
std::string device_name(std::uint8_t device);
/// A new array with the elements of `n` (concrete) on a device. One reference.
node* copy_to_device(const node* n, std::uint8_t device);
/// DeviceError that names both devices of operands.
[[noreturn]] void throw_mixed_devices(std::string_view op, std::uint8_t a, std::uint8_t b);
/// A view has got its place in the storage of `owner`, which is remote.
inline void share_device(node* view, const node* owner) {
  view->device = owner->device;
  view->flags |= node::remote;
  refresh_signature(view);
}
/// A new array of the host goes where new arrays belong.
inline void place_in_scope(node* n) {
  if (const std::uint8_t device = device_now(); device != 0) [[unlikely]] remote.adopt(n, device);
}

}  // namespace numjit::detail
