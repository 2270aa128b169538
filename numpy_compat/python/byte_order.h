// dtypes whose numbers have their bytes in the other order than the processor's, and arrays of them. Memory is always in the
// processor's order: an array that was asked for in the other one carries a mark, by which it tells its dtype and its bytes.
#pragma once

#include <optional>

#include "module.h"

namespace numjit::py {

/// dtype of an array that is made, and whether the other order is asked for; nothing for None.
struct KeptType {
  std::optional<dtype_id> id;
  bool other = false;
};
KeptType to_kept_type(PyObject* o);
/// Does an object name a dtype of the other order: ">f8", a dtype of ours or of NumPy's? TypeError for what names none.
bool is_other_order(PyObject* o);
/// dtype as which memory is read, in the processor's order: TypeError for the other one.
dtype_id to_native_dtype(PyObject* o);
/// The dtype of the other order, borrowed; null where elements are bytes.
PyObject* other_dtype_object(dtype_id id);

inline double& order_mark(PyObject* array) { return reinterpret_cast<ArrayObject*>(array)->value.parts[0]; }
inline bool is_in_other_order(PyObject* o) { return Py_TYPE(o) == array_type && order_mark(o) != 0; }
/// The same new array, marked where `other`. Not in graphs: calls that need no body would give it without.
nb::object in_order(nb::object made, bool other);
/// A new array of the elements of another one, in the same order.
inline PyObject* as_ordered(PyObject* made, PyObject* of) {
  if (is_in_other_order(of)) [[unlikely]]
    return in_order(nb::steal(made), true).release().ptr();
  return made;
}

}  // namespace numjit::py
