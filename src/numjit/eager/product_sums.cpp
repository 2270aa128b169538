// Products of rows, chunk by chunk, each summed while it is in the cache.
#include <algorithm>

#include <numjit/eager/internal.h>
#include <numjit/eager/product_sums.h>
#include <numjit/ops/ufunc_routine.h>

namespace numjit::eager {

void sum_products(dtype_id type, const char* a, const char* b, std::int64_t rows, std::int64_t n, char* out, bool conjugated) {
  const auto loop_of = [type](op_id op) { return loops().ufunc[static_cast<int>(op)][numjit::detail::loop_over(op, type)]; };
  const loop_fn multiply = loop_of(op_id::multiply), conjugate = conjugated ? loop_of(op_id::conjugate) : nullptr;
  const reduce_kernels* sum = nullptr;
  for (int l = 0; !sum; ++l)
    if (const op_loop& loop = info(op_id::sum).loops[static_cast<std::size_t>(l)]; loop.in[0] == type && loop.out == type)
      sum = &loops().reduction(op_id::sum, l);
  const std::int64_t item = size_of(type), chunks = (n + chunk_size - 1) / chunk_size;
  scratch partial(rows * chunks * item);
  numjit::detail::parallel_ranges(rows * chunks, std::max<std::int64_t>(1, 16 * chunk_size / std::min(n, chunk_size)),
                                  static_cast<double>(rows * n) * 0.4, [&](std::int64_t begin, std::int64_t end) {
    alignas(64) char products[chunk_size * 16];
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t first = i / chunks * n + i % chunks * chunk_size, length = std::min(chunk_size, n - i % chunks * chunk_size);
      if (!conjugated && sum->products) {
        sum->products(a + first * item, b + first * item, length, partial.data() + i * item);
        continue;
      }
      char* data[] = {const_cast<char*>(a) + first * item, products, products};
      const std::int64_t steps[] = {item, item, item};
      if (conjugated) conjugate(data, steps, length), data[0] = products;
      data[1] = const_cast<char*>(b) + first * item;
      multiply(data, steps, length);
      sum->rows({products, item, 0, length, 1}, partial.data() + i * item);
    }
  });
  // The sums of a row's chunks are summed by the same rule.
  sum->rows({partial.data(), item, chunks * item, chunks, rows}, out);
}

}  // namespace numjit::eager
