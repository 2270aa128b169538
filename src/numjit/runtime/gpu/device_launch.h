// Launches of fused groups on devices: the counterpart of launch.h. Internal to runtime.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <numjit/device/device.h>
#include <numjit/graph/stencil.h>
#include <numjit/runtime/launch/launch.h>

namespace numjit::runtime::detail {

/// What a launch needs from the run it is part of.
class DeviceContext {
 public:
  virtual ~DeviceContext() = default;
  /// Where on the device what the host knows as `at` lies, ready for work given to the stream now. With `writes`
  /// all other copies are stale from then on.
  virtual devices::address place(const char* at, bool writes) = 0;
  /// Memory until the end of the launch.
  virtual devices::address scratch(std::size_t bytes) = 0;
  /// Do all addresses from `low` to before `high` belong to one array of the run?
  virtual bool holds(const char* low, const char* high) const = 0;
  /// Calls a kernel, and throws what its driver says.
  virtual void call(kernel_entry entry, void** argv) = 0;
};

/// An array of a launch: the host's name of its memory, or memory of the device itself.
struct DevicePlace {
  const char* host = nullptr;
  devices::address memory = 0;
};

/// A fused group bound to one layout, for a kind of device.
class DevicePlan {
 public:
  virtual ~DevicePlan() = default;
  virtual void run(const std::vector<DevicePlace>& arrays, const void* const* scalars, DeviceContext& context) = 0;
  /// The run if it is one with tiles in shared memory. False: it would be no such run, and nothing was done.
  virtual bool run_by_tiles(const std::vector<DevicePlace>&, const void* const*, DeviceContext&) { return false; }
  std::string kernel, schedule;
  std::int64_t bytes = 0;
};

/// Where an operand begins, from an earlier one whose elements lie alike: views of one array.
struct Neighbour {
  int of = 0;
  std::int64_t bytes = 0;
};

/// Plans by kind of group; null if there is no kernel for it on the target, or the layout is not for kernels.
/// `neighbours`: per operand, or empty.
std::unique_ptr<DevicePlan> plan_on_device(const graph::KernelSpec& spec, const Space& space,
                                           const std::vector<Neighbour>& neighbours, const std::string& target,
                                           KernelSource& kernels);

/// A fused group on a device, with the plans of the layouts it met last.
class DeviceCall {
 public:
  explicit DeviceCall(const graph::KernelSpec& spec, bool only_by_tiles = false) : spec_(spec), only_by_tiles_(only_by_tiles) {}
  /// False: no kernel expresses the group there, or none with tiles.
  bool run(const Launch& launch, const std::string& target, DeviceContext& context);
  /// Makes ready what run() needs, and says whether that will do it (only by tiles: whether it may).
  bool prepare(const Launch& launch, const std::string& target, DeviceContext& context);
  /// Of the last run.
  const DevicePlan* plan() const { return known_.empty() ? nullptr : known_.front().plan.get(); }

 private:
  struct Known {
    std::vector<std::int64_t> layout;
    std::string target;
    std::unique_ptr<DevicePlan> plan;
    bool empty = false;  // no points: nothing to do
  };
  std::unique_ptr<DevicePlan> make_plan(const Space& space, const std::string& target);

  const graph::KernelSpec& spec_;
  bool only_by_tiles_;
  KernelSource kernels_;
  std::vector<Known> known_;  // most recent first
  std::vector<std::int64_t> layout_;
  std::vector<Neighbour> neighbours_;
  std::vector<DevicePlace> places_;
};

// ---- shared by the plans -----------------------------------------------------------------------------

/// Blocks along the second and third axis of a launch.
inline constexpr std::int64_t most_blocks = 65535;

std::size_t arrays_of(const graph::KernelSpec& spec);
std::int64_t size_of(dtype_id type);
std::int64_t product(const std::vector<Axis>& axes);
devices::address address_of(const DevicePlace& place, bool writes, DeviceContext& context);
/// Offset of element number `i` of some axes, in elements of an array.
std::int64_t offset_at(const std::vector<Axis>& axes, std::size_t array, std::int64_t i);
/// The axes of a space over results that lie one after the other in scratch, for specs whose arrays are `sources`:
/// an array of the first spec, or -1 for scratch.
Space space_over(const std::vector<Axis>& axes, const std::vector<std::int64_t>& offset, const std::vector<int>& sources);
/// A spec that only moves elements.
graph::KernelSpec copying(dtype_id type);

/// A plan of one kind; null if it has no kernel.
template <typename Plan>
std::unique_ptr<DevicePlan> prepared(const graph::KernelSpec& spec, const Space& space, const std::string& target,
                                     KernelSource& kernels) {
  auto plan = std::make_unique<Plan>(spec, space);
  if (!plan->prepare(target, kernels)) return nullptr;
  return plan;
}

std::unique_ptr<DevicePlan> plan_elementwise_on(const graph::KernelSpec& spec, const Space& space, const std::string& target,
                                                KernelSource& kernels);
/// The same work by a kernel with tiles in shared memory; null if the operands are no stencil, or tiles don't pay.
std::unique_ptr<DevicePlan> plan_stencil_on(const graph::KernelSpec& spec, const Space& space,
                                            const std::vector<Neighbour>& neighbours, graph::TilesSpare spare,
                                            const std::string& target, KernelSource& kernels);
/// `neighbours` of a launch; empty if no two operands may be views of one array.
void find_neighbours(const graph::KernelSpec& spec, const Launch& launch, const DeviceContext& context,
                     std::vector<Neighbour>& neighbours);
/// An elementwise plan over a spec with tiles, for the template "gpu_stencil".
std::unique_ptr<DevicePlan> plan_tiles_on(const graph::KernelSpec& spec, const Space& space, const std::string& target,
                                          KernelSource& kernels);
std::unique_ptr<DevicePlan> plan_reduce_on(const graph::KernelSpec& spec, const Space& space, const std::string& target,
                                           KernelSource& kernels);
std::unique_ptr<DevicePlan> plan_nested_on(const graph::KernelSpec& spec, const Space& space, const std::string& target,
                                           KernelSource& kernels);

}  // namespace numjit::runtime::detail
