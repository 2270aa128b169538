// The type of numjit.function and numjit.open_function.
#include "wrapper_type.h"

#include <algorithm>
#include <iterator>

#include <structmember.h>  // after Python.h

namespace numjit::py {

namespace {

WrapperObject* self_of(PyObject* o) { return reinterpret_cast<WrapperObject*>(o); }

int traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(self_of(o)->wrapped);
  Py_VISIT(self_of(o)->dict);
  return 0;
}
int clear(PyObject* o) {
  Py_CLEAR(self_of(o)->name);
  Py_CLEAR(self_of(o)->wrapped);
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
PyObject* repr(PyObject* o) { return PyObject_Repr(self_of(o)->wrapped); }
PyObject* by_name(PyObject* o, PyObject*) { return PyObject_GetAttrString(self_of(o)->wrapped, "__qualname__"); }

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(WrapperObject, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(WrapperObject, dict), READONLY, nullptr},
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
    {Py_tp_members, members},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {0, nullptr},  // what only methods have goes here
    {0, nullptr},
};
constexpr std::size_t slots_of_all = std::size(slots) - 2;

}  // namespace

PyTypeObject* make_wrapper_type(const char* name, std::size_t size, bool binds) {
  PyType_Slot all[std::size(slots)];
  std::copy(std::begin(slots), std::end(slots), all);
  if (binds) all[slots_of_all] = {Py_tp_descr_get, reinterpret_cast<void*>(method_of)};
  PyType_Spec spec = {name, static_cast<int>(size), 0,
                      static_cast<unsigned>(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                            (binds ? Py_TPFLAGS_METHOD_DESCRIPTOR : 0)),
                      all};
  PyObject* made = PyType_FromSpec(&spec);
  if (!made) nb::raise_python_error();
  return reinterpret_cast<PyTypeObject*>(made);
}

nb::object make_wrapper(PyTypeObject* type, vectorcallfunc call, nb::str name, nb::object wrapped) {
  PyObject* made = type->tp_alloc(type, 0);
  if (!made) throw ErrorSet();
  self_of(made)->call = call;
  self_of(made)->name = name.release().ptr();
  self_of(made)->wrapped = wrapped.release().ptr();
  return nb::steal(made);
}

PackedArguments::PackedArguments(PyObject* const* args, Py_ssize_t count, PyObject* names)
    : positional(nb::steal(PyTuple_New(count))), named(nb::steal(PyDict_New())) {
  if (!is_valid()) return;
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(positional.ptr(), i, Py_NewRef(args[i]));
  for (Py_ssize_t i = 0; names && named.is_valid() && i < PyTuple_GET_SIZE(names); ++i)
    if (PyDict_SetItem(named.ptr(), PyTuple_GET_ITEM(names, i), args[count + i]) != 0) named = nb::object();
}

}  // namespace numjit::py
