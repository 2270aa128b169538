// Operations that no kernel fuses, on devices: scans, gathers, selections, joins. Internal to runtime.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <numjit/array/node.h>
#include <numjit/ops/op.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/params.h>
#include <numjit/runtime/device_kernel_abi.h>
#include <numjit/runtime/device_launch.h>
#include <numjit/runtime/plan.h>

namespace numjit::runtime::detail {

/// What such an operation needs from the run it is part of.
class OpContext : public DeviceContext {
 public:
  /// Brings to the host what the work given so far has made: waits for it.
  virtual void read(void* to, devices::address from, std::size_t bytes) = 0;
  /// Puts bytes of the host's there.
  virtual void write(devices::address to, const void* from, std::size_t bytes) = 0;
  /// The library for products of matrices, for work that is given to it now; null where there is none, which is noted.
  virtual devices::Products* products() = 0;
  virtual devices::Transforms* transforms() = 0;
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
  library, // by a library of the device's maker, where it is there
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
bool run_matmul_on(const DeviceOpCall& call);
bool run_arange_on(const DeviceOpCall& call);
bool run_linspace_on(const DeviceOpCall& call);
bool run_eye_on(const DeviceOpCall& call);
bool run_routine_on(const DeviceOpCall& call);

// ---- shared by them ----

/// The loop of `op` whose first operand and result are of this dtype; -1: it has none.
int loop_over(op_id op, dtype_id type);

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
bool apply_on(const graph::KernelSpec& spec, const std::vector<DeviceElements>& arrays, const DeviceOpCall& call,
              const void* const* scalars = nullptr);
/// All elements become a number.
bool fill_on(const DeviceElements& elements, std::int64_t with, const DeviceOpCall& call);
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

/// gpu_numbers: an element as a function of its number, which is node 0, and of values of the spec's scalars.
struct NumbersBody {
  NumbersBody();
  std::uint16_t scalar(dtype_id type, const ScalarValue& value);
  std::uint16_t cast(std::uint16_t x, dtype_id type);
  /// On the loop of its first operand's dtype (of `where`, its second's).
  std::uint16_t op(op_id id, std::array<std::uint16_t, 3> in);
  graph::KernelSpec spec;
  std::vector<std::array<std::uint64_t, 2>> values;

 private:
  std::uint16_t add(const graph::KernelNode& node);
};
/// The elements of arange whose first two are these, as the dtype; of complex ones one part.
NumbersBody range_body(dtype_id type, const layout::number& start, const layout::number& second, int part);
NumbersBody linspace_body(dtype_id type, const layout::linspace_values& v, std::int64_t n, int part);
/// Of a part of its elements.
dtype_id part_type(dtype_id type);

}  // namespace numjit::runtime::detail
