// What steers compiled functions from Python: scopes, marks, black boxes, settings, logs, counters.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numjit/base/dotted.h>
#include <numjit/base/location_provider.h>
#include <numjit/trace/api/errstate.h>
#include <numjit/trace/api/profiler.h>
#include <numjit/trace/api/report.h>

#include "scopes.h"

namespace numjit::py {

std::atomic<bool> warning_is_error = false;

namespace {

location place() { return detail::recording ? detail::known_location({}) : location{}; }

// ---- settings by name ----

template <class T>
nb::object python_setting(detail::config_field field, const T& value) {
  if constexpr (std::is_enum_v<T>)
    return nb::cast(std::string(detail::config_choices(field)[static_cast<std::size_t>(value)]));
  else
    return nb::cast(value);
}

/// A value for a setting, in the setting's own type.
template <class T>
T setting_of(detail::config_field field, const std::string& name, nb::handle value) {
  if constexpr (std::is_enum_v<T>) {
    const auto text = setting_of<std::string>(field, name, value);
    const std::vector<std::string_view> choices = detail::config_choices(field);
    const auto found = std::find(choices.begin(), choices.end(), text);
    if (found != choices.end()) return static_cast<T>(found - choices.begin());
    std::string expected;
    for (std::size_t i = 0; i < choices.size(); ++i)
      fmt::format_to(std::back_inserter(expected), "{}'{}'", i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ", choices[i]);
    throw ValueError("config", fmt::format("{}: got '{}', expected {}.", name, text, expected));
  } else {
    T made{};
    if (nb::try_cast<T>(value, made)) return made;
    const std::string type = Py_TYPE(value.ptr())->tp_name;
    throw TypeError("config", name + ": got a value of type '" + type + "', which it does not take.");
  }
}

/// fn(field, member of settings, member of config_options) for the setting of a name.
template <class F>
auto with_setting(const std::string& name, F&& fn) {
#define SETTING(setting, ...) \
  if (name == #setting) return fn(detail::config_field::setting, &settings::setting, &config_options::setting);
#include <numjit/base/config.def>
#undef SETTING
  std::string names;
#define SETTING(setting, ...) names += names.empty() ? #setting : ", " #setting;
#include <numjit/base/config.def>
#undef SETTING
  throw ValueError("config", "unknown setting: got '" + name + "', expected one of " + names + ".");
}

nb::object get_setting(const std::string& name) {
  return with_setting(name, [](auto field, auto member, auto) { return python_setting(field, (config().*member).get()); });
}
void set_setting(const std::string& name, nb::object value) {
  with_setting(name, [&]<class T>(auto field, setting<T> settings::*member, auto) {
    config().*member = setting_of<T>(field, name, value);
  });
}
config_options options_of(nb::dict fields) {
  config_options o;
  for (auto [key, value] : fields) {
    const auto name = nb::cast<std::string>(key);
    with_setting(name, [&]<class T>(auto field, auto, std::optional<T> config_options::*member) {
      o.*member = setting_of<T>(field, name, value);
    });
  }
  return o;
}

/// What the places of operations in a code object say; of those without code (of C) nothing is known.
tracing::disabled_code disabled_code_of(const std::string& name, const nb::object& code) {
  if (!PyCode_Check(code.ptr())) return {name, "", ""};
  const location first = location_of_code(reinterpret_cast<PyCodeObject*>(code.ptr()));
  return {name, first.file, first.function};
}

/// A function of the module that makes a scope: `plan` gives what that opens, from the options.
ScopeObject* scope_object(ScopePlan plan) { return new ScopeObject(std::move(plan)); }

template <class Scope>
const Scope* open_scope(const ScopeObject& object) {
  const auto* opened = dynamic_cast<const OpenedAs<Scope>*>(object.kept());
  return opened ? &opened->scope : nullptr;
}

void define_scope_objects(Module& m) {
  Class<ScopeObject>(m, "Scope")
      .def("__enter__",
           [](nb::handle self) {
             nb::cast<ScopeObject&>(self).enter();
             return nb::borrow(self);
           })
      .def("__exit__", [](ScopeObject& self, nb::args) { self.exit(); })
      .def("is_set", [](const ScopeObject& self) { return self.is_set(); })
      .def("check",
           [](const ScopeObject& self) {
             if (const budget* open = open_scope<budget>(self)) open->check();
           })
      .def("json",
           [](const ScopeObject& self) {
             const profiler* open = open_scope<profiler>(self);
             return open ? detail::dotted(open->report().json()) : std::string();
           })
      .def("str",
           [](const ScopeObject& self) {
             const profiler* open = open_scope<profiler>(self);
             return open ? detail::dotted(open->report().str()) : std::string();
           })
      .def("seen", [](const ScopeObject& self) {
        const report_scope* open = open_scope<report_scope>(self);
        if (!open) return nb::make_tuple(std::string(), std::string());
        const explain_report seen = open->report();
        return nb::make_tuple(detail::dotted(seen.json()), detail::dotted(seen.str()));
      });
  m.def("ConfigScope",
        [](nb::dict fields) { return scope_object({[o = options_of(fields)] { return new OpenedAs<config_scope>(o); }}); });
  m.def("DisableScope", [](bool recursive, const std::string& reason) {
    return scope_object({[o = disable_options{recursive, reason}] {
                           const location at = place();
                           return new OpenedAs<disable_scope>(o, at.file, at.function, at.line);
                         },
                         !recursive});
  });
  // That of a call of a function.
  m.def("DisabledCallScope", [](bool recursive, const std::string& reason, const std::string& name, nb::object code) {
    return scope_object({[o = disable_options{recursive, reason}, c = disabled_code_of(name, code)] {
                           return new OpenedAs<disable_scope>(o, c, place());
                         },
                         !recursive});
  });
  m.def("DontSkipTracingScope", [] { return scope_object({[] { return new OpenedAs<dont_skip_tracing_scope>(); }, true}); });
  m.def("ErrorOnGraphBreakScope",
        [](bool on) { return scope_object({[on] { return new OpenedAs<error_on_graph_break_scope>(on); }}); });
  m.def("StanceScope", [](const std::string& name) {
    tracing::parse_stance("set_stance", name);
    return scope_object({[name] { return new OpenedAs<stance_scope>(name); }});
  });
  m.def("DeviceScope",
        [](const std::string& name) { return scope_object({[name] { return new OpenedAs<device>(name, place()); }}); });
  m.def("Budget", [](std::int64_t breaks, std::int64_t recompiles, double ms) {
    return scope_object({[=] { return new OpenedAs<budget>(budget_options{breaks, recompiles, ms}); }, true});
  });
  m.def("Profiler", [] { return scope_object({[] { return new OpenedAs<profiler>(); }, true}); });
  m.def("ReportScope", [] { return scope_object({[] { return new OpenedAs<report_scope>(); }, true}); });
}

// ---- floating-point errors ----

using Errors = std::array<std::string, 4>;  // divide, over, under, invalid; "": nothing is said of it
constexpr const char* error_kinds[] = {"divide", "over", "under", "invalid"};

PyObject* float_error_reaction = nullptr;  // a function of an error's text: has it dealt with it?

/// What np.errstate says of an error: in Python, or as a warning. Whether a Python exception is set now.
bool warn_of_float_error(const std::string& text) {
  if (float_error_reaction) {
    const nb::object done = nb::steal(PyObject_CallFunction(float_error_reaction, "s", text.c_str()));
    if (!done.is_valid()) return true;
    if (done.ptr() == Py_True) return false;
  }
  return PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0;
}

/// What the core does for a setting: of what is printed or handed on it warns, and the warning ends in Python.
bool is_for_python(const std::string& setting) { return setting == "call" || setting == "print" || setting == "log"; }

ScopePlan errstate_plan(Errors e) {
  for (std::string& setting : e)
    if (is_for_python(setting)) setting = "warn";
  return {[e] { return new OpenedAs<errstate>(errstate_options{"", e[0], e[1], e[2], e[3]}, place()); }};
}

nb::dict float_errors() {
  const Chain chain = current_chain();
  const tracing::FloatErrors now = tracing::float_errors_now();
  const tracing::Reaction reactions[] = {now.divide, now.over, now.under, now.invalid};
  nb::dict made;
  for (std::size_t i = 0; i < std::size(error_kinds); ++i) {
    constexpr const char* names[] = {"ignore", "warn", "raise"};
    made[error_kinds[i]] = names[static_cast<int>(reactions[i])];
    if (reactions[i] != tracing::Reaction::warn) continue;
    std::string said;  // by the innermost scope that says anything
    for (const auto& scope : chain)
      if ((scope->is_errstate || scope->is_seterr) && !scope->is_over() && !scope->errors[i].empty()) said = scope->errors[i];
    if (is_for_python(said)) made[error_kinds[i]] = said.c_str();
  }
  return made;
}

/// What seterr sets holds in the context until the errstate around it ends, as a scope within that.
void set_float_errors(const Errors& given) {
  Chain chain = current_chain();
  std::shared_ptr<PythonScope> owner;
  for (const auto& other : chain)
    if (other->is_errstate && !other->is_over()) owner = other;
  Errors all = given;
  std::erase_if(chain, [&](const auto& other) {
    if (!other->is_seterr || other->owner != owner) return false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].empty()) all[i] = other->errors[i];
    return true;
  });
  const bool as_ever =
      !owner && std::all_of(all.begin(), all.end(), [](const std::string& e) { return e.empty() || e == "ignore"; });
  if (!as_ever) {
    auto made = std::make_shared<PythonScope>(errstate_plan(all));
    made->owner = owner;
    made->errors = all;
    made->is_seterr = true;
    chain.push_back(std::move(made));
  }
  set_chain(std::move(chain));
}

void define_float_errors(Module& m) {
  m.def("ErrstateScope", [](const Errors& errors) {
    ScopeObject* made = scope_object(errstate_plan(errors));
    made->errors = errors;
    made->is_errstate = true;
    return made;
  });
  m.def("geterr", float_errors);
  m.def("set_float_error_reaction", [](nb::object function) { float_error_reaction = function.release().ptr(); });
  m.def("print_to_stderr", [](const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); });
  m.def("seterr", set_float_errors);
}

// ---- black boxes ----

nb::object spec_object(const array_spec& s) {
  nb::list shape;
  for (std::int64_t n : s.shape) shape.append(n);
  return nb::make_tuple(nb::tuple(shape), nb::borrow(dtype_object(s.dtype.id())));
}

/// The function of a black box and its rule.
struct BoxParts {
  PyObject *function = nullptr, *rule = nullptr;
  BoxParts() = default;
  BoxParts(const BoxParts&) = delete;
  BoxParts& operator=(const BoxParts&) = delete;
  void clear() {
    Py_CLEAR(function);
    Py_CLEAR(rule);
  }
  ~BoxParts() {
    if (!Py_IsInitialized()) return;
    const Locked gil;
    clear();
  }
};

/// A box as a Python object.
struct BlackBox {
  std::shared_ptr<BoxParts> parts;
  std::shared_ptr<const detail::black_box> box;
  std::vector<int> mutates = {};
};

// The function may well refer to the object that its box belongs to. While a segment that calls the box is pending, the
// recorder holds it as well, and there is no garbage.
int traverse_box(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  if (!nb::inst_ready(o)) return 0;
  const BlackBox& box = *nb::inst_ptr<BlackBox>(o);
  if (!box.parts || box.box.use_count() != 1) return 0;
  Py_VISIT(box.parts->function);
  Py_VISIT(box.parts->rule);
  return 0;
}
int clear_box(PyObject* o) {
  if (nb::inst_ready(o) && nb::inst_ptr<BlackBox>(o)->parts) nb::inst_ptr<BlackBox>(o)->parts->clear();
  return 0;
}
PyType_Slot box_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse_box)}, {Py_tp_clear, reinterpret_cast<void*>(clear_box)}, {0, nullptr}};

