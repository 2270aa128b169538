// Objects of scalars: made of elements, kept for the next one, pending in a compiled function; and arithmetic with them that
// needs no array.
#pragma once

#include <numjit/array/remote.h>

#include "module.h"

namespace numjit::py {

/// float64 and complex128 whose value is not at hand: a graph computes it, or it lies on a device. Python's own functions
/// would read the value of a float, so these are of no class of Python's: types of the same name, whose objects tell
/// float64 and complex128 as their `__class__`. When the graph has run they become those.
extern PyTypeObject* pending_types[2];

/// A new object of a type, on which nothing depends yet. Null with an exception set when memory is short.
PyObject* new_object(PyTypeObject* type, array a);
/// A scalar of the host's memory with this element.
PyObject* scalar_of(dtype_id type, const void* element);
/// numjit.True_ or numjit.False_.
PyObject* truth_object(bool value);
/// The object of a 0-D array.
PyObject* scalar_object(array a);
/// What a scalar has beside an array ends. Whether the object is kept for another scalar.
bool end_scalar(ArrayObject* o) noexcept;
/// The scalars whose graph has run become floats and complex numbers.
void settle_scalars() noexcept;

/// A compiled call: at its end its scalars are settled.
class SettledScalars {
 public:
  SettledScalars() = default;
  ~SettledScalars() { settle_scalars(); }
  SettledScalars(const SettledScalars&) = delete;
  SettledScalars& operator=(const SettledScalars&) = delete;
};

// ---- arithmetic ----

/// Do operations run here and now, and nobody looks at what comes out: no graph, errstate, or scope of devices?
inline bool computes_plainly() {
  return !detail::top_interpreter() && scopes_set.load(std::memory_order_relaxed) == 0 && detail::device_now() == 0;
}

/// The value of a float64 at hand, or of a float of Python's.
inline bool read_double(PyObject* o, double& to) {
  if (Py_TYPE(o) != scalar_types[static_cast<int>(dtype_id::float64)] && !PyFloat_CheckExact(o)) return false;
  to = reinterpret_cast<const PyFloatObject*>(o)->ob_fval;
  return true;
}
/// Of an int64, or of an integer of Python's that is one.
inline bool read_int64(PyObject* o, std::int64_t& to) {
  if (Py_TYPE(o) == scalar_types[static_cast<int>(dtype_id::int64)]) {
    const node* n = array_of(o).get();
    if (n->is(node::lazy) || n->device != 0) return false;
    to = *reinterpret_cast<const std::int64_t*>(n->data);
    return true;
  }
  if (!PyLong_CheckExact(o)) return false;
  int overflow = 0;
  to = PyLong_AsLongLongAndOverflow(o, &overflow);
  return overflow == 0;
}

/// A op B for two numbers of one type, as the loops over arrays compute it; null for ops that they leave to the general way.
template <op_id op, class T>
PyObject* of_numbers(T x, T y) {
  if constexpr (op == op_id::equal)
    return truth_object(x == y);
  else if constexpr (op == op_id::not_equal)
    return truth_object(x != y);
  else if constexpr (op == op_id::less)
    return truth_object(x < y);
  else if constexpr (op == op_id::less_equal)
    return truth_object(x <= y);
  else if constexpr (op == op_id::greater)
    return truth_object(x > y);
  else if constexpr (op == op_id::greater_equal)
    return truth_object(x >= y);
  using wide = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                           std::type_identity<T>>::type;  // integers wrap round
  constexpr dtype_id type = std::is_integral_v<T> ? dtype_id::int64 : dtype_id::float64;
  const auto made = [](wide value) { return scalar_of(type, &value); };
  if constexpr (op == op_id::add)
    return made(static_cast<wide>(x) + static_cast<wide>(y));
  else if constexpr (op == op_id::subtract)
    return made(static_cast<wide>(x) - static_cast<wide>(y));
  else if constexpr (op == op_id::multiply)
    return made(static_cast<wide>(x) * static_cast<wide>(y));
  else if constexpr (op == op_id::divide && std::is_floating_point_v<T>)
    return made(x / y);
  return nullptr;
}

/// The result for two scalars (no arrays) of float64 or int64, or one and a number of Python's; null without an exception for all
/// else.
template <op_id op>
PyObject* of_scalars(PyObject* a, PyObject* b) {
  constexpr bool divides = op == op_id::divide;
  if constexpr (!divides && !compares(op) && op != op_id::add && op != op_id::subtract && op != op_id::multiply) {
    return nullptr;
  } else {
    double x = 0, y = 0;
    std::int64_t i = 0, k = 0;
    if (read_double(a, x)) {
      if (!read_double(b, y)) {
        if (!PyLong_CheckExact(b) || !read_int64(b, k)) return nullptr;
        y = static_cast<double>(k);
      }
      return computes_plainly() ? of_numbers<op>(x, y) : nullptr;
    }
    if (!read_int64(a, i)) return nullptr;
    if (read_double(b, y))
      return PyLong_CheckExact(a) && computes_plainly() ? of_numbers<op>(static_cast<double>(i), y) : nullptr;
    if constexpr (!divides) {
      if (read_int64(b, k) && computes_plainly()) return of_numbers<op>(i, k);
    }
    return nullptr;
  }
}

// ---- operators: scalar_operators.cpp ----

/// A number of a class that has nothing to do with ours or Python's: a fraction, a decimal number, a symbol.
bool is_other_number(PyObject* o);
/// A scalar beside one of them: as Python's own number.
PyObject* binary_of_object(op_id op, PyObject* a, PyObject* b);
/// Scalars, or numbers of Python's, outside of graphs: where an errstate looks at results, it looks at theirs.
bool are_watched(PyObject* a, PyObject* b);
/// Their operators: with NumPy's texts for scalars, and of integers that leave their range.
PyObject* binary_of_watched(op_id op, PyObject* a, PyObject* b);
PyObject* unary_of_watched(op_id op, PyObject* a);

}  // namespace numjit::py
