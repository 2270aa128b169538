// Devices for users: lists, memory, and what the host did in their place.
#include <numjit/np_cuda_graphs.h>
#include <numjit/np_devices.h>

#include <fmt/format.h>

#include <numjit/array/remote.h>
#include <numjit/base/buffer_pool.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/device/launch_list.h>
#include <numjit/device/memory.h>

namespace numjit {
namespace {

device_info info_of(const devices::DeviceInfo& d) {
  return {d.name, d.model, d.driver, static_cast<std::int64_t>(d.memory), d.units, d.capability};
}

/// The index of a device that has memory of its own.
std::uint8_t index_of(std::string_view name) {
  const std::uint8_t index = detail::device_index(name);
  if (index == 0)
    throw ValueError("device", fmt::format("memory of '{}' is the host's: expected 'cuda' or 'opencl'. See "
                                           "config.memory_limit.",
                                           name));
  return index;
}

}  // namespace

std::vector<device_info> list_devices() {
  std::vector<device_info> all;
  for (const devices::DeviceInfo& d : devices::list()) all.push_back(info_of(d));
  return all;
}

device_memory device_memory_usage(std::string_view device) {
  const devices::MemoryStats s = devices::memory_stats(index_of(device));
  return {s.in_use, s.peak, s.cached, s.limit, s.trims};
}
void set_device_memory_limit(std::string_view device, std::int64_t bytes) {
  devices::set_memory_limit(index_of(device), bytes);
}
void trim_device_memory(std::string_view device) { devices::trim(index_of(device)); }

std::vector<host_work> device_host_work() {
  std::vector<host_work> all;
  for (const devices::HostNote& n : devices::host_notes()) all.push_back({n.device, n.op, n.count, n.bytes});
  return all;
}

device_transfers transfer_counts() {
  const devices::TransferCounts t = devices::transfers();
  return {t.in, t.in_bytes, t.out, t.out_bytes};
}

namespace cuda {

info_report info() {
  info_report report;
  for (const devices::Driver& driver : devices::drivers()) {
    if (driver.kind != "cuda") continue;
    const int count = driver.count(report.reason);
    try {
      for (int i = 0; i < count; ++i)
        report.devices.push_back(info_of(devices::device(devices::open(fmt::format("cuda:{}", i))).info()));
    } catch (const error& e) {
      report.reason = e.what();
    }
  }
  report.available = !report.devices.empty();
  if (report.available) report.driver = report.devices.front().driver;
  return report;
}

std::string info_report::str() const {
  if (!available) return fmt::format("CUDA: not available, {}\n", reason);
  std::string text = fmt::format("CUDA: {}\n", driver);
  for (const device_info& d : devices)
    text += fmt::format("  {}  {}, sm_{}, {} multiprocessors, {}\n", d.name, d.model, d.capability, d.units,
                        detail::format_bytes(static_cast<std::uint64_t>(d.memory)));
  return text;
}

void use_graphs(bool on) { config().cuda_graphs = on; }
bool uses_graphs() { return config().cuda_graphs; }

graph_counts count_graphs() {
  const devices::GraphCounts c = devices::graph_counts();
  return {c.kept, c.repeated, c.launched, c.refused};
}

}  // namespace cuda
}  // namespace numjit
