// Quick ways for small arrays: the common forms of calls, in C; all others go to the function in Python, which
// also raises the errors. Eagerly only: while a graph is recorded every call goes to Python.
#include <cstddef>
#include <cstring>

#include <nanobind/stl/string.h>

#include <numjit/array/remote.h>
#include <numjit/ops/param_layout.h>

#include "byte_order.h"
#include "quick.h"
#include "wrapper_type.h"

namespace numjit::py {

namespace {

constexpr std::int64_t small_bytes = 1 << 16;

/// numjit.function: around the slow way.
struct QuickObject : WrapperObject {
  Quick quick;
};

PyObject* vector_call(PyObject* callable, PyObject* const* args, std::size_t flagged, PyObject* names) {
  const auto* self = reinterpret_cast<const QuickObject*>(callable);
  PyObject* made = try_quick(self->quick, {args, PyVectorcall_NARGS(flagged), names});
  return made ? made : PyObject_Vectorcall(self->wrapped, args, flagged, names);
}

// ---- what the quick forms are made of ----

/// A concrete array (no scalar), or null.
node* concrete_of(PyObject* o) {
  if (Py_TYPE(o) != array_type) return nullptr;
  node* n = array_of(o).get();
  return !n || n->is(node::lazy) || n->device != 0 || detail::is_misaligned(n) ? nullptr : n;
}
bool is_small(const node* n) { return n->size * static_cast<std::int64_t>(dtype(n->type).itemsize()) <= small_bytes; }
bool read_int(PyObject* o, std::int64_t& to) {
  if (!PyLong_CheckExact(o)) return false;
  int overflow = 0;
  to = PyLong_AsLongLongAndOverflow(o, &overflow);
  return overflow == 0;
}
/// A shape of plain integers, not negative; -1 allowed where `open`.
bool read_shape(PyObject* o, dims& shape, bool open) {
  std::int64_t n = 0;
  const std::int64_t least = open ? -1 : 0;
  if (PyLong_CheckExact(o)) return read_int(o, n) && n >= least && (shape.push_back(n), true);
  if (!PyTuple_CheckExact(o) || PyTuple_GET_SIZE(o) > max_rank) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i) {
    if (!read_int(PyTuple_GET_ITEM(o, i), n) || n < least) return false;
    shape.push_back(n);
  }
  return true;
}
/// A small new array; null if it would be large.
PyObject* filled(const dims& shape, dtype_id type, const void* element) {
  std::int64_t bytes = static_cast<std::int64_t>(dtype(type).itemsize());
  const auto itemsize = static_cast<std::size_t>(bytes);
  for (std::int64_t n : shape) {
    if (n > small_bytes) return nullptr;
    bytes *= n;
    if (bytes > small_bytes) return nullptr;
  }
  array made = array::adopt(detail::new_node(type, shape.size(), shape.data()));
  char* to = made.get()->data;
  if (!element) std::memset(to, 0, static_cast<std::size_t>(bytes));
  else
    for (char* end = to + bytes; to < end; to += itemsize) std::memcpy(to, element, itemsize);
  return wrap(std::move(made));
}
PyObject* view_of(node* n, int rank, const std::int64_t* shape, const std::int64_t* strides, std::int64_t offset = 0) {
  return wrap(array::adopt(detail::new_view(n, n->type, rank, shape, strides, offset)));
}

// ---- creation ----

PyObject* zeros(const Arguments& a) {
  KeptType type;
  if (a.count < 1 || a.count > 2 || !a.names) {
    if (a.count == 2) type = to_kept_type(a.values[1]);
    else if (a.count != 1) return nullptr;
  } else if (a.count == 1 && PyTuple_GET_SIZE(a.names) == 1 &&
             PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(a.names, 0), "dtype") == 0) {
    type = to_kept_type(a.values[1]);
  } else {
    return nullptr;
  }
  dims shape;
  if (type.other || !read_shape(a.values[0], shape, false)) return nullptr;
  return filled(shape, type.id.value_or(dtype_id::float64), nullptr);
}
PyObject* zeros_like(const Arguments& a) {
  if (a.count != 1 || a.names) return nullptr;
  const node* n = concrete_of(a.values[0]);
  if (!n || !n->is(node::c_contiguous) || is_in_other_order(a.values[0])) return nullptr;
  return filled(dims(n->shape, n->rank), n->type, nullptr);
}
PyObject* asarray(const Arguments& a) {
  if (a.count != 1 || a.names || Py_TYPE(a.values[0]) != array_type) return nullptr;
  return Py_NewRef(a.values[0]);
}
PyObject* arange(const Arguments& a) {
  if (a.count < 1 || a.count > 2 || a.names) return nullptr;
  std::int64_t start = 0, stop = 0;
  if (a.count == 1 && PyFloat_CheckExact(a.values[0])) {
    const double end = PyFloat_AS_DOUBLE(a.values[0]);
    if (!(end < 4096)) return nullptr;
    std::int64_t n = 0;
    while (static_cast<double>(n) < end) ++n;
    array made = array::adopt(detail::new_node(dtype_id::float64, 1, &n));
    for (std::int64_t i = 0; i < n; ++i) reinterpret_cast<double*>(made.get()->data)[i] = static_cast<double>(i);
    return wrap(std::move(made));
  }
  if (!read_int(a.values[a.count - 1], stop) || (a.count == 2 && !read_int(a.values[0], start))) return nullptr;
  const std::int64_t n = stop > start ? stop - start : 0;
  if (n < 0 || n > 4096) return nullptr;
  array made = array::adopt(detail::new_node(dtype_id::int64, 1, &n));
  for (std::int64_t i = 0; i < n; ++i) reinterpret_cast<std::int64_t*>(made.get()->data)[i] = start + i;
  return wrap(std::move(made));
}

