// Operations that no kernel fuses, on devices: scans, gathers, selections, joins. Internal to runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <numjit/array/node.h>
#include <numjit/ops/op.h>
#include <numjit/ops/params.h>
#include <numjit/runtime/device_kernel_abi.h>
#include <numjit/runtime/device_launch.h>

namespace numjit::runtime::detail {

/// What such an operation needs from the run it is part of.
class OpContext : public DeviceContext {
 public:
  /// Brings to the host what the work given so far has made: waits for it.
  virtual void read(void* to, devices::address from, std::size_t bytes) = 0;
  /// Puts bytes of the host's there.
  virtual void write(devices::address to, const void* from, std::size_t bytes) = 0;
};

/// One call. All arrays have storage; `result` of a store is the array it writes into.
struct DeviceOpCall {
  op_id op;
  int loop;
  std::span<const node* const> in;
  const op_params& params;
  const node* result;
  const std::string& target;
  KernelSource& kernels;
  OpContext& context;
};

/// Does it on the device. False: there is no form of it for this call, the host has to do it.
using DeviceOp = bool (*)(const DeviceOpCall& call);
/// The form of an operation that is a step by itself; null if it has none.
DeviceOp device_op(op_id op);

/// Where an operation of a compiled function is computed on a device.
enum class DeviceForm {
  view,    // nothing is
  kernel,  // fused with its neighbours
  step,    // by kernels of its own
  host,    // by the host, which is noted
};
DeviceForm device_form_of(op_id op);

/// The length of a result that depends on data, counted on the device; nothing where only the host can.
std::optional<std::int64_t> count_on_device(const DeviceOpCall& call);

bool run_scan_on(const DeviceOpCall& call);
bool run_take_on(const DeviceOpCall& call);
bool run_mask_select_on(const DeviceOpCall& call);
bool run_nonzero_flat_on(const DeviceOpCall& call);
bool run_mask_put_on(const DeviceOpCall& call);
bool run_concatenate_on(const DeviceOpCall& call);
bool run_store_on(const DeviceOpCall& call);
bool run_masked_store_on(const DeviceOpCall& call);
bool run_axis_length_on(const DeviceOpCall& call);

// ---- shared by them ----

/// Elements on the device: the first one's place, extents and strides in bytes.
struct DeviceElements {
  DevicePlace place;
  dtype_id type{};
  dims shape, strides;
};
DeviceElements elements_of(const node* n);
/// Elements in C order.
DeviceElements packed_elements(devices::address memory, dtype_id type, const dims& shape);

/// The spec `mask ? value : other` over arrays of one dtype.
graph::KernelSpec choosing(dtype_id type);
/// Elements as an array of another shape that they broadcast to. Nothing if they don't.
std::optional<DeviceElements> broadcast_elements(const DeviceElements& elements, const dims& shape);
/// An elementwise kernel over arrays of one shape (strides 0 where they are broadcast); the last one is written.
bool apply_on(const graph::KernelSpec& spec, const std::vector<DeviceElements>& arrays, const DeviceOpCall& call);
/// Copies with a cast.
bool copy_on(const DeviceElements& from, const DeviceElements& to, const DeviceOpCall& call);
/// The elements of `n` in C order as `type`: where they lie, or in scratch.
std::optional<devices::address> contiguous_on(const node* n, dtype_id type, const DeviceOpCall& call);

/// Running sums of truth, as int32, of the elements in C order; nothing if there are too many.
std::optional<devices::address> running_counts(const node* truth, const DeviceOpCall& call);

/// A line of elements to be scanned: along `k`, for all points of `rest`. Strides in elements, of input and output.
struct ScanLines {
  Axis k;
  std::vector<Axis> rest;
};
/// Scans them by `join` (add or multiply), in the order of docs/numerics.md. `types`: what an element is cast to in
/// turn, of which the last is summed in; and what a sum is cast to in turn when it is stored.
struct ScanTypes {
  std::vector<dtype_id> in, out;
};
/// How the elements of op cumsum or cumprod are cast, from `from` to `result` by the loop.
ScanTypes scan_types(const op_loop& loop, dtype_id from, dtype_id result);
bool scan_lines(op_id join, const ScanTypes& types, devices::address from, devices::address to, const ScanLines& lines,
                const DeviceOpCall& call);

// ---- what the kernels are made from, for those who look at their code ----

/// gpu_scan: an element (through casts) joined with itself, or with operand 1, what comes before it.
graph::KernelSpec scan_spec(op_id join, const ScanTypes& types, bool with_before, bool stores_sums);
graph::KernelSpec take_spec(dtype_id type, dtype_id index);
graph::KernelSpec places_spec();

}  // namespace numjit::runtime::detail
