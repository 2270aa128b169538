// Counting: places in sorted arrays, bins, histograms.
#include <cmath>
#include <cstring>

#include <numjit/eager/counting.h>

#include "surface.h"

namespace numjit {

using detail::at;

namespace {

/// The operand as a concrete contiguous array of a dtype; the array itself where it is that already.
array concrete(const operand& a, dtype_id type, const char* why) {
  array x = detail::to_array(a);
  if (x.get()->type != type) x = detail::cast(at(x, a.where()), type);
  return detail::readable(at(x, a.where()), why);
}

bool is_real_float(dtype_id t) { return dtype(t).kind() == 'f'; }

}  // namespace

array searchsorted(const operand& a, const operand& v, const char* side) {
  const bool right = std::strcmp(side, "right") == 0;
  if (!right && std::strcmp(side, "left") != 0)
    throw ValueError("searchsorted",
                     "search side must be 'left' or 'right' (got '" + std::string(side) + "')");
  if (detail::rank_of(a) != 1)
    throw ValueError("searchsorted", "object of too small depth for desired array");
  const operand both[] = {a, v};
  dtype_id t = result_type(both);
  const char kind = dtype(t).kind();
  if (kind == 'c')
    throw NotImplementedError("searchsorted", "complex arrays are not supported.");
  // All reals are searched as one of three widest types, which order them alike.
  dtype_id wide = kind == 'f' ? dtype_id::float64
                  : t == dtype_id::uint64 ? dtype_id::uint64 : dtype_id::int64;
  array keys = concrete(a, wide, "searchsorted"), values = concrete(v, wide, "searchsorted");
  array out = detail::fresh(dtype_id::int64, values.shape());
  auto run = [&]<class T>() {
    eager::search_sorted(detail::data_of<T>(keys), keys.size(), detail::data_of<T>(values), values.size(),
                         right, detail::data_of<std::int64_t>(out));
  };
  if (wide == dtype_id::float64) run.template operator()<double>();
  else if (wide == dtype_id::uint64) run.template operator()<std::uint64_t>();
  else run.template operator()<std::int64_t>();
  return out;
}

array digitize(const operand& x, const operand& bins, bool right) {
  const location& w = x.where();
  array edges = detail::to_array(bins);
  array steps = diff(at(edges, w));
  auto some = [&](const array& condition) { return static_cast<bool>(any(at(condition, w))); };
  const bool falls = edges.size() > 1 && some(less(at(steps, w), at(0, w)));
  if (falls && some(greater(at(steps, w), at(0, w))))
    throw ValueError("digitize", "bins must be monotonically increasing or decreasing");
  if (falls) {
    array places = searchsorted(at(flip(at(edges, w)), w), x, right ? "left" : "right");
    return subtract(at(edges.size(), w), at(places, w));
  }
  return searchsorted(at(edges, w), x, right ? "left" : "right");
}

// ---- bins ----

namespace {

[[noreturn]] void throw_negative() {
  throw ValueError("bincount", "'list' argument must have no negative elements");
}

array count_bins(const std::int64_t* p, std::int64_t n, std::int64_t least) {
  std::vector<std::int64_t> counts;
  if (eager::count_short_table(p, n, least, counts)) {
    array out = detail::fresh(dtype_id::int64, {static_cast<std::int64_t>(counts.size())});
    std::copy(counts.begin(), counts.end(), detail::data_of<std::int64_t>(out));
    return out;
  }
  const std::int64_t length = eager::bins_needed(p, n, least);
  if (length < 0) throw_negative();
  array out = detail::fresh(dtype_id::int64, {length});
  std::fill_n(detail::data_of<std::int64_t>(out), length, 0);
  eager::count_into(p, n, detail::data_of<std::int64_t>(out));
  return out;
}

array sum_bins(const std::int64_t* p, const double* weights, std::int64_t n, std::int64_t least) {
  const std::int64_t length = eager::bins_needed(p, n, least);
  if (length < 0) throw_negative();
  array out = detail::fresh(dtype_id::float64, {length});
  std::fill_n(detail::data_of<double>(out), length, 0.0);
  eager::sum_into(p, weights, n, detail::data_of<double>(out));
  return out;
}

}  // namespace

array bincount(const operand& x, const array& weights, std::int64_t minlength) {
  if (detail::rank_of(x) != 1)
    throw ValueError("bincount", detail::rank_of(x) > 1 ? "object too deep for desired array"
                                                        : "object of too small depth for desired array");
  if (!can_cast(detail::type_of(x), dtype_id::int64, casting::safe))
    throw TypeError("bincount", "Cannot cast array data from dtype('" +
                                    std::string(dtype(detail::type_of(x)).name()) +
                                    "') to dtype('int64') according to the rule 'safe'");
  if (minlength < 0) throw ValueError("bincount", "'minlength' must not be negative");
  array list = concrete(x, dtype_id::int64, "bincount");
  const std::int64_t* p = detail::data_of<std::int64_t>(list);
  if (weights.empty_handle()) return count_bins(p, list.size(), minlength);
  if (weights.size() != list.size())
    throw ValueError("bincount", "The weights and list don't have the same length.");
  array w = concrete(at(weights, x.where()), dtype_id::float64, "bincount");
  return sum_bins(p, detail::data_of<double>(w), list.size(), minlength);
}

// ---- histograms ----

namespace {

using value_bounds = std::optional<std::pair<double, double>>;

/// First and last edge: the given range, or the extremes of the values.
std::pair<double, double> outer_edges(const char* op, const array& x, const value_bounds& range) {
  double low = 0, high = 1;
  if (range) {
    std::tie(low, high) = *range;
    if (low > high) throw ValueError(op, "max must be larger than min in range parameter.");
  } else if (x.size() > 0) {
    low = min(x).astype(float64).item<double>();
    high = max(x).astype(float64).item<double>();
  }
  if (!std::isfinite(low) || !std::isfinite(high)) {
    const std::string bounds = "[" + array(low).str() + ", " + array(high).str() + "]";
    throw ValueError(op, range ? "supplied range of " + bounds + " is not finite"
                               : "autodetected range of " + bounds + " is not finite");
  }
  if (low == high) low -= 0.5, high += 0.5;
  return {low, high};
}

/// dtype of edges made for values of a dtype: floats keep theirs.
dtype_id edge_type(dtype_id values) { return is_real_float(values) ? values : dtype_id::float64; }

/// The bin of each value in equal bins; `bins` for those outside.
array equal_bins(const array& x, const array& edges, std::int64_t bins) {
  array places = detail::fresh(dtype_id::int64, {x.size()});
  std::int64_t* to = detail::data_of<std::int64_t>(places);
  auto run = [&]<class T>(dtype_id type) {
    array values = concrete(x, type, "histogram"), borders = concrete(edges, type, "histogram");
    eager::find_equal_bins(detail::data_of<T>(values), x.size(), detail::data_of<T>(borders), bins, to);
  };
  if (x.get()->type == dtype_id::float32) run.template operator()<float>(dtype_id::float32);
  else run.template operator()<double>(dtype_id::float64);
  return places;
}

void check_weights(const char* op, const array& weights, const dims& shape) {
  if (!weights.empty_handle() && !(weights.shape() == shape))
    throw ValueError(op, "weights should have the same shape as a.");
}

/// Counts, or sums of weights in the weights' dtype, of places 0 to bins; the last one is dropped.
array in_bins(const array& places, const array& weights, std::int64_t bins) {
  const std::int64_t* p = detail::data_of<std::int64_t>(places);
  array all;
  if (weights.empty_handle()) {
    all = count_bins(p, places.size(), bins + 1);
  } else {
    array w = concrete(ravel(weights), dtype_id::float64, "histogram");
    all = sum_bins(p, detail::data_of<double>(w), places.size(), bins + 1).astype(weights.dtype());
  }
  return all(slice(0, bins)).copy();
}

/// Counts over bin widths and total: the integral becomes 1.
array as_density(const array& counts, const array& edges) {
  return counts / diff(edges).astype(float64) / sum(counts);
}

}  // namespace

histogram_result histogram(const operand& a, std::int64_t bins, value_bounds range, bool density,
                           const array& weights) {
  if (bins < 1) throw ValueError("histogram", "`bins` must be positive, when an integer");
  check_weights("histogram", weights, detail::shape_of(a));
  array x = detail::readable(at(ravel(a), a.where()), "histogram");
  if (x.dtype() == bool_) x = x.astype(uint8);
  const auto [low, high] = outer_edges("histogram", x, range);
  histogram_result r;
  r.edges = linspace(low, high, bins + 1, {.dtype = dtype(edge_type(x.get()->type))});
  r.counts = in_bins(equal_bins(x, r.edges, bins), weights, bins);
  if (density) r.counts = as_density(r.counts, r.edges);
  return r;
}

histogram_result histogram(const operand& a, const array& edges, bool density, const array& weights) {
  check_weights("histogram", weights, detail::shape_of(a));
  if (edges.ndim() != 1) throw ValueError("histogram", "`bins` must be 1d, when an array");
  if (edges.size() > 1 && static_cast<bool>(any(diff(edges) < 0)))
    throw ValueError("histogram", "`bins` must increase monotonically, when an array");
  array x = ravel(a);
  const std::int64_t bins = edges.size() - 1;
  // Places 1 to bins are inside; the last edge belongs to the last bin, NaN to none.
  array places = searchsorted(edges, x, "right");
  places -= (x == edges(-1)).astype(int64);
  places = where((places < 1) | (places > bins), bins, places - 1);
  histogram_result r;
  r.edges = edges;
  r.counts = in_bins(concrete(places, dtype_id::int64, "histogram"), weights, std::max<std::int64_t>(bins, 0));
  if (density) r.counts = as_density(r.counts, r.edges);
  return r;
}

histogram2d_result histogram2d(const operand& x, const operand& y, std::pair<std::int64_t, std::int64_t> bins,
                               const std::pair<value_bounds, value_bounds>& range, bool density,
                               const array& weights) {
  if (detail::element_count_of(x) != detail::element_count_of(y))
    throw ValueError("histogram2d", "x and y must have the same length.");
  if (!weights.empty_handle() && weights.size() != detail::element_count_of(x))
    throw ValueError("histogram2d", "The weights and list don't have the same length.");
  const std::int64_t count[2] = {bins.first, bins.second};
  const value_bounds bounds[2] = {range.first, range.second};
  const operand* given[2] = {&x, &y};
  array edges[2], cell;
  for (int i = 0; i < 2; ++i) {
    if (count[i] < 1)
      throw ValueError("histogram2d", "`bins[" + std::to_string(i) + "]` must be positive, when an integer");
    array values = detail::readable(at(ravel(*given[i]), given[i]->where()), "histogram");
    const auto [low, high] = outer_edges("histogram2d", values, bounds[i]);
    edges[i] = linspace(low, high, count[i] + 1,
                        {.dtype = dtype(bounds[i] ? dtype_id::float64 : edge_type(values.get()->type))});
    array place = searchsorted(edges[i], values, "right") - (values == edges[i](-1)).astype(int64);
    cell = i == 0 ? place : cell * (count[1] + 2) + place;
  }
  const std::int64_t all = (count[0] + 2) * (count[1] + 2);
  array whole = in_bins(concrete(cell, dtype_id::int64, "histogram"), weights, all).astype(float64);
  histogram2d_result r{whole.reshape(count[0] + 2, count[1] + 2)(slice(1, -1), slice(1, -1)).copy(), edges[0],
                       edges[1]};
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
