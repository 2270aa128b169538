// The routines of LAPACK that np::linalg calls (numpy_compat/linalg/lapack.h), where there is no LAPACK: by Eigen's
// decompositions. float is computed in double and rounded at the end, so that there are two instances of each.
#pragma GCC visibility push(hidden)  // none of the templates' instances is another module's business
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "bidiagonal.h"

namespace {

using Eigen::Index;

template <class T> struct wider { using type = double; };
template <class T> struct wider<std::complex<T>> { using type = std::complex<double>; };
template <class T> using wide = typename wider<T>::type;
template <class T> using real_of = typename Eigen::NumTraits<T>::Real;
using numjit::linalg::Matrix;
using numjit::linalg::Reals;

/// A matrix of the caller's, in Fortran's order.
template <class T>
Eigen::Map<Matrix<T>, 0, Eigen::OuterStride<>> at(T* p, Index rows, Index columns, Index leading) {
  return {p, rows, columns, Eigen::OuterStride<>(leading)};
}

template <class T>
Matrix<wide<T>> read(T* p, Index rows, Index columns, Index leading) {
  return at(p, rows, columns, leading).template cast<wide<T>>();
}

template <class T, class M>
void write(const M& m, T* to, Index leading) {
  at(to, m.rows(), m.cols(), leading) = m.template cast<T>();
}

template <class T>
void write_reals(const Reals& from, T* to) {
  for (Index i = 0; i < from.size(); ++i) to[i] = static_cast<T>(from[i]);
}

// ---- P A = L U, in panels of columns ----

constexpr Index panel = 32;

/// Columns [from, to) of rows [from, n); returns the first column without a pivot, counted from 1, or 0.
template <class W>
int factor_panel(Matrix<W>& a, Index from, Index to, int* pivots) {
  int info = 0;
  for (Index j = from; j < to; ++j) {
    Index best;
    // |re| + |im|, as LAPACK compares
    a.col(j)
        .tail(a.rows() - j)
        .unaryExpr([](const W& v) { return std::abs(std::real(v)) + std::abs(std::imag(v)); })
        .maxCoeff(&best);
    best += j;
    pivots[j] = static_cast<int>(best) + 1;
    if (a(best, j) == W(0)) {
      if (info == 0) info = static_cast<int>(j) + 1;
      continue;
    }
    if (best != j) a.row(best).swap(a.row(j));
    const Index below = a.rows() - j - 1;
    a.col(j).tail(below) /= a(j, j);
    if (j + 1 < to)
      a.block(j + 1, j + 1, below, to - j - 1).noalias() -= a.col(j).tail(below) * a.row(j).segment(j + 1, to - j - 1);
  }
  return info;
}

template <class W>
int factor_lu(Matrix<W>& a, int* pivots) {
  const Index n = a.rows();
  int info = 0;
  for (Index j = 0; j < n; j += panel) {
    const Index end = std::min(n, j + panel), wide_of = end - j, right = n - end;
    const int failed = factor_panel(a, j, end, pivots);
    if (info == 0) info = failed;
    if (right == 0) break;
    auto upper = a.block(j, end, wide_of, right);
    a.block(j, j, wide_of, wide_of).template triangularView<Eigen::UnitLower>().solveInPlace(upper);
    a.bottomRightCorner(right, right).noalias() -= a.block(end, j, right, wide_of) * upper;
  }
  return info;
}

template <class T>
int solve(int n, int k, T* a, int lda, int* pivots, T* b, int ldb) {
  Matrix<wide<T>> lu = read(a, n, n, lda), x = read(b, n, k, ldb);
  const int info = factor_lu(lu, pivots);
  write(lu, a, lda);
  if (info > 0) return info;
  for (Index i = 0; i < n; ++i)
    if (pivots[i] != i + 1) x.row(i).swap(x.row(pivots[i] - 1));
  lu.template triangularView<Eigen::UnitLower>().solveInPlace(x);
  lu.template triangularView<Eigen::Upper>().solveInPlace(x);
  write(x, b, ldb);
  return 0;
}

template <class T>
int factor(int n, T* a, int lda, int* pivots) {
  Matrix<wide<T>> lu = read(a, n, n, lda);
  const int info = factor_lu(lu, pivots);
  write(lu, a, lda);
  return info;
}

template <class T>
int cholesky(char uplo, int n, T* a, int lda) {
  using W = wide<T>;
  Matrix<W> m = read(a, n, n, lda);
  bool good;
  if (uplo == 'L') {
    Eigen::LLT<Eigen::Ref<Matrix<W>>, Eigen::Lower> done(m);
    good = done.info() == Eigen::Success;
  } else {
    Eigen::LLT<Eigen::Ref<Matrix<W>>, Eigen::Upper> done(m);
    good = done.info() == Eigen::Success;
  }
  for (Index i = 0; i < n; ++i) good &= std::real(m(i, i)) > 0;  // not nan
  write(m, a, lda);
  return good ? 0 : 1;
}

// ---- A = Q R by reflections I - tau v v', as LAPACK keeps them ----

template <class T>
void factor_qr(int m, int n, T* a, int lda, T* tau) {
  Matrix<wide<T>> q = read(a, m, n, lda);
  for (Index j = 0; j < std::min(m, n); ++j) tau[j] = T(numjit::linalg::reflect_column(q, j, j));
  write(q, a, lda);
}

/// The first n columns of the product of k reflections.
template <class T>
void make_q(int m, int n, int k, T* a, int lda, const T* tau) {
  using W = wide<T>;
  const Matrix<W> v = read(a, m, n, lda);
  Matrix<W> q = Matrix<W>::Identity(m, n);
  for (Index j = k - 1; j >= 0; --j) {
    Eigen::Matrix<W, Eigen::Dynamic, 1> whole = v.col(j).tail(m - j);
    whole[0] = W(1);
    auto part = q.bottomRightCorner(m - j, n - j);
    const Eigen::Matrix<W, 1, Eigen::Dynamic> products = whole.adjoint() * part;
    part.noalias() -= W(tau[j]) * whole * products;
  }
  write(q, a, lda);
}

// ---- singular values, eigenvalues ----

template <class T>
int singular_values(char job, int m, int n, T* a, int lda, real_of<T>* s, T* u, int ldu, T* vt, int ldvt) {
  numjit::linalg::Svd<wide<T>> svd;
  if (!svd.compute(read(a, m, n, lda), job != 'N', job == 'A')) return 1;
  write_reals(svd.values, s);
  if (job == 'N') return 0;
  write(svd.u, u, ldu);
  write(Matrix<wide<T>>(svd.v.adjoint()), vt, ldvt);
  return 0;
}

template <class T>
int hermitian_eigen(char job, char uplo, int n, T* a, int lda, real_of<T>* w) {
  Matrix<wide<T>> matrix = read(a, n, n, lda);
  if (uplo == 'U') matrix = matrix.adjoint().eval();  // Eigen reads the lower half
  const bool vectors = job == 'V';
  const Eigen::SelfAdjointEigenSolver<Matrix<wide<T>>> solved(matrix,
                                                              vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (solved.info() != Eigen::Success) return 1;
  write_reals(solved.eigenvalues(), w);
  if (vectors) write(solved.eigenvectors(), a, lda);
  return 0;
}

/// Length 1, the largest component real: LAPACK's choice among the multiples of a vector.
void normalise(Eigen::Ref<Eigen::VectorXcd> v) {
  Index largest;
  v.cwiseAbs2().maxCoeff(&largest);
  const std::complex<double> c = v[largest];
  if (c == 0.0) return;
  v *= std::conj(c) / (std::abs(c) * v.norm());
  v[largest] = std::real(v[largest]);
}

template <class T>
int eigen(char job, int n, T* a, int lda, T* wr, T* wi, T* v, int ldv) {
  static_assert(!Eigen::NumTraits<T>::IsComplex);
  const Eigen::EigenSolver<Matrix<double>> solved(read(a, n, n, lda), job == 'V');
  if (solved.info() != Eigen::Success) return 1;
  for (Index i = 0; i < n; ++i) {
    wr[i] = static_cast<T>(solved.eigenvalues()[i].real());
    wi[i] = static_cast<T>(solved.eigenvalues()[i].imag());
  }
  if (job != 'V') return 0;
  Eigen::MatrixXcd vectors = solved.eigenvectors();
  auto to = at(v, n, n, ldv);
  for (Index j = 0; j < n; ++j) {
    const bool pair = solved.eigenvalues()[j].imag() != 0 && j + 1 < n;
    if (pair) normalise(vectors.col(j));
    to.col(j) = vectors.col(j).real().template cast<T>();
    if (!pair) continue;
    to.col(j + 1) = vectors.col(j).imag().template cast<T>();
    ++j;
  }
  return 0;
}

template <class C>
int complex_eigen(char job, int n, C* a, int lda, C* w, C* v, int ldv) {
  const Eigen::ComplexEigenSolver<Eigen::MatrixXcd> solved(read(a, n, n, lda), job == 'V');
  if (solved.info() != Eigen::Success) return 1;
  for (Index i = 0; i < n; ++i) w[i] = C(solved.eigenvalues()[i]);
  if (job != 'V') return 0;
  Eigen::MatrixXcd vectors = solved.eigenvectors();
  for (Index j = 0; j < n; ++j) normalise(vectors.col(j));
  write(vectors, v, ldv);
  return 0;
}

/// x of least length among those that make |b - a x| least; below it in b, a number for each column whose square is
/// what remains.
template <class T>
int least_squares(int m, int n, int k, T* a, int lda, T* b, int ldb, real_of<T>* s, real_of<T> rcond, int* rank) {
  using W = wide<T>;
  const Matrix<W> matrix = read(a, m, n, lda), right = read(b, m, k, ldb);
  numjit::linalg::Svd<W> svd;
  if (!svd.compute(matrix, true, false)) return 1;
  const Reals& values = svd.values;
  write_reals(values, s);
  const double least =
      (rcond < 0 ? static_cast<double>(std::numeric_limits<real_of<T>>::epsilon()) : static_cast<double>(rcond)) * values[0];
  Index kept = 0;
  while (kept < values.size() && values[kept] > least) ++kept;
  *rank = static_cast<int>(kept);
  Matrix<W> scaled = svd.u.leftCols(kept).adjoint() * right;
  for (Index i = 0; i < kept; ++i) scaled.row(i) /= values[i];
  const Matrix<W> x = svd.v.leftCols(kept) * scaled;
  write(x, b, ldb);
  if (m <= n) return 0;
  const Matrix<W> rest = right - matrix * x;
  auto to = at(b + n, m - n, k, ldb);
  to.setZero();
  for (Index j = 0; j < k; ++j) to(0, j) = T(rest.col(j).norm());
  return 0;
}

/// Asked how much memory a routine wants (work of -1 elements): none.
template <class T>
bool asked(const int* size, T* work) {
  if (*size != -1) return false;
  *work = T(1);
  return true;
}

}  // namespace

#ifndef NUMJIT_LAPACK_EXPORT
#define NUMJIT_LAPACK_EXPORT
#endif

// clang-format off
#define NUMJIT_LAPACK_ALL(T, p)                                                                                               \
  NUMJIT_LAPACK_EXPORT void p##gesv_(const int* n, const int* k, T* a, const int* lda, int* pivots, T* b, const int* ldb, int* info) { *info = solve(*n, *k, a, *lda, pivots, b, *ldb); } \
  NUMJIT_LAPACK_EXPORT void p##getrf_(const int*, const int* n, T* a, const int* lda, int* pivots, int* info) { *info = factor(*n, a, *lda, pivots); } \
  NUMJIT_LAPACK_EXPORT void p##potrf_(const char* uplo, const int* n, T* a, const int* lda, int* info, std::size_t) { *info = cholesky(*uplo, *n, a, *lda); } \
  NUMJIT_LAPACK_EXPORT void p##geqrf_(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* size, int* info) { \
    *info = 0; if (!asked(size, work)) factor_qr(*m, *n, a, *lda, tau); }
