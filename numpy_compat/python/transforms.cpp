// Derivatives: one call of a function under a level, which Python runs (numjit/_transforms.py).
#include <optional>
#include <set>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numjit/transform/calls.h>
#include <numjit/transform/check_grads.h>
#include <numjit/transform/custom.h>
#include <numjit/transform/vmap.h>

#include "module.h"
#include "numpy_program.h"
#include "scalars.h"

namespace numjit::py {

namespace {

/// Names of transforms outlive their levels.
const char* kept_name(const std::string& name) {
  static auto& names = *new std::set<std::string>;
  return names.insert(name).first->c_str();
}

/// The arrays of a list of array objects.
std::vector<array> arrays_of(const nb::list& objects) {
  std::vector<array> arrays;
  for (nb::handle o : objects) arrays.push_back(is_array(o.ptr()) ? array_of(o.ptr()) : to_array(o.ptr()));
  return arrays;
}
/// Arrays as objects: scalars where those of the list beside are.
nb::list give_like(std::vector<array> arrays, const nb::list& like) {
  if (take_warning()) throw nb::python_error();
  nb::list given;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const bool scalar = is_scalar(nb::handle(like[i]).ptr());
    given.append(nb::steal(wrap(std::move(arrays[i]), scalar)));
  }
  return given;
}
std::vector<array*> pointers_to(std::vector<array>& arrays) {
  std::vector<array*> pointers;
  for (array& a : arrays) pointers.push_back(&a);
  return pointers;
}
transform::LeafName leaf_names(nb::callable name) {
  return [name = std::move(name)](std::size_t number) { return nb::cast<std::string>(name(number)); };
}

/// A level that has to be closed where it was opened, whatever holds this object.
template <class Call>
class Held {
 public:
  explicit Held(const std::string& name) : call_(std::make_unique<Call>(kept_name(name))) {}
  Call& operator*() const {
    if (!call_) throw ValueError("transform", "the call is over.");
    return *call_;
  }
  void close() {
    call_.reset();
    settle_scalars();
  }

 private:
  std::unique_ptr<Call> call_;
};
/// np::checkpoint, from its making to close().
struct OpenCheckpoint {
  std::unique_ptr<transform::Checkpoint> scope = std::make_unique<transform::Checkpoint>();
};

using Reverse = Held<transform::ReverseCall>;
using Forward = Held<transform::ForwardCall>;

/// A call under vmap: arrays by their place, axes as int or None.
class Batch {
 public:
  Batch(std::optional<std::int64_t> axis_size, const std::string& randomness) : call_(axis_size, randomness) {}
  void add(int argument, nb::handle leaf, std::optional<int> axis) {
    leaves_.push_back(std::make_unique<array>(arrays_of(nb::list(nb::make_tuple(leaf)))[0]));
    call_.add(argument, *leaves_.back(), axis_of(axis));
  }
  nb::list begin() {
    call_.begin();
    nb::list given;
    for (const auto& leaf : leaves_) given.append(give(*leaf));
    return given;
  }
  nb::list finish(const nb::list& results, const std::vector<std::optional<int>>& axes) {
    std::vector<array> arrays = arrays_of(results);
    std::vector<batch_axis> places;
    for (const std::optional<int>& axis : axes) places.push_back(axis_of(axis));
    call_.finish(pointers_to(arrays), places);
    settle_scalars();
    nb::list given;
    for (array& a : arrays) given.append(give(std::move(a)));
    return given;
  }
  void close() {
    call_.close();
    settle_scalars();
  }

