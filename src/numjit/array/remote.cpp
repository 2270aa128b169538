// Names of devices, and copies between them.
#include <numjit/array/remote.h>

#include <cstring>

#include <numjit/array/devices_met.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>

namespace numjit::detail {

constinit remote_hooks remote{};
constinit std::atomic<bool> devices_met = false;

namespace {

bool is_cpu(std::string_view name) { return name.substr(0, name.find(':')) == "cpu"; }

}  // namespace

std::uint8_t device_index(std::string_view name) {
  if (!is_device_name(name))
    throw ValueError("device", "unknown device: got '" + std::string(name) + "', expected " + device_names + ".");
  if (is_cpu(name)) return 0;
  if (!remote.open)
    throw DeviceError("device", "'" + std::string(name) +
                                    "' can't be used: this build runs on the CPU only. Expected 'cpu'.");
  const std::uint8_t index = remote.open(name);
  devices_met.store(true, std::memory_order_relaxed);
  return index;
}

std::uint8_t configured_device() {
  // Texts of settings are never freed, and devices keep their index.
  static constinit thread_local const std::string* known = nullptr;
  static constinit thread_local std::uint8_t index = 0;
  const std::string& name = config().device;
  if (known != &name) {
    index = device_index(name);
    known = &name;
  }
  return index;
}

std::string device_name(std::uint8_t device) { return device == 0 ? "cpu" : remote.name(device); }

void throw_mixed_devices(std::string_view op, std::uint8_t a, std::uint8_t b) {
  throw DeviceError(std::string(op), "arrays on different devices: got " + device_name(a) + " and " + device_name(b) +
                                         ", expected one device. Move one with x.to(...), or open an np::device "
                                         "scope, which moves arguments in.");
}

node* copy_to_device(const node* n, std::uint8_t device) { return remote.copy(n, device); }

}  // namespace numjit::detail
