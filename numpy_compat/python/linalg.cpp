// numjit.linalg: decompositions and what follows from them, for numjit/linalg.py.
#include <nanobind/stl/string.h>

#include <numjit/np_linalg.h>

#include "module.h"

namespace numjit::py {

namespace {

namespace l = numjit::linalg;

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

/// The order of a norm over a number of axes.
l::norm_order order_of(const Any& ord, int axes) {
  if (ord.is_none()) return {};
  if (PyUnicode_Check(ord.ptr())) {
    if (axes == 1) throw ValueError("norm", std::string("Invalid norm order '") + utf8(ord.ptr()) + "' for vectors");
    return utf8(ord.ptr());
  }
  const double p = PyFloat_AsDouble(ord.ptr());
  if (p == -1 && PyErr_Occurred()) throw ErrorSet();
  return p;
}

/// Kernels of LAPACK run without the GIL where the matrices are worth it.
template <class F>
auto unlocked(const Argument& a, F&& f) {
  MaybeUnlocked lock(64 * work_of(a));
  return f();
}

void define_decompositions(Module& m) {
  m.def("eig", [](Any h) {
    Argument a(h.ptr());
    const l::eig_result r = unlocked(a, [&] { return l::eig(a); });
    return nb::make_tuple(give(r.eigenvalues), give(r.eigenvectors));
  });
  m.def("eigvals", [](Any a) { return give(l::eigvals(Argument(a.ptr()))); });
  m.def("eigh", [](Any h, const std::string& uplo) {
    Argument a(h.ptr());
    const l::eig_result r = unlocked(a, [&] { return l::eigh(a, uplo.size() == 1 ? uplo[0] : ' '); });
    return nb::make_tuple(give(r.eigenvalues), give(r.eigenvectors));
  });
  m.def("eigvalsh",
        [](Any a, const std::string& uplo) { return give(l::eigvalsh(Argument(a.ptr()), uplo.size() == 1 ? uplo[0] : ' ')); });
  m.def("svd", [](Any h, bool full, bool hermitian) {
    Argument a(h.ptr());
    const l::svd_result r = unlocked(a, [&] { return l::svd(a, {full, hermitian}); });
    return nb::make_tuple(give(r.U), give(r.S), give(r.Vh));
  });
  m.def("svdvals", [](Any a) { return give(l::svdvals(Argument(a.ptr()))); });
  m.def("qr", [](Any h, const std::string& mode) {
    Argument a(h.ptr());
    const l::qr_result r = unlocked(a, [&] { return l::qr(a, mode.c_str()); });
    return nb::make_tuple(r.Q.empty_handle() ? nb::none() : give(r.Q), give(r.R));
  });
  m.def("cholesky", [](Any a, bool upper) { return give(l::cholesky(Argument(a.ptr()), {upper})); });
}

}  // namespace

void define_linalg(Module& top) {
  Module m(top.def_submodule("linalg"));
  define_decompositions(m);
  m.def("norm", [](Any a, Any ord, Any axis, bool keepdims) {
    const Argument x(a.ptr());
    const axis_list axes = to_axes(axis.ptr());
    const int count = axes.all() ? x.as_array().ndim() : static_cast<int>(axes.list().size());
    return give_result(l::norm(x, {order_of(ord, count), axes, keepdims}));
  });
  m.def("vector_norm", [](Any a, Any ord, Any axis, bool keepdims) {
    return give_result(l::vector_norm(Argument(a.ptr()), {order_of(ord, 1), to_axes(axis.ptr()), keepdims}));
  });
  m.def("matrix_norm", [](Any a, Any ord, bool keepdims) {
    return give_result(l::matrix_norm(Argument(a.ptr()), {keepdims, order_of(ord, 2)}));
  });
  m.def("solve", [](Any h, Any b) {
    Argument a(h.ptr()), right(b.ptr());
    return give(unlocked(a, [&] { return l::solve(a, right); }));
  });
  m.def("inv", [](Any h) {
    Argument a(h.ptr());
    return give(unlocked(a, [&] { return l::inv(a); }));
  });
  m.def("pinv", [](Any h, Any rcond, bool hermitian, Any rtol) {
    Argument a(h.ptr());
    const Optional r(rcond), t(rtol);
    return give(l::pinv(a, {r.get(), hermitian, t.get()}));
  });
  m.def("det", [](Any a) { return give_result(l::det(Argument(a.ptr()))); });
  m.def("slogdet", [](Any a) {
    const l::slogdet_result r = l::slogdet(Argument(a.ptr()));
    return nb::make_tuple(give_result(r.sign), give_result(r.logabsdet));
  });
  m.def("lstsq", [](Any a, Any b, Any rcond) {
    std::optional<double> r;
    if (!rcond.is_none()) r = nb::cast<double>(rcond);
    const l::lstsq_result made = l::lstsq(Argument(a.ptr()), Argument(b.ptr()), r);
    return nb::make_tuple(give(made.x), give(made.residuals), made.rank, give(made.s));
  });
  m.def("matrix_rank", [](Any a, Any tol, bool hermitian, Any rtol) {
    const Optional t(tol), r(rtol);
    return give_result(l::matrix_rank(Argument(a.ptr()), {t.get(), hermitian, r.get()}));
  });
  m.def("matrix_power", [](Any a, int n) { return give(l::matrix_power(Argument(a.ptr()), n)); });
  m.def("cond", [](Any a, Any p) { return give_result(l::cond(Argument(a.ptr()), order_of(p, 2))); });
  m.def("multi_dot", [](Any arrays) { return give_result(l::multi_dot(to_array_list(arrays.ptr()), {})); });
  m.def("tensorsolve", [](Any a, Any b, Any axes) {
    std::optional<dims> d;
    if (!axes.is_none()) d = to_dims(axes.ptr());
    return give(l::tensorsolve(Argument(a.ptr()), Argument(b.ptr()), d));
  });
  m.def("tensorinv", [](Any a, int ind) { return give(l::tensorinv(Argument(a.ptr()), ind)); });
}

}  // namespace numjit::py
