// What is known of memory of others under arrays of ours.
#pragma once

#include "module.h"

namespace numjit::py {

/// Has anybody besides us an object that leads to the memory that `o` exports: itself, or what it is a view of?
bool is_memory_held_elsewhere(PyObject* o) noexcept;
/// The object whose memory an array lies in, borrowed; null where it is the array's own, or NumPy's in an array that only we
/// have.
PyObject* exporter_of(const node* owner) noexcept;

/// Does the code that runs store into an element, as in `u[0] = x`? A number that is asked for then goes to memory of others.
bool is_storing_element();
/// Does the program read x[i] to store something in its place, as x[i] += y does?
bool is_updating_element();

}  // namespace numjit::py
