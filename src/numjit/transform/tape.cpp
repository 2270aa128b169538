// Notes on a tape, and the sweeps over it.
#include <numjit/transform/tape.h>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <numjit/array/shown.h>
#include <numjit/base/error.h>
#include <numjit/base/location_scope.h>
#include <numjit/ops/location_of.h>
#include <numjit/ops/op_text.h>
#include <numjit/ops/random_draw.h>
#include <numjit/ops/stores_into.h>
#include <numjit/transform/held.h>
#include <numjit/transform/paths.h>
#include <numjit/transform/recipe.h>
#include <numjit/transform/rerun.h>
#include <numjit/transform/shapes.h>
#include <numjit/transform/unchecked.h>

namespace numjit::transform {

constinit BackwardRegions backward_regions;

void throw_unknown_derivative(const char* transform, op_id op, const op_params& params) {
  std::string text(op == op_id::random_draw ? detail::draws.name(params) : op_text(op, params));
  text.resize(std::min(text.size(), text.find('(')));
  throw NotImplementedError(transform,
                            fmt::format("no derivative of '{}' is known. Use stop_gradient, or give one by custom_vjp.", text));
}

// ---- sweeps ----

namespace {

void pull_custom(const Applied& e, Cotangents& sums) {
  std::vector<array> given;
  bool any = false;
  for (const int variable : e.custom->results) {
    given.push_back(variable == no_number ? array() : sums.take(variable));
    any = any || !given.back().empty_handle();
  }
  if (!any) return;
  const std::vector<array> made = e.custom->rule.back(given);
  if (made.size() != e.size())
    throw ValueError("custom_vjp", fmt::format("bwd gave {} arrays, the arguments have {}.", made.size(), e.size()));
  for (std::size_t i = 0; i < e.size(); ++i)
    if (e.in(i).variable != no_number && !made[i].empty_handle()) sums.add(e.in(i).variable, made[i]);
}

void push_custom(const Applied& e, std::vector<array>& of_inputs, std::vector<array>& change_of) {
  if (!e.custom->rule.forward)
    throw NotImplementedError("linearize", "no forward derivative of a custom_vjp function is known. Give one by custom_jvp.");
  const std::vector<array> made = e.custom->rule.forward(of_inputs);
  for (std::size_t i = 0; i < made.size(); ++i)
    if (e.custom->results[i] != no_number) change_of[static_cast<std::size_t>(e.custom->results[i])] = made[i];
}

}  // namespace

namespace {

/// What is bound while it lives is a way back.
class [[nodiscard]] SweepingBack {
 public:
  SweepingBack() : before_(std::exchange(detail::own_context.sweeping_back, true)) {}
  ~SweepingBack() { detail::own_context.sweeping_back = before_; }
  SweepingBack(const SweepingBack&) = delete;
  SweepingBack& operator=(const SweepingBack&) = delete;

 private:
  const bool before_;
};

}  // namespace

template <class Sweep>
std::vector<array> Tape::swept(Sweep&& sweep) const {
  // Inside of a compiled call the sweep is part of it.
  if (!function_ || detail::recording) return sweep();
  std::vector<array> found;
  backward_regions.run(function_.get(), [&] { found = sweep(); });
  return found;
}

std::vector<array> Tape::pull(std::span<const int> given, std::span<const array> cotangents, std::span<const int> wanted,
                              bool keep) {
  return swept([&] { return sweep_back(given, cotangents, wanted, keep); });
}

std::vector<array> Tape::push(std::span<const int> given, std::span<const array> changes, std::span<const int> wanted) {
  return swept([&] { return sweep_forward(given, changes, wanted); });
}

std::vector<array> Tape::pull_into_sink(std::span<const int> given, std::span<const array> cotangents,
                                        std::span<const int> wanted) {
  return swept([&] {
    const Unchecked unchecked;
    const SweepingBack sweeping;
    begin_sweep();
    Cotangents sums = begun(given, cotangents);
    FinalVariables final = final_variables(wanted);
    const auto take = [&](std::size_t i) { sink->take(i, argument_of[i], taken(sums, wanted[i])); };
    sweep_entries(sums, false, [&](std::size_t segment, std::size_t entry) { final.behind({segment, entry}, take); });
    final.at_end(take);
    return sink->results();
  });
}

FinalVariables Tape::final_variables(std::span<const int> wanted) const {
  FinalVariables final(wanted);
  for (std::size_t i = 0; i < segments.size() && !segments[i].is_thin; ++i)
    for (std::size_t k = 0; k < segments[i].entries.size(); ++k) {
      const Applied& e = segments[i].entries[k];
      for (std::size_t j = 0; j < e.size(); ++j) final.used(e.in(j).variable, {i, k});
    }
  return final;
}

Cotangents Tape::begun(std::span<const int> given, std::span<const array> cotangents) const {
  Cotangents sums(layouts, layout_of_variable_);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] != no_number && !cotangents[i].empty_handle()) sums.add(given[i], cotangents[i]);
  return sums;
}

