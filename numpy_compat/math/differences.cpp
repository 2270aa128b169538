// Differences, slopes, integrals and interpolation along an axis.
#include <algorithm>
#include <cmath>
#include <vector>

#include <numjit/base/check_interrupt.h>
#include <numjit/eager/counting.h>

#include <at_hand.h>

namespace numjit {

using detail::call;
using detail::pick_axis;
using detail::slice_axis;

array diff(const operand& a, const diff_options& o) {
  if (o.n < 0) throw ValueError("diff", "order must be non-negative but got " + std::to_string(o.n));
  const location_scope scope(a.where());
  array x = detail::to_array(a);
  if (o.n == 0) return x;
  if (x.ndim() == 0) throw ValueError("diff", "diff requires input that is at least one dimensional");
  const int k = normalize_axis("diff", o.axis, x.ndim());
  auto beside = [&](const array& more) {
    if (more.ndim() > 0) return more;
    dims one = x.shape();
    one[k] = 1;
    return broadcast_to(more, one);
  };
  array_list pieces;
  if (!o.prepend.empty_handle()) pieces.push_back(beside(o.prepend));
  pieces.push_back(x);
  if (!o.append.empty_handle()) pieces.push_back(beside(o.append));
  if (pieces.size() > 1) x = concatenate(pieces, {.axis = k});
  const std::int64_t times = x.get()->is(node::unsized) ? o.n : std::min<std::int64_t>(o.n, x.shape(k));  // then nothing is left
  for (std::int64_t i = 0; i < times; ++i) {
    const array high = slice_axis(x, k, 1, layout::none), low = slice_axis(x, k, layout::none, -1);
    x = x.dtype() == bool_ ? high != low : high - low;
  }
  return x;
}

// ---- slopes ----

namespace {

/// Slopes along one axis. Distances: one for all, or a vector of those between neighbours.
array slopes(const array& f, int k, const std::optional<double>& distance, const array& steps, int edge_order) {
  const std::int64_t n = f.shape(k);
  if (n < edge_order + 1)
    throw ValueError("gradient",
                     "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
                     "elements are required.");
  dims along;
  along.resize(f.ndim(), 1);
  along[k] = -1;
  auto step = [&](std::int64_t from, std::int64_t to) {  // a piece of the distances, along the axis
    return reshape(slice_axis(steps, 0, from, to), along);
  };
  auto cut = [&](std::int64_t from, std::int64_t to) { return slice_axis(f, k, from, to); };
  const array before = cut(0, n - 2), here = cut(1, n - 1), after = cut(2, n);
  array inside, first, last;
  if (distance) {
    const double h = *distance;
    inside = (after - before) / (2.0 * h);
    first = (cut(1, 2) - cut(0, 1)) / h;
    last = (cut(n - 1, n) - cut(n - 2, n - 1)) / h;
    if (edge_order == 2) {
      first = cut(0, 1) * (-1.5 / h) + cut(1, 2) * (2.0 / h) + cut(2, 3) * (-0.5 / h);
      last = cut(n - 3, n - 2) * (0.5 / h) + cut(n - 2, n - 1) * (-2.0 / h) + cut(n - 1, n) * (1.5 / h);
    }
  } else {
    const array low = step(0, n - 2), high = step(1, n - 1);
    inside = -high / (low * (low + high)) * before + (high - low) / (low * high) * here + low / (high * (low + high)) * after;
    first = (cut(1, 2) - cut(0, 1)) / step(0, 1);
    last = (cut(n - 1, n) - cut(n - 2, n - 1)) / step(n - 2, n - 1);
    if (edge_order == 2) {
      const array a = step(0, 1), b = step(1, 2), c = step(n - 3, n - 2), d = step(n - 2, n - 1);
      first = -(a * 2.0 + b) / (a * (a + b)) * cut(0, 1) + (a + b) / (a * b) * cut(1, 2) + -a / (b * (a + b)) * cut(2, 3);
      last = d / (c * (c + d)) * cut(n - 3, n - 2) + -(d + c) / (c * d) * cut(n - 2, n - 1) +
             (d * 2.0 + c) / (d * (c + d)) * cut(n - 1, n);
    }
  }
  const dtype_id type = f.dtype().id();
  auto in_type = [&](const array& x) { return x.dtype().id() == type ? x : detail::cast(x, type); };
  return concatenate({in_type(first), in_type(inside), in_type(last)}, {.axis = k});
}

}  // namespace

std::vector<array> gradients(const operand& a, const gradient_options& o) {
  const location_scope scope(a.where());
  const array f = detail::as_floating(a);
  dims axes;
  if (o.axis.all())
    for (int k = 0; k < f.ndim(); ++k) axes.push_back(k);
  else
    for (std::int64_t k : o.axis.list()) axes.push_back(normalize_axis("gradient", k, f.ndim()));
  if (o.edge_order > 2) throw ValueError("gradient", "'edge_order' greater than 2 not supported");
  const bool one_for_all = o.spacing.size() == 1 && o.spacing[0].ndim() == 0;
  if (!o.spacing.empty() && !one_for_all && static_cast<int>(o.spacing.size()) != axes.size())
    throw TypeError("gradient", "invalid number of arguments");
  std::vector<array> results;
  for (int i = 0; i < axes.size(); ++i) {
    const int k = static_cast<int>(axes[i]);
    if (o.spacing.empty()) {
      results.push_back(slopes(f, k, 1.0, {}, o.edge_order));
      continue;
    }
    const array& given = o.spacing[one_for_all ? 0 : static_cast<std::size_t>(i)];
    if (given.ndim() > 1) throw ValueError("gradient", "distances must be either scalars or 1d");
    if (given.ndim() == 0) {
      results.push_back(slopes(f, k, given.astype(float64).item<double>(), {}, o.edge_order));
      continue;
    }
    if (given.size() != f.shape(k))
      throw ValueError("gradient", "when 1d, distances must match the length of the corresponding dimension");
    results.push_back(slopes(f, k, std::nullopt, diff(detail::as_floating(given)), o.edge_order));
  }
  return results;
}

array gradient(const operand& a, double spacing, std::int64_t axis) {
  const location_scope scope(a.where());
  const array f = detail::as_floating(a);
  return slopes(f, normalize_axis("gradient", axis, f.ndim()), spacing, {}, 1);
}

array trapezoid(const operand& a, const trapezoid_options& o) {
  const location_scope scope(a.where());
  const array y = detail::to_array(a);
  const int k = normalize_axis("trapezoid", o.axis, y.ndim());
  const array pairs = slice_axis(y, k, 1, layout::none) + slice_axis(y, k, layout::none, -1);
  array areas;
  if (o.x.empty_handle()) {
    areas = pairs * o.dx / 2.0;
  } else {
    array widths = diff(o.x, 1, o.x.ndim() == 1 ? -1 : o.axis);
    if (o.x.ndim() == 1) {
      dims along;
      along.resize(y.ndim(), 1);
      along[k] = -1;
      widths = reshape(widths, along);
    }
    areas = widths * pairs / 2.0;
  }
  return sum(areas, {.axis = k - y.ndim()});  // the widths may have more axes in front
}

// ---- interpolation ----

namespace {

/// One value between two points as NumPy has it: where one end gives NaN, the other is tried.
inline double between(double x, double x0, double x1, double y0, double y1, double slope) {
  if (x == x0) return y0;
  double y = slope * (x - x0) + y0;
  if (std::isnan(y)) {
    y = slope * (x - x1) + y1;
    if (std::isnan(y) && y0 == y1) y = y0;
  }
  return y;
}

/// The formula of `interpolated` in one pass: the same operations on each element, in the same order. Slopes are divided
/// once where there are more values than points.
array interpolated_at_hand(const array& x, const array& xp, const array& fp, double first, double last) {
  constexpr std::int64_t piece = 512;
  const array made = detail::fresh(dtype_id::float64, x.shape());
  const double *const at_x = detail::data_of<const double>(x), *const known_x = detail::data_of<const double>(xp);
  const double* const known_y = detail::data_of<const double>(fp);
  const std::int64_t n = xp.size(), count = x.size();
  double* const to = detail::data_of<double>(made);
  const auto slope_of = [&](std::int64_t k) { return (known_y[k + 1] - known_y[k]) / (known_x[k + 1] - known_x[k]); };
  std::vector<double> slopes;
  if (count >= n) {
    slopes.reserve(static_cast<std::size_t>(n - 1));
    for (std::int64_t k = 0; k + 1 < n; ++k) {
      detail::check_interrupt_at(k);
      slopes.push_back(slope_of(k));
    }
  }
  const eager::sorted_search<double> search(known_x, n, count);
  const auto work = [&](std::int64_t from, std::int64_t size) {
    std::int64_t place[piece];
    search.find(at_x + from, size, true, place);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t k = std::clamp<std::int64_t>(place[i] - 1, 0, n - 2);
      const double v = at_x[from + i];
      const double slope = slopes.empty() ? slope_of(k) : slopes[static_cast<std::size_t>(k)];
      double y = between(v, known_x[k], known_x[k + 1], known_y[k], known_y[k + 1], slope);
      y = v < known_x[0] ? first : y;  // by values, not by places: NaN among the points is on neither side
      y = v == known_x[n - 1] ? known_y[n - 1] : v > known_x[n - 1] ? last : y;
      to[from + i] = std::isnan(v) ? v : y;
    }
  };
  detail::for_elements(made, 5 + std::log2(static_cast<double>(n)), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t from = begin; from < end; from += piece) work(from, std::min(piece, end - from));
  });
  return made;
}

