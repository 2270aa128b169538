// Memory shared with others: the buffer protocol and DLPack, both ways.
#include <algorithm>
#include <cstring>
#include <memory>

#include <numjit/array/shown.h>
#include <numjit/dlpack_layout.h>
#include <numjit/interop.h>

#include <numjit/trace/record/value_errors.h>

#include "byte_order.h"
#include "exchange.h"
#include "module.h"
#include "watched.h"

namespace numjit::py {

namespace {

// ---- buffers ----

constexpr const char* formats[dtype_count] = {"?", "b", "h", "i", "l", "B", "H", "I", "L", "e", "f", "d", "Zf", "Zd"};

/// dtype of a buffer's format; nothing for what is no dtype. `swapped`: in the other byte order.
std::optional<dtype_id> type_of_format(const char* format, Py_ssize_t itemsize, bool& swapped) {
  swapped = false;
  if (!format) return dtype_id::uint8;
  if (*format == '>' || *format == '!') swapped = itemsize > 1;
  if (std::strchr("@=<>!", *format) && *format) ++format;
  const bool complex = *format == 'Z';
  if (complex) ++format;
  if (*format == 0 || format[1] != 0) return {};
  if (complex) {
    if (*format == 'f') return dtype_id::complex64;
    if (*format == 'd') return dtype_id::complex128;
    return {};
  }
  const int log2 = itemsize == 1 ? 0 : itemsize == 2 ? 1 : itemsize == 4 ? 2 : 3;
  if (std::strchr("bhilqn", *format)) return static_cast<dtype_id>(static_cast<int>(dtype_id::int8) + log2);
  if (std::strchr("BHILQN", *format)) return static_cast<dtype_id>(static_cast<int>(dtype_id::uint8) + log2);
  switch (*format) {
    case '?': return dtype_id::bool_;
    case 'e': return dtype_id::float16;
    case 'f': return dtype_id::float32;
    case 'd': return dtype_id::float64;
    default: return {};
  }
}

/// Gives foreign memory back when the last array on it goes, on whatever thread that is.
void release_foreign(void* context) {
  auto* view = static_cast<Py_buffer*>(context);
  if (Py_IsInitialized()) {
    const Locked gil;
    PyBuffer_Release(view);
  }
  delete view;
}

PyTypeObject* numpy_array_type() {
  static PyTypeObject* found = nullptr;
  if (found) return found;
  PyObject* numpy = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy");
  nb::object type = nb::steal(numpy ? PyObject_GetAttrString(numpy, "ndarray") : nullptr);
  if (!type.is_valid()) PyErr_Clear();
  return found = type.is_valid() && PyType_Check(type.ptr()) ? reinterpret_cast<PyTypeObject*>(type.release().ptr()) : nullptr;
}

bool is_held_elsewhere(void* context) noexcept { return is_memory_held_elsewhere(static_cast<Py_buffer*>(context)->obj); }
[[maybe_unused]] const bool owner_is_known = [] {
  detail::know_foreign_owner(release_foreign, is_held_elsewhere);
  return true;
}();

}  // namespace

// Objects of which that can't be told may have shared it with anybody.
bool is_memory_held_elsewhere(PyObject* o) noexcept {
  if (!o || !PyGILState_Check() || Py_REFCNT(o) > 1) return true;
  if (PyByteArray_CheckExact(o)) return false;
  PyTypeObject* const arrays = numpy_array_type();
  nb::object kept = nb::borrow(o);
  while (arrays && PyObject_TypeCheck(o, arrays)) {
    nb::object base = nb::steal(PyObject_GetAttrString(o, "base"));
    if (!base.is_valid()) {
      PyErr_Clear();
      return true;
    }
    if (base.is_none()) return false;            // it owns the memory
    if (Py_REFCNT(base.ptr()) > 2) return true;  // its view and we have it here
    kept = std::move(base);
    o = kept.ptr();
  }
  return true;
}

PyObject* exporter_of(const node* owner) noexcept {
  if (owner->deleter != release_foreign) return nullptr;
  PyObject* from = static_cast<const Py_buffer*>(owner->deleter_context)->obj;
  PyTypeObject* const arrays = numpy_array_type();
  while (from && arrays && PyObject_TypeCheck(from, arrays) && Py_REFCNT(from) == 1) {  // it keeps its base alive
    const nb::object base = nb::steal(PyObject_GetAttrString(from, "base"));
    if (!base.is_valid()) PyErr_Clear();
    from = base.is_valid() && !base.is_none() ? base.ptr() : nullptr;
  }
  return from;
}

namespace {

/// Is read-only memory of an exporter such that never changes: of bytes, or of NumPy's numbers?
bool is_constant(PyObject* exporter) {
  nb::object o = nb::borrow(exporter);
  if (o.is_valid() && stands_for_number(o.ptr()) && !is_array(o.ptr())) return true;
  if (o.is_valid() && PyMemoryView_Check(o.ptr())) o = nb::borrow(PyMemoryView_GET_BASE(o.ptr()));
  for (PyTypeObject* const arrays = numpy_array_type(); o.is_valid() && arrays && PyObject_TypeCheck(o.ptr(), arrays);) {
    o = nb::steal(PyObject_GetAttrString(o.ptr(), "base"));
    if (!o.is_valid()) PyErr_Clear();
  }
  return o.is_valid() && PyBytes_CheckExact(o.ptr());
}

bool is_date(PyObject* o) {
  const std::string name = Py_TYPE(o)->tp_name;
  return name == "numpy.datetime64" || name == "numpy.timedelta64";
}

}  // namespace

array from_buffer(PyObject* o) {
  auto view = std::make_unique<Py_buffer>();
  bool readonly = false;
  if (PyObject_GetBuffer(o, view.get(), PyBUF_FULL) != 0) {
    PyErr_Clear();
    if (PyObject_GetBuffer(o, view.get(), PyBUF_FULL_RO) != 0) {
      PyErr_Clear();  // dates, objects: no buffer
      throw TypeError("array", std::string("there is no dtype for the elements of a '") + Py_TYPE(o)->tp_name + "'.");
    }
    readonly = true;
  }
  readonly |= view->readonly != 0;
  bool swapped = false;
  if (view->format && *view->format == 'B' && is_date(o)) {  // NumPy's scalars of dates give their bytes
    PyBuffer_Release(view.get());
    throw TypeError("array", std::string("there is no dtype for the elements of a '") + Py_TYPE(o)->tp_name + "'.");
  }
  const std::optional<dtype_id> type = type_of_format(view->format, view->itemsize, swapped);
  if (!type || static_cast<Py_ssize_t>(dtype(*type).itemsize()) != view->itemsize || view->suboffsets) {
    const std::string format = view->format ? view->format : "B";
    PyBuffer_Release(view.get());
    throw TypeError("array", "there is no dtype for elements of format '" + format +
                                 "'. Strings, dates, objects, structures and long double are left out.");
  }
  if (view->ndim > max_rank) {
    const int rank = view->ndim;
    PyBuffer_Release(view.get());
    throw ValueError("array", "maximum supported dimension for an array is 16, found " + std::to_string(rank));
  }
  dims shape, strides;
  for (int i = 0; i < view->ndim; ++i) shape.push_back(view->shape ? view->shape[i] : view->len / view->itemsize);
  strides = contiguous_strides(shape, view->itemsize);  // ctypes gives none
  for (int i = 0; view->strides && i < view->ndim; ++i) strides[i] = view->strides[i];
  if (swapped) {  // another byte order: NumPy turns it round
    PyBuffer_Release(view.get());
    nb::object numpy = nb::steal(PyImport_ImportModule("numpy"));
    nb::object native;
    if (numpy.is_valid())
      native = nb::steal(PyObject_CallMethod(numpy.ptr(), "array", "Os", o, std::string(dtype(*type).descr()).c_str()));
    if (!native.is_valid()) throw ErrorSet();
    return from_buffer(native.ptr());
  }
  Py_buffer* kept = view.release();
  array made = detail::foreign_array(kept->buf, *type, shape, strides, readonly, release_foreign, kept);
  if (readonly && is_constant(kept->obj)) [[unlikely]]
    made.get()->shown = 0;
  return made;
}

namespace {
/// The memory of an array for others. Who asks may take an error for "no buffer", as NumPy does: it is kept.
node* memory_for_others(const array& a, bool& kept) {
  try {
    detail::settle_pending();
    node* const n = detail::concrete(a.get(), "data", {});
    detail::refuse_memory(n);
    return n;
  } catch (...) {
    tracing::keep_error();
    kept = detail::recording;
    throw;
  }
}

/// What a view of ours needs while it lives.
struct Exported {
  std::int64_t layout[2 * max_rank];  // shape, strides
  array owner;
};
}  // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  bool kept = false;
  const int status = guarded_status([&] {
    view->obj = nullptr;
    const array& a = array_of(self);
    if ((flags & PyBUF_WRITABLE) && is_scalar(self)) {
      PyErr_SetString(PyExc_BufferError, "scalar buffer is readonly");
      nb::raise_python_error();
    }
    node* n = memory_for_others(a, kept);
    const bool readonly = n->is(node::readonly) || is_scalar(self);
    if ((flags & PyBUF_WRITABLE) && readonly) throw ValueError("", "buffer source array is read-only");
    const bool wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    const bool c = n->is(node::c_contiguous), f = n->is(node::f_contiguous);
    if (((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS || !wants_strides) && !c)
      throw ValueError("", "ndarray is not C-contiguous");
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !f) throw ValueError("", "ndarray is not Fortran contiguous");
    if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS && !c && !f) throw ValueError("", "ndarray is not contiguous");
    static_assert(sizeof(Py_ssize_t) == sizeof(std::int64_t));
    static char no_memory[16];
    auto* exported = new Exported;
    std::int64_t* layout = exported->layout;
    for (int i = 0; i < n->rank; ++i) {
      layout[i] = n->shape[i];
      layout[max_rank + i] = n->strides[i];
    }
    // The memory stays although the object's array may be replaced (a.shape = ...).
    exported->owner = array::share(detail::storage_owner(n));
    view->internal = exported;
    view->buf = n->data ? n->data : no_memory;
    view->itemsize = static_cast<Py_ssize_t>(a.itemsize());
    view->len = static_cast<Py_ssize_t>(a.nbytes());
    view->readonly = readonly;
    view->ndim = flags & PyBUF_ND ? n->rank : 1;  // asked without a shape: bytes
    view->format = flags & PyBUF_FORMAT ? const_cast<char*>(formats[static_cast<int>(n->type)]) : nullptr;
    view->shape = flags & PyBUF_ND ? reinterpret_cast<Py_ssize_t*>(layout) : nullptr;
    view->strides = wants_strides ? reinterpret_cast<Py_ssize_t*>(layout + max_rank) : nullptr;
    view->suboffsets = nullptr;
    // Of a scalar a holder of the node in its place: True_ is everybody's. release_buffer of this type gets it back.
    PyObject* holder = is_scalar(self) ? wrap_as(Py_TYPE(self), array::share(n)) : Py_NewRef(self);
    if (!holder) {
      delete exported;
      throw ErrorSet();
    }
    detail::show(exported->owner.get(), "memoryview or NumPy");
    view->obj = holder;
  });
  if (kept) keep_exception();
  return status;
}