array Tape::taken(Cotangents& sums, int variable) const {
  const array sum = sums.take_own(variable);
  return sum.empty_handle() ? zeros(layouts.shape(layout_of(variable)), layouts.type(layout_of(variable))) : sum;
}

template <class Behind>
void Tape::sweep_entries(Cotangents& sums, bool keep, Behind&& behind) {
  for (std::size_t i = segments.size(); i-- > 0;) {
    Segment& segment = segments[i];
    const auto pull_one = [&](Applied& e) {
      pull_entry(e, sums);
      if (!keep) e = Applied();
    };
    if (segment.is_thin) {
      segment.entries = segment.packed.unpacked(forms_);
      if (!keep) segment.packed = PackedEntries();
      Rerun(layouts, segment).back(room_for(segment), pull_one);
      segment.entries = std::vector<Applied>();
    } else {
      for (std::size_t k = segment.entries.size(); k-- > 0;) {
        pull_one(segment.entries[k]);
        behind(i, k);
      }
    }
    if (!keep) segment.known.clear();
  }
}

std::vector<array> Tape::sweep_back(std::span<const int> given, std::span<const array> cotangents, std::span<const int> wanted,
                                    bool keep) {
  const Unchecked unchecked;
  const SweepingBack sweeping;
  const bool is_asked = backward_regions.is_asked && backward_regions.is_asked();
  const std::int64_t saved = is_asked ? saved_bytes() : 0;
  begin_sweep();
  Cotangents sums = begun(given, cotangents);
  sweep_entries(sums, keep, [](std::size_t, std::size_t) {});
  if (is_asked) backward_regions.tell(saved, thinned_segments(), recipe_operations_);
  std::vector<array> found;
  for (const int variable : wanted) found.push_back(taken(sums, variable));
  return found;
}

namespace {

/// While it lives, an entry holds what recipes give for it.
class [[nodiscard]] FromRecipes {
 public:
  explicit FromRecipes(Applied& e) : e_(e) {
    if (e.by_recipe) [[unlikely]]
      for (const ByRecipe& r : *e.by_recipe) held_at(e, r.slot) = r.recipe->take(r.result);
  }
  ~FromRecipes() {
    if (e_.by_recipe) [[unlikely]]
      for (const ByRecipe& r : *e_.by_recipe) held_at(e_, r.slot) = array();
  }
  FromRecipes(const FromRecipes&) = delete;
  FromRecipes& operator=(const FromRecipes&) = delete;

 private:
  Applied& e_;
};

void skip_recipes(const Applied& e) {
  if (e.by_recipe) [[unlikely]]
    for (const ByRecipe& r : *e.by_recipe) r.recipe->skip(r.result);
}

}  // namespace

void Tape::begin_sweep() {
  recipe_operations_ = 0;
  for (const std::weak_ptr<Recipe>& recipe : recipes)
    if (const auto known = recipe.lock()) known->begin_sweep(recipe_operations_);
}

