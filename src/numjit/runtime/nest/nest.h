// Steps that run together as statements over rows: what each reads and writes, and how far it stays behind those before it.
//
//   u(in, in) += 0.1 * (u(up, in) + u(down, in) + ...)      statement          reads    writes   behind
//                                                           ring = f(u)        u        ring     0 rows
//                                                           u(in, in) = ring   ring     u        1 row
//
// A statement is elementwise: it may be cut along the first axis, between any two rows, without a change of bits. Its row x
// needs row x + D of an earlier one for each pair of accesses that touch the same bytes and of which one writes, whether
// that is to read what was written, or to write what was read. Behind by the largest D, it runs some rows at a time ("loop
// skewing": Wolfe, Loop skewing: the wavefront method revisited, 1986). What one writes and the next reads is in the cache.
//
//   hx(_, to) -= c * (ez(_, from) - ez(_, to))       rows    0    8   16   24
//   hy(to)    += c * (ez(from) - ez(to))             hx      |----|
//   ez(in, in) += c * (hy(in) - hy(up) - ...)        hy      |----|          then 8 rows on, and so forth;
//   hx ...                                           ez      |----|          reads hy and hx of the rows before
//                                                    hx     |----|           reads ez one column on
//
// Threads have shares of the rows. In a first round each does, of every statement, the rows that need nothing of its
// neighbours; the rows around the borders, fewer with every statement, follow in a second one.
#pragma once

#include <numjit/runtime/nest/joint_steps.h>

namespace numjit::runtime {

/// For each row of a statement a row of an array, or of scratch.
struct Access {
  node* const* place = nullptr;  // the array, or
  int scratch = -1;              // which of the nest's scratch
  bool written = false;
  std::int64_t item = 0;                    // bytes of an element
  std::int64_t offset = 0;                  // from the array's first element to the access's
  std::int64_t row_step = 0, row_span = 0;  // from row to row; from a row's lowest byte to behind its highest
  std::int64_t low = 0, bytes = 0;          // from the first element to the lowest byte; from that to behind the highest
  std::int64_t begin = 0;                   // where the lowest byte was when the nest was made
  int memory = -1;                          // of the nest's,
  std::int64_t delta = 0;                   // and where in it
  char* data = nullptr;                     // the first element, at this run
};

/// Bytes that accesses share.
struct Memory {
  std::int64_t bytes = 0;
  bool written = false, shared = false;  // by several statements
  std::int64_t begin = 0, end = 0;       // at this run; 0 of rings
};

/// Some bytes of each of the rows [first, last) of a move: where they are in a row that is read, and in one that is written.
struct Box {
  std::int64_t first, last, from, to, bytes;
};

/// A kernel; or, with boxes, a move of what lies in them: of what the first of its two accesses reads, or, with one access,
/// of the kernel's scalar. Its row i is row i + center of the nest.
struct Statement {
  FusedPart* part = nullptr;
  std::vector<Access> accesses;  // operands, then results
  std::vector<Box> boxes;
  std::size_t moved = 0;  // of a move of the first statement's result: which access of that it is
  std::int64_t center = 0;
  std::int64_t before = 0, behind = 0;  // rows left out at the beginning and end of a share; its lag is `behind`
  double estimate_ns = 0;

  std::int64_t rows() const { return part->extent[0]; }
  /// Of each row, by boxes of all rows.
  std::int64_t moved_bytes() const { return boxes[0].bytes * static_cast<std::int64_t>(boxes.size()); }
};

/// A plan with the layouts of a run.
struct BoundPlan {
  const graph::Graph& graph;
  PlannedSteps& planned;
  const RunInputs& inputs;

  /// One kernel over rows, whose layouts are known before?
  static bool is_statement(const Step& step);
  /// A copy, or a fill, of rows one behind the other?
  bool is_move(const Step& step) const;
  /// Is node i not needed after these steps?
  bool dies(int i, int first, int last) const;
};

/// A run of steps. Who finds it makes the statements, asks for memories, then lags, and chooses how many rows.
struct Nest final : JointSteps {
  Nest(std::string_view name, const BoundPlan& plan, int first, int last, std::size_t count);
  ~Nest() override;

  /// With `copy`, a step that is not made and that nothing else reads, the kernel reads what that would copy.
  void make_kernel(const BoundPlan& plan, std::size_t number, Step& step, const Step* copy = nullptr);
  /// The move of what the first statement writes to scratch `number` - 1, to an array of the same shape.
  void make_move(const BoundPlan& plan, std::size_t number, int node);
  void find_memories();
  /// False: statement `number` cannot follow those before it.
  bool find_lag(std::size_t number);
  /// False: not by these kernels.
  bool bind();
  /// Finds where everything is now. False: not to each other as it was when the lags were found.
  bool places_hold(char* memory);

  bool keeps(int i) const override { return scratch_of[static_cast<std::size_t>(i)] >= 0; }
  bool run() override;
  std::string_view name() const override { return called; }
  std::int64_t scratch_bytes() const override { return scratch_size * (in_rings ? lanes_ : 1); }

  std::string_view called;
  std::vector<Statement> statements;
  std::vector<Memory> memories;
  std::vector<int> scratch_of;        // per graph node; -1: it is stored
  std::vector<std::int64_t> scratch;  // where each begins
  std::int64_t scratch_size = 0;
  bool in_rings = false;  // each share has scratch of its own, for `ring_blocks` blocks of rows of each
  static constexpr std::int64_t ring_blocks = 3;
  std::int64_t first_row = 0, last_row = 0;
  std::int64_t block = 0, most = 0;                      // rows of a statement at once: usually, and at most
  std::int64_t before = 0, behind = 0, border_rows = 0;  // the most of a statement; the most of their sum
  std::int64_t least_share = 1;                          // rows that are worth a thread
  double estimate_ns = 0;

 private:
  struct Share {
    std::int64_t begin;  // its first row
    char* rings;         // its memory
  };
  void find_place(const BoundPlan& plan, const FusedPart& part, Access& access, int node, const std::int64_t* strides) const;
  void run_share(std::int64_t i, std::int64_t shares, char* memory, bool at_border);
  void run_statement(std::size_t lane, const Share& share, std::size_t number, std::int64_t from, std::int64_t to);

  int lanes_ = 0;                                           // one per thread, which has
  std::vector<std::unique_ptr<detail::LaunchPlan>> plans_;  // one for each statement
  std::vector<LaunchOperand> operands_;                     // and so many
  std::size_t lane_operands_ = 0;
  detail::KernelSource kernels_;
};

/// Elementwise kernels with the stores of their results into arrays that they read. They are to be bound.
std::vector<std::unique_ptr<Nest>> find_in_place(const BoundPlan& plan);
/// Elementwise steps that look at rows around their own. None of them is in `taken`; they are bound.
std::vector<std::unique_ptr<Nest>> find_skewed_rows(const BoundPlan& plan, const std::vector<bool>& taken);

}  // namespace numjit::runtime
