// The type of the table's functions: a call's arguments are put in the order of the row, without Python's own frames.
#include "call.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <structmember.h>  // after Python.h

#include <python/dispatch.h>
#include <python/quick.h>

namespace numjit::py {

namespace {

/// A row's signature, taken apart at the first call.
struct Parameters {
  std::vector<PyObject*> names, defaults;  // null: the argument is required
  std::size_t positional_only = 0, positional = 0;
  bool takes_rest = false;   // the one behind those by place has all further ones
  bool takes_named = false;  // the last one has those of other names
};

struct FunctionObject {
  PyObject_HEAD vectorcallfunc call;
  const FunctionRow* row;
  std::string path;              // "fft.fftn"
  Quick quick;                   // or null
  const Parameters* parameters;  // null before the first call
  PyObject *dict, *weak_references;
};
FunctionObject* self_of(PyObject* o) { return reinterpret_cast<FunctionObject*>(o); }

// ---- signatures ----

/// The next item of a list of arguments, of which brackets and quotes may hold commas.
std::string_view next_item(std::string_view& rest) {
  int depth = 0;
  char quote = 0;
  std::size_t end = 0;
  for (; end < rest.size(); ++end) {
    const char c = rest[end];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    }
  }
  const std::string_view item = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.size(), end + 2));  // ", "
  return item;
}

PyObject* value_of(std::string_view text) {
  if (text == "None") return Py_NewRef(Py_None);
  if (text == "True") return Py_NewRef(Py_True);
  if (text == "False") return Py_NewRef(Py_False);
  nb::object helper = nb::module_::import_("numjit._signatures");
  return helper.attr("value")(nb::str(text.data(), text.size())).release().ptr();
}

const Parameters* parsed(const FunctionRow& row) {
  auto& made = *new Parameters;  // as long as the process lives
  std::string_view rest(row.signature);
  rest = rest.substr(1, rest.size() - 2);
  bool by_name_only = false;
  while (!rest.empty()) {
    const std::string_view item = next_item(rest);
    if (item == "/") {
      made.positional_only = made.names.size();
    } else if (item == "*") {
      by_name_only = true;
    } else if (item[0] == '*') {
      (item[1] == '*' ? made.takes_named : made.takes_rest) = true;
      by_name_only = true;
      made.names.push_back(nullptr);
      made.defaults.push_back(nullptr);
    } else {
      const std::size_t equal = item.find('=');
      const std::string_view name = item.substr(0, equal);
      PyObject* interned = PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
      PyUnicode_InternInPlace(&interned);
      made.names.push_back(interned);
      made.defaults.push_back(equal == std::string_view::npos ? nullptr : value_of(item.substr(equal + 1)));
      made.positional += !by_name_only;
    }
  }
  if (row.body == &call_empty_like) made.positional_only = 0;  // by name, too, whatever NumPy's signature says
  if (row.is_method) made.positional_only = 1;  // NumPy's methods tell others, and take them by name all the same
  return &made;
}

// ---- calls ----

constexpr std::size_t most_parameters = 24;

/// Where a keyword goes; -1: nowhere.
int place_of(const Parameters& p, PyObject* name) {
  for (std::size_t i = p.positional_only; i < p.names.size(); ++i)
    if (p.names[i] == name) return static_cast<int>(i);
  for (std::size_t i = p.positional_only; i < p.names.size(); ++i)
    if (p.names[i] && PyUnicode_Compare(p.names[i], name) == 0) return static_cast<int>(i);
  return -1;
}

/// What `*args` and `**kwargs` take.
struct Rest {
  nb::object by_place, named;
};

/// False: the arguments do not fit the signature.
bool fill(const Parameters& p, PyObject* const* args, Py_ssize_t count, PyObject* names, PyObject** values, Rest& rest) {
  std::fill_n(values, p.names.size(), nullptr);
  const Py_ssize_t own = std::min(count, static_cast<Py_ssize_t>(p.positional));
  std::copy_n(args, own, values);
  if (p.takes_rest) {
    rest.by_place = nb::steal(PyTuple_New(count - own));
    if (!rest.by_place.is_valid()) throw ErrorSet();
    for (Py_ssize_t i = own; i < count; ++i) PyTuple_SET_ITEM(rest.by_place.ptr(), i - own, Py_NewRef(args[i]));
    values[p.positional] = rest.by_place.ptr();
  } else if (own < count) {
    return false;
  }
  if (p.takes_named) values[p.names.size() - 1] = (rest.named = nb::dict()).ptr();
  for (Py_ssize_t k = 0; names && k < PyTuple_GET_SIZE(names); ++k) {
    PyObject* const name = PyTuple_GET_ITEM(names, k);
    const int at = place_of(p, name);
    if (at < 0 && p.takes_named) {
      if (PyDict_SetItem(rest.named.ptr(), name, args[count + k]) != 0) throw ErrorSet();
      continue;
    }
    if (at < 0 || values[at]) return false;
    values[at] = args[count + k];
  }
  for (std::size_t i = 0; i < p.names.size(); ++i)
    if (!values[i] && !(values[i] = p.defaults[i])) return false;
  return true;
}

