// Matrix products: BLAS for float32, float64 and complex; plain loops for the other dtypes. A product
// of two vectors is a canonical sum of products (docs/numerics.md), the same bits everywhere.
#include <algorithm>
#include <optional>

#include <numjit/eager/blas.h>
#include <numjit/eager/chunk_product.h>
#include <numjit/eager/internal.h>
#include <numjit/eager/split_product.h>
#include <numjit/ops/loop_over.h>

namespace numjit::eager {
namespace {

/// Blocks are worth their own packing from here on, in multiplications.
constexpr double block_work = 1 << 19;
/// Up to here, threads share out whole products of a stack, if there are several.
constexpr double whole_work = 1 << 21;

/// Rows and columns of the blocks that a product is computed in. From its shape alone, so that the number of threads
/// changes no bit.
struct block_shape {
  std::int64_t rows, columns;
};
block_shape blocks_of(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  auto quarter = [](std::int64_t n, std::int64_t least, std::int64_t most) {
    return std::clamp((n / 4 + 15) / 16 * 16, least, most);
  };
  block_shape block{std::min(quarter(rows, columns <= 384 ? 64 : 128, 512), rows),
                    columns <= 384 ? columns : std::min(quarter(columns, 256, 512), columns)};
  auto small = [&] { return work_of(block.rows, block.columns, depth) < block_work; };
  while (small() && block.rows < rows) block.rows *= 2;
  while (small() && block.columns < columns) block.columns *= 2;
  return block;
}

/// Row-by-row product for dtypes BLAS lacks; bool is "any of the ands", float16 sums in float32.
template <class T>
void plain_product(const matrix& a, const matrix& b, const matrix& c) {
  using Acc = std::conditional_t<
      std::is_same_v<T, half>, float,
      std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, std::uint64_t, T>>;
  auto at = [](const matrix& m, std::int64_t i, std::int64_t j) -> T& {
    return *reinterpret_cast<T*>(m.data + i * m.row + j * m.column);
  };
  const std::int64_t depth = a.columns;
  numjit::detail::parallel_ranges(
      c.rows, 1, static_cast<double>(c.rows) * static_cast<double>(c.columns * depth),
      [&](std::int64_t begin, std::int64_t end) {
        scratch memory(std::max<std::int64_t>(1, c.columns) * static_cast<std::int64_t>(sizeof(Acc)));
        Acc* row = memory.as<Acc>();
        for (std::int64_t i = begin; i < end; ++i) {
          for (std::int64_t j = 0; j < c.columns; ++j) row[j] = Acc(0);
          for (std::int64_t k = 0; k < depth; ++k) {
            const Acc left = static_cast<Acc>(at(a, i, k));
            for (std::int64_t j = 0; j < c.columns; ++j) {
              const Acc right = static_cast<Acc>(at(b, k, j));
              if constexpr (std::is_same_v<T, bool>) row[j] = row[j] | (left & right);
              else row[j] += left * right;
            }
          }
          for (std::int64_t j = 0; j < c.columns; ++j) at(c, i, j) = static_cast<T>(row[j]);
        }
      });
}

/// BLAS is up to four times as fast with a small right operand that is not transposed, which more rows than these pay for.
constexpr std::int64_t small_right = 1 << 12, rows_for_a_copy = 32;

/// A matrix copied to C order.
matrix packed(const matrix& m, dtype_id type, std::optional<scratch>& memory) {
  const std::int64_t itemsize = size_of(type);
  memory.emplace(m.rows * m.columns * itemsize);
  layout_view from(m.data, type, dims{m.rows, m.columns});
  from.strides = dims{m.row, m.column};
  copy_elements(from, layout_view(memory->data(), type, from.shape));
  return {memory->data(), m.rows, m.columns, m.columns * itemsize, itemsize};
}

/// Elements of a matrix that BLAS multiplies with a column on one thread.
constexpr std::int64_t serial_elements = 1 << 13;

/// A matrix times a column: y, contiguous. In blocks of rows that follow from the shape alone, so that the number of
/// threads changes no bit. False if BLAS can't read an operand where it is.
bool multiply_vector(dtype_id type, const matrix& a, const matrix& x, char* y) {
  const std::int64_t itemsize = size_of(type);
  blas_matrix ta;
  blasint step = 0;
  if (!as_blas_vector(x, itemsize, step) || !as_blas(a, itemsize, ta)) return false;
  if (a.rows * a.columns <= serial_elements) {
    gemv(type, ta, a, x.data, step, y);
    return true;
  }
  const std::int64_t block = std::max<std::int64_t>(64, ((1 << 16) / std::max<std::int64_t>(a.columns, 1) + 15) / 16 * 16);
  const double ns = 0.15 * static_cast<double>(a.rows) * static_cast<double>(a.columns);
  const SerialBlas serial;
  numjit::detail::parallel_plain_ranges((a.rows + block - 1) / block, 1, ns, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      matrix rows = a;
      rows.data += i * block * a.row;
      rows.rows = std::min(block, a.rows - i * block);
      gemv(type, ta, rows, x.data, step, y + i * block * itemsize);
    }
  });
  return true;
}