void Tape::pull_entry(Applied& e, Cotangents& sums) const {
  const detail::location_override place(&e.where);
  if (e.custom) return pull_custom(e, sums);
  array g = kind_of(e.op) == op_kind::store ? sums.take_own(e.variable) : sums.take(e.variable);
  if (g.empty_handle()) return skip_recipes(e);
  const FromRecipes values(e);
  Adjoint a(e, layouts, std::move(g), sums);
  e.rule->adjoint(a);
}

std::vector<array> Tape::sweep_forward(std::span<const int> given, std::span<const array> changes, std::span<const int> wanted) {
  const Unchecked unchecked;
  std::vector<array> change_of(layout_of_variable_.size());
  for (std::size_t i = 0; i < given.size(); ++i) change_of[static_cast<std::size_t>(given[i])] = changes[i];
  std::vector<array> of_inputs;
  begin_sweep();
  const auto push_one = [&](Applied& e) { push_entry(e, change_of, of_inputs); };
  for (Segment& segment : segments) {
    if (segment.is_thin) {
      segment.entries = segment.packed.unpacked(forms_);
      Rerun(layouts, segment).forward(push_one);
      segment.entries = std::vector<Applied>();
    } else {
      for (Applied& e : segment.entries) push_one(e);
    }
  }
  std::vector<array> found;
  for (const int variable : wanted) {
    const array& change = variable == no_number ? array() : change_of[static_cast<std::size_t>(variable)];
    found.push_back(change);
  }
  return found;
}

void Tape::push_entry(Applied& e, std::vector<array>& change_of, std::vector<array>& of_inputs) const {
  of_inputs.assign(e.size(), array());
  bool any = false;
  for (std::size_t i = 0; i < e.size(); ++i) {
    if (e.in(i).variable == no_number) continue;
    of_inputs[i] = change_of[static_cast<std::size_t>(e.in(i).variable)];
    any = any || !of_inputs[i].empty_handle();
  }
  if (!any) return skip_recipes(e);
  const detail::location_override place(&e.where);
  if (e.custom) return push_custom(e, of_inputs, change_of);
  if (!e.rule->tangent) return;  // there to be carried out again only
  const FromRecipes values(e);
  const array change = e.rule->tangent(Tangent(e, layouts, of_inputs));
  if (!change.empty_handle())
    change_of[static_cast<std::size_t>(e.variable)] =
        layouts.is_of(change.get(), e.layout) ? change : as_result(change, layouts.shape(e.layout), layouts.type(e.layout));
}

template <class F>
void Tape::each_held(F&& visit) {
  for (Segment& s : segments) {
    for (Applied& e : s.entries) for_held(e, [&](array& a, int) { visit(a); });
    for (KnownValue& k : s.known) visit(k.value);
    for (std::size_t k = 0; k < s.packed.held_count(); ++k) visit(s.packed.held_at(k));
  }
  for (const std::weak_ptr<Recipe>& recipe : recipes)
    if (const auto known = recipe.lock())
      for (array& leaf : known->leaves) visit(leaf);
}

/// References that a tape has to each array, and of views to what owns their memory.
class Tape::References {
 public:
  explicit References(Tape& tape) {
    tape.each_held([&](array& a) {
      if (held_[a.get()]++ == 0 && a.get()->base) ++held_[a.get()->base];
    });
  }
  /// Has somebody else the array, or what owns its memory?
  bool is_shared(const node* n) const { return is_shared_itself(n) || (n->base && is_shared_itself(n->base)); }

 private:
  bool is_shared_itself(const node* n) const {
    const auto found = held_.find(n);
    const std::uint64_t own = (found == held_.end() ? 0 : found->second) + (n->is(node::lazy) ? 1 : 0);  // its record's
    return std::atomic_ref(const_cast<node*>(n)->refs).load(std::memory_order_relaxed) > own;
  }
  std::unordered_map<const node*, std::uint64_t> held_;
};

