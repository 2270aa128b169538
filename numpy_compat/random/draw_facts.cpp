// What the core asks about draws: their names, what is drawn element by element, and how numbers change with parameters.
#include <surface.h>

#include "draws.h"

namespace numjit::random::detail {
namespace {

using words = layout::draw;

distribution distribution_of(const op_params& p) { return static_cast<distribution>(p[words::distribution]); }

std::string_view name_of(const op_params& p) {
  const distribution d = distribution_of(p);
  switch (d) {
    case distribution::random: return "random";
    case distribution::standard_normal: return "standard_normal";
    case distribution::standard_exponential:
    case distribution::standard_exponential_inverse: return "standard_exponential";
    case distribution::integers:
    case distribution::tomaxint: return "integers";
    case distribution::order:
    case distribution::orders_along_axis: return "permutation";
    case distribution::choice_by_p:
    case distribution::choice_without_p:
    case distribution::choice_without_replacement:
    case distribution::legacy_choice_without_p: return "choice";
    case distribution::multinomial:
    case distribution::legacy_multinomial: return "multinomial";
    case distribution::dirichlet:
    case distribution::legacy_dirichlet: return "dirichlet";
    case distribution::state: return "the state of a generator";
    case distribution::by_counts:
    case distribution::by_marginals: return "multivariate_hypergeometric";
    default: return row_of(d).name;
  }
}

bool is_by_element(const op_params& p) { return distribution_of(p) <= distribution::integers; }

/// How a number y of a distribution changes with a parameter.
enum class change {
  unknown,
  as_size,       // y = location + parameter * (what the generator gave)
  of_logarithm,  // y = exp(normal): parameter 0 is the normal number's mean, 1 its deviation
  as_root,       // y = (what the generator gave) ^ (1 / parameter)
  as_pareto,     // y = exp((what the generator gave) / parameter) - 1
};

change change_with(distribution d, int parameter) {
  switch (d) {
    case distribution::exponential:
    case distribution::legacy_exponential:
    case distribution::rayleigh:
    case distribution::legacy_rayleigh: return change::as_size;
    case distribution::gamma:
    case distribution::legacy_gamma: return parameter == 1 ? change::as_size : change::unknown;
    case distribution::lognormal:
    case distribution::legacy_lognormal: return change::of_logarithm;
    case distribution::weibull:
    case distribution::legacy_weibull:
    case distribution::power:
    case distribution::legacy_power: return change::as_root;
    case distribution::pareto:
    case distribution::legacy_pareto: return change::as_pareto;
    default: return has_location(d) && parameter == 1 ? change::as_size : change::unknown;
  }
}

bool has_slope(const op_params& p, int parameter) { return change_with(distribution_of(p), parameter) != change::unknown; }

array slope(const op_params& p, int parameter, const array& y, const operand (&given)[words::max_values]) {
  const distribution d = distribution_of(p);
  const operand& a = given[parameter];
  switch (change_with(d, parameter)) {
    case change::as_size: return divide(has_location(d) ? subtract(y, given[0]) : y, a);
    case change::of_logarithm: return parameter == 0 ? y : y * divide(subtract(log(y), given[0]), a);
    case change::as_root: return negative(divide(y * log(y), a));
    case change::as_pareto: return negative(divide((y + 1.0) * log1p(y), a));
    case change::unknown: break;
  }
  throw InternalError("random", "no slope of a draw is known");
}

array copy_of(const array& state) {
  op_params p;
  p.push(static_cast<std::int64_t>(distribution::state));
  while (p.size() < words::shape) p.push(std::int64_t{0});
  p.push(state.shape()).type(dtype_id::uint64);
  const operand in[] = {state};
  return bind({op_id::random_draw, in, &p});
}

[[maybe_unused]] const bool installed = [] {
  numjit::detail::draws = {&name_of, &is_by_element, &has_slope, &slope, &copy_of};
  return true;
}();

}  // namespace

bool has_location(distribution d) {
  switch (d) {
    case distribution::normal:
    case distribution::legacy_normal:
    case distribution::uniform:
    case distribution::legacy_uniform:
    case distribution::laplace:
    case distribution::gumbel:
    case distribution::logistic: return true;
    default: return false;
  }
}

}  // namespace numjit::random::detail
