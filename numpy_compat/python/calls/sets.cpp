// Sets: distinct values, and whether values occur.
#include "call.h"

#include <surface.h>

namespace numjit::py {

namespace {

bool is_of_integers(const array& a) { return detail::is_integral_type(a.dtype().id()); }

/// kind= of np.isin, which changes nothing but what is refused.
void check_kind(Any kind, const array& a, const array& among) {
  if (kind.is_none()) return;
  const std::string text = PyUnicode_Check(kind.ptr()) ? utf8(kind.ptr()) : nb::cast<std::string>(nb::str(kind));
  if (text == "sort") return;
  if (text != "table") throw ValueError("", "Invalid kind: '" + text + "'. Please use None, 'sort' or 'table'.");
  if (!is_of_integers(a) || !is_of_integers(among))
    throw ValueError(
        "", "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind.");
  if (among.size() == 0) return;
  const dtype type = among.dtype() == numjit::bool_ ? numjit::uint8 : among.dtype();
  const array wide = among.astype(numjit::float64, {});
  const double span = static_cast<double>(max(wide)) - static_cast<double>(min(wide));
  if (span <= static_cast<double>(iinfo(type).max)) return;
  PyErr_SetString(PyExc_RuntimeError,
                  "You have specified kind='table', but the range of values in `ar2` or `ar1` exceed the maximum integer of the "
                  "datatype. Please set `kind` to None or 'sort'.");
  throw ErrorSet();
}

}  // namespace

nb::object call_unique(const Given& a) {
  const array x = array_in(a[0]);
  if (PyFloat_Check(a[4].ptr())) throw TypeError("", "integer argument expected, got float");
  std::optional<std::int64_t> axis = a.optional_integer(4);
  if (axis && x.ndim() == 1) {  // rows of one element: NaNs count as one value, too
    normalize_axis("unique", *axis, 1);
    axis.reset();
  }
  const unique_options o{.axis = axis, .equal_nan = a.truth(5)};
  const bool indices = a.truth(1), inverse = a.truth(2), counts = a.truth(3);
  if (!indices && !inverse && !counts) return give(unique(operand_of(x), o));
  if (!axis && !indices && !inverse && is_of_integers(x)) {
    unique_counts_result found = unique_counts(operand_of(x));
    return nb::make_tuple(give(std::move(found.values)), give(std::move(found.counts)));
  }
  unique_result found = unique_all(operand_of(x), o);
  nb::list made;
  made.append(give(std::move(found.values)));
  if (indices) made.append(give(std::move(found.indices)));
  if (inverse) made.append(give(std::move(found.inverse_indices)));
  if (counts) made.append(give(std::move(found.counts)));
  return nb::tuple(made);
}

nb::object call_unique_all(const Given& a) {
  static PyObject* const type = kept_from("numjit._sets", "UniqueAllResult");
  const array x = array_in(a[0]);
  const unique_result r = unique_all(operand_of(x), {.equal_nan = false});
  return nb::handle(type)(give(r.values), give(r.indices), give(r.inverse_indices), give(r.counts));
}
nb::object call_unique_counts(const Given& a) {
  static PyObject* const type = kept_from("numjit._sets", "UniqueCountsResult");
  const array x = array_in(a[0]);
  const unique_counts_result r = unique_counts(operand_of(x));
  return nb::handle(type)(give(r.values), give(r.counts));
}
nb::object call_unique_inverse(const Given& a) {
  static PyObject* const type = kept_from("numjit._sets", "UniqueInverseResult");
  const array x = array_in(a[0]);
  const unique_inverse_result r = unique_inverse(operand_of(x));
  return nb::handle(type)(give(r.values), give(r.inverse_indices));
}
nb::object call_unique_values(const Given& a) {
  const array x = array_in(a[0]);
  return give(unique_values(operand_of(x)));
}

nb::object call_isin(const Given& a) {
  const array x = array_in(a[0]), among = array_in(a[1]).ravel({});
  check_kind(a[4], x, among);
  return give(isin(operand_of(x), operand_of(among), {.assume_unique = a.truth(2), .invert = a.truth(3)}));
}
nb::object call_intersect1d(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  const set_options o{.assume_unique = a.truth(2)};
  if (!a.truth(3)) return give(intersect1d(operand_of(x), operand_of(y), o));
  intersect1d_result found = intersect1d_all(operand_of(x), operand_of(y));
  return nb::make_tuple(give(std::move(found.values)), give(std::move(found.a_indices)), give(std::move(found.b_indices)));
}
nb::object call_union1d(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  if (!is_weak_number(a[0].ptr()) && !is_weak_number(a[1].ptr())) return give(union1d(operand_of(x), operand_of(y)));
  const dtype type = *common_dtype(nb::make_tuple(nb::handle(a[0]), nb::handle(a[1])));
  const array both[] = {x.astype(type, {}), y.astype(type, {})};
  return give(union1d(operand_of(both[0]), operand_of(both[1])));
}
nb::object call_setdiff1d(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  return give(setdiff1d(operand_of(x), operand_of(y), {.assume_unique = a.truth(2)}));
}
nb::object call_setxor1d(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  return give(setxor1d(operand_of(x), operand_of(y), {.assume_unique = a.truth(2)}));
}

}  // namespace numjit::py
