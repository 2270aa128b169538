// The module numjit._core: its types, its exceptions, and where in Python code an operation was called.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include <unistd.h>

#include <numjit/base/dotted.h>
#include <numjit/base/error_location.h>
#include <numjit/base/location_provider.h>
#include <numjit/base/user_frames.h>
#include <numjit/runtime/kernels/plugin.h>
#include <numjit/trace/record/value_errors.h>

#include <frameobject.h>  // after Python.h

#include "devices.h"
#include "memory_trace.h"
#include "watched.h"

namespace numjit::py {

namespace {

PyObject *break_error, *recompile_error, *compile_error, *device_error, *internal_error, *leaves_call;

PyObject* new_class(nb::module_& m, const char* name, const char* doc, nb::object bases) {
  const std::string full = std::string("numjit.") + name;
  PyObject* type = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (!type) nb::raise_python_error();
  m.attr(name) = nb::borrow(type);
  return type;
}

/// A class of NumPy's, so that handlers of its users catch it; one of our own without NumPy. Looked for when it is first
/// needed: `import numjit` loads no NumPy.
struct shared_class {
  const char *module, *name, *doc;
  PyObject* base = nullptr;  // ValueError
  PyObject* found = nullptr;

  PyObject* get() {
    if (found) return found;
    if (PyObject* numpys = PyImport_ImportModule(module)) {
      found = PyObject_GetAttrString(numpys, name);
      Py_DECREF(numpys);
    }
    if (found) return found;
    PyErr_Clear();
    PyObject* const bases = std::string_view(name) == "AxisError" ? PyTuple_Pack(2, PyExc_ValueError, PyExc_IndexError)
                                                                  : PyTuple_Pack(1, base ? base : PyExc_ValueError);
    found = PyErr_NewExceptionWithDoc((std::string("numjit.") + name).c_str(), doc, bases, nullptr);
    Py_XDECREF(bases);
    return found ? found : PyExc_ValueError;
  }
};
shared_class axis_error{"numpy.exceptions", "AxisError", "An axis number is outside the array's rank."};
shared_class linalg_error{"numpy.linalg", "LinAlgError", "A matrix has no answer to the question."};
shared_class complex_warning{"numpy.exceptions", "ComplexWarning", "A cast drops imaginary parts."};

location find_location();

/// The line of the operation that an error comes from, as the innermost entry of the traceback: where that line is not
/// running now, Python adds none.
void add_line(const location& where) {
  if (where.line == 0) return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  const location here = find_location();
  const bool runs_now = here.line == where.line && std::string_view(here.file) == where.file;
  PyObject* const globals = runs_now ? nullptr : PyDict_New();
  PyCodeObject* const code = globals ? PyCode_NewEmpty(where.file, where.function, where.line) : nullptr;
  PyFrameObject* const frame = code ? PyFrame_New(PyThreadState_Get(), code, globals, nullptr) : nullptr;
  PyErr_Restore(type, value, trace);
  if (frame) PyTraceBack_Here(frame);
  Py_XDECREF(frame);
  Py_XDECREF(code);
  Py_XDECREF(globals);
}

void set_error(PyObject* type, const error& e) {
  PyObject* instance = PyObject_CallFunction(type, "s", detail::dotted(e.what()).c_str());
  if (!instance) return;
  // What C++ has as functions: the stable identifier and the operation.
  for (auto [name, text] : {std::pair("code", &e.code()), std::pair("op", &e.op())}) {
    PyObject* value = PyUnicode_FromStringAndSize(text->data(), static_cast<Py_ssize_t>(text->size()));
    if (!value || PyObject_SetAttrString(instance, name, value) != 0) PyErr_Clear();
    Py_XDECREF(value);
  }
  PyErr_SetObject(type, instance);
  Py_DECREF(instance);
  add_line(error_location(e));
}

// ---- places in Python code ----

std::string& package_folder() {
  static std::string folder;
  return folder;
}

}  // namespace

bool is_package_file(const char* file) {
  return file && std::string_view(file).substr(0, package_folder().size()) == package_folder();
}

location location_of_code(PyCodeObject* code) {
  const char* const file = PyUnicode_AsUTF8(code->co_filename);
  if (!file) PyErr_Clear();
#if PY_VERSION_HEX >= 0x030B0000
  const char* const name = PyUnicode_AsUTF8(code->co_qualname);
#else
  const char* const name = PyUnicode_AsUTF8(code->co_name);
#endif
  if (!name) PyErr_Clear();
  std::string function = name ? name : "?";
  if (function.find('<') != std::string::npos)  // lambdas and the like share their names
    function += ":" + std::to_string(code->co_firstlineno);
  return {detail::intern_text(file ? file : "?")->c_str(), detail::intern_text(function)->c_str(), code->co_firstlineno};
}

namespace {

location location_of(PyFrameObject* frame, PyCodeObject* code) {
  location where = location_of_code(code);
  where.line = PyFrame_GetLineNumber(frame);
  return where;
}

/// fn(place) of the frames outside of this package, the innermost first, until it gives false.
template <class F>
void for_user_frames(F&& fn) {
  const Visit visit;
  if (!visit) return;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  for (bool goes_on = true; frame && goes_on;) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    if (file && !is_package_file(file)) goes_on = fn(location_of(frame, code));
    Py_DECREF(code);
    PyFrameObject* outer = goes_on ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    frame = outer;
  }
  PyErr_Clear();
}

location find_location() {
  location place;
  for_user_frames([&](const location& innermost) {
    place = innermost;
    return false;
  });
  return place;
}

std::vector<location> find_frames() {
  std::vector<location> frames;
  for_user_frames([&](const location& frame) {
    frames.push_back(frame);
    return true;
  });
  std::reverse(frames.begin(), frames.end());
  return frames;
}

}  // namespace

