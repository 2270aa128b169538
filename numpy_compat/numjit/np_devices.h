// Devices besides the CPU: which there are, their memory, and what the host did in their place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace numjit {

/// One device, as np::list_devices() and np::cuda::info() give it.
struct device_info {
  std::string name;            // "cpu", "opencl:0", "cuda:1": for np::device, a.to, {.device = ...}
  std::string model;
  std::string driver;
  std::int64_t memory = 0;     // bytes
  int units = 0;               // multiprocessors
  int capability = 0;          // 90 for sm_90; 0 of devices that have no such number
};

/// All devices of this machine that np::device takes, the CPU first.
///   for (const auto& d : np::list_devices()) std::cout << d.name << "  " << d.model << "\n";
std::vector<device_info> list_devices();

/// Memory that arrays of a device take, in bytes.
struct device_memory {
  std::int64_t in_use = 0;
  std::int64_t peak = 0;
  std::int64_t cached = 0;     // kept for the next arrays: np::trim_device_memory gives it back
  std::int64_t limit = 0;      // 0: what the device has
  std::int64_t trims = 0;      // times memory ran out and what was cached was given back
};
/// Errors of these as np::device: ValueError for a name that is none, DeviceError for a device that is not there.
device_memory device_memory_usage(std::string_view device);
/// Arrays that would take more are a MemoryError that tells the sizes. ValueError for negative limits.
void set_device_memory_limit(std::string_view device, std::int64_t bytes);
void trim_device_memory(std::string_view device);

/// An operation on arrays of a device that the host computed, since there is no kernel for it there.
struct host_work {
  std::string device, op;
  std::int64_t count = 0;
  std::int64_t bytes = 0;      // of its operands and results
};
/// Since start, what moved most first.
std::vector<host_work> device_host_work();

/// Copies between host and devices since start.
struct device_transfers {
  std::int64_t in = 0, in_bytes = 0;    // to devices
  std::int64_t out = 0, out_bytes = 0;  // from devices
};
device_transfers transfer_counts();

namespace cuda {

/// What np::cuda::info() tells; prints well.
struct info_report {
  bool available = false;
  std::string reason;          // why it is not
  std::string driver;          // "CUDA 13.0"
  std::vector<device_info> devices;
  std::string str() const;
};
/// Is there CUDA on this machine, and if not, why. Never an error.
info_report info();

}  // namespace cuda
}  // namespace numjit
