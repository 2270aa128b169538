// Iterators over the first axis of an array. An array's end is its length: Python's own iterator of sequences asks for
// one element more and takes the IndexError, which costs more than ten elements.
#include <cstring>

#include "module.h"

namespace numjit::py {

namespace {

struct Iterator {
  PyObject_HEAD PyObject* array;  // null: at the end
  Py_ssize_t at;
};
Iterator* self_of(PyObject* o) { return reinterpret_cast<Iterator*>(o); }

/// How many elements are left; -1 with an error set.
Py_ssize_t left_of(const Iterator* self) {
  if (!self->array) return 0;
  Py_ssize_t length = 0;
  if (guarded_status([&] { length = array_of(self->array).len(); }) != 0) return -1;
  return length > self->at ? length - self->at : 0;
}

/// One row of an array at hand: a scalar or a view.
PyObject* row_of(PyObject* of, node* n, std::int64_t at) {
  const std::int64_t offset = at * n->strides[0];
  if (n->rank > 1)
    return with_base(wrap(numjit::array::adopt(detail::new_view(n, n->type, n->rank - 1, n->shape + 1, n->strides + 1, offset))),
                     of);
  numjit::array made = numjit::array::adopt(detail::new_node(n->type, 0, nullptr));
  std::memcpy(made.get()->data, n->data + offset, dtype(n->type).itemsize());
  return wrap(std::move(made), true);
}

PyObject* next(PyObject* o) {
  Iterator* self = self_of(o);
  node* n = self->array ? array_of(self->array).get() : nullptr;
  if (n && !detail::work_may_be_pending() && !n->is(node::lazy) && n->device == 0 && n->rank > 0 && self->at < n->shape[0])
    return guarded([&] { return row_of(self->array, n, self->at++); });
  const Py_ssize_t left = left_of(self);
  if (left == 0) Py_CLEAR(self->array);
  if (left <= 0) return nullptr;
  const nb::object place = nb::steal(PyLong_FromSsize_t(self->at));
  PyObject* item = guarded([&] { return get_item(self->array, place.ptr()); });
  if (item) ++self->at;
  return item;
}

PyObject* length_hint(PyObject* o, PyObject*) {
  const Py_ssize_t left = left_of(self_of(o));
  return left < 0 ? nullptr : PyLong_FromSsize_t(left);
}

void dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  Py_CLEAR(self_of(o)->array);
  type->tp_free(o);
  Py_DECREF(type);
}

PyMethodDef methods[] = {{"__length_hint__", length_hint, METH_NOARGS, "How many elements are left."}, {}};
PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
    {Py_tp_iternext, reinterpret_cast<void*>(next)},
    {Py_tp_methods, methods},
    {0, nullptr},
};
PyType_Spec spec = {"numjit.iterator", sizeof(Iterator), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

PyObject* iterator_over(PyObject* array) {
  static auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  PyObject* made = type ? type->tp_alloc(type, 0) : nullptr;
  if (!made) return nullptr;
  self_of(made)->array = Py_NewRef(array);
  return made;
}

}  // namespace numjit::py
