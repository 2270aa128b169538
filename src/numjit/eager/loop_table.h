// Tables of inner loops, one per x86-64 level, generated from the op rows in eager/loops/.
#pragma once

#include <cstdint>
#include <string_view>

#include <numjit/ops/op.h>

namespace numjit::eager {

/// One inner loop: `ptr` holds the inputs, then the output; `stride` their steps in bytes; n elements.
/// The output may be exactly one of the inputs, but not overlap one partly.
using loop_fn = void (*)(char* const* ptr, const std::int64_t* stride, std::int64_t n);

/// Most loops of a row (the comparisons have 15).
inline constexpr int max_loops = 16;

/// Elements of one chunk and lanes of a chunk in the canonical order (docs/numerics.md).
inline constexpr std::int64_t chunk_size = 1024;
inline constexpr int lane_count = 32;
/// Elements of one segment of a scan.
inline constexpr std::int64_t scan_segment = 128;

/// A matrix of rows to reduce: `rows` rows of `n` elements.
struct row_block {
  const char* in;
  std::int64_t stride;      // bytes between the elements of a row
  std::int64_t row_stride;  // bytes between rows
  std::int64_t n;
  std::int64_t rows;
};

/// Kernels of one loop of a reduction. Results are of the accumulator's dtype, contiguous: the loop's
/// output dtype, but float32 for float16.
struct reduce_kernels {
  dtype_id in{}, accumulator{};
  /// Each row in the canonical order, any n > 0.
  void (*rows)(const row_block& block, char* out) = nullptr;
  /// The same values with the rows side by side: row_stride is small, n <= chunk_size.
  void (*panel)(const row_block& block, char* out) = nullptr;
  /// out[i] = combine(out[i], in[i]).
  void (*combine)(const char* in, char* out, std::int64_t n) = nullptr;
  /// The value that changes nothing (where= writes it over masked elements), of dtype `in`.
  void (*fill_neutral)(char* to, std::int64_t n) = nullptr;
  /// The sum of a[i] * b[i], both contiguous, 0 < n <= chunk_size; null but for sums that need no cast.
  void (*products)(const char* a, const char* b, std::int64_t n, char* out) = nullptr;
};

/// Kernels of one loop of argmax or argmin: int64 indices of the first winner.
struct arg_kernels {
  dtype_id in{};
  void (*rows)(const row_block& block, std::int64_t* out) = nullptr;
  void (*panel)(const row_block& block, std::int64_t* out) = nullptr;
};

/// Kernels of one loop of a scan; rows of the output go by out_stride and out_row_stride.
struct scan_kernels {
  dtype_id in{}, out{};
  void (*rows)(const row_block& block, char* out, std::int64_t out_stride,
               std::int64_t out_row_stride) = nullptr;
  /// The same values with the rows side by side.
  void (*panel)(const row_block& block, char* out, std::int64_t out_stride,
                std::int64_t out_row_stride) = nullptr;
};

/// Sums of products of `count` windows of m elements: out[i] = sum over k of a[i + k] * v[k], all contiguous, m <= 2^20.
using window_fn = void (*)(const char* a, const char* v, std::int64_t m, std::int64_t count, char* out);
struct window_kernels {
  window_fn float32 = nullptr, float64 = nullptr, uint32 = nullptr, uint64 = nullptr;
};

/// Everything of one level. Entries are null only where a row has fewer loops.
struct loop_table {
  std::string_view isa;
  loop_fn ufunc[op_count][max_loops] = {};
  loop_fn cast[dtype_count][dtype_count] = {};  // [from][to], as NumPy's astype
  reduce_kernels reduce[count_of(op_kind::reduction)][dtype_count];
  arg_kernels arg[count_of(op_kind::argreduction)][dtype_count];
  scan_kernels scan[count_of(op_kind::scan)][dtype_count];
  window_kernels windows;

  const reduce_kernels& reduction(op_id op, int loop) const { return reduce[number_in_kind(op)][loop]; }
  const arg_kernels& arg_reduction(op_id op, int loop) const { return arg[number_in_kind(op)][loop]; }
  const scan_kernels& scanning(op_id op, int loop) const { return scan[number_in_kind(op)][loop]; }
};

/// Table of a level ("v2", "v3", "v4"), or null where this build or machine lacks it.
const loop_table* loops_for(std::string_view isa);

/// The table in use: the best level of this machine, or the one that NUMJIT_TARGET names
/// ("x86-64-v2" or "v2").
const loop_table& loops();

}  // namespace numjit::eager