/// Real values at x, between the points (xp, fp) sorted by xp.
array interpolated(const array& x, const array& xp, const array& fp, const interp_options& o) {
  const std::int64_t n = xp.size();
  const array first = o.left ? asarray(*o.left) : pick_axis(fp, 0, 0);
  const array last = o.right ? asarray(*o.right) : pick_axis(fp, 0, -1);
  if (n == 1) return where(x < pick_axis(xp, 0, 0), first, where(x > pick_axis(xp, 0, 0), last, pick_axis(fp, 0, 0)));
  if (detail::is_at_hand(x) && detail::is_at_hand(xp) && detail::is_at_hand(fp) && fp.dtype() == float64 &&
      first.dtype() == float64 && last.dtype() == float64)
    return interpolated_at_hand(x, xp, fp, first.item<double>(), last.item<double>());
  const array j = searchsorted(xp, x, "right") - 1;
  const array safe = clip(j, 0, n - 2);
  const array x0 = take(xp, safe), x1 = take(xp, safe + 1);
  const array y0 = take(fp, safe), y1 = take(fp, safe + 1);
  const array slope = (y1 - y0) / (x1 - x0);
  array y = slope * (x - x0) + y0;
  const array again = slope * (x - x1) + y1;
  y = where(isnan(y), where(isnan(again) & (y0 == y1), y0, again), y);
  y = where(x == x0, y0, y);
  y = where(x < pick_axis(xp, 0, 0), first, y);
  y = where(x == pick_axis(xp, 0, -1), pick_axis(fp, 0, -1), where(x > pick_axis(xp, 0, -1), last, y));
  return where(isnan(x), x, y);
}

}  // namespace

