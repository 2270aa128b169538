// Shapes, joining, splitting, rearranging.
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <at_hand.h>

#include <python/scalars.h>
#include "call.h"

namespace numjit::py {

namespace {

nb::object view(array made, Any of) { return give_rearranged(std::move(made), of); }

/// Results of functions of any number of arrays: one of one array.
nb::object one_or_more(Any given, array (*fn)(const operand&)) {
  nb::list made;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given.ptr()); ++i) {
    const Any a = nb::handle(PyTuple_GET_ITEM(given.ptr(), i));
    const array x = array_in(a);
    array widened = fn(operand_of(x));
    made.append(is_array(a.ptr()) && !is_scalar(a.ptr()) && widened.get() == x.get() ? nb::borrow(a)
                                                                                     : view(std::move(widened), a));
  }
  return nb::len(made) == 1 ? made[0] : nb::object(nb::tuple(made));
}

void check_sequence(Any o) {
  if (!has_attribute(o.ptr(), "__getitem__"))
    throw TypeError("", "arrays to stack must be passed as a \"sequence\" type such as list or tuple.");
}
array_list joined_arrays(Any o) {
  check_sequence(o);
  return to_array_list(o.ptr());
}

nb::object views(array_list parts, Any of) {
  nb::list made;
  for (array& part : parts) made.append(view(std::move(part), of));
  return made;
}

/// Indices between parts: as many as there are.
std::vector<std::int64_t> places_between(Any given) {
  if (is_array(given.ptr())) return indices_or_sections(array_in(given)).starts();
  std::vector<std::int64_t> places;
  for (nb::handle each : nb::borrow<nb::object>(given.ptr())) {
    if (!PyIndex_Check(each.ptr())) throw TypeError("", "slice indices must be integers or None or have an __index__ method");
    places.push_back(to_int(each.ptr()));
  }
  return places;
}

/// In equal parts, if `equally`, or between indices.
nb::object in_parts(const Given& a, std::int64_t axis, bool equally) {
  const array x = array_in(a[0]);
  if (is_sequence(a[1])) return views(split(operand_of(x), places_between(a[1]), axis), a[0]);
  nb::object number = nb::steal(PyNumber_Long(a[1].ptr()));
  if (!number.is_valid()) throw ErrorSet();
  const std::int64_t n = to_int(number.ptr());
  return views(equally ? split(operand_of(x), n, axis) : array_split(operand_of(x), n, axis), a[0]);
}

void check_work(Any most) {
  if (!PyIndex_Check(most.ptr()) && !most.is_none())
    throw TypeError("", std::string("'") + Py_TYPE(most.ptr())->tp_name + "' object cannot be interpreted as an integer");
  if (most.is_none()) return;
  nb::object number = nb::steal(PyNumber_Index(most.ptr()));
  if (!number.is_valid()) throw ErrorSet();
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow) {
    PyErr_SetString(PyExc_OverflowError, "Python int too large to convert to C ssize_t");
    throw ErrorSet();
  }
}

}  // namespace

// ---- shapes ----

nb::object call_reshape(const Given& a) {
  const array x = array_in(a[0]);
  if (PyUnicode_Check(a[3].ptr()))
    throw ValueError("", "strings are not allowed for 'copy' keyword. Use True/False/None instead.");
  const dims shape = a.is_none(1) ? x.shape() : a.shape(1);
  const reshape_options o{.order = a.order(2, 'C'), .copy = a.is_none(3) ? std::nullopt : std::optional(a.truth(3))};
  return in_order(view(reshape(operand_of(x), shape, o), a[0]), is_in_other_order(a[0].ptr()));
}
nb::object call_ravel(const Given& a) {
  array made = ravel(Argument(a[0].ptr()), order_options{.order = a.order(1, 'C')});
  return in_order(view(std::move(made), a[0]), is_in_other_order(a[0].ptr()));
}

