// numpy.emath: the real ufuncs where they are defined, their complex counterparts beyond.
#include <numjit/np_emath.h>

#include <surface.h>

namespace numjit::emath {

namespace {

bool is_true_somewhere(const array& mask) { return any(mask).item<bool>(); }

/// As complex numbers if an element without imaginary part fulfils `outside`.
template <class Outside>
array widened(const operand& given, Outside outside) {
  const array x = detail::to_array(given);
  const bool is_complex = x.dtype().kind() == 'c';
  array beyond = outside(is_complex ? real(x) : x);
  if (is_complex) beyond = beyond & (imag(x) == 0);
  if (!is_true_somewhere(beyond)) return x;
  const numjit::dtype t = x.dtype();
  const bool narrow =
      t == float32 || t == complex64 || (t.kind() != 'f' && t.kind() != 'b' && t.kind() != 'c' && t.itemsize() < 4);
  return x.astype(narrow ? complex64 : complex128);
}
array where_negative(const operand& x) {
  return widened(x, [](const array& real) { return real < 0; });
}
array beyond_one(const operand& x) {
  return widened(x, [](const array& real) { return absolute(real) > 1; });
}

}  // namespace

#define NUMJIT_WIDENED(name, domain)       \
  array name(const operand& x) {           \
    const location_scope scope(x.where()); \
    return numjit::name(domain(x));        \
  }
NUMJIT_WIDENED(sqrt, where_negative)
NUMJIT_WIDENED(log, where_negative)
NUMJIT_WIDENED(log2, where_negative)
NUMJIT_WIDENED(log10, where_negative)
NUMJIT_WIDENED(arccos, beyond_one)
NUMJIT_WIDENED(arcsin, beyond_one)
NUMJIT_WIDENED(arctanh, beyond_one)
#undef NUMJIT_WIDENED
array logn(const operand& n, const operand& x) {
  const location_scope scope(x.where());
  return emath::log(x) / emath::log(n);
}
array power(const operand& x, const operand& p) {
  const location_scope scope(x.where());
  array exponent = detail::to_array(p);
  const char kind = exponent.dtype().kind();
  if (kind == 'i' && is_true_somewhere(exponent < 0)) exponent = exponent.astype(float64);
  return numjit::power(where_negative(x), exponent);
}

}  // namespace numjit::emath