array interp(const operand& x_given, const operand& xp_given, const operand& fp_given, const interp_options& o) {
  for (const operand* real : {&xp_given, &x_given}) {
    if (real->is_array()) detail::check_cast("interp", array::share(real->n()), float64, "safe");
    check_no_complex("interp", *real, dtype_id::float64);
  }
  const location_scope scope(x_given.where());
  array x = detail::as_type(x_given, dtype_id::float64);
  array xp = detail::as_type(xp_given, dtype_id::float64);
  const bool is_complex = dtype(detail::type_of(fp_given)).kind() == 'c';
  array fp = detail::as_type(fp_given, is_complex ? dtype_id::complex128 : dtype_id::float64);
  if (xp.ndim() != 1 || fp.ndim() != 1)
    throw ValueError("interp", o.period ? "Data points must be 1-D sequences" : "object too deep for desired array");
  if (xp.size() == 0) throw ValueError("interp", "array of sample points is empty");
  if (xp.size() != fp.size()) throw ValueError("interp", "fp and xp are not of the same length.");
  interp_options inside = o;
  if (o.period) {
    if (*o.period == 0) throw ValueError("interp", "period must be a non-zero value");
    const double period = std::abs(*o.period);
    inside = {};
    x = x % period;
    xp = xp % period;
    const array order = argsort(xp);
    xp = take(xp, order);
    fp = take(fp, order);
    xp = concatenate({slice_axis(xp, 0, -1, layout::none) - period, xp, slice_axis(xp, 0, 0, 1) + period});
    fp = concatenate({slice_axis(fp, 0, -1, layout::none), fp, slice_axis(fp, 0, 0, 1)});
  }
  if (!is_complex) return interpolated(x, xp, fp, inside);
  const array z = zeros_like(x, {.dtype = complex128});
  interp_options of_imaginary = inside;  // what is given beyond the ends is real
  if (inside.left) of_imaginary.left = 0.0;
  if (inside.right) of_imaginary.right = 0.0;
  call(op_id::store, {real(z), interpolated(x, xp, real(fp), inside)});
  call(op_id::store, {imag(z), interpolated(x, xp, imag(fp), of_imaginary)});
  return z;
}

}  // namespace numjit