BlackBox make_black_box(nb::object function, nb::object rule, std::vector<int> mutates) {
  auto parts = std::make_shared<BoxParts>();
  parts->function = function.release().ptr();
  parts->rule = rule.release().ptr();
  auto box = detail::add_black_box({[parts](std::span<const array_spec> specs) -> array_spec {
                                      const Locked gil;
                                      nb::list list;
                                      for (const array_spec& s : specs) list.append(spec_object(s));
                                      nb::object given = nb::borrow(parts->rule)(*nb::tuple(list));
                                      nb::tuple pair = nb::cast<nb::tuple>(given);
                                      return {dtype(to_dtype(pair[1].ptr())), to_dims(pair[0].ptr())};
                                    },
                                    [parts](std::span<const array> arrays) -> array {
                                      const Locked gil;
                                      nb::list list;
                                      for (const array& a : arrays) list.append(give(a));
                                      return to_array(nb::borrow(parts->function)(*nb::tuple(list)).ptr());
                                    }});
  return {std::move(parts), std::move(box), std::move(mutates)};
}

nb::object call_black_box(const BlackBox& box, nb::args args) {
  std::deque<Argument> arguments;
  std::vector<operand> operands;
  for (nb::handle h : args) operands.push_back(arguments.emplace_back(h.ptr()).get());
  return give_result(tracing::call_black_box(*box.box, operands, box.mutates));
}

