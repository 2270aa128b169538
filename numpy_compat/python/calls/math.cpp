// Differences, parts of numbers, comparisons of whole arrays.
#include "call.h"

#include <algorithm>
#include <numbers>

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

// ---- bits ----

nb::object call_packbits(const Given& a) {
  std::string order = text_in(a[2], "pack() argument 3");
  for (const char* name : {"big", "little"})
    if (order.starts_with(name)) order = name;  // NumPy reads no further
  const array x = array_in(a[0]);
  return give(packbits(operand_of(x), a.optional_integer(1), order.c_str()));
}
nb::object call_unpackbits(const Given& a) {
  const array x = array_in(a[0]);
  const std::string order = text_in(a[3], "unpack() argument 4");
  if (!order.starts_with('l') && !order.starts_with('b')) throw ValueError("", "'order' must begin with 'l' or 'b'");
  const std::optional<std::int64_t> axis = a.optional_integer(1), count = a.optional_integer(2);
  const array rows = axis && x.ndim() == 0 ? reshape(operand_of(x), {1}) : x;
  if (count && -*count > 8 * (axis ? rows.shape(normalize_axis("unpackbits", *axis, rows.ndim())) : x.size()))
    throw ValueError("", "-count larger than number of elements");
  return give(unpackbits(x, axis, count, order[0] == 'l' ? "little" : "big"));
}

// ---- windows ----

namespace {

array window(std::string_view name, double M, double beta) {
  if (M < 1) return zeros({0});
  const auto n = static_cast<std::int64_t>(M);
  if (M == static_cast<double>(n)) {
    if (name == "bartlett") return bartlett(n);
    if (name == "blackman") return blackman(n);
    if (name == "hamming") return hamming(n);
    if (name == "hanning") return hanning(n);
    return kaiser(n, beta);
  }
  // The formulas at points two apart, for a length that is no integer.
  const array at = arange(1 - M, M, 2.0), turn = std::numbers::pi / (M - 1) * at;
  if (name == "bartlett") return 1 - abs(at) / (M - 1);
  if (name == "hanning") return 0.5 + 0.5 * cos(turn);
  if (name == "hamming") return 0.54 + 0.46 * cos(turn);
  if (name == "blackman") return 0.42 + 0.5 * cos(turn) + 0.08 * cos(2 * turn);
  const double half = (M - 1) / 2;
  const array place = (arange(0.0, M) - half) / half;
  return i0(beta * sqrt(1 - place * place)) / i0(beta);
}

}  // namespace

nb::object call_bartlett(const Given& a) { return give(window("bartlett", a.real(0), 0)); }
nb::object call_blackman(const Given& a) { return give(window("blackman", a.real(0), 0)); }
nb::object call_hamming(const Given& a) { return give(window("hamming", a.real(0), 0)); }
nb::object call_hanning(const Given& a) { return give(window("hanning", a.real(0), 0)); }
nb::object call_kaiser(const Given& a) { return give(window("kaiser", a.real(0), a.real(1))); }
nb::object call_i0(const Given& a) {
  const array x = array_in(a[0]);
  if (x.dtype().kind() == 'c') throw TypeError("", "i0 not supported for complex values");
  return give(i0(operand_of(x)));
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
