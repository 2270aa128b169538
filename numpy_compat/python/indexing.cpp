// a[key] with NumPy's rules: integers, slices, None, ..., masks, integer arrays, lists, truth values.
#include <cstring>
#include <limits>

#include <numjit/ops/stored_literal.h>
#include <numjit/trace/api/steering.h>
#include <numjit/trace/record/computed_views.h>
#include <numjit/trace/state/pending.h>
#include <numjit/transform/mirrors.h>

#include "byte_order.h"
#include "exchange.h"
#include "module.h"
#include "scalars.h"

namespace numjit::py {

namespace {

/// A key taken apart.
struct Key {
  std::vector<index> entries;
  std::vector<array> arrays;  // entries point to their nodes
  array source;
  int integers = 0;                       // axes taken by integers
  int pending_integers = 0;               // 0-D integers among the arrays, whose values are not at hand: each takes an axis
  std::vector<array> pending_scalars;     // those among them that are scalars
  int followed_scalars = 0;               // the same of what a transform follows, as those of a batch
  bool advanced = false, others = false;  // index arrays; slices, None or ...
  bool copies = false;  // a 0-D array stands for an integer: NumPy gives no view then
};

[[noreturn]] void throw_bad_index() {
  throw IndexError("index", "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
                            "boolean arrays are valid indices");
}

std::int64_t bound(PyObject* o) {
  if (o == Py_None) return slice_bound::omitted;
  nb::object whole = nb::steal(PyNumber_Index(o));
  if (!whole.is_valid()) throw ErrorSet();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow) return overflow > 0 ? std::numeric_limits<std::int64_t>::max() : -std::numeric_limits<std::int64_t>::max();
  return value;
}

index slice_entry(PyObject* o) {
  auto* s = reinterpret_cast<PySliceObject*>(o);
  slice made(none, none);
  for (PyObject* part : {s->start, s->stop, s->step})
    if (part != Py_None && !PyIndex_Check(part))
      throw TypeError("", "slice indices must be integers or None or have an __index__ method");
  made.start = bound(s->start);
  made.stop = bound(s->stop);
  made.step = bound(s->step);
  return index(made);
}

void add_array(Key& key, array a) {
  key.advanced = true;
  key.arrays.push_back(std::move(a));
  key.entries.push_back(index(key.arrays.back()));
}

void add_entry(Key& key, PyObject* o) {
  if (PyLong_CheckExact(o)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) throw_bad_index();
    ++key.integers;
    key.entries.push_back(index(static_cast<std::int64_t>(value)));
  } else if (PySlice_Check(o)) {
    key.others = true;
    key.entries.push_back(slice_entry(o));
  } else if (o == Py_None) {
    key.others = true;
    key.entries.push_back(index(none));
  } else if (o == Py_Ellipsis) {
    key.others = true;
    key.entries.push_back(index(ellipsis));
  } else if (PyBool_Check(o)) {
    add_array(key, array(o == Py_True));
  } else if (PyUnicode_Check(o) || PyFloat_CheckExact(o) || PyComplex_CheckExact(o)) {
    throw_bad_index();
  } else if (PyIndex_Check(o) && !is_array(o) && !PyObject_CheckBuffer(o)) {  // an integer of another class
    ++key.integers;
    key.entries.push_back(index(to_int(o)));
  } else {
    array a;
    try {
      const bool empty_list = PyList_Check(o) && PyList_GET_SIZE(o) == 0;
      a = empty_list ? zeros({0}, numjit::int64, {}) : to_array(o);
    } catch (const TypeError&) { throw_bad_index(); }
    const char kind = a.dtype().kind();
    if (kind == 'f' || kind == 'c') {
      // An empty list of lists is an index, whatever its dtype.
      if (!(PyList_Check(o) && a.size() == 0)) {
        if (stands_for_number(o) || !(is_array(o) || PyObject_CheckBuffer(o))) throw_bad_index();
        throw IndexError("index", "arrays used as indices must be of integer (or boolean) type");
      }
      a = a.astype(numjit::int64, {});
    }
    // A 0-D integer counts as an integer where its value is at hand; a pending one is gathered with.
    if (a.ndim() == 0 && kind != 'b' && !a.get()->is(node::lazy) && !tracing::has_pending_stores(a.get())) {
      nb::object value = nb::steal(item_object(a));
      key.copies |= !stands_for_number(o);
      ++key.integers;
      key.entries.push_back(index(to_int(value.ptr())));
      return;
    }
    if (a.ndim() == 0 && kind != 'b') {
      ++key.pending_integers;
      if (stands_for_number(o) && !detail::is_followed(a.get()))
        key.pending_scalars.push_back(a);
      else if (stands_for_number(o))
        ++key.followed_scalars;
    }
    add_array(key, std::move(a));
  }
}

