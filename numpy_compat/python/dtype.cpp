// numjit.dtype: immortal objects, one for each dtype and byte order, callable as NumPy's scalar types are.
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <numjit/array/remote.h>

#include "byte_order.h"
#include "module.h"

namespace numjit::py {

PyTypeObject* dtype_type;

namespace {

std::array<PyObject*, dtype_count> objects;
std::array<PyObject*, dtype_count> others;  // of the other byte order; null where an element is a byte

[[noreturn]] void throw_left_out(const std::string& text);

dtype_id id_of(PyObject* o) { return reinterpret_cast<DtypeObject*>(o)->id; }
bool is_other(PyObject* o) { return others[static_cast<std::size_t>(id_of(o))] == o; }

/// What an object names: a dtype, and whether in the other byte order.
struct Described {
  dtype_id id;
  bool other = false;
  PyObject* object() const { return (other ? others : objects)[static_cast<std::size_t>(id)]; }
};
Described describe(PyObject* o);

/// As '<f8' and '>f8'.
std::string text_of(PyObject* o) {
  std::string text(dtype(id_of(o)).descr());
  if (is_other(o)) text[0] = '>';
  return text;
}

PyObject* dtype_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"dtype", "align", "copy", nullptr};
  PyObject* o;
  int align = 0, copy = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|pp", const_cast<char**>(names), &o, &align, &copy))
    return nullptr;
  return guarded([&] { return Py_NewRef(describe(o).object()); });
}

PyObject* dtype_repr(PyObject* self) {
  return PyUnicode_FromFormat("dtype('%s')", (is_other(self) ? text_of(self) : std::string(dtype(id_of(self)).name())).c_str());
}
PyObject* dtype_str(PyObject* self) { return is_other(self) ? unicode(text_of(self)) : unicode(dtype(id_of(self)).name()); }
Py_hash_t dtype_hash(PyObject* self) { return 7919 + 31 * static_cast<Py_hash_t>(id_of(self)) + is_other(self); }

/// a < b: every value of a may be cast to b, and the two differ.
PyObject* dtype_order(PyObject* self, PyObject* other, int op) {
  Described b{};
  try {
    b = describe(other);
  } catch (...) {
    translate_error();
    PyErr_Clear();
    Py_RETURN_NOTIMPLEMENTED;
  }
  const dtype_id a = id_of(self);
  const bool less = op == Py_LT || op == Py_LE;
  const bool casts = less ? can_cast(a, b.id, casting::safe) : can_cast(b.id, a, casting::safe);
  return PyBool_FromLong(casts && (op == Py_LE || op == Py_GE || self != b.object()));
}

PyObject* dtype_compare(PyObject* self, PyObject* other, int op) {
  if (op != Py_EQ && op != Py_NE) return dtype_order(self, other, op);
  bool same = false;
  if (Py_TYPE(other) == dtype_type) {
    same = self == other;
  } else {
    try {
      same = describe(other).object() == self;
    } catch (...) {
      translate_error();
      PyErr_Clear();
    }
  }
  return PyBool_FromLong(same == (op == Py_EQ));
}

PyObject* dtype_call(PyObject* self, PyObject* args, PyObject* kwargs) { return make_scalar(id_of(self), args, kwargs); }

