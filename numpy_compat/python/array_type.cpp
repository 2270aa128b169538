// The type numjit.ndarray: operators, attributes and conversions, straight on CPython's slots, as a call
// must not cost more than NumPy's. Methods with options are written in Python (numjit/_methods.py).
#include <cstddef>
#include <cstring>

#include <numjit/base/check_interrupt.h>
#include <numjit/base/location_provider.h>
#include <numjit/trace/state/pending.h>
#include "byte_order.h"
#include "exchange.h"
#include "module.h"
#include "scalars.h"

#include <structmember.h>  // after Python.h

namespace numjit::py {

PyTypeObject *array_base, *array_type;
PyObject* new_array(PyTypeObject*, PyObject* args, PyObject* kwargs);  // wrap.cpp
int set_strides(PyObject* self, PyObject* value, void*);               // wrap.cpp
PyObject* get_base(PyObject* self, void*);                             // wrap.cpp
PyObject* resize_method(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names);  // wrap.cpp
PyObject* get_array_struct(PyObject* self, void*);                                                  // exchange.cpp

void dealloc_array(PyObject* self) {
  auto* o = reinterpret_cast<ArrayObject*>(self);
  PyTypeObject* type = Py_TYPE(self);
  if (o->weak_references) PyObject_ClearWeakRefs(self);
  if (type != array_type && end_scalar(o)) return Py_DECREF(type);
  detail::drop_anywhere(o->a);  // which leaves an empty handle
  Py_XDECREF(o->base);
  PyObject_Free(self);
  Py_DECREF(type);
}

namespace {

// ---- operators ----

/// A scalar times a list, tuple or text: repeats it for an integer, as Python's own numbers do.
PyObject* repeat_sequence(PyObject* sequence, PyObject* scalar) {
  const char kind = array_of(scalar).dtype().kind();
  if (kind == 'i' || kind == 'u') {
    nb::object count = nb::steal(guarded([&] { return item_object(array_of(scalar)); }));
    return count.is_valid() ? PyNumber_Multiply(sequence, count.ptr()) : nullptr;
  }
  PyErr_Format(PyExc_TypeError, "can't multiply sequence by non-int of type '%s'", Py_TYPE(scalar)->tp_name);
  return nullptr;
}
bool is_plain_sequence(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o); }

/// OverflowError for an integer beyond 64 bits beside an array of integers.
void refuse_huge(const Argument& x, const Argument& y) {
  if (x.get().is_array()) y.refuse_huge(x.as_array().dtype().kind());
  if (y.get().is_array()) x.refuse_huge(y.as_array().dtype().kind());
}
/// Of any objects: what their conversion does to the arrays beside them, and other threads while it runs, does no harm.
[[gnu::noinline]] PyObject* binary_of_any(op_id op, PyObject* a, PyObject* b) {
  if ((!is_array(a) && !looks_like_operand(a)) || (!is_array(b) && !looks_like_operand(b))) Py_RETURN_NOTIMPLEMENTED;
  if (is_foreign(a) || is_foreign(b)) return call_numpy(info(op).name, {a, b});
  if ((is_array(a) && is_scalar(a) && is_other_number(b)) || (is_array(b) && is_scalar(b) && is_other_number(a)))
    return binary_of_object(op, a, b);
  return guarded([&] {
    Argument x, y;
    set_both(x, a, y, b);
    if ((x.is_huge() || y.is_huge()) && !compares(op)) refuse_huge(x, y);
    array result;
    {
      MaybeUnlocked unlocked(std::max(work_of(x), work_of(y)), x, y);
      result = bind_ufunc(op, x.get(), y.get());
    }
    return wrap_result(std::move(result));
  });
}
template <op_id op>
PyObject* binary(PyObject* a, PyObject* b) {
  if (Py_TYPE(a) != array_type && Py_TYPE(b) != array_type) {
    if (PyObject* made = of_scalars<op>(a, b)) return made;
    if (PyErr_Occurred()) [[unlikely]]
      return nullptr;
    if (detail::top_interpreter() && are_watched(a, b)) [[unlikely]]
      return binary_of_watched(op, a, b);
  }
  if constexpr (op == op_id::multiply) {
    if (is_plain_sequence(b) && is_array(a) && is_scalar(a)) [[unlikely]]
      return repeat_sequence(b, a);
    if (is_plain_sequence(a) && is_array(b) && is_scalar(b)) [[unlikely]]
      return repeat_sequence(a, b);
  }
  if (!is_simple(a) || !is_simple(b)) [[unlikely]]
    return binary_of_any(op, a, b);
  return guarded([&] {
    Argument x(a, Argument::Borrowed()), y(b, Argument::Borrowed());
    if ((x.is_huge() || y.is_huge()) && !compares(op)) [[unlikely]]
      refuse_huge(x, y);
    return wrap_result(bind_ufunc(op, x.get(), y.get()));
  });
}
[[gnu::noinline]] PyObject* unary_of_many(op_id op, PyObject* a) {
  return guarded([&] {
    const Argument x(a);
    array result;
    {
      MaybeUnlocked unlocked(work_of(x));
      result = bind_ufunc(op, x.get());
    }
    return wrap_result(std::move(result));
  });
}
template <op_id op>
PyObject* unary(PyObject* a) {
  if constexpr (op == op_id::negative) {
    double value = 0;
    if (read_double(a, value) && computes_plainly()) return scalar_of(dtype_id::float64, &(value = -value));
  }
  if (Py_TYPE(a) != array_type && detail::top_interpreter() && are_watched(a, a)) [[unlikely]]
    return unary_of_watched(op, a);
  if (!is_few(a)) [[unlikely]]
    return unary_of_many(op, a);
  return guarded([&] { return wrap_result(bind_ufunc(op, operand_of(array_of(a)))); });
}
[[gnu::noinline]] PyObject* in_place_of_any(op_id op, PyObject* a, PyObject* b) {
  if (!is_array(b) && !looks_like_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  if (is_foreign(b)) return call_numpy(info(op).name, {a, b, a});
  return guarded([&] {
    if (!array_of(a).writeable()) throw ValueError("", "output array is read-only");
    Argument target, value;
    set_both(target, a, value, b);
    value.refuse_huge(dtype(target.get().n()->type).kind());
    detail::settle_pending();
    {
      MaybeUnlocked unlocked(work_of(target), target, value);
      bind({op, {target.get(), value.get()}, nullptr, target.get().n(), nullptr, {}});
    }
    return Py_NewRef(a);
  });
}
template <op_id op>
PyObject* in_place(PyObject* a, PyObject* b) {
  if (is_scalar(a)) Py_RETURN_NOTIMPLEMENTED;  // scalars do not change: the name is bound anew
  if (!is_few(a) || !is_simple(b)) [[unlikely]]
    return in_place_of_any(op, a, b);
  return guarded([&] {
    array& target = array_of(a);
    if (!target.writeable()) throw ValueError("", "output array is read-only");
    if (is_array(b)) [[likely]] {
      detail::settle_pending();
      bind({op, {operand_of(target), operand_of(array_of(b))}, nullptr, target.get(), nullptr, {}});
      return Py_NewRef(a);
    }
    Argument value(b, Argument::Borrowed());
    value.refuse_huge(target.dtype().kind());
    detail::settle_pending();
    bind({op, {operand_of(target), value.get()}, nullptr, target.get(), nullptr, {}});
    return Py_NewRef(a);
  });
}

PyObject* power_slot(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  // As NumPy's operator, which squares booleans as int8.
  if (is_array(a) && PyLong_CheckExact(b) && array_of(a).dtype().kind() == 'b' && PyLong_AsDouble(b) == 2)
    return binary<op_id::power>(a, nb::steal(wrap(dtype(dtype_id::int8)(operand(2, "", "", 0)))).ptr());
  if (PyErr_Occurred()) PyErr_Clear();
  return binary<op_id::power>(a, b);
}
PyObject* in_place_power(PyObject* a, PyObject* b, PyObject*) { return in_place<op_id::power>(a, b); }
PyObject* divmod_slot(PyObject* a, PyObject* b) {
  nb::object q = nb::steal(binary<op_id::floor_divide>(a, b));
  if (!q.is_valid() || q.ptr() == Py_NotImplemented) return q.release().ptr();
  PyObject* r = binary<op_id::remainder>(a, b);
  return r ? Py_BuildValue("(NN)", q.release().ptr(), r) : nullptr;
}
PyObject* matmul_slot(PyObject* a, PyObject* b) {
  const auto is_number = [](PyObject* o) { return is_array(o) ? is_scalar(o) : is_weak_number(o); };
  if (!looks_like_operand(a) || !looks_like_operand(b) || (is_number(a) && is_number(b))) Py_RETURN_NOTIMPLEMENTED;
  if (is_foreign(a) || is_foreign(b)) return call_numpy("matmul", {a, b});
  return guarded([&] {
    Argument x(a), y(b);
    std::optional<MaybeUnlocked> unlocked(std::in_place, 64 * std::max(work_of(x), work_of(y)));
    array result = matmul(x, y);
    unlocked.reset();
    return wrap_result(std::move(result));
  });
}
PyObject* in_place_matmul(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    nb::object product = nb::steal(matmul_slot(a, b));
    if (!product.is_valid() || product.ptr() == Py_NotImplemented) return product.release().ptr();
    if (array_of(product.ptr()).shape() != array_of(a).shape())
      throw ValueError("matmul", "inplace matrix multiplication requires the first operand to have at least one and the "
                                 "second at least two dimensions.");
    check_output_cast(op_id::matmul, array_of(product.ptr()).dtype(), array_of(a).dtype(), casting::same_kind);
    array(array_of(a)) = operand_of(array_of(product.ptr()));
    return Py_NewRef(a);
  });
}

