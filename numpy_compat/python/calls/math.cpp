// Differences, parts of numbers, comparisons of whole arrays.
#include "call.h"

#include <algorithm>

namespace numjit::py {

namespace {

/// Arrays that are compared as wholes: what is none is equal to nothing.
template <class F>
nb::object compared(const Given& a, F&& compare) {
  array x, y;
  try {
    x = array_in(a[0]);
    y = array_in(a[1]);
  } catch (...) {
    translate_error();
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw ErrorSet();
    PyErr_Clear();
    return nb::bool_(false);
  }
  return nb::bool_(compare(operand_of(x), operand_of(y)));
}

}  // namespace

// ---- differences ----

nb::object call_diff(const Given& a) {
  const std::int64_t n = a.integer(1);
  if (n == 0) return nb::borrow(a[0]);
  diff_options o{.n = static_cast<int>(std::clamp<std::int64_t>(n, -1, 1 << 30)), .axis = a.integer(2)};
  if (n < 0) throw ValueError("", "order must be non-negative but got " + std::to_string(n));
  if (a.is_given(3)) o.prepend = array_in(a[3]);
  if (a.is_given(4)) o.append = array_in(a[4]);
  return give(diff(Argument(a[0].ptr()), o));
}
nb::object call_ediff1d(const Given& a) {
  return give(ediff1d(Argument(a[0].ptr()), {.to_end = opt_array(a[1]), .to_begin = opt_array(a[2])}));
}

// ---- parts of numbers ----

nb::object call_sinc(const Given& a) { return give_result(sinc(Argument(a[0].ptr()))); }
nb::object call_angle(const Given& a) { return give_result(angle(Argument(a[0].ptr()), a.truth(1))); }
nb::object call_iscomplex(const Given& a) { return give_result(iscomplex(Argument(a[0].ptr()))); }
nb::object call_isreal(const Given& a) { return give_result(isreal(Argument(a[0].ptr()))); }
nb::object call_real_if_close(const Given& a) {
  const array x = array_in(a[0]);
  return give_view(real_if_close(operand_of(x), a.real(1)), a[0]);
}

// ---- wholes ----

nb::object call_array_equal(const Given& a) {
  const bool equal_nan = a.truth(2);
  return compared(a, [&](const operand& x, const operand& y) { return array_equal(x, y, equal_nan); });
}
nb::object call_array_equiv(const Given& a) {
  return compared(a, [](const operand& x, const operand& y) { return array_equiv(x, y); });
}

}  // namespace numjit::py
