// numjit.export_function and load_function: Python functions as bundles.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numjit/trace/export/export.h>

#include "module.h"
#include "watched.h"

namespace numjit::py {

namespace {

/// The leaves of arguments or results as C++ lists those of the same kind: arrays and, in arguments, the words of numbers.
/// Tuples and lists are taken apart.
void visit(PyObject* o, tracing::LeafList& list, bool results) {
  if (is_array(o)) {
    list.array(array_of(o));
  } else if (PyTuple_CheckExact(o) || PyList_CheckExact(o)) {
    const Level level;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) visit(PySequence_Fast_GET_ITEM(o, i), list, results);
  } else if (results && o == Py_None) {
    return;
  } else if (results) {
    throw TypeError("export_function", std::string("the result holds a '") + Py_TYPE(o)->tp_name +
                                           "', expected arrays only (return numbers as 0-D arrays).");
  } else if (PyBool_Check(o)) {
    list.value(o == Py_True);
  } else if (PyLong_CheckExact(o)) {
    list.value(static_cast<std::uint64_t>(to_int(o)));
  } else if (PyFloat_CheckExact(o)) {
    list.value(std::bit_cast<std::uint64_t>(PyFloat_AS_DOUBLE(o)));
  } else {
    throw TypeError("export_function", std::string("got an argument of type '") + Py_TYPE(o)->tp_name +
                                           "', expected arrays, numbers, and tuples and lists of these.");
  }
}

/// The same with array objects of its own, which an exporter may let name other arrays.
nb::object renewed(PyObject* o) {
  if (is_array(o)) return nb::steal(wrap_as(Py_TYPE(o), array_of(o)));
  if (!PyTuple_CheckExact(o) && !PyList_CheckExact(o)) return nb::borrow(o);
  const Level level;
  const nb::object items = items_now(o, "");
  nb::list made;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.ptr()); ++i)
    made.append(renewed(PySequence_Fast_GET_ITEM(items.ptr(), i)));
  return PyTuple_CheckExact(o) ? nb::object(nb::tuple(made)) : nb::object(made);
}

class PythonExample final : public tracing::Example {
 public:
  PythonExample(nb::object function, nb::tuple given) : function_(std::move(function)), given_(std::move(given)) {}
  void make_arguments() override {
    arguments.clear();
    made_ = renewed(given_.ptr());
    visit(made_.ptr(), arguments, false);
    hold_objects(arguments.arrays, held_);  // the body may take them out of their lists
  }
  void call(tracing::FunctionState& state) override {
    results.clear();
    after.clear();
    std::vector<const node*> nodes;
    for (const array* a : arguments.arrays) nodes.push_back(a->get());
    {
      note_border();
      tracing::Region region(state, {nodes.data(), nodes.size()});
      result_ = nb::steal(PyObject_CallObject(function_.ptr(), made_.ptr()));
      if (!result_.is_valid()) throw_failure(region);
      region.finish();
    }
    visit(result_.ptr(), results, true);
    visit(made_.ptr(), after, false);
  }

 private:
  nb::object function_, made_, result_;
  nb::tuple given_;
  std::vector<nb::object> held_;
};

}  // namespace

void define_export(Module& m) {
  m.def("export_function", [](nb::object function, nb::list examples, const std::string& path, std::vector<std::string> targets,
                              const std::string& name) {
    tracing::Examples list;
    for (nb::handle given : examples) list.push_back(std::make_unique<PythonExample>(function, nb::cast<nb::tuple>(given)));
    tracing::export_examples(list, path, {std::move(targets), name});
  });
  nb::class_<loaded_function>(m, "LoadedFunction")
      .def("__call__", [](const loaded_function& f, nb::args args) {
        tracing::LeafList leaves;
        visit(args.ptr(), leaves, false);
        std::vector<array> arrays;
        for (const array* a : leaves.arrays) arrays.push_back(*a);
        std::vector<array> results = f.run(arrays);
        return results.size() == 1 ? give(std::move(results[0])) : give_list(std::move(results));
      })
      .def_prop_ro("name", &loaded_function::name)
      .def_prop_ro("output_count", &loaded_function::output_count)
      .def("__str__", &loaded_function::str);
  m.def("load_function", &load_function);
}

}  // namespace numjit::py
