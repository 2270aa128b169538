// Array objects: how they are made (ndarray(...) too), the two truth values, and the object that a view tells as its base.
#include <cstddef>

#include "module.h"

namespace numjit::py {

PyObject* wrap_as(PyTypeObject* type, array a) {
  auto* o = reinterpret_cast<ArrayObject*>(PyObject_Malloc(sizeof(ArrayObject)));
  if (!o) return PyErr_NoMemory();
  PyObject_Init(reinterpret_cast<PyObject*>(o), type);
  new (&o->a) array(std::move(a));
  o->weak_references = o->base = nullptr;
  return reinterpret_cast<PyObject*>(o);
}
namespace {

PyObject* truths[2];  // False_ and True_, once they are made

/// One of them, if that is what a result is: `a is np.True_` means something in NumPy. Null: not known yet.
PyObject* truth_object(const array& a) {
  const node* n = a.get();
  if (n->type != dtype_id::bool_ || n->rank != 0 || n->is(node::lazy) || n->device != 0) return nullptr;
  PyObject*& found = truths[*n->data != 0];
  if (!found) {
    array made = truth_value(*n->data != 0);
    made.get()->flags |= node::readonly;  // everybody's
    found = wrap_as(scalar_types[static_cast<int>(dtype_id::bool_)], std::move(made));
  }
  return Py_XNewRef(found);
}

}  // namespace

array truth_value(bool value) {
  array made = array::adopt(detail::new_node(dtype_id::bool_, 0, nullptr));
  *made.get()->data = value;
  return made;
}
bool is_truth(PyObject* o) { return o == truths[0] || o == truths[1]; }

PyObject* wrap(array a, bool scalar) {
  if (scalar)
    if (PyObject* made = truth_object(a)) return made;
  PyTypeObject* type = scalar ? scalar_types[static_cast<int>(a.get()->type)] : array_type;
  return wrap_as(type, std::move(a));
}

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
  PyObject* found = n->base == owner ? of : owner->base == n->base ? from->base : nullptr;
  to->base = Py_XNewRef(found);
  return view;
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
    const dtype_id t = type ? to_dtype(type) : dtype_id::float64;
    const auto itemsize = static_cast<std::int64_t>(dtype(t).itemsize());
    dims extents = to_dims(shape);
    const bool fortran = order && (*order == 'F' || *order == 'f');
    if ((!buffer || buffer == Py_None) && !strides && !fortran) return wrap(empty(extents, dtype(t), {}));
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
    return wrap(array::adopt(detail::new_view(n, t, extents.size(), extents.data(), steps.data(), offset)));
  });
}

}  // namespace numjit::py
