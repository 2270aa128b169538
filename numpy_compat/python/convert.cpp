// Python objects as arrays and operands, and elements as Python objects.
#include <cstring>

#include <numjit/ops/calls.h>

#include "nested.h"

namespace numjit::py {

operand weak_int(PyObject* o, bool* huge) {
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

std::optional<operand> weak_operand(PyObject* o, bool* huge) {
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
  if (PyComplex_Check(o)) {
    const Py_complex z = PyComplex_AsCComplex(o);
    return operand(std::complex<double>(z.real, z.imag), "", "", 0);
  }
  return {};
}

bool is_sequence(PyObject* o) {
  return PyList_Check(o) || PyTuple_Check(o) ||
         (PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !PyDict_Check(o) &&
          !PyObject_CheckBuffer(o));
}

/// Has an object a protocol? Running out of memory or of stack while it is asked is no answer, but the conversion's error.
bool shows(PyObject* o, const char* name) {
  if (PyType_Check(o)) return false;
  nb::object found = nb::steal(PyObject_GetAttrString(o, name));
  if (found.is_valid()) return true;
  if (PyErr_ExceptionMatches(PyExc_RecursionError) || PyErr_ExceptionMatches(PyExc_MemoryError)) throw ErrorSet();
  PyErr_Clear();
  return false;
}

std::optional<array> from_protocols(PyObject* o, bool allow_copy) {
  if (is_array(o)) return array_of(o);
  if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) return {};
  if (PyObject_CheckBuffer(o) && !PyBytes_Check(o)) return from_buffer(o);
  const bool interface = shows(o, "__array_struct__") || shows(o, "__array_interface__") || shows(o, "__array__");
  if (has_attribute(o, "__dlpack__") && !interface) {
    nb::object capsule = nb::steal(PyObject_CallMethod(o, "__dlpack__", nullptr));
    if (!capsule.is_valid()) throw ErrorSet();
    return from_dlpack_capsule(capsule.ptr());
  }
  if (offers(o, "__array__")) {
    nb::object made = nb::steal(PyObject_CallMethod(o, "__array__", nullptr));
    if (!made.is_valid()) throw ErrorSet();
    if (is_array(made.ptr()) && !is_scalar(made.ptr())) return array_of(made.ptr());
    if (stands_for_number(made.ptr()) || !PyObject_CheckBuffer(made.ptr()) || PyBytes_Check(made.ptr()))
      throw ValueError("", "object __array__ method not producing an array");
    return from_buffer(made.ptr());
  }
  if (interface) {  // of __array_struct__ or __array_interface__ alone: NumPy reads it
    nb::object numpy = nb::steal(PyImport_ImportModule("numpy"));
    if (!numpy.is_valid()) throw ErrorSet();
    nb::object made = nb::steal(PyObject_CallMethod(numpy.ptr(), "asarray", "O", o));
    if (!made.is_valid()) throw ErrorSet();
    return from_buffer(made.ptr());
  }
  (void)allow_copy;
  return {};
}

[[noreturn]] void throw_no_number(PyObject* o) {
  throw TypeError("array", std::string("there is no dtype for an object of type '") + Py_TYPE(o)->tp_name +
                               "': got it as an element, expected numbers. Objects, strings and dates are left out.");
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

bool is_other_object(PyObject* o) {
  if (PyUnicode_Check(o) || PyBytes_Check(o) || o == Py_None) return true;
  return !is_array(o) && !is_weak_number(o) && !PySequence_Check(o) && !PyObject_CheckBuffer(o) && !offers(o, "__array__") &&
         !offers(o, "__array_interface__") && !offers(o, "__array_struct__") && !has_attribute(o, "__dlpack__");
}

nb::object array_offered_by(PyObject* o) {
  if (is_array(o) || is_weak_number(o) || PyList_CheckExact(o) || PyTuple_CheckExact(o) || PyObject_CheckBuffer(o) ||
      has_attribute(o, "__dlpack__") || !offers(o, "__array__"))
    return {};
  nb::object made = nb::steal(PyObject_CallMethod(o, "__array__", nullptr));
  if (!made.is_valid()) throw ErrorSet();
  return Py_TYPE(made.ptr()) == array_type ? made : nb::object();
}

bool looks_like_operand(PyObject* o) {
  if (is_array(o) || is_weak_number(o)) return true;
  if (PyUnicode_Check(o) || PyBytes_Check(o) || o == Py_None) return false;
  if (!PyType_Check(o) && has_attribute(o, "__array_ufunc__")) {
    nb::object protocol = nb::steal(PyObject_GetAttrString(o, "__array_ufunc__"));
    if (protocol.is_valid()) return !protocol.is_none();  // the operators of one that has it are ufuncs
    PyErr_Clear();
  }
  return PyObject_CheckBuffer(o) || PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o) || PyNumber_Check(o) ||
         offers(o, "__array__") || offers(o, "__array_interface__") || offers(o, "__array_struct__");
}

array& checked_array(PyObject* o) {
  if (is_array(o)) return array_of(o);
  PyErr_Format(PyExc_TypeError, "expected an array: got an object of type '%s'", Py_TYPE(o)->tp_name);
  throw ErrorSet();
}

array unshared(array a, PyObject* of) {
  node* n = a.get();
  if (!is_array(of) || !is_scalar(of) || n->size != 1 || n->device != 0) return a;
  const node* from = array_of(of).get();
  if (n->is(node::lazy)) {
    detail::pending_view view;
    const bool shares = n == from || n->base || (detail::view_of_pending && detail::view_of_pending(n, view));
    return shares ? detail::contiguous_copy(a) : a;
  }
  if (from->is(node::lazy) || detail::storage_owner(n)->data != detail::storage_owner(array_of(of).get())->data) return a;
  if (detail::levels_are_open()) return detail::contiguous_copy(a);  // whose derivative goes along
  array own = array::adopt(detail::new_node(n->type, n->rank, n->shape));
  std::memcpy(own.get()->data, n->data, dtype(n->type).itemsize());
  return own;
}

const char* utf8(PyObject* text) {
  const char* made = PyUnicode_AsUTF8(text);
  if (!made) throw ErrorSet();
  return made;
}

nb::object items_now(PyObject* o, const char* text) {
  nb::object list = nb::steal(PySequence_Fast(o, text));
  if (!list.is_valid()) throw ErrorSet();
  if (!PyList_CheckExact(o)) return list;  // a tuple, or a list that nobody else has
  nb::object items = nb::steal(PyList_AsTuple(o));
  if (!items.is_valid()) throw ErrorSet();
  return items;
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
  // What `__array__` gave may still be somebody's.
  const bool is_held = static_cast<std::uint32_t>(made.get()->refs) > 1;
  const bool shares =
      is_array(o) ? made.get() == array_of(o).get() || !type : made.get()->deleter != nullptr || made.get()->base || is_held;
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
    throw TypeError(
        "", std::string("expected a sequence of integers or a single integer, got '") + (o == Py_True ? "True'" : "False'"));
  if (PyIndex_Check(o) && !(is_array(o) && array_of(o).ndim() > 0)) return dims{to_int(o)};
  nb::object items;
  try {
    items = items_now(o, "");
  } catch (const ErrorSet&) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "expected a sequence of integers or a single integer, got '%R'", o);
    throw;
  }
  dims result;
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.ptr());
  if (n > max_rank) throw ValueError("", "maximum supported dimension for an array is 16, found " + std::to_string(n));
  for (Py_ssize_t i = 0; i < n; ++i) result.push_back(to_extent(PySequence_Fast_GET_ITEM(items.ptr(), i)));
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
  const nb::object items = items_now(o, "expected a sequence of arrays");
  std::vector<array> arrays;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i)
    arrays.push_back(to_array(PySequence_Fast_GET_ITEM(items.ptr(), i)));
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

char parse_order(PyObject* o, char otherwise) {
  if (o == Py_None) return otherwise;
  if (!PyUnicode_Check(o)) throw TypeError("", std::string("order must be str, not ") + Py_TYPE(o)->tp_name);
  const std::string given = utf8(o);
  const char letter = given.size() == 1 ? static_cast<char>(std::toupper(static_cast<unsigned char>(given[0]))) : ' ';
  if (std::strchr("CFAK", letter) == nullptr)
    throw ValueError("", "order must be one of 'C', 'F', 'A', or 'K' (got '" + given + "')");
  return letter;
}

PyObject* item_object(const array& a) {
  if (a.size() != 1)
    throw ValueError("item", "can only convert an array of size 1 to a Python scalar");
  const node* n = detail::concrete(a.get(), "item", {});
  return element_object(n->data, n->type);
}

}  // namespace numjit::py
