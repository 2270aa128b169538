// The rules of batching: each operation on stacks, the examples along the first axis.
#include <algorithm>

#include <numjit/base/error.h>
#include <numjit/ops/random_draw.h>
#include <numjit/transform/batch.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

using detail::call;

namespace {

/// An axis of an example, from 0, as one of its stack.
std::int64_t axis_in_stack(std::int64_t axis, int rank) { return (axis < 0 ? axis + rank : axis) + 1; }

/// The stack with each example flattened.
array flattened(const Batched& b, const array& stack) { return reshaped(stack, dims{b.batch(), -1}); }

array with_parameters(const Batched& b, const array& stack, const op_params& params) { return call(b.op(), {stack}, params); }

/// The axis of an operation along one; none: of the flattened array. So is a 0-D one, whose axes 0 and -1 NumPy takes.
std::int64_t axis_of_example(const Batched& b, const op_params& params) {
  return b.rank(0) == 0 ? layout::none : layout::axis_of(params);
}

/// An operation along one axis, or of the flattened array where none is given.
array along_axis(const Batched& b, const op_params& params) {
  const array stack = b.stack(0);
  const std::int64_t axis = axis_of_example(b, params);
  op_params made;
  made.push(axis == layout::none ? std::int64_t{1} : axis_in_stack(axis, b.rank(0)));
  for (int i = 1; i < params.size(); ++i) made.push(params[i]);
  if (params.has_type()) made.type(params.type());
  return call(b.op(), {axis == layout::none ? flattened(b, stack) : stack}, made);
}

array ufunc_on_stacks(const Batched& b) {
  int rank = b.has_mask() ? b.mask()->rank : 0;
  for (std::size_t i = 0; i < b.size(); ++i) rank = std::max(rank, b.rank(i));
  std::vector<array> stacks(b.size());
  std::vector<operand> in;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (b.is_batched(i)) stacks[i] = b.stack(i, rank);
    in.push_back(b.is_batched(i) ? operand(stacks[i], "", "", 0) : b.given(i));
  }
  const array mask = b.has_mask() ? b.mask_stack(rank) : array();
  return bind({b.op(), in, &b.p(), nullptr, b.has_mask() ? mask.get() : nullptr});
}

array reduction_on_stacks(const Batched& b) {
  layout::reduction r = layout::reduction_of(b.p());
  const dims axes = reduced_axes(r, b.rank(0));
  r.axes.emplace();
  for (const std::int64_t axis : axes) r.axes->push_back(axis + 1);
  const array stack = b.stack(0, b.has_mask() ? std::max<int>(b.rank(0), b.mask()->rank) : b.rank(0));
  const op_params params = layout::reduction_params(r);
  const array mask = b.has_mask() ? b.mask_stack(b.rank(0)) : array();
  const operand in[] = {stack};
  return bind({b.op(), in, &params, nullptr, b.has_mask() ? mask.get() : nullptr});
}

// keepdims of the flattened array is an axis of 1 for each of the example's.
array argreduction_on_stacks(const Batched& b) {
  const std::int64_t axis = axis_of_example(b, b.p());
  const bool keep = b.p().size() > 1 && b.p()[1] != 0;
  if (axis != layout::none) return call(b.op(), {b.stack(0)}, layout::arg_params(axis_in_stack(axis, b.rank(0)), keep));
  const array found = call(b.op(), {flattened(b, b.stack(0))}, layout::arg_params(1, false));
  if (!keep) return found;
  dims kept{b.batch()};
  for (int i = 0; i < b.rank(0); ++i) kept.push_back(1);
  return reshaped(found, kept);
}

/// 0, 1, ..., n - 1 along the first of `rank` axes.
array example_numbers(const Batched& b, int rank) {
  dims shape{b.batch()};
  for (int i = 1; i < rank; ++i) shape.push_back(1);
  return reshaped(count_to(b.batch()), shape);
}

array gathered(const std::vector<array>& from_and_places) {
  std::vector<operand> in;
  for (const array& a : from_and_places) in.emplace_back(a, "", "", 0);
  return bind({op_id::take_places, in});
}

}  // namespace

array example_of(const array& stack, std::int64_t k) {
  const layout::index_entry first[] = {layout::index_entry::at(k)};
  return call(op_id::index, {stack}, layout::index_params(first));
}

namespace {

array scan_on_stacks(const Batched& b) { return along_axis(b, b.p().size() ? b.p() : layout::axis_params(layout::none)); }

constexpr array (*batch_rules[op_count])(const Batched&) = {
#define UFUNC1(...) &ufunc_on_stacks,
#define UFUNC2(...) &ufunc_on_stacks,
#define UFUNC3(...) &ufunc_on_stacks,
#define REDUCTION(...) &reduction_on_stacks,
#define ARGREDUCTION(...) &argreduction_on_stacks,
#define SCAN(...) &scan_on_stacks,
#define STRUCTURAL(name, ...) &batch_##name,
#include <numjit/ops/all_rows.inc>
};

}  // namespace

