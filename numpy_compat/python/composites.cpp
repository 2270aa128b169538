// Composites of numpy_compat for the Python layer: statistics, sets, polynomials, windows, parts of numbers.
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
optional_dtype type_of(const Any& type) {
  const std::optional<dtype_id> t = to_optional_dtype(type.ptr());
  return t ? optional_dtype(dtype(*t)) : std::nullopt;
}

reduce_options reduce_of(const Any& axis, const Any& type, const Any& out, bool keepdims, const Any& initial, const Any& where) {
  reduce_options o{.axis = to_axes(axis.ptr()),
                   .dtype = type_of(type),
                   .out = target_of(out),
                   .keepdims = keepdims,
                   .where = opt_array(where)};
  if (!initial.is_none()) o.initial = operand(initial_of(Argument(initial.ptr())));
  return o;
}

/// Where an errstate looks for errors: the divisions by counts of 0 are none, of those NumPy tells by warnings of its own.
std::optional<errstate> quiet_divisions(bool of_nan = true) {
  if (!of_nan || !detail::top_interpreter() || detail::recording) return {};
  return std::optional<errstate>(std::in_place, errstate_options{.divide = "ignore", .invalid = "ignore"});
}

void define_nan(Module& m) {
#define NUMJIT_NAN(name)                                                                       \
  m.def(#name, [](Any a, Any axis, Any type, Any out, bool keepdims, Any initial, Any where) { \
    const Argument x(a.ptr()), first(initial.is_none() ? Py_False : initial.ptr());            \
    reduce_options o = reduce_of(axis, type, out, keepdims, Any(nb::handle(Py_None)), where);  \
    if (!initial.is_none()) o.initial = initial_of(first);                                     \
    const auto quiet = quiet_divisions();                                                      \
    return give_or_out(name(x, o), out);                                                       \
  });
  NUMJIT_NAN(nansum) NUMJIT_NAN(nanprod) NUMJIT_NAN(nanmean) NUMJIT_NAN(nanmax) NUMJIT_NAN(nanmin)
#undef NUMJIT_NAN
#define NUMJIT_VAR(name)                                                                                              \
  m.def(#name, [](Any a, Any axis, Any type, Any out, double ddof, bool keepdims, Any where, Any mean) {               \
    const Argument x(a.ptr()), about(mean.is_none() ? Py_False : mean.ptr());                                          \
    var_options o{to_axes(axis.ptr()), type_of(type), target_of(out), ddof, keepdims, opt_array(where)};               \
    if (!mean.is_none()) o.mean = about.get();                                                                         \
    const auto quiet = quiet_divisions();                                                                              \
    return give_or_out(name(x, o), out);                                                                               \
  });
  NUMJIT_VAR(nanvar) NUMJIT_VAR(nanstd)
#undef NUMJIT_VAR
#define NUMJIT_SCAN(name)                                                                                             \
  m.def(#name, [](Any a, Any axis, Any type, Any out) {                                                                \
    const Argument x(a.ptr());                                                                                         \
    return give_or_out(name(x, scan_options{to_optional_int(axis.ptr()), type_of(type), target_of(out)}), out);        \
  });
  NUMJIT_SCAN(nancumsum) NUMJIT_SCAN(nancumprod)
#undef NUMJIT_SCAN
#define NUMJIT_ARG(name)                                                                                              \
  m.def(#name, [](Any a, Any axis, Any out, bool keepdims) {                                                           \
    const Argument x(a.ptr());                                                                                         \
    return give_or_out(name(x, arg_options{to_optional_int(axis.ptr()), target_of(out), keepdims}), out);              \
  });
  NUMJIT_ARG(nanargmax) NUMJIT_ARG(nanargmin)
#undef NUMJIT_ARG
#define NUMJIT_CUMULATIVE(name)                                                                                                  \
  m.def(#name, [](Any a, Any axis, Any type, Any out, bool include_initial) {                                                    \
    const Argument x(a.ptr());                                                                                                   \
    return give_or_out(name(x, cumulative_options{to_optional_int(axis.ptr()), type_of(type), target_of(out), include_initial}), \
                       out);                                                                                                     \
  });
  NUMJIT_CUMULATIVE(cumulative_sum) NUMJIT_CUMULATIVE(cumulative_prod)
