// NumPy's order 'K': that of the operands' strides, by the rules of its iterator.
#include <numjit/ops/result_order.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace numjit::detail {
namespace {

/// The arrays of an elementwise call that have axes, its mask among them.
struct shaped_operands {
  const node* list[4];
  int count = 0;

  explicit shaped_operands(const op_call& call) {
    for (const operand& o : call.in) add(o.n());
    add(call.where_mask);
  }
  void add(const node* n) {
    if (n && n->rank > 0) list[count++] = n;
  }
  template <class F>
  bool all(const F& holds) const {
    return std::all_of(list, list + count, holds);
  }
};

/// Bytes from one element to the next along an axis of the result; 0 where `n` is repeated along it.
std::int64_t step_along(const node* n, int axis, int rank) {
  const int own = axis - (rank - n->rank);
  return own < 0 || n->shape[own] == 1 ? 0 : std::llabs(n->strides[own]);
}

enum class order { unknown, stays, swaps };

/// Does `axis` belong inside of `inner`, which lies there so far? One operand against it is enough to let both stay.
order compare(const shaped_operands& in, int axis, int inner, int rank) {
  order found = order::unknown;
  for (int i = 0; i < in.count; ++i) {
    const std::int64_t a = step_along(in.list[i], axis, rank), b = step_along(in.list[i], inner, rank);
    if (a == 0 || b == 0) continue;
    if (b <= a) return order::stays;
    found = order::swaps;
  }
  return found;
}

/// The axes from the innermost to the outermost. An insertion sort, and none other would do: where two axes can't be
/// told apart the order is not transitive, and the result depends on which pairs are compared.
void sort_axes(const shaped_operands& in, int rank, int* axes) {
  for (int i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
  for (int i = 1; i < rank; ++i) {
    int place = i;
    for (int k = i - 1; k >= 0; --k) {
      const order found = compare(in, axes[i], axes[k], rank);
      if (found == order::stays) break;
      if (found == order::swaps) place = k;
    }
    std::rotate(axes + place, axes + i, axes + i + 1);
  }
}

/// False if they are too many to count, for which there is no memory in any order.
bool dense_strides(const dims& shape, dtype_id type, const int* axes, dims& strides) {
  auto step = static_cast<std::int64_t>(dtype(type).itemsize());
  strides.resize(shape.size());
  for (int i = 0; i < shape.size(); ++i) {
    strides[axes[i]] = step;
    if (__builtin_mul_overflow(step, shape[axes[i]], &step)) return false;
  }
  return true;
}

/// Lets the axes of the result lie so; strides are given only where that is not C's order.
void take_order(const int* axes, inference& result) {
  const bool c_order = std::is_sorted(axes, axes + result.shape.size(), std::greater<>());
  if (c_order || !dense_strides(result.shape, result.type, axes, result.strides)) result.strides = dims();
}

/// Beside the iterator NumPy has a short way for arrays in Fortran's order, of one shape and the loop's dtypes: there axes
/// of length 1 have that order, too.
bool takes_short_way(const op_call& call, const shaped_operands& in, const inference& result) {
  if (call.where_mask || call.op == op_id::where) return false;
  for (std::size_t i = 0; i < call.in.size(); ++i)
    if (const node* n = call.in[i].n(); n && n->rank > 0 && n->type != result.in_type[i]) return false;
  return in.all([&](const node* n) { return n->is(node::f_contiguous) && same_shape(n, in.list[0]); });
}

}  // namespace

void keep_memory_order(const op_call& call, inference& result) {
  const shaped_operands in(call);
  const dims& shape = result.shape;
  const int rank = shape.size();
  if (rank < 2 || in.all([](const node* n) { return n->is(node::c_contiguous); })) return;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  int axes[max_rank];
  if (takes_short_way(call, in, result))
    for (int i = 0; i < rank; ++i) axes[i] = i;
  else
    sort_axes(in, rank, axes);
  take_order(axes, result);
}

void keep_memory_order(const op_call& call, const bool* reduced, bool keepdims, inference& result) {
  const shaped_operands in(call);
  const dims& shape = result.shape;
  if (shape.size() < 2 || in.all([](const node* n) { return n->is(node::c_contiguous); })) return;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  const int rank = call.in[0].n()->rank;
  int axes[max_rank], own[max_rank], kept = 0;
  sort_axes(in, rank, axes);
  for (int a = 0; a < rank; ++a) own[a] = keepdims ? a : reduced[a] ? -1 : kept++;
  int stay[max_rank], n = 0;
  for (int i = 0; i < rank; ++i)
    if (own[axes[i]] >= 0) stay[n++] = own[axes[i]];
  take_order(stay, result);
}

dims dense_strides_like(const node* like, const dims& shape) {
  int axes[max_rank];
  const int rank = shape.size();
  for (int i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
  dims strides;
  strides.resize(rank);
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return strides;
  std::stable_sort(axes, axes + rank, [&](int a, int b) { return like->strides[a] < like->strides[b]; });
  dense_strides(shape, like->type, axes, strides);
  return strides;
}

}  // namespace numjit::detail
