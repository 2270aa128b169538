// The border between NumPy's arrays and ours, around calls of compiled functions that are written for NumPy.
#include "numpy_program.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <numjit/array/remote.h>
#include <numjit/array/shown.h>
#include <numjit/interop.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include "exchange.h"
#include "wrapper_type.h"

namespace numjit::py {

namespace {

PyObject* program_maker = nullptr;
PyObject* flags_type = nullptr;  // of x.flags

/// NumPy's functions, once the program has imported NumPy: without it there are no arrays of it.
bool has_numpy() {
  static bool known = false;
  if (known) return true;
  if (!PyDict_GetItemString(PyImport_GetModuleDict(), "numpy")) return false;
  if (PyArray_ImportNumPyAPI() != 0) throw ErrorSet();
  return known = true;
}

bool is_numpys(PyObject* o) { return PyArray_CheckExact(o); }

std::optional<dtype_id> type_of(PyArrayObject* a) {
  const PyArray_Descr* descr = PyArray_DESCR(a);
  if (!PyArray_ISNBO(descr->byteorder)) return {};
  const auto sized = [](dtype_id first, std::size_t bytes) {
    return static_cast<dtype_id>(static_cast<int>(first) + (bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3));
  };
  switch (descr->type_num) {
    case NPY_BOOL: return dtype_id::bool_;
    case NPY_BYTE: return dtype_id::int8;
    case NPY_SHORT: return sized(dtype_id::int8, sizeof(short));
    case NPY_INT: return sized(dtype_id::int8, sizeof(int));
    case NPY_LONG: return sized(dtype_id::int8, sizeof(long));
    case NPY_LONGLONG: return sized(dtype_id::int8, sizeof(long long));
    case NPY_UBYTE: return dtype_id::uint8;
    case NPY_USHORT: return sized(dtype_id::uint8, sizeof(short));
    case NPY_UINT: return sized(dtype_id::uint8, sizeof(int));
    case NPY_ULONG: return sized(dtype_id::uint8, sizeof(long));
    case NPY_ULONGLONG: return sized(dtype_id::uint8, sizeof(long long));
    case NPY_HALF: return dtype_id::float16;
    case NPY_FLOAT: return dtype_id::float32;
    case NPY_DOUBLE: return dtype_id::float64;
    case NPY_CFLOAT: return dtype_id::complex64;
    case NPY_CDOUBLE: return dtype_id::complex128;
    default: return {};
  }
}

int numpys_type(dtype_id type) {
  switch (type) {
    case dtype_id::bool_: return NPY_BOOL;
    case dtype_id::int8: return NPY_INT8;
    case dtype_id::int16: return NPY_INT16;
    case dtype_id::int32: return NPY_INT32;
    case dtype_id::int64: return NPY_INT64;
    case dtype_id::uint8: return NPY_UINT8;
    case dtype_id::uint16: return NPY_UINT16;
    case dtype_id::uint32: return NPY_UINT32;
    case dtype_id::uint64: return NPY_UINT64;
    case dtype_id::float16: return NPY_HALF;
    case dtype_id::float32: return NPY_FLOAT;
    case dtype_id::float64: return NPY_DOUBLE;
    case dtype_id::complex64: return NPY_CFLOAT;
    case dtype_id::complex128: return NPY_CDOUBLE;
  }
  return NPY_NOTYPE;
}

dims dims_of(const npy_intp* values, int count) {
  dims made;
  for (int i = 0; i < count; ++i) made.push_back(values[i]);
  return made;
}

/// Memory of NumPy's under an array of ours: the array that keeps it.
void release_numpys(void* context) {
  if (!Py_IsInitialized()) return;
  const Locked gil;
  Py_DECREF(static_cast<PyObject*>(context));
}
bool is_numpys_seen(void* context) noexcept { return is_memory_held_elsewhere(static_cast<PyObject*>(context)); }
[[maybe_unused]] const bool owner_is_known = [] {
  detail::know_foreign_owner(release_numpys, is_numpys_seen);
  return true;
}();

bool is_namedtuple(PyObject* o) { return PyTuple_Check(o) && !PyTuple_CheckExact(o) && has_attribute(o, "_fields"); }

/// An object that holds no array.
bool is_plain(PyObject* o) {
  return o == Py_None || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyComplex_CheckExact(o) ||
         PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || PyFunction_Check(o) || PyType_Check(o) || PyModule_Check(o) ||
         PyCFunction_Check(o) || is_array(o) || PySlice_Check(o) || PyRange_Check(o);
}

/// The attributes of an object of the user's, or null.
PyObject* attributes_of(PyObject* o) {
  if (is_plain(o) || PyArray_Check(o)) return nullptr;
  PyObject** at = _PyObject_GetDictPtr(o);
  if (at && *at) return *at;
#if PY_VERSION_HEX >= 0x030B0000
  if (PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE) && Py_TYPE(o)->tp_dictoffset != 0) {  // not made yet
    nb::object made = nb::steal(PyObject_GenericGetDict(o, nullptr));
    if (made.is_valid()) return made.ptr();  // the object has it
    PyErr_Clear();
  }
#endif
  return nullptr;
}

constexpr int deepest = 6;               // of containers in each other that are looked into
constexpr int most_objects = 2000;       // looked at for arrays that names, cells and attributes lead to
constexpr Py_ssize_t long_list = 10000;  // of which the end is looked at

/// Calls fn with the items of a tuple or a list, the values of a dict, while it returns true; false: it is none of them.
template <class F>
bool for_items(PyObject* o, F&& fn) {
  if (PyTuple_Check(o) || PyList_Check(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      if (!fn(PySequence_Fast_GET_ITEM(o, i))) break;
    return true;
  }
  if (!PyDict_Check(o)) return false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);)
    if (!fn(value)) break;
  return true;
}

