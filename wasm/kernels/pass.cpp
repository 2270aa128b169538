// What is computed when: which values are kept in locals, which are computed before the loop, which behind branches.
#include "pass.h"

#include <algorithm>

#include "simd.h"

namespace numjit::wasm_gen {

Pass::Pass(const Context& context, std::vector<Id> roots, int lanes) : c_(context), lanes_(lanes), roots_(std::move(roots)) {
  analyse(roots_);
}

int Pass::count_of(Id id) const {
  return !is_vector() || same_[id] ? 1 : vectors(width_kept(id));
}

int Pass::width_kept(Id id) const { return node(id).type == Type::b ? natural_[id] : width_of(node(id).type); }

void Pass::analyse(const std::vector<Id>& roots) {
  const Id count = c_.dag.size();
  needed_.resize(count);
  hot_.resize(count);
  same_.resize(count);
  forced_.resize(count);
  natural_.resize(count);
  uses_.resize(count);
  depth_.resize(count);
  local_.assign(count, -1);
  for (Id id : roots) {
    needed_[id] = hot_[id] = true;
    ++uses_[id];
  }
  for (Id id = count; id-- > 0;) {
    if (!needed_[id]) continue;
    const DagNode& n = node(id);
    for (int k = 0; k < arity_of(n.prim); ++k) {
      needed_[n.in[k]] = true;
      if (uses_[n.in[k]] < 1000) ++uses_[n.in[k]];
      if (hot_[id] && !(n.prim == Prim::rarely && k == 1)) hot_[n.in[k]] = true;
    }
  }
  for (Id id = 0; id < count; ++id) {
    if (!needed_[id]) continue;
    const DagNode& n = node(id);
    const int arity = arity_of(n.prim);
    bool same = true;
    int natural = 1;
    for (int k = 0; k < arity; ++k) {
      same = same && same_[n.in[k]];
      if (node(n.in[k]).type == Type::b && !is_constant(n.in[k])) natural = std::max<int>(natural, natural_[n.in[k]]);
      else if (n.type == Type::b && node(n.in[k]).type != Type::b) natural = std::max(natural, width_of(node(n.in[k]).type));
    }
    if (n.prim == Prim::leaf) {
      const Source& source = c_.sources[n.imm];
      same = source.kind == Source::Kind::scalar || source.kind == Source::Kind::fixed ||
             (source.kind == Source::Kind::array &&
              c_.arrays[static_cast<std::size_t>(source.index)].walk == Array::Walk::still);
    }
    same_[id] = same;
    natural_[id] = static_cast<std::uint8_t>(natural);
  }
  for (Id id = 0; id < count; ++id) {
    if (!needed_[id]) continue;
    const DagNode& n = node(id);
    const bool by_lanes = is_vector() && is_scalarized(n);
    const bool splits =
        is_vector() && (n.prim == Prim::mul || n.prim == Prim::quotient) && width_of(n.type) < 8 && !is_float(n.type);
    std::uint16_t depth = 0;
    for (int k = 0; k < arity_of(n.prim); ++k) {
      const Id in = n.in[k];
      const bool resized = is_vector() && width_kept(in) != (n.type == Type::b ? natural_[id] : width_of(n.type));
      if (by_lanes || splits || resized || (same_[in] && !same_[id])) forced_[in] = true;
      if (!wants_locals(in)) depth = std::max<std::uint16_t>(depth, depth_[in]);
    }
    depth_[id] = static_cast<std::uint16_t>(depth + 1);
    // Pushing is a recursion: its depth is bounded.
    if (depth_[id] > 40) forced_[id] = true;
    if (n.prim == Prim::rarely || n.prim == Prim::leaf || by_lanes) forced_[id] = true;
  }
}

bool Pass::wants_locals(Id id) const {
  if (is_constant(id)) return false;
  return forced_[id] || uses_[id] > 1;
}

void Pass::keep(Id id) {
  if (local_[id] >= 0) return;
  if (node(id).prim == Prim::rarely) return keep_rare(id);
  const int count = count_of(id);
  std::vector<int> locals;
  const Wasm type = is_vector() ? Wasm::v128 : scalar_type(node(id).type);
  for (int i = 0; i < count; ++i) locals.push_back(c_.code.local(type));
  for (int i = 0; i < count; ++i) {
    if (is_vector()) push_natural(id, i);
    else push_one(id);
    c_.code.set(locals[static_cast<std::size_t>(i)]);
  }
  local_[id] = locals[0];
  kept_.push_back(id);
}

/// select(c, slow, usual), with `slow` computed only if c holds for some element.
void Pass::keep_rare(Id id) {
  Function& f = c_.code;
  const DagNode n = node(id);
  const int count = count_of(id);
  const Wasm type = is_vector() ? Wasm::v128 : scalar_type(n.type);
  int result = 0, condition = 0;
  for (int i = 0; i < count; ++i) {
    const int at = f.local(type);
    if (i == 0) result = at;
  }
  for (int i = 0; i < count; ++i) {
    const int at = f.local(is_vector() ? Wasm::v128 : Wasm::i32);
    if (i == 0) condition = at;
  }
  for (int i = 0; i < count; ++i) {
    push(n.in[2], i);
    f.set(result + i);
    if (is_vector()) push_mask(n.in[0], width_of(n.type), i);
    else push(n.in[0]);
    f.set(condition + i);
  }
  f.get(condition);
  if (is_vector()) {
    for (int i = 1; i < count; ++i) f.get(condition + i).simd(simd::or_);
    f.simd(simd::any_true);
  }
  f.begin_if();
  const std::size_t before = kept_.size();
  keep_all({n.in[1]});
  for (int i = 0; i < count; ++i) {
    push(n.in[1], i);
    if (is_vector()) f.get(result + i).get(condition + i).simd(simd::bitselect);
    f.set(result + i);
  }
  // What was computed in the block is not there outside of it.
  while (kept_.size() > before) {
    local_[kept_.back()] = -1;
    kept_.pop_back();
  }
  f.end();
  local_[id] = result;
  kept_.push_back(id);
}

/// Keeps, in order, what `wanted` needs and what is to be kept.
void Pass::keep_all(const std::vector<Id>& wanted) {
  std::vector<Id> order, open = wanted;
  std::vector<bool> seen(c_.dag.size());
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    if (seen[id] || local_[id] >= 0) continue;
    seen[id] = true;
    order.push_back(id);
    const DagNode& n = node(id);
    for (int k = 0; k < arity_of(n.prim); ++k)
      if (!(n.prim == Prim::rarely && k == 1)) open.push_back(n.in[k]);
  }
  std::sort(order.begin(), order.end());
  for (Id id : order)
    if (wants_locals(id)) keep(id);
}

