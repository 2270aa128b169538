// Dtype and shape rules of creation, copies, stores, joining, gathering, sorting and matmul.
#include <cmath>
#include <string>
#include <vector>

#include <numjit/ops/communicate.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/promotion.h>
#include <numjit/ops/random_draw.h>
#include <numjit/ops/result_order.h>
#include <numjit/ops/stored_literal.h>

namespace numjit {

void check_spread(std::string_view op, const dims& values, const dims& shape) {
  const int extra = values.size() - shape.size();
  bool fits = true;
  for (int a = 0; a < values.size(); ++a) {
    const int at = a - extra;
    fits = fits && (values[a] == 1 || (at >= 0 && values[a] == shape[at]));
  }
  if (!fits)
    throw ValueError(std::string(op),
                     "could not broadcast input array from shape " + values.compact_str() + " into shape " + shape.compact_str());
}

namespace {

dims shape_of(const operand& o) {
  return o.is_array() ? dims(o.n()->shape, o.n()->rank) : dims();
}

dtype_id type_of(const operand& o) {
  if (o.is_array()) return o.n()->type;
  switch (o.kind()) {
    case weak_kind::bool_: return dtype_id::bool_;
    case weak_kind::int_: return o.above_int64() ? dtype_id::uint64 : dtype_id::int64;
    case weak_kind::complex_: return dtype_id::complex128;
    default: return dtype_id::float64;
  }
}

std::string quoted(dtype_id t) { return "dtype('" + std::string(dtype(t).name()) + "')"; }

void begin(const op_call& call, inference& result, dtype_id type) {
  result.type = type;
  result.loop = -1;
  result.shape = dims();
  result.is_view = false;
  result.data_dependent = false;
  for (std::size_t i = 0; i < call.in.size() && i < 3; ++i) result.in_type[i] = type_of(call.in[i]);
}

/// dtype given with the call, float64 otherwise.
dtype_id wanted_type(const op_call& call) {
  return call.p().has_type() ? call.p().type() : dtype_id::float64;
}

dims checked_shape(std::string_view op, const dims& shape) {
  for (std::int64_t e : shape)
    if (e < 0) throw ValueError(std::string(op), "negative dimensions are not allowed");
  element_count(shape);
  return shape;
}

/// A literal on its way into an array of `type`: its range, and no complex into a real dtype.
void check_assigned(std::string_view op, const operand& value, dtype_id type) {
  if (value.is_array()) return;
  const char kind = dtype(type).kind();
  if (value.kind() == weak_kind::int_ && (kind == 'i' || kind == 'u')) check_literal(op, value, type);
  check_no_complex(op, value, type);
}

/// The same on its way into elements that are there already: floats into integers as Python's int() makes them.
void check_stored(std::string_view op, const operand& value, dtype_id type) {
  if (stores_as_integer(value, type))
    check_whole(op, value, type);
  else
    check_assigned(op, value, type);
}

/// The first input as the target of a store.
const node* target_of(const op_call& call, inference& result) {
  const operand& o = call.in[0];
  const std::string name(info(call.op).name);
  if (!o.is_array()) throw TypeError(name, "the target must be an array: got a number");
  begin(call, result, o.n()->type);
  result.shape = shape_of(o);
  if (o.n()->is(node::readonly)) throw ValueError(name, "assignment destination is read-only");
  return o.n();
}

void check_mask(std::string_view op, const dims& mask, const dims& shape) {
  if (mask.size() > shape.size())
    throw IndexError(std::string(op), "too many indices for array: array is " +
                                          std::to_string(shape.size()) + "-dimensional, but " +
                                          std::to_string(mask.size()) + " were indexed");
  for (int a = 0; a < mask.size(); ++a)
    if (mask[a] != shape[a])
      throw IndexError(std::string(op),
                       "boolean index did not match indexed array along axis " + std::to_string(a) +
                           "; size of axis is " + std::to_string(shape[a]) +
                           " but size of corresponding boolean axis is " + std::to_string(mask[a]));
}

void check_bool(std::string_view op, const operand& mask) {
  if (type_of(mask) != dtype_id::bool_)
    throw TypeError(std::string(op), "Cannot cast array data from " + quoted(type_of(mask)) +
                                         " to dtype('bool') according to the rule 'safe'");
}

void check_indices(std::string_view op, const operand& indices) {
  const dtype_id t = type_of(indices);
  if (!can_cast(t, dtype_id::int64, casting::same_kind) || dtype(t).kind() == 'f' ||
      dtype(t).kind() == 'c')
    throw TypeError(std::string(op), "Cannot cast array data from " + quoted(t) +
                                         " to dtype('int64') according to the rule 'safe'");
}

void check_number(std::string_view op, const layout::number& value, dtype_id type) {
  if (!value.is_integer()) return;
  const operand literal = value.kind == layout::number::above_int64
                              ? operand(static_cast<std::uint64_t>(value.bits))
                              : operand(value.bits);
  check_assigned(op, literal, type);
}

}  // namespace

/// The dtype and shape among the parameters: see random_draw.h.
void infer_random_draw(const op_call& call, inference& result) {
  begin(call, result, call.p().type());
  result.shape = checked_shape(info(call.op).name, call.p().list(layout::draw::shape));
}

/// The same: see communicate.h.
void infer_communicate(const op_call& call, inference& result) {
  begin(call, result, call.p().type());
  result.shape = checked_shape(info(call.op).name, call.p().list(layout::communication::shape));
}

// ---- copies and stores -------------------------------------------------------------------------

/// A contiguous copy cast to type().
void infer_astype(const op_call& call, inference& result) {
  begin(call, result, wanted_type(call));
  result.shape = shape_of(call.in[0]);
}

/// A contiguous copy.
void infer_copy(const op_call& call, inference& result) {
  begin(call, result, type_of(call.in[0]));
  result.shape = shape_of(call.in[0]);
}

/// ValueError "could not broadcast input array from shape (3,) into shape (4,)"; read-only targets.
void infer_store(const op_call& call, inference& result) {
  const node* target = target_of(call, result);
  check_spread(info(call.op).name, shape_of(call.in[1]), result.shape);
  check_stored("store", call.in[1], target->type);
  if (!call.in[1].is_array()) result.in_type[1] = target->type;
}

void infer_masked_store(const op_call& call, inference& result) {
  infer_store(call, result);
  check_bool("masked_store", call.in[2]);
  const dims shapes[2] = {result.shape, shape_of(call.in[2])};
  if (!(broadcast_shapes("masked_store", shapes) == result.shape))
    throw ValueError("masked_store", "could not broadcast where mask from shape " +
                                         shapes[1].compact_str() + " into shape " +
                                         result.shape.compact_str());
}

/// target[indices] = value along axis 0. The value broadcasts to indices.shape + target.shape[1:].
void infer_put_index(const op_call& call, inference& result) {
  const node* target = target_of(call, result);
  check_indices("put_index", call.in[1]);
  check_stored("put_index", call.in[2], target->type);
  if (target->rank == 0)
    throw IndexError("put_index", "too many indices for array: array is 0-dimensional, but 1 were indexed");
  dims place = shape_of(call.in[1]);
  for (int a = 1; a < target->rank; ++a) place.push_back(target->shape[a]);
  const dims value = shape_of(call.in[2]);
  bool fits = true;
  for (int a = 0; a < value.size(); ++a) {
    const int at = a - value.size() + place.size();
    fits = fits && (value[a] == 1 || (at >= 0 && value[a] == place[at]));
  }
  if (!fits)
    throw ValueError("put_index", "shape mismatch: value array of shape " + value.compact_str() +
                                      " could not be broadcast to indexing result of shape " +
                                      place.compact_str());
  if (!call.in[2].is_array()) result.in_type[2] = target->type;
}

void infer_mask_put(const op_call& call, inference& result) {
  const node* target = target_of(call, result);
  check_bool("mask_put", call.in[1]);
  check_mask("mask_put", shape_of(call.in[1]), result.shape);
  check_stored("mask_put", call.in[2], target->type);
  if (!call.in[2].is_array()) result.in_type[2] = target->type;
}

// ---- creation ----------------------------------------------------------------------------------

/// OverflowError for an integer outside the dtype, ValueError for a negative length.
void infer_full(const op_call& call, inference& result) {
  begin(call, result, wanted_type(call));
  const layout::full_values v = layout::full_of(call.p());
  check_number("full", v.value, result.type);
  if (v.value.kind == layout::number::complex_)
    check_assigned("full", operand(std::complex<double>(v.value.as_double(), v.value.imag)), result.type);
  result.shape = checked_shape("full", v.shape);
}

namespace {

__extension__ typedef __int128 int128;

/// ceil((stop - start) / step), as NumPy counts it.
std::int64_t arange_length(const layout::arange_values& v) {
  if (v.step.as_double() == 0) throw ZeroDivisionError("arange", "division by zero");
  auto wide = [](const layout::number& n) {
    return n.kind == layout::number::above_int64 ? static_cast<int128>(static_cast<std::uint64_t>(n.bits))
                                                 : static_cast<int128>(n.bits);
  };
  if (v.start.is_integer() && v.stop.is_integer() && v.step.is_integer()) {
    const int128 way = wide(v.stop) - wide(v.start), step = wide(v.step);
    int128 n = way / step;
    if (way % step != 0 && (way < 0) == (step < 0)) ++n;
    return n < 0 ? 0 : static_cast<std::int64_t>(n);
  }
  const double way = v.stop.as_double() - v.start.as_double();
  const double count = way / v.step.as_double();
  if (count == 0 && way != 0) return std::signbit(count) ? 0 : 1;  // underflow
  const double length = std::ceil(count);
  if (std::isnan(length)) throw ValueError("arange", "arange: cannot compute length");
  if (length >= 9.2e18) throw ValueError("arange", "Maximum allowed size exceeded");
  return length > 0 ? static_cast<std::int64_t>(length) : 0;
}

}  // namespace

/// Length ceil((stop - start) / step). ZeroDivisionError for step 0.
void infer_arange(const op_call& call, inference& result) {
  begin(call, result, wanted_type(call));
  const layout::arange_values v = layout::arange_of(call.p());
  const std::int64_t n = arange_length(v);
  if (result.type == dtype_id::bool_ && n > 2)
    throw TypeError("arange", "arange() is only supported for booleans when the result has at most length 2.");
  result.shape = dims{n};
}

void infer_linspace(const op_call& call, inference& result) {
  begin(call, result, wanted_type(call));
  const layout::linspace_values v = layout::linspace_of(call.p());
  if (v.num < 0)
    throw ValueError("linspace", "Number of samples, " + std::to_string(v.num) + ", must be non-negative.");
  result.shape = dims{v.num};
}

void infer_eye(const op_call& call, inference& result) {
  begin(call, result, wanted_type(call));
  result.shape = checked_shape("eye", dims{call.p()[0], call.p()[1]});
}

// ---- joining and gathering -----------------------------------------------------------------------

/// Arrays of equal shape but for `axis`; dtype promoted.
void infer_concatenate(const op_call& call, inference& result) {
  if (call.in.empty()) throw ValueError("concatenate", "need at least one array to concatenate");
  begin(call, result, call.p().has_type() ? call.p().type() : result_type(call.in));
  const dims first = shape_of(call.in[0]);
  if (first.empty()) throw ValueError("concatenate", "zero-dimensional arrays cannot be concatenated");
  const int axis = normalize_axis("concatenate", layout::axis_of(call.p()), first.size());
  std::int64_t total = 0;
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    const dims shape = shape_of(call.in[i]);
    if (shape.size() != first.size())
      throw ValueError("concatenate",
                       "all the input arrays must have same number of dimensions, but the array at "
                       "index 0 has " + std::to_string(first.size()) + " dimension(s) and the array at index " +
                           std::to_string(i) + " has " + std::to_string(shape.size()) + " dimension(s)");
    for (int a = 0; a < first.size(); ++a)
      if (a != axis && shape[a] != first[a])
        throw ValueError("concatenate",
                         "all the input array dimensions except for the concatenation axis must match "
                         "exactly, but along dimension " + std::to_string(a) +
                             ", the array at index 0 has size " + std::to_string(first[a]) +
                             " and the array at index " + std::to_string(i) + " has size " +
                             std::to_string(shape[a]));
    total += shape[axis];
  }
  result.shape = first;
  result.shape[axis] = total;
}

