// Names of devices as settings and options take them, and what config.device asks for.
#pragma once

#include <atomic>
#include <string_view>

namespace numjit::detail {

/// "cpu", "cuda", "opencl", or one of these with a number behind a colon. Whether it is there is another question.
bool is_device_name(std::string_view name);
/// What an error says where a name is none.
inline constexpr const char* device_names =
    "'cpu', 'cuda', 'opencl', or one of these with a number, as 'cuda:0'";

/// True from the first time on that config.device, on any thread, was not "cpu": until then nobody need ask.
extern constinit std::atomic<bool> config_names_device;

/// Opens a device that config.device is set to, or throws what np::device throws. Null in builds without devices.
using DeviceOpener = void (*)(std::string_view name);
extern constinit DeviceOpener open_config_device;

}  // namespace numjit::detail
