// Names of devices, and copies between them.
#include <numjit/array/remote.h>

#include <cstring>

#include <numjit/base/error.h>

namespace numjit::detail {

constinit remote_hooks remote{};

namespace {

// "cuda", "cuda:1": the kind of device, or an error for what is no device name.
std::string_view device_kind(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view kind = name.substr(0, colon);
  const std::string_view number = colon == std::string_view::npos ? "0" : name.substr(colon + 1);
  const bool known = kind == "cpu" || kind == "cuda" || kind == "opencl";
  if (!known || number.empty() || number.size() > 3 ||
      number.find_first_not_of("0123456789") != std::string_view::npos)
    throw ValueError("device", "unknown device: got '" + std::string(name) +
                                   "', expected 'cpu', 'cuda', 'opencl', or one of these with a number, as "
                                   "'cuda:0'.");
  return kind;
}

}  // namespace

std::uint8_t device_index(std::string_view name) {
  if (device_kind(name) == "cpu") return 0;
  if (!remote.open)
    throw DeviceError("device", "'" + std::string(name) +
                                    "' can't be used: this build runs on the CPU only. Expected 'cpu'.");
  return remote.open(name);
}

std::string device_name(std::uint8_t device) { return device == 0 ? "cpu" : remote.name(device); }

void throw_mixed_devices(std::string_view op, std::uint8_t a, std::uint8_t b) {
  throw DeviceError(std::string(op), "arrays on different devices: got " + device_name(a) + " and " + device_name(b) +
                                         ", expected one device. Move one with x.to(...), or open an np::device "
                                         "scope, which moves arguments in.");
}

node* copy_to_device(const node* n, std::uint8_t device) { return remote.copy(n, device); }

}  // namespace numjit::detail
