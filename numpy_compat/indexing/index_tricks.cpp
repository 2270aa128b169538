// Indices of triangles and diagonals, choosing, blocks, inserting, functions along axes: composites.
#include <algorithm>
#include <cstring>
#include <numeric>

#include <math/checks.h>
#include <surface.h>

namespace numjit {

using detail::slice_axis;

namespace {

/// What the user's function gives, its operations at their own lines.
template <class F, class... A>
array result_of(const F& f, const A&... arguments) {
  const user_code_scope users;
  return f(arguments...);
}

}  // namespace

// ---- indices ----

array_list diag_indices(std::int64_t n, int ndim) { return array_list(static_cast<std::size_t>(ndim), arange(n)); }

array_list diag_indices_from(const array& a, location where) {
  const location_scope scope(where);
  if (a.ndim() < 2) throw ValueError("diag_indices_from", "input array must be at least 2-d");
  for (int i = 1; i < a.ndim(); ++i)
    if (a.shape(i) != a.shape(0)) throw ValueError("diag_indices_from", "All dimensions of input must be of equal length");
  return diag_indices(a.shape(0), a.ndim());
}

array_tuple<2> tril_indices(std::int64_t n, std::int64_t k, std::int64_t m) {
  return detail::first_of<2>(nonzero(tri(n, {.M = m, .k = k, .dtype = bool_})));
}
array_tuple<2> triu_indices(std::int64_t n, std::int64_t k, std::int64_t m) {
  return detail::first_of<2>(nonzero(logical_not(tri(n, {.M = m, .k = k - 1, .dtype = bool_}))));
}
array_tuple<2> tril_indices_from(const array& a, std::int64_t k, location where) {
  const location_scope scope(where);
  if (a.ndim() != 2) throw ValueError("tril_indices_from", "input array must be 2-d");
  return tril_indices(a.shape(0), k, a.shape(1));
}
array_tuple<2> triu_indices_from(const array& a, std::int64_t k, location where) {
  const location_scope scope(where);
  if (a.ndim() != 2) throw ValueError("triu_indices_from", "input array must be 2-d");
  return triu_indices(a.shape(0), k, a.shape(1));
}
array_list mask_indices(std::int64_t n, const std::function<array(const array&, std::int64_t)>& mask_function, std::int64_t k) {
  return nonzero(result_of(mask_function, ones({n, n}, int64), k));
}

array diagflat(const operand& v, std::int64_t k) {
  const location_scope scope(v.where());
  return diag(ravel(v), k);
}

// ---- writing at places ----

void fill_diagonal(const array& a, const operand& value, const fill_diagonal_options& o) {
  const location_scope scope(value.where());
  if (a.ndim() < 2) throw ValueError("fill_diagonal", "array must be at least 2-d");
  std::int64_t step = 0, length = a.shape(0);
  for (int i = 0; i < a.ndim(); ++i) {
    if (a.ndim() > 2 && a.shape(i) != a.shape(0))
      throw ValueError("fill_diagonal", "All dimensions of input must be of equal length");
    length = std::min(length, a.shape(i));
  }
  std::int64_t below = 1;
  for (int i = a.ndim() - 1; i >= 0; below *= a.shape(i), --i) step += below;
  if (o.wrap && a.ndim() == 2) length = (a.size() + step - 1) / step;
  const array v = detail::to_array(value);
  if (!detail::is_unsized(v) && v.size() == 0) return;
  const array repeated = v.ndim() == 0 ? v : resize(v, {length});
  const operand spread = v.ndim() == 0 ? value : operand(repeated);
  if (!a.is_c_contiguous() || length == 0) return put(a, arange(length) * step, spread);
  const array flat = detail::reshape_view(a, {a.size()});
  detail::before_write();
  detail::call(op_id::store, {detail::slice_axis(flat, 0, 0, (length - 1) * step + 1, step), spread});
}

// The k-th true element gets value k, counted round: the number of those before it says which.
void place(const array& a, const array& mask, const operand& values) {
  const location_scope scope(values.where());
  detail::require_writeable("place", a, "assignment destination is read-only");
  if (mask.size() != a.size()) throw ValueError("place", "place: mask and data must be the same size");
  if (values.is_array()) detail::check_cast("place", array::share(values.n()), a.dtype(), "safe");
  const array all = ravel(values);
  const array flat = ravel(detail::cast(mask, dtype_id::bool_));
  if (all.size() == 0) {
    if (static_cast<bool>(any(flat))) throw ValueError("place", "Cannot insert from an empty array!");
    return;
  }
  const array before = cumsum(flat) - 1;
  const array chosen = take(all, before % all.size());
  detail::before_write();
  detail::call(op_id::masked_store, {a, reshape(chosen, a.shape()), reshape(flat, a.shape())});
}

void putmask(const array& a, const array& mask, const operand& values) {
  const location_scope scope(values.where());
  detail::require_writeable("putmask", a, "putmask: output array is read-only");
  if (mask.size() != a.size()) throw ValueError("putmask", "putmask: mask and data must be the same size");
  const array v = detail::to_array(values);
  if (v.size() == 0) return;
  copyto(a, v.ndim() == 0 || v.size() == 1 ? reshape(v, {1}) : resize(v, a.shape()), reshape(mask, a.shape()));
}

// What is stored may have axes of 1 in front.
array detail::spread_over(const operand& values, const dims& shape) {
  dims own = shape_of(values);
  while (own.size() > shape.size() && own[0] == 1) own.erase(0);
  return broadcast_to(own.size() < rank_of(values) ? reshape(values, own) : to_array(values), shape);
}

void put_along_axis(const array& a, const array& indices, const operand& values, std::int64_t axis) {
  const location_scope scope(values.where());
  const int k = normalize_axis("put_along_axis", axis, a.ndim());
  detail::check_index_array(indices);
  if (indices.ndim() != a.ndim())
    throw ValueError("put_along_axis", "`indices` and `arr` must have the same number of dimensions");
  // Where each element would be taken from says where it is written to.
  const array flat_places = reshape(arange(a.size()), a.shape());
  const array places = take_along_axis(flat_places, indices, k);
  put(a, ravel(places), ravel(detail::spread_over(values, places.shape())));
}

// ---- choosing ----

array choose(const operand& a, const array_list& choices, const char* mode) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  const auto n = static_cast<std::int64_t>(choices.size());
  if (n == 0) throw ValueError("choose", "invalid shape for choices: got no arrays, expected at least one.");
  array which = x;
  if (std::strcmp(mode, "wrap") == 0) {
    which = x % n;
  } else if (std::strcmp(mode, "clip") == 0) {
    which = clip(x, 0, n - 1);
  } else if (std::strcmp(mode, "raise") == 0) {
    for (const std::int64_t i : detail::known_values<std::int64_t>(x))
      if (i < 0 || i >= n) detail::throw_for_known("choose", "invalid entry in choice array");
    which = detail::checked(x, (x < 0) | (x >= n), detail::value_check::choice);
  } else {
    throw ValueError("choose", "clipmode must be one of 'clip', 'raise', or 'wrap' (got '" + std::string(mode) + "')");
  }
  std::vector<dtype_id> types;  // all at once: int16, uint16 and float32 make float32
  for (const array& c : choices) types.push_back(c.dtype().id());
  const dtype_id type = promote_types(types);
  array result = detail::cast(choices[0], type);
  for (std::int64_t i = 1; i < n; ++i) result = where(which == i, choices[static_cast<std::size_t>(i)], result);
  return n == 1 ? broadcast_arrays({result, which})[0].copy() : result;
}

