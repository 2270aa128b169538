// Shapes, joining, splitting and rearranging, made of the structural ops.
#include <algorithm>
#include <cstring>
#include <numeric>

#include <at_hand.h>
#include <math/checks.h>

namespace numjit {

using detail::call;

namespace {

std::string tight(const dims& shape) {
  std::string s = shape.str();
  s.erase(std::remove(s.begin(), s.end(), ' '), s.end());
  return s;
}

/// A requested shape as NumPy writes it: leading unknown extents left out, others as "newaxis".
std::string requested(const dims& shape) {
  std::string s;
  for (std::int64_t extent : shape) {
    if (extent < 0 && s.empty()) continue;
    s += (s.empty() ? "(" : ",") + (extent < 0 ? "newaxis" : std::to_string(extent));
  }
  if (s.empty()) return "()";
  return s + (shape.size() == 1 ? ",)" : ")");
}

/// normalize_axis whose error begins with the name of the argument.
int named_axis(const char* op, const char* name, std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    throw AxisError(op, std::string(name) + ": axis " + std::to_string(axis) + " is out of bounds for array of dimension " +
                            std::to_string(rank));
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

/// May an array of this layout be seen in another shape without a copy? NumPy's attempt: axes of the
/// old and new shape are grouped to equal products, and each old group must be evenly strided.
bool reshape_needs_no_copy(const node* n, const dims& to) {
  if (n->size == 0 || n->is(node::c_contiguous)) return true;
  dims shape, strides;
  for (int i = 0; i < n->rank; ++i)
    if (n->shape[i] != 1) shape.push_back(n->shape[i]), strides.push_back(n->strides[i]);
  int i = 0, j = 0;
  while (i < shape.size() && j < to.size()) {
    std::int64_t old_extent = shape[i], new_extent = to[j];
    int first = i;
    ++i, ++j;
    while (old_extent != new_extent) {
      if (new_extent < old_extent)
        new_extent *= to[j++];
      else
        old_extent *= shape[i++];
    }
    for (int k = first; k + 1 < i; ++k)
      if (strides[k] != shape[k + 1] * strides[k + 1]) return false;
  }
  return true;
}

dims normalized(const char* op, const dims& axes, int rank, const char* name = nullptr, const char* repeated = "repeated axis") {
  dims out;
  for (std::int64_t a : axes) {
    int k = name ? named_axis(op, name, a, rank) : normalize_axis(op, a, rank);
    for (std::int64_t seen : out)
      if (seen == k) throw ValueError(op, name ? "repeated axis in `" + std::string(name) + "` argument" : std::string(repeated));
    out.push_back(k);
  }
  return out;
}

}  // namespace

dims detail::resolved_shape(const char* op, std::int64_t size, const dims& shape) {
  std::int64_t known = 1;
  int open = -1;
  bool beyond = false;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0) {
      beyond |= __builtin_mul_overflow(known, shape[i], &known);
    } else if (open >= 0) {
      throw ValueError(op, "can only specify one unknown dimension");
    } else {
      open = i;
    }
  }
  dims s = shape;
  const bool fits = !beyond && (open < 0 ? known == size : known > 0 && size % known == 0);
  if (open >= 0 && fits) s[open] = size / known;
  if (!fits) throw ValueError(op, "cannot reshape array of size " + std::to_string(size) + " into shape " + requested(shape));
  return s;
}