/// Does an object of a class that is no array's compare itself? By NumPy's rules for operators.
bool goes_first(PyObject* o) { return has_attribute(o, "__array_ufunc__") || has_attribute(o, "__array_priority__"); }

/// Each element beside an object that is no number: as Python compares the two.
PyObject* compare_with_object(PyObject* a, PyObject* b, int op) {
  if (is_scalar(a) && !PyUnicode_Check(b) && !PyBytes_Check(b)) {
    nb::object number = nb::steal(guarded([&] { return item_object(array_of(a)); }));
    return number.is_valid() ? PyObject_RichCompare(number.ptr(), b, op) : nullptr;
  }
  return guarded([&]() -> PyObject* {
    const array& given = array_of(a);
    array result = full(given.shape(), operand(op == Py_NE, "", "", 0));
    if (b == Py_None || PyUnicode_Check(b) || PyBytes_Check(b)) return wrap_result(std::move(result));
    const array flat = ravel(given);
    const node* n = detail::concrete(flat.get(), "equal", {});
    auto* to = reinterpret_cast<bool*>(result.get()->data);
    for (std::int64_t i = 0; i < n->size; ++i) {
      nb::object element = nb::steal(element_object(n->data + i * n->strides[0], n->type));
      const int answer = element.is_valid() ? PyObject_RichCompareBool(element.ptr(), b, op) : -1;
      if (answer < 0) throw ErrorSet();
      to[i] = answer != 0;
    }
    return wrap_result(std::move(result));
  });
}

PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (!looks_like_operand(b) || (!is_scalar(a) && is_other_number(b) && !is_foreign(b))) {
    if ((op != Py_EQ && op != Py_NE) || goes_first(b)) Py_RETURN_NOTIMPLEMENTED;
    return compare_with_object(a, b, op);
  }
  switch (op) {
    case Py_EQ: return binary<op_id::equal>(a, b);
    case Py_NE: return binary<op_id::not_equal>(a, b);
    case Py_LT: return binary<op_id::less>(a, b);
    case Py_LE: return binary<op_id::less_equal>(a, b);
    case Py_GT: return binary<op_id::greater>(a, b);
    default: return binary<op_id::greater_equal>(a, b);
  }
}

// ---- conversions ----

int truth(PyObject* self) {
  int value = 0;
  if (is_truth(self)) return *array_of(self).get()->data;
  if (double number = 0; read_double(self, number)) return number != 0;
  if (guarded_status([&] { value = static_cast<bool>(array_of(self)); }) != 0) return -1;
  return value;
}
PyObject* single(PyObject* self, bool whole) {
  const array& a = array_of(self);
  if (a.ndim() > 0)  // which has one element otherwise
    throw TypeError("", whole ? "only integer scalar arrays can be converted to a scalar index"
                              : "only 0-dimensional arrays can be converted to Python scalars");
  return item_object(a);
}
/// The one element; of a complex scalar the real part, with NumPy's warning.
nb::object real_of(PyObject* self) {
  nb::object value = nb::steal(single(self, false));
  if (!is_scalar(self) || !PyComplex_CheckExact(value.ptr())) return value;
  warn_complex(dtype_id::complex128, dtype_id::float64, 1);
  return nb::steal(PyFloat_FromDouble(PyComplex_RealAsDouble(value.ptr())));
}
PyObject* to_float(PyObject* self) {
  if (double number = 0; !detail::levels_are_open() && read_double(self, number)) return PyFloat_FromDouble(number);
  return guarded([&] {
    if (detail::levels_are_open()) {
      if (detail::is_followed(array_of(self).get()) && is_storing_element()) detail::refuse_memory(array_of(self).get());
      detail::read_hooks.read_under_levels(array_of(self).get(), "float", detail::known_location({}));
    }
    nb::object value = real_of(self);
    if (PyComplex_CheckExact(value.ptr()))
      throw TypeError("", "float() argument must be a string or a real number, not 'complex'");
    return PyNumber_Float(value.ptr());
  });
}
PyObject* to_integer(PyObject* self) {
  return guarded([&]() -> PyObject* {
    nb::object value = real_of(self);
    if (PyComplex_CheckExact(value.ptr()))
      throw TypeError("", "int() argument must be a string, a bytes-like object or a real number, not 'complex'");
    return PyNumber_Long(value.ptr());
  });
}
PyObject* to_index(PyObject* self) {
  return guarded([&]() -> PyObject* {
    const char kind = array_of(self).dtype().kind();
    if (kind == 'f' && array_of(self).get()->is(node::lazy) && is_scalar(self))
      throw TypeError("", std::string("'") + Py_TYPE(self)->tp_name +
                              "' object cannot be interpreted as an integer. A graph computes "
                              "it: use float(x) for code that takes floats only.");
    if (kind != 'i' && kind != 'u')
      throw TypeError("", "only integer scalar arrays can be converted to a scalar index");
    return single(self, true);
  });
}

