// Selecting, searching, sorting.
#include <algorithm>

#include "surface.h"

namespace numjit {

using detail::at;
using detail::call;

// ---- places of elements ----

array flatnonzero(const operand& a) {
  return call(op_id::nonzero_flat, {at(detail::to_array(a), a.where())});
}
array_list unravel_index(const operand& flat, const shape_list& shape) {
  const location& w = flat.where();
  array left = detail::cast(at(detail::to_array(flat), w), dtype_id::int64);
  if (!left.get()->is(node::lazy) && left.size() > 0) {
    const std::int64_t size = element_count(shape);
    const std::int64_t high = max(at(left, w)).item<std::int64_t>();
    const std::int64_t low = min(at(left, w)).item<std::int64_t>();
    if (high >= size || low < 0) {
      std::string s = shape.str();
      s.erase(std::remove(s.begin(), s.end(), ' '), s.end());
      throw ValueError("unravel_index", "index " + std::to_string(low < 0 ? low : high) +
                                            " is out of bounds for array with size " +
                                            std::to_string(size));
    }
  }
  array_list out(static_cast<std::size_t>(shape.size()));
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    out[static_cast<std::size_t>(axis)] = remainder(at(left, w), at(shape[axis], w));
    if (axis > 0) left = floor_divide(at(left, w), at(shape[axis], w));
  }
  return out;
}
array ravel_multi_index(const array_list& index, const shape_list& shape) {
  if (static_cast<int>(index.size()) != shape.size())
    throw ValueError("ravel_multi_index",
                     "parameter multi_index must be a sequence of length " +
                         std::to_string(shape.size()));
  array flat = index[0];
  for (std::size_t i = 1; i < index.size(); ++i)
    flat = flat * shape[static_cast<int>(i)] + index[i];
  return flat;
}
array_list nonzero(const operand& a) {
  if (detail::rank_of(a) == 0)
    throw ValueError("nonzero", "Calling nonzero on 0d arrays is not allowed. Use "
                                "np.atleast_1d(scalar).nonzero() instead. If the context of this "
                                "error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`.");
  return unravel_index(at(flatnonzero(a), a.where()), detail::shape_of(a));
}
array_list where(const operand& condition) { return nonzero(condition); }
array argwhere(const operand& a) {
  if (detail::rank_of(a) == 0) {
    array some = flatnonzero(a);
    return zeros({some.size(), 0}, int64, a.where());
  }
  return stack(nonzero(a), {.axis = 1}, a.where());
}
array_list ix_(const array_list& vectors) {
  array_list out;
  const int n = static_cast<int>(vectors.size());
  for (int i = 0; i < n; ++i) {
    array v = vectors[static_cast<std::size_t>(i)];
    if (v.ndim() != 1) throw ValueError("ix_", "Cross index must be 1 dimensional");
    if (v.dtype() == bool_) v = flatnonzero(v);
    dims shape;
    shape.resize(n, 1);
    shape[i] = detail::is_unsized(v) ? -1 : v.size();
    out.push_back(detail::reshape_view(v, shape));
  }
  return out;
}

// ---- taking and putting ----

array take(const operand& a, const operand& indices, std::optional<std::int64_t> axis) {
  return call(op_id::take, {at(detail::to_array(a), a.where()),
                            at(detail::to_array(indices), a.where())},
              layout::take_params(axis.value_or(layout::none)));
}
void put(const array& a, const array& indices, const operand& values) {
  detail::before_write();
  array spread = values.is_array() && detail::element_count_of(values) != 1
                     ? array::share(values.n())
                     : broadcast_to(values, indices.shape());
  if (a.is_c_contiguous()) {
    array flat = detail::reshape_view(a, {a.size()});
    call(op_id::put_index, {flat, indices, spread});
    return;
  }
  array flat = ravel(a.copy());
  call(op_id::put_index, {flat, indices, spread});
  call(op_id::store, {a, detail::reshape_view(flat, a.shape())});
}
array take_along_axis(const operand& a, const array& indices, std::int64_t axis) {
  const location& w = a.where();
  array x = detail::to_array(a);
  const int k = normalize_axis("take_along_axis", axis, x.ndim());
  if (indices.ndim() != x.ndim())
    throw ValueError("take_along_axis",
                     "`indices` and `arr` must have the same number of dimensions");
  // Flat index: index along the axis, plus the open grid of the other axes.
  const dims shape = x.shape();
  const std::int64_t n = shape[k];
  array rows = where(at(indices < 0, w), at(indices + n, w), at(indices, w));
  std::int64_t stride = 1;
  dims strides;
  strides.resize(shape.size());
  for (int i = shape.size() - 1; i >= 0; --i) strides[i] = stride, stride *= shape[i];
  array flat = multiply(at(rows, w), at(strides[k], w));
  for (int i = 0; i < shape.size(); ++i) {
    if (i == k) continue;
    dims one;
    one.resize(shape.size(), 1);
    one[i] = shape[i];
    array steps = multiply(at(arange(at(shape[i], w)), w), at(strides[i], w));
    flat = add(at(flat, w), at(detail::reshape_view(at(steps, w), one), w));
  }
  return take(at(x, w), at(flat, w));
}
array compress(const array& condition, const operand& a) {
  array flat = ravel(a);
  return take(at(flat, a.where()), at(flatnonzero(at(condition, a.where())), a.where()));
}
array extract(const array& condition, const operand& a) { return compress(ravel(at(condition, a.where())), a); }

