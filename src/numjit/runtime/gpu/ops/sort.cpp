// Sorting on devices: keys that are integers, merged run by run (halide_gen/schedules/gpu_sort.cpp), with the host's
// order: NaN last, equal elements as they stand.
#include <algorithm>
#include <bit>
#include <utility>

#include <numjit/array/dtype.h>
#include <numjit/ops/param_layout.h>
#include <numjit/runtime/gpu/ops/ops.h>

namespace numjit::runtime::detail {

using graph::KernelNodeKind;
using graph::KernelSpec;

KernelSpec merge_spec(dtype_id key, bool with_places) {
  KernelSpec spec = copying(key);
  if (!with_places) return spec;
  spec.operand_types.push_back(dtype_id::int32);
  spec.nodes.push_back({KernelNodeKind::operand, {}, 0, dtype_id::int32, 1, {}});
  spec.outputs.push_back(1);
  return spec;
}

namespace {

/// What bits of a float are.
struct FloatBits {
  std::uint64_t sign, infinity, nan;
};
FloatBits bits_of(dtype_id bits) {
  switch (bits) {
    case dtype_id::uint16: return {0x8000u, 0x7c00u, 0x7e00u};
    case dtype_id::uint32: return {0x80000000u, 0x7f800000u, 0x7fc00000u};
    default: return {std::uint64_t{1} << 63, 0x7ff0000000000000u, 0x7ff8000000000000u};
  }
}

/// Is operand `x` of a body, bits of a float, a NaN?
std::uint16_t is_nan(NumbersBody& body, std::uint16_t x) {
  const dtype_id type = body.spec.nodes[x].type;
  const FloatBits f = bits_of(type);
  const std::uint16_t size = body.op(op_id::bitwise_and, {x, body.word(type, f.sign - 1), 0});
  return body.op(op_id::greater, {size, body.word(type, f.infinity), 0});
}

}  // namespace

NumbersBody float_key_body(dtype_id bits, bool equal_zeros) {
  NumbersBody body(bits);
  const FloatBits f = bits_of(bits);
  const auto choose = [&](std::uint16_t mask, std::uint16_t a, std::uint16_t b) { return body.op(op_id::where, {mask, a, b}); };
  const std::uint16_t sign = body.word(bits, f.sign);
  const std::uint16_t negative = body.op(op_id::greater_equal, {0, sign, 0});
  std::uint16_t key = choose(negative, body.op(op_id::invert, {0, 0, 0}), body.op(op_id::bitwise_or, {0, sign, 0}));
  if (equal_zeros) key = choose(body.op(op_id::equal, {0, sign, 0}), sign, key);
  body.spec.outputs = {choose(is_nan(body, 0), body.word(bits, f.sign | f.nan), key)};
  return body;
}

NumbersBody key_float_body(dtype_id bits) {
  NumbersBody body(bits);
  const std::uint16_t sign = body.word(bits, bits_of(bits).sign);
  const std::uint16_t positive = body.op(op_id::greater_equal, {0, sign, 0});
  const std::uint16_t value = body.op(op_id::bitwise_xor, {0, sign, 0});
  body.spec.outputs = {body.op(op_id::where, {positive, value, body.op(op_id::invert, {0, 0, 0})})};
  return body;
}

dtype_id bits_type(dtype_id type) {
  switch (type) {
    case dtype_id::bool_: return dtype_id::uint8;
    case dtype_id::float16: return dtype_id::uint16;
    case dtype_id::float32: return dtype_id::uint32;
    case dtype_id::float64: return dtype_id::uint64;
    default: return type;
  }
}

namespace {

bool is_float(dtype_id type) { return dtype(type).kind() == 'f'; }
bool is_complex(dtype_id type) { return dtype(type).kind() == 'c'; }

class Sorter {
 public:
  Sorter(std::int64_t rows, std::int64_t n, const DeviceOpCall& call) : n_(n), all_(rows * n), call_(call) {}