Key parse(const array& source, PyObject* o) {
  Key key;
  key.source = source;
  if (PyTuple_Check(o)) {
    if (PyTuple_GET_SIZE(o) > 2 * max_rank + 1) throw IndexError("index", "too many indices for array");
    key.entries.reserve(static_cast<std::size_t>(PyTuple_GET_SIZE(o)));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i)  // before the bounds of slices are read
      if (PyFloat_CheckExact(PyTuple_GET_ITEM(o, i))) throw_bad_index();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); ++i) add_entry(key, PyTuple_GET_ITEM(o, i));
  } else {
    add_entry(key, o);
  }
  return key;
}

bool same_place(const node* a, const node* b) {
  if (a == b) return true;
  if (a->is(node::lazy) != b->is(node::lazy) || a->type != b->type || !detail::same_shape(a, b)) return false;
  if (a->is(node::lazy) ? !tracing::begin_at_one_place(a, b) : a->data != b->data) return false;
  for (int i = 0; i < a->rank; ++i)
    if (a->strides[i] != b->strides[i]) return false;
  return true;
}

bool is_element(const Key& key) {
  return !key.others && std::ssize(key.arrays) == key.pending_integers &&
         key.integers + key.pending_integers == key.source.ndim();
}

/// Does it show part of an array, at a place that is still to be computed? Of an element, and beside index arrays, there are
/// copies.
bool is_view_of_pending_place(const Key& key) {
  return std::ssize(key.pending_scalars) > 0 && std::ssize(key.pending_scalars) == std::ssize(key.arrays) && !key.copies &&
         !is_element(key);
}

/// The same, where it is another one for each example of a batch.
bool is_view_of_each_example(const Key& key) {
  return key.followed_scalars > 0 && std::ssize(key.pending_scalars) + key.followed_scalars == std::ssize(key.arrays) &&
         !key.copies && !is_element(key);
}

array view_of(const Key& key) {
  return detail::index_view(key.source, key.entries.data(), static_cast<int>(key.entries.size()), {});
}
indexed_array gather_of(const Key& key) {
  return indexed_array(key.source, key.entries.data(), static_cast<int>(key.entries.size()), {});
}

/// A part at a place that is still to be computed, gathered; an empty handle where it has to be a view at once.
array computed_view(const Key& key) {
  if (!tracing::may_stand_for_view(key.source)) return {};
  array made = gather_of(key);
  if (!made.get()->is(node::lazy)) return {};
  const auto placed = [entries = key.entries](const tracing::ComputedView& v) {
    std::vector<index> known;
    std::size_t place = 0;
    for (const index& e : entries)
      known.push_back(e.kind() == index::kind_t::array ? index(detail::single_element(v.places[place++], {}).i) : e);
    return detail::index_view(v.of, known.data(), static_cast<int>(known.size()), {});
  };
  tracing::stand_for_view({key.source, made, key.pending_scalars, placed});
  return made;
}

}  // namespace

namespace {

/// Address of one element of a concrete array, for keys that are plain integers; null for all others.
char* element_address(const node* n, PyObject* o) {
  if (detail::work_may_be_pending() || n->is(node::lazy) || n->device != 0) return nullptr;
  PyObject* const* keys = &o;
  Py_ssize_t count = 1;
  if (PyTuple_CheckExact(o)) {
    keys = reinterpret_cast<PyTupleObject*>(o)->ob_item;
    count = PyTuple_GET_SIZE(o);
  }
  if (count != n->rank || count == 0) return nullptr;
  char* p = n->data;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!PyLong_CheckExact(keys[i])) return nullptr;
    int overflow = 0;
    std::int64_t k = PyLong_AsLongLongAndOverflow(keys[i], &overflow);
    if (k < 0) k += n->shape[i];
    if (overflow || k < 0 || k >= n->shape[i]) return nullptr;
    p += k * n->strides[i];
  }
  return p;
}