#define NUMJIT_LAPACK_Q(T, name)                                                                                              \
  NUMJIT_LAPACK_EXPORT void name(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work, const int* size, int* info) { \
    *info = 0; if (!asked(size, work)) make_q(*m, *n, *k, a, *lda, tau); }

extern "C" {
NUMJIT_LAPACK_ALL(float, s)
NUMJIT_LAPACK_ALL(double, d)
NUMJIT_LAPACK_ALL(std::complex<float>, c)
NUMJIT_LAPACK_ALL(std::complex<double>, z)
NUMJIT_LAPACK_Q(float, sorgqr_)
NUMJIT_LAPACK_Q(double, dorgqr_)
NUMJIT_LAPACK_Q(std::complex<float>, cungqr_)
NUMJIT_LAPACK_Q(std::complex<double>, zungqr_)

#define NUMJIT_LAPACK_REAL(T, p)                                                                                              \
  NUMJIT_LAPACK_EXPORT void p##gesdd_(const char* job, const int* m, const int* n, T* a, const int* lda, T* s, T* u, const int* ldu, T* vt, const int* ldvt, T* work, const int* size, int*, int* info, std::size_t) { \
    *info = 0; if (!asked(size, work)) *info = singular_values(*job, *m, *n, a, *lda, s, u, *ldu, vt, *ldvt); }                \
  NUMJIT_LAPACK_EXPORT void p##syevd_(const char* job, const char* uplo, const int* n, T* a, const int* lda, T* w, T*, const int*, int*, const int*, int* info, std::size_t, std::size_t) { \
    *info = hermitian_eigen(*job, *uplo, *n, a, *lda, w); }                                                                   \
  NUMJIT_LAPACK_EXPORT void p##geev_(const char*, const char* job, const int* n, T* a, const int* lda, T* wr, T* wi, T*, const int*, T* v, const int* ldv, T* work, const int* size, int* info, std::size_t, std::size_t) { \
    *info = 0; if (!asked(size, work)) *info = eigen(*job, *n, a, *lda, wr, wi, v, *ldv); }                                    \
  NUMJIT_LAPACK_EXPORT void p##gelsd_(const int* m, const int* n, const int* k, T* a, const int* lda, T* b, const int* ldb, T* s, const T* rcond, int* rank, T* work, const int* size, int* whole, int* info) { \
    *info = 0; if (asked(size, work)) *whole = 1; else *info = least_squares(*m, *n, *k, a, *lda, b, *ldb, s, *rcond, rank); }
