// Whether Python code between an operation and the compiled call would see an error of the operation.
#include "watched.h"

#include <frameobject.h>

#include <optional>
#include <utility>

#include <numjit/trace/record/value_errors.h>

namespace numjit::py {
namespace {

#if PY_VERSION_HEX < 0x030B0000

bool has_handler(PyFrameObject* frame) {
  constexpr int setup_finally = 122;  // what try, finally and with put onto the block stack
  for (int i = 0; i < frame->f_iblock; ++i)
    if (frame->f_blockstack[i].b_type == setup_finally) return true;
  return false;
}

#else

int push_exc_info = -1, reraise = -1;  // numbers of opcodes, which differ between versions

void find_opcodes() {
  nb::object map = nb::module_::import_("opcode").attr("opmap");
  push_exc_info = nb::cast<int>(map["PUSH_EXC_INFO"]);
  reraise = nb::cast<int>(map["RERAISE"]);
}

/// The code that an exception at `instruction` goes to; -1 for none. The table has start, length, target and depth of each
/// stretch, in instructions, each as bits by six; bit 6 says that more follow. Stretches come in order.
int target_of(PyObject* table, int instruction) {
  const auto* at = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(table));
  const unsigned char* const end = at + PyBytes_GET_SIZE(table);
  const auto read = [&] {
    int value = *at & 63;
    while (*at++ & 64) value = value << 6 | (*at & 63);
    return value;
  };
  while (at < end) {
    const int start = read(), length = read(), target = read();
    read();
    if (instruction < start) return -1;
    if (instruction < start + length) return target;
  }
  return -1;
}

bool has_handler(PyFrameObject* frame) {
  PyCodeObject* const code = PyFrame_GetCode(frame);
  nb::object kept = nb::steal(reinterpret_cast<PyObject*>(code));
  if (PyBytes_GET_SIZE(code->co_exceptiontable) == 0) return false;
  int target = target_of(code->co_exceptiontable, PyFrame_GetLasti(frame) / 2);
  if (target < 0) return false;
  // Code of try, finally and with begins by noting the exception. What else is there, of comprehensions and generators,
  // tidies up and raises it again, which may lead to another stretch.
  nb::object text = nb::steal(PyCode_GetCode(code));
  const auto* ops = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(text.ptr()));
  const auto count = static_cast<int>(PyBytes_GET_SIZE(text.ptr()) / 2);
  for (int steps = 0; target >= 0 && steps < 64; ++steps) {
    if (ops[2 * target] == push_exc_info) return true;
    while (target < count && ops[2 * target] != reraise) ++target;
    target = target_of(code->co_exceptiontable, target);
  }
  return false;
}

#endif

/// This package's own scopes and fallbacks are no code of the user's.
bool is_of_package(PyFrameObject* frame) {
  nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  return is_package_file(PyUnicode_AsUTF8(reinterpret_cast<PyCodeObject*>(code.ptr())->co_filename));
}

bool errors_are_watched() {
  if (!PyGILState_GetThisThreadState()) return false;
  std::optional<Locked> gil;
  if (!PyGILState_Check()) gil.emplace();  // a segment that runs without it has failed
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  bool watched = false;
  while (frame && frame != call_border && !watched) {
    watched = has_handler(frame) && !is_of_package(frame);
    PyFrameObject* const outer = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = outer;
  }
  Py_XDECREF(frame);
  return watched;
}

}  // namespace

// ---- errors that code in C takes for no answer ----

namespace {

constinit thread_local PyObject* kept_exception = nullptr;

/// An exception that has come to a line of Python knows that line.
bool was_swallowed() {
  if (!Py_IsInitialized()) return true;
  const Locked gil;
  nb::object exception = nb::steal(std::exchange(kept_exception, nullptr));
  if (!exception.is_valid()) return false;
  return !nb::steal(PyException_GetTraceback(exception.ptr())).is_valid();
}

}  // namespace

void keep_exception() noexcept {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Py_XDECREF(std::exchange(kept_exception, Py_XNewRef(value)));
  PyErr_Restore(type, value, trace);
}

namespace {
// An exception that is in flight at the end of a compiled call was swallowed by nobody.
void drop_exception(PyObject* exception) noexcept {
  if (exception == kept_exception) Py_CLEAR(kept_exception);
}

/// What is pending runs as this context says. An exception is on its way, which a second one would hide.
void follow_quietly() noexcept {
  try {
    see_context();
  } catch (...) {
    PyErr_Clear();
  }
}
}  // namespace

// An error of an operation before goes first, unless it is one that ends the program.
void throw_failure(tracing::Region& region) {
  nb::python_error raised;
  drop_exception(raised.value().ptr());
  const bool ends_program = !raised.matches(PyExc_Exception) && !is_leaving(raised.value().ptr());
  follow_quietly();
  try {
    region.fail();
  } catch (...) {
    if (!ends_program) throw;
  }
  throw std::move(raised);
}

void watch_errors() {
#if PY_VERSION_HEX >= 0x030B0000
  find_opcodes();
#endif
  detail::errors_are_watched = errors_are_watched;
  detail::kept_error_was_swallowed = was_swallowed;
}

}  // namespace numjit::py
