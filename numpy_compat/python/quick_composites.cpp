// Quick ways for the ufuncs that are made of others, for arrays and numbers at hand: the common calls, in C; all
// others go to the method _call of the class in Python, which also raises the errors.
#include <cstring>

#include <numjit/array/remote.h>

#include "module.h"

namespace numjit::py {

namespace {

/// Inputs of a call, converted.
struct Inputs {
  Argument at[2];
  const node* array(int i) const { return at[i].get().n(); }
  char kind(int i) const {
    const node* n = array(i);
    if (n) return dtype(n->type).kind();
    switch (at[i].get().kind()) {
      case weak_kind::bool_: return 'b';
      case weak_kind::int_: return 'i';
      case weak_kind::float_: return 'f';
      default: return 'c';
    }
  }
};
/// Fills in the results; false: not one of the forms that are quick.
using Quick = bool (*)(const Inputs& in, array* results);

struct CompositeObject {
  UfuncObject base;
  Quick quick;
  int results;
};
CompositeObject* self_of(PyObject* o) { return reinterpret_cast<CompositeObject*>(o); }

constexpr std::int64_t most_elements = 1 << 13;

/// Arrays at hand and Python's numbers.
bool take_input(PyObject* o, Inputs& in, int i) {
  if (is_array(o)) {
    const node* n = array_of(o).get();
    if (!n || n->is(node::lazy) || n->device != 0 || n->size > most_elements) return false;
  } else if (!PyFloat_CheckExact(o) && !PyLong_CheckExact(o)) {
    return false;
  }
  if (is_array(o))
    in.at[i].borrow(o);
  else
    in.at[i].set(o);
  return !in.at[i].is_huge();
}

// ---- the forms ----

bool both(std::pair<array, array> made, array* results) {
  results[0] = std::move(made.first);
  results[1] = std::move(made.second);
  return true;
}
bool quick_modf(const Inputs& in, array* results) { return in.kind(0) != 'c' && both(modf(in.at[0]), results); }
bool quick_frexp(const Inputs& in, array* results) { return in.kind(0) != 'c' && both(frexp(in.at[0]), results); }
bool quick_divmod(const Inputs& in, array* results) {
  if (in.kind(0) == 'c' || in.kind(1) == 'c') return false;
  results[0] = bind_ufunc(op_id::floor_divide, in.at[0].get(), in.at[1].get());
  results[1] = bind_ufunc(op_id::remainder, in.at[0].get(), in.at[1].get());
  return true;
}
bool quick_spacing(const Inputs& in, array* results) {
  if (in.kind(0) == 'c') return false;
  results[0] = spacing(in.at[0]);
  return true;
}
bool quick_ldexp(const Inputs& in, array* results) {
  if (in.kind(0) == 'c' || (in.kind(1) != 'i' && in.kind(1) != 'b')) return false;
  results[0] = ldexp(in.at[0], in.at[1]);
  return true;
}
/// Two arrays of one dtype and rank `left`, `right` (0: any).
bool are_alike(const Inputs& in, int left, int right) {
  const node *a = in.array(0), *b = in.array(1);
  return a && b && a->type == b->type && a->rank > 0 && b->rank > 0 && (left == 0 || a->rank == left) &&
         (right == 0 || b->rank == right);
}
bool quick_vecdot(const Inputs& in, array* results) {
  const node *a = in.array(0), *b = in.array(1);
  if (!are_alike(in, 0, 0) || !detail::same_shape(a, b)) return false;
  const array first = in.kind(0) == 'c' ? conjugate(in.at[0]) : array();
  const array product = multiply(in.kind(0) == 'c' ? operand_of(first) : in.at[0].get(), in.at[1]);
  if (a->type == dtype_id::bool_) results[0] = any(operand_of(product), {.axis = -1});
  else results[0] = sum(operand_of(product), {.axis = -1, .dtype = dtype(a->type)});
  return true;
}
bool quick_matmul(const Inputs& in, array* results) {
  if (!are_alike(in, 0, 0)) return false;
  results[0] = matmul(in.at[0], in.at[1]);
  return true;
}
bool quick_matvec(const Inputs& in, array* results) { return are_alike(in, 2, 1) && quick_matmul(in, results); }
bool quick_vecmat(const Inputs& in, array* results) {
  return in.kind(0) != 'c' && are_alike(in, 1, 2) && quick_matmul(in, results);
}

struct Entry {
  const char* name;
  Quick quick;
  int inputs, results;
};
constexpr Entry table[] = {
    {"modf", quick_modf, 1, 2},     {"frexp", quick_frexp, 1, 2},   {"divmod", quick_divmod, 2, 2},
    {"spacing", quick_spacing, 1, 1}, {"ldexp", quick_ldexp, 2, 1},   {"vecdot", quick_vecdot, 2, 1},
    {"matmul", quick_matmul, 2, 1}, {"matvec", quick_matvec, 2, 1}, {"vecmat", quick_vecmat, 2, 1},
};

// ---- calls ----

/// out=: an array, or a tuple of as many as there are results; null where it is something else, or not plain.
bool take_outs(PyObject* given, int results, PyObject** outs) {
  const bool is_tuple = PyTuple_CheckExact(given);
  if (is_tuple ? PyTuple_GET_SIZE(given) != results : results != 1) return false;
  for (int i = 0; i < results; ++i) {
    outs[i] = is_tuple ? PyTuple_GET_ITEM(given, i) : given;
    if (Py_TYPE(outs[i]) != array_type) return false;
    const node* n = array_of(outs[i]).get();
    if (!n || n->is(node::lazy) || n->device != 0 || !n->is(node::c_contiguous) || n->is(node::readonly)) return false;
  }
  return true;
}
/// Results go into arrays of their own dtype and shape only.
PyObject* into(PyObject* const* outs, const array* results, int count) {
  for (int i = 0; i < count; ++i) {
    const node *to = array_of(outs[i]).get(), *from = results[i].get();
    if (to->type != from->type || !detail::same_shape(to, from) || !from->is(node::c_contiguous)) return nullptr;
  }
  detail::settle_pending();
  for (int i = 0; i < count; ++i) {
    const node* from = results[i].get();
    std::memcpy(array_of(outs[i]).get()->data, from->data, static_cast<std::size_t>(from->size) * dtype(from->type).itemsize());
  }
  if (count == 1) return Py_NewRef(outs[0]);
  PyObject* made = PyTuple_New(count);
  for (int i = 0; made && i < count; ++i) PyTuple_SET_ITEM(made, i, Py_NewRef(outs[i]));
  return made;
}
PyObject* give_all(array* results, int count) {
  if (count == 1) return wrap_result(std::move(results[0]));
  PyObject* made = PyTuple_New(count);
  for (int i = 0; made && i < count; ++i) {
    PyObject* one = wrap_result(std::move(results[i]));
    if (!one) Py_CLEAR(made);
    else PyTuple_SET_ITEM(made, i, one);
  }
  return made;
}

PyObject* try_quick(const CompositeObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  Inputs in;
  PyObject* outs[2] = {};
  if (names && (PyTuple_GET_SIZE(names) != 1 || PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "out") != 0 ||
                !take_outs(args[count], self->results, outs)))
    return nullptr;
  for (int i = 0; i < count; ++i)
    if (!take_input(args[i], in, i)) return nullptr;
  array results[2];
  if (!self->quick(in, results)) return nullptr;
  return outs[0] ? into(outs, results, self->results) : give_all(results, self->results);
}

PyObject* slow_call(PyObject* callable, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  static PyObject* method = PyUnicode_InternFromString("_call");
  if (any_foreign(args, count, names)) [[unlikely]] {
    nb::object name = nb::steal(PyObject_GetAttrString(callable, "__name__"));
    const char* text = name.is_valid() ? PyUnicode_AsUTF8(name.ptr()) : nullptr;
    nb::object made = nb::steal(text ? call_numpy(text, args, count, names) : nullptr);
    if (made.ptr() != Py_NotImplemented) return made.release().ptr();
  }
  const Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
  std::vector<PyObject*> with_self{callable};
  with_self.insert(with_self.end(), args, args + all);
  return PyObject_VectorcallMethod(method, with_self.data(), static_cast<std::size_t>(count + 1), names);
}

PyObject* vector_call(PyObject* callable, PyObject* const* args, std::size_t flagged, PyObject* names) {
  const CompositeObject* self = self_of(callable);
  const Py_ssize_t count = PyVectorcall_NARGS(flagged);
  if (self->quick && count == self->base.arity && !detail::work_may_be_pending()) {
    try {
      PyObject* made = detail::device_now() == 0 ? try_quick(self, args, count, names) : nullptr;
      if (made) {
        if (take_warning()) [[unlikely]]
          Py_CLEAR(made);
        return made;
      }
    } catch (...) {  // the slow way tells what is wrong
    }
    PyErr_Clear();
  }
  return slow_call(callable, args, count, names);
}

PyObject* new_composite(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* made = type->tp_alloc(type, 0);
  if (made) self_of(made)->base.call = vector_call;
  return made;
}
PyObject* set_quick(PyObject* o, PyObject* name) {
  for (const Entry& e : table)
    if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, e.name) == 0) {
      self_of(o)->quick = e.quick;
      self_of(o)->base.arity = e.inputs;
      self_of(o)->results = e.results;
    }
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {{"_set_quick", set_quick, METH_O, nullptr}, {}};
PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(new_composite)},
    {Py_tp_methods, methods},
    {0, nullptr},
};
PyType_Spec spec = {"numjit.composite_ufunc", sizeof(CompositeObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

PyTypeObject* make_composite_type() {
  auto* type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(ufunc_type)));
  if (!type) nb::raise_python_error();
  return type;
}

}  // namespace numjit::py
