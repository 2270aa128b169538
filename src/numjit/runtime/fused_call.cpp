// FusedCall: which plan serves a launch, kept until the layout changes.
#include <numjit/runtime/fused_call.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include <numjit/graph/kernel_ops.h>
#include <numjit/runtime/launch.h>

namespace numjit::runtime {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;

namespace {
std::atomic<bool> timing{false};
}

struct FusedCall::Impl {
  explicit Impl(KernelSpec s) : spec(std::move(s)) {}

  KernelSpec spec;
  detail::KernelSource kernels;
  std::unique_ptr<detail::LaunchPlan> plan;
  bool nothing_to_do = false;  // the planned layout has no points
  std::int64_t ns = 0;

  bool make_plan(const Launch& launch) {
    plan.reset();
    nothing_to_do = false;
    detail::Space space;
    if (!detail::make_space(spec, launch, space)) return false;
    if (space.empty) {
      nothing_to_do = true;
      return true;
    }
    plan = spec.reduction_levels == 0   ? detail::plan_elementwise(spec, space, kernels)
           : spec.reduction_levels == 1 ? detail::plan_reduce(spec, space, kernels)
                                        : detail::plan_product(spec, space, kernels);
    return plan != nullptr;
  }
};

FusedCall::FusedCall(KernelSpec spec) : impl_(std::make_unique<Impl>(std::move(spec))) {}
FusedCall::FusedCall(FusedCall&&) noexcept = default;
FusedCall::~FusedCall() = default;

bool FusedCall::run(const Launch& launch) {
  if (launch.layout_changed || (!impl_->plan && !impl_->nothing_to_do)) {
    if (!impl_->make_plan(launch)) return false;
  }
  if (impl_->nothing_to_do) return true;
  if (timing.load(std::memory_order_relaxed)) [[unlikely]] {
    auto begin = std::chrono::steady_clock::now();
    impl_->plan->run(launch);
    impl_->ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
    return true;
  }
  impl_->plan->run(launch);
  return true;
}

bool FusedCall::can_express(const KernelSpec& spec) {
  using graph::has_kernel_form;
  auto in_kernels = [](dtype_id type) { return has_kernel_form(type); };
  if (spec.outputs.empty() || !std::ranges::all_of(spec.operand_types, in_kernels) ||
      !std::ranges::all_of(spec.scalar_types, in_kernels))
    return false;
  bool levels[2] = {};
  std::vector<bool> reduced(spec.nodes.size());  // does the node depend on a reduction?
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    const KernelNode& node = spec.nodes[i];
    if (!has_kernel_form(node.type)) return false;
    const bool is_op = node.kind == KernelNodeKind::op;
    if (is_op && (!numjit::info(node.op).is_pure_elementwise() || !has_kernel_form(node.op))) return false;
    const int inputs = is_op ? numjit::info(node.op).arity
                             : node.kind == KernelNodeKind::cast || node.kind == KernelNodeKind::reduce;
    for (int a = 0; a < inputs; ++a)
      if (reduced[node.in[a]]) reduced[i] = true;
    if (node.kind != KernelNodeKind::reduce) continue;
    // A level-0 reduction of another's result is a chain of passes, not one kernel.
    if (node.index >= spec.reduction_levels || (node.index == 0 && reduced[i])) return false;
    if (node.index == 1 && !reduced[i]) return false;
    reduced[i] = true;
    levels[node.index] = true;
  }
  for (std::uint16_t output : spec.outputs)
    if (spec.reduction_levels > 0 && !reduced[output]) return false;
  return levels[0] == (spec.reduction_levels >= 1) && levels[1] == (spec.reduction_levels == 2) &&
         spec.reduction_levels <= 2;
}

const KernelSpec& FusedCall::spec() const { return impl_->spec; }

FusedCall::Info FusedCall::info() const {
  Info info;
  if (!impl_->plan) return info;
  info.name = impl_->plan->kernel;
  info.schedule = impl_->plan->schedule;
  info.bytes = impl_->plan->bytes;
  info.ns = impl_->ns;
  info.compiled = true;
  return info;
}

void FusedCall::set_timing(bool on) { timing.store(on, std::memory_order_relaxed); }

}  // namespace numjit::runtime
