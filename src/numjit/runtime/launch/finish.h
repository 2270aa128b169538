// The upper levels of reductions: from chunk results to the result, in the canonical order.
#pragma once

#include <cstdint>

#include <numjit/ops/op.h>

namespace numjit::runtime::detail {

/// Partial results of one reduction: `chunks` rows of `width` neighbouring columns.
/// Value of chunk c, column j: element c * chunk_step + j * column_step.
struct Partials {
  const char* values = nullptr;
  const std::int32_t* indices = nullptr;  // arg reductions: counted from the chunk's start
  std::int64_t chunks = 0;
  std::int64_t width = 1;
  std::int64_t chunk_step = 1;
};

/// Writes the `width` results (arg reductions: int64) to `out`, one after the other. No chunks: the
/// identity of the reduction.
void finish_reduction(op_id op, int loop, const Partials& partials, char* out);

}  // namespace numjit::runtime::detail