nb::object call_broadcast_shapes(const Given& a) {
  std::vector<dims> shapes;
  for (nb::handle shape : nb::borrow<nb::tuple>(a[0])) shapes.push_back(to_dims(shape.ptr()));
  nb::list made;
  for (std::int64_t n : broadcast_shapes(shapes)) made.append(n);
  return nb::tuple(made);
}
nb::object call_isfortran(const Given& a) {
  return is_array(a[0].ptr()) ? nb::object(nb::bool_(isfortran(array_of(a[0].ptr())))) : a[0].attr("flags").attr("fnc");
}
nb::object call_astype(const Given& a) {
  if (!is_array(a[0].ptr()))
    throw TypeError(
        "", "Input should be a NumPy array or scalar. It is a " + nb::cast<std::string>(nb::str(a[0].type())) + " instead.");
  const nb::object cast = a[0].attr("astype");
  const nb::handle type = a[1];
  const nb::object made = a.truth(2) ? cast(type) : cast(type, nb::arg("copy") = false);
  return on_device(made, a[3]);
}

// ---- axes ----

nb::object call_transpose(const Given& a) {
  Argument x(a[0].ptr());
  const array given = x.as_array();
  dims axes = a.is_none(1) ? dims() : a.shape(1);
  if (!a.is_none(1) && axes.size() != given.ndim()) throw ValueError("transpose", "axes don't match array");
  return view(transpose(operand_of(given), axes), a[0]);
}
nb::object call_matrix_transpose(const Given& a) { return view(linalg::matrix_transpose(Argument(a[0].ptr())), a[0]); }
nb::object call_swapaxes(const Given& a) { return view(swapaxes(Argument(a[0].ptr()), a.integer(1), a.integer(2)), a[0]); }
nb::object call_moveaxis(const Given& a) { return view(moveaxis(Argument(a[0].ptr()), a.axes(1), a.axes(2)), a[0]); }
nb::object call_rollaxis(const Given& a) { return view(rollaxis(Argument(a[0].ptr()), a.integer(1), a.integer(2)), a[0]); }
nb::object call_squeeze(const Given& a) {
  const array x = array_in(a[0]);
  const axis_list axes = a.axes(1);
  const bool of_number = x.ndim() == 0 && !axes.all() && axes.list().size() == 1 && (axes.list()[0] == 0 || axes.list()[0] == -1);
  array made = squeeze(operand_of(x), of_number ? axis_list() : axes);
  return view(std::move(made), a[0]);
}
nb::object call_expand_dims(const Given& a) { return give_view(expand_dims(Argument(a[0].ptr()), a.axes(1)), a[0]); }
nb::object call_atleast_1d(const Given& a) { return one_or_more(a[0], atleast_1d); }
nb::object call_atleast_2d(const Given& a) { return one_or_more(a[0], atleast_2d); }
nb::object call_atleast_3d(const Given& a) { return one_or_more(a[0], atleast_3d); }
nb::object call_broadcast_to(const Given& a) {
  const array x = array_in(a[0]);
  return give_view(broadcast_to(operand_of(x), a.shape(1)), a[0]);
}
nb::object call_broadcast_arrays(const Given& a) {
  nb::list made;
  Py_ssize_t i = 0;
  for (array& one : broadcast_arrays(to_array_list(a[0].ptr())))
    made.append(give_view(std::move(one), nb::handle(PyTuple_GET_ITEM(a[0].ptr(), i++))));
  return nb::tuple(made);
}

// ---- order ----

nb::object call_flip(const Given& a) {
  const array x = array_in(a[0]);
  if (x.ndim() == 0 && a.is_none(1)) return give_result(x.copy({}));
  return view(flip(operand_of(x), a.axes(1)), a[0]);
}
nb::object call_flipud(const Given& a) { return view(flipud(Argument(a[0].ptr())), a[0]); }
nb::object call_fliplr(const Given& a) { return view(fliplr(Argument(a[0].ptr())), a[0]); }
nb::object call_rot90(const Given& a) {
  const dims axes = a.shape(2);
  if (axes.size() != 2) throw ValueError("", "len(axes) must be 2.");
  const array x = array_in(a[0]);
  const auto k = static_cast<int>(((a.integer(1) % 4) + 4) % 4);
  return view(rot90(operand_of(x), k, {axes[0], axes[1]}), a[0]);
}
nb::object call_tile(const Given& a) { return give(tile(Argument(a[0].ptr()), a.shape(1))); }
nb::object call_resize(const Given& a) { return give(resize(Argument(a[0].ptr()), a.shape(1))); }

