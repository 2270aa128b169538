// numjit.compile: Python functions as compiled regions, rerun or replayed, with pytrees of arguments.

#include <cstddef>
#include <cstring>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numjit/base/dotted.h>
#include <numjit/graph/graph.h>
#include <numjit/trace/state/function_state.h>
#include <numjit/transform/backward_region.h>

#include "module.h"
#include "numpy_program.h"
#include "scalars.h"
#include "turns.h"
#include "watched.h"

#include <structmember.h>  // after Python.h

namespace numjit::py {

PyTypeObject* compiled_type;

namespace {

/// A backend written in Python. Its compiled function owns what it consists of, and shows it to the collector of garbage:
/// the runners of its graphs may well refer to the compiled function. C++ borrows.
struct PythonBackend {
  PyObject* function = nullptr;
  std::vector<PyObject*> runners;  // null: free for another
  void visit(visitproc visit, void* arg, int& result) const {
    const auto one = [&](PyObject* o) {
      if (o && result == 0) result = visit(o, arg);
    };
    one(function);
    for (PyObject* o : runners) one(o);
  }
  void clear() {
    Py_CLEAR(function);
    for (PyObject*& runner : runners) Py_CLEAR(runner);
  }
};

struct CompiledObject {
  PyObject_HEAD
  vectorcallfunc call;
  PyObject* function;
  PyObject* options;  // a dict: what np.compile was given besides, if it is not the default
  PyObject* dict;
  PyObject* weak_references;
  std::shared_ptr<tracing::FunctionState>* state;
  std::shared_ptr<PythonBackend>* backend;  // or null
  NumpyProgram* numpys;                     // null: never called as one
};
CompiledObject* self_of(PyObject* o) { return reinterpret_cast<CompiledObject*>(o); }

/// The arguments of one call.
struct Call {
  PyObject* const* args;
  std::size_t flagged;
  PyObject* names;
  Py_ssize_t count() const {
    return PyVectorcall_NARGS(flagged) + (names ? PyTuple_GET_SIZE(names) : 0);
  }
};

/// A call of a NumPy program has recorded nothing.
[[noreturn]] void throw_nothing_recorded(const std::string& name) {
  throw CompileError("compile", name +
                                    ": nothing was recorded, and fullgraph is on. All of its work was NumPy's own, on arrays "
                                    "that are no arguments, or in code of installed packages: explain() tells which functions "
                                    "were looked into.");
}

/// `body`: the function, or its twin.
nb::object run_body(const CompiledObject* self, const Call& call, PyObject* body) {
  if (!body) throw TypeError("compile", "the function is gone: the collector has taken it apart.");
  tracing::FunctionState& state = **self->state;
  constexpr Py_ssize_t few = 16;
  const node* nodes[few + 1] = {};
  std::int64_t largest = 0;
  const Py_ssize_t n = std::min(call.count(), few);
  for (Py_ssize_t i = 0; i < n; ++i)
    if (is_array(call.args[i])) {
      nodes[i] = array_of(call.args[i]).get();
      largest = std::max(largest, nodes[i]->size);
    }
  note_border();
  const SettledScalars settled;
  tracing::Region region(state, {nodes, static_cast<std::size_t>(n)});
  const Turn turn;
  const bool must_record = body != self->function && state.fullgraph && detail::recording;
  const std::uint64_t before = must_record ? tracing::Recorder::current().here().segment : 0;
  nb::object result = nb::steal(PyObject_Vectorcall(body, call.args, call.flagged & ~PY_VECTORCALL_ARGUMENTS_OFFSET, call.names));
  if (!result.is_valid()) [[unlikely]]
    throw_failure(region);
  if (must_record) {
    const tracing::Recorder::Checkpoint now = tracing::Recorder::current().here();
    if (now.segment == before && now.ops == 0) throw_nothing_recorded(state.name);
  }
  see_context();  // what is pending runs as this context says, not as the one whose code ran last
  const Running running(largest > MaybeUnlocked::worth);
  region.finish();
  return result;
}

/// A sweep over what a compiled call did.
void run_backward(void* function, const std::function<void()>& sweep) {
  note_border();
  const SettledScalars settled;
  tracing::Region region(*static_cast<tracing::FunctionState*>(function));
  const Turn turn;
  try {
    sweep();
  } catch (...) {
    region.fail();
    throw;
  }
  const Running running(true);
  region.finish();
}

// ---- replay ----

enum class Leaf : std::uint64_t { none, bool_, int_, float_, complex_, text, tuple, list, dict, array, big_int };

[[noreturn]] void throw_unknown_leaf(const tracing::FunctionState& state, PyObject* o) {
  throw TypeError("compile", "function '" + state.name + "' can't be replayed: got an argument or result of type '" +
                                 Py_TYPE(o)->tp_name + "', expected arrays, numbers, text, None, and tuples, lists and "
                                                       "dicts of these. Use mode=\"rerun\".");
}

void add_text(tracing::LeafList& list, const char* text, std::size_t size) {
  list.value(size);
  for (std::size_t at = 0; at < size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text + at, std::min<std::size_t>(8, size - at));
    list.value(word);
  }
}

/// Takes a pytree apart: arrays by their handles, everything else as words.
void visit(PyObject* o, tracing::LeafList& list, const tracing::FunctionState& state) {
  auto tag = [&](Leaf kind) { list.value(static_cast<std::uint64_t>(kind)); };
  if (is_array(o)) {
    tag(Leaf::array);
    list.value(is_scalar(o));
    list.array(array_of(o));
  } else if (o == Py_None) {
    tag(Leaf::none);
  } else if (PyBool_Check(o)) {
    tag(Leaf::bool_);
    list.value(o == Py_True);
  } else if (PyLong_CheckExact(o)) {
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    tag(overflow ? Leaf::big_int : Leaf::int_);
    if (!overflow) return list.value(static_cast<std::uint64_t>(v));
    nb::object text = nb::steal(PyNumber_ToBase(o, 16));  // Python limits the length in base 10
    if (!text.is_valid()) throw ErrorSet();
    Py_ssize_t size = 0;
    const char* s = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!s) throw ErrorSet();
    add_text(list, s, static_cast<std::size_t>(size));
  } else if (PyFloat_CheckExact(o)) {
    tag(Leaf::float_);
    list.value(std::bit_cast<std::uint64_t>(PyFloat_AS_DOUBLE(o)));
  } else if (PyComplex_CheckExact(o)) {
    tag(Leaf::complex_);
    const Py_complex z = PyComplex_AsCComplex(o);
    list.value(std::bit_cast<std::uint64_t>(z.real));
    list.value(std::bit_cast<std::uint64_t>(z.imag));
  } else if (PyUnicode_Check(o)) {
    tag(Leaf::text);
    Py_ssize_t size = 0;
    const char* s = PyUnicode_AsUTF8AndSize(o, &size);
    if (!s) throw ErrorSet();
    add_text(list, s, static_cast<std::size_t>(size));
  } else if (PyTuple_CheckExact(o) || PyList_CheckExact(o)) {
    tag(PyTuple_CheckExact(o) ? Leaf::tuple : Leaf::list);
    const Level level;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    list.value(static_cast<std::uint64_t>(n));
    for (Py_ssize_t i = 0; i < n; ++i) visit(PySequence_Fast_GET_ITEM(o, i), list, state);
  } else if (PyDict_CheckExact(o)) {
    tag(Leaf::dict);
    const Level level;
    list.value(static_cast<std::uint64_t>(PyDict_Size(o)));
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
      visit(key, list, state);
      visit(value, list, state);
    }
  } else {
    throw_unknown_leaf(state, o);
  }
}

