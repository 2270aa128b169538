// Stores into elements and rows, and products of short vectors.
#include <numjit/eager/short_calls.h>

#include <cstring>

#include <numjit/eager/internal.h>
#include <numjit/ops/promotion.h>

namespace numjit::eager {
namespace {

/// Lazy arrays can't be read at all, those of a device not at once.
constexpr int not_plain = node::lazy | node::remote;

/// May the literal be written without a word about its value?
bool fits_silently(const operand& literal, dtype_id type) {
  const char kind = kind_of(type);
  switch (literal.kind()) {
    case weak_kind::bool_: return true;
    case weak_kind::int_: return kind == 'f' || ((kind == 'i' || kind == 'u') && literal_fits(literal, type));
    case weak_kind::float_: return kind == 'f';
    default: return false;
  }
}

/// The loops of a vector product by dtype: products, and their sums.
struct product_loops {
  loop_fn multiply = nullptr;
  void (*sum)(const row_block& block, char* out) = nullptr;
};

/// Loops whose accumulator is the dtype itself; others have casts on the way.
product_loops find_product_loops(dtype_id type) {
  product_loops found;
  if (kind_of(type) != 'f' && kind_of(type) != 'c') return found;
  const auto products = info(op_id::multiply).loops;
  for (std::size_t l = 0; l < products.size(); ++l)
    if (products[l].in[0] == type && products[l].out == type)
      found.multiply = loops().ufunc[static_cast<int>(op_id::multiply)][l];
  const auto sums = info(op_id::sum).loops;
  for (std::size_t l = 0; l < sums.size(); ++l) {
    if (sums[l].in[0] != type || sums[l].out != type) continue;
    const reduce_kernels& kernels = loops().reduction(op_id::sum, static_cast<int>(l));
    if (kernels.accumulator == type) found.sum = kernels.rows;
    break;
  }
  return found;
}

const product_loops& product_loops_of(dtype_id type) {
  static const auto& table = *[] {
    auto* made = new product_loops[dtype_count];
    for (int t = 0; t < dtype_count; ++t) made[t] = find_product_loops(static_cast<dtype_id>(t));
    return made;
  }();
  return (&table)[static_cast<int>(type)];
}

}  // namespace

bool store_short(const op_call& call) {
  const node* target = call.in[0].n();
  if (!target || (target->flags & (not_plain | node::readonly)) || target->rank > 1 || target->size > short_size)
    return false;
  const operand& value = call.in[1];
  const std::int64_t item = size_of(target->type);
  const node* from = value.n();
  alignas(16) char number[16];
  char* ptr[2] = {number, target->data};
  std::int64_t step[2] = {0, target->rank == 1 ? target->strides[0] : 0};
  if (!from) {
    if (!fits_silently(value, target->type)) return false;
    write_number(layout::number::of_literal(value), target->type, number);
  } else {
    if ((from->flags & not_plain) || from->type != target->type || from->rank > target->rank) return false;
    if (from->rank == 1) {
      if (from->size != target->size || numjit::detail::may_overlap(from, target)) return false;
      ptr[0] = from->data;
      step[0] = from->strides[0];
    } else {
      std::memcpy(number, from->data, static_cast<std::size_t>(item));  // which may be one of the target's elements
    }
  }
  if (target->rank == 0) {
    std::memcpy(target->data, number, static_cast<std::size_t>(item));
    return true;
  }
  if (target->size > 1 && step[1] == 0) return false;
  if (step[0] == item && step[1] == item) {
    std::memcpy(ptr[1], ptr[0], static_cast<std::size_t>(target->size * item));
    return true;
  }
  cast_loop(target->type, target->type)(ptr, step, target->size);
  return true;
}

node* product_short(const node* a, const node* b) {
  if (a->rank != 1 || b->rank != 1 || a->type != b->type || a->size != b->size || a->size < 1 || a->size > chunk_size ||
      ((a->flags | b->flags) & not_plain))
    return nullptr;
  const product_loops& loop = product_loops_of(a->type);
  if (!loop.multiply || !loop.sum) return nullptr;
  const std::int64_t item = size_of(a->type);
  alignas(64) char products[chunk_size * 16];
  char* const data[3] = {a->data, b->data, products};
  const std::int64_t step[3] = {a->strides[0], b->strides[0], item};
  loop.multiply(data, step, a->size);
  node* result = numjit::detail::new_node(a->type, 0, nullptr);
  loop.sum({products, item, item, a->size, 1}, result->data);
  return result;
}

}  // namespace numjit::eager
