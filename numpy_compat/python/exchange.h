// What is known of memory of others under arrays of ours.
#pragma once

#include "module.h"

namespace numjit::py {

/// Has anybody besides us an object that leads to the memory that `o` exports: itself, or what it is a view of?
bool is_memory_held_elsewhere(PyObject* o) noexcept;
/// The object whose memory an array lies in, borrowed; null where it is the array's own, or NumPy's in an array that only we
/// have.
PyObject* exporter_of(const node* owner) noexcept;

}  // namespace numjit::py