  devices::address memory(dtype_id type) const { return call_.context.scratch(static_cast<std::size_t>(all_ * size_of(type))); }

  /// Sorts keys, and `places` with them if these are there: int32.
  bool sort(dtype_id type, devices::address& keys, devices::address* places) {
    if (n_ <= 1) return true;
    const KernelSpec spec = merge_spec(type, places != nullptr);
    const devices::address other = memory(type);
    if (places && !other_places_) other_places_ = memory(dtype_id::int32);
    keys_ = {keys, other};
    places_ = {places ? *places : 0, other_places_};
    if (!merge_short(spec) || (n_ > join_block && !merge_blocks(spec))) return false;
    keys = keys_.first;
    if (places) *places = places_.first, other_places_ = places_.second;
    return true;
  }

 private:
  kernel_entry find(const KernelSpec& spec, const char* schedule) const {
    KernelVariant variant;
    variant.schedule = schedule;
    variant.target = call_.target;
    variant.inner_stride.assign(2 * spec.operand_types.size(), 1);
    return call_.kernels.find(spec, variant, nullptr);
  }
  static std::int32_t steps_for(std::int64_t run) {
    return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(run)));
  }

  // Runs shorter than a block, of all rows side by side.
  bool merge_short(const KernelSpec& spec) {
    const kernel_entry entry = find(spec, "gpu_merge");
    if (!entry) return false;
    CallBlock block;
    block.init(spec.operand_types, {}, 4, output_types(spec), 1, 1);
    block.parameter(0) = static_cast<std::int32_t>(n_);
    block.parameter(3) = static_cast<std::int32_t>(all_);
    for (std::int64_t run = 1; run < std::min(n_, join_block); run *= 2) {
      block.parameter(1) = static_cast<std::int32_t>(run);
      block.parameter(2) = steps_for(run);
      pass(entry, block, spec, {all_}, 0);
      turn();
    }
    return true;
  }

  // Longer ones row by row, by blocks in shared memory.
  bool merge_blocks(const KernelSpec& spec) {
    const kernel_entry entry = find(spec, "gpu_join");
    if (!entry) return false;
    CallBlock block;
    block.init(spec.operand_types, {}, 3, output_types(spec), 2, 2);
    block.parameter(0) = static_cast<std::int32_t>(n_);
    for (std::int64_t run = join_block; run < n_; run *= 2) {
      block.parameter(1) = static_cast<std::int32_t>(run);
      block.parameter(2) = steps_for(run);
      run_rows(entry, block, spec);
    }
    return true;
  }
  void run_rows(kernel_entry entry, CallBlock& block, const KernelSpec& spec) {
    const std::int64_t rows = all_ / n_;
    for (std::int64_t row = 0; row < rows; row += most_blocks)
      pass(entry, block, spec, {n_, std::min(rows - row, most_blocks)}, row * n_);
    turn();
  }

  // A kernel over elements from `from` on, from where they are to the other memory.
  void pass(kernel_entry entry, CallBlock& block, const KernelSpec& spec, std::initializer_list<std::int64_t> extents,
            std::int64_t from) {
    for (int i = 0; i < static_cast<int>(spec.operand_types.size()); ++i) {
      const auto offset = static_cast<devices::address>(from * size_of(spec.operand_types[static_cast<std::size_t>(i)]));
      for (kernel_buffer* buffer : {&block.in(i), &block.out(i)}) {
        std::int64_t stride = 1;
        int axis = 0;
        for (const std::int64_t extent : extents) {
          CallBlock::set_stride(*buffer, axis, stride);
          buffer->dim[axis++].extent = static_cast<std::int32_t>(extent);
          stride *= extent;
        }
      }
      const auto& place = i == 0 ? keys_ : places_;
      block.in(i).device = place.first + offset;
      block.out(i).device = place.second + offset;
    }
    call_.context.call(entry, block.argv());
  }
  void turn() {
    std::swap(keys_.first, keys_.second);
    std::swap(places_.first, places_.second);
  }

