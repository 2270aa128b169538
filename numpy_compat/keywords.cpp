// Functions whose arguments are given by NumPy's names, over those that take them in their places.
#include <string>

#include <numjit/array/devices_met.h>
#include <numjit/array/remote.h>

#include <math/checks.h>
#include "surface.h"

namespace numjit {

namespace {

array vector_of(value_list values) { return array(values); }

/// A list goes with arrays of any device, as the numbers in it do. Where a recorded function is going to run nobody knows
/// before its end: there the elements are operations of it.
array vector_beside(value_list values, const operand& a) {
  const array v(values);
  if (!detail::recording) {
    const std::uint8_t device = a.n() ? a.n()->device : 0;
    return device != 0 && detail::device_now() == 0 ? v.to(detail::device_name(device)) : v;
  }
  const bool is_real = v.dtype() == float64, is_whole = v.dtype() == int64;
  if (!detail::devices_met.load(std::memory_order_relaxed) || v.ndim() != 1 || v.size() == 0 || (!is_real && !is_whole)) return v;
  array_list elements;
  for (std::int64_t i = 0; i < v.size(); ++i)
    elements.push_back(is_real ? full({1}, v.data<double>()[i]) : full({1}, v.data<std::int64_t>()[i]));
  return concatenate(elements);
}

}  // namespace

// ---- making arrays ----

array linspace(const operand& start, const operand& stop, const linspace_keywords& o) {
  return linspace(start, stop, o.num, linspace_options{o.endpoint, o.dtype, o.axis, o.device});
}
linspace_result linspace_retstep(const operand& start, const operand& stop, const linspace_keywords& o) {
  return linspace_retstep(start, stop, o.num, linspace_options{o.endpoint, o.dtype, o.axis, o.device});
}
array geomspace(const operand& start, const operand& stop, const linspace_keywords& o) {
  return geomspace(start, stop, o.num, geomspace_options{o.endpoint, o.dtype, o.axis, o.device});
}
array logspace(const operand& start, const operand& stop, const logspace_keywords& o) {
  return logspace(start, stop, o.num, logspace_options{o.endpoint, o.base, o.dtype, o.axis});
}
array full(const shape_list& shape, const operand& value, numjit::dtype t) {
  return full(shape, value, filled_options{.dtype = t});
}
array zeros_like(const operand& a, numjit::dtype t) { return zeros_like(a, like_options{.dtype = t}); }
array ones_like(const operand& a, numjit::dtype t) { return ones_like(a, like_options{.dtype = t}); }
array empty_like(const operand& a, numjit::dtype t) { return empty_like(a, like_options{.dtype = t}); }
array full_like(const operand& a, const operand& value, numjit::dtype t) {
  return full_like(a, value, like_options{.dtype = t});
}
array asarray(const operand& a, numjit::dtype t) { return asarray(a, asarray_options{.dtype = t}); }
array astype(const array& x, numjit::dtype t, const astype_options& o, location where) {
  const location_scope scope(where);
  detail::check_cast("astype", x, t, o.casting);
  const bool fits = !o.copy && x.dtype() == t && detail::lies_in_order(x, o.order);
  return detail::on_device(fits ? x : detail::cast_in_order(x, t.id(), x, o.order), o);
}
array_tuple<2> meshgrid(const array& x, const array& y, const meshgrid_options& o, location where) {
  return detail::first_of<2>(meshgrid(array_list{x, y}, o, where));
}
array_tuple<3> meshgrid(const array& x, const array& y, const array& z, const meshgrid_options& o, location where) {
  return detail::first_of<3>(meshgrid(array_list{x, y, z}, o, where));
}
array vander(const operand& x, const vander_options& o) {
  const location_scope scope(x.where());
  const array falling = vander(x, o.N);
  return o.increasing ? flip(falling, 1) : falling;
}

// ---- diagonals and triangles ----

array diag(const operand& v, const k_options& o) { return diag(v, o.k); }
array diagflat(const operand& v, const k_options& o) { return diagflat(v, o.k); }
array tril(const operand& m, const k_options& o) { return tril(m, o.k); }
array triu(const operand& m, const k_options& o) { return triu(m, o.k); }
array_tuple<2> tril_indices_from(const array& a, const k_options& o, location where) { return tril_indices_from(a, o.k, where); }
array_tuple<2> triu_indices_from(const array& a, const k_options& o, location where) { return triu_indices_from(a, o.k, where); }
array_tuple<2> tril_indices(std::int64_t n, const triangle_options& o) {
  return tril_indices(n, o.k, o.m);
}
array_tuple<2> triu_indices(std::int64_t n, const triangle_options& o) {
  return triu_indices(n, o.k, o.m);
}
array diagonal(const operand& a, const diagonal_options& o) {
  return diagonal(a, o.offset, o.axis1, o.axis2);
}
array trace(const operand& a, const trace_keywords& o) {
  const location_scope scope(a.where());
  return sum(diagonal(a, o.offset, o.axis1, o.axis2), {.axis = -1, .dtype = o.dtype, .out = o.out});
}

// ---- shapes, joining, rearranging ----

namespace {

/// Does `order` ask for Fortran's? ValueError for what is no order.
bool by_columns(const char* op, const array& a, char order) {
  if (order == 'A') return isfortran(a);
  if (order != 'C' && order != 'F')
    throw ValueError(op, std::string("order must be one of 'C', 'F', 'A', or 'K' (got '") + order + "')");
  return order == 'F';
}

}  // namespace

array copy(const operand& a, const copy_options& o) { return copy(a, o.order); }
array reshape(const operand& a, const shape_list& shape, const reshape_options& o) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  if (o.order == 'K') throw ValueError("reshape", "order 'K' is not permitted for reshaping");
  if (!by_columns("reshape", x, o.order)) return detail::reshaped(a, shape, o.copy);
  const dims to = x.get()->is(node::unsized) ? dims(shape) : detail::resolved_shape("reshape", x.size(), shape);
  dims backwards;
  for (int i = to.size() - 1; i >= 0; --i) backwards.push_back(to[i]);
  return transpose(detail::reshaped(transpose(a), backwards, o.copy));
}
array ravel(const operand& a, const order_options& o) {
  const location_scope scope(a.where());
  if (o.order == 'K') return ravel(detail::in_memory_order(a));
  return by_columns("ravel", detail::to_array(a), o.order) ? ravel(transpose(a)) : ravel(a);
}
array concatenate(const array_list& arrays, std::int64_t axis, location where) {
  return concatenate(arrays, join_options{.axis = axis}, where);
}
array stack(const array_list& arrays, std::int64_t axis, location where) {
  return stack(arrays, join_options{.axis = axis}, where);
}
array append(const operand& a, const operand& values, const axis_options& o) { return append(a, values, o.axis); }
array repeat(const operand& a, std::int64_t repeats, const axis_options& o) { return repeat(a, repeats, o.axis); }
array repeat(const operand& a, const array& repeats, const axis_options& o) { return repeat(a, repeats, o.axis); }
array roll(const operand& a, std::int64_t shift, const axis_options& o) { return roll(a, shift, o.axis); }
array insert(const operand& a, std::int64_t at, const operand& values, const axis_options& o) {
  return insert(a, at, values, o.axis);
}
array insert(const operand& a, const array& at, const operand& values, const axis_options& o) {
  return insert(a, at, values, o.axis);
}
array delete_(const operand& a, std::int64_t at, const axis_options& o) { return delete_(a, at, o.axis); }
array delete_(const operand& a, const array& at, const axis_options& o) { return delete_(a, at, o.axis); }
array_list split(const operand& a, const indices_or_sections& by, const split_options& o) { return split(a, by, o.axis); }
array_list array_split(const operand& a, const indices_or_sections& by, const split_options& o) {
  return array_split(a, by, o.axis);
}
array_list unstack(const operand& a, const split_options& o) { return unstack(a, o.axis); }
array rot90(const operand& a, const rot90_options& o) { return rot90(a, o.k, o.axes); }

