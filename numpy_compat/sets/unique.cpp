// Distinct values and rows, and membership.

#include <at_hand.h>
#include "value_table.h"

namespace numjit {

using detail::call;
using detail::slice_axis;

namespace {

/// True at the first of each run of equal elements of a sorted 1-D array; NaNs are one run, or one each.
array run_starts(const array& sorted, bool equal_nan) {
  const bool may_be_nan = sorted.dtype().kind() == 'f' || sorted.dtype().kind() == 'c';
  if (detail::is_unsized(sorted) && sorted.dtype().kind() != 'c') {
    // Without slices, which need a length: the first of its run is where its value would be inserted.
    const array first = searchsorted(sorted, sorted);
    const array starts = first == cumsum(first >= 0) - 1;
    return may_be_nan && !equal_nan ? starts | isnan(sorted) : starts;
  }
  const std::int64_t n = sorted.size();
  const array starts = ones(n, bool_);
  if (n < 2) return starts;
  const array next = slice_axis(sorted, 0, 1, layout::none), before = slice_axis(sorted, 0, layout::none, -1);
  array differs = next != before;
  if (may_be_nan && equal_nan) differs = differs & logical_not(isnan(next) & isnan(before));
  call(op_id::store, {slice_axis(starts, 0, 1, layout::none), differs});
  return starts;
}

/// What sorts the vector: indices, the first of each run among them, and the number of the run of each element.
struct runs {
  array order, starts, group;
};
runs runs_of(const array& flat, bool equal_nan) {
  const array order = argsort(flat);
  const array starts = run_starts(take(flat, order), equal_nan);
  return {order, starts, cumsum(starts) - 1};
}

unique_result distinct(const array& flat, bool equal_nan) {
  const runs r = runs_of(flat, equal_nan);
  const array places = flatnonzero(r.starts);
  unique_result u;
  u.indices = take(r.order, places);
  u.values = take(flat, u.indices);
  if (detail::is_unsized(flat)) {
    u.inverse_indices = take(r.group, argsort(r.order));
  } else {
    u.inverse_indices = zeros(flat.size(), int64);
    call(op_id::put_index, {u.inverse_indices, r.order, r.group});
  }
  if (detail::is_unsized(places))  // differences of places would have a length of their own
    u.counts = take(bincount(r.group), take(r.group, places));
  else
    u.counts = diff(concatenate({places, asarray(flat.size()).reshape({1})}));
  return u;
}

/// The dense rank of each element within its column: equal elements have equal ranks, NaNs different ones.
array ranks(const array& table) {
  const array order = argsort(table, 0);
  const array sorted = take_along_axis(table, order, 0);
  const array differs = slice_axis(sorted, 0, 1, layout::none) != slice_axis(sorted, 0, layout::none, -1);
  const array steps = concatenate({zeros({1, table.shape(1)}, bool_), differs}, {.axis = 0});
  return take_along_axis(cumsum(steps, {.axis = 0}), argsort(order, 0), 0);
}

/// The rank of each row by its elements, the first one first. Neighbouring columns of ranks become one, until one
/// is left: the graph grows with the logarithm of their number.
array row_ranks(const array& table) {
  const std::int64_t n = table.shape(0);
  if (table.shape(1) == 0 || n == 0) return zeros({n}, int64);
  array r = ranks(table);
  while (r.shape(1) > 1) {
    const std::int64_t pairs = r.shape(1) / 2;
    const array joined = ranks(slice_axis(r, 1, 0, 2 * pairs, 2) * n + slice_axis(r, 1, 1, 2 * pairs, 2));
    r = r.shape(1) % 2 == 0 ? joined : concatenate({joined, slice_axis(r, 1, 2 * pairs, layout::none)}, {.axis = 1});
  }
  return reshape(r, {n});
}

unique_result distinct_rows(const operand& a, std::int64_t axis) {
  const array x = detail::to_array(a);
  const int k = normalize_axis("unique", axis, x.ndim());
  const array rows = k == 0 ? x : moveaxis(x, k, 0);
  const std::int64_t n = rows.shape(0);
  std::int64_t width = 1;
  for (int i = 1; i < rows.ndim(); ++i) width *= rows.shape(i);
  unique_result u = distinct(row_ranks(reshape(rows, {n, width})), true);
  const array values = take(rows, u.indices, 0);
  u.values = k == 0 ? values : moveaxis(values, 0, k);
  return u;
}

}  // namespace

array unique(const operand& a, const unique_options& o) {
  const location_scope scope(a.where());
  if (o.axis) return distinct_rows(a, *o.axis).values;
  const array flat = ravel(a);
  if (const auto span = detail::value_span_of(flat)) return detail::distinct_by_table(flat, *span);
  const array sorted = sort(flat);
  const array values = call(op_id::mask_select, {sorted, run_starts(sorted, o.equal_nan)});
  if (flat.dtype().kind() != 'c' || !o.equal_nan || detail::is_unsized(flat) || flat.size() == 0) return values;
  // Of complex NaNs, whose other parts may differ, NumPy keeps the first.
  return where(isnan(values), take(flat, argmax(isnan(flat))), values);
}
unique_result unique_all(const operand& a, const unique_options& o) {
  const location_scope scope(a.where());
  if (o.axis) return distinct_rows(a, *o.axis);
  const array flat = ravel(a);
  const auto span = detail::value_span_of(flat);
  unique_result u = span ? detail::unique_by_table(flat, *span, false) : distinct(flat, o.equal_nan);
  if (!detail::is_unsized(flat)) u.inverse_indices = detail::reshape_view(u.inverse_indices, detail::shape_of(a));
  return u;
}

namespace {

/// The same of complex numbers, which the row does not order.
array complex_members(const array& x, const array& keys, bool invert) {
  const auto result = [&](const array& found) { return invert ? logical_not(found) : found; };
  if (detail::is_unsized(keys)) {  // of unknown length, so that places past the last key can't be told
    const array first = searchsorted(keys, x), after = searchsorted(keys, x, "right");
    return result((first != after) & (x == x));  // not so of NaN
  }
  if (keys.size() == 0) return result(zeros_like(x, {.dtype = bool_}));
  return result(take(keys, minimum(searchsorted(keys, x), keys.size() - 1)) == x);
}

}  // namespace

namespace {
void check_kind(std::string_view kind, const operand& a, const operand& test) {
  if (kind == "sort") return;
  if (kind != "table") throw ValueError("isin", "Invalid kind: '" + std::string(kind) + "'. Please use None, 'sort' or 'table'.");
  for (const operand& each : {a, test})
    if (!detail::is_integral_type(detail::to_array(each).get()->type))
      throw ValueError(
          "isin", "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind.");
}
}  // namespace

array isin(const operand& a, const operand& test, const isin_options& o) {
  const location_scope scope(a.where());
  if (o.kind) check_kind(o.kind, a, test);
  const operand both[] = {a, test};
  const array x = detail::to_array(a), among = detail::cast(detail::to_array(test), result_type(both));
  if (detail::is_at_hand(x) && detail::is_at_hand(among))
    if (const auto span = detail::value_span_of(among); span && detail::is_integral_type(x.get()->type))
      return detail::isin_by_table(x, among, *span, o.invert);
  const array keys = sort(ravel(among));
  if (keys.dtype().kind() == 'c') return complex_members(detail::cast(x, keys.get()->type), keys, o.invert);
  return call(op_id::isin, {keys, x}, layout::side_params(o.invert));
}

}  // namespace numjit