  std::int64_t n_, all_;
  const DeviceOpCall& call_;
  std::pair<devices::address, devices::address> keys_, places_;  // where they are, and other memory
  devices::address other_places_ = 0;
};

/// An operand as rows along the axis that is sorted.
struct SortedRows {
  DeviceElements from, to;
  std::int64_t n = 0, rows = 0;
};
std::optional<SortedRows> rows_of(const DeviceOpCall& call) {
  const node *in = call.in[0], *result = call.result;
  const std::int64_t word = layout::axis_of(call.params);
  if (in->rank == 0 || in->size > most_sorted || word == layout::none) return std::nullopt;
  const int axis = normalize_axis("sort", word, in->rank);
  // A place of a partition that is out of range is the host's to report.
  for (int i = 2; i < call.params.size(); ++i)
    if (call.params[i] < -in->shape[axis] || call.params[i] >= in->shape[axis]) return std::nullopt;
  if (numjit::detail::may_overlap(in, result)) return std::nullopt;
  SortedRows s{with_last(elements_of(in), axis), with_last(elements_of(result), axis)};
  s.n = in->shape[axis];
  s.rows = in->size / s.n;
  return s;
}

/// One part of complex elements, as bits.
DeviceElements part_bits(DeviceElements e, int part) {
  const dtype_id type = part_type(e.type);
  if (e.place.host)
    e.place.host += part * size_of(type);
  else
    e.place.memory += static_cast<devices::address>(part * size_of(type));
  e.type = bits_type(type);
  return e;
}

/// 2 where the real part is a NaN, and 1 where the imaginary one is: numbers come first, then those with one of them.
bool nan_classes_on(const DeviceElements& from, devices::address to, const DeviceOpCall& call) {
  const DeviceElements re = part_bits(from, 0), im = part_bits(from, 1);
  NumbersBody body(re.type);
  const std::uint16_t second = body.operand(im.type);
  constexpr dtype_id type = dtype_id::uint8;
  const auto flag = [&](std::uint16_t x, std::uint64_t weight) {
    return body.op(op_id::where, {is_nan(body, x), body.word(type, weight), body.word(type, 0)});
  };
  const std::uint16_t of_re = flag(0, 2);
  body.spec.outputs = {body.op(op_id::add, {of_re, flag(second, 1), 0})};
  return apply_on(body, {re, im, packed_elements(to, type, from.shape)}, call);
}

/// The numbers of all elements, in the order of their rows' elements; nothing if there is no kernel.
class Order {
 public:
  Order(const SortedRows& s, const DeviceOpCall& call) : s_(s), call_(call), sorter_(s.rows, s.n, call) {}

  std::optional<devices::address> find() {
    const auto numbers = count_up_on(s_.rows * s_.n, call_);
    if (!numbers) return std::nullopt;
    order_ = *numbers;
    return (is_complex(s_.from.type) ? by_parts() : by_value()) ? std::optional(order_) : std::nullopt;
  }

 private:
  bool by_value() {
    DeviceElements from = s_.from;
    from.type = bits_type(from.type);
    devices::address keys = sorter_.memory(from.type);
    return keys_on(from, is_float(s_.from.type), true, keys, call_) && sorter_.sort(from.type, keys, &order_);
  }
  // The least significant key first: each sort leaves equal ones as they stand.
  bool by_parts() {
    const dtype_id type = bits_type(part_type(s_.from.type));
    for (const int part : {1, 0}) {
      devices::address keys = sorter_.memory(type);
      if (!keys_on(part_bits(s_.from, part), true, true, keys, call_) || !sort_along(type, keys)) return false;
    }
    const devices::address classes = sorter_.memory(dtype_id::uint8);
    return nan_classes_on(s_.from, classes, call_) && sort_along(dtype_id::uint8, classes);
  }
  // By keys of the elements as they stood at first.
  bool sort_along(dtype_id type, devices::address keys) {
    devices::address now = sorter_.memory(type);
    Gather g;
    g.from = keys, g.to = now, g.index = order_;
    g.type = type, g.index_type = dtype_id::int32;
    g.length = g.count = s_.rows * s_.n;
    return gather_on(g, call_) && sorter_.sort(type, now, &order_);
  }