// ---- shapes ----

PyObject* reshaped(node* n, dims& shape) {
  if (!n->is(node::c_contiguous) || n->size == 0) return nullptr;
  std::int64_t known = 1;
  int open = -1;
  for (int i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) {
      if (open >= 0) return nullptr;
      open = i;
    } else if (__builtin_mul_overflow(known, shape[i], &known) || known > n->size) {
      return nullptr;
    }
  }
  if (open >= 0) {
    if (known == 0 || n->size % known != 0) return nullptr;
    shape[open] = n->size / known;
  } else if (known != n->size) {
    return nullptr;
  }
  const dims strides = contiguous_strides(shape, static_cast<std::int64_t>(dtype(n->type).itemsize()));
  return view_of(n, shape.size(), shape.data(), strides.data());
}
/// a.reshape(2, 5), a.reshape((2, 5)), np.reshape(a, (2, 5)).
PyObject* reshape(const Arguments& a) {
  if (a.names || a.count < 2) return nullptr;
  node* n = concrete_of(a.values[0]);
  if (!n) return nullptr;
  dims shape;
  if (a.count == 2) return read_shape(a.values[1], shape, true) ? reshaped(n, shape) : nullptr;
  if (a.count > max_rank + 1) return nullptr;
  for (Py_ssize_t i = 1; i < a.count; ++i)
    if (!PyLong_CheckExact(a.values[i]) || !read_shape(a.values[i], shape, true)) return nullptr;
  return reshaped(n, shape);
}
PyObject* ravel(const Arguments& a) {
  node* n = a.count == 1 && !a.names ? concrete_of(a.values[0]) : nullptr;
  if (!n) return nullptr;
  dims shape{n->size};
  return reshaped(n, shape);
}
PyObject* squeeze(const Arguments& a) {
  node* n = a.count == 1 && !a.names ? concrete_of(a.values[0]) : nullptr;
  if (!n) return nullptr;
  dims shape, strides;
  for (int i = 0; i < n->rank; ++i)
    if (n->shape[i] != 1) {
      shape.push_back(n->shape[i]);
      strides.push_back(n->strides[i]);
    }
  if (shape.size() == n->rank) return Py_NewRef(a.values[0]);
  return view_of(n, shape.size(), shape.data(), strides.data());
}
PyObject* swapaxes(const Arguments& a) {
  node* n = a.count == 3 && !a.names ? concrete_of(a.values[0]) : nullptr;
  std::int64_t i = 0, k = 0;
  if (!n || !read_int(a.values[1], i) || !read_int(a.values[2], k)) return nullptr;
  i += i < 0 ? n->rank : 0;
  k += k < 0 ? n->rank : 0;
  if (i < 0 || k < 0 || i >= n->rank || k >= n->rank) return nullptr;
  dims shape(n->shape, n->rank), strides(n->strides, n->rank);
  std::swap(shape[static_cast<int>(i)], shape[static_cast<int>(k)]);
  std::swap(strides[static_cast<int>(i)], strides[static_cast<int>(k)]);
  return view_of(n, n->rank, shape.data(), strides.data());
}
PyObject* transpose(const Arguments& a) {
  return a.count == 1 && !a.names && concrete_of(a.values[0]) ? quick_transpose(concrete_of(a.values[0])) : nullptr;
}

