// What the files of the Python module share: the array object, conversions, errors, the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <numjit/array/lazy_node.h>
#include <numjit/base/interrupt.h>
#include <numjit/np.h>
#include <numjit/ops/promotion.h>

namespace numjit::py {

namespace nb = nanobind;

struct ArrayObject;
/// What scalars have where Python's float and complex have their values, whose own functions read it: float64 and complex128
/// are classes derived from those. While a graph computes the value it is their place in a list: scalars.h.
union ScalarValue {
  double parts[2];
  struct {
    ArrayObject *next, **link;
  } pending;
};

/// An array handle: numjit.ndarray, or one of the scalar types (numjit.float64, ...) for results for which NumPy
/// gives a scalar object (full reductions, a[i, j], float32(3)): they print, hash and update in place like one.
struct ArrayObject {
  PyObject_HEAD ScalarValue value;
  array a;
  PyObject* weak_references;
  PyObject* base;  // the object that this is a view of, where that is known: with_base()
};
struct DtypeObject {
  PyObject_HEAD
  dtype_id id;
};
struct UfuncObject {
  PyObject_HEAD
  vectorcallfunc call;
  op_id op;
  int arity;
};

/// A parameter of any type, None included.
struct [[gnu::visibility("hidden")]] Any : nb::handle {
  Any() = default;
  Any(nb::handle h) : nb::handle(h) {}
};

extern PyTypeObject* array_base;  // of ndarray and generic: their slots and methods
extern PyTypeObject* array_type;
extern PyTypeObject* scalar_types[dtype_count];
extern PyTypeObject* dtype_type;
extern PyTypeObject* ufunc_type;
extern PyTypeObject* compiled_type;
/// The callable that a compiled function was made of.
PyObject* function_of_compiled(PyObject* compiled);
/// What a callable compiled with these options learned before, if another compiled function had its code; else a new state.
std::shared_ptr<tracing::FunctionState> state_of_callable(PyObject* callable, const compile_options& options);
/// Names of the positional parameters; `from_signature` finds them where the code does not tell.
nb::object parameter_names(PyObject* callable, PyObject* from_signature);

class [[gnu::visibility("hidden")]] Module;
void make_array_type(Module& m);
void make_scalar_types(Module& m);
void make_dtype_type(Module& m);
void make_ufunc_type(Module& m);
void check_output_cast(op_id op, dtype from, dtype to, casting rule);
void make_errors(Module& m);
void define_functions(Module& m);
void define_structure(Module& m);
void define_quick(Module& m);
void define_functions_of_table(Module& m);
void define_composites(Module& m);
void define_exchange(Module& m);
void define_compile(Module& m);
void define_coroutines(Module& m);
void define_scopes(Module& m);
void define_steering(Module& m);
void define_distributed(Module& m);
void define_export(Module& m);
void define_random(Module& m);
void define_dispatch(Module& m);
void define_numpy_programs(Module& m);
void define_twin_functions(Module& m);
void define_transforms(Module& m);
/// From here on no function of a module, or of the classes in it, tells of arguments in nanobind's words.
void reword_errors_of(nb::handle home);
void install_location_provider(const char* package_folder);
/// File, name and first line of a code object, as the places of its operations have them.
location location_of_code(PyCodeObject* code);
/// Does a file of Python code belong to this package?
bool is_package_file(const char* file);

void dealloc_array(PyObject* self);
/// An array or a scalar of ours: all these types, and no others, share one way to end.
inline bool is_array(PyObject* o) { return Py_TYPE(o)->tp_dealloc == dealloc_array; }
inline array& array_of(PyObject* o) { return reinterpret_cast<ArrayObject*>(o)->a; }
inline bool is_scalar(PyObject* o) { return Py_TYPE(o) != array_type; }
/// The array of an object that must be one: TypeError for all others. Methods may be called with any `self`.
array& checked_array(PyObject* o);
/// An array that shares no memory with a scalar of ours, which never changes: the argument itself, or a copy of the scalar's
/// value. One that a graph computes stays as it is.
array unshared(array a, PyObject* of);

/// A new ndarray object; null with an exception set when memory is short.
PyObject* wrap(array a, bool scalar = false);
/// An object as those of a type are: the scalar, or the array.
PyObject* wrap_as(PyTypeObject* type, array a);
/// Is it numjit.True_ or numjit.False_? There is one object of each (where the value is known: not while recording).
bool is_truth(PyObject* o);
/// The array of ours that an object gives by its method __array__; none for all other objects.
nb::object array_offered_by(PyObject* o);
/// Is it an object that only Python's own operators know: a fraction, a decimal number, None, a text?
bool is_other_object(PyObject* o);
/// A 0-D array of bool in the host's memory.
array truth_value(bool value);
/// The objects that handles are in, kept alive.
void hold_objects(const std::vector<array*>& handles, std::vector<nb::object>& held);
/// The same view, which tells `of`, or what that is a view of, as its base: as one object, so that `view.base is a`.
PyObject* with_base(PyObject* view, PyObject* of);
/// What calling a scalar type, or a dtype, makes.
PyObject* make_scalar(dtype_id type, PyObject* args, PyObject* kwargs);
/// dtype of a scalar type, or of an abstract one where NumPy has a default for it.
std::optional<dtype_id> dtype_of_scalar_type(PyTypeObject* type);
/// The same for results of ufuncs and reductions, whose 0-D results are scalars in NumPy.
inline PyObject* wrap_result(array a) {
  const bool scalar = a.ndim() == 0;
  return wrap(std::move(a), scalar);
}
PyObject* dtype_object(dtype_id id);  // borrowed, immortal

/// Thrown when a Python exception is set already.
struct ErrorSet {};

/// Is an exception the one that stands for tracing::LeavesCall?
bool is_leaving(PyObject* exception);

/// Sets the Python exception for the C++ exception in flight.
void translate_error() noexcept;

/// A warning that a log sink gave has become a Python exception, which is set.
extern std::atomic<bool> warning_is_error;
inline bool take_warning() {
  return warning_is_error.load(std::memory_order_relaxed) && warning_is_error.exchange(false) && PyErr_Occurred();
}

/// NumPy's ComplexWarning where a cast drops imaginary parts. `level`: frames of Python up to the user's code, 1 if he
/// called C. ErrorSet where warnings are errors.
void warn_complex(dtype_id from, dtype_id to, int level);
/// A RuntimeWarning of the line that called into the package.
void warn_at_caller(const char* text);

// ---- scopes: scopes.cpp ----

/// How many scopes of Python there are that some context has set.
[[gnu::visibility("hidden")]] extern constinit std::atomic<int> scopes_set;
/// Sets on this thread what the current context has set, and nothing else.
[[gnu::cold, gnu::noinline]] void follow_context();
/// The same, at every call into the core: a context may have begun or ended since the last one. Free where no scope is open.
inline void see_context() {
  if (scopes_set.load(std::memory_order_relaxed) != 0) [[unlikely]]
    follow_context();
}

/// A function of the module, by what it is defined with: it sees the context first.
template <class F>
auto seeing(F&& f) {
  using Function = std::remove_cvref_t<F>;
  constexpr auto wrapped = []<class R, class... A>(Function function, R (*)(A...)) {
    return [function](A... arguments) -> R {
      see_context();
      return function(std::forward<A>(arguments)...);
    };
  };
  constexpr auto as_pointer = []<class C, class R, class... A>(R (C::*)(A...) const) -> R (*)(A...) { return nullptr; };
  if constexpr (std::is_pointer_v<std::decay_t<F>>)
    return wrapped(+f, static_cast<std::decay_t<F>>(nullptr));
  else
    return wrapped(std::forward<F>(f), as_pointer(&Function::operator()));
}

// Version 14 of the formatter takes `module_` for C++20's word.
// clang-format off
class [[gnu::visibility("hidden")]] Module : public nb::module_ {
 public:
  explicit Module(const nb::module_& m) : nb::module_(m) {}
  template <class F, class... Extra>
  Module& def(const char* name, F&& f, const Extra&... extra) {
    nb::module_::def(name, seeing(std::forward<F>(f)), extra...);
    return *this;
  }
};
// clang-format on

template <class... T>
class [[gnu::visibility("hidden")]] Class : public nb::class_<T...> {
 public:
  using nb::class_<T...>::class_;
  /// A method, by its name, or what nanobind makes constructors of.
  template <class First, class... Rest>
  Class& def(First && first, Rest && ... rest) {
    if constexpr (std::is_convertible_v<First, const char*>)
      method(first, std::forward<Rest>(rest)...);
    else
      nb::class_<T...>::def(std::forward<First>(first), std::forward<Rest>(rest)...);
    return *this;
  }

