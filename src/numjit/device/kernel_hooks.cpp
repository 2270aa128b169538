// Launches of generated kernels: device code by content and device, arguments as the driver wants them.
#include <numjit/device/kernel_hooks.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/device/launch_list.h>

namespace numjit::devices {
namespace {

/// A kernel's device code, loaded where it was first run.
struct KernelState {
  std::string source;
  std::mutex mutex;
  std::array<std::unique_ptr<Program>, 64> programs;  // by device
};

constinit thread_local LaunchScope* current = nullptr;
std::atomic<std::int64_t> launches{0};

int initialize(void** state, const char* source, int size) noexcept {
  // Two threads may come at once: the first one's state stays.
  auto* made = new KernelState;
  made->source.assign(source, strnlen(source, static_cast<std::size_t>(size)));
  void* expected = nullptr;
  if (!std::atomic_ref<void*>(*state).compare_exchange_strong(expected, made)) delete made;
  return 0;
}

int run(void* state, const char* entry, const int* shape, const std::size_t* sizes, void** arguments,
        const std::int8_t* is_buffer) noexcept {
  LaunchScope& scope = *current;
  if (scope.failure) return -1;
  try {
    auto& kernel = *static_cast<KernelState*>(state);
    Program* program = nullptr;
    {
      std::lock_guard lock(kernel.mutex);
      std::unique_ptr<Program>& loaded = kernel.programs[scope.device];
      if (!loaded) loaded = device(scope.device).load(kernel.source);
      program = loaded.get();
    }
    constexpr std::size_t most = 256;
    KernelArgument list[most];
    std::size_t count = 0;
    for (; sizes[count] != 0; ++count) {
      if (count == most) throw DeviceError("device", "a kernel has more than 256 arguments.");
      list[count].is_address = is_buffer[count] != 0;
      list[count].value = arguments[count];  // a buffer's first field is its address on the device (kernels/abi.h)
      list[count].size = sizes[count];
    }
    const LaunchShape launch{{shape[0], shape[1], shape[2]}, {shape[3], shape[4], shape[5]}, shape[6]};
    if (launch.blocks[0] <= 0 || launch.blocks[1] <= 0 || launch.blocks[2] <= 0) return 0;
    scope.stream.launch(*program, entry, launch, {list, count});
    if (scope.list) scope.list->add(*program, entry, launch, {list, count});
    ++scope.launches;
    count_launches(1);
    return 0;
  } catch (...) {
    scope.failure = std::current_exception();
    return -1;
  }
}

}  // namespace

const KernelHooks& kernel_hooks() {
  static constexpr KernelHooks hooks{initialize, run};
  return hooks;
}

void release_kernel_state(void* state) noexcept { delete static_cast<KernelState*>(state); }

LaunchScope::LaunchScope(std::uint8_t on, Stream& in) : device(on), stream(in), outer_(std::exchange(current, this)) {}
LaunchScope::~LaunchScope() { current = outer_; }

void LaunchScope::check() {
  if (failure) [[unlikely]] std::rethrow_exception(std::exchange(failure, nullptr));
}

std::int64_t launch_count() { return launches.load(std::memory_order_relaxed); }
void count_launches(std::int64_t n) { launches.fetch_add(n, std::memory_order_relaxed); }

}  // namespace numjit::devices
