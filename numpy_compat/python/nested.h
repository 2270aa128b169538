// What the conversions of Python objects share: numbers, protocols, nested sequences.
#pragma once

#include "module.h"

namespace numjit::py {

/// An integer of any size: beyond uint64 it counts as a float, and `huge` is set (null: an error).
operand weak_int(PyObject* o, bool* huge = nullptr);
/// A weak scalar, if `o` is a number of Python's own (NumPy's float64 is a float, but strong).
std::optional<operand> weak_operand(PyObject* o, bool* huge = nullptr);

bool is_sequence(PyObject* o);
/// An array from what an object offers: itself, a buffer, __array__, __array_interface__, __dlpack__; nothing otherwise.
std::optional<array> from_protocols(PyObject* o, bool allow_copy);
[[noreturn]] void throw_no_number(PyObject* o);

/// A number, or sequences in sequences, as an array; of one dtype if that is given. RuntimeError for a list whose length
/// changes meanwhile.
array from_nested(PyObject* o, std::optional<dtype_id> type);

}  // namespace numjit::py