array piecewise(const operand& a, const array_list& conditions,
                const std::vector<std::function<array(const array&)>>& functions) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  if (functions.size() != conditions.size() && functions.size() != conditions.size() + 1)
    throw ValueError("piecewise", "with " + std::to_string(conditions.size()) + " condition(s), either " +
                                      std::to_string(conditions.size()) + " or " + std::to_string(conditions.size() + 1) +
                                      " functions are expected");
  const dtype_id type = x.dtype().id();
  array result = functions.size() > conditions.size() ? detail::cast(result_of(functions.back(), x), type) : zeros_like(x);
  result = broadcast_to(result, x.shape());
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const array value = detail::cast(result_of(functions[i], x), type);
    result = where(conditions[i], value, result);
  }
  return result;
}

// ---- joining and splitting ----

array block(const std::vector<array_list>& rows, location where) {
  const location_scope scope(where);
  if (rows.empty() || rows[0].empty()) throw ValueError("block", "List at arrays cannot be empty");
  int rank = 2;
  for (const array_list& row : rows)
    for (const array& a : row) rank = std::max(rank, a.ndim());
  auto full_rank = [&](const array& a) {
    dims shape = a.shape(), padded;
    padded.resize(rank - shape.size(), 1);
    for (std::int64_t extent : shape) padded.push_back(extent);
    return reshape(a, padded);
  };
  array_list joined;
  for (const array_list& row : rows) {
    array_list parts;
    std::transform(row.begin(), row.end(), std::back_inserter(parts), full_rank);
    joined.push_back(concatenate(parts, {.axis = -1}));
  }
  return concatenate(joined, {.axis = -2});
}