void Tape::own_values() {
  const References references(*this);
  std::unordered_map<const node*, array> copies;
  each_held([&](array& a) {
    node* const n = a.get();
    if (!references.is_shared(n)) return;
    array& copy = copies[n];
    if (copy.empty_handle()) copy = copy_lying_as(a, n);
    a = copy;
  });
}

std::int64_t Tape::saved_bytes() {
  const References references(*this);
  std::unordered_set<const node*> counted;
  std::int64_t bytes = 0;
  each_held([&](array& a) {
    node* const n = a.get();
    if (n->is(node::lazy) || references.is_shared(n)) return;
    const node* const memory = detail::storage_owner(n);
    if (counted.insert(memory).second) bytes += memory->size * static_cast<std::int64_t>(dtype(memory->type).itemsize());
  });
  return bytes;
}

// ---- the level ----

array TapeLevel::argument(const array& x, int number) {
  const array given = same_memory(x);
  const int variable = tape_->new_variable(tape_->layouts.add(x.get()));
  fresh_note(given.get()).variable = variable;
  arguments_.push_back({given, variable, number});
  return given;
}

int TapeLevel::variable_of(node* n) {
  Note* const own = note_of(n);
  if (stores_ > 0) {
    node* const memory = memory_of(n);
    if (Note* owner = written(memory)) {
      if (n == memory) return owner->variable;
      Note& view = own ? *own : note_for(n);
      return view.version == owner->version ? view.variable : view_anew(view, *owner);
    }
  }
  if (own) return own->variable;
  // A view of an active array's memory that no operation made.
  if (n->base && n->base->notes && note_of(n->base) && note_of(n->base)->variable != no_number) {
    know_memory(n->base, {});
    return variable_of(n);
  }
  return no_number;
}

void TapeLevel::know_memory(node* memory, const location& where) {
  const int variable = memory_before(memory, where);
  Note& k = note_for(memory);
  k.variable = variable;
  ++k.version;
  ++stores_;
}

// The variable of a view of memory that was stored into since: the memory's, followed along the path.
int TapeLevel::view_anew(Note& view, const Note& owner) {
  if (view.path.empty()) view.path = path_of(view.of);
  int variable = owner.variable;
  for (const ViewStep* step : view.path.steps()) {
    if (variable == no_number) break;
    if (is_identity(*step, tape_->layouts.shape(tape_->layout_of(variable)))) continue;
    if (variable == owner.variable) take_value(variable, owner.of);
    Applied& e = tape_->open().entries.emplace_back();
    e.op = step->op;
    e.where = step->where;
    e.resize(1);
    e.in(0).variable = variable;
    e.in(0).layout = tape_->layout_of(variable);
    e.layout = step->unsized.empty_handle() ? tape_->layouts.add(step->type, step->shape.data(), step->shape.size())
                                            : tape_->layouts.add(step->unsized.get());
    e.variable = variable = tape_->new_variable(e.layout);
    if (step->op == ViewStep::by_place) {
      e.op = op_id::take;
      e.rule = &rule_of_place();
      e.path = view.path;
    } else {
      e.params = std::make_unique<op_params>(step->params);
      e.rule = &rule_of(step->op);
    }
  }
  view.version = owner.version;
  return view.variable = variable;
}

void TapeLevel::read(node* n, const char* why, const location& where) {
  if (!n->notes || read_at_.line != 0 || variable_of(n) == no_number) return;
  const std::string_view reason = why;
  if (reason == "eval" || reason == "size" || reason == "str") return;
  read_at_ = detail::known_location(where);
}

// The variable of what is not active, if it can be made again: others may have written to memory that they see.
int TapeLevel::made_by(node* n) const {
  const Note* const k = note_of(n);
  if (!k || k->made_by == no_number) return no_number;
  return n->is(node::lazy) || !detail::is_shown(detail::storage_owner(n)) ? k->made_by : no_number;
}