bool is_blas_type(dtype_id type) { return type == dtype_id::float32 || type == dtype_id::float64 || kind_of(type) == 'c'; }

void multiply(dtype_id type, const matrix& a, const matrix& b, const matrix& c) {
  if (!is_blas_type(type)) {
    visit_dtype(type, [&]<class T>() {
      if constexpr (std::is_integral_v<T> || std::is_same_v<T, half>) plain_product<T>(a, b, c);
    });
    return;
  }
  if (!fits_blas(a.rows) || !fits_blas(a.columns) || !fits_blas(b.columns))
    throw ValueError("matmul", "too many dimensions for BLAS: got a length above 2^31-1");
#ifndef __EMSCRIPTEN__  // one pass of blocks is what pages have
  if (split_product(type, a, b, c)) return;
#endif
  if (c.columns == 1 && c.rows > 1 && multiply_vector(type, a, b, c.data)) return;
  if (c.rows == 1 && c.columns > 1 && multiply_vector(type, transposed(b), transposed(a), c.data)) return;
  std::optional<scratch> a_memory, b_memory;
  matrix left = a, right = b;
  blas_matrix ta, tb;
  if (!as_blas(left, size_of(type), ta)) left = packed(a, type, a_memory), as_blas(left, size_of(type), ta);
  if (!as_blas(right, size_of(type), tb) ||
      (tb.transpose == CblasTrans && c.rows >= rows_for_a_copy && right.rows * right.columns <= small_right))
    right = packed(b, type, b_memory), as_blas(right, size_of(type), tb);
  const double work = work_of(c.rows, c.columns, a.columns);
  const auto ldc = static_cast<blasint>(c.columns);
  if (work <= serial_work) return gemm(type, ta, left, tb, right, c, ldc);
  const block_shape block = blocks_of(c.rows, c.columns, a.columns);
  const std::int64_t down = (c.rows + block.rows - 1) / block.rows,
                     across = (c.columns + block.columns - 1) / block.columns;
  const SerialBlas serial;
  numjit::detail::parallel_plain_ranges(down * across, 1, 0.02 * work, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = i / across * block.rows, column = i % across * block.columns;
      matrix l = left, r = right, part = c;
      l.data += row * l.row;
      r.data += column * r.column;
      part.data += row * c.row + column * c.column;
      l.rows = part.rows = std::min(block.rows, c.rows - row);
      r.columns = part.columns = std::min(block.columns, c.columns - column);
      gemm(type, ta, l, tb, r, part, ldc);
    }
  });
}

/// One run of elements as a node.
void describe(node& v, dtype_id type, char* data, std::int64_t size) {
  v.type = type;
  v.data = data;
  v.size = size;
  v.rank = 1;
  v.shape[0] = size;
  v.strides[0] = size_of(type);
  v.flags = node::c_contiguous | node::f_contiguous;
}

/// sum(x * y) in the canonical order: the sums of chunks are summed by the same rule.
void vector_product(const layout_view& x, const layout_view& y, char* out) {
  const dtype_id type = x.type;
  const ChunkProduct& product = ChunkProduct::of(type);
  const dtype_id accumulator = product.accumulator();
  const std::int64_t n = x.shape[0], chunks = (n + chunk_size - 1) / chunk_size, sum_size = size_of(accumulator);
  scratch sums(std::max<std::int64_t>(1, chunks) * sum_size);
  numjit::detail::parallel_ranges(chunks, 16, 0.6 * static_cast<double>(n), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i * chunk_size, count = std::min(chunk_size, n - first);
      product(x.data + first * x.strides[0], x.strides[0], y.data + first * y.strides[0], y.strides[0], count,
              sums.data() + i * sum_size);
    }
  });
  if (chunks == 1)  // the sum of one number
    return copy_elements(layout_view(sums.data(), accumulator, dims()), layout_view(out, type, dims()));
  node partial, result;
  describe(partial, accumulator, sums.data(), chunks);
  describe(result, type, out, 1);
  result.rank = 0;
  inference inferred;
  inferred.loop = numjit::detail::first_loop_from(product.reduction(), accumulator);
  inferred.type = type;
  run_reduction(product.reduction(), inferred, &partial, op_call::no_params(), &result, nullptr);
}

/// The input in the product's dtype.
layout_view typed(const node* n, dtype_id type, std::optional<scratch>& memory) {
  layout_view v(n);
  if (v.type == type) return v;
  memory.emplace(std::max<std::int64_t>(1, v.size()) * size_of(type));
  layout_view copy(memory->data(), type, v.shape);
  copy_elements(v, copy);
  return copy;
}

/// Makes one axis of those before the last two. False: their elements do not lie at even distances.
bool merge_batch(layout_view& v) {
  while (v.shape.size() > 3) {
    const int last = v.shape.size() - 3;
    if (v.strides[last - 1] != v.strides[last] * v.shape[last]) return false;
    v.shape[last] *= v.shape[last - 1];
    v.shape.erase(last - 1), v.strides.erase(last - 1);
  }
  return true;
}
layout_view columns_as_rows(layout_view columns) {
  columns.shape.resize(2), columns.strides.resize(2);
  return columns;
}
layout_view transposed(layout_view v) {
  std::swap(v.shape[0], v.shape[1]);
  std::swap(v.strides[0], v.strides[1]);
  return v;
}

