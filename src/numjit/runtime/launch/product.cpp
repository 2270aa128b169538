// Launches of two nested reductions over a broadcast product in one kernel: tiles of one remaining axis,
// a short reduced axis unrolled, the other looped over inside.
#include <algorithm>
#include <cstdlib>

#include <numjit/base/thread_pool.h>
#include <numjit/runtime/launch/launch.h>

namespace numjit::runtime::detail {
namespace {

using graph::KernelNode;
using graph::KernelSpec;

class ProductPlan final : public LaunchPlan {
 public:
  ProductPlan(const KernelSpec& spec, const Space& space)
      : spec_(spec),
        inputs_(spec.operand_types.size()),
        item_(item_sizes(spec)),
        offset_(space.offset),
        d_(space.reduced[0]),
        k_(space.reduced[1]),
        outer_(space.axes) {
    std::size_t widest = 1;
    for (const KernelNode& node : spec.nodes) widest = std::max(widest, dtype(node.type).itemsize());
    tile_ = product_columns(widest);
    x_ = take_longest();
    q_ = take_last();
    for (const Axis& axis : outer_) outer_count_ *= axis.extent;
    tiles_ = (x_.extent + tile_ - 1) / tile_;
    estimate_ns_ = 20 + ns_per_point(spec) * static_cast<double>(space.points) * static_cast<double>(d_.extent) *
                            static_cast<double>(k_.extent) / 8;
    bytes = bytes_moved(spec, space);
  }

  bool prepare(KernelSource& kernels) {
    std::vector<std::int64_t> reach(item_.size(), 0);
    auto fits = [&](const Axis& axis, std::int64_t extent) {
      if (reachable_extent(axis, reach) < extent) return false;
      for (std::size_t i = 0; i < reach.size(); ++i) reach[i] += std::llabs(axis.stride[i]) * (extent - 1);
      return true;
    };
    if (!fits(d_, d_.extent) || !fits(k_, k_.extent) || !fits(x_, tile_)) return false;
    Axis tiles = x_;
    for (std::int64_t& stride : tiles.stride) stride *= tile_;
    p_most_ = std::min(tiles_, reachable_extent(tiles, reach));

    KernelVariant variant;
    variant.schedule = "product";
    variant.size_class = d_.extent <= 4 ? 4 : 8;
    for (std::size_t i = 0; i < item_.size(); ++i) {
      std::uint8_t inner = stride_class(x_.stride[i], 2);
      if (i < inputs_ && inner != 0 && k_.stride[i] == 0)
        inner = inner == 1 ? stride_class_staged_contiguous : stride_class_staged;
      if (i >= inputs_ && inner == 0) inner = 2;  // one element: any stride will do
      variant.inner_stride.push_back(inner);
    }
    entry_ = kernels.find(spec_, variant, &kernel);
    if (!entry_) return false;
    schedule = "broadcast product";
    block_.init(spec_.operand_types, spec_.scalar_types, 3, output_types(spec_), 5, 3);
    for (std::size_t i = 0; i < item_.size(); ++i) {
      const bool input = i < inputs_;
      kernel_buffer& buffer = input ? block_.in(static_cast<int>(i)) : block_.out(static_cast<int>(i - inputs_));
      auto put = [&, axis = 0](std::int64_t stride) mutable { CallBlock::set_stride(buffer, axis++, stride); };
      put(x_.stride[i]);
      if (input) {
        put(d_.stride[i]);
        put(k_.stride[i]);
      }
      put(p_most_ == 1 ? 0 : tiles.stride[i]);
      put(0);
    }
    block_.parameter(0) = static_cast<std::int32_t>(d_.extent);
    block_.parameter(1) = static_cast<std::int32_t>(k_.extent);
    return true;
  }

  void run(const Launch& launch) override {
    block_.set_scalars(spec_, launch.scalars);
    const std::int64_t units = outer_count_ * q_.extent * tiles_;
    numjit::detail::parallel_plain_ranges(units, 1, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
      BlockCopy copy(block_);
      while (from < to) {
        const std::int64_t p = from % tiles_, row = from / tiles_;
        const std::int64_t whole = x_.extent / tile_;
        std::int64_t count = std::min({to - from, whole - p, p_most_});
        if (p >= whole) count = 1;
        call(copy.block, launch, row, p, count, p >= whole ? x_.extent % tile_ : tile_);
        from += count;
      }
    });
  }

 private:
  Axis no_axis() const { return {1, std::vector<std::int64_t>(item_.size(), 0)}; }

  Axis take_last() {
    if (outer_.empty()) return no_axis();
    Axis axis = std::move(outer_.back());
    outer_.pop_back();
    return axis;
  }

  Axis take_longest() {
    if (outer_.empty()) return no_axis();
    auto it = std::max_element(outer_.begin(), outer_.end(), [](const Axis& a, const Axis& b) { return a.extent < b.extent; });
    Axis axis = std::move(*it);
    outer_.erase(it);
    return axis;
  }

  void call(CallBlock& block, const Launch& launch, std::int64_t row, std::int64_t p, std::int64_t count, std::int64_t x) {
    for (std::size_t i = 0; i < item_.size(); ++i) {
      std::int64_t at = p * tile_ * x_.stride[i] + row % q_.extent * q_.stride[i];
      std::int64_t left = row / q_.extent;
      for (std::size_t a = outer_.size(); a-- > 0; left /= outer_[a].extent) at += left % outer_[a].extent * outer_[a].stride[i];
      const bool input = i < inputs_;
      kernel_buffer& buffer = input ? block.in(static_cast<int>(i)) : block.out(static_cast<int>(i - inputs_));
      buffer.host = launch.operands[i].data + (offset_[i] + at) * item_[i];
      if (input) continue;
      buffer.dim[0].extent = static_cast<std::int32_t>(x);
      buffer.dim[1].extent = static_cast<std::int32_t>(count);
    }
    block.parameter(2) = static_cast<std::int32_t>(x);
    entry_(block.argv());
  }

  const KernelSpec& spec_;
  std::size_t inputs_;
  std::vector<std::int64_t> item_, offset_;
  Axis d_, k_;
  std::vector<Axis> outer_;
  Axis x_, q_;
  std::int64_t tile_ = 1, tiles_ = 1, outer_count_ = 1, p_most_ = 1;
  double estimate_ns_ = 0;
  kernel_entry entry_ = nullptr;
  CallBlock block_;
};

}  // namespace

std::unique_ptr<LaunchPlan> plan_product(const KernelSpec& spec, const Space& space, KernelSource& kernels) {
  bool serves = space.reduced[0].extent >= 1 && space.reduced[0].extent <= 8 && space.reduced[1].extent >= 1;
  for (const KernelNode& node : spec.nodes) {
    if (node.kind != graph::KernelNodeKind::reduce) continue;
    const char kind_of_value = dtype(node.type).kind();
    const bool sums = node.op == op_id::sum || node.op == op_id::prod;
    const bool ordered = kind_of_value == 'c' || (sums && kind_of_value == 'f');
    const bool arg = info(node.op).kind == op_kind::argreduction;
    serves = serves && !(node.index == 0 ? arg : ordered);
  }
  if (!serves) return plan_nested(spec, space, kernels);
  auto plan = std::make_unique<ProductPlan>(spec, space);
  if (!plan->prepare(kernels)) return nullptr;
  return plan;
}

}  // namespace numjit::runtime::detail
