// CUDA by its driver: PTX into modules, one stream a thread, pinned memory between it and the host.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/device/cuda_api.h>
#include <numjit/device/device.h>
#include <numjit/device/launch_list.h>
#include <numjit/device/products.h>
#include <numjit/device/solvers.h>
#include <numjit/device/thread_streams.h>
#include <numjit/device/transforms.h>

namespace numjit::devices {
namespace {

using cuda::handle;

// Attributes of devices and functions.
constexpr int max_threads_per_block = 1, max_shared_per_block_optin = 97, multiprocessors = 16,
              capability_major = 75, capability_minor = 76, max_dynamic_shared = 8;
constexpr unsigned non_blocking = 1, no_timing = 2, portable = 1;
constexpr int capture_of_thread = 1;  // calls of other threads are none of the capture's business

/// Calls of one device: the context is made this thread's, errors become exceptions.
class Calls {
 public:
  Calls(std::string name, handle context) : name_(std::move(name)), context_(context) {}
  const cuda::Api& cu() const { return cuda::api(); }
  const std::string& name() const { return name_; }
  void enter() const {
    check_not_forked();
    check("cuCtxSetCurrent", cu().CtxSetCurrent(context_));
  }
  /// The same where something is given back, by whatever thread: false if nothing can be, in a forked child or where the
  /// device is gone.
  bool enter_quietly() const noexcept {
    try {
      enter();
      return true;
    } catch (const error&) {
      return false;
    }
  }
  void check(const char* call, cuda::result code) const {
    if (code != cuda::success) [[unlikely]] cuda::fail(name_, call, code);
  }

 private:
  std::string name_;
  handle context_;
};

struct CudaEvent final : Event {
  explicit CudaEvent(const Calls& c) : calls(c) {
    calls.enter();
    calls.check("cuEventCreate", calls.cu().EventCreate(&event, no_timing));
  }
  ~CudaEvent() override {
    if (calls.enter_quietly()) calls.cu().EventDestroy(event);
  }
  const Calls& calls;
  handle event = nullptr;
};

struct CudaProgram final : Program {
  explicit CudaProgram(const Calls& c) : calls(c) {}
  ~CudaProgram() override {
    if (module && calls.enter_quietly()) calls.cu().ModuleUnload(module);
  }
  handle find(const char* entry) {
    std::lock_guard lock(mutex);
    auto found = functions.find(std::string_view(entry));
    if (found != functions.end()) return found->second;
    handle function = nullptr;
    calls.check("cuModuleGetFunction", calls.cu().ModuleGetFunction(&function, module, entry));
    functions.emplace(entry, function);
    return function;
  }
  const Calls& calls;
  handle module = nullptr;
  std::mutex mutex;
  std::map<std::string, handle, std::less<>> functions;
};

struct CudaGraph final : LaunchGraph {
  CudaGraph(const Calls& c, handle s) : calls(c), stream(s) {}
  ~CudaGraph() override {
    if (!executable || !calls.enter_quietly()) return;
    calls.cu().StreamSynchronize(stream);
    calls.cu().GraphExecDestroy(executable);
  }
  const Calls& calls;
  const handle stream;  // that it is launched in
  handle executable = nullptr;
};

/// Pinned memory in two halves, through which pageable memory goes: while one is on its way the other is filled.
class Staging {
 public:
  static constexpr std::size_t half = std::size_t{4} << 20;
  /// Smaller copies are staged by the driver itself.
  static constexpr std::size_t smallest = 64 * 1024;

  explicit Staging(const Calls& calls) : calls_(calls) {}