void infer_roll(const op_call& call, inference& result) {
  begin(call, result, type_of(call.in[0]));
  result.shape = shape_of(call.in[0]);
  normalize_axis("roll", layout::axis_of(call.p()), result.shape.size());
  result.in_type[0] = result.type;
  if (!call.out) detail::keep_memory_order(call, result);
}

/// a.shape with `axis` replaced by indices.shape; indices.shape if axis is none.
void infer_take(const op_call& call, inference& result) {
  begin(call, result, type_of(call.in[0]));
  check_indices("take", call.in[1]);
  const dims from = shape_of(call.in[0]), indices = shape_of(call.in[1]);
  const std::int64_t word = layout::axis_of(call.p());
  const std::int64_t wanted = element_count(indices);
  std::int64_t available = element_count(from);
  if (word == layout::none || from.empty()) {
    if (word != layout::none) normalize_axis("take", word, 1);
    result.shape = indices;
  } else {
    const int axis = normalize_axis("take", word, from.size());
    available = from[axis];
    for (int a = 0; a < axis; ++a) result.shape.push_back(from[a]);
    for (std::int64_t e : indices) result.shape.push_back(e);
    for (int a = axis + 1; a < from.size(); ++a) result.shape.push_back(from[a]);
  }
  const bool is_index = call.p().size() > 2;  // its error names the first index
  if (available == 0 && wanted > 0 && !is_index && element_count(result.shape) > 0)
    throw IndexError("take", "cannot do a non-empty take from an empty axes.");
}

