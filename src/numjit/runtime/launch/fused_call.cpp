// FusedCall: which plan serves a launch, kept until the layout changes.
#include <numjit/runtime/launch/fused_call.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include <numjit/base/config.h>
#include <numjit/base/fault.h>
#include <numjit/graph/kernel_ops.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/launch/launch.h>

namespace numjit::runtime {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;

namespace {
std::atomic<int> timing{0};  // scopes that want it
constinit thread_local std::int64_t timed [[gnu::tls_model("initial-exec")]] = 0;
}  // namespace

struct FusedCall::Impl {
  explicit Impl(KernelSpec s) : spec(std::move(s)) {}

  /// float_mode, a layout met, and how it is run; no plan: it has no points.
  struct Planned {
    std::vector<std::int64_t> layout;
    std::unique_ptr<detail::LaunchPlan> plan;
  };
  static constexpr std::size_t most_layouts = 8;  // loops over slices alternate between a few

  KernelSpec spec;
  detail::KernelSource kernels;
  std::vector<Planned> planned;  // most recent first
  bool in_front = false;         // is the first one that of the layout at hand?
  std::vector<std::int64_t> layout;
  // The layout that had no kernel when last asked, and the state of the kernel table then.
  std::vector<std::int64_t> waiting_layout;
  std::uint64_t waiting_since = 0;
  std::int64_t ns = 0;
  std::unique_ptr<FusedCall::Info> given;  // of the last run, if that was on a device

  /// Was the plan in front made under this float_mode?
  bool serves(bool fast) const { return planned.front().layout.front() == std::int64_t{fast}; }