namespace {

struct along {
  array x;
  int axis;
  std::int64_t n;
};
along along_axis(const char* name, const operand& a, std::optional<std::int64_t> axis) {
  const array x = axis ? detail::to_array(a) : ravel(a);
  const int k = axis ? normalize_axis(name, *axis, x.ndim()) : 0;
  return {x, k, x.shape(k)};
}

/// Indices within an axis of n elements; a mask is counted as its places.
std::vector<std::int64_t> places_of(const char* name, const array& at, const along& a, std::int64_t last) {
  if (at.size() > 0 && !detail::is_integral_type(at.dtype().id()))
    throw IndexError(name, "arrays used as indices must be of integer (or boolean) type");
  std::vector<std::int64_t> places;
  if (at.dtype() == bool_) {
    for (std::int64_t i = 0; const bool on : at.tolist<bool>()) {
      if (on) places.push_back(i);
      ++i;
    }
  } else if (at.size() > 0) {  // without an operation, if it can be: known places are read while a graph is recorded
    places = (at.dtype() == int64 ? at : at.astype(int64)).tolist<std::int64_t>();
  }
  for (std::int64_t& i : places) {
    if (i < -a.n || i > last) detail::throw_out_of_bounds(name, i, a.axis, a.n);
    if (i < 0) i += a.n;
  }
  return places;
}

/// Values in the shape of the places that they are stored to.
array spread_over(array values, const dims& shape) {
  while (values.ndim() > shape.size() && values.shape(0) == 1) values = detail::pick_axis(values, 0, 0);
  const dims own = values.shape();
  bool fits = own.size() <= shape.size();
  for (int i = 1; fits && i <= own.size(); ++i) fits = own[own.size() - i] == 1 || own[own.size() - i] == shape[shape.size() - i];
  if (!fits)
    throw ValueError("insert", "shape mismatch: value array of shape " + own.compact_str() +
                                   " could not be broadcast to indexing result of shape " + shape.compact_str());
  return broadcast_to(values, shape);
}

/// With as many values in one place as `values` has along the axis. Of a number as the place, the first axis of `values` is that.
array inserted_at(const along& to, std::int64_t place, array values, bool is_number) {
  dims shape = values.shape();
  while (shape.size() < to.x.ndim()) shape.insert(0, 1);
  if (shape.size() > values.ndim()) values = detail::reshape_view(values, shape);
  if (is_number) values = moveaxis(values, 0, to.axis);
  dims wide = to.x.shape();
  wide[to.axis] = values.shape(to.axis);
  const array spread = broadcast_to(values, wide);
  return concatenate({slice_axis(to.x, to.axis, 0, place), spread, slice_axis(to.x, to.axis, place, layout::none)},
                     {.axis = to.axis});
}

}  // namespace

