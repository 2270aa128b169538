// The rules of operations between ranks: derivatives of what all ranks return together, and batches.
//
// The adjoint of an operation is one that every rank takes part in, too: what a rank's input changes is changed on others.
#include <numjit/ops/communicate.h>
#include <numjit/transform/batch.h>
#include <numjit/transform/rules.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

using kind = layout::communication;

namespace {

array communicated(kind words, const array& x) {
  const dtype_id type = words.type;
  const bool adds = words.is == kind::all_reduce || words.is == kind::reduce_scatter || words.is == kind::fold_halo;
  if (adds && type == dtype_id::float16) {  // adds up in float32
    words.type = dtype_id::float32;
    return detail::cast(communicated(words, detail::cast(x, words.type)), type);
  }
  const op_params params = words.params();
  return detail::call(op_id::communicate, {detail::communications.state(words.number), x}, params);
}

/// The sum over all ranks of an array that each has.
array sum_over_ranks(kind words, const array& g) {
  words.is = kind::all_reduce;
  words.given_first = static_cast<std::int64_t>(op_id::sum);
  words.given_second = words.agreed = 0;
  words.result = shape_of(g);
  words.type = type_of(g);
  return communicated(words, g);
}

/// The elements of all ranks, along a new first axis.
array from_all_ranks(kind words, const array& x) {
  words.is = kind::all_gather;
  words.given_first = words.given_second = words.agreed = 0;
  dims one = shape_of(x);
  one.insert(0, 1);
  words.result = one;
  words.result[0] = detail::communications.size(words.number);
  words.type = type_of(x);
  return communicated(words, reshaped(x, one));
}

/// What a rank's element has to do with the result of joining those of all ranks: 1 over the number of ranks that have an
/// extreme, or the product of the others'.
array weight_in_join(const kind& words, const array& x, const array& result) {
  if (static_cast<op_id>(words.given_first) != op_id::prod) {
    const array tied = detail::cast(binary(op_id::equal, x, result), type_of(x));
    return binary(op_id::divide, tied, sum_over_ranks(words, tied));
  }
  const std::int64_t rank = detail::communications.rank(words.number), size = detail::communications.size(words.number);
  const array all = from_all_ranks(words, x);
  if (size == 1) return full_of(shape_of(x), type_of(x), 1);
  const array others = joined(slice(all, 0, 0, rank), slice(all, 0, rank + 1, size), 0);
  layout::reduction r;
  r.axes = dims{0};
  return detail::call(op_id::prod, {others}, layout::reduction_params(r));
}

bool is_sum(const kind& words) { return static_cast<op_id>(words.given_first) == op_id::sum; }

/// The cotangent of the input.
array adjoint_of(kind words, const Seen& s, const array& g) {
  const dims shape = s.shape(1);
  switch (words.is) {
    case kind::all_reduce: {
      const array sum = sum_over_ranks(words, g);
      return is_sum(words) ? sum : binary(op_id::scale, sum, weight_in_join(words, s.array_value(1), s.result()));
    }
    case kind::sum: return detail::expand_to(sum_over_ranks(words, g), shape);
    case kind::broadcast: {
      const array sum = sum_over_ranks(words, g);
      return detail::communications.rank(words.number) == words.given_first ? sum : zeros(shape, type_of(g));
    }
    case kind::all_gather: words.is = kind::reduce_scatter; break;
    case kind::reduce_scatter: words.is = kind::all_gather; break;
    case kind::permute: std::swap(words.given_first, words.given_second); break;
    case kind::halo: words.is = kind::fold_halo; break;
    case kind::fold_halo: words.is = kind::halo; break;
    case kind::all_to_all:
    case kind::barrier: break;
  }
  words.result = shape;
  words.type = type_of(g);
  return communicated(words, g);
}

}  // namespace

// Only where a result tells which elements it is of: extremes and products.
std::uint8_t needs_of_communication(const op_params& p) {
  const kind words = kind::of(p);
  return words.is == kind::all_reduce && !is_sum(words) ? needs_result | 0b10 : 0;
}

void adjoint_communicate(Adjoint& a) { a.give(1, adjoint_of(kind::of(a.p()), a, a.g())); }

array tangent_communicate(const Tangent& t) {
  kind words = kind::of(t.p());
  const array& change = t.change(1);
  words.type = type_of(change);
  if (words.is != kind::all_reduce || is_sum(words)) return communicated(words, change);
  return sum_over_ranks(words, binary(op_id::scale, change, weight_in_join(words, t.array_value(1), t.result())));
}

// Operations act on the first axis, whatever the others are: the examples go behind all of them.
array batch_communicate(const Batched& b) {
  kind words = kind::of(b.p());
  const int rank = b.rank(1);
  words.result.push_back(b.batch());
  const array made = communicated(words, move_axis(b.stack(1), 0, rank));
  return move_axis(made, rank_of(made) - 1, 0);
}

}  // namespace numjit::transform