PyObject* get_name(PyObject* self, void*) { return unicode(dtype(id_of(self)).name()); }
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromSize_t(dtype(id_of(self)).itemsize()); }
PyObject* get_alignment(PyObject* self, void*) {
  const dtype t(id_of(self));
  return PyLong_FromSize_t(t.kind() == 'c' ? t.itemsize() / 2 : t.itemsize());
}
PyObject* get_kind(PyObject* self, void*) {
  const char c = dtype(id_of(self)).kind();
  return unicode({&c, 1});
}
PyObject* get_char(PyObject* self, void*) {
  const char c = dtype(id_of(self)).character();
  return unicode({&c, 1});
}
PyObject* get_str(PyObject* self, void*) { return unicode(text_of(self)); }
PyObject* get_self(PyObject* self, void*) { return Py_NewRef(self); }
PyObject* get_type(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<PyObject*>(scalar_types[static_cast<int>(id_of(self))]));
}
PyObject* get_byteorder(PyObject* self, void*) {
  return unicode(is_other(self) ? ">" : dtype(id_of(self)).itemsize() == 1 ? "|" : "=");
}
PyObject* get_num(PyObject* self, void*) {
  static constexpr int numbers[dtype_count] = {0, 1, 3, 5, 7, 2, 4, 6, 8, 23, 11, 12, 14, 15};
  return PyLong_FromLong(numbers[static_cast<int>(id_of(self))]);
}
PyObject* get_false(PyObject*, void*) { Py_RETURN_FALSE; }
PyObject* get_builtin(PyObject* self, void*) { return PyLong_FromLong(is_other(self) ? 0 : 1); }
PyObject* get_zero(PyObject*, void*) { return PyLong_FromLong(0); }
PyObject* get_descr(PyObject* self, void*) { return Py_BuildValue("[(sN)]", "", get_str(self, nullptr)); }
PyObject* new_byte_order(PyObject* self, PyObject* args) {
  const char* order = "S";
  if (!PyArg_ParseTuple(args, "|s", &order)) return nullptr;
  return guarded([&] {
    const auto id = static_cast<std::size_t>(id_of(self));
    if (!*order || !std::strchr("SsBb><LlNn=|Ii", *order))
      throw ValueError("newbyteorder", std::string("byteorder not recognized (got '") + order + "')");
    if (!others[id] || std::strchr("|Ii", *order)) return Py_NewRef(self);
    const bool swaps = std::strchr("Ss", *order), big = std::strchr("Bb>", *order);
    return Py_NewRef((swaps ? !is_other(self) : big) ? others[id] : objects[id]);
  });
}
PyObject* get_native(PyObject* self, void*) { return PyBool_FromLong(!is_other(self)); }
PyObject* get_none(PyObject*, void*) { Py_RETURN_NONE; }
PyObject* get_shape(PyObject*, void*) { return PyTuple_New(0); }
PyObject* get_numpy(PyObject* self, void*) {
  PyObject* numpy = PyImport_ImportModule("numpy");
  if (!numpy) return nullptr;
  PyObject* made = PyObject_CallMethod(numpy, "dtype", "s", text_of(self).c_str());
  Py_DECREF(numpy);
  return made;
}

PyObject* dtype_reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("O(s)", dtype_type, (is_other(self) ? text_of(self) : std::string(dtype(id_of(self)).name())).c_str());
}

