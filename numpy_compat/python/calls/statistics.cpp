// Reductions, running results, order statistics, covariances, convolutions, histograms, and NumPy's warnings about what has no
// elements or no numbers.
#include "call.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace numjit::py {

namespace {

/// Where a row has the arguments that its kin have, too; -1: it has none.
struct Places {
  int dtype, out, keepdims, initial, where;
};
constexpr Places of_sum{2, 3, 4, 5, 6}, of_extremum{-1, 2, 3, 4, 5}, of_truth{-1, 2, 3, -1, 4}, of_mean{2, 3, 4, -1, 5},
    of_index{-1, 2, 3, -1, -1}, of_scan{2, 3, -1, -1, -1}, of_cumulative{2, 3, 4, -1, -1}, of_variance{2, 3, 5, -1, 6},
    of_median{-1, 2, 4, -1, -1}, of_quantile{-1, 3, 6, -1, -1}, of_ptp{-1, 2, 3, -1, -1};

optional_dtype type_in(const Given& a, int place) {
  return place < 0 ? std::nullopt : numjit::py::type_in(a[static_cast<std::size_t>(place)]);
}

bool truth_of(const Given& a, int place) {
  const auto i = static_cast<std::size_t>(place);
  return place >= 0 && a.is_given(i) && a.truth(i);
}

bool is_masked(const Given& a, int place) {
  const auto i = static_cast<std::size_t>(place);
  return place >= 0 && a.is_given(i) && a[i].ptr() != Py_True;
}

/// Axes as ufuncs take them: one, or a tuple. Functions that sort take lists, too.
axis_list axes_in(const Given& a, std::size_t place = 1) {
  PyObject* o = a[place].ptr();
  if (o == Py_None || PyTuple_Check(o) || PyBool_Check(o)) return to_axes(o);
  const nb::object index = nb::steal(PyNumber_Index(o));
  if (!index.is_valid()) throw ErrorSet();
  return to_axes(index.ptr());
}

/// The arguments of a reduction as C++ takes them.
struct Reduction {
  Reduction(const Given& a, Places p) : x(array_in(a[0])), out(out_in(a, static_cast<std::size_t>(p.out))) {
    o = {.axis = axes_in(a),
         .dtype = type_in(a, p.dtype),
         .out = target_of_call(out, not_an_array),
         .keepdims = truth_of(a, p.keepdims)};
    if (is_masked(a, p.where)) o.where = to_mask(a[static_cast<std::size_t>(p.where)].ptr());
    if (p.initial < 0) return;
    const auto i = static_cast<std::size_t>(p.initial);
    if (!a.is_given(i) || a.is_none(i)) return;
    first.set(a[i].ptr());
    o.initial = initial_of(first);
  }
  array x;
  nb::handle out;
  Argument first;
  reduce_options o;
};

template <class F>
nb::object reduced(const Given& a, Places p, F&& f) {
  const Reduction r(a, p);
  return give_or_out(computed(r.x, [&](const operand& x) { return f(x, r.o); }), r.out);
}

// ---- warnings ----

/// How many elements go into each result.
std::int64_t count_of(const array& x, const axis_list& axes) {
  if (axes.all()) return x.size();
  std::int64_t count = 1;
  for (const std::int64_t axis : axes.list())
    if (axis >= -x.ndim() && axis < x.ndim()) count *= x.shape(static_cast<int>(axis < 0 ? axis + x.ndim() : axis));
  return count;
}

/// Not while a graph is recorded, which would end for what is looked at.
bool may_look(const array& x) { return !x.get()->is(node::lazy); }

void warn_of_empty(const array& x, const axis_list& axes) {
  if (may_look(x) && x.size() == 0 && count_of(x, axes) == 0) warn_at_caller("Mean of empty slice");
}

/// NumPy's warning where no element of a result is a number, or too few for a variance: looked at if the result is NaN.
/// `each`: as often as there are such results.
void warn_of_nan(const array& made, const array& x, const axis_list& axes, const char* text, double ddof = 0, bool each = false) {
  const char kind = x.dtype().kind();
  if ((kind != 'f' && kind != 'c') || !may_look(made) || detail::recording || made.device() != "cpu") return;
  if (!any(isnan(operand_of(made))).item<bool>()) return;
  const array numbers = sum(operand_of(logical_not(isnan(operand_of(x)))), {.axis = axes, .dtype = int64});
  const auto too_few = sum(operand_of(numbers <= ddof), {.dtype = int64}).item<std::int64_t>();
  for (std::int64_t i = 0; i < (each ? too_few : std::min<std::int64_t>(too_few, 1)); ++i) warn_at_caller(text);
}

/// Where an errstate looks for errors: the divisions by counts of 0 are none, of those NumPy tells by warnings of its own.
std::optional<errstate> quiet_divisions() {
  if (!detail::top_interpreter() || detail::recording) return {};
  return std::optional<errstate>(std::in_place, errstate_options{.divide = "ignore", .invalid = "ignore"});
}

constexpr const char* all_nan = "All-NaN slice encountered";

/// A reduction that skips NaN. `text`: of results without a number, or null.
template <class F>
nb::object without_nan(const Given& a, Places p, const char* text, F&& f) {
  const Reduction r(a, p);
  array made;
  {
    const auto quiet = quiet_divisions();
    made = computed(r.x, [&](const operand& x) { return f(x, r.o); });
  }
  if (text == all_nan && !is_array(a[0].ptr())) text = "All-NaN axis encountered";  // NumPy's word where it makes an array first
  if (text && !is_masked(a, p.where)) warn_of_nan(made, r.x, r.o.axis, text);
  return give_or_out(std::move(made), r.out);
}

}  // namespace

