// Linear algebra: norms, solutions, decompositions.
#include <numjit/np_linalg.h>

#include "call.h"

namespace numjit::py {

namespace {

namespace l = numjit::linalg;

/// f(array) as another thread may run meanwhile: LAPACK's kernels do much for few elements.
template <class F>
auto factored(const array& x, F&& f) {
  MaybeUnlocked unlocked(64 * work_of(operand_of(x)));
  return f(operand_of(x));
}

template <array (*F)(const operand&)>
nb::object of_matrices(const Given& a) {
  return give(factored(array_in(a[0]), F));
}

/// A number that is left out, or an array of them.
class Optional {
 public:
  explicit Optional(const Any& h) {
    if (!h.is_none()) value_.set(h.ptr());
  }
  std::optional<operand> get() const { return value_.is_set() ? std::optional<operand>(value_.get()) : std::nullopt; }

 private:
  Argument value_;
};

l::norm_order order_in(Any o) {
  if (o.is_none()) return {};
  return PyUnicode_Check(o.ptr()) ? l::norm_order(utf8(o.ptr())) : l::norm_order(real_in(o));
}

/// axis=: a tuple of axes, or what int() takes.
axis_list axes_of_norm(Any o) {
  if (o.is_none() || PyTuple_Check(o.ptr())) return to_axes(o.ptr());
  const nb::object whole = nb::steal(PyNumber_Long(o.ptr()));
  if (whole.is_valid()) return to_axes(whole.ptr());
  if (!PyErr_ExceptionMatches(PyExc_Exception)) throw ErrorSet();
  PyErr_Clear();
  throw TypeError("", "'axis' must be None, an integer or a tuple of integers");
}

char half_in(Any o) {
  const std::string_view half = text_in(o, "UPLO");
  return half.size() == 1 ? half[0] : ' ';
}

/// The power of an integer of any size, which has up to 62 bits at a time.
array power_of(const array& x, const nb::object& n) {
  constexpr int bits = 62;
  int overflow = 0;
  const long long whole = PyLong_AsLongLongAndOverflow(n.ptr(), &overflow);
  if (overflow == 0) return l::matrix_power(operand_of(x), whole);
  if (overflow < 0) return power_of(l::inv(operand_of(x)), -n);
  const array of_high = power_of(x, n >> nb::int_(bits));
  const array of_low = power_of(x, n & nb::int_((std::int64_t(1) << bits) - 1));
  return matmul(operand_of(l::matrix_power(operand_of(of_high), std::int64_t(1) << bits)), operand_of(of_low));
}

}  // namespace

// ---- norms and numbers ----

nb::object call_linalg_norm(const Given& a) {
  const array x = array_in(a[0]);
  const l::norm_options o{order_in(a[1]), axes_of_norm(a[2]), a.truth(3)};
  return give_result(computed(x, [&](const operand& each) { return l::norm(each, o); }));
}
nb::object call_linalg_vector_norm(const Given& a) {
  const array x = array_in(a[0]);
  const l::vector_norm_options o{a.axes(1), a.truth(2), order_in(a[3])};
  return give_result(computed(x, [&](const operand& each) { return l::vector_norm(each, o); }));
}
nb::object call_linalg_matrix_norm(const Given& a) {
  const array x = array_in(a[0]);
  const l::matrix_norm_options o{a.truth(1), order_in(a[2])};
  return give_result(factored(x, [&](const operand& each) { return l::matrix_norm(each, o); }));
}
nb::object call_linalg_cond(const Given& a) {
  const array x = array_in(a[0]);
  const l::norm_order p = order_in(a[1]);
  return give_result(factored(x, [&](const operand& each) { return l::cond(each, p); }));
}
nb::object call_linalg_matrix_rank(const Given& a) {
  const array x = array_in(a[0]);
  const Optional tol(a[1]), rtol(a[3]);
  const l::rank_options o{tol.get(), a.truth(2), rtol.get()};
  return give_result(factored(x, [&](const operand& each) { return l::matrix_rank(each, o); }));
}
nb::object call_linalg_det(const Given& a) { return give_result(factored(array_in(a[0]), l::det)); }
nb::object call_linalg_slogdet(const Given& a) {
  static PyObject* const type = kept_from("numjit.linalg", "SlogdetResult");
  const l::slogdet_result r = factored(array_in(a[0]), l::slogdet);
  return nb::handle(type)(give_result(r.sign), give_result(r.logabsdet));
}

// ---- solutions ----

nb::object call_linalg_inv(const Given& a) { return of_matrices<l::inv>(a); }
nb::object call_linalg_solve(const Given& a) {
  const array left = array_in(a[0]), right = array_in(a[1]);
  return give(factored(left, [&](const operand& each) { return l::solve(each, operand_of(right)); }));
}
nb::object call_linalg_pinv(const Given& a) {
  const array x = array_in(a[0]);
  const Optional rcond(a[1]), rtol(a.is_given(3) ? a[3] : Any(nb::none()));
  const l::pinv_options o{rcond.get(), a.truth(2), rtol.get()};
  return give(factored(x, [&](const operand& each) { return l::pinv(each, o); }));
}
nb::object call_linalg_lstsq(const Given& a) {
  const array left = array_in(a[0]), right = array_in(a[1]);
  const std::optional<double> rcond = a.is_none(2) ? std::nullopt : std::optional(a.real(2));
  const l::lstsq_result r = factored(left, [&](const operand& each) { return l::lstsq(each, operand_of(right), rcond); });
  return nb::make_tuple(give(r.x), give(r.residuals), give_result(array(r.rank, {.dtype = int32})), give(r.s));
}
nb::object call_linalg_tensorsolve(const Given& a) {
  const array left = array_in(a[0]), right = array_in(a[1]);
  const std::optional<dims> axes = a.is_none(2) ? std::nullopt : std::optional(a.shape(2));
  return give(factored(left, [&](const operand& each) { return l::tensorsolve(each, operand_of(right), axes); }));
}
nb::object call_linalg_tensorinv(const Given& a) {
  const array x = array_in(a[0]);
  const int ind = static_cast<int>(a.integer(1));
  return give(factored(x, [&](const operand& each) { return l::tensorinv(each, ind); }));
}

// ---- decompositions ----

nb::object call_linalg_eig(const Given& a) {
  static PyObject* const type = kept_from("numjit.linalg", "EigResult");
  const l::eig_result r = factored(array_in(a[0]), l::eig);
  return nb::handle(type)(give(r.eigenvalues), give(r.eigenvectors));
}
nb::object call_linalg_eigvals(const Given& a) { return of_matrices<l::eigvals>(a); }
nb::object call_linalg_eigh(const Given& a) {
  static PyObject* const type = kept_from("numjit.linalg", "EighResult");
  const char half = half_in(a[1]);
  const l::eig_result r = factored(array_in(a[0]), [&](const operand& each) { return l::eigh(each, half); });
  return nb::handle(type)(give(r.eigenvalues), give(r.eigenvectors));
}
nb::object call_linalg_eigvalsh(const Given& a) {
  const char half = half_in(a[1]);
  return give(factored(array_in(a[0]), [&](const operand& each) { return l::eigvalsh(each, half); }));
}
nb::object call_linalg_svd(const Given& a) {
  static PyObject* const type = kept_from("numjit.linalg", "SVDResult");
  const l::svd_options o{a.truth(1), a.truth(2), a.truth(3)};
  const l::svd_result r = factored(array_in(a[0]), [&](const operand& each) { return l::svd(each, o); });
  return o.compute_uv ? nb::handle(type)(give(r.U), give(r.S), give(r.Vh)) : give(r.S);
}
nb::object call_linalg_svdvals(const Given& a) { return of_matrices<l::svdvals>(a); }
nb::object call_linalg_qr(const Given& a) {
  static PyObject* const type = kept_from("numjit.linalg", "QRResult");
  const auto mode = nb::cast<std::string>(nb::str(a[1]));
  if (mode == "full" || mode == "f")
    warn_deprecated("The 'full' option is deprecated in favor of 'reduced'.\nFor backward compatibility let mode default.");
  if (mode == "economic" || mode == "e") warn_deprecated("The 'economic' option is deprecated.");
  const l::qr_result r = factored(array_in(a[0]), [&](const operand& each) { return l::qr(each, mode.c_str()); });
  return r.Q.empty_handle() ? give(r.R) : nb::handle(type)(give(r.Q), give(r.R));
}
nb::object call_linalg_cholesky(const Given& a) {
  const l::cholesky_options o{a.truth(1)};
  return give(factored(array_in(a[0]), [&](const operand& each) { return l::cholesky(each, o); }));
}

// ---- products and diagonals ----

nb::object call_linalg_matrix_power(const Given& a) {
  const array x = array_in(a[0]);
  const nb::object n = nb::steal(PyNumber_Index(a[1].ptr()));
  if (n.is_valid()) return give(power_of(x, n));
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw ErrorSet();
  PyErr_Clear();
  throw TypeError("", "exponent must be an integer");
}
nb::object call_linalg_multi_dot(const Given& a) {
  const nb::object items = nb::steal(PySequence_List(a[0].ptr()));
  if (!items.is_valid()) throw ErrorSet();
  const std::vector<array> arrays = to_array_list(items.ptr());
  if (a.is_none(1)) return give_result(l::multi_dot(arrays));
  const array out = target_in(a[1]), made = l::multi_dot(arrays, {.out = out});
  return made.get() == out.get() ? nb::borrow(a[1]) : give_result(made);
}
nb::object call_linalg_matmul(const Given& a) {
  static PyObject* const matmul = kept_from("numjit._composites", "matmul");
  return nb::handle(matmul)(a[0], a[1]);
}
nb::object call_linalg_vecdot(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  const std::int64_t axis = a.integer(2);
  return give_result(computed(x, [&](const operand& each) { return l::vecdot(each, operand_of(y), axis); }));
}
nb::object call_linalg_tensordot(const Given& a) { return call_tensordot(a); }
nb::object call_linalg_cross(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  return give(l::cross(operand_of(x), operand_of(y), a.integer(2)));
}
nb::object call_linalg_outer(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  return give(l::outer(operand_of(x), operand_of(y)));
}
nb::object call_linalg_trace(const Given& a) {
  const nb::int_ rows(-2), columns(-1);
  PyObject* const values[] = {a[0].ptr(), a[1].ptr(), rows.ptr(), columns.ptr(), a[2].ptr(), Py_None};
  return call_trace(Given(values));
}
nb::object call_linalg_diagonal(const Given& a) { return give_view(l::diagonal(Argument(a[0].ptr()), a.integer(1)), a[0]); }
nb::object call_linalg_matrix_transpose(const Given& a) { return call_matrix_transpose(a); }

}  // namespace numjit::py
