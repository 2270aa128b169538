// Objects of scalars: made of elements, kept for the next one, pending in a compiled function.
#include "scalars.h"

#include <cstring>
#include <utility>

#include <numjit/trace/state/pending.h>

namespace numjit::py {

PyTypeObject* pending_types[2];

namespace {

static_assert(offsetof(ArrayObject, value) == offsetof(PyFloatObject, ob_fval));
static_assert(offsetof(ArrayObject, value) == offsetof(PyComplexObject, cval));

constexpr std::size_t at(dtype_id type) { return static_cast<std::size_t>(type); }
bool has_value(dtype_id type) { return type == dtype_id::float64 || type == dtype_id::complex128; }

PyObject* truths[2];  // False_ and True_, once they are made

/// One of them, if that is what a result is: `a is np.True_` means something in NumPy. Null: not known yet.
PyObject* truth_of(const node* n) {
  if (n->type != dtype_id::bool_ || n->rank != 0 || n->is(node::lazy) || n->device != 0) return nullptr;
  return truth_object(*n->data != 0);
}

// ---- objects that are kept ----

/// Objects of a type whose last reference is gone, each with its node, for the next scalars; linked by their `base`.
struct Kept {
  ArrayObject* first;
  int count;
};
constexpr int most_kept = 32;
constinit Kept kept[dtype_count] = {};

/// May the node hold another scalar: does nobody else know it, and is nothing noted in it?
bool is_as_new(const node* n) {
  constexpr std::uint8_t plain = node::c_contiguous | node::f_contiguous;
  return __atomic_load_n(&n->refs, __ATOMIC_ACQUIRE) == 1 && n->flags == plain && n->rank == 0 && !n->base && !n->deleter &&
         n->shown == 0 && n->device == 0 && !n->record && !detail::is_misaligned(n);
}

// ---- scalars that are pending ----

ArrayObject* first_pending = nullptr;

bool is_pending(const ArrayObject* o) { return Py_TYPE(o) == pending_types[0] || Py_TYPE(o) == pending_types[1]; }

void unlink(ArrayObject* o) noexcept {
  auto& place = o->value.pending;
  if (!place.link) return;
  *place.link = place.next;
  if (place.next) place.next->value.pending.link = place.link;
  place.link = nullptr;
}

/// May the memory of a scalar be read? A run of its graph may end on another thread meanwhile. What a transform follows is no
/// float of Python's, whose own functions would take its value unseen.
bool is_at_hand(node* n) {
  if (detail::is_followed(n)) return false;
  if ((__atomic_load_n(&n->flags, __ATOMIC_ACQUIRE) & node::lazy) != 0 || n->device != 0) return false;
  return !detail::recording || !tracing::has_pending_stores(n);
}
void write_value(ArrayObject* o, const node* n) { std::memcpy(&o->value, n->data, dtype(n->type).itemsize()); }

}  // namespace

PyObject* truth_object(bool value) {
  PyObject*& found = truths[value];
  if (!found) {
    array made = truth_value(value);
    made.get()->flags |= node::readonly;  // everybody's
    found = new_object(scalar_types[at(dtype_id::bool_)], std::move(made));
  }
  return Py_XNewRef(found);
}

array truth_value(bool value) {
  array made = array::adopt(detail::new_node(dtype_id::bool_, 0, nullptr));
  *made.get()->data = value;
  return made;
}
bool is_truth(PyObject* o) { return o == truths[0] || o == truths[1]; }

PyObject* new_object(PyTypeObject* type, array a) {
  auto* o = reinterpret_cast<ArrayObject*>(PyObject_Malloc(sizeof(ArrayObject)));
  if (!o) return PyErr_NoMemory();
  PyObject_Init(reinterpret_cast<PyObject*>(o), type);
  new (&o->a) array(std::move(a));
  o->weak_references = o->base = nullptr;
  o->value.parts[0] = 0;  // of an array: byte_order.h
  return reinterpret_cast<PyObject*>(o);
}

PyObject* scalar_of(dtype_id type, const void* element) {
  if (type == dtype_id::bool_) return truth_object(*static_cast<const char*>(element) != 0);
  Kept& list = kept[at(type)];
  ArrayObject* o = list.first;
  if (!o) {
    array made = array::adopt(detail::new_node(type, 0, nullptr));
    std::memcpy(made.get()->data, element, dtype(type).itemsize());
    return scalar_object(std::move(made));
  }
  list.first = reinterpret_cast<ArrayObject*>(o->base);
  --list.count;
  o->base = nullptr;
  const std::size_t size = dtype(type).itemsize();
  std::memcpy(o->a.get()->data, element, size);
  std::memcpy(&o->value, element, size);
  return PyObject_Init(reinterpret_cast<PyObject*>(o), scalar_types[at(type)]);
}

PyObject* scalar_object(array a) {
  node* n = a.get();
  if (PyObject* made = truth_of(n)) return made;
  if (!has_value(n->type)) return new_object(scalar_types[at(n->type)], std::move(a));
  const bool at_hand = is_at_hand(n), complex = n->type == dtype_id::complex128;
  PyObject* made = new_object(at_hand ? scalar_types[at(n->type)] : pending_types[complex], std::move(a));
  auto* o = reinterpret_cast<ArrayObject*>(made);
  if (!o) return nullptr;
  if (at_hand) {
    write_value(o, n);
    return made;
  }
  o->value.pending = {nullptr, nullptr};
  if (n->device != 0) return made;  // it stays there
  o->value.pending = {first_pending, &first_pending};
  if (first_pending) first_pending->value.pending.link = &o->value.pending.next;
  first_pending = o;
  return made;
}

bool end_scalar(ArrayObject* o) noexcept {
  if (is_pending(o)) {
    unlink(o);
    return false;
  }
  const node* n = o->a.get();
  if (o->base || o->weak_references || !n || !is_as_new(n)) return false;
  Kept& list = kept[at(n->type)];
  if (Py_TYPE(o) != scalar_types[at(n->type)] || list.count >= most_kept) return false;
  o->base = reinterpret_cast<PyObject*>(std::exchange(list.first, o));
  ++list.count;
  return true;
}

void settle_scalars() noexcept {
  for (ArrayObject *o = first_pending, *next; o; o = next) {
    next = o->value.pending.next;
    node* n = o->a.get();
    const bool gone = n->is(node::poisoned);  // it never gets a value
    if (!gone && !is_at_hand(n)) continue;
    unlink(o);
    if (gone || n->device != 0) continue;
    write_value(o, n);
    PyTypeObject *const pending = Py_TYPE(o), *const type = scalar_types[at(n->type)];
    Py_INCREF(type);
    Py_SET_TYPE(o, type);
    Py_DECREF(pending);
  }
}

}  // namespace numjit::py
