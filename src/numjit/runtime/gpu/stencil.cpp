// Elementwise groups that read views of one array at several places: kernels with tiles in shared memory.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <numjit/base/error.h>
#include <numjit/graph/stencil.h>
#include <numjit/runtime/gpu/device_launch.h>

namespace numjit::runtime::detail {

using graph::KernelSpec;
using graph::Shift;
using graph::StencilOperand;

namespace {

constexpr int kernel_axes = 3;
constexpr std::int64_t shortest_x = 32, shortest_y = 8;  // of rows and columns that fill a block's threads

/// Axis k of the kernel (0: x) in a space, or null.
const Axis* axis_of(const Space& space, int k) {
  const auto from_end = static_cast<std::size_t>(k) + 1;
  return space.axes.size() < from_end ? nullptr : &space.axes[space.axes.size() - from_end];
}

/// Steps along the kernel's axes that make up a distance in elements. False: it is no short one.
bool steps_to(const Space& space, std::size_t operand, std::int64_t distance, Shift& steps) {
  std::array<int, kernel_axes> order{0, 1, 2};
  auto stride = [&](int k) {
    const Axis* axis = axis_of(space, k);
    return axis ? axis->stride[operand] : 0;
  };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return std::llabs(stride(a)) > std::llabs(stride(b)); });
  for (int k : order) {
    const std::int64_t step = stride(k);
    if (step == 0) continue;
    const std::int64_t half = std::llabs(step) / 2;
    const std::int64_t count = (distance + (distance < 0 ? -half : half)) / step;
    if (std::llabs(count) > graph::most_shift) return false;
    steps[static_cast<std::size_t>(k)] = static_cast<int>(count);
    distance -= count * step;
  }
  return distance == 0;
}

std::vector<StencilOperand> places_of(const KernelSpec& spec, const Space& space, const std::vector<Neighbour>& neighbours) {
  std::vector<StencilOperand> places(spec.operand_types.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    StencilOperand& place = places[i];
    place.array = static_cast<int>(i);
    for (int k = 0; k < kernel_axes; ++k) {
      const Axis* axis = axis_of(space, k);
      if (axis && axis->stride[i] == 0) place.still = static_cast<std::uint8_t>(place.still | 1 << k);
    }
    const Neighbour& n = neighbours[i];
    const auto first = static_cast<std::size_t>(n.of);
    Shift steps{};
    if (first == i || place.still || n.bytes % size_of(spec.operand_types[i]) != 0) continue;
    if (!steps_to(space, i, n.bytes / size_of(spec.operand_types[i]), steps)) continue;
    place.array = n.of;
    place.at = steps;
  }
  return places;
}

/// Along z but not along y: the two change places, as blocks are flat in z.
void turn_to_y(Space& space, std::vector<StencilOperand>& places) {
  auto steps_along = [&](std::size_t k) {
    return std::any_of(places.begin(), places.end(), [&](const StencilOperand& p) { return p.at[k] != 0; });
  };
  if (space.axes.size() < 3 || steps_along(1) || !steps_along(2)) return;
  std::swap(space.axes[space.axes.size() - 2], space.axes[space.axes.size() - 3]);
  for (StencilOperand& p : places) {
    std::swap(p.at[1], p.at[2]);
    p.still = static_cast<std::uint8_t>((p.still & 1) | (p.still & 2) << 1 | (p.still & 4) >> 1);
  }
}

/// The bytes of memory that an array takes in a space, from its address on, with a halo.
std::pair<std::int64_t, std::int64_t> reach_of(const Space& space, std::size_t array, const Shift& halo, std::int64_t item) {
  std::int64_t low = space.offset[array], high = low;
  for (std::size_t a = 0; a < space.axes.size(); ++a) {
    const std::size_t k = space.axes.size() - 1 - a;
    const std::int64_t last = (space.axes[a].extent - 1 + (k < kernel_axes ? halo[k] : 0)) * space.axes[a].stride[array];
    (last < 0 ? low : high) += last;
  }
  return {low * item, (high + 1) * item};
}

class StencilPlan final : public DevicePlan {
 public:
  StencilPlan(const KernelSpec& spec, const Space& space, graph::Stencil stencil, const Space& turned)
      : stencil_(std::move(stencil)), spec_(spec), space_(space), inputs_(spec.operand_types.size()) {
    const std::size_t own = stencil_.operands.size(), outputs = spec.outputs.size();
    Space& to = tiles_space_;
    to.points = turned.points;
    for (const Axis& axis : turned.axes) {
      Axis made{axis.extent, {}};
      for (const auto& operand : stencil_.operands) made.stride.push_back(axis.stride[static_cast<std::size_t>(operand.from)]);
      for (std::size_t o = 0; o < outputs; ++o) made.stride.push_back(axis.stride[inputs_ + o]);
      to.axes.push_back(std::move(made));
    }
    for (std::size_t i = 0; i < own; ++i) {
      const auto& operand = stencil_.operands[i];
      std::int64_t offset = turned.offset[static_cast<std::size_t>(operand.from)];
      for (int k = 0; k < kernel_axes; ++k)
        if (const Axis* axis = axis_of(to, k)) offset += operand.moved[static_cast<std::size_t>(k)] * axis->stride[i];
      to.offset.push_back(offset);
    }
    for (std::size_t o = 0; o < outputs; ++o) to.offset.push_back(turned.offset[inputs_ + o]);
    const std::vector<std::int64_t> items = item_sizes(stencil_.spec);
    for (std::size_t i = 0; i < own + outputs; ++i)
      reach_.push_back(reach_of(to, i, i < own ? stencil_.operands[i].halo : Shift{}, items[i]));
  }

