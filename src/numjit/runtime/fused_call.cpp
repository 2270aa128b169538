// FusedCall: which plan serves a launch, kept until the layout changes.
#include <numjit/runtime/fused_call.h>

#include <atomic>
#include <chrono>

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
    plan = detail::plan_elementwise(spec, space, kernels);
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
  auto known = [](dtype_id type) {
    return type != dtype_id::float16 && type != dtype_id::complex64 && type != dtype_id::complex128;
  };
  for (dtype_id type : spec.operand_types)
    if (!known(type)) return false;
  for (dtype_id type : spec.scalar_types)
    if (!known(type)) return false;
  for (const KernelNode& node : spec.nodes) {
    if (!known(node.type)) return false;
    if (node.kind == KernelNodeKind::op && !numjit::info(node.op).is_pure_elementwise()) return false;
    if (node.kind == KernelNodeKind::reduce) return false;
  }
  return !spec.outputs.empty() && spec.reduction_levels == 0;
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
