// Steps that follow each other run block of rows by block of rows, instead of each over its whole
// array: what one of them stores and the next reads stays in the cache, and what none but they read
// needs memory for a block only.
//
//   softmax of (4096, 1000)                    in blocks
//     m = max over rows of x      16 MB read     for b in blocks of 8 rows:      on one thread each
//     e = exp(x - m)              32 MB            m[b] = ...; e[b] = ...; s[b] = ...; out[b] = ...
//     s = sum over rows of e      16 MB          e[b] is 32 KB of scratch
//     out = e / s                 48 MB
//
// Rows are the first axis of every step's iteration space. A step belongs to a run of others if it does
// not reduce that axis and reads, of what the run computes, only the rows it is at. So do elements taken at
// indices (`take`), where rows are those of the indices: each block of them is gathered for the kernels that follow.
//
// A step that reduces all of the rows may join as well, if none of the others reads its result: each block adds what it holds
// to memory of the whole run, and the last of it is done behind all blocks. So `z = sqrt(x * x + y * y)` and `s = sum(z)` go
// through memory once. Blocks then begin at chunks of the canonical order of additions.
#pragma once

#include <numjit/runtime/nest/joint_steps.h>

namespace numjit::runtime {

class RowBlocks final : public JointSteps {
 public:
  /// Whether there are such steps. Pages do without: the code would be a part of what they load first.
#ifdef __EMSCRIPTEN__
  static constexpr bool reduces_rows = false;
#else
  static constexpr bool reduces_rows = true;
#endif
  ~RowBlocks() override;

  /// The runs of steps in `planned` that are worth it, for layouts that all parts were just run with.
  /// No run of whose kernels one is missing.
  static std::vector<std::unique_ptr<RowBlocks>> find(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs);

  bool keeps(int i) const override { return internal_[static_cast<std::size_t>(i)] >= 0; }
  bool run() override;
  std::string_view name() const override { return "row blocks"; }

  /// One step, and reductions of its rows?
  bool is_one_with_endings() const { return is_one_with_endings_; }
  std::int64_t rows_at_once() const { return block_; }
  std::int64_t scratch_bytes() const override;

 private:
  RowBlocks() = default;
  struct Argument;
  struct Part;
  struct Ending;
  struct Lane;
  class Finder;

  bool bind();
  bool run_block(Lane& lane, std::int64_t number);
  bool take(const Part& part, const Lane& lane, std::int64_t row, std::int64_t rows) const;
  bool take_places(const Part& part, const Lane& lane, std::int64_t row, std::int64_t rows) const;
  void join(const Part& part, const Lane& lane, std::int64_t row, std::int64_t rows) const;
  void run_chunks(const Part& part, Lane& lane, std::int64_t row, std::int64_t rows) const;
  void run_endings(Lane& lane);
  char* place(const Argument& argument, const Lane& lane, std::int64_t row) const;

  std::int64_t rows_ = 0, block_ = 0, lane_bytes_ = 0, shared_bytes_ = 0;
  double estimate_ns_ = 0;
  bool is_one_with_endings_ = false;
  std::vector<int> internal_;          // per graph node: its number among the arrays in scratch, or -1
  std::vector<std::int64_t> scratch_;  // where each of them begins, in bytes
  std::vector<Part> parts_;
  std::vector<Ending> endings_;
  char* shared_ = nullptr;                    // memory of a run that its blocks share
  std::vector<std::unique_ptr<Lane>> lanes_;  // one per thread
};

}  // namespace numjit::runtime