void define_controls(Module& m) {
  nb::class_<BlackBox>(m, "BlackBox", nb::type_slots(box_slots))
      .def(nb::new_([](nb::object function, nb::object rule, std::vector<int> mutates) {
        return make_black_box(std::move(function), std::move(rule), std::move(mutates));
      }))
      .def("__call__", call_black_box);
  m.def("graph_break", [](const std::string& message) {
    const location at = place();
    graph_break(message, at.file, at.function, at.line);
  });
  m.def("flush", [] {
    const location at = place();
    flush(at.file, at.function, at.line);
  });
  m.def("flush_for_constant", [] { tracing::flush_for_constant(place()); });
  m.def("constants_generation", [] { return tracing::constants_generation(); });
  m.def("call_eagerly", [](nb::handle function, nb::args args, nb::kwargs kwargs) {
    const detail::eager_on_thread eagerly;
    return function(*args, **kwargs);
  });
  m.def("is_compiling", [] { return is_compiling(); });
  m.def("is_recording", [] { return detail::recording; });  // for this package: is_compiling() is a question of the program's
  m.def("mark_static", [](Any a, int axis) { mark_static(checked_array(a.ptr()), axis); });
  m.def("mark_dynamic", [](Any a, int axis) { mark_dynamic(checked_array(a.ptr()), axis); });
  m.def("set_stance", [](const std::string& name) { set_stance(name); });
  m.def("disallow_in_graph", [](const std::string& name) { disallow_in_graph(name); });
  m.def("allow_in_graph", [](const std::string& name) { allow_in_graph(name); });
  m.def("reset", [] {
    if (detail::recording) return reset();
    const Unlocked unlocked;
    reset();
  });
  m.def("wait_for_compiles", [] {
    const Unlocked unlocked;
    wait_for_compiles();
  });
}

