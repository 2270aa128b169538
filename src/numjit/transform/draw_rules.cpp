// The rules of random draws: the numbers are functions of the parameters and of what the generator gave, which is constant.
#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/ops/random_draw.h>
#include <numjit/transform/routine_rules.h>
#include <numjit/transform/shapes.h>
#include <numjit/transform/unchecked.h>

namespace numjit::transform {

using words = layout::draw;

namespace {

/// fn(parameter, input) of each parameter that is an array.
template <class F>
void each_array(const op_params& p, F&& fn) {
  std::size_t input = 1;
  for (int k = 0; k < words::max_values; ++k)
    if (p[words::options] >> k & 1) fn(k, input++);
}

array slope_of(const Seen& draw, int parameter) {
  const auto number = [&](int k) { return operand(draw.p().real(words::values + k), "", "", 0); };
  operand parameters[] = {number(0), number(1), number(2)};
  each_array(draw.p(), [&](int k, std::size_t input) { parameters[k] = draw.value(input); });
  return detail::draws.slope(draw.p(), parameter, draw.result(), parameters);
}

}  // namespace

Rule::kind kind_of_draw(unsigned active, const op_params& p) {
  each_array(p, [&](int k, std::size_t input) {
    if (detail::draws.has_slope(p, k)) active &= ~(1U << input);
  });
  return active == 0 ? Rule::kind::known : Rule::kind::unknown;  // others are no parameters of a number, as a choice's p
}

void adjoint_random_draw(Adjoint& a) {
  each_array(a.p(), [&](int k, std::size_t input) {
    if (a.is_active(input)) a.give(input, binary(op_id::scale, a.g(), slope_of(a, k)));
  });
}

array tangent_random_draw(const Tangent& t) {
  array change;
  each_array(t.p(), [&](int k, std::size_t input) {
    if (!t.changes(input)) return;
    const array part = binary(op_id::scale, t.change(input), slope_of(t, k));
    change = change.empty_handle() ? part : binary(op_id::add, change, part);
  });
  return change;
}

}  // namespace numjit::transform