void install_location_provider(const char* folder) {
  package_folder() = folder;
  detail::location_provider = find_location;
  detail::user_frames_provider = find_frames;
}

void warn_complex(dtype_id from, dtype_id to, int level) {
  const char kind = dtype(to).kind();
  if (dtype(from).kind() != 'c' || kind == 'c' || kind == 'b') return;
  if (PyErr_WarnEx(complex_warning.get(), "Casting complex values to real discards the imaginary part", level) != 0)
    throw ErrorSet();
}

void warn_at_caller(const char* text) {
  int level = 1;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const bool is_ours = is_package_file(PyUnicode_AsUTF8(code->co_filename));
    Py_DECREF(code);
    PyFrameObject* const outer = is_ours ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    frame = outer;
    level += is_ours;
  }
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text, level) != 0) throw ErrorSet();
}

void make_errors(Module& m) {
  complex_warning.base = PyExc_RuntimeWarning;
  m.def("warn_complex", [](Any from, Any to) { warn_complex(to_dtype(from.ptr()), to_dtype(to.ptr()), 2); });
  nb::object runtime_error = nb::borrow(PyExc_RuntimeError);
  m.def("__getattr__", [](const std::string& name) {
    for (shared_class* c : {&axis_error, &linalg_error, &complex_warning})
      if (name == c->name) return nb::borrow(c->get());
    throw nb::attribute_error(("module 'numjit._core' has no attribute '" + name + "'").c_str());
  });
  break_error = new_class(m, "GraphBreakError", "A graph break happened where none may.", runtime_error);
  recompile_error = new_class(m, "RecompileError", "A stance forbids to compile anew.", runtime_error);
  compile_error = new_class(m, "CompileError", "A kernel can't be made.", runtime_error);
  device_error = new_class(m, "DeviceError", "A device is unknown or not available.", runtime_error);
  internal_error = new_class(m, "InternalError", "numjit contradicts itself.", runtime_error);
  leaves_call = new_class(m, "LeavesCall", "On its way out of a compiled call, which raises the error of an earlier line.",
                          nb::borrow(PyExc_BaseException));
}

bool is_leaving(PyObject* exception) { return PyErr_GivenExceptionMatches(exception, leaves_call) != 0; }

namespace {
// What a signal's handler raised, until Python sees it.
thread_local PyObject *raised_type = nullptr, *raised_value = nullptr, *raised_trace = nullptr;
}  // namespace

namespace {
/// Where a thread stays that Python is about to end: its frames are left one by one then, this one first.
struct StaysHere {
  ~StaysHere() {
    while (leaving) pause();
  }
  bool leaving = true;
};
}  // namespace

[[gnu::noinline]] void retake_gil(PyThreadState* saved) {
  StaysHere here;
  PyEval_RestoreThread(saved);
  here.leaving = false;
  tell_untold_blocks();
}
[[gnu::noinline]] PyGILState_STATE ensure_gil() {
  StaysHere here;
  const PyGILState_STATE state = PyGILState_Ensure();
  here.leaving = false;
  return state;
}

// Threads that compile end with the process, which waits for them: none of them may be kept from going on by Python's end. So
// that begins with the last visit, as an exit handler.
namespace {
std::atomic<bool> visits_are_over{false};
std::atomic<int> visits{0};

void end_visits() {
  visits_are_over = true;
  const Unlocked unlocked;
  while (visits != 0) usleep(100);
}
}  // namespace

