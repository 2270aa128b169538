// Inside of RowBlocks: what its finder tells its runner.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <numjit/runtime/nest/row_blocks.h>

namespace numjit::runtime {

/// Where a part reads or writes.
struct RowBlocks::Argument {
  node* const* place = nullptr;  // where its array stands, if it has memory of its own;
  std::int64_t row_step = 0;     // bytes from row to row
  int scratch = -1;              // which array in a thread's scratch, or -1
  std::int64_t offset = 0;       // of a view into it
  std::int64_t shared = -1;      // where it begins in memory that the blocks share, or -1
};

/// One kernel launch of the run; or elements taken at indices, or arrays put side by side. The arguments of these are
/// what they read (but the source of a take), and the result.
struct RowBlocks::Part {
  FusedPart* part = nullptr;      // of a kernel
  node* const* source = nullptr;  // of a take
  int indexed = 0;                // of a take_places: its index arrays
  std::int64_t row_count = 0;     // a take: indices in a row of them; a join: pieces of each array in a row
  std::vector<Argument> arguments;
  bool in_chunks = false;                      // it reduces the rows themselves, which are its only axis
  std::unique_ptr<detail::LaunchPlan> chunks;  // the plan of that
  detail::KernelSource kernels;
};

/// A launch behind all blocks, which goes on where a reduction over several axes has left off.
struct RowBlocks::Ending {
  FusedPart* part = nullptr;
  std::vector<Argument> arguments;
  std::unique_ptr<detail::LaunchPlan> plan;
  detail::KernelSource kernels;
};

/// What one thread needs for itself.
struct RowBlocks::Lane {
  std::atomic<bool> busy{false};
  std::vector<std::unique_ptr<detail::LaunchPlan>> whole, odd;  // per part; odd: the last, shorter block
  std::vector<LaunchOperand> operands;
  char* scratch = nullptr;  // of a run
};

}  // namespace numjit::runtime
