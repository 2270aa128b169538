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

/// An array along one axis, of which differences of slices are made.
struct Line {
  const array& f;
  int k;
  std::int64_t n = f.shape(k);

  array cut(std::int64_t from, std::int64_t to) const { return slice_axis(f, k, from, to); }
  /// A factor of differences, of the array's dtype as numbers are.
  double factor(double x) const { return x; }
  array factor(const array& x) const { return detail::cast(x, f.get()->type); }
  array joined(const array& first, const array& inside, const array& last) const {
    const dtype_id type = f.get()->type;
    return concatenate({detail::as_type(first, type), detail::as_type(inside, type), detail::as_type(last, type)}, {.axis = k});
  }
};

/// Slopes for one distance between all neighbours, a number or an array.
template <class Distance>
array even_slopes(const Line& x, const Distance& h, int edge_order) {
  const std::int64_t n = x.n;
  const array inside = (x.cut(2, n) - x.cut(0, n - 2)) / x.factor(2.0 * h);
  if (edge_order == 1)
    return x.joined((x.cut(1, 2) - x.cut(0, 1)) / x.factor(h), inside, (x.cut(n - 1, n) - x.cut(n - 2, n - 1)) / x.factor(h));
  const array first = x.cut(0, 1) * x.factor(-1.5 / h) + x.cut(1, 2) * x.factor(2.0 / h) + x.cut(2, 3) * x.factor(-0.5 / h);
  const array last =
      x.cut(n - 3, n - 2) * x.factor(0.5 / h) + x.cut(n - 2, n - 1) * x.factor(-2.0 / h) + x.cut(n - 1, n) * x.factor(1.5 / h);
  return x.joined(first, inside, last);
}

/// Slopes for a vector of the distances between neighbours.
array uneven_slopes(const Line& x, const array& steps, int edge_order) {
  const std::int64_t n = x.n;
  dims along;
  along.resize(x.f.ndim(), 1);
  along[x.k] = -1;
  auto step = [&](std::int64_t from, std::int64_t to) { return reshape(slice_axis(steps, 0, from, to), along); };
  const array low = step(0, n - 2), high = step(1, n - 1);
  const array inside = -high / (low * (low + high)) * x.cut(0, n - 2) + (high - low) / (low * high) * x.cut(1, n - 1) +
                       low / (high * (low + high)) * x.cut(2, n);
  const array a = step(0, 1), d = step(n - 2, n - 1);
  if (edge_order == 1) return x.joined((x.cut(1, 2) - x.cut(0, 1)) / a, inside, (x.cut(n - 1, n) - x.cut(n - 2, n - 1)) / d);
  const array b = step(1, 2), c = step(n - 3, n - 2);
  const array first =
      -(a * 2.0 + b) / (a * (a + b)) * x.cut(0, 1) + (a + b) / (a * b) * x.cut(1, 2) + -a / (b * (a + b)) * x.cut(2, 3);
  const array last = d / (c * (c + d)) * x.cut(n - 3, n - 2) + -(d + c) / (c * d) * x.cut(n - 2, n - 1) +
                     (d * 2.0 + c) / (d * (c + d)) * x.cut(n - 1, n);
  return x.joined(first, inside, last);
}

/// Slopes for given distances: one, or coordinates. Where these are as far apart everywhere, the formula of one distance holds.
array slopes(const Line& x, const array& spacing, int edge_order) {
  if (spacing.ndim() > 1) throw ValueError("gradient", "distances must be either scalars or 1d");
  const bool followed = detail::is_followed(spacing.get());
  if (spacing.ndim() == 0)
    return followed ? even_slopes(x, spacing, edge_order) : even_slopes(x, static_cast<double>(spacing), edge_order);
  if (spacing.size() != x.n)
    throw ValueError("gradient", "when 1d, distances must match the length of the corresponding dimension");
  const array steps = diff(detail::as_floating(spacing));
  if (followed) return uneven_slopes(x, steps, edge_order);
  const array first = pick_axis(steps, 0, 0), even = all(steps == first);
  if (steps.get()->is(node::lazy))  // nobody knows yet
    return where(even, even_slopes(x, first, edge_order), uneven_slopes(x, steps, edge_order));
  return even.item<bool>() ? even_slopes(x, static_cast<double>(first), edge_order) : uneven_slopes(x, steps, edge_order);
}

}  // namespace

