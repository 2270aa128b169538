// The rules of what reads at computed places, of sorting and counting.
#include <numjit/transform/rules.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

using detail::call;

namespace {

array add_places(const array& values, const array& places, std::int64_t n) {
  return call(op_id::add_places, {values, places}, layout::count_params(n));
}

/// Indices as places from 0, flat.
array places_of(const array& index, std::int64_t n, layout::take_mode mode) {
  const array flat = detail::cast(reshaped(index, dims{-1}), dtype_id::int64);
  if (mode == layout::take_mode::clip) {
    const operand in[] = {flat, operand(0, "", "", 0), operand(n - 1, "", "", 0)};
    return bind({op_id::clip, in});
  }
  if (mode == layout::take_mode::wrap) return binary(op_id::remainder, flat, operand(n, "", "", 0));
  return select(binary(op_id::less, flat, operand(0, "", "", 0)), binary(op_id::add, flat, operand(n, "", "", 0)), flat);
}

/// Of take: the axis that is indexed, -1 for the flattened array, and the rest.
struct Taken {
  explicit Taken(const Seen& s) : shape(s.shape(0)) {
    const std::int64_t word = layout::axis_of(s.p());
    flat = word == layout::none || shape.empty();
    axis = flat ? 0 : static_cast<int>(word < 0 ? word + shape.size() : word);
    if (s.p().size() > 1) mode = static_cast<layout::take_mode>(s.p()[1]);
  }
  const dims shape;
  bool flat;
  int axis;
  layout::take_mode mode = layout::take_mode::raise;
};

array same_of_change(const Tangent& t) {
  std::vector<operand> in{operand(t.change(0), "", "", 0)};
  for (std::size_t i = 1; i < t.size(); ++i) in.push_back(t.value(i));
  return bind({t.applied().op, in, t.applied().params.get()});
}

/// In which order sort put the elements along its axis.
array order_of(const Seen& s, const array& x) { return call(op_id::argsort, {x}, s.p()); }
struct Sorted {
  explicit Sorted(const Seen& s) : shape(s.result_shape()) {
    const std::int64_t word = layout::axis_of(s.p());
    axis = word == layout::none ? 0 : static_cast<int>(word < 0 ? word + shape.size() : word);
  }
  const dims shape;
  int axis;
};

}  // namespace

// The indexed axis goes to the front, its places and what is behind it to one axis each.
void adjoint_take(Adjoint& a) {
  const Taken t(a);
  const array& index = a.array_value(1);
  const std::int64_t count = index.get()->size;
  if (t.flat) {
    const std::int64_t n = element_count(t.shape);
    const array sum = add_places(reshaped(a.g(), dims{count}), places_of(index, n, t.mode), n);
    return a.give(0, reshaped(sum, t.shape));
  }
  const std::int64_t n = t.shape[t.axis];
  dims before, behind;
  for (int i = 0; i < t.axis; ++i) before.push_back(t.shape[i]);
  for (int i = t.axis + 1; i < t.shape.size(); ++i) behind.push_back(t.shape[i]);
  const std::int64_t outer = element_count(before), inner = element_count(behind);
  const array rows = move_axis(reshaped(a.g(), dims{outer, count, inner}), 1, 0);
  const array sum = add_places(reshaped(rows, dims{count, outer * inner}), places_of(index, n, t.mode), n);
  a.give(0, reshaped(move_axis(reshaped(sum, dims{n, outer, inner}), 0, 1), t.shape));
}
array tangent_take(const Tangent& t) { return same_of_change(t); }