/// A tuple of the kind of `o`, a namedtuple's for one of it.
nb::object tuple_of(PyObject* o, std::vector<nb::object> items) {
  nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(items.size())));
  if (!made.is_valid()) throw ErrorSet();
  for (std::size_t i = 0; i < items.size(); ++i)
    PyTuple_SET_ITEM(made.ptr(), static_cast<Py_ssize_t>(i), items[i].release().ptr());
  return PyTuple_CheckExact(o) ? made : nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(o))).attr("_make")(made);
}

void look(PyObject* o, Brought& brought, int depth) {
  if (is_array(o)) {
    brought.ours = true;
  } else if (PyArray_Check(o) || PyArray_IsScalar(o, Generic)) {
    brought.numpys = true;
  } else if (depth < deepest && (PyTuple_Check(o) || PyList_CheckExact(o) || PyDict_CheckExact(o))) {
    Py_ssize_t left = PyList_CheckExact(o) ? long_list : PY_SSIZE_T_MAX;
    for_items(o, [&](PyObject* item) {
      look(item, brought, depth + 1);
      return --left > 0;
    });
  }
}

}  // namespace

bool names_numpy(PyObject* function) {
  if (!has_numpy() || !PyFunction_Check(function)) return false;
  PyObject* const globals = PyFunction_GET_GLOBALS(function);
  const auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); ++i) {
    PyObject* value = PyDict_GetItemWithError(globals, PyTuple_GET_ITEM(code->co_names, i));
    if (!value || !PyModule_Check(value)) continue;
    const char* name = PyModule_GetName(value);
    if (!name) PyErr_Clear();
    if (name && std::strncmp(name, "numpy", 5) == 0 && (name[5] == 0 || name[5] == '.')) return true;
  }
  return false;
}

Brought look_at(PyObject* const* args, Py_ssize_t count) {
  Brought brought;
  if (!has_numpy()) {
    brought.ours = true;
    return brought;
  }
  for (Py_ssize_t i = 0; i < count && !brought.ours; ++i) look(args[i], brought, 0);
  return brought;
}

// ---- the twin ----

