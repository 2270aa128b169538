// Matrix products without BLAS: c = a b, row-major.
//
//   for each 256 of the depth
//     for each 128 rows
//       for each strip of b              two registers wide; copied, where its rows would not stay in the first cache
//         for each 4 rows of a           where they lie, by their strides
//           4 x 2 registers += a's column times b's row
//
// alpha is 1 and beta 0 in all calls of the core.
#include <algorithm>
#include <complex>
#include <cstring>
#include <memory>

#include "cblas.h"
#include "product_strip.h"

namespace {

using numjit::wasm_gen::ProductStrip;

#ifdef __wasm_simd128__
template <class T>
struct registers {
  typedef T vector __attribute__((vector_size(16)));
};
#else
template <class T>
struct registers {
  typedef T vector;
};
#endif

template <class T>
struct tile {
  using vector = typename registers<T>::vector;
  static constexpr int size = sizeof(T), bytes = sizeof(vector), lanes = bytes / size;
  static constexpr int rows = 4, vectors = 2, columns = vectors * lanes;
};

template <class V>
V load(const void* p) {
  V v;
  std::memcpy(&v, p, sizeof(V));
  return v;
}

/// The strip of this machine's compiler. A function of its own: as a part of a larger one, engines keep its sums in memory.
template <class T>
[[gnu::noinline]] int compiled_strip(const void* a, int a_row, int a_step, const void* b, int b_step, void* c, int c_row,
                                     int depth, int tiles, int adds) {
  using tile = ::tile<T>;
  using vector = typename tile::vector;
  const char* first = static_cast<const char*>(a);
  char* to = static_cast<char*>(c);
  for (; tiles > 0; --tiles, first += a_row * tile::rows) {
    vector sums[tile::rows][tile::vectors] = {};
    const char *p0 = first, *p1 = p0 + a_row, *p2 = p1 + a_row, *p3 = p2 + a_row, *q = static_cast<const char*>(b);
    for (int k = depth; k > 0; --k, p0 += a_step, p1 += a_step, p2 += a_step, p3 += a_step, q += b_step) {
      const vector left = load<vector>(q), right = load<vector>(q + tile::bytes);
      const auto add = [&](vector (&row)[tile::vectors], const char* p) {
        const T x = load<T>(p);
        row[0] += x * left;
        row[1] += x * right;
      };
      add(sums[0], p0);
      add(sums[1], p1);
      add(sums[2], p2);
      add(sums[3], p3);
    }
    for (int r = 0; r < tile::rows; ++r, to += c_row) {
      for (int v = 0; v < tile::vectors; ++v) {
        vector all = sums[r][v];
        if (adds) all = load<vector>(to + v * tile::bytes) + all;
        std::memcpy(to + v * tile::bytes, &all, sizeof(vector));
      }
    }
  }
  return 0;
}

constexpr int depth_block = 256, row_block = 128;
/// So many bytes stay in the first cache beside what else a strip needs.
constexpr std::ptrdiff_t cached = 1 << 15;

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
      const vector x0 = load<vector>(x + k), x1 = load<vector>(x + k + lanes);
      for (int r = 0; r < rows; ++r) {
        sums[r][0] += load<vector>(row[r] + k) * x0;
        sums[r][1] += load<vector>(row[r] + k + lanes) * x1;
      }
    }
    for (int r = 0; r < there; ++r) {
      const vector all = sums[r][0] + sums[r][1];
      T each[lanes], sum = 0;
      std::memcpy(each, &all, sizeof all);
      for (T one : each) sum += one;
      for (int rest = k; rest < depth; ++rest) sum += row[r][rest] * x[rest];
      y[static_cast<std::ptrdiff_t>(i + r) * step] = sum;
    }
  }
}

