// The scalar types: numjit.float64 and its siblings below generic, number, floating, ..., as in NumPy.
#include <string>

#include "module.h"
#include "scalars.h"

#include <structmember.h>  // after Python.h

namespace numjit::py {

PyTypeObject* scalar_types[dtype_count];

namespace {

/// The abstract types, each after its base; `like` is the dtype that NumPy takes for it, if any.
struct Abstract {
  const char* name;
  int base;  // -1: array_base
  const char* doc;
  std::optional<dtype_id> like;
  PyTypeObject* type = nullptr;
};
Abstract abstract_types[] = {
    {"numjit.generic", -1, "Base of all scalars.", {}},
    {"numjit.number", 0, "Base of numbers.", dtype_id::float64},
    {"numjit.integer", 1, "Base of integers.", dtype_id::int64},
    {"numjit.signedinteger", 2, "Base of signed integers.", dtype_id::int64},
    {"numjit.unsignedinteger", 2, "Base of unsigned integers.", dtype_id::uint64},
    {"numjit.inexact", 1, "Base of floats and complex numbers.", dtype_id::float64},
    {"numjit.floating", 5, "Base of floats.", dtype_id::float64},
    {"numjit.complexfloating", 5, "Base of complex numbers.", dtype_id::complex128},
};
constexpr int base_of(char kind) { return kind == 'b' ? 0 : kind == 'i' ? 3 : kind == 'u' ? 4 : kind == 'f' ? 6 : 7; }

PyObject* new_scalar(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return make_scalar(*dtype_of_scalar_type(type), args, kwargs);
}

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak_references), READONLY, nullptr},
    {},
};

PyTypeObject* made_type(PyType_Spec& spec, PyObject* bases) {
  auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, bases));
  if (!type) nb::raise_python_error();
  return type;
}
PyObject* object_of(PyTypeObject* type) { return reinterpret_cast<PyObject*>(type); }

PyTypeObject* make_abstract(const char* name, const char* doc, PyTypeObject* base) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_array)},
      {Py_tp_doc, const_cast<char*>(doc)},
      {0, nullptr},
  };
  PyType_Spec spec = {name, sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  return made_type(spec, object_of(base));
}
/// `python`: the class of Python's that it is derived from too, or null.
PyTypeObject* make_concrete(const char* name, PyTypeObject* base, PyTypeObject* python) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_array)},
      {Py_tp_doc, const_cast<char*>("A scalar: a 0-D array that does not change in place.")},
      {Py_tp_members, members},
      {Py_tp_new, reinterpret_cast<void*>(new_scalar)},
      {0, nullptr},
  };
  PyType_Spec spec = {name, sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT, slots};
  if (!python) return made_type(spec, object_of(base));
  const nb::object bases = nb::steal(PyTuple_Pack(2, base, python));
  if (!bases.is_valid()) nb::raise_python_error();
  return made_type(spec, bases.ptr());
}

// ---- types of pending scalars ----

PyObject* class_of_pending(PyObject* self, void*) {
  return Py_NewRef(scalar_types[static_cast<int>(array_of(self).get()->type)]);
}
int refuse_class(PyObject*, PyObject*, void*) {
  PyErr_SetString(PyExc_TypeError, "__class__ assignment only supported for mutable types or ModuleType subclasses");
  return -1;
}
/// What sqlite3 asks for, whatever its protocol.
PyObject* conform(PyObject* self, PyObject*) {
  return array_of(self).dtype().kind() == 'c' ? Py_NewRef(Py_None) : PyNumber_Float(self);
}

PyTypeObject* make_pending(const char* name, PyTypeObject* base) {
  static PyGetSetDef attributes[] = {{"__class__", class_of_pending, refuse_class, nullptr, nullptr}, {}};
  static PyMethodDef methods[] = {{"__conform__", conform, METH_O, nullptr}, {}};
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_array)},
      {Py_tp_members, members},
      {Py_tp_getset, attributes},
      {Py_tp_methods, methods},
      {Py_tp_new, reinterpret_cast<void*>(new_scalar)},
      {0, nullptr},
  };
  PyType_Spec spec = {name, sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT, slots};
  return made_type(spec, object_of(base));
}

}  // namespace

std::optional<dtype_id> dtype_of_scalar_type(PyTypeObject* type) {
  for (int i = 0; i < dtype_count; ++i)
    if (scalar_types[i] == type) return static_cast<dtype_id>(i);
  if (type == pending_types[0]) return dtype_id::float64;
  if (type == pending_types[1]) return dtype_id::complex128;
  for (const Abstract& a : abstract_types)
    if (a.type == type) return a.like;
  return {};
}

void make_scalar_types(Module& m) {
  nb::dict types;
  auto add = [&](const char* full, PyTypeObject* type) {
    types[std::string(full).substr(sizeof "numjit").c_str()] = nb::borrow(reinterpret_cast<PyObject*>(type));
  };
  for (Abstract& a : abstract_types) {
    a.type = make_abstract(a.name, a.doc, a.base < 0 ? array_base : abstract_types[a.base].type);
    add(a.name, a.type);
  }
  static std::string names[dtype_count];  // types keep the pointer
  for (int i = 0; i < dtype_count; ++i) {
    const dtype t(static_cast<dtype_id>(i));
    names[i] = "numjit." + std::string(t.name());
    PyTypeObject* const base = abstract_types[base_of(t.kind())].type;
    const bool is_float = t.id() == dtype_id::float64, is_complex = t.id() == dtype_id::complex128;
    scalar_types[i] = make_concrete(names[i].c_str(), base, is_float ? &PyFloat_Type : is_complex ? &PyComplex_Type : nullptr);
    if (is_float || is_complex) pending_types[is_complex] = make_pending(names[i].c_str(), base);
    add(names[i].c_str(), scalar_types[i]);
  }
  // Subclassing is left out.
  array_base->tp_flags &= ~Py_TPFLAGS_BASETYPE;
  for (Abstract& a : abstract_types) a.type->tp_flags &= ~Py_TPFLAGS_BASETYPE;
  m.attr("scalar_types") = types;
}

}  // namespace numjit::py
