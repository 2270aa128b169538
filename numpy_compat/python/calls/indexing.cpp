// Elements at places, diagonals, triangles.
#include "call.h"

#include <algorithm>
#include <cstring>

#include <surface.h>

namespace numjit::py {

namespace {

nb::object arrays_of(array_list made) { return nb::tuple(give_list(std::move(made))); }

/// An argument that NumPy asks for its attributes: AttributeError for lists.
array array_with_attributes(Any o) {
  if (!has_attribute(o.ptr(), "ndim")) (void)nb::handle(o).attr("ndim");
  return array_in(o);
}

/// 'raise', 'wrap' or 'clip', which NumPy takes as numbers, too; None is 'raise'.
const char* mode_in(Any o) {
  static constexpr const char* modes[] = {"clip", "wrap", "raise"};
  if (o.is_none()) return "raise";
  if (PyUnicode_Check(o.ptr())) {
    const std::string text = utf8(o.ptr());
    for (const char* mode : modes)
      if (text == mode) return mode;
    const char first = first_letter(text);
    throw ValueError("", first && std::strchr("rwc", first) ? "Use one of 'clip', 'raise', or 'wrap' for clip mode"
                                                            : "clipmode must be one of 'clip', 'raise', or 'wrap' (got " +
                                                                  nb::cast<std::string>(nb::repr(o)) + ")");
  }
  if (!PyIndex_Check(o.ptr())) throw TypeError("", "clipmode not understood");
  const std::int64_t number = to_int(o.ptr());
  if (number < 0 || number > 2)
    throw ValueError("", "integer clipmode must be RAISE, WRAP, or CLIP from 'numpy._core.multiarray'");
  return modes[number];
}

/// Integer indices: arrays by a casting rule, numbers and lists as np.array(given, int) makes them.
array indices_in(Any o, const char* casting) {
  PyObject* const p = o.ptr();
  if (is_weak_number(p) || stands_for_number(p) || !offers(p, "__array__")) return to_array(p, dtype_id::int64);
  const array given = array_in(o);
  if (given.dtype() == numjit::int64) return given;
  detail::check_cast("", given, numjit::int64, casting);
  return given.astype(numjit::int64, {});
}
/// What is written over elements of an array: numbers and lists as np.array makes them with that dtype.
array values_for(const array& a, Any values) {
  if (is_array(values.ptr()) && !is_scalar(values.ptr())) return array_of(values.ptr());
  return to_array(values.ptr(), a.dtype().id());
}

/// An array that is written to, and is no scalar. TypeError that begins with `text`.
array written_array(Any o, const char* text) {
  PyObject* const p = o.ptr();
  if (is_array(p) && !is_scalar(p)) return array_of(p);
  std::string name = Py_TYPE(p)->tp_name;
  if (const std::size_t dot = name.rfind('.'); dot != std::string::npos) name = "numpy." + name.substr(dot + 1);
  throw TypeError("", text + name);
}
nb::object taken(const array& x, const array& indices, Any axis, Any out, const char* mode) {
  const take_options o{.axis = to_optional_int(axis.ptr()), .mode = mode};
  if (out.is_none()) return give_result(take(operand_of(x), operand_of(indices), o));
  const array target = target_in(out, "output must be an array");
  dims shape = indices.shape();
  if (o.axis) {
    const int at = normalize_axis("take", *o.axis, x.ndim());
    dims around = x.shape();
    around.erase(at);
    for (int i = 0; i < shape.size(); ++i) around.insert(at + i, shape[i]);
    shape = around;
  }
  if (target.shape() != shape) throw ValueError("", "output array does not match result of ndarray.take");
  detail::check_cast("", target, x.dtype(), "safe");
  const array made = take(operand_of(x), operand_of(indices), o);
  copyto(target, operand_of(made), {.casting = "unsafe"});
  return nb::borrow(out);
}

/// May an integer, float or complex number of Python's go to a dtype? Under all rules but 'unsafe' to one of its own kind, or
/// a wider kind.
void check_literal(PyObject* value, dtype own, dtype to, const std::string& rule) {
  (void)can_cast(to, to, rule.c_str());  // refuses what is no rule
  static constexpr std::string_view kinds = "biufc";
  if (rule != "unsafe" && kinds.find(own.kind()) > kinds.find(to.kind()) + (to.kind() == 'i'))
    throw TypeError("", "Cannot cast scalar from dtype('" + std::string(own.name()) + "') to dtype('" + std::string(to.name()) +
                            "') according to the rule '" + rule + "'");
  if (rule == "equiv" && own != to)
    throw TypeError("", std::string("cannot cast Python ") + Py_TYPE(value)->tp_name + " to " + std::string(to.name()) +
                            " under the casting rule 'equiv'");
}
/// Values with more axes than what they are written to have 1 in front, if at all.
void check_fits(const char* what, dims from, const dims& to) {
  while (from.size() > to.size() && from[0] == 1) from.erase(0);
  bool fits = true;
  for (int i = 0; i < from.size(); ++i) {
    const std::int64_t n = from[from.size() - 1 - i];
    fits = fits && (n == 1 || (i < to.size() && n == to[to.size() - 1 - i]));
  }
  if (!fits)
    throw ValueError(
        "", std::string("could not broadcast ") + what + " from shape " + from.compact_str() + " into shape " + to.compact_str());
}

/// Indices as whole numbers. TypeError.
array whole_indices(Any o) {
  const array found = array_in(o);
  const char kind = found.dtype().kind();
  if (kind == 'b') return found.astype(numjit::int64, {});
  if (kind == 'i' || kind == 'u') return found;
  if (found.size() == 0 && !is_array(o.ptr()))
    throw TypeError("",
                    "indices must be integral: the provided empty sequence was inferred as float. Wrap it with "
                    "'np.array(indices, dtype=np.intp)'");
  throw TypeError("", "only int indices permitted");
}
char flat_order(Any o) {
  const char order = parse_order(o.ptr(), 'C');
  if (order != 'C' && order != 'F') throw ValueError("", "only 'C' or 'F' order is permitted");
  return order;
}

nb::object triangle(const Given& a, bool lower) {
  bool whole = true;
  for (const std::size_t i : {0, 1, 2}) whole = whole && !PyFloat_Check(a[i].ptr());
  if (whole) {
    const std::int64_t n = a.integer(0), k = a.integer(1), m = a.is_none(2) ? -1 : std::max<std::int64_t>(a.integer(2), 0);
    const array_tuple<2> made = lower ? tril_indices(n, k, m) : triu_indices(n, k, m);
    return arrays_of({made.begin(), made.end()});
  }
  const nb::handle n = a[0], k = a[1], m = a[2], type(reinterpret_cast<PyObject*>(&PyBool_Type));
  const nb::object tri = nb::module_::import_("numjit").attr("tri");
  const nb::object below = lower ? tri(n, m, k, type) : tri(n, m, k - nb::int_(1), type);
  const array mask = array_in(Any(below));
  return arrays_of(nonzero(operand_of(lower ? mask : logical_not(mask))));
}

}  // namespace

// ---- taking and writing at places ----

nb::object call_take(const Given& a) {
  const char* const mode = mode_in(a[4]);
  const array x = array_in(a[0]), indices = indices_in(a[1], "same_kind");
  return taken(x, indices, a[2], a[3], mode);
}
nb::object call_put(const Given& a) {
  if (!is_array(a[0].ptr())) throw TypeError("", "argument 1 must be numjit.ndarray");
  const array to = unshared(array_of(a[0].ptr()), a[0].ptr());
  if (!is_scalar(a[0].ptr())) detail::require_writeable("", to, "put: output array is read-only");
  const array places = indices_in(a[1], "safe");
  if (to.size() == 0 && places.size() > 0) throw IndexError("", "cannot replace elements of an empty array");
  put(to, places, operand_of(values_for(to, a[2])), mode_in(a[3]));
  return nb::none();
}
nb::object call_copyto(const Given& a) {
  const array to = written_array(a[0], "copyto() argument 1 must be a numpy.ndarray, not ");
  const std::string rule = text_in(a[2], "casting");
  copyto_options o{.casting = rule.c_str()};
  detail::require_writeable("", to, "assignment destination is read-only");
  if (a[3].ptr() != Py_True) {
    o.where = to_mask(a[3].ptr());
    check_fits("where mask", o.where.shape(), to.shape());
  }
  PyObject* const source = a[1].ptr();
  const bool weak = is_weak_number(source) && !PyBool_Check(source);
  const dtype own = PyLong_Check(source) ? numjit::int64 : PyFloat_Check(source) ? numjit::float64 : numjit::complex128;
  if (weak) check_literal(source, own, to.dtype(), rule);
  // Under 'unsafe' a cast, where a store would refuse NaN.
  if (weak && (own == numjit::int64 || rule != "unsafe")) return copyto(to, Argument(source), o), nb::none();
  const array values = array_in(a[1]);
  detail::check_cast("", values, to.dtype(), o.casting);
  check_fits("input array", values.shape(), to.shape());
  return copyto(to, operand_of(values), o), nb::none();
}
nb::object call_putmask(const Given& a) {
  if (!is_array(a[0].ptr()) || is_scalar(a[0].ptr())) throw TypeError("", "putmask: first argument must be an array");
  const array to = array_of(a[0].ptr());
  detail::require_writeable("", to, "putmask: output array is read-only");
  const array mask = array_in(a[1]);
  if (mask.size() != to.size()) throw ValueError("", "putmask: mask and data must be the same size");
  const array values = values_for(to, a[2]);
  detail::check_cast("", values, to.dtype(), "safe");
  putmask(to, mask.astype(numjit::bool_, {}), operand_of(values));
  return nb::none();
}
nb::object call_place(const Given& a) {
  const array to = written_array(a[0], "place() argument 1 must be numpy.ndarray, not ");
  detail::require_writeable("", to, "assignment destination is read-only");
  const array mask = array_in(a[1]).astype(numjit::bool_, {});
  if (mask.size() != to.size()) throw ValueError("", "place: mask and data must be the same size");
  const array values = values_for(to, a[2]);
  detail::check_cast("", values, to.dtype(), "safe");
  place(to, mask, operand_of(values));
  return nb::none();
}

// ---- choosing ----

nb::object call_compress(const Given& a) {
  const array condition = array_in(a[0]).astype(numjit::bool_, {}), x = array_in(a[1]);
  if (condition.ndim() != 1) throw ValueError("", "condition must be a 1-d array");
  return taken(x, flatnonzero(operand_of(condition)), a[2], a[3], "raise");
}
nb::object call_choose(const Given& a) {
  const array which = array_in(a[0]);
  const nb::object items = nb::steal(PySequence_Tuple(a[1].ptr()));
  if (!items.is_valid()) throw ErrorSet();
  const char* const mode = mode_in(a[3]);
  const array target = a.is_none(2) ? array() : target_in(a[2], "output must be an array");
  if (nb::len(items) == 0) throw ValueError("", "0-length sequence.");
  const dtype type = *common_dtype(items);
  array_list choices;
  for (nb::handle item : items) choices.push_back(array_in(Any(item)).astype(type, {}));
  if (const char kind = which.dtype().kind(); (kind != 'b' && kind != 'i' && kind != 'u') || which.dtype() == numjit::uint64)
    detail::check_cast("", which, numjit::int64, "safe");
  const array made = choose(operand_of(which.astype(numjit::int64, {})), choices, mode);
  if (target.empty_handle()) return give_result(made);
  if (target.shape() != made.shape()) throw TypeError("", "choose: invalid shape for output array.");
  copyto(target, operand_of(made), {.casting = "unsafe"});
  return nb::borrow(a[2]);
}
nb::object call_select(const Given& a) {
  const nb::object conditions = items_now(a[0].ptr(), "list of conditions"), choices = items_now(a[1].ptr(), "list of choices");
  if (nb::len(conditions) != nb::len(choices)) throw ValueError("", "list of cases must be same length as list of conditions");
  if (nb::len(conditions) == 0) throw ValueError("", "select with an empty condition list is not possible");
  nb::list all(choices);
  all.append(nb::handle(a[2]));
  array_list which, values;
  for (nb::handle item : conditions) which.push_back(array_in(Any(item)));
  for (nb::handle item : all) values.push_back(array_in(Any(item)));
  array_list together = which;
  together.insert(together.end(), values.begin(), values.end());
  const std::vector<dims> shapes = detail::shapes_to_broadcast(together);
  const auto behind = shapes.begin() + static_cast<std::ptrdiff_t>(which.size());
  const dims of_conditions = broadcast_shapes({shapes.begin(), behind});
  broadcast_shapes({of_conditions, broadcast_shapes({behind, shapes.end()})});
  const dtype kind = *common_dtype(all);
  for (std::size_t i = 0; i < which.size(); ++i)
    if (which[i].dtype().kind() != 'b')
      throw TypeError("", "invalid entry " + std::to_string(i) + " in condlist: should be boolean ndarray");
  for (array& x : values) x = x.astype(kind, {});
  const array otherwise = values.back();
  values.pop_back();
  return give(select(which, values, operand_of(otherwise)));
}

nb::object call_extract(const Given& a) { return give(extract(array_in(a[0]), Argument(a[1].ptr()))); }

// ---- along an axis ----

nb::object call_take_along_axis(const Given& a) {
  return give(take_along_axis(Argument(a[0].ptr()), array_in(a[1]), {.axis = a.optional_integer(2)}));
}
nb::object call_put_along_axis(const Given& a) {
  Argument values(a[2].ptr());
  put_along_axis(checked_array(a[0].ptr()), array_in(a[1]), values, {.axis = a.optional_integer(3)});
  return nb::none();
}

// ---- diagonals and triangles ----

nb::object call_diagonal(const Given& a) {
  return give_view(diagonal(Argument(a[0].ptr()), a.integer(1), a.integer(2), a.integer(3)), a[0]);
}
nb::object call_trace(const Given& a) {
  for (const std::size_t i : {1, 2, 3})
    if (PyFloat_Check(a[i].ptr())) throw TypeError("", "integer argument expected, got float");
  const array x = array_in(a[0]);
  trace_keywords o{.offset = a.integer(1), .axis1 = a.integer(2), .axis2 = a.integer(3)};
  o.dtype = dtype_in(to_kept_type(a[4].ptr()));
  if (!a.is_none(5)) o.out = target_in(a[5], "output must be an array");
  return give_or_out(trace(operand_of(x), o), a[5]);
}
nb::object call_diag_indices(const Given& a) {
  const array one = arange(Argument(a[0].ptr()));
  nb::object made = give(one);
  nb::list all;
  for (std::int64_t i = a.integer(1); i > 0; --i) all.append(made);
  return nb::tuple(all);
}
nb::object call_diag_indices_from(const Given& a) { return arrays_of(diag_indices_from(array_with_attributes(a[0]))); }
nb::object call_tril_indices_from(const Given& a) {
  return arrays_of(tril_indices_from(array_with_attributes(a[0]), a.integer(1)));
}
nb::object call_triu_indices_from(const Given& a) {
  return arrays_of(triu_indices_from(array_with_attributes(a[0]), a.integer(1)));
}
nb::object call_tril_indices(const Given& a) { return triangle(a, true); }
nb::object call_triu_indices(const Given& a) { return triangle(a, false); }
nb::object call_mask_indices(const Given& a) {
  const auto masked = [&](const array& square, std::int64_t) {
    return array_in(nb::object(a[1](give(square), nb::handle(a[2]))));
  };
  return nb::tuple(give_list(mask_indices(a.integer(0), masked)));
}
nb::object call_apply_over_axes(const Given& a) {
  const array x = array_in(a[1]), axes = array_in(a[2]);
  const auto applied = [&](const array& each, std::int64_t axis) { return array_in(nb::object(a[0](give(each), axis))); };
  return give(apply_over_axes(applied, operand_of(x), to_dims(give(axes.ravel({})).ptr())));
}
nb::object call_fill_diagonal(const Given& a) {
  if (!is_array(a[0].ptr())) (void)array_with_attributes(a[0]);
  const array to = checked_array(a[0].ptr());
  if (to.ndim() >= 2) detail::require_writeable("", to, "underlying array is read-only");
  fill_diagonal(to, operand_of(values_for(to, a[1])), {.wrap = a.truth(2)});
  return nb::none();
}

// ---- flat indices ----

nb::object call_unravel_index(const Given& a) {
  const dims shape = a.shape(1);
  const array flat = whole_indices(a[0]);
  std::int64_t size = 1;
  for (const std::int64_t n : shape)
    if (__builtin_mul_overflow(size, n, &size))
      throw ValueError("",
                       "dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported.");
  if (shape.empty() && flat.ndim() > 0 && !static_cast<bool>(any(flat)))
    throw ValueError("", "multiple indices are not supported for 0d arrays");
  nb::list made;
  for (array& one : unravel_index(operand_of(flat), shape, flat_order(a[2]))) made.append(give_result(std::move(one)));
  return nb::tuple(made);
}
nb::object call_ravel_multi_index(const Given& a) {
  const dims shape = a.shape(1);
  array_list index;
  for (nb::handle one : items_now(a[0].ptr(), "parameter multi_index must be a sequence"))
    index.push_back(whole_indices(Any(one)));
  if (static_cast<int>(index.size()) != shape.size())
    throw ValueError("", "parameter multi_index must be a sequence of length " + std::to_string(shape.size()));
  std::vector<layout::take_mode> modes;
  if (PyTuple_Check(a[2].ptr()))
    for (nb::handle one : nb::borrow<nb::tuple>(a[2])) modes.push_back(detail::take_mode_of("", mode_in(Any(one))));
  else
    modes.assign(index.size(), detail::take_mode_of("", mode_in(a[2])));
  if (modes.size() != index.size())
    throw ValueError("", "list of clipmodes has wrong length (" + std::to_string(modes.size()) + " instead of " +
                             std::to_string(index.size()) + ")");
  const location callers{};
  const location_scope scope(callers);
  return give_result(detail::flat_index(index, shape, modes, flat_order(a[3])));
}

nb::object call_ix_(const Given& a) {
  array_list vectors;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(a[0].ptr()); ++i) {
    PyObject* const o = PyTuple_GET_ITEM(a[0].ptr(), i);
    array v = to_array(o);
    if (v.size() == 0 && !is_array(o)) v = v.astype(numjit::int64, {});
    vectors.push_back(std::move(v));
  }
  return arrays_of(ix_(vectors));
}

}  // namespace numjit::py
