// What the compiled functions of one code object share: a def or lambda that is reached again goes on with what it learned.
#include <memory>
#include <unordered_map>

#include <numjit/trace/state/function_state.h>

#include "module.h"

namespace numjit::py {

namespace {

using tracing::mix;

struct CodeStates {
  PyObject* weak = nullptr;  // reference to the code: what was learned ends with it
  tracing::SharedStates states;
};

/// By address of the code; changed under the GIL only.
std::unordered_map<PyObject*, std::unique_ptr<CodeStates>>& all_states() {
  static auto& all = *new std::unordered_map<PyObject*, std::unique_ptr<CodeStates>>;
  return all;
}

PyObject* forget_code(PyObject* address, PyObject*) {
  const auto found = all_states().find(static_cast<PyObject*>(PyLong_AsVoidPtr(address)));
  if (found != all_states().end()) {
    const std::unique_ptr<CodeStates> dropped = std::move(found->second);  // its end may run code of others
    all_states().erase(found);
    Py_DECREF(dropped->weak);
  }
  Py_RETURN_NONE;
}
PyMethodDef forget_method = {"forget_code", forget_code, METH_O, nullptr};

tracing::SharedStates& states_of(PyObject* code) {
  std::unique_ptr<CodeStates>& known = all_states()[code];
  if (!known) {
    nb::object address = nb::steal(PyLong_FromVoidPtr(code));
    nb::object callback = nb::steal(PyCFunction_New(&forget_method, address.ptr()));
    auto made = std::make_unique<CodeStates>();
    made->weak = PyWeakref_NewRef(code, callback.ptr());
    if (!made->weak) {
      all_states().erase(code);
      throw nb::python_error();
    }
    known = std::move(made);
  }
  return known->states;
}

std::uint64_t word_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

// The values of a closure are read by the body at each call, and need not be the same. But functions among them decide what
// the body does: all functions that one decorator wrapped have its wrapper's code. Addresses are enough: taking one thing
// for another costs time, nothing else.
std::uint64_t kind_of(PyObject* o, int depth) {
  if (o && Py_TYPE(o) == compiled_type) return kind_of(function_of_compiled(o), depth);
  if (o && PyMethod_Check(o)) return mix(kind_of(PyMethod_GET_FUNCTION(o), depth), word_of(Py_TYPE(PyMethod_GET_SELF(o))));
  if (!o || !PyFunction_Check(o) || depth == 0) return word_of(o ? Py_TYPE(o) : nullptr);
  std::uint64_t kind = word_of(PyFunction_GET_CODE(o));
  PyObject* closure = PyFunction_GET_CLOSURE(o);
  for (Py_ssize_t i = 0; closure && i < PyTuple_GET_SIZE(closure); ++i)
    kind = mix(kind, kind_of(PyCell_GET(PyTuple_GET_ITEM(closure, i)), depth - 1));
  return kind;
}

// The Python function that a callable runs, or null.
PyObject* function_behind(PyObject* o) {
  if (Py_TYPE(o) == compiled_type) return function_behind(function_of_compiled(o));
  if (PyMethod_Check(o)) return function_behind(PyMethod_GET_FUNCTION(o));
  return PyFunction_Check(o) ? o : nullptr;
}

// In mode replay the body does not run: only functions that capture nothing have the same results whoever made them.
bool captures_nothing(PyObject* o) {
  if (!PyFunction_Check(o) || PyFunction_GET_CLOSURE(o) || PyFunction_GET_DEFAULTS(o) || PyFunction_GET_KW_DEFAULTS(o))
    return false;
  PyObject* name = PyFunction_GET_MODULE(o);
  if (!name || !PyUnicode_Check(name)) return false;
  PyObject* module = PyDict_GetItem(PyImport_GetModuleDict(), name);
  return module && PyModule_Check(module) && PyModule_GetDict(module) == PyFunction_GET_GLOBALS(o);
}

}  // namespace

std::shared_ptr<tracing::FunctionState> state_of_callable(PyObject* callable, const compile_options& options) {
  PyObject* function = function_behind(callable);
  if (!function || (options.mode == mode::replay && !captures_nothing(callable))) return tracing::make_function_state(options);
  constexpr int wrappers = 4;  // around each other, that are looked into
  const bool captures = PyFunction_GET_CLOSURE(function) != nullptr;
  return states_of(PyFunction_GET_CODE(function)).get(options, kind_of(callable, wrappers), captures);
}

nb::object parameter_names(PyObject* callable, PyObject* from_signature) {
  // What functools.wraps or __signature__ says goes before the code.
  PyObject* dict = PyFunction_Check(callable) ? reinterpret_cast<PyFunctionObject*>(callable)->func_dict : nullptr;
  if (!PyFunction_Check(callable) || (dict && PyDict_Size(dict) > 0)) return nb::handle(from_signature)(nb::handle(callable));
  PyObject* code = PyFunction_GET_CODE(callable);
  nb::object all = nb::steal(PyObject_GetAttrString(code, "co_varnames"));
  if (!all.is_valid()) throw nb::python_error();
  return nb::steal(PySequence_GetSlice(all.ptr(), 0, reinterpret_cast<PyCodeObject*>(code)->co_argcount));
}

}  // namespace numjit::py
