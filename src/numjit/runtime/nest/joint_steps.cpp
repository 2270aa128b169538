// All ways in which steps run together.
#include <numjit/runtime/nest/joint_steps.h>

#include <algorithm>

#include <numjit/base/thread_pool.h>
#include <numjit/runtime/nest/nest.h>
#include <numjit/runtime/nest/pieces.h>
#include <numjit/runtime/nest/row_blocks.h>

namespace numjit::runtime {

bool JointSteps::serves() const { return fast_ == detail::is_fast() && numjit::detail::thread_count() <= lane_count_; }

int JointSteps::bind_lanes() {
  fast_ = detail::is_fast();
  return lane_count_ = numjit::detail::thread_count();
}

std::unique_ptr<detail::LaunchPlan> JointSteps::plan_rows(const FusedPart& part, std::int64_t rows,
                                                          detail::KernelSource& kernels) {
  return plan_rows(part, part.arguments.data(), rows, 0, kernels);
}

std::unique_ptr<detail::LaunchPlan> JointSteps::plan_rows(const FusedPart& part, const LaunchOperand* arguments,
                                                          std::int64_t rows, std::int64_t columns,
                                                          detail::KernelSource& kernels) {
  std::int64_t extent[max_rank];
  std::copy(part.extent, part.extent + part.rank, extent);
  extent[0] = rows;
  if (columns > 0) extent[1] = columns;
  const Launch launch{part.rank, extent, {static_cast<std::int8_t>(part.reduced_axis[0]), -1}, arguments, nullptr};
  const graph::KernelSpec& spec = part.call.spec();
  detail::Space space;
  if (!detail::make_space(spec, launch, space)) return nullptr;
  return spec.reduction_levels == 0 ? detail::plan_elementwise(spec, space, kernels) : detail::plan_reduce(spec, space, kernels);
}

double JointSteps::points_of(const FusedPart& part) {
  double points = 1;
  for (int axis = 0; axis < part.rank; ++axis) points *= static_cast<double>(part.extent[axis]);
  return points;
}

Launch JointSteps::launch_of(const FusedPart& part, const LaunchOperand* operands) {
  Launch launch;
  launch.rank = part.rank;
  launch.extent = part.extent;
  launch.operands = operands;
  launch.scalars = part.scalar_pointers.data();
  return launch;
}

void JointSteps::run_rows(detail::LaunchPlan& plan, const FusedPart& part, const LaunchOperand* operands) {
  plan.run(launch_of(part, operands));
}

void JointSteps::run_first(detail::LaunchPlan& plan, const FusedPart& part, const LaunchOperand* operands, std::int64_t count,
                           std::int64_t rows) {
  plan.run_first(launch_of(part, operands), count, rows);
}

namespace {

/// The groups of steps in `planned` that are worth it, in order, for layouts that all parts were just run with.
std::vector<std::unique_ptr<JointSteps>> find_joint_steps(const graph::Graph& graph, PlannedSteps& planned,
                                                          const RunInputs& inputs) {
  std::vector<std::unique_ptr<JointSteps>> all;
  const auto is_taken = [&](const auto& steps) {
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& other) { return steps->first() <= other->last() && other->first() <= steps->last(); });
  };
  std::vector<std::unique_ptr<RowBlocks>> blocks = RowBlocks::find(graph, planned, inputs);
  const auto add_blocks = [&](bool with_endings) {
    for (auto& each : blocks)
      if (each && each->is_one_with_endings() == with_endings && !is_taken(each)) all.push_back(std::move(each));
  };
  add_blocks(false);
  const BoundPlan plan{graph, planned, inputs};
#ifndef __EMSCRIPTEN__
  std::vector<std::unique_ptr<Pieces>> pieces = Pieces::find(graph, planned, inputs);
  std::erase_if(pieces, is_taken);
  for (auto& rows : take_periodic_rows(pieces, plan)) all.push_back(std::move(rows));
  for (auto& each : pieces)
    if (each) all.push_back(std::move(each));
#endif
  std::vector<std::unique_ptr<Nest>> stores = find_in_place(plan);
  std::erase_if(stores, is_taken);
#ifndef __EMSCRIPTEN__  // pages load no code for what their arrays are too small for
  for (auto& loop : take_in_place_loops(stores, plan)) all.push_back(std::move(loop));
#endif
  for (auto& store : stores)
    if (store && store->bind()) all.push_back(std::move(store));
#ifndef __EMSCRIPTEN__
  std::vector<bool> taken(planned.steps.size(), false);
  for (const auto& steps : all) std::fill(taken.begin() + steps->first(), taken.begin() + steps->last() + 1, true);
  for (auto& rows : find_skewed_rows(plan, taken)) all.push_back(std::move(rows));
#endif
  // Others spare more than these do: arrays that are put together, passes over what is stored.
  if (RowBlocks::reduces_rows) add_blocks(true);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a->first() < b->first(); });
  return all;
}

}  // namespace

JointSteps* JointPlan::from(std::size_t step) {
  while (next_ < steps_.size() && static_cast<std::size_t>(steps_[next_]->first()) < step) ++next_;
  if (next_ == steps_.size() || static_cast<std::size_t>(steps_[next_]->first()) != step) return nullptr;
  return steps_[next_]->serves() ? steps_[next_].get() : nullptr;
}

void JointPlan::find(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs) {
  if (!std::all_of(steps_.begin(), steps_.end(), [](const auto& steps) { return steps->serves(); }))
    *this = {};  // made for fewer threads
  if (gave_up_ > patience_) {
    is_known_ = false;
    gave_up_ = 0;
    if (patience_ < 1 << 20) patience_ *= 2;
  }
  if (is_known_) return;
  steps_ = find_joint_steps(graph, planned, inputs);
  is_known_ = std::all_of(planned.steps.begin(), planned.steps.end(), [](const Step& step) {
    return std::all_of(step.parts.begin(), step.parts.end(), [](const FusedPart& p) { return p.call.info().compiled; });
  });
}

std::vector<StepInfo> JointPlan::infos(const graph::Graph& graph, const PlannedSteps& planned) const {
  std::vector<StepInfo> infos;
  auto block = steps_.begin();
  for (std::size_t s = 0; s < planned.steps.size(); ++s) {
    const Step& step = planned.steps[s];
    if (step.kind == Step::Kind::view) continue;
    StepInfo made = step_info(graph, step);
    const bool in_blocks = block != steps_.end() && static_cast<int>(s) >= (*block)->first();
    if (in_blocks && (*block)->ns > 0) {
      if (static_cast<int>(s) > (*block)->first() && !infos.empty() && infos.back().schedule == (*block)->name()) {
        StepInfo& together = infos.back();
        if (!made.kernel.empty()) together.kernel += (together.kernel.empty() ? "" : "+") + made.kernel;
        together.compiled |= made.compiled;
        together.ops.insert(together.ops.end(), made.ops.begin(), made.ops.end());
        together.nodes.insert(together.nodes.end(), made.nodes.begin(), made.nodes.end());
      } else {
        made.schedule = (*block)->name();
        made.bytes = (*block)->bytes();
        made.ns = (*block)->ns;
        infos.push_back(std::move(made));
      }
    } else {
      infos.push_back(std::move(made));
    }
    if (in_blocks && static_cast<int>(s) == (*block)->last()) ++block;
  }
  return infos;
}

}  // namespace numjit::runtime
