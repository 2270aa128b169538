// Operations that no kernel fuses, on devices: scans, gathers, selections, joins. Internal to runtime.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <numjit/array/node.h>
#include <numjit/ops/loop_over.h>
#include <numjit/ops/op.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/params.h>
#include <numjit/ops/random_draw.h>
#include <numjit/runtime/gpu/device_launch.h>
#include <numjit/runtime/kernels/device_abi.h>
#include <numjit/runtime/plan/plan.h>

namespace numjit::runtime::detail {

/// What such an operation needs from the run it is part of.
class OpContext : public DeviceContext {
 public:
  /// Brings to the host what the work given so far has made: waits for it.
  virtual void read(void* to, devices::address from, std::size_t bytes) = 0;
  /// Puts bytes of the host's there.
  virtual void write(devices::address to, const void* from, std::size_t bytes) = 0;
  /// The host reads and writes an array, through its own addresses.
  virtual void open_on_host(const node* n) = 0;
  /// The library for products of matrices, for work that is given to it now; null where there is none, which is noted.
  virtual devices::Products* products() = 0;
  virtual devices::Transforms* transforms() = 0;
  virtual devices::Solvers* solvers() = 0;
};

/// One call. All arrays have storage; `result` of a store is the array it writes into.
struct DeviceOpCall {
  op_id op;
  int loop;
  std::span<const node* const> in;  // null where a number is given; see takes_numbers
  const op_params& params;
  const node* result;
  const std::string& target;
  KernelSource& kernels;
  OpContext& context;
  std::span<const ScalarValue* const> numbers = {};  // of inputs that are no arrays
};

/// Is a number among the inputs left as it is, as elementwise operations and stores have it? Others are the host's then.
bool takes_numbers(op_id op);

/// Does it on the device. False: there is no form of it for this call, the host has to do it.
using DeviceOp = bool (*)(const DeviceOpCall& call);
/// The form of an operation that is a step by itself; null if it has none.
DeviceOp device_op(op_id op);

/// Where an operation of a compiled function is computed on a device.
enum class DeviceForm {
  view,     // nothing is
  kernel,   // fused with its neighbours
  step,     // by kernels of its own
  library,  // by a library of the device's maker, where it is there
  host,     // by the host, which is noted
};
DeviceForm device_form_of(op_id op);

/// The length of a result that depends on data, counted on the device; nothing where only the host can.
std::optional<std::int64_t> count_on_device(const DeviceOpCall& call);

#define NUMJIT_ON_DEVICE_view(name)
#define NUMJIT_ON_DEVICE_kernel(name)
#define NUMJIT_ON_DEVICE_host(name)
#define NUMJIT_ON_DEVICE_step(name) bool run_##name##_on(const DeviceOpCall& call);
#define NUMJIT_ON_DEVICE_library(name) NUMJIT_ON_DEVICE_step(name)
#define STRUCTURAL(name, kind, inputs, device, ...) NUMJIT_ON_DEVICE_##device(name)
#include <numjit/ops/all_rows.inc>
#undef NUMJIT_ON_DEVICE_view
#undef NUMJIT_ON_DEVICE_kernel
#undef NUMJIT_ON_DEVICE_host
#undef NUMJIT_ON_DEVICE_step
#undef NUMJIT_ON_DEVICE_library
bool run_scan_on(const DeviceOpCall& call);
/// A routine of np::linalg.
bool run_solver_on(const DeviceOpCall& call);
/// An elementwise operation that no kernel fuses, as its eval loops.
bool run_looping_on(const DeviceOpCall& call);

// ---- shared by them ----

using numjit::detail::loop_over;

/// Elements on the device: the first one's place, extents and strides in bytes.
struct DeviceElements {
  DevicePlace place;
  dtype_id type{};
  dims shape, strides;
};
DeviceElements elements_of(const node* n);
/// Elements in C order.
DeviceElements packed_elements(devices::address memory, dtype_id type, const dims& shape);

/// The elements with one axis moved behind the others.
DeviceElements with_last(DeviceElements elements, int axis);
/// Their parts, along a last axis of two for complex ones.
DeviceElements parts_along_last(DeviceElements elements);

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

/// Running sums of `n` bools that lie one after the other, as int32; nothing if there are too many.
std::optional<devices::address> running_counts(devices::address truth, std::int64_t n, const DeviceOpCall& call);
/// How many of them are true, for the host.
std::optional<std::int64_t> count_true_on(devices::address truth, std::int64_t n, const DeviceOpCall& call);
/// The smallest and the largest of `n` int64 that lie one after the other, for the host.
std::optional<std::vector<std::int64_t>> extremes_on(devices::address from, std::int64_t n, const DeviceOpCall& call);
/// The places of the first `count` true ones of `n`, by their running counts, as int64.
bool places_on(devices::address counts, std::int64_t n, std::int64_t count, devices::address to, const DeviceOpCall& call);

/// x(i, k, o) at k = index(j), all of them one after the other; the result lies as (i, j, o).
struct Gather {
  devices::address from = 0, index = 0, to = 0;
  dtype_id type{}, index_type = dtype_id::int64;
  std::int64_t run = 1, length = 1, outer = 1;  // extents of x: i, k, o
  std::int64_t count = 0;                       // of indices
  layout::take_mode mode = layout::take_mode::clip;
};
bool gather_on(const Gather& gather, const DeviceOpCall& call);

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

/// Sorts `n` int32 and what stands beside them; both move to other memory.
bool sort_with_places(std::int64_t n, devices::address& keys, devices::address& places, const DeviceOpCall& call);
bool sort_keys(std::int64_t n, devices::address& keys, const DeviceOpCall& call);
/// The integers whose memory bools and floats are taken for.
dtype_id bits_type(dtype_id type);
/// Elements as keys, one after the other: made from their bits, where `from` has the type of these.
bool keys_on(DeviceElements from, bool floats, bool equal_zeros, devices::address to, const DeviceOpCall& call);
/// Elements that one sort or search takes.
constexpr std::int64_t most_sorted = std::int64_t{1} << 29;
/// 0, 1, ... as int32.
std::optional<devices::address> count_up_on(std::int64_t n, const DeviceOpCall& call);

// ---- what the kernels are made from, for those who look at their code ----

/// gpu_scan: an element (through casts) joined with itself, or with operand 1, what comes before it.
graph::KernelSpec scan_spec(op_id join, const ScanTypes& types, bool with_before, bool stores_sums);
graph::KernelSpec take_spec(dtype_id type, dtype_id index);
graph::KernelSpec places_spec();

/// An element as a function of operand 0, which is node 0, and of values of the spec's scalars. For gpu_numbers that
/// operand is the element's number.
struct NumbersBody {
  explicit NumbersBody(dtype_id operand = dtype_id::int64);
  std::uint16_t scalar(dtype_id type, const ScalarValue& value);
  std::uint16_t real(dtype_id type, double value);
  std::uint16_t word(dtype_id type, std::uint64_t value);
  /// Another operand.
  std::uint16_t operand(dtype_id type);
  std::uint16_t cast(std::uint16_t x, dtype_id type);
  /// On the loop of its first operand's dtype (of `where`, its second's).
  std::uint16_t op(op_id id, std::array<std::uint16_t, 3> in);
  /// The values, as launches take them.
  std::vector<const void*> scalars() const;
  graph::KernelSpec spec;
  std::vector<std::array<std::uint64_t, 2>> values;