// ---- elements ----

PyObject* copied(const node* n, int rank, const std::int64_t* shape) {
  if (!n->is(node::c_contiguous) || !is_small(n)) return nullptr;
  array made = array::adopt(detail::new_node(n->type, rank, shape));
  std::memcpy(made.get()->data, n->data, static_cast<std::size_t>(n->size) * dtype(n->type).itemsize());
  return wrap(std::move(made));
}
PyObject* copy(const Arguments& a) {
  const node* n = a.count == 1 && !a.names ? concrete_of(a.values[0]) : nullptr;
  return n && !is_in_other_order(a.values[0]) ? copied(n, n->rank, n->shape) : nullptr;
}
/// The argument itself where it is one already.
template <bool contiguous>
PyObject* at_least_1d(const Arguments& a) {
  const node* n = a.count == 1 && !a.names ? concrete_of(a.values[0]) : nullptr;
  return n && n->rank > 0 && (!contiguous || n->is(node::c_contiguous)) ? Py_NewRef(a.values[0]) : nullptr;
}
PyObject* flatten(const Arguments& a) {
  const node* n = a.count == 1 && !a.names ? concrete_of(a.values[0]) : nullptr;
  return n && !is_in_other_order(a.values[0]) ? copied(n, 1, &n->size) : nullptr;
}
PyObject* astype(const Arguments& a) {
  const node* n = a.count == 2 && !a.names ? concrete_of(a.values[0]) : nullptr;
  if (!n || !is_small(n) || !n->is(node::c_contiguous)) return nullptr;
  const auto [asked, other] = to_kept_type(a.values[1]);
  if (other) return nullptr;
  const dtype_id to = asked.value_or(dtype_id::float64);
  if (dtype(n->type).kind() == 'c' && dtype(to).kind() != 'c') return nullptr;
  if (to == n->type) return copied(n, n->rank, n->shape);
  return wrap(array_of(a.values[0]).astype(dtype(to), {}));
}
PyObject* fill(const Arguments& a) {
  node* n = a.count == 2 && !a.names ? concrete_of(a.values[0]) : nullptr;
  if (!n || !n->is(node::c_contiguous) || !is_small(n) || !array_of(a.values[0]).writeable()) return nullptr;
  const char kind = dtype(n->type).kind();
  if (detail::top_interpreter()) return nullptr;  // who looks for floating-point errors
  if (!(PyFloat_CheckExact(a.values[1]) ? kind == 'f' || kind == 'c' : PyLong_CheckExact(a.values[1]))) return nullptr;
  const Argument value(a.values[1]);
  if (value.is_huge()) return nullptr;
  if (value.get().kind() == weak_kind::int_) check_literal("store", value.get(), n->type);
  detail::settle_pending();
  alignas(16) char element[16];
  literal_element(value.get(), n->type, element);
  const std::size_t itemsize = dtype(n->type).itemsize();
  for (char *to = n->data, *end = to + n->size * static_cast<std::int64_t>(itemsize); to < end; to += itemsize)
    std::memcpy(to, element, itemsize);
  Py_RETURN_NONE;
}
/// a.take(i), a[i] with a small int64 array.
PyObject* take(const Arguments& a) {
  if (a.count != 2 || a.names) return nullptr;
  node* n = concrete_of(a.values[0]);
  return n && n->rank == 1 ? quick_gather(n, a.values[1]) : nullptr;
}
PyObject* item(const Arguments& a) {
  const node* n = a.count == 2 && !a.names ? concrete_of(a.values[0]) : nullptr;
  std::int64_t at = 0;
  if (!n || n->rank != 1 || !read_int(a.values[1], at)) return nullptr;
  at += at < 0 ? n->shape[0] : 0;
  return at >= 0 && at < n->shape[0] ? element_object(n->data + at * n->strides[0], n->type) : nullptr;
}