void copyto(const array& destination, const operand& values, const array& where_mask) {
  detail::before_write();
  dtype_id to = destination.get()->type;
  if (values.is_array() && !can_cast(values.n()->type, to, casting::same_kind))
    throw TypeError("copyto", "Cannot cast array data from dtype('" +
                                  std::string(dtype(values.n()->type).name()) + "') to dtype('" +
                                  std::string(dtype(to).name()) +
                                  "') according to the rule 'same_kind'");
  if (where_mask.empty_handle()) {
    call(op_id::store, {at(destination, values.where()), values});
    return;
  }
  array wide = detail::expand_to(at(where_mask, values.where()), destination.shape());
  call(op_id::masked_store, {at(destination, values.where()), values, at(wide, values.where())});
}
array select(const array_list& conditions, const array_list& choices, const operand& otherwise) {
  if (conditions.size() != choices.size())
    throw ValueError("select", "list of cases must be same length as list of conditions");
  if (conditions.empty())
    throw ValueError("select", "select with an empty condition list is not possible");
  const location& w = otherwise.where();
  array result = where(at(conditions.back(), w), at(choices.back(), w), otherwise);
  for (std::size_t i = conditions.size() - 1; i-- > 0;)
    result = where(at(conditions[i], w), at(choices[i], w), at(result, w));
  return result;
}

// ---- sorting ----

array sort(const operand& a, std::int64_t axis) {
  return call(op_id::sort, {at(detail::to_array(a), a.where())}, layout::sort_params(axis));
}
array sort(const operand& a, none_t) { return sort(at(ravel(a), a.where()), -1); }
array argsort(const operand& a, std::int64_t axis) {
  return call(op_id::argsort, {at(detail::to_array(a), a.where())}, layout::sort_params(axis));
}
array argsort(const operand& a, none_t) { return argsort(at(ravel(a), a.where()), -1); }

namespace {

/// True at the first of each run of equal elements of a sorted 1-D array; NaNs are one run.
array run_starts(const array& sorted, const location& w) {
  if (detail::is_unsized(sorted) && sorted.dtype().kind() != 'c') {
    // Without slices, which need a length: the first of its run is where its value would be inserted.
    array first = searchsorted(at(sorted, w), at(sorted, w));
    array any = greater_equal(at(first, w), at(0, w));
    array place = subtract(at(cumsum(at(any, w)), w), at(1, w));
    return equal(at(first, w), at(place, w));
  }
  const std::int64_t n = sorted.size();
  array starts = ones(n, bool_, w);
  if (n < 2) return starts;
  array next = detail::slice_axis(at(sorted, w), 0, 1, layout::none);
  array before = detail::slice_axis(at(sorted, w), 0, layout::none, -1);
  array differs = not_equal(at(next, w), at(before, w));
  if (sorted.dtype().kind() == 'f' || sorted.dtype().kind() == 'c') {
    array both = logical_and(at(isnan(at(next, w)), w), at(isnan(at(before, w)), w));
    differs = logical_and(at(differs, w), at(logical_not(at(both, w)), w));
  }
  detail::slice_axis(at(starts, w), 0, 1, layout::none) = at(differs, w);
  return starts;
}

}  // namespace

array unique(const operand& a) {
  const location& w = a.where();
  array sorted = sort(at(ravel(a), w));
  array starts = run_starts(sorted, w);
  return call(op_id::mask_select, {at(sorted, w), at(starts, w)});
}
unique_result unique_all(const operand& a) {
  const location& w = a.where();
  array flat = ravel(a);
  array order = argsort(at(flat, w));
  array sorted = take(at(flat, w), at(order, w));
  array starts = run_starts(sorted, w);
  unique_result r;
  array places = flatnonzero(at(starts, w));
  r.values = take(at(sorted, w), at(places, w));
  r.indices = take(at(order, w), at(places, w));
  array group = subtract(at(cumsum(at(starts, w)), w), at(1, w));
  if (detail::is_unsized(flat)) {
    r.inverse = take(at(group, w), at(argsort(at(order, w)), w));
  } else {
    r.inverse = zeros(flat.size(), int64, w);
    call(op_id::put_index, {at(r.inverse, w), at(order, w), at(group, w)});
    r.inverse = detail::reshape_view(at(r.inverse, w), detail::shape_of(a));
  }
  if (detail::is_unsized(places)) {  // differences of places would have a length of their own
    array counts = bincount(at(group, w));
    r.counts = take(at(counts, w), at(take(at(group, w), at(places, w)), w));
    return r;
  }
  array ends = concatenate({places, asarray(flat.size()).reshape({1})}, {}, w);
  r.counts = diff(at(ends, w));
  return r;
}

array isin(const operand& a, const operand& test) {
  const location& w = a.where();
  const operand both[] = {a, test};
  dtype_id t = result_type(both);
  array keys = sort(at(ravel(at(detail::cast(at(detail::to_array(test), w), t), w)), w));
  array x = detail::cast(at(detail::to_array(a), w), t);
  if (detail::is_unsized(keys)) {  // of unknown length, so that places past the last key can't be told
    array first = searchsorted(at(keys, w), at(x, w)), after = searchsorted(at(keys, w), at(x, w), "right");
    array same = equal(at(x, w), at(x, w));  // not so of NaN
    return logical_and(at(not_equal(at(first, w), at(after, w)), w), at(same, w));
  }
  if (keys.size() == 0) return zeros(x.shape(), bool_, w);
  array place = searchsorted(at(keys, w), at(x, w));
  place = minimum(at(place, w), at(keys.size() - 1, w));
  return equal(at(take(at(keys, w), at(place, w)), w), at(x, w));
}

}  // namespace numjit
