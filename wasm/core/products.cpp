// Matrix products without BLAS: c = a b, row-major. Blocks of both matrices are packed so that the innermost
// kernel reads them in order, and keeps 4 rows by two registers of the product (Goto and van de Geijn 2008).
//
//   for each 256 of the depth            a panel of b: packed in strips of two registers
//     for each 64 rows                   a block of a: packed in strips of 4 rows
//       for each strip of b, strip of a  4 x 2 registers += a's column times b's row
//
// alpha is 1 and beta 0 in all calls of the core.
#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "cblas.h"

namespace {

template <class T>
struct tile {
  typedef T vector __attribute__((vector_size(16)));
  static constexpr int lanes = 16 / sizeof(T), rows = 4, columns = 2 * lanes;
  vector sums[rows][2];

  // The next `depth` products; `a` and `b` are packed strips.
  void add(const T* a, const T* b, int depth) {
    for (int k = 0; k < depth; ++k, a += rows, b += columns) {
      vector left, right;
      std::memcpy(&left, b, 16);
      std::memcpy(&right, b + lanes, 16);
      for (int r = 0; r < rows; ++r) {
        sums[r][0] += a[r] * left;
        sums[r][1] += a[r] * right;
      }
    }
  }
};

constexpr int depth_block = 256, row_block = 64;

/// Element (i, j) lies at p[i * row + j * column].
template <class T>
struct view {
  const T* p;
  std::ptrdiff_t row, column;
  T operator()(int i, int j) const { return p[i * row + j * column]; }
};

template <class T>
view<T> view_of(CBLAS_TRANSPOSE t, const T* p, blasint leading) {
  return t == CblasNoTrans ? view<T>{p, leading, 1} : view<T>{p, 1, leading};
}

template <class T>
void pack_b(const view<T>& b, int k0, int depth, int n, T* to) {
  constexpr int width = tile<T>::columns;
  for (int j = 0; j < n; j += width)
    for (int k = 0; k < depth; ++k)
      for (int l = 0; l < width; ++l) *to++ = j + l < n ? b(k0 + k, j + l) : T(0);
}

template <class T>
void pack_a(const view<T>& a, int i0, int count, int k0, int depth, T* to) {
  constexpr int height = tile<T>::rows;
  for (int i = 0; i < count; i += height)
    for (int k = 0; k < depth; ++k)
      for (int l = 0; l < height; ++l) *to++ = i + l < count ? a(i0 + i + l, k0 + k) : T(0);
}

template <class T>
void product(const view<T>& a, const view<T>& b, int m, int n, int depth, T* c, blasint ldc) {
  using tile = ::tile<T>;
  const int strips = (n + tile::columns - 1) / tile::columns;
  std::vector<T> packed_b(static_cast<std::size_t>(strips) * tile::columns * depth_block);
  std::vector<T> packed_a(static_cast<std::size_t>(row_block) * depth_block);
  for (int k = 0; k < depth; k += depth_block) {
    const int count = std::min(depth_block, depth - k);
    pack_b(b, k, count, n, packed_b.data());
    for (int i = 0; i < m; i += row_block) {
      const int block = std::min(row_block, m - i);
      pack_a(a, i, block, k, count, packed_a.data());
      for (int j = 0; j < n; j += tile::columns) {
        const T* strip_b = packed_b.data() + static_cast<std::ptrdiff_t>(j) * count;
        const int width = std::min<int>(tile::columns, n - j);
        for (int r = 0; r < block; r += tile::rows) {
          tile t{};
          t.add(packed_a.data() + static_cast<std::ptrdiff_t>(r) * count, strip_b, count);
          for (int l = 0; l < std::min<int>(tile::rows, block - r); ++l) {
            T row[tile::columns];
            std::memcpy(row, t.sums[l], sizeof row);
            T* to = c + static_cast<std::ptrdiff_t>(i + r + l) * ldc + j;
            for (int x = 0; x < width; ++x) to[x] = k == 0 ? row[x] : to[x] + row[x];
          }
        }
      }
    }
  }
}

/// Complex matrices, row by row.
template <class T>
void complex_product(const view<std::complex<T>>& a, const view<std::complex<T>>& b, int m, int n, int depth,
                     std::complex<T>* c, blasint ldc) {
  for (int i = 0; i < m; ++i) {
    std::complex<T>* row = c + static_cast<std::ptrdiff_t>(i) * ldc;
    std::fill_n(row, n, std::complex<T>());
    for (int k = 0; k < depth; ++k) {
      const std::complex<T> x = a(i, k);
      for (int j = 0; j < n; ++j) {
        const std::complex<T> y = b(k, j);
        row[j] += std::complex<T>(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
      }
    }
  }
}

}  // namespace

extern "C" {

void cblas_sgemm(CBLAS_ORDER, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n, blasint k, float,
                 const float* a, blasint lda, const float* b, blasint ldb, float, float* c, blasint ldc) {
  product(view_of(ta, a, lda), view_of(tb, b, ldb), m, n, k, c, ldc);
}
void cblas_dgemm(CBLAS_ORDER, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n, blasint k, double,
                 const double* a, blasint lda, const double* b, blasint ldb, double, double* c, blasint ldc) {
  product(view_of(ta, a, lda), view_of(tb, b, ldb), m, n, k, c, ldc);
}
void cblas_cgemm(CBLAS_ORDER, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n, blasint k, const void*,
                 const void* a, blasint lda, const void* b, blasint ldb, const void*, void* c, blasint ldc) {
  using T = std::complex<float>;
  complex_product(view_of(ta, static_cast<const T*>(a), lda), view_of(tb, static_cast<const T*>(b), ldb), m, n, k,
                  static_cast<T*>(c), ldc);
}
void cblas_zgemm(CBLAS_ORDER, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, blasint m, blasint n, blasint k, const void*,
                 const void* a, blasint lda, const void* b, blasint ldb, const void*, void* c, blasint ldc) {
  using T = std::complex<double>;
  complex_product(view_of(ta, static_cast<const T*>(a), lda), view_of(tb, static_cast<const T*>(b), ldb), m, n, k,
                  static_cast<T*>(c), ldc);
}

}