/// Counts for np.repeat: integers.
array counts_in(Any o) {
  const bool is_list = PyList_Check(o.ptr()) || PyTuple_Check(o.ptr());
  const array counts = array_in(o);
  const char kind = counts.dtype().kind();
  if (counts.ndim() > 1) throw ValueError("", too_deep(is_list));
  if (is_list) return counts.astype(numjit::int64, {});
  if (kind == 'f' && counts.ndim() == 0 && (PyFloat_Check(o.ptr()) || stands_for_number(o.ptr())))
    return counts.astype(numjit::int64, {});
  detail::check_cast("", counts, numjit::int64, "safe");
  return counts.astype(numjit::int64, {});
}

nb::object call_repeat(const Given& a) {
  array x = array_in(a[0]);
  const array counts = counts_in(a[1]);
  const std::optional<std::int64_t> axis = a.optional_integer(2);
  if (x.ndim() == 0) x = reshape(operand_of(x), {1});
  const bool is_one = counts.size() == 1;
  if (is_one && !counts.get()->is(node::lazy)) {
    const bool is_empty = (axis ? x.shape(normalize_axis("repeat", *axis, x.ndim())) : x.size()) == 0;
    const std::int64_t n = is_empty ? 0 : counts.reshape({}).item<std::int64_t>();  // of nothing as many as one likes
    if (n < 0 && counts.ndim() == 0) throw ValueError("", "negative dimensions are not allowed");
    return give(repeat(operand_of(x), n, axis));
  }
  return give(repeat(operand_of(x), counts, axis));
}
/// One number or several, by Python's int(). Those beyond 64 bits are taken modulo `round`, if that is not 0.
dims whole_numbers(Any o, std::int64_t round) {
  const auto whole = [&](PyObject* item) {
    if (!PyUnicode_Check(item) && is_sequence(nb::handle(item)))
      throw ValueError("", "'shift' and 'axis' should be scalars or 1D sequences");
    nb::object number = nb::steal(PyNumber_Long(item));
    if (!number.is_valid()) throw ErrorSet();
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow && round) number = number % nb::int_(round);
    return to_int(number.ptr());
  };
  if (PyUnicode_Check(o.ptr()) || !is_sequence(o)) return {whole(o.ptr())};
  dims found;
  for (nb::handle item : items_now(o.ptr(), "'shift' and 'axis' should be scalars or 1D sequences"))
    found.push_back(whole(item.ptr()));
  return found;
}

nb::object call_roll(const Given& a) {
  const array x = array_in(a[0]);
  const dims shift = whole_numbers(a[1], std::max<std::int64_t>(x.size(), 1));  // a multiple of each axis' length
  if (a.is_none(2)) {
    array made = ravel(operand_of(x));
    for (const std::int64_t by : shift) made = roll(operand_of(made), by);
    return give(reshape(operand_of(made), x.shape()));
  }
  const dims axes = whole_numbers(a[2], 0);
  if (shift.size() != 1 && axes.size() != 1) broadcast_shapes(std::vector<dims>{{shift.size()}, {axes.size()}});
  for (const std::int64_t axis : axes) normalize_axis("roll", axis, x.ndim());
  return give(axes.empty() || shift.empty() ? x.copy({}) : roll(operand_of(x), shift, axes));
}

// ---- joining and splitting ----

/// By the rule "no" the order of bytes has to be the same: `other`, that of the result of dtype `type`.
void check_byte_order(Any arrays, Any type, bool other, std::string_view casting) {
  if (casting != "no") return;
  const auto told = [](nb::handle o) { return nb::cast<std::string>(nb::repr(o)); };
  for (nb::handle item : items_now(arrays.ptr(), ""))
    if (is_in_other_order(item.ptr()) != other) {
      nb::object from = nb::borrow(item);
      if (!is_array(item.ptr())) from = give(array_in(item));
      throw TypeError("", "Cannot cast array data from " + told(from.attr("dtype")) + " to " +
                              told(nb::steal(PyObject_CallOneArg(reinterpret_cast<PyObject*>(dtype_type), type.ptr()))) +
                              " according to the rule 'no'");
    }
}

bool holds_weak_number(Any items) {
  for (nb::handle item : items)
    if (is_weak_number(item.ptr())) return true;
  return false;
}