Py_ssize_t length(PyObject* self) {
  Py_ssize_t n = 0;
  if (is_scalar(self)) {
    PyErr_Format(PyExc_TypeError, "object of type '%s' has no len()", Py_TYPE(self)->tp_name);
    return -1;
  }
  return guarded_status([&] { n = array_of(self).len(); }) == 0 ? n : -1;
}
PyObject* subscript(PyObject* self, PyObject* key) {
  return guarded([&] { return get_item(self, key); });
}
int assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  return guarded_status([&] { set_item(self, key, value); });
}
PyObject* sequence_item(PyObject* self, Py_ssize_t i) {
  if (i < 0) {  // the length has been added already
    PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %zd", i, length(self));
    return nullptr;
  }
  nb::object key = nb::steal(PyLong_FromSsize_t(i));
  return subscript(self, key.ptr());
}
int assign_item(PyObject* self, Py_ssize_t i, PyObject* value) {
  if (i < 0) {
    PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %zd", i, length(self));
    return -1;
  }
  nb::object key = nb::steal(PyLong_FromSsize_t(i));
  return assign_subscript(self, key.ptr(), value);
}
int contains(PyObject* self, PyObject* value) {
  nb::object same = nb::steal(compare(self, value, Py_EQ));
  if (!same.is_valid()) return -1;
  if (!is_array(same.ptr())) return 0;
  int found = 0;
  if (guarded_status([&] { found = static_cast<bool>(any(operand_of(array_of(same.ptr())))); }) != 0) return -1;
  return found;
}
PyObject* iterate(PyObject* self) {
  if (array_of(self).ndim() == 0) {
    if (is_scalar(self)) PyErr_Format(PyExc_TypeError, "'%s' object is not iterable", Py_TYPE(self)->tp_name);
    else PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
    return nullptr;
  }
  return iterator_over(self);
}

Py_hash_t hash_slot(PyObject* self) {
  if (PyFloat_Check(self)) return PyFloat_Type.tp_hash(self);
  if (PyComplex_Check(self)) return PyComplex_Type.tp_hash(self);
  nb::object value = nb::steal(guarded([&] { return item_object(array_of(self)); }));
  return value.is_valid() ? PyObject_Hash(value.ptr()) : -1;
}

// ---- attributes ----