array batch_of_rows(const Batched& b) { return batch_rules[static_cast<int>(b.op())](b); }

// ---- views ----

array batch_index(const Batched& b) {
  op_params params;
  layout::push(params, layout::index_entry::all());
  for (int at = 0; at < b.p().size();) layout::push(params, layout::next_index_entry(b.p(), at));
  return with_parameters(b, b.stack(0), params);
}
array batch_reshape_view(const Batched& b) {
  dims shape{b.batch()};
  for (const std::int64_t extent : layout::list_of(b.p())) shape.push_back(extent);
  return reshaped(b.stack(0), shape);
}
array batch_transpose(const Batched& b) {
  const int rank = b.rank(0);
  const dims given = layout::list_of(b.p());
  dims axes{0};
  for (int i = 0; i < rank; ++i) axes.push_back(given.empty() ? rank - i : axis_in_stack(given[i], rank));
  return detail::permute(b.stack(0), axes);
}
array batch_broadcast_to(const Batched& b) {
  const dims shape = layout::list_of(b.p());
  dims wide{b.batch()};
  for (const std::int64_t extent : shape) wide.push_back(extent);
  return detail::expand_to(b.stack(0, shape.size()), wide);
}
array batch_diagonal(const Batched& b) {
  const int rank = b.rank(0);
  const std::int64_t offset = b.p().size() ? b.p()[0] : 0, first = b.p().size() ? b.p()[1] : 0,
                     second = b.p().size() ? b.p()[2] : 1;
  return with_parameters(b, b.stack(0), layout::diagonal_params(offset, axis_in_stack(first, rank), axis_in_stack(second, rank)));
}
// A window of one example: its axis of 1 stands behind the places, before the window's own.
array batch_sliding_window_view(const Batched& b) {
  dims window{1};
  for (const std::int64_t extent : layout::list_of(b.p())) window.push_back(extent);
  const array windows = with_parameters(b, b.stack(0), layout::shape_params(window));
  dims shape = shape_of(windows);
  shape.erase(b.rank(0) + 1);
  return reshaped(windows, shape);
}
array batch_real_view(const Batched& b) { return with_parameters(b, b.stack(0), b.p()); }
array batch_imag_view(const Batched& b) { return with_parameters(b, b.stack(0), b.p()); }

// ---- copies, creation, joins ----

array batch_astype(const Batched& b) { return with_parameters(b, b.stack(0), b.p()); }
array batch_copy(const Batched& b) { return with_parameters(b, b.stack(0), b.p()); }
array batch_full(const Batched& b) { return b.one_by_one(); }
array batch_arange(const Batched& b) { return b.one_by_one(); }
array batch_linspace(const Batched& b) { return b.one_by_one(); }
array batch_eye(const Batched& b) { return b.one_by_one(); }
array batch_concatenate(const Batched& b) {
  std::vector<array> parts;
  for (std::size_t i = 0; i < b.size(); ++i) parts.push_back(b.stack(i));
  std::vector<operand> in;
  for (const array& part : parts) in.emplace_back(part, "", "", 0);
  op_params params = layout::axis_params(axis_in_stack(layout::axis_of(b.p()), b.rank(0)));
  if (b.p().has_type()) params.type(b.p().type());
  return bind({op_id::concatenate, in, &params});
}

array batch_roll(const Batched& b) {
  return call(op_id::roll, {b.stack(0)}, layout::roll_params(axis_in_stack(layout::axis_of(b.p()), b.rank(0)), b.p()[1]));
}

// Of what is stored: see store_into_stack().
array batch_store(const Batched& b) { return b.one_by_one(); }
array batch_masked_store(const Batched& b) { return b.one_by_one(); }
array batch_put_index(const Batched& b) { return b.one_by_one(); }
array batch_mask_put(const Batched& b) { return b.one_by_one(); }

// ---- gathers ----

