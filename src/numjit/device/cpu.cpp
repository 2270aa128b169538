// The CPU as a device among others: memory of the host, work at once. Kernels do not come this way.
#include <cstdlib>
#include <cstring>
#include <thread>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/error.h>
#include <numjit/device/device.h>

namespace numjit::devices {
namespace {

class CpuStream final : public Stream {
 public:
  void copy_in(address to, const void* from, std::size_t bytes) override { std::memcpy(pointer(to), from, bytes); }
  void copy_out(void* to, address from, std::size_t bytes) override { std::memcpy(to, pointer(from), bytes); }
  void copy(address to, address from, std::size_t bytes) override { std::memmove(pointer(to), pointer(from), bytes); }
  void launch(Program&, const char* entry, const LaunchShape&, std::span<const KernelArgument>) override {
    throw DeviceError("device", std::string("cpu: got a launch of ") + entry +
                                    ", expected none: the CPU runs kernels by the executor.");
  }
  std::unique_ptr<Event> record() override { return std::make_unique<Event>(); }
  void wait(const Event&) override {}
  void synchronize() override {}

 private:
  static void* pointer(address a) { return reinterpret_cast<void*>(a); }
};

class CpuDevice final : public Device {
 public:
  CpuDevice() {
    info_.name = "cpu";
    info_.model = "the processor";
    info_.memory = static_cast<std::uint64_t>(numjit::detail::physical_memory());
    info_.units = static_cast<int>(std::thread::hardware_concurrency());
  }
  const DeviceInfo& info() const override { return info_; }
  address allocate(std::size_t bytes) override {
    return reinterpret_cast<address>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  }
  void free(address memory) noexcept override { std::free(reinterpret_cast<void*>(memory)); }
  Stream& stream() override { return stream_; }
  std::unique_ptr<Program> load(std::string_view) override {
    throw DeviceError("device", "cpu: got device code, expected none: the CPU runs kernels by the executor.");
  }
  std::string kernel_target() const override { return ""; }

 private:
  DeviceInfo info_;
  CpuStream stream_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() { return std::make_unique<CpuDevice>(); }

}  // namespace numjit::devices
