// The scalar types: numjit.float64 and its siblings below generic, number, floating, ..., as in NumPy.
#include <string>

#include "module.h"

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

PyTypeObject* make_type(const char* name, const char* doc, bool concrete, PyTypeObject* base) {
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_array)},
      {Py_tp_doc, const_cast<char*>(doc)},
      {concrete ? Py_tp_new : 0, reinterpret_cast<void*>(new_scalar)},
      {0, nullptr},
  };
  PyType_Spec spec = {name, sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT, slots};
  if (!concrete) spec.flags |= Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(base)));
  if (!type) nb::raise_python_error();
  return type;
}

}  // namespace

std::optional<dtype_id> dtype_of_scalar_type(PyTypeObject* type) {
  for (int i = 0; i < dtype_count; ++i)
    if (scalar_types[i] == type) return static_cast<dtype_id>(i);
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
    a.type = make_type(a.name, a.doc, false, a.base < 0 ? array_base : abstract_types[a.base].type);
    add(a.name, a.type);
  }
  static std::string names[dtype_count];  // types keep the pointer
  for (int i = 0; i < dtype_count; ++i) {
    const dtype t(static_cast<dtype_id>(i));
    names[i] = "numjit." + std::string(t.name());
    scalar_types[i] = make_type(names[i].c_str(), "A scalar: a 0-D array that does not change in place.", true, abstract_types[base_of(t.kind())].type);
    add(names[i].c_str(), scalar_types[i]);
  }
  // Subclassing is left out.
  array_base->tp_flags &= ~Py_TPFLAGS_BASETYPE;
  for (Abstract& a : abstract_types) a.type->tp_flags &= ~Py_TPFLAGS_BASETYPE;
  m.attr("scalar_types") = types;
}

}  // namespace numjit::py