// ---- sums, extrema, truth ----

#define REDUCED(name, places)                                                                        \
  nb::object call_##name(const Given& a) {                                                           \
    return reduced(a, places, [](const operand& x, const reduce_options& o) { return name(x, o); }); \
  }
REDUCED(sum, of_sum)
REDUCED(prod, of_sum)
REDUCED(max, of_extremum)
REDUCED(min, of_extremum)
REDUCED(any, of_truth)
REDUCED(all, of_truth)
#undef REDUCED

nb::object call_mean(const Given& a) {
  const Reduction r(a, of_mean);
  warn_of_empty(r.x, r.o.axis);
  return give_or_out(computed(r.x, [&](const operand& x) { return mean(x, r.o); }), r.out);
}

nb::object call_ptp(const Given& a) {
  return reduced(a, of_ptp, [](const operand& x, const reduce_options& o) {
    return ptp(x, ptp_options{.axis = o.axis, .out = o.out, .keepdims = o.keepdims});
  });
}

nb::object call_count_nonzero(const Given& a) {
  const array x = array_in(a[0]);
  return give_result(count_nonzero(operand_of(x), {.axis = axes_in(a), .keepdims = a.truth(2)}));
}

// ---- variances ----

namespace {

struct Variance {
  explicit Variance(const Given& a) : r(a, of_variance), o{r.o.axis, r.o.dtype, r.o.out, 0, r.o.keepdims, r.o.where} {
    const bool corrected = a.is_given(8);
    o.ddof = a.real(corrected ? 8 : 4);
    if (corrected && a.real(4) != 0) throw ValueError("", "ddof and correction can't be provided simultaneously.");
    if (!a.is_given(7) || a.is_none(7)) return;
    about.set(a[7].ptr());
    o.mean = about.get();
  }
  const Reduction r;
  Argument about;
  var_options o;
};

template <class F>
nb::object variance(const Given& a, F&& f) {
  const Variance v(a);
  const array& x = v.r.x;
  if (!is_masked(a, of_variance.where) && may_look(x) && v.o.ddof >= static_cast<double>(count_of(x, v.o.axis)))
    warn_at_caller("Degrees of freedom <= 0 for slice");
  return give_or_out(computed(x, [&](const operand& o) { return f(o, v.o); }), v.r.out);
}

template <class F>
nb::object variance_without_nan(const Given& a, F&& f) {
  const Variance v(a);
  array made;
  {
    const auto quiet = quiet_divisions();
    made = computed(v.r.x, [&](const operand& o) { return f(o, v.o); });
  }
  if (!is_masked(a, of_variance.where)) warn_of_nan(made, v.r.x, v.o.axis, "Degrees of freedom <= 0 for slice.", v.o.ddof);
  return give_or_out(std::move(made), v.r.out);
}

}  // namespace

nb::object call_var(const Given& a) {
  return variance(a, [](const operand& x, const var_options& o) { return var(x, o); });
}
nb::object call_std(const Given& a) {
  return variance(a, [](const operand& x, const var_options& o) { return numjit::std(x, o); });
}
nb::object call_nanvar(const Given& a) {
  return variance_without_nan(a, [](const operand& x, const var_options& o) { return nanvar(x, o); });
}
nb::object call_nanstd(const Given& a) {
  return variance_without_nan(a, [](const operand& x, const var_options& o) { return nanstd(x, o); });
}