PyObject* NumpyProgram::Reference::now() const {
  if (key) return PyDict_GetItemWithError(where, key);
  return PyCell_Check(where) ? PyCell_GET(where) : where;
}

std::vector<NumpyProgram::Reference> NumpyProgram::references(PyObject* list) {
  std::vector<Reference> made;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* one = PyList_GET_ITEM(list, i);
    PyObject* key = PyTuple_GET_ITEM(one, 1);
    made.push_back({PyTuple_GET_ITEM(one, 0), key == Py_None ? nullptr : key});
  }
  return made;
}

bool NumpyProgram::holds() const {
  return std::all_of(guards_.begin(), guards_.end(), [](const Guard& g) { return g.at.now() == g.value; });
}

void NumpyProgram::refresh(PyObject* function) {
  if (style_ != Style::unknown && holds()) [[likely]]
    return;
  if (!program_maker) {
    nb::object module = nb::steal(PyImport_ImportModule("numjit._twins"));
    if (!module.is_valid()) throw nb::python_error();
  }
  nb::object made = nb::steal(PyObject_CallFunctionObjArgs(program_maker, function, program_, nullptr));
  if (!made.is_valid()) throw nb::python_error();
  nb::object parts = made.attr("parts");
  const std::string style = nb::cast<std::string>(parts[0]);
  style_ = style == "numpy" ? Style::numpy : style == "numjit" ? Style::ours : Style::neither;
  twin_ = PyTuple_GET_ITEM(parts.ptr(), 1);
  guards_.clear();
  PyObject* guards = PyTuple_GET_ITEM(parts.ptr(), 2);
  const std::vector<Reference> guarded = references(guards);
  for (std::size_t i = 0; i < guarded.size(); ++i)
    guards_.push_back({guarded[i], PyTuple_GET_ITEM(PyList_GET_ITEM(guards, static_cast<Py_ssize_t>(i)), 2)});
  watched_ = references(PyTuple_GET_ITEM(parts.ptr(), 3));
  stored_ = references(PyTuple_GET_ITEM(parts.ptr(), 4));
  Py_XSETREF(program_, made.release().ptr());
}

void NumpyProgram::visit(visitproc visit, void* arg, int& result) const {
  if (program_ && result == 0) result = visit(program_, arg);
}
void NumpyProgram::clear() {
  style_ = Style::unknown;
  twin_ = nullptr;
  guards_.clear();
  watched_.clear();
  stored_.clear();
  Py_CLEAR(program_);
}

// ---- which memory ----

// The array that has the memory of one of NumPy's, at the end of its chain of bases; an array of ours, whose memory it is.
NumpyBorder::Root& NumpyBorder::root_of(PyObject* numpys) {
  PyObject* o = numpys;
  bool is_known = true;
  while (PyObject* base = PyArray_Check(o) ? PyArray_BASE(reinterpret_cast<PyArrayObject*>(o)) : nullptr) {
    is_known = PyArray_Check(base) || is_array(base);  // else a buffer, a file: others may have it
    if (!is_known) break;
    o = base;
  }
  for (Root& root : roots_)
    if (root.owner.ptr() == o) return root;
  return roots_.emplace_back(Root{.owner = nb::borrow(o), .keeps = {}, .is_reachable = !is_known});
}

void NumpyBorder::count_roots(PyObject* o, int depth) {
  if (is_numpys(o)) {
    ++root_of(o).uses;
  } else if (depth >= deepest) {
    return;
  } else if (PyTuple_CheckExact(o) || is_namedtuple(o) || PyList_CheckExact(o) || PyDict_CheckExact(o)) {
    for_items(o, [&](PyObject* item) {
      count_roots(item, depth + 1);
      return true;
    });
  } else if (!is_plain(o)) {
    opaque_.push_back(o);
  }
}