/// Python's own error for arguments that do not fit, by a function of the same signature.
PyObject* refuse(const FunctionRow& row, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  nb::object alike = nb::module_::import_("numjit._signatures").attr("function")(row.name, row.signature);
  nb::object made = nb::steal(PyObject_Vectorcall(alike.ptr(), args, static_cast<std::size_t>(count), names));
  if (!made.is_valid()) throw ErrorSet();
  throw InternalError(row.name, "these arguments fit its signature, and were refused");
}

PyObject* vector_call(PyObject* callable, PyObject* const* args, std::size_t flagged, PyObject* names) {
  FunctionObject* const self = self_of(callable);
  const Py_ssize_t count = PyVectorcall_NARGS(flagged);
  if (self->quick)
    if (PyObject* made = try_quick(self->quick, {args, count, names})) return made;
  if (const auto made = handed_on(self->path.c_str(), args, count, names)) [[unlikely]]
    return *made;
  return guarded([&]() -> PyObject* {
    if (!self->parameters) [[unlikely]]
      self->parameters = parsed(*self->row);
    PyObject* values[most_parameters];
    Rest rest;
    if (!fill(*self->parameters, args, count, names, values, rest)) [[unlikely]]
      return refuse(*self->row, args, count, names);
    return self->row->body(Given(values)).release().ptr();
  });
}

// ---- the objects ----

int traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(self_of(o)->dict);
  return 0;
}
int clear(PyObject* o) {
  Py_CLEAR(self_of(o)->dict);
  return 0;
}
void dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (self_of(o)->weak_references) PyObject_ClearWeakRefs(o);
  clear(o);
  std::destroy_at(&self_of(o)->path);
  type->tp_free(o);
  Py_DECREF(type);
}
PyObject* repr(PyObject* o) { return PyUnicode_FromFormat("<function %s at %p>", self_of(o)->row->name, static_cast<void*>(o)); }
PyObject* get_name(PyObject* o, void*) { return PyUnicode_FromString(self_of(o)->row->name); }
PyObject* by_name(PyObject* o, PyObject*) { return get_name(o, nullptr); }
PyObject* get_doc(PyObject* o, void*) { return PyUnicode_FromString(self_of(o)->row->doc); }
PyObject* get_module(PyObject* o, void*) {
  const std::string_view module = self_of(o)->row->module;
  return unicode(module.empty() ? "numjit" : "numjit." + std::string(module));
}
PyObject* get_signature(PyObject* o, void*) {
  return guarded([&] {
    const FunctionRow& row = *self_of(o)->row;
    return nb::module_::import_("numjit._signatures").attr("signature")(row.name, row.signature).release().ptr();
  });
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weak_references), READONLY, nullptr},
    {},
};
PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_name, nullptr, nullptr, nullptr},
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {"__signature__", get_signature, nullptr, nullptr, nullptr},
    {},
};
PyMethodDef methods[] = {{"__reduce__", by_name, METH_NOARGS, nullptr}, {}};
constexpr int binding_slot = Py_tp_descr_get;  // the last one
const PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_members, members},
    {Py_tp_getset, attributes},
    {Py_tp_methods, methods},
    {binding_slot, reinterpret_cast<void*>(method_of)},
    {0, nullptr},
};
constexpr unsigned long flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL;

/// The type of functions that are methods where a class has them, as NumPy's own are but for those that make arrays in C.
PyTypeObject* make_type(bool binds) {
  PyType_Slot all[std::size(slots)];
  std::copy(std::begin(slots), std::end(slots), all);
  if (!binds) std::find_if(all, std::end(all), [](const PyType_Slot& s) { return s.slot == binding_slot; })->slot = 0;
  PyType_Spec spec{"numjit.function_of_table", sizeof(FunctionObject), 0,
                   static_cast<unsigned>(flags | (binds ? Py_TPFLAGS_METHOD_DESCRIPTOR : 0)), all};
  nb::object made = nb::steal(PyType_FromSpec(&spec));
  if (!made.is_valid()) nb::raise_python_error();
  return reinterpret_cast<PyTypeObject*>(made.release().ptr());  // as long as the process lives
}
bool binds(std::string_view name) { return name != "zeros" && name != "empty"; }