array insert(const operand& a, std::int64_t index, const operand& values, std::optional<std::int64_t> axis) {
  return insert(a, array(index), values, axis);
}

array insert(const operand& a, const array& index, const operand& values, std::optional<std::int64_t> axis) {
  const location_scope scope(a.where());
  const along to = along_axis("insert", a, axis);
  if (index.dtype() == bool_ && index.ndim() != 1)
    throw ValueError("insert", "boolean array argument obj to insert must be one dimensional");
  if (index.ndim() == 0 && index.dtype().kind() == 'f')
    throw TypeError("insert", "slice indices must be integers or None or have an __index__ method");
  if (index.ndim() > 1) throw ValueError("insert", "index array argument obj to insert must be one dimensional or scalar");
  const std::vector<std::int64_t> places = places_of("insert", index, to, to.n);
  const array own = detail::as_type(values, to.x.dtype().id());
  if (places.size() == 1) return detail::falling_as(inserted_at(to, places[0], own, index.ndim() == 0), to.x);
  dims shape = to.x.shape();
  shape[to.axis] = static_cast<std::int64_t>(places.size());
  const array spread = spread_over(own, shape);
  // What was there and what is new, in the order of their places: new ones first, among them as given.
  std::vector<std::int64_t> order(places.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
    return places[static_cast<std::size_t>(i)] < places[static_cast<std::size_t>(j)];
  });
  std::vector<std::int64_t> source;
  auto next = order.begin();
  for (std::int64_t i = 0; i <= to.n; ++i) {
    for (; next != order.end() && places[static_cast<std::size_t>(*next)] == i; ++next) source.push_back(to.n + *next);
    if (i < to.n) source.push_back(i);
  }
  const array both = concatenate({to.x, spread}, {.axis = to.axis});
  return detail::falling_as(take(both, from_values(source), to.axis), to.x);
}

array delete_(const operand& a, const array& index, std::optional<std::int64_t> axis) {
  const location_scope scope(a.where());
  const along from = along_axis("delete", a, axis);
  if (index.dtype() == bool_ && (index.ndim() != 1 || index.size() != from.n))
    throw ValueError("delete", "boolean array argument obj to delete must be one dimensional and match the axis length of " +
                                   std::to_string(from.n));
  const std::vector<std::int64_t> places = places_of("delete", index, from, from.n - 1);
  if (index.size() == 1 && !(index.dtype() == bool_))
    return detail::falling_as(
        concatenate({slice_axis(from.x, from.axis, 0, places[0]), slice_axis(from.x, from.axis, places[0] + 1, layout::none)},
                    {.axis = from.axis}),
        from.x);
  std::vector<bool> gone(static_cast<std::size_t>(from.n));
  for (std::int64_t i : places) gone[static_cast<std::size_t>(i)] = true;
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < from.n; ++i)
    if (!gone[static_cast<std::size_t>(i)]) kept.push_back(i);
  const array rows = from_values(kept);
  std::vector<numjit::index> entries(static_cast<std::size_t>(from.axis), numjit::index(_));
  entries.push_back(numjit::index(rows));
  return indexed_array(from.x, entries.data(), static_cast<int>(entries.size()), a.where());
}

array delete_(const operand& a, std::initializer_list<std::int64_t> at, std::optional<std::int64_t> axis) {
  return delete_(a, from_values(std::vector<std::int64_t>(at)), axis);
}
array delete_(const operand& a, const slice& at, std::optional<std::int64_t> axis) {
  const location_scope scope(a.where());
  const along from = along_axis("delete", a, axis);
  return detail::falling_as(delete_(from.x, array(arange(from.n)(at)), from.axis), from.x);
}