// Arrays that the program can reach otherwise than by its arguments: NumPy may use them there, and has to see what was
// stored. Where there is more to look at than is reasonable, all count.
void NumpyBorder::find_reachable(PyObject* const* args, Py_ssize_t count) {
  for (Py_ssize_t i = 0; i < count; ++i) count_roots(args[i], 0);
  if (roots_.empty()) return;
  int budget = most_objects;
  for (PyObject* o : opaque_) mark_reachable(o, 0, budget);
  for (const auto& watched : program_.watched_)
    if (PyObject* now = watched.now()) mark_reachable(now, 0, budget);
  for (const auto& stored : program_.stored_)
    if (PyObject* now = stored.now()) mark_reachable(now, 0, budget);
  everything_reachable_ = budget <= 0;
}

void NumpyBorder::mark_reachable(PyObject* o, int depth, int& budget) {
  if (is_plain(o)) return;
  if (PyArray_Check(o)) {
    const std::size_t known = roots_.size();
    Root& root = root_of(o);
    root.is_reachable = true;
    if (roots_.size() > known) roots_.pop_back();
    return;
  }
  if (--budget <= 0 || depth >= deepest) {
    budget = 0;
    return;
  }
  const nb::object held = nb::borrow(o);
  if (PyList_Check(o) || PyDict_Check(o)) reachable_.push_back(o);
  Py_ssize_t left = long_list;
  for_items(o, [&](PyObject* item) {
    if (left-- == 0) budget = 0;
    if (budget > 0) mark_reachable(item, depth + 1, budget);
    return budget > 0;
  });
  if (PyObject* attributes = attributes_of(o); attributes && attributes != o) mark_reachable(attributes, depth + 1, budget);
}

// ---- in ----

// One array on this memory is ours as it lies. Several: views of its bytes, so that what overlaps is known.
void NumpyBorder::take_in(Root& root, PyObject* o, dtype_id type, const dims& shape, const dims& strides) {
  const bool reachable = root.is_reachable || everything_reachable_;
  PyObject* owner = root.owner.ptr();
  if (is_array(owner)) {
    root.keeps = array::share(detail::storage_owner(array_of(owner).get()));
    if (reachable) {
      detail::show(root.keeps.get(), "NumPy's array");
      root.is_shown = true;
    }
    return;
  }
  if (owner == o || root.uses == 1) {
    auto* numpys = reinterpret_cast<PyArrayObject*>(o);
    root.keeps =
        detail::foreign_array(PyArray_BYTES(numpys), type, shape, strides, !PyArray_ISWRITEABLE(numpys), release_numpys, o);
    Py_INCREF(o);
  } else {
    auto* numpys = reinterpret_cast<PyArrayObject*>(owner);
    std::intptr_t low = 0, high = PyArray_ITEMSIZE(numpys);
    for (int i = 0; i < PyArray_NDIM(numpys); ++i) {
      const std::intptr_t reach = (PyArray_DIM(numpys, i) - 1) * PyArray_STRIDE(numpys, i);
      (reach < 0 ? low : high) += reach;
    }
    if (PyArray_SIZE(numpys) == 0) high = low;
    root.keeps =
        detail::foreign_array(PyArray_BYTES(numpys) + low, dtype_id::uint8, {high - low}, {1}, false, release_numpys, owner);
    Py_INCREF(owner);
  }
  if (!reachable) root.keeps.get()->shown = 0;
}

nb::object NumpyBorder::enter_array(PyObject* o) {
  for (const Entered& e : entered_)
    if (e.numpys.ptr() == o) return e.ours;
  auto* numpys = reinterpret_cast<PyArrayObject*>(o);
  const std::optional<dtype_id> type = type_of(numpys);
  if (!type || PyArray_NDIM(numpys) > max_rank) return nb::borrow(o);
  const dims shape = dims_of(PyArray_DIMS(numpys), PyArray_NDIM(numpys));
  const dims strides = dims_of(PyArray_STRIDES(numpys), PyArray_NDIM(numpys));
  const bool readonly = !PyArray_ISWRITEABLE(numpys);
  char* const data = PyArray_BYTES(numpys);
  Root& root = root_of(o);
  if (root.keeps.empty_handle()) take_in(root, o, *type, shape, strides);
  node* of = root.keeps.get();
  array made;
  if (of->data == data && of->type == *type && dims(of->shape, of->rank) == shape && dims(of->strides, of->rank) == strides &&
      of->is(node::readonly) == readonly) {
    made = root.keeps;
  } else {
    made = array::adopt(detail::new_view(of, *type, shape.size(), shape.data(), strides.data(), data - of->data));
    if (readonly) made.get()->flags |= node::readonly;
  }
  node* n = made.get();
  entered_.push_back({nb::borrow(o), nb::steal(wrap(std::move(made))), n});
  if (!entered_.back().ours.is_valid()) throw ErrorSet();
  return entered_.back().ours;
}

