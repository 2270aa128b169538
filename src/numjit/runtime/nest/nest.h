// Steps that run together as statements over rows: what each reads and writes, and how far it stays behind those before it.
//
//   u(in, in) += 0.1 * (u(up, in) + u(down, in) + ...)      statement          reads    writes   behind
//                                                           a = f(u)           u        a        0 rows
//                                                           u(in, in) = a      a        u        1 row
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
// Rows that are too long for the cache are cut as well, into strips of columns: all rows of a strip run before the next strip
// does, in which a statement begins as many columns to the left as it stays behind.
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
  std::int64_t column_step = 0, column_span = 0;  // the same of what lies side by side in a row: of the second axis
  std::int64_t low = 0, bytes = 0;          // from the first element to the lowest byte; from that to behind the highest
  std::int64_t begin = 0;                   // where the lowest byte was when the nest was made
  int memory = -1;                          // of the nest's,
  std::int64_t delta = 0;                   // and where in it
  char* data = nullptr;                     // the first element, at this run

  /// Of a part's space, with these strides.
  void lay_out(const FusedPart& part, const std::int64_t* strides);
};

/// Bytes that accesses share.
struct Memory {
  std::int64_t bytes = 0;
  bool written = false, shared = false;  // by several statements
  std::int64_t begin = 0, end = 0;       // at this run; 0 of scratch
};

/// Memory for what no one but the nest's statements reads. Bytes are counted from where accesses are, which have rows of one
/// length if it is contracted: each share has a window of rows then, which moves on when it is at its end.
struct Scratch {
  std::int64_t first = 0, last = 0;                // bytes of all of it
  std::int64_t row_step = 0, low = 0, high = 0;    // rows [a, b) touch bytes [a row_step + low, (b - 1) row_step + high)
  std::int64_t written_low = 0, written_high = 0;  // and write so many of them
  std::int64_t window = 0;                         // bytes of a window
  std::int64_t at = 0, border_at = 0;              // in a share's memory: the window, or all; what is around the border behind it

  std::int64_t from(std::int64_t row) const { return row * row_step + low; }
  std::int64_t to(std::int64_t row) const { return (row - 1) * row_step + high; }
};

/// Some bytes of each of the rows [first, last) of a move: where they are in a row that is read, and in one that is written.
struct Box {
  std::int64_t first, last, from, to, bytes;
};

std::int64_t floor_div(std::int64_t a, std::int64_t b);
/// All of an array with these extents and strides, in runs as long as elements lie one behind the other on both sides.
std::vector<Box> boxes_of(const dims& extent, const std::int64_t* from, const std::int64_t* to, std::int64_t bytes);

/// A kernel; or, with boxes, a move of what lies in them: of what the first of its two accesses reads, or, with one access,
/// of the kernel's scalar. Its row i is row i + center of the nest.
struct Statement {
  FusedPart* part = nullptr;
  std::int64_t rows = 0, columns = 1;
  std::vector<Access> accesses;          // operands, then results,
  std::vector<LaunchOperand> arguments;  // and how a kernel's are laid out
  std::vector<Box> boxes;
  std::size_t moved = 0;                       // of a move of a kernel's result: which access of that it is
  std::int64_t center = 0, column_center = 0;  // and so are its columns
  std::int64_t before = 0, behind = 0;  // rows left out at the beginning and end of a share; its lag is `behind`
  std::int64_t columns_behind = 0;      // the same between strips
  double estimate_ns = 0;

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
  /// The move of graph node `value`, which statement `maker` writes, to an array of the same shape.
  void make_move(const BoundPlan& plan, std::size_t number, std::size_t maker, int value, int node);
  /// Where an access to a graph node with these strides is.
  void find_place(const BoundPlan& plan, const FusedPart& part, Access& access, int node, const std::int64_t* strides) const;
  /// Where scratch is for Access::begin.
  std::int64_t begin_of_scratch(std::size_t number) const;
  void find_memories();
  /// False: statement `number` cannot follow those before it.
  bool find_lag(std::size_t number);
  /// The same of columns, if the lag in rows is known. False: strips of columns would need each other.
  bool find_column_lag(std::size_t number);
  /// False: not by these kernels.
  bool bind();
  /// Finds where everything is now. False: not to each other as it was when the lags were found.
  bool places_hold();