template <class F>
PyObject* attribute(F&& f) {
  return guarded([&]() -> PyObject* { return f(); });
}
[[noreturn]] void throw_no_deletion(const char* what) {
  PyErr_Format(PyExc_AttributeError, "Cannot delete array %s", what);
  throw ErrorSet();
}
/// Scalars never change.
void refuse_scalar(PyObject* self, const char* what) {
  if (!is_scalar(self)) return;
  PyErr_Format(PyExc_AttributeError, "attribute '%s' of 'numpy.generic' objects is not writable", what);
  throw ErrorSet();
}
PyObject* tuple_of(const dims& d) {
  PyObject* tuple = PyTuple_New(d.size());
  for (int i = 0; tuple && i < d.size(); ++i) PyTuple_SET_ITEM(tuple, i, PyLong_FromLongLong(d[i]));
  return tuple;
}
PyObject* get_shape(PyObject* self, void*) {
  return attribute([&] { return tuple_of(array_of(self).shape()); });
}
int set_shape(PyObject* self, PyObject* value, void*) {
  return guarded_status([&] {
    if (!value) throw_no_deletion("shape");
    refuse_scalar(self, "shape");
    array made = array_of(self).reshape(to_dims(value), {});
    if (made.get()->size != 0 && !tracing::begin_at_one_place(made.get(), array_of(self).get())) {
      PyErr_SetString(PyExc_AttributeError,
                      "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.");
      throw ErrorSet();
    }
    array_of(self) = made;
  });
}
PyObject* get_strides(PyObject* self, void*) {
  return attribute([&] { return tuple_of(array_of(self).strides()); });
}
PyObject* get_dtype(PyObject* self, void*) {
  const dtype_id type = array_of(self).dtype().id();
  return Py_NewRef(is_in_other_order(self) ? other_dtype_object(type) : dtype_object(type));
}
int set_dtype(PyObject* self, PyObject* value, void*) {
  return guarded_status([&] {
    if (!value) throw_no_deletion("dtype");
    refuse_scalar(self, "dtype");
    dtype_id type{};
    if (is_in_other_order(self)) throw TypeError("", "the dtype of an array in the other byte order can't be set: use view().");
    try {
      type = to_native_dtype(value);
    } catch (...) {
      translate_error();
      PyErr_Clear();
      throw TypeError("", "invalid data-type for array");
    }
    array_of(self) = array_of(self).view(dtype(type));
  });
}
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLong(array_of(self).ndim()); }
PyObject* get_size(PyObject* self, void*) {
  return attribute([&] { return PyLong_FromLongLong(array_of(self).size()); });
}
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromSize_t(array_of(self).itemsize()); }
PyObject* get_nbytes(PyObject* self, void*) {
  return attribute([&] { return PyLong_FromLongLong(array_of(self).nbytes()); });
}
PyObject* get_transposed(PyObject* self, void*) {
  if (is_scalar(self)) return Py_NewRef(self);
  return attribute([&] {
    node* n = array_of(self).get();
    if (!detail::work_may_be_pending() && !n->is(node::lazy)) return with_base(quick_transpose(n), self);
    return with_base(wrap(array_of(self).transpose({}, {})), self);
  });
}
PyObject* get_matrix_transposed(PyObject* self, void*) {
  return attribute([&] {
    const array& a = array_of(self);
    if (a.ndim() < 2)
      throw ValueError("", "matrix transpose with ndim < 2 is undefined");
    return with_base(wrap(a.swapaxes(-1, -2, {})), self);
  });
}
PyObject* get_real(PyObject* self, void*) {
  if (array_of(self).dtype().kind() != 'c' && !is_scalar(self)) return Py_NewRef(self);
  return attribute([&] { return with_base(wrap(array_of(self).real({}), is_scalar(self)), self); });
}
PyObject* get_imag(PyObject* self, void*) {
  return attribute([&] {
    PyObject* part = wrap(array_of(self).imag({}), is_scalar(self));
    return array_of(self).dtype().kind() == 'c' ? with_base(part, self) : part;
  });
}
int set_part(PyObject* self, PyObject* value, bool real) {
  return guarded_status([&] {
    if (!value) throw_no_deletion("attribute");
    refuse_scalar(self, real ? "real" : "imag");
    if (!real && array_of(self).dtype().kind() != 'c') throw TypeError("", "array does not have imaginary part to set");
    Argument v(value);
    (real ? array_of(self).real({}) : array_of(self).imag({})) = v.get();
  });
}
int set_real(PyObject* self, PyObject* value, void*) { return set_part(self, value, true); }
int set_imag(PyObject* self, PyObject* value, void*) { return set_part(self, value, false); }
PyObject* get_device(PyObject* self, void*) {
  return attribute([&] { return unicode(array_of(self).device()); });
}
PyObject* get_c(PyObject* self, void*) {
  return attribute([&] { return PyBool_FromLong(array_of(self).is_c_contiguous()); });
}
PyObject* get_f(PyObject* self, void*) {
  return attribute([&] { return PyBool_FromLong(array_of(self).is_f_contiguous()); });
}
PyObject* get_writeable(PyObject* self, void*) { return PyBool_FromLong(!is_scalar(self) && array_of(self).writeable()); }
int set_writeable(PyObject* self, PyObject* value, void*) {
  const int on = value ? PyObject_IsTrue(value) : -1;
  if (on < 0) return -1;
  return guarded_status([&] {
    if (is_scalar(self)) return;  // they never change, whatever is set
    node* n = array_of(self).get();
    if (n->is(node::lazy)) detail::concrete(n, "flags", {});  // a graph hands its nodes out again, as it made them
    const node* owner = n->base ? n->base : n;
    if (on && owner->is(node::readonly) && (n->base || owner->deleter))  // memory that nobody may write: bytes, maps of files
      throw ValueError("", "cannot set WRITEABLE flag to True of this array");
    if (!on && !n->base && n->deleter && n->device == 0 && !n->is(node::readonly)) {  // what came writable can be so again
      array view = array::adopt(detail::new_view(n, n->type, n->rank, n->shape, n->strides, 0));
      array_of(self) = std::move(view);
      n = array_of(self).get();
    }
    n->flags = static_cast<std::uint8_t>(on ? n->flags & ~node::readonly : n->flags | node::readonly);
  });
}
PyObject* get_aligned(PyObject* self, void*) {
  return attribute([&] {
    const array& a = array_of(self);
    const std::size_t unit = a.dtype().kind() == 'c' ? a.itemsize() / 2 : a.itemsize();
    const node* n = detail::concrete(a.get(), "flags", {});
    std::uintptr_t ends = reinterpret_cast<std::uintptr_t>(n->data);
    for (int k = 0; k < n->rank; ++k)
      if (n->shape[k] > 1) ends |= static_cast<std::uintptr_t>(n->strides[k]);
    return PyBool_FromLong(ends % unit == 0);
  });
}
PyObject* get_is_scalar(PyObject* self, void*) { return PyBool_FromLong(is_scalar(self)); }
PyObject* get_lazy(PyObject* self, void*) { return PyBool_FromLong(array_of(self).get()->is(node::lazy)); }
PyObject* get_address(PyObject* self, void*) {
  return attribute([&] { return PyLong_FromVoidPtr(detail::concrete(array_of(self).get(), "data", {})->data); });
}