std::vector<array> gradients(const operand& a, const gradient_options& o) {
  const location_scope scope(a.where());
  const array f = detail::type_of(a) == dtype_id::bool_ ? detail::to_array(a) : detail::as_floating(a);
  dims axes;
  if (o.axis.all())
    for (int k = 0; k < f.ndim(); ++k) axes.push_back(k);
  else
    for (std::int64_t k : o.axis.list()) {
      const int at = normalize_axis("gradient", k, f.ndim());
      if (std::find(axes.begin(), axes.end(), at) != axes.end()) throw ValueError("gradient", "repeated axis");
      axes.push_back(at);
    }
  const bool for_all = o.spacing.size() == 1 && o.spacing[0].ndim() == 0;
  if (!o.spacing.empty() && !for_all && static_cast<int>(o.spacing.size()) != axes.size())
    throw TypeError("gradient", "invalid number of arguments");
  if (o.edge_order > 2) throw ValueError("gradient", "'edge_order' greater than 2 not supported");
  std::vector<array> results;
  for (std::size_t i = 0; const std::int64_t axis : axes) {
    if (f.shape(static_cast<int>(axis)) < o.edge_order + 1)
      throw ValueError("gradient",
                       "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
                       "elements are required.");
    if (f.dtype() == bool_) (void)(f - f);  // NumPy's error
    const array* const spacing = o.spacing.empty() ? nullptr : &o.spacing[for_all ? 0 : i++];
    results.push_back(detail::along_memory("gradient", f, axis, [&](const operand& given, std::int64_t k) {
      const array x = detail::to_array(given);
      const Line line{x, static_cast<int>(k)};
      return spacing ? slopes(line, *spacing, o.edge_order) : even_slopes(line, 1.0, o.edge_order);
    }));
  }
  return results;
}

array gradient(const operand& a, double spacing, std::int64_t axis) {
  const location_scope scope(a.where());
  return gradients(a, {.spacing = {array(spacing)}, .axis = axis})[0];
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
  const array first = o.left ? detail::as_type(*o.left, dtype_id::float64) : pick_axis(fp, 0, 0);
  const array last = o.right ? detail::as_type(*o.right, dtype_id::float64) : pick_axis(fp, 0, -1);
  if (n == 1) return where(x < pick_axis(xp, 0, 0), first, where(x > pick_axis(xp, 0, 0), last, pick_axis(fp, 0, 0)));
  if (detail::is_at_hand(x) && detail::is_at_hand(xp) && detail::is_at_hand(fp) && fp.dtype() == float64 &&
      first.dtype() == float64 && last.dtype() == float64)
    return interpolated_at_hand(x, xp, fp, first.item<double>(), last.item<double>());
  const array j = searchsorted(xp, x, "right") - 1;
  const array safe = clip(j, 0, n - 2);
  const array x0 = take(xp, safe), x1 = take(xp, safe + 1);
  const array y0 = take(fp, safe), y1 = take(fp, safe + 1);
  const array slope = (y1 - y0) / (x1 - x0);
  const array risen = slope * (x - x0), fallen = slope * (x - x1);
  array y = risen + y0;
  const array again = fallen + y1;
  y = where(isnan(y), where(isnan(again) & (y0 == y1), y0, again), y);
  // At a point its value, whose sign of 0 stays, with the derivative of the line behind it, or of the last line.
  const auto at_point = [](const array& value, const array& moved) {
    const array sum = value - (0.0 - moved);
    return where(isnan(sum), value, sum);
  };
  y = where(x == x0, at_point(y0, risen), y);
  y = where(x < pick_axis(xp, 0, 0), first, y);
  const array end = pick_axis(xp, 0, -1);
  y = where(x == end, at_point(y1, fallen), where(x > end, last, y));
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
  for (const array* points : {&fp, &xp})
    if (points->ndim() != 1)
      throw ValueError("interp", o.period             ? "Data points must be 1-D sequences"
                                 : points->ndim() > 1 ? "object too deep for desired array"
                                                      : "object of too small depth for desired array");
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
  const auto part = [&](array (*of)(const operand&)) {
    interp_options these = inside;
    const array left = inside.left ? of(*inside.left) : array(), right = inside.right ? of(*inside.right) : array();
    if (inside.left) these.left = left;
    if (inside.right) these.right = right;
    call(op_id::store, {of(z), interpolated(x, xp, of(fp), these)});
  };
  part([](const operand& v) { return real(v); });
  part([](const operand& v) { return imag(v); });
  return z;
}

}  // namespace numjit
