// Selecting, searching, sorting.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <numjit/ops/stored_literal.h>

#include <math/checks.h>
#include <surface.h>

namespace numjit {

using detail::call;

// ---- places of elements ----

array flatnonzero(const operand& a) {
  const location_scope scope(a.where());
  return call(op_id::nonzero_flat, {detail::to_array(a)});
}

namespace {

/// Index arrays of flat indices (int64) that are known to be within bounds.
array_list unravelled(array left, const dims& shape) {
  array_list out(static_cast<std::size_t>(shape.size()));
  const int last = shape.size() - 1;
  for (int axis = last; axis >= 0; --axis) {
    const bool rest = axis == 0 && last > 0;  // what is left is below the extent
    out[static_cast<std::size_t>(axis)] = rest ? left : left % shape[axis];
    if (axis > 0) left = floor_divide(left, shape[axis]);
  }
  return out;
}

/// Indices as int64. TypeError for floats.
array whole_numbers(const char* op, const array& indices) {
  if (const char kind = indices.dtype().kind(); kind == 'f' || kind == 'c')
    throw TypeError(op, "only int indices permitted: got dtype " + std::string(indices.dtype().name()) + ".");
  return detail::cast(indices, dtype_id::int64);
}

}  // namespace

array_list unravel_index(const operand& flat, const shape_list& shape, char order) {
  const location_scope scope(flat.where());
  if (order != 'C') {
    if (order != 'F') throw ValueError("unravel_index", "order must be 'C' or 'F' (got '" + std::string(1, order) + "')");
    dims turned = shape;
    std::reverse(turned.begin(), turned.end());
    array_list out = unravel_index(flat, turned);
    std::reverse(out.begin(), out.end());
    return out;
  }
  const std::int64_t size = element_count(shape);
  const bool whole = detail::is_integral_type(detail::type_of(flat));
  const std::vector<std::int64_t> given = whole ? detail::known_values<std::int64_t>(flat) : std::vector<std::int64_t>();
  for (const std::int64_t i : given)
    if (i < 0 || i >= size)
      detail::throw_for_known("unravel_index",
                              "index " + std::to_string(i) + " is out of bounds for array with size " + std::to_string(size));
  const array left = whole_numbers("unravel_index", detail::to_array(flat));
  const bool known = !detail::work_may_be_pending() && left.size() > 0;  // then the text can tell the index
  if (known) {
    const array bad = (left < 0) | (left >= size);
    const auto first = argmax(bad).item<std::int64_t>();
    if (bad.item<bool>(first))
      throw ValueError("unravel_index", "index " + std::to_string(left.item<std::int64_t>(first)) +
                                            " is out of bounds for array with size " + std::to_string(size));
  }
  return unravelled(known ? left : detail::checked(left, (left < 0) | (left >= size), detail::value_check::flat_index), shape);
}
array ravel_multi_index(const array_list& index, const shape_list& shape, const char* mode, char order, location where) {
  const location_scope scope(where);
  return detail::flat_index(index, shape, {detail::take_mode_of("ravel_multi_index", mode)}, order);
}
array detail::flat_index(const array_list& index, const dims& shape, const std::vector<layout::take_mode>& modes, char order) {
  if (static_cast<int>(index.size()) != shape.size())
    throw ValueError("ravel_multi_index", "parameter multi_index must be a sequence of length " + std::to_string(shape.size()));
  if (order != 'C' && order != 'F')
    throw ValueError("ravel_multi_index", "order must be 'C' or 'F' (got '" + std::string(1, order) + "')");
  std::int64_t size = 1;
  for (const std::int64_t n : shape)
    if (__builtin_mul_overflow(size, n, &size))
      throw ValueError("ravel_multi_index", "invalid dims: array size defined by dims is larger than the maximum possible size.");
  array flat;
  for (int i = 0; i < shape.size(); ++i) {
    const int k = order == 'C' ? i : shape.size() - 1 - i;
    const layout::take_mode how = modes[modes.size() == 1 ? 0 : static_cast<std::size_t>(k)];
    array one = whole_numbers("ravel_multi_index", index[static_cast<std::size_t>(k)]);
    if (shape[k] == 0 && !detail::is_unsized(one) && one.size() > 0)
      throw ValueError("ravel_multi_index", "cannot unravel if shape has zero entries (is empty).");
    if (how == layout::take_mode::wrap) one = one % shape[k];
    if (how == layout::take_mode::clip) one = clip(one, 0, shape[k] - 1);
    if (how == layout::take_mode::raise) {
      for (const std::int64_t value : detail::known_values<std::int64_t>(one))
        if (value < 0 || value >= shape[k]) detail::throw_for_known("ravel_multi_index", "invalid entry in coordinates array");
      one = detail::checked(one, (one < 0) | (one >= shape[k]), detail::value_check::coordinates);
    }
    flat = i == 0 ? one : flat * shape[k] + one;
  }
  return flat;
}
array_list nonzero(const operand& a) {
  const location_scope scope(a.where());
  if (detail::rank_of(a) == 0)
    throw ValueError("nonzero",
                     "Calling nonzero on 0d arrays is not allowed. Use "
                     "np.atleast_1d(scalar).nonzero() instead. If the context of this "
                     "error is of the form `arr[nonzero(cond)]`, just use `arr[cond]`.");
  if (detail::rank_of(a) == 1) return {flatnonzero(a)};
  return unravelled(flatnonzero(a), detail::shape_of(a));
}
array_list where(const operand& condition) { return nonzero(condition); }
array argwhere(const operand& a) {
  const location_scope scope(a.where());
  if (detail::rank_of(a) == 0) return zeros({flatnonzero(a).size(), 0}, int64);
  return stack(nonzero(a), {.axis = 1});
}
array_list ix_(const array_list& vectors, location where) {
  const location_scope scope(where);
  array_list out;
  const int n = static_cast<int>(vectors.size());
  for (int i = 0; i < n; ++i) {
    array v = vectors[static_cast<std::size_t>(i)];
    if (v.ndim() != 1) throw ValueError("ix_", "Cross index must be 1 dimensional");
    if (v.dtype() == bool_) v = flatnonzero(v);
    dims shape;
    shape.resize(n, 1);
    shape[i] = detail::is_unsized(v) ? -1 : v.size();
    out.push_back(detail::reshape_view(v, shape));
  }
  return out;
}

// ---- taking and putting ----

namespace {
/// Indices that are known at the call, into a length that is.
void check_known_take(const operand& a, const operand& indices, std::optional<std::int64_t> axis) {
  if (detail::is_unsized(a)) return;
  const dims shape = detail::shape_of(a);
  if (axis && !shape.empty() && (*axis < -shape.size() || *axis >= shape.size())) return;  // an error of its own
  const int k = axis && !shape.empty() ? static_cast<int>(*axis < 0 ? *axis + shape.size() : *axis) : 0;
  const std::int64_t length = axis && !shape.empty() ? shape[k] : element_count(shape);
  if (length > 0) detail::check_known_indices("take", indices, length, k);
}
}  // namespace

array take(const operand& a, const operand& indices) { return take(a, indices, take_options{}); }
array take(const operand& a, const operand& indices, const take_options& o) {
  const location_scope scope(a.where());
  const layout::take_mode mode = detail::take_mode_of("take", o.mode);
  if (detail::recording && mode == layout::take_mode::raise) check_known_take(a, indices, o.axis);
  const array taken = call(op_id::take, {detail::to_array(a), detail::to_array(indices)},
                           layout::take_params(o.axis.value_or(layout::none), mode));
  if (o.out.empty_handle()) return taken;
  if (!detail::is_unsized(taken) && o.out.shape() != taken.shape())
    throw ValueError("take", "output array does not match result of ndarray.take");
  detail::check_cast("take", o.out, taken.dtype(), "safe");
  copyto(o.out, taken, {.casting = "unsafe"});
  return o.out;
}

layout::take_mode detail::take_mode_of(const char* op, const char* mode) {
  if (std::strcmp(mode, "raise") == 0) return layout::take_mode::raise;
  if (std::strcmp(mode, "wrap") == 0) return layout::take_mode::wrap;
  if (std::strcmp(mode, "clip") == 0) return layout::take_mode::clip;
  throw ValueError(op, "clipmode must be one of 'clip', 'raise', or 'wrap' (got '" + std::string(mode) + "')");
}

void put(const array& a, const array& indices, const operand& values, const char* mode) {
  detail::require_writeable("put", a, "put: output array is read-only");
  const layout::take_mode how = detail::take_mode_of("put", mode);
  detail::before_write();
  const location_scope scope(values.where());
  array spread = detail::to_array(values);
  if (!detail::is_unsized(spread) && spread.size() == 0) return;  // also of indices that are out of bounds
  array places = indices;
  if (how == layout::take_mode::wrap) places = places % a.size();
  if (how == layout::take_mode::clip) places = clip(places, 0, a.size() - 1);
  if (how == layout::take_mode::raise && !detail::is_unsized(a)) detail::check_known_indices("put_index", places, a.size(), 0);
  if (places.ndim() == 0) places = reshape(places, {1});
  if (stores_as_integer(values, a.dtype().id())) check_whole("put", values, a.dtype().id());
  if (!detail::is_unsized(spread) && !detail::is_unsized(places)) {
    const std::int64_t n = spread.size(), wanted = places.size();
    if (wanted == 0) return;
    if (n == 1) {
      spread = broadcast_to(reshape(spread, {1}), places.shape());
    } else if (n != wanted) {  // repeated, or cut
      spread = take(spread, arange(wanted) % n);
    }
    spread = reshape(spread, places.shape());
  }
  if (a.is_c_contiguous()) {
    call(op_id::put_index, {detail::reshape_view(a, {a.size()}), places, spread});
    return;
  }
  const array flat = ravel(a.copy());
  call(op_id::put_index, {flat, places, spread});
  call(op_id::store, {a, detail::reshape_view(flat, a.shape())});
}
void detail::check_vector(const array& indices) {
  if (indices.ndim() != 1) throw ValueError("take_along_axis", "when axis=None, `indices` must have a single dimension.");
}
void detail::check_index_array(const array& indices) {
  if (const char kind = indices.dtype().kind(); kind != 'i' && kind != 'u')
    throw IndexError("take_along_axis", "`indices` must be an integer array");
}
array take_along_axis(const operand& a, const array& indices, std::int64_t axis) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  const int k = normalize_axis("take_along_axis", axis, x.ndim());
  detail::check_index_array(indices);
  if (indices.ndim() != x.ndim())
    throw ValueError("take_along_axis", "`indices` and `arr` must have the same number of dimensions");
  // Flat index: index along the axis, plus the open grid of the other axes.
  const dims shape = x.shape();
  const std::int64_t n = shape[k];
  const array rows = detail::places_along(indices, n, k);
  std::int64_t stride = 1;
  dims strides;
  strides.resize(shape.size());
  for (int i = shape.size() - 1; i >= 0; --i) strides[i] = stride, stride *= shape[i];
  array flat = rows * strides[k];
  for (int i = 0; i < shape.size(); ++i) {
    if (i == k) continue;
    dims one;
    one.resize(shape.size(), 1);
    one[i] = shape[i];
    const array steps = arange(shape[i]) * strides[i];
    flat = flat + detail::reshape_view(steps, one);
  }
  return take(x, flat);
}
array compress(const array& condition, const operand& a) {
  const location_scope scope(a.where());
  const array flat = ravel(a);
  return take(flat, flatnonzero(condition));
}
array compress(const array& condition, const operand& a, const compress_options& o) {
  if (condition.ndim() != 1) throw ValueError("compress", "condition must be a 1-d array");
  const location_scope scope(a.where());
  const array places = flatnonzero(condition);
  const array x = o.axis ? detail::to_array(a) : ravel(a);
  return take(x, places, take_options{.axis = o.axis.value_or(0), .out = o.out});
}
array extract(const array& condition, const operand& a) {
  const location_scope scope(a.where());
  return compress(ravel(condition), a);
}

