// Distinct values and rows, and membership.
#include <numjit/eager/membership.h>

#include <at_hand.h>
#include <placed.h>
#include "value_table.h"

namespace numjit {

using detail::at;
using detail::call;
using detail::part;
using detail::place;
using detail::placed;

namespace {

/// True at the first of each run of equal elements of a sorted 1-D array; NaNs are one run, or one each.
placed run_starts(const placed& sorted, bool equal_nan) {
  const bool may_be_nan = sorted->dtype().kind() == 'f' || sorted->dtype().kind() == 'c';
  if (detail::is_unsized(sorted) && sorted->dtype().kind() != 'c') {
    // Without slices, which need a length: the first of its run is where its value would be inserted.
    const placed first = sorted.with(searchsorted(sorted, sorted));
    const placed starts = first == sorted.with(cumsum(first >= 0)) - 1;
    return may_be_nan && !equal_nan ? starts | sorted.with(isnan(sorted)) : starts;
  }
  const std::int64_t n = sorted->size();
  const placed starts = sorted.with(ones(n, bool_, sorted.where()));
  if (n < 2) return starts;
  const placed next = part(sorted, 0, 1, layout::none), before = part(sorted, 0, layout::none, -1);
  placed differs = next != before;
  if (may_be_nan && equal_nan) {
    const placed both = sorted.with(isnan(next)) & sorted.with(isnan(before));
    differs = differs & sorted.with(logical_not(both));
  }
  part(starts, 0, 1, layout::none).with(call(op_id::store, {part(starts, 0, 1, layout::none), differs}));
  return starts;
}

/// What sorts the vector: indices, the first of each run among them, and the number of the run of each element.
struct runs {
  placed order, starts, group;
};
runs runs_of(const placed& flat, bool equal_nan) {
  const placed order = flat.with(argsort(flat));
  const placed starts = run_starts(flat.with(take(flat, order)), equal_nan);
  return {order, starts, flat.with(cumsum(starts)) - 1};
}

unique_result distinct(const placed& flat, bool equal_nan) {
  const runs r = runs_of(flat, equal_nan);
  const placed places = flat.with(flatnonzero(r.starts));
  unique_result u;
  u.indices = take(r.order, places);
  u.values = take(flat, at(u.indices, flat.where()));
  if (detail::is_unsized(flat)) {
    u.inverse_indices = take(r.group, flat.with(argsort(r.order)));
  } else {
    const placed inverse = flat.with(zeros(flat->size(), int64, flat.where()));
    call(op_id::put_index, {inverse, r.order, r.group});
    u.inverse_indices = inverse;
  }
  if (detail::is_unsized(places)) {  // differences of places would have a length of their own
    const placed counts = flat.with(bincount(r.group));
    u.counts = take(counts, flat.with(take(r.group, places)));
    return u;
  }
  const array end = asarray(at(flat->size(), flat.where())).reshape({1});
  u.counts = diff(flat.with(concatenate({places, end}, {}, flat.where())));
  return u;
}

/// The dense rank of each element within its column: equal elements have equal ranks, NaNs different ones.
placed ranks(const placed& table) {
  const placed order = table.with(argsort(table, 0));
  const placed sorted = table.with(take_along_axis(table, order, 0));
  const placed differs = part(sorted, 0, 1, layout::none) != part(sorted, 0, layout::none, -1);
  const placed first = table.with(zeros({1, table->shape(1)}, bool_, table.where()));
  const placed steps = table.with(concatenate({first, differs}, {.axis = 0}, table.where()));
  return table.with(take_along_axis(table.with(cumsum(steps, {.axis = 0})), table.with(argsort(order, 0)), 0));
}

/// The rank of each row by its elements, the first one first. Neighbouring columns of ranks become one, until one
/// is left: the graph grows with the logarithm of their number.
placed row_ranks(const placed& table) {
  const std::int64_t n = table->shape(0);
  if (table->shape(1) == 0 || n == 0) return table.with(zeros({n}, int64, table.where()));
  placed r = ranks(table);
  while (r->shape(1) > 1) {
    const std::int64_t pairs = r->shape(1) / 2;
    const placed joined = ranks(part(r, 1, 0, 2 * pairs, 2) * n + part(r, 1, 1, 2 * pairs, 2));
    r = r->shape(1) % 2 == 0 ? joined
                             : r.with(concatenate({joined, part(r, 1, 2 * pairs, layout::none)}, {.axis = 1}, r.where()));
  }
  return r.with(reshape(r, {n}));
}

unique_result distinct_rows(const operand& a, std::int64_t axis) {
  const placed x = place(a);
  const int k = normalize_axis("unique", axis, x->ndim());
  const placed rows = k == 0 ? x : x.with(moveaxis(x, k, 0));
  const std::int64_t n = rows->shape(0);
  std::int64_t width = 1;
  for (int i = 1; i < rows->ndim(); ++i) width *= rows->shape(i);
  unique_result u = distinct(row_ranks(rows.with(reshape(rows, {n, width}))), true);
  const array values = take(rows, at(u.indices, x.where()), 0);
  u.values = k == 0 ? values : moveaxis(at(values, x.where()), 0, k);
  return u;
}

}  // namespace

array unique(const operand& a, const unique_options& o) {
  if (o.axis) return distinct_rows(a, *o.axis).values;
  const placed flat = place(ravel(a), a.where());
  if (const auto span = detail::value_span_of(flat)) return detail::distinct_by_table(flat, *span);
  const placed sorted = flat.with(sort(flat));
  const placed values = flat.with(call(op_id::mask_select, {sorted, run_starts(sorted, o.equal_nan)}));
  if (flat->dtype().kind() != 'c' || !o.equal_nan || detail::is_unsized(flat) || flat->size() == 0) return values;
  // Of complex NaNs, whose other parts may differ, NumPy keeps the first.
  const placed first = flat.with(take(flat, flat.with(argmax(flat.with(isnan(flat))))));
  return where(flat.with(isnan(values)), first, values);
}
unique_result unique_all(const operand& a, const unique_options& o) {
  if (o.axis) return distinct_rows(a, *o.axis);
  const placed flat = place(ravel(a), a.where());
  const auto span = detail::value_span_of(flat);
  unique_result u = span ? detail::unique_by_table(flat, *span, false) : distinct(flat, o.equal_nan);
  if (!detail::is_unsized(flat)) u.inverse_indices = detail::reshape_view(at(u.inverse_indices, a.where()), detail::shape_of(a));
  return u;
}

namespace {

/// isin() in one pass, without arrays of places.
array members_at_hand(const array& x, const placed& given, bool invert) {
  const placed keys = given.with(sort(given.with(ravel(given))));
  const array found = detail::fresh(dtype_id::bool_, x.shape());
  eager::find_members(x.get(), keys->get(), invert, detail::data_of<bool>(found));
  return found;
}

}  // namespace

array isin(const operand& a, const operand& test, const isin_options& o) {
  const operand both[] = {a, test};
  const dtype_id t = result_type(both);
  const placed given = place(detail::cast(at(detail::to_array(test), a.where()), t), a.where());
  const array own = detail::to_array(a);
  if (detail::is_at_hand(own) && detail::is_at_hand(given)) {  // its own elements, whatever dtype they are compared in
    const auto span = detail::value_span_of(given);
    if (span && detail::is_integral_type(own.get()->type)) return detail::isin_by_table(own, given, *span, o.invert);
    if (dtype(t).kind() != 'c') return members_at_hand(own, given, o.invert);
  }
  const placed x = given.with(detail::cast(at(own, a.where()), t));
  const placed keys = given.with(sort(given.with(ravel(given))));
  auto result = [&](const placed& found) -> array { return o.invert ? logical_not(found) : array(found); };
  if (detail::is_unsized(keys)) {  // of unknown length, so that places past the last key can't be told
    const placed first = x.with(searchsorted(keys, x)), after = x.with(searchsorted(keys, x, "right"));
    return result((first != after) & (x == x));  // not so of NaN
  }
  if (keys->size() == 0) return result(x.with(zeros_like(x, {.dtype = bool_})));
  const placed places = x.with(minimum(x.with(searchsorted(keys, x)), at(keys->size() - 1, x.where())));
  return result(x.with(take(keys, places)) == x);
}

}  // namespace numjit
