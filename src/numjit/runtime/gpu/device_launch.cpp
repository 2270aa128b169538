// Elementwise kernels of the GPU schedules over layouts, and the choice of plan for a fused group.
#include <numjit/runtime/gpu/device_launch.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <numjit/base/error.h>
#include <numjit/runtime/kernels/device_blocks.h>

namespace numjit::runtime::detail {

using graph::KernelNodeKind;
using graph::KernelSpec;

std::size_t arrays_of(const KernelSpec& spec) { return spec.operand_types.size() + spec.outputs.size(); }

std::int64_t size_of(dtype_id type) { return static_cast<std::int64_t>(dtype(type).itemsize()); }

std::int64_t product(const std::vector<Axis>& axes) {
  std::int64_t n = 1;
  for (const Axis& axis : axes) n *= axis.extent;
  return n;
}

devices::address address_of(const DevicePlace& place, bool writes, DeviceContext& context) {
  return place.host ? context.place(place.host, writes) : place.memory;
}

std::int64_t offset_at(const std::vector<Axis>& axes, std::size_t array, std::int64_t i) {
  std::int64_t at = 0;
  for (std::size_t a = axes.size(); a-- > 0; i /= axes[a].extent) at += i % axes[a].extent * axes[a].stride[array];
  return at;
}

Space space_over(const std::vector<Axis>& axes, const std::vector<std::int64_t>& offset, const std::vector<int>& sources) {
  Space space;
  std::int64_t step = product(axes);
  space.points = step;
  for (const Axis& axis : axes) {
    step /= axis.extent;
    Axis to{axis.extent, {}};
    for (int s : sources) to.stride.push_back(s < 0 ? step : axis.stride[static_cast<std::size_t>(s)]);
    space.axes.push_back(std::move(to));
  }
  for (int s : sources) space.offset.push_back(s < 0 ? 0 : offset[static_cast<std::size_t>(s)]);
  return space;
}

KernelSpec copying(dtype_id type) {
  KernelSpec spec;
  spec.operand_types = {type};
  spec.nodes = {{KernelNodeKind::operand, {}, 0, type, 0, {}}};
  spec.outputs = {0};
  return spec;
}

namespace {

// ---- elementwise --------------------------------------------------------------------------------

class Elementwise final : public DevicePlan {
 public:
  explicit Elementwise(const KernelSpec& spec, const Space& space, bool has_tiles = false)
      : spec_(spec), has_tiles_(has_tiles), inputs_(spec.operand_types.size()), item_(item_sizes(spec)), offset_(space.offset) {
    const std::vector<std::int64_t> still(item_.size(), 0);
    axes_ = space.axes;
    while (axes_.size() < 3) axes_.insert(axes_.begin(), Axis{1, still});
    for (int k = 2; k >= 0; --k) {
      inner_[2 - k] = axes_[axes_.size() - 3 + static_cast<std::size_t>(k)];
    }
    axes_.resize(axes_.size() - 3);
    blocks_ = has_tiles_ ? 0 : device_axis_z | shape_of_blocks();
    const std::int64_t rows = device_block(blocks_, inputs_).threads_y;
    std::vector<std::int64_t> reach = still;
    for (int k = 0; k < 3; ++k) {
      most_[k] = std::min(inner_[k].extent, reachable_extent(inner_[k], reach));
      if (k > 0) most_[k] = std::min(most_[k], k == 1 ? rows * most_blocks : most_blocks);
      for (std::size_t i = 0; i < reach.size(); ++i) reach[i] += std::llabs(inner_[k].stride[i]) * (most_[k] - 1);
    }
    bytes = bytes_moved(spec, space);
  }

  bool prepare(const std::string& target, KernelSource& kernels) {
    KernelVariant variant;
    variant.schedule = has_tiles_ ? "gpu_stencil" : "gpu_elementwise";
    variant.target = target;
    for (std::int64_t stride : inner_[0].stride) variant.inner_stride.push_back(stride_class(stride, inner_[0].extent));
    for (std::size_t i = inputs_; i < variant.inner_stride.size(); ++i)
      if (variant.inner_stride[i] == 0) variant.inner_stride[i] = 2;
    variant.size_class = blocks_;
    entry_ = kernels.find(spec_, variant, &kernel);
    if (!entry_) return false;
    schedule = variant.schedule;
    block_.init(spec_.operand_types, spec_.scalar_types, has_tiles_ ? 3 : 0, output_types(spec_), 3, 3);
    for (std::size_t i = 0; i < item_.size(); ++i) {
      kernel_buffer& b = buffer(i);
      for (int k = 0; k < 3; ++k)
        CallBlock::set_stride(b, k, k == 0 && variant.inner_stride[i] == 1 ? 1 : most_[k] == 1 ? 0 : inner_[k].stride[i]);
    }
    target_ = target;
    kernels_ = &kernels;
    return true;
  }