PyGetSetDef attributes[] = {
    {"name", get_name, nullptr, "Name, as 'float64'.", nullptr},
    {"__name__", get_name, nullptr, "Name, as of NumPy's scalar types.", nullptr},
    {"num", get_num, nullptr, "NumPy's number of the type.", nullptr},
    {"hasobject", get_false, nullptr, "Always False.", nullptr},
    {"isalignedstruct", get_false, nullptr, "Always False.", nullptr},
    {"isbuiltin", get_builtin, nullptr, "1; 0 for the other byte order.", nullptr},
    {"flags", get_zero, nullptr, "Always 0.", nullptr},
    {"ndim", get_zero, nullptr, "Always 0.", nullptr},
    {"subdtype", get_none, nullptr, "Always None.", nullptr},
    {"metadata", get_none, nullptr, "Always None.", nullptr},
    {"descr", get_descr, nullptr, "[('', '<f8')].", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of an element.", nullptr},
    {"alignment", get_alignment, nullptr, "Alignment in bytes.", nullptr},
    {"kind", get_kind, nullptr, "One of 'b', 'i', 'u', 'f', 'c'.", nullptr},
    {"char", get_char, nullptr, "NumPy's type character.", nullptr},
    {"str", get_str, nullptr, "Array-protocol text, as '<f8'.", nullptr},
    {"type", get_type, nullptr, "The type of its scalars.", nullptr},
    {"base", get_self, nullptr, "The dtype itself.", nullptr},
    {"byteorder", get_byteorder, nullptr, "'=', '|' for bytes, '>' for the other order.", nullptr},
    {"isnative", get_native, nullptr, "Is it in the processor's byte order?", nullptr},
    {"names", get_none, nullptr, "None: there are no structured dtypes.", nullptr},
    {"fields", get_none, nullptr, "None: there are no structured dtypes.", nullptr},
    {"shape", get_shape, nullptr, "Always ().", nullptr},
    {"__numpy_dtype__", get_numpy, nullptr, "NumPy's dtype of the same name.", nullptr},
    {},
};
PyMethodDef methods[] = {
    {"__reduce__", dtype_reduce, METH_NOARGS, nullptr},
    {"newbyteorder", new_byte_order, METH_VARARGS,
     "newbyteorder($self, new_order='S', /)\n--\n\nThe same dtype in another byte order; arrays keep the processor's."},
    {},
};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(dtype_new)},
    {Py_tp_repr, reinterpret_cast<void*>(dtype_repr)},
    {Py_tp_str, reinterpret_cast<void*>(dtype_str)},
    {Py_tp_hash, reinterpret_cast<void*>(dtype_hash)},
    {Py_tp_richcompare, reinterpret_cast<void*>(dtype_compare)},
    {Py_tp_call, reinterpret_cast<void*>(dtype_call)},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {Py_tp_doc, const_cast<char*>("An element type: dtype('float64'). Calling one makes a scalar of it.")},
    {0, nullptr},
};
PyType_Spec spec = {"numjit.dtype", sizeof(DtypeObject), 0, Py_TPFLAGS_DEFAULT, slots};

/// While it lives, what is made belongs to the host, whatever scope there is: numbers do.
class HostScope {
 public:
  HostScope() : before_(std::exchange(detail::own_context.scope_device, detail::cpu_scope)) {}
  ~HostScope() { detail::own_context.scope_device = before_; }
  HostScope(const HostScope&) = delete;
  HostScope& operator=(const HostScope&) = delete;

 private:
  std::uint8_t before_;
};

PyObject* number(const array& made) { return wrap(made.get()->device != 0 ? made.to("cpu", location{}) : made, true); }

}  // namespace