  /// False if there is no pinned memory to be had: then the driver copies from pageable memory, slower.
  bool ready() {
    if (memory_ || refused_) return memory_ != nullptr;
    void* got = nullptr;
    refused_ = calls_.cu().MemHostAlloc(&got, 2 * half, portable) != cuda::success;
    memory_ = refused_ ? nullptr : static_cast<char*>(got);
    return memory_ != nullptr;
  }
  /// A half that no copy uses any more.
  char* take(int which) {
    if (busy_[which]) wait(which);
    return memory_ + static_cast<std::size_t>(which) * half;
  }
  /// The half is in use until the stream has come here.
  void mark(int which, handle stream) {
    if (!events_[which]) events_[which] = std::make_unique<CudaEvent>(calls_);
    calls_.check("cuEventRecord", calls_.cu().EventRecord(events_[which]->event, stream));
    busy_[which] = true;
  }
  void wait(int which) {
    busy_[which] = false;
    calls_.check("cuEventSynchronize", calls_.cu().EventSynchronize(events_[which]->event));
  }

 private:
  const Calls& calls_;
  char* memory_ = nullptr;
  bool refused_ = false, busy_[2] = {};
  std::unique_ptr<CudaEvent> events_[2];
};

class CudaStream final : public Stream {
 public:
  explicit CudaStream(const Calls& calls) : calls_(calls), staging_(calls) {
    calls_.enter();
    calls_.check("cuStreamCreate", cu().StreamCreate(&stream_, non_blocking));
  }

  void copy_in(address to, const void* from, std::size_t bytes) override {
    calls_.enter();
    if (bytes < Staging::smallest || !staging_.ready()) {
      calls_.check("cuMemcpyHtoDAsync", cu().MemcpyHtoDAsync(to, from, bytes, stream_));
      return;
    }
    const char* at = static_cast<const char*>(from);
    for (int which = 0; bytes > 0; which ^= 1) {
      const std::size_t n = std::min(bytes, Staging::half);
      char* pinned = staging_.take(which);
      std::memcpy(pinned, at, n);
      calls_.check("cuMemcpyHtoDAsync", cu().MemcpyHtoDAsync(to, pinned, n, stream_));
      staging_.mark(which, stream_);
      to += n;
      at += n;
      bytes -= n;
    }
  }

  void copy_out(void* to, address from, std::size_t bytes) override {
    calls_.enter();
    if (bytes < Staging::smallest || !staging_.ready()) {
      // By way of memory that lives as long as the stream: where waiting fails, the copy may still come, and the
      // caller's memory may be another's by then.
      if (!bounce_) bounce_ = std::make_unique<char[]>(Staging::smallest);
      for (std::size_t done = 0; done < bytes;) {
        const std::size_t n = std::min(bytes - done, Staging::smallest);
        calls_.check("cuMemcpyDtoHAsync", cu().MemcpyDtoHAsync(bounce_.get(), from + done, n, stream_));
        synchronize();
        std::memcpy(static_cast<char*>(to) + done, bounce_.get(), n);
        done += n;
      }
      return;
    }
    // The next piece is on its way while this one is copied out of the pinned memory.
    struct Pending {
      char* to = nullptr;
      const char* pinned = nullptr;
      std::size_t bytes = 0;
    } pending[2];
    char* at = static_cast<char*>(to);
    auto arrive = [&](int which) {
      if (pending[which].bytes == 0) return;
      staging_.wait(which);
      std::memcpy(pending[which].to, pending[which].pinned, pending[which].bytes);
      pending[which].bytes = 0;
    };
    int which = 0;
    for (; bytes > 0; which ^= 1) {
      arrive(which);
      const std::size_t n = std::min(bytes, Staging::half);
      char* pinned = staging_.take(which);
      calls_.check("cuMemcpyDtoHAsync", cu().MemcpyDtoHAsync(pinned, from, n, stream_));
      staging_.mark(which, stream_);
      pending[which] = {at, pinned, n};
      from += n;
      at += n;
      bytes -= n;
    }
    arrive(which);
    arrive(which ^ 1);
  }

  void copy(address to, address from, std::size_t bytes) override {
    calls_.enter();
    calls_.check("cuMemcpyDtoDAsync", cu().MemcpyDtoDAsync(to, from, bytes, stream_));
  }

