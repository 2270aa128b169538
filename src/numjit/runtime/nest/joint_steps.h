// Steps of a plan that run together: some rows of each at a time, instead of one after the other.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <numjit/base/buffer_pool.h>
#include <numjit/runtime/launch/launch.h>
#include <numjit/runtime/plan/steps.h>

namespace numjit::runtime {

/// Memory for one run, null if there is none. Kept between runs it would be cold: a loop has hundreds of plans, and each
/// its own.
class RunScratch {
 public:
  explicit RunScratch(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)), data_(static_cast<char*>(numjit::detail::try_allocate_block(bytes_))) {}
  ~RunScratch() {
    if (data_) numjit::detail::free_block(data_, bytes_);
  }
  RunScratch(const RunScratch&) = delete;
  RunScratch& operator=(const RunScratch&) = delete;
  char* data() const { return data_; }

 private:
  std::size_t bytes_;
  char* data_;
};

/// Steps first to last of a plan, bound to the layouts of a run.
class JointSteps {
 public:
  virtual ~JointSteps() = default;
  JointSteps(const JointSteps&) = delete;
  JointSteps& operator=(const JointSteps&) = delete;

  int first() const { return first_; }
  int last() const { return last_; }
  /// Is node i stored in scratch only?
  virtual bool keeps(int i) const = 0;
  /// May they run now, with as many threads and in the float_mode that there are?
  bool serves() const;
  /// Runs the steps. Scalars are written, arrays that others read have storage. False, and nothing done: where the
  /// arrays lie in memory now, or without memory for scratch, the steps have to run one after the other.
  virtual bool run() = 0;
  /// What explain calls it.
  virtual std::string_view name() const = 0;

  virtual std::int64_t scratch_bytes() const = 0;
  std::int64_t bytes() const { return bytes_; }  // moved between memory and cache
  std::int64_t ns = 0;                           // of the last run, if timed
  /// Points of a part's space.
  static double points_of(const FusedPart& part);

 protected:
  JointSteps() = default;
  /// A part's launch over `rows` rows of its first axis, laid out as in its arguments. Null: not by these kernels.
  static std::unique_ptr<detail::LaunchPlan> plan_rows(const FusedPart& part, std::int64_t rows, detail::KernelSource& kernels);
  /// The same with these arguments in place of its own and, unless that is 0, `columns` of its second axis.
  static std::unique_ptr<detail::LaunchPlan> plan_rows(const FusedPart& part, const LaunchOperand* arguments, std::int64_t rows,
                                                       std::int64_t columns, detail::KernelSource& kernels);
  /// Of a plan that is bound to the part's layouts.
  static Launch launch_of(const FusedPart& part, const LaunchOperand* operands);
  /// Runs such a plan on operands that begin at the rows wanted.
  static void run_rows(detail::LaunchPlan& plan, const FusedPart& part, const LaunchOperand* operands);
  /// Runs the first `count` of such a plan's `rows`, on this thread.
  static void run_first(detail::LaunchPlan& plan, const FusedPart& part, const LaunchOperand* operands, std::int64_t count,
                        std::int64_t rows);
  /// From here on the plans are for the float_mode and the number of threads that there are now, which is returned.
  int bind_lanes();

  int first_ = 0, last_ = 0;
  std::int64_t bytes_ = 0;

 private:
  int lane_count_ = 0;  // one for each thread
  bool fast_ = false;
};

/// What of a plan runs together, for the layouts and the places in memory that there were when it was found.
class JointPlan {
 public:
  /// Before the first step of a run.
  void begin_run() { next_ = 0; }
  /// Those that begin with this step and may run now, or null. Steps come in order.
  JointSteps* from(std::size_t step);
  /// Those did not run: their arrays lie elsewhere now.
  void gave_up() { ++gave_up_; }
  /// After a run of all parts with these layouts: finds what is worth it, unless that is known. Where arrays went on
  /// lying elsewhere it is found anew; where they move with each call, ever more rarely.
  void find(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs);
  /// For explain(): one entry a step, steps that ran together as one.
  std::vector<StepInfo> infos(const graph::Graph& graph, const PlannedSteps& planned) const;

 private:
  std::vector<std::unique_ptr<JointSteps>> steps_;  // in order
  std::size_t next_ = 0;
  int gave_up_ = 0, patience_ = 1;  // so many times may they give up
  bool is_known_ = false;
};

}  // namespace numjit::runtime