array batch_take(const Batched& b) {
  const dims shape = b.shape(0);
  const std::int64_t word = layout::axis_of(b.p());
  const bool flat = word == layout::none || shape.empty();
  const auto mode = b.p().size() > 1 ? static_cast<layout::take_mode>(b.p()[1]) : layout::take_mode::raise;
  const int axis = flat ? 0 : static_cast<int>(word < 0 ? word + shape.size() : word);
  if (!b.is_batched(1)) {
    const array stack = flat ? flattened(b, b.stack(0)) : b.stack(0);
    return call(op_id::take, {stack, b.given(1)}, layout::take_params(axis + 1, mode));
  }
  const array index = b.stack(1);
  if (!b.is_batched(0)) {  // (before..., n, index..., behind...)
    const array taken = call(op_id::take, {b.given(0), index}, layout::take_params(flat ? layout::none : axis, mode));
    return move_axis(taken, axis, 0);
  }
  const std::int64_t n = flat ? element_count(shape) : shape[axis];
  array places = detail::cast(index, dtype_id::int64);
  if (mode == layout::take_mode::wrap) places = binary(op_id::remainder, places, operand(n, "", "", 0));
  if (mode == layout::take_mode::clip) {
    const operand in[] = {places, operand(0, "", "", 0), operand(n - 1, "", "", 0)};
    places = bind({op_id::clip, in});
  }
  const array stack = flat ? flattened(b, b.stack(0)) : move_axis(b.stack(0), axis + 1, 1);
  array taken = gathered({stack, example_numbers(b, rank_of(places)), places});  // (n, index..., before..., behind...)
  const int many = rank_of(places) - 1;
  for (int i = 0; i < axis; ++i) taken = move_axis(taken, 1 + many + i, 1 + i);
  return taken;
}

array batch_take_places(const Batched& b) {
  int rank = 0;
  for (std::size_t i = 1; i < b.size(); ++i) rank = std::max(rank, b.rank(i));
  bool any = false;
  for (std::size_t i = 1; i < b.size(); ++i) any = any || b.is_batched(i);
  std::vector<array> in{b.is_batched(0) ? b.stack(0) : array::share(b.given(0).n())};
  if (b.is_batched(0)) in.push_back(example_numbers(b, rank + 1));
  for (std::size_t i = 1; i < b.size(); ++i) in.push_back(b.is_batched(i) ? b.stack(i, rank) : array::share(b.given(i).n()));
  return gathered(in);
}

array batch_mask_select(const Batched& b) {
  if (b.is_batched(1)) b.throw_length("x[mask]");
  const int axes = b.rank(1);
  dims shape{b.batch(), 1};
  for (int i = 0; i < axes; ++i) shape[1] *= b.shape(0)[i];
  for (int i = axes; i < b.rank(0); ++i) shape.push_back(b.shape(0)[i]);
  const array places = call(op_id::nonzero_flat, {b.given(1)});
  return call(op_id::take, {reshaped(b.stack(0), shape), places}, layout::take_params(1));
}
array batch_nonzero_flat(const Batched& b) { b.throw_length("nonzero(x)"); }
array batch_axis_length(const Batched& b) { return b.one_by_one(); }
array batch_bincount(const Batched& b) {
  if (b.is_batched(0)) b.throw_length("bincount(x)");
  return b.one_by_one();
}
array batch_repeat_places(const Batched& b) { b.throw_length("repeat(x, counts)"); }

// ---- sorting and counting ----

array batch_sort(const Batched& b) { return along_axis(b, b.p().size() ? b.p() : layout::sort_params(layout::none)); }
array batch_argsort(const Batched& b) { return along_axis(b, b.p().size() ? b.p() : layout::sort_params(layout::none)); }
array batch_searchsorted(const Batched& b) {
  if (b.is_batched(0)) return b.one_by_one();
  return call(op_id::searchsorted, {b.given(0), b.stack(1)}, b.p());
}
array batch_isin(const Batched& b) {
  if (b.is_batched(0)) return b.one_by_one();
  return call(op_id::isin, {b.given(0), b.stack(1)}, b.p());
}
array batch_digitize(const Batched& b) {
  if (b.is_batched(1)) return b.one_by_one();
  return call(op_id::digitize, {b.stack(0), b.given(1)}, b.p());
}
array batch_histogram_edges(const Batched& b) { return b.one_by_one(); }
array batch_histogram_places(const Batched& b) {
  if (b.is_batched(1)) return b.one_by_one();
  return call(op_id::histogram_places, {b.stack(0), b.given(1)}, b.p());
}
array batch_histogram_counts(const Batched& b) { return b.one_by_one(); }

// ---- products ----

