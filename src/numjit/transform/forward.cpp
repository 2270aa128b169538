// Changes beside values, operation by operation.
#include <numjit/transform/forward.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/ops/op_text.h>
#include <numjit/transform/paths.h>
#include <numjit/transform/shapes.h>
#include <numjit/transform/unchecked.h>

namespace numjit::transform {

array ForwardLevel::argument(const array& x, const array& change) {
  const array given = same_memory(x);
  fresh_note(given.get()).companion = change;
  arguments_.push_back(given);
  return given;
}

array ForwardLevel::change_of(node* n) {
  array own = companion_of(n);
  if (!own.empty_handle() || note_of(n)) return own;
  // A view of an active array's memory that no operation made.
  if (n->base && n->base->notes && note_of(n->base) && !note_of(n->base)->companion.empty_handle()) {
    know_memory(n->base, {});
    return change_of(n);
  }
  return {};
}

void ForwardLevel::know_memory(node* memory, const location&) {
  const Below below(*this);
  const Unchecked unchecked;
  Note& k = note_for(memory);
  begin_memory(memory, k);
  ++k.version;
  ++stores_;
}

// The operation as its rule sees it. `changes`: of its inputs.
Applied ForwardLevel::applied(const op_call& call, std::vector<array>& changes) {
  layouts_.clear();
  Applied e;
  e.op = call.op;
  e.rule = &rule_of(call.op);
  if (call.params) e.params = std::make_unique<op_params>(*call.params);
  if (call.where_mask) e.mask = array::share(call.where_mask);
  e.resize(call.in.size());
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    if (!call.in[i].is_array()) {
      e.in(i).set_number(call.in[i]);
      continue;
    }
    node* const n = call.in[i].n();
    e.in(i).layout = layouts_.add(n);
    e.in(i).value = array::share(n);
    if (is_inexact(n->type)) changes[i] = change_of(n);
    if (!changes[i].empty_handle()) e.in(i).variable = 0;
  }
  return e;
}

// Is the change of a result that of memory which later stores change in place? It is not the result's then.
bool ForwardLevel::lies_in_written(const op_call& call, const std::vector<array>& changes, const array& change) {
  if (stores_ == 0 || change.empty_handle()) return false;
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (!changes[i].empty_handle() && written(memory_of(call.in[i].n())) &&
        memory_of(changes[i].get()) == memory_of(change.get()))
      return true;
  return false;
}

array ForwardLevel::active(const op_call& call) {
  std::vector<array> changes(call.in.size());
  Applied e = applied(call, changes);
  unsigned bits = 0;
  for (std::size_t i = 0; i < changes.size(); ++i)
    if (!changes[i].empty_handle()) bits |= 1U << std::min<std::size_t>(i, 31);
  const Rule::kind kind = kind_of_rule(call.op, bits, call.p());
  if (bits != 0 && kind == Rule::kind::unknown) throw_unknown_derivative(name(), call.op, call.p());
  array result = carry_out(call);
  node* const made = result.get();
  if (is_operand(call, made)) return result;
  const bool view = is_view_of_operand(call, made);
  array change;
  if (bits != 0 && kind != Rule::kind::zero && is_inexact(made->type)) {
    e.result = result;
    e.layout = layouts_.add(made);
    const Below below(*this);
    const Unchecked unchecked;
    change = e.rule->tangent(Tangent(e, layouts_, changes));
    if (!change.empty_handle()) change = as_result(change, shape_of(result), type_of(result));
    if (!view && lies_in_written(call, changes, change)) change = detail::contiguous_copy(change);
  }
  if (view || !change.empty_handle())
    (view ? note_view(call, made) : fresh_note(made)).companion = std::move(change);
  else
    forget(made);
  return result;
}

bool ForwardLevel::is_memory_active(node* memory) {
  if (const Note* k = note_of(memory); k && (k->version > 0 || !k->companion.empty_handle())) return true;
  return std::any_of(arguments_.begin(), arguments_.end(), [&](const array& a) { return memory_of(a.get()) == memory; });
}

void ForwardLevel::begin_memory(node* memory, Note& k) {
  if (k.version > 0) return;
  k.companion =
      k.companion.empty_handle() ? zeros(dims(memory->shape, memory->rank), memory->type) : detail::contiguous_copy(k.companion);
  for (const array& a : arguments_) {
    if (memory_of(a.get()) != memory) continue;
    const Note* of_argument = note_of(a.get());
    StoredPart part(k.companion, path_of(a.get()));
    const operand in[] = {part.target(), of_argument->companion};
    bind({op_id::store, in});
    part.write_back();
  }
}

void ForwardLevel::active_store(const op_call& call) {
  node* const target = call.in[0].n();
  node* const memory = memory_of(target);
  const array keep = array::share(memory);
  if (!is_inexact(memory->type)) {
    carry_out(call);
    return;
  }
  const Path path = path_of(target);
  const std::size_t stored = call.op == op_id::mask_put || call.op == op_id::put_index ? 2 : 1;
  node* const value = call.in[stored].n();
  const array change = value && is_inexact(value->type) ? change_of(value) : array();
  carry_out(call);
  const Below below(*this);
  const Unchecked unchecked;
  Note& k = note_for(memory);
  begin_memory(memory, k);
  StoredPart part(k.companion, path);
  std::vector<operand> in{part.target()};
  for (std::size_t i = 1; i < call.in.size(); ++i) {
    if (i != stored)
      in.push_back(call.in[i]);
    else if (change.empty_handle())
      in.emplace_back(0, "", "", 0);
    else
      in.emplace_back(change, "", "", 0);
  }
  bind({call.op, in, call.params});
  part.write_back();
  ++k.version;
  ++stores_;
}

}  // namespace numjit::transform
