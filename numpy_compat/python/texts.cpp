// str() and repr() of arrays and scalars: by the core's print options, or as the context of the call says.
#include "byte_order.h"
#include "module.h"
#include "numpy_program.h"

namespace numjit::py {
namespace {

PyObject* options_variable = nullptr;
PyObject* text_functions[2];  // str, repr

/// The text where this context has print options set; null without an exception where it has none.
PyObject* text_by_context(PyObject* self, bool repr) {
  PyObject* value = nullptr;
  if (!options_variable || PyContextVar_Get(options_variable, Py_None, &value) != 0) return nullptr;
  const bool plain = value == Py_None;
  Py_DECREF(value);
  return plain ? nullptr : PyObject_CallOneArg(text_functions[repr], self);
}
/// Inside a NumPy program: NumPy's text, whose print options the program sets.
PyObject* numpy_text(PyObject* o, bool repr) {
  nb::object numpys = nb::steal(PyObject_CallMethod(o, "__array__", nullptr));
  if (numpys.is_valid() && is_scalar(o)) numpys = nb::steal(PyObject_GetItem(numpys.ptr(), nb::tuple().ptr()));
  if (!numpys.is_valid()) throw ErrorSet();
  return repr ? PyObject_Repr(numpys.ptr()) : PyObject_Str(numpys.ptr());
}
PyObject* text_slot(PyObject* self, bool repr) {
  if (numpy_programs_open > 0) [[unlikely]]
    return guarded([&] { return numpy_text(self, repr); });
  PyObject* made = text_by_context(self, repr);
  return made || PyErr_Occurred() ? made : guarded([&] { return plain_text(self, repr); });
}

}  // namespace

PyObject* str_slot(PyObject* self) { return text_slot(self, false); }
PyObject* repr_slot(PyObject* self) { return text_slot(self, true); }

namespace {
/// The text of an array whose dtype is of the other byte order: array([1], dtype='>i8').
std::string in_other_order(std::string text, std::string_view descr) {
  const std::size_t before = text.rfind(", dtype=");
  text.resize(before != std::string::npos ? before : text.size() - 1);
  return text + ", dtype='>" + std::string(descr.substr(1)) + "')";
}
}  // namespace

PyObject* plain_text(PyObject* self, bool repr) {
  const array& a = array_of(self);
  if (!repr) return unicode(a.str());
  if (is_in_other_order(self)) return unicode(in_other_order(a.repr(), a.dtype().descr()));
  if (!is_scalar(self)) return unicode(a.repr());
  std::string value = a.str();
  if (a.dtype().kind() == 'b') return unicode("np." + value + "_");
  if (a.dtype().kind() == 'c' && value.size() > 2 && value.front() == '(') value = value.substr(1, value.size() - 2);
  return unicode("np." + std::string(a.dtype().name()) + "(" + value + ")");
}

void set_text_functions(nb::handle variable, nb::handle str, nb::handle repr) {
  options_variable = Py_NewRef(variable.ptr());
  text_functions[0] = Py_NewRef(str.ptr());
  text_functions[1] = Py_NewRef(repr.ptr());
}

}  // namespace numjit::py