  void run(const std::vector<DevicePlace>& arrays, const void* const* scalars, DeviceContext& context) override {
    block_.set_scalars(spec_, scalars);
    if (spec_.outputs.size() > 1 && is_aliased(arrays)) return run_aliased(arrays, scalars, context);
    std::vector<devices::address> at(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) at[i] = start(arrays, i, context);
    run_pieces(at, context);
  }

 private:
  /// The bits of `gpu_elementwise`: few points are spread over as many blocks as they have, of many a block takes more.
  std::uint32_t shape_of_blocks() const {
    const std::int64_t x = inner_[0].extent, y = inner_[1].extent;
    if (x < 32 && y >= 4 * x) return device_narrow;
    constexpr std::int64_t many = 1 << 20;
    if (x * y * inner_[2].extent < many) return 0;
    return x < 256 && y >= 8 ? device_rows : device_long;
  }
  kernel_buffer& buffer(std::size_t i) {
    return i < inputs_ ? block_.in(static_cast<int>(i)) : block_.out(static_cast<int>(i - inputs_));
  }
  devices::address start(const std::vector<DevicePlace>& arrays, std::size_t i, DeviceContext& context) const {
    DevicePlace place = arrays[i];
    if (place.host)
      place.host += offset_[i] * item_[i];
    else
      place.memory += static_cast<devices::address>(offset_[i] * item_[i]);
    return address_of(place, i >= inputs_, context);
  }

  void run_pieces(const std::vector<devices::address>& at, DeviceContext& context) {
    const std::int64_t outer = product(axes_);
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t z = 0; z < inner_[2].extent; z += most_[2])
        for (std::int64_t y = 0; y < inner_[1].extent; y += most_[1])
          for (std::int64_t x = 0; x < inner_[0].extent; x += most_[0]) {
            const std::int64_t first[3] = {x, y, z};
            for (int k = 0; has_tiles_ && k < 3; ++k)
              block_.parameter(k) = static_cast<std::int32_t>(std::min(most_[k], inner_[k].extent - first[k]));
            for (std::size_t i = 0; i < at.size(); ++i) {
              kernel_buffer& b = buffer(i);
              std::int64_t offset = offset_at(axes_, i, o);
              for (int k = 0; k < 3; ++k) {
                offset += first[k] * inner_[k].stride[i];
                b.dim[k].extent = static_cast<std::int32_t>(std::min(most_[k], inner_[k].extent - first[k]));
              }
              b.device = at[i] + static_cast<devices::address>(offset * item_[i]);
            }
            context.call(entry_, block_.argv());
          }
  }

  // A kernel of several outputs may write one before it has read what another needs: where they are the same
  // memory, all go to scratch first.
  bool is_aliased(const std::vector<DevicePlace>& arrays) const {
    for (std::size_t o = inputs_; o < arrays.size(); ++o)
      for (std::size_t i = 0; i < inputs_; ++i)
        if (arrays[o].host && arrays[o].host == arrays[i].host) return true;
    return false;
  }

  void run_aliased(const std::vector<DevicePlace>& arrays, const void* const* scalars, DeviceContext& context);

  const KernelSpec& spec_;
  bool has_tiles_;
  std::size_t inputs_;
  std::vector<std::int64_t> item_, offset_;
  std::vector<Axis> axes_;  // beyond the kernel's three
  Axis inner_[3];
  std::uint32_t blocks_ = 0;
  std::int64_t most_[3] = {1, 1, 1};
  kernel_entry entry_ = nullptr;
  CallBlock block_;
  std::string target_;
  KernelSource* kernels_ = nullptr;
};

}  // namespace

std::unique_ptr<DevicePlan> plan_elementwise_on(const KernelSpec& spec, const Space& space, const std::string& target,
                                                KernelSource& kernels) {
  return prepared<Elementwise>(spec, space, target, kernels);
}

std::unique_ptr<DevicePlan> plan_tiles_on(const KernelSpec& spec, const Space& space, const std::string& target,
                                          KernelSource& kernels) {
  auto plan = std::make_unique<Elementwise>(spec, space, true);
  if (!plan->prepare(target, kernels)) return nullptr;
  return plan;
}