/// A result with its arrays taken out, kept with what was learned; built anew at each replay.
struct Prototype {
  PyObject* tree = nullptr;  // in place of each array stands its type, which is no leaf: anybody may find the tree
  std::size_t arrays = 0;
  ~Prototype() {
    if (!Py_IsInitialized()) return;
    const Locked gil;
    Py_XDECREF(tree);
  }
};

[[noreturn]] void throw_changed_result() {
  PyErr_SetString(PyExc_RuntimeError, "[compile] a result changed while it was taken apart.");
  throw ErrorSet();
}

/// A copy of a pytree, leaf by leaf. New containers may start the collector, which runs code of the user's: it may change
/// what is copied.
template <class F>
nb::object rebuilt(PyObject* o, F&& leaf) {
  if (PyTuple_CheckExact(o) || PyList_CheckExact(o)) {
    const Level level;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    const bool tuple = PyTuple_CheckExact(o);
    nb::object made = nb::steal(tuple ? PyTuple_New(n) : PyList_New(n));
    if (!made.is_valid()) throw ErrorSet();
    for (Py_ssize_t i = 0; i < n; ++i) {
      if (PySequence_Fast_GET_SIZE(o) != n) throw_changed_result();
      const nb::object held = nb::borrow(PySequence_Fast_GET_ITEM(o, i));
      PyObject* part = rebuilt(held.ptr(), leaf).release().ptr();
      if (tuple) PyTuple_SET_ITEM(made.ptr(), i, part);
      else PyList_SET_ITEM(made.ptr(), i, part);
    }
    return made;
  }
  if (PyDict_CheckExact(o)) {
    const Level level;
    nb::object made = nb::steal(PyDict_New());
    if (!made.is_valid()) throw ErrorSet();
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
      const nb::object name = nb::borrow(key), held = nb::borrow(value);
      if (PyDict_SetItem(made.ptr(), name.ptr(), rebuilt(held.ptr(), leaf).ptr()) != 0) throw ErrorSet();
    }
    return made;
  }
  return leaf(o);
}

