// Stores into elements and rows, and products of short vectors.
#include <numjit/eager/short_calls.h>

#include <cstring>

#include <numjit/eager/chunk_product.h>
#include <numjit/eager/internal.h>
#include <numjit/ops/promotion.h>

namespace numjit::eager {
namespace {

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

}  // namespace

bool store_short(const op_call& call) {
  const node* target = call.in[0].n();
  if (!target || !is_plain(target) || target->is(node::readonly) || target->rank > 1 || target->size > short_size) return false;
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
    if (!is_plain(from) || from->type != target->type || from->rank > target->rank) return false;
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
      !is_plain(a) || !is_plain(b))
    return nullptr;
  const ChunkProduct& product = ChunkProduct::of(a->type);
  const char kind = kind_of(a->type);
  if ((kind != 'f' && kind != 'c') || product.accumulator() != a->type) return nullptr;  // others have casts on the way
  node* result = numjit::detail::new_node(a->type, 0, nullptr);
  product(a->data, a->strides[0], b->data, b->strides[0], a->size, result->data);
  return result;
}

}  // namespace numjit::eager