array reshape(const operand& a, const shape_list& shape) {
  const location_scope scope(a.where());
  return detail::reshaped(a, shape, {});
}
array detail::reshaped(const operand& a, const shape_list& shape, std::optional<bool> copy) {
  array x = to_array(a);
  if (copy && *copy) x = contiguous_copy(x);
  const bool only_ones = std::all_of(shape.begin(), shape.end(), [](auto e) { return e == 1 || e == -1; });
  // All extents given: whether the elements are as many is seen when the graph runs.
  const bool all_known = std::all_of(shape.begin(), shape.end(), [](auto e) { return e >= 0; });
  if (is_unsized(a) && x.ndim() == 1 && (all_known || (only_ones && !shape.empty()))) return reshape_view(x, shape);
  dims to = resolved_shape("reshape", x.size(), shape);
  if (!reshape_needs_no_copy(x.get(), to)) {
    if (copy && !*copy) throw ValueError("reshape", "Unable to avoid creating a copy while reshaping.");
    x = contiguous_copy(x);
  }
  return reshape_view(x, to);
}
array ravel(const operand& a) {
  const location_scope scope(a.where());
  // One axis whose length depends on data stays as it is.
  if (detail::is_unsized(a) && detail::rank_of(a) == 1) return detail::reshape_view(a, {-1});
  // Of elements that do not lie one behind the other NumPy makes a copy, also where a view would do.
  const array x = detail::to_array(a);
  return reshape(x.get()->is(node::c_contiguous) || x.get()->is(node::unsized) ? x : detail::contiguous_copy(x),
                 {detail::element_count_of(a)});
}

array transpose(const operand& a, const transpose_options& o) {
  const location_scope scope(a.where());
  const dims& axes = o.axes;
  if (!axes.empty() && axes.size() != detail::rank_of(a)) throw ValueError("transpose", "axes don't match array");
  return detail::permute(detail::to_array(a), axes);
}
array swapaxes(const operand& a, std::int64_t axis1, std::int64_t axis2) {
  const int rank = detail::rank_of(a);
  dims order;
  for (int i = 0; i < rank; ++i) order.push_back(i);
  const int first = named_axis("swapaxes", "axis1", axis1, rank), second = named_axis("swapaxes", "axis2", axis2, rank);
  std::swap(order[first], order[second]);
  return detail::permute(a, order);
}
array moveaxis(const operand& a, const axis_list& source, const axis_list& destination) {
  const int rank = detail::rank_of(a);
  dims from = normalized("moveaxis", source.list(), rank, "source");
  dims to = normalized("moveaxis", destination.list(), rank, "destination");
  if (from.size() != to.size())
    throw ValueError("moveaxis", "`source` and `destination` arguments must have the same number of elements");
  dims order;
  order.resize(rank, -1);
  for (int i = 0; i < from.size(); ++i) order[static_cast<int>(to[i])] = from[i];
  int next = 0;
  for (int i = 0; i < rank; ++i) {
    if (order[i] >= 0) continue;
    while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
    order[i] = next++;
  }
  return detail::permute(a, order);
}
array rollaxis(const operand& a, std::int64_t axis, std::int64_t start) {
  const int rank = detail::rank_of(a);
  const int from = normalize_axis("rollaxis", axis, rank);
  if (start < -rank || start > rank)
    throw AxisError("rollaxis", "'start' arg requires " + std::to_string(-rank) + " <= start < " + std::to_string(rank + 1) +
                                    ", but " + std::to_string(start) + " was passed in");
  if (start < 0) start += rank;
  return moveaxis(a, from, from < start ? start - 1 : start);
}

array squeeze(const operand& a, const axes_options& o) {
  const location_scope scope(a.where());
  const axis_list& axis = o.axis;
  const dims shape = detail::shape_of(a);
  dims gone = axis.all() ? dims() : normalized("squeeze", axis.list(), shape.size(), nullptr, "duplicate value in 'axis'");
  for (std::int64_t k : gone)
    if (shape[static_cast<int>(k)] != 1)
      throw ValueError("squeeze", "cannot select an axis to squeeze out which has size not equal to one");
  op_params params;
  for (int i = 0; i < shape.size(); ++i) {
    bool drop = axis.all() ? shape[i] == 1 : std::find(gone.begin(), gone.end(), i) != gone.end();
    layout::push(params, drop ? layout::index_entry::at(0) : layout::index_entry::all());
  }
  return call(op_id::index, {detail::to_array(a)}, params);
}
array expand_dims(const operand& a, const axes_options& o) {
  const location_scope scope(a.where());
  const axis_list& axis = o.axis;
  const int rank = detail::rank_of(a) + axis.list().size();
  dims fresh = normalized("expand_dims", axis.list(), rank);
  op_params params;
  for (int i = 0; i < rank; ++i) {
    bool added = std::find(fresh.begin(), fresh.end(), i) != fresh.end();
    layout::push(params, added ? layout::index_entry::new_axis() : layout::index_entry::all());
  }
  return call(op_id::index, {detail::to_array(a)}, params);
}