namespace {
constexpr std::size_t first_entries = 12;
}

Applied& TapeLevel::note(const op_call& call, const Rule& rule, std::span<const int> variables, std::uint8_t needs) {
  tape_->note_base();
  std::vector<Applied>& entries = tape_->open().entries;
  if (entries.empty()) entries.reserve(first_entries);  // growing from one would move the first ones four times
  Applied& e = entries.emplace_back();
  e.op = call.op;
  e.rule = &rule;
  e.where = given_location(call);
  if (call.params) e.params = std::make_unique<op_params>(*call.params);
  e.needs = needs;
  if (call.where_mask) hold(e.mask, call.where_mask);
  e.resize(call.in.size());
  const bool shapes = kind_of(call.op) != op_kind::ufunc;
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    Operand& to = e.in(i);
    const operand& from = call.in[i];
    if (!from.is_array()) {
      to.set_number(from);
      continue;
    }
    to.variable = variables[i];
    to.layout = to.variable != no_number ? tape_->layout_of(to.variable) : shapes ? tape_->layouts.add(from.n()) : 0;
    if (!tracks()) {
      if (needs_input(needs, i)) hold(to.value, from.n());
      continue;
    }
    if (i == 0 && call.op == op_id::random_draw) {
      to.value = state_;
      continue;
    }
    if (i == 0 && kind_of(call.op) == op_kind::store) continue;  // see there
    if (to.variable == no_number) to.made_by = made_by(from.n());
    if (const int variable = to.any_variable(); variable == no_number) {
      hold(to.value, from.n());
    } else {
      take_value(variable, from.n());
      if (needs_input(needs, i)) hold_value(to.value, from.n());
    }
  }
  last_ops_ = last_ops_ << 8 | static_cast<std::uint8_t>(call.op);
  return e;
}

array TapeLevel::active(const op_call& call) {
  constexpr std::size_t few = 4;
  int few_variables[few];
  std::vector<int> many(call.in.size() > few ? call.in.size() : 0);
  const std::span<int> variables(many.empty() ? few_variables : many.data(), call.in.size());
  unsigned bits = 0;
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    node* const n = call.in[i].n();
    variables[i] = n && is_inexact(n->type) ? variable_of(n) : no_number;
    if (variables[i] != no_number && i < 32) bits |= 1U << i;
  }
  const bool ufunc = kind_of(call.op) == op_kind::ufunc;
  const Rule& rule = rule_of(call.op);
  const Rule::kind kind = kind_of_rule(call.op, bits, call.p());
  if (bits != 0 && kind == Rule::kind::unknown) throw_unknown_derivative(name(), call.op, call.p());
  array result = carry_out(call);
  node* const made = result.get();
  if (is_operand(call, made)) return result;
  const bool view = is_view_of_operand(call, made);
  if (bits == 0 || kind == Rule::kind::zero || !is_inexact(made->type)) {
    forget(made);
    if (view)
      note_view(call, made);
    else if (tracks() && !runs_once(call.op))
      note_unfollowed(call, variables, made);
    return result;
  }
  const std::uint8_t needs = ufunc                           ? needs_of_rule(call.op, bits)
                             : call.op == op_id::routine     ? needs_of_routine(call.p())
                             : call.op == op_id::communicate ? needs_of_communication(call.p())
                                                             : rule.needs;
  Applied& e = note(call, rule, variables, needs);
  e.layout = tape_->layouts.add(made);
  e.variable = tape_->new_variable(e.layout);
  if (needs & needs_result) hold_value(e.result, made);
  if (tracks() && runs_once(call.op)) know_value(e.variable, made, false);
  const int variable = e.variable;
  (view ? note_view(call, made) : fresh_note(made)).variable = variable;
  check_memory();
  return result;
}

// What is made of active values and is not active, as the result of a comparison: it is made again rather than held.
void TapeLevel::note_unfollowed(const op_call& call, std::span<const int> variables, node* made) {
  Applied& e = note(call, rule_of(call.op), variables, 0);
  e.layout = tape_->layouts.add(made);
  e.variable = tape_->new_variable(e.layout);
  note_for(made).made_by = e.variable;
}

