// power by a number that the program spells out: x^3, x^-1.5. Such powers are products and roots, a fraction of the
// work of the general power, which takes a logarithm and an exponential.
#pragma once

#include <numjit/ops/op.h>

namespace numjit {

struct op_call;

/// The op that computes `exponent`-th powers of complex and float arrays; power if none does. As NumPy, which takes
/// the root's special values here, not those of C's pow.
constexpr op_id short_power_op(double exponent) {
  if (exponent == 2) return op_id::square;
  if (exponent == -1) return op_id::reciprocal;
  return exponent == 0.5 ? op_id::sqrt : op_id::power;
}

/// The op that computes `exponent`-th powers of float arrays; power if none does.
constexpr op_id power_op(double exponent) {
  if (const op_id op = short_power_op(exponent); op != op_id::power) return op;
  const double twice_exponent = exponent + exponent;
#define UFUNC1(...)
#define POWER1(name, twice, ...) \
  if (twice_exponent == twice) return op_id::name;
#include <numjit/ops/all_rows.inc>
  return op_id::power;
}

/// Is it power by a fixed exponent?
constexpr bool is_fixed_power(op_id op) {
#define UFUNC1(...)
#define POWER1(name, ...) \
  if (op == op_id::name) return true;
#include <numjit/ops/all_rows.inc>
  return false;
}

/// What bind() makes of power(a, b): another op on `a` alone where `b` is a number known by its value, not an array,
/// and `a` is a float array (or any number's, for some); power otherwise. The same for eager calls and recorded
/// ones, since the bits may differ.
op_id op_of_power(const operand& a, const operand& b);
/// The same for a whole call. Where options or the place of the result could be wrong the call stays as it is, so
/// that errors are those of power.
op_id op_of_power(const op_call& call);

}  // namespace numjit