/// The first input's axes behind the indexed ones follow those that the index arrays broadcast to.
void infer_take_places(const op_call& call, inference& result) {
  begin(call, result, type_of(call.in[0]));
  const dims from = shape_of(call.in[0]);
  const int indexed = static_cast<int>(call.in.size()) - 1;
  if (indexed < 1 || indexed > from.size())
    throw IndexError("take_places", "got " + std::to_string(indexed) + " index arrays for an array of " +
                                        std::to_string(from.size()) + " dimensions");
  std::vector<dims> shapes;
  for (int k = 1; k <= indexed; ++k) {
    check_indices("take_places", call.in[k]);
    shapes.push_back(shape_of(call.in[k]));
  }
  result.shape = broadcast_shapes("take_places", shapes);
  for (int axis = indexed; axis < from.size(); ++axis) result.shape.push_back(from[axis]);
}

/// (number of true elements, ...): the first length is known only after running.
void infer_mask_select(const op_call& call, inference& result) {
  begin(call, result, type_of(call.in[0]));
  check_bool("mask_select", call.in[1]);
  const dims from = shape_of(call.in[0]), mask = shape_of(call.in[1]);
  check_mask("mask_select", mask, from);
  result.data_dependent = true;
  result.shape.push_back(0);
  for (int a = mask.size(); a < from.size(); ++a) result.shape.push_back(from[a]);
}

