// Arrays from literals and numbers: filled, ranges, grids, identities.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <numjit/array/remote.h>
#include <numjit/ops/stored_literal.h>
#include <numjit/trace/api/region.h>

#include <math/checks.h>
#include <surface.h>

namespace numjit {

using detail::create;
using detail::on_device;

namespace {

// ---- array literals ----

dims literal_shape(const nested& v) {
  if (!v.is_list()) {
    if (node* n = v.element()) return dims(detail::sized(n)->shape, n->rank);
    return {};
  }
  if (v.list().empty()) return {0};
  dims inner = literal_shape(v.list()[0]);
  for (std::size_t i = 1; i < v.list().size(); ++i) {
    dims other = literal_shape(v.list()[i]);
    if (!(other == inner)) {
      int common = 0;
      while (common < inner.size() && common < other.size() && inner[common] == other[common]) ++common;
      dims detected{static_cast<std::int64_t>(v.list().size())};
      for (int k = 0; k < common; ++k) detected.push_back(inner[k]);
      throw ValueError("array",
                       "setting an array element with a sequence. The requested array has "
                       "an inhomogeneous shape after " +
                           std::to_string(detected.size()) + " dimensions. The detected shape was " + detected.str() +
                           " + inhomogeneous part.");
    }
  }
  inner.insert(0, static_cast<std::int64_t>(v.list().size()));
  return inner;
}

void discover_dtype(const nested& v, std::optional<dtype_id>& type, bool& has_array) {
  if (v.is_list()) {
    for (const nested& e : v.list()) discover_dtype(e, type, has_array);
    return;
  }
  has_array |= v.element() != nullptr;
  dtype_id t = detail::type_of(v.scalar());
  type = type ? promote_types(*type, t) : t;
}

// The dtype that the C++ types of all numbers say; false where they differ or say none.
bool find_one_type(const nested& v, std::optional<dtype_id>& type) {
  if (v.is_list()) return std::all_of(v.list().begin(), v.list().end(), [&](const nested& e) { return find_one_type(e, type); });
  if (!v.type() || (type && *type != *v.type())) return false;
  type = v.type();
  return true;
}

void write_element(char* to, dtype_id t, const operand& v) {
  visit_dtype(t, [&]<class T>() {
    T x;
    if constexpr (std::is_same_v<T, bool>) {
      x = v.kind() == weak_kind::float_ || v.kind() == weak_kind::complex_ ? v.real() != 0 || v.imag() != 0 : v.int_value() != 0;
    } else if constexpr (std::is_integral_v<T>) {
      x = v.kind() == weak_kind::float_ ? static_cast<T>(v.real()) : static_cast<T>(v.int_value());
    } else if constexpr (std::is_same_v<T, complex<float>>) {
      x = T(static_cast<float>(v.real()), static_cast<float>(v.imag()));
    } else if constexpr (std::is_same_v<T, complex<double>>) {
      x = T(v.real(), v.imag());
    } else if constexpr (std::is_same_v<T, half>) {
      x = half(v.real());
    } else {
      x = static_cast<T>(v.real());
    }
    std::memcpy(to, &x, sizeof(T));
  });
}

void check_element(dtype_id t, const operand& v) {
  const char kind = dtype(t).kind();
  if (v.kind() == weak_kind::int_ && (kind == 'i' || kind == 'u')) check_literal("array", v, t);
  check_no_complex("array", v, t);
  if (stores_as_integer(v, t)) check_whole("array", v, t);
}

void write_literal(const nested& v, dtype_id t, char*& to) {
  if (v.is_list()) {
    for (const nested& e : v.list()) write_literal(e, t, to);
    return;
  }
  check_element(t, v.scalar());
  write_element(to, t, v.scalar());
  to += dtype(t).itemsize();
}

// Elements that are arrays may be lazy, so they are joined by ops.
array literal_of_arrays(const nested& v, dtype_id t) {
  if (!v.is_list()) return detail::cast(v.scalar(), t);
  std::vector<array> parts;
  for (const nested& e : v.list()) parts.push_back(literal_of_arrays(e, t));
  return stack(parts);
}

// Where the options want it, of an array made by hand, which a scope has not seen.
array placed_new(array made, const auto& o) {
  if (o.device) return made.to(*o.device);
  detail::place_in_scope(made.get());
  return made;
}

[[noreturn]] void throw_copy_needed(const char* op) {
  throw ValueError(op,
                   "Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, copy=False)` replace "
                   "it with `np.asarray(obj)` to allow a copy when needed (no behavior change in NumPy 1.x).\nFor more "
                   "details, see https://numpy.org/devdocs/numpy_2_0_migration_guide.html#adapting-to-changes-in-the-copy-"
                   "keyword.");
}

// Axes of length 1 put first, a view, until there are `count`.
array with_axes(array a, int count) {
  if (count > max_rank) throw ValueError("array", "ndmin must be <= ndmax (" + std::to_string(max_rank) + ")");
  if (a.ndim() >= count) return a;
  dims shape = a.shape();
  while (shape.size() < count) shape.insert(0, 1);
  return detail::reshape_view(a, shape);
}

// In the order and with the axes that np::array was asked for, `made` being new: 'K' and 'A' are C's order then.
array arranged(array made, const new_array_options& o) {
  if (made.ndim() > 1 && (o.order == 'F' || !detail::lies_in_order(made, o.order))) made = copy(made, o.order);
  return with_axes(std::move(made), o.ndmin);
}

}  // namespace

array array::to(std::string_view device, location where) const {
  const std::uint8_t index = detail::device_index(device);
  node* n = get();
  if (n->is(node::lazy)) tracing::break_for_device(where);
  n = detail::concrete(n, "eval", where);
  return n->device == index ? *this : adopt(detail::copy_to_device(n, index));
}

nested::nested(const array& element) : scalar_(operand(element)) {}

array::array(std::initializer_list<nested> values, new_array_options options) {
  const location unknown;  // braces bring no place
  const location_scope scope(unknown);
  if (options.copy && !*options.copy) throw_copy_needed("array");
  const nested all(values);
  dims shape = literal_shape(all);
  std::optional<dtype_id> type;
  bool has_array = false;
  if (!find_one_type(all, type)) {
    type.reset();
    discover_dtype(all, type, has_array);
  }
  dtype_id t = options.dtype ? options.dtype->id() : type.value_or(dtype_id::float64);
  if (has_array) {
    *this = arranged(on_device(literal_of_arrays(all, t), options), options);
    return;
  }
  array made = detail::fresh(t, shape);
  char* to = made.get()->data;
  write_literal(all, t, to);
  *this = arranged(placed_new(std::move(made), options), options);
}

array::array(const operand& value, new_array_options options) {
  const location_scope scope(value.where());
  if (value.is_array()) {
    const array x = share(value.n());
    const dtype_id t = options.dtype ? options.dtype->id() : x.get()->type;
    const bool fits = t == x.get()->type && detail::lies_in_order(x, options.order);
    if (options.copy && !*options.copy && !fits) throw_copy_needed("array");
    array made = fits && !options.copy.value_or(false) ? x : detail::cast_in_order(value, t, x, options.order);
    *this = with_axes(on_device(std::move(made), options), options.ndmin);
    return;
  }
  if (options.copy && !*options.copy) throw_copy_needed("array");
  dtype_id t = options.dtype ? options.dtype->id() : detail::type_of(value);
  check_element(t, value);
  array made = detail::fresh(t, {});
  write_element(made.get()->data, t, value);
  *this = with_axes(placed_new(std::move(made), options), options.ndmin);
}

array detail::from_memory(const void* data, dtype_id type, std::int64_t count, const dims& shape) {
  dims s = shape;
  std::int64_t known = 1;
  int open = -1;
  for (int i = 0; i < s.size(); ++i) {
    if (s[i] == -1)
      open = i;
    else
      known *= s[i];
  }
  if (open >= 0 && known > 0) s[open] = count / known;
  if (element_count(s) != count)
    throw ValueError("from_values", "cannot reshape array of size " + std::to_string(count) + " into shape " + shape.str());
  array made = fresh(type, s);
  if (count) std::memcpy(made.get()->data, data, static_cast<std::size_t>(made.nbytes()));
  return made;
}

// ---- filled ----

namespace {

dtype_id or_default(const optional_dtype& t, dtype_id otherwise) { return t ? t->id() : otherwise; }

array filled(const dims& shape, const layout::number& value, dtype_id t) {
  detail::check_extents("full", shape);
  return create(op_id::full, layout::full_params(shape, value, t));
}

/// The same with its axes in memory in an order of 'CFAK', which may be that of `like`.
array filled_as(const dims& shape, const layout::number& value, dtype_id t, const array* like, char order) {
  if (shape.size() < 2 || order == 'C') return filled(shape, value, t);
  const dims axes = detail::memory_axes("full", shape.size(), like, order);
  if (std::is_sorted(axes.begin(), axes.end())) return filled(shape, value, t);
  dims lying;
  for (std::int64_t axis : axes) lying.push_back(shape[static_cast<int>(axis)]);
  return detail::permuted_back(filled(lying, value, t), axes);
}

void check_order(const char* op, char order) {
  detail::memory_axes(op, 0, nullptr, order);
  if (order != 'C' && order != 'F') throw ValueError(op, "only 'C' or 'F' order is permitted");
}

array filled_by(const char* op, const dims& shape, int value, const filled_options& o) {
  check_order(op, o.order);
  const dtype_id t = or_default(o.dtype, dtype_id::float64);
  return on_device(filled_as(shape, layout::number::of(std::int64_t{value}), t, nullptr, o.order), o);
}

// Where the options want it, else on the device of `a`.
array beside(const operand& a, array made, const like_options& o) {
  if (o.device || !a.is_array() || a.n()->device == made.get()->device || made.get()->is(node::lazy))
    return on_device(std::move(made), o);
  return made.to(detail::device_name(a.n()->device));
}

}  // namespace

array zeros(const shape_list& shape, const filled_options& o, location where) {
  const location_scope scope(where);
  return filled_by("zeros", shape, 0, o);
}
array ones(const shape_list& shape, const filled_options& o, location where) {
  const location_scope scope(where);
  return filled_by("ones", shape, 1, o);
}
// Zeros: an uninitialised array could differ between eager and compiled runs.
array empty(const shape_list& shape, const filled_options& o, location where) {
  const location_scope scope(where);
  return filled_by("empty", shape, 0, o);
}

namespace {

array full_as(const dims& shape, const operand& value, const optional_dtype& type, const array* like, char order) {
  if (value.is_array()) {
    detail::check_extents("full", shape);
    check_spread("full", detail::shape_of(value), shape);
    const array wide = detail::spread_over(value, shape);
    return detail::cast_in_order(wide, or_default(type, value.n()->type), like ? *like : wide,
                                 like || order == 'F' ? order : 'C');
  }
  const dtype_id t = or_default(type, detail::type_of(value));
  const layout::number number = layout::number::of_literal(value);
  if (stores_as_integer(value, t) && !whole_fits(value, t)) {  // NumPy casts here
    const array wide = filled_as(shape, number, dtype_id::float64, like, order);
    return detail::cast_in_order(wide, t, wide, 'K');
  }
  check_element(t, value);
  return filled_as(shape, number, t, like, order);
}

array filled_like(const operand& a, int value, const like_options& o) {
  const array like = a.is_array() ? array::share(a.n()) : array();
  return beside(a,
                filled_as(o.shape ? dims(*o.shape) : detail::shape_of(a), layout::number::of(std::int64_t{value}),
                          or_default(o.dtype, detail::type_of(a)), a.is_array() ? &like : nullptr, o.order),
                o);
}

}  // namespace

array full(const shape_list& shape, const operand& value, const filled_options& o) {
  const location_scope scope(value.where());
  check_order("full", o.order);
  return on_device(full_as(shape, value, o.dtype, nullptr, o.order), o);
}
array zeros_like(const operand& a, const like_options& o) {
  const location_scope scope(a.where());
  return filled_like(a, 0, o);
}
array ones_like(const operand& a, const like_options& o) {
  const location_scope scope(a.where());
  return filled_like(a, 1, o);
}
array empty_like(const operand& a, const like_options& o) {
  const location_scope scope(a.where());
  return filled_like(a, 0, o);
}
array full_like(const operand& a, const operand& value, const like_options& o) {
  const location_scope scope(value.where());
  const array like = detail::to_array(a);
  return beside(a,
                full_as(o.shape ? dims(*o.shape) : detail::shape_of(a), value, dtype(or_default(o.dtype, detail::type_of(a))),
                        &like, o.order),
                o);
}

// ---- ranges ----

namespace {

/// A number argument: a literal, or the value of a 0-D array (a read).
layout::number number_of(const operand& v, const char* op) {
  if (!v.is_array()) return layout::number::of_literal(v);
  if (detail::sized(v.n(), v.where())->size != 1)
    throw TypeError(op, "only 0-dimensional arrays can be converted to Python scalars");
  detail::refuse_followed(v.n(), op, "a bound or step");
  array a = array::share(v.n());
  detail::element_value e = detail::single_element(a, v.where());
  if (e.kind == 'c') return layout::number::of(e.re, e.im);
  if (e.kind == 'f') return layout::number::of(e.re);
  if (e.kind == 'u' && e.i < 0) return {layout::number::above_int64, e.i, 0};
  return layout::number::of(e.i);
}

// NumPy starts from int64, whatever the arguments' own dtypes.
dtype_id range_type(const operand& a, const operand& b, const operand& c) {
  dtype_id t = dtype_id::int64;
  for (const operand* o : {&a, &b, &c}) t = promote_types(t, detail::type_of(*o));
  return t;
}

}  // namespace

namespace {
/// The first two elements must fit an integer dtype; NumPy counts on from them, and what follows
/// wraps.
void check_first_two(const layout::number& from, const layout::number& to, const layout::number& by, dtype_id type) {
  const char kind = dtype(type).kind();
  if (kind != 'i' && kind != 'u') return;
  const double first = from.as_double(), step = by.as_double(), steps = (to.as_double() - first) / step;
  constexpr double most = 0x1p62;  // beyond it doubles are no integers of 64 bits
  if (!(steps > 0) || !(std::fabs(first) < most) || !(std::fabs(step) < most)) return;
  check_literal("arange", operand(static_cast<std::int64_t>(first)), type);
  if (steps > 1) check_literal("arange", operand(static_cast<std::int64_t>(first + step)), type);
}
}  // namespace

array arange(const operand& start, const operand& stop, const operand& step, const array_options& o) {
  const location_scope scope(stop.where());
  dtype_id t = o.dtype ? o.dtype->id() : range_type(start, stop, step);
  layout::number by = number_of(step, "arange");
  const bool real = dtype(range_type(start, stop, step)).kind() == 'f';
  if (by.as_double() == 0) throw ZeroDivisionError("arange", real ? "float division by zero" : "division by zero");
  const layout::number from = number_of(start, "arange"), to = number_of(stop, "arange");
  if (o.dtype) check_first_two(from, to, by, t);
  return on_device(create(op_id::arange, layout::arange_params(from, to, by, t)), o);
}
array arange(const operand& start, const operand& stop, const array_options& o) { return arange(start, stop, 1, o); }
array arange(const operand& stop, const array_options& o) { return arange(0, stop, 1, o); }

// ---- matrices ----

array eye(std::int64_t N, const eye_options& o, location where) {
  const location_scope scope(where);
  const std::int64_t M = o.M < 0 ? N : o.M;
  if (N < 0) throw ValueError("eye", "negative dimensions are not allowed");
  check_order("eye", o.order);
  const std::int64_t k = std::clamp(o.k, -N, M);  // further out is as empty
  const bool falls = o.order == 'F';
  const array made = create(
      op_id::eye, layout::eye_params(falls ? M : N, falls ? N : M, falls ? -k : k, or_default(o.dtype, dtype_id::float64)));
  return on_device(falls ? detail::permuted_back(made, {1, 0}) : made, o);
}
array identity(std::int64_t n, const array_options& o, location where) {
  const location_scope scope(where);
  return on_device(eye(n, eye_options{.dtype = o.dtype}), o);
}

namespace {
/// bool (N, M): column - row <= k.
array below_diagonal(std::int64_t N, std::int64_t M, std::int64_t k) {
  k = std::clamp(k, -std::max<std::int64_t>(N, 0), std::max<std::int64_t>(M, 0));  // further out is as empty, or as full
  const array rows = arange(k, N + k), columns = arange(0, M);
  return detail::reshape_view(rows, {rows.size(), 1}) >= columns;
}
/// Which elements of the last two axes lie at or below a diagonal; a vector stands for the rows of a square matrix.
array below_diagonal_of(const operand& a, std::int64_t k) {
  const dims s = detail::shape_of(a);
  if (s.size() == 0) throw TypeError("", "tri() missing 1 required positional argument: 'N'");
  return below_diagonal(s.size() > 1 ? s[s.size() - 2] : s.back(), s.back(), k);
}
}  // namespace

array tri(std::int64_t N, const tri_options& o, location where) {
  const location_scope scope(where);
  return detail::cast(below_diagonal(N, o.M < 0 ? N : o.M, o.k), or_default(o.dtype, dtype_id::float64));
}
array tril(const operand& a, std::int64_t k) {
  const location_scope scope(a.where());
  const array below = below_diagonal_of(a, k), zero = zeros({}, {dtype(detail::type_of(a))});
  return where(below, a, zero);
}
array triu(const operand& a, std::int64_t k) {
  const location_scope scope(a.where());
  const array below = below_diagonal_of(a, std::max(k, std::numeric_limits<std::int64_t>::min() + 1) - 1),
              zero = zeros({}, {dtype(detail::type_of(a))});
  return where(below, zero, a);
}
array diag(const operand& v, std::int64_t k) {
  const location_scope scope(v.where());
  const dims s = detail::shape_of(v);
  if (s.size() == 2) return detail::contiguous_copy(diagonal(v, k));
  if (s.size() != 1) throw ValueError("diag", "Input must be 1- or 2-d.");
  const std::int64_t n = s[0] + (k < 0 ? -k : k);
  const array m = zeros({n, n}, {dtype(detail::type_of(v))});
  // The diagonal as a strided view of the flat matrix.
  const array flat = detail::reshape_view(m, {n * n});
  const std::int64_t first = k >= 0 ? k : -k * n;
  if (s[0] > 0) detail::slice_axis(flat, 0, first, first + (s[0] - 1) * (n + 1) + 1, n + 1) = v;
  return m;
}
array vander(const operand& x, std::int64_t N) {
  const location_scope scope(x.where());
  if (detail::rank_of(x) != 1) throw ValueError("vander", "x must be a one-dimensional array or sequence.");
  const std::int64_t rows = detail::shape_of(x)[0], n = N < 0 ? rows : N;
  const array powers = ones({rows, n}, {dtype(promote_types(detail::type_of(x), dtype_id::int64))});
  if (n > 1) {
    const array column = expand_dims(x, 1);
    detail::slice_axis(powers, 1, 1, layout::none) = column;
  }
  return detail::contiguous_copy(flip(cumprod(powers, {.axis = 1}), 1));
}

// ---- grids ----

std::vector<array> meshgrid(const std::vector<array>& vectors, const meshgrid_options& o, location where) {
  const location_scope scope(where);
  const bool xy = std::strcmp(o.indexing, "xy") == 0;
  if (!xy && std::strcmp(o.indexing, "ij") != 0) throw ValueError("meshgrid", "Valid values for `indexing` are 'xy' and 'ij'.");
  const int n = static_cast<int>(vectors.size());
  std::vector<int> axis_of(vectors.size());
  for (int i = 0; i < n; ++i) axis_of[static_cast<std::size_t>(i)] = i;
  if (xy && n > 1) std::swap(axis_of[0], axis_of[1]);
  dims full_shape;
  full_shape.resize(n);
  for (int i = 0; i < n; ++i) full_shape[axis_of[static_cast<std::size_t>(i)]] = vectors[static_cast<std::size_t>(i)].size();
  std::vector<array> grids;
  for (int i = 0; i < n; ++i) {
    dims shape;
    shape.resize(n, 1);
    const array& v = vectors[static_cast<std::size_t>(i)];
    shape[axis_of[static_cast<std::size_t>(i)]] = v.size();
    const array line = reshape(v, shape), grid = o.sparse ? line : broadcast_to(line, full_shape);
    grids.push_back(o.copy ? grid.copy() : grid);
  }
  return grids;
}
std::vector<array> meshgrid(std::initializer_list<array> vectors, const meshgrid_options& o, location where) {
  return meshgrid(std::vector<array>(vectors), o, where);
}

std::vector<array> indices_sparse(const shape_list& shape, const array_options& o, location where) {
  const location_scope scope(where);
  std::vector<array> lines;
  for (int axis = 0; axis < shape.size(); ++axis) {
    dims one;
    one.resize(shape.size(), 1);
    one[axis] = shape[axis];
    lines.push_back(on_device(detail::reshape_view(arange(shape[axis], {o.dtype.value_or(int64), {}}), one), o));
  }
  return lines;
}
array indices(const shape_list& shape, const array_options& o, location where) {
  const location_scope scope(where);
  dims whole = shape;
  whole.insert(0, shape.size());
  const dtype t = o.dtype.value_or(int64);
  const array result = zeros(whole, {.dtype = t});
  int axis = 0;
  for (const array& line : indices_sparse(shape, {.dtype = t}, where)) detail::pick_axis(result, 0, axis++) = line;
  return on_device(result, o);
}

namespace {
array range_of_slice(const slice& s) {
  if (s.stop == slice_bound::omitted) throw ValueError("mgrid", "a slice of mgrid needs a stop.");
  return arange(s.start == slice_bound::omitted ? 0 : s.start, s.stop, s.step == slice_bound::omitted ? 1 : s.step);
}
}  // namespace

std::vector<array> ogrid_t::make(std::span<const slice> slices) {
  const int n = static_cast<int>(slices.size());
  std::vector<array> grids;
  for (int i = 0; i < n; ++i) {
    array line = range_of_slice(slices[static_cast<std::size_t>(i)]);
    dims shape;
    shape.resize(n, 1);
    shape[i] = line.size();
    grids.push_back(detail::reshape_view(line, shape));
  }
  return grids;
}
array mgrid_t::make(std::span<const slice> slices) {
  if (slices.size() == 1) return range_of_slice(slices[0]);
  return stack(broadcast_arrays(ogrid_t::make(slices)));
}

// ---- from arrays ----

array asarray(const operand& a, const asarray_options& o) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  const dtype_id t = o.dtype ? o.dtype->id() : x.get()->type;
  const bool fits = x.get()->type == t && detail::lies_in_order(x, o.order);
  if (o.copy && !*o.copy && (!fits || !a.is_array())) throw_copy_needed("asarray");
  return on_device(fits && !o.copy.value_or(false) ? x : detail::cast_in_order(x, t, x, o.order), o);
}
array ascontiguousarray(const operand& a, const array_options& o) {
  const location_scope scope(a.where());
  array x = asarray(a, asarray_options{.dtype = o.dtype, .device = o.device});
  if (x.ndim() == 0) x = detail::reshape_view(x, {1});
  return x.is_c_contiguous() ? x : detail::contiguous_copy(x);
}
array asanyarray(const operand& a, const asarray_options& o) { return asarray(a, o); }
array asarray_chkfinite(const operand& a, const asarray_options& o) {
  const location_scope scope(a.where());
  const array x = asarray(a, o);
  const char kind = x.dtype().kind();
  if (kind != 'f' && kind != 'c') return x;
  const array bad = logical_not(isfinite(x));
  const array same = detail::checked(x, bad, detail::value_check::not_finite);
  return detail::recording ? same : x;  // in a graph, what was checked comes after the check
}
array require(const operand& a, std::string_view requirements, const array_options& o) {
  const location_scope scope(a.where());
  bool c = false, f = false, write = false, own = false;
  for (char r : requirements) {
    const char upper = r >= 'a' && r <= 'z' ? static_cast<char>(r - 'a' + 'A') : r;
    if (std::string_view("CFWOEA").find(upper) == std::string_view::npos)
      throw ValueError("require", "unknown requirement: got '" + std::string(1, r) + "', expected letters of CFWOEA.");
    c |= upper == 'C', f |= upper == 'F', write |= upper == 'W', own |= upper == 'O';
  }
  if (c && f) throw ValueError("require", "Cannot specify both \"C\" and \"F\" order");
  array x =
      f && detail::rank_of(a) > 0 ? asfortranarray(a, o) : asarray(a, asarray_options{.dtype = o.dtype, .device = o.device});
  if (c && !x.is_c_contiguous()) x = detail::contiguous_copy(x);
  const bool unfit = (write && !x.writeable()) || (own && x.get()->base);
  return unfit ? detail::contiguous_copy(x) : x;
}

void detail::throw_inhomogeneous(std::int64_t rows) {
  throw ValueError("array",
                   "setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 "
                   "dimensions. The detected shape was " +
                       dims{rows}.str() + " + inhomogeneous part.");
}

void detail::throw_iterator_too_short(std::int64_t expected, std::int64_t got) {
  throw ValueError("fromiter", "iterator too short: Expected " + std::to_string(expected) + " but iterator had only " +
                                   std::to_string(got) + " items.");
}

}  // namespace numjit