// float32(3): a scalar; float32([1, 2]): an array.
PyObject* make_scalar(dtype_id type, PyObject* args, PyObject* kwargs) {
  PyObject *value = nullptr, *imaginary = nullptr;
  const dtype t(type);
  const std::string name(t.name());
  if ((kwargs && PyDict_Size(kwargs)) || !PyArg_UnpackTuple(args, name.c_str(), 0, t.kind() == 'c' ? 2 : 1, &value, &imaginary)) {
    if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", name.c_str());
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const HostScope here;
    nb::object joined;
    if (imaginary) {  // complex64(1, 2), as Python's complex, but that each part is a real number
      for (PyObject* part : {value, imaginary}) {
        if (PyNumber_Check(part) && !PyComplex_Check(part) && !(is_array(part) && array_of(part).dtype().kind() == 'c')) continue;
        PyErr_Format(PyExc_TypeError, "Could not convert arguments into a complex scalar. '(%R, %R)' given.", value, imaginary);
        throw ErrorSet();
      }
      joined = nb::steal(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyComplex_Type), value, imaginary, nullptr));
      if (!joined.is_valid()) throw ErrorSet();
      value = joined.ptr();
    }
    if (!value) return number(t(operand(0, "", "", 0)));
    if (PyBytes_Check(value)) {
      joined = nb::steal(PyUnicode_DecodeASCII(PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value), nullptr));
      if (!joined.is_valid()) throw ErrorSet();
      value = joined.ptr();
    }
    if (PyUnicode_Check(value)) {  // float32("1.5"), as Python's own numbers read text
      PyObject* parsed = t.kind() == 'c'
                             ? PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyComplex_Type), value, nullptr)
                         : t.kind() == 'f' ? PyFloat_FromString(value)
                                           : PyLong_FromUnicodeObject(value, 10);
      if (!parsed) throw ErrorSet();
      nb::object kept = nb::steal(parsed);
      Argument parsed_number(parsed);
      parsed_number.refuse_huge(t.kind());
      return number(t(parsed_number));
    }
    if (t.kind() == 'b' && !is_array(value) && !PyObject_CheckBuffer(value) && !PySequence_Check(value)) {
      const int truth = PyObject_IsTrue(value);
      if (truth < 0) throw ErrorSet();
      return number(t(operand(truth != 0, "", "", 0)));
    }
    if (!is_array(value) && PyFloat_Check(value) && (t.kind() == 'i' || t.kind() == 'u')) {
      nb::object whole = nb::steal(PyNumber_Long(value));  // nan and infinities: Python's own errors
      if (!whole.is_valid()) throw ErrorSet();
      return number(t(Argument(whole.ptr())));
    }
    if (is_other_object(value)) {  // by its own conversion: fractions, decimal numbers
      const char kind = t.kind();
      if (value == Py_None && kind == 'f') return number(t(operand(std::numeric_limits<double>::quiet_NaN(), "", "", 0)));
      nb::object converted = nb::steal(kind == 'f'   ? PyNumber_Float(value)
                                       : kind == 'c' ? PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), value)
                                                     : PyNumber_Long(value));
      if (!converted.is_valid()) throw ErrorSet();
      return number(t(Argument(converted.ptr())));
    }
    Argument a(value);
    check_no_complex(t.name(), a.get(), t.id());
    if (a.get().is_array()) warn_complex(a.get().n()->type, type, 1);
    a.refuse_huge(t.kind());
    array made = t(a);
    if (made.ndim() == 0) return number(made.get() == a.get().n() ? made.copy({}) : made);
    return wrap(made.get() == a.get().n() ? made.copy({}) : made);
  });
}

PyObject* dtype_object(dtype_id id) { return objects[static_cast<std::size_t>(id)]; }