/// y = x A, of rows whose elements lie side by side: four rows at once are added to y.
template <class T>
[[gnu::noinline]] void column_products(const T* x, const view<T>& a, int n, int depth, T* y) {
  using vector = typename tile<T>::vector;
  constexpr int lanes = tile<T>::lanes;
  std::fill_n(y, n, T(0));
  int k = 0;
  for (; k + 4 <= depth; k += 4) {
    const T *r0 = a.at(k, 0), *r1 = a.at(k + 1, 0), *r2 = a.at(k + 2, 0), *r3 = a.at(k + 3, 0);
    const T x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
    int j = 0;
    for (; j + lanes <= n; j += lanes) {
      vector all = load<vector>(y + j);
      all += x0 * load<vector>(r0 + j);
      all += x1 * load<vector>(r1 + j);
      all += x2 * load<vector>(r2 + j);
      all += x3 * load<vector>(r3 + j);
      std::memcpy(y + j, &all, sizeof all);
    }
    for (; j < n; ++j) y[j] = (((y[j] + x0 * r0[j]) + x1 * r1[j]) + x2 * r2[j]) + x3 * r3[j];
  }
  for (; k < depth; ++k) {
    const T* r = a.at(k, 0);
    for (int j = 0; j < n; ++j) y[j] += x[k] * r[j];
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
  else if (n == 1 && a.row == 1 && ldc == 1)
    column_products(in_order(b.p, b.row, depth, room), view<T>{a.p, a.column, 1}, m, depth, c);
  else if (m == 1 && b.column == 1) column_products(in_order(a.p, a.column, depth, room), b, n, depth, c);
  else if (m == 1 && b.row == 1) row_products(view<T>{b.p, b.column, 1}, in_order(a.p, a.column, depth, room), n, depth, c, 1);
  else return false;
  return true;
}

/// What stands on the left: rows that strips read where they lie.
template <class T>
struct LeftSide {
  view<T> a;

  bool fits(int count) const { return a.row != 1 || a.column * count * tile<T>::size <= cached; }
  /// `rows` lines from (i, k) on, in strips of four: of each the first elements of its lines, then the second ones. Lines
  /// that are not there are zeros.
  void pack(int i, int k, int lines, int count, T* to) const {
    constexpr int rows = tile<T>::rows;
    for (int end = i + lines; i < end; i += rows) {
      const int there = std::min(rows, end - i);
      const T* from = a.at(i, k);
      for (int step = 0; step < count; ++step, from += a.column, to += rows)
        for (int r = 0; r < rows; ++r) to[r] = r < there ? from[r * a.row] : T(0);
    }
  }
};

/// The same of complex numbers, seen as rows of twice as many real ones.
template <class T>
struct ComplexLeftSide {
  view<std::complex<T>> c;
  view<T> a{reinterpret_cast<const T*>(c.p), 2 * c.row, 1};

  bool fits(int) const { return c.column == 1; }
  void pack(int i, int k, int lines, int count, T* to) const {
    constexpr int rows = tile<T>::rows;
    for (int end = i + lines; i < end; i += rows) {
      const int there = std::min(rows, end - i);
      for (int step = 0; step < count; step += 2, to += 2 * rows)
        for (int r = 0; r < rows; ++r) {
          const std::complex<T> x = r < there ? *c.at(i + r, (k + step) / 2) : std::complex<T>();
          to[r] = x.real();
          to[rows + r] = x.imag();
        }
    }
  }
};

/// What stands on the right: rows of which a strip takes two registers.
template <class T>
struct RightSide {
  view<T> b;

  bool in_place() const { return b.column == 1; }
  /// `width` columns from (k, j) on, and zeros up to two registers.
  void pack(int k, int j, int count, int width, T* to) const {
    constexpr int columns = tile<T>::columns;
    const T* from = b.at(k, j);
    if (width == columns && b.column == 1) {
      for (int step = 0; step < count; ++step, from += b.row, to += columns) std::memcpy(to, from, columns * sizeof(T));
      return;
    }
    for (int step = 0; step < count; ++step, from += b.row, to += columns)
      for (int l = 0; l < columns; ++l) to[l] = l < width ? from[l * b.column] : T(0);
  }
};

/// The same of complex numbers: (re, im) of a row are multiplied by real parts, and (-im, re), the row below, by imaginary ones.
template <class T>
struct ComplexRightSide {
  view<std::complex<T>> c;
  view<T> b{};

  bool in_place() const { return false; }
  void pack(int k, int j, int count, int width, T* to) const {
    constexpr int columns = tile<T>::columns;
    for (int step = 0; step < count; step += 2, to += 2 * columns)
      for (int l = 0; l < columns; l += 2) {
        const std::complex<T> y = l < width ? *c.at((k + step) / 2, (j + l) / 2) : std::complex<T>();
        to[l] = to[columns + l + 1] = y.real();
        to[l + 1] = y.imag();
        to[columns + l] = -y.imag();
      }
  }
};

/// A product of real numbers, all sizes counted in them.
template <class T, class Left, class Right>
class Product {
 public:
  Product(const Left& left, const Right& right, int m, int n, int depth, T* c, blasint ldc)
      : left_(left), right_(right), m_(m), n_(n), depth_(depth), c_(c), ldc_(ldc), strip_(strip_for(m, n, depth)) {}

  void run() {
    // Rows of b that one strip reads once or twice are not worth a copy.
    const int most = std::min(depth_, depth_block);
    direct_ = right_.in_place() && (right_.b.row * most * tile::size <= cached || m_ <= 2 * tile::rows);
    if (!left_.fits(most)) packed_ = std::make_unique_for_overwrite<T[]>(std::size_t{row_block} * static_cast<std::size_t>(most));
    for (k_ = 0; k_ < depth_; k_ += depth_block) {
      count_ = std::min(depth_block, depth_ - k_);
      for (int i = 0; i < m_; i += row_block) rows(i, std::min(row_block, m_ - i));
    }
  }

 private:
  using tile = ::tile<T>;

  static ProductStrip strip_for(int m, int n, int depth) {
    const ProductStrip fused = numjit::wasm_gen::fused_strip(sizeof(T), m, n, depth);
    return fused ? fused : compiled_strip<T>;
  }

  /// All of c in these rows, of this part of the depth.
  void rows(int i, int count) {
    const int whole = count / tile::rows * tile::rows;
    if (whole < count) left_.pack(i + whole, k_, count - whole, count_, last_rows_);
    if (packed_ && whole > 0) left_.pack(i, k_, whole, count_, packed_.get());
    for (int j = 0; j < n_; j += tile::columns) {
      const int width = std::min<int>(tile::columns, n_ - j);
      const T* b = right_strip_;
      int step = tile::columns * tile::size;
      if (direct_ && width == tile::columns) b = right_.b.at(k_, j), step = static_cast<int>(right_.b.row) * tile::size;
      else right_.pack(k_, j, count_, width, right_strip_);
      if (packed_) {
        for (int r = 0; r < whole; r += tile::rows)
          multiply(packed_.get() + r * count_, tile::size, tile::rows * tile::size, tile::rows, b, step, i + r, j, width);
      } else if (whole > 0) {
        multiply(left_.a.at(i, k_), static_cast<int>(left_.a.row) * tile::size, static_cast<int>(left_.a.column) * tile::size,
                 whole, b, step, i, j, width);
      }
      if (whole < count) multiply(last_rows_, tile::size, tile::rows * tile::size, count - whole, b, step, i + whole, j, width);
    }
  }

  /// `count` rows of c from (i, j) on. What is not four rows by two registers goes through a tile that is.
  void multiply(const T* a, int a_row, int a_step, int count, const T* b, int b_step, int i, int j, int width) {
    T* to = c_ + static_cast<std::ptrdiff_t>(i) * ldc_ + j;
    const int tiles = (count + tile::rows - 1) / tile::rows;
    if (width == tile::columns && count % tile::rows == 0) {
      strip_(a, a_row, a_step, b, b_step, to, ldc_ * tile::size, count_, tiles, k_ > 0);
      return;
    }
    strip_(a, a_row, a_step, b, b_step, corner_, tile::columns * tile::size, count_, tiles, 0);
    const T* from = corner_;
    for (int r = 0; r < count; ++r, from += tile::columns, to += ldc_)
      for (int l = 0; l < width; ++l) to[l] = k_ > 0 ? to[l] + from[l] : from[l];
  }

  Left left_;
  Right right_;
  int m_, n_, depth_;
  T* c_;
  blasint ldc_;
  ProductStrip strip_;
  bool direct_ = false;
  int k_ = 0, count_ = 0;
  std::unique_ptr<T[]> packed_{};
  alignas(16) T right_strip_[depth_block * tile::columns];
  alignas(16) T last_rows_[depth_block * tile::rows];
  alignas(16) T corner_[row_block * tile::columns];
};

template <class T>
void product(const view<T>& a, const view<T>& b, int m, int n, int depth, T* c, blasint ldc) {
  if (product_with_vector(a, b, m, n, depth, c, ldc)) return;
  Product<T, LeftSide<T>, RightSide<T>>({a}, {b}, m, n, depth, c, ldc).run();
}

template <class T>
void complex_product(const view<std::complex<T>>& a, const view<std::complex<T>>& b, int m, int n, int depth,
                     std::complex<T>* c, blasint ldc) {
  Product<T, ComplexLeftSide<T>, ComplexRightSide<T>>({a}, {b}, m, 2 * n, 2 * depth, reinterpret_cast<T*>(c), 2 * ldc).run();
}

}  // namespace

extern "C" {

void numjit_prepare_products(size_t bytes) { numjit::wasm_gen::prepare_fused_strip(bytes); }

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
