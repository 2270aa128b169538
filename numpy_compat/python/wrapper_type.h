// The types of objects that stand before a function written in Python: quick functions, and those that give way to arrays of
// other libraries. Such an object is called in C, is a method where a class has it, is pickled by its name, and holds
// attributes as a function does.
#pragma once

#include <cstddef>

#include "module.h"

namespace numjit::py {

struct WrapperObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject* name;     // what the object was made with
  PyObject* wrapped;  // the function
  PyObject* dict;
};

/// A type whose objects begin with a WrapperObject and have `size` bytes. `binds`: in a class they are methods, as functions
/// of Python are; those that NumPy has in C are not.
PyTypeObject* make_wrapper_type(const char* name, std::size_t size, bool binds = true);
/// An object of such a type; what it has beside the WrapperObject is zero.
nb::object make_wrapper(PyTypeObject* type, vectorcallfunc call, nb::str name, nb::object wrapped);

/// The arguments of a vectorcall as `*args, **kwargs`. Not valid, with an error set, if there is no memory.
struct [[gnu::visibility("hidden")]] PackedArguments {
  PackedArguments(PyObject* const* args, Py_ssize_t count, PyObject* names);
  bool is_valid() const { return positional.is_valid() && named.is_valid(); }
  nb::object positional, named;
};

}  // namespace numjit::py