nb::object NumpyBorder::enter_sequence(PyObject* o, int depth) {
  std::vector<nb::object> items;
  bool changed = false;
  for_items(o, [&](PyObject* item) {
    items.push_back(enter(item, depth + 1));
    changed |= items.back().ptr() != item;
    return true;
  });
  if (!changed) {
    if (PyList_Check(o)) as_they_are_.push_back(nb::borrow(o));
    return nb::borrow(o);
  }
  if (PyTuple_Check(o)) return tuple_of(o, std::move(items));
  nb::object made = nb::steal(PyList_New(static_cast<Py_ssize_t>(items.size())));
  if (!made.is_valid()) throw ErrorSet();
  std::vector<PyObject*> before;
  for (nb::object& item : items) {
    const auto at = static_cast<Py_ssize_t>(before.size());
    before.push_back(item.ptr());
    held_.push_back(item);
    PyList_SET_ITEM(made.ptr(), at, item.release().ptr());
  }
  copied_.push_back({nb::borrow(o), made, std::move(before)});
  return made;
}

nb::object NumpyBorder::enter_dict(PyObject* o, int depth) {
  nb::object made = nb::steal(PyDict_New());
  if (!made.is_valid()) throw ErrorSet();
  bool changed = false;
  std::vector<PyObject*> before;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
    const nb::object inside = enter(value, depth + 1);
    changed |= inside.ptr() != value;
    if (PyDict_SetItem(made.ptr(), key, inside.ptr()) != 0) throw ErrorSet();
    before.push_back(key);
    before.push_back(inside.ptr());
    held_.push_back(nb::borrow(key));
    held_.push_back(inside);
  }
  if (!changed) {
    as_they_are_.push_back(nb::borrow(o));
    return nb::borrow(o);
  }
  copied_.push_back({nb::borrow(o), made, std::move(before)});
  return made;
}

nb::object NumpyBorder::enter(PyObject* o, int depth) {
  if (is_numpys(o)) return enter_array(o);
  if (PyFloat_CheckExact(o) || PyLong_CheckExact(o)) return nb::borrow(o);
  if (PyArray_IsScalar(o, Generic)) {
    nb::object plain = nb::steal(PyArray_FromScalar(o, nullptr));
    if (!plain.is_valid()) throw ErrorSet();
    auto* numpys = reinterpret_cast<PyArrayObject*>(plain.ptr());
    const std::optional<dtype_id> type = type_of(numpys);
    if (!type) return nb::borrow(o);
    array made = array::adopt(detail::new_node(*type, 0, nullptr));
    std::memcpy(made.get()->data, PyArray_BYTES(numpys), dtype(*type).itemsize());
    return nb::steal(wrap(std::move(made), true));
  }
  if (depth >= deepest) return nb::borrow(o);
  for (const Copied& copied : copied_)
    if (copied.given.ptr() == o) return copied.copy;
  // What the program also reaches by a name must not be two things: it stays what it is.
  if (std::find(reachable_.begin(), reachable_.end(), o) != reachable_.end()) return nb::borrow(o);
  if (PyTuple_CheckExact(o) || PyList_CheckExact(o) || is_namedtuple(o)) return enter_sequence(o, depth);
  if (PyDict_CheckExact(o)) return enter_dict(o, depth);
  return nb::borrow(o);
}