void Elementwise::run_aliased(const std::vector<DevicePlace>& arrays, const void* const* scalars, DeviceContext& context) {
  std::vector<Axis> all = axes_;
  for (int k = 2; k >= 0; --k) all.push_back(inner_[k]);
  const std::int64_t points = product(all);
  std::vector<devices::address> scratch;
  std::vector<devices::address> at(arrays.size());
  for (std::size_t i = 0; i < inputs_; ++i) at[i] = start(arrays, i, context);
  for (std::size_t i = inputs_; i < arrays.size(); ++i) at[i] = context.scratch(static_cast<std::size_t>(points * item_[i]));
  // The same pieces over outputs that lie one after the other.
  Space packed;
  packed.points = points;
  packed.offset = offset_;
  std::int64_t step = points;
  for (const Axis& axis : all) {
    step /= axis.extent;
    Axis to = axis;
    for (std::size_t i = inputs_; i < item_.size(); ++i) to.stride[i] = step;
    packed.axes.push_back(std::move(to));
  }
  for (std::size_t i = inputs_; i < item_.size(); ++i) packed.offset[i] = 0;
  Elementwise first(spec_, packed);
  if (!first.prepare(target_, *kernels_)) throw CompileError("compile", "a kernel for outputs in scratch is missing");
  first.block_.set_scalars(spec_, scalars);
  first.run_pieces(at, context);
  for (std::size_t i = inputs_; i < arrays.size(); ++i) {
    const KernelSpec copy = copying(spec_.nodes[spec_.outputs[i - inputs_]].type);
    const Space space = space_over(all, offset_, {-1, static_cast<int>(i)});
    auto plan = plan_elementwise_on(copy, space, target_, *kernels_);
    if (!plan) throw CompileError("compile", "a kernel that copies is missing");
    plan->run({{nullptr, at[i]}, arrays[i]}, nullptr, context);
  }
}

std::unique_ptr<DevicePlan> plan_on_device(const KernelSpec& spec, const Space& space, const std::vector<Neighbour>& neighbours,
                                           const std::string& target, KernelSource& kernels) {
  // A kernel that is compiled behind the program would have all arrays move to the host meanwhile.
  const config_scope wait({.compile = compile_mode::sync});
  if (spec.reduction_levels == 0) {
    if (auto stencil = plan_stencil_on(spec, space, neighbours, graph::TilesSpare::expressions, target, kernels)) return stencil;
    return plan_elementwise_on(spec, space, target, kernels);
  }
  if (spec.reduction_levels == 1) return plan_reduce_on(spec, space, target, kernels);
  return plan_nested_on(spec, space, target, kernels);
}

bool DeviceCall::prepare(const Launch& launch, const std::string& target, DeviceContext& context) {
  const std::size_t arrays = arrays_of(spec_);
  const auto rank = static_cast<std::size_t>(launch.rank);
  layout_.clear();
  layout_.push_back(is_fast());
  layout_.push_back(launch.reduced_axis[0]);
  layout_.push_back(launch.reduced_axis[1]);
  layout_.insert(layout_.end(), launch.extent, launch.extent + rank);
  for (std::size_t i = 0; i < arrays; ++i)
    layout_.insert(layout_.end(), launch.operands[i].strides, launch.operands[i].strides + rank);
  find_neighbours(spec_, launch, context, neighbours_);
  for (const Neighbour& n : neighbours_) layout_.insert(layout_.end(), {n.of, n.bytes});
  auto found =
      std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return k.layout == layout_ && k.target == target; });
  if (found == known_.end()) {
    Space space;
    if (!make_space(spec_, launch, space)) return false;
    Known made{layout_, target, nullptr, space.empty};
    if (!space.empty) made.plan = make_plan(space, target);
    if (!space.empty && !made.plan && !only_by_tiles_) return false;
    constexpr std::size_t most_layouts = 8;
    if (known_.size() == most_layouts) known_.pop_back();
    known_.insert(known_.begin(), std::move(made));
    found = known_.begin();
  } else if (found != known_.begin()) {
    std::rotate(known_.begin(), found, found + 1);
    found = known_.begin();
  }
  places_.clear();
  for (std::size_t i = 0; i < arrays; ++i) places_.push_back({launch.operands[i].data, 0});
  return found->empty || found->plan;
}

std::unique_ptr<DevicePlan> DeviceCall::make_plan(const Space& space, const std::string& target) {
  if (!only_by_tiles_) return plan_on_device(spec_, space, neighbours_, target, kernels_);
  const config_scope wait({.compile = compile_mode::sync});
  return plan_stencil_on(spec_, space, neighbours_, graph::TilesSpare::a_kernel, target, kernels_);
}

bool DeviceCall::run(const Launch& launch, const std::string& target, DeviceContext& context) {
  if (!prepare(launch, target, context)) return false;
  const Known& known = known_.front();
  if (known.empty) return true;
  if (only_by_tiles_) return known.plan->run_by_tiles(places_, launch.scalars, context);
  known.plan->run(places_, launch.scalars, context);
  return true;
}

}  // namespace numjit::runtime::detail
