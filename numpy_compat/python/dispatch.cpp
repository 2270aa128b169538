// Arrays of other libraries: a call with one goes to NumPy, with the memory of ours, and NumPy asks that array's class
// (`__array_ufunc__`, `__array_function__`, methods).
#include <algorithm>
#include <cstddef>
#include <cstring>

#include <nanobind/stl/string.h>

#include "dispatch.h"
#include "wrapper_type.h"

namespace numjit::py {

namespace {

/// NumPy's array and its scalars, and no class derived from them: those that are made in Python have no module in this name.
bool is_plain_numpy(const PyTypeObject* type) { return std::strncmp(type->tp_name, "numpy.", 6) == 0; }

/// Has a class a protocol? None says that it takes no part.
bool has_protocol(PyTypeObject* type, PyObject* name) {
  PyObject* own = _PyType_Lookup(type, name);
  return own && own != Py_None;
}

}  // namespace

bool refuses_ufuncs(PyObject* o) {
  static PyObject* const name = PyUnicode_InternFromString("__array_ufunc__");
  return _PyType_Lookup(Py_TYPE(o), name) == Py_None;
}

bool is_foreign_object(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  if (PyBool_Check(o) || PyComplex_CheckExact(o) || o == Py_None || PyUnicode_Check(o) || PyList_CheckExact(o) ||
      PyTuple_CheckExact(o) || PyDict_CheckExact(o) || PyType_Check(o) || is_plain_numpy(type))
    return false;
  for (const PyTypeObject* base = type->tp_base; base; base = base->tp_base)  // masks, units and the like go with the class
    if (std::strcmp(base->tp_name, "numpy.ndarray") == 0) return std::strcmp(type->tp_name, "memmap") != 0;
  static PyObject* const ufunc_name = PyUnicode_InternFromString("__array_ufunc__");
  static PyObject* const function_name = PyUnicode_InternFromString("__array_function__");
  return has_protocol(type, ufunc_name) || has_protocol(type, function_name);
}

PyObject* call_numpy(std::string_view name, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  nb::object module = nb::steal(PyImport_ImportModule("numjit._interop"));
  if (!module.is_valid()) return nullptr;
  const PackedArguments given(args, count, names);
  if (!given.is_valid()) return nullptr;
  return PyObject_CallMethod(module.ptr(), "call_numpy_by_name", "NOO",
                             PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())),
                             given.positional.ptr(), given.named.ptr());
}

bool holds_foreign(PyObject* o) {
  constexpr Py_ssize_t most = 32;  // of a sequence of arrays, as concatenate takes one
  if (is_foreign(o)) return true;
  if (!PyList_CheckExact(o) && !PyTuple_CheckExact(o)) return false;
  PyObject** items = PySequence_Fast_ITEMS(o);
  for (Py_ssize_t i = 0; i < std::min(PySequence_Fast_GET_SIZE(o), most); ++i) {
    if (PyFloat_CheckExact(items[i]) || PyLong_CheckExact(items[i])) return false;  // a vector of numbers
    if (is_foreign(items[i])) return true;
  }
  return false;
}

namespace {

/// Is there a `like=` that is no array of ours or of NumPy's? It has to have `__array_function__`, which then makes the array.
bool is_like_another(PyObject* const* args, Py_ssize_t count, PyObject* names) {
  static PyObject* const like = PyUnicode_InternFromString("like");
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i)
    if (PyTuple_GET_ITEM(names, i) == like) {
      PyObject* given = args[count + i];
      return given != Py_None && !is_array(given) && !is_plain_numpy(Py_TYPE(given));
    }
  return false;
}

}  // namespace

std::optional<PyObject*> handed_on(const char* name, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
  if (names && is_like_another(args, count, names)) [[unlikely]]
    return call_numpy(name, args, count, names);
  for (Py_ssize_t i = 0; i < all; ++i)
    if (holds_foreign(args[i])) [[unlikely]] {
      PyObject* made = call_numpy(name, args, count, names);
      if (made != Py_NotImplemented) return made;
      Py_DECREF(made);  // a function that NumPy has not, or that it does not hand on
      return std::nullopt;
    }
  return std::nullopt;
}

namespace {

/// Of a function of the package that gives way: numjit.open_function.
PyObject* vector_call(PyObject* callable, PyObject* const* args, std::size_t flagged, PyObject* names) {
  const auto* self = reinterpret_cast<const WrapperObject*>(callable);
  const auto made = handed_on(PyUnicode_AsUTF8(self->name), args, PyVectorcall_NARGS(flagged), names);
  return made ? *made : PyObject_Vectorcall(self->wrapped, args, flagged, names);
}

/// Of one that only does not bind: numjit.builtin_function.
PyObject* call_wrapped(PyObject* callable, PyObject* const* args, std::size_t flagged, PyObject* names) {
  return PyObject_Vectorcall(reinterpret_cast<const WrapperObject*>(callable)->wrapped, args, flagged, names);
}

PyTypeObject *open_type, *closed_type;

}  // namespace

void define_dispatch(Module& m) {
  open_type = make_wrapper_type("numjit.open_function", sizeof(WrapperObject));
  closed_type = make_wrapper_type("numjit.builtin_function", sizeof(WrapperObject), false);
  m.attr("open_function_type") = nb::borrow(reinterpret_cast<PyObject*>(open_type));
  m.def("open_function",
        [](nb::str name, nb::object own) { return make_wrapper(open_type, vector_call, std::move(name), std::move(own)); });
  m.def("builtin_function",
        [](nb::str name, nb::object own) { return make_wrapper(closed_type, call_wrapped, std::move(name), std::move(own)); });
  m.def("is_foreign", [](Any o) { return is_foreign(o.ptr()); });
}

}  // namespace numjit::py