// ---- reductions and joins ----

template <op_id op>
PyObject* reduce_all(const Arguments& a) {
  const node* n = a.count == 1 && !a.names ? concrete_of(a.values[0]) : nullptr;
  if (!n || n->size == 0 || !is_small(n)) return nullptr;
  static const op_params params = layout::reduction_params({});
  return wrap_result(bind({op, {operand_of(array_of(a.values[0]))}, &params, nullptr, nullptr, {}}));
}
template <op_id op>
PyObject* arg_all(const Arguments& a) {
  const node* n = a.count == 1 && !a.names ? concrete_of(a.values[0]) : nullptr;
  if (!n || n->size == 0 || !is_small(n)) return nullptr;
  static const op_params params = layout::arg_params(layout::none, false);
  return wrap_result(bind({op, {operand_of(array_of(a.values[0]))}, &params, nullptr, nullptr, {}}));
}
PyObject* dot(const Arguments& a) {
  if (a.count != 2 || a.names || !concrete_of(a.values[0]) || !concrete_of(a.values[1])) return nullptr;
  if (!is_small(concrete_of(a.values[0])) || !is_small(concrete_of(a.values[1]))) return nullptr;
  return wrap_result(numjit::dot(operand_of(array_of(a.values[0])), operand_of(array_of(a.values[1]))));
}
/// Two vectors at hand of one dtype, neither of them empty.
bool are_vectors(const Arguments& a) {
  if (a.count != 2 || a.names) return false;
  const node *x = concrete_of(a.values[0]), *y = concrete_of(a.values[1]);
  return x && y && x->rank == 1 && y->rank == 1 && x->type == y->type && x->size > 0 && y->size > 0 && is_small(x) && is_small(y);
}
PyObject* vdot(const Arguments& a) {
  return are_vectors(a) && dtype(concrete_of(a.values[0])->type).kind() != 'c' ? dot(a) : nullptr;
}
PyObject* convolve(const Arguments& a) {
  return are_vectors(a) ? wrap(numjit::convolve(operand_of(array_of(a.values[0])), operand_of(array_of(a.values[1])), "full"))
                        : nullptr;
}
/// A number of its dtype, or a vector, behind a vector.
PyObject* append(const Arguments& a) {
  const node* n = a.count == 2 && !a.names ? concrete_of(a.values[0]) : nullptr;
  if (!n || n->rank != 1 || !n->is(node::c_contiguous) || !is_small(n)) return nullptr;
  const auto itemsize = static_cast<std::int64_t>(dtype(n->type).itemsize());
  const node* more = are_vectors(a) ? concrete_of(a.values[1]) : nullptr;
  double real = 0;
  std::int64_t whole = 0;
  const void* from = nullptr;
  if (more && more->is(node::c_contiguous)) from = more->data;
  else if (PyFloat_CheckExact(a.values[1]) && n->type == dtype_id::float64) real = PyFloat_AS_DOUBLE(a.values[1]), from = &real;
  else if (n->type == dtype_id::int64 && read_int(a.values[1], whole)) from = &whole;
  if (!from) return nullptr;
  const std::int64_t size = n->size + (more ? more->size : 1);
  array made = array::adopt(detail::new_node(n->type, 1, &size));
  std::memcpy(made.get()->data, n->data, static_cast<std::size_t>(n->size * itemsize));
  std::memcpy(made.get()->data + n->size * itemsize, from, static_cast<std::size_t>((size - n->size) * itemsize));
  return wrap(std::move(made));
}
PyObject* concatenate(const Arguments& a) {
  if (a.count < 1 || a.count > 2 || !(PyList_CheckExact(a.values[0]) || PyTuple_CheckExact(a.values[0]))) return nullptr;
  std::int64_t axis = 0;
  const bool named = a.names && a.count == 1 && PyTuple_GET_SIZE(a.names) == 1 &&
                     PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(a.names, 0), "axis") == 0;
  if ((a.names && !named) || ((named || a.count == 2) && !read_int(a.values[1], axis))) return nullptr;
  std::vector<array> parts;
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(a.values[0]);
  parts.reserve(static_cast<std::size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* part = PySequence_Fast_GET_ITEM(a.values[0], i);
    if (!concrete_of(part) || !is_small(concrete_of(part))) return nullptr;
    parts.push_back(array_of(part));
  }
  if (parts.empty()) return nullptr;
  return wrap(numjit::concatenate(parts, {.axis = axis}, {}));
}
PyObject* repeat(const Arguments& a) {
  const node* n = a.count == 2 && !a.names ? concrete_of(a.values[0]) : nullptr;
  std::int64_t times = 0;
  if (!n || n->rank == 0 || !is_small(n) || !read_int(a.values[1], times) || times < 0) return nullptr;
  return wrap(numjit::repeat(operand_of(array_of(a.values[0])), times));
}
/// Flat places of the elements that are not zero, of a contiguous array. Truth values are read as bytes: any may be there.
std::vector<std::int64_t> places_of_nonzero(const node* n) {
  std::vector<std::int64_t> places;
  visit_dtype(n->type == dtype_id::bool_ ? dtype_id::uint8 : n->type, [&]<class T>() {
    const auto* p = reinterpret_cast<const T*>(n->data);
    for (std::int64_t i = 0; i < n->size; ++i)
      if (!(p[i] == T{})) places.push_back(i);
  });
  return places;
}
PyObject* nonzero(const Arguments& a) {
  const node* n = a.count == 1 && !a.names ? concrete_of(a.values[0]) : nullptr;
  if (!n || n->rank == 0 || !is_small(n) || !n->is(node::c_contiguous)) return nullptr;
  const std::vector<std::int64_t> places = places_of_nonzero(n);
  const auto count = static_cast<std::int64_t>(places.size());
  nb::object made = nb::steal(PyTuple_New(n->rank));
  std::int64_t below = 1;  // elements per step of the axis
  for (int axis = n->rank - 1; axis >= 0; --axis) {
    array index = array::adopt(detail::new_node(dtype_id::int64, 1, &count));
    auto* to = reinterpret_cast<std::int64_t*>(index.get()->data);
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = n->rank == 1 ? places[static_cast<std::size_t>(i)] : places[static_cast<std::size_t>(i)] / below % n->shape[axis];
    below *= n->shape[axis];
    PyTuple_SET_ITEM(made.ptr(), axis, wrap(std::move(index)));
  }
  return made.release().ptr();
}
PyObject* searchsorted(const Arguments& a) {
  if (a.count != 2 || a.names) return nullptr;
  const node* n = concrete_of(a.values[0]);
  if (!n || n->rank != 1 || !is_small(n) || dtype(n->type).kind() == 'c') return nullptr;
  if (PyFloat_CheckExact(a.values[1]) && n->type == dtype_id::float64)
    return wrap_result(numjit::searchsorted(operand_of(array_of(a.values[0])), Argument(a.values[1])));
  const node* v = concrete_of(a.values[1]);
  if (!v || v->type != n->type || !is_small(v)) return nullptr;
  return wrap_result(numjit::searchsorted(operand_of(array_of(a.values[0])), operand_of(array_of(a.values[1]))));
}
PyObject* bincount(const Arguments& a) {
  const node* n = a.count == 1 && !a.names ? concrete_of(a.values[0]) : nullptr;
  if (!n || n->rank != 1 || n->type != dtype_id::int64 || !n->is(node::c_contiguous) || n->size == 0 || !is_small(n))
    return nullptr;
  const auto* p = reinterpret_cast<const std::int64_t*>(n->data);
  std::int64_t length = 0;
  for (std::int64_t i = 0; i < n->size; ++i) {
    if (p[i] < 0 || p[i] >= small_bytes / 8) return nullptr;
    length = std::max(length, p[i] + 1);
  }
  array made = array::adopt(detail::new_node(dtype_id::int64, 1, &length));
  auto* to = reinterpret_cast<std::int64_t*>(made.get()->data);
  std::memset(to, 0, static_cast<std::size_t>(length) * 8);
  for (std::int64_t i = 0; i < n->size; ++i) ++to[p[i]];
  return wrap(std::move(made));
}
/// np.stack([a, b]), vstack, hstack: of small arrays.
template <array (*join)(const array_list&)>
PyObject* joined(const Arguments& a) {
  if (a.count != 1 || a.names || !(PyList_CheckExact(a.values[0]) || PyTuple_CheckExact(a.values[0]))) return nullptr;
  array_list parts;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(a.values[0]); ++i) {
    PyObject* part = PySequence_Fast_GET_ITEM(a.values[0], i);
    if (!concrete_of(part) || !is_small(concrete_of(part))) return nullptr;
    parts.push_back(array_of(part));
  }
  return parts.empty() ? nullptr : wrap(join(parts));
}
array stack_of(const array_list& parts) { return numjit::stack(parts); }
array vstack_of(const array_list& parts) { return numjit::vstack(parts); }
array hstack_of(const array_list& parts) { return numjit::hstack(parts); }
PyObject* tile(const Arguments& a) {
  const node* n = a.count == 2 && !a.names ? concrete_of(a.values[0]) : nullptr;
  std::int64_t times = 0;
  if (!n || n->rank == 0 || !is_small(n) || !read_int(a.values[1], times) || times < 0) return nullptr;
  return wrap(numjit::tile(operand_of(array_of(a.values[0])), times));
}