void infer_nonzero_flat(const op_call& call, inference& result) {
  begin(call, result, dtype_id::int64);
  result.data_dependent = true;
  result.shape = dims{0};
}

/// The length of one axis, or of the flattened array, as a number.
void infer_axis_length(const op_call& call, inference& result) {
  begin(call, result, dtype_id::int64);
  const std::int64_t axis = layout::axis_of(call.p());
  if (axis != layout::none) normalize_axis("axis_length", axis, shape_of(call.in[0]).size());
}

// ---- counting ----------------------------------------------------------------------------------

namespace {

void check_one_axis(std::string_view op, const operand& o) {
  const int rank = shape_of(o).size();
  if (rank != 1)
    throw ValueError(std::string(op), rank > 1 ? "object too deep for desired array"
                                               : "object of too small depth for desired array");
}

void check_countable(std::string_view op, const operand& o) {
  if (!can_cast(type_of(o), dtype_id::int64, casting::safe))
    throw TypeError(std::string(op), "Cannot cast array data from " + quoted(type_of(o)) +
                                         " to dtype('int64') according to the rule 'safe'");
}

/// Weights, the second input if there are two, go with the first one's elements, and are summed as float64.
void check_weights(const op_call& call) {
  if (call.in.size() > 2)
    throw ValueError(std::string(info(call.op).name),
                     "takes values and weights: got " + std::to_string(call.in.size()) + " arrays, expected 1 or 2.");
  if (call.in.size() == 2 && !(shape_of(call.in[1]) == shape_of(call.in[0])))
    throw ValueError(std::string(info(call.op).name), "The weights and list don't have the same length.");
}

dtype_id counts_type(const op_call& call) {
  return call.in.size() == 2 ? dtype_id::float64 : dtype_id::int64;
}

/// A non-negative parameter that becomes a length.
std::int64_t checked_count(const op_call& call, const char* problem) {
  const std::int64_t n = layout::first_word(call.p());
  if (n < 0) throw ValueError(std::string(info(call.op).name), problem);
  element_count(dims{n});
  return n;
}

/// Something of each element of the second input, which is looked for in the first, of one axis.
void infer_search(const op_call& call, inference& result, dtype_id type) {
  const std::string_view name = info(call.op).name;
  begin(call, result, type);
  check_one_axis(name, call.in[0]);
  if (dtype(promote_types(type_of(call.in[0]), type_of(call.in[1]))).kind() == 'c')
    throw NotImplementedError(std::string(name), "complex arrays are not supported.");
  result.shape = shape_of(call.in[1]);
}

}  // namespace