 private:
  template <class F, class... Extra>
  void method(const char* name, F&& f, const Extra&... extra) {
    if constexpr (std::is_member_pointer_v<std::remove_cvref_t<F>>)
      nb::class_<T...>::def(name, f, extra...);
    else
      nb::class_<T...>::def(name, seeing(std::forward<F>(f)), extra...);
  }
};

/// Does an op compare: does it take an integer of any size beside integers, by its value?
constexpr bool compares(op_id op) {
  return op == op_id::equal || op == op_id::not_equal || op == op_id::less || op == op_id::less_equal || op == op_id::greater ||
         op == op_id::greater_equal;
}

/// Runs `f` at the border of C: a C++ exception becomes a Python one, and the result null.
template <class F>
PyObject* guarded(F&& f) noexcept {
  try {
    see_context();
    PyObject* made = f();
    if (take_warning()) [[unlikely]]
      Py_CLEAR(made);
    return made;
  } catch (...) {
    translate_error();
    return nullptr;
  }
}
template <class F>
int guarded_status(F&& f) noexcept {
  try {
    see_context();
    f();
    return 0;
  } catch (...) {
    translate_error();
    return -1;
  }
}

/// One level of tuples, lists and dicts in each other. RecursionError where they are nested too deeply, or in themselves.
class Level {
 public:
  Level() {
    if (Py_EnterRecursiveCall(" while nested arguments or results were taken apart")) throw ErrorSet();
    if (++depth_ <= deepest) return;
    --depth_;
    Py_LeaveRecursiveCall();
    PyErr_SetString(PyExc_RecursionError, "arguments or results are nested too deeply");
    throw ErrorSet();
  }
  ~Level() {
    --depth_;
    Py_LeaveRecursiveCall();
  }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  static constexpr int deepest = 5000;  // of the stack, whatever sys.setrecursionlimit() says
  static inline thread_local int depth_ = 0;
};

/// An operand made from any Python object, with what keeps it alive, whatever the user's code does to the object meanwhile
/// (a.resize(), a.shape = ...). Its place is empty: the location provider tells it when someone asks.
inline operand operand_of(const array& a) { return operand(a, "", "", 0); }
[[noreturn]] void throw_huge();
class Argument {
 public:
  Argument() = default;
  explicit Argument(PyObject* o) { set(o); }
  struct Borrowed {};
  Argument(PyObject* o, Borrowed) {
    if (is_array(o)) [[likely]]
      borrow(o);
    else
      set_other(o);
  }
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  void set(PyObject* o) {
    if (is_array(o)) [[likely]] {
      borrow(o);
      keep();
    } else {
      set_other(o);
    }
  }
  /// The same of an array, without a reference: for operations before which no code of the user's runs.
  void borrow(PyObject* o) { value_.emplace(array_of(o), "", "", 0); }
  /// Takes the reference after all: before other threads run.
  void keep() {
    if (value_ && value_->is_array()) keep_ = array::share(value_->n());
  }
  const operand& get() const { return *value_; }
  /// OverflowError for an integer beyond 64 bits beside (or in place of) integers.
  void refuse_huge(char kind) const {
    if (huge_ && kind != 'f' && kind != 'c') [[unlikely]] throw_huge();
  }
  bool is_huge() const { return huge_; }
  operator const operand&() const { return *value_; }
  bool is_set() const { return value_.has_value(); }
  /// As an array: weak scalars become 0-D arrays.
  array as_array() const;