struct Entry {
  const char* name;
  Quick quick;
};
constexpr Entry table[] = {
    {"zeros", zeros},
    {"empty", zeros},
    {"zeros_like", zeros_like},
    {"empty_like", zeros_like},
    {"asarray", asarray},
    {"arange", arange},
    {"reshape", reshape},
    {"ravel", ravel},
    {"squeeze", squeeze},
    {"swapaxes", swapaxes},
    {"transpose", transpose},
    {"copy", copy},
    {"flatten", flatten},
    {"astype", astype},
    {"fill", fill},
    {"take", take},
    {"item", item},
    {"sum", reduce_all<op_id::sum>},
    {"prod", reduce_all<op_id::prod>},
    {"max", reduce_all<op_id::max>},
    {"min", reduce_all<op_id::min>},
    {"any", reduce_all<op_id::any>},
    {"all", reduce_all<op_id::all>},
    {"argmax", arg_all<op_id::argmax>},
    {"argmin", arg_all<op_id::argmin>},
    {"dot", dot},
    {"concatenate", concatenate},
    {"repeat", repeat},
    {"nonzero", nonzero},
    {"searchsorted", searchsorted},
    {"bincount", bincount},
    {"vdot", vdot},
    {"convolve", convolve},
    {"append", append},
    {"array", copy},
    {"ascontiguousarray", at_least_1d<true>},
    {"atleast_1d", at_least_1d<false>},
    {"stack", joined<stack_of>},
    {"vstack", joined<vstack_of>},
    {"hstack", joined<hstack_of>},
    {"tile", tile},
};