// ---- methods that take no options ----

PyObject* item_method(PyObject* self, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n == 1 && PyTuple_Check(args[0])) n = PyTuple_GET_SIZE(args[0]), args = PySequence_Fast_ITEMS(args[0]);
    if (n == 0) return item_object(array_of(self));
    if (const node* from = array_of(self).get(); n == 1 && PyLong_CheckExact(args[0]) && from->rank == 1 &&
                                                 !from->is(node::lazy) && from->device == 0 && !detail::work_may_be_pending()) {
      const std::int64_t at = PyLong_AsLongLong(args[0]), place = at < 0 ? at + from->shape[0] : at;
      if (place >= 0 && place < from->shape[0]) return element_object(from->data + place * from->strides[0], from->type);
      PyErr_Clear();
    }
    const array from = n == 1 && array_of(self).ndim() != 1 ? array_of(self).ravel({}) : array_of(self);
    if (n != from.ndim()) throw ValueError("", "incorrect number of indices for array");
    nb::object key = nb::steal(PyTuple_New(n));
    for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); ++i) PyTuple_SET_ITEM(key.ptr(), i, PyNumber_Index(args[i]));
    if (PyErr_Occurred()) throw ErrorSet();
    nb::object holder = nb::steal(wrap(from)), element = nb::steal(get_item(holder.ptr(), key.ptr()));
    return item_object(array_of(element.ptr()));
  });
}
PyObject* nested_list(const node* n, int axis, const char* at) {
  if (axis == n->rank) return element_object(at, n->type);
  nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(n->shape[axis])));
  for (std::int64_t i = 0; list.is_valid() && i < n->shape[axis]; ++i) {
    detail::check_interrupt_at(i);
    PyObject* element = nested_list(n, axis + 1, at + i * n->strides[axis]);
    if (!element) return nullptr;
    PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), element);
  }
  return list.release().ptr();
}
PyObject* tolist_method(PyObject* self, PyObject*) {
  return guarded([&] {
    const array held = array_of(self);  // new lists may start the collector, which runs code of the user's
    const node* n = detail::concrete(held.get(), "tolist", {});
    return nested_list(n, 0, n->data);
  });
}
PyObject* eval_method(PyObject* self, PyObject*) {
  return guarded([&] {
    array_of(self).eval({});
    return Py_NewRef(self);
  });
}
PyObject* complex_method(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    nb::object value = nb::steal(single(self, false));
    if (PyComplex_CheckExact(value.ptr())) return value.release().ptr();
    return PyComplex_FromDoubles(PyFloat_AsDouble(value.ptr()), 0.0);
  });
}
PyObject* tobytes_method(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    array from = array_of(self);
    detail::concrete(from.get(), "data", {});
    if (!from.is_c_contiguous()) from = from.copy({});
    const char* data = detail::concrete(from.get(), "data", {})->data;
    const auto size = static_cast<std::int64_t>(from.nbytes());
    nb::object bytes = nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!bytes.is_valid()) return nullptr;
    char* to = PyBytes_AS_STRING(bytes.ptr());
    detail::in_parts(size, 1 << 20, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(to + begin, data + begin, static_cast<std::size_t>(end - begin));
    });
    if (is_in_other_order(self)) {
      const auto each = static_cast<std::int64_t>(from.itemsize() / (from.dtype().kind() == 'c' ? 2 : 1));
      for (std::int64_t at = 0; at < size; at += each) std::reverse(to + at, to + at + each);
    }
    return bytes.release().ptr();
  });
}

