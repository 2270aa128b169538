// The processor, devices with memory of their own, and the choice among them.
#include <numjit/map/device.h>

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include <numjit/array/remote.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/device/memory.h>

namespace numjit::map {
namespace {

/// Calls under a scope of the device, which on the CPU keeps config.device out.
class OnDevice : public Computer {
 public:
  explicit OnDevice(const ComputerOptions& options) : name_(options.device), threads_(options.threads) {}
  std::vector<array> run(const Job& job, const std::vector<array>& inputs) override {
    return in_scope([&] { return job.run(inputs); });
  }
  std::vector<array> run_part(const Job& job, const tracing::ProgramEntry& entry, const std::vector<array>& inputs) override {
    return in_scope([&] { return job.run_part(entry, inputs); });
  }

 protected:
  template <class Call>
  std::vector<array> in_scope(const Call& call) const {
    const config_scope scope(config_options{.threads = threads_});
    const device on(name_);
    return call();
  }
  const std::string name_;

 private:
  const int threads_;
};

/// A device with memory of its own.
class Elsewhere final : public OnDevice {
 public:
  explicit Elsewhere(const ComputerOptions& options) : OnDevice(options), index_(detail::device_index(options.device)) {}

  bool moves_data() const override { return true; }

  std::vector<array> upload(std::vector<array> inputs, const std::vector<bool>& common) override {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (i >= common.size() || !common[i]) {
        inputs[i] = inputs[i].to(name_);
        continue;
      }
      auto& [host, there] = common_[i];
      if (host.empty_handle() || host.get() != inputs[i].get()) {
        host = inputs[i];
        there = host.to(name_);
      }
      inputs[i] = there;
    }
    synchronize();
    return inputs;
  }

  std::vector<array> run(const Job& job, const std::vector<array>& inputs) override {
    std::vector<array> results = OnDevice::run(job, inputs);
    synchronize();
    return results;
  }
  std::vector<array> run_part(const Job& job, const tracing::ProgramEntry& entry, const std::vector<array>& inputs) override {
    std::vector<array> results = OnDevice::run_part(job, entry, inputs);
    synchronize();
    return results;
  }

  std::vector<array> download(std::vector<array> results) override {
    for (array& a : results) a = a.to("cpu");
    return results;
  }

 private:
  /// Each stage takes the time of its own work, which others of the process overlap by streams of theirs.
  void synchronize() const { devices::device(index_).stream().synchronize(); }

  struct Common {
    array host, there;
  };
  const std::uint8_t index_;
  std::map<std::size_t, Common> common_;  // by argument
};

const devices::Driver* driver_of(std::string_view kind) {
  for (const devices::Driver& driver : devices::drivers())
    if (driver.kind == kind) return &driver;
  return nullptr;
}

/// What arrays of this process may take of a device: what is free there, or its limit, shared among the ranks.
std::int64_t memory_of(std::uint8_t index, int sharers) {
  devices::Device& device = devices::device(index);
  const std::int64_t limit = devices::memory_stats(index).limit;
  const std::uint64_t free = device.free_bytes() ? device.free_bytes() : device.info().memory;
  const std::int64_t usable = static_cast<std::int64_t>(free / 10 * 9);  // programs and streams need some as well
  return std::max<std::int64_t>(1, (limit > 0 ? std::min(limit, usable) : usable) / sharers);
}

}  // namespace

ChosenDevice choose_device(const std::string& wanted, int local_rank, int local_count) {
  std::string name = wanted.empty() ? std::string(config().device) : wanted;
  if (!detail::is_device_name(name))
    throw ValueError("map", fmt::format("--device: got '{}', expected {}.", name, detail::device_names));
  if (name.starts_with("cpu")) return {};
  int sharers = local_count;
  const devices::Driver* driver = driver_of(name);
  std::string why;
  if (const int count = driver ? driver->count(why) : 0; count > 0) {
    // Without a number, the ranks of this machine go round the devices of the kind.
    name += fmt::format(":{}", local_rank % count);
    sharers = (local_count - local_rank % count + count - 1) / count;
  }
  try {
    const std::uint8_t index = detail::device_index(name);
    return {detail::device_name(index), memory_of(index, sharers)};
  } catch (const DeviceError& e) {
    const std::string_view text = e.what();
    throw DeviceError("map", fmt::format("--device: {}", text.substr(text.starts_with("[device] ") ? 9 : 0)));
  }
}

std::unique_ptr<Computer> make_computer(const ComputerOptions& options) {
  if (options.device == "cpu") return std::make_unique<OnDevice>(options);
  return std::make_unique<Elsewhere>(options);
}

}  // namespace numjit::map