// ---- searching, sorting, counting ----

array take_along_axis(const operand& a, const array& indices, const along_axis_options& o) {
  if (o.axis) return take_along_axis(a, indices, *o.axis);
  const location_scope scope(a.where());
  detail::check_vector(indices);
  return take_along_axis(ravel(a), indices, 0);
}
void put_along_axis(const array& a, const array& indices, const operand& values, const along_axis_options& o) {
  if (o.axis) return put_along_axis(a, indices, values, *o.axis);
  const location_scope scope(values.where());
  detail::check_vector(indices);
  detail::check_index_array(indices);
  const array places = detail::places_along(indices, a.size(), 0);
  put(a, places, detail::spread_over(values, places.shape()));
}
array lexsort(const array_list& keys, const last_axis_options& o, location where) {
  const location_scope scope(where);
  if (o.axis == -1) return lexsort(keys);
  for (const array& key : keys) normalize_axis("lexsort", o.axis, key.ndim());
  array_list turned;
  for (const array& key : keys) turned.push_back(moveaxis(key, o.axis, -1));
  return moveaxis(lexsort(turned), -1, o.axis);
}
namespace {
void check_select(const char* op, std::string_view kind) {
  if (kind != "introselect")
    throw ValueError(op, "select kind must be 'introselect' (got '" + std::string(kind) + "')");
}
}  // namespace
array partition(const operand& a, const index_list& kth, const partition_options& o) {
  check_select("partition", o.kind);
  return o.axis ? partition(a, kth, *o.axis) : partition(a, kth, none);
}
array argpartition(const operand& a, const index_list& kth, const partition_options& o) {
  check_select("argpartition", o.kind);
  return o.axis ? argpartition(a, kth, *o.axis) : argpartition(a, kth, none);
}
array searchsorted(const operand& a, const operand& v, const searchsorted_options& o) {
  return searchsorted(a, v, o.side, o.sorter);
}
array searchsorted(const operand& a, value_list v, const searchsorted_options& o) {
  const location_scope scope(a.where());
  return searchsorted(a, vector_beside(v, a), o.side, o.sorter);
}
array digitize(const operand& x, const operand& bins, const digitize_options& o) { return digitize(x, bins, o.right); }
array digitize(const operand& x, value_list bins, const digitize_options& o) {
  const location_scope scope(x.where());
  return digitize(x, vector_beside(bins, x), o.right);
}
array choose(const operand& a, const array_list& choices, const choose_options& o) {
  const location_scope scope(a.where());
  const array chosen = choose(a, choices, o.mode);
  if (o.out.empty_handle()) return chosen;
  if (!detail::is_unsized(chosen) && o.out.shape() != chosen.shape())
    throw TypeError("choose", "choose: invalid shape for output array.");
  return detail::finish(chosen, o.out.dtype().id(), o.out);
}
void put(const array& a, const array& indices, const operand& values, const mode_options& o) {
  put(a, indices, values, o.mode);
}
array take(const operand& a, value_list indices, const take_options& o) { return take(a, vector_of(indices), o); }
array take(const operand& a, value_list indices, std::int64_t axis) { return take(a, indices, take_options{.axis = axis}); }
array isin(const operand& a, value_list test, const isin_options& o) {
  const location_scope scope(a.where());
  return isin(a, vector_beside(test, a), o);
}
array_list unravel_index(const operand& flat, const shape_list& shape, const unravel_options& o) {
  return unravel_index(flat, shape, o.order);
}
array ravel_multi_index(const array_list& index, const shape_list& shape, const ravel_multi_options& o, location where) {
  return ravel_multi_index(index, shape, o.mode, o.order, where);
}
array packbits(const operand& a, const packbits_options& o) { return packbits(a, o.axis, o.bitorder); }
array unpackbits(const array& a, const unpackbits_options& o, location where) {
  return unpackbits(a, o.axis, o.count, o.bitorder, where);
}