/// Products of stacks of matrices, the results one after the other from `to` on.
void matrix_products(dtype_id type, layout_view a, layout_view b, char* to) {
  const std::int64_t itemsize = size_of(type);
  if (a.shape.size() == 1) a.shape.insert(0, 1), a.strides.insert(0, 0);
  if (b.shape.size() == 1) b.shape.push_back(1), b.strides.push_back(0);
  // A stack of matrices times one matrix is one tall matrix times it.
  while (b.shape.size() == 2 && a.shape.size() > 2 &&
         a.strides[a.shape.size() - 3] == a.strides[a.shape.size() - 2] * a.shape[a.shape.size() - 2]) {
    const int last = a.shape.size() - 2;
    a.shape[last] *= a.shape[last - 1];
    a.shape.erase(last - 1), a.strides.erase(last - 1);
  }
  // One matrix times a stack of columns is one tall matrix, of these as rows, times the transposed one.
  if (a.shape.size() == 2 && b.shape.size() > 2 && b.shape[b.shape.size() - 1] == 1 && merge_batch(b))
    return matrix_products(type, columns_as_rows(b), transposed(a), to);
  const int ra = a.shape.size(), rb = b.shape.size();
  const std::int64_t m = a.shape[ra - 2], k = a.shape[ra - 1], n = b.shape[rb - 1];
  layout_view batch_a = a, batch_b = b;
  batch_a.shape.resize(ra - 2), batch_a.strides.resize(ra - 2);
  batch_b.shape.resize(rb - 2), batch_b.strides.resize(rb - 2);
  const dims shapes[2] = {batch_a.shape, batch_b.shape};
  const dims batch = broadcast_shapes("matmul", shapes);
  const dims sa = broadcast_strides(batch_a, batch), sb = broadcast_strides(batch_b, batch);
  const std::int64_t count = element_count(batch);
#ifdef __EMSCRIPTEN__
  if (is_blas_type(type) && work_of(m, n, k) >= 1 << 13)
    numjit_prepare_products(static_cast<std::size_t>(itemsize) >> (kind_of(type) == 'c'));
#endif
  auto product_of = [&](std::int64_t i) {
    std::int64_t rest = i, offset_a = 0, offset_b = 0;
    for (int d = batch.size() - 1; d >= 0; --d) {
      offset_a += rest % batch[d] * sa[d];
      offset_b += rest % batch[d] * sb[d];
      rest /= batch[d];
    }
    const matrix left{a.data + offset_a, m, k, a.strides[ra - 2], a.strides[ra - 1]};
    const matrix right{b.data + offset_b, k, n, b.strides[rb - 2], b.strides[rb - 1]};
    const matrix product{to + i * m * n * itemsize, m, n, n * itemsize, itemsize};
    if (k == 0)
      std::memset(product.data, 0, static_cast<std::size_t>(m * n * itemsize));
    else
      multiply(type, left, right, product);
  };
  const double work = work_of(m, n, k);
  const block_shape block = blocks_of(m, n, k);
  if (count > 1 && (work <= whole_work || (block.rows >= m && block.columns >= n))) {
    // Matrices that BLAS reads where they lie: nothing is copied by loops that belong to a thread.
    blas_matrix seen;
    const bool plain = is_blas_type(type) && as_blas({a.data, m, k, a.strides[ra - 2], a.strides[ra - 1]}, itemsize, seen) &&
                       as_blas({b.data, k, n, b.strides[rb - 2], b.strides[rb - 1]}, itemsize, seen);
    const double ns = static_cast<double>(count) * (50 + 0.1 * work);
    const auto products = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) product_of(i);
    };
    if (plain)
      numjit::detail::parallel_plain_ranges(count, 1, ns, products);
    else
      numjit::detail::parallel_ranges(count, 1, ns, products);
  } else {
    for (std::int64_t i = 0; i < count; ++i) product_of(i);
  }
}

}  // namespace

void run_matmul(const structural_call& c) {
  const dtype_id type = c.inferred.in_type[0];
  const std::int64_t itemsize = size_of(type);
  if (c.result->size == 0) return;
  std::optional<scratch> a_memory, b_memory;
  layout_view a = typed(c.in[0], type, a_memory), b = typed(c.in[1], type, b_memory);
  // The result is computed into contiguous memory of the product's dtype.
  layout_view out(c.result);
  const bool direct = out.type == type && out.contiguous() &&
                      !numjit::detail::may_overlap(c.in[0], c.result) &&
                      !numjit::detail::may_overlap(c.in[1], c.result);
  scratch memory(direct ? 1 : out.size() * itemsize);
  char* to = direct ? out.data : memory.data();
  if (a.shape.size() == 1 && b.shape.size() == 1)
    vector_product(a, b, to);
  else
    matrix_products(type, a, b, to);
  if (!direct) copy_elements(layout_view(to, type, out.shape), out);
}

}  // namespace numjit::eager
