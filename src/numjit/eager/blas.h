// Matrices as BLAS sees them, and its products.
#pragma once

#include <mutex>

#include <cblas.h>

#include <numjit/array/dtype.h>

namespace numjit::eager {

/// One matrix: element (i, j) lies at data + i * row + j * column (bytes).
struct matrix {
  char* data;
  std::int64_t rows, columns, row, column;
};

inline matrix transposed(const matrix& m) { return {m.data, m.columns, m.rows, m.column, m.row}; }

/// How BLAS sees a matrix: row-major with a leading dimension, transposed or not.
struct blas_matrix {
  CBLAS_TRANSPOSE transpose;
  blasint leading;
};

bool fits_blas(std::int64_t n);

/// False: BLAS can't read the matrix where it is.
bool as_blas(const matrix& m, std::int64_t itemsize, blas_matrix& out);

/// The same of a column: `step` elements lie between two of its own.
bool as_blas_vector(const matrix& column, std::int64_t itemsize, blasint& step);

/// c = a b, for float32, float64, complex64 and complex128.
void gemm(dtype_id type, const blas_matrix& ta, const matrix& a, const blas_matrix& tb, const matrix& b,
          const matrix& c, blasint ldc);

#ifndef __EMSCRIPTEN__
/// The half below the diagonal, and it, of c = a a'.
void syrk(dtype_id type, const blas_matrix& ta, const matrix& a, const matrix& c, blasint ldc);
#endif

/// y = a x, contiguous.
void gemv(dtype_id type, const blas_matrix& ta, const matrix& a, const char* x, blasint step, char* y);

/// Multiplications of a product.
inline double work_of(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
}

/// BLAS has no use for a second thread up to here, in multiplications.
constexpr double serial_work = 1 << 18;

/// While one lives, BLAS stays on the threads that call it: products are shared out here. Its own threads would spin
/// beside the pool's, on the same cores.
class SerialBlas {
 public:
  SerialBlas() {
    const std::lock_guard lock(mutex_);
    if (users_++ == 0) threads_ = openblas_get_num_threads(), openblas_set_num_threads(1);
  }
  ~SerialBlas() {
    const std::lock_guard lock(mutex_);
    if (--users_ == 0) openblas_set_num_threads(threads_);
  }
  SerialBlas(const SerialBlas&) = delete;
  SerialBlas& operator=(const SerialBlas&) = delete;

 private:
  static inline std::mutex mutex_;
  static inline int users_ = 0, threads_ = 1;
};

}  // namespace numjit::eager
