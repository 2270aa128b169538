// Elementwise launches over narrow arrays, (n, 3) with (3,) or (n, 1): along the inner axis most of a
// vector would stay empty, and broadcast operands keep the axes from being merged. Operands that are in
// the way are repeated into scratch, some rows at a time; the kernel then runs over both axes as one.
#include <algorithm>
#include <cstring>

#include <numjit/base/thread_pool.h>
#include <numjit/runtime/launch/launch.h>

namespace numjit::runtime::detail {
namespace {

using graph::KernelSpec;

/// Longer inner axes fill vectors well enough; for work that takes long even half-filled ones cost too much.
constexpr std::int64_t widest_light = 4, widest = 8;
constexpr double long_ns = 1;
/// Elements of each array worked on at once: all of them stay in the first-level cache.
constexpr std::int64_t at_once = 1024;

template <class T>
void repeat_rows(const char* from, std::int64_t row, std::int64_t step, std::int64_t rows, std::int64_t width, char* to_bytes) {
  T* to = reinterpret_cast<T*>(to_bytes);
  auto copy = [&](auto fixed) {
    constexpr std::int64_t w = decltype(fixed)::value;
    for (std::int64_t r = 0; r < rows; ++r, from += row * static_cast<std::int64_t>(sizeof(T)), to += w) {
      const T* source = reinterpret_cast<const T*>(from);
      for (std::int64_t x = 0; x < w; ++x) to[x] = source[x * step];
    }
  };
  switch (width) {
    case 2: return copy(std::integral_constant<std::int64_t, 2>());
    case 3: return copy(std::integral_constant<std::int64_t, 3>());
    case 4: return copy(std::integral_constant<std::int64_t, 4>());
    case 5: return copy(std::integral_constant<std::int64_t, 5>());
    case 6: return copy(std::integral_constant<std::int64_t, 6>());
    case 7: return copy(std::integral_constant<std::int64_t, 7>());
    default: return copy(std::integral_constant<std::int64_t, 8>());
  }
}

struct sixteen_bytes {
  std::uint64_t half[2];
};

class NarrowPlan final : public LaunchPlan {
 public:
  NarrowPlan(const KernelSpec& spec, const Space& space)
      : spec_(spec), inputs_(spec.operand_types.size()), item_(item_sizes(spec)), offset_(space.offset), outer_(space.axes) {
    x_ = std::move(outer_.back());
    outer_.pop_back();
    y_ = std::move(outer_.back());
    outer_.pop_back();
    for (const Axis& axis : outer_) outer_count_ *= axis.extent;
    for (std::size_t i = 0; i < inputs_; ++i) {
      const bool still = x_.stride[i] == 0 && y_.stride[i] == 0;
      if (!still && !is_flat(x_, y_, i)) repeated_.push_back(i);
    }
    estimate_ns_ = 10 + (ns_per_point(spec) + 0.4 * static_cast<double>(repeated_.size())) * static_cast<double>(space.points);
    bytes = bytes_moved(spec, space);
  }

  static bool serves(const KernelSpec& spec, const Space& space) {
    if (space.axes.size() < 2 || spec.outputs.size() != 1) return false;
    const Axis &x = space.axes.back(), &y = space.axes[space.axes.size() - 2];
    const std::int64_t most = ns_per_point(spec) < long_ns ? widest_light : widest;
    return x.extent >= 2 && x.extent <= most && y.extent >= 64 && is_flat(x, y, spec.operand_types.size());
  }

  bool prepare(KernelSource& kernels) {
    KernelVariant variant;
    variant.schedule = "elementwise";
    for (std::size_t i = 0; i < item_.size(); ++i) variant.inner_stride.push_back(x_.stride[i] == 0 && y_.stride[i] == 0 ? 0 : 1);
    entry_ = kernels.find(spec_, variant, &kernel);
    if (!entry_) return false;
    schedule = "elementwise";
    block_.init(spec_.operand_types, spec_.scalar_types, 0, output_types(spec_), 2, 2);
    for (std::size_t i = 0; i < item_.size(); ++i) CallBlock::set_stride(buffer(block_, i), 0, variant.inner_stride[i]);
    return true;
  }

