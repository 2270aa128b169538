// Python objects as arrays and operands, and elements as Python objects.
#include <cmath>
#include <cstring>
#include <limits>

#include <numjit/ops/stored_literal.h>

#include "module.h"

namespace numjit::py {

namespace {

/// An integer of any size: beyond uint64 it counts as a float, and `huge` is set (null: an error).
operand weak_int(PyObject* o, bool* huge = nullptr) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (value == -1 && !overflow && PyErr_Occurred()) throw ErrorSet();
  if (!overflow) return operand(static_cast<std::int64_t>(value), "", "", 0);
  const unsigned long long high = overflow > 0 ? PyLong_AsUnsignedLongLong(o) : 0;
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    if (!huge) throw_huge();
    *huge = true;
    const double value = PyLong_AsDouble(o);
    if (value == -1 && PyErr_Occurred()) throw ErrorSet();
    return operand(value, "", "", 0);
  }
  return operand(static_cast<std::uint64_t>(high), "", "", 0);
}

/// A weak scalar, if `o` is a number of Python's own (NumPy's float64 is a float, but strong).
std::optional<operand> weak_operand(PyObject* o, bool* huge = nullptr) {
  if (PyLong_CheckExact(o)) return weak_int(o, huge);
  if (PyFloat_CheckExact(o)) return operand(PyFloat_AS_DOUBLE(o), "", "", 0);
  if (PyBool_Check(o)) return operand(o == Py_True, "", "", 0);
  if (PyComplex_CheckExact(o)) {
    const Py_complex z = PyComplex_AsCComplex(o);
    return operand(std::complex<double>(z.real, z.imag), "", "", 0);
  }
  if (PyObject_CheckBuffer(o)) return {};
  if (PyLong_Check(o)) return weak_int(o, huge);
  if (PyFloat_Check(o)) return operand(PyFloat_AsDouble(o), "", "", 0);
  return {};
}

bool is_sequence(PyObject* o) {
  return PyList_Check(o) || PyTuple_Check(o) ||
         (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !PyDict_Check(o) &&
          !PyObject_CheckBuffer(o));
}

std::optional<array> from_protocols(PyObject* o, bool allow_copy) {
  if (is_array(o)) return array_of(o);
  if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) return {};
  if (PyObject_CheckBuffer(o) && !PyBytes_Check(o)) return from_buffer(o);
  const bool interface = offers(o, "__array_interface__") || offers(o, "__array__");
  if (has_attribute(o, "__dlpack__") && !interface) {
    nb::object capsule = nb::steal(PyObject_CallMethod(o, "__dlpack__", nullptr));
    if (!capsule.is_valid()) throw ErrorSet();
    return from_dlpack_capsule(capsule.ptr());
  }
  if (offers(o, "__array__")) {
    nb::object made = nb::steal(PyObject_CallMethod(o, "__array__", nullptr));
    if (!made.is_valid()) throw ErrorSet();
    if (is_array(made.ptr())) return array_of(made.ptr());
    return from_buffer(made.ptr());
  }
  if (interface) {  // __array_interface__ alone: NumPy reads it
    nb::object numpy = nb::steal(PyImport_ImportModule("numpy"));
    if (!numpy.is_valid()) throw ErrorSet();
    nb::object made = nb::steal(PyObject_CallMethod(numpy.ptr(), "asarray", "O", o));
    if (!made.is_valid()) throw ErrorSet();
    return from_buffer(made.ptr());
  }
  (void)allow_copy;
  return {};
}

// ---- nested sequences ----

/// What a nested sequence holds: its shape, the dtype of its leaves, whether arrays are among them.
struct Found {
  dims shape;
  bool any = false, arrays = false, huge = false;
  bool typed = false;  // elements become numbers of a dtype that is given
  dtype_id type = dtype_id::float64;
  void join(dtype_id t) {
    type = any ? promote_types(type, t) : t;
    any = true;
  }
};

[[noreturn]] void throw_ragged(const dims& shape, int depth) {
  dims detected(shape.data(), depth);
  throw ValueError("array", "setting an array element with a sequence. The requested array has an inhomogeneous "
                            "shape after " + std::to_string(depth) + " dimensions. The detected shape was " +
                                detected.str() + " + inhomogeneous part.");
}

