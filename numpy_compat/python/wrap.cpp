// Array objects: how they are made (ndarray(...) too), and the object that a view tells as its base.
#include <cstddef>
#include <string>
#include <vector>

#include "byte_order.h"
#include "exchange.h"
#include "module.h"
#include "scalars.h"

namespace numjit::py {

PyObject* wrap(array a, bool scalar) {
  if (scalar) return scalar_object(std::move(a));
  return new_object(array_type, std::move(a));
}
PyObject* wrap_as(PyTypeObject* type, array a) { return wrap(std::move(a), type != array_type); }

void hold_objects(const std::vector<array*>& handles, std::vector<nb::object>& held) {
  held.clear();
  for (array* a : handles)
    held.push_back(nb::borrow(reinterpret_cast<PyObject*>(reinterpret_cast<char*>(a) - offsetof(ArrayObject, a))));
}

PyObject* with_base(PyObject* view, PyObject* of) {
  if (!view || view == of || !is_array(view) || !is_array(of) || is_scalar(of)) return view;
  auto *to = reinterpret_cast<ArrayObject*>(view), *from = reinterpret_cast<ArrayObject*>(of);
  const node *n = to->a.get(), *owner = from->a.get();
  if (to->base || !n || !n->base || !owner) return view;
  if (is_in_other_order(of)) order_mark(view) = other_dtype_object(n->type) ? 1 : 0;
  PyObject* found = n->base == owner ? of : owner->base == n->base ? from->base : nullptr;
  if ((!found || !is_array(found)) && owner->base == n->base && n->base->deleter)
    found = of;  // of memory of others: the first view of it
  to->base = Py_XNewRef(found);
  return view;
}

/// a.base: the object whose memory it shares, where that is known the very one.
PyObject* get_base(PyObject* self, void*) {
  if (is_scalar(self)) Py_RETURN_NONE;
  return guarded([&]() -> PyObject* {
    array base = array_of(self).base();
    PyObject* known = reinterpret_cast<ArrayObject*>(self)->base;
    const node* const owner = base.empty_handle() ? array_of(self).get() : base.get();
    if (known && owner->deleter) return Py_NewRef(known);  // of others' memory: what it was made on, or its first view
    if (known && !base.empty_handle() && (array_of(known).get() == owner || array_of(known).get()->base == owner))
      return Py_NewRef(known);
    if (PyObject* exporter = owner->is(node::lazy) ? nullptr : exporter_of(owner)) return Py_NewRef(exporter);
    return base.empty_handle() ? Py_NewRef(Py_None) : wrap(base);
  });
}

namespace {

[[noreturn]] void throw_too_big() {
  throw ValueError("", "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.");
}
/// Do all elements of such a view lie in the memory of `n`? In numbers that no stride or offset overflows.
bool lies_within(node* n, std::int64_t offset, std::int64_t itemsize, const dims& extents, const dims& steps) {
  __extension__ using wide = __int128;
  const auto whole = detail::memory_range(detail::storage_owner(n));
  wide low = wide(n->data - whole.low) + offset, high = low + itemsize;
  for (int i = 0; i < extents.size(); ++i) {
    const wide reach = wide(extents[i] - 1) * steps[i];
    (reach < 0 ? low : high) += reach;
  }
  return low >= 0 && high <= whole.high - whole.low;
}

}  // namespace

/// ndarray(shape, ...): new memory, or a view of a buffer's.
PyObject* new_array(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"shape", "dtype", "buffer", "offset", "strides", "order", nullptr};
  PyObject *shape, *type = nullptr, *buffer = nullptr, *strides = nullptr;
  long long offset = 0;
  const char* order = "C";
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOLOz", const_cast<char**>(names), &shape, &type, &buffer, &offset, &strides,
                                   &order))
    return nullptr;
  return guarded([&] {
    const bool is_new = !buffer || buffer == Py_None;
    const KeptType asked = type ? to_kept_type(type) : KeptType{};
    const dtype_id t = is_new || !type ? asked.id.value_or(dtype_id::float64) : to_native_dtype(type);
    const auto itemsize = static_cast<std::int64_t>(dtype(t).itemsize());
    dims extents = to_dims(shape);
    const bool fortran = order && (*order == 'F' || *order == 'f');
    if (is_new && !strides && !fortran)
      return in_order(nb::steal(wrap(empty(extents, dtype(t), {}))), asked.other).release().ptr();
    std::int64_t count = 1, bytes = 0;
    for (std::int64_t n : extents) {
      if (n < 0) throw ValueError("", "negative dimensions are not allowed");
      if (n > 0 && __builtin_mul_overflow(count, n, &count)) throw_too_big();  // NumPy counts without the empty axes, too
    }
    if (__builtin_mul_overflow(count, itemsize, &bytes)) throw_too_big();
    for (std::int64_t n : extents) count *= n > 0;
    dims steps = contiguous_strides(extents, itemsize);
    if (fortran) {
      std::int64_t step = itemsize;
      for (int i = 0; i < extents.size(); ++i) {
        steps[i] = step;
        step *= extents[i];
      }
    }
    if (strides && strides != Py_None) steps = to_dims(strides);
    if (steps.size() != extents.size()) throw ValueError("", "strides, if given, must be the same length as shape");
    array memory = buffer && buffer != Py_None ? from_buffer(buffer) : empty({count}, dtype(t), {});
    node* n = detail::concrete(memory.get(), "data", {});
    if (count > 0 && !lies_within(n, offset, itemsize, extents, steps)) {
      if (!strides) throw TypeError("", "buffer is too small for requested array");
      throw ValueError("", "strides is incompatible with shape of requested array and size of buffer");
    }
    if (count == 0) offset = 0;  // of an array without elements NumPy looks at no place
    return in_order(nb::steal(wrap(array::adopt(detail::new_view(n, t, extents.size(), extents.data(), steps.data(), offset)))),
                    asked.other)
        .release()
        .ptr();
  });
}