 private:
  void set_other(PyObject* o);
  std::optional<operand> value_;
  array keep_;
  bool huge_ = false;
};

/// The operands of a call, of which objects that run code of the user's are converted first: arrays are borrowed.
inline void set_both(Argument& x, PyObject* a, Argument& y, PyObject* b) {
  if (!is_array(a)) x.set(a);
  if (is_array(b))
    y.borrow(b);
  else
    y.set(b);
  if (is_array(a)) x.borrow(a);
}

/// What a reduction begins with: ValueError for arrays that have axes.
inline const operand& initial_of(const Argument& a) {
  if (a.get().is_array() && a.get().n()->rank > 0) throw ValueError("", "setting an array element with a sequence.");
  return a;
}

/// Any Python object as an array: ndarray, buffers, __array_interface__, __dlpack__, __array__, nested
/// sequences, numbers. TypeError for what has none of our dtypes.
array to_array(PyObject* o, std::optional<dtype_id> type = {}, bool allow_copy = true);
/// where=: an array of bool, or anything else that is no array, by its truth. TypeError for arrays of other dtypes.
array to_mask(PyObject* o);
/// An array as `np.array` makes it: always a copy of foreign memory if `copy`.
array array_from(PyObject* o, std::optional<dtype_id> type, bool copy);
/// Does an object convert to an operand: is it worth an operator's while?
bool looks_like_operand(PyObject* o);
/// Has the class of an object this attribute?
bool has_attribute(PyObject* o, const char* name);
/// Has it the object itself, as NumPy looks for `__array__` and `__array_interface__`? Classes offer nothing.
bool offers(PyObject* o, const char* name);
inline bool is_weak_number(PyObject* o) {
  return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || PyComplex_CheckExact(o);
}
/// Is it a scalar of NumPy's or of numjit's, which is no array?
bool stands_for_number(PyObject* o);

/// An array of another library, whose class says by `__array_ufunc__` or `__array_function__`, or as a class derived from
/// NumPy's array, what functions do with it.
bool is_foreign_object(PyObject* o);
/// Does it say by `__array_ufunc__ = None` that ufuncs can't have it?
bool refuses_ufuncs(PyObject* o);
inline bool is_foreign(PyObject* o) {
  return !is_array(o) && !PyFloat_CheckExact(o) && !PyLong_CheckExact(o) && is_foreign_object(o);
}
/// Is it one, or a list or tuple of arrays among which is one?
bool holds_foreign(PyObject* o);
inline bool any_foreign(PyObject* const* args, Py_ssize_t count, PyObject* names) {
  for (Py_ssize_t i = 0; i < count; ++i)
    if (is_foreign(args[i])) return true;
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
    if (holds_foreign(args[count + i])) return true;
  return false;
}
/// What NumPy's function of a name gives for the arguments of a call, arrays of ours as NumPy's on the same memory; its
/// results as ours. NotImplemented: NumPy has no such function, or has one that asks no other classes. `names` as in a
/// vectorcall.
PyObject* call_numpy(std::string_view name, PyObject* const* args, Py_ssize_t count, PyObject* names);
inline PyObject* call_numpy(std::string_view name, std::initializer_list<PyObject*> args) {
  return call_numpy(name, args.begin(), static_cast<Py_ssize_t>(args.size()), nullptr);
}

/// dtype of a Python object: dtypes of numjit and NumPy, strings, types. TypeError.
dtype_id to_dtype(PyObject* o);
inline std::optional<dtype_id> to_optional_dtype(PyObject* o) {
  if (!o || o == Py_None) return {};
  return to_dtype(o);
}
/// The same, as options of functions take it.
inline optional_dtype type_in(nb::handle o) {
  const std::optional<dtype_id> type = to_optional_dtype(o.ptr());
  return type ? optional_dtype(dtype(*type)) : std::nullopt;
}
/// The UTF-8 of a str. UnicodeEncodeError for half of a surrogate pair.
const char* utf8(PyObject* text);
/// The items of a sequence as they are now, in a tuple or a list of its own: code of the user's may change the sequence.
/// TypeError with `text`.
nb::object items_now(PyObject* o, const char* text);
/// An integer by __index__. TypeError.
std::int64_t to_int(PyObject* o);
/// A shape or axis list: an integer or a sequence of integers.
dims to_dims(PyObject* o);
axis_list to_axes(PyObject* o);
std::optional<std::int64_t> to_optional_int(PyObject* o);
/// order=: a letter of CFAK in upper case; `otherwise` for None. TypeError, ValueError.
char parse_order(PyObject* o, char otherwise);
/// out=: an array that may be written now, an empty handle for None. ValueError for one that is read-only.
array target_of(Any out);

/// The element(s) as Python objects.
PyObject* element_object(const char* data, dtype_id type);
PyObject* item_object(const array& a);

/// Axes reversed, a view; the elements at a small integer array, null if it takes the general way. Concrete arrays.
PyObject* quick_transpose(node* n);
PyObject* quick_gather(node* n, PyObject* key);

/// a[key] and a[key] = value.
PyObject* get_item(PyObject* self, PyObject* key);
inline PyObject* unicode(std::string_view s) { return PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size())); }
/// tp_descr_get of objects that are methods where a class has them, as functions are.
inline PyObject* method_of(PyObject* o, PyObject* instance, PyObject*) {
  return instance && instance != Py_None ? PyMethod_New(o, instance) : Py_NewRef(o);
}
PyObject* str_slot(PyObject* self);
PyObject* repr_slot(PyObject* self);
/// str() or repr() of an array by the core's print options, whatever the context says.
PyObject* plain_text(PyObject* array, bool repr);
/// Where a context has print options set (`variable` is not None there), these make the texts.
void set_text_functions(nb::handle variable, nb::handle str, nb::handle repr);
/// An iterator over the first axis.
PyObject* iterator_over(PyObject* array);
void set_item(PyObject* self, PyObject* key, PyObject* value);

