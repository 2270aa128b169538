// Values of a thin segment, made again.
#include <numjit/transform/rerun.h>

#include <algorithm>
#include <utility>

#include <numjit/base/error.h>
#include <numjit/base/location_scope.h>
#include <numjit/ops/random_draw.h>
#include <numjit/ops/stores_into.h>
#include <numjit/transform/paths.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

namespace {

std::vector<operand> operands_of(const Applied& e, const std::vector<array>& values) {
  std::vector<operand> in;
  for (std::size_t i = 0; i < e.size(); ++i)
    in.push_back(e.in(i).layout == no_number ? e.in(i).number() : operand(values[i], "", "", 0));
  return in;
}

/// The memory of a store, as it is behind it. As it was before it may still be wanted.
array stored(const Applied& e, std::vector<array> values) {
  const array before = std::exchange(values[0], array());
  const bool own = is_sole(before) && before.get()->is(node::c_contiguous);
  const array memory = own ? before : detail::contiguous_copy(before);
  StoredPart part(memory, e.path);
  values[0] = part.target();
  bind({e.op, operands_of(e, values), e.params.get()});
  part.write_back();
  return own || before.get()->is(node::c_contiguous) ? memory : copy_lying_as(memory, before.get());
}

/// fn(variable) of each variable that an entry makes.
template <class F>
void each_made(const Applied& e, F&& fn) {
  if (!e.custom) return fn(e.variable);
  for (const int variable : e.custom->results)
    if (variable != no_number) fn(variable);
}

std::int64_t bytes_of(const Layouts& layouts, int layout) {
  return element_count(layouts.shape(layout)) * static_cast<std::int64_t>(dtype(layouts.type(layout)).itemsize());
}

}  // namespace

Rerun::Rerun(const Layouts& layouts, Segment& of) : layouts_(layouts), of_(of) {
  for (const KnownValue& k : of.known) known_.emplace(k.variable, k.value);
  const auto number = [&](int variable) { return static_cast<std::size_t>(variable - of.first_variable); };
  const std::size_t n = of.entries.size();
  std::size_t count = 0;
  for (const Applied& e : of.entries) each_made(e, [&](int variable) { count = std::max(count, number(variable) + 1); });
  std::vector<std::size_t> made_at(count, n);
  std::vector<std::int64_t> sizes(count, 0);
  last_use_.assign(count, 0);
  is_needed_.assign(n, false);
  for (std::size_t k = n; k-- > 0;) {
    const Applied& e = of.entries[k];
    is_needed_[k] = e.is_active() || last_use_[number(e.variable)] > 0;
    each_made(e, [&](int variable) { made_at[number(variable)] = k; });
    if (!is_needed_[k]) continue;
    if (!e.custom) sizes[number(e.variable)] = bytes_of(layouts, e.layout);
    for (std::size_t i = 0; i < e.size(); ++i)
      if (const int variable = e.in(i).any_variable(); variable >= of.first_variable)
        last_use_[number(variable)] = std::max(last_use_[number(variable)], k);
  }
  std::vector<std::int64_t> change(n + 2, 0);
  for (std::size_t v = 0; v < last_use_.size(); ++v) {
    if (last_use_[v] <= made_at[v]) continue;
    change[made_at[v] + 1] += sizes[v];
    change[last_use_[v] + 1] -= sizes[v];
  }
  alive_.resize(n + 1);
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k <= n; ++k) alive_[k] = bytes += change[k];
}

const array& Rerun::value_of(int variable, const State& state) const {
  if (const auto found = state.find(variable); found != state.end()) return found->second;
  if (const auto found = known_.find(variable); found != known_.end()) return found->second;
  throw InternalError("grad", "a value that is carried out again is not known");
}

array Rerun::carried_out(const Applied& e, std::vector<array> values) const {
  if (kind_of(e.op) == op_kind::store) return stored(e, std::move(values));
  if (!e.path.empty()) {  // the first step of a view that is known by its place
    const array places = places_of(*e.path.steps().front(), shape_of(values[0]));
    return detail::call(op_id::take, {reshaped(values[0], dims{-1}), places}, layout::take_params(0));
  }
  if (e.op == op_id::random_draw) values[0] = detail::draws.copy_of_state(values[0]);  // it moves on
  if (e.op == op_id::reshape_view) return reshaped(values[0], layouts_.shape(e.layout));
  return bind({e.op, operands_of(e, values), e.params.get(), nullptr, e.mask.empty_handle() ? nullptr : e.mask.get()});
}