[[noreturn]] void throw_no_number(PyObject* o) {
  throw TypeError("array", std::string("there is no dtype for an object of type '") + Py_TYPE(o)->tp_name +
                               "': got it as an element, expected numbers. Objects, strings and dates are left out.");
}

void explore(PyObject* o, int depth, bool first, Found& found) {
  if (std::optional<operand> weak = weak_operand(o, &found.huge)) {
    if (!first && depth != found.shape.size()) throw_ragged(found.shape, depth < found.shape.size() ? depth : found.shape.size());
    switch (weak->kind()) {
      case weak_kind::bool_: return found.join(dtype_id::bool_);
      case weak_kind::float_: return found.join(dtype_id::float64);
      case weak_kind::complex_: return found.join(dtype_id::complex128);
      default:
        return found.join(weak->above_int64() ? dtype_id::uint64 : dtype_id::int64);
    }
  }
  if (!is_array(o) && is_sequence(o)) {
    nb::object list = nb::steal(PySequence_Fast(o, "expected a sequence"));
    if (!list.is_valid()) throw ErrorSet();
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(list.ptr());
    if (first) {
      found.shape.push_back(n);
    } else if (depth >= found.shape.size() || found.shape[depth] != n) {
      throw_ragged(found.shape, depth < found.shape.size() ? depth : found.shape.size());
    }
    for (Py_ssize_t i = 0; i < n; ++i)
      explore(PySequence_Fast_GET_ITEM(list.ptr(), i), depth + 1, first && i == 0, found);
    return;
  }
  std::optional<array> element = from_protocols(o, true);
  if (!element) {
    if (!found.typed) throw_no_number(o);
    if (!first && depth != found.shape.size()) throw_ragged(found.shape, depth < found.shape.size() ? depth : found.shape.size());
    found.any = true;
    return;
  }
  found.arrays = true;
  found.join(element->dtype().id());
  const dims shape = element->shape();
  if (first)
    for (std::int64_t n : shape) found.shape.push_back(n);
  else if (dims(found.shape.data() + depth, found.shape.size() - depth) != shape)
    throw_ragged(found.shape, depth);
}

/// Sequences with arrays inside are joined by operations: those may be pending in a compiled function.
array joined(PyObject* o, int depth, dtype_id type) {
  if (!is_array(o) && !weak_operand(o) && is_sequence(o)) {
    nb::object list = nb::steal(PySequence_Fast(o, "expected a sequence"));
    std::vector<array> parts;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.ptr()); ++i)
      parts.push_back(joined(PySequence_Fast_GET_ITEM(list.ptr(), i), depth + 1, type));
    return stack(parts, {}, {});
  }
  const bool number = stands_for_number(o);
  array a = is_array(o) || number || weak_operand(o) ? to_array(o) : to_array(o, type);
  const dtype_id from = a.dtype().id();
  if (number && dtype(type).kind() == 'i' && dtype(from).kind() != 'c' && !can_cast(from, type))
    return detail::stored_number(operand_of(a), type);
  return a.dtype().id() == type ? a : a.astype(type, {});
}