std::vector<PyObject*> NumpyBorder::enter(PyObject* const* args, Py_ssize_t count) {
  find_reachable(args, count);
  std::vector<PyObject*> made;
  std::vector<nb::object> inside;
  for (Py_ssize_t i = 0; i < count; ++i) {
    inside.push_back(enter(args[i], 0));
    made.push_back(inside.back().ptr());
  }
  for (nb::object& o : inside) held_.push_back(std::move(o));
  return made;
}

// ---- out ----

nb::object NumpyBorder::numpys_of(const array& a) {
  const array here = a.get()->device != 0 ? a.to("cpu") : a;
  node* n = detail::concrete(here.get(), "data", {});
  npy_intp shape[max_rank], strides[max_rank];
  std::copy_n(n->shape, n->rank, shape);
  std::copy_n(n->strides, n->rank, strides);
  PyArray_Descr* descr = PyArray_DescrFromType(numpys_type(n->type));
  const bool has_memory = n->size > 0;  // else NumPy's own
  nb::object made =
      nb::steal(PyArray_NewFromDescr(&PyArray_Type, descr, n->rank, shape, has_memory ? strides : nullptr,
                                     has_memory ? n->data : nullptr, n->is(node::readonly) ? 0 : NPY_ARRAY_WRITEABLE, nullptr));
  if (!made.is_valid()) throw ErrorSet();
  if (!has_memory) return made;
  const node* owner = detail::storage_owner(n);
  PyObject* base = nullptr;
  for (const Root& root : roots_)
    if (!root.keeps.empty_handle() && detail::storage_owner(root.keeps.get()) == owner) base = Py_NewRef(root.owner.ptr());
  if (!base) base = wrap(here);
  if (!base || PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(made.ptr()), base) != 0) throw ErrorSet();
  return made;
}

nb::object NumpyBorder::leave_array(PyObject* o) {
  for (const Entered& e : entered_)
    if (e.ours.ptr() == o || array_of(o).get() == e.made) return e.numpys;
  for (const auto& [ours, numpys] : given_)
    if (ours == o) return numpys;
  const array& a = array_of(o);
  nb::object made;
  if (is_scalar(o)) {
    node* n = detail::concrete((a.get()->device != 0 ? a.to("cpu") : a).get(), "item", {});
    PyArray_Descr* descr = PyArray_DescrFromType(numpys_type(n->type));
    made = nb::steal(PyArray_Scalar(n->data, descr, nullptr));
    Py_DECREF(descr);
    if (!made.is_valid()) throw ErrorSet();
  } else {
    made = numpys_of(a);
  }
  held_.push_back(nb::borrow(o));
  given_.emplace_back(o, made);
  return made;
}

nb::object NumpyBorder::leave(PyObject* o, int depth) {
  if (is_array(o)) return leave_array(o);
  if (Py_TYPE(o) == dtype_type)
    return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(numpys_type(reinterpret_cast<DtypeObject*>(o)->id))));
  if (is_plain(o) || PyArray_Check(o)) return nb::borrow(o);
  for (const Copied& copied : copied_)
    if (copied.copy.ptr() == o) return copied.given;  // its items by write_back()
  if (depth < deepest && (PyTuple_CheckExact(o) || is_namedtuple(o))) {
    std::vector<nb::object> items;
    bool changed = false;
    for_items(o, [&](PyObject* item) {
      items.push_back(leave(item, depth + 1));
      changed |= items.back().ptr() != item;
      return true;
    });
    return changed ? tuple_of(o, std::move(items)) : nb::borrow(o);
  }
  if (flags_type && reinterpret_cast<PyObject*>(Py_TYPE(o)) == flags_type) {
    const nb::object of = nb::borrow(o).attr("_a");
    return leave(of.ptr(), depth).attr("flags");
  }
  if (depth < deepest && PyFrozenSet_CheckExact(o)) return leave_set(o, depth);
  leave_inside(o, depth);
  return nb::borrow(o);
}