/// A slice whose bounds are plain integers: reading others runs code of the user's.
bool is_plain_slice(PyObject* o) {
  if (!PySlice_Check(o)) return false;
  const auto* s = reinterpret_cast<const PySliceObject*>(o);
  const auto plain = [](PyObject* part) { return part == Py_None || PyLong_CheckExact(part); };
  return plain(s->start) && plain(s->stop) && plain(s->step);
}

/// A view for keys of plain integers, slices, None and ..., of a concrete array; null for all others and for errors.
PyObject* quick_view(node* n, PyObject* o) {
  PyObject* const* keys = &o;
  Py_ssize_t count = 1;
  if (PyTuple_CheckExact(o)) {
    keys = reinterpret_cast<PyTupleObject*>(o)->ob_item;
    count = PyTuple_GET_SIZE(o);
  }
  int used = 0, ellipses = 0;
  bool element = true;
  for (Py_ssize_t i = 0; i < count; ++i) {
    element &= PyLong_CheckExact(keys[i]);
    if (keys[i] == Py_Ellipsis) ++ellipses;
    else if (PyLong_CheckExact(keys[i]) || is_plain_slice(keys[i]))
      ++used;
    else if (keys[i] != Py_None) return nullptr;
  }
  if (used > n->rank || ellipses > 1 || count > 2 * max_rank || (element && used == n->rank)) return nullptr;
  dims shape, strides;
  std::int64_t offset = 0;
  int axis = 0;
  auto whole = [&](int axes) {
    for (; axes > 0; --axes, ++axis) {
      shape.push_back(n->shape[axis]);
      strides.push_back(n->strides[axis]);
    }
  };
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (shape.size() >= max_rank) return nullptr;
    if (keys[i] == Py_Ellipsis) {
      whole(n->rank - used);
    } else if (keys[i] == Py_None) {
      shape.push_back(1);
      strides.push_back(0);
    } else if (PyLong_CheckExact(keys[i])) {
      int overflow = 0;
      std::int64_t k = PyLong_AsLongLongAndOverflow(keys[i], &overflow);
      if (k < 0) k += n->shape[axis];
      if (overflow || k < 0 || k >= n->shape[axis]) return nullptr;
      offset += k * n->strides[axis++];
    } else {
      Py_ssize_t start, stop, step;
      if (PySlice_Unpack(keys[i], &start, &stop, &step) != 0) {
        PyErr_Clear();
        return nullptr;
      }
      const Py_ssize_t length = PySlice_AdjustIndices(static_cast<Py_ssize_t>(n->shape[axis]), &start, &stop, step);
      if (length > 0) offset += start * n->strides[axis];
      shape.push_back(length);
      strides.push_back(step * n->strides[axis++]);
    }
  }
  if (shape.size() + n->rank - axis > max_rank) return nullptr;
  whole(n->rank - axis);
  return wrap(array::adopt(detail::new_view(n, n->type, shape.size(), shape.data(), strides.data(), offset)));
}

constexpr std::int64_t few = 4096;

bool at_hand(const node* n) { return !n->is(node::lazy) && n->device == 0 && !detail::is_misaligned(n); }

/// Is it a number of Python's that an array at hand holds as it is? False for all that needs a closer look.
bool is_plain_number(const node* n, PyObject* value) {
  const char kind = dtype(n->type).kind();
  return PyFloat_CheckExact(value) ? kind == 'f' : PyBool_Check(value) ? kind == 'b' : PyLong_CheckExact(value) && kind == 'i';
}

/// The bytes of such a number; false if it is beyond 64 bits.
bool element_of(const node* n, PyObject* value, char* element) {
  Argument v(value);
  if (v.is_huge()) return false;
  if (v.get().kind() == weak_kind::int_) check_literal("store", v.get(), n->type);
  literal_element(v.get(), n->type, element);
  return true;
}

