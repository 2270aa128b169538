// Entries in few bytes, and back.
#include <numjit/transform/packed.h>

#include <algorithm>
#include <iterator>

namespace numjit::transform {
namespace {

bool is_number(const Operand& o) { return o.layout == no_number && o.value.empty_handle() && o.variable == no_number; }
bool has_variable(const Operand& o) { return o.any_variable() != no_number; }

bool same_step(const ViewStep& a, const ViewStep& b) {
  return a.op == b.op && a.type == b.type && a.offset == b.offset && a.shape == b.shape && a.strides == b.strides &&
         a.owner_strides == b.owner_strides && a.unsized.empty_handle() && b.unsized.empty_handle() && a.params == b.params;
}
bool same_path(const Path& a, const Path& b) {
  const std::vector<const ViewStep*> left = a.steps(), right = b.steps();
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const ViewStep* x, const ViewStep* y) { return x == y || same_step(*x, *y); });
}

bool same_operand(const Operand& a, const Operand& b) {
  return (a.variable == no_number) == (b.variable == no_number) && (a.made_by == no_number) == (b.made_by == no_number) &&
         a.layout == b.layout && a.kind == b.kind && a.imag == b.imag && a.value.empty_handle() == b.value.empty_handle();
}

bool same_form(const Applied& form, const Applied& e) {
  if (form.op != e.op || form.rule != e.rule || form.layout != e.layout || form.needs != e.needs || form.size() != e.size() ||
      form.custom != e.custom || form.mask.empty_handle() != e.mask.empty_handle() || form.where.line != e.where.line ||
      form.where.file != e.where.file)
    return false;
  for (std::size_t i = 0; i < e.size(); ++i)
    if (!same_operand(form.in(i), e.in(i))) return false;
  return form.p() == e.p() && same_path(form.path, e.path);
}

std::size_t hash_of(const Applied& e) {
  std::size_t hash = static_cast<std::size_t>(e.op);
  const auto mix = [&](std::int64_t word) { hash = (hash ^ static_cast<std::size_t>(word)) * 0x9e3779b97f4a7c15u; };
  mix(e.where.line);
  mix(e.layout);
  for (std::size_t i = 0; i < e.size(); ++i) mix(e.in(i).layout);
  for (int i = 0; i < e.p().size(); ++i) mix(e.p()[i]);
  return hash;
}

// With arrays in the places of those that entries hold: a form says which there are.
Applied copy_of_form(const Applied& e) {
  Applied made;
  made.op = e.op;
  made.rule = e.rule;
  made.where = e.where;
  if (e.params) made.params = std::make_unique<op_params>(*e.params);
  made.mask = e.mask;
  made.variable = e.variable;
  made.layout = e.layout;
  made.needs = e.needs;
  made.custom = e.custom;
  made.path = e.path;
  made.resize(e.size());
  for (std::size_t i = 0; i < e.size(); ++i) made.in(i) = e.in(i);
  return made;
}

}  // namespace

std::uint32_t Forms::number_of(const Applied& e) {
  const std::size_t hash = hash_of(e);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto k = begin; k != end; ++k)
    if (same_form(forms_[k->second], e)) return k->second;
  static const array& some = *new array(0.0);  // stands for an array
  Applied& form = forms_.emplace_back(copy_of_form(e));
  if (!form.mask.empty_handle()) form.mask = some;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (!form.in(i).value.empty_handle()) form.in(i).value = some;
  const auto number = static_cast<std::uint32_t>(forms_.size() - 1);
  by_hash_.emplace(hash, number);
  return number;
}

void PackedEntries::add(Applied&& e, Forms& forms) {
  e.give_up();
  form_.push_back(forms.number_of(e));
  variables_.push_back(e.variable);
  if (!e.mask.empty_handle()) held_.push_back(std::move(e.mask));
  for (std::size_t i = 0; i < e.size(); ++i) {
    Operand& o = e.in(i);
    if (has_variable(o)) variables_.push_back(o.any_variable());
    if (is_number(o)) numbers_.push_back(o.bits);
    if (!o.value.empty_handle()) held_.push_back(std::move(o.value));
  }
  for (std::size_t k = 0; k < e.kept_count(); ++k) customs_.push_back({e.custom->rule.kept, k});
  e = Applied();
}

void PackedEntries::append(PackedEntries&& others) {
  const auto move = [](auto& to, auto& from) { std::move(from.begin(), from.end(), std::back_inserter(to)); };
  move(form_, others.form_);
  move(variables_, others.variables_);
  move(numbers_, others.numbers_);
  move(held_, others.held_);
  move(customs_, others.customs_);
}

std::vector<Applied> PackedEntries::unpacked(const Forms& forms) const {
  std::vector<Applied> entries;
  entries.reserve(form_.size());
  auto variable = variables_.begin();
  auto number = numbers_.begin();
  auto held = held_.begin();
  for (const std::uint32_t form : form_) {
    Applied& e = entries.emplace_back(copy_of_form(forms[form]));
    e.variable = *variable++;
    if (!e.mask.empty_handle()) e.mask = *held++;
    for (std::size_t i = 0; i < e.size(); ++i) {
      Operand& o = e.in(i);
      if (has_variable(o)) (o.variable != no_number ? o.variable : o.made_by) = *variable++;
      // As add() found it: the value of an operand tells no number from an array.
      if (is_number(o)) o.bits = *number++;
      if (!o.value.empty_handle()) o.value = *held++;
    }
  }
  return entries;
}

}  // namespace numjit::transform
