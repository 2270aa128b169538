// Running one fused group: picks or requests a kernel for the layouts at hand and runs it on the pool.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <numjit/graph/kernel_spec.h>
#include <numjit/runtime/kernels/abi.h>

namespace numjit::runtime {

/// A kernel call that is ready but for addresses: each array's goes into its buffer, behind its start.
struct DirectKernel {
  kernel_entry entry = nullptr;
  void** argv = nullptr;
  std::vector<kernel_buffer*> buffers;  // inputs, then outputs
  std::vector<std::int64_t> start_bytes;
  bool wants_fresh_outputs = false;  // writes one before it has read all that another may be the memory of
};

/// One array as the executor sees it: strides in bytes per axis of the iteration space (0 where it
/// is broadcast; for outputs of a reduction the reduced axes have stride 0).
struct LaunchOperand {
  char* data;
  const std::int64_t* strides;
};

/// The iteration at hand. `extent[rank]` is the space before reduction; inputs first, then outputs
/// (outputs are allocated by the caller and may exactly alias an input, but not partly overlap one).
/// `scalars[i]` points to a value of the spec's scalar dtype i.
struct Launch {
  int rank;
  const std::int64_t* extent;
  std::int8_t reduced_axis[2] = {-1, -1};
  const LaunchOperand* operands;
  const void* const* scalars;
  /// False promises: rank, extents, strides and reduced axes equal those of this FusedCall's last
  /// run() that returned true; only data pointers and scalars may differ. Makes small calls cheap.
  bool layout_changed = true;
};

/// A fused group ready to be called. Not thread-safe itself (each recording thread owns its own);
/// compiled kernels behind it are shared by the whole process.
class FusedCall {
 public:
  explicit FusedCall(graph::KernelSpec spec);
  FusedCall(FusedCall&&) noexcept;
  ~FusedCall();

  /// Runs the group. False: no kernel is ready for these layouts (its compile has been queued, or
  /// its content is quarantined, or no compiler is present): the caller runs the ops one by one,
  /// with the same bits. With config.compile == sync the kernel is compiled here first.
  /// Throws CompileError only if suppress_errors is off.
  bool run(const Launch& launch);

  /// The kernel call that the last run() made, if it was one small call: until run() is given another
  /// layout or float_mode, only addresses and the values of scalars change. Null if it was not.
  const DirectKernel* direct() const;
  /// Nothing watches single runs: no timing, no injected fault.
  static bool is_unwatched();
  /// Has a kernel of this group taken longer than config.compile_timeout_ms?
  bool timed_out() const;

  /// True if some kernel template can express the spec (the planner asks before it fuses).
  static bool can_express(const graph::KernelSpec& spec);

  const graph::KernelSpec& spec() const;

  /// What explain() prints about the kernels used so far.
  struct Info {
    std::string name;        // "nj_3f2a..."
    std::string schedule;    // "elementwise", "row reduction", "panel", "broadcast product", ...
    std::int64_t bytes = 0;  // moved by the last run
    std::int64_t ns = 0;     // time of the last timed run (0 while not timed)
    bool compiled = false;
  };
  Info info() const;
  /// The same of a run by other means: on a device.
  void set_info(Info info);
  /// Time each run from now on (true) until switched off as often as on: explain and profiler do.
  static void set_timing(bool on);
  static bool is_timed();
  /// Nanoseconds in kernels started by this thread while timing was on.
  static std::int64_t timed_ns();
  /// Counts kernels that were started by other means.
  static void add_timed(std::int64_t ns);

 private:
  bool run_plan(const Launch& launch);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace numjit::runtime