void TapeLevel::note_custom(std::span<const array> inputs, std::span<array* const> results, CustomRule rule) {
  auto custom = std::make_shared<CustomEntry>();
  custom->rule = std::move(rule);
  std::vector<int> variables;
  for (const array& a : inputs) variables.push_back(is_inexact(type_of(a)) ? variable_of(a.get()) : no_number);
  for (array* result : results) {
    if (!is_inexact(type_of(*result))) {
      custom->results.push_back(no_number);
      continue;
    }
    // What the rule keeps of it does not change where the program stores into it.
    if (!is_sole(*result)) {
      const Below below(*this);
      *result = copy_lying_as(*result, result->get());
    }
    const int variable = tape_->new_variable(tape_->layouts.add(result->get()));
    fresh_note(result->get()).variable = variable;
    custom->results.push_back(variable);
    if (tracks()) know_value(variable, result->get(), false);
  }
  Applied& e = tape_->open().entries.emplace_back();
  e.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    e.in(i).variable = variables[i];
    e.in(i).layout = variables[i] == no_number ? tape_->layouts.add(inputs[i].get()) : tape_->layout_of(variables[i]);
  }
  e.custom = std::move(custom);
}

// ---- stores ----

bool TapeLevel::is_memory_active(node* memory) {
  if (const Note* k = note_of(memory); k && (k->version > 0 || k->variable != no_number)) return true;
  return std::any_of(arguments_.begin(), arguments_.end(), [&](const Argument& a) { return memory_of(a.given.get()) == memory; });
}

// The variable that memory is before a store. At the first one arguments that lie in it become parts of it.
int TapeLevel::memory_before(node* memory, const location& where) {
  if (const Note* k = note_of(memory); k && (k->version > 0 || k->variable != no_number)) return k->variable;
  int before = no_number;
  const Argument* first = nullptr;
  for (const Argument& a : arguments_) {
    node* const n = a.given.get();
    if (memory_of(n) != memory) continue;
    if (first && (n->is(node::lazy) || first->given.get()->is(node::lazy) || detail::may_overlap(n, first->given.get())))
      throw ValueError(name(),
                       fmt::format("arguments {} and {} share memory, and the function stores into it at {}:{}. Pass a copy.",
                                   first->number, a.number, where.file, where.line));
    first = &a;
    take_value(a.variable, n);
    Applied& e = tape_->open().entries.emplace_back();
    e.op = op_id::store;
    e.rule = &rule_of(op_id::store);
    e.where = where;
    e.resize(2);
    e.in(0).variable = before;
    e.in(0).layout = e.layout = tape_->layouts.add(memory);
    if (before == no_number && tracks()) hold(e.in(0).value, memory);
    e.in(1).variable = a.variable;
    e.in(1).layout = tape_->layout_of(a.variable);
    e.path = path_of(n);
    e.variable = before = tape_->new_variable(e.layout);
  }
  return before;
}

void TapeLevel::active_store(const op_call& call) {
  node* const target = call.in[0].n();
  node* const memory = memory_of(target);
  const array keep = array::share(memory);
  const location where = location_of(call);
  std::vector<int> variables(call.in.size(), no_number);
  if (!is_inexact(memory->type)) {
    carry_out(call);
    return;
  }
  for (std::size_t i = 1; i < call.in.size(); ++i) {
    node* const n = call.in[i].n();
    if (n && is_inexact(n->type)) variables[i] = variable_of(n);
  }
  const Path path = path_of(target);
  variables[0] = memory_before(memory, where);
  const Rule& rule = rule_of(call.op);
  // What the rule reads, as it was before the store: it may lie in the same memory.
  std::vector<Applied>& entries = tape_->open().entries;
  const std::size_t at = entries.size();
  if (Applied& e = note(call, rule, variables, rule.needs); tracks()) {
    if (variables[0] == no_number)
      hold(e.in(0).value, memory);
    else
      take_value(variables[0], memory);
  }
  try {
    before_store(target);
    carry_out(call);
  } catch (...) {
    entries.resize(at);
    indexed_ = std::min(indexed_, at);
    looked_at_ = std::min(looked_at_, at);
    throw;
  }
  Applied& e = entries[at];
  e.in(0).layout = e.layout = tape_->layouts.add(memory);
  e.path = path;
  e.variable = tape_->new_variable(e.layout);
  Note& k = note_for(memory);
  k.variable = e.variable;
  ++k.version;
  ++stores_;
  check_memory();
}

