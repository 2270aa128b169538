// Arrays of other libraries: a call with one goes to NumPy, with the memory of ours, and NumPy asks that array's class
// (`__array_ufunc__`, `__array_function__`, methods).
#include <algorithm>
#include <cstddef>
#include <cstring>

#include <nanobind/stl/string.h>

#include "module.h"

#include <structmember.h>  // after Python.h

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
  nb::object given = nb::steal(PyTuple_New(count)), options = nb::steal(PyDict_New());
  if (!given.is_valid() || !options.is_valid()) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(given.ptr(), i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
    if (PyDict_SetItem(options.ptr(), PyTuple_GET_ITEM(names, i), args[count + i]) != 0) return nullptr;
  return PyObject_CallMethod(module.ptr(), "call_numpy_by_name", "NOO",
                             PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())), given.ptr(),
                             options.ptr());
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

/// A function of the package that gives way: numjit.open_function.
struct OpenObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* name;
  PyObject* own;
  PyObject* dict;
};
OpenObject* self_of(PyObject* o) { return reinterpret_cast<OpenObject*>(o); }

PyObject* vector_call(PyObject* callable, PyObject* const* args, std::size_t flagged, PyObject* names) {
  const OpenObject* self = self_of(callable);
  const Py_ssize_t count = PyVectorcall_NARGS(flagged), all = count + (names ? PyTuple_GET_SIZE(names) : 0);
  for (Py_ssize_t i = 0; i < all; ++i)
    if (holds_foreign(args[i])) [[unlikely]] {
      PyObject* made = call_numpy(PyUnicode_AsUTF8(self->name), args, count, names);
      if (made != Py_NotImplemented) return made;
      Py_DECREF(made);
      break;  // a function that NumPy has not, or that it does not hand on
    }
  return PyObject_Vectorcall(self->own, args, flagged, names);
}

int traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(self_of(o)->own);
  Py_VISIT(self_of(o)->dict);
  return 0;
}
int clear(PyObject* o) {
  Py_CLEAR(self_of(o)->name);
  Py_CLEAR(self_of(o)->own);
  Py_CLEAR(self_of(o)->dict);
  return 0;
}
void dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  clear(o);
  type->tp_free(o);
  Py_DECREF(type);
}
PyObject* bound(PyObject* o, PyObject* instance, PyObject*) {
  return instance && instance != Py_None ? PyMethod_New(o, instance) : Py_NewRef(o);
}
PyObject* repr(PyObject* o) { return PyObject_Repr(self_of(o)->own); }
PyObject* by_name(PyObject* o, PyObject*) { return PyObject_GetAttrString(self_of(o)->own, "__qualname__"); }

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpenObject, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(OpenObject, dict), READONLY, nullptr},
    {},
};
PyGetSetDef attributes[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
PyMethodDef methods[] = {{"__reduce__", by_name, METH_NOARGS, nullptr}, {}};
PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_descr_get, reinterpret_cast<void*>(bound)},
    {Py_tp_members, members},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {0, nullptr},
};
PyType_Spec spec = {"numjit.open_function", sizeof(OpenObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR, slots};
PyTypeObject* open_type;

}  // namespace

void define_dispatch(Module& m) {
  open_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!open_type) nb::raise_python_error();
  m.attr("open_function_type") = nb::borrow(reinterpret_cast<PyObject*>(open_type));
  m.def("open_function", [](nb::str name, nb::object own) {
    PyObject* made = open_type->tp_alloc(open_type, 0);
    if (!made) throw ErrorSet();
    self_of(made)->call = vector_call;
    self_of(made)->name = name.release().ptr();
    self_of(made)->own = own.release().ptr();
    return nb::steal(made);
  });
  m.def("is_foreign", [](Any o) { return is_foreign(o.ptr()); });
}

}  // namespace numjit::py