void Rerun::run_one(std::size_t k, State& state, bool fill) {
  Applied& e = of_.entries[k];
  if (e.custom || !is_needed_[k]) return;  // results of functions with rules of their own are known
  const detail::location_override place(&e.where);
  std::vector<array> values(e.size());
  for (std::size_t i = 0; i < e.size(); ++i) {
    const int variable = e.in(i).any_variable();
    values[i] = variable == no_number ? e.in(i).value : value_of(variable, state);
    if (fill && variable != no_number && needs_input(e.needs, i)) e.in(i).value = values[i];
  }
  const auto last_use = [&](int variable) { return last_use_[static_cast<std::size_t>(variable - of_.first_variable)]; };
  for (std::size_t i = 0; i < e.size(); ++i)
    if (const int v = e.in(i).any_variable(); v >= of_.first_variable && last_use(v) == k) state.erase(v);
  const array made = runs_once(e.op) ? value_of(e.variable, state) : carried_out(e, std::move(values));
  if (fill && (e.needs & needs_result)) e.result = made;
  if (last_use(e.variable) > k) state.insert_or_assign(e.variable, made);
}

void Rerun::run(std::size_t from, std::size_t to, State& state, bool fill) {
  for (std::size_t k = from; k < to; ++k) run_one(k, state, fill);
}

void Rerun::forward(const std::function<void(Applied&)>& then) {
  State state;
  for (std::size_t k = 0; k < of_.entries.size(); ++k) {
    run_one(k, state, true);
    then(of_.entries[k]);
    of_.entries[k].give_up();
  }
}

// ---- back ----

// Where least is alive, not far from equal parts.
void Rerun::find_parts(std::int64_t room) {
  const std::size_t n = of_.entries.size();
  borders_ = {0};
  for (const std::size_t at : of_.parts)
    if (at > borders_.back() && at < n) borders_.push_back(at);
  const bool is_nested = borders_.size() > 1;
  const std::int64_t wanted = std::min(of_.bytes / std::max<std::int64_t>(room / 4, 1) + 1, static_cast<std::int64_t>(n));
  if (!is_nested && wanted > 1) {
    const std::size_t length = n / static_cast<std::size_t>(wanted);
    for (std::size_t at = length; at + length / 2 < n; at += length) {
      const std::size_t begin = std::max(at - length / 2, borders_.back() + 1), end = std::min(at + length / 2 + 1, n);
      if (begin >= end) continue;
      borders_.push_back(static_cast<std::size_t>(std::min_element(alive_.begin() + static_cast<std::ptrdiff_t>(begin),
                                                                   alive_.begin() + static_cast<std::ptrdiff_t>(end)) -
                                                  alive_.begin()));
    }
  }
  std::int64_t largest = 1;
  for (const std::size_t border : borders_) largest = std::max(largest, alive_[border]);
  constexpr std::int64_t fewest = 3;
  states_ = is_nested ? static_cast<std::int64_t>(borders_.size()) : std::max(room / 4 * 3 / largest, fewest);
  borders_.push_back(n);
}

std::size_t parts_before_state(std::size_t parts, std::int64_t states) {
  // With s states left and each part carried out t times at most, (s + t)! / s! t! parts can be gone through: the fewest t.
  const auto n = static_cast<double>(parts);
  const auto reach = [](std::int64_t s, int t) {
    double many = 1;
    for (int i = 1; i <= t; ++i) many = many * static_cast<double>(s + i) / i;
    return many;
  };
  if (states < 1) return parts - 1;
  int times = 1;
  while (reach(states, times) < n) ++times;
  const double behind = reach(states - 1, times);  // that can be gone through behind the next state
  return static_cast<std::size_t>(std::clamp(n - behind, 1.0, n - 1));
}

void Rerun::back_over(std::size_t part, std::size_t end, State state, std::int64_t states,
                      const std::function<void(Applied&)>& then) {
  while (end - part > 1) {
    const std::size_t middle = part + parts_before_state(end - part, states);
    State at_middle = state;
    run(borders_[part], borders_[middle], at_middle, false);
    back_over(middle, end, std::move(at_middle), std::max<std::int64_t>(states - 1, 0), then);
    end = middle;
  }
  run(borders_[part], borders_[end], state, true);
  state.clear();
  for (std::size_t k = borders_[end]; k-- > borders_[part];) {
    then(of_.entries[k]);
    of_.entries[k].give_up();
  }
}

void Rerun::back(std::int64_t room, const std::function<void(Applied&)>& then) {
  if (of_.entries.empty()) return;
  find_parts(room);
  back_over(0, borders_.size() - 1, {}, states_, then);
}

}  // namespace numjit::transform