array atleast_1d(const operand& a) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  return x.ndim() >= 1 ? x : detail::reshape_view(x, {1});
}
array atleast_2d(const operand& a) {
  const location_scope scope(a.where());
  return detail::rank_of(a) >= 2 ? detail::to_array(a) : expand_dims(atleast_1d(a), 0);
}
array atleast_3d(const operand& a) {
  const location_scope scope(a.where());
  switch (detail::rank_of(a)) {
    case 0: return detail::reshape_view(detail::to_array(a), {1, 1, 1});
    case 1: return expand_dims(a, {0, 2});
    case 2: return expand_dims(a, 2);
    default: return detail::to_array(a);
  }
}

array broadcast_to(const operand& a, const shape_list& shape) {
  const location_scope scope(a.where());
  return detail::expand_to(detail::to_array(a), shape);
}
std::vector<dims> detail::shapes_to_broadcast(const std::vector<array>& arrays) {
  std::vector<dims> shapes;
  const dims* first = nullptr;
  for (const array& a : arrays) shapes.push_back(named_shape(a));
  bool alike = true;
  for (const dims& s : shapes) {
    if (s.empty()) continue;
    if (!first) first = &s;
    alike = alike && s == *first;
  }
  for (std::size_t i = 0; i < shapes.size() && !alike; ++i) shapes[i] = arrays[i].shape();
  return shapes;
}

array_list broadcast_arrays(const array_list& arrays, location where) {
  const location_scope scope(where);
  std::vector<dims> shapes;
  for (const array& a : arrays) shapes.push_back(a.shape());
  dims common = broadcast_shapes(shapes);
  array_list out;
  for (const array& a : arrays) out.push_back(a.shape() == common ? a : broadcast_to(a, common));
  return out;
}
array diagonal(const operand& a, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
  return call(op_id::diagonal, {a}, layout::diagonal_params(offset, axis1, axis2));
}

array real(const operand& a) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  return x.dtype().kind() == 'c' ? call(op_id::real_view, {x}) : x;
}
array imag(const operand& a) {
  const location_scope scope(a.where());
  if (dtype(detail::type_of(a)).kind() != 'c') {
    const array none = zeros_like(a);
    // There is nothing that it were a part of. A node that a graph hands out is used again: an operation makes it read-only.
    if (none.get()->is(node::lazy)) return none.get()->is(node::unsized) ? none : detail::expand_to(none, none.shape());
    none.get()->flags |= node::readonly;
    return none;
  }
  return call(op_id::imag_view, {detail::to_array(a)});
}
array angle(const operand& z, bool deg) {
  const location_scope scope(z.where());
  const array re = real(z);
  const array result = dtype(detail::type_of(z)).kind() == 'c' ? arctan2(imag(z), re) : arctan2(0, re);
  return deg ? result * (180 / pi) : result;
}

// ---- joining ----

