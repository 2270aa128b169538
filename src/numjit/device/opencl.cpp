// OpenCL, opened at run time: devices with shared virtual memory, so that an address on the device is a number
// like any other. Runs on pocl, which computes on the CPU, and so tests the GPU schedules on every machine.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/device/device.h>
#include <numjit/device/thread_streams.h>

namespace numjit::devices {
namespace {

// The part of CL/cl.h that is used here.
using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_bitfield = std::uint64_t;
using handle = void*;

constexpr cl_int cl_success = 0;
constexpr cl_bitfield device_type_all = 0xFFFFFFFF, svm_coarse = 1, correctly_rounded = 1 << 7;
constexpr cl_uint device_max_compute_units = 0x1002, device_max_work_group_size = 0x1004,
                  device_single_fp_config = 0x101B, device_global_mem_size = 0x101F,
                  device_local_mem_size = 0x1023, device_name_text = 0x102B, driver_version = 0x102D,
                  device_version = 0x102F, device_double_fp_config = 0x1032,
                  device_svm_capabilities = 0x1053, program_build_log = 0x1183;

#define NUMJIT_OPENCL(X)                                                                                           \
  X(clGetPlatformIDs, cl_int, cl_uint, handle*, cl_uint*)                                                          \
  X(clGetDeviceIDs, cl_int, handle, cl_bitfield, cl_uint, handle*, cl_uint*)                                       \
  X(clGetDeviceInfo, cl_int, handle, cl_uint, std::size_t, void*, std::size_t*)                                    \
  X(clCreateContext, handle, const void*, cl_uint, const handle*, void*, void*, cl_int*)                           \
  X(clCreateCommandQueue, handle, handle, handle, cl_bitfield, cl_int*)                                            \
  X(clCreateProgramWithSource, handle, handle, cl_uint, const char**, const std::size_t*, cl_int*)                 \
  X(clBuildProgram, cl_int, handle, cl_uint, const handle*, const char*, void*, void*)                             \
  X(clGetProgramBuildInfo, cl_int, handle, handle, cl_uint, std::size_t, void*, std::size_t*)                      \
  X(clReleaseProgram, cl_int, handle)                                                                              \
  X(clCreateKernel, handle, handle, const char*, cl_int*)                                                          \
  X(clReleaseKernel, cl_int, handle)                                                                               \
  X(clSetKernelArg, cl_int, handle, cl_uint, std::size_t, const void*)                                             \
  X(clSetKernelArgSVMPointer, cl_int, handle, cl_uint, const void*)                                                \
  X(clEnqueueNDRangeKernel, cl_int, handle, handle, cl_uint, const std::size_t*, const std::size_t*,               \
    const std::size_t*, cl_uint, const handle*, handle*)                                                           \
  X(clEnqueueSVMMemcpy, cl_int, handle, cl_uint, void*, const void*, std::size_t, cl_uint, const handle*, handle*) \
  X(clEnqueueMarkerWithWaitList, cl_int, handle, cl_uint, const handle*, handle*)                                  \
  X(clEnqueueBarrierWithWaitList, cl_int, handle, cl_uint, const handle*, handle*)                                 \
  X(clReleaseEvent, cl_int, handle)                                                                                \
  X(clFlush, cl_int, handle)                                                                                       \
  X(clFinish, cl_int, handle)                                                                                      \
  X(clSVMAlloc, void*, handle, cl_bitfield, std::size_t, cl_uint)                                                  \
  X(clSVMFree, void, handle, void*)

struct Api {
#define NUMJIT_FIELD(name, result, ...) result (*name)(__VA_ARGS__) = nullptr;
  NUMJIT_OPENCL(NUMJIT_FIELD)
#undef NUMJIT_FIELD
  std::string why;              // not usable
  std::vector<handle> devices;  // that can serve
};

/// "" or what the device lacks.
std::string unfit(const Api& cl, handle device) {
  cl_bitfield svm = 0, doubles = 0;
  if (cl.clGetDeviceInfo(device, device_svm_capabilities, sizeof svm, &svm, nullptr) != cl_success || !(svm & svm_coarse))
    return "its OpenCL device has no shared virtual memory (OpenCL 2.0, or 3.0 with the feature, is needed)";
  if (cl.clGetDeviceInfo(device, device_double_fp_config, sizeof doubles, &doubles, nullptr) != cl_success || !doubles)
    return "its OpenCL device has no double precision";
  return "";
}

Api load_api() {
  Api cl;
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    cl.why = "there is no libOpenCL.so.1 (apt-get install ocl-icd-libopencl1, and an OpenCL driver such as pocl-opencl-icd)";
    return cl;
  }
#define NUMJIT_FIND(name, ...)                                                                     \
  cl.name = reinterpret_cast<decltype(cl.name)>(dlsym(library, #name));                            \
  if (!cl.name) {                                                                                  \
    cl.why = "libOpenCL.so.1 has no " #name " (OpenCL 2.0 is needed)";                             \
    return cl;                                                                                     \
  }
  NUMJIT_OPENCL(NUMJIT_FIND)
#undef NUMJIT_FIND
  cl_uint count = 0;
  cl.why = "no OpenCL platform is installed (apt-get install pocl-opencl-icd gives one that computes on the CPU)";
  if (cl.clGetPlatformIDs(0, nullptr, &count) != cl_success || count == 0) return cl;
  std::vector<handle> platforms(count);
  cl.clGetPlatformIDs(count, platforms.data(), nullptr);
  for (handle platform : platforms) {
    cl_uint n = 0;
    if (cl.clGetDeviceIDs(platform, device_type_all, 0, nullptr, &n) != cl_success || n == 0) continue;
    std::vector<handle> devices(n);
    cl.clGetDeviceIDs(platform, device_type_all, n, devices.data(), nullptr);
    for (handle device : devices) {
      const std::string lacks = unfit(cl, device);
      if (lacks.empty())
        cl.devices.push_back(device);
      else
        cl.why = lacks;
    }
  }
  return cl;
}

const Api& api() {
  static const auto& cl = *new Api(load_api());
  return cl;
}

[[noreturn, gnu::cold]] void fail(const std::string& device, const char* what, cl_int code) {
  throw DeviceError("device", fmt::format("{}: {} failed with OpenCL error {}.", device, what, code));
}

std::string text_of(handle device, cl_uint what) {
  std::size_t size = 0;
  if (api().clGetDeviceInfo(device, what, 0, nullptr, &size) != cl_success || size == 0) return "";
  std::string text(size, '\0');
  api().clGetDeviceInfo(device, what, size, text.data(), nullptr);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

template <class T>
T number_of(handle device, cl_uint what) {
  T value{};
  api().clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
  return value;
}

struct ClProgram final : Program {
  handle program = nullptr;
  std::mutex mutex;                       // arguments are set on the kernel before it is queued
  std::map<std::string, handle, std::less<>> kernels;
  ~ClProgram() override {
    for (auto& [name, kernel] : kernels) api().clReleaseKernel(kernel);
    if (program) api().clReleaseProgram(program);
  }
};

struct ClEvent final : Event {
  explicit ClEvent(handle e) : event(e) {}
  ~ClEvent() override { api().clReleaseEvent(event); }
  handle event;
};

class ClStream final : public Stream {
 public:
  ClStream(const std::string& device, handle queue) : device_(device), queue_(queue) {}

  void copy_in(address to, const void* from, std::size_t bytes) override {
    check("a copy to the device", api().clEnqueueSVMMemcpy(queue_, 1, pointer(to), from, bytes, 0, nullptr, nullptr));
  }
  void copy_out(void* to, address from, std::size_t bytes) override {
    check("a copy from the device", api().clEnqueueSVMMemcpy(queue_, 1, to, pointer(from), bytes, 0, nullptr, nullptr));
  }
  void copy(address to, address from, std::size_t bytes) override {
    check("a copy on the device",
          api().clEnqueueSVMMemcpy(queue_, 0, pointer(to), pointer(from), bytes, 0, nullptr, nullptr));
  }
  void launch(Program& program, const char* entry, const LaunchShape& shape,
              std::span<const KernelArgument> arguments) override {
    const Api& cl = api();
    auto& code = static_cast<ClProgram&>(program);
    std::lock_guard lock(code.mutex);
    auto found = code.kernels.find(std::string_view(entry));
    if (found == code.kernels.end()) {
      cl_int status = 0;
      handle kernel = cl.clCreateKernel(code.program, entry, &status);
      check(entry, status);
      found = code.kernels.emplace(entry, kernel).first;
    }
    const handle kernel = found->second;
    cl_uint i = 0;
    for (const KernelArgument& a : arguments) {
      if (a.is_address)
        check("an argument", cl.clSetKernelArgSVMPointer(kernel, i++, pointer(*static_cast<const address*>(a.value))));
      else
        check("an argument", cl.clSetKernelArg(kernel, i++, a.size, a.value));
    }
    // The memory that a block shares comes last, never empty.
    check("an argument", cl.clSetKernelArg(kernel, i, static_cast<std::size_t>(std::max(shape.shared_bytes, 1)), nullptr));
    std::size_t all[3], block[3];
    for (int k = 0; k < 3; ++k) {
      block[k] = static_cast<std::size_t>(shape.threads[k]);
      all[k] = block[k] * static_cast<std::size_t>(shape.blocks[k]);
    }
    check(entry, cl.clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, all, block, 0, nullptr, nullptr));
  }
  std::unique_ptr<Event> record() override {
    handle event = nullptr;
    check("an event", api().clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &event));
    check("a flush", api().clFlush(queue_));
    return std::make_unique<ClEvent>(event);
  }
  void wait(const Event& event) override {
    const handle e = static_cast<const ClEvent&>(event).event;
    check("a wait", api().clEnqueueBarrierWithWaitList(queue_, 1, &e, nullptr));
  }
  void synchronize() override { check("the work given to it", api().clFinish(queue_)); }

 private:
  static void* pointer(address a) { return reinterpret_cast<void*>(a); }
  void check(const char* what, cl_int code) const {
    if (code != cl_success) [[unlikely]] fail(device_, what, code);
  }

  const std::string& device_;
  handle queue_;
};

class ClDevice final : public Device {
 public:
  ClDevice(handle id, int number) : id_(id) {
    const Api& cl = api();
    info_.name = fmt::format("opencl:{}", number);
    info_.model = text_of(id, device_name_text);
    info_.driver = text_of(id, device_version) + ", driver " + text_of(id, driver_version);
    info_.memory = number_of<std::uint64_t>(id, device_global_mem_size);
    info_.units = static_cast<int>(number_of<cl_uint>(id, device_max_compute_units));
    info_.threads_per_block = static_cast<int>(number_of<std::size_t>(id, device_max_work_group_size));
    info_.shared_bytes = number_of<std::uint64_t>(id, device_local_mem_size);
    info_.exact_float32 = (number_of<cl_bitfield>(id, device_single_fp_config) & correctly_rounded) != 0;
    cl_int status = 0;
    context_ = cl.clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status);
    if (status != cl_success) fail(info_.name, "clCreateContext", status);
  }

