// Statistics beyond the reductions, made of them.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <numjit/eager/window_sums.h>

#include <at_hand.h>
#include <math/checks.h>

namespace numjit {

using detail::finish;
using detail::is_integral_type;
using detail::pick_axis;
using detail::slice_axis;

// ---- without NaN ----

namespace {

array without_nan(const operand& a, double instead) {
  const array x = detail::to_array(a);
  return is_integral_type(x.get()->type) ? x : where(isnan(x), instead, x);
}

array nan_arg(bool greatest, const operand& a, const arg_options& o) {
  if (is_integral_type(detail::type_of(a))) return greatest ? argmax(a, o) : argmin(a, o);
  const array x = detail::to_array(a), full = without_nan(a, greatest ? -inf : inf);
  if (o.axis && x.ndim() > 0) normalize_axis(greatest ? "nanargmax" : "nanargmin", *o.axis, x.ndim());
  const arg_options inner{.axis = o.axis, .keepdims = o.keepdims};
  const array found = greatest ? argmax(full, inner) : argmin(full, inner);
  const array nothing_left = all(isnan(x), {.axis = o.axis ? axis_list(*o.axis) : axis_list()});
  const array result =
      detail::checked(found, nothing_left, greatest ? detail::value_check::all_nan_max : detail::value_check::all_nan_min);
  if (!o.out.empty_handle() && o.out.shape() == result.shape() && !can_cast(o.out.dtype().id(), dtype_id::int64))
    throw TypeError(greatest ? "nanargmax" : "nanargmin", "Cannot cast array data from dtype('" +
                                                              std::string(o.out.dtype().name()) +
                                                              "') to dtype('int64') according to the rule 'safe'");
  if (!o.out.empty_handle() && o.out.shape() != result.shape())
    throw ValueError(greatest ? "nanargmax" : "nanargmin",
                     std::string("output array does not match result of np.") + (greatest ? "argmax." : "argmin."));
  return finish(result, dtype_id::int64, o.out);
}

}  // namespace

array nanprod(const operand& a, const reduce_options& o) {
  const location_scope scope(a.where());
  return prod(without_nan(a, 1.0), o);
}
array nancumsum(const operand& a, const scan_options& o) {
  const location_scope scope(a.where());
  return cumsum(without_nan(a, 0.0), o);
}
array nancumprod(const operand& a, const scan_options& o) {
  const location_scope scope(a.where());
  return cumprod(without_nan(a, 1.0), o);
}
array nanargmax(const operand& a, const arg_options& o) {
  const location_scope scope(a.where());
  return nan_arg(true, a, o);
}
array nanargmin(const operand& a, const arg_options& o) {
  const location_scope scope(a.where());
  return nan_arg(false, a, o);
}

// The mean of what is no NaN, the squares of the distances from it, over their count less ddof; NaN where that is
// not positive, as nothing can be told.
array nanvar(const operand& a, const var_options& options) {
  const location_scope scope(a.where());
  if (is_integral_type(detail::type_of(a))) return var(a, options);
  const var_options o = detail::corrected("nanvar", options);
  detail::require_inexact("nanvar", o.dtype, o.out);
  const array x = detail::to_array(a);
  array good = logical_not(isnan(x));
  if (!o.where.empty_handle()) good = good & o.where;
  const array count = sum(good, {.axis = o.axis, .keepdims = true});
  const optional_dtype wide = o.dtype ? o.dtype : x.dtype() == float16 ? optional_dtype(float32) : optional_dtype();
  const array about = o.mean ? detail::to_array(*o.mean)
                             : sum(without_nan(a, 0.0), {.axis = o.axis, .dtype = wide, .keepdims = true, .where = good}) / count;
  array distance = where(good, x - about, 0.0);
  if (o.mean) distance = detail::cast(distance, x.dtype().id());
  const array squares = x.dtype().kind() == 'c' ? real(distance * conjugate(distance)) : distance * distance;
  const array summed = sum(squares, {.axis = o.axis, .dtype = wide, .keepdims = o.keepdims});
  const array left = sum(good, {.axis = o.axis, .keepdims = o.keepdims}) - o.ddof;
  const array quotient = summed / where(left > 0, left, 1.0);
  const array result = where(left > 0, quotient, nan);
  dtype_id type = o.dtype ? o.dtype->id() : x.dtype().id();
  if (!o.dtype && dtype(type).kind() == 'c') type = type == dtype_id::complex64 ? dtype_id::float32 : dtype_id::float64;
  return detail::finish_reduced("nanvar", result, type, o.out);
}

array nanstd(const operand& a, const var_options& o) {
  const location_scope scope(a.where());
  if (!is_integral_type(detail::type_of(a))) detail::require_inexact("nanstd", o.dtype, o.out);
  var_options inner = o;
  inner.out = array();
  const array root = detail::root_of_sum(nanvar(a, inner));
  return detail::finish_reduced("nanstd", root, root.get()->type, o.out);
}

// ---- running results ----

namespace {

array cumulative(const char* name, bool product, const operand& a, const cumulative_options& o) {
  const array x = detail::to_array(a);
  if (x.ndim() == 0) throw ValueError(name, "Input cannot be 0-D: got an array of dimension 0, expected at least 1.");
  if (!o.axis && x.ndim() > 1)
    throw ValueError(name, "For arrays which have more than one dimension ``axis`` argument is required.");
  const int k = normalize_axis(name, o.axis.value_or(0), x.ndim());
  scan_options scan{.axis = k, .dtype = o.dtype};
  if (!o.include_initial) scan.out = o.out;
  const array runs = product ? cumprod(x, scan) : cumsum(x, scan);
  if (!o.include_initial) return runs;
  dims one = runs.shape();
  one[k] = 1;
  const array first = full(one, product ? 1 : 0, {.dtype = runs.dtype()});
  const array all = concatenate({first, runs}, {.axis = k});
  return finish(all, all.get()->type, o.out);
}

}  // namespace

array cumulative_sum(const operand& a, const cumulative_options& o) {
  const location_scope scope(a.where());
  return cumulative("cumulative_sum", false, a, o);
}
array cumulative_prod(const operand& a, const cumulative_options& o) {
  const location_scope scope(a.where());
  return cumulative("cumulative_prod", true, a, o);
}

// ---- covariances ----

namespace {

/// Variables as rows. With rowvar false they were columns; `more` variables in one row remain a row, as NumPy has it.
array observations(const operand& m, bool rowvar, dtype_id type, bool more = false) {
  const array x = detail::as_type(m, type);
  if (x.ndim() > 2) throw ValueError("cov", std::string(more ? "y" : "m") + " has more than 2 dimensions");
  const array rows = atleast_2d(x);
  const bool is_row = more ? rows.shape(0) == 1 : x.ndim() < 2;
  return rowvar || is_row ? rows : transpose(rows);
}

array weights_of(const char* what, const array& w, std::int64_t n) {
  const array x = detail::as_type(w, dtype_id::float64);
  if (x.ndim() > 1) throw ValueError("cov", "cannot handle multidimensional " + std::string(what));
  if (x.size() != n) throw ValueError("cov", "incompatible numbers of samples and " + std::string(what));
  if (static_cast<bool>(any(x < 0))) throw ValueError("cov", std::string(what) + " cannot be negative");
  return x;
}

array cov_of(const array& x, const cov_options& o) {
  const std::int64_t n = x.shape(1);
  const double ddof = o.ddof.value_or(o.bias ? 0.0 : 1.0);
  if (ddof != std::floor(ddof)) throw ValueError("cov", "ddof must be integer");
  if (x.shape(0) == 0) return zeros({0, 0});
  std::optional<array> weights;
  if (!o.fweights.empty_handle()) {
    if (!is_integral_type(o.fweights.dtype().id()) && !static_cast<bool>(all(o.fweights == rint(o.fweights))))
      throw TypeError("cov", "fweights must be integer");
    weights = weights_of("fweights", o.fweights, n);
  }
  if (!o.aweights.empty_handle()) {
    const array a = weights_of("aweights", o.aweights, n);
    weights = weights ? *weights * a : a;
  }
  array centred, factor;
  if (!weights) {
    centred = x - mean(x, {.axis = 1, .keepdims = true});
    factor = asarray(static_cast<double>(n) - ddof);
  } else {
    const array total = sum(*weights);
    centred = x - sum(x * *weights, {.axis = 1, .keepdims = true}) / total;
    factor = total;
    if (ddof != 0 && o.aweights.empty_handle()) factor = total - ddof;
    if (ddof != 0 && !o.aweights.empty_handle())
      factor = total - sum(*weights * detail::cast(o.aweights, dtype_id::float64)) * ddof / total;
  }
  const array right = conjugate(transpose(weights ? centred * *weights : centred));
  const array product = matmul(centred, right);
  // Too few observations: a division by zero, which gives inf or nan as in NumPy.
  const array made = squeeze(product / maximum(factor, 0.0));
  return o.dtype ? detail::as_type(made, o.dtype->id()) : made;
}

dtype_id cov_type(const operand& m, const operand* y, const cov_options& o) {
  if (o.dtype && is_integral_type(o.dtype->id()))  // means are taken from the observations, in place
    throw TypeError("cov", "Cannot cast ufunc 'subtract' output from dtype('float64') to dtype('" + std::string(o.dtype->name()) +
                               "') with casting rule 'same_kind'");
  if (o.dtype) return o.dtype->id();
  dtype_id t = promote_types(detail::type_of(m), dtype_id::float64);
  return y ? promote_types(t, detail::type_of(*y)) : t;
}

// Covariances over the product of the standard deviations, cut to [-1, 1].
array correlation(const array& c) {
  if (c.ndim() == 0) return c / c;
  const array deviation = sqrt(real(diagonal(c)));
  const array scaled = c / detail::reshape_view(deviation, {c.shape(0), 1}) / deviation;
  if (c.dtype().kind() != 'c') return clip(scaled, -1.0, 1.0);
  for (const array& part : {real(scaled), imag(scaled)}) finish(clip(part, -1.0, 1.0), part.get()->type, part);
  return scaled;
}

}  // namespace

array cov(const operand& m, const cov_options& o) {
  const location_scope scope(m.where());
  return cov_of(observations(m, o.rowvar, cov_type(m, nullptr, o)), o);
}
array cov(const operand& m, const operand& y, const cov_options& o) {
  const location_scope scope(m.where());
  const dtype_id type = cov_type(m, &y, o);
  const array x = observations(m, o.rowvar, type);
  if (x.shape(0) == 0) return cov_of(x, o);
  const array more = observations(y, o.rowvar, type, true);
  return cov_of(concatenate({x, more}, {.axis = 0}), o);
}
array corrcoef(const operand& x, const corrcoef_options& o) {
  const location_scope scope(x.where());
  return correlation(cov(x, {.rowvar = o.rowvar, .dtype = o.dtype}));
}
array corrcoef(const operand& x, const operand& y, const corrcoef_options& o) {
  const location_scope scope(x.where());
  return correlation(cov(x, y, {.rowvar = o.rowvar, .dtype = o.dtype}));
}

// ---- convolution ----

namespace {

enum class Mode { full, same, valid };

Mode mode_of(const char* name, const char* mode) {
  for (auto [text, value] : {std::pair("full", Mode::full), {"same", Mode::same}, {"valid", Mode::valid}})
    if (std::strcmp(mode, text) == 0) return value;
  if (std::strchr("vVsSfF", mode[0]) && mode[0])
    throw ValueError(name, "Use one of 'valid', 'same', or 'full' for convolve/correlate mode");
  throw ValueError(name, "mode must be one of 'valid', 'same', or 'full' (got '" + std::string(mode) + "')");
}

/// The sums of products of all windows of a vector at hand.
array sums_of_windows(const array& a, const array& v) {
  const std::int64_t m = v.size(), count = a.size() - m + 1;
  const array made = detail::fresh(a.dtype().id(), {count}), weights = detail::contiguous_copy(v);
  eager::sum_windows(a.dtype().id(), a.get()->data, weights.get()->data, m, count, made.get()->data);
  return made;
}

/// The sums of products of all windows of a vector at hand, some windows at a time: their products, side by side, are never
/// all in memory. The same sums: the canonical order is that of a row's elements.
array sums_by_blocks(const array& a, const array& v, bool truth) {
  constexpr std::int64_t most = 1 << 15;  // products
  const std::int64_t m = v.size(), count = a.size() - m + 1, block = std::max<std::int64_t>(most / m, 64);
  if (eager::sums_windows(a.dtype().id(), m)) return sums_of_windows(a, v);
  const array made = detail::fresh(truth ? dtype_id::bool_ : a.dtype().id(), {count});
  const array column = expand_dims(v, 1);
  for (std::int64_t first = 0; first < count; first += block) {
    const std::int64_t n = std::min(block, count - first);
    const array windows = transpose(lib::sliding_window_view(slice_axis(a, 0, first, first + n + m - 1), {m}));
    const array products = windows * column;
    const array sums = truth ? any(products, {.axis = 0}) : sum(products, {.axis = 0, .dtype = a.dtype()});
    std::memcpy(made.get()->data + first * static_cast<std::int64_t>(made.dtype().itemsize()), sums.get()->data,
                static_cast<std::size_t>(n) * made.dtype().itemsize());
  }
  return made;
}

// sum over n of a[n + k] * v[n], for all shifts k at which they meet, or those that the mode keeps. The longer
// vector is padded, all windows of it are rows, and each row is reduced: one kernel when compiled.
array sliding_products(array a, const array& v, Mode mode, bool reverse) {
  const std::int64_t n = a.size(), m = v.size();
  const std::int64_t border = mode == Mode::full ? m - 1 : mode == Mode::same ? m / 2 : 0;
  const std::int64_t length = mode == Mode::full ? n + m - 1 : mode == Mode::same ? n : n - m + 1;
  if (border > 0) {
    const array zero = zeros_like(v, {.dtype = a.dtype()});
    const std::int64_t after = length + m - 1 - n - border;
    array_list pieces{slice_axis(zero, 0, 0, border), a};
    if (after > 0) pieces.push_back(slice_axis(zero, 0, 0, after));
    a = concatenate(pieces);
  }
  const bool truth = a.dtype() == bool_;
  const bool in_one_loop = eager::sums_windows(a.dtype().id(), m);
  if (detail::is_at_hand(a) && v.get()->device == 0 && (in_one_loop || length * m > 1 << 16)) {
    const array sums = sums_by_blocks(a, v, truth);
    return reverse ? flip(sums) : sums;
  }
  const array windows = lib::sliding_window_view(a, {m});
  const array products = windows * v;
  const array sums = truth ? any(products, {.axis = 1}) : sum(products, {.axis = 1, .dtype = a.dtype()});
  return reverse ? flip(sums) : sums;
}

void require_vector(const char* name, const array& v) {
  if (v.ndim() != 1)
    throw ValueError(name, std::string("object ") + (v.ndim() > 1 ? "too deep" : "of too small depth") + " for desired array");
}
void require_elements(const char* name, const array& v, const char* what) {
  if (v.size() == 0) throw ValueError(name, std::string(what) + " cannot be empty");
}

}  // namespace

array correlate(const operand& a, const operand& v, const char* mode) {
  const location_scope scope(a.where());
  const Mode m = mode_of("correlate", mode);
  const dtype_id type = promote_types(detail::type_of(a), detail::type_of(v));
  array x = detail::as_type(a, type), y = detail::as_type(v, type);
  for (const array& each : {x, y}) require_vector("correlate", each);
  require_elements("correlate", x, "first array argument");
  require_elements("correlate", y, "second array argument");
  if (dtype(type).kind() == 'c') y = conjugate(y);
  const bool swapped = x.size() < y.size();
  if (swapped) std::swap(x, y);
  return sliding_products(x, y, m, swapped);
}

array convolve(const operand& a, const operand& v, const char* mode) {
  const location_scope scope(a.where());
  const Mode m = mode_of("convolve", mode);
  const dtype_id type = promote_types(detail::type_of(a), detail::type_of(v));
  array x = atleast_1d(detail::as_type(a, type)), y = atleast_1d(detail::as_type(v, type));
  require_elements("convolve", x, "a");
  require_elements("convolve", y, "v");
  for (const array& each : {x, y}) require_vector("convolve", each);
  if (x.size() < y.size()) std::swap(x, y);
  return sliding_products(x, flip(y), m, false);
}

}  // namespace numjit
