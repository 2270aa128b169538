// Calls of BLAS.
#include <numjit/eager/blas.h>

#include <algorithm>
#include <limits>

#include <numjit/eager/internal.h>

namespace numjit::eager {

bool fits_blas(std::int64_t n) { return n <= std::numeric_limits<blasint>::max(); }

bool as_blas(const matrix& m, std::int64_t itemsize, blas_matrix& out) {
  auto leading = [&](std::int64_t step, std::int64_t extent, std::int64_t other) {
    const std::int64_t ld = extent == 1 ? other : step / itemsize;
    if (extent != 1 && (step % itemsize != 0 || step < itemsize * std::max<std::int64_t>(1, other)))
      return false;
    if (!fits_blas(ld)) return false;
    out.leading = static_cast<blasint>(std::max<std::int64_t>(1, ld));
    return true;
  };
  if (m.column == itemsize || m.columns == 1) {
    out.transpose = CblasNoTrans;
    if (leading(m.row, m.rows, m.columns)) return true;
  }
  if (m.row == itemsize || m.rows == 1) {
    out.transpose = CblasTrans;
    return leading(m.column, m.columns, m.rows);
  }
  return false;
}

void gemm(dtype_id type, const blas_matrix& ta, const matrix& a, const blas_matrix& tb, const matrix& b,
          const matrix& c, blasint ldc) {
  const blasint m = static_cast<blasint>(c.rows), n = static_cast<blasint>(c.columns),
                k = static_cast<blasint>(a.columns);
  if (type == dtype_id::float32) {
    cblas_sgemm(CblasRowMajor, ta.transpose, tb.transpose, m, n, k, 1.0f,
                reinterpret_cast<const float*>(a.data), ta.leading,
                reinterpret_cast<const float*>(b.data), tb.leading, 0.0f,
                reinterpret_cast<float*>(c.data), ldc);
  } else if (type == dtype_id::float64) {
    cblas_dgemm(CblasRowMajor, ta.transpose, tb.transpose, m, n, k, 1.0,
                reinterpret_cast<const double*>(a.data), ta.leading,
                reinterpret_cast<const double*>(b.data), tb.leading, 0.0,
                reinterpret_cast<double*>(c.data), ldc);
  } else {
    const float one_f[2] = {1, 0}, zero_f[2] = {0, 0};
    const double one_d[2] = {1, 0}, zero_d[2] = {0, 0};
    if (type == dtype_id::complex64)
      cblas_cgemm(CblasRowMajor, ta.transpose, tb.transpose, m, n, k, one_f, a.data, ta.leading, b.data,
                  tb.leading, zero_f, c.data, ldc);
    else
      cblas_zgemm(CblasRowMajor, ta.transpose, tb.transpose, m, n, k, one_d, a.data, ta.leading, b.data,
                  tb.leading, zero_d, c.data, ldc);
  }
}

#ifndef __EMSCRIPTEN__
void syrk(dtype_id type, const blas_matrix& ta, const matrix& a, const matrix& c, blasint ldc) {
  const auto n = static_cast<blasint>(a.rows), k = static_cast<blasint>(a.columns);
  if (type == dtype_id::float32) {
    cblas_ssyrk(CblasRowMajor, CblasLower, ta.transpose, n, k, 1.0f, reinterpret_cast<const float*>(a.data), ta.leading, 0.0f,
                reinterpret_cast<float*>(c.data), ldc);
  } else if (type == dtype_id::float64) {
    cblas_dsyrk(CblasRowMajor, CblasLower, ta.transpose, n, k, 1.0, reinterpret_cast<const double*>(a.data), ta.leading, 0.0,
                reinterpret_cast<double*>(c.data), ldc);
  } else {
    const float one_f[2] = {1, 0}, zero_f[2] = {0, 0};
    const double one_d[2] = {1, 0}, zero_d[2] = {0, 0};
    if (type == dtype_id::complex64)
      cblas_csyrk(CblasRowMajor, CblasLower, ta.transpose, n, k, one_f, a.data, ta.leading, zero_f, c.data, ldc);
    else
      cblas_zsyrk(CblasRowMajor, CblasLower, ta.transpose, n, k, one_d, a.data, ta.leading, zero_d, c.data, ldc);
  }
}
#endif

bool as_blas_vector(const matrix& column, std::int64_t itemsize, blasint& step) {
  step = 1;
  if (column.rows == 1) return true;
  if (column.row <= 0 || column.row % itemsize != 0 || !fits_blas(column.row / itemsize)) return false;
  step = static_cast<blasint>(column.row / itemsize);
  return true;
}

void gemv(dtype_id type, const blas_matrix& ta, const matrix& a, const char* x, blasint step, char* y) {
  const bool turned = ta.transpose == CblasTrans;  // BLAS wants to know of the matrix as it lies in memory
  const auto rows = static_cast<blasint>(turned ? a.columns : a.rows),
             columns = static_cast<blasint>(turned ? a.rows : a.columns);
  const blasint lda = ta.leading;
  if (type == dtype_id::float32) {
    cblas_sgemv(CblasRowMajor, ta.transpose, rows, columns, 1.0f, reinterpret_cast<const float*>(a.data), lda,
                reinterpret_cast<const float*>(x), step, 0.0f, reinterpret_cast<float*>(y), 1);
  } else if (type == dtype_id::float64) {
    cblas_dgemv(CblasRowMajor, ta.transpose, rows, columns, 1.0, reinterpret_cast<const double*>(a.data), lda,
                reinterpret_cast<const double*>(x), step, 0.0, reinterpret_cast<double*>(y), 1);
  } else {
    const float one_f[2] = {1, 0}, zero_f[2] = {0, 0};
    const double one_d[2] = {1, 0}, zero_d[2] = {0, 0};
    if (type == dtype_id::complex64)
      cblas_cgemv(CblasRowMajor, ta.transpose, rows, columns, one_f, a.data, lda, x, step, zero_f, y, 1);
    else
      cblas_zgemv(CblasRowMajor, ta.transpose, rows, columns, one_d, a.data, lda, x, step, zero_d, y, 1);
  }
}

}  // namespace numjit::eager
