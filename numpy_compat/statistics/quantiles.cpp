// Medians, quantiles and weighted means: sorted values, taken at places that the graph computes.
#include <algorithm>
#include <cstring>
#include <string>

#include <at_hand.h>
#include <math/checks.h>

namespace numjit {

using detail::checked;
using detail::is_integral_type;
using detail::pick_axis;
using detail::slice_axis;
using detail::value_check;

namespace {

// ---- axes ----

/// The axes of the option in rising order; all of them for none.
dims reduced_axes(const char* name, const axis_list& axis, int rank) {
  dims axes;
  if (axis.all()) {
    for (int k = 0; k < rank; ++k) axes.push_back(k);
    return axes;
  }
  for (std::int64_t k : axis.list()) axes.push_back(normalize_axis(name, k, rank));
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end()) throw ValueError(name, "repeated axis");
  return axes;
}

/// The axes made one, which comes first.
array merged(const array& x, const dims& axes) {
  if (axes.size() == 1) return axes[0] == 0 ? x : moveaxis(x, axes[0], 0);
  if (axes.size() == x.ndim()) return reshape(x, {x.size()});
  dims order = axes, shape{1};
  for (std::int64_t k : axes) shape[0] *= x.shape(static_cast<int>(k));
  for (int k = 0; k < x.ndim(); ++k) {
    if (std::find(axes.begin(), axes.end(), k) != axes.end()) continue;
    order.push_back(k);
    shape.push_back(x.shape(k));
  }
  return reshape(detail::permute(x, order), shape);
}

/// The result with the axes of length 1 again, or written to `out`, to which all but medians broadcast. `extra`: axes that come
/// first.
array give(const char* name, const array& result, int extra, const dims& axes, bool keepdims, const array& out) {
  array shaped = result;
  if (keepdims && !axes.empty()) {
    dims places;
    for (std::int64_t k : axes) places.push_back(k + extra);
    shaped = expand_dims(result, places);
  }
  if (!out.empty_handle() && std::string_view(name) == "median" && out.shape() != shaped.shape())
    throw ValueError(name, "Wrong shape of argument 'out', shape=" + shaped.shape().str() +
                               " is required; got shape=" + out.shape().str() + ".");
  return detail::finish(shaped, shaped.get()->type, out);
}

/// Weights of the shape of `a`, or of its extents along the axes: so that they broadcast.
array wide_weights(const char* name, const operand& a, const axis_list& axis, const array& weights) {
  const dims shape = detail::shape_of(a);
  if (weights.shape() == shape) return weights;
  if (axis.all()) throw TypeError(name, "Axis must be specified when shapes of a and weights differ.");
  dims given, order, wide;
  for (std::int64_t k : axis.list()) given.push_back(normalize_axis(name, k, shape.size()));
  const dims extents = weights.shape();
  bool fits = extents.size() == given.size();
  for (int i = 0; fits && i < given.size(); ++i) fits = extents[i] == shape[static_cast<int>(given[i])];
  if (!fits) throw ValueError(name, "Shape of weights must be consistent with shape of a along specified axis.");
  wide.resize(shape.size(), 1);
  for (int k = 0; k < shape.size(); ++k)
    for (int i = 0; i < given.size(); ++i)
      if (given[i] == k) order.push_back(i), wide[k] = shape[k];
  return reshape(detail::permute(weights, order), wide);
}

// ---- sorted values ----

/// Values (n, kept...) sorted along the first axis, NaN last; how many of them count is a number, or an array: of
/// one element where the graph will know the length, of one per column where NaNs do not count.
struct Sorted {
  array values;
  std::int64_t n = 0;
  std::optional<array> count{};
  bool by_column = false;
};

Sorted sorted(const array& x, bool without_nan) {
  Sorted s{sort(x, 0)};
  if (without_nan && !is_integral_type(x.get()->type)) {
    s.count = sum(logical_not(isnan(x)), {.axis = 0, .dtype = int64});
    s.by_column = true;
  } else if (detail::is_unsized(x)) {
    s.count = detail::count_along(x, 0, dtype_id::int64);
  } else {
    s.n = x.shape(0);
  }
  return s;
}

/// Values at places (any shape; with that of the columns at the end if each has its own).
array taken(const Sorted& s, const array& places) {
  const array& x = s.values;
  if (!s.by_column || x.ndim() == 1) return take(x, places, 0);
  dims kept = x.shape();
  kept.erase(0);
  const std::int64_t columns = element_count(kept);
  const array column = reshape(arange(columns), kept);
  return take(reshape(x, {x.size()}), places * columns + column);
}

/// `x` where the largest value is no NaN, else NaN.
array with_nan(const Sorted& s, const array& x) {
  if (s.by_column || is_integral_type(s.values.get()->type)) return x;
  const array last = s.count ? taken(s, maximum(*s.count - 1, 0)) : pick_axis(s.values, 0, s.n - 1);
  return where(isnan(last), last, x);
}

// ---- medians ----

/// The middle one of the values that count, or the mean of the two in the middle.
array middle_of(const Sorted& s) {
  const array& count = *s.count;
  const array low = taken(s, maximum(floor_divide(count - 1, 2), 0));
  const array high = taken(s, floor_divide(count, 2));
  const array between = mean(stack({low, high}), {.axis = 0});
  return where(count % 2 == 1, high, between);
}

array median_of(const char* name, const operand& a, const median_options& o, bool without_nan) {
  array x = detail::to_array(a);
  const dims axes = reduced_axes(name, o.axis, x.ndim());
  x = merged(x, axes);
  const auto given = [&](const array& result) { return give(name, result, 0, axes, o.keepdims, o.out); };
  if (without_nan && !detail::is_unsized(x) && x.size() == 0) return given(nanmean(x, {.axis = 0}));
  if (detail::is_unsized(x) && !without_nan) {
    // Of no elements the median is NaN: one stands behind the others, where no place but that one reaches.
    const array f = detail::as_floating(x);
    dims one = detail::named_shape(f);
    one[0] = 1;
    const array count = detail::count_along(x, 0, dtype_id::int64);
    const array no_number = full(one, nan, {.dtype = f.dtype()});
    Sorted s = sorted(concatenate({f, no_number}, {.axis = 0}), false);
    s.count = count;
    return given(with_nan(s, middle_of(s)));
  }
  const Sorted s = sorted(x, without_nan);
  if (s.by_column) return given(middle_of(s));
  if (s.n == 0) return given(mean(x, {.axis = 0}));
  const array middle = slice_axis(s.values, 0, s.n % 2 ? s.n / 2 : s.n / 2 - 1, s.n / 2 + 1);
  return given(with_nan(s, mean(middle, {.axis = 0})));
}

// ---- quantiles ----

enum class Method {
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  linear,
  median_unbiased,
  normal_unbiased,
  lower,
  higher,
  midpoint,
  nearest,
  count_
};
constexpr const char* method_names[] = {"inverted_cdf",
                                        "averaged_inverted_cdf",
                                        "closest_observation",
                                        "interpolated_inverted_cdf",
                                        "hazen",
                                        "weibull",
                                        "linear",
                                        "median_unbiased",
                                        "normal_unbiased",
                                        "lower",
                                        "higher",
                                        "midpoint",
                                        "nearest"};

Method method_of(const char* name, const char* method) {
  std::string known;
  for (int i = 0; i < static_cast<int>(Method::count_); ++i) {
    if (std::strcmp(method_names[i], method) == 0) return static_cast<Method>(i);
    known += (i ? ", '" : "'") + std::string(method_names[i]) + "'";
  }
  throw ValueError(name, "'" + std::string(method) + "' is not a valid method. Use one of: dict_keys([" + known + "])");
}

/// Where a quantile is found between the sorted values, counted from 0: a whole place, or one between two.
struct Between {
  array place, gamma;  // gamma: the weight of the next value
  bool whole;
};

Between between(Method method, const Sorted& s, const array& q) {
  // Counts in q's own dtype, as NumPy's numbers are.
  std::optional<array> counts;
  if (s.count) counts = detail::cast(*s.count, q.dtype().id());
  auto times_count = [&](std::int64_t less) { return counts ? q * (*counts - less) : q * (s.n - less); };
  auto spread = [&](double alpha, double beta) { return times_count(0) + (q * (1 - alpha - beta) + alpha) - 1; };
  auto choose_place = [&](const array& v, bool odd_only) -> Between {  // the place below at a whole one, else above
    const array below = floor(v);
    array stays = v - below == 0;
    if (odd_only) stays = stays & (below % 2 == 1);
    return {where(stays, below, below + 1), v, true};
  };
  auto weight = [&](const array& made) { return detail::cast(made, q.get()->type); };  // in q's own dtype
  auto plain = [&](const array& v) -> Between { return {v, v - floor(v), false}; };
  switch (method) {
    case Method::inverted_cdf: return choose_place(times_count(0) - 1, false);
    case Method::closest_observation: return choose_place(times_count(0) - 1 - 0.5, true);
    case Method::averaged_inverted_cdf: {
      const array v = times_count(0) - 1;
      return {v, weight(where(v - floor(v) == 0, 0.5, 1.0)), false};
    }
    case Method::interpolated_inverted_cdf: return plain(spread(0, 1));
    case Method::hazen: return plain(spread(0.5, 0.5));
    case Method::weibull: return plain(spread(0, 0));
    case Method::median_unbiased: return plain(spread(1 / 3.0, 1 / 3.0));
    case Method::normal_unbiased: return plain(spread(3 / 8.0, 3 / 8.0));
    case Method::lower: return {floor(times_count(1)), q, true};
    case Method::higher: return {ceil(times_count(1)), q, true};
    case Method::nearest: return {rint(times_count(1)), q, true};
    case Method::midpoint: {
      const array v = (floor(times_count(1)) + ceil(times_count(1))) * 0.5;
      return {v, weight(where(v % 1 == 0, 0.0, 0.5)), false};
    }
    default: return plain(times_count(1));
  }
}

/// Cut to the places that there are, as an index.
array index_of(const Sorted& s, const array& v) {
  if (!s.count) return detail::cast(clip(v, 0, s.n - 1), dtype_id::int64);
  const array i = detail::cast(v, dtype_id::int64);
  return maximum(minimum(i, *s.count - 1), 0);
}

/// Axes of length 1 behind those of q, one for each kept axis.
array before_columns(const array& q, const array& values) {
  dims places;
  for (int k = 1; k < values.ndim(); ++k) places.push_back(q.ndim() + k - 1);
  return places.empty() ? q : expand_dims(q, places);
}

/// q, a float unless it was given as integers; `weak`: by a literal.
array unweighted(const array& x, const array& q_given, bool weak, Method method, bool without_nan) {
  const Sorted s = sorted(x, without_nan);
  if (!s.count && s.n == 0) throw IndexError("quantile", "index -1 is out of bounds for axis 0 with size 0");
  // Quantiles that are all 0 or 1 are elements: nothing is interpolated.
  const bool ends = method == Method::linear && is_integral_type(q_given.get()->type);
  array q = detail::as_floating(q_given);
  if (s.by_column) q = before_columns(q, x);
  const Between b = between(method, s, q);
  if (b.whole || ends) return with_nan(s, taken(s, index_of(s, b.place)));
  const array below = floor(b.place);
  const array left = taken(s, index_of(s, below)), right = taken(s, index_of(s, below + 1));
  array gamma = s.by_column ? b.gamma : before_columns(b.gamma, x);
  array rest = 1.0 - gamma;
  if (weak && !is_integral_type(x.get()->type)) {
    gamma = detail::cast(gamma, x.get()->type);
    rest = detail::cast(rest, x.get()->type);
  }
  const array step = right - left;
  return with_nan(s, where(gamma >= 0.5, right - step * rest, left + step * gamma));
}

/// The first value at which the sum of the weights so far reaches the part q of all.
array weighted(const array& x, array w, const array& q, bool without_nan) {
  const bool may_have_nan = !is_integral_type(x.get()->type);
  w = broadcast_to(detail::cast(w, dtype_id::float64), x.shape());
  w = checked(w, w < 0, value_check::negative_weights);
  if (without_nan && may_have_nan) w = where(isnan(x), 0.0, w);
  const array order = argsort(x, 0);
  const Sorted s{take_along_axis(x, order, 0), x.shape(0)};
  const array sums = cumsum(take_along_axis(w, order, 0), {.axis = 0});
  const array total = slice_axis(sums, 0, -1, layout::none);
  array parts = sums / total;
  if (!without_nan) parts = checked(parts, isnan(slice_axis(parts, 0, -1, layout::none)), value_check::unusable_weights);
  if (q.dtype().kind() == 'f') parts = detail::cast(parts, q.get()->type);
  parts = where(parts == 0, -1.0, parts);
  // As many sums as are smaller: the axes of q, that of the values, the columns.
  dims behind{q.ndim()};
  for (int k = 1; k < x.ndim(); ++k) behind.push_back(q.ndim() + k);
  const array wide_q = expand_dims(q, behind);
  const array smaller = sum(parts < wide_q, {.axis = q.ndim(), .dtype = int64});
  Sorted columns = s;
  columns.by_column = true;
  const array found = taken(columns, minimum(smaller, s.n - 1));
  return without_nan ? found : with_nan(s, found);
}

array quantile_of(const char* name, const operand& a, const array& q, bool weak, const quantile_options& o, bool without_nan) {
  const array x = detail::to_array(a);
  if (x.dtype().kind() == 'c') throw TypeError(name, "a must be an array of real numbers");
  if (q.ndim() > 2) throw ValueError(name, "q must be a scalar or 1d");
  const Method method = method_of(name, o.method);
  if (!o.weights.empty_handle() && method != Method::inverted_cdf)
    throw ValueError(name, "Only method 'inverted_cdf' supports weights. Got: " + std::string(o.method) + ".");
  const dims axes = reduced_axes(name, o.axis, x.ndim());
  if (without_nan && !detail::is_unsized(x) && x.size() == 0)
    return give(name, nanmean(x, {.axis = axes}), 0, axes, o.keepdims, o.out);
  if (!o.weights.empty_handle()) {
    const array w = wide_weights(name, x, o.axis, o.weights);
    const array all = broadcast_to(w, x.shape());
    return give(name, weighted(merged(x, axes), merged(all, axes), q, without_nan), q.ndim(), axes, o.keepdims, o.out);
  }
  return give(name, unweighted(merged(x, axes), q, weak, method, without_nan), q.ndim(), axes, o.keepdims, o.out);
}

/// Not within [0, 1]: NaN is not, either.
array outside(const array& q) { return logical_not((q >= 0) & (q <= 1)); }

/// The same of values that are known at the call.
void check_known(const operand& q, double largest, const char* op, const char* text) {
  for (const double v : detail::known_values<double>(q))
    if (!(v >= 0 && v <= largest)) detail::throw_for_known(op, text);
}

array by_quantile(const char* name, const operand& a, const operand& q, const quantile_options& o, bool without_nan) {
  check_known(q, 1, "quantile", "Quantiles must be in the range [0, 1]");
  const array given = detail::to_array(q);
  return quantile_of(name, a, checked(given, outside(given), value_check::quantile_range), !q.is_array(), o, without_nan);
}
array by_percentile(const char* name, const operand& a, const operand& q, const quantile_options& o, bool without_nan) {
  check_known(q, 100, "percentile", "Percentiles must be in the range [0, 100]");
  const array parts = detail::to_array(q) / 100.0;
  return quantile_of(name, a, checked(parts, outside(parts), value_check::percentile_range), !q.is_array(), o, without_nan);
}

}  // namespace