void Pass::before() {
  // Engines that leave constants where they stand would make each anew in every round.
  for (Id id = 0; is_vector() && id < c_.dag.size(); ++id)
    if (needed_[id] && hot_[id] && is_constant(id) && node(id).type != Type::b) keep(id);
  std::vector<Id> wanted;
  for (Id id = 0; id < c_.dag.size(); ++id)
    if (needed_[id] && hot_[id] && same_[id] && wants_locals(id)) wanted.push_back(id);
  keep_all(wanted);
  for (const Array& array : c_.arrays)
    if (is_vector() && array.walk == Array::Walk::strided && step_ < 0) step_ = c_.code.local(Wasm::i32);
}

void Pass::compute() { keep_all(roots_); }

void Pass::push(Id id, int i) {
  if (!is_vector()) {
    if (local_[id] >= 0) c_.code.get(local_[id]);
    else push_one(id);
    return;
  }
  if (node(id).type == Type::b) return push_mask(id, natural_[id], i);
  if (same_[id]) i = 0;
  if (local_[id] >= 0) c_.code.get(local_[id] + i);
  else push_natural(id, i);
}

void Pass::push_stored(Id id, int i) {
  if (!is_vector() || node(id).type != Type::b) return push(id, i);
  push_mask(id, 1, i);
  c_.code.simd(simd::const_);
  for (int k = 0; k < 16; ++k) c_.code.raw(1);
  c_.code.simd(simd::and_);
}

void Pass::push_one(Id id) {
  Function& f = c_.code;
  const DagNode& n = node(id);
  switch (n.prim) {
    case Prim::leaf: return push_leaf(id, 0);
    case Prim::constant: return write_scalar_constant(f, n.type, n.imm);
    case Prim::select:
      push(n.in[1]);
      push(n.in[2]);
      push(n.in[0]);
      f.raw(op::select);
      return;
    default:
      for (int k = 0; k < arity_of(n.prim); ++k) push(n.in[k]);
      write_scalar_op(f, c_.dag, n);
  }
}

void write_loop(const Context& context, const std::vector<Stored>& stores, int count, int lanes, int index) {
  Function& f = context.code;
  std::vector<Id> roots;
  for (const Stored& s : stores) roots.push_back(s.value);
  std::vector<int> steps = {1};
  if (lanes >= 8) steps.insert(steps.begin(), 4);  // what is left is three elements then, not seven
  if (lanes > 1) steps.insert(steps.begin(), lanes);
  for (int step : steps) {
    Pass pass(context, roots, step);
    f.get(count).i32(step).raw(op::i32_ge_s).begin_if();
    pass.before();
    f.begin_loop();
    pass.compute();
    for (const Stored& s : stores) pass.store(s.value, context.arrays[static_cast<std::size_t>(s.array)], s.part);
    for (const Array& array : context.arrays) pass.advance(array);
    if (index >= 0) f.increase(index, step);
    f.get(count).i32(step).raw(op::i32_sub).tee(count).i32(step).raw(op::i32_ge_s).br_if(0);
    f.end().end();
  }
}

}  // namespace numjit::wasm_gen
