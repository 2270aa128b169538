// Composites of numpy_compat for the Python layer: parts of numbers.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "module.h"

namespace numjit::py {

namespace {

nb::object pair_of(std::pair<array, array> p) {
  return nb::make_tuple(give_result(std::move(p.first)), give_result(std::move(p.second)));
}

void define_numbers(Module& m) {
  m.def("modf", [](Any x) { return pair_of(modf(Argument(x.ptr()))); });
  m.def("frexp", [](Any x) { return pair_of(frexp(Argument(x.ptr()))); });
  m.def("ldexp", [](Any x, Any n) {
    const Argument value(x.ptr()), power(n.ptr());
    power.refuse_huge('i');
    if (!value.is_huge() || !power.get().is_array() || power.as_array().dtype() == numjit::bool_)
      return give_result(ldexp(value, power));
    const array narrow = full({}, value, {.dtype = float16});  // as all whole numbers beside integers
    return give_result(ldexp(operand_of(narrow), power));
  });
  m.def("poly1d_text",
        [](Any c, const std::string& variable) { return poly1d(Argument(c.ptr()), {.r = false, .variable = variable}).str(); });
  m.def("spacing", [](Any x) { return give_result(spacing(Argument(x.ptr()))); });
}

void define_indices(Module& m) {
  m.def("sliding_windows",
        [](Any a, Any shape) { return give(lib::sliding_window_view(Argument(a.ptr()), to_dims(shape.ptr()))); });
}

void define_places(Module& m) {
  m.def("asarray_chkfinite", [](Any h) {
    const array a = to_array(h.ptr()), checked = asarray_chkfinite(operand_of(a));
    return checked.get() == a.get() ? nb::borrow(h) : give(checked);
  });
  m.def("stack", [](Any arrays, std::int64_t axis) { return give(stack(to_array_list(arrays.ptr()), {.axis = axis}, {})); });
}

}  // namespace

void define_composites(Module& m) {
  define_places(m);
  define_numbers(m);
  define_indices(m);
}

}  // namespace numjit::py
