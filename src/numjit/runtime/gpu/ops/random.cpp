// Random numbers on devices: those of a counter-based generator, the host's numbers and the host's state afterwards. The
// state stays on the host, which does arithmetic with counters; numbers are made by kernels.
#include <algorithm>
#include <cmath>
#include <mutex>

#include <numjit/runtime/gpu/ops/ops.h>

namespace numjit::runtime::detail {

using numjit::detail::counted_draw;

namespace {

int bits_of(dtype_id unit) { return unit == dtype_id::bool_ ? 1 : 8 * static_cast<int>(size_of(unit)); }

/// a + b * u with u in [0, 1).
std::uint16_t uniform_of(NumbersBody& body, const counted_draw& plan, dtype_id type) {
  const int mantissa = type == dtype_id::float32 ? 24 : 53;
  const std::uint16_t shift = body.word(plan.unit, static_cast<std::uint64_t>(bits_of(plan.unit) - mantissa));
  const std::uint16_t whole = body.cast(body.op(op_id::right_shift, {0, shift, 0}), type);
  const std::uint16_t u = body.op(op_id::multiply, {whole, body.real(type, std::ldexp(1.0, -mantissa)), 0});
  if (plan.is_unit_interval) return u;
  const std::uint16_t scaled = body.op(op_id::multiply, {body.real(type, plan.scale), u, 0});
  return body.op(op_id::add, {body.real(type, plan.low), scaled, 0});
}

/// Both halves of unit * limit.
struct Halves {
  std::uint16_t low, high;
};
Halves product_of(NumbersBody& body, const counted_draw& plan) {
  constexpr dtype_id wide = dtype_id::uint64;
  const auto times = [&](std::uint16_t a, std::uint16_t b) { return body.op(op_id::multiply, {a, b, 0}); };
  const auto plus = [&](std::uint16_t a, std::uint16_t b) { return body.op(op_id::add, {a, b, 0}); };
  const int bits = bits_of(plan.unit);
  const std::uint16_t unit = body.cast(0, wide), limit = body.word(wide, plan.limit);
  const int half = std::min(bits, 32);
  const std::uint16_t mask = body.word(wide, (std::uint64_t{1} << half) - 1),
                      width = body.word(wide, static_cast<std::uint64_t>(half));
  const auto lower = [&](std::uint16_t a) { return body.op(op_id::bitwise_and, {a, mask, 0}); };
  const auto upper = [&](std::uint16_t a) { return body.op(op_id::right_shift, {a, width, 0}); };
  const std::uint16_t product = times(unit, limit);
  if (bits <= 32) return {lower(product), upper(product)};
  const std::uint16_t a0 = lower(unit), a1 = upper(unit), b0 = lower(limit), b1 = upper(limit);
  const std::uint16_t middle = plus(times(a1, b0), upper(times(a0, b0)));
  const std::uint16_t rest = upper(plus(times(a0, b1), lower(middle)));
  return {product, plus(plus(times(a1, b1), upper(middle)), rest)};
}

}  // namespace

NumbersBody draw_body(const counted_draw& plan, dtype_id type) {
  constexpr dtype_id wide = dtype_id::uint64;
  NumbersBody body(plan.unit);
  for (const std::uint64_t word : plan.counter) body.word(wide, word);
  for (const std::uint64_t word : plan.key) body.word(wide, word);
  switch (plan.kind) {
    case counted_draw::number::uniform: body.spec.outputs = {uniform_of(body, plan, type)}; break;
    case counted_draw::number::bit: body.spec.outputs = {0}; break;
    case counted_draw::number::whole: {
      const Halves halves = plan.limit == 0 ? Halves{0, body.cast(0, wide)} : product_of(body, plan);
      const std::uint16_t number = body.op(op_id::add, {body.word(wide, plan.offset), halves.high, 0});
      body.spec.outputs = {body.cast(number, type)};
      if (plan.threshold == 0) break;
      body.spec.outputs.push_back(body.op(op_id::greater_equal, {halves.low, body.word(wide, plan.threshold), 0}));
    }
  }
  return body;
}

namespace {

class Drawing {
 public:
  Drawing(const counted_draw& plan, dtype_id type, const DeviceOpCall& call)
      : plan_(plan), body_(draw_body(plan, type)), call_(call), bits_(bits_of(plan.unit)) {}

  bool prepare() {
    KernelVariant variant;
    variant.schedule = "gpu_philox";
    variant.target = call_.target;
    variant.inner_stride.assign(1 + body_.spec.outputs.size(), 1);
    entry_ = call_.kernels.find(body_.spec, variant, nullptr);
    return entry_ != nullptr;
  }

  /// The first `n` units of the stream: one output after the other at `to`.
  bool make(std::int64_t n, std::vector<devices::address> to) {
    for (int k = 0; k < 4; ++k) body_.values[static_cast<std::size_t>(k)] = {plan_.counter[k], 0};
    left_ = n;
    to_ = std::move(to);
    if (plan_.has_half && bits_ < 64 && !make_of_half()) return false;
    const std::int64_t in_word = 64 / bits_, in_block = 4 * in_word;
    if (plan_.first > 0 && left_ > 0) {
      launch(plan_.first * in_word, std::min(left_, in_block - plan_.first * in_word), 1);
      count_up(1);
    }
    const std::int64_t most = (std::int64_t{1} << 30) / in_block;
    while (left_ >= in_block) {
      const std::int64_t blocks = std::min(left_ / in_block, most);
      launch(0, in_block, blocks);
      count_up(static_cast<std::uint64_t>(blocks));
    }
    if (left_ > 0) launch(0, left_, 1);
    return true;
  }

