// Rows stored at indices, on devices: of several with one index the last one counts, as on the host.
#include <climits>

#include <numjit/runtime/gpu/ops/ops.h>

namespace numjit::runtime::detail {

using graph::KernelNodeKind;
using graph::KernelSpec;

KernelSpec put_spec(dtype_id type) {
  KernelSpec spec = copying(type);
  for (std::uint16_t i = 1; i < 3; ++i) {
    spec.operand_types.push_back(dtype_id::int32);
    spec.nodes.push_back({KernelNodeKind::operand, {}, 0, dtype_id::int32, i, {}});
  }
  return spec;
}

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 29;  // that one kernel counts
constexpr std::int64_t most_rows = 65535, short_run = 32;

/// Rows of `run` elements, and which of them go where.
struct Rows {
  devices::address values = 0, index = 0, source = 0, to = 0;
  dtype_id type{};
  std::int64_t run = 1, count = 0, rows = 0;
};

bool put_on(const Rows& r, const DeviceOpCall& call) {
  // Rows that threads share have a block each.
  const bool narrow = r.run < short_run || r.count > most_rows;
  const KernelSpec spec = put_spec(r.type);
  KernelVariant variant;
  variant.schedule = "gpu_put";
  variant.target = call.target;
  variant.inner_stride = {1, 1, 1, 1};
  variant.size_class = narrow ? put_narrow : 0;
  const kernel_entry entry = call.kernels.find(spec, variant, nullptr);
  if (!entry) return false;
  CallBlock block;
  block.init(spec.operand_types, {}, 3, {r.type}, 2, 2);
  block.parameter(0) = static_cast<std::int32_t>(r.run);
  block.parameter(1) = static_cast<std::int32_t>(r.count);
  block.parameter(2) = static_cast<std::int32_t>(r.rows);
  for (kernel_buffer* rows : {&block.in(0), &block.out(0)}) {
    CallBlock::set_stride(*rows, 0, 1);
    CallBlock::set_stride(*rows, 1, r.run);
    rows->dim[0].extent = static_cast<std::int32_t>(r.run);
  }
  for (int i = 1; i < 3; ++i) CallBlock::set_stride(block.in(i), 0, 1);
  block.out(0).dim[1].extent = static_cast<std::int32_t>(r.rows);
  block.in(0).device = r.values;
  block.in(1).device = r.index;
  block.in(2).device = r.source;
  block.out(0).device = r.to;
  call.context.call(entry, block.argv());
  return true;
}

/// Indices as rows of the target; nothing where one is out of range, which the host reports.
std::optional<devices::address> rows_at(const node* index, std::int64_t rows, const DeviceOpCall& call) {
  const auto indices = contiguous_on(index, dtype_id::int64, call);
  if (!indices) return std::nullopt;
  const auto ends = extremes_on(*indices, index->size, call);
  if (!ends || (*ends)[0] < -rows || (*ends)[1] >= rows) return std::nullopt;
  constexpr dtype_id type = dtype_id::int64;
  NumbersBody body(type);
  const std::uint16_t from_end = body.op(op_id::less, {0, body.word(type, 0), 0});
  const std::uint16_t turned = body.op(op_id::add, {0, body.word(type, static_cast<std::uint64_t>(rows)), 0});
  body.spec.outputs = {body.cast(body.op(op_id::where, {from_end, turned, 0}), dtype_id::int32)};
  const devices::address resolved = call.context.scratch(static_cast<std::size_t>(index->size) * 4);
  const dims all{index->size};
  if (!apply_on(body, {packed_elements(*indices, type, all), packed_elements(resolved, dtype_id::int32, all)}, call))
    return std::nullopt;
  return resolved;
}

/// The value, a row for each index: a copy, so that it may be the target.
std::optional<devices::address> spread_values(const DeviceOpCall& call) {
  const node *target = call.result, *index = call.in[1];
  dims place(index->shape, index->rank);
  std::int64_t size = index->size;
  for (int a = 1; a < target->rank; ++a) {
    place.push_back(target->shape[a]);
    size *= target->shape[a];
  }
  const auto value = broadcast_elements(elements_of(call.in[2]), place);
  if (!value || size > most_elements) return std::nullopt;
  const devices::address memory = call.context.scratch(static_cast<std::size_t>(size * size_of(target->type)));
  return copy_on(*value, packed_elements(memory, target->type, place), call) ? std::optional(memory) : std::nullopt;
}

}  // namespace

bool run_put_index_on(const DeviceOpCall& call) {
  const node *target = call.result, *index = call.in[1], *value = call.in[2];
  if (target->is(node::readonly) || target->size == 0 || target->size > most_elements) return false;
  if (index->size == 0) return true;
  Rows r;
  r.type = target->type;
  r.rows = target->shape[0];
  r.run = target->size / r.rows;
  r.count = index->size;
  const auto resolved = rows_at(index, r.rows, call), values = spread_values(call), order = count_up_on(r.count, call);
  if (!resolved || !values || !order) return false;
  r.index = *resolved, r.values = *values, r.source = *order;
  // Of one value for all, it does not matter which comes last.
  if (value->size > 1 && !sort_with_places(r.count, r.index, r.source, call)) return false;
  const DeviceElements there = elements_of(target);
  if (target->is(node::c_contiguous)) {
    r.to = call.context.place(target->data, true);
    return put_on(r, call);
  }
  const DeviceElements copy =
      packed_elements(call.context.scratch(static_cast<std::size_t>(target->size * size_of(r.type))), r.type, there.shape);
  r.to = copy.place.memory;
  return copy_on(there, copy, call) && put_on(r, call) && copy_on(copy, there, call);
}

}  // namespace numjit::runtime::detail
