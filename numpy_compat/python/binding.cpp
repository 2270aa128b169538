// Functions of the module, which nanobind made, as objects that tell in words for users which arguments do not convert.
#include <cstddef>
#include <string>
#include <string_view>

#include <numjit/base/location_scope.h>

#include "module.h"

#include <structmember.h>  // after Python.h

namespace numjit::py {

namespace {

struct BoundObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;  // nanobind's, or a class
};
BoundObject* self_of(PyObject* o) { return reinterpret_cast<BoundObject*>(o); }

std::string types_of(PyObject* const* args, Py_ssize_t count) {
  std::string types;
  for (Py_ssize_t i = 0; i < count; ++i) types += (i ? ", " : "") + std::string(Py_TYPE(args[i])->tp_name);
  return types;
}

/// Another text for nanobind's list of signatures; any other error stays.
void reword(PyObject* function, PyObject* const* args, Py_ssize_t count) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  const nb::object said = nb::steal(value ? PyObject_Str(value) : nullptr);
  const char* text = said.is_valid() ? PyUnicode_AsUTF8(said.ptr()) : nullptr;
  if (!text || std::string_view(text).find("(): incompatible function arguments") == std::string_view::npos) {
    PyErr_Clear();
    return PyErr_Restore(type, value, trace);
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  const nb::object name = nb::steal(PyObject_GetAttrString(function, "__name__"));
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "[%U] an argument is of a wrong type or out of range: got (%s).", name.ptr(),
               types_of(args, count).c_str());
}

PyObject* vector_call(PyObject* callable, PyObject* const* args, std::size_t flagged, PyObject* names) {
  // Operations report the line of Python, which the location provider tells, whatever calls them here.
  static constexpr location asked_for{};
  const location_scope scope(asked_for);
  PyObject* const function = self_of(callable)->function;
  PyObject* made = PyObject_Vectorcall(function, args, flagged, names);
  if (!made) [[unlikely]]
    reword(function, args, PyVectorcall_NARGS(flagged) + (names ? PyTuple_GET_SIZE(names) : 0));
  return made;
}

PyObject* attribute(PyObject* o, PyObject* name) { return PyObject_GetAttr(self_of(o)->function, name); }

PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundObject, call), READONLY, nullptr}, {}};
PyType_Slot function_slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
    {Py_tp_members, members},
    {0, nullptr},
};
PyType_Slot method_slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_getattro, reinterpret_cast<void*>(attribute)},
    {Py_tp_descr_get, reinterpret_cast<void*>(method_of)},
    {Py_tp_members, members},
    {0, nullptr},
};
constexpr unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION;
PyType_Spec function_spec = {"numjit.module_function", sizeof(BoundObject), 0, flags, function_slots};
PyType_Spec method_spec = {"numjit.module_method", sizeof(BoundObject), 0, flags | Py_TPFLAGS_METHOD_DESCRIPTOR, method_slots};

bool is_called(nb::handle o, const char* type) { return std::string_view(Py_TYPE(o.ptr())->tp_name).ends_with(type); }

}  // namespace

void reword_errors_of(nb::handle home) {
  static PyObject* const function_type = PyType_FromSpec(&function_spec);
  static PyObject* const method_type = PyType_FromSpec(&method_spec);
  if (!function_type || !method_type) nb::raise_python_error();
  const nb::list names = nb::steal<nb::list>(PyObject_Dir(home.ptr()));
  for (nb::handle name : names) {
    if (nb::borrow<nb::str>(name).c_str()[0] == '_' && nb::borrow<nb::str>(name).c_str()[1] == '_') continue;
    const nb::object value = nb::getattr(home, name);
    const bool is_class = PyType_Check(value.ptr()) && nb::type_check(value), is_method = is_called(value, "nb_method");
    if (PyModule_Check(value.ptr()) || is_class) reword_errors_of(value);
    if (!is_class && !is_method && !is_called(value, "nb_func")) continue;
    auto* type = reinterpret_cast<PyTypeObject*>(is_method ? method_type : function_type);
    const nb::object made = nb::steal(type->tp_alloc(type, 0));
    if (!made.is_valid()) nb::raise_python_error();
    self_of(made.ptr())->call = vector_call;
    self_of(made.ptr())->function = Py_NewRef(value.ptr());
    nb::setattr(home, name, made);
  }
}

}  // namespace numjit::py
