// Functions written for NumPy, compiled as they are: NumPy's arrays become ours at the border of a call, and ours NumPy's.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "module.h"

namespace numjit::py {

/// A compiled function as a NumPy program: its twin (see _twins.py), and what makes another one necessary.
class NumpyProgram {
 public:
  /// What the function and those it calls name: something of NumPy's (and nothing of ours), something of ours, or neither.
  enum class Style { unknown, numpy, ours, neither };

  ~NumpyProgram() { clear(); }
  /// Makes the twin, or makes it anew where a name means something else by now.
  void refresh(PyObject* function);
  Style style() const { return style_; }
  PyObject* twin() const { return twin_; }
  /// The Python object that made it.
  PyObject* program() const { return program_; }
  void visit(visitproc visit, void* arg, int& result) const;
  void clear();

 private:
  friend class NumpyBorder;
  /// A name of a module, a cell of a function, or an object itself.
  struct Reference {
    PyObject* where;  // dict, cell or that object
    PyObject* key;    // of a dict
    PyObject* now() const;
  };
  struct Guard {
    Reference at;
    PyObject* value;
  };
  bool holds() const;
  static std::vector<Reference> references(PyObject* list);

  PyObject* program_ = nullptr;  // the Python object that owns what stands below
  PyObject* twin_ = nullptr;
  Style style_ = Style::unknown;
  std::vector<Guard> guards_;
  std::vector<Reference> watched_, stored_;
};

/// Is this thread inside a call of a NumPy program? Then compiled functions that it calls are part of it.
inline constinit thread_local int numpy_programs_open = 0;
struct InNumpyProgram {
  InNumpyProgram() { ++numpy_programs_open; }
  ~InNumpyProgram() { --numpy_programs_open; }
};

/// Does a function of Python's itself name a module of NumPy's?
bool names_numpy(PyObject* function);

/// What the arguments of a call bring.
struct Brought {
  bool ours = false, numpys = false;
};
Brought look_at(PyObject* const* args, Py_ssize_t count);

/// The border of one call: arguments in, results and what the call has stored out.
class [[gnu::visibility("hidden")]] NumpyBorder {
 public:
  explicit NumpyBorder(const NumpyProgram& program) : program_(program) {}
  NumpyBorder(const NumpyBorder&) = delete;
  NumpyBorder& operator=(const NumpyBorder&) = delete;

  /// The arguments with our arrays, on the same memory, in place of NumPy's. They live as long as this.
  std::vector<PyObject*> enter(PyObject* const* args, Py_ssize_t count);
  /// call(), inside of the program. Its result has NumPy's arrays and scalars in place of ours: of those that came in, the
  /// objects that came. So have what it changed and the arguments of the exception that it throws.
  template <class F>
  nb::object run(F && call) {
    nb::object result;
    try {
      const InNumpyProgram inside;
      result = call();
    } catch (ErrorSet) {
      nb::python_error raised;
      settle(raised.value().ptr());
      throw raised;
    } catch (const nb::python_error& raised) {
      settle(raised.value().ptr());
      throw;
    } catch (...) {
      settle();
      throw;
    }
    settle();
    return leave(result.ptr(), 0);
  }

 private:
  /// Gives NumPy's arrays to whoever got ours: argument lists and dicts, attributes of arguments, stored names, `error`.
  void settle(PyObject* error = nullptr);
  struct [[gnu::visibility("hidden")]] Entered {
    nb::object numpys;
    nb::object ours;
    node* made;  // that `ours` had
  };
  struct [[gnu::visibility("hidden")]] Root {  // one memory
    nb::object owner;                          // the ndarray at the end of the chain of bases, or an array of ours behind it
    array keeps;                               // the memory as ours, once it is taken in
    int uses = 0;                              // by arguments
    bool is_reachable;                         // by names, cells or attributes, past the border
    bool is_shown = false;                     // by this border
  };
  struct [[gnu::visibility("hidden")]] Copied {
    nb::object given, copy;
    std::vector<PyObject*> before;  // what was in the copy (of a dict: key, value, ...)
  };

  void count_roots(PyObject * o, int depth);
  Root& root_of(PyObject * numpys);
  void find_reachable(PyObject* const* args, Py_ssize_t count);
  void mark_reachable(PyObject * o, int depth, int& budget);
  void take_in(Root & root, PyObject * o, dtype_id type, const dims& shape, const dims& strides);
  nb::object enter(PyObject * o, int depth);
  nb::object enter_array(PyObject * o);
  nb::object enter_sequence(PyObject * o, int depth);
  nb::object enter_dict(PyObject * o, int depth);
  nb::object leave(PyObject * o, int depth);
  nb::object leave_array(PyObject * o);
  nb::object numpys_of(const array& a);
  void leave_inside(PyObject * o, int depth);
  void leave_list(PyObject * list, int depth);
  void leave_dict(PyObject * dict, int depth);
  void leave_keys(PyObject * dict, int depth);
  nb::object leave_set(PyObject * set, int depth);
  void leave_error(PyObject * error);
  void write_back(const Copied& copied);
  void give_layouts();

  const NumpyProgram& program_;
  std::vector<Entered> entered_;
  std::vector<Root> roots_;
  std::vector<Copied> copied_;
  std::vector<nb::object> as_they_are_;  // lists and dicts that came in and hold no array: the call may put some into them
  std::vector<nb::object> held_;  // what args() points to
  std::vector<PyObject*> opaque_;
  std::unordered_set<PyObject*> seen_;
  std::vector<PyObject*> reachable_;  // lists and dicts that names, cells and attributes lead to
  std::vector<std::pair<PyObject*, nb::object>> given_;  // results: ours, NumPy's
  bool everything_reachable_ = false;
};

}  // namespace numjit::py