histogram_result histogram(const operand& a, const histogram_options& o) {
  if (o.bins.rule()) return histogram(a, o.bins.rule(), o.range.bounds(), o.density, o.weights);
  if (!o.bins.edges().empty_handle()) return histogram(a, o.bins.edges(), o.density, o.weights);
  return histogram(a, o.bins.count(), o.range.bounds(), o.density, o.weights);
}
histogram_result histogram(const operand& a, std::int64_t bins, const histogram_counting& o) {
  return histogram(a, bins, o.range.bounds(), o.density, o.weights);
}
histogram_result histogram(const operand& a, const array& edges, const histogram_counting& o) {
  return histogram(a, edges, o.density, o.weights);
}
array histogram_bin_edges(const operand& a, const histogram_edges_options& o) {
  if (o.bins.rule()) return histogram_bin_edges(a, o.bins.rule(), o.range.bounds(), o.weights);
  if (!o.bins.edges().empty_handle()) return o.bins.edges();
  return histogram_bin_edges(a, o.bins.count(), o.range.bounds(), o.weights);
}
histogram2d_result histogram2d(const operand& x, const operand& y, const histogram2d_options& o) {
  return histogram2d(x, y, std::pair(o.bins.x, o.bins.y), std::pair(o.range.first.bounds(), o.range.second.bounds()),
                     o.density, o.weights);
}

