// Reductions and scans as functions, and the statistics made of them.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <type_traits>

#include <at_hand.h>

namespace numjit {

using detail::call;
using detail::finish_reduced;
using detail::is_integral_type;

namespace {

layout::number initial_of(const char* op, const operand& v) {
  if (!v.is_array()) return layout::number::of_literal(v);
  detail::refuse_followed(v.n(), op, "initial");
  detail::element_value e = detail::single_element(array::share(v.n()), v.where());
  if (e.kind == 'c') return layout::number::of(e.re, e.im);
  if (e.kind == 'f') return layout::number::of(e.re);
  return layout::number::of(e.i);
}

/// Integers have no infinity and no NaN to begin with.
void check_initial(op_id op, const operand& a, const reduce_options& o) {
  if (o.initial->is_array()) return;
  const double first = layout::number::of_literal(*o.initial).as_double();
  const dtype_id type = o.dtype ? o.dtype->id() : o.out.empty_handle() ? detail::type_of(a) : o.out.dtype().id();
  const bool whole = is_integral_type(type) && (type != dtype_id::bool_ || op == op_id::sum || op == op_id::prod);
  if (!whole || std::isfinite(first)) return;
  if (std::isnan(first)) throw ValueError(std::string(info(op).name), "cannot convert float NaN to integer");
  throw OverflowError(std::string(info(op).name), "cannot convert float infinity to integer");
}

array reduce(op_id op, const operand& a, const reduce_options& o) {
  if (o.initial) check_initial(op, a, o);
  layout::reduction r;
  if (!o.axis.all()) r.axes = o.axis.list();
  r.keepdims = o.keepdims;
  if (o.initial) r.initial = initial_of(info(op).name.data(), *o.initial);
  if (o.dtype) r.dtype = o.dtype->id();
  if (!o.out.empty_handle()) detail::before_write();
  op_params params = layout::reduction_params(r);
  return bind({op, a, &params, detail::optional_node(o.out), detail::optional_node(o.where), a.where()});
}

array arg_reduce(op_id op, const operand& a, const arg_options& o) {
  op_params params = layout::arg_params(o.axis.value_or(layout::none), o.keepdims);
  if (!o.out.empty_handle()) detail::before_write();
  return bind({op, a, &params, detail::optional_node(o.out), nullptr, a.where()});
}

array scan(op_id op, const operand& a, const scan_options& o) {
  op_params params = layout::axis_params(o.axis.value_or(layout::none));
  if (o.dtype) params.type(o.dtype->id());
  if (!o.out.empty_handle()) detail::before_write();
  return bind({op, a, &params, detail::optional_node(o.out), nullptr, a.where()});
}

/// Number of elements each result element is made of.
std::int64_t reduced_count(const char* op, const operand& a, const axis_list& axis) {
  const dims shape = detail::shape_of(a);
  if (axis.all()) return element_count(shape);
  std::int64_t n = 1;
  for (std::int64_t k : axis.list()) n *= shape[normalize_axis(op, k, shape.size())];
  return n;
}

}  // namespace

array detail::count_along(const operand& a, const axis_list& axes, dtype_id type) {
  const int rank = rank_of(a);
  array count;
  for (int k = 0; k < rank; ++k) {
    const auto is_k = [&](std::int64_t axis) { return normalize_axis("mean", axis, rank) == k; };
    if (!axes.all() && std::none_of(axes.list().begin(), axes.list().end(), is_k)) continue;
    const array length = call(op_id::axis_length, {a}, layout::axis_params(k));
    count = count.empty_handle() ? length : count * length;
  }
  if (count.empty_handle()) count = asarray(std::int64_t{1});
  return cast(count, type);
}

array detail::finish(const array& result, dtype_id t, const array& out) {
  if (out.empty_handle()) return result.get()->type == t ? result : cast_in_order(result, t, result, 'K');
  before_write();
  call(op_id::store, {out, result});
  return out;
}

array detail::finish_reduced(const char* op, const array& result, dtype_id t, const array& out) {
  if (!out.empty_handle() && out.ndim() != result.ndim()) {
    const std::string_view name = op;
    const char* const ufunc = name == "ptp" ? "maximum" : name == "nanmax" ? "fmax" : name == "nanmin" ? "fmin" : "add";
    throw ValueError(op, std::string("output parameter for reduction operation ") + ufunc +
                             " has the wrong number of dimensions: Found " + std::to_string(out.ndim()) + " but expected " +
                             std::to_string(result.ndim()));
  }
  if (!out.empty_handle() && out.shape() != result.shape())
    throw ValueError(
        op, "could not broadcast the result of shape " + result.shape().str() + " to out= of shape " + out.shape().str());
  return finish(result, t, out);
}

#define REDUCTION(name, ...) \
  array name(const operand& a, const reduce_options& options) { return reduce(op_id::name, a, options); }
#define ARGREDUCTION(name, ...) \
  array name(const operand& a, const arg_options& options) { return arg_reduce(op_id::name, a, options); }
#define SCAN(name, ...) \
  array name(const operand& a, const scan_options& options) { return scan(op_id::name, a, options); }
#include <numjit/ops/all_rows.inc>

// NumPy's _mean: integers are summed as float64, float16 as float32; then one division.
array mean(const operand& a, const reduce_options& o) {
  const location_scope scope(a.where());
  const dtype_id in = detail::type_of(a);
  const dtype_id result = o.dtype ? o.dtype->id() : is_integral_type(in) ? dtype_id::float64 : in;
  reduce_options sums{.axis = o.axis, .keepdims = o.keepdims, .where = o.where};
  if (!o.dtype && in == dtype_id::float16)
    sums.dtype = float32;
  else if (o.dtype || is_integral_type(in))
    sums.dtype = dtype(result);
  const array total = sum(a, sums);
  array q;
  if (!o.where.empty_handle()) {
    const array wide = detail::expand_to(o.where, detail::shape_of(a));
    q = total / sum(wide, {.axis = o.axis, .keepdims = o.keepdims});
  } else if (detail::is_unsized(a)) {
    q = total / detail::count_along(a, o.axis, total.get()->type);
  } else {
    q = total / reduced_count("mean", a, o.axis);
  }
  return finish_reduced("mean", q, result, o.out);
}

var_options detail::corrected(const char* op, const var_options& options) {
  var_options o = options;
  if (!o.correction) return o;
  if (o.ddof != 0) throw ValueError(op, "ddof and correction can't be provided simultaneously.");
  o.ddof = *o.correction;
  o.correction.reset();
  return o;
}

namespace {

/// |x|^2 of an array that nobody needs afterwards: where operations run at once, in its memory.
array squares_of(const array& x) {
  const bool in_place = !detail::recording && !detail::top_interpreter() && !x.get()->is(node::lazy) && x.get()->device == 0;
  const auto squared = [&](const array& a) { return in_place ? multiply(a, a, {.out = a}) : a * a; };
  if (x.dtype().kind() != 'c') return squared(x);
  const array re = real(x), im = imag(x);
  const array re2 = squared(re), im2 = squared(im);
  return in_place ? add(re2, im2, {.out = re2}) : re2 + im2;
}

}  // namespace

// NumPy's _var: mean with kept axes, squared distances (conjugate products for complex), their sum,
// over max(n - ddof, 0).
array var(const operand& a, const var_options& options) {
  const location_scope scope(a.where());
  const var_options o = detail::corrected("var", options);
  const dtype_id in = detail::type_of(a);
  optional_dtype compute = o.dtype;
  if (!compute && is_integral_type(in))
    compute = float64;
  else if (!compute && in == dtype_id::float16 && !o.mean)
    compute = float32;
  const bool counted = o.where.empty_handle() && detail::is_unsized(a);
  const std::int64_t n = counted ? 0 : reduced_count("var", a, o.axis);
  array count, kept_count;
  if (!o.where.empty_handle()) {
    const array wide = detail::expand_to(o.where, detail::shape_of(a));
    kept_count = sum(wide, {.axis = o.axis, .keepdims = true});
    count = sum(wide, {.axis = o.axis, .keepdims = o.keepdims});
  }
  array x;
  if (o.mean) {
    x = a - *o.mean;
  } else {
    const array total = sum(a, {.axis = o.axis, .dtype = compute, .keepdims = true, .where = o.where});
    const array all = counted ? detail::count_along(a, o.axis, total.get()->type) : kept_count;
    array centre = all.empty_handle() ? total / n : total / all;
    // Divided by an array of counts it is wider.
    if (centre.get()->type != total.get()->type) centre = detail::cast(centre, total.get()->type);
    x = a - centre;
  }
  const array squares = squares_of(x);
  optional_dtype sum_dtype = compute;
  if (compute && compute->kind() == 'c') sum_dtype = dtype(squares.get()->type);
  const array s = sum(squares, {.axis = o.axis, .dtype = sum_dtype, .keepdims = o.keepdims, .where = o.where});
  array q;
  if (counted) {
    const array left = maximum(detail::count_along(a, o.axis, dtype_id::float64) - o.ddof, 0.0);
    q = s / detail::cast(left, s.get()->type);
  } else if (count.empty_handle()) {
    const double left = static_cast<double>(n) - o.ddof;
    q = s / (left > 0 ? left : 0.0);
  } else {
    q = s / maximum(count - o.ddof, 0);
  }
  dtype_id result = o.dtype                   ? o.dtype->id()
                    : o.mean                  ? s.get()->type
                    : in == dtype_id::float16 ? dtype_id::float16
                                              : squares.get()->type;
  return finish_reduced("var", q, result, o.out);
}

array detail::root_of_sum(const array& x) {
  if (!levels_are_open()) return sqrt(x);
  const array nothing = x == 0;
  return where(nothing, 0, sqrt(where(nothing, 1, x)));
}

array std(const operand& a, const var_options& o) {
  const location_scope scope(a.where());
  var_options inner = o;
  inner.out = array();
  const array v = var(a, inner);
  // Roots of whole numbers go where these are: refused by the dtype's rules, but for a single number, as in NumPy.
  const bool whole = is_integral_type(v.get()->type);
  const array root = whole && v.ndim() > 0 ? sqrt(v, {.out = v}) : detail::root_of_sum(v);
  return finish_reduced("std", root, whole ? v.get()->type : root.get()->type, o.out);
}

array ptp(const operand& a, const ptp_options& o) {
  const location_scope scope(a.where());
  const array high = max(a, {.axis = o.axis, .keepdims = o.keepdims}), low = min(a, {.axis = o.axis, .keepdims = o.keepdims});
  const array range = high - low;
  return finish_reduced("ptp", range, range.get()->type, o.out);
}

namespace {
/// Of elements at hand, in one pass.
std::int64_t count_of(const array& x) {
  std::atomic<std::int64_t> total{0};
  visit_dtype(x.dtype().id(), [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T>) {
      // Truth values as bytes: of a bool only its truth may be asked, one element at a time.
      using Element = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
      const Element* const p = detail::data_of<const Element>(x);
      detail::for_elements(x, 0.2, [&](std::int64_t begin, std::int64_t end) {
        // In parts whose count fits the elements' size: the compiler makes vectors of them.
        constexpr std::int64_t part = sizeof(T) == 1 ? 128 : 4096;
        using Count = std::conditional_t<
            sizeof(T) == 1, std::uint8_t,
            std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
        std::int64_t sum = 0;
        for (std::int64_t i = begin; i < end; i += part) {
          Count count = 0;
          for (std::int64_t k = i; k < std::min(end, i + part); ++k) count = static_cast<Count>(count + (p[k] != Element(0)));
          sum += count;
        }
        total += sum;
      });
    }
  });
  return total;
}
}  // namespace