namespace {

/// The axes of the result in their order in memory; none where that is C's, or what infers the result finds an error.
dims joined_out_of_c_order(const array_list& arrays, std::int64_t axis) {
  const int rank = arrays[0].ndim();
  const auto in_c_order = [](const array& a) { return a.get()->is(node::c_contiguous) || a.get()->is(node::unsized); };
  if (rank < 2 || axis < -rank || axis >= rank || std::all_of(arrays.begin(), arrays.end(), in_c_order)) return {};
  const int along = static_cast<int>(axis < 0 ? axis + rank : axis);
  for (const array& a : arrays) {
    if (a.ndim() != rank || a.get()->is(node::unsized)) return {};
    for (int i = 0; i < rank; ++i)
      if (i != along && a.shape(i) != arrays[0].shape(i)) return {};
  }
  const dims axes = detail::joined_axes(arrays);
  return std::is_sorted(axes.begin(), axes.end()) ? dims() : axes;
}

void check_casts(const array_list& arrays, const join_options& o) {
  can_cast(bool_, bool_, o.casting);  // refuses what is no rule
  if (o.dtype && !o.out.empty_handle())
    throw TypeError("concatenate", "concatenate() only takes `out` or `dtype` as an argument, but both were provided.");
  const bool widens = !o.dtype && o.out.empty_handle();
  if (widens && can_cast(int8, int64, o.casting)) return;
  const std::vector<operand> in(arrays.begin(), arrays.end());
  const dtype to = widens ? dtype(result_type(operand_list(in.data(), in.size()))) : o.dtype ? *o.dtype : o.out.dtype();
  for (const array& a : arrays) detail::check_cast("concatenate", a, to, o.casting);
}

}  // namespace

array concatenate(const array_list& arrays, const join_options& o, location where) {
  const location_scope scope(where);
  if (arrays.empty()) throw ValueError("concatenate", "need at least one array to concatenate");
  check_casts(arrays, o);
  if (!o.axis) {
    array_list flat;
    for (const array& a : arrays) flat.push_back(ravel(a));
    return concatenate(flat, {.axis = 0, .out = o.out, .dtype = o.dtype, .casting = o.casting});
  }
  if (o.out.empty_handle())
    if (const dims axes = joined_out_of_c_order(arrays, *o.axis); !axes.empty()) {
      array_list turned;
      for (const array& a : arrays) turned.push_back(detail::permute(a, axes));
      const auto place = std::find(axes.begin(), axes.end(), normalize_axis("concatenate", *o.axis, axes.size()));
      return detail::permuted_back(concatenate(turned, {.axis = place - axes.begin(), .dtype = o.dtype, .casting = "unsafe"}),
                                   axes);
    }
  const std::vector<operand> in(arrays.begin(), arrays.end());
  op_params params = layout::axis_params(*o.axis);
  if (o.dtype) params.type(o.dtype->id());
  if (!o.out.empty_handle()) detail::before_write();
  return bind({op_id::concatenate, in, &params, detail::optional_node(o.out)});
}

array stack(const array_list& arrays, const join_options& o, location where) {
  const location_scope scope(where);
  if (arrays.empty()) throw ValueError("stack", "need at least one array to stack");
  for (const array& a : arrays)
    if (!detail::same_shape(a, arrays[0])) throw ValueError("stack", "all input arrays must have the same shape");
  const int k = normalize_axis("stack", o.axis.value_or(0), arrays[0].ndim() + 1);
  array_list wide;
  for (const array& a : arrays) wide.push_back(expand_dims(a, k));
  join_options joined = o;
  joined.axis = k;
  return concatenate(wide, joined);
}

namespace {
array join_each(const array_list& arrays, array (*widen)(const operand&), std::int64_t axis, const stack_options& o = {}) {
  array_list wide;
  for (const array& a : arrays) wide.push_back(widen(a));
  return concatenate(wide, {.axis = axis, .dtype = o.dtype, .casting = o.casting});
}
array as_column(const operand& a) {
  const array x = detail::to_array(a);
  return x.ndim() >= 2 ? x : detail::reshape_view(x, {-1, 1});
}
}  // namespace

