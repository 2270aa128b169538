// Inside of SkewedRows: what its finder tells its runner.
#pragma once

#include <numjit/runtime/nest/skewed_rows.h>

namespace numjit::runtime {

/// Where a part reads or writes.
struct SkewedRows::Argument {
  node* const* place = nullptr;  // the array, if it is none of the run's own;
  int slot = -1;                 // of these, where it lies in scratch
  std::int64_t offset = 0;       // from there to its first element
  int memory = -1;               // which it is in
  std::int64_t delta = 0;        // where in it
  std::int64_t row = 0;          // the memory's row that its own first row is in
  bool written = false;
  char* data = nullptr;  // its first element, at this run
};

/// Bytes that arguments share.
struct SkewedRows::Memory {
  std::int64_t bytes = 0;
  bool written = false;
  const char* begin = nullptr;  // at this run
};

/// Of a copy or a fill: what the next part overwrites before anything reads it. It is not made.
struct SkewedRows::Inside {
  std::int64_t first = 0, last = 0;  // of its rows; none: it has no inside
  std::int64_t begin = 0, end = 0;   // bytes of a row,
  std::int64_t row_bytes = 0;        // which has these
};

/// One kernel launch. Its row i is row i + center of the run.
struct SkewedRows::Part {
  FusedPart* part = nullptr;
  std::vector<Argument> arguments;
  std::int64_t rows = 0, center = 0;
  double estimate_ns = 0;
  std::int64_t before = 0, behind = 0;  // rows left out at the beginning and end of a share; its lag is `behind`
  Inside inside;
};

/// What one thread needs for itself.
struct SkewedRows::Lane {
  std::vector<std::unique_ptr<detail::LaunchPlan>> plans;  // per part
  std::vector<detail::KernelSource> kernels;
  std::vector<LaunchOperand> operands;
};

}  // namespace numjit::runtime