nb::object joined(Any given, Any axis, Any out, Any type, Any casting, bool new_axis) {
  join_options o{.casting = text_in(casting, "casting")};
  o.axis = new_axis ? std::optional(to_int(axis.ptr())) : to_optional_int(axis.ptr());
  const KeptType asked = to_kept_type(type.ptr());
  o.dtype = dtype_in(asked);
  if (!out.is_none()) o.out = target_in(out);
  if (asked.id) check_byte_order(given, type, asked.other, o.casting);
  if (!out.is_none()) check_byte_order(given, nb::object(out.attr("dtype")), is_in_other_order(out.ptr()), o.casting);
  if (!new_axis && !o.axis && !o.dtype && out.is_none()) {
    const nb::object items = items_now(given.ptr(), "");
    if (holds_weak_number(items)) o.dtype = common_dtype(items);
  }
  const array_list arrays = to_array_list(given.ptr());
  std::int64_t work = 0;
  for (const array& a : arrays) work += a.get()->size;
  array result;
  {
    MaybeUnlocked unlocked(work);
    result = new_axis ? stack(arrays, o, {}) : concatenate(arrays, o, {});
  }
  return out.is_none() ? in_order(give(std::move(result)), asked.other) : nb::borrow(out);
}

nb::object call_concatenate(const Given& a) {
  if (!has_attribute(a[0].ptr(), "__len__")) throw TypeError("", "The first input argument needs to be a sequence");
  return joined(a[0], a[1], a[2], a[3], a[4], false);
}
nb::object call_stack(const Given& a) {
  check_sequence(a[0]);
  return joined(a[0], a[1], a[2], a[3], a[4], true);
}
nb::object call_vstack(const Given& a) {
  const KeptType type = to_kept_type(a[1].ptr());
  return in_order(give(vstack(joined_arrays(a[0]), {.dtype = dtype_in(type), .casting = text_in(a[2], "casting")})), type.other);
}
nb::object call_hstack(const Given& a) {
  const KeptType type = to_kept_type(a[1].ptr());
  return in_order(give(hstack(joined_arrays(a[0]), {.dtype = dtype_in(type), .casting = text_in(a[2], "casting")})), type.other);
}
nb::object call_append(const Given& a) {
  Argument arr(a[0].ptr()), values(a[1].ptr());
  return give(append(arr, values, a.optional_integer(2)));
}

nb::object call_dstack(const Given& a) { return give(dstack(joined_arrays(a[0]))); }
nb::object call_column_stack(const Given& a) { return give(column_stack(joined_arrays(a[0]))); }
nb::object call_unstack(const Given& a) {
  const array x = array_in(a[0]);
  if (x.ndim() != 1) return nb::tuple(views(unstack(operand_of(x), a.integer(1)), a[0]));
  normalize_axis("unstack", a.integer(1), 1);
  nb::list made;
  const node* const n = x.get();
  const bool at_hand = detail::is_at_hand(x);
  for (std::int64_t i = 0; i < n->size; ++i)
    made.append(at_hand ? nb::steal(scalar_of(n->type, n->data + i * n->strides[0])) : give_result(x(i).copy({})));
  return nb::tuple(made);
}
nb::object call_array_split(const Given& a) { return in_parts(a, a.integer(2), false); }
nb::object call_split(const Given& a) { return in_parts(a, a.integer(2), true); }
nb::object call_hsplit(const Given& a) {
  const int rank = array_in(a[0]).ndim();
  if (rank == 0) throw ValueError("", "hsplit only works on arrays of 1 or more dimensions");
  return in_parts(a, rank > 1 ? 1 : 0, true);
}
nb::object call_vsplit(const Given& a) {
  if (array_in(a[0]).ndim() < 2) throw ValueError("", "vsplit only works on arrays of 2 or more dimensions");
  return in_parts(a, 0, true);
}
nb::object call_dsplit(const Given& a) {
  if (array_in(a[0]).ndim() < 3) throw ValueError("", "dsplit only works on arrays of 3 or more dimensions");
  return in_parts(a, 2, true);
}

// ---- blocks ----