void release_buffer(PyObject*, Py_buffer* view) {
  auto* exported = static_cast<Exported*>(view->internal);
  detail::hide(exported->owner.get());
  delete exported;
}

// ---- NumPy's structure for C ----

namespace {
/// PyArrayInterface of NumPy's headers.
struct ArrayInterface {
  int two = 2, rank = 0;
  char kind = 0;
  int itemsize = 0, flags = 0;
  Py_ssize_t *shape = nullptr, *strides = nullptr;
  void* data = nullptr;
  PyObject* descr = nullptr;
};
struct Interface {
  ArrayInterface given;
  Exported memory;
};
}  // namespace

PyObject* get_array_struct(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    node* n = detail::concrete(array_of(self).get(), "data", {});
    detail::refuse_memory(n);
    auto made = std::make_unique<Interface>();
    std::copy_n(n->shape, n->rank, made->memory.layout);
    std::copy_n(n->strides, n->rank, made->memory.layout + max_rank);
    made->memory.owner = array::share(n);
    ArrayInterface& given = made->given;
    given.rank = n->rank;
    given.kind = dtype(n->type).kind();
    given.itemsize = static_cast<int>(dtype(n->type).itemsize());
    constexpr int c_order = 1, fortran_order = 2, aligned = 0x100, not_swapped = 0x200, writeable = 0x400;
    given.flags = not_swapped | (n->is(node::c_contiguous) ? c_order : 0) | (n->is(node::f_contiguous) ? fortran_order : 0) |
                  (detail::is_misaligned(n) ? 0 : aligned) | (n->is(node::readonly) || is_scalar(self) ? 0 : writeable);
    given.shape = reinterpret_cast<Py_ssize_t*>(made->memory.layout);
    given.strides = given.shape + max_rank;
    given.data = n->data;
    detail::show_for_good(n, "__array_struct__");
    PyObject* capsule = PyCapsule_New(&made->given, nullptr, [](PyObject* c) {
      delete reinterpret_cast<Interface*>(PyCapsule_GetPointer(c, nullptr));  // which begins with what is given
    });
    if (capsule) static_cast<void>(made.release());
    return capsule;
  });
}

