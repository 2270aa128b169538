// Polynomials as coefficients, highest power first.
#include "call.h"

#include <algorithm>

namespace numjit::py {

namespace {

/// The class poly1d, which is Python's.
PyObject* class_of_polynomials() {
  static PyObject* const found = kept_from("numjit._polynomials", "poly1d");
  return found;
}
bool is_polynomial(Any o) {
  return !is_array(o.ptr()) && PyType_IsSubtype(Py_TYPE(o.ptr()), reinterpret_cast<PyTypeObject*>(class_of_polynomials()));
}
array coefficients_in(Any o) { return is_polynomial(o) ? to_array(nb::object(o.attr("coeffs")).ptr()) : array_in(o); }

/// Results of functions of coefficients are polynomials where an argument is one.
nb::object kept(array made, std::initializer_list<Any> of) {
  nb::object given = give_result(std::move(made));
  return std::any_of(of.begin(), of.end(), is_polynomial) ? nb::handle(class_of_polynomials())(given) : given;
}

/// As int() makes it.
int whole_in(Any o) {
  const nb::object whole = nb::steal(PyNumber_Long(o.ptr()));
  if (!whole.is_valid()) throw ErrorSet();
  return static_cast<int>(std::clamp<std::int64_t>(to_int(whole.ptr()), -1, 1 << 30));
}

}  // namespace

nb::object call_polyval(const Given& a) {
  const array p = coefficients_in(a[0]);
  if (!is_polynomial(a[1])) {
    const Argument x(a[1].ptr());
    return give_result(computed(p, [&](const operand& each) { return polyval(each, x); }));
  }
  nb::object made = nb::handle(class_of_polynomials())(0);
  for (nb::handle c : give(p)) made = made * a[1] + c;
  return made;
}
nb::object call_polyadd(const Given& a) {
  const array x = coefficients_in(a[0]), y = coefficients_in(a[1]);
  return kept(polyadd(operand_of(x), operand_of(y)), {a[0], a[1]});
}
nb::object call_polysub(const Given& a) {
  const array x = coefficients_in(a[0]), y = coefficients_in(a[1]);
  return kept(polysub(operand_of(x), operand_of(y)), {a[0], a[1]});
}
nb::object call_polymul(const Given& a) {
  const array x = coefficients_in(a[0]), y = coefficients_in(a[1]);
  return kept(polymul(operand_of(x), operand_of(y)), {a[0], a[1]});
}
nb::object call_polydiv(const Given& a) {
  const array u = coefficients_in(a[0]), v = coefficients_in(a[1]);
  auto [quotient, rest] = polydiv(operand_of(u), operand_of(v));
  return nb::make_tuple(kept(std::move(quotient), {a[0], a[1]}), kept(std::move(rest), {a[0], a[1]}));
}
nb::object call_polyder(const Given& a) {
  const int m = whole_in(a[1]);
  const array p = coefficients_in(a[0]);
  return kept(polyder(operand_of(p), m), {a[0]});
}
nb::object call_polyint(const Given& a) {
  const int m = whole_in(a[1]);
  const array p = coefficients_in(a[0]), k = opt_array(a[2]);
  return kept(polyint(operand_of(p), m, k), {a[0]});
}
nb::object call_roots(const Given& a) {
  const array p = coefficients_in(a[0]);
  return give(roots(operand_of(p)));
}
nb::object call_poly(const Given& a) {
  const array zeros = array_in(a[0]);
  array made = poly(operand_of(zeros));
  return made.ndim() > 0 ? give(std::move(made)) : nb::float_(1.0);  // of no zeros
}

namespace {

/// NumPy's warning of a fit that points don't determine.
void warn_of_rank(std::int64_t rank, int deg) {
  if (rank > deg) return;
  const nb::object category = nb::module_::import_("numjit.exceptions").attr("RankWarning");
  if (PyErr_WarnEx(category.ptr(), "Polyfit may be poorly conditioned", 1) != 0) throw ErrorSet();
}

}  // namespace

nb::object call_polyfit(const Given& a) {
  const double degree = a.real(2);
  const int deg = degree < 0 ? -1 : static_cast<int>(std::min(degree, 0x1p30));
  const array x = array_in(a[0]), y = array_in(a[1]);
  polyfit_options o{.w = opt_array(a[5])};
  if (!a.is_none(3)) o.rcond = a.real(3);
  if (!a.truth(4) && a.truth(6)) {
    const bool is_unscaled = PyUnicode_Check(a[6].ptr()) && std::string_view(utf8(a[6].ptr())) == "unscaled";
    const polyfit_cov_result fit = polyfit_cov(operand_of(x), operand_of(y), deg, o, !is_unscaled);
    warn_of_rank(fit.rank, deg);
    return nb::make_tuple(give(fit.c), give(fit.V));
  }
  const polyfit_full_result fit = polyfit_full(operand_of(x), operand_of(y), deg, o);
  if (!a.truth(4)) {
    warn_of_rank(fit.rank, deg);
    return give(fit.c);
  }
  const dtype type = x.dtype().kind() == 'f' ? x.dtype() : x.dtype() == complex64 ? float32 : float64;
  const nb::object rcond = a.is_none(3) ? give_result(array(fit.rcond, {.dtype = type})) : nb::borrow(a[3]);
  return nb::make_tuple(give(fit.c), give(fit.residuals), give_result(array(fit.rank, {.dtype = int32})), give(fit.s), rcond);
}

}  // namespace numjit::py