void define_reports(Module& m) {
  m.def("counters", [] {
    const counter_values v = counters();
    nb::dict d;
#define NUMJIT_COUNTER(name) d[#name] = v.name;
    NUMJIT_COUNTER(graphs)
    NUMJIT_COUNTER(breaks) NUMJIT_COUNTER(cuts) NUMJIT_COUNTER(recompiles) NUMJIT_COUNTER(kernels_compiled)
        NUMJIT_COUNTER(kernels_loaded) NUMJIT_COUNTER(eager_ops) NUMJIT_COUNTER(cache_hits) NUMJIT_COUNTER(quarantined)
            NUMJIT_COUNTER(new_paths)
#undef NUMJIT_COUNTER
                return d;
  });
  m.def("help", [](const std::string& topic) { return detail::dotted(help(topic)); });
  m.def("compile_times", [] { return compile_times().str(); });
  m.def("get_setting", get_setting);
  m.def("set_setting", set_setting);
  m.def("set_logs", [](nb::dict fields) {
    log_options o;
    for (auto [key, value] : fields) {
      const auto name = nb::cast<std::string>(key);
      const bool on = nb::cast<bool>(value);
#define NUMJIT_LOG(field) \
      if (name == #field) { o.field = on; continue; }
      NUMJIT_LOG(graph_breaks) NUMJIT_LOG(recompiles) NUMJIT_LOG(guards) NUMJIT_LOG(graph)
      NUMJIT_LOG(code) NUMJIT_LOG(schedule) NUMJIT_LOG(cache) NUMJIT_LOG(perf_hints)
#undef NUMJIT_LOG
      throw ValueError("set_logs", "unknown channel: got '" + name +
                                       "', expected one of graph_breaks, recompiles, guards, graph, code, schedule, cache, "
                                       "perf_hints.");
    }
    set_logs(o);
  });
  m.def("log_hint", [](const std::string& text) { detail::log(log_channel::perf_hints, text); });
  m.def("set_log_sink", [](Any sink) {
    PyObject* kept = Py_NewRef(sink.ptr());  // the old one is let go with its function
    auto shared = std::shared_ptr<PyObject>(kept, [](PyObject* o) {
      if (!Py_IsInitialized()) return;
      const Locked gil;
      Py_DECREF(o);
    });
    set_log_sink([shared](std::string_view given) {
      const Visit visit;
      if (!visit) return;
      const std::string text_of_python = detail::dotted(given);
      const std::string_view text = text_of_python;
      constexpr std::string_view mark = "RuntimeWarning: ";
      if (text.substr(0, mark.size()) == mark) {  // of np.errstate: Python's, and its error where warnings are errors
        std::string warning(text.substr(mark.size()));
        if (!warning.empty() && warning.back() == '\n') warning.pop_back();
        // A sink may not throw: the error waits for the end of the operation.
        if (!PyErr_Occurred() && warn_of_float_error(warning)) warning_is_error = true;
        return;
      }
      if (shared.get() == Py_None) {
        std::fwrite(text.data(), 1, text.size(), stderr);
        if (!text.empty() && text.back() != '\n') std::fputc('\n', stderr);
        return;
      }
      try {
        nb::handle(shared.get())(nb::str(text.data(), text.size()));
      } catch (nb::python_error& e) {
        e.discard_as_unraisable("numjit log sink");
      }
    });
  });
}

}  // namespace

void define_steering(Module& m) {
  define_scope_objects(m);
  define_float_errors(m);
  define_controls(m);
  define_reports(m);
}

}  // namespace numjit::py
