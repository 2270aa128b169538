/* The functions of CBLAS that the core calls, where no BLAS is at hand. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef int blasint;
typedef enum { CblasRowMajor = 101 } CBLAS_ORDER;
typedef enum { CblasNoTrans = 111, CblasTrans = 112 } CBLAS_TRANSPOSE;

void cblas_sgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint m, blasint n, blasint k, float alpha,
                 const float* a, blasint lda, const float* b, blasint ldb, float beta, float* c, blasint ldc);
void cblas_dgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint m, blasint n, blasint k, double alpha,
                 const double* a, blasint lda, const double* b, blasint ldb, double beta, double* c, blasint ldc);
void cblas_cgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint m, blasint n, blasint k, const void* alpha,
                 const void* a, blasint lda, const void* b, blasint ldb, const void* beta, void* c, blasint ldc);
void cblas_zgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint m, blasint n, blasint k, const void* alpha,
                 const void* a, blasint lda, const void* b, blasint ldb, const void* beta, void* c, blasint ldc);

/* y = A x, or A' x, for contiguous y: a matrix product with one column, or with one row. */
#define NUMJIT_GEMV(letter, scalar, element)                                                                           \
  static inline void cblas_##letter##gemv(CBLAS_ORDER order, CBLAS_TRANSPOSE transpose, blasint m, blasint n, scalar alpha, \
                                          const element* a, blasint lda, const element* x, blasint step, scalar beta,   \
                                          element* y, blasint) {                                                        \
    if (transpose == CblasNoTrans)                                                                                      \
      cblas_##letter##gemm(order, CblasNoTrans, CblasNoTrans, m, 1, n, alpha, a, lda, x, step, beta, y, 1);             \
    else                                                                                                                \
      cblas_##letter##gemm(order, CblasTrans, CblasNoTrans, 1, n, m, alpha, x, step, a, lda, beta, y, n);               \
  }
NUMJIT_GEMV(s, float, float)
NUMJIT_GEMV(d, double, double)
NUMJIT_GEMV(c, const void*, void)
NUMJIT_GEMV(z, const void*, void)
#undef NUMJIT_GEMV

/* For products of numbers of so many bytes: what is made on the thread that has the arrays, before others take part. */
void numjit_prepare_products(size_t bytes);

/* Products here are serial anyway. */
static inline int openblas_get_num_threads(void) { return 1; }
static inline void openblas_set_num_threads(int threads) { (void)threads; }

#ifdef __cplusplus
}
#endif
