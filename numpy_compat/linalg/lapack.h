// The LAPACK routines that np::linalg uses, as overloads for the four element types. OpenBLAS has them.
#pragma once

#include <complex>
#include <cstddef>

namespace numjit::linalg::lapack {

using c32 = std::complex<float>;
using c64 = std::complex<double>;
using length = std::size_t;  // of a text argument, which Fortran passes last

// clang-format off
#define NUMJIT_LAPACK_ALL(T, p)                                                                                               \
  extern "C" {                                                                                                                \
  void p##gesv_(const int*, const int*, T*, const int*, int*, T*, const int*, int*);                                          \
  void p##getrf_(const int*, const int*, T*, const int*, int*, int*);                                                         \
  void p##potrf_(const char*, const int*, T*, const int*, int*, length);                                                      \
  void p##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);                                           \
  }                                                                                                                           \
  inline int gesv(int n, int k, T* a, int* pivots, T* b) { int info; p##gesv_(&n, &k, a, &n, pivots, b, &n, &info); return info; } \
  inline int getrf(int n, T* a, int* pivots) { int info; p##getrf_(&n, &n, a, &n, pivots, &info); return info; }              \
  inline int potrf(char uplo, int n, T* a) { int info; p##potrf_(&uplo, &n, a, &n, &info, 1); return info; }                  \
  inline int geqrf(int m, int n, T* a, T* tau, T* work, int size) { int info; p##geqrf_(&m, &n, a, &m, tau, work, &size, &info); return info; }
NUMJIT_LAPACK_ALL(float, s)
NUMJIT_LAPACK_ALL(double, d)
NUMJIT_LAPACK_ALL(c32, c)
NUMJIT_LAPACK_ALL(c64, z)
#undef NUMJIT_LAPACK_ALL

#define NUMJIT_LAPACK_REAL(T, p)                                                                                              \
  extern "C" {                                                                                                                \
  void p##orgqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);                         \
  void p##gesdd_(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*, const int*, int*, int*, length); \
  void p##syevd_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*, const int*, int*, length, length); \
  void p##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*, const int*, T*, const int*, int*, length, length); \
  void p##gelsd_(const int*, const int*, const int*, T*, const int*, T*, const int*, T*, const T*, int*, T*, const int*, int*, int*); \
  }                                                                                                                           \
  inline int orgqr(int m, int n, int k, T* a, const T* tau, T* work, int size) { int info; p##orgqr_(&m, &n, &k, a, &m, tau, work, &size, &info); return info; } \
  inline int gesdd(char job, int m, int n, T* a, T* s, T* u, int ldu, T* vt, int ldvt, T* work, int size, T*, int* whole) {   \
    int info; p##gesdd_(&job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, work, &size, whole, &info, 1); return info; }             \
  inline int heevd(char job, char uplo, int n, T* a, T* w, T* work, int size, T*, int, int* whole, int whole_size) {          \
    int info; p##syevd_(&job, &uplo, &n, a, &n, w, work, &size, whole, &whole_size, &info, 1, 1); return info; }              \
  inline int geev(char job, int n, T* a, T* wr, T* wi, T* v, int ldv, T* work, int size) {                                    \
    int info, one = 1; const char no = 'N'; T none; p##geev_(&no, &job, &n, a, &n, wr, wi, &none, &one, v, &ldv, work, &size, &info, 1, 1); return info; } \
  inline int gelsd(int m, int n, int k, T* a, T* b, int ldb, T* s, T rcond, int* rank, T* work, int size, T*, int* whole) {   \
    int info; p##gelsd_(&m, &n, &k, a, &m, b, &ldb, s, &rcond, rank, work, &size, whole, &info); return info; }
NUMJIT_LAPACK_REAL(float, s)
NUMJIT_LAPACK_REAL(double, d)
#undef NUMJIT_LAPACK_REAL

#define NUMJIT_LAPACK_COMPLEX(T, R, p)                                                                                        \
  extern "C" {                                                                                                                \
  void p##ungqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);                         \
  void p##gesdd_(const char*, const int*, const int*, T*, const int*, R*, T*, const int*, T*, const int*, T*, const int*, R*, int*, int*, length); \
  void p##heevd_(const char*, const char*, const int*, T*, const int*, R*, T*, const int*, R*, const int*, int*, const int*, int*, length, length); \
  void p##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*, const int*, R*, int*, length, length); \
  void p##gelsd_(const int*, const int*, const int*, T*, const int*, T*, const int*, R*, const R*, int*, T*, const int*, R*, int*, int*); \
  }                                                                                                                           \
  inline int orgqr(int m, int n, int k, T* a, const T* tau, T* work, int size) { int info; p##ungqr_(&m, &n, &k, a, &m, tau, work, &size, &info); return info; } \
  inline int gesdd(char job, int m, int n, T* a, R* s, T* u, int ldu, T* vt, int ldvt, T* work, int size, R* real, int* whole) { \
    int info; p##gesdd_(&job, &m, &n, a, &m, s, u, &ldu, vt, &ldvt, work, &size, real, whole, &info, 1); return info; }       \
  inline int heevd(char job, char uplo, int n, T* a, R* w, T* work, int size, R* real, int real_size, int* whole, int whole_size) { \
    int info; p##heevd_(&job, &uplo, &n, a, &n, w, work, &size, real, &real_size, whole, &whole_size, &info, 1, 1); return info; } \
  inline int geev(char job, int n, T* a, T* w, T* v, int ldv, T* work, int size, R* real) {                                   \
    int info, one = 1; const char no = 'N'; T none; p##geev_(&no, &job, &n, a, &n, w, &none, &one, v, &ldv, work, &size, real, &info, 1, 1); return info; } \
  inline int gelsd(int m, int n, int k, T* a, T* b, int ldb, R* s, R rcond, int* rank, T* work, int size, R* real, int* whole) { \
    int info; p##gelsd_(&m, &n, &k, a, &m, b, &ldb, s, &rcond, rank, work, &size, real, whole, &info); return info; }
NUMJIT_LAPACK_COMPLEX(c32, float, c)
NUMJIT_LAPACK_COMPLEX(c64, double, z)
#undef NUMJIT_LAPACK_COMPLEX
// clang-format on

}  // namespace numjit::linalg::lapack