PyTypeObject* quick_types[2];  // that bind or not: see wrapper_type.h

}  // namespace

Quick quick_form(const char* name) {
  for (const Entry& e : table)
    if (std::strcmp(name, e.name) == 0) return e.quick;
  return nullptr;
}

PyObject* try_quick(Quick quick, const Arguments& a) {
  if (detail::work_may_be_pending()) return nullptr;
  try {
    see_context();
    PyObject* made = !detail::recording && detail::device_now() == 0 ? quick(a) : nullptr;
    if (made) {
      if (take_warning()) [[unlikely]]
        Py_CLEAR(made);
      return a.count ? with_base(made, a.values[0]) : made;
    }
  } catch (...) {  // the slow way tells what is wrong
  }
  PyErr_Clear();
  return nullptr;
}

PyObject* quick_transpose(node* n) {
  dims shape, strides;
  for (int i = n->rank - 1; i >= 0; --i) {
    shape.push_back(n->shape[i]);
    strides.push_back(n->strides[i]);
  }
  return view_of(n, n->rank, shape.data(), strides.data());
}

namespace {

/// f of a number of bytes, as a constant where it is that of an element: then a copy of so many is one instruction.
template <class F>
void with_size(std::size_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(std::integral_constant<std::size_t, 1>());
    case 2: return f(std::integral_constant<std::size_t, 2>());
    case 4: return f(std::integral_constant<std::size_t, 4>());
    case 8: return f(std::integral_constant<std::size_t, 8>());
    case 16: return f(std::integral_constant<std::size_t, 16>());
    default: return f(bytes);
  }
}

