// States of reductions.
#include "reduction.h"

#include <bit>

#include <numjit/ops/rows.h>

namespace numjit::wasm_gen {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;
using runtime::KernelVariant;

std::vector<dtype_id> output_types(const KernelSpec& spec) {
  std::vector<dtype_id> types;
  for (std::uint16_t output : spec.outputs) types.push_back(spec.nodes[output].type);
  return types;
}

std::vector<Buffer*> pointers(std::vector<Buffer>& a) {
  std::vector<Buffer*> list;
  for (Buffer& b : a) list.push_back(&b);
  return list;
}
std::vector<Buffer*> pointers(std::vector<Buffer>& a, std::vector<Buffer>& b) {
  std::vector<Buffer*> list = pointers(a);
  for (Buffer& x : b) list.push_back(&x);
  return list;
}

std::vector<Reduction> reductions_of(const KernelSpec& spec, int level) {
  std::vector<Reduction> list;
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    const KernelNode& node = spec.nodes[i];
    if (node.kind != KernelNodeKind::reduce || node.index != level) continue;
    Reduction r;
    r.node = static_cast<int>(i);
    r.op = node.op;
    r.loop = node.loop;
    r.input = node.in[0];
    r.input_type = spec.nodes[node.in[0]].type;
    r.is_arg = info(node.op).kind == op_kind::argreduction;
    r.type = r.is_arg ? r.input_type : node.type;
    r.parts.assign(is_complex(r.type) ? 2 : 1, part_type(r.type));
    if (r.is_arg) r.parts.push_back(Type::i32);
    r.fills = r.op == op_id::prod && is_complex(r.type);  // (1 + 0i) z is z but for signs of zeros
    if (r.fills) r.parts.push_back(Type::b);
    list.push_back(r);
  }
  return list;
}

namespace {
Id is_nan(Dag& dag, dtype_id type, Value v) {
  const auto test = [&](Id id) { return dag.make(Prim::ne, Type::b, id, id); };
  if (!is_float(part_type(type))) return dag.constant(Type::b, 0);
  return is_complex(type) ? dag.make(Prim::bit_or, Type::b, test(v.re), test(v.im)) : test(v.re);
}
}  // namespace

States::States(Kernel& kernel, const KernelSpec& spec, int level) : k(kernel), list(reductions_of(spec, level)) {
  for (const Reduction& r : list)
    for (Type t : r.parts) parts.push_back(t);
}

std::vector<State> States::from(const std::vector<Id>& ids) const {
  std::vector<State> states;
  std::size_t at = 0;
  for (const Reduction& r : list) {
    State s;
    s.value.re = ids[at++];
    if (is_complex(r.type)) s.value.im = ids[at++];
    if (r.is_arg) s.place = ids[at++];
    if (r.fills) s.filled = ids[at++];
    states.push_back(s);
  }
  return states;
}

std::vector<Id> States::ids(const std::vector<State>& states) const {
  std::vector<Id> ids;
  for (std::size_t i = 0; i < list.size(); ++i) {
    ids.push_back(states[i].value.re);
    if (is_complex(list[i].type)) ids.push_back(states[i].value.im);
    if (list[i].is_arg) ids.push_back(states[i].place);
    if (list[i].fills) ids.push_back(states[i].filled);
  }
  return ids;
}

std::vector<State> States::elements(const KernelSpec& spec, const Leaves& leaves, Id place) const {
  std::vector<State> states;
  for (const Reduction& r : list) {
    Value v = k.lower(spec, r.input, leaves);
    if (r.input_type != r.type) v = cast(k.dag, r.input_type, r.type, v);
    states.push_back({v, place, k.dag.constant(Type::b, 1)});
  }
  return states;
}

std::vector<State> States::starts(Id place) const {
  std::vector<State> states;
  for (const Reduction& r : list) {
    const auto part = [&](Type t) { return k.dag.constant(t, start_bits(r.op, t)); };
    State s;
    s.value.re = part(r.parts[0]);
    if (is_complex(r.type)) s.value.im = part(r.parts[1]);
    s.place = place;
    s.filled = k.dag.constant(Type::b, 0);
    states.push_back(s);
  }
  return states;
}

std::vector<State> States::chosen(Id condition, const std::vector<State>& b, const std::vector<State>& a) const {
  const std::vector<Id> x = ids(b), y = ids(a);
  std::vector<Id> list_of;
  for (std::size_t i = 0; i < x.size(); ++i) list_of.push_back(choose(condition, parts[i], x[i], y[i]));
  return from(list_of);
}