// ---- places of extrema, running results ----

namespace {

/// Results that name an array of their own: an index or a running result.
struct Along {
  Along(const Given& a, Places p, const char* refused)
      : x(array_in(a[0])),
        out(out_in(a, static_cast<std::size_t>(p.out))),
        axis(a.optional_integer(1)),
        target(target_of_call(out, refused)) {}
  array x;
  nb::handle out;
  std::optional<std::int64_t> axis;
  array target;
};

template <class F>
nb::object place_of_extremum(const Given& a, const char* refused, F&& f) {
  const Along at(a, of_index, refused);
  const arg_options o{at.axis, at.target, truth_of(a, of_index.keepdims)};
  return give_or_out(computed(at.x, [&](const operand& x) { return f(x, o); }), at.out);
}

template <class F>
nb::object running(const Given& a, const char* refused, F&& f) {
  const Along at(a, of_scan, refused);
  const scan_options o{at.axis, type_in(a, 2), at.target};
  return give_or_out(computed(at.x, [&](const operand& x) { return f(x, o); }), at.out);
}

template <class F>
nb::object cumulative(const Given& a, F&& f) {
  Along at(a, of_cumulative, no_array);
  if (at.x.ndim() == 0) at.x = reshape(operand_of(at.x), {1});
  const cumulative_options o{at.axis, type_in(a, 2), at.target, a.truth(4)};
  return give_or_out(computed(at.x, [&](const operand& x) { return f(x, o); }), at.out);
}

}  // namespace

#define ARG(name, refused)                                                                                   \
  nb::object call_##name(const Given& a) {                                                                   \
    return place_of_extremum(a, refused, [](const operand& x, const arg_options& o) { return name(x, o); }); \
  }
ARG(argmax, no_array)
ARG(argmin, no_array)
ARG(nanargmax, not_an_array)
ARG(nanargmin, not_an_array)
#undef ARG
#define SCAN(name, refused)                                                                         \
  nb::object call_##name(const Given& a) {                                                          \
    return running(a, refused, [](const operand& x, const scan_options& o) { return name(x, o); }); \
  }
SCAN(cumsum, no_array)
SCAN(cumprod, no_array)
SCAN(nancumsum, not_an_array)
SCAN(nancumprod, not_an_array)
#undef SCAN
nb::object call_cumulative_sum(const Given& a) {
  return cumulative(a, [](const operand& x, const cumulative_options& o) { return cumulative_sum(x, o); });
}
nb::object call_cumulative_prod(const Given& a) {
  return cumulative(a, [](const operand& x, const cumulative_options& o) { return cumulative_prod(x, o); });
}

// ---- sums of products of shifted vectors ----

namespace {

/// By its name, for which NumPy also takes 0, 1 and 2.
std::string convolution_mode(Any o) {
  if (PyUnicode_Check(o.ptr())) return utf8(o.ptr());
  if (!PyLong_Check(o.ptr())) throw TypeError("", "convolve/correlate mode not understood");
  const std::int64_t number = to_int(o.ptr());
  if (number < 0 || number > 2) throw ValueError("", "integer convolve/correlate mode must be 0, 1, or 2");
  constexpr const char* names[] = {"valid", "same", "full"};
  return names[number];
}

nb::object of_shifted(const Given& a, array (*f)(const operand&, const operand&, const char*)) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  const std::string mode = convolution_mode(a[2]);
  return give(computed(x, [&](const operand& each) { return f(each, operand_of(y), mode.c_str()); }));
}

}  // namespace

nb::object call_convolve(const Given& a) { return of_shifted(a, convolve); }
nb::object call_correlate(const Given& a) { return of_shifted(a, correlate); }

// ---- averages, order statistics ----

nb::object call_average(const Given& a) {
  const array x = array_in(a[0]), weights = opt_array(a[2]);
  const axis_list axes = a.axes(1);
  if (!axes.all()) {
    std::vector<std::int64_t> seen;
    for (const std::int64_t axis : axes.list()) seen.push_back(normalize_axis("average", axis, x.ndim()));
    std::sort(seen.begin(), seen.end());
    if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) throw ValueError("", "repeated axis in `axis` argument");
  }
  if (a.is_none(2)) warn_of_empty(x, axes);
  const average_options o{.axis = axes, .weights = weights, .keepdims = truth_of(a, 4)};
  if (!a.truth(3)) return give_result(average(operand_of(x), o));
  average_result r = average_returned(operand_of(x), o);
  return nb::make_tuple(give_result(std::move(r.average)), give_result(std::move(r.sum_of_weights)));
}