 private:
  static batch_axis axis_of(std::optional<int> axis) { return axis ? batch_axis(*axis) : batch_axis(std::nullopt); }
  transform::BatchCall call_;
  std::vector<std::unique_ptr<array>> leaves_;
};

/// A function with a derivative of its own, at the innermost level.
class Custom {
 public:
  Custom(const nb::list& inputs, bool every_batch) {
    std::vector<array> arrays = arrays_of(inputs);
    call_.emplace(pointers_to(arrays), every_batch);
  }
  const transform::CustomCall& call() const { return *call_; }
  nb::tuple stacks() const {
    std::vector<std::optional<int>> axes;
    const nb::object given = give_list(call_->stacks(axes));
    return nb::make_tuple(given, axes, call_->batch_size());
  }
  nb::object examples(const nb::list& stacks) const {
    std::vector<array> arrays = arrays_of(stacks);
    call_->give_examples(pointers_to(arrays));
    return give_list(arrays);
  }
  void begin_below() { below_.emplace(*call_); }
  void end_below() { below_.reset(); }
  /// `back` gets the cotangents and the arrays that are kept.
  nb::list note(const nb::list& results, nb::callable back, nb::object forward, const nb::list& kept) {
    std::vector<array> arrays = arrays_of(results);
    const auto arrays_kept = std::make_shared<std::vector<array>>(arrays_of(kept));
    transform::CustomRule rule{through(std::move(back), arrays_kept), nullptr, arrays_kept};
    if (!forward.is_none()) rule.forward = through(nb::cast<nb::callable>(forward), nullptr);
    call_->note(pointers_to(arrays), std::move(rule));
    return give_like(std::move(arrays), results);
  }
  nb::list note_changes(const nb::list& results, const nb::list& changes) {
    std::vector<array> arrays = arrays_of(results);
    call_->note_changes(pointers_to(arrays), arrays_of(changes));
    return give_like(std::move(arrays), results);
  }

 private:
  /// A function of lists of arrays, None for those that are not there.
  static std::function<std::vector<array>(const std::vector<array>&)> through(nb::callable function,
                                                                              std::shared_ptr<std::vector<array>> kept) {
    const auto held = std::make_shared<nb::callable>(std::move(function));
    return [held, kept](const std::vector<array>& arrays) {
      nb::list given;
      for (const array& a : arrays) given.append(a.empty_handle() ? nb::none() : nb::object(give(a)));
      std::vector<array> made;
      for (nb::handle o : nb::list(kept ? (*held)(given, give_list(*kept)) : (*held)(given)))
        made.push_back(o.is_none() ? array() : arrays_of(nb::list(nb::make_tuple(o)))[0]);
      return made;
    };
  }
  std::optional<transform::CustomCall> call_;
  std::optional<transform::CustomCall::Below> below_;
};

/// A function written for NumPy: arguments go in as our arrays, results come out as NumPy's.
class Program {
 public:
  explicit Program(nb::object function) : function_(std::move(function)) {}
  /// Is a call with these arguments one of a NumPy program?
  bool is_called(const nb::tuple& args) {
    std::vector<PyObject*> given;
    for (nb::handle o : args) given.push_back(o.ptr());
    const Brought brought = look_at(given.data(), static_cast<Py_ssize_t>(given.size()));
    if (brought.ours || numpy_programs_open > 0) return false;
    program_.refresh(function_.ptr());
    return program_.style() == NumpyProgram::Style::numpy || (program_.style() == NumpyProgram::Style::neither && brought.numpys);
  }
  /// The function, or its twin where it is written for NumPy: with arrays of ours NumPy's own creation functions would lose them.
  nb::object body() {
    if (numpy_programs_open == 0 && !names_numpy(function_.ptr())) return function_;
    program_.refresh(function_.ptr());
    return program_.style() == NumpyProgram::Style::numpy ? nb::borrow(program_.twin()) : function_;
  }
  /// run(twin, *args) with our arrays.
  nb::object call(const nb::callable& run, const nb::tuple& args) {
    std::vector<PyObject*> given;
    for (nb::handle o : args) given.push_back(o.ptr());
    const nb::object body = nb::borrow(program_.twin());
    NumpyBorder border(program_);
    std::vector<PyObject*> own = border.enter(given.data(), static_cast<Py_ssize_t>(given.size()));
    own.insert(own.begin(), body.ptr());
    return border.run([&] {
      nb::object result = nb::steal(PyObject_Vectorcall(run.ptr(), own.data(), own.size(), nullptr));
      if (!result.is_valid()) throw ErrorSet();
      return result;
    });
  }

