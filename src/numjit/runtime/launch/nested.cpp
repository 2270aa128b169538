// Two nested reductions as two kernels: the inner one writes a tile that fits the cache, the outer one
// reads it, tile after tile along the longest axis that remains.
#include <algorithm>

#include <numjit/runtime/launch/launch.h>

namespace numjit::runtime::detail {
namespace {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;

constexpr std::int64_t tile_bytes = 512 * 1024;

std::vector<std::uint16_t> level_nodes(const KernelSpec& spec, int level) {
  std::vector<std::uint16_t> nodes;
  for (std::size_t i = 0; i < spec.nodes.size(); ++i)
    if (spec.nodes[i].kind == KernelNodeKind::reduce && spec.nodes[i].index == level)
      nodes.push_back(static_cast<std::uint16_t>(i));
  return nodes;
}

class NestedPlan final : public LaunchPlan {
 public:
  NestedPlan(const KernelSpec& spec, const Space& space)
      : inputs_(spec.operand_types.size()),
        outputs_(spec.outputs.size()),
        item_(item_sizes(spec)),
        offset_(space.offset),
        cuts_(level_nodes(spec, 0)),
        axes_(space.axes),
        inner_(extract_spec(spec, cuts_, {}, inner_sources_)),
        outer_(extract_spec(spec, spec.outputs, cuts_, outer_sources_)) {
    schedule = "nested reductions";
    std::int64_t row = space.reduced[1].extent;  // values of one tile step
    if (axes_.empty()) axes_.push_back({1, std::vector<std::int64_t>(item_.size(), 0)});
    auto longest = std::max_element(axes_.begin(), axes_.end(), [](const Axis& a, const Axis& b) { return a.extent < b.extent; });
    std::rotate(axes_.begin(), longest, longest + 1);  // the tiled axis comes first
    for (std::size_t a = 1; a < axes_.size(); ++a) row *= axes_[a].extent;
    std::int64_t row_bytes = 0;
    for (std::uint16_t cut : cuts_) {
      cut_item_.push_back(static_cast<std::int64_t>(dtype(spec.nodes[cut].type).itemsize()));
      row_bytes += row * cut_item_.back();
    }
    row_ = row;
    tile_ = std::clamp<std::int64_t>(tile_bytes / std::max<std::int64_t>(row_bytes, 1), 1, axes_[0].extent);
    axes_.push_back(space.reduced[1]);
    axes_.push_back(space.reduced[0]);
    for (std::int64_t size : cut_item_) scratch_.emplace_back(static_cast<std::size_t>(tile_ * row_ * size));
    lay_out(inner_strides_, inner_sources_, true);
    lay_out(outer_strides_, outer_sources_, false);
  }

  bool prepare(KernelSource& kernels) {
    if (!prepare_stages(full_, tile_, kernels)) return false;
    const std::int64_t rest = axes_[0].extent % tile_;
    return rest == 0 || prepare_stages(rest_, rest, kernels);
  }

  void run(const Launch& launch) override {
    for (std::int64_t at = 0; at < axes_[0].extent; at += tile_) {
      Stages& stages = axes_[0].extent - at >= tile_ ? full_ : rest_;
      if (stages.inner) run_stage(*stages.inner, launch, at, true);
      run_stage(*stages.outer, launch, at, false);
    }
  }

 private:
  struct Stages {
    std::unique_ptr<LaunchPlan> inner, outer;
  };

  bool prepare_stages(Stages& stages, std::int64_t count, KernelSource& kernels) {
    for (bool inner : {true, false}) {
      std::vector<LaunchOperand> operands;
      for (const auto& strides : inner ? inner_strides_ : outer_strides_) operands.push_back({nullptr, strides.data()});
      std::vector<std::int64_t> extent{count};
      for (std::size_t a = 1; a < axes_.size() - (inner ? 0 : 1); ++a) extent.push_back(axes_[a].extent);
      Launch launch;
      launch.rank = static_cast<int>(extent.size());
      launch.extent = extent.data();
      launch.reduced_axis[0] = static_cast<std::int8_t>(launch.rank - 1);
      launch.operands = operands.data();
      launch.scalars = nullptr;
      Space space;
      const KernelSpec& spec = inner ? inner_ : outer_;
      if (!make_space(spec, launch, space)) return false;
      if (space.empty) continue;  // no outer steps: nothing to hand over
      auto& plan = inner ? stages.inner : stages.outer;
      plan = plan_reduce(spec, space, kernels);
      if (!plan) return false;
      if (inner) bytes += plan->bytes;
      kernel = plan->kernel;
    }
    return true;
  }

  /// Byte strides of a stage's arrays: its operands, then what it writes (scratch or the outputs).
  void lay_out(std::vector<std::vector<std::int64_t>>& strides, const std::vector<int>& sources, bool inner) {
    const std::size_t rank = axes_.size() - (inner ? 0 : 1);
    auto scratch = [&](std::size_t cut) {
      std::vector<std::int64_t> s(rank, 0);
      std::int64_t step = cut_item_[cut];
      for (std::size_t a = axes_.size() - 1; a-- > 0; step *= axes_[a].extent) s[a] = step;
      return s;
    };
    auto given = [&](std::size_t array) {
      std::vector<std::int64_t> s;
      for (std::size_t a = 0; a < rank; ++a) s.push_back(axes_[a].stride[array] * item_[array]);
      return s;
    };
    for (int source : sources)
      strides.push_back(source < 0 ? scratch(static_cast<std::size_t>(-1 - source)) : given(static_cast<std::size_t>(source)));
    for (std::size_t i = 0; i < (inner ? cuts_.size() : outputs_); ++i)
      strides.push_back(inner ? scratch(i) : given(inputs_ + i));
  }

  char* start(const Launch& launch, std::size_t array, std::int64_t at) const {
    return launch.operands[array].data + (offset_[array] + at * axes_[0].stride[array]) * item_[array];
  }

  void run_stage(LaunchPlan& plan, const Launch& launch, std::int64_t at, bool inner) {
    const auto& sources = inner ? inner_sources_ : outer_sources_;
    std::vector<LaunchOperand> operands;
    for (int source : sources)
      operands.push_back({source >= 0 ? start(launch, static_cast<std::size_t>(source), at)
                                      : scratch_[static_cast<std::size_t>(-1 - source)].data(),
                          nullptr});
    for (std::size_t i = 0; i < (inner ? cuts_.size() : outputs_); ++i)
      operands.push_back({inner ? scratch_[i].data() : start(launch, inputs_ + i, at), nullptr});
    Launch stage = launch;
    stage.operands = operands.data();
    plan.run(stage);
  }

  std::size_t inputs_, outputs_;
  std::vector<std::int64_t> item_, offset_, cut_item_;
  std::vector<std::uint16_t> cuts_;
  std::vector<Axis> axes_;  // the tiled one, others, the outer reduced one, the inner reduced one
  std::vector<int> inner_sources_, outer_sources_;
  KernelSpec inner_, outer_;
  std::vector<std::vector<std::int64_t>> inner_strides_, outer_strides_;
  std::vector<std::vector<char>> scratch_;
  std::int64_t row_ = 1, tile_ = 1;
  Stages full_, rest_;
};

}  // namespace

std::unique_ptr<LaunchPlan> plan_nested(const KernelSpec& spec, const Space& space, KernelSource& kernels) {
  auto plan = std::make_unique<NestedPlan>(spec, space);
  if (!plan->prepare(kernels)) return nullptr;
  return plan;
}

}  // namespace numjit::runtime::detail
