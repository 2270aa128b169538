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

/* Products here are serial anyway. */
static inline int openblas_get_num_threads(void) { return 1; }
static inline void openblas_set_num_threads(int threads) { (void)threads; }

#ifdef __cplusplus
}
#endif