array count_nonzero(const operand& a, const count_options& o) {
  const location_scope scope(a.where());
  if (a.is_array() && o.axis.all() && !o.keepdims) {
    const array x = detail::to_array(a);
    if (detail::is_at_hand(x) && x.dtype().kind() != 'c' && x.dtype() != float16) return array(count_of(x));
  }
  const array hits = detail::type_of(a) == dtype_id::bool_ ? detail::to_array(a) : a != 0;
  return sum(hits, {.axis = o.axis, .dtype = int64, .keepdims = o.keepdims});
}

// ---- without NaN ----

namespace {
array without_nan(const operand& a, double instead) {
  return is_integral_type(detail::type_of(a)) ? detail::to_array(a) : where(isnan(a), instead, a);
}
reduce_options without_out(const reduce_options& o) {
  reduce_options inner = o;
  inner.out = array();
  return inner;
}
/// The result if no element of it is NaN; nothing else, or where elements are not at hand.
array extreme_at_hand(array (*reduce)(const operand&, const reduce_options&), const operand& a, const reduce_options& o) {
  if (!a.is_array() || !detail::is_at_hand(detail::to_array(a))) return {};
  const array result = reduce(a, without_out(o));
  bool good = result.dtype().kind() == 'f' && detail::is_at_hand(result);
  visit_dtype(result.dtype().id(), [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      const T* const p = detail::data_of<const T>(result);
      good = good && std::none_of(p, p + result.size(), [](T v) { return v != v; });
    } else {
      good = false;
    }
  });
  return good ? result : array();
}