namespace {

/// Indices from the outermost list on, of which the last one is `nothing` in an empty list.
using Place = std::vector<std::size_t>;
constexpr std::size_t nothing = static_cast<std::size_t>(-1);

std::string text_of(const Place& place) {
  std::string text = "arrays";
  for (std::size_t i : place)
    if (i != nothing) text += "[" + std::to_string(i) + "]";
  return text;
}

Place below(Place place, std::size_t i) {
  place.push_back(i);
  return place;
}

/// Nested lists as they are now, with arrays in the place of all else. Lists in themselves are a RecursionError.
struct Block {
  explicit Block(nb::handle o) {
    const Level level;
    if (!PyList_Check(o.ptr())) {
      value = array_in(o);
      return;
    }
    is_list = true;
    for (nb::handle part : items_of(o)) parts.emplace_back(part);
  }
  int most_axes() const {
    int most = is_list ? 0 : value.ndim();
    for (const Block& part : parts) most = std::max(most, part.most_axes());
    return most;
  }
  /// Joined along the axes from `axis` on, the last of which is -1.
  array joined(int rank, std::int64_t axis) const {
    if (!is_list) {
      dims shape;
      shape.resize(rank - value.ndim(), 1);
      for (std::int64_t n : value.shape()) shape.push_back(n);
      return reshape(operand_of(value), shape);
    }
    array_list all;
    for (const Block& part : parts) all.push_back(part.joined(rank, axis + 1));
    return concatenate(all, {.axis = axis});
  }

  array value;
  std::vector<Block> parts;
  bool is_list = false;
};

/// Where the first array is, or the first empty list: all must lie as deep. TypeError for tuples.
Place bottom_of(nb::handle o, const Place& at) {
  const Level level;
  if (PyTuple_Check(o.ptr()))
    throw TypeError("", text_of(at) +
                            " is a tuple. Only lists can be used to arrange blocks, and np.block does not allow implicit "
                            "conversion from tuple to ndarray.");
  if (!PyList_Check(o.ptr())) return at;
  const nb::object items = items_of(o);
  const std::size_t count = nb::len(items);
  if (count == 0) return below(at, nothing);
  Place first;
  for (std::size_t i = 0; i < count; ++i) {
    const Place found = bottom_of(nb::object(items[i]), below(at, i));
    if (i > 0 && found.size() != first.size())
      throw ValueError("", "List depths are mismatched. First element was at depth " + std::to_string(first.size()) +
                               ", but there is an element at depth " + std::to_string(found.size()) + " (" + text_of(found) +
                               ")");
    if (i == 0 || found.back() == nothing) first = found;
  }
  return first;
}

}  // namespace

nb::object call_block(const Given& a) {
  const Place bottom = bottom_of(a[0], {});
  if (!bottom.empty() && bottom.back() == nothing) throw ValueError("", "List at " + text_of(bottom) + " cannot be empty");
  const Block block{nb::handle(a[0])};
  if (!block.is_list) return give(copy(operand_of(block.value)));
  const int levels = static_cast<int>(bottom.size());
  return give(block.joined(std::max(levels, block.most_axes()), -levels));
}

// ---- memory ----

nb::object call_shares_memory(const Given& a) {
  check_work(a[2]);
  return nb::bool_(shares_memory(array_in(a[0]), array_in(a[1])));
}
nb::object call_may_share_memory(const Given& a) {
  check_work(a[2]);
  const array x = array_in(a[0]), y = array_in(a[1]);
  return nb::bool_(a.truth(2) ? shares_memory(x, y) : may_share_memory(x, y));
}

// ---- elements put in and taken out ----

namespace {

/// obj= of insert and delete: indices, or the places of a slice of an axis of n elements.
array places_in(Any o, std::int64_t n) {
  if (!PySlice_Check(o.ptr())) {
    const array at = array_in(o);
    if (at.size() > 0 || !is_array(o.ptr()) || detail::is_integral_type(at.dtype().id())) return at;
    throw IndexError("", "arrays used as indices must be of integer (or boolean) type");
  }
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(o.ptr(), &start, &stop, &step) != 0) throw ErrorSet();
  const Py_ssize_t count = PySlice_AdjustIndices(n, &start, &stop, step);
  std::vector<std::int64_t> places;
  for (Py_ssize_t i = 0; i < count; ++i) places.push_back(start + i * step);
  return from_values(places);
}

/// How many elements there are along an axis, or in all.
std::int64_t length_along(const char* op, const array& x, const std::optional<std::int64_t>& axis) {
  return axis ? x.shape(normalize_axis(op, *axis, x.ndim())) : x.size();
}

}  // namespace