  bool prepare(const std::string& target, KernelSource& kernels) {
    tiles_ = plan_tiles_on(stencil_.spec, tiles_space_, target, kernels);
    if (!tiles_) return false;
    target_ = target;
    kernels_ = &kernels;
    kernel = tiles_->kernel;
    schedule = tiles_->schedule;
    bytes = tiles_->bytes;
    return true;
  }

  void run(const std::vector<DevicePlace>& arrays, const void* const* scalars, DeviceContext& context) override {
    if (run_by_tiles(arrays, scalars, context)) return;
    if (!plain_) plain_ = plan_elementwise_on(spec_, space_, target_, *kernels_);
    if (!plain_) throw CompileError("compile", "a kernel without tiles is missing");
    run_by(*plain_, arrays, scalars, context);
  }

  bool run_by_tiles(const std::vector<DevicePlace>& arrays, const void* const* scalars, DeviceContext& context) override {
    if (!have_room(arrays, context)) return false;
    run_by(*tiles_, places_, scalars, context);
    return true;
  }

 private:
  void run_by(DevicePlan& plan, const std::vector<DevicePlace>& arrays, const void* const* scalars, DeviceContext& context) {
    kernel = plan.kernel;
    schedule = plan.schedule;
    bytes = plan.bytes;
    plan.run(arrays, scalars, context);
  }

  // A tile is a box of points, whose corners none of the views may have: they have to be elements of the array all the
  // same. And blocks don't run in step, so that none may write what another one's tiles read.
  bool have_room(const std::vector<DevicePlace>& arrays, const DeviceContext& context) {
    places_.clear();
    for (const auto& operand : stencil_.operands) places_.push_back(arrays[static_cast<std::size_t>(operand.from)]);
    places_.insert(places_.end(), arrays.begin() + static_cast<std::ptrdiff_t>(inputs_), arrays.end());
    const std::size_t own = stencil_.operands.size();
    for (const DevicePlace& place : arrays)
      if (!place.host) return false;
    for (std::size_t i = 0; i < own; ++i) {
      const char *low = places_[i].host + reach_[i].first, *high = places_[i].host + reach_[i].second;
      const bool has_halo = stencil_.operands[i].halo != Shift{};
      if (has_halo && !context.holds(low, high)) return false;
      for (std::size_t o = own; (has_halo || places_.size() > own + 1) && o < places_.size(); ++o)
        if (low < places_[o].host + reach_[o].second && places_[o].host + reach_[o].first < high) return false;
    }
    return true;
  }

  graph::Stencil stencil_;
  const KernelSpec& spec_;
  Space space_;
  std::size_t inputs_;
  Space tiles_space_;
  std::vector<std::pair<std::int64_t, std::int64_t>> reach_;  // per array of the stencil, bytes
  std::unique_ptr<DevicePlan> tiles_, plain_;
  std::vector<DevicePlace> places_;
  std::string target_;
  KernelSource* kernels_ = nullptr;
};

}  // namespace

void find_neighbours(const KernelSpec& spec, const Launch& launch, const DeviceContext& context,
                     std::vector<Neighbour>& neighbours) {
  neighbours.clear();
  const std::size_t count = spec.operand_types.size();
  const auto rank = static_cast<std::size_t>(launch.rank);
  if (spec.reduction_levels > 0 || count < 3 || rank < 2) return;
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    const LaunchOperand& mine = launch.operands[i];
    std::int64_t near = 0;
    for (std::size_t a = 0; a < rank; ++a) near += launch.extent[a] > 1 ? std::llabs(mine.strides[a]) * graph::most_shift : 0;
    Neighbour found{static_cast<int>(i), 0};
    for (std::size_t j = 0; j < i && found.of == static_cast<int>(i); ++j) {
      const LaunchOperand& other = launch.operands[j];
      if (spec.operand_types[i] != spec.operand_types[j] || neighbours[j].of != static_cast<int>(j) ||
          !std::equal(mine.strides, mine.strides + rank, other.strides))
        continue;
      const std::int64_t bytes = mine.data - other.data;
      if (std::llabs(bytes) <= near && context.holds(std::min(mine.data, other.data), std::max(mine.data, other.data) + 1))
        found = {static_cast<int>(j), bytes};
    }
    any = any || found.of != static_cast<int>(i);
    neighbours.push_back(found);
  }
  if (!any) neighbours.clear();
}

std::unique_ptr<DevicePlan> plan_stencil_on(const KernelSpec& spec, const Space& space, const std::vector<Neighbour>& neighbours,
                                            graph::TilesSpare spare, const std::string& target, KernelSource& kernels) {
  if (neighbours.empty() || space.axes.size() < 2) return nullptr;
  std::vector<StencilOperand> places = places_of(spec, space, neighbours);
  Space turned = space;
  turn_to_y(turned, places);
  if (axis_of(turned, 0)->extent < shortest_x || axis_of(turned, 1)->extent < shortest_y) return nullptr;
  auto stencil = graph::find_stencil(spec, places, spare);
  if (!stencil || !graph::choose_tile(stencil->spec)) return nullptr;
  auto plan = std::make_unique<StencilPlan>(spec, space, std::move(*stencil), turned);
  if (!plan->prepare(target, kernels)) return nullptr;
  return plan;
}

}  // namespace numjit::runtime::detail