array median(const operand& a, const median_options& o) {
  const location_scope scope(a.where());
  return median_of("median", a, o, false);
}
array nanmedian(const operand& a, const median_options& o) {
  const location_scope scope(a.where());
  return median_of("nanmedian", a, o, true);
}
array quantile(const operand& a, const operand& q, const quantile_options& o) {
  const location_scope scope(a.where());
  return by_quantile("quantile", a, q, o, false);
}
array nanquantile(const operand& a, const operand& q, const quantile_options& o) {
  const location_scope scope(a.where());
  return by_quantile("nanquantile", a, q, o, true);
}
array percentile(const operand& a, const operand& q, const quantile_options& o) {
  const location_scope scope(a.where());
  return by_percentile("percentile", a, q, o, false);
}
array nanpercentile(const operand& a, const operand& q, const quantile_options& o) {
  const location_scope scope(a.where());
  return by_percentile("nanpercentile", a, q, o, true);
}

// ---- weighted means ----

namespace {
/// Of a number, too, of which a mean would take axis 0.
void check_axes(const operand& a, const axis_list& axes) {
  if (axes.all()) return;
  for (const std::int64_t axis : axes.list()) normalize_axis("average", axis, detail::rank_of(a));
}
}  // namespace

average_result average_returned(const operand& a, const average_options& o) {
  const location_scope scope(a.where());
  check_axes(a, o.axis);
  const array x = detail::to_array(a);
  if (o.weights.empty_handle()) {
    const array result = mean(x, {.axis = o.axis, .keepdims = o.keepdims});
    const std::int64_t parts = result.size();
    const double count = static_cast<double>(x.size()) / static_cast<double>(parts);
    return {result, full(result.shape(), count, {.dtype = result.dtype()})};
  }
  const array w = wide_weights("average", a, o.axis, o.weights);
  dtype_id t = promote_types(x.get()->type, w.get()->type);
  if (is_integral_type(x.get()->type)) t = promote_types(t, dtype_id::float64);
  const array scale = sum(w, {.axis = o.axis, .dtype = dtype(t), .keepdims = o.keepdims});
  const array divisor = checked(scale, scale == 0.0, value_check::zero_weights);
  const array left = detail::cast(x, t), right = detail::cast(w, t);
  const bool last = detail::is_last_axis(o.axis, x.ndim()) && !o.keepdims;
  array total = last ? detail::sum_of_products_at_hand(left, right) : array();
  if (total.empty_handle()) total = sum(left * right, {.axis = o.axis, .keepdims = o.keepdims});
  const array result = total / divisor;
  return {result, broadcast_to(divisor, result.shape()).copy()};
}

array average(const operand& a, const average_options& o) {
  check_axes(a, o.axis);
  if (o.weights.empty_handle()) {
    const array result = mean(a, {.axis = o.axis, .keepdims = o.keepdims});
    // NumPy divides by the number of results to tell how many elements went into each.
    if (!detail::is_unsized(result) && result.size() == 0) throw ZeroDivisionError("average", "division by zero");
    return result;
  }
  return average_returned(a, o).average;
}

}  // namespace numjit
