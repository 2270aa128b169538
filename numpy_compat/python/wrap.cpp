// Array objects: how they are made, the two truth values, and the object that a view tells as its base.
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

}  // namespace numjit::py