  const DeviceInfo& info() const override { return info_; }

  address allocate(std::size_t bytes) override {
    return reinterpret_cast<address>(api().clSVMAlloc(context_, 1 /* read and write */, bytes, 0));
  }
  void free(address memory) noexcept override { api().clSVMFree(context_, reinterpret_cast<void*>(memory)); }

  Stream& stream() override {
    return streams_.of_thread([this]() -> Stream* {
      cl_int status = 0;
      handle queue = api().clCreateCommandQueue(context_, id_, 0, &status);
      if (status != cl_success) fail(info_.name, "clCreateCommandQueue", status);
      return new ClStream(info_.name, queue);
    });
  }

  std::unique_ptr<Program> load(std::string_view source) override {
    const Api& cl = api();
    auto code = std::make_unique<ClProgram>();
    const char* text = source.data();
    const std::size_t size = source.size();
    cl_int status = 0;
    code->program = cl.clCreateProgramWithSource(context_, 1, &text, &size, &status);
    if (status != cl_success) fail(info_.name, "clCreateProgramWithSource", status);
    std::string options = "-D MAX_CONSTANT_BUFFER_SIZE=0 -D MAX_CONSTANT_ARGS=0";
    if (info_.exact_float32) options += " -cl-fp32-correctly-rounded-divide-sqrt";
    status = cl.clBuildProgram(code->program, 1, &id_, options.c_str(), nullptr, nullptr);
    if (status == cl_success) return code;
    std::string log(4096, '\0');
    std::size_t length = 0;
    cl.clGetProgramBuildInfo(code->program, id_, program_build_log, log.size(), log.data(), &length);
    log.resize(std::min(length, log.size()));
    throw DeviceError("device", fmt::format("{}: a kernel could not be built (OpenCL error {}): {}", info_.name, status,
                                            log.substr(0, log.find('\0'))));
  }

  std::string kernel_target() const override { return "x86-64-linux-sse41-opencl-cl_doubles"; }

 private:
  handle id_;
  handle context_ = nullptr;
  DeviceInfo info_;
  ThreadStreams streams_;
};

int count(std::string& why) {
  const Api& cl = api();
  if (cl.devices.empty()) why = cl.why;
  return static_cast<int>(cl.devices.size());
}

std::unique_ptr<Device> open_device(int number) {
  return std::make_unique<ClDevice>(api().devices[static_cast<std::size_t>(number)], number);
}

}  // namespace

Driver opencl_driver() { return {"opencl", count, open_device}; }

}  // namespace numjit::devices