/// Buffer protocol of ndarray.
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);
/// A foreign buffer as an array that shares its memory. TypeError for formats that are no dtype.
array from_buffer(PyObject* o);
PyObject* dlpack_capsule(const array& a, bool versioned, bool copied);
array from_dlpack_capsule(PyObject* capsule);

/// Long runs of the pool look for signals meanwhile. Whether a handler raised (KeyboardInterrupt); what it raised is kept
/// for restore_interrupt(), as more code may run before Python sees it.
bool signal_was_raised();
void restore_interrupt() noexcept;

/// Take the GIL, again or for a callback. Python ends threads that want it while the process ends, in the midst of what their C++
/// frames hold; here they wait for the end of the process instead, as from Python 3.14 on.
void retake_gil(PyThreadState* saved);
PyGILState_STATE ensure_gil();

/// Holds the GIL while it lives.
class Locked {
 public:
  Locked() : state_(ensure_gil()) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

/// The GIL for a callback (a log sink) on whatever thread it comes: not held where Python has ended or, on a thread that is not
/// Python's, is about to.
class Visit {
 public:
  Visit();
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  explicit operator bool() const { return lock_.has_value(); }

 private:
  bool foreign_ = false;
  std::optional<Locked> lock_;
};

/// Releases the GIL while it lives; signals end long operations.
class Unlocked {
 public:
  Unlocked() : saved_(PyEval_SaveThread()), interruptible_(signal_was_raised) {}
  ~Unlocked() { retake_gil(saved_); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* saved_;
  detail::Interruptible interruptible_;
};

/// Releases the GIL while it lives if the work is worth it: more than `elements` elements.
class MaybeUnlocked {
 public:
  static constexpr std::int64_t worth = 1 << 15;
  /// `arguments` are borrowed ones: other threads may change what their objects refer to.
  template <class... A>
  explicit MaybeUnlocked(std::int64_t elements, A&... arguments) {
    if (elements <= worth || detail::recording) return;
    (arguments.keep(), ...);
    unlocked_.emplace();
  }

