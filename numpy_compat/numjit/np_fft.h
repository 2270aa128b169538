// np::fft: NumPy's discrete Fourier transforms, of any length, along any axes.
//
//   np::fft::fft(x);  np::fft::rfft(x, {.n = 256, .axis = 0, .norm = "ortho"});
//   np::fft::fft2(x);  np::fft::irfftn(y, {.s = {8, 7}, .axes = {0, 1}});
//
// float32 and complex64 give complex64, everything else complex128. The same bits on every machine. In
// compiled functions a transform is part of the graph. Errors: ValueError in NumPy's words ("Invalid number
// of FFT data points (0) specified.", "Invalid norm value ..."), IndexError for an axis.
#pragma once

#include <numjit/np_options.h>

namespace numjit::fft {

/// n: length of the axis, which is cut or filled with zeros; for irfft and hfft the length of the result.
struct options {
  std::optional<std::int64_t> n{};
  std::int64_t axis = -1;
  const char* norm = "backward";  // or "ortho", "forward"
  array out{};
};
array fft(const operand& a, const options& o = {});
array ifft(const operand& a, const options& o = {});
/// Of real numbers: the n/2 + 1 first results, the others are their conjugates.
array rfft(const operand& a, const options& o = {});
array irfft(const operand& a, const options& o = {});
/// Of a signal that is its own conjugate backwards: a real spectrum.
array hfft(const operand& a, const options& o = {});
array ihfft(const operand& a, const options& o = {});

/// An optional list: `{.s = {8, 8}}`.
class optional_list {
 public:
  optional_list() = default;
  optional_list(std::initializer_list<std::int64_t> values) : values_(values), given_(true) {}
  optional_list(const dims& values) : values_(values), given_(true) {}
  explicit operator bool() const { return given_; }
  const dims& operator*() const { return values_; }

 private:
  dims values_;
  bool given_ = false;
};
/// s: lengths of the axes; axes: all, or the last as many as s has.
struct many_options {
  optional_list s{};
  optional_list axes{};
  const char* norm = "backward";
  array out{};
};
array fftn(const operand& a, const many_options& o = {});
array ifftn(const operand& a, const many_options& o = {});
array rfftn(const operand& a, const many_options& o = {});
array irfftn(const operand& a, const many_options& o = {});
/// The same over the last two axes unless others are given.
array fft2(const operand& a, const many_options& o = {});
array ifft2(const operand& a, const many_options& o = {});
array rfft2(const operand& a, const many_options& o = {});
array irfft2(const operand& a, const many_options& o = {});

/// Frequencies of the n results of a transform of samples d apart; rfftfreq: of rfft's. ZeroDivisionError where n or d is 0.
array fftfreq(std::int64_t n, double d = 1.0, location where = location::here());
array rfftfreq(std::int64_t n, double d = 1.0, location where = location::here());
/// Frequency 0 into the middle of all axes, or of those given; and back.
struct shift_options {
  axis_list axes{};
};
array fftshift(const operand& x, const shift_options& options);
array ifftshift(const operand& x, const shift_options& options);
template <class A = axis_list>
array fftshift(const operand& x, beside_options<A> axes = {}) { return fftshift(x, shift_options{axes}); }
template <class A = axis_list>
array ifftshift(const operand& x, beside_options<A> axes = {}) { return ifftshift(x, shift_options{axes}); }

}  // namespace numjit::fft
