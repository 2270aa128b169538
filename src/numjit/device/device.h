// The interface to devices that compute on memory of their own, and the table of those in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace numjit::devices {

/// An address on a device; 0 is none.
using address = std::uint64_t;

/// What a device is, for people and for those who choose sizes.
struct DeviceInfo {
  std::string name;         // "opencl:0"
  std::string model;        // "NVIDIA H200", "pthread-..."
  std::string driver;       // version text
  std::uint64_t memory = 0; // bytes
  int units = 0;            // multiprocessors, compute units
  int threads_per_block = 0;
  std::uint64_t shared_bytes = 0;  // a block's own memory
  int capability = 0;       // 90 for sm_90; 0 where there is no such number
  bool exact_float32 = true;   // division and square root of float32 are correctly rounded
};

/// The size of a launch: blocks of threads along x, y, z.
struct LaunchShape {
  int blocks[3] = {1, 1, 1};
  int threads[3] = {1, 1, 1};
  int shared_bytes = 0;
};

/// One argument of a kernel: an address on the device, or a value of `size` bytes.
struct KernelArgument {
  const void* value = nullptr;  // of an address: points to it
  std::size_t size = 0;
  bool is_address = false;
};

/// A point in a stream's order of work.
class Event {
 public:
  virtual ~Event() = default;
};

/// Device code that is ready to be launched.
class Program {
 public:
  virtual ~Program() = default;
};

/// Launches that a driver starts as one.
class LaunchGraph {
 public:
  virtual ~LaunchGraph() = default;
};
class LaunchList;
class Products;    // products.h
class Transforms;  // transforms.h
class Solvers;     // solvers.h

/// Work that a device does in order. Each thread has one of its own for each device; streams live for ever.
/// Errors of all calls: DeviceError naming the device and the driver's own error.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Host to device. `from` may be changed or freed when the call returns.
  virtual void copy_in(address to, const void* from, std::size_t bytes) = 0;
  /// Device to host; the bytes are there when the call returns.
  virtual void copy_out(void* to, address from, std::size_t bytes) = 0;
  virtual void copy(address to, address from, std::size_t bytes) = 0;
  virtual void launch(Program& program, const char* entry, const LaunchShape& shape,
                      std::span<const KernelArgument> arguments) = 0;
  virtual std::unique_ptr<Event> record() = 0;
  /// What is given to this stream from now on comes after `event`, of any stream of the device.
  virtual void wait(const Event& event) = 0;
  /// Returns when all work is done; throws what went wrong in it.
  virtual void synchronize() = 0;
  /// The launches as one, nothing of which is started; null if the driver has no such thing. All their programs have
  /// been launched before. Arguments are those of the list, for good.
  virtual std::unique_ptr<LaunchGraph> capture(const LaunchList&) { return nullptr; }
  /// Starts what capture() of this stream gave.
  virtual void launch(LaunchGraph&) {}
  /// The maker's library for products of matrices, for this stream; null where there is none, and `why`.
  virtual Products* products(std::string& why) {
    why = "there is no library for products of matrices";
    return nullptr;
  }
  /// The same for Fourier transforms.
  virtual Transforms* transforms(std::string& why) {
    why = "there is no library for Fourier transforms";
    return nullptr;
  }
  /// The same for decompositions of matrices.
  virtual Solvers* solvers(std::string& why) {
    why = "there is no library for decompositions of matrices";
    return nullptr;
  }
};

/// Counts of a device's memory, in bytes.
struct MemoryStats {
  std::int64_t in_use = 0;
  std::int64_t peak = 0;     // largest in_use
  std::int64_t cached = 0;   // kept for reuse
  std::int64_t limit = 0;    // 0: none
  std::int64_t trims = 0;    // times the cache was given back because memory ran out
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  /// Memory of the device, or 0 if it has no more. DeviceError if it failed otherwise.
  virtual address allocate(std::size_t bytes) = 0;
  virtual void free(address memory) noexcept = 0;
  /// Bytes that are free on the device, as its driver says; 0 if it does not.
  virtual std::uint64_t free_bytes() { return 0; }
  /// The calling thread's stream.
  virtual Stream& stream() = 0;
  /// Device code from text (OpenCL C, PTX). DeviceError with the driver's log.
  virtual std::unique_ptr<Program> load(std::string_view source) = 0;
  /// Target of the code generator for kernels that run here; "" if there are none for it. Its host part fits any
  /// x86-64: kernels made on one machine serve on another.
  virtual std::string kernel_target() const = 0;
  const std::string& name() const { return info().name; }
};

/// A driver: a kind of device ("cuda"), and how many there are.
struct Driver {
  std::string kind;
  /// Number of devices. `why` gets the reason if there are none.
  int (*count)(std::string& why);
  std::unique_ptr<Device> (*open)(int number);
};

/// The drivers of this build.
std::span<const Driver> drivers();

/// Index of a device for node::device: opened on first use. "cuda" means "cuda:0". Errors as
/// detail::device_index.
std::uint8_t open(std::string_view name);
/// The device of an index that open() gave.
Device& device(std::uint8_t index);
const std::string& device_name(std::uint8_t index);
/// Puts a device of the caller's at a free index, under its own name: for tests.
std::uint8_t add(std::unique_ptr<Device> device);

/// All devices that can be opened, the CPU first.
std::vector<DeviceInfo> list();

/// Throws DeviceError in a child that was forked after a device was opened: drivers do not live on there.
void check_not_forked();

/// Drivers, each in its own file.
Driver opencl_driver();
Driver cuda_driver();
std::unique_ptr<Device> make_cpu_device();

}  // namespace numjit::devices