PyGetSetDef attributes[] = {
    {"shape", get_shape, set_shape, "Extents, one per axis.", nullptr},
    {"strides", get_strides, set_strides, "Steps in bytes, one per axis.", nullptr},
    {"dtype", get_dtype, set_dtype, "Element type.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of axes.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of an element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"T", get_transposed, nullptr, "The axes in reverse order, a view.", nullptr},
    {"mT", get_matrix_transposed, nullptr, "The last two axes swapped, a view.", nullptr},
    {"real", get_real, set_real, "Real part.", nullptr},
    {"imag", get_imag, set_imag, "Imaginary part.", nullptr},
    {"base", get_base, nullptr, "The array whose memory this one shares, or None.", nullptr},
    {"device", get_device, nullptr, "Where the array is: 'cpu', 'cuda:0', 'opencl:0'.", nullptr},
    {"__array_struct__", get_array_struct, nullptr, "The array's memory for C, in NumPy's form.", nullptr},
    {"_c_contiguous", get_c, nullptr, nullptr, nullptr},
    {"_f_contiguous", get_f, nullptr, nullptr, nullptr},
    {"_writeable", get_writeable, set_writeable, nullptr, nullptr},
    {"_aligned", get_aligned, nullptr, nullptr, nullptr},
    {"_is_scalar", get_is_scalar, nullptr, nullptr, nullptr},
    {"_is_lazy", get_lazy, nullptr, nullptr, nullptr},
    {"_address", get_address, nullptr, nullptr, nullptr},
    {},
};
PyMethodDef methods[] = {
    {"item", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(item_method)), METH_FASTCALL,
     "item($self, /, *args)\n--\n\nOne element as a Python object."},
    {"resize", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(resize_method)), METH_FASTCALL | METH_KEYWORDS,
     "resize($self, /, *new_shape, refcheck=True)\n--\n\nAnother shape and size in place, zeros behind what there was."},
    {"tolist", tolist_method, METH_NOARGS, "tolist($self, /)\n--\n\nThe elements as nested lists."},
    {"tobytes", tobytes_method, METH_NOARGS, "The elements' bytes in C order."},
    {"eval", eval_method, METH_NOARGS, "Runs the pending work this array depends on; returns the array."},
    {"__complex__", complex_method, METH_NOARGS, "__complex__($self, /)\n--\n\nThe one element as a complex number."},
    {},
};
PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak_references), READONLY, nullptr},
    {},
};

