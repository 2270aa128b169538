// Counting: places in sorted arrays, bins, histograms.
#include <cmath>
#include <cstring>

#include <numjit/eager/histogram.h>

#include <at_hand.h>
#include <math/checks.h>

namespace numjit {

using detail::call;

namespace {

bool is_real_float(dtype_id t) { return dtype(t).kind() == 'f'; }

/// What is searched has one axis.
void check_bins(const char* op, const operand& a) {
  if (const int rank = detail::rank_of(a); rank != 1)
    throw ValueError(op, std::string("object ") + (rank ? "too deep" : "of too small depth") + " for desired array");
}

/// Complex numbers have an order only for sorts: the place among all, less that among its own kind. Sorts are stable, so
/// that equal elements stand behind those that were joined first.
array search_by_sorting(const array& a, const array& v, bool right) {
  auto ranks = [](const array& x) { return argsort(argsort(x)); };
  const array values = v.ravel();
  const array places = ranks(concatenate(right ? array_list{a, values} : array_list{values, a}));
  const array mine = right ? places(slice(a.size(), none)) : places(slice(none, values.size()));
  return (mine - ranks(values)).reshape(v.shape());
}

}  // namespace

array searchsorted(const operand& a, const operand& v, const char* side, const array& sorter) {
  const bool right = std::strcmp(side, "right") == 0;
  if (!right && std::strcmp(side, "left") != 0) {
    const char first = static_cast<char>(side[0] | 0x20);  // NumPy looks at the first letter, too
    throw ValueError("searchsorted", first == 'l' || first == 'r'
                                         ? "search side must be one of 'left' or 'right'"
                                         : "search side must be 'left' or 'right' (got '" + std::string(side) + "')");
  }
  const location_scope scope(v.where());
  check_bins("searchsorted", a);
  if (!sorter.empty_handle()) {
    if (sorter.dtype().kind() != 'i' && sorter.dtype().kind() != 'u')
      throw TypeError("searchsorted", "sorter must only contain integers");
    if (sorter.ndim() != 1) throw TypeError("searchsorted", "could not parse sorter argument");
    const std::int64_t n = detail::element_count_of(a);
    if (sorter.size() != n) throw ValueError("searchsorted", "sorter.size must equal a.size");
    if (n > 0 && detail::is_at_hand(sorter) && static_cast<bool>(any((sorter < 0) | (sorter >= n))))
      throw ValueError("searchsorted", "Sorter index out of range.");
    return searchsorted(take(detail::to_array(a), sorter), v, side);
  }
  const operand both[] = {a, v};
  if (dtype(result_type(both)).kind() == 'c') return search_by_sorting(detail::to_array(a), detail::to_array(v), right);
  return call(op_id::searchsorted, {detail::to_array(a), detail::to_array(v)}, layout::side_params(right));
}

array digitize(const operand& x, const operand& bins, bool right) {
  if (dtype(detail::type_of(x)).kind() == 'c') throw TypeError("digitize", "x may not be complex");
  if (dtype(detail::type_of(bins)).kind() == 'c') detail::check_cast("digitize", detail::to_array(bins), float64, "safe");
  check_bins("digitize", bins);
  const location_scope scope(x.where());
  return call(op_id::digitize, {detail::to_array(x), detail::to_array(bins)}, layout::side_params(right));
}

array bincount(const operand& x, const bincount_options& o) {
  const location_scope scope(x.where());
  const op_params params = layout::count_params(o.minlength);
  const array list = detail::to_array(x);
  for (const std::int64_t value : detail::known_values<std::int64_t>(list))
    if (value < 0) detail::throw_for_known("bincount", "'list' argument must have no negative elements");
  return o.weights.empty_handle() ? call(op_id::bincount, {list}, params) : call(op_id::bincount, {list, o.weights}, params);
}

// ---- histograms ----

namespace {

using value_bounds = std::optional<std::pair<double, double>>;

/// Edges of equal bins: over the given range, or from the smallest to the largest element.
array equal_edges(const array& x, const value_bounds& range, std::int64_t bins, dtype_id type, bool two) {
  const char* op = two ? "histogram2d" : "histogram";
  const op_params params = layout::edges_params(bins, two, type);
  if (range) {
    const auto [low, high] = *range;
    if (low > high) throw ValueError(op, "max must be larger than min in range parameter.");
    if (!std::isfinite(low) || !std::isfinite(high))
      throw ValueError(op, "supplied range of [" + array(low).str() + ", " + array(high).str() + "] is not finite");
    return call(op_id::histogram_edges, {low, high}, params);
  }
  // Of no elements infinity and its negative: the op takes them for 0 and 1.
  const bool may_be_empty = detail::is_unsized(x) || x.size() == 0;
  auto extreme = [&](auto reduce, double of_nothing) {
    // Edges between values of narrow floats are computed in their arithmetic.
    const dtype_id own = x.get()->type;
    const bool narrow = !two && (own == dtype_id::float32 || own == dtype_id::float16);
    const dtype_id wide = narrow ? own : dtype_id::float64;
    const array values = may_be_empty ? detail::cast(x, wide) : x;
    reduce_options o;
    if (may_be_empty) o.initial = of_nothing;
    const array found = reduce(values, o);
    return narrow ? found : detail::cast(found, wide);
  };
  const array low = extreme([](const operand& v, const reduce_options& o) { return min(v, o); }, inf);
  const array high = extreme([](const operand& v, const reduce_options& o) { return max(v, o); }, -inf);
  return call(op_id::histogram_edges, {low, high}, params);
}

/// dtype of edges made for values of a dtype: floats keep theirs.
dtype_id edge_type(dtype_id values) { return is_real_float(values) ? values : dtype_id::float64; }

/// The bin of each value, `bins` for those outside; `equal`: all bins have one width.
array places_in(const array& x, const array& edges, bool equal) {
  return call(op_id::histogram_places, {x, edges}, layout::side_params(equal));
}

void check_weights(const char* op, const array& weights, const operand& a) {
  if (!weights.empty_handle() && !detail::same_shape(weights, a))
    throw ValueError(op, "weights should have the same shape as a.");
}

/// Counts, or sums of weights in the weights' dtype, of places 0 to bins - 1.
array in_bins(const array& places, const array& weights, std::int64_t bins) {
  const op_params params = layout::count_params(bins);
  if (weights.empty_handle()) return call(op_id::histogram_counts, {places}, params);
  const array flat = ravel(weights);
  if (flat.dtype().kind() == 'c') {  // part by part
    const array real = in_bins(places, flat.real(), bins), imag = in_bins(places, flat.imag(), bins);
    return detail::cast(real + imag * std::complex<double>(0, 1), flat.get()->type);
  }
  return detail::cast(call(op_id::histogram_counts, {places, flat}, params), weights.get()->type);
}

/// Counts, or sums of weights, of x in the bins between the edges; `equal`: all bins have one width.
array counts_between(const array& x, const array& edges, bool equal, const array& weights) {
  const std::int64_t bins = std::max<std::int64_t>(edges.size() - 1, 0);
  const auto is_real = [](const array& a) { return a.dtype().kind() != 'c'; };
  const bool here = bins > 0 && detail::is_at_hand(x) && detail::is_at_hand(edges) && is_real(x) && is_real(edges);
  if (!here || (!weights.empty_handle() && !detail::is_at_hand(weights)))
    return in_bins(places_in(x, edges, equal), weights, bins);
  if (weights.empty_handle()) {
    const array counts = detail::fresh(dtype_id::int64, {bins});
    eager::count_bins(x.get(), edges.get(), equal, detail::data_of<std::int64_t>(counts));
    return counts;
  }
  const array sums = detail::fresh(is_real(weights) ? dtype_id::float64 : dtype_id::complex128, {bins});
  const array flat = ravel(weights);
  eager::sum_bins(x.get(), edges.get(), equal, flat.get(), reinterpret_cast<double*>(sums.get()->data));
  return detail::cast(sums, weights.get()->type);
}

/// Counts over bin widths and total: the integral becomes 1.
array as_density(const array& counts, const array& edges) { return counts / diff(edges).astype(float64) / sum(counts); }

}  // namespace

histogram_result histogram(const operand& a, std::int64_t bins, value_bounds range, bool density, const array& weights) {
  const location_scope scope(a.where());
  if (bins < 1) throw ValueError("histogram", "`bins` must be positive, when an integer");
  check_weights("histogram", weights, a);
  const array x = ravel(a);
  histogram_result r;
  r.edges = equal_edges(x, range, bins, edge_type(x.get()->type), false);
  r.counts = counts_between(x, r.edges, true, weights);
  if (density) r.counts = as_density(r.counts, r.edges);
  return r;
}

array histogram_bin_edges(const operand& a, std::int64_t bins, value_bounds range, const array& weights) {
  const location_scope scope(a.where());
  if (bins < 1) throw ValueError("histogram", "`bins` must be positive, when an integer");
  check_weights("histogram", weights, a);
  const array x = ravel(a);
  return equal_edges(x, range, bins, edge_type(x.get()->type), false);
}

histogram_result detail::histogram_between(const operand& a, const array& edges, bool density, const array& weights) {
  const location_scope scope(a.where());
  check_weights("histogram", weights, a);
  if (edges.ndim() != 1) throw ValueError("histogram", "`bins` must be 1d, when an array");
  histogram_result r;
  r.edges = edges;
  r.counts = counts_between(ravel(a), edges, false, weights);
  if (density) r.counts = as_density(r.counts, r.edges);
  return r;
}

histogram2d_result histogram2d(const operand& x, const operand& y, std::pair<std::int64_t, std::int64_t> bins,
                               const std::pair<value_bounds, value_bounds>& range, bool density, const array& weights) {
  const location_scope scope(x.where());
  if (!(detail::named_shape(x) == detail::named_shape(y)) && detail::element_count_of(x) != detail::element_count_of(y))
    throw ValueError("histogram2d", "x and y must have the same length.");
  if (!weights.empty_handle() && !(detail::named_shape(weights) == detail::named_shape(x)) &&
      weights.size() != detail::element_count_of(x))
    throw ValueError("histogram2d", "The weights and list don't have the same length.");
  const std::int64_t count[2] = {bins.first, bins.second};
  const value_bounds bounds[2] = {range.first, range.second};
  const operand* given[2] = {&x, &y};
  array edges[2], cell;
  for (int i = 0; i < 2; ++i) {
    if (count[i] < 1) throw ValueError("histogram2d", "`bins[" + std::to_string(i) + "]` must be positive, when an integer");
    const array values = ravel(*given[i]);
    edges[i] = equal_edges(values, bounds[i], count[i], bounds[i] ? dtype_id::float64 : edge_type(values.get()->type), true);
    const array last = values == detail::pick_axis(edges[i], 0, -1);
    const array after = searchsorted(edges[i], values, "right");
    const array place = after - detail::cast(last, dtype_id::int64);
    cell = i == 0 ? place : cell * (count[1] + 2) + place;
  }
  const std::int64_t all = (count[0] + 2) * (count[1] + 2);
  const array whole = detail::cast(in_bins(cell, weights, all), dtype_id::float64);
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