NUMJIT_LAPACK_REAL(float, s)
NUMJIT_LAPACK_REAL(double, d)

#define NUMJIT_LAPACK_COMPLEX(T, R, p)                                                                                        \
  NUMJIT_LAPACK_EXPORT void p##gesdd_(const char* job, const int* m, const int* n, T* a, const int* lda, R* s, T* u, const int* ldu, T* vt, const int* ldvt, T* work, const int* size, R*, int*, int* info, std::size_t) { \
    *info = 0; if (!asked(size, work)) *info = singular_values(*job, *m, *n, a, *lda, s, u, *ldu, vt, *ldvt); }                \
  NUMJIT_LAPACK_EXPORT void p##heevd_(const char* job, const char* uplo, const int* n, T* a, const int* lda, R* w, T*, const int*, R*, const int*, int*, const int*, int* info, std::size_t, std::size_t) { \
    *info = hermitian_eigen(*job, *uplo, *n, a, *lda, w); }                                                                   \
  NUMJIT_LAPACK_EXPORT void p##geev_(const char*, const char* job, const int* n, T* a, const int* lda, T* w, T*, const int*, T* v, const int* ldv, T* work, const int* size, R*, int* info, std::size_t, std::size_t) { \
    *info = 0; if (!asked(size, work)) *info = complex_eigen(*job, *n, a, *lda, w, v, *ldv); }                                 \
  NUMJIT_LAPACK_EXPORT void p##gelsd_(const int* m, const int* n, const int* k, T* a, const int* lda, T* b, const int* ldb, R* s, const R* rcond, int* rank, T* work, const int* size, R* real, int* whole, int* info) { \
    *info = 0; if (asked(size, work)) *real = R(*whole = 1); else *info = least_squares(*m, *n, *k, a, *lda, b, *ldb, s, *rcond, rank); }
NUMJIT_LAPACK_COMPLEX(std::complex<float>, float, c)
NUMJIT_LAPACK_COMPLEX(std::complex<double>, double, z)
}
// clang-format on