 private:
  dtype_id output_type(std::size_t i) const { return body_.spec.nodes[body_.spec.outputs[i]].type; }
  void move_on(std::int64_t n) {
    for (std::size_t i = 0; i < to_.size(); ++i) to_[i] += static_cast<devices::address>(n * size_of(output_type(i)));
    left_ -= n;
  }
  void count_up(std::uint64_t by) {
    for (std::size_t k = 0; k < 4; ++k) {
      std::uint64_t& word = body_.values[k][0];
      word += by;
      by = word < by ? 1 : 0;
    }
  }

  // Units of the 32 bits that are left over, by the same formula over an array of them.
  bool make_of_half() {
    const std::int64_t n = std::min<std::int64_t>(left_, 32 / bits_);
    std::uint8_t bytes[32] = {};
    for (int k = 0; k < 32; ++k)
      if (bits_ == 1)
        bytes[k] = plan_.half >> k & 1;
      else if (k % 8 == 0)
        bytes[k / 8] = static_cast<std::uint8_t>(plan_.half >> k);
    const devices::address units = call_.context.scratch(sizeof bytes);
    call_.context.write(units, bytes, sizeof bytes);
    const dims shape{n};
    std::vector<DeviceElements> arrays{packed_elements(units, plan_.unit, shape)};
    for (std::size_t i = 0; i < to_.size(); ++i) arrays.push_back(packed_elements(to_[i], output_type(i), shape));
    if (!apply_on(body_, arrays, call_)) return false;
    move_on(n);
    return true;
  }

  // `units` of each of `blocks` blocks, from number `first` on.
  void launch(std::int64_t first, std::int64_t units, std::int64_t blocks) {
    CallBlock block;
    const std::vector<dtype_id> types = output_types(body_.spec);
    block.init(body_.spec.operand_types, body_.spec.scalar_types, 1, types, 2, 2);
    block.set_scalars(body_.spec, body_.scalars().data());
    block.parameter(0) = static_cast<std::int32_t>(first);
    block.in(0).device = to_[0];  // not read
    for (std::size_t i = 0; i < to_.size(); ++i) {
      kernel_buffer& out = block.out(static_cast<int>(i));
      CallBlock::set_stride(out, 0, 1);
      CallBlock::set_stride(out, 1, units);
      out.device = to_[i];
      out.dim[0].extent = static_cast<std::int32_t>(units);
      out.dim[1].extent = static_cast<std::int32_t>(blocks);
    }
    call_.context.call(entry_, block.argv());
    move_on(units * blocks);
  }

  const counted_draw& plan_;
  NumbersBody body_;
  const DeviceOpCall& call_;
  const int bits_;
  kernel_entry entry_ = nullptr;
  std::vector<devices::address> to_;
  std::int64_t left_ = 0;
};

/// Numbers of units that are not passed over: as many units as it may take are tried, and the good ones put one after
/// the other. Returns the units that it took; nothing if it can't be done.
std::optional<std::int64_t> make_chosen(Drawing& drawing, const counted_draw& plan, const node* result,
                                        const DeviceOpCall& call) {
  const std::int64_t n = result->size;
  const devices::address to = call.context.place(result->data, true);
  const double passed = std::ldexp(static_cast<double>(plan.threshold), -bits_of(plan.unit));
  for (std::int64_t tried = n;;) {
    const devices::address flags = call.context.scratch(static_cast<std::size_t>(tried));
    const bool direct = tried == n;  // most often there is nothing to pass over
    Gather g;
    g.from = direct ? to : call.context.scratch(static_cast<std::size_t>(tried * size_of(result->type)));
    if (!drawing.make(tried, {g.from, flags})) return std::nullopt;
    const auto good = count_true_on(flags, tried, call);
    if (!good) return std::nullopt;
    if (*good < n) {
      const double likely = static_cast<double>(n) / (1 - passed);
      tried = std::max(tried + tried / 8, static_cast<std::int64_t>(likely + 8 * std::sqrt(likely))) + 64;
      continue;
    }
    if (direct) return n;
    const auto counts = running_counts(flags, tried, call);
    g.index = call.context.scratch(static_cast<std::size_t>(n) * 8);
    if (!counts || !places_on(*counts, tried, n, g.index, call)) return std::nullopt;
    g.type = result->type;
    g.length = tried;
    g.count = n;
    g.to = to;
    std::int64_t last = 0;
    call.context.read(&last, g.index + static_cast<devices::address>(n - 1) * 8, 8);
    if (!gather_on(g, call)) return std::nullopt;
    return last + 1;
  }
}

}  // namespace

bool run_random_draw_on(const DeviceOpCall& call) {
  const node* result = call.result;
  const auto [plan_draw, move_on] = numjit::detail::counted;
  if (!plan_draw || call.in.size() != 1 || result->size == 0 || !result->is(node::c_contiguous)) return false;
  call.context.open_on_host(call.in[0]);
  char* const state = call.in[0]->data;
  std::lock_guard lock(numjit::detail::draw_mutex(state));
  counted_draw plan;
  if (!plan_draw(state, call.params, result->type, plan)) return false;
  // Before anything moves on: a kernel that can't be made leaves the draw to the host.
  Drawing drawing(plan, result->type, call);
  if (!drawing.prepare()) return false;
  std::int64_t taken = result->size;
  if (plan.threshold != 0) {
    const auto chosen = make_chosen(drawing, plan, result, call);
    if (!chosen) return false;
    taken = *chosen;
  } else if (!drawing.make(result->size, {call.context.place(result->data, true)})) {
    return false;
  }
  move_on(state, plan.unit, taken);
  return true;
}

}  // namespace numjit::runtime::detail