void NumpyBorder::leave_list(PyObject* list, int depth) {
  for (Py_ssize_t i = std::max<Py_ssize_t>(0, PyList_GET_SIZE(list) - long_list); i < PyList_GET_SIZE(list); ++i) {
    const nb::object item = nb::borrow(PyList_GET_ITEM(list, i));
    if (PyFloat_CheckExact(item.ptr()) || PyLong_CheckExact(item.ptr())) continue;
    const nb::object left = leave(item.ptr(), depth + 1);
    if (left.ptr() != item.ptr() && i < PyList_GET_SIZE(list)) PyList_SetItem(list, i, Py_NewRef(left.ptr()));
  }
}

void NumpyBorder::leave_dict(PyObject* dict, int depth) {
  std::vector<std::pair<nb::object, nb::object>> changed;
  bool keys = false;  // may some of them hold scalars of ours?
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);) {
    keys |= is_array(key) || PyTuple_CheckExact(key);
    if (is_plain(value) && !is_array(value)) continue;
    const nb::object name = nb::borrow(key), held = nb::borrow(value);
    nb::object left = leave(value, depth + 1);
    if (left.ptr() != value) changed.emplace_back(name, std::move(left));
  }
  for (const auto& [name, left] : changed)
    if (PyDict_SetItem(dict, name.ptr(), left.ptr()) != 0) throw ErrorSet();
  if (keys && PyDict_CheckExact(dict)) leave_keys(dict, depth);
}

void NumpyBorder::leave_keys(PyObject* dict, int depth) {
  const nb::object before = nb::steal(PyDict_Copy(dict)), made = nb::steal(PyDict_New());
  if (!before.is_valid() || !made.is_valid()) throw ErrorSet();
  bool changed = false;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(before.ptr(), &at, &key, &value);) {
    const nb::object left = leave(key, depth + 1);
    changed |= left.ptr() != key;
    if (PyDict_SetItem(made.ptr(), left.ptr(), value) != 0) throw ErrorSet();
  }
  if (!changed) return;
  PyDict_Clear(dict);
  if (PyDict_Update(dict, made.ptr()) != 0) throw ErrorSet();
}

/// A set, with other items where they are ours; a frozenset anew then.
nb::object NumpyBorder::leave_set(PyObject* set, int depth) {
  const nb::object items = nb::steal(PySequence_List(set));
  if (!items.is_valid()) throw ErrorSet();
  const nb::object before = nb::steal(PySequence_List(items.ptr()));
  if (!before.is_valid()) throw ErrorSet();
  leave_list(items.ptr(), depth);
  bool changed = false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.ptr()); ++i)
    changed |= PyList_GET_ITEM(items.ptr(), i) != PyList_GET_ITEM(before.ptr(), i);
  if (!changed) return nb::borrow(set);
  if (PyFrozenSet_CheckExact(set)) {
    nb::object made = nb::steal(PyFrozenSet_New(items.ptr()));
    if (!made.is_valid()) throw ErrorSet();
    return made;
  }
  if (PySet_Clear(set) != 0) throw ErrorSet();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.ptr()); ++i)
    if (PySet_Add(set, PyList_GET_ITEM(items.ptr(), i)) != 0) throw ErrorSet();
  return nb::borrow(set);
}

// What a container or an object of the user's refers to.
void NumpyBorder::leave_inside(PyObject* o, int depth) {
  if (depth >= deepest || is_plain(o) || seen_.size() >= most_objects || (PyDict_Check(o) && PyDict_Size(o) > long_list) ||
      (PyAnySet_Check(o) && PySet_GET_SIZE(o) > long_list) || !seen_.insert(o).second)
    return;
  const nb::object held = nb::borrow(o);
  if (PyList_Check(o))
    leave_list(o, depth);
  else if (PyDict_Check(o))
    leave_dict(o, depth);
  else if (PySet_Check(o))
    leave_set(o, depth);
  if (PyObject* attributes = attributes_of(o); attributes && attributes != o) leave_dict(attributes, depth + 1);
}

