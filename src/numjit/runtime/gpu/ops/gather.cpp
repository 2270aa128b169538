// Elements at indices and where a mask is true, on devices: counted, and filled, without the host in between.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include <numjit/ops/param_layout.h>
#include <numjit/runtime/gpu/ops/ops.h>

namespace numjit::runtime::detail {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;
using layout::take_mode;

KernelSpec take_spec(dtype_id type, dtype_id index) {
  KernelSpec spec;
  spec.operand_types = {type, index};
  spec.nodes = {{KernelNodeKind::operand, {}, 0, type, 0, {}}, {KernelNodeKind::operand, {}, 0, index, 1, {}}};
  spec.outputs = {0};
  return spec;
}

KernelSpec places_spec() {
  KernelSpec spec;
  spec.operand_types = {dtype_id::int32};
  spec.nodes = {{KernelNodeKind::operand, {}, 0, dtype_id::int32, 0, {}},
                {KernelNodeKind::cast, {}, 0, dtype_id::int64, 0, {0, 0, 0}}};
  spec.outputs = {1};
  return spec;
}

namespace {

constexpr std::int64_t most_elements = INT32_MAX / 2;  // that one kernel counts

}  // namespace

bool gather_on(const Gather& g, const DeviceOpCall& call) {
  if (g.run * g.length > most_elements || g.length > most_elements) return false;
  const KernelSpec spec = take_spec(g.type, g.index_type);
  constexpr std::int64_t short_run = 32;
  KernelVariant variant;
  variant.schedule = "gpu_take";
  variant.target = call.target;
  variant.inner_stride = {1, 1};
  variant.size_class =
      (g.run < short_run ? std::uint32_t{take_narrow} : 0u) + take_mode_unit * static_cast<std::uint32_t>(g.mode);
  const kernel_entry entry = call.kernels.find(spec, variant, nullptr);
  if (!entry) return false;
  CallBlock block;
  block.init(spec.operand_types, {}, 1, {g.type}, 3, 3);
  block.parameter(0) = static_cast<std::int32_t>(g.length);
  auto lay = [](kernel_buffer& b, std::int64_t i, std::int64_t middle, std::int64_t outer) {
    CallBlock::set_stride(b, 0, i);
    CallBlock::set_stride(b, 1, middle);
    CallBlock::set_stride(b, 2, outer);
  };
  // Pieces of indices that 32 bits reach; of outer ones as many as there may be blocks.
  const std::int64_t some = std::clamp<std::int64_t>(most_elements / g.run, 1, g.count);
  const std::int64_t in_step = g.run * g.length, out_step = g.run * g.count;
  const std::int64_t together = std::clamp<std::int64_t>(most_elements / std::max(in_step, out_step), 1, most_blocks);
  lay(block.in(0), 1, g.run, together == 1 ? 0 : in_step);
  lay(block.in(1), 1, 0, 0);
  lay(block.out(0), 1, g.run, together == 1 ? 0 : out_step);
  const auto item = static_cast<devices::address>(size_of(g.type));
  const auto index_item = static_cast<devices::address>(size_of(g.index_type));
  block.out(0).dim[0].extent = static_cast<std::int32_t>(g.run);
  for (std::int64_t o = 0; o < g.outer; o += together)
    for (std::int64_t j = 0; j < g.count; j += some) {
      block.in(0).device = g.from + static_cast<devices::address>(o * in_step) * item;
      block.in(1).device = g.index + static_cast<devices::address>(j) * index_item;
      block.out(0).device = g.to + static_cast<devices::address>(o * out_step + j * g.run) * item;
      block.out(0).dim[1].extent = static_cast<std::int32_t>(std::min(some, g.count - j));
      block.out(0).dim[2].extent = static_cast<std::int32_t>(std::min(together, g.outer - o));
      call.context.call(entry, block.argv());
    }
  return true;
}

namespace {

/// Reductions of a contiguous array to single values, which come to the host.
template <class T>
std::optional<std::vector<T>> reduced_on_host(const std::vector<op_id>& ops, devices::address from, dtype_id type,
                                              std::int64_t count, const DeviceOpCall& call) {
  KernelSpec spec;
  spec.operand_types = {type};
  spec.nodes = {{KernelNodeKind::operand, {}, 0, type, 0, {}}};
  spec.reduction_levels = 1;
  Space space;
  space.reduced[0] = {count, {1}};
  space.offset = {0};
  std::vector<DevicePlace> places{{nullptr, from}};
  for (op_id op : ops) {
    const auto loops = info(op).loops;
    std::size_t l = 0;
    while (loops[l].in[0] != type) ++l;
    spec.outputs.push_back(static_cast<std::uint16_t>(spec.nodes.size()));
    spec.nodes.push_back({KernelNodeKind::reduce, op, static_cast<std::uint8_t>(l), loops[l].out, 0, {0, 0, 0}});
    space.reduced[0].stride.push_back(0);
    space.offset.push_back(0);
    places.push_back({nullptr, call.context.scratch(sizeof(T))});
  }
  const auto plan = plan_reduce_on(spec, space, call.target, call.kernels);
  if (!plan) return std::nullopt;
  plan->run(places, nullptr, call.context);
  std::vector<T> values(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) call.context.read(&values[i], places[i + 1].memory, sizeof(T));
  return values;
}

std::int64_t product_of(const std::int64_t* from, const std::int64_t* to) {
  std::int64_t n = 1;
  for (; from < to; ++from) n *= *from;
  return n;
}

}  // namespace

std::optional<devices::address> running_counts(devices::address truth, std::int64_t n, const DeviceOpCall& call) {
  if (n > most_elements) return std::nullopt;
  const devices::address counts = call.context.scratch(static_cast<std::size_t>(n) * 4);
  const ScanLines line{{n, {1, 1}}, {}};
  if (!scan_lines(op_id::add, {{dtype_id::bool_, dtype_id::int32}, {dtype_id::int32}}, truth, counts, line, call))
    return std::nullopt;
  return counts;
}

std::optional<std::int64_t> count_true_on(devices::address truth, std::int64_t n, const DeviceOpCall& call) {
  const auto count = reduced_on_host<std::int64_t>({op_id::sum}, truth, dtype_id::bool_, n, call);
  if (!count) return std::nullopt;
  return (*count)[0];
}

std::optional<std::vector<std::int64_t>> extremes_on(devices::address from, std::int64_t n, const DeviceOpCall& call) {
  return reduced_on_host<std::int64_t>({op_id::min, op_id::max}, from, dtype_id::int64, n, call);
}

bool places_on(devices::address counts, std::int64_t n, std::int64_t count, devices::address to, const DeviceOpCall& call) {
  const KernelSpec spec = places_spec();
  KernelVariant variant;
  variant.schedule = "gpu_places";
  variant.target = call.target;
  variant.inner_stride = {1, 1};
  const kernel_entry entry = call.kernels.find(spec, variant, nullptr);
  if (!entry) return false;
  CallBlock block;
  block.init(spec.operand_types, {}, 1, {dtype_id::int64}, 1, 1);
  CallBlock::set_stride(block.in(0), 0, 1);
  CallBlock::set_stride(block.out(0), 0, 1);
  block.parameter(0) = static_cast<std::int32_t>(n);
  block.in(0).device = counts;
  block.out(0).device = to;
  block.out(0).dim[0].extent = static_cast<std::int32_t>(count);
  call.context.call(entry, block.argv());
  return true;
}

namespace {

std::optional<devices::address> counts_of(const node* truth, const DeviceOpCall& call) {
  const auto flags = contiguous_on(truth, dtype_id::bool_, call);
  return flags ? running_counts(*flags, truth->size, call) : std::nullopt;
}

/// Places of what is true, `count` of them, as int64 at `to`.
bool places_of(const node* truth, std::int64_t count, devices::address to, const DeviceOpCall& call) {
  const auto counts = counts_of(truth, call);
  return counts && places_on(*counts, truth->size, count, to, call);
}

}  // namespace

bool run_take_on(const DeviceOpCall& call) {
  const node *from = call.in[0], *index = call.in[1];
  if (index->size == 0) return true;
  if (from->type != call.result->type || !call.result->is(node::c_contiguous)) return false;
  if (numjit::detail::may_overlap(from, call.result) || numjit::detail::may_overlap(index, call.result)) return false;
  const std::int64_t word = layout::axis_of(call.params);
  const auto mode = call.params.size() > 1 ? static_cast<take_mode>(call.params[1]) : take_mode::raise;
  const bool flat = word == layout::none || from->rank == 0;
  const int axis = flat ? 0 : normalize_axis("take", word, from->rank);
  Gather g;
  g.mode = mode;
  g.type = from->type;
  g.length = flat ? from->size : from->shape[axis];
  g.count = index->size;
  if (!flat) {
    g.outer = product_of(from->shape, from->shape + axis);
    g.run = product_of(from->shape + axis + 1, from->shape + from->rank);
  }
  if (g.length == 0) return false;  // the host knows what is an error
  const auto indices = contiguous_on(index, dtype_id::int64, call);
  if (!indices) return false;
  if (mode == take_mode::raise) {
    // An index out of range is the host's to report, which runs the operation again.
    const auto ends = extremes_on(*indices, g.count, call);
    if (!ends || (*ends)[0] < -g.length || (*ends)[1] >= g.length) return false;
  }
  if (call.result->size == 0) return true;
  const auto elements = contiguous_on(from, from->type, call);
  if (!elements) return false;
  g.from = *elements;
  g.index = *indices;
  g.to = call.context.place(call.result->data, true);
  return gather_on(g, call);
}

// One index from those of all axes, then as take.
bool run_take_places_on(const DeviceOpCall& call) {
  const node *from = call.in[0], *result = call.result;
  const int indexed = static_cast<int>(call.in.size()) - 1;
  if (from->type != result->type || !result->is(node::c_contiguous)) return false;
  const dims index_shape(result->shape, result->rank - (from->rank - indexed));
  Gather g;
  g.type = from->type;
  g.length = product_of(from->shape, from->shape + indexed);
  g.run = product_of(from->shape + indexed, from->shape + from->rank);
  g.count = element_count(index_shape);
  if (g.length == 0) return false;  // the host knows what is an error
  NumbersBody body;
  std::vector<DeviceElements> arrays;
  std::uint16_t place = 0;
  for (int k = 0; k < indexed; ++k) {
    const node* index = call.in[static_cast<std::size_t>(k) + 1];
    const auto indices = contiguous_on(index, dtype_id::int64, call);
    if (!indices) return false;
    if (index->size > 0) {
      // An index out of range is the host's to report, which runs the operation again.
      const auto ends = extremes_on(*indices, index->size, call);
      if (!ends || (*ends)[0] < -from->shape[k] || (*ends)[1] >= from->shape[k]) return false;
    }
    const auto spread =
        broadcast_elements(packed_elements(*indices, dtype_id::int64, dims(index->shape, index->rank)), index_shape);
    if (!spread) return false;
    arrays.push_back(*spread);
    const std::uint16_t own = k == 0 ? std::uint16_t{0} : body.operand(dtype_id::int64);
    const std::uint16_t length = body.word(dtype_id::int64, static_cast<std::uint64_t>(from->shape[k]));
    const std::uint16_t below = body.op(op_id::less, {own, body.word(dtype_id::int64, 0), 0});
    const std::uint16_t wrapped = body.op(op_id::where, {below, body.op(op_id::add, {own, length, 0}), own});
    place = k == 0 ? wrapped : body.op(op_id::add, {body.op(op_id::multiply, {place, length, 0}), wrapped, 0});
  }
  if (result->size == 0) return true;
  g.index = call.context.scratch(static_cast<std::size_t>(g.count) * 8);
  arrays.push_back(packed_elements(g.index, dtype_id::int64, index_shape));
  body.spec.outputs = {place};
  if (!apply_on(body, arrays, call)) return false;
  const auto elements = contiguous_on(from, from->type, call);
  if (!elements) return false;
  g.from = *elements;
  g.to = call.context.place(result->data, true);
  return gather_on(g, call);
}

bool run_nonzero_flat_on(const DeviceOpCall& call) {
  if (call.result->size == 0) return true;
  if (!call.result->is(node::c_contiguous)) return false;
  return places_of(call.in[0], call.result->size, call.context.place(call.result->data, true), call);
}

// Where the element is whose running sum is the first beyond the place.
bool run_repeat_places_on(const DeviceOpCall& call) {
  const node *repeats = call.in[0], *result = call.result;
  if (result->size == 0) return true;
  if (result->type != dtype_id::int64 || !result->is(node::c_contiguous) || repeats->size > most_elements ||
      result->size > most_elements)
    return false;
  const auto counts = contiguous_on(repeats, dtype_id::int32, call);
  if (!counts) return false;
  const devices::address upto = call.context.scratch(static_cast<std::size_t>(repeats->size) * 4);
  const ScanLines line{{repeats->size, {1, 1}}, {}};
  return scan_lines(op_id::add, {{dtype_id::int32}, {dtype_id::int32}}, *counts, upto, line, call) &&
         places_on(upto, repeats->size, result->size, call.context.place(result->data, true), call);
}

bool run_mask_select_on(const DeviceOpCall& call) {
  const node *from = call.in[0], *mask = call.in[1], *result = call.result;
  if (result->size == 0) return true;
  if (from->type != result->type || !result->is(node::c_contiguous)) return false;
  Gather g;
  g.type = from->type;
  g.length = mask->size;
  g.run = product_of(from->shape + mask->rank, from->shape + from->rank);
  g.count = result->shape[0];
  g.index = call.context.scratch(static_cast<std::size_t>(g.count) * 8);
  if (!places_of(mask, g.count, g.index, call)) return false;
  const auto elements = contiguous_on(from, from->type, call);
  if (!elements) return false;
  g.from = *elements;
  g.to = call.context.place(result->data, true);
  return gather_on(g, call);
}

// Each element where the mask is true reads the value whose number is the count of true ones before it.
bool run_mask_put_on(const DeviceOpCall& call) {
  const node *mask = call.in[1], *value = call.in[2], *target = call.result;
  if (mask->rank != target->rank || target->size == 0 || mask->type != dtype_id::bool_) return false;
  if (target->is(node::readonly) || numjit::detail::may_overlap(mask, target) || numjit::detail::may_overlap(value, target))
    return false;
  if (value->rank > 1 || value->size == 0) return false;
  const auto counts = counts_of(mask, call);
  if (!counts) return false;
  std::int32_t count = 0;
  call.context.read(&count, *counts + static_cast<devices::address>(mask->size - 1) * 4, 4);
  if (value->size != 1 && value->size != count) return false;  // the host has the words for it
  const auto values = contiguous_on(value, target->type, call);
  if (!values) return false;
  DeviceElements given = packed_elements(*values, target->type, dims(target->shape, target->rank));
  if (value->size == 1) {
    for (std::int64_t& stride : given.strides) stride = 0;
  } else {
    // The element at place counts[k] of the values with one in front: that is read where nothing came yet, and not chosen.
    Gather g;
    g.type = target->type;
    g.index_type = dtype_id::int32;
    g.mode = take_mode::clip;
    g.length = count + 1;
    g.count = mask->size;
    g.index = *counts;
    const devices::address shifted = call.context.scratch(static_cast<std::size_t>((count + 1) * size_of(target->type)));
    const dims one{1}, all{count};
    if (!copy_on(packed_elements(*values, target->type, one), packed_elements(shifted, target->type, one), call) ||
        !copy_on(packed_elements(*values, target->type, all),
                 packed_elements(shifted + static_cast<devices::address>(size_of(target->type)), target->type, all), call))
      return false;
    g.from = shifted;
    g.to = call.context.scratch(static_cast<std::size_t>(mask->size * size_of(target->type)));
    if (!gather_on(g, call)) return false;
    given.place.memory = g.to;
  }
  const DeviceElements to = elements_of(target);
  return apply_on(choosing(target->type), {elements_of(mask), given, to, to}, call);
}

namespace {

/// The sum of repeats: what is no length is the host's to report.
std::optional<std::int64_t> count_repeats(const DeviceOpCall& call) {
  const node* repeats = call.in[0];
  if (repeats->size == 0) return 0;
  if (repeats->size > most_elements) return std::nullopt;
  const auto elements = contiguous_on(repeats, dtype_id::int64, call);
  if (!elements) return std::nullopt;
  const auto of =
      reduced_on_host<std::int64_t>({op_id::min, op_id::max, op_id::sum}, *elements, dtype_id::int64, repeats->size, call);
  if (!of || (*of)[0] < 0 || (*of)[1] > most_elements) return std::nullopt;  // else the sum does not wrap
  return (*of)[2];
}

/// Bins of bincount: what is no bin is the host's to report.
std::optional<std::int64_t> count_bins(const DeviceOpCall& call) {
  const node* values = call.in[0];
  const std::int64_t least = layout::first_word(call.params);
  if (values->size == 0) return least;
  const auto elements = contiguous_on(values, dtype_id::int64, call);
  if (!elements) return std::nullopt;
  const auto ends = extremes_on(*elements, values->size, call);
  if (!ends || (*ends)[0] < 0 || (*ends)[1] >= most_elements) return std::nullopt;
  return std::max(least, (*ends)[1] + 1);
}

}  // namespace

std::optional<std::int64_t> count_on_device(const DeviceOpCall& call) {
  if (length_of_result(call.op).rule == length_rule::bins) return count_bins(call);
  if (length_of_result(call.op).rule == length_rule::total) return count_repeats(call);
  if (length_of_result(call.op).rule != length_rule::true_elements) return std::nullopt;
  const node* truth = call.in[static_cast<std::size_t>(length_of_result(call.op).input)];
  if (truth->size == 0) return 0;
  const auto flags = contiguous_on(truth, dtype_id::bool_, call);
  if (!flags) return std::nullopt;
  return count_true_on(*flags, truth->size, call);
}

}  // namespace numjit::runtime::detail
