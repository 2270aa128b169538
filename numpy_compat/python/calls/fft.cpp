// Discrete Fourier transforms, their frequencies and shifts.
#include <numjit/np_fft.h>

#include "call.h"

namespace numjit::py {

namespace {

namespace f = numjit::fft;

std::string norm_in(Any o) { return o.is_none() ? "backward" : nb::cast<std::string>(nb::str(o)); }

/// f(array) as another thread may run meanwhile; the result, or `out` itself where one was given.
template <class F>
nb::object transformed(const array& x, nb::handle out, F&& f) {
  array made;
  {
    MaybeUnlocked unlocked(8 * work_of(operand_of(x)));
    made = f(operand_of(x));
  }
  return out.is_none() ? give(std::move(made)) : nb::borrow(out);
}

template <array (*Transform)(const operand&, const f::options&)>
nb::object along_axis(const Given& a) {
  const array x = array_in(a[0]);
  const std::string norm = norm_in(a[3]);
  const nb::handle out = out_in(a, 4);
  const f::options o{a.optional_integer(1), a.integer(2), norm.c_str(), target_of_call(out)};
  return transformed(x, out, [&](const operand& each) { return Transform(each, o); });
}

/// s=: lengths along the axes; None and -1 are the length that there is, or what irfft takes for it along the last axis.
f::optional_list lengths_in(const Given& a, const array& x, const f::optional_list& axes, bool to_real) {
  if (a.is_none(1)) return {};
  const nb::object given = nb::steal(PySequence_List(a[1].ptr()));
  if (!given.is_valid()) throw ErrorSet();
  if (!axes)
    warn_deprecated(
        "`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0). In a future version of NumPy, this will "
        "raise "
        "an error and `s[i]` will correspond to the size along the transformed axis specified by `axes[i]`. To retain current "
        "behaviour, pass a sequence [0, ..., k-1] to `axes` for an array of dimension k.");
  dims lengths;
  bool is_whole = true;
  for (nb::handle n : given) {
    is_whole = is_whole && !n.is_none();
    lengths.push_back(n.is_none() ? -1 : to_int(n.ptr()));
  }
  if (!is_whole)
    warn_deprecated(
        "Passing an array containing `None` values to `s` is deprecated in NumPy 2.0 and will raise an error in a future version "
        "of NumPy. To use the default behaviour of the corresponding 1-D transform, pass the value matching the default for its "
        "`n` parameter. To use the default behaviour for every axis, the `s` argument can be omitted.");
  const bool has_axes = axes && !(*axes).empty();
  if (to_real && !lengths.empty() && nb::handle(PyList_GET_ITEM(given.ptr(), lengths.size() - 1)).is_none())
    lengths[lengths.size() - 1] = 2 * (x.shape(static_cast<int>(has_axes ? (*axes).back() : -1)) - 1);
  return lengths;
}

template <array (*Transform)(const operand&, const f::many_options&)>
nb::object along_axes(const Given& a, bool to_real = false) {
  const array x = array_in(a[0]);
  if (PyLong_Check(a[2].ptr())) throw TypeError("", not_iterable(a[2]));
  const f::optional_list axes = a.is_none(2) ? f::optional_list() : f::optional_list(a.shape(2));
  const std::string norm = norm_in(a[3]);
  const nb::handle out = out_in(a, 4);
  const f::many_options o{lengths_in(a, x, axes, to_real), axes, norm.c_str(), target_of_call(out)};
  return transformed(x, out, [&](const operand& each) { return Transform(each, o); });
}

/// The number of samples; NumPy's integers are some.
std::int64_t count_in(Any n) {
  const char kind = PyLong_Check(n.ptr()) ? 'i' : stands_for_number(n.ptr()) ? array_in(n).dtype().kind() : 'O';
  if (kind != 'i' && kind != 'u') throw ValueError("", "n should be an integer");
  return to_int(n.ptr());
}

/// On a device, and of the dtype that the array API has an argument for.
nb::object frequencies(const Given& a, array (*of)(std::int64_t, double, location)) {
  array made = of(count_in(a[0]), a.real(1), {});
  if (const optional_dtype type = type_in(a[3])) made = made.astype(*type, {});
  return on_device(give(std::move(made)), a[2]);
}

}  // namespace

#define ALONG_AXIS(name) \
  nb::object call_fft_##name(const Given& a) { return along_axis<f::name>(a); }
ALONG_AXIS(fft)
ALONG_AXIS(ifft)
ALONG_AXIS(rfft)
ALONG_AXIS(irfft)
ALONG_AXIS(hfft)
ALONG_AXIS(ihfft)
#undef ALONG_AXIS

// Those of two axes differ in the default of axes.
nb::object call_fft_fftn(const Given& a) { return along_axes<f::fftn>(a); }
nb::object call_fft_fft2(const Given& a) { return along_axes<f::fftn>(a); }
nb::object call_fft_ifftn(const Given& a) { return along_axes<f::ifftn>(a); }
nb::object call_fft_ifft2(const Given& a) { return along_axes<f::ifftn>(a); }
nb::object call_fft_rfftn(const Given& a) { return along_axes<f::rfftn>(a); }
nb::object call_fft_rfft2(const Given& a) { return along_axes<f::rfftn>(a); }
nb::object call_fft_irfftn(const Given& a) { return along_axes<f::irfftn>(a, true); }
nb::object call_fft_irfft2(const Given& a) { return along_axes<f::irfftn>(a, true); }

nb::object call_fft_fftfreq(const Given& a) { return frequencies(a, f::fftfreq); }
nb::object call_fft_rfftfreq(const Given& a) { return frequencies(a, f::rfftfreq); }
nb::object call_fft_fftshift(const Given& a) {
  const array x = array_in(a[0]);
  return give(f::fftshift(operand_of(x), f::shift_options{a.axes(1)}));
}
nb::object call_fft_ifftshift(const Given& a) {
  const array x = array_in(a[0]);
  return give(f::ifftshift(operand_of(x), f::shift_options{a.axes(1)}));
}

}  // namespace numjit::py