nb::object call_insert(const Given& a) {
  const array x = array_in(a[0]);
  const std::optional<std::int64_t> axis = a.optional_integer(3);
  const array at = places_in(a[1], length_along("insert", x, axis));
  if (is_array(a[2].ptr())) warn_complex(array_of(a[2].ptr()).dtype().id(), x.dtype().id(), 1);
  const array values = to_array(a[2].ptr(), x.dtype().id());
  return give(insert(operand_of(x), at, operand_of(values), axis));
}
nb::object call_delete(const Given& a) {
  const array x = array_in(a[0]);
  const std::optional<std::int64_t> axis = a.optional_integer(2);
  const array at = places_in(a[1], length_along("delete", x, axis));
  array made = delete_(operand_of(x), at, axis);
  return give(PySlice_Check(a[1].ptr()) ? detail::falling_as(made, axis ? x : made) : made);
}
nb::object call_trim_zeros(const Given& a) {
  const array x = array_in(a[0]);
  array made = trim_zeros(operand_of(x), {.trim = text_in(a[1], "trim"), .axis = a.axes(2)});
  if (x.ndim() == 0) return nb::borrow(a[0]);
  if (is_array(a[0].ptr())) return give_view(std::move(made), a[0]);
  nb::object given = give(std::move(made));
  const bool is_tuple = PyTuple_Check(a[0].ptr());
  if (!is_tuple && !PyList_Check(a[0].ptr())) return given;
  const nb::object items = given.attr("tolist")();
  return is_tuple ? nb::object(nb::tuple(items)) : items;
}

// ---- borders ----

namespace {

/// Of what broadcasts to a pair for each axis: the flat places of the pairs. No operation is recorded for them.
std::vector<std::pair<std::size_t, std::size_t>> sides_of(const array& given, int ndim) {
  const dims shape = given.shape();
  const int rank = shape.size();
  const auto fits = [&](int axis, std::int64_t n) { return axis < 0 || shape[axis] == 1 || shape[axis] == n; };
  if (rank > 2 || !fits(rank - 1, 2) || !fits(rank - 2, ndim)) (void)broadcast_to(operand_of(given), {ndim, 2});  // NumPy's error
  const auto step = static_cast<std::size_t>(rank == 2 && shape[0] > 1 ? shape[1] : 0);
  const std::size_t beside = rank > 0 && shape[rank - 1] == 2;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < static_cast<std::size_t>(ndim); ++i) places.emplace_back(i * step, i * step + beside);
  return places;
}

/// Numbers of what broadcasts to a pair for each axis. TypeError with `text` where they are not whole.
pad_widths widths_in(Any o, int ndim, const char* text) {
  array given;
  try {
    given = array_in(o);
  } catch (...) {
    translate_error();
    if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError)) throw ErrorSet();
    PyErr_Clear();
  }
  const char kind = given.empty_handle() ? 'O' : given.dtype().kind();
  if (kind != 'i' && kind != 'u') throw TypeError("", text);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  const auto numbers = (given.dtype() == numjit::int64 ? given : given.astype(numjit::int64, {})).tolist<std::int64_t>();
  for (const auto& [before, after] : sides_of(given, ndim)) pairs.emplace_back(numbers[before], numbers[after]);
  return pad_widths(std::move(pairs));
}

constexpr const char* no_widths = "`pad_width` must be of integral type.";

/// pad_width=, which a dict may give by axis.
pad_widths pad_widths_in(Any o, int ndim) {
  if (!PyDict_Check(o.ptr())) return widths_in(o, ndim, no_widths);
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs(static_cast<std::size_t>(ndim));
  for (auto [axis, width] : nb::borrow<nb::dict>(o)) {
    const int k = normalize_axis("pad", to_int(axis.ptr()), ndim);
    pairs[static_cast<std::size_t>(k)] = widths_in(width, 1, no_widths).pairs()[0];
  }
  return pad_widths(std::move(pairs));
}

/// Values for the sides: Python's numbers, as NumPy stores them, unless they are arrays that a graph or a transform follows.
struct SideValues {
  SideValues(Any o, int ndim) {
    const array given = array_in(o);
    if (given.get()->is(node::lazy) || detail::is_followed(given.get()))
      for (std::int64_t i = 0; i < given.size(); ++i)
        kept.emplace_back(give(detail::pick_axis(ravel(operand_of(given)), 0, i)).ptr());
    else
      keep_numbers(give(given).attr("tolist")());
    std::vector<std::pair<operand, operand>> pairs;
    if (given.ndim() == 0)
      pairs.emplace_back(kept[0], kept[0]);
    else
      for (const auto& [low, high] : sides_of(given, ndim)) pairs.emplace_back(kept[low], kept[high]);
    values = pad_values(std::move(pairs));
  }
  std::deque<Argument> kept;
  pad_values values = 0;

