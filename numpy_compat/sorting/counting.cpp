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
array equal_edges(const array& x, const value_bounds& range, std::int64_t bins, dtype_id type, bool in_grid) {
  const char* op = in_grid ? "histogramdd" : "histogram";
  const op_params params = layout::edges_params(bins, in_grid, type);
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
    const bool narrow = own == dtype_id::float32 || own == dtype_id::float16;
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

// ---- grids of bins ----

namespace {

/// The edges of one axis; errors tell its number. Between extremes of floats they have their dtype.
array axis_edges(std::size_t i, const array& column, const histogram_bins& bins, const histogram_range& range) {
  const std::string name = "`bins[" + std::to_string(i) + "]`";
  if (bins.rule()) throw TypeError("histogramdd", name + " must be an integer, when a scalar");
  const array& edges = bins.edges();
  if (edges.empty_handle()) {
    if (bins.count() < 1) throw ValueError("histogramdd", name + " must be positive, when an integer");
    const bool own = !range.bounds() && (detail::is_unsized(column) || column.size() > 0);
    return equal_edges(column, range.bounds(), bins.count(), own ? edge_type(column.get()->type) : dtype_id::float64, true);
  }
  if (edges.ndim() != 1) throw ValueError("histogramdd", name + " must be a scalar or 1d array");
  if (static_cast<bool>(any(detail::slice_axis(edges, 0, 0, -1) > detail::slice_axis(edges, 0, 1, layout::none))))
    throw ValueError("histogramdd", name + " must be monotonically increasing, when an array");
  return edges;
}

bool have_as_many(const operand& a, const operand& b) {
  return detail::named_shape(a) == detail::named_shape(b) || detail::element_count_of(a) == detail::element_count_of(b);
}

/// The bin of each value along an axis, from 1 on: 0 is below all, and one more than there are is above, as NaN is.
array bins_of(const array& column, const array& edges) {
  const dtype_id wide = promote_types(edges.dtype().id(), column.dtype().id());
  const array last = column == detail::pick_axis(edges, 0, -1);  // the last bin has its upper edge
  return searchsorted(detail::as_type(edges, wide), detail::as_type(column, wide), "right") - detail::cast(last, dtype_id::int64);
}

}  // namespace

histogramdd_result histogramdd(const array_list& columns, const histogramdd_options& o, location where_called) {
  const location_scope scope(where_called);
  const std::size_t d = columns.size();
  if (d == 0) throw ValueError("histogramdd", "at least one array or dtype is required");
  if (o.bins.size() != d && o.bins.size() != 1)
    throw ValueError("histogramdd", "The dimension of bins must be equal to the dimension of the sample x.");
  if (!o.range.empty() && o.range.size() != d)
    throw ValueError("histogramdd", "range argument must have one entry per dimension");
  if (!o.weights.empty_handle() && !have_as_many(o.weights, columns[0]))
    throw ValueError("histogramdd", "The weights and list don't have the same length.");
  if (!o.weights.empty_handle()) detail::check_cast("histogramdd", o.weights, float64, "safe");
  for (const array& column : columns)
    if (column.dtype().kind() == 'c') throw NotImplementedError("histogramdd", "complex arrays are not supported.");
  histogramdd_result result;
  array cell;
  dims grid;
  for (std::size_t i = 0; i < d; ++i) {
    const array edges =
        axis_edges(i, columns[i], o.bins[o.bins.size() == 1 ? 0 : i], o.range.empty() ? histogram_range() : o.range[i]);
    const array place = bins_of(columns[i], edges);
    const std::int64_t n = edges.size() + 1;
    cell = i == 0 ? place : cell * n + place;
    result.edges.push_back(edges);
    grid.push_back(n);
  }
  result.counts = reshape(detail::cast(in_bins(cell, o.weights, element_count(grid)), dtype_id::float64), grid);
  for (int k = 0; k < grid.size(); ++k) result.counts = detail::slice_axis(result.counts, k, 1, -1);
  result.counts = detail::contiguous_copy(result.counts);
  if (!o.density) return result;
  const array total = sum(result.counts);
  for (int k = 0; k < grid.size(); ++k) {
    dims along;
    along.resize(grid.size(), 1);
    along[k] = -1;
    result.counts = result.counts / reshape(diff(result.edges[static_cast<std::size_t>(k)]), along);
  }
  result.counts = result.counts / total;
  return result;
}

histogramdd_result histogramdd(const operand& sample, const dims& bins, bool density, const array& weights) {
  const location_scope scope(sample.where());
  const array x = detail::to_array(sample);
  if (x.ndim() > 2) throw ValueError("histogramdd", "The dimension of bins must be equal to the dimension of the sample x.");
  array_list columns;
  if (x.ndim() < 2) columns.push_back(ravel(x));
  for (int k = 0; x.ndim() == 2 && k < x.shape(1); ++k) columns.push_back(detail::contiguous_copy(detail::pick_axis(x, 1, k)));
  histogramdd_options o{.bins = {bins.begin(), bins.end()}, .density = density, .weights = weights};
  if (bins.size() != static_cast<int>(columns.size()))
    throw ValueError("histogramdd", "The dimension of bins must be equal to the dimension of the sample x.");
  return histogramdd(columns, o, {});
}

histogram2d_result histogram2d(const operand& x, const operand& y, std::pair<std::int64_t, std::int64_t> bins,
                               const std::pair<value_bounds, value_bounds>& range, bool density, const array& weights) {
  const location_scope scope(x.where());
  if (!have_as_many(x, y)) throw ValueError("histogram2d", "x and y must have the same length.");
  const auto bounds = [](const value_bounds& given) { return given ? histogram_range(*given) : histogram_range(); };
  const histogramdd_options o{.bins = {bins.first, bins.second},
                              .range = {bounds(range.first), bounds(range.second)},
                              .density = density,
                              .weights = weights};
  const operand both[] = {x, y};
  const dtype_id type = result_type(both);
  histogramdd_result r = histogramdd({detail::as_type(ravel(x), type), detail::as_type(ravel(y), type)}, o, {});
  return {std::move(r.counts), std::move(r.edges[0]), std::move(r.edges[1])};
}

}  // namespace numjit
