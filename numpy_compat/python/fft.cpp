// numjit.fft: transforms, for numjit/fft.py.
#include <nanobind/stl/string.h>

#include <numjit/np_fft.h>

#include "module.h"

namespace numjit::py {

namespace {

namespace f = numjit::fft;

f::optional_list list_of(const Any& values) {
  return values.is_none() ? f::optional_list() : f::optional_list(to_dims(values.ptr()));
}

/// The result, or `out` itself where one was given.
nb::object given(array result, const Any& out) {
  return out.is_none() ? give(std::move(result)) : nb::borrow(out);
}

template <array (*Transform)(const operand&, const f::options&)>
nb::object along_axis(Any h, Any n, std::int64_t axis, const std::string& norm, Any out) {
  Argument a(h.ptr());
  const f::options o{to_optional_int(n.ptr()), axis, norm.c_str(), opt_array(out)};
  array result;
  {
    MaybeUnlocked unlocked(8 * work_of(a));
    result = Transform(a, o);
  }
  return given(std::move(result), out);
}

template <array (*Transform)(const operand&, const f::many_options&)>
nb::object along_axes(Any h, Any s, Any axes, const std::string& norm, Any out) {
  Argument a(h.ptr());
  const f::many_options o{list_of(s), list_of(axes), norm.c_str(), opt_array(out)};
  array result;
  {
    MaybeUnlocked unlocked(8 * work_of(a));
    result = Transform(a, o);
  }
  return given(std::move(result), out);
}

}  // namespace

void define_fft(Module& top) {
  Module m(top.def_submodule("fft"));
  m.def("fft", along_axis<f::fft>);
  m.def("ifft", along_axis<f::ifft>);
  m.def("rfft", along_axis<f::rfft>);
  m.def("irfft", along_axis<f::irfft>);
  m.def("hfft", along_axis<f::hfft>);
  m.def("ihfft", along_axis<f::ihfft>);
  m.def("fftn", along_axes<f::fftn>);
  m.def("ifftn", along_axes<f::ifftn>);
  m.def("rfftn", along_axes<f::rfftn>);
  m.def("irfftn", along_axes<f::irfftn>);
  m.def("fftfreq", [](std::int64_t n, double d) { return give(f::fftfreq(n, d, {})); });
  m.def("rfftfreq", [](std::int64_t n, double d) { return give(f::rfftfreq(n, d, {})); });
  m.def("fftshift", [](Any a, Any axes) { return give(f::fftshift(Argument(a.ptr()), to_axes(axes.ptr()))); });
  m.def("ifftshift", [](Any a, Any axes) { return give(f::ifftshift(Argument(a.ptr()), to_axes(axes.ptr()))); });
}

}  // namespace numjit::py