void copyto(const array& destination, const operand& values, const copyto_options& o) {
  detail::before_write();
  if (values.is_array()) detail::check_cast("copyto", array::share(values.n()), destination.dtype(), o.casting);
  const location_scope scope(values.where());
  if (o.where.empty_handle())
    call(op_id::store, {destination, values});
  else
    call(op_id::masked_store, {destination, values, detail::expand_to(o.where, destination.shape())});
}
void detail::throw_negative_rounds(std::int64_t most) {
  throw ValueError("loop", fmt::format("got a negative number of rounds: {}, expected at least 0.", most));
}

array select(const array_list& conditions, const array_list& choices, const operand& otherwise) {
  if (conditions.size() != choices.size()) throw ValueError("select", "list of cases must be same length as list of conditions");
  if (conditions.empty()) throw ValueError("select", "select with an empty condition list is not possible");
  const location_scope scope(otherwise.where());
  array result = where(conditions.back(), choices.back(), otherwise);
  for (std::size_t i = conditions.size() - 1; i-- > 0;) result = where(conditions[i], choices[i], result);
  return result.get()->is(node::unsized) || result.is_c_contiguous() ? result : copy(result, 'C');
}

// ---- sorting ----

array sort(const operand& a, std::int64_t axis) {
  const location_scope scope(a.where());
  return detail::along_memory(
      "sort", a, axis, [](const operand& x, std::int64_t along) { return call(op_id::sort, {x}, layout::sort_params(along)); });
}
array sort(const operand& a, none_t) {
  const location_scope scope(a.where());
  return sort(ravel(a), -1);
}
array argsort(const operand& a, std::int64_t axis) {
  const location_scope scope(a.where());
  if (detail::rank_of(a) == 0) {
    normalize_axis("argsort", axis, 1);
    return zeros({1}, int64);
  }
  return call(op_id::argsort, {detail::to_array(a)}, layout::sort_params(axis));
}
array argsort(const operand& a, none_t) {
  const location_scope scope(a.where());
  return argsort(ravel(a), -1);
}

namespace {
void check_kind(const char* op, std::string_view kind) {
  const std::string_view first = kind.substr(0, 1);  // NumPy looks at the first letter, too
  if (first == "q" || first == "h" || first == "m" || first == "s") return;
  throw ValueError(op, "sort kind must be one of 'quick', 'heap', or 'stable' (got '" + std::string(kind) + "')");
}
}  // namespace

array sort(const operand& a, const sort_options& o) {
  check_kind("sort", o.kind);
  const array made = o.axis ? sort(a, *o.axis) : sort(a, none);
  if (!o.descending) return made;
  const location_scope scope(a.where());
  return copy(flip(made, o.axis.value_or(0)));
}
array argsort(const operand& a, const sort_options& o) {
  check_kind("argsort", o.kind);
  if (!o.descending || detail::rank_of(a) == 0) return o.axis ? argsort(a, *o.axis) : argsort(a, none);
  const location_scope scope(a.where());
  const array x = o.axis ? detail::to_array(a) : ravel(a);
  const int axis = normalize_axis("argsort", o.axis.value_or(0), x.ndim());
  return copy(flip(x.shape(axis) - 1 - argsort(flip(x, axis), axis), axis));  // stable: of the elements read from behind
}

}  // namespace numjit
