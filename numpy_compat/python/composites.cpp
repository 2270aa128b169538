// Composites of numpy_compat for the Python layer: histograms, polynomials, parts of numbers.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "module.h"

namespace numjit::py {

namespace {

nb::object pair_of(std::pair<array, array> p) {
  return nb::make_tuple(give_result(std::move(p.first)), give_result(std::move(p.second)));
}

void define_polynomials(Module& m) {
  m.def("polyval", [](Any p, Any x) { return give_result(polyval(Argument(p.ptr()), Argument(x.ptr()))); });
  m.def("polydiv", [](Any u, Any v) { return pair_of(polydiv(Argument(u.ptr()), Argument(v.ptr()))); });
  m.def("roots", [](Any p) { return give(roots(Argument(p.ptr()))); });
  m.def("poly", [](Any zeros) { return give_result(poly(Argument(zeros.ptr()))); });
  m.def("polyder", [](Any p, int n) { return give(polyder(Argument(p.ptr()), n)); });
}

void define_numbers(Module& m) {
  m.def("modf", [](Any x) { return pair_of(modf(Argument(x.ptr()))); });
  m.def("frexp", [](Any x) { return pair_of(frexp(Argument(x.ptr()))); });
  m.def("ldexp", [](Any x, Any n) { return give_result(ldexp(Argument(x.ptr()), Argument(n.ptr()))); });
  m.def("spacing", [](Any x) { return give_result(spacing(Argument(x.ptr()))); });
  m.def("pad", [](Any a, std::vector<std::pair<std::int64_t, std::int64_t>> pairs, const std::string& mode) {
    return give(pad(Argument(a.ptr()), pad_widths(std::move(pairs)), {.mode = mode.c_str()}));
  });
}

void define_indices(Module& m) {
  m.def("sliding_windows",
        [](Any a, Any shape) { return give(lib::sliding_window_view(Argument(a.ptr()), to_dims(shape.ptr()))); });
}

std::optional<std::pair<double, double>> range_of(const Any& range) {
  if (range.is_none()) return {};
  return nb::cast<std::pair<double, double>>(range);
}

void define_places(Module& m) {
  m.def("asarray_chkfinite", [](Any h) {
    const array a = to_array(h.ptr()), checked = asarray_chkfinite(operand_of(a));
    return checked.get() == a.get() ? nb::borrow(h) : give(checked);
  });
  m.def("stack", [](Any arrays, std::int64_t axis) { return give(stack(to_array_list(arrays.ptr()), {.axis = axis}, {})); });
}

void define_histograms(Module& m) {
  m.def("bins_by_rule", [](Any a, const std::string& rule, Any range, bool weighted) {
    return detail::bins_by_rule(Argument(a.ptr()), rule, range_of(range), weighted);
  });
  m.def("histogram_bin_edges", [](Any a, std::int64_t bins, Any range) {
    return give(histogram_bin_edges(Argument(a.ptr()), bins, range_of(range)));
  });
  m.def("histogram", [](Any a, std::int64_t bins, Any range, Any weights) {
    histogram_result r = histogram(Argument(a.ptr()), bins, range_of(range), false, opt_array(weights));
    return nb::make_tuple(give(std::move(r.counts)), give(std::move(r.edges)));
  });
  m.def("histogram_between", [](Any a, Any edges, Any weights) {
    return give(histogram(Argument(a.ptr()), to_array(edges.ptr()), false, opt_array(weights)).counts);
  });
}

}  // namespace

void define_composites(Module& m) {
  define_places(m);
  define_histograms(m);
  define_polynomials(m);
  define_numbers(m);
  define_indices(m);
}

}  // namespace numjit::py