  bool keeps(int i) const override { return scratch_of[static_cast<std::size_t>(i)] >= 0; }
  bool run() override;
  std::string_view name() const override { return called; }
  std::int64_t scratch_bytes() const override { return scratch_size_ * (contracted_ ? lanes_ : 1); }

  std::string_view called;
  std::vector<Statement> statements;
  std::vector<Memory> memories;
  std::vector<int> scratch_of;  // per graph node; -1: it is stored
  std::vector<Scratch> scratch;
  std::int64_t first_row = 0, last_row = 0;
  std::int64_t block = 0, most = 0;                      // rows of a statement at once: usually, and at most
  std::int64_t before = 0, behind = 0, border_rows = 0;  // the most of a statement; the most of their sum
  std::int64_t least_share = 1;                          // rows that are worth a thread
#ifndef __EMSCRIPTEN__
  bool is_periodic = false;  // the first rows of scratch follow its last ones; all statements have the same rows
  std::int64_t strip = 0;    // columns of a strip: all rows run of one, then of the next. 0: rows are whole
#else  // pages load no code for what their arrays are too small for
  static constexpr bool is_periodic = false;
  static constexpr std::int64_t strip = 0;
#endif
  std::int64_t first_column = 0, last_column = 0, columns_behind = 0;
  double estimate_ns = 0;

 private:
  struct Share {
    std::int64_t number, begin, end;  // rows
    bool is_first, is_last;
    std::int64_t first_column;  // of its strip
    std::int64_t before;        // the share before it, whose border has this one's first rows as rows
    std::int64_t ahead;         // so many further on
  };
  /// Rows and columns of a statement that are computed or moved at once.
  struct Rectangle {
    std::int64_t row, rows, column, columns;
  };
  /// Where byte 0 of scratch would be, and the first byte that is there.
  struct Window {
    char* origin;
    std::int64_t base;
  };
  template <class F>
  bool for_each_conflict(std::size_t number, F f) const;
  void run_strip(std::int64_t first_column, std::int64_t shares);
  void run_share(const Share& share);
  void run_border(const Share& share);
  void run_statement(const Share& share, std::size_t number, std::int64_t from, std::int64_t to, std::int64_t ahead = 0);
  void run_part(std::size_t lane, std::size_t number, const Rectangle& part);

  // In contracted.cpp: windows of scratch.
  void lay_out_scratch();
  bool find_windows(Scratch& each, int number) const;
  Window& window_of(std::int64_t share, std::size_t number) {
    return windows_[static_cast<std::size_t>(share) * scratch.size() + number];
  }
  void place_windows(const Share& share);
  void move_windows(const Share& share, std::int64_t row);
  void save_first_rows(const Share& share, std::size_t number);
  void save_rows(const Share& share);
  void place_border(const Share& share);

  bool contracted_ = false;
  std::int64_t scratch_size_ = 0;                           // of a share, if it is contracted
  char* memory_ = nullptr;                                  // of this run
  std::vector<Window> windows_;                             // of each share's scratch
  int lanes_ = 0;                                           // one per thread, which has
  std::vector<std::unique_ptr<detail::LaunchPlan>> plans_;  // one for each statement
  std::vector<LaunchOperand> operands_;                     // and so many
  std::size_t lane_operands_ = 0;
  detail::KernelSource kernels_;
};

/// Elementwise kernels with the stores of their results into arrays that they read. They are to be bound.
std::vector<std::unique_ptr<Nest>> find_in_place(const BoundPlan& plan);
/// Takes those of `stores` that follow each other, as the steps of a loop over time, together; null stays in their places. They
/// are bound.
std::vector<std::unique_ptr<Nest>> take_in_place_loops(std::vector<std::unique_ptr<Nest>>& stores, const BoundPlan& plan);
/// Elementwise steps that look at rows around their own. None of them is in `taken`; they are bound.
std::vector<std::unique_ptr<Nest>> find_skewed_rows(const BoundPlan& plan, const std::vector<bool>& taken);

}  // namespace numjit::runtime
