// An elementwise kernel and the stores of its results into arrays that the kernel reads, rows at a time.
//
//   u(in, in) += 0.1 * (u(up, in) + u(down, in) + ...)        two steps      rows at a time
//     t = f(u)             all of it, then                    read u         for rows r by 4:
//     u(in, in) = t        copied                             write t          ring[r] = f(u rows r-1 .. r+1)
//                                                             read t           u[r - 1] = ring[r - 1]
//                                                             write u        u is read and written once
//
// Row j of u may be overwritten when the rows of t that read it are there: with operands `up` rows below and `down`
// rows above, t's rows j - up to j + down. Each thread has a share of the rows; what its neighbours read of it, the
// rows at its ends, waits in a buffer until all shares are done. Same bits: every row of t is computed from old values.
//
// So do several: `u(in, in) += f(u, v); v(in, in) += g(u, v)` is one kernel with two results. And so does
// `old = u.copy(); u(in, in) = f(old)`, which reads what was copied where it was.
#pragma once

#include <numjit/runtime/launch/launch.h>
#include <numjit/runtime/nest/joint_steps.h>

namespace numjit::runtime {

class InPlaceStore final : public JointSteps {
 public:
  ~InPlaceStore() override;

  /// The runs of steps in `planned` that can run so. Each has to be bound.
  static std::vector<std::unique_ptr<InPlaceStore>> find(const graph::Graph& graph, PlannedSteps& planned,
                                                         const RunInputs& inputs);
  /// False: not by these kernels.
  bool bind();

  bool keeps(int i) const override;
  bool run() override;
  std::string_view name() const override { return "in place"; }
  std::int64_t scratch_bytes() const override;

 private:
  friend class InPlaceLoop;
  InPlaceStore() = default;
  struct Lane;
  /// An array that is written, and what is written.
  struct Target {
    int graph_node = -1;               // the array,
    node* const* place = nullptr;      // and its place
    int root = -1;                     // the node that it is a view of,
    std::int64_t root_offset = 0;      // and where in it it begins;
    const char* planned_at = nullptr;  // its address at the plan's run, if it had one
    int value = -1;                    // graph node of the kernel's result, or of the copy, which gets no storage
    std::size_t output = 0;            // which of the kernel's
    dims strides, ring_strides;        // ring: of rows that wait
    std::int64_t item = 0, row_bytes = 0, end_of_row = 0;
    std::int64_t ring = 0, waiting = 0;  // bytes into a lane's
    char* data() const { return (*place)->data; }
    std::int64_t span(std::int64_t rows) const { return strides[0] * (rows - 1) + end_of_row; }
  };
  /// Rows of a target below and above its own row that a row of the result depends on.
  struct Reach {
    std::int64_t up = 0, down = 0;
  };

  static std::unique_ptr<InPlaceStore> make(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs, int from);
  bool takes_results(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs);
  bool takes_copy(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs);
  bool dies(const PlannedSteps& planned, int value) const;
  bool lay_out(Target& target, const RunInputs& inputs) const;
  bool fits_rows(const Target& target) const;
  bool find_room(const graph::Graph& graph, const RunInputs& inputs, Target& target);
  bool reads_copy(std::size_t k) const { return !offsets_in_copy_.empty() && offsets_in_copy_[k] >= 0; }
  // Adds what operand k reads, `delta` bytes behind the target. False where its rows are not the target's.
  bool add_reach(Reach& reach, const Target& target, std::size_t k, std::int64_t delta) const;
  bool reach_now(Reach& reach) const;
  char* operand(std::size_t k) const;      // where it begins
  std::int64_t span(std::size_t k) const;  // bytes from there to the end of its last element
  std::size_t argument_of(const Target& target) const { return part_->operands.size() + target.output; }
  void place_lane(Lane& lane, char* memory) const;
  void run_share(Lane& lane, std::int64_t share, std::int64_t shares, Reach reach);
  void compute(Lane& lane, std::int64_t row, std::int64_t rows, bool odd);
  void write(const Target& target, const char* from, std::int64_t row, std::int64_t rows) const;
  char* block_of(const Lane& lane, const Target& target, bool odd) const;
  std::int64_t share_begin(std::int64_t share, std::int64_t shares) const;
  std::int64_t lane_bytes() const;

  FusedPart* part_ = nullptr;
  detail::KernelSource kernels_;
  std::vector<Target> targets_;
  node* const* copied_ = nullptr;  // place of what was copied,
  int copied_node_ = -1;
  std::vector<std::int64_t> offsets_in_copy_;  // and where in it operands begin; -1: elsewhere. Empty: there is no copy
  dims shape_;                                 // of all targets
  std::int64_t rows_ = 0, block_ = 0;
  Reach room_;  // that there are buffers for
  double estimate_ns_ = 0;
  std::vector<std::unique_ptr<Lane>> lanes_;  // one per share
};

}  // namespace numjit::runtime