// ---- DLPack ----

namespace {

namespace dl = detail::dl;

template <class Managed>
PyObject* new_capsule(Managed* made, const char* name) {
  return PyCapsule_New(made, name, [](PyObject* capsule) {
    // Nobody took it: its name was not changed to "used_...".
    const char* called = PyCapsule_GetName(capsule);
    if (!called || std::strncmp(called, "used_", 5) == 0) return;
    if (void* p = PyCapsule_GetPointer(capsule, called)) {
      auto* m = static_cast<Managed*>(p);
      m->deleter(m);
    }
  });
}

/// The owner may be a Python object.
template <class Managed>
void release_managed(void* context) {
  auto* managed = static_cast<Managed*>(context);
  if (!managed->deleter || !Py_IsInitialized()) return;
  const Locked gil;
  managed->deleter(managed);
}

}  // namespace

PyObject* dlpack_capsule(const array& from, bool versioned, bool copied) {
  detail::settle_pending();
  detail::refuse_memory(from.get());
  // What lies on a device is handed out as a copy: nobody would tell the taker of later writes there.
  const bool elsewhere = from.get()->device != 0;
  copied = copied || elsewhere;
  if (!elsewhere) detail::concrete(from.get(), "data", {});
  const array a = elsewhere ? from.to("cpu") : copied ? from.copy({}) : from;
  detail::concrete(a.get(), "data", {});
  if (!versioned && !a.writeable()) {
    PyErr_SetString(PyExc_BufferError, "Cannot export readonly array since signalling readonly is unsupported by DLPack "
                                       "(supported by newer DLPack version).");
    throw ErrorSet();
  }
  return versioned ? new_capsule(dl::make_versioned(a, copied), "dltensor_versioned") : new_capsule(dl::make(a), "dltensor");
}

