// Sorting, searching, counting.
#include "call.h"

#include <cstring>

#include <math/checks.h>
#include <surface.h>

namespace numjit::py {

namespace {

void check_no_order(Any order) {
  if (!order.is_none()) throw ValueError("", "Cannot specify order when the array has no fields.");
}
/// kind=, order= and stable= of sorts, all of which give the same.
void check_sort(Any kind, Any order, Any stable) {
  check_no_order(order);
  if (kind.is_none()) return;
  if (!stable.is_none())
    throw ValueError("", "`kind` and keyword parameters can't be provided at the same time. Use only one of them.");
  const std::string text = text_in(kind, "sort kind");
  const char first = first_letter(text);
  if (first == 0 || !std::strchr("qhms", first))
    throw ValueError("", "sort kind must be one of 'quick', 'heap', or 'stable' (got '" + text + "')");
}

/// Places that np.partition sorts.
std::vector<std::int64_t> places_in(Any o, Any kind) {
  if (std::string_view(text_in(kind, "select kind")) != "introselect")
    throw ValueError("", "select kind must be 'introselect' (got " + nb::cast<std::string>(nb::repr(kind)) + ")");
  const array kth = array_in(o);
  if (const char c = kth.dtype().kind(); c != 'i' && c != 'u') throw TypeError("", "Partition index must be integer");
  if (kth.ndim() > 1) throw ValueError("", too_deep(!is_array(o.ptr())));
  // Places at hand end no graph.
  std::vector<std::int64_t> known = detail::known_values<std::int64_t>(operand_of(kth));
  return known.empty() ? kth.astype(numjit::int64, {}).ravel({}).tolist<std::int64_t>() : known;
}

nb::object partitioned(const Given& a, const array& x, bool indices) {
  check_no_order(a[4]);
  const std::optional<std::int64_t> axis = a.optional_integer(2);
  if (axis) normalize_axis(indices ? "argpartition" : "partition", *axis, x.ndim());
  const std::vector<std::int64_t> kth = places_in(a[1], a[3]);
  array made;
  {
    MaybeUnlocked unlocked(x.get()->size);
    made = detail::partition_places(operand_of(x), kth, axis, indices);
  }
  return give(std::move(made));
}

}  // namespace

// ---- sorting ----

nb::object call_sort(const Given& a) {
  const array x = array_in(a[0]);
  check_sort(a[2], a[3], a[4]);
  const sort_options o{.axis = a.optional_integer(1), .descending = a.truth(5)};
  array made;
  {
    MaybeUnlocked unlocked(4 * x.get()->size);
    made = sort(operand_of(x), o);
  }
  return give(std::move(made));
}
nb::object call_argsort(const Given& a) {
  const array x = array_in(a[0]);
  check_sort(a[2], a[3], a[4]);
  return give(argsort(operand_of(x), {.axis = a.optional_integer(1), .descending = a.truth(5)}));
}
nb::object call_partition(const Given& a) { return partitioned(a, array_in(a[0]), false); }
nb::object call_argpartition(const Given& a) {
  const array x = array_in(a[0]);
  return partitioned(a, x.ndim() == 0 ? reshape(operand_of(x), {1}) : x, true);
}
nb::object call_sort_complex(const Given& a) { return give(sort_complex(Argument(a[0].ptr()))); }

// ---- searching and counting ----

nb::object call_searchsorted(const Given& a) {
  const searchsorted_options o{.side = text_in(a[2], "search side"), .sorter = opt_array(a[3])};
  const array x = array_in(a[0]), v = array_in(a[1]);
  return give_result(searchsorted(operand_of(x), operand_of(v), o));
}
nb::object call_digitize(const Given& a) {
  const array x = array_in(a[0]), bins = array_in(a[1]);
  return give_result(digitize(operand_of(x), operand_of(bins), {.right = a.truth(2)}));
}

nb::object call_bincount(const Given& a) {
  array x = array_in(a[0]);
  const bool is_list = PyList_Check(a[0].ptr()) || PyTuple_Check(a[0].ptr());
  if (x.ndim() == 0) throw ValueError("", "object of too small depth for desired array");
  if (x.ndim() > 1) throw ValueError("", too_deep(is_list));
  const char kind = x.dtype().kind();
  if ((kind == 'f' || kind == 'c') && !is_list) detail::check_cast("", x, numjit::int64, "safe");
  x = x.astype(numjit::int64, {});
  bincount_options o{.minlength = a.integer(2)};
  if (o.minlength < 0) throw ValueError("", "'minlength' must not be negative");
  const bool is_empty = !detail::is_unsized(operand_of(x)) && x.size() == 0;  // of nothing NumPy gives counts
  if (a.is_none(1) || is_empty) return give(bincount(operand_of(x), o));
  const array weights = array_in(a[1]);
  if (!detail::same_shape(operand_of(weights), operand_of(x)))
    throw ValueError("", "The weights and list don't have the same length.");
  if (weights.dtype().kind() == 'c') detail::check_cast("", weights, numjit::float64, "safe");
  o.weights = weights;
  return give(bincount(operand_of(x), o));
}

nb::object call_nonzero(const Given& a) { return nb::tuple(give_list(nonzero(Argument(a[0].ptr())))); }
nb::object call_flatnonzero(const Given& a) { return give(flatnonzero(Argument(a[0].ptr()))); }
nb::object call_argwhere(const Given& a) { return give(argwhere(Argument(a[0].ptr()))); }

nb::object call_lexsort(const Given& a) {
  if (!is_sequence(a[0])) throw TypeError("", "need sequence of keys with len > 0 in lexsort");
  const array_list arrays = to_array_list(a[0].ptr());
  const std::int64_t axis = a.integer(1);
  const bool of_numbers = !arrays.empty() && arrays[0].ndim() == 0;
  if (of_numbers) normalize_axis("", axis, axis == 0 || axis == -1 ? 1 : 0);
  return give_result(lexsort(arrays, {.axis = of_numbers ? -1 : axis}));
}

}  // namespace numjit::py