constexpr FunctionRow rows[] = {
#define FUNCTION(name, chapter, signature, doc) {"", #name, signature, doc, &call_##name, false},
#define MODULE_FUNCTION(module, name, chapter, signature, doc) {#module, #name, signature, doc, &call_##module##_##name, false},
#include <functions.def>
};
constexpr FunctionRow method_rows[] = {
#define METHOD(name, signature, doc) {"", #name, signature, doc, &call_##name, true},
#include <functions.def>
};

nb::object module_named(const std::string& name) {
  nb::object module = nb::borrow(PyImport_AddModule(name.c_str()));
  if (!module.is_valid()) nb::raise_python_error();
  return module;
}

/// A module of the objects of rows; those of numpy's modules are in modules of its own.
nb::object module_of(const std::string& name, std::span<const FunctionRow> of) {
  static PyTypeObject *const method = make_type(true), *const plain = make_type(false);
  const nb::object home = module_named(name);
  for (const FunctionRow& row : of) {
    PyTypeObject* const type = binds(row.name) ? method : plain;
    PyObject* made = type->tp_alloc(type, 0);
    if (!made) nb::raise_python_error();
    const std::string prefix = *row.module ? std::string(row.module) + "." : "";
    self_of(made)->call = vector_call;
    self_of(made)->row = &row;
    std::construct_at(&self_of(made)->path, prefix + row.name);
    self_of(made)->quick = quick_form(self_of(made)->path.c_str());
    (*row.module ? module_named(name + "." + row.module) : home).attr(row.name) = nb::steal(made);
  }
  return home;
}

}  // namespace

bool Given::truth(std::size_t i) const {
  const int found = PyObject_IsTrue(values_[i]);
  if (found < 0) throw ErrorSet();
  return found != 0;
}

double Given::real(std::size_t i) const { return real_in(nb::handle(values_[i])); }

double real_in(Any o) {
  const double value = PyFloat_AsDouble(o.ptr());
  if (value == -1 && PyErr_Occurred()) throw ErrorSet();
  return value;
}

nb::object items_of(Any o) {
  const nb::object iterator = nb::steal(PyObject_GetIter(o.ptr()));
  if (!iterator.is_valid()) {
    PyErr_Clear();
    return {};
  }
  nb::object items = nb::steal(PySequence_Tuple(iterator.ptr()));
  if (!items.is_valid()) throw ErrorSet();
  return items;
}

std::pair<nb::handle, nb::handle> two_of(nb::handle items) {
  const Py_ssize_t count = PyTuple_GET_SIZE(items.ptr());
  if (count < 2) throw ValueError("", "not enough values to unpack (expected 2, got " + std::to_string(count) + ")");
  if (count > 2) throw ValueError("", "too many values to unpack (expected 2)");
  return {PyTuple_GET_ITEM(items.ptr(), 0), PyTuple_GET_ITEM(items.ptr(), 1)};
}

bool Given::is_given(std::size_t i) const {
  static PyObject* const no_value = kept_from("numjit._signatures", "no_value");
  return values_[i] != no_value;
}

array target_in(Any out, const char* refused) {
  PyObject* o = out.ptr();
  if (PyTuple_Check(o) && PyTuple_GET_SIZE(o) == 1) o = PyTuple_GET_ITEM(o, 0);
  if (is_array(o) ? is_scalar(o) : (!offers(o, "__array_interface__") || stands_for_number(o))) throw TypeError("", refused);
  return target_of(nb::handle(o));
}

nb::handle out_in(const Given& a, std::size_t place) {
  PyObject* o = a[place].ptr();
  if (PyTuple_Check(o) && PyTuple_GET_SIZE(o) == 1) o = PyTuple_GET_ITEM(o, 0);
  return o;
}

array target_of_call(nb::handle out, const char* refused) {
  if (out.is_none()) return {};
  if (out.ptr() == Py_Ellipsis && refused == not_an_array) refused = "out=... is only allowed as a keyword argument.";
  return target_in(out, refused);
}

const char* text_in(Any o, std::string_view what) {
  if (!PyUnicode_Check(o.ptr())) throw TypeError("", std::string(what) + " must be str, not " + Py_TYPE(o.ptr())->tp_name);
  return utf8(o.ptr());
}

optional_dtype common_dtype(Any items) {
  std::vector<Argument> kept(nb::len(items));
  std::vector<operand> operands;
  for (std::size_t i = 0; nb::handle item : items) {
    kept[i].set(item.ptr());
    operands.push_back(kept[i++]);
  }
  return result_type(operand_list(operands.data(), operands.size()));
}

void define_functions_of_table(Module& m) {
  nb::object home = module_of("numjit._functions", rows);
#define ALIAS(name, of) home.attr(#name) = home.attr(#of);
#include <functions.def>
  m.attr("functions") = home;
  m.attr("array_methods") = module_of("numjit._array_methods", method_rows);
}

}  // namespace numjit::py