  void run(const Launch& launch) override {
    block_.set_scalars(spec_, launch.scalars);
    const std::int64_t rows = outer_count_ * y_.extent;
    numjit::detail::parallel_plain_ranges(rows, at_once / x_.extent, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
      BlockCopy copy(block_);
      run_range(copy.block, launch, from, to);
    });
  }

  bool can_run_first(std::int64_t rows) const override { return outer_count_ * y_.extent % rows == 0; }
  void run_first(const Launch& launch, std::int64_t count, std::int64_t rows) override {
    block_.set_scalars(spec_, launch.scalars);
    run_range(block_, launch, 0, outer_count_ * y_.extent / rows * count);
  }

 private:
  static bool is_flat(const Axis& x, const Axis& y, std::size_t i) { return x.stride[i] == 1 && y.stride[i] == x.extent; }

  kernel_buffer& buffer(CallBlock& block, std::size_t i) const {
    return i < inputs_ ? block.in(static_cast<int>(i)) : block.out(static_cast<int>(i - inputs_));
  }

  void run_range(CallBlock& block, const Launch& launch, std::int64_t from, std::int64_t to) const {
    const std::int64_t rows_at_once = at_once / x_.extent;
    alignas(64) char stack[4 * at_once * 8];
    const std::size_t needed = repeated_.size() * at_once * 16;
    const std::unique_ptr<char[]> heap(needed > sizeof stack ? new char[needed] : nullptr);
    while (from < to) {
      const std::int64_t outer = from / y_.extent, y = from % y_.extent;
      const std::int64_t rows = std::min({to - from, y_.extent - y, rows_at_once});
      run_rows(block, launch, outer, y, rows, heap ? heap.get() : stack);
      from += rows;
    }
  }

  void run_rows(CallBlock& block, const Launch& launch, std::int64_t outer, std::int64_t y, std::int64_t rows,
                char* scratch) const {
    for (std::size_t i = 0; i < item_.size(); ++i) {
      std::int64_t at = offset_[i] + y * y_.stride[i], left = outer;
      for (std::size_t a = outer_.size(); a-- > 0; left /= outer_[a].extent) at += left % outer_[a].extent * outer_[a].stride[i];
      buffer(block, i).host = launch.operands[i].data + at * item_[i];
    }
    for (std::size_t i : repeated_) {
      char*& host = buffer(block, i).host;
      repeat(i, host, rows, scratch);
      host = scratch;
      scratch += at_once * item_[i];
    }
    block.out(0).dim[0].extent = static_cast<std::int32_t>(rows * x_.extent);
    block.out(0).dim[1].extent = 1;
    entry_(block.argv());
  }

  void repeat(std::size_t i, const char* from, std::int64_t rows, char* to) const {
    const std::int64_t row = y_.stride[i], step = x_.stride[i], width = x_.extent;
    switch (item_[i]) {
      case 1: return repeat_rows<std::uint8_t>(from, row, step, rows, width, to);
      case 2: return repeat_rows<std::uint16_t>(from, row, step, rows, width, to);
      case 4: return repeat_rows<std::uint32_t>(from, row, step, rows, width, to);
      case 8: return repeat_rows<std::uint64_t>(from, row, step, rows, width, to);
      default: return repeat_rows<sixteen_bytes>(from, row, step, rows, width, to);
    }
  }

  const KernelSpec& spec_;
  std::size_t inputs_;
  std::vector<std::int64_t> item_, offset_;
  std::vector<Axis> outer_;
  Axis x_, y_;
  std::int64_t outer_count_ = 1;
  std::vector<std::size_t> repeated_;  // operands that the scratch is for
  double estimate_ns_ = 0;
  kernel_entry entry_ = nullptr;
  CallBlock block_;
};

}  // namespace

bool is_narrow(const KernelSpec& spec, const Space& space) { return NarrowPlan::serves(spec, space); }

std::unique_ptr<LaunchPlan> plan_narrow(const KernelSpec& spec, const Space& space, KernelSource& kernels) {
  auto plan = std::make_unique<NarrowPlan>(spec, space);
  if (!plan->prepare(kernels)) return nullptr;
  return plan;
}

}  // namespace numjit::runtime::detail
