// The loops of sums of products, looked up once for each dtype.
#include <numjit/eager/chunk_product.h>

#include <optional>

#include <numjit/eager/internal.h>
#include <numjit/ops/loop_over.h>

namespace numjit::eager {

struct ChunkProduct::Table {
  std::optional<ChunkProduct> of[dtype_count];
  Table() {
    for (int type = 0; type < dtype_count; ++type) of[type] = ChunkProduct(static_cast<dtype_id>(type));
  }
};

const ChunkProduct& ChunkProduct::of(dtype_id type) {
  static const Table& table = *new Table;  // immortal, as the loops are
  return *table.of[static_cast<int>(type)];
}

ChunkProduct::ChunkProduct(dtype_id type)
    : reduction_(type == dtype_id::bool_ ? op_id::any : op_id::sum),
      item_(size_of(type)),
      multiply_(loops().ufunc[static_cast<int>(op_id::multiply)][numjit::detail::loop_over(op_id::multiply, type)]),
      sums_(&loops().reduction(reduction_, numjit::detail::first_loop_from(reduction_, type))) {}

void ChunkProduct::operator()(const char* a, std::int64_t a_step, const char* b, std::int64_t b_step, std::int64_t n,
                              char* out) const {
#ifndef __EMSCRIPTEN__  // kernels of pages have no sums of products
  if (sums_->products && a_step == item_ && b_step == item_) return sums_->products(a, b, n, out);
#endif
  alignas(64) char products[chunk_size * 16];
  char* const data[] = {const_cast<char*>(a), const_cast<char*>(b), products};
  const std::int64_t steps[] = {a_step, b_step, item_};
  multiply_(data, steps, n);
  sums_->rows({products, item_, item_, n, 1}, out);
}

}  // namespace numjit::eager