/// Keys of a result's dicts are kept as they are: arrays among them would be those of the first call.
void refuse_arrays_as_keys(PyObject* o, bool is_key, const tracing::FunctionState& state) {
  if (is_array(o) && is_key) throw_unknown_leaf(state, o);
  if (PyTuple_CheckExact(o) || PyList_CheckExact(o)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i)
      refuse_arrays_as_keys(PySequence_Fast_GET_ITEM(o, i), is_key, state);
  } else if (PyDict_CheckExact(o)) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &key, &value);) {
      refuse_arrays_as_keys(key, true, state);
      refuse_arrays_as_keys(value, is_key, state);
    }
  }
}

std::shared_ptr<Prototype> prototype_of(PyObject* result, const tracing::FunctionState& state) {
  refuse_arrays_as_keys(result, false, state);  // visit() has seen how deep it is
  auto kept = std::make_shared<Prototype>();
  kept->tree = rebuilt(result,
                       [&](PyObject* o) {
                         if (!is_array(o)) return nb::borrow(o);
                         ++kept->arrays;
                         return nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(o)));
                       })
                   .release()
                   .ptr();
  return kept;
}

/// The result of a replayed call: its arrays are there before anybody can see the objects around them.
nb::object give_result_of(tracing::ReplayCall& call) {
  const auto* prototype = static_cast<const Prototype*>(call.prototype().get());
  const nb::object tree = nb::borrow(prototype->tree);
  constexpr std::size_t few = 8;
  array at_hand[few];
  std::vector<array> more(prototype->arrays > few ? prototype->arrays : 0);
  array* const made = prototype->arrays > few ? more.data() : at_hand;
  for (std::size_t i = 0; i < prototype->arrays; ++i) call.results().array(made[i]);
  call.give();
  std::size_t next = 0;
  return rebuilt(tree.ptr(), [&](PyObject* o) {
    if (!PyType_Check(o)) return nb::borrow(o);
    PyObject* object = wrap_as(reinterpret_cast<PyTypeObject*>(o), std::move(made[next++]));
    if (!object) throw ErrorSet();
    return nb::steal(object);
  });
}