/// May elements of an array at hand be taken for those at an index at hand, one after the other: both small, in one piece and
/// in memory of their own? Places are checked: int64, of a vector.
bool takes_places(const node* n, PyObject* o) {
  if (detail::work_may_be_pending() || !at_hand(n) || Py_TYPE(o) != array_type || !n->is(node::c_contiguous) || n->size > few)
    return false;
  const node* index = array_of(o).get();
  if (!at_hand(index) || !index->is(node::c_contiguous) || index->size > few) return false;
  if (index->type == dtype_id::bool_ ? !detail::same_shape(n, index)
                                     : index->type != dtype_id::int64 || index->rank == 0 || n->rank != 1)
    return false;
  if (detail::may_overlap(n, index)) return false;  // stores would change the places that are still to be read
  const auto* at = reinterpret_cast<const std::int64_t*>(index->data);
  for (std::int64_t i = 0; index->type == dtype_id::int64 && i < index->size; ++i)
    if (at[i] < -n->size || at[i] >= n->size) return false;
  return true;
}

/// Stores at each place: elements of `itemsize` bytes, a step of 0 for one and the same.
template <std::size_t itemsize>
void put_at(const node* n, const node* index, const char* from, std::size_t step) {
  const auto* at = reinterpret_cast<const std::int64_t*>(index->data);
  for (std::int64_t i = 0; i < index->size; ++i, from += step)
    std::memcpy(n->data + (at[i] < 0 ? at[i] + n->size : at[i]) * static_cast<std::int64_t>(itemsize), from, itemsize);
}
void put_elements(const node* n, const node* index, const char* from, bool single) {
  const std::size_t itemsize = dtype(n->type).itemsize(), step = single ? 0 : itemsize;
  switch (itemsize) {
    case 1: return put_at<1>(n, index, from, step);
    case 2: return put_at<2>(n, index, from, step);
    case 4: return put_at<4>(n, index, from, step);
    case 8: return put_at<8>(n, index, from, step);
    default: return put_at<16>(n, index, from, step);
  }
}

/// a[index] = 2.0 with a mask of a's shape, or places in a vector; false for all else.
bool fill_places(const node* n, PyObject* o, PyObject* value) {
  if (Py_TYPE(o) != array_type || !is_plain_number(n, value) || !takes_places(n, o)) return false;
  const node* index = array_of(o).get();
  alignas(16) char element[16];
  if (!element_of(n, value, element)) return false;
  detail::settle_pending();
  if (index->type != dtype_id::bool_) {
    put_elements(n, index, element, true);
    return true;
  }
  const std::size_t itemsize = dtype(n->type).itemsize();
  char* to = n->data;
  for (std::int64_t i = 0; i < index->size; ++i, to += itemsize)
    if (index->data[i] != 0) std::memcpy(to, element, itemsize);
  return true;
}

/// a[index] = values of a's dtype, one for each place in a vector; false for all else.
bool store_places(const node* n, PyObject* o, PyObject* value) {
  if (Py_TYPE(o) != array_type || Py_TYPE(value) != array_type || array_of(o).get()->type != dtype_id::int64) return false;
  const node *index = array_of(o).get(), *v = array_of(value).get();
  if (!at_hand(v) || v->type != n->type || !v->is(node::c_contiguous) || !detail::same_shape(v, index) || !takes_places(n, o) ||
      detail::may_overlap(n, v))
    return false;
  detail::settle_pending();
  put_elements(n, index, v->data, false);
  return true;
}

/// a[i] = s with a scalar of a's dtype; false for all else.
bool store_scalar(const node* n, PyObject* o, PyObject* value) {
  const node* v = array_of(value).get();
  if (!is_scalar(value) || !at_hand(v) || v->type != n->type) return false;
  char* const to = element_address(n, o);
  if (!to) return false;
  detail::settle_pending();
  std::memcpy(to, v->data, dtype(n->type).itemsize());
  return true;
}