namespace {

/// The arguments of a median.
struct Median {
  explicit Median(const Given& a) : x(array_in(a[0])), out(out_in(a, of_median.out)) {
    o = {.axis = a.axes(1), .out = target_of_call(out, not_an_array), .keepdims = truth_of(a, of_median.keepdims)};
  }
  array x;
  nb::handle out;
  median_options o;
};

template <class F>
nb::object quantiles(const Given& a, bool skips_nan, F&& f) {
  const array x = array_in(a[0]);
  const nb::handle out = out_in(a, of_quantile.out);
  const array target = target_of_call(out, not_an_array);
  if (x.dtype().kind() == 'c') throw TypeError("", "a must be an array of real numbers");
  Argument q(a[1].ptr());
  if (q.get().is_array() ? q.get().n()->type == dtype_id::bool_ : PyBool_Check(a[1].ptr()))  // the ends
    q.set(give(array_in(a[1]).astype(int64)).ptr());
  const quantile_options o{.axis = a.axes(2),
                           .method = text_in(a[5], "method"),
                           .keepdims = truth_of(a, of_quantile.keepdims),
                           .weights = opt_array(a[7])};
  array made = computed(x, [&](const operand& each) { return f(each, q.get(), o); });
  if (skips_nan && x.size() > 0) warn_of_nan(made, x, o.axis, all_nan);
  if (out.is_none()) return give_result(std::move(made));
  if (!can_cast(made.dtype(), target.dtype(), "same_kind"))
    throw TypeError("", "Cannot cast ufunc 'add' output from dtype('" + std::string(made.dtype().name()) + "') to dtype('" +
                            std::string(target.dtype().name()) + "') with casting rule 'same_kind'");
  copyto(target, operand_of(made));
  return nb::borrow(out);
}

}  // namespace

nb::object call_median(const Given& a) {
  const Median m(a);
  warn_of_empty(m.x, m.o.axis);
  return give_or_out(computed(m.x, [&](const operand& x) { return median(x, m.o); }), m.out);
}
nb::object call_nanmedian(const Given& a) {
  const Median m(a);
  array made;
  {
    const auto quiet = quiet_divisions();
    made = computed(m.x, [&](const operand& x) { return nanmedian(x, m.o); });
  }
  const bool is_empty = m.x.size() == 0;
  warn_of_nan(made, m.x, m.o.axis, is_empty ? "Mean of empty slice" : all_nan, 0, !is_empty);
  return give_or_out(std::move(made), m.out);
}
#define QUANTILES(name, skips_nan)                                                                                               \
  nb::object call_##name(const Given& a) {                                                                                       \
    return quantiles(a, skips_nan, [](const operand& x, const operand& q, const quantile_options& o) { return name(x, q, o); }); \
  }
QUANTILES(quantile, false)
QUANTILES(percentile, false)
QUANTILES(nanquantile, true)
QUANTILES(nanpercentile, true)
#undef QUANTILES

// ---- without NaN ----

#define WITHOUT_NAN(name, places, text)                                                                        \
  nb::object call_##name(const Given& a) {                                                                     \
    return without_nan(a, places, text, [](const operand& x, const reduce_options& o) { return name(x, o); }); \
  }
WITHOUT_NAN(nansum, of_sum, nullptr)
WITHOUT_NAN(nanprod, of_sum, nullptr)
WITHOUT_NAN(nanmean, of_mean, "Mean of empty slice")
WITHOUT_NAN(nanmax, of_extremum, all_nan)
WITHOUT_NAN(nanmin, of_extremum, all_nan)
#undef WITHOUT_NAN

// ---- covariances ----

namespace {

void warn_of_complex(const array& x, const optional_dtype& type) {
  if (type && !x.empty_handle()) warn_complex(x.dtype().id(), type->id(), 1);
}

/// f(options) of weights, of which NumPy tells some mistakes as RuntimeErrors.
template <class F>
array weighted(const cov_options& o, F&& f) {
  return with_runtime_errors({"cannot handle", "incompatible"}, [&] { return f(o); });
}

}  // namespace