// ---- numbers ----

array round(const operand& a, const round_options& o) {
  const location_scope scope(a.where());
  const array rounded = round(a, o.decimals);
  if (o.out.empty_handle()) return rounded;
  if (o.out.size() != rounded.size()) throw ValueError("round", "invalid output shape");
  if (!can_cast(rounded.dtype(), o.out.dtype(), "same_kind"))
    throw TypeError("round", std::string("Cannot cast ufunc '") +
                                 (o.decimals > 0   ? "multiply"
                                  : o.decimals < 0 ? "divide"
                                                   : "rint") +
                                 "' output from dtype('" + std::string(rounded.dtype().name()) + "') to dtype('" +
                                 std::string(o.out.dtype().name()) + "') with casting rule 'same_kind'");
  return detail::finish(rounded, o.out.dtype().id(), o.out);
}
array around(const operand& a, const round_options& o) { return round(a, o); }
array clip(const operand& a, const clip_options& o) {
  const location_scope scope(a.where());
  if ((o.a_min || o.a_max) && (o.min || o.max))
    throw ValueError("clip", "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.");
  const std::optional<operand>&low = o.min ? o.min : o.a_min, &high = o.max ? o.max : o.a_max;
  const ufunc_options to{.out = o.out};
  if (low && high) return clip(a, *low, *high, to);
  if (!low && !high) return positive(a, to);
  const array one_sided = low ? clip(a, *low, none) : clip(a, none, *high);
  return o.out.empty_handle() ? one_sided : positive(one_sided, to);
}
array angle(const operand& z, const angle_options& o) { return angle(z, o.deg); }
bool array_equal(const operand& a1, const operand& a2, const equal_nan_options& o) {
  return array_equal(a1, a2, o.equal_nan);
}
#define NUMJIT_QUANTILES(name)                                            \
  array name(const operand& a, value_list q, const quantile_options& o) { \
    const location_scope scope(a.where());                                \
    return name(a, vector_beside(q, a), o);                               \
  }
