// Elementwise steps that read rows around their own of what the steps before them write, as the statements of a stencil
// program do: some rows of each at a time, every step as far behind the one before as it looks ahead ("loop skewing":
// Wolfe, Loop skewing: the wavefront method revisited, 1986). What one step writes and the next reads stays in the cache.
//
//   hx(_, to) -= c * (ez(_, from) - ez(_, to))       rows    0    8   16   24
//   hy(to)    += c * (ez(from) - ez(to))             hx      |----|
//   ez(in, in) += c * (hy(in) - hy(up) - ...)        hy      |----|          then 8 rows on, and so forth;
//   hx ...                                           ez      |----|          reads hy and hx of the rows before
//                                                    hx     |----|           reads ez one column on
//
// Row x of a step needs row x + D of an earlier one for each pair of places in memory that both touch and one writes,
// whether that is to read what was written, or to write what was read. Threads have shares of the rows. In a first
// round each does, of every step, the rows that need nothing of its neighbours; the rows around the borders, fewer
// with every step, follow in a second one. Same bits: each element is computed by the same kernel from the same values.
#pragma once

#include <numjit/runtime/nest/joint_steps.h>

namespace numjit::runtime {

class SkewedRows final : public JointSteps {
 public:
  ~SkewedRows() override;

  /// The runs of steps that are worth it, none of which is in `taken`.
  static std::vector<std::unique_ptr<SkewedRows>> find(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs,
                                                       const std::vector<bool>& taken);

  bool keeps(int i) const override { return slot_of_[static_cast<std::size_t>(i)] >= 0; }
  bool run() override;
  std::string_view name() const override { return "skewed rows"; }
  std::int64_t scratch_bytes() const override { return scratch_bytes_; }

 private:
  SkewedRows() = default;
  struct Argument;
  struct Memory;
  struct Inside;
  struct Part;
  struct Lane;
  class Finder;

  bool bind();
  bool places_hold(char* scratch);
  std::int64_t border(std::int64_t share, std::int64_t shares) const;
  void run_share(Lane& lane, std::int64_t share, std::int64_t shares) const;
  static void make_rest(const Part& part, std::int64_t from, std::int64_t to);
  void run_part(Lane& lane, std::size_t number, std::int64_t from, std::int64_t to) const;

  std::vector<Part> parts_;
  std::vector<Memory> memories_;
  std::vector<int> slot_of_;         // per graph node: where it is in scratch, or -1
  std::vector<std::int64_t> slots_;  // where each of these begins
  std::int64_t scratch_bytes_ = 0;
  std::int64_t first_row_ = 0, last_row_ = 0;  // of all parts
  std::int64_t block_ = 0, most_ = 0;          // rows of a step at once: usually, and at most
  std::int64_t ahead_ = 0, border_rows_ = 0;   // the largest lag; the widest border
  double estimate_ns_ = 0;
  std::vector<std::unique_ptr<Lane>> lanes_;  // one per thread
};

}  // namespace numjit::runtime
