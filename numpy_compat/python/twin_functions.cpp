// Functions of NumPy's, as twins call them: ours, and NumPy's where ours has refused what it was given.
#include <cstddef>

#include "wrapper_type.h"

namespace numjit::py {

namespace {

struct TwinFunction {
  WrapperObject head;  // `wrapped`: ours, or NumPy's where we have none
  PyObject *ours, *numpys, *either;
};
PyTypeObject* twin_function_type = nullptr;

/// What `either` gives for a call that ours has refused with the exception that is set, or has not taken.
PyObject* call_either(const TwinFunction* self, PyObject* const* args, std::size_t flagged, PyObject* names) {
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  if (type) PyErr_NormalizeException(&type, &error, &trace);
  const nb::object held_type = nb::steal(type), held_trace = nb::steal(trace);
  const nb::object held = error ? nb::steal(error) : nb::none();
  if (trace && error) PyException_SetTraceback(error, trace);
  const PackedArguments given(args, PyVectorcall_NARGS(flagged), names);
  if (!given.is_valid()) return nullptr;
  return PyObject_CallFunctionObjArgs(self->either, self->ours, self->numpys, held.ptr(), given.positional.ptr(),
                                      given.named.ptr(), nullptr);
}

PyObject* call_twin_function(PyObject* callable, PyObject* const* args, std::size_t flagged, PyObject* names) {
  const auto* self = reinterpret_cast<const TwinFunction*>(callable);
  if (self->ours == Py_None) return call_either(self, args, flagged, names);
  PyObject* made = PyObject_Vectorcall(self->ours, args, flagged & ~PY_VECTORCALL_ARGUMENTS_OFFSET, names);
  if (made || !(PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_NotImplementedError))) return made;
  return call_either(self, args, flagged, names);
}

/// reduce, at, __name__ and whatever else the function has.
PyObject* attribute_of_twin(PyObject* o, PyObject* name) {
  PyObject* own = PyObject_GenericGetAttr(o, name);
  if (own || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
  PyErr_Clear();
  return PyObject_GetAttr(reinterpret_cast<TwinFunction*>(o)->head.wrapped, name);
}

}  // namespace

void define_twin_functions(Module& m) {
  twin_function_type = make_wrapper_type("numjit.twin_function", sizeof(TwinFunction));
  twin_function_type->tp_getattro = attribute_of_twin;
  PyType_Modified(twin_function_type);
  m.def("twin_function", [](Any ours, Any numpys, Any either) {
    nb::object made =
        make_wrapper(twin_function_type, call_twin_function, nb::str(""), nb::borrow(ours.is_none() ? numpys : ours));
    auto* self = reinterpret_cast<TwinFunction*>(made.ptr());
    self->ours = Py_NewRef(ours.ptr());
    self->numpys = Py_NewRef(numpys.ptr());
    self->either = Py_NewRef(either.ptr());
    return made;
  });
}

}  // namespace numjit::py