Value States::finished(std::size_t i, const State& state) const {
  if (!list[i].is_arg) return state.value;
  return {k.dag.make(Prim::convert, Type::i64, state.place), 0};
}

std::vector<State> States::joined(const std::vector<State>& a, const std::vector<State>& b, bool any_order) const {
  std::vector<State> result;
  for (std::size_t i = 0; i < list.size(); ++i) result.push_back(join(list[i], a[i], b[i], any_order));
  return result;
}

Id States::better(const Reduction& r, Value b, Value a) const {
  Dag& dag = k.dag;
  const Value in[2] = {b, a};
  const Id wins = apply(dag, r.op, r.loop, in).re;
  const Id a_is_number = dag.make(Prim::bit_not, Type::b, is_nan(dag, r.type, a));
  return dag.make(Prim::bit_or, Type::b, wins, dag.make(Prim::bit_and, Type::b, is_nan(dag, r.type, b), a_is_number));
}

Id States::choose(Id condition, Type t, Id x, Id y) const {
  Dag& dag = k.dag;
  if (t != Type::b) return dag.make(Prim::select, t, condition, x, y);
  const Id other = dag.make(Prim::bit_not, Type::b, condition);
  return dag.make(Prim::bit_or, t, dag.make(Prim::bit_and, t, condition, x), dag.make(Prim::bit_and, t, other, y));
}

State States::join(const Reduction& r, const State& a, const State& b, bool any_order) const {
  Dag& dag = k.dag;
  if (!r.is_arg) {
    const Value in[2] = {a.value, b.value};
    State s{apply(dag, r.op, r.loop, in), 0, 0};
    if (!r.fills) return s;
    const auto part = [&](Type t, Id joined, Id x, Id y) {
      return choose(a.filled, t, choose(b.filled, t, joined, x), y);
    };
    s.value = {part(r.parts[0], s.value.re, a.value.re, b.value.re), part(r.parts[1], s.value.im, a.value.im, b.value.im)};
    s.filled = dag.make(Prim::bit_or, Type::b, a.filled, b.filled);
    return s;
  }
  Id take = better(r, b.value, a.value);
  if (any_order) {
    const Id lost = better(r, a.value, b.value), earlier = dag.make(Prim::lt, Type::b, b.place, a.place);
    take = dag.make(Prim::bit_or, Type::b, take,
                    dag.make(Prim::bit_and, Type::b, dag.make(Prim::bit_not, Type::b, lost), earlier));
  }
  State s;
  s.value.re = choose(take, r.parts[0], b.value.re, a.value.re);
  if (is_complex(r.type)) s.value.im = choose(take, r.parts[1], b.value.im, a.value.im);
  s.place = dag.make(Prim::select, Type::i32, take, b.place, a.place);
  return s;
}

std::vector<dtype_id> reduced_types(const KernelSpec& spec, const KernelVariant& variant) {
  if (variant.size_class == runtime::size_class_whole) return output_types(spec);
  std::vector<dtype_id> types;
  for (const Reduction& r : reductions_of(spec, 0)) {
    types.push_back(r.type);
    if (r.is_arg) types.push_back(dtype_id::int32);
  }
  return types;
}

std::vector<Value> results(Kernel& k, const States& states, const std::vector<State>& finished, const Leaves& at_end) {
  if (k.variant.size_class == runtime::size_class_whole) {
    Leaves leaves = at_end;
    leaves.reduced = [&](int node) {
      std::size_t i = 0;
      while (states.list[i].node != node) ++i;
      return states.finished(i, finished[i]);
    };
    return k.lower_all(k.spec, leaves);
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < states.list.size(); ++i) {
    values.push_back(finished[i].value);
    if (states.list[i].is_arg) values.push_back({finished[i].place, 0});
  }
  return values;
}

std::uint64_t start_bits(op_id op, Type t) {
  const op_neutral neutral = neutral_of(op);
  if (t == Type::f32) return std::bit_cast<std::uint32_t>(neutral_value<float>(neutral));
  if (t == Type::f64) return std::bit_cast<std::uint64_t>(neutral_value<double>(neutral));
  const int bits = 8 * width_of(t);
  const std::uint64_t all = t == Type::b ? 1 : ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t most = is_signed(t) ? all >> 1 : all, least = is_signed(t) ? all ^ most : 0;
  switch (neutral) {
    case op_neutral::one: return 1;
    case op_neutral::lowest: return least;
    case op_neutral::highest: return most;
    default: return 0;
  }
}

}  // namespace numjit::wasm_gen