array vstack(const array_list& arrays, const stack_options& o, location where) {
  const location_scope scope(where);
  return join_each(arrays, atleast_2d, 0, o);
}
array hstack(const array_list& arrays, const stack_options& o, location where) {
  const location_scope scope(where);
  const bool flat = !arrays.empty() && arrays[0].ndim() <= 1;
  return join_each(arrays, atleast_1d, flat ? 0 : 1, o);
}
array dstack(const array_list& arrays, location where) {
  const location_scope scope(where);
  return join_each(arrays, atleast_3d, 2);
}
array column_stack(const array_list& arrays, location where) {
  const location_scope scope(where);
  return join_each(arrays, as_column, 1);
}
array append(const operand& a, const operand& values, std::optional<std::int64_t> axis) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a), y = detail::to_array(values);
  return axis ? concatenate({x, y}, {.axis = *axis}) : concatenate({ravel(x), ravel(y)});
}
array delete_(const operand& a, std::int64_t index, std::optional<std::int64_t> axis) {
  const location_scope scope(a.where());
  const array x = axis ? detail::to_array(a) : ravel(a);
  const int k = axis ? normalize_axis("delete", *axis, x.ndim()) : 0;
  const std::int64_t n = x.shape(k), i = index < 0 ? index + n : index;
  if (i < 0 || i >= n) detail::throw_out_of_bounds("delete", index, k, n);
  const array joined = concatenate({detail::slice_axis(x, k, 0, i), detail::slice_axis(x, k, i + 1, layout::none)}, {.axis = k});
  return detail::falling_as(joined, x);
}

// ---- splitting ----

namespace {

std::vector<std::int64_t> indices_in(const array& given) {
  if (const char kind = given.dtype().kind(); kind != 'i' && kind != 'u')
    throw TypeError("", "indices must be integers: got an array of " + std::string(given.dtype().name()));
  return given.astype(int64, {}).ravel({}).tolist<std::int64_t>();
}

}  // namespace

index_list::index_list(const array& values) : values_(indices_in(values)) {}
indices_or_sections::indices_or_sections(const array& given) : starts_(indices_in(given)) {
  if (given.ndim() == 0) sections_ = starts_[0];
}

array_list array_split(const operand& a, const indices_or_sections& by, std::int64_t axis) {
  const location_scope scope(a.where());
  const int k = normalize_axis("split", axis, detail::rank_of(a));
  array_list parts;
  if (!by.sections()) {
    std::int64_t from = 0;
    for (std::int64_t to : by.starts()) {
      parts.push_back(detail::slice_axis(a, k, from, to));
      from = to;
    }
    parts.push_back(detail::slice_axis(a, k, from, layout::none));
    return parts;
  }
  const std::int64_t sections = *by.sections();
  if (sections <= 0) throw ValueError("split", "number sections must be larger than 0.");
  const std::int64_t n = detail::shape_of(a)[k], each = n / sections, longer = n % sections;
  std::int64_t from = 0;
  for (std::int64_t i = 0; i < sections; ++i) {
    const std::int64_t to = from + each + (i < longer);
    parts.push_back(detail::slice_axis(a, k, from, to));
    from = to;
  }
  return parts;
}
array_list split(const operand& a, const indices_or_sections& by, std::int64_t axis) {
  const int k = normalize_axis("split", axis, detail::rank_of(a));
  if (by.sections() && *by.sections() > 0 && detail::shape_of(a)[k] % *by.sections() != 0)
    throw ValueError("split", "array split does not result in an equal division");
  return array_split(a, by, axis);
}
array_list hsplit(const operand& a, const indices_or_sections& by) {
  if (detail::rank_of(a) == 0) throw ValueError("hsplit", "hsplit only works on arrays of 1 or more dimensions");
  return split(a, by, detail::rank_of(a) > 1 ? 1 : 0);
}
array_list vsplit(const operand& a, const indices_or_sections& by) {
  if (detail::rank_of(a) < 2) throw ValueError("vsplit", "vsplit only works on arrays of 2 or more dimensions");
  return split(a, by, 0);
}
array_list dsplit(const operand& a, const indices_or_sections& by) {
  if (detail::rank_of(a) < 3) throw ValueError("dsplit", "dsplit only works on arrays of 3 or more dimensions");
  return split(a, by, 2);
}

// ---- repeating and moving ----