template <class F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}
PyType_Slot slots[] = {
    {Py_tp_dealloc, slot(dealloc_array)},
    {Py_tp_repr, slot(repr_slot)},
    {Py_tp_str, slot(str_slot)},
    {Py_tp_hash, slot(hash_slot)},
    {Py_tp_richcompare, slot(compare)},
    {Py_tp_iter, slot(iterate)},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {Py_bf_getbuffer, slot(get_buffer)},
    {Py_bf_releasebuffer, slot(release_buffer)},
    {Py_nb_add, slot(binary<op_id::add>)},
    {Py_nb_subtract, slot(binary<op_id::subtract>)},
    {Py_nb_multiply, slot(binary<op_id::multiply>)},
    {Py_nb_true_divide, slot(binary<op_id::divide>)},
    {Py_nb_floor_divide, slot(binary<op_id::floor_divide>)},
    {Py_nb_remainder, slot(binary<op_id::remainder>)},
    {Py_nb_divmod, slot(divmod_slot)},
    {Py_nb_power, slot(power_slot)},
    {Py_nb_and, slot(binary<op_id::bitwise_and>)},
    {Py_nb_or, slot(binary<op_id::bitwise_or>)},
    {Py_nb_xor, slot(binary<op_id::bitwise_xor>)},
    {Py_nb_lshift, slot(binary<op_id::left_shift>)},
    {Py_nb_rshift, slot(binary<op_id::right_shift>)},
    {Py_nb_matrix_multiply, slot(matmul_slot)},
    {Py_nb_inplace_add, slot(in_place<op_id::add>)},
    {Py_nb_inplace_subtract, slot(in_place<op_id::subtract>)},
    {Py_nb_inplace_multiply, slot(in_place<op_id::multiply>)},
    {Py_nb_inplace_true_divide, slot(in_place<op_id::divide>)},
    {Py_nb_inplace_floor_divide, slot(in_place<op_id::floor_divide>)},
    {Py_nb_inplace_remainder, slot(in_place<op_id::remainder>)},
    {Py_nb_inplace_power, slot(in_place_power)},
    {Py_nb_inplace_and, slot(in_place<op_id::bitwise_and>)},
    {Py_nb_inplace_or, slot(in_place<op_id::bitwise_or>)},
    {Py_nb_inplace_xor, slot(in_place<op_id::bitwise_xor>)},
    {Py_nb_inplace_lshift, slot(in_place<op_id::left_shift>)},
    {Py_nb_inplace_rshift, slot(in_place<op_id::right_shift>)},
    {Py_nb_inplace_matrix_multiply, slot(in_place_matmul)},
    {Py_nb_negative, slot(unary<op_id::negative>)},
    {Py_nb_positive, slot(unary<op_id::positive>)},
    {Py_nb_absolute, slot(unary<op_id::absolute>)},
    {Py_nb_invert, slot(unary<op_id::invert>)},
    {Py_nb_bool, slot(truth)},
    {Py_nb_float, slot(to_float)},
    {Py_nb_int, slot(to_integer)},
    {Py_nb_index, slot(to_index)},
    {Py_mp_length, slot(length)},
    {Py_mp_subscript, slot(subscript)},
    {Py_mp_ass_subscript, slot(assign_subscript)},
    {Py_sq_item, slot(sequence_item)},
    {Py_sq_ass_item, slot(assign_item)},
    {Py_sq_length, slot(length)},
    {Py_sq_contains, slot(contains)},
    {0, nullptr},
};
// Without fields of its own: Python allows no class that is derived from two that have some, as float64 from this and float.
PyType_Spec base_spec = {"numjit._core.array_base", sizeof(PyObject), 0,
                         Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
PyType_Slot array_slots[] = {
    {Py_tp_new, slot(new_array)},
    {Py_tp_dealloc, slot(dealloc_array)},
    {Py_tp_hash, slot(PyObject_HashNotImplemented)},
    {Py_tp_richcompare, slot(compare)},
    {Py_tp_doc, const_cast<char*>("An n-dimensional array of numjit. Made by numjit.array, zeros, arange, ...")},
    {Py_tp_members, array_members},
    {0, nullptr},
};
PyType_Spec array_spec = {"numjit.ndarray", sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT, array_slots};

}  // namespace

void make_array_type(Module& m) {
  array_base = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&base_spec));
  if (!array_base) nb::raise_python_error();
  m.attr("array_base") = nb::borrow(reinterpret_cast<PyObject*>(array_base));
  array_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&array_spec, reinterpret_cast<PyObject*>(array_base)));
  if (!array_type) nb::raise_python_error();
  m.attr("ndarray") = nb::borrow(reinterpret_cast<PyObject*>(array_type));
  make_scalar_types(m);
}

}  // namespace numjit::py