/// max or min of what is no NaN; NaN where nothing else is, unless there is an initial value.
array nan_extreme(array (*reduce)(const operand&, const reduce_options&), double instead, const operand& a,
                  const reduce_options& o) {
  const char* const op = instead < 0 ? "nanmax" : "nanmin";
  if (is_integral_type(detail::type_of(a))) return reduce(a, o);
  // Elements at hand show in the result, where NaN wins, whether there is any: most often one pass is all.
  if (const array plain = extreme_at_hand(reduce, a, o); !plain.empty_handle())
    return finish_reduced(op, plain, plain.get()->type, o.out);
  array result = reduce(without_nan(a, instead), without_out(o));
  if (!o.initial) result = where(all(isnan(a), {.axis = o.axis, .keepdims = o.keepdims}), nan, result);
  return finish_reduced(op, result, result.get()->type, o.out);
}
}  // namespace

array nansum(const operand& a, const reduce_options& o) {
  const location_scope scope(a.where());
  return sum(without_nan(a, 0.0), o);
}
void detail::require_inexact(const char* op, const optional_dtype& type, const array& out) {
  if (type && is_integral_type(type->id())) throw TypeError(op, "If a is inexact, then dtype must be inexact");
  if (!out.empty_handle() && is_integral_type(out.get()->type)) throw TypeError(op, "If a is inexact, then out must be inexact");
}

