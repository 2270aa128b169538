// The rules of library routines, by their number.
#include <numjit/transform/routine_rules.h>

#include <numjit/ops/ufunc_routine.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

using detail::routine_id;

namespace {

bool adds(const op_params& p) {
  const auto op = detail::op_of_routine(p);
  return op == op_id::add || op == op_id::subtract;
}
/// Of add.at and subtract.at: the factor of the values.
double factor_of(const op_params& p) { return *detail::op_of_routine(p) == op_id::subtract ? -1 : 1; }

// The first input with the third added at the places of the second.
void adjoint_at(Adjoint& a) {
  a.give(0, a.g());
  if (!a.is_active(2)) return;
  const array taken = detail::call(op_id::take, {reshaped(a.g(), dims{-1}), a.array_value(1)}, layout::take_params(0));
  a.give(2, factor_of(a.p()) > 0 ? taken : bind_ufunc(op_id::negative, taken));
}
array tangent_at(const Tangent& t) {
  const array first = t.change_or_zeros(0);
  if (!t.changes(2)) return first;
  const operand in[] = {first, t.array_value(1), t.change(2)};
  return bind({op_id::routine, in, t.applied().params.get()});
}

RoutineRule rule_of_routine(const op_params& p) {
  switch (const auto id = static_cast<routine_id>(p[0])) {
    case routine_id::fft: return {0, &adjoint_fft, &tangent_fft};
    case routine_id::ufunc_at: return adds(p) ? RoutineRule{0b010, &adjoint_at, &tangent_at} : RoutineRule();
    default: return linalg_rule(id);
  }
}

}  // namespace

Rule::kind kind_of_routine(const op_params& p) { return rule_of_routine(p).adjoint ? Rule::kind::known : Rule::kind::unknown; }
std::uint8_t needs_of_routine(const op_params& p) { return rule_of_routine(p).needs; }

void adjoint_routine(Adjoint& a) { rule_of_routine(a.p()).adjoint(a); }
array tangent_routine(const Tangent& t) { return rule_of_routine(t.p()).tangent(t); }

}  // namespace numjit::transform