/// What is no number of Python's (text, None, a fraction) as one for an array of a dtype: by Python's own conversion;
/// None is NaN.
nb::object number_of(PyObject* o, dtype_id type) {
  const char kind = dtype(type).kind();
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
  if (!weak) return element_of<T>(number_of(o, type).ptr(), type);
  if (huge && (dtype(type).kind() == 'i' || dtype(type).kind() == 'u')) throw_huge();
  if (weak->kind() == weak_kind::int_ && (dtype(type).kind() == 'i' || dtype(type).kind() == 'u'))
    check_literal("array", *weak, type);
  if (weak->kind() == weak_kind::complex_ && dtype(type).kind() != 'c' && dtype(type).kind() != 'b')
    throw TypeError("array", dtype(type).kind() == 'f' ? "float() argument must be a string or a real number, not 'complex'"
                                                       : "int() argument must be a string, a bytes-like object or a real number, not 'complex'");
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
void fill_from(PyObject* o, dtype_id type, T*& to) {
  if (!is_sequence(o)) {
    *to++ = element_of<T>(o, type);
    return;
  }
  nb::object list = nb::steal(PySequence_Fast(o, "expected a sequence"));
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(list.ptr());
  PyObject** items = PySequence_Fast_ITEMS(list.ptr());
  for (Py_ssize_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, double>) {
      if (PyFloat_CheckExact(items[i])) {
        *to++ = PyFloat_AS_DOUBLE(items[i]);
        continue;
      }
    }
    fill_from(items[i], type, to);
  }
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

array from_nested(PyObject* o, std::optional<dtype_id> type) {
  if (!type)
    if (std::optional<array> flat = from_flat_list(o)) return *flat;
  Found found;
  found.typed = type.has_value();
  explore(o, 0, true, found);
  if (found.huge && !type) throw_huge();  // an array of objects in NumPy
  const dtype_id target = type.value_or(found.any ? found.type : dtype_id::float64);
  if (found.arrays) return joined(o, 0, target);
  array result = array::adopt(detail::new_node(target, found.shape.size(), found.shape.data()));
  if (result.size() == 0) return result;
  visit_dtype(target, [&]<class T>() {
    T* to = reinterpret_cast<T*>(result.get()->data);
    fill_from<T>(o, target, to);
  });
  return result;
}

}  // namespace

bool is_weak_number(PyObject* o) {
  return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || PyComplex_CheckExact(o);
}

bool stands_for_number(PyObject* o) {
  if (is_array(o)) return is_scalar(o);
  for (PyTypeObject* type = Py_TYPE(o); type; type = type->tp_base)
    if (std::strcmp(type->tp_name, "numpy.generic") == 0) return true;
  return false;
}

bool has_attribute(PyObject* o, const char* name) {
  // Protocols are looked up on the type: a class that is an element itself has none.
  return !PyType_Check(o) && PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), name);
}

bool offers(PyObject* o, const char* name) { return !PyType_Check(o) && PyObject_HasAttrString(o, name); }

bool looks_like_operand(PyObject* o) {
  if (is_array(o) || is_weak_number(o)) return true;
  if (PyUnicode_Check(o) || PyBytes_Check(o) || o == Py_None) return false;
  if (has_attribute(o, "__array_ufunc__")) {
    nb::object refusal = nb::steal(PyObject_GetAttrString(o, "__array_ufunc__"));
    if (refusal.is_valid() && refusal.is_none()) return false;
    PyErr_Clear();
  }
  return PyObject_CheckBuffer(o) || PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o) || PyNumber_Check(o) ||
         offers(o, "__array__") || offers(o, "__array_interface__");
}

void throw_huge() { throw OverflowError("", "Python int too large to convert to C long"); }

void Argument::set_other(PyObject* o) {
  if (is_weak_number(o)) {  // numbers of classes derived from Python's have dtypes like arrays
    value_ = weak_operand(o, &huge_);
    return;
  }
  keep_ = to_array(o);
  value_.emplace(keep_, "", "", 0);
}

array Argument::as_array() const {
  if (value_->is_array()) return array::share(value_->n());
  return array(*value_, {});
}

array to_array(PyObject* o, std::optional<dtype_id> type, bool allow_copy) {
  if (is_array(o) && is_truth(o)) {  // True_ and False_ are everybody's: an array of one's own
    const array own = truth_value(*array_of(o).get()->data != 0);
    return type ? own.astype(dtype(*type), {}) : own;
  }
  std::optional<array> found = from_protocols(o, allow_copy);
  if (!found) {
    if (!allow_copy)
      throw ValueError("asarray", "Unable to avoid copy while creating an array as requested. Use copy=None.");
    if (!type && (PyUnicode_Check(o) || PyBytes_Check(o) || o == Py_None)) throw_no_number(o);
    return from_nested(o, type);
  }
  if (!type || found->dtype().id() == *type) return *found;
  if (!allow_copy)
    throw ValueError("asarray", "Unable to avoid copy while creating an array as requested. Use copy=None.");
  return detail::cast_in_order(operand_of(*found), *type, *found, 'K');
}