/// a[i, :n] = b with few elements of a's dtype elsewhere in memory, along one axis; false for all else.
bool store_row(node* n, PyObject* o, PyObject* value) {
  const node* v = array_of(value).get();
  if (detail::work_may_be_pending() || !at_hand(n) || !at_hand(v) || v->type != n->type || v->rank != 1 || v->size > few)
    return false;
  const nb::object view = nb::steal(quick_view(n, o));
  if (!view.is_valid()) return false;
  const node* to = array_of(view.ptr()).get();
  if (!detail::same_shape(to, v) || detail::may_overlap(to, v)) return false;
  detail::settle_pending();
  const auto itemsize = static_cast<std::int64_t>(dtype(n->type).itemsize());
  if (to->strides[0] == itemsize && v->strides[0] == itemsize) {
    std::memcpy(to->data, v->data, static_cast<std::size_t>(v->size * itemsize));
  } else {
    for (std::int64_t i = 0; i < v->size; ++i)
      std::memcpy(to->data + i * to->strides[0], v->data + i * v->strides[0], static_cast<std::size_t>(itemsize));
  }
  return true;
}

/// a[1:] = 2.0 for a vector at hand and a number that its dtype holds; false for all else.
bool fill_slice(const node* n, PyObject* o, PyObject* value) {
  if (detail::work_may_be_pending() || !at_hand(n) || n->rank != 1 || !is_plain_slice(o) || !is_plain_number(n, value))
    return false;
  Py_ssize_t start, stop, step;
  if (PySlice_Unpack(o, &start, &stop, &step) != 0) {
    PyErr_Clear();
    return false;
  }
  const Py_ssize_t length = PySlice_AdjustIndices(static_cast<Py_ssize_t>(n->shape[0]), &start, &stop, step);
  alignas(16) char element[16];
  if (length > few || !element_of(n, value, element)) return false;
  detail::settle_pending();
  const std::size_t itemsize = dtype(n->type).itemsize();
  char* to = n->data + start * n->strides[0];
  for (Py_ssize_t i = 0; i < length; ++i, to += step * n->strides[0]) std::memcpy(to, element, itemsize);
  return true;
}

}  // namespace

PyObject* get_item(PyObject* self, PyObject* o) {
  node* n = array_of(self).get();
  if (const char* p = element_address(n, o)) return scalar_of(n->type, p);
  if (!detail::work_may_be_pending() && !n->is(node::lazy) && !is_scalar(self)) {
    if (PyObject* view = quick_view(n, o)) return with_base(view, self);
    if (n->device == 0)
      if (PyObject* gathered = quick_gather(n, o)) return as_ordered(gathered, self);
  }
  Key key = parse(array_of(self), o);
  if (is_view_of_pending_place(key) && !is_updating_element()) {  // stores through it and into the array are seen on both sides
    if (array made = computed_view(key); !made.empty_handle()) return with_base(wrap(std::move(made)), self);
    for (const array& place : key.pending_scalars) nb::object read = nb::steal(item_object(place));
    key = parse(array_of(self), o);
  }
  if (key.advanced) {
    array made = gather_of(key);
    if (is_view_of_each_example(key) && !is_updating_element())
      transform::keep_alike({key.source, made, [key] { return array(gather_of(key)); },
                             [key](const array& value) { gather_of(key) = operand_of(value); }});
    return as_ordered(wrap_result(std::move(made)), self);
  }
  array view = view_of(key);
  // One element is a scalar: a copy, so that `a[0], a[1] = a[1], a[0]` swaps.
  if (is_element(key)) return wrap(view.copy({}), true);
  if (key.copies) return wrap(numjit::copy(operand_of(view), 'K'));
  if (is_scalar(self)) return wrap(unshared(view, self));
  return with_base(wrap(std::move(view)), self);
}