#undef NUMJIT_CUMULATIVE
}

void define_statistics(Module& m) {
  m.def("cov", [](Any a, Any y, bool rowvar, bool bias, Any ddof, Any fweights, Any aweights, Any type) {
    const Argument x(a.ptr());
    cov_options o{
        .rowvar = rowvar, .bias = bias, .fweights = opt_array(fweights), .aweights = opt_array(aweights), .dtype = type_of(type)};
    if (!ddof.is_none()) o.ddof = nb::cast<double>(ddof);
    if (y.is_none()) return give(cov(x, o));
    return give(cov(x, Argument(y.ptr()), o));
  });
  m.def("convolve",
        [](Any a, Any v, const std::string& mode) { return give(convolve(Argument(a.ptr()), Argument(v.ptr()), mode.c_str())); });
  m.def("correlate", [](Any a, Any v, const std::string& mode) {
    return give(correlate(Argument(a.ptr()), Argument(v.ptr()), mode.c_str()));
  });
  m.def("isclose", [](Any a, Any b, double rtol, double atol, bool equal_nan) {
    return give_result(isclose(Argument(a.ptr()), Argument(b.ptr()), {rtol, atol, equal_nan}));
  });
}

void define_order(Module& m) {
#define NUMJIT_MEDIAN(name)                                                                                           \
  m.def(#name, [](Any a, Any axis, Any out, bool keepdims) {                                                           \
    const Argument x(a.ptr());                                                                                         \
    const auto quiet = quiet_divisions(#name[0] == 'n');                                                               \
    return give_or_out(name(x, median_options{.axis = to_axes(axis.ptr()), .out = target_of(out), .keepdims = keepdims}), out); \
  });
  NUMJIT_MEDIAN(median) NUMJIT_MEDIAN(nanmedian)
#undef NUMJIT_MEDIAN
#define NUMJIT_QUANTILE(name)                                                                               \
  m.def(#name, [](Any a, Any q, Any axis, Any out, const std::string& method, bool keepdims, Any weights) { \
    const Argument x(a.ptr()), at(q.ptr());                                                                 \
    return give_or_out(name(x, at,                                                                          \
                            quantile_options{.axis = to_axes(axis.ptr()),                                   \
                                             .out = target_of(out),                                         \
                                             .method = method.c_str(),                                      \
                                             .keepdims = keepdims,                                          \
                                             .weights = opt_array(weights)}),                               \
                       out);                                                                                \
  });
  NUMJIT_QUANTILE(quantile) NUMJIT_QUANTILE(percentile) NUMJIT_QUANTILE(nanquantile) NUMJIT_QUANTILE(nanpercentile)
#undef NUMJIT_QUANTILE
  m.def("average", [](Any a, Any axis, Any weights, bool keepdims, bool returned) {
    const Argument x(a.ptr());
    const average_options o{.axis = to_axes(axis.ptr()), .weights = opt_array(weights), .keepdims = keepdims};
    if (!returned) return give_result(average(x, o));
    average_result r = average_returned(x, o);
    return nb::object(nb::make_tuple(give_result(std::move(r.average)), give_result(std::move(r.sum_of_weights))));
  });
  m.def("ptp", [](Any a, Any axis, Any out, bool keepdims) {
    const Argument x(a.ptr());
    return give_or_out(ptp(x, ptp_options{.axis = to_axes(axis.ptr()), .out = target_of(out), .keepdims = keepdims}), out);
  });
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
  m.def(
      "interp", [](Any x, Any xp, Any fp, std::optional<double> left, std::optional<double> right, std::optional<double> period) {
        return give_result(
            interp(Argument(x.ptr()), Argument(xp.ptr()), Argument(fp.ptr()), {.left = left, .right = right, .period = period}));
      });
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
  define_nan(m);
  define_statistics(m);
  define_polynomials(m);
  define_numbers(m);
  define_indices(m);
  define_order(m);
}

}  // namespace numjit::py