 private:
  void keep_numbers(nb::handle nested) {
    if (!PyList_Check(nested.ptr())) return (void)kept.emplace_back(nested.ptr());
    for (nb::handle one : nested) keep_numbers(one);
  }
};

/// Borders that a function of the user's writes, vector by vector.
nb::object padded_by(nb::handle function, const array& x, const pad_widths& widths, nb::handle options) {
  const array made = numjit::pad(operand_of(x), widths, {});
  for (int axis = 0; axis < x.ndim(); ++axis) {
    const auto [before, after] = widths.pairs()[static_cast<std::size_t>(axis)];
    const array rows = moveaxis(operand_of(made), axis, -1);
    dims leading = rows.shape();
    leading.erase(leading.size() - 1);
    const std::int64_t count = element_count(leading);
    for (std::int64_t i = 0; i < count; ++i) {
      array row = rows;
      std::int64_t below = count;
      for (const std::int64_t n : leading) row = detail::pick_axis(row, 0, i / (below /= n) % n);
      function(give(row), nb::make_tuple(before, after), axis, options);
    }
  }
  return give(made);
}

/// The options of a mode, which others refuse.
void check_options(const std::string& mode, nb::handle options) {
  static const std::map<std::string_view, std::string_view> allowed{{"constant", "constant_values"},
                                                                    {"linear_ramp", "end_values"},
                                                                    {"maximum", "stat_length"},
                                                                    {"mean", "stat_length"},
                                                                    {"median", "stat_length"},
                                                                    {"minimum", "stat_length"},
                                                                    {"reflect", "reflect_type"},
                                                                    {"symmetric", "reflect_type"},
                                                                    {"edge", ""},
                                                                    {"wrap", ""},
                                                                    {"empty", ""}};
  const auto found = allowed.find(mode);
  if (found == allowed.end()) throw ValueError("", "mode '" + mode + "' is not supported");
  std::string others;
  for (auto [name, value] : nb::borrow<nb::dict>(options))
    if (utf8(name.ptr()) != found->second) others += std::string(others.empty() ? "" : ", ") + "'" + utf8(name.ptr()) + "'";
  if (!others.empty()) throw ValueError("", "unsupported keyword arguments for mode '" + mode + "': {" + others + "}");
}

void warn_of_no_elements(const pad_widths& widths, const pad_widths& lengths) {
  for (std::size_t i = 0; i < widths.pairs().size(); ++i) {
    if (widths.pairs()[i] == std::pair<std::int64_t, std::int64_t>()) continue;
    for (const std::int64_t n : {lengths.pairs()[i].first, lengths.pairs()[i].second})
      if (n == 0) warn_at_caller("Mean of empty slice");
  }
}

}  // namespace

nb::object call_pad(const Given& a) {
  const array x = array_in(a[0]);
  const pad_widths widths = pad_widths_in(a[1], x.ndim());
  if (PyCallable_Check(a[2].ptr())) return padded_by(a[2], x, widths, a[3]);
  const std::string mode = nb::cast<std::string>(nb::str(a[2]));
  check_options(mode, a[3]);
  pad_options o{.mode = mode.c_str()};
  std::optional<SideValues> sides;
  for (auto [key, value] : nb::borrow<nb::dict>(a[3])) {
    const std::string_view name = utf8(key.ptr());
    if (name == "constant_values") o.constant_values = sides.emplace(value, x.ndim()).values;
    if (name == "end_values") o.end_values = sides.emplace(value, x.ndim()).values;
    if (name == "stat_length" && !value.is_none())
      o.stat_length = widths_in(value, x.ndim(), "`stat_length` must be of integral type.");
    if (name == "reflect_type" && nb::cast<std::string>(nb::str(value)) == "odd") o.reflect_type = "odd";
  }
  if (o.stat_length && (mode == "mean" || mode == "median")) warn_of_no_elements(widths, *o.stat_length);
  return give(computed(x, [&](const operand& each) { return numjit::pad(each, widths, o); }));
}

}  // namespace numjit::py