namespace {

/// The dtypes that NumPy has beside ours, by the first letter of their text.
[[noreturn]] void throw_left_out(const std::string& text) {
  throw TypeError("dtype", "data type '" + text +
                               "' is left out: strings, dates, objects, structures, long double and, for "
                               "memory, foreign byte orders are not supported, numbers of 8 to 64 bits (complex: 128) are.");
}

Described dtype_of_text(const std::string& text) {
  if (text == "n" || text == "p" || text == "long" || text == "intp" || text == "longlong" || text == "int")
    return {dtype_id::int64};
  if (text == "N" || text == "P" || text == "ulong" || text == "uintp" || text == "ulonglong" || text == "uint")
    return {dtype_id::uint64};
  for (const char* removed : {"int0", "uint0", "bool8", "bytes0", "str0", "object0", "void0"})
    if ((text.ends_with('0') || text.ends_with('8')) && text == removed)
      throw TypeError("dtype", "Alias '" + text + "' was removed in NumPy 2.0. Use a name without a digit at the end.");
  std::string_view rest = text;
  if (!rest.empty() && std::strchr("<>=|!", rest[0])) {
    const char order = rest[0];
    rest.remove_prefix(1);
    if (order == '>' || order == '!') {
      const dtype_id type = dtype_of_text("=" + std::string(rest)).id;
      return {type, dtype(type).itemsize() > 1};
    }
    if (rest.size() == 1 && std::strchr("npNP", rest[0])) return dtype_of_text(std::string(rest));
  }
  static constexpr const char* others[] = {"object",     "str",         "bytes",    "void",       "datetime", "timedelta",
                                           "longdouble", "clongdouble", "float128", "complex256", "string"};
  for (const char* other : others)
    if (rest.substr(0, std::strlen(other)) == other) throw_left_out(text);
  const bool number_follows =
      rest.size() == 1 || (rest.size() > 1 && (std::isdigit(static_cast<unsigned char>(rest[1])) || rest[1] == '['));
  if (!rest.empty() && number_follows && std::strchr("OSUVMmgGaT", rest[0])) throw_left_out(text);
  if (text.find(',') != std::string::npos) throw_left_out(text);
  return {dtype_of(text).id()};
}

[[noreturn]] void throw_no_dtype(PyObject* o) {
  const nb::object text = nb::steal(PyObject_Repr(o));
  if (!text.is_valid()) throw ErrorSet();
  throw TypeError("dtype", std::string("Cannot interpret '") + utf8(text.ptr()) + "' as a data type");
}

/// ctypes.c_int and its like: the letter of the type, in `struct`'s meaning, and its size.
std::optional<Described> from_ctypes(PyTypeObject* type) {
  if (!type->tp_base || std::strcmp(type->tp_base->tp_name, "_ctypes._SimpleCData") != 0) return {};
  nb::object letter = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "_type_"));
  nb::object module = nb::steal(PyImport_ImportModule("ctypes"));
  nb::object size = nb::steal(module.is_valid() ? PyObject_CallMethod(module.ptr(), "sizeof", "O", type) : nullptr);
  if (!letter.is_valid() || !PyUnicode_Check(letter.ptr()) || !size.is_valid()) throw ErrorSet();
  nb::object big = nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__ctype_be__"));
  if (!big.is_valid()) PyErr_Clear();  // of single bytes
  const char kind = utf8(letter.ptr())[0];
  const int bytes = static_cast<int>(to_int(size.ptr()));
  const int log2 = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
  const bool other = bytes > 1 && big.ptr() == reinterpret_cast<PyObject*>(type);
  if (kind == '?') return Described{dtype_id::bool_};
  if (kind == 'f' || kind == 'd') return Described{kind == 'f' ? dtype_id::float32 : dtype_id::float64, other};
  if (std::strchr("bhilq", kind)) return Described{static_cast<dtype_id>(static_cast<int>(dtype_id::int8) + log2), other};
  if (std::strchr("BHILQ", kind)) return Described{static_cast<dtype_id>(static_cast<int>(dtype_id::uint8) + log2), other};
  throw_left_out(type->tp_name);
}

/// What a dtype object of ours or of NumPy's names; nothing for others.
std::optional<Described> from_dtype_object(PyObject* o) {
  if (Py_TYPE(o) == dtype_type) return Described{id_of(o), is_other(o)};
  nb::object text = nb::steal(PyObject_GetAttrString(o, "str"));
  if (text.is_valid() && PyUnicode_Check(text.ptr())) return dtype_of_text(utf8(text.ptr()));
  PyErr_Clear();
  return {};
}

/// What an object says by `__numpy_dtype__`; ValueError where that is no dtype.
std::optional<Described> from_protocol(PyObject* o) {
  nb::object own = nb::steal(PyObject_GetAttrString(o, "__numpy_dtype__"));
  if (!own.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw ErrorSet();
    PyErr_Clear();
    return {};
  }
  if (const auto found = from_dtype_object(own.ptr())) return found;
  PyErr_Format(PyExc_ValueError, "Could not convert %R to a NumPy dtype (via `.__numpy_dtype__` value %R).", o, own.ptr());
  throw ErrorSet();
}

/// What has a dtype as its attribute `dtype` stands for it, classes and objects alike.
std::optional<Described> from_attribute(PyObject* o) {
  nb::object own = nb::steal(PyObject_GetAttrString(o, "dtype"));
  if (!own.is_valid()) {
    PyErr_Clear();
    return {};
  }
  return from_dtype_object(own.ptr());
}