/// a[mask] where both are contiguous and of one shape.
PyObject* masked(const node* n, const node* mask) {
  if (!n->is(node::c_contiguous) || !mask->is(node::c_contiguous) || !detail::same_shape(n, mask) || !is_small(n)) return nullptr;
  const auto* on = reinterpret_cast<const std::uint8_t*>(mask->data);  // of views of other dtypes any byte
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n->size; ++i) count += on[i] != 0;
  array made = array::adopt(detail::new_node(n->type, 1, &count));
  char* const to = made.get()->data;
  // No branches: each element is copied, the next one over it unless it counts.
  with_size(dtype(n->type).itemsize(), [&](auto itemsize) {
    for (std::int64_t i = 0, k = 0; k < count; ++i) {
      std::memcpy(to + k * static_cast<std::int64_t>(itemsize), n->data + i * static_cast<std::int64_t>(itemsize), itemsize);
      k += on[i] != 0;
    }
  });
  return wrap(std::move(made));
}

}  // namespace

PyObject* quick_gather(node* n, PyObject* key) {
  if (Py_TYPE(key) != array_type || n->rank == 0) return nullptr;
  const node* index = array_of(key).get();
  if (index->device != 0) return nullptr;
  if (!index->is(node::lazy) && index->type == dtype_id::bool_) return masked(n, index);
  if (index->is(node::lazy) || index->type != dtype_id::int64 || index->rank == 0 || !index->is(node::c_contiguous) ||
      detail::is_misaligned(index))
    return nullptr;
  dims inner(n->shape + 1, n->rank - 1);
  const auto itemsize = static_cast<std::int64_t>(dtype(n->type).itemsize());
  const dims packed = contiguous_strides(inner, itemsize);
  std::int64_t row = itemsize;
  for (int i = 0; i < inner.size(); ++i) {
    if (inner[i] != 1 && packed[i] != n->strides[i + 1]) return nullptr;
    row *= inner[i];
  }
  if (index->size > small_bytes / (row > 0 ? row : 1) || index->rank + inner.size() > max_rank) return nullptr;
  dims shape(index->shape, index->rank);
  for (std::int64_t extent : inner) shape.push_back(extent);
  array made = array::adopt(detail::new_node(n->type, shape.size(), shape.data()));
  char* to = made.get()->data;
  const auto* at = reinterpret_cast<const std::int64_t*>(index->data);
  const std::int64_t length = n->shape[0], stride = n->strides[0];
  bool inside = true;
  with_size(static_cast<std::size_t>(row), [&](auto bytes) {
    for (std::int64_t i = 0; i < index->size && inside; ++i, to += bytes) {
      const std::int64_t k = at[i] < 0 ? at[i] + length : at[i];
      inside = k >= 0 && k < length;
      if (inside) std::memcpy(to, n->data + k * stride, bytes);
    }
  });
  return inside ? wrap(std::move(made)) : nullptr;
}

void define_quick(Module& m) {
  quick_types[0] = make_wrapper_type("numjit.builtin_function", sizeof(QuickObject), false);
  quick_types[1] = make_wrapper_type("numjit.function", sizeof(QuickObject));
  m.attr("function") = nb::borrow(reinterpret_cast<PyObject*>(quick_types[1]));
  m.def("quick", [](nb::str name, nb::object slow, bool binds) {
    if (const Quick quick = quick_form(name.c_str())) {
      nb::object made = make_wrapper(quick_types[binds], vector_call, name, std::move(slow));
      reinterpret_cast<QuickObject*>(made.ptr())->quick = quick;
      return made;
    }
    throw ValueError("", "unknown quick function: got '" + std::string(name.c_str()) + "'.");
  });
}

}  // namespace numjit::py