array& TapeLevel::held_at(const Held& held) {
  if (held.slot == leaf_slot) {
    const auto recipe = tape_->recipes[held.segment].lock();  // the open level sweeps over none
    return recipe->leaves[held.entry];
  }
  Segment& s = tape_->segments[held.segment];
  if (held.slot == packed_slot) return s.packed.held_at(held.entry);
  return held.slot == known_slot ? s.known[held.entry].value : transform::held_at(s.entries[held.entry], held.slot);
}

void TapeLevel::index(const Held& held) {
  if (const array& a = held_at(held); !a.empty_handle()) held_in_[memory_of(a.get())].push_back(held);
}

void TapeLevel::index_packed(std::size_t segment) {
  for (std::size_t k = 0; k < tape_->segments[segment].packed.held_count(); ++k) index({segment, k, packed_slot});
}

// Of what came since the last time.
void TapeLevel::index_held() {
  for (; indexed_segment_ < tape_->segments.size(); ++indexed_segment_, indexed_ = indexed_known_ = 0) {
    const Segment& s = tape_->segments[indexed_segment_];
    if (indexed_ == 0) index_packed(indexed_segment_);
    for (; indexed_ < s.entries.size(); ++indexed_)
      for (int slot = mask_slot; slot < slots_behind(s.entries[indexed_]); ++slot) index({indexed_segment_, indexed_, slot});
    for (; indexed_known_ < s.known.size(); ++indexed_known_) index({indexed_segment_, indexed_known_, known_slot});
    if (indexed_segment_ + 1 == tape_->segments.size()) break;
  }
  for (; indexed_recipes_ < tape_->recipes.size(); ++indexed_recipes_)
    if (const auto recipe = tape_->recipes[indexed_recipes_].lock())
      for (std::size_t k = 0; k < recipe->leaves.size(); ++k) index({indexed_recipes_, k, leaf_slot});
}

// What is held of this memory is copied before it changes.
void TapeLevel::before_store(node* n) {
  if (Note* const k = note_of(memory_of(n))) k->made_by = no_number;
  index_held();
  const node* const memory = memory_of(n);
  const auto found = held_in_.find(memory);
  if (found == held_in_.end()) return;
  const Below below(*this);
  std::unordered_map<const node*, array> copies;
  std::erase_if(found->second, [&](const Held& held) {
    const bool is_of_entry = held.slot > known_slot;
    if (held.slot == leaf_slot && tape_->recipes[held.segment].expired()) return true;
    if (is_of_entry && held.entry >= tape_->segments[held.segment].entries.size()) return true;  // its operation failed
    array& a = held_at(held);
    if (a.empty_handle() || memory_of(a.get()) != memory) return true;  // given up
    const bool placed = !a.get()->is(node::lazy) && !n->is(node::lazy);
    if (placed && !detail::may_overlap(a.get(), n)) return false;
    array& copy = copies[a.get()];
    if (copy.empty_handle()) {
      const detail::location_override place(is_of_entry ? &tape_->segments[held.segment].entries[held.entry].where : nullptr);
      copy = copy_lying_as(a, a.get());
    }
    a = copy;
    return true;
  });
  if (found->second.empty()) held_in_.erase(found);
}

}  // namespace numjit::transform