array tile(const operand& a, const shape_list& reps) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  dims r = reps, s = x.shape();
  for (const std::int64_t n : r)
    if (n < 0) throw ValueError("tile", "negative dimensions are not allowed");
  while (r.size() < s.size()) r.insert(0, 1);
  while (s.size() < r.size()) s.insert(0, 1);
  // (r0, s0, r1, s1, ...) by broadcasting, then merged.
  dims column, wide, merged;
  for (int i = 0; i < s.size(); ++i) {
    column.push_back(1), column.push_back(s[i]);
    wide.push_back(r[i]), wide.push_back(s[i]);
    merged.push_back(r[i] * s[i]);
  }
  const array spread = detail::expand_to(reshape(x, column), wide);
  return detail::reshape_view(detail::contiguous_copy(spread), merged);
}

array repeat(const operand& a, std::int64_t repeats, std::optional<std::int64_t> axis) {
  if (repeats < 0) throw ValueError("repeat", "repeats may not contain negative values.");
  const location_scope scope(a.where());
  const array x = axis ? detail::to_array(a) : ravel(a);
  const int k = axis ? normalize_axis("repeat", *axis, x.ndim()) : 0;
  dims wide = x.shape(), merged = x.shape();
  wide.insert(k + 1, repeats);
  merged[k] *= repeats;
  const array spread = detail::expand_to(expand_dims(x, k + 1), wide);
  return detail::reshape_view(detail::contiguous_copy(spread), merged);
}
array repeat(const operand& a, const array& repeats, std::optional<std::int64_t> axis) {
  const location_scope scope(a.where());
  const bool one = repeats.size() == 1 && repeats.ndim() <= 1;
  if (one && !detail::recording) return repeat(a, repeats.reshape({}).item<std::int64_t>(), axis);
  const array x = axis ? detail::to_array(a) : ravel(a);
  const int k = axis ? normalize_axis("repeat", *axis, x.ndim()) : 0;
  if (!one && (repeats.ndim() != 1 || repeats.size() != x.shape(k)))
    throw ValueError("repeat", "operands could not be broadcast together with shape " + tight(dims{x.shape(k)}) + " " +
                                   tight(repeats.shape()));
  for (const std::int64_t count : detail::known_values<std::int64_t>(repeats))
    if (count < 0) detail::throw_for_known("repeat", "repeats may not contain negative values.");
  const array counts = one ? detail::expand_to(repeats, {x.shape(k)}) : repeats;
  return take(x, call(op_id::repeat_places, {counts}), k);
}

array roll(const operand& a, std::int64_t shift, std::optional<std::int64_t> axis) {
  const location_scope scope(a.where());
  array x = axis ? detail::to_array(a) : ravel(a);
  const int k = axis ? normalize_axis("roll", *axis, x.ndim()) : 0;
  x = call(op_id::roll, {x}, layout::roll_params(k, shift));
  return axis ? x : reshape(x, detail::shape_of(a));
}

namespace {

/// Where elements go that move along several axes: by how much along each (0 to its length - 1), bytes from one to the next,
/// and the last axis that moves, whose parts are copied whole.
struct moves {
  dims shape, by, bytes;
  int last = 0;

