// Numbers that are parameters, as values of kernels. Internal to runtime.
#pragma once

#include <bit>

#include <numjit/ops/param_layout.h>
#include <numjit/runtime/plan/plan.h>

namespace numjit::runtime {

inline ScalarValue scalar_of(const layout::number& n) {
  ScalarValue v{n.is_integer()                       ? weak_kind::int_
                : n.kind == layout::number::complex_ ? weak_kind::complex_
                                                     : weak_kind::float_,
                n.kind == layout::number::above_int64, n.bits, 0, n.imag};
  if (!n.is_integer()) v.real = std::bit_cast<double>(n.bits);
  return v;
}

}  // namespace numjit::runtime