array resize(const operand& a, const shape_list& shape) {
  const location_scope scope(a.where());
  const array flat = ravel(a);
  std::int64_t wanted = 1;
  for (std::int64_t extent : shape) {
    if (extent < 0) throw ValueError("resize", "all elements of `new_shape` must be non-negative");
    wanted *= extent;
  }
  if (wanted == 0 || flat.size() == 0) return zeros(shape, flat.dtype());
  const std::int64_t times = (wanted - 1) / flat.size() + 1;
  if (times == 1) return reshape(detail::contiguous_copy(slice_axis(flat, 0, 0, wanted)), shape);
  return reshape(slice_axis(tile(flat, {times}), 0, 0, wanted), shape);
}

array_list unstack(const operand& a, std::int64_t axis) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  if (x.ndim() == 0) throw ValueError("unstack", "Input array must be at least 1-d.");
  const int k = normalize_axis("unstack", axis, x.ndim());
  array_list parts;
  for (std::int64_t i = 0; i < x.shape(k); ++i) parts.push_back(detail::pick_axis(x, k, i));
  return parts;
}
array_list detail::unstack_exactly(const operand& a, std::size_t count, std::int64_t axis) {
  array_list parts = unstack(a, axis);
  if (parts.size() == count) return parts;
  throw ValueError("unstack", std::string(parts.size() > count ? "too many" : "not enough") + " values to unpack (expected " +
                                  std::to_string(count) + ", got " + std::to_string(parts.size()) + ")");
}
std::int64_t detail::iteration_length(const array& a, const location& where) {
  if (a.ndim() == 0) throw TypeError("iter", "iteration over a 0-d array");
  return detail::sized(a.get(), where)->shape[0];
}
array concat(const array_list& arrays, const join_options& options, location where) {
  return concatenate(arrays, options, where);
}
array permute_dims(const operand& a, const dims& axes) { return transpose(a, axes); }
namespace {
/// NumPy's words for shapes that do not fit name the first two that disagree, from the first axis on.
dims common_shape(const char* op, const std::vector<dims>& shapes) {
  int rank = 0;
  for (const dims& s : shapes) rank = std::max(rank, s.size());
  dims common;
  common.resize(rank, 1);
  for (int axis = 0; axis < rank; ++axis) {
    std::size_t source = 0;
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      const int k = axis - (rank - shapes[j].size());
      const std::int64_t extent = k < 0 ? 1 : shapes[j][k];
      if (extent == 1 || extent == common[axis]) continue;
      if (common[axis] != 1)
        throw ValueError(op, "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg " +
                                 std::to_string(source) + " with shape " + shapes[source].str() + " and arg " +
                                 std::to_string(j) + " with shape " + shapes[j].str() + ".");
      common[axis] = extent;
      source = j;
    }
  }
  return common;
}
}  // namespace

dims broadcast_shapes(const std::vector<dims>& shapes) {
  const dims made = common_shape("broadcast_shapes", shapes);
  std::int64_t count = 1;
  for (std::int64_t n : made) {
    if (n < 0) throw ValueError("broadcast_shapes", "negative dimensions are not allowed");
    if (__builtin_mul_overflow(count, n, &count)) throw ValueError("broadcast_shapes", "broadcast dimensions too large.");
  }
  return made;
}

broadcast::broadcast(const array_list& arrays) {
  std::vector<dims> shapes;
  for (const array& a : arrays) shapes.push_back(a.shape());
  shape = common_shape("broadcast", shapes);
  size = element_count(shape);
  nd = ndim = shape.size();
  numiter = static_cast<int>(arrays.size());
}

// ---- functions along axes ----

