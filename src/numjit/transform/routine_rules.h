// The rules of library routines, by what they compute. Internal to transform.
#pragma once

#include <numjit/ops/routine.h>
#include <numjit/transform/rules.h>

namespace numjit::transform {

struct RoutineRule {
  std::uint8_t needs = 0;  // values, as Rule::needs
  void (*adjoint)(Adjoint&) = nullptr;
  array (*tangent)(const Tangent&) = nullptr;
};

/// Of a decomposition or a system; without functions for other routines.
RoutineRule linalg_rule(detail::routine_id id);
void adjoint_fft(Adjoint& a);
array tangent_fft(const Tangent& t);

}  // namespace numjit::transform
