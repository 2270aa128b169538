// Nested sequences as arrays: looked through once for shape and dtype, then read. Their elements run code of the user's, which
// may change them meanwhile: each object is asked once, what it gave is held, and a list whose length changes is an error.
#include <cmath>
#include <limits>
#include <vector>

#include <numjit/ops/stored_literal.h>

#include "nested.h"

namespace numjit::py {

namespace {

/// What an object that is neither list nor tuple gave when it was asked: its items, or an array.
struct Given {
  nb::object of;
  nb::object items;  // a list; none for an array
  array made;
};

/// What a nested sequence holds: its shape, the dtype of its leaves, whether arrays are among them.
struct Found {
  dims shape;
  bool any = false, arrays = false, huge = false;
  bool typed = false;  // elements become numbers of a dtype that is given
  dtype_id type = dtype_id::float64;
  std::vector<Given> given;  // in the order in which the walk meets them
  std::size_t next = 0;      // of these, at the second walk

  void join(dtype_id t) {
    type = any ? promote_types(type, t) : t;
    any = true;
  }
  /// What an object gave at the first walk, which met it here; null if it was not asked, or stood elsewhere.
  const Given* take(PyObject* o) { return next < given.size() && given[next].of.ptr() == o ? &given[next++] : nullptr; }
};

[[noreturn]] void throw_ragged(const dims& shape, int depth) {
  depth = std::min(depth, shape.size());
  dims detected(shape.data(), depth);
  throw ValueError("array",
                   "setting an array element with a sequence. The requested array has an inhomogeneous "
                   "shape after " +
                       std::to_string(depth) + " dimensions. The detected shape was " + detected.str() +
                       " + inhomogeneous part.");
}

[[noreturn]] void throw_too_deep() {
  throw ValueError("array",
                   "setting an array element with a sequence. The requested array would exceed the maximum number of "
                   "dimension of " +
                       std::to_string(max_rank) + ".");
}

[[noreturn]] void throw_changed(const char* how) {
  PyErr_Format(PyExc_RuntimeError, "Inconsistent object during array creation? Content of sequences changed (%s).", how);
  throw ErrorSet();
}

/// Goes through a list or tuple: whoever handles an item may change the list, but not its length.
template <class F>
void for_each_item(PyObject* list, Py_ssize_t n, F&& handle) {
  const nb::object held = nb::borrow(list);
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (PySequence_Fast_GET_SIZE(list) != n) [[unlikely]]
      throw_changed("length inconsistent");
    handle(i, PySequence_Fast_GET_ITEM(list, i));
  }
  if (PySequence_Fast_GET_SIZE(list) != n) [[unlikely]]
    throw_changed("length inconsistent");
}

bool is_plain_list(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }

/// Does an object that calls itself a sequence have a length? NumPy takes others for elements.
bool has_length(PyObject* o) {
  if (PySequence_Size(o) >= 0) return true;
  if (PyErr_ExceptionMatches(PyExc_RecursionError) || PyErr_ExceptionMatches(PyExc_MemoryError)) throw ErrorSet();
  PyErr_Clear();
  return false;
}

/// The items of a sequence, read once; null for what is an element: no sequence, or one that has no length or keys for indices.
PyObject* items_of(PyObject* o, Found& found) {
  if (is_plain_list(o)) return o;
  if (is_array(o) || !is_sequence(o) || !has_length(o)) return nullptr;
  nb::object items = nb::steal(PySequence_Fast(o, "expected a sequence"));
  if (!items.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_KeyError)) throw ErrorSet();
    PyErr_Clear();
    return nullptr;
  }
  found.given.push_back({nb::borrow(o), items, {}});
  return items.ptr();
}

dtype_id own_type(const operand& number) {
  switch (number.kind()) {
    case weak_kind::bool_: return dtype_id::bool_;
    case weak_kind::float_: return dtype_id::float64;
    case weak_kind::complex_: return dtype_id::complex128;
    default: return number.above_int64() ? dtype_id::uint64 : dtype_id::int64;
  }
}