void visit_arguments(const Call& call, tracing::LeafList& list, const tracing::FunctionState& state) {
  for (Py_ssize_t i = 0; i < call.count(); ++i) visit(call.args[i], list, state);
  for (Py_ssize_t i = 0; call.names && i < PyTuple_GET_SIZE(call.names); ++i)
    visit(PyTuple_GET_ITEM(call.names, i), list, state);
  list.value(static_cast<std::uint64_t>(call.count()));
}

nb::object run_replayed(const CompiledObject* self, const Call& c, PyObject* body) {
  tracing::FunctionState& state = **self->state;
  tracing::ReplayCall call(state);
  if (!call.possible()) return run_body(self, c, body);
  visit_arguments(c, call.arguments(), state);
  const bool known = call.known();
  if (known && !call.verifies()) {
    std::vector<array> held;
    if (state.user_backend) [[unlikely]]  // code of the user's may let the arguments go
      for (array* a : call.arguments().arrays) held.push_back(*a);
    call.run();
    return give_result_of(call);
  }
  if (known) call.run_on_copies();
  else call.begin();
  nb::object result = run_body(self, c, body);
  visit(result.ptr(), call.results(), state);
  if (known) {
    call.compare();
  } else {
    std::vector<nb::object> held;
    hold_objects(call.results().arrays, held);
    std::shared_ptr<Prototype> kept = prototype_of(result.ptr(), state);
    if (call.learn()) call.set_prototype(std::move(kept));
  }
  return result;
}

nb::object run(const CompiledObject* self, const Call& call, PyObject* body) {
  return (*self->state)->replay ? run_replayed(self, call, body) : run_body(self, call, body);
}

/// The call of a NumPy program: with our arrays inside, and NumPy's outside.
nb::object run_numpys(const CompiledObject* self, const Call& call) {
  const NumpyProgram& program = *self->numpys;
  const nb::object body = nb::borrow(program.twin());  // a name that changes makes another one
  NumpyBorder border(program);
  const std::vector<PyObject*> args = border.enter(call.args, call.count());
  return border.run([&] {
    return run(self, {args.data(), call.flagged & ~PY_VECTORCALL_ARGUMENTS_OFFSET, call.names}, body.ptr());
  });
}

/// Is it a call of a NumPy program, with arrays of NumPy's or none at all?
bool is_numpys_call(CompiledObject* self, const Call& call) {
  const Py_ssize_t count = call.count();
  if ((count > 0 && is_array(call.args[0])) || !self->function) [[likely]]
    return false;
  if (self->numpys && self->numpys->style() == NumpyProgram::Style::ours) return false;
  const Brought brought = look_at(call.args, count);
  if (brought.ours || (*self->state)->passes_through()) return false;
  if (!self->numpys) self->numpys = new NumpyProgram;
  self->numpys->refresh(self->function);
  const NumpyProgram::Style style = self->numpys->style();
  return style == NumpyProgram::Style::numpy || (style == NumpyProgram::Style::neither && brought.numpys);
}

/// What a compiled function runs where a NumPy program calls it: its twin, as a part of that program.
PyObject* body_in_numpy_program(CompiledObject* self) {
  if (!self->function || (*self->state)->passes_through()) return self->function;
  if (!self->numpys) self->numpys = new NumpyProgram;
  self->numpys->refresh(self->function);
  return self->numpys->style() == NumpyProgram::Style::numpy ? self->numpys->twin() : self->function;
}

PyObject* vector_call(PyObject* callable, PyObject* const* args, std::size_t flagged, PyObject* names) {
  return guarded([&]() -> PyObject* {
    CompiledObject* self = self_of(callable);
    nb::object alive = nb::borrow(callable);
    const Call call{args, flagged, names};
    if (numpy_programs_open > 0) [[unlikely]] {
      const nb::object body = nb::borrow(body_in_numpy_program(self));
      return run(self, call, body.ptr()).release().ptr();
    }
    if (is_numpys_call(self, call)) return run_numpys(self, call).release().ptr();
    return run(self, call, self->function).release().ptr();
  });
}

// ---- the type ----