  const SortedRows& s_;
  const DeviceOpCall& call_;
  Sorter sorter_;
  devices::address order_ = 0;
};

/// Complex elements, one after the other, at their places in the order.
bool sort_complex(const SortedRows& s, const DeviceOpCall& call) {
  const auto order = Order(s, call).find();
  if (!order) return false;
  const auto bytes = static_cast<std::size_t>(s.rows * s.n * size_of(s.from.type));
  Gather g;
  g.type = s.from.type, g.index_type = dtype_id::int32;
  g.from = call.context.scratch(bytes), g.to = call.context.scratch(bytes), g.index = *order;
  g.length = g.count = s.rows * s.n;
  return copy_on(s.from, packed_elements(g.from, g.type, s.from.shape), call) && gather_on(g, call) &&
         copy_on(packed_elements(g.to, g.type, s.from.shape), s.to, call);
}

}  // namespace

bool keys_on(DeviceElements from, bool floats, bool equal_zeros, devices::address to, const DeviceOpCall& call) {
  const DeviceElements keys = packed_elements(to, from.type, from.shape);
  return floats ? apply_on(float_key_body(from.type, equal_zeros), {from, keys}, call) : copy_on(from, keys, call);
}

std::optional<devices::address> count_up_on(std::int64_t n, const DeviceOpCall& call) {
  NumbersBody count;
  count.spec.outputs = {count.cast(0, dtype_id::int32)};
  const devices::address to = call.context.scratch(static_cast<std::size_t>(n) * 4);
  return fill_numbers(count, to, 1, n, call) ? std::optional(to) : std::nullopt;
}

bool sort_with_places(std::int64_t n, devices::address& keys, devices::address& places, const DeviceOpCall& call) {
  return Sorter(1, n, call).sort(dtype_id::int32, keys, &places);
}
bool sort_keys(std::int64_t n, devices::address& keys, const DeviceOpCall& call) {
  return Sorter(1, n, call).sort(dtype_id::int32, keys, nullptr);
}

bool run_sort_on(const DeviceOpCall& call) {
  if (call.result->size == 0) return true;
  const auto s = rows_of(call);
  if (!s || call.result->type != call.in[0]->type) return false;
  if (is_complex(s->from.type)) return sort_complex(*s, call);
  DeviceElements from = s->from, to = s->to;
  from.type = to.type = bits_type(from.type);
  Sorter sorter(s->rows, s->n, call);
  devices::address keys = sorter.memory(from.type);
  const bool floats = is_float(call.result->type);
  if (!keys_on(from, floats, false, keys, call) || !sorter.sort(from.type, keys, nullptr)) return false;
  const DeviceElements sorted = packed_elements(keys, from.type, from.shape);
  return floats ? apply_on(key_float_body(from.type), {sorted, to}, call) : copy_on(sorted, to, call);
}

bool run_argsort_on(const DeviceOpCall& call) {
  if (call.result->size == 0) return true;
  const auto s = rows_of(call);
  if (!s) return false;
  const auto order = Order(*s, call).find();
  if (!order) return false;
  // Numbers within the row.
  NumbersBody body(dtype_id::int32);
  const std::uint16_t n = body.word(dtype_id::int32, static_cast<std::uint64_t>(s->n));
  body.spec.outputs = {body.cast(body.op(op_id::remainder, {0, n, 0}), call.result->type)};
  return apply_on(body, {packed_elements(*order, dtype_id::int32, s->from.shape), s->to}, call);
}

}  // namespace numjit::runtime::detail