Described from_type(PyTypeObject* type) {
  if (type == &PyFloat_Type) return {dtype_id::float64};
  if (type == &PyLong_Type) return {dtype_id::int64};
  if (type == &PyBool_Type) return {dtype_id::bool_};
  if (type == &PyComplex_Type) return {dtype_id::complex128};
  if (std::optional<dtype_id> own = dtype_of_scalar_type(type)) return {*own};
  if (const auto of_c = from_ctypes(type)) return *of_c;
  // NumPy's scalar types have the names of their dtypes.
  const char* dot = std::strrchr(type->tp_name, '.');
  if (dot && std::strncmp(type->tp_name, "numpy.", 6) == 0) return dtype_of_text(dot + 1);
  if (const auto known = from_attribute(reinterpret_cast<PyObject*>(type))) return *known;
  for (PyTypeObject* other : {&PyUnicode_Type, &PyBytes_Type, &PyBaseObject_Type, &PyMemoryView_Type, &PyList_Type, &PyDict_Type})
    if (type == other) throw_left_out(type->tp_name);
  throw_no_dtype(reinterpret_cast<PyObject*>(type));
}

Described describe(PyObject* o) {
  if (Py_TYPE(o) == dtype_type) return {id_of(o), is_other(o)};
  if (o == Py_None) return {dtype_id::float64};  // as wherever NumPy takes a dtype
  if (PyUnicode_Check(o)) return dtype_of_text(utf8(o));
  if (PyBytes_Check(o)) return dtype_of_text(PyBytes_AsString(o));
  if (PyList_Check(o) || PyDict_Check(o) || PyTuple_Check(o)) throw_left_out("structured");
  if (PyType_Check(o)) return from_type(reinterpret_cast<PyTypeObject*>(o));
  if (PyObject* numpy_text = PyObject_GetAttrString(o, "str")) {  // a dtype of NumPy
    nb::object kept = nb::steal(numpy_text);
    if (PyUnicode_Check(numpy_text)) return dtype_of_text(utf8(numpy_text));
  }
  PyErr_Clear();
  if (is_array(o) && !is_scalar(o)) throw TypeError("dtype", "Cannot construct a dtype from an array");
  if (const auto named = from_protocol(o)) return *named;
  if (const auto known = from_attribute(o)) return *known;
  if (const auto of_c = from_ctypes(Py_TYPE(o))) return *of_c;
  throw_no_dtype(o);
}

}  // namespace

dtype_id to_dtype(PyObject* o) { return Py_TYPE(o) == dtype_type ? id_of(o) : describe(o).id; }

bool is_other_order(PyObject* o) { return describe(o).other; }

KeptType to_kept_type(PyObject* o) {
  if (!o || o == Py_None) return {};
  const Described found = describe(o);
  return {found.id, found.other};
}

PyObject* other_dtype_object(dtype_id id) { return others[static_cast<std::size_t>(id)]; }

nb::object in_order(nb::object made, bool other) {
  if (other && made.is_valid() && Py_TYPE(made.ptr()) == array_type && !detail::recording) [[unlikely]]
    order_mark(made.ptr()) = other_dtype_object(array_of(made.ptr()).dtype().id()) ? 1 : 0;
  return made;
}

dtype_id to_native_dtype(PyObject* o) {
  const Described found = describe(o);
  if (found.other) throw_left_out(text_of(found.object()));
  return found.id;
}

void make_dtype_type(Module& m) {
  dtype_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!dtype_type) nb::raise_python_error();
  for (int i = 0; i < dtype_count; ++i) {
    auto* o = PyObject_New(DtypeObject, dtype_type);
    if (!o) nb::raise_python_error();
    o->id = static_cast<dtype_id>(i);
    objects[static_cast<std::size_t>(i)] = reinterpret_cast<PyObject*>(o);
    if (dtype(o->id).itemsize() > 1) {
      auto* other = PyObject_New(DtypeObject, dtype_type);
      if (!other) nb::raise_python_error();
      other->id = o->id;
      others[static_cast<std::size_t>(i)] = reinterpret_cast<PyObject*>(other);
    }
    const std::string name(dtype(o->id).name());
    m.attr(name == "bool" ? "bool_" : name.c_str()) = nb::borrow(objects[static_cast<std::size_t>(i)]);
  }
  m.attr("dtype") = nb::borrow(reinterpret_cast<PyObject*>(dtype_type));
}

}  // namespace numjit::py