void explore(PyObject* o, int depth, bool first, Found& found) {
  if (std::optional<operand> weak = weak_operand(o, &found.huge)) {
    if (!first && depth != found.shape.size()) throw_ragged(found.shape, depth);
    return found.join(own_type(*weak));
  }
  const nb::object held = nb::borrow(o);
  if (PyObject* items = items_of(o, found)) {
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(items);
    if (first) {
      if (depth == max_rank) throw_too_deep();
      found.shape.push_back(n);
    } else if (depth >= found.shape.size() || found.shape[depth] != n) {
      throw_ragged(found.shape, depth);
    }
    return for_each_item(items, n, [&](Py_ssize_t i, PyObject* item) { explore(item, depth + 1, first && i == 0, found); });
  }
  std::optional<array> element = from_protocols(o, true);
  if (!element) {
    if (!found.typed) throw_no_number(o);
    if (!first && depth != found.shape.size()) throw_ragged(found.shape, depth);
    found.any = true;
    return;
  }
  found.arrays = true;
  found.join(element->dtype().id());
  const dims shape = element->shape();
  if (first) {
    if (depth + shape.size() > max_rank) throw_too_deep();
    for (std::int64_t n : shape) found.shape.push_back(n);
  } else if (found.shape.size() < depth || dims(found.shape.data() + depth, found.shape.size() - depth) != shape) {
    throw_ragged(found.shape, depth);
  }
  found.given.push_back({held, {}, std::move(*element)});
}

/// At the second walk: the items of what was a sequence at the first.
PyObject* items_again(PyObject* o, const Given* given) {
  if (given) return given->items.ptr();
  if (!is_plain_list(o)) throw_changed("now too shallow");
  return o;
}

array as_element(array a, bool number, dtype_id type) {
  const dtype_id from = a.dtype().id();
  if (number && dtype(type).kind() == 'i' && dtype(from).kind() != 'c' && !can_cast(from, type))
    return detail::stored_number(operand_of(a), type);
  return from == type ? a : a.astype(type, {});
}

/// Sequences with arrays inside are joined by operations: those may be pending in a compiled function.
array joined(PyObject* o, int depth, dtype_id type, Found& found) {
  const Given* given = found.take(o);
  if (given && !given->items.is_valid()) return as_element(given->made, stands_for_number(o), type);
  if (depth == found.shape.size()) return as_element(weak_operand(o) ? to_array(o) : to_array(o, type), false, type);
  PyObject* items = items_again(o, given);
  std::vector<array> parts;
  for_each_item(items, static_cast<Py_ssize_t>(found.shape[depth]), [&](Py_ssize_t, PyObject* item) {
    const nb::object held = nb::borrow(item);
    parts.push_back(joined(item, depth + 1, type, found));
  });
  return stack(parts, {}, {});
}

/// What is no number of Python's (text, None, a fraction) as one for an array of a dtype: by Python's own conversion;
/// None is NaN.
nb::object number_of(PyObject* o, dtype_id type) {
  const char kind = dtype(type).kind();
  if (kind == 'f' && is_sequence(o)) throw ValueError("", "setting an array element with a sequence.");
  if (kind == 'c' && is_plain_list(o)) throw TypeError("", std::string("must be real number, not ") + Py_TYPE(o)->tp_name);
  const auto converted = [&]() -> PyObject* {
    if (kind == 'b') {
      const int truth = PyObject_IsTrue(o);
      return truth < 0 ? nullptr : PyBool_FromLong(truth);
    }
    if (kind == 'i' || kind == 'u') return PyNumber_Long(o);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (o == Py_None) return kind == 'f' ? PyFloat_FromDouble(nan) : PyComplex_FromDoubles(nan, nan);
    return kind == 'f' ? PyNumber_Float(o) : PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), o);
  };
  nb::object made = nb::steal(converted());
  if (!made.is_valid()) throw ErrorSet();
  return made;
}

template <class T>
T element_of(PyObject* o, dtype_id type) {
  bool huge = false;
  const std::optional<operand> weak = weak_operand(o, &huge);
  if (!weak) {
    const nb::object number = number_of(o, type);
    if (!weak_operand(number.ptr(), &huge))
      throw TypeError("", "must be real number, not " + std::string(Py_TYPE(number.ptr())->tp_name));
    return element_of<T>(number.ptr(), type);
  }
  if (huge && (dtype(type).kind() == 'i' || dtype(type).kind() == 'u')) throw_huge();
  if (weak->kind() == weak_kind::int_ && (dtype(type).kind() == 'i' || dtype(type).kind() == 'u'))
    check_literal("array", *weak, type);
  check_no_complex("array", *weak, type);
  if (weak->kind() == weak_kind::float_ && (dtype(type).kind() == 'i' || dtype(type).kind() == 'u')) {
    nb::object whole = nb::steal(PyNumber_Long(o));  // nan and infinities: Python's own errors
    if (!whole.is_valid()) throw ErrorSet();
    T value;
    literal_element(weak_int(whole.ptr()), type, &value);
    return value;
  }
  T value;
  literal_element(*weak, type, &value);
  return value;
}

