// Common forms of calls on small arrays at hand: see quick.cpp.
#pragma once

#include "module.h"

namespace numjit::py {

/// The arguments of a call; `names` is null where there are no keywords.
struct Arguments {
  PyObject* const* values;
  Py_ssize_t count;
  PyObject* names;
};
/// The result, or null without an exception: not one of the forms that are quick.
using Quick = PyObject* (*)(const Arguments&);

/// Of a function; null if it has none.
Quick quick_form(const char* name);
/// The result of a call, or null without an exception.
PyObject* try_quick(Quick quick, const Arguments& a);

}  // namespace numjit::py
