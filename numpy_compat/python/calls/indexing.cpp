// Elements at places, diagonals, triangles.
#include "call.h"

namespace numjit::py {

namespace {

nb::object arrays_of(array_list made) { return nb::tuple(give_list(std::move(made))); }

/// An argument that NumPy asks for its attributes: AttributeError for lists.
array array_with_attributes(Any o) {
  if (!has_attribute(o.ptr(), "ndim")) (void)nb::handle(o).attr("ndim");
  return array_in(o);
}

}  // namespace

nb::object call_extract(const Given& a) { return give(extract(array_in(a[0]), Argument(a[1].ptr()))); }

// ---- along an axis ----

nb::object call_take_along_axis(const Given& a) {
  return give(take_along_axis(Argument(a[0].ptr()), array_in(a[1]), {.axis = a.optional_integer(2)}));
}
nb::object call_put_along_axis(const Given& a) {
  Argument values(a[2].ptr());
  put_along_axis(checked_array(a[0].ptr()), array_in(a[1]), values, {.axis = a.optional_integer(3)});
  return nb::none();
}

// ---- diagonals and triangles ----

nb::object call_diagonal(const Given& a) {
  return give_view(diagonal(Argument(a[0].ptr()), a.integer(1), a.integer(2), a.integer(3)), a[0]);
}
nb::object call_trace(const Given& a) {
  for (const std::size_t i : {1, 2, 3})
    if (PyFloat_Check(a[i].ptr())) throw TypeError("", "integer argument expected, got float");
  const array x = array_in(a[0]);
  trace_keywords o{.offset = a.integer(1), .axis1 = a.integer(2), .axis2 = a.integer(3)};
  o.dtype = dtype_in(to_kept_type(a[4].ptr()));
  if (!a.is_none(5)) o.out = target_in(a[5], "output must be an array");
  return give_or_out(trace(operand_of(x), o), a[5]);
}
nb::object call_diag_indices(const Given& a) {
  const array one = arange(Argument(a[0].ptr()));
  nb::object made = give(one);
  nb::list all;
  for (std::int64_t i = a.integer(1); i > 0; --i) all.append(made);
  return nb::tuple(all);
}
nb::object call_diag_indices_from(const Given& a) { return arrays_of(diag_indices_from(array_with_attributes(a[0]))); }
nb::object call_tril_indices_from(const Given& a) {
  return arrays_of(tril_indices_from(array_with_attributes(a[0]), a.integer(1)));
}
nb::object call_triu_indices_from(const Given& a) {
  return arrays_of(triu_indices_from(array_with_attributes(a[0]), a.integer(1)));
}
nb::object call_ix_(const Given& a) {
  array_list vectors;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a[0].ptr()); ++i) {
    PyObject* const o = PyTuple_GET_ITEM(a[0].ptr(), i);
    array v = to_array(o);
    if (v.size() == 0 && !is_array(o)) v = v.astype(numjit::int64, {});
    vectors.push_back(std::move(v));
  }
  return arrays_of(ix_(vectors));
}

}  // namespace numjit::py