array apply_along_axis(const std::function<array(const array&)>& f, std::int64_t axis, const operand& a) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  const int k = normalize_axis("apply_along_axis", axis, x.ndim());
  const array rows = moveaxis(x, k, -1);
  dims kept = rows.shape();
  const std::int64_t n = kept[kept.size() - 1];
  kept.resize(kept.size() - 1);
  const array table = reshape(rows, {element_count(kept), n});
  array_list results;
  for (std::int64_t i = 0; i < table.shape(0); ++i) results.push_back(result_of(f, detail::pick_axis(table, 0, i)));
  if (results.empty()) throw ValueError("apply_along_axis", "Cannot apply_along_axis when any iteration dimensions are 0");
  const array joined = stack(results);
  dims shape = kept;
  for (int i = 1; i < joined.ndim(); ++i) shape.push_back(joined.shape(i));
  array result = reshape(joined, shape);
  // The result's axes stand where the axis stood.
  const int added = joined.ndim() - 1;
  for (int i = 0; i < added; ++i) result = moveaxis(result, kept.size() + i, k + i);
  return result;
}

array apply_over_axes(const std::function<array(const array&, std::int64_t)>& f, const operand& a, const dims& axes) {
  const location_scope scope(a.where());
  array x = detail::to_array(a);
  const int rank = x.ndim();
  for (std::int64_t axis : axes) {
    const int k = normalize_axis("apply_over_axes", axis, rank);
    const array result = result_of(f, x, k);
    if (result.ndim() == rank) {
      x = result;
    } else if (result.ndim() == rank - 1) {
      x = expand_dims(result, k);
    } else {
      throw ValueError("apply_over_axes", "function is not returning an array of the correct shape");
    }
  }
  return x;
}

// ---- products of vectors ----

array matvec(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  return squeeze(matmul(a, expand_dims(b, -1)), -1);
}
array vecmat(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  const array row = expand_dims(x.dtype().kind() == 'c' ? conjugate(x) : x, -2);
  return squeeze(matmul(row, b), -2);
}

// ---- memory ----

bool may_share_memory(const array& a, const array& b) {
  const node *x = detail::readable(a, "shares_memory").get(), *y = detail::readable(b, "shares_memory").get();
  if (a.size() == 0 || b.size() == 0) return false;
  x = a.get();
  y = b.get();
  const detail::byte_range p = detail::memory_range(x), q = detail::memory_range(y);
  return p.low < q.high && q.low < p.high;
}

bool shares_memory(const array& a, const array& b) { return may_share_memory(a, b) && detail::may_overlap(a.get(), b.get()); }

array join_parts(std::initializer_list<joined_part> parts, bool columns, location where) {
  const location_scope scope(where);
  array_list arrays;
  std::optional<dtype> of_arrays;
  bool weak = false;
  for (const joined_part& part : parts) {
    array one;
    if (part.range_) {
      const slice& range = *part.range_;
      if (range.stop == slice_bound::omitted)
        throw ValueError(columns ? "c_" : "r_", "a slice needs a stop to be a range: got none. Write np::slice(start, stop).");
      const bool begins = range.start != slice_bound::omitted, steps = range.step != slice_bound::omitted;
      one = arange(begins ? range.start : 0, range.stop, steps ? range.step : 1);
    } else {
      one = asarray(*part.value_);
    }
    const bool is_weak = part.value_ && !part.value_->is_array();
    weak = weak || is_weak;
    if (!is_weak) of_arrays = of_arrays ? promote_types(*of_arrays, one.dtype()) : one.dtype();
    const int rank = one.ndim();
    if (rank == 0)
      one = one.reshape(columns ? dims{1, 1} : dims{1});
    else if (columns && rank == 1)
      one = one.reshape(dims{one.size(), 1});
    arrays.push_back(one);
  }
  // Numbers take the dtype of the arrays where that holds their kind.
  if (weak && of_arrays)
    for (const joined_part& part : parts)
      if (part.value_ && !part.value_->is_array())
        of_arrays = promote_types(*of_arrays, result_type(zeros(1, {.dtype = *of_arrays}), *part.value_));
  if (of_arrays)
    for (array& one : arrays) one = one.astype(*of_arrays);
  return concatenate(arrays, {.axis = columns ? -1 : 0});
}

}  // namespace numjit