array to_mask(PyObject* o) {
  if (o == Py_None) return truth_value(false);
  std::optional<array> found = from_protocols(o, true);
  if (!found) return to_array(o).astype(dtype(dtype_id::bool_), {});
  if (found->dtype().kind() != 'b')
    throw TypeError("", "Cannot cast array data from dtype('" + std::string(found->dtype().name()) +
                            "') to dtype('bool') according to the rule 'safe'");
  return *found;
}

array array_from(PyObject* o, std::optional<dtype_id> type, bool copy) {
  array made = to_array(o, type);
  if (!copy) return made;
  const bool shares = is_array(o) ? made.get() == array_of(o).get() || !type : made.get()->deleter != nullptr || made.get()->base;
  return shares ? detail::cast_in_order(operand_of(made), made.dtype().id(), made, 'K') : made;
}

std::int64_t to_int(PyObject* o) {
  nb::object whole = nb::steal(PyNumber_Index(o));
  if (!whole.is_valid()) throw ErrorSet();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow) throw OverflowError("", "Python int too large to convert to C long");
  return value;
}

std::optional<std::int64_t> to_optional_int(PyObject* o) {
  if (!o || o == Py_None) return {};
  return to_int(o);
}

/// An extent or axis: truth values are none.
std::int64_t to_extent(PyObject* o) {
  if (PyBool_Check(o) || (is_array(o) && array_of(o).dtype().kind() == 'b')) throw TypeError("", "an integer is required");
  return to_int(o);
}

dims to_dims(PyObject* o) {
  if (PyBool_Check(o))
    throw TypeError("", std::string("expected a sequence of integers or a single integer, got '") + (o == Py_True ? "True'" : "False'"));
  if (PyIndex_Check(o) && !(is_array(o) && array_of(o).ndim() > 0)) return dims{to_int(o)};
  nb::object list = nb::steal(PySequence_Fast(o, ""));
  if (!list.is_valid()) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "expected a sequence of integers or a single integer, got '%R'", o);
    throw ErrorSet();
  }
  dims result;
  if (PySequence_Fast_GET_SIZE(list.ptr()) > max_rank)
    throw ValueError("", "maximum supported dimension for an array is 16, found " +
                             std::to_string(PySequence_Fast_GET_SIZE(list.ptr())));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.ptr()); ++i)
    result.push_back(to_extent(PySequence_Fast_GET_ITEM(list.ptr(), i)));
  return result;
}

axis_list to_axes(PyObject* o) {
  if (!o || o == Py_None) return {};
  if (PyBool_Check(o)) to_extent(o);  // throws
  return axis_list(to_dims(o));
}

std::vector<array> to_array_list(PyObject* o) {
  if (is_array(o) && array_of(o).ndim() == 0) {
    PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
    throw ErrorSet();
  }
  nb::object list = nb::steal(PySequence_Fast(o, "expected a sequence of arrays"));
  if (!list.is_valid()) throw ErrorSet();
  std::vector<array> arrays;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.ptr()); ++i)
    arrays.push_back(to_array(PySequence_Fast_GET_ITEM(list.ptr(), i)));
  return arrays;
}

nb::object give_list(std::vector<array> arrays) {
  nb::list list;
  for (array& a : arrays) list.append(give(std::move(a)));
  return list;
}

PyObject* element_object(const char* data, dtype_id type) {
  return visit_dtype(type, [&]<class T>() -> PyObject* {
    T value;
    std::memcpy(&value, data, sizeof value);
    if constexpr (std::is_same_v<T, bool>) return PyBool_FromLong(value);
    else if constexpr (std::is_same_v<T, half>) return PyFloat_FromDouble(static_cast<float>(value));
    else if constexpr (std::is_floating_point_v<T>) return PyFloat_FromDouble(static_cast<double>(value));
    else if constexpr (std::is_unsigned_v<T>) return PyLong_FromUnsignedLongLong(value);
    else if constexpr (std::is_integral_v<T>) return PyLong_FromLongLong(value);
    else return PyComplex_FromDoubles(static_cast<double>(value.re), static_cast<double>(value.im));
  });
}

PyObject* item_object(const array& a) {
  if (a.size() != 1)
    throw ValueError("item", "can only convert an array of size 1 to a Python scalar");
  const node* n = detail::concrete(a.get(), "item", {});
  return element_object(n->data, n->type);
}

}  // namespace numjit::py