void adjoint_take_places(Adjoint& a) {
  const dims shape = a.shape(0);
  array places;
  std::int64_t n = 1;
  for (std::size_t i = 1; i < a.size(); ++i) {
    const std::int64_t extent = shape[static_cast<int>(i) - 1];
    const array index = detail::cast(a.array_value(i), dtype_id::int64);
    const array from_front =
        select(binary(op_id::less, index, operand(0, "", "", 0)), binary(op_id::add, index, operand(extent, "", "", 0)), index);
    places = i == 1 ? from_front : binary(op_id::add, binary(op_id::multiply, places, operand(extent, "", "", 0)), from_front);
    n *= extent;
  }
  const std::int64_t count = places.get()->size, rest = n == 0 ? 0 : element_count(shape) / n;
  const array sum = add_places(reshaped(a.g(), dims{count, rest}), reshaped(places, dims{count}), n);
  a.give(0, reshaped(sum, shape));
}
array tangent_take_places(const Tangent& t) { return same_of_change(t); }

// sum[p[j]] += values[j]
void adjoint_add_places(Adjoint& a) { a.give(0, call(op_id::take, {a.g(), a.array_value(1)}, layout::take_params(0))); }
array tangent_add_places(const Tangent& t) { return same_of_change(t); }

void adjoint_mask_select(Adjoint& a) {
  const array whole = zeros(a.shape(0), a.type(0));
  const operand in[] = {whole, a.value(1), a.g()};
  bind({op_id::mask_put, in});
  a.give(0, whole);
}
array tangent_mask_select(const Tangent& t) { return same_of_change(t); }

void adjoint_sort(Adjoint& a) {
  const Sorted s(a);
  const array order = order_of(a, a.array_value(0));
  const array back = call(op_id::argsort, {order}, layout::sort_params(s.axis));
  a.give(0, reshaped(take_along(a.g(), back, s.axis), a.shape(0)));
}
array tangent_sort(const Tangent& t) {
  const Sorted s(t);
  return take_along(reshaped(t.change(0), s.shape), order_of(t, t.array_value(0)), s.axis);
}

// The sums of weights by where they go.
void adjoint_bincount(Adjoint& a) {
  if (a.is_active(1)) a.give(1, call(op_id::take, {a.g(), a.array_value(0)}, layout::take_params(0)));
}
array tangent_bincount(const Tangent& t) {
  const operand in[] = {t.value(0), t.change(1)};
  return as_result(bind({op_id::bincount, in, t.applied().params.get()}), t.result_shape(), t.result_type());
}

// Places behind the last bin are counted nowhere.
void adjoint_histogram_counts(Adjoint& a) {
  if (!a.is_active(1)) return;
  const std::int64_t bins = a.result_shape()[0];
  const array& place = a.array_value(0);
  const operand last(bins - 1, "", "", 0);
  const array inside = binary(op_id::less_equal, place, last);
  const array g = call(op_id::take, {a.g(), binary(op_id::minimum, place, last)}, layout::take_params(0));
  a.give(1, select(inside, g, operand(0, "", "", 0)));
}
array tangent_histogram_counts(const Tangent& t) {
  const operand in[] = {t.value(0), t.change(1)};
  return as_result(bind({op_id::histogram_counts, in, t.applied().params.get()}), t.result_shape(), t.result_type());
}

// Edge k of n bins lies k / n of the way from the first input to the second.
namespace {

array way_to_edge(const Seen& s, std::size_t from_input) {
  const std::int64_t n = s.result_shape()[0] - 1;
  const array number = detail::cast(count_to(n + 1), s.result_type());
  const array from = from_input == 0 ? binary(op_id::subtract, operand(n, "", "", 0), number) : number;
  return binary(op_id::divide, from, operand(n, "", "", 0));
}

}  // namespace

void adjoint_histogram_edges(Adjoint& a) {
  for (std::size_t i = 0; i < 2; ++i)
    if (a.is_active(i)) a.give(i, call(op_id::sum, {binary(op_id::multiply, a.g(), way_to_edge(a, i))}, op_params()));
}
array tangent_histogram_edges(const Tangent& t) {
  array sum;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!t.changes(i)) continue;
    const array part = binary(op_id::multiply, as_result(t.change(i), dims(), t.result_type()), way_to_edge(t, i));
    sum = sum.empty_handle() ? part : binary(op_id::add, sum, part);
  }
  return sum;
}

}  // namespace numjit::transform
