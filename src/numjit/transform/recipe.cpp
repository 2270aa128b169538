// Values of the way there, computed again.
#include <numjit/transform/recipe.h>

#include <span>

#include <numjit/base/location_scope.h>

namespace numjit::transform {

int Recipe::want(int value) {
  for (std::size_t k = 0; k < results_.size(); ++k)
    if (results_[k].value == value) {
      ++results_[k].uses;
      return static_cast<int>(k);
    }
  results_.push_back({value, 1, 0, {}});
  return static_cast<int>(results_.size()) - 1;
}

void Recipe::begin_sweep(int& carried_out) {
  carried_out_ = &carried_out;
  is_made_ = false;
  for (Result& r : results_) {
    r.left = r.uses;
    r.made = array();
  }
}

array Recipe::take(int result) {
  if (!is_made_) make();
  Result& r = results_[static_cast<std::size_t>(result)];
  array found = r.made;
  drop(r);
  return found;
}

void Recipe::make() {
  std::vector<bool> used(leaves.size() + steps.size(), false);
  for (const Result& r : results_)
    if (r.left > 0) used[static_cast<std::size_t>(r.value)] = true;
  for (std::size_t k = steps.size(); k-- > 0;)
    if (used[leaves.size() + k])
      for (const Input& in : steps[k].in)
        if (in.value != no_number) used[static_cast<std::size_t>(in.value)] = true;
  std::vector<array> values = leaves;
  values.resize(used.size());
  for (std::size_t k = 0; k < steps.size(); ++k)
    if (used[leaves.size() + k]) values[leaves.size() + k] = carried_out(steps[k], values);
  for (Result& r : results_)
    if (r.left > 0) r.made = values[static_cast<std::size_t>(r.value)];
  is_made_ = true;
}

array Recipe::carried_out(const Step& step, const std::vector<array>& values) {
  const detail::location_override place(&step.where);
  std::vector<operand> in;
  for (const Input& i : std::span(step.in).first(step.in.size() - (step.has_where ? 1 : 0)))
    in.push_back(i.value == no_number ? i.number.number() : operand(values[static_cast<std::size_t>(i.value)], "", "", 0));
  node* const mask = step.has_where ? values[static_cast<std::size_t>(step.in.back().value)].get() : nullptr;
  *carried_out_ += kind_of(step.op) != op_kind::view;
  return bind({step.op, in, &step.params, nullptr, mask});
}

}  // namespace numjit::transform