 private:
  std::optional<Unlocked> unlocked_;
};
/// Is it an array of so few elements that operations on it keep the GIL?
inline bool is_few(PyObject* o) { return is_array(o) && array_of(o).get()->size <= MaybeUnlocked::worth; }
/// Or a number of Python's: with such operands nothing of the user's runs before an operation ends, and borrowing is enough.
inline bool is_simple(PyObject* o) { return is_array(o) ? is_few(o) : is_weak_number(o); }
inline std::int64_t work_of(const operand& o) { return o.is_array() ? o.n()->size : 0; }

/// Results of functions defined with nanobind.
inline nb::object give(array a) {
  if (take_warning()) throw nb::python_error();
  return nb::steal(wrap(std::move(a)));
}
inline nb::object give_view(array a, nb::handle of) {
  return nb::steal(with_base(give(unshared(std::move(a), of.ptr())).release().ptr(), of.ptr()));
}
inline nb::object give_result(array a) {
  if (take_warning()) throw nb::python_error();
  return nb::steal(wrap_result(std::move(a)));
}
/// The elements of `of` on other axes: a view, but of a number a number, which never changes.
inline nb::object give_rearranged(array a, nb::handle of) {
  const bool of_number = a.ndim() == 0 && is_array(of.ptr()) && is_scalar(of.ptr());
  return of_number ? give_result(std::move(a)) : give_view(std::move(a), of);
}
/// The result, or `out` itself where one was given, so that identity is kept.
inline nb::object give_or_out(array result, nb::handle out) {
  return out.is_none() ? give_result(std::move(result)) : nb::borrow(out);
}
nb::object give_list(std::vector<array> arrays);
inline array opt_array(nb::handle h) { return h.is_none() ? array() : to_array(h.ptr()); }
std::vector<array> to_array_list(PyObject* o);

}  // namespace numjit::py

namespace nanobind::detail {

template <>
struct type_caster<numjit::py::Any> {
  NB_TYPE_CASTER(numjit::py::Any, const_name("object"))
  bool from_python(handle src, std::uint32_t, cleanup_list*) noexcept {
    value = src;
    return true;
  }
};
template <>
struct has_arg_defaults<numjit::py::Any> : std::true_type {};

}  // namespace nanobind::detail
