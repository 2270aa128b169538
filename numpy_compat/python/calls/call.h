// Functions of numpy_compat/functions.def: what their bodies are given, and what they give.
#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

#include <nanobind/stl/string.h>

#include <python/byte_order.h>
#include <python/module.h>

namespace numjit::py {

/// The arguments of a call in the order of the row: those that were not given are the defaults.
class [[gnu::visibility("hidden")]] Given {
 public:
  explicit Given(PyObject* const* values) : values_(values) {}
  Any operator[](std::size_t i) const { return nb::handle(values_[i]); }
  bool is_none(std::size_t i) const { return values_[i] == Py_None; }
  std::int64_t integer(std::size_t i) const { return to_int(values_[i]); }
  std::optional<std::int64_t> optional_integer(std::size_t i) const { return to_optional_int(values_[i]); }
  bool truth(std::size_t i) const;
  double real(std::size_t i) const;
  /// Of those whose default is `<no value>`.
  bool is_given(std::size_t i) const;
  axis_list axes(std::size_t i) const { return to_axes(values_[i]); }
  dims shape(std::size_t i) const { return to_dims(values_[i]); }
  char order(std::size_t i, char otherwise) const { return parse_order(values_[i], otherwise); }

 private:
  PyObject* const* values_;
};

/// Carries a call out. `a`: its arguments.
using Body = nb::object (*)(const Given& a);

struct FunctionRow {
  const char *module, *name;  // module: "" for numpy's own
  const char *signature, *doc;
  Body body;
  bool is_method;  // of arrays
};

/// What `out=` names: an array, or a tuple of one, that may be written. TypeError with `refused` for what is none.
array target_in(Any out, const char* refused = "'out' must be an array");
/// out=, which a tuple may hold; and the array that it names, empty for None.
nb::handle out_in(const Given& a, std::size_t place);
inline constexpr const char *not_an_array = "return arrays must be of ArrayType", *no_array = "output must be an array";
array target_of_call(nb::handle out, const char* refused = not_an_array);
/// f(x), other threads running meanwhile if there is much to do.
template <class F>
array computed(const array& x, F&& f) {
  MaybeUnlocked unlocked(work_of(operand_of(x)));
  return f(operand_of(x));
}
inline optional_dtype dtype_in(const KeptType& type) { return type.id ? optional_dtype(dtype(*type.id)) : std::nullopt; }

/// What NumPy says of more than one axis where one is wanted.
inline const char* too_deep(bool is_list) {
  return is_list
             ? "setting an array element with a sequence. The requested array would exceed the maximum number of dimension of 1."
             : "object too deep for desired array";
}

/// A text; `what` names the argument in the TypeError for all else.
const char* text_in(Any o, std::string_view what);
/// Its first letter, small, which is all that NumPy looks at in some; 0 if it is empty.
inline char first_letter(std::string_view text) {
  return text.empty() ? '\0' : static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
}

/// A float by Python's rules. TypeError.
double real_in(Any o);
/// A tuple of the items of what can be iterated over; none for all else.
nb::object items_of(Any o);
/// Two of them. ValueError in Python's words for fewer or more.
std::pair<nb::handle, nb::handle> two_of(nb::handle items);

/// What a module has under a name, kept for good.
inline PyObject* kept_from(const char* module, const char* name) {
  return nb::object(nb::module_::import_(module).attr(name)).release().ptr();
}

/// f(), where a ValueError that has one of these texts is a RuntimeError, as NumPy's is.
template <class F>
auto with_runtime_errors(std::initializer_list<std::string_view> texts, F&& f) {
  try {
    return f();
  } catch (const ValueError& e) {
    const std::string_view text = e.what();
    if (std::none_of(texts.begin(), texts.end(), [text](std::string_view part) { return text.find(part) != text.npos; })) throw;
    PyErr_SetString(PyExc_RuntimeError, e.what());
    throw ErrorSet();
  }
}

/// A DeprecationWarning of the line that called.
inline void warn_deprecated(const char* text) {
  if (PyErr_WarnEx(PyExc_DeprecationWarning, text, 1) != 0) throw ErrorSet();
}

/// What Python says of an object that no loop goes over.
inline std::string not_iterable(Any o) { return std::string("'") + Py_TYPE(o.ptr())->tp_name + "' object is not iterable"; }
/// The object on the device that device= names; None: where it is.
inline nb::object on_device(nb::object made, Any device) {
  return device.is_none() ? made : nb::module_::import_("numjit._core").attr("_to_device")(made, nb::str(device));
}

/// Has it a length?
inline bool is_sequence(Any o) {
  return has_attribute(o.ptr(), "__len__") && !(is_array(o.ptr()) && array_of(o.ptr()).ndim() == 0);
}

/// The dtype of elements of all items, of which numbers of Python's take those of the others.
optional_dtype common_dtype(Any items);

/// An array of what the object is, as np.asarray makes it.
inline array array_in(Any o) { return to_array(o.ptr()); }

#define FUNCTION(name, ...) nb::object call_##name(const Given& a);
#define MODULE_FUNCTION(module, name, ...) nb::object call_##module##_##name(const Given& a);
#include <functions.def>

/// The table's functions, as attributes of the module `numjit._functions`, or of modules in it.
void define_functions_of_table(Module& m);

}  // namespace numjit::py
