// Sums of the products of two vectors, a chunk at a time: what products of vectors and of rows are made of.
#pragma once

#include <cstdint>

#include <numjit/eager/loop_table.h>

namespace numjit::eager {

/// The loops of one dtype: products, and their sums (for bool whether any is true).
class ChunkProduct {
 public:
  static const ChunkProduct& of(dtype_id type);

  op_id reduction() const { return reduction_; }
  /// Of a chunk's result.
  dtype_id accumulator() const { return sums_->accumulator; }
  const reduce_kernels& sums() const { return *sums_; }

  /// out = a[0] * b[0] + ... in the canonical order, 0 < n <= chunk_size; steps in bytes. The products stay in registers,
  /// or in the cache where elements lie apart.
  void operator()(const char* a, std::int64_t a_step, const char* b, std::int64_t b_step, std::int64_t n, char* out) const;

 private:
  explicit ChunkProduct(dtype_id type);
  struct Table;

  op_id reduction_;
  std::int64_t item_;
  loop_fn multiply_;
  const reduce_kernels* sums_;
};

}  // namespace numjit::eager