namespace {

/// A number of Python on its way into an array: as Python's int() would make it one, where integers are wanted.
void check_number(const operand& v, dtype_id type) {
  if (v.kind() == weak_kind::int_) check_literal("store", v, type);
  check_no_complex("", v, type);
  if (stores_as_integer(v, type)) check_whole("", v, type);
}

/// A scalar on its way into signed integers, as a number; an invalid object where it fits as it is. One that a graph
/// computes stays in it.
nb::object as_number(PyObject* value, dtype_id type) {
  if (!is_array(value) || !(numjit::detail::recording || array_of(value).get()->is(node::lazy))) {
    nb::object number = nb::borrow(value).attr("item")();
    return PyComplex_Check(number.ptr()) ? nb::object() : number;
  }
  const dtype_id from = array_of(value).get()->type;
  if (dtype(from).kind() == 'c' || can_cast(from, type)) return {};
  return nb::steal(wrap(detail::stored_number(operand_of(array_of(value)), type), true));
}

/// One element takes no sequence, not even of length 1.
void check_one_element(PyObject* value, const operand& v, dtype_id type) {
  if (!v.is_array() || v.n()->rank == 0) return;
  const char kind = dtype(type).kind();
  const std::string name = Py_TYPE(value)->tp_name;
  const bool listed = PyList_Check(value) || PyTuple_Check(value);
  if (!listed && kind == 'b' && v.n()->size == 1) return;  // its truth value
  if (listed && kind == 'c') throw TypeError("", "must be real number, not " + name);
  if (listed && (kind == 'i' || kind == 'u'))
    throw TypeError(
        "", "int() argument must be a string, a bytes-like object or a real number, not '" + name +
                "'");
  if (!listed && kind == 'c')
    throw TypeError("", "only 0-dimensional arrays can be converted to Python scalars");
  if (!listed || kind != 'b') throw ValueError("", "setting an array element with a sequence.");
}

/// What needs no key to be parsed: numbers of Python, scalars and rows into elements, slices and rows.
bool set_at_once(PyObject* self, PyObject* o, PyObject* value) {
  const node* n = array_of(self).get();
  if (detail::top_interpreter() && !detail::recording) [[unlikely]]
    return false;  // an errstate looks at casts
  if (!is_weak_number(value))
    return is_array(value) &&
           (store_scalar(n, o, value) || store_places(n, o, value) || store_row(array_of(self).get(), o, value));
  if (char* p = element_address(n, o)) {
    Argument v(value);
    const char to = dtype(n->type).kind();
    const bool plain = v.get().kind() == weak_kind::int_ || v.get().kind() == weak_kind::bool_ ||
                       (v.get().kind() == weak_kind::float_ && (to == 'f' || to == 'c'));
    if (plain) {
      if (v.get().kind() == weak_kind::int_) check_literal("store", v.get(), n->type);
      detail::settle_pending();
      literal_element(v.get(), n->type, p);
      return true;
    }
  }
  return fill_slice(n, o, value) || fill_places(n, o, value);
}

}  // namespace

void set_item(PyObject* self, PyObject* o, PyObject* value) {
  if (!value) throw ValueError("index", "cannot delete array elements");
  if (is_scalar(self)) {
    PyErr_Format(PyExc_TypeError, "'%s' object does not support item assignment", Py_TYPE(self)->tp_name);
    throw ErrorSet();
  }
  if (!array_of(self).writeable()) throw ValueError("", "assignment destination is read-only");
  if (set_at_once(self, o, value)) return;
  Key key = parse(array_of(self), o);
  const dtype_id type = array_of(self).dtype().id();
  if (is_array(value)) warn_complex(array_of(value).dtype().id(), type, 1);
  Argument v;
  nb::object listed;
  // After the index, so that its errors come first.
  auto check_value = [&] {
    const bool converts = is_other_object(value);
    if (is_element(key) && !converts) {
      v.set(value);
      check_one_element(value, v.get(), type);
    }
    if (converts || PyList_Check(value) || PyTuple_Check(value)) {  // numbers of Python, each of which must fit
      listed = nb::steal(wrap(to_array(value, type)));
      v.set(listed.ptr());
    } else {
      v.set(value);
    }
    v.refuse_huge(dtype(type).kind());
    check_number(v.get(), type);
  };
  if (key.advanced) {
    indexed_array target = gather_of(key);
    check_value();
    std::move(target) = v.get();
  } else {
    array target = view_of(key);
    // Into signed integers scalars go by Python's int(), as NumPy's do: NaN and what is out of range is refused. Into
    // unsigned ones NumPy casts.
    nb::object number;
    if (dtype(type).kind() == 'i' && !is_weak_number(value) && stands_for_number(value)) {
      number = as_number(value, type);
      if (number.is_valid()) value = number.ptr();
    }
    check_value();
    // `u[1:-1] += x` ends with u[1:-1] = u[1:-1]: nothing to do.
    if (is_array(value) && same_place(target.get(), array_of(value).get())) return;
    std::move(target) = v.get();
  }
}

}  // namespace numjit::py
