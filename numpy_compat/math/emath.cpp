// numpy.emath: the real ufuncs where they are defined, their complex counterparts beyond.
#include "checks.h"

#include <numjit/np_emath.h>

namespace numjit::emath {

using detail::at;
using detail::placed;

namespace {

bool is_true_somewhere(const placed& mask) {
  const array whole = any(mask);
  return detail::single_element(whole, mask.where()).i != 0;
}

/// As complex numbers if an element without imaginary part fulfils `outside`.
template <class Outside>
placed widened(const operand& given, Outside outside) {
  const placed x = detail::place(given);
  const bool is_complex = x->dtype().kind() == 'c';
  placed beyond = x.with(outside(is_complex ? x.with(real(x)) : x));
  if (is_complex) beyond = beyond & x.with(x.with(imag(x)) == at(0, x.where()));
  if (!is_true_somewhere(beyond)) return x;
  const numjit::dtype t = x->dtype();
  const bool narrow =
      t == float32 || t == complex64 || (t.kind() != 'f' && t.kind() != 'b' && t.kind() != 'c' && t.itemsize() < 4);
  return x.with(x->astype(narrow ? complex64 : complex128, x.where()));
}
placed where_negative(const operand& x) {
  return widened(x, [](const placed& real) { return real.with(real < at(0, real.where())); });
}
placed beyond_one(const operand& x) {
  return widened(x, [](const placed& real) { return real.with(real.with(absolute(real)) > at(1, real.where())); });
}

}  // namespace

array sqrt(const operand& x) { return numjit::sqrt(where_negative(x)); }
array log(const operand& x) { return numjit::log(where_negative(x)); }
array log2(const operand& x) { return numjit::log2(where_negative(x)); }
array log10(const operand& x) { return numjit::log10(where_negative(x)); }
array arccos(const operand& x) { return numjit::arccos(beyond_one(x)); }
array arcsin(const operand& x) { return numjit::arcsin(beyond_one(x)); }
array arctanh(const operand& x) { return numjit::arctanh(beyond_one(x)); }
array logn(const operand& n, const operand& x) { return divide(at(emath::log(x), x.where()), at(emath::log(n), x.where())); }
array power(const operand& x, const operand& p) {
  placed exponent = detail::place(p);
  const char kind = exponent->dtype().kind();
  if (kind == 'i' && is_true_somewhere(exponent.with(exponent < at(0, p.where()))))
    exponent = exponent.with(exponent->astype(float64, p.where()));
  return numjit::power(where_negative(x), exponent);
}

}  // namespace numjit::emath