// Lists and dicts that came in were copied, with our arrays in them: what the call did to the copies happens to them.
void NumpyBorder::write_back(const Copied& copied) {
  PyObject *given = copied.given.ptr(), *copy = copied.copy.ptr();
  std::vector<PyObject*> now;
  if (PyList_Check(copy)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(copy); ++i) now.push_back(PyList_GET_ITEM(copy, i));
  } else {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(copy, &at, &key, &value);) {
      now.push_back(key);
      now.push_back(value);
    }
  }
  if (now == copied.before) return;
  if (PyList_Check(copy)) {
    nb::object items = nb::steal(PyList_New(0));
    for (PyObject* item : now)
      if (!items.is_valid() || PyList_Append(items.ptr(), leave(item, 1).ptr()) != 0) throw ErrorSet();
    if (PyList_SetSlice(given, 0, PyList_GET_SIZE(given), items.ptr()) != 0) throw ErrorSet();
    return;
  }
  nb::object items = nb::steal(PyDict_New());
  for (std::size_t i = 0; i < now.size(); i += 2)
    if (!items.is_valid() || PyDict_SetItem(items.ptr(), leave(now[i], 1).ptr(), leave(now[i + 1], 1).ptr()) != 0)
      throw ErrorSet();
  PyDict_Clear(given);
  if (PyDict_Update(given, items.ptr()) != 0) throw ErrorSet();
}

// a.shape = ... of an argument is seen by the caller, who has the same array.
void NumpyBorder::give_layouts() {
  for (const Entered& e : entered_) {
    const node* n = array_of(e.ours.ptr()).get();
    if (n == e.made || detail::storage_owner(const_cast<node*>(n)) != detail::storage_owner(e.made)) continue;
    const nb::object shape = e.ours.attr("shape"), type = e.ours.attr("dtype");
    if (n->type != e.made->type) nb::setattr(e.numpys, "dtype", nb::str(std::string(dtype(n->type).name()).c_str()));
    nb::setattr(e.numpys, "shape", shape);
  }
}

void NumpyBorder::leave_error(PyObject* error) {
  const nb::object args = nb::steal(PyObject_GetAttrString(error, "args"));
  if (!args.is_valid()) throw ErrorSet();
  const nb::object left = leave(args.ptr(), 0);
  if (left.ptr() != args.ptr() && PyObject_SetAttrString(error, "args", left.ptr()) != 0) throw ErrorSet();
  leave_inside(error, 0);
}

void NumpyBorder::settle(PyObject* error) {
  give_layouts();
  for (std::size_t i = 0; i < copied_.size(); ++i) write_back(copied_[i]);
  for (std::size_t i = 0; i < as_they_are_.size(); ++i) leave_inside(as_they_are_[i].ptr(), 0);
  for (PyObject* o : opaque_) leave_inside(o, 0);
  for (const auto& stored : program_.stored_) {
    PyObject* now = stored.now();
    if (!now) continue;
    const nb::object left = leave(now, 0);
    if (left.ptr() == now) continue;
    if (stored.key)
      PyDict_SetItem(stored.where, stored.key, left.ptr());
    else
      PyCell_Set(stored.where, left.ptr());
  }
  for (const auto& watched : program_.watched_)
    if (PyObject* now = watched.now()) leave_inside(now, 0);
  if (error) leave_error(error);
  // Who still has an array of ours on NumPy's memory shares it with the caller from now on.
  for (Root& root : roots_) {
    if (root.keeps.empty_handle()) continue;
    node* n = root.keeps.get();
    if (n->deleter == release_numpys) n->shown |= detail::shown_if_asked;
    if (std::exchange(root.is_shown, false)) detail::hide(n);
  }
}

void define_numpy_programs(Module& m) {
  m.def("set_program_maker", [](nb::object maker) { program_maker = maker.release().ptr(); });
  m.def("set_flags_type", [](nb::object type) { flags_type = type.release().ptr(); });
  m.def("in_numpy_program", [] { return numpy_programs_open > 0; });
  define_twin_functions(m);
}

}  // namespace numjit::py
