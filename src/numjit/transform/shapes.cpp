// Shapes and parts of arrays, by operations.
#include <numjit/transform/shapes.h>

#include <algorithm>
#include <vector>

namespace numjit::transform {

using detail::call;
using detail::reshape_view;

array sum_to_shape(const array& g, const dims& shape) {
  const dims from = shape_of(g);
  if (from == shape) return g;
  const int extra = from.size() - shape.size();
  layout::reduction r;
  r.axes.emplace();
  r.keepdims = true;
  for (int i = 0; i < from.size(); ++i)
    if (from[i] != 1 && (i < extra || shape[i - extra] == 1)) r.axes->push_back(i);
  const array sum = r.axes->empty() ? g : call(op_id::sum, {g}, layout::reduction_params(r));
  return reshaped(sum, shape);
}

array reshaped(const array& a, dims shape) {
  std::int64_t known = 1;
  int open = -1;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0)
      open = i;
    else
      known *= shape[i];
  }
  if (open >= 0) shape[open] = known == 0 ? 0 : a.get()->size / known;
  if (shape_of(a) == shape) return a;
  inference made;
  const operand in(a);
  const op_params params = layout::shape_params(shape);
  infer({op_id::reshape_view, in, &params}, made);
  return reshape_view(made.is_view ? a : detail::contiguous_copy(a), shape);
}

op_params slice_params(int rank, int axis, std::int64_t start, std::int64_t stop, std::int64_t step) {
  std::vector<layout::index_entry> entries(static_cast<std::size_t>(rank));
  entries[static_cast<std::size_t>(axis)] = layout::index_entry::range(start, stop, step);
  return layout::index_params(entries);
}
array slice(const array& a, int axis, std::int64_t start, std::int64_t stop, std::int64_t step) {
  return call(op_id::index, {a}, slice_params(rank_of(a), axis, start, stop, step));
}
array flip(const array& a, int axis) { return slice(a, axis, layout::none, layout::none, -1); }

array move_axis(const array& a, int from, int to) {
  if (from == to) return a;
  dims axes;
  for (int i = 0; i < rank_of(a); ++i)
    if (i != from) axes.push_back(i);
  axes.insert(to, from);
  return detail::permute(a, axes);
}
array with_axis_of_one(const array& a, int axis) {
  dims shape = shape_of(a);
  shape.insert(axis, 1);
  return reshape_view(a, shape);
}
array copy_lying_as(const array& a, const node* like) {
  if (like->rank < 2 || like->is(node::c_contiguous)) return detail::contiguous_copy(a);
  dims axes, inverse;
  for (int i = 0; i < like->rank; ++i) axes.push_back(i);
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::int64_t x, std::int64_t y) { return std::abs(like->strides[x]) > std::abs(like->strides[y]); });
  inverse.resize(axes.size());
  for (int i = 0; i < axes.size(); ++i) inverse[static_cast<int>(axes[i])] = i;
  return detail::permute(detail::contiguous_copy(detail::permute(a, axes)), inverse);
}

array joined(const array& a, const array& b, int axis) { return call(op_id::concatenate, {a, b}, layout::axis_params(axis)); }
array full_of(const dims& shape, dtype_id type, std::int64_t value) {
  return detail::create(op_id::full, layout::full_params(shape, layout::number::of(value), type));
}
array count_to(std::int64_t n) {
  const auto number = [](std::int64_t v) { return layout::number::of(v); };
  return detail::create(op_id::arange, layout::arange_params(number(0), number(n), number(1), dtype_id::int64));
}
array conjugate(const array& a) { return is_complex(type_of(a)) ? bind_ufunc(op_id::conjugate, a) : a; }
array select(const operand& mask, const operand& a, const operand& b) {
  const operand in[] = {mask, a, b};
  return bind({op_id::where, in});
}
array binary(op_id op, const operand& a, const operand& b) { return bind_ufunc(op, a, b); }

dims reduced_axes(const layout::reduction& r, int rank) {
  dims axes;
  if (rank == 0) return axes;  // NumPy takes the axes 0 and -1 of a 0-D array
  if (!r.axes) {
    for (int i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
  }
  for (const std::int64_t a : *r.axes) axes.push_back(a < 0 ? a + rank : a);
  std::sort(axes.begin(), axes.end());
  return axes;
}
dims kept_shape(const dims& shape, const dims& axes) {
  dims kept = shape;
  for (const std::int64_t a : axes) kept[static_cast<int>(a)] = 1;
  return kept;
}

array take_along(const array& x, const array& index, int axis) {
  const dims shape = shape_of(index);
  std::vector<array> grids;
  for (int i = 0; i < shape.size(); ++i) {
    dims one;
    for (int k = 0; k < shape.size(); ++k) one.push_back(k == i ? shape[i] : 1);
    grids.push_back(i == axis ? index : reshape_view(count_to(shape[i]), one));
  }
  std::vector<operand> in{x};
  for (const array& grid : grids) in.emplace_back(grid);
  return bind({op_id::take_places, in});
}

}  // namespace numjit::transform