void infer_searchsorted(const op_call& call, inference& result) { infer_search(call, result, dtype_id::int64); }
void infer_isin(const op_call& call, inference& result) { infer_search(call, result, dtype_id::bool_); }

/// Bins of the first input's elements between the edges of the second.
void infer_digitize(const op_call& call, inference& result) {
  begin(call, result, dtype_id::int64);
  if (dtype(type_of(call.in[0])).kind() == 'c') throw TypeError("digitize", "x may not be complex");
  if (dtype(type_of(call.in[1])).kind() == 'c')
    throw NotImplementedError("digitize", "complex arrays are not supported.");
  check_one_axis("digitize", call.in[1]);
  result.shape = shape_of(call.in[0]);
}

/// Counts, or sums of weights; the length depends on the largest element.
void infer_bincount(const op_call& call, inference& result) {
  begin(call, result, counts_type(call));
  check_one_axis("bincount", call.in[0]);
  check_countable("bincount", call.in[0]);
  checked_count(call, "'minlength' must not be negative");
  check_weights(call);
  result.data_dependent = true;
  result.shape = dims{0};
}

/// Each place as often as its element says; the length is the sum.
void infer_repeat_places(const op_call& call, inference& result) {
  begin(call, result, dtype_id::int64);
  check_one_axis("repeat", call.in[0]);
  check_countable("repeat", call.in[0]);
  result.data_dependent = true;
  result.shape = dims{0};
}

/// One edge more than there are bins, from the first input (a number) to the second.
void infer_histogram_edges(const op_call& call, inference& result) {
  begin(call, result, wanted_type(call));
  if (!shape_of(call.in[0]).empty() || !shape_of(call.in[1]).empty() || dtype(result.type).kind() != 'f')
    throw ValueError("histogram", "edges go from one number to another.");
  result.shape = dims{checked_count(call, "`bins` must be positive, when an integer") + 1};
}

/// The bin of each element, or the number of bins for those in none.
void infer_histogram_places(const op_call& call, inference& result) {
  begin(call, result, dtype_id::int64);
  for (int i = 0; i < 2; ++i)
    if (dtype(type_of(call.in[static_cast<std::size_t>(i)])).kind() == 'c')
      throw NotImplementedError("histogram", "complex arrays are not supported.");
  if (shape_of(call.in[1]).size() != 1) throw ValueError("histogram", "`bins` must be 1d, when an array");
  result.shape = shape_of(call.in[0]);
}