array nanmean(const operand& a, const reduce_options& o) {
  if (is_integral_type(detail::type_of(a))) return mean(a, o);
  detail::require_inexact("nanmean", o.dtype, o.out);
  const location_scope scope(a.where());
  array good = logical_not(isnan(a));
  if (!o.where.empty_handle()) good = logical_and(good, o.where);
  const array total = nansum(a, without_out(o));
  const array count = sum(good, {.axis = o.axis, .keepdims = o.keepdims});
  return finish_reduced("nanmean", total / count, total.get()->type, o.out);
}
array nanmax(const operand& a, const reduce_options& o) {
  const location_scope scope(a.where());
  return nan_extreme(max, -inf, a, o);
}
array nanmin(const operand& a, const reduce_options& o) {
  const location_scope scope(a.where());
  return nan_extreme(min, inf, a, o);
}

// ---- rounding, NaN ----

array round(const operand& a, int decimals) {
  const location_scope scope(a.where());
  const dtype_id t = detail::type_of(a);
  if (is_integral_type(t)) {
    if (t == dtype_id::bool_) {
      if (decimals != 0)
        throw TypeError("round", std::string("Cannot cast ufunc '") + (decimals > 0 ? "multiply" : "divide") +
                                     "' output from dtype('float64') to dtype('bool') with casting rule 'same_kind'");
      return rint(detail::cast(a, dtype_id::float16));
    }
    if (decimals >= 0) return copy(a);
    const array scale = asarray(std::pow(10.0, -decimals));
    return detail::falling_as(detail::cast(rint(a / scale) * scale, t), detail::to_array(a));
  }
  if (decimals == 0) return rint(a);
  if (dtype(t).kind() == 'c') {  // a product of infinities with a complex scale has NaN
    const array z = copy(a);
    for (const array& part : {real(z), imag(z)}) call(op_id::store, {part, round(part, decimals)});
    return z;
  }
  const double scale = std::pow(10.0, decimals < 0 ? -decimals : decimals);
  const array whole = rint(decimals > 0 ? a * scale : a / scale);
  const array rounded = decimals > 0 ? whole / scale : whole * scale;
  return detail::falling_as(rounded, detail::to_array(a));
}

array clip(const operand& a, none_t, const operand& high) { return minimum(a, clip_bound(a, high, false)); }
array clip(const operand& a, const operand& low, none_t) { return maximum(a, clip_bound(a, low, true)); }

namespace {

/// x where a condition is false; where it is true, a value as a store into x has it.
array replaced(const array& condition, const operand& value, const array& x) {
  check_no_complex("nan_to_num", value, x.dtype().id());
  if (!value.is_array()) return where(condition, value, x);
  const array values = zeros_like(x);
  call(op_id::store, {values, value});
  return where(condition, values, x);
}

}  // namespace

array nan_to_num(const operand& a, const nan_to_num_options& o) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  const dtype t = x.dtype();
  if (!o.copy) detail::require_writeable("nan_to_num", x, "assignment destination is read-only");
  if (is_integral_type(t.id())) return o.copy ? copy(x) : x;
  if (t.kind() == 'c') {  // part by part
    const array z = o.copy ? copy(x) : x;
    nan_to_num_options of_part = o;
    of_part.copy = false;
    for (const array& part : {real(z), imag(z)}) nan_to_num(part, of_part);
    return z;
  }
  const finfo limits(t);
  array made = replaced(isnan(x), o.nan, x);
  made = replaced(logical_and(isinf(x), x > 0.0), o.posinf.value_or(limits.max), made);
  made = replaced(logical_and(isinf(x), x < 0.0), o.neginf.value_or(limits.min), made);
  return o.copy ? made : detail::finish(made, t.id(), x);
}

}  // namespace numjit