nb::object call_cov(const Given& a) {
  const array m = array_in(a[0]), y = opt_array(a[1]);
  cov_options o{
      .rowvar = a.truth(2), .bias = a.truth(3), .fweights = opt_array(a[5]), .aweights = opt_array(a[6]), .dtype = type_in(a, 7)};
  if (!a.is_none(4)) o.ddof = a.real(4);
  for (const array& each : {m, y}) warn_of_complex(each, o.dtype);
  return give(weighted(o, [&](const cov_options& each) {
    return y.empty_handle() ? cov(operand_of(m), each) : cov(operand_of(m), operand_of(y), each);
  }));
}
nb::object call_corrcoef(const Given& a) {
  const array x = array_in(a[0]), y = opt_array(a[1]);
  const corrcoef_options o{.rowvar = a.truth(2), .dtype = type_in(a, 3)};
  for (const array& each : {x, y}) warn_of_complex(each, o.dtype);
  return give_result(y.empty_handle() ? corrcoef(operand_of(x), o) : corrcoef(operand_of(x), operand_of(y), o));
}

// ---- histograms ----

namespace {

/// The values, flat; of bool as uint8, with NumPy's warning.
array flat_values(Any o) {
  const array x = ravel(operand_of(array_in(o)));
  if (x.dtype() != numjit::bool_) return x;
  warn_at_caller("Converting input from bool to <class 'numjit.uint8'> for compatibility.");
  return x.astype(numjit::uint8, {});
}

histogram_range range_in(Any o) {
  if (o.is_none()) return {};
  const nb::object ends = nb::steal(PySequence_Tuple(o.ptr()));
  if (!ends.is_valid()) throw ErrorSet();
  const auto [low, high] = two_of(ends);
  return {real_in(low), real_in(high)};
}

/// A number of bins, their edges, or a rule by its name, which `rule` keeps. TypeError with `text` for all else.
histogram_bins bins_in(Any o, const char* too_many_axes, const char* text, std::string* rule) {
  if (rule && PyUnicode_Check(o.ptr())) return (*rule = utf8(o.ptr())).c_str();
  if (!PyLong_Check(o.ptr()) && !PyFloat_Check(o.ptr())) {
    const array edges = array_in(o);
    if (edges.ndim() == 1) return edges;
    if (edges.ndim() > 1) throw ValueError("", too_many_axes);
  }
  const nb::object number = nb::steal(PyNumber_Index(o.ptr()));
  if (number.is_valid()) return to_int(number.ptr());
  PyErr_Clear();
  if (!rule && PyFloat_Check(o.ptr()) && PyFloat_AS_DOUBLE(o.ptr()) < 1) return 0;  // too small before it is no whole number
  throw TypeError("", text);
}

/// The arguments of a histogram over one axis.
struct Histogram {
  Histogram(const Given& a, std::size_t weights_place)
      : x(flat_values(a[0])),
        o{.bins = bins_in(a[1], "`bins` must be 1d, when an array", "`bins` must be an integer, a string, or an array", &rule),
          .range = range_in(a[2]),
          .weights = opt_array(a[weights_place])} {
    if (!o.weights.empty_handle()) {
      if (o.weights.shape() != array_in(a[0]).shape()) throw ValueError("", "weights should have the same shape as a.");
      o.weights = ravel(operand_of(o.weights));
      if (o.weights.dtype() == numjit::bool_) o.weights = o.weights.astype(numjit::int64, {});
    }
    widen(a[2]);
  }
  std::string rule;
  array x;
  histogram_options o;

