// Counting: places in sorted arrays, bins, histograms.
#include <cmath>
#include <cstring>

#include <numjit/eager/histogram.h>

#include <at_hand.h>
#include <math/checks.h>

namespace numjit {

using detail::at;
using detail::call;

namespace {

bool is_real_float(dtype_id t) { return dtype(t).kind() == 'f'; }

}  // namespace

namespace {

/// Complex numbers have an order only for sorts: the place among all, less that among its own kind. Sorts are stable, so
/// that equal elements stand behind those that were joined first.
array search_by_sorting(const array& a, const array& v, bool right, const location& w) {
  auto ranks = [&](const array& x) { return argsort(at(argsort(at(x, w)), w)); };
  const array values = v.ravel(w);
  const array places = ranks(concatenate(right ? array_list{a, values} : array_list{values, a}, {}, w));
  const array mine = right ? places(slice(a.size(), none)) : places(slice(none, values.size()));
  return subtract(at(mine, w), at(ranks(values), w)).reshape(v.shape(), w);
}

}  // namespace

array searchsorted(const operand& a, const operand& v, const char* side, const array& sorter) {
  const bool right = std::strcmp(side, "right") == 0;
  if (!right && std::strcmp(side, "left") != 0)
    throw ValueError("searchsorted", "search side must be 'left' or 'right' (got '" + std::string(side) + "')");
  const location& w = v.where();
  if (!sorter.empty_handle()) {
    if (sorter.dtype().kind() != 'i' && sorter.dtype().kind() != 'u')
      throw TypeError("searchsorted", "sorter must only contain integers");
    if (sorter.ndim() != 1 || sorter.size() != detail::element_count_of(a))
      throw ValueError("searchsorted", "sorter.size must equal a.size");
    array sorted = take(at(detail::to_array(a), w), at(sorter, w));
    return searchsorted(at(sorted, w), v, side);
  }
  const operand both[] = {a, v};
  if (dtype(result_type(both)).kind() == 'c') return search_by_sorting(detail::to_array(a), detail::to_array(v), right, w);
  return call(op_id::searchsorted, {at(detail::to_array(a), w), at(detail::to_array(v), w)}, layout::side_params(right));
}

array digitize(const operand& x, const operand& bins, bool right) {
  const location& w = x.where();
  return call(op_id::digitize, {at(detail::to_array(x), w), at(detail::to_array(bins), w)}, layout::side_params(right));
}

array bincount(const operand& x, const bincount_options& o) {
  const array& weights = o.weights;
  const op_params params = layout::count_params(o.minlength);
  const operand list = at(detail::to_array(x), x.where());
  for (const std::int64_t value : detail::known_values<std::int64_t>(list))
    if (value < 0) detail::throw_for_known("bincount", "'list' argument must have no negative elements");
  return weights.empty_handle() ? call(op_id::bincount, {list}, params)
                                : call(op_id::bincount, {list, at(weights, x.where())}, params);
}

// ---- histograms ----

namespace {

using value_bounds = std::optional<std::pair<double, double>>;

/// Edges of equal bins: over the given range, or from the smallest to the largest element.
array equal_edges(const array& x, const value_bounds& range, std::int64_t bins, dtype_id type, bool two, const location& w) {
  const char* op = two ? "histogram2d" : "histogram";
  const op_params params = layout::edges_params(bins, two, type);
  if (range) {
    const auto [low, high] = *range;
    if (low > high) throw ValueError(op, "max must be larger than min in range parameter.");
    if (!std::isfinite(low) || !std::isfinite(high))
      throw ValueError(op, "supplied range of [" + array(low).str() + ", " + array(high).str() + "] is not finite");
    return call(op_id::histogram_edges, {at(low, w), at(high, w)}, params);
  }
  // Of no elements infinity and its negative: the op takes them for 0 and 1.
  const bool may_be_empty = detail::is_unsized(x) || x.size() == 0;
  auto extreme = [&](auto reduce, double of_nothing) {
    // Edges between values of narrow floats are computed in their arithmetic.
    const dtype_id own = x.get()->type;
    const bool narrow = !two && (own == dtype_id::float32 || own == dtype_id::float16);
    const dtype_id wide = narrow ? own : dtype_id::float64;
    array values = may_be_empty ? detail::cast(at(x, w), wide) : x;
    reduce_options o;
    if (may_be_empty) o.initial = at(of_nothing, w);
    array found = reduce(at(values, w), o);
    return narrow ? found : detail::cast(at(found, w), wide);
  };
  array low = extreme([](const operand& v, const reduce_options& o) { return min(v, o); }, inf);
  array high = extreme([](const operand& v, const reduce_options& o) { return max(v, o); }, -inf);
  return call(op_id::histogram_edges, {at(low, w), at(high, w)}, params);
}

/// dtype of edges made for values of a dtype: floats keep theirs.
dtype_id edge_type(dtype_id values) { return is_real_float(values) ? values : dtype_id::float64; }

/// The bin of each value, `bins` for those outside; `equal`: all bins have one width.
array places_in(const array& x, const array& edges, bool equal, const location& w) {
  return call(op_id::histogram_places, {at(x, w), at(edges, w)}, layout::side_params(equal));
}

void check_weights(const char* op, const array& weights, const operand& a) {
  if (!weights.empty_handle() && !(detail::named_shape(weights) == detail::named_shape(a)) &&
      !(weights.shape() == detail::shape_of(a)))
    throw ValueError(op, "weights should have the same shape as a.");
}

/// Counts, or sums of weights in the weights' dtype, of places 0 to bins - 1.
array in_bins(const array& places, const array& weights, std::int64_t bins, const location& w) {
  const op_params params = layout::count_params(bins);
  if (weights.empty_handle()) return call(op_id::histogram_counts, {at(places, w)}, params);
  array flat = ravel(at(weights, w));
  if (flat.dtype().kind() == 'c') {  // part by part
    const array real = in_bins(places, flat.real(w), bins, w), imag = in_bins(places, flat.imag(w), bins, w);
    const array turned = multiply(at(imag, w), operand(std::complex<double>(0, 1), w.file, w.function, w.line));
    return detail::cast(at(add(at(real, w), at(turned, w)), w), flat.get()->type);
  }
  array sums = call(op_id::histogram_counts, {at(places, w), at(flat, w)}, params);
  return detail::cast(at(sums, w), weights.get()->type);
}

/// Counts, or sums of weights, of x in the bins between the edges; `equal`: all bins have one width.
array counts_between(const array& x, const array& edges, bool equal, const array& weights, const location& w) {
  const std::int64_t bins = std::max<std::int64_t>(edges.size() - 1, 0);
  const auto is_real = [](const array& a) { return a.dtype().kind() != 'c'; };
  const bool here = bins > 0 && detail::is_at_hand(x) && detail::is_at_hand(edges) && is_real(x) && is_real(edges);
  if (!here || (!weights.empty_handle() && !detail::is_at_hand(weights)))
    return in_bins(places_in(x, edges, equal, w), weights, bins, w);
  if (weights.empty_handle()) {
    const array counts = detail::fresh(dtype_id::int64, {bins});
    eager::count_bins(x.get(), edges.get(), equal, detail::data_of<std::int64_t>(counts));
    return counts;
  }
  const array sums = detail::fresh(is_real(weights) ? dtype_id::float64 : dtype_id::complex128, {bins});
  const array flat = ravel(at(weights, w));
  eager::sum_bins(x.get(), edges.get(), equal, flat.get(), reinterpret_cast<double*>(sums.get()->data));
  return detail::cast(at(sums, w), weights.get()->type);
}

/// Counts over bin widths and total: the integral becomes 1.
array as_density(const array& counts, const array& edges) { return counts / diff(edges).astype(float64) / sum(counts); }

}  // namespace

histogram_result histogram(const operand& a, std::int64_t bins, value_bounds range, bool density, const array& weights) {
  if (bins < 1) throw ValueError("histogram", "`bins` must be positive, when an integer");
  check_weights("histogram", weights, a);
  const location& w = a.where();
  array x = ravel(a);
  histogram_result r;
  r.edges = equal_edges(x, range, bins, edge_type(x.get()->type), false, w);
  r.counts = counts_between(x, r.edges, true, weights, w);
  if (density) r.counts = as_density(r.counts, r.edges);
  return r;
}

array histogram_bin_edges(const operand& a, std::int64_t bins, value_bounds range, const array& weights) {
  if (bins < 1) throw ValueError("histogram", "`bins` must be positive, when an integer");
  check_weights("histogram", weights, a);
  const array x = ravel(a);
  return equal_edges(x, range, bins, edge_type(x.get()->type), false, a.where());
}

histogram_result detail::histogram_between(const operand& a, const array& edges, bool density, const array& weights) {
  check_weights("histogram", weights, a);
  if (edges.ndim() != 1) throw ValueError("histogram", "`bins` must be 1d, when an array");
  const location& w = a.where();
  histogram_result r;
  r.edges = edges;
  r.counts = counts_between(ravel(a), edges, false, weights, w);
  if (density) r.counts = as_density(r.counts, r.edges);
  return r;
}

histogram2d_result histogram2d(const operand& x, const operand& y, std::pair<std::int64_t, std::int64_t> bins,
                               const std::pair<value_bounds, value_bounds>& range, bool density, const array& weights) {
  if (!(detail::named_shape(x) == detail::named_shape(y)) && detail::element_count_of(x) != detail::element_count_of(y))
    throw ValueError("histogram2d", "x and y must have the same length.");
  if (!weights.empty_handle() && !(detail::named_shape(weights) == detail::named_shape(x)) &&
      weights.size() != detail::element_count_of(x))
    throw ValueError("histogram2d", "The weights and list don't have the same length.");
  const location& w = x.where();
  const std::int64_t count[2] = {bins.first, bins.second};
  const value_bounds bounds[2] = {range.first, range.second};
  const operand* given[2] = {&x, &y};
  array edges[2], cell;
  for (int i = 0; i < 2; ++i) {
    if (count[i] < 1) throw ValueError("histogram2d", "`bins[" + std::to_string(i) + "]` must be positive, when an integer");
    array values = ravel(*given[i]);
    edges[i] = equal_edges(values, bounds[i], count[i], bounds[i] ? dtype_id::float64 : edge_type(values.get()->type), true, w);
    array last = equal(at(values, w), at(detail::pick_axis(at(edges[i], w), 0, -1), w));
    array after = searchsorted(at(edges[i], w), at(values, w), "right");
    array place = subtract(at(after, w), at(detail::cast(at(last, w), dtype_id::int64), w));
    cell = i == 0 ? place : add(at(multiply(at(cell, w), at(count[1] + 2, w)), w), at(place, w));
  }
  const std::int64_t all = (count[0] + 2) * (count[1] + 2);
  array whole = detail::cast(at(in_bins(cell, weights, all, w), w), dtype_id::float64);
  histogram2d_result r{whole.reshape(count[0] + 2, count[1] + 2)(slice(1, -1), slice(1, -1)).copy(), edges[0], edges[1]};
  if (density) {
    const array total = sum(r.counts);
    for (int i = 0; i < 2; ++i) {
      const array widths = diff(edges[i]).astype(float64);
      r.counts = r.counts / (i == 0 ? widths(_, newaxis) : widths(newaxis));
    }
    r.counts = r.counts / total;
  }
  return r;
}

}  // namespace numjit