  void copy(const char* from, char* to, int axis) const {
    const std::int64_t n = shape[axis], step = bytes[axis], over = by[axis];
    if (axis == last) {
      std::memcpy(to, from + (n - over) * step, static_cast<std::size_t>(over * step));
      std::memcpy(to + over * step, from, static_cast<std::size_t>((n - over) * step));
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) copy(from + i * step, to + (i + over < n ? i + over : i + over - n) * step, axis + 1);
  }
};

/// Elements at hand moved along all their axes at once; an empty handle if not more than one axis moves.
array rolled_at_hand(const array& x, const dims& shift, const dims& axis) {
  if (!detail::is_at_hand(x) || x.size() == 0) return {};
  moves m{x.shape(), dims(x.shape()), dims(x.shape()), 0};
  std::fill(m.by.begin(), m.by.end(), 0);
  for (int i = 0; i < std::max(shift.size(), axis.size()); ++i) {
    const int k = normalize_axis("roll", axis[axis.size() == 1 ? 0 : i], x.ndim());
    const std::int64_t n = m.shape[k], by = shift[shift.size() == 1 ? 0 : i] % n;
    m.by[k] = (m.by[k] + by + n) % n;
  }
  int moved = 0;
  std::int64_t step = x.itemsize();
  for (int k = x.ndim() - 1; k >= 0; step *= m.shape[k--]) {
    m.bytes[k] = step;
    if (m.by[k] != 0 && moved++ == 0) m.last = k;
  }
  if (moved < 2) return {};
  const array made = detail::fresh(x.dtype().id(), x.shape());
  const std::int64_t n = m.shape[0], first = m.bytes[0];
  detail::parallel_ranges(n, 1, 0.1 * static_cast<double>(n * first), [&](std::int64_t i, std::int64_t end) {
    for (; i < end; ++i) m.copy(x.get()->data + i * first, made.get()->data + (i + m.by[0]) % n * first, 1);
  });
  return made;
}

}  // namespace

array roll(const operand& a, const dims& shift, const dims& axis) {
  if (shift.size() != axis.size() && shift.size() != 1 && axis.size() != 1)
    throw ValueError("roll", "'shift' and 'axis' should be scalars or 1D sequences");
  const location_scope scope(a.where());
  array x = detail::to_array(a);
  if (array at_once = rolled_at_hand(x, shift, axis); !at_once.empty_handle()) return at_once;
  for (int i = 0; i < std::max(shift.size(), axis.size()); ++i)
    x = roll(x, shift[shift.size() == 1 ? 0 : i], axis[axis.size() == 1 ? 0 : i]);
  return x;
}

array flip(const operand& a, const axes_options& o) {
  const location_scope scope(a.where());
  const axis_list& axis = o.axis;
  const int rank = detail::rank_of(a);
  dims which = axis.all() ? dims() : normalized("flip", axis.list(), rank);
  op_params params;
  for (int i = 0; i < rank; ++i) {
    bool turn = axis.all() || std::find(which.begin(), which.end(), i) != which.end();
    layout::push(params, turn ? layout::index_entry::range(layout::none, layout::none, -1) : layout::index_entry::all());
  }
  return call(op_id::index, {detail::to_array(a)}, params);
}
array flipud(const operand& a) {
  if (detail::rank_of(a) < 1) throw ValueError("flipud", "Input must be >= 1-d.");
  return flip(a, 0);
}
array fliplr(const operand& a) {
  if (detail::rank_of(a) < 2) throw ValueError("fliplr", "Input must be >= 2-d.");
  return flip(a, 1);
}
array rot90(const operand& a, int k, std::pair<std::int64_t, std::int64_t> axes) {
  const location_scope scope(a.where());
  const int rank = detail::rank_of(a);
  if (axes.first == axes.second || std::abs(axes.first - axes.second) == rank)
    throw ValueError("rot90", "Axes must be different.");
  for (std::int64_t axis : {axes.first, axes.second})
    if (axis < -rank || axis >= rank)
      throw ValueError("rot90", "Axes=(" + std::to_string(axes.first) + ", " + std::to_string(axes.second) +
                                    ") out of range for array of ndim=" + std::to_string(rank) + ".");
  switch (((k % 4) + 4) % 4) {
    case 0: return detail::to_array(a);
    case 1: return swapaxes(flip(a, axes.second), axes.first, axes.second);
    case 2: return flip(a, {axes.first, axes.second});
    default: return flip(swapaxes(a, axes.first, axes.second), axes.second);
  }
}

namespace lib {
array sliding_window_view(const operand& a, const shape_list& window) {
  const location_scope scope(a.where());
  return call(op_id::sliding_window_view, {detail::to_array(a)}, layout::shape_params(window));
}
}  // namespace lib

}  // namespace numjit
