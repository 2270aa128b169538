// Two elementwise groups as one kernel with tiles: the second reads the result of the first at several points around each,
// as the second of two steps of a stencil does, and nobody else reads it. Internal to runtime.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <numjit/runtime/gpu/device_launch.h>

namespace numjit::runtime::detail {

/// Can a launch wait for the next one? It is elementwise, of few operations and of one result, over rows that tiles are for.
bool may_wait(const graph::KernelSpec& spec, const Launch& launch);

/// The kernels of one pair of groups, which live longer than this.
class MergedCall {
 public:
  MergedCall(const graph::KernelSpec& first, const graph::KernelSpec& second) : first_(first), second_(second) {}

  /// Does the work of both launches but for storing the first one's result. False: nothing was done, as the second does
  /// not read that, or there are no tiles for what it reads.
  bool run(const Launch& first, const Launch& second, const std::string& target, DeviceContext& context);
  /// Of the last run.
  const DevicePlan* plan() const { return call_ ? call_->plan() : nullptr; }

 private:
  struct Source {
    int second = 0;  // an operand of the second group
    int first = -1;  // or of the first one, as seen through that
  };
  void join(const std::vector<bool>& reads);
  bool lay_out(const Launch& first, const Launch& second);

  const graph::KernelSpec &first_, &second_;
  std::vector<bool> reads_;  // per operand of the second: is it the first one's result?
  graph::KernelSpec spec_;
  std::vector<Source> sources_;
  std::unique_ptr<DeviceCall> call_;
  std::vector<LaunchOperand> operands_;
  std::vector<std::int64_t> strides_;
  std::vector<const void*> scalars_;
};

}  // namespace numjit::runtime::detail