int traverse(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(self_of(o)->function);
  Py_VISIT(self_of(o)->options);
  Py_VISIT(self_of(o)->dict);
  int result = 0;
  if (self_of(o)->backend) (*self_of(o)->backend)->visit(visit, arg, result);
  if (self_of(o)->numpys) self_of(o)->numpys->visit(visit, arg, result);
  return result;
}
int clear(PyObject* o) {
  Py_CLEAR(self_of(o)->function);
  Py_CLEAR(self_of(o)->options);
  Py_CLEAR(self_of(o)->dict);
  if (self_of(o)->backend) (*self_of(o)->backend)->clear();
  if (self_of(o)->numpys) self_of(o)->numpys->clear();
  return 0;
}
void dealloc(PyObject* o) {
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (self_of(o)->weak_references) PyObject_ClearWeakRefs(o);
  clear(o);
  delete self_of(o)->state;
  delete self_of(o)->backend;
  delete self_of(o)->numpys;
  type->tp_free(o);
  Py_DECREF(type);
}
PyObject* repr(PyObject* o) { return PyUnicode_FromFormat("<numjit.compile of %R>", self_of(o)->function); }

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledObject, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CompiledObject, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(CompiledObject, weak_references), READONLY, nullptr},
    {"function", T_OBJECT, offsetof(CompiledObject, function), READONLY, "The Python function."},
    {"_options", T_OBJECT, offsetof(CompiledObject, options), READONLY, nullptr},
    {},
};
PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {},
};
PyType_Slot slots[] = {
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(repr)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_descr_get, reinterpret_cast<void*>(method_of)},
    {Py_tp_members, members},
    {Py_tp_getset, attributes},
    {0, nullptr},
};
PyType_Spec spec = {"numjit.CompiledFunction", sizeof(CompiledObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

// ---- backends written in Python ----

/// One run of a graph, as a function in Python sees it, which may keep it when the run is over: then it is null.
struct GraphCall {
  std::shared_ptr<graph_call*> call;

  graph_call& now() const {
    if (!*call) throw ValueError("compile", "the run of the graph is over: a call can't be kept for later.");
    return **call;
  }
  void set_output(std::size_t i, array a) const {
    if (i >= now().outputs.size())
      throw IndexError("compile",
                       "the graph has no output " + std::to_string(i) + ": it has " + std::to_string(now().outputs.size()) + ".");
    now().outputs[i] = std::move(a);
  }
};

// A place for a runner among those of the backend, given back when C++ drops it.
std::shared_ptr<std::size_t> keep_runner(const std::shared_ptr<PythonBackend>& backend, nb::object runner) {
  auto& runners = backend->runners;
  std::size_t at = static_cast<std::size_t>(std::find(runners.begin(), runners.end(), nullptr) - runners.begin());
  if (at == runners.size()) runners.push_back(nullptr);
  runners[at] = runner.release().ptr();
  return {new std::size_t(at), [backend](std::size_t* place) {
            if (Py_IsInitialized()) {
              const Locked gil;
              Py_CLEAR(backend->runners[*place]);
            }
            delete place;
          }};
}

backend python_backend(const std::shared_ptr<PythonBackend>& parts) {
  return backend_function([parts](const graph::Graph& g) -> graph_runner {
    const Locked gil;
    const auto place = keep_runner(parts, nb::handle(parts->function)(graph::to_text(g)));
    return [parts, place](graph_call& call) {
      const Locked again;
      const GraphCall given{std::make_shared<graph_call*>(&call)};
      struct End {
        const GraphCall& given;
        ~End() { *given.call = nullptr; }
      } const end{given};
      nb::borrow(parts->runners[*place])(nb::cast(given));
    };
  });
}

nb::object make_compiled(nb::object function, nb::object backend_option, bool fullgraph, Any dynamic_option,
                         const std::string& mode_option, const std::string& name, int verify_replay, bool disable,
                         Any float_mode_option, nb::object args, nb::dict given) {
  if (!PyCallable_Check(function.ptr())) throw TypeError("compile", "expected a function.");
  std::shared_ptr<PythonBackend> parts;
  compile_options o;
  o.fullgraph = fullgraph;
  if (!dynamic_option.is_none()) o.dynamic = nb::cast<bool>(dynamic_option) ? dynamic::yes : dynamic::no;
  if (PyUnicode_Check(backend_option.ptr())) o.backend = nb::cast<std::string>(backend_option);
  else {
    parts = std::make_shared<PythonBackend>();
    o.backend = python_backend(parts);
  }
  if (mode_option != "rerun" && mode_option != "replay")
    throw ValueError("compile", "unknown mode: got '" + mode_option + "', expected 'rerun' or 'replay'.");
  o.mode = mode_option == "replay" ? mode::replay : mode::rerun;
  o.name = name;
  o.verify_replay = verify_replay;
  o.disable = disable;
  if (PyCallable_Check(args.ptr())) args = parameter_names(function.ptr(), args.ptr());
  o.args = nb::cast<std::vector<std::string>>(args);
  if (!float_mode_option.is_none()) {
    const std::string text = nb::cast<std::string>(float_mode_option);
    if (text != "exact" && text != "fast")
      throw ValueError("compile", "unknown float_mode: got '" + text + "', expected 'exact' or 'fast'.");
    o.float_mode = text == "fast" ? float_mode::fast : float_mode::exact;
  }
  auto state = state_of_callable(function.ptr(), o);
  PyObject* made = compiled_type->tp_alloc(compiled_type, 0);
  if (!made) throw ErrorSet();
  self_of(made)->call = vector_call;
  self_of(made)->function = function.release().ptr();
  self_of(made)->options = given.release().ptr();
  if (parts) {
    parts->function = backend_option.release().ptr();
    self_of(made)->backend = new std::shared_ptr<PythonBackend>(std::move(parts));
  }
  self_of(made)->state = new std::shared_ptr<tracing::FunctionState>(std::move(state));
  return nb::steal(made);
}

/// Kernels that a value read starts run without the GIL.
void (*materialize_before)(node*, const char*, const location&) = nullptr;
void materialize(node* n, const char* why, const location& where) {
  if (!PyGILState_Check()) return materialize_before(n, why, where);
  {
    const Running running(true);
    materialize_before(n, why, where);
  }
  settle_scalars();
}

}  // namespace

PyObject* function_of_compiled(PyObject* compiled) { return self_of(compiled)->function; }

void define_compile(Module& m) {
  watch_errors();
  compiled_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!compiled_type) nb::raise_python_error();
  m.attr("CompiledFunction") = nb::borrow(reinterpret_cast<PyObject*>(compiled_type));
  m.def("compile", make_compiled);
  m.def("explain", [](nb::object compiled, bool wait, nb::args args, nb::kwargs kwargs) {
    tracing::Explaining explaining((*self_of(compiled.ptr())->state)->name, explain_options{.wait = wait});
    nb::object result = compiled(*args, **kwargs);
    const explain_report report = explaining.report();
    return nb::make_tuple(detail::dotted(report.json()), detail::dotted(report.str()));
  });
  m.def("report_page", [](const std::string& json, bool code) { return tracing::report_page(json, code); });
  m.def("_numpy_program", [](nb::object compiled) {
    const NumpyProgram* program = self_of(compiled.ptr())->numpys;
    return program && program->program() ? nb::borrow(program->program()) : nb::none();
  });
  nb::class_<GraphCall>(m, "GraphCall")
      .def_prop_ro("inputs", [](const GraphCall& c) { return give_list(c.now().inputs); })
      .def_prop_ro("output_count", [](const GraphCall& c) { return c.now().outputs.size(); })
      .def("set_output", [](const GraphCall& c, std::size_t i, nb::handle a) { c.set_output(i, to_array(a.ptr())); })
      .def("run_op_by_op", [](const GraphCall& c) { c.now().run_op_by_op(); });
  materialize_before = detail::read_hooks.materialize;
  if (materialize_before) detail::read_hooks.materialize = materialize;
  install_turns();
  transform::backward_regions.run = run_backward;
}

}  // namespace numjit::py