/// a.strides = (8, 16): the same memory in other steps.
int set_strides(PyObject* self, PyObject* value, void*) {
  return guarded_status([&] {
    if (!value) {
      PyErr_SetString(PyExc_AttributeError, "Cannot delete array strides");
      throw ErrorSet();
    }
    if (is_scalar(self)) throw TypeError("", "readonly attribute");
    if (PyErr_WarnEx(
            PyExc_DeprecationWarning,
            "Setting the strides on a NumPy array has been deprecated in NumPy 2.4.\nAs an alternative, you can create a "
            "new view using np.lib.stride_tricks.as_strided.",
            1) != 0)
      throw ErrorSet();
    const dims steps = to_dims(value);
    node* n = detail::concrete(array_of(self).get(), "data", {});
    if (steps.size() != n->rank) throw ValueError("", "strides must be  same length as shape (" + std::to_string(n->rank) + ")");
    if (n->size > 0 && !lies_within(n, 0, static_cast<std::int64_t>(dtype(n->type).itemsize()), dims(n->shape, n->rank), steps))
      throw ValueError("", "strides is not compatible with available memory");
    array_of(self) = array::adopt(detail::new_view(n, n->type, n->rank, n->shape, steps.data(), 0));
  });
}

/// a.resize(shape): in C, where the references to the array tell whether it has another name or a view, as NumPy counts them.
PyObject* resize_method(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  constexpr Py_ssize_t of_the_call = 2;  // its name, and the call
  const node* n = array_of(self).get();
  const bool shared = Py_REFCNT(self) > of_the_call || reinterpret_cast<ArrayObject*>(self)->weak_references ||
                      (!n->is(node::lazy) && __atomic_load_n(&n->refs, __ATOMIC_RELAXED) > 1);
  const nb::object method = nb::steal(PyObject_GetAttrString(self, "_resize"));
  if (!method.is_valid()) return nullptr;
  std::vector<PyObject*> all{shared ? Py_True : Py_False};
  all.insert(all.end(), args, args + count + (names ? PyTuple_GET_SIZE(names) : 0));
  return PyObject_Vectorcall(method.ptr(), all.data(), static_cast<std::size_t>(count) + 1, names);
}

}  // namespace numjit::py
