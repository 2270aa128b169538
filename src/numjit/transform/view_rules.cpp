// The rules of views, copies and casts, and of arrays that are joined.
#include <numjit/transform/rules.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

using detail::call;

namespace {

/// The same operation of the change of its only input.
array same_of_change(const Tangent& t) {
  const operand in[] = {t.change(0)};
  return bind({t.applied().op, in, t.applied().params.get()});
}

}  // namespace

void adjoint_index(Adjoint& a) { a.give_at(0, op_id::index, a.p(), a.g()); }
array tangent_index(const Tangent& t) { return same_of_change(t); }

void adjoint_reshape_view(Adjoint& a) { a.give(0, reshaped(a.g(), a.shape(0))); }
array tangent_reshape_view(const Tangent& t) { return reshaped(t.change(0), t.result_shape()); }

void adjoint_transpose(Adjoint& a) {
  const dims axes = layout::list_of(a.p());
  const int rank = a.rank(0);
  dims inverse;
  inverse.resize(rank);
  for (int i = 0; i < rank; ++i) {
    const std::int64_t from = axes.empty() ? rank - 1 - i : axes[i];
    inverse[static_cast<int>(from < 0 ? from + rank : from)] = i;
  }
  a.give(0, detail::permute(a.g(), inverse));
}
array tangent_transpose(const Tangent& t) { return same_of_change(t); }

void adjoint_broadcast_to(Adjoint& a) { a.give(0, a.g()); }
array tangent_broadcast_to(const Tangent& t) { return same_of_change(t); }

void adjoint_diagonal(Adjoint& a) {
  // The view that the operation gives may not be stored into: the places of its elements are an index of the array's elements.
  const dims shape = a.shape(0);
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  const array places = call(op_id::diagonal, {reshaped(count_to(size), shape)}, a.p());
  const array flat = zeros(dims{size}, a.type(0));
  const array g = as_contribution(a.g(), a.result_shape(), a.type(0));
  call(op_id::put_index, {flat, reshaped(places, dims{-1}), reshaped(g, dims{-1})});
  a.give(0, reshaped(flat, shape));
}
array tangent_diagonal(const Tangent& t) { return same_of_change(t); }

// Every window's first elements, then every window's second ones, and so on, each a slice of the array.
void adjoint_sliding_window_view(Adjoint& a) {
  const dims window = layout::list_of(a.p()), shape = a.shape(0);
  const int rank = shape.size();
  dims at;
  at.resize(rank);
  for (bool more = true; more;) {
    std::vector<layout::index_entry> part(static_cast<std::size_t>(rank)), from(static_cast<std::size_t>(2 * rank));
    for (int i = 0; i < rank; ++i) {
      part[static_cast<std::size_t>(i)] = layout::index_entry::range(at[i], at[i] + shape[i] - window[i] + 1);
      from[static_cast<std::size_t>(rank + i)] = layout::index_entry::at(at[i]);
    }
    a.give_at(0, op_id::index, layout::index_params(part), call(op_id::index, {a.g()}, layout::index_params(from)));
    more = false;
    for (int i = rank; i-- > 0 && !more;) {
      more = ++at[i] < window[i];
      if (!more) at[i] = 0;
    }
  }
}
array tangent_sliding_window_view(const Tangent& t) { return same_of_change(t); }

void adjoint_real_view(Adjoint& a) { a.give(0, a.g()); }
array tangent_real_view(const Tangent& t) { return same_of_change(t); }
void adjoint_imag_view(Adjoint& a) {
  if (is_complex(a.type(0))) a.give(0, binary(op_id::multiply, a.g(), operand(std::complex(0.0, 1.0), "", "", 0)));
}
array tangent_imag_view(const Tangent& t) { return same_of_change(t); }

void adjoint_astype(Adjoint& a) { a.give(0, a.g()); }
array tangent_astype(const Tangent& t) { return as_result(t.change(0), t.result_shape(), t.result_type()); }
void adjoint_copy(Adjoint& a) { a.give(0, a.g()); }
array tangent_copy(const Tangent& t) { return same_of_change(t); }

void adjoint_concatenate(Adjoint& a) {
  const int rank = a.result_shape().size();
  const std::int64_t word = layout::axis_of(a.p());
  const int axis = static_cast<int>(word < 0 ? word + rank : word);
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int64_t end = begin + a.shape(i)[axis];
    if (a.is_active(i)) a.give(i, slice(a.g(), axis, begin, end));
    begin = end;
  }
}
array tangent_concatenate(const Tangent& t) {
  std::vector<array> parts;
  for (std::size_t i = 0; i < t.size(); ++i) parts.push_back(t.change_or_zeros(i));
  std::vector<operand> in;
  for (const array& part : parts) in.emplace_back(part, "", "", 0);
  return as_result(bind({op_id::concatenate, in, t.applied().params.get()}), t.result_shape(), t.result_type());
}

void adjoint_roll(Adjoint& a) { a.give(0, call(op_id::roll, {a.g()}, layout::roll_params(layout::axis_of(a.p()), -a.p()[1]))); }
array tangent_roll(const Tangent& t) { return same_of_change(t); }

}  // namespace numjit::transform