  bool find_plan(const Launch& launch) {
    describe(launch);
    for (std::size_t i = 0; i < planned.size(); ++i)
      if (planned[i].layout == layout) {
        std::rotate(planned.begin(), planned.begin() + static_cast<std::ptrdiff_t>(i),
                    planned.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        return true;
      }
    const std::uint64_t now = kernel_events();
    if (waiting_since == now && waiting_layout == layout && suppresses_errors() && config().compile == compile_mode::async)
      return false;
    if (make_plan(launch)) return true;
    waiting_layout = layout;
    waiting_since = now;
    return false;
  }

  void describe(const Launch& launch) {
    const std::size_t arrays = spec.operand_types.size() + spec.outputs.size();
    const auto rank = static_cast<std::size_t>(launch.rank);
    layout.resize(3 + rank * (1 + arrays));
    std::int64_t* word = layout.data();
    *word++ = detail::is_fast();
    *word++ = launch.reduced_axis[0];
    *word++ = launch.reduced_axis[1];
    for (std::size_t axis = 0; axis < rank; ++axis) *word++ = launch.extent[axis];
    for (std::size_t i = 0; i < arrays; ++i)
      for (std::size_t axis = 0; axis < rank; ++axis) *word++ = launch.operands[i].strides[axis];
  }

  bool make_plan(const Launch& launch) {
    detail::Space space;
    if (!detail::make_space(spec, launch, space)) return false;
    std::unique_ptr<detail::LaunchPlan> plan;
    if (!space.empty) {
      plan = spec.reduction_levels == 0   ? detail::plan_elementwise(spec, space, kernels)
             : spec.reduction_levels == 1 ? detail::plan_reduce(spec, space, kernels)
                                          : detail::plan_product(spec, space, kernels);
      if (!plan) return false;
    }
    if (planned.size() == most_layouts) planned.pop_back();
    planned.insert(planned.begin(), {layout, std::move(plan)});
    return true;
  }
};

FusedCall::FusedCall(KernelSpec spec) : impl_(std::make_unique<Impl>(std::move(spec))) {}
FusedCall::FusedCall(FusedCall&&) noexcept = default;
FusedCall::~FusedCall() = default;

bool FusedCall::run(const Launch& launch) {
  impl_->given.reset();
  if (!run_plan(launch)) return false;
  if (numjit::detail::fault_mask.load(std::memory_order_relaxed) == 0) [[likely]]
    return true;
  const std::vector<std::string_view> ops = graph::op_names(impl_->spec);
  const numjit::detail::fault_subject_scope subject(ops);
  if (numjit::detail::fault_injected(numjit::detail::fault_point::value)) {
    // In the upper bits, where the ops that follow do not round it away.
    const std::size_t size = dtype(impl_->spec.nodes[impl_->spec.outputs[0]].type).itemsize();
    launch.operands[impl_->spec.operand_types.size()].data[size > 1 ? size - 2 : 0] ^= 1;
  }
  return true;
}

bool FusedCall::run_plan(const Launch& launch) {
  if (launch.layout_changed || !impl_->in_front || !impl_->serves(detail::is_fast())) impl_->in_front = impl_->find_plan(launch);
  if (!impl_->in_front) return false;
  detail::LaunchPlan* plan = impl_->planned.front().plan.get();
  if (!plan) return true;
  if (timing.load(std::memory_order_relaxed) == 0) [[likely]] {
    plan->run(launch);
    return true;
  }
  auto begin = std::chrono::steady_clock::now();
  plan->run(launch);
  impl_->ns = std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  timed += impl_->ns;
  return true;
}

bool FusedCall::timed_out() const { return impl_->kernels.any_timed_out(); }

bool FusedCall::can_express(const KernelSpec& spec) {
  if (spec.outputs.empty()) return false;
  bool levels[2] = {};
  std::vector<bool> reduced(spec.nodes.size());  // does the node depend on a reduction?
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    const KernelNode& node = spec.nodes[i];
    const bool is_op = node.kind == KernelNodeKind::op;
    if (is_op && (!numjit::info(node.op).is_pure_elementwise() || !graph::has_kernel_form(node.op))) return false;
    const int inputs =
        is_op ? numjit::info(node.op).arity : node.kind == KernelNodeKind::cast || node.kind == KernelNodeKind::reduce;
    for (int a = 0; a < inputs; ++a)
      if (reduced[node.in[a]]) reduced[i] = true;
    if (node.kind != KernelNodeKind::reduce) continue;
    if (spec.nodes[node.in[0]].type == dtype_id::float16) return false;  // reduced as float32
    // A level-0 reduction of another's result is a chain of passes, not one kernel.
    if (node.index >= spec.reduction_levels || (node.index == 0 && reduced[i])) return false;
    if (node.index == 1 && !reduced[i]) return false;
    reduced[i] = true;
    levels[node.index] = true;
  }
  for (std::uint16_t output : spec.outputs)
    if (spec.reduction_levels > 0 && !reduced[output]) return false;
  return levels[0] == (spec.reduction_levels >= 1) && levels[1] == (spec.reduction_levels == 2) && spec.reduction_levels <= 2;
}

const KernelSpec& FusedCall::spec() const { return impl_->spec; }

FusedCall::Info FusedCall::info() const {
  if (impl_->given) return *impl_->given;
  Info info;
  const detail::LaunchPlan* plan = impl_->planned.empty() ? nullptr : impl_->planned.front().plan.get();
  if (!plan) return info;
  info.name = plan->kernel;
  info.schedule = plan->schedule;
  info.bytes = plan->bytes;
  info.ns = impl_->ns;
  info.compiled = true;
  return info;
}

void FusedCall::set_info(Info info) {
  if (!impl_->given) impl_->given = std::make_unique<Info>();
  *impl_->given = std::move(info);
}

void FusedCall::set_timing(bool on) { timing.fetch_add(on ? 1 : -1, std::memory_order_relaxed); }
bool FusedCall::is_unwatched() {
  return timing.load(std::memory_order_relaxed) == 0 && numjit::detail::fault_mask.load(std::memory_order_relaxed) == 0;
}
const DirectKernel* FusedCall::direct() const {
  const detail::LaunchPlan* plan = impl_->in_front ? impl_->planned.front().plan.get() : nullptr;
  return plan ? plan->direct() : nullptr;
}
bool FusedCall::is_timed() { return timing.load(std::memory_order_relaxed) > 0; }
std::int64_t FusedCall::timed_ns() { return timed; }
void FusedCall::add_timed(std::int64_t ns) { timed += ns; }

}  // namespace numjit::runtime