Visit::Visit() {
  if (!Py_IsInitialized()) return;
  foreign_ = !PyGILState_GetThisThreadState();
  if (foreign_) {
    ++visits;
    if (visits_are_over) return;
  }
  lock_.emplace();
}
Visit::~Visit() {
  lock_.reset();
  if (foreign_) --visits;
}

bool signal_was_raised() {
  if (!Py_IsInitialized()) return false;  // statics of other libraries may still run operations
  const Locked gil;
  const bool raised = PyErr_CheckSignals() != 0;
  if (raised) {
    for (PyObject** kept : {&raised_type, &raised_value, &raised_trace}) Py_CLEAR(*kept);
    PyErr_Fetch(&raised_type, &raised_value, &raised_trace);
  }
  return raised;
}

void restore_interrupt() noexcept {
  PyObject* const type = std::exchange(raised_type, nullptr);
  if (!type) return PyErr_SetNone(PyExc_KeyboardInterrupt);
  PyErr_Restore(type, std::exchange(raised_value, nullptr), std::exchange(raised_trace, nullptr));
}

void translate_error() noexcept {
  try {
    throw;
  } catch (const ErrorSet&) {
  } catch (const Interrupted&) {
    restore_interrupt();
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const tracing::LeavesCall&) {
    PyErr_SetNone(leaves_call);
  } catch (const AxisError& e) {
    set_error(axis_error.get(), e);
  } catch (const LinAlgError& e) {
    set_error(linalg_error.get(), e);
  } catch (const TypeError& e) {
    set_error(PyExc_TypeError, e);
  } catch (const ValueError& e) {
    set_error(PyExc_ValueError, e);
  } catch (const IndexError& e) {
    set_error(PyExc_IndexError, e);
  } catch (const OverflowError& e) {
    set_error(PyExc_OverflowError, e);
  } catch (const ZeroDivisionError& e) {
    set_error(PyExc_ZeroDivisionError, e);
  } catch (const FloatingPointError& e) {
    set_error(PyExc_FloatingPointError, e);
  } catch (const AssertionError& e) {
    set_error(PyExc_AssertionError, e);
  } catch (const NotImplementedError& e) {
    set_error(PyExc_NotImplementedError, e);
  } catch (const OSError& e) {
    set_error(PyExc_OSError, e);
  } catch (const MemoryError& e) {
    set_error(PyExc_MemoryError, e);
  } catch (const GraphBreakError& e) {
    // NumPy and others may take it for "no number" or "no buffer".
    const bool kept = detail::recording;
    tracing::keep_error();
    set_error(break_error, e);
    if (kept) keep_exception();
  } catch (const RecompileError& e) {
    set_error(recompile_error, e);
  } catch (const CompileError& e) {
    set_error(compile_error, e);
  } catch (const DeviceError& e) {
    set_error(device_error, e);
  } catch (const error& e) {
    set_error(internal_error, e);
  } catch (const std::bad_cast&) {  // nanobind's, for a value that a parameter does not take
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a value is of a wrong type or out of range.");
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown C++ exception");
  }
}

}  // namespace numjit::py

NB_MODULE(_core, plain) {
  using namespace numjit::py;
  Module m(plain);
  nb::set_leak_warnings(false);  // types and dtypes live as long as the process
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const nb::builtin_exception&) {
      throw;
    } catch (...) {
      translate_error();
    }
  });
  make_errors(m);
  // Handlers run on the main thread, where most modules are imported: its operations look for signals also while they hold
  // the GIL.
  if (getpid() == gettid()) static const numjit::detail::Interruptible always(signal_was_raised);
  make_dtype_type(m);
  make_array_type(m);
  make_ufunc_type(m);
  define_functions(m);
  define_structure(m);
  define_quick(m);
  define_functions_of_table(m);
  define_composites(m);
  define_exchange(m);
  define_compile(m);
  define_coroutines(m);
  define_scopes(m);
  define_steering(m);
  define_distributed(m);
  define_export(m);
  define_devices(m);
  define_random(m);
  define_dispatch(m);
  define_memory_trace(m);
  define_numpy_programs(m);
  define_transforms(m);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(end_visits));
  m.def("_set_package_folder", [](const std::string& folder) { install_location_provider(folder.c_str()); });
  m.def("_set_halide_folder", [](const std::string& folder) { numjit::runtime::set_halide_folder(folder); });
  reword_errors_of(m);
}