array from_dlpack_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto* m = static_cast<dl::ManagedVersioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    array made = dl::take(m, release_managed<dl::ManagedVersioned>);
    PyCapsule_SetName(capsule, "used_dltensor_versioned");
    return made;
  }
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    array made = dl::take(static_cast<dl::Managed*>(PyCapsule_GetPointer(capsule, "dltensor")), release_managed<dl::Managed>);
    PyCapsule_SetName(capsule, "used_dltensor");
    return made;
  }
  throw ValueError("from_dlpack", "expected a DLPack capsule that was not used yet.");
}

void define_exchange(Module& m) {
  m.def("_dlpack_capsule", [](Any a, bool versioned, bool copied) {
    const array& from = checked_array(a.ptr());
    if (is_in_other_order(a.ptr())) {
      PyErr_SetString(PyExc_BufferError, "DLPack only supports native byte order.");
      throw nb::python_error();
    }
    return nb::steal(dlpack_capsule(from, versioned, copied || is_scalar(a.ptr())));
  });
  m.def("_from_dlpack_capsule", [](Any capsule) { return give(from_dlpack_capsule(capsule.ptr())); });
  m.def("_reinterpret", [](Any h, Any type) {
    const array view = checked_array(h.ptr()).view(to_native_dtype(type.ptr()));
    if (is_in_other_order(h.ptr())) throw TypeError("", "memory is in the processor's byte order");
    return nb::steal(with_base(wrap(view, is_scalar(h.ptr())), h.ptr()));
  });
  m.def("in_order_of", [](Any made, Any type) { return in_order(nb::borrow(made), is_other_order(type.ptr())); });
  m.def("names_other_order", [](Any type) {
    try {
      return is_other_order(type.ptr());
    } catch (...) {
      translate_error();
      PyErr_Clear();
      return false;
    }
  });
  m.def("_set_base", [](Any view, Any base) {  // of a view: the object whose memory it was made on
    Py_XSETREF(reinterpret_cast<ArrayObject*>(view.ptr())->base, Py_NewRef(base.ptr()));
    return nb::borrow(view);
  });
  m.def("_as_strided", [](Any h, Any shape, Any strides, bool writeable) {
    return give_view(lib::stride_tricks::as_strided(checked_array(h.ptr()), to_dims(shape.ptr()), to_dims(strides.ptr()),
                                                    {.writeable = writeable}),
                     h);
  });
  m.def("share", [](Any a) {
    if (!is_array(a.ptr()))
      throw TypeError("share", std::string("expected an array, got an object of type '") + Py_TYPE(a.ptr())->tp_name + "'.");
    share(array_of(a.ptr()));
  });
  m.def("_address_for", [](Any a, const char* by) {
    node* n = detail::concrete(array_of(a.ptr()).get(), "data", {});
    detail::refuse_memory(n);
    detail::show_for_good(n, by);
    return reinterpret_cast<std::uintptr_t>(n->data);
  });
}

namespace {

long instruction(const char* name) { return nb::cast<long>(nb::module_::import_("opcode").attr("opmap")[name]); }

/// Is it the instruction at which the program stands, or so many before it?
bool is_at([[maybe_unused]] long instruction, [[maybe_unused]] int before) {
#if PY_VERSION_HEX >= 0x030b0000
  PyFrameObject* frame = PyEval_GetFrame();
  if (!frame) return false;
  const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  const nb::object bytes = nb::steal(PyCode_GetCode(reinterpret_cast<PyCodeObject*>(code.ptr())));
  const int at = PyFrame_GetLasti(frame) - 2 * before;
  return at >= 0 && at < PyBytes_GET_SIZE(bytes.ptr()) &&
         static_cast<unsigned char>(PyBytes_AS_STRING(bytes.ptr())[at]) == instruction;
#else
  return false;
#endif
}

}  // namespace

bool is_storing_element() {
  static const long store = instruction("STORE_SUBSCR");
  return is_at(store, 0);
}
// x[i] += y copies x and i on the stack first.
bool is_updating_element() {
#if PY_VERSION_HEX >= 0x030b0000
  static const long copy = instruction("COPY");
  return is_at(copy, 1);
#else
  return false;
#endif
}

}  // namespace numjit::py