template <class T>
void fill_from(PyObject* o, int depth, dtype_id type, Found& found, T*& to) {
  const Given* given = found.take(o);
  PyObject* items = items_again(o, given);
  const bool leaves = depth + 1 == found.shape.size();
  for_each_item(items, static_cast<Py_ssize_t>(found.shape[depth]), [&](Py_ssize_t, PyObject* item) {
    if constexpr (std::is_same_v<T, double>) {
      if (leaves && PyFloat_CheckExact(item)) {
        *to++ = PyFloat_AS_DOUBLE(item);
        return;
      }
    }
    const nb::object held = nb::borrow(item);
    if (leaves)
      *to++ = element_of<T>(item, type);
    else
      fill_from(item, depth + 1, type, found, to);
  });
}

/// Flat lists of floats, or of small integers: nearly all literals of programs.
std::optional<array> from_flat_list(PyObject* o) {
  if (!PyList_CheckExact(o) || PyList_GET_SIZE(o) == 0) return {};
  const std::int64_t n = PyList_GET_SIZE(o);
  if (PyFloat_CheckExact(PyList_GET_ITEM(o, 0))) {
    array made = array::adopt(detail::new_node(dtype_id::float64, 1, &n));
    auto* to = reinterpret_cast<double*>(made.get()->data);
    for (std::int64_t i = 0; i < n; ++i) {
      if (!PyFloat_CheckExact(PyList_GET_ITEM(o, i))) return {};
      to[i] = PyFloat_AS_DOUBLE(PyList_GET_ITEM(o, i));
    }
    return made;
  }
  if (!PyLong_CheckExact(PyList_GET_ITEM(o, 0))) return {};
  array made = array::adopt(detail::new_node(dtype_id::int64, 1, &n));
  auto* to = reinterpret_cast<std::int64_t*>(made.get()->data);
  for (std::int64_t i = 0; i < n; ++i) {
    if (!PyLong_CheckExact(PyList_GET_ITEM(o, i))) return {};
    int overflow = 0;
    to[i] = PyLong_AsLongLongAndOverflow(PyList_GET_ITEM(o, i), &overflow);
    if (overflow) return {};
  }
  return made;
}

/// New, and filled with values: the levels of transforms are told.
array told(array made) {
  detail::tell_view(made.get(), made.get(), {});
  return made;
}

array of_nested(PyObject* o, std::optional<dtype_id> type) {
  if (!type)
    if (std::optional<array> flat = from_flat_list(o)) return told(std::move(*flat));
  if (type && (*type == dtype_id::float16 || *type == dtype_id::float32 || *type == dtype_id::complex64) &&
      detail::top_interpreter() && !detail::recording) [[unlikely]]  // an errstate looks at casts
    return of_nested(o, *type == dtype_id::complex64 ? dtype_id::complex128 : dtype_id::float64).astype(dtype(*type), {});
  Found found;
  found.typed = type.has_value();
  explore(o, 0, true, found);
  if (found.huge && !type) throw_huge();  // an array of objects in NumPy
  const dtype_id target = type.value_or(found.any ? found.type : dtype_id::float64);
  if (found.arrays) return joined(o, 0, target, found);
  array result = array::adopt(detail::new_node(target, found.shape.size(), found.shape.data()));
  if (result.size() == 0) return told(std::move(result));
  visit_dtype(target, [&]<class T>() {
    T* to = reinterpret_cast<T*>(result.get()->data);
    if (found.shape.empty())
      *to = element_of<T>(o, target);
    else
      fill_from<T>(o, 0, target, found, to);
  });
  return told(std::move(result));
}

}  // namespace

array from_nested(PyObject* o, std::optional<dtype_id> type) { return of_nested(o, type); }

}  // namespace numjit::py
