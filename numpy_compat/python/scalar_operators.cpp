// Operators of scalars beside numbers that no array holds, and while an errstate looks at results.
#include <cstring>
#include <string>

#include <numjit/trace/api/float_errors.h>

#include "scalars.h"

namespace numjit::py {

namespace {

/// The operator of Python's own for what a scalar is combined with that no array can hold.
PyObject* apply_python(op_id op, PyObject* a, PyObject* b) {
  switch (op) {
    case op_id::add: return PyNumber_Add(a, b);
    case op_id::subtract: return PyNumber_Subtract(a, b);
    case op_id::multiply: return PyNumber_Multiply(a, b);
    case op_id::divide: return PyNumber_TrueDivide(a, b);
    case op_id::floor_divide: return PyNumber_FloorDivide(a, b);
    case op_id::remainder: return PyNumber_Remainder(a, b);
    case op_id::power: return PyNumber_Power(a, b, Py_None);
    case op_id::equal: return PyObject_RichCompare(a, b, Py_EQ);
    case op_id::not_equal: return PyObject_RichCompare(a, b, Py_NE);
    case op_id::less: return PyObject_RichCompare(a, b, Py_LT);
    case op_id::less_equal: return PyObject_RichCompare(a, b, Py_LE);
    case op_id::greater: return PyObject_RichCompare(a, b, Py_GT);
    case op_id::greater_equal: return PyObject_RichCompare(a, b, Py_GE);
    default: Py_RETURN_NOTIMPLEMENTED;
  }
}

bool is_scalar_or_weak(PyObject* o) { return is_array(o) ? is_scalar(o) : is_weak_number(o); }
bool is_integer(PyObject* o) { return PyLong_CheckExact(o) || (is_array(o) && std::strchr("iu", array_of(o).dtype().kind())); }
nb::object number_of(PyObject* o) {
  nb::object number = is_array(o) ? nb::steal(item_object(array_of(o))) : nb::borrow(o);
  if (!number.is_valid()) throw ErrorSet();
  return number;
}

/// Reports an overflow where integers gave something else than `exact`, the same of Python's.
void check_range(op_id op, PyObject* result, const nb::object& exact) {
  if (!exact.is_valid()) throw ErrorSet();
  const int same = PyObject_RichCompareBool(number_of(result).ptr(), exact.ptr(), Py_EQ);
  if (same < 0) throw ErrorSet();
  const std::string name(info(op).name);
  if (!same) tracing::report_float_error(tracing::FloatErrorKind::over, name, "scalar " + name);
}

}  // namespace

bool is_other_number(PyObject* o) { return is_other_object(o) && !PyFloat_Check(o) && !PyLong_Check(o) && !PyComplex_Check(o); }

PyObject* binary_of_object(op_id op, PyObject* a, PyObject* b) {
  const bool first = is_array(a);
  nb::object number = nb::steal(guarded([&] { return item_object(array_of(first ? a : b)); }));
  if (!number.is_valid()) return nullptr;
  return first ? apply_python(op, number.ptr(), b) : apply_python(op, a, number.ptr());
}

bool are_watched(PyObject* a, PyObject* b) {
  // Of what stands for a batch nobody knows the value.
  return !detail::recording && !detail::levels_are_open() && is_scalar_or_weak(a) && is_scalar_or_weak(b);
}

PyObject* binary_of_watched(op_id op, PyObject* a, PyObject* b) {
  return guarded([&] {
    const tracing::ScalarsAtWork scalars;
    const Argument x(a), y(b);
    if (!compares(op)) {  // an integer beyond 64 bits beside an array's
      if (x.get().is_array()) y.refuse_huge(dtype(x.get().n()->type).kind());
      if (y.get().is_array()) x.refuse_huge(dtype(y.get().n()->type).kind());
    }
    nb::object made = nb::steal(wrap_result(bind_ufunc(op, x.get(), y.get())));
    if (!made.is_valid()) throw ErrorSet();
    if ((op == op_id::add || op == op_id::subtract || op == op_id::multiply) && is_integer(made.ptr()) && is_integer(a) &&
        is_integer(b))
      check_range(op, made.ptr(), nb::steal(apply_python(op, number_of(a).ptr(), number_of(b).ptr())));
    return made.release().ptr();
  });
}

PyObject* unary_of_watched(op_id op, PyObject* a) {
  return guarded([&] {
    const tracing::ScalarsAtWork scalars;
    nb::object made = nb::steal(wrap_result(bind_ufunc(op, operand_of(array_of(a)))));
    if (!made.is_valid()) throw ErrorSet();
    if ((op == op_id::negative || op == op_id::absolute) && is_integer(a)) {
      const nb::object number = number_of(a);
      check_range(op, made.ptr(),
                  nb::steal(op == op_id::negative ? PyNumber_Negative(number.ptr()) : PyNumber_Absolute(number.ptr())));
    }
    return made.release().ptr();
  });
}

}  // namespace numjit::py