 private:
  /// The values in the dtype of the edges, where a range of strong numbers has a wider one: Python's floats are weak.
  void widen(Any range) {
    if (range.is_none() || x.dtype().kind() != 'f' || !o.bins.edges().empty_handle()) return;
    nb::list of;
    of.append(give(x));
    bool weak = true;
    for (nb::handle end : nb::tuple(nb::borrow(range))) {
      weak = weak && is_weak_number(end.ptr());
      of.append(end);
    }
    if (!weak) x = x.astype(*common_dtype(Any(nb::handle(of))), {});
  }
};

/// The coordinates of points along each axis, of a matrix of points or of a vector for each axis. Numbers are points on a line.
array_list columns_in(Any sample) {
  array_list columns;
  if (is_array(sample.ptr())) {
    const array x = array_of(sample.ptr());
    if (x.ndim() != 2) return {x};
    for (int i = 0; i < x.shape(1); ++i) columns.push_back(x(_, i));
    return columns;
  }
  std::vector<operand> all;
  const std::string refused = not_iterable(sample);
  bool numbers = true;
  for (nb::handle one : items_now(sample.ptr(), refused.c_str())) {
    columns.push_back(array_in(Any(one)));
    numbers = numbers && columns.back().ndim() == 0;
  }
  if (numbers && !columns.empty()) return {array_in(sample)};
  for (array& column : columns) column = ravel(operand_of(column));
  for (const array& column : columns) all.push_back(operand_of(column));
  if (all.empty()) return columns;
  const dtype type(result_type(operand_list(all.data(), all.size())));
  for (array& column : columns) column = column.astype(type, {});
  return columns;
}

histogramdd_result counted(const array_list& columns, Any bins, Any range, bool density, Any weights) {
  const bool many =
      PyList_Check(bins.ptr()) || PyTuple_Check(bins.ptr()) || (is_array(bins.ptr()) && array_of(bins.ptr()).ndim() > 0);
  histogramdd_options o{.density = density};
  o.bins.clear();
  const nb::object each = many ? items_now(bins.ptr(), "") : nb::object(nb::make_tuple(nb::borrow(bins)));
  if (many && nb::len(each) != columns.size())
    throw ValueError("", "The dimension of bins must be equal to the dimension of the sample x.");
  for (std::size_t i = 0; nb::handle one : each) {
    const std::string name = "`bins[" + std::to_string(i++) + "]`", deep = name + " must be a scalar or 1d array",
                      odd = name + " must be an integer, when a scalar";
    o.bins.push_back(bins_in(Any(one), deep.c_str(), odd.c_str(), nullptr));
  }
  if (!range.is_none())
    for (nb::handle one : items_now(range.ptr(), "range argument must have one entry per dimension"))
      o.range.push_back(range_in(Any(one)));
  if (!weights.is_none()) {
    o.weights = ravel(operand_of(array_in(weights)));
    if (o.weights.dtype().kind() == 'c')
      throw TypeError("", "Cannot cast array data from dtype('" + std::string(o.weights.dtype().name()) +
                              "') to dtype('float64') according to the rule 'safe'");
  }
  return histogramdd(columns, o, {});
}

bool truth_or_none(const Given& a, std::size_t i) { return !a.is_none(i) && a.truth(i); }

}  // namespace

nb::object call_histogram(const Given& a) {
  Histogram h(a, 4);
  h.o.density = truth_or_none(a, 3);
  histogram_result r = histogram(operand_of(h.x), h.o);
  return nb::make_tuple(give(std::move(r.counts)), give(std::move(r.edges)));
}
nb::object call_histogram_bin_edges(const Given& a) {
  const Histogram h(a, 3);
  const array& edges = h.o.bins.edges();
  if (!edges.empty_handle() && edges.size() > 1 && any(edges(slice(0, -1)) > edges(slice(1, none))).item<bool>())
    throw ValueError("", "`bins` must increase monotonically, when an array");
  return give(histogram_bin_edges(operand_of(h.x), {.bins = h.o.bins, .range = h.o.range, .weights = h.o.weights}));
}
nb::object call_histogramdd(const Given& a) {
  histogramdd_result r = counted(columns_in(a[0]), a[1], a[2], truth_or_none(a, 3), a[4]);
  return nb::make_tuple(give(std::move(r.counts)), give_list(std::move(r.edges)));
}
nb::object call_histogram2d(const Given& a) {
  const array x = array_in(a[0]), y = array_in(a[1]);
  if (x.ndim() == 0 || y.ndim() == 0) throw TypeError("", "len() of unsized object");
  if (x.shape(0) != y.shape(0)) throw ValueError("", "x and y must have the same length.");
  // A list of neither one nor two is the edges of both axes.
  nb::object bins = nb::borrow(a[2]);
  const bool many = PyList_Check(bins.ptr()) || PyTuple_Check(bins.ptr()) || is_array(bins.ptr());
  if (many && nb::len(bins) != 1 && nb::len(bins) != 2) bins = nb::make_tuple(give(array_in(a[2])), give(array_in(a[2])));
  const array_list columns = columns_in(Any(nb::handle(nb::make_tuple(give(x), give(y)))));
  histogramdd_result r = counted(columns, Any(bins), a[3], truth_or_none(a, 4), a[5]);
  return nb::make_tuple(give(std::move(r.counts)), give(std::move(r.edges[0])), give(std::move(r.edges[1])));
}

}  // namespace numjit::py