 private:
  std::uint16_t add(const graph::KernelNode& node);
};
bool apply_on(const NumbersBody& body, const std::vector<DeviceElements>& arrays, const DeviceOpCall& call);
/// Fills `n` elements from `to` on, `step` elements apart, with f(0), f(1), ... (at most 2^29).
bool fill_numbers(const NumbersBody& body, devices::address to, std::int64_t step, std::int64_t n, const DeviceOpCall& call);
/// The elements of arange whose first two are these, as the dtype; of complex ones one part.
NumbersBody range_body(dtype_id type, const layout::number& start, const layout::number& second, int part);
NumbersBody linspace_body(dtype_id type, const layout::linspace_values& v, std::int64_t n, int part);
/// Of a part of its elements.
dtype_id part_type(dtype_id type);
/// gpu_merge: keys, and what goes with them.
graph::KernelSpec merge_spec(dtype_id key, bool with_places);
/// gpu_put: values, indices, sources.
graph::KernelSpec put_spec(dtype_id type);
/// gpu_search: the sorted ones, those that are looked for.
graph::KernelSpec search_spec(dtype_id key);
/// gpu_bins: the weights, where bins begin and end.
graph::KernelSpec bin_sum_spec();
/// Unsigned numbers that order floats, from their bits: NaN last and all alike, zeros alike or -0.0 first. And back.
NumbersBody float_key_body(dtype_id bits, bool equal_zeros);
NumbersBody key_float_body(dtype_id bits);
/// gpu_philox: a number from a unit of the stream; where units may be passed over, also if it is one. The first six
/// scalars are for counter and key.
NumbersBody draw_body(const numjit::detail::counted_draw& plan, dtype_id type);

}  // namespace numjit::runtime::detail
