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
#include <memory>

#include "cblas.h"

#pragma clang diagnostic ignored "-Wpass-failed"  // without SIMD no loop becomes vectors

namespace {

template <class T>
struct tile {
  typedef T vector __attribute__((vector_size(16)));
  static constexpr int lanes = 16 / sizeof(T), rows = 4, vectors = 2, columns = vectors * lanes;
  vector sums[rows][vectors];

  // The next `depth` products; `a` and `b` are packed strips. Engines load before they compute: a larger tile, or several
  // products in a round, would not fit into their registers.
  void add(const T* a, const T* b, int depth) {
    for (int k = 0; k < depth; ++k, a += rows, b += columns) {
      vector right[vectors];
      for (int v = 0; v < vectors; ++v) std::memcpy(&right[v], b + v * lanes, 16);
      for (int r = 0; r < rows; ++r)
        for (int v = 0; v < vectors; ++v) sums[r][v] += a[r] * right[v];
    }
  }
  // To `c`, or added to it: its upper left part, where not all is there.
  void store(T* c, blasint ldc, int height, int width, bool adds) const {
    for (int r = 0; r < height; ++r, c += ldc) {
      if (width == columns) {
        for (int v = 0; v < vectors; ++v) {
          vector all = sums[r][v], before;
          std::memcpy(&before, c + v * lanes, 16);
          if (adds) all = before + all;
          std::memcpy(c + v * lanes, &all, 16);
        }
      } else {
        for (int x = 0; x < width; ++x) c[x] = adds ? c[x] + sums[r][x / lanes][x % lanes] : sums[r][x / lanes][x % lanes];
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
  const T* at(int i, int j) const { return p + i * row + j * column; }
};

template <class T>
view<T> view_of(CBLAS_TRANSPOSE t, const T* p, blasint leading) {
  return t == CblasNoTrans ? view<T>{p, leading, 1} : view<T>{p, 1, leading};
}

/// `count` lines of `depth` elements, `line` and `step` apart, in strips of `width` lines: of each strip the first elements
/// of all its lines, then the second ones. Lines that are not there are zeros.
template <int width, class T>
[[gnu::noinline]] void pack(const T* from, std::ptrdiff_t line, std::ptrdiff_t step, int count, int depth, T* to) {
  for (int i = 0; i < count; i += width, from += width * line) {
    const int there = std::min(width, count - i);
    if (there == width && line == 1) {
      for (int k = 0; k < depth; ++k, to += width) std::memcpy(to, from + k * step, width * sizeof(T));
    } else if (there == width) {
      for (int k = 0; k < depth; ++k, to += width)
        for (int l = 0; l < width; ++l) to[l] = from[l * line + k * step];
    } else {
      for (int k = 0; k < depth; ++k, to += width)
        for (int l = 0; l < width; ++l) to[l] = l < there ? from[l * line + k * step] : T(0);
    }
  }
}

/// y = A x of rows whose elements lie side by side: four rows at once, each in two vectors of sums.
template <class T>
[[gnu::noinline]] void row_products(const view<T>& a, const T* x, int m, int depth, T* y, blasint step) {
  using vector = typename tile<T>::vector;
  constexpr int lanes = tile<T>::lanes, rows = 4;
  for (int i = 0; i < m; i += rows) {
    const int there = std::min(rows, m - i);
    const T* row[rows];
    for (int r = 0; r < rows; ++r) row[r] = a.at(i + std::min(r, there - 1), 0);
    vector sums[rows][2] = {};
    int k = 0;
    for (; k + 2 * lanes <= depth; k += 2 * lanes) {
      vector x0, x1, v;
      std::memcpy(&x0, x + k, 16);
      std::memcpy(&x1, x + k + lanes, 16);
      for (int r = 0; r < rows; ++r) {
        std::memcpy(&v, row[r] + k, 16);
        sums[r][0] += v * x0;
        std::memcpy(&v, row[r] + k + lanes, 16);
        sums[r][1] += v * x1;
      }
    }
    for (int r = 0; r < there; ++r) {
      const vector all = sums[r][0] + sums[r][1];
      T sum = 0;
      for (int l = 0; l < lanes; ++l) sum += all[l];
      for (int rest = k; rest < depth; ++rest) sum += row[r][rest] * x[rest];
      y[static_cast<std::ptrdiff_t>(i + r) * step] = sum;
    }
  }
}

/// y = x A, of rows whose elements lie side by side: four rows at once are added to y.
template <class T>
[[gnu::noinline]] void column_products(const T* x, const view<T>& a, int n, int depth, T* y) {
  std::fill_n(y, n, T(0));
  int k = 0;
  for (; k + 4 <= depth; k += 4) {
    const T *r0 = a.at(k, 0), *r1 = a.at(k + 1, 0), *r2 = a.at(k + 2, 0), *r3 = a.at(k + 3, 0);
    const T x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
#pragma clang loop vectorize(assume_safety)
    for (int j = 0; j < n; ++j) y[j] = (((y[j] + x0 * r0[j]) + x1 * r1[j]) + x2 * r2[j]) + x3 * r3[j];
  }
  for (; k < depth; ++k) {
    const T* r = a.at(k, 0);
    const T x0 = x[k];
#pragma clang loop vectorize(assume_safety)
    for (int j = 0; j < n; ++j) y[j] += x0 * r[j];
  }
}

/// Elements side by side: those of `p`, or copies in `room`.
template <class T>
const T* in_order(const T* p, std::ptrdiff_t step, int count, std::unique_ptr<T[]>& room) {
  if (step == 1) return p;
  room = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) room[static_cast<std::size_t>(i)] = p[i * step];
  return room.get();
}

/// A matrix times a column, or a row times a matrix, where the matrix is read in order. False: it is something else.
template <class T>
bool product_with_vector(const view<T>& a, const view<T>& b, int m, int n, int depth, T* c, blasint ldc) {
  std::unique_ptr<T[]> room;
  if (n == 1 && a.column == 1) row_products(a, in_order(b.p, b.row, depth, room), m, depth, c, ldc);
  else if (n == 1 && a.row == 1 && ldc == 1) column_products(in_order(b.p, b.row, depth, room), view<T>{a.p, a.column, 1}, m, depth, c);
  else if (m == 1 && b.column == 1) column_products(in_order(a.p, a.column, depth, room), b, n, depth, c);
  else if (m == 1 && b.row == 1) row_products(view<T>{b.p, b.column, 1}, in_order(a.p, a.column, depth, room), n, depth, c, 1);
  else return false;
  return true;
}

template <class T>
void product(const view<T>& a, const view<T>& b, int m, int n, int depth, T* c, blasint ldc) {
  if (product_with_vector(a, b, m, n, depth, c, ldc)) return;
  using tile = ::tile<T>;
  const auto up = [](int n, int width) { return static_cast<std::size_t>((n + width - 1) / width * width); };
  const auto most = static_cast<std::size_t>(std::min(depth, depth_block));
  const auto packed_b = std::make_unique_for_overwrite<T[]>(up(n, tile::columns) * most);
  const auto packed_a = std::make_unique_for_overwrite<T[]>(up(std::min(m, row_block), tile::rows) * most);
  for (int k = 0; k < depth; k += depth_block) {
    const int count = std::min(depth_block, depth - k);
    pack<tile::columns>(b.at(k, 0), b.column, b.row, n, count, packed_b.get());
    for (int i = 0; i < m; i += row_block) {
      const int block = std::min(row_block, m - i);
      pack<tile::rows>(a.at(i, k), a.row, a.column, block, count, packed_a.get());
      for (int j = 0; j < n; j += tile::columns) {
        const T* strip_b = packed_b.get() + static_cast<std::ptrdiff_t>(j) * count;
        for (int r = 0; r < block; r += tile::rows) {
          tile t{};
          t.add(packed_a.get() + static_cast<std::ptrdiff_t>(r) * count, strip_b, count);
          t.store(c + static_cast<std::ptrdiff_t>(i + r) * ldc + j, ldc, std::min<int>(tile::rows, block - r), std::min<int>(tile::columns, n - j), k > 0);
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
      const std::complex<T> x = *a.at(i, k);
      for (int j = 0; j < n; ++j) {
        const std::complex<T> y = *b.at(k, j);
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