 private:
  nb::object function_;
  NumpyProgram program_;
};

/// The numbers of the arguments that argnums names, where those are arrays: nothing where Python has to look closer.
std::vector<std::size_t> plain_arguments(nb::handle argnums, const nb::tuple& args) {
  const bool one = PyLong_CheckExact(argnums.ptr());
  if (!one && !PyTuple_CheckExact(argnums.ptr())) return {};
  const nb::tuple given = one ? nb::make_tuple(argnums) : nb::borrow<nb::tuple>(argnums);
  const auto count = static_cast<Py_ssize_t>(args.size());
  std::vector<std::size_t> numbers;
  for (nb::handle o : given) {
    if (!PyLong_CheckExact(o.ptr())) return {};
    Py_ssize_t number = PyLong_AsSsize_t(o.ptr());
    if (number == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      return {};
    }
    if (number < 0) number += count;
    if (number < 0 || number >= count || !is_array(args[static_cast<std::size_t>(number)].ptr())) return {};
    numbers.push_back(static_cast<std::size_t>(number));
  }
  return numbers;
}

/// value_and_grad of a function of arrays without trees and keywords: (result, gradients), and the result alone where it is no
/// array. None: the call is not of this kind, nothing happened.
nb::object plain_gradients(const std::string& name, nb::handle function, nb::handle argnums, const nb::tuple& args) {
  const std::vector<std::size_t> numbers = plain_arguments(argnums, args);
  if (numbers.empty()) return nb::none();
  nb::list leaves;
  std::vector<nb::object> own;
  for (nb::handle o : args) own.push_back(nb::borrow(o));
  const SettledScalars settled;  // when the level is closed
  Reverse held(name);
  for (const std::size_t number : numbers) {
    leaves.append(args[number]);
    array leaf = array_of(nb::handle(args[number]).ptr());
    array* const leaf_pointer = &leaf;
    (*held).activate(static_cast<int>(number), {&leaf_pointer, 1}, [](std::size_t) { return std::string(); });
    own[number] = nb::steal(wrap(std::move(leaf), is_scalar(nb::handle(args[number]).ptr())));
  }
  std::vector<PyObject*> pointers;
  for (const nb::object& o : own) pointers.push_back(o.ptr());
  const nb::object result = nb::steal(PyObject_Vectorcall(function.ptr(), pointers.data(), pointers.size(), nullptr));
  if (!result.is_valid()) throw nb::python_error();
  if (!is_array(result.ptr())) return nb::make_tuple(result);
  array value = array_of(result.ptr());
  array* const value_pointer = &value;
  (*held).finish({&value_pointer, 1});
  settle_scalars();
  return nb::make_tuple(result, give_like((*held).gradients(value), leaves));
}

}  // namespace

