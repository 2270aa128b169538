// Coroutines and generators under compile: each stretch up to the next await or yield is a call of its own.
#include "module.h"

namespace numjit::py {

namespace {

/// What StopIteration carries, which is set.
nb::object stop_value() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const nb::object kept[] = {nb::steal(type), nb::steal(value), nb::steal(trace)};
  return nb::steal(PyObject_GetAttrString(kept[1].ptr(), "value"));
}

/// Goes on with a coroutine or generator: (has it returned, what it returned or yields). `thrown`: None, or what it gets
/// raised in place of the value.
nb::object resume(nb::object iterator, nb::object value, nb::object thrown) {
  PyObject* made = nullptr;
  bool returned = false;
  if (thrown.is_none()) {
    const PySendResult result = PyIter_Send(iterator.ptr(), value.ptr(), &made);
    if (result == PYGEN_ERROR) throw nb::python_error();
    returned = result == PYGEN_RETURN;
  } else {
    made = PyObject_CallMethod(iterator.ptr(), "throw", "O", thrown.ptr());
    returned = !made && PyErr_ExceptionMatches(PyExc_StopIteration);
    if (!made && !returned) throw nb::python_error();
    if (returned) made = stop_value().release().ptr();
  }
  const nb::object result = nb::steal(made);
  if (!result.is_valid()) throw nb::python_error();
  return nb::make_tuple(returned, result);
}

}  // namespace

void define_coroutines(Module& m) { m.def("resume", resume, nb::arg().none(), nb::arg().none(), nb::arg().none()); }

}  // namespace numjit::py