/// Counts of 0 to bins - 1, or sums of their weights; other elements count nowhere.
void infer_histogram_counts(const op_call& call, inference& result) {
  begin(call, result, counts_type(call));
  check_countable("histogram", call.in[0]);
  check_weights(call);
  result.shape = dims{checked_count(call, "`bins` must be positive, when an integer")};
}

// ---- matmul and sorting ------------------------------------------------------------------------

/// NumPy's matmul: (n?,k),(k,m?)->(n?,m?) with broadcast leading axes.
void infer_matmul(const op_call& call, inference& result) {
  const dims a = shape_of(call.in[0]), b = shape_of(call.in[1]);
  begin(call, result, promote_types(type_of(call.in[0]), type_of(call.in[1])));
  result.in_type[0] = result.in_type[1] = result.type;
  for (int i = 0; i < 2; ++i)
    if ((i ? b : a).empty())
      throw ValueError("matmul", "matmul: Input operand " + std::to_string(i) +
                                     " does not have enough dimensions (has 0, gufunc core with "
                                     "signature (n?,k),(k,m?)->(n?,m?) requires 1)");
  const std::int64_t k = a.back(), rows = b.size() == 1 ? b[0] : b[b.size() - 2];
  if (k != rows)
    throw ValueError("matmul", "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc "
                                   "signature (n?,k),(k,m?)->(n?,m?) (size " + std::to_string(rows) + " is different from " +
                                   std::to_string(k) + ")");
  dims batches[2];
  for (int i = 0; i + 2 < a.size(); ++i) batches[0].push_back(a[i]);
  for (int i = 0; i + 2 < b.size(); ++i) batches[1].push_back(b[i]);
  result.shape = broadcast_shapes("matmul", batches);
  if (a.size() > 1) result.shape.push_back(a[a.size() - 2]);
  if (b.size() > 1) result.shape.push_back(b.back());
}

namespace {
void infer_sorted(const op_call& call, inference& result, dtype_id type) {
  begin(call, result, type);
  const dims shape = shape_of(call.in[0]);
  const std::int64_t axis = layout::axis_of(call.p());
  if (axis == layout::none) {
    result.shape = dims{element_count(shape)};
    return;
  }
  normalize_axis(info(call.op).name, axis, shape.size());
  result.shape = shape;
}
}  // namespace

void infer_sort(const op_call& call, inference& result) {
  infer_sorted(call, result, type_of(call.in[0]));
}
void infer_argsort(const op_call& call, inference& result) {
  infer_sorted(call, result, dtype_id::int64);
}

// ---- of derivatives ----------------------------------------------------------------------------

/// Two arrays of one shape and inexact dtype.
void infer_linear_scan(const op_call& call, inference& result) {
  begin(call, result, type_of(call.in[0]));
  result.shape = shape_of(call.in[0]);
  if (!(shape_of(call.in[1]) == result.shape) || type_of(call.in[1]) != result.type || result.shape.empty())
    throw ValueError("linear_scan", "factors and terms must be arrays of one shape and dtype, with one axis at least.");
  if (const char kind = dtype(result.type).kind(); kind != 'f' && kind != 'c')
    throw TypeError("linear_scan", "expected floating-point or complex elements.");
  normalize_axis("linear_scan", layout::axis_of(call.p()), result.shape.size());
}

/// (m, ...) and m places give (n, ...).
void infer_add_places(const op_call& call, inference& result) {
  begin(call, result, type_of(call.in[0]));
  result.shape = shape_of(call.in[0]);
  if (result.shape.empty() || !(shape_of(call.in[1]) == dims{result.shape[0]}) || type_of(call.in[1]) != dtype_id::int64)
    throw ValueError("add_places", "expected one place of dtype int64 for each row.");
  if (const char kind = dtype(result.type).kind(); kind != 'f' && kind != 'c')
    throw TypeError("add_places", "expected floating-point or complex elements.");
  result.shape[0] = checked_count(call, "the number of places must be positive");
}

}  // namespace numjit
