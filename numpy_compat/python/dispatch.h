// Calls with arrays of other libraries: see dispatch.cpp.
#pragma once

#include "module.h"

namespace numjit::py {

/// What NumPy gives for a call of a function of that name that has an array of another library among its arguments, null for an
/// error; nullopt where it has none, or NumPy does not hand it on.
std::optional<PyObject*> handed_on(const char* name, PyObject* const* args, Py_ssize_t count, PyObject* names);

}  // namespace numjit::py