array batch_matmul(const Batched& b) {
  const int rank_a = b.rank(0), rank_b = b.rank(1);
  const auto product = [](const array& x, const array& y) { return call(op_id::matmul, {x, y}); };
  // One matrix and a stack of vectors, or of rows: one product for the whole stack.
  if (!b.is_batched(0) && rank_a == 2 && rank_b == 1)
    return product(b.stack(1), detail::permute(array::share(b.given(0).n()), dims{1, 0}));
  if (!b.is_batched(0) && rank_a == 1 && rank_b == 1) return product(b.stack(1), array::share(b.given(0).n()));
  if (!b.is_batched(1) && rank_b <= 2) {
    if (rank_a <= 2) {
      const array rows = reshaped(b.stack(0), dims{b.batch() * (rank_a == 2 ? b.shape(0)[0] : 1), b.shape(0).back()});
      const array made = product(rows, array::share(b.given(1).n()));
      dims shape{b.batch()};
      for (int i = 0; i + 1 < rank_a; ++i) shape.push_back(b.shape(0)[i]);
      if (rank_b == 2) shape.push_back(b.shape(1)[1]);
      return reshaped(made, shape);
    }
    return product(b.stack(0), array::share(b.given(1).n()));
  }
  const int batch_axes = std::max(rank_a, rank_b) - 2;
  array left = rank_a == 1 ? with_axis_of_one(b.stack(0), 1) : b.stack(0);
  array right = rank_b == 1 ? with_axis_of_one(b.stack(1), 2) : b.stack(1);
  const auto aligned = [&](const array& a) {
    dims shape = shape_of(a);
    while (shape.size() - 1 < std::max(batch_axes, 0) + 2) shape.insert(1, 1);
    return reshaped(a, shape);
  };
  array made = product(aligned(left), aligned(right));
  dims shape = shape_of(made);
  if (rank_b == 1) shape.erase(shape.size() - 1);
  if (rank_a == 1) shape.erase(shape.size() - (rank_b == 1 ? 1 : 2));
  return reshaped(made, shape);
}

// ---- of derivatives ----

array batch_linear_scan(const Batched& b) {
  const array factors = b.stack(0), terms = b.stack(1);
  return call(op_id::linear_scan, {factors, terms}, layout::axis_params(axis_in_stack(layout::axis_of(b.p()), b.rank(0))));
}
// The places of each example behind those of the one before.
array batch_add_places(const Batched& b) {
  const std::int64_t n = layout::first_word(b.p()), count = b.shape(1)[0];
  const array first = binary(op_id::multiply, example_numbers(b, 2), operand(n, "", "", 0));
  const array places = reshaped(binary(op_id::add, b.stack(1), first), dims{b.batch() * count});
  const array values = b.stack(0);
  dims rows = shape_of(values), result = rows;
  rows.erase(0);
  rows[0] = b.batch() * count;
  result[1] = n;
  return reshaped(call(op_id::add_places, {reshaped(values, rows), places}, layout::count_params(b.batch() * n)), result);
}

// ---- code that is not the engine's ----

array batch_black_box(const Batched& b) { return b.one_by_one(); }

// The same for all: each example has what the function alone would draw. Different: one example's after the other's.
array batch_random_draw(const Batched& b) {
  using words = layout::draw;
  const op_params& p = b.p();
  if (b.randomness() == Randomness::same) {
    const array state = array::share(b.given(0).n());
    return b.one_by_one([&](std::int64_t k) { return k + 1 < b.batch() ? detail::draws.copy_of_state(state) : state; });
  }
  if (!detail::draws.is_by_element(p)) return b.one_by_one();
  op_params together;
  for (int i = 0; i < words::shape; ++i) together.push(p[i]);
  dims shape{b.batch()};
  for (const std::int64_t extent : p.list(words::shape)) shape.push_back(extent);
  together.push(shape).type(p.type());
  std::vector<operand> in{b.given(0)};
  std::vector<array> stacks;
  for (std::size_t i = 1; i < b.size(); ++i) stacks.push_back(b.stack(i));
  in.insert(in.end(), stacks.begin(), stacks.end());
  return bind({op_id::random_draw, in, &together});
}
array batch_routine(const Batched& b) { return b.one_by_one(); }

// ---- stores ----

namespace {

/// A stored value's stack, with the axes of the target's.
array fitted(const array& stack, int rank) {
  dims shape = shape_of(stack);
  while (shape.size() - 1 > rank) shape.erase(1);  // of 1, which storing drops
  while (shape.size() - 1 < rank) shape.insert(1, 1);
  return reshaped(stack, shape);
}

/// Part k of a stack, or the operand as it is.
operand example(const array& stack, const operand& given, std::int64_t k, array& held) {
  if (stack.empty_handle()) return given;
  held = example_of(stack, k);
  return {held, "", "", 0};
}

}  // namespace

void store_into_stack(const op_call& c, const array& part, std::span<const array> stacks) {
  const int rank = rank_of(part) - 1;
  if (c.op == op_id::store || c.op == op_id::masked_store) {
    std::vector<array> values;
    for (const array& stack : stacks) values.push_back(stack.empty_handle() ? array() : fitted(stack, rank));
    std::vector<operand> in{part};
    for (std::size_t i = 0; i < values.size(); ++i)
      in.push_back(values[i].empty_handle() ? c.in[i + 1] : operand(values[i], "", "", 0));
    bind({c.op, in, c.params});
    return;
  }
  const std::int64_t n = shape_of(part)[0];
  for (std::int64_t k = 0; k < n; ++k) {
    array held[2];
    call(c.op, {example_of(part, k), example(stacks[0], c.in[1], k, held[0]), example(stacks[1], c.in[2], k, held[1])}, c.p());
  }
}

}  // namespace numjit::transform