NUMJIT_QUANTILES(percentile)
NUMJIT_QUANTILES(quantile)
NUMJIT_QUANTILES(nanpercentile)
NUMJIT_QUANTILES(nanquantile)
#undef NUMJIT_QUANTILES
array percentile(const operand& a, value_list q, std::int64_t axis) {
  return percentile(a, q, quantile_options{.axis = axis});
}
array quantile(const operand& a, value_list q, std::int64_t axis) { return quantile(a, q, quantile_options{.axis = axis}); }
array gradient(const operand& f, const slope_options& o) {
  return gradients(f, {.axis = o.axis, .edge_order = o.edge_order})[0];
}
array gradient(const operand& f, double spacing, const slope_options& o) {
  return gradients(f, {.spacing = {array(spacing)}, .axis = o.axis, .edge_order = o.edge_order})[0];
}
array gradient(const operand& f, const array& coordinates, const slope_options& o) {
  return gradients(f, {.spacing = {coordinates}, .axis = o.axis, .edge_order = o.edge_order})[0];
}
array convolve(const operand& a, const operand& v, const convolve_options& o) { return convolve(a, v, o.mode); }
array convolve(const operand& a, value_list v, const convolve_options& o) {
  const location_scope scope(a.where());
  return convolve(a, vector_beside(v, a), o.mode);
}
array correlate(const operand& a, const operand& v, const correlate_options& o) { return correlate(a, v, o.mode); }
array correlate(const operand& a, value_list v, const correlate_options& o) {
  const location_scope scope(a.where());
  return correlate(a, vector_beside(v, a), o.mode);
}

// ---- products ----

array tensordot(const operand& a, const operand& b, const tensordot_options& o) {
  if (o.axes.count() >= 0) return tensordot(a, b, o.axes.count());
  return tensordot(a, b, o.axes.a(), o.axes.b());
}
array matmul(const operand& a, const operand& b, const out_options& o) {
  const location_scope scope(a.where());
  const array product = matmul(a, b);
  return o.out.empty_handle() ? product : positive(product, {.out = o.out});
}
array dot(const operand& a, const operand& b, const out_options& o) {
  const location_scope scope(a.where());
  const array product = dot(a, b);
  if (o.out.empty_handle()) return product;
  if (o.out.dtype() != product.dtype() || o.out.ndim() != product.ndim() || !o.out.is_c_contiguous())
    throw ValueError("dot", "output array is not acceptable (must have the right datatype, number of dimensions, and be a "
                            "C-Array)");
  if (!(o.out.shape() == product.shape())) throw ValueError("dot", "output array has wrong dimensions");
  return detail::finish(product, product.get()->type, o.out);
}

namespace linalg {
eig_result eigh(const operand& a, const uplo_options& o) { return eigh(a, o.UPLO); }
array eigvalsh(const operand& a, const uplo_options& o) { return eigvalsh(a, o.UPLO); }
qr_result qr(const operand& a, const qr_options& o) { return qr(a, o.mode); }
lstsq_result lstsq(const operand& a, const operand& b, const lstsq_options& o) { return lstsq(a, b, o.rcond); }
array cond(const operand& a, const cond_options& o) { return cond(a, o.p); }
array tensorinv(const operand& a, const tensorinv_options& o) { return tensorinv(a, o.ind); }
array tensorsolve(const operand& a, const operand& b, const tensorsolve_options& o) { return tensorsolve(a, b, o.axes); }
array cross(const operand& a, const operand& b, const axis_options& o) { return linalg::cross(a, b, o.axis.value_or(-1)); }
array diagonal(const operand& a, const offset_options& o) { return linalg::diagonal(a, o.offset); }
array vecdot(const operand& a, const operand& b, const axis_options& o) { return vecdot(a, b, o.axis.value_or(-1)); }
}  // namespace linalg

// ---- polynomials ----

array polyval(value_list p, const operand& x) {
  const location_scope scope(x.where());
  return polyval(vector_of(p), x);
}
array poly(value_list zeros) { return poly(vector_of(zeros)); }
array roots(value_list p) { return roots(vector_of(p)); }
array polyder(const operand& p, const polyder_options& o) { return polyder(p, o.m); }
array polyint(const operand& p, const polyint_options& o) { return polyint(p, o.m, o.k); }

// ---- bytes ----

array frombuffer(std::string_view bytes, const frombuffer_options& o) {
  return frombuffer(bytes, o.dtype, o.count, o.offset);
}
array fromfile(const std::string& path, const frombuffer_options& o) { return fromfile(path, o.dtype, o.count, o.offset); }
array fromstring(std::string_view text, const fromstring_options& o) { return fromstring(text, o.dtype, o.count, o.sep); }

}  // namespace numjit