  void launch(Program& program, const char* entry, const LaunchShape& shape,
              std::span<const KernelArgument> arguments) override {
    calls_.enter();
    handle function = static_cast<CudaProgram&>(program).find(entry);
    constexpr int default_shared = 48 * 1024;
    if (shape.shared_bytes > default_shared)
      calls_.check("cuFuncSetAttribute", cu().FuncSetAttribute(function, max_dynamic_shared, shape.shared_bytes));
    void* list[256];
    std::size_t count = 0;
    for (const KernelArgument& a : arguments) list[count++] = const_cast<void*>(a.value);
    auto u = [](int n) { return static_cast<unsigned>(n); };
    calls_.check("cuLaunchKernel",
                 cu().LaunchKernel(function, u(shape.blocks[0]), u(shape.blocks[1]), u(shape.blocks[2]),
                                   u(shape.threads[0]), u(shape.threads[1]), u(shape.threads[2]),
                                   u(shape.shared_bytes), stream_, list, nullptr));
  }

  std::unique_ptr<LaunchGraph> capture(const LaunchList& launches) override {
    // What other threads ask of this stream, for memory that it used, has to come before or after.
    std::lock_guard lock(mutex_);
    calls_.enter();
    auto graph = std::make_unique<CudaGraph>(calls_, stream_);
    Template made(calls_);
    calls_.check("cuStreamBeginCapture", cu().StreamBeginCapture(stream_, capture_of_thread));
    std::exception_ptr failure;
    try {
      launches.give(*this);
    } catch (const error&) {  // a capture has to end all the same
      failure = std::current_exception();
    }
    const cuda::result ended = cu().StreamEndCapture(stream_, &made.graph);
    if (failure) std::rethrow_exception(failure);
    calls_.check("cuStreamEndCapture", ended);
    handle executable = nullptr;
    calls_.check("cuGraphInstantiateWithFlags", cu().GraphInstantiate(&executable, made.graph, 0));
    graph->executable = executable;
    return graph;
  }
  void launch(LaunchGraph& graph) override {
    calls_.enter();
    calls_.check("cuGraphLaunch", cu().GraphLaunch(static_cast<CudaGraph&>(graph).executable, stream_));
  }

  Products* products(std::string& why) override { return opened(products_, open_cublas, why); }
  Transforms* transforms(std::string& why) override { return opened(transforms_, open_cufft, why); }
  Solvers* solvers(std::string& why) override { return opened(solvers_, open_cusolver, why); }

  std::unique_ptr<Event> record() override {
    std::lock_guard lock(mutex_);
    auto event = std::make_unique<CudaEvent>(calls_);
    calls_.check("cuEventRecord", cu().EventRecord(event->event, stream_));
    return event;
  }
  void wait(const Event& event) override {
    calls_.enter();
    calls_.check("cuStreamWaitEvent",
                 cu().StreamWaitEvent(stream_, static_cast<const CudaEvent&>(event).event, 0));
  }
  void synchronize() override {
    std::lock_guard lock(mutex_);
    calls_.enter();
    calls_.check("cuStreamSynchronize", cu().StreamSynchronize(stream_));
  }

 private:
  /// What a capture gave, until a graph that can be launched is made of it.
  struct Template {
    explicit Template(const Calls& c) : calls(c) {}
    ~Template() {
      if (graph) calls.cu().GraphDestroy(graph);
    }
    const Calls& calls;
    handle graph = nullptr;
  };
  /// A library for this stream, opened when it is first needed, or why there is none.
  template <class T>
  struct Library {
    std::unique_ptr<T> made;
    std::string why;
  };
  template <class T>
  T* opened(Library<T>& library, std::unique_ptr<T> (*open)(const std::string&, void*, std::string&), std::string& why) {
    calls_.enter();
    if (!library.made && library.why.empty()) library.made = open(calls_.name(), stream_, library.why);
    why = library.why;
    return library.made.get();
  }
  const cuda::Api& cu() const { return calls_.cu(); }