void define_transforms(Module& m) {
  nb::class_<Reverse>(m, "ReverseCall")
      .def(nb::init<const std::string&>())
      .def("activate",
           [](const Reverse& r, int argument, const nb::list& leaves, nb::callable name) {
             std::vector<array> arrays = arrays_of(leaves);
             const std::vector<array*> pointers = pointers_to(arrays);
             (*r).activate(argument, pointers, leaf_names(std::move(name)));
             return give_like(std::move(arrays), leaves);
           })
      .def("finish",
           [](const Reverse& r, const nb::list& results) {
             std::vector<array> arrays = arrays_of(results);
             const std::vector<array*> pointers = pointers_to(arrays);
             (*r).finish(pointers);
             settle_scalars();
           })
      .def("gradients",
           [](const Reverse& r, nb::handle result, const nb::list& leaves) {
             return give_like((*r).gradients(arrays_of(nb::list(nb::make_tuple(result)))[0]), leaves);
           })
      .def("pull",
           [](const Reverse& r, const nb::list& cotangents, const nb::list& leaves) {
             const std::vector<array> given = arrays_of(cotangents);
             return give_like((*r).pull(given), leaves);
           })
      .def("push",
           [](const Reverse& r, const nb::list& changes, const nb::list& results) {
             const std::vector<array> given = arrays_of(changes), like = arrays_of(results);
             std::vector<array> made = (*r).push(given);
             for (std::size_t i = 0; i < made.size(); ++i)
               if (made[i].empty_handle()) made[i] = transform::zeros_like(like[i]);
             return give_like(std::move(made), results);
           })
      .def("own_values", [](const Reverse& r) { (*r).own_values(); })
      .def("jacobian",
           [](const Reverse& r, const std::string& mode, const nb::list& results, std::size_t which, const nb::list& leaves) {
             const std::vector<array> given = arrays_of(results), arrays = arrays_of(leaves);
             const auto how = mode == "rows"      ? transform::JacobianMode::rows
                              : mode == "columns" ? transform::JacobianMode::columns
                                                  : transform::JacobianMode::either;
             return give_list(transform::jacobian(*r, how, given, which, arrays));
           })
      .def("close", &Reverse::close);
  nb::class_<Forward>(m, "ForwardCall")
      .def(nb::init<const std::string&>())
      .def("activate",
           [](const Forward& f, int argument, const nb::list& leaves, const nb::list& changes, nb::callable name) {
             std::vector<array> arrays = arrays_of(leaves), given = arrays_of(changes);
             const std::vector<array*> pointers = pointers_to(arrays), of_changes = pointers_to(given);
             (*f).activate(argument, pointers, of_changes, leaf_names(std::move(name)));
             return give_like(std::move(arrays), leaves);
           })
      .def("finish",
           [](const Forward& f, const nb::list& results) {
             std::vector<array> arrays = arrays_of(results);
             const std::vector<array*> pointers = pointers_to(arrays);
             const std::vector<array> changes = (*f).finish(pointers);
             settle_scalars();
             return give_like(changes, results);
           })
      .def("close", &Forward::close);
  nb::class_<Batch>(m, "BatchCall")
      .def(nb::init<std::optional<std::int64_t>, const std::string&>(), nb::arg("axis_size").none(), nb::arg("randomness"))
      .def("add", &Batch::add, nb::arg("argument"), nb::arg("leaf"), nb::arg("axis").none())
      .def("begin", &Batch::begin)
      .def("finish", &Batch::finish)
      .def("close", &Batch::close);
  nb::class_<OpenCheckpoint>(m, "Checkpoint").def(nb::init<>()).def("close", [](OpenCheckpoint& c) { c.scope.reset(); });
  nb::class_<Custom>(m, "CustomCall")
      .def(nb::init<const nb::list&, bool>(), nb::arg("inputs"), nb::arg("every_batch") = false)
      .def_prop_ro("is_plain", [](const Custom& c) { return c.call().is_plain(); })
      .def_prop_ro("is_for_below", [](const Custom& c) { return c.call().is_for_below(); })
      .def_prop_ro("is_batched", [](const Custom& c) { return c.call().is_batched(); })
      .def("stacks", &Custom::stacks)
      .def("examples", &Custom::examples)
      .def_prop_ro("is_forward", [](const Custom& c) { return c.call().is_forward(); })
      .def("begin_below", &Custom::begin_below)
      .def("end_below", &Custom::end_below)
      .def("changes", [](const Custom& c) { return give_list(c.call().changes()); })
      .def("note", &Custom::note, nb::arg("results"), nb::arg("back"), nb::arg("forward").none(), nb::arg("kept"))
      .def("note_changes", &Custom::note_changes);
  nb::class_<Program>(m, "TransformedProgram")
      .def(nb::init<nb::object>())
      .def("is_called", &Program::is_called)
      .def("body", &Program::body)
      .def("call", &Program::call);
  m.def("check_real",
        [](const std::string& name, nb::handle leaf) { transform::check_real(name.c_str(), to_array(leaf.ptr())); });
  m.def("check_like", [](const std::string& name, const std::string& what, std::size_t number, nb::handle given, nb::handle like,
                         const std::string& of) {
    transform::check_like(kept_name(name), what.c_str(), number, to_array(given.ptr()), to_array(like.ptr()), of.c_str());
  });
  m.def(
      "is_followed", [](nb::handle x) { return is_array(x.ptr()) && detail::is_followed(array_of(x.ptr()).get()); },
      nb::arg("x").none());
  m.def(
      "refuse_followed",
      [](nb::handle x, const std::string& op, const std::string& what) {
        if (is_array(x.ptr())) detail::refuse_followed(array_of(x.ptr()).get(), op.c_str(), what.c_str());
      },
      nb::arg("x").none(), nb::arg("op"), nb::arg("what"));
  m.def("plain_gradients", &plain_gradients, nb::arg("name"), nb::arg("fun"), nb::arg("argnums"), nb::arg("args"));
  m.def("check_derivatives",
        [](nb::callable f, const nb::list& args, int order, bool forward, bool reverse, double step, double rtol, double atol) {
          const auto flat = [&](const std::vector<array>& given) { return arrays_of(nb::list(f(give_list(given)))); };
          transform::check_derivatives(flat, arrays_of(args), {order, forward, reverse, step, rtol, atol});
          settle_scalars();
        });
  m.def("levels_are_open", [] { return detail::levels_are_open(); });
  m.def("stop_gradient", [](nb::handle x) { return give(transform::stopped(to_array(x.ptr()))); });
}

}  // namespace numjit::py
