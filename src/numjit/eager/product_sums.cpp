// Products of rows, chunk by chunk, each summed while it is in the cache.
#include <algorithm>

#include <numjit/eager/chunk_product.h>
#include <numjit/eager/internal.h>
#include <numjit/eager/product_sums.h>
#include <numjit/ops/loop_over.h>

namespace numjit::eager {

void sum_products(dtype_id type, const char* a, const char* b, std::int64_t rows, std::int64_t n, char* out, bool conjugated) {
  const ChunkProduct& product = ChunkProduct::of(type);
  const loop_fn conjugate =
      conjugated ? loops().ufunc[static_cast<int>(op_id::conjugate)][numjit::detail::loop_over(op_id::conjugate, type)] : nullptr;
  const std::int64_t item = size_of(type), chunks = (n + chunk_size - 1) / chunk_size;
  scratch partial(rows * chunks * item);
  numjit::detail::parallel_ranges(rows * chunks, std::max<std::int64_t>(1, 16 * chunk_size / std::min(n, chunk_size)),
                                  static_cast<double>(rows * n) * 0.4, [&](std::int64_t begin, std::int64_t end) {
    alignas(64) char conjugates[chunk_size * 16];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i / chunks * n + i % chunks * chunk_size,
                         length = std::min(chunk_size, n - i % chunks * chunk_size);
      const char* left = a + first * item;
      if (conjugate) {
        char* const data[] = {const_cast<char*>(left), conjugates};
        const std::int64_t steps[] = {item, item};
        conjugate(data, steps, length);
        left = conjugates;
      }
      product(left, item, b + first * item, item, length, partial.data() + i * item);
    }
  });
  // The sums of a row's chunks are summed by the same rule.
  product.sums().rows({partial.data(), item, chunks * item, chunks, rows}, out);
}

}  // namespace numjit::eager