  const Calls& calls_;
  handle stream_ = nullptr;
  std::mutex mutex_;  // of what other threads may call: record, synchronize
  Staging staging_;
  std::unique_ptr<char[]> bounce_;  // of Staging::smallest bytes
  Library<Products> products_;
  Library<Transforms> transforms_;
  Library<Solvers> solvers_;
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int number) : calls_(open(number, info_)) {}

  const DeviceInfo& info() const override { return info_; }

  address allocate(std::size_t bytes) override {
    calls_.enter();
    cuda::pointer memory = 0;
    const cuda::result code = calls_.cu().MemAlloc(&memory, bytes);
    if (code == cuda::out_of_memory) return 0;
    calls_.check("cuMemAlloc", code);
    return memory;
  }
  void free(address memory) noexcept override {
    if (calls_.enter_quietly()) calls_.cu().MemFree(memory);
  }
  std::uint64_t free_bytes() override {
    std::size_t left = 0, all = 0;
    return calls_.enter_quietly() && calls_.cu().MemGetInfo(&left, &all) == cuda::success ? left : 0;
  }
  Stream& stream() override {
    return streams_.of_thread([this]() -> Stream* { return new CudaStream(calls_); });
  }
  std::unique_ptr<Program> load(std::string_view source) override {
    auto program = std::make_unique<CudaProgram>(calls_);
    const std::string text(source);  // ends with 0
    calls_.enter();
    calls_.check("cuModuleLoadData", calls_.cu().ModuleLoadData(&program->module, text.c_str()));
    return program;
  }
  /// PTX of the oldest kind that has all that is used: the driver makes it into code of the device at hand.
  std::string kernel_target() const override {
    return info_.capability >= 80 ? "x86-64-linux-sse41-cuda-cuda_capability_80" : "x86-64-linux-sse41-cuda-cuda_capability_70";
  }

 private:
  static Calls open(int number, DeviceInfo& info) {
    const cuda::Api& cu = cuda::api();
    info.name = fmt::format("cuda:{}", number);
    auto check = [&](const char* call, cuda::result code) {
      if (code != cuda::success) cuda::fail(info.name, call, code);
    };
    int device = 0;
    check("cuDeviceGet", cu.DeviceGet(&device, number));
    char model[256] = {};
    check("cuDeviceGetName", cu.DeviceGetName(model, sizeof model - 1, device));
    info.model = model;
    info.driver = fmt::format("CUDA {}.{}", cu.driver_version / 1000, cu.driver_version % 1000 / 10);
    std::size_t memory = 0;
    check("cuDeviceTotalMem", cu.DeviceTotalMem(&memory, device));
    info.memory = memory;
    auto attribute = [&](int what) {
      int value = 0;
      check("cuDeviceGetAttribute", cu.DeviceGetAttribute(&value, what, device));
      return value;
    };
    info.units = attribute(multiprocessors);
    info.threads_per_block = attribute(max_threads_per_block);
    info.shared_bytes = static_cast<std::uint64_t>(attribute(max_shared_per_block_optin));
    info.capability = 10 * attribute(capability_major) + attribute(capability_minor);
    // The context that all libraries of the process share (cuBLAS, PyTorch, CuPy): memory can go between them.
    handle context = nullptr;
    check("cuDevicePrimaryCtxRetain", cu.DevicePrimaryCtxRetain(&context, device));
    return Calls(info.name, context);
  }

  DeviceInfo info_;
  Calls calls_;
  ThreadStreams streams_;
};

int count(std::string& why) {
  const cuda::Api& cu = cuda::api();
  why = cu.why;
  return cu.device_count;
}

}  // namespace

Driver cuda_driver() {
  return {"cuda", count, [](int number) -> std::unique_ptr<Device> { return std::make_unique<CudaDevice>(number); }};
}

}  // namespace numjit::devices
