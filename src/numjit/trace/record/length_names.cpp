// Lengths that depend on data: which calls are recorded with them, and how they are named.
#include <numjit/trace/record/length_names.h>

#include <numjit/array/lazy_node.h>
#include <numjit/base/error.h>
#include <numjit/ops/param_layout.h>

namespace numjit::tracing {
namespace {

constexpr std::int64_t most_beside = std::int64_t{1} << 20;  // elements for each one along the unknown axis

bool is_name(std::int64_t extent) { return extent >= detail::unknown_extents; }

bool is_unsized(const node* n) { return n && n->is(node::unsized); }

// The one name in a shape, or 0.
std::int64_t name_in(const node* n) {
  for (int axis = 0; axis < n->rank; ++axis)
    if (is_name(n->shape[axis])) return n->shape[axis];
  return 0;
}

// Indices that take an axis of unknown length as a whole.
bool takes_whole(const op_call& call) {
  const op_params& p = call.p();
  const node* n = call.in[0].n();
  int axis = 0;
  for (int at = 0; at < p.size();) {
    const layout::index_entry e = layout::next_index_entry(p, at);
    if (e.kind == layout::index_entry::newaxis) continue;
    if (axis < n->rank && e.kind != layout::index_entry::whole && is_name(n->shape[axis])) return false;
    ++axis;
  }
  return true;
}

// Is the op's shape rule right for names?
bool carries_names(const op_call& call) {
  const op_names names = structure_of(call.op).names;
  return names == op_names::kept || (names == op_names::kept_of_whole_axes && takes_whole(call));
}

const Record* root_of(const Record* r) {
  while (r->is_view) r = r->in[0];
  return r;
}

// May the store write to memory of `mask`?
bool may_write(const Record& store, const Record* mask) {
  const Record *target = root_of(store.in[0]), *read = root_of(mask);
  return target == read || (target->is_input && read->is_input);
}

// Is the slot bound to have the value of an earlier one already, if need be by others between?
bool relies_on(const ScalarSlot& slot, const ScalarSlot* earlier) {
  const ScalarSlot* s = &slot;
  while (s && s != earlier) s = s->differs ? nullptr : s->same_as;
  return s == earlier;
}

}  // namespace

bool has_unsized(const op_call& call) {
  for (const operand& o : call.in)
    if (is_unsized(o.n())) return true;
  return is_unsized(call.out) || is_unsized(call.where_mask);
}

// Has a store after the record `since` of this path possibly changed what `read` stands for?
bool LengthNames::written_since(const Record& since, const Record& read) const {
  for (const Record* r = path_.at; r != &since; r = r->parent)
    if (r == path_.trie->root() || r->op == op_id::black_box || (r->is_store && may_write(*r, &read))) return true;
  return false;
}

// Of two records of this path. The later one's numbers are compared with those of the earlier one.
bool LengthNames::is_before(const Record& first, const Record& second) const {
  const Record* r = &second;
  while (r != &first && r != path_.trie->root()) r = r->parent;
  return r == &first;
}

// Are two masks the same function of the same arrays, as in x(x > 0) = f(x(x > 0))? Numbers among
// the operands are equal now; `numbers` has those that must stay equal in later calls. Operations that are used more than
// once are compared as often: `steps` bounds that.
bool LengthNames::computes_the_same(const Record& first, const Record& second, SlotPairs& numbers, int& steps) const {
  if (--steps < 0) return false;
  if (first.is_input || second.is_input) return false;  // two inputs: of one the caller knows that it is the same
  if (first.op != second.op || info(first.op).kind != op_kind::ufunc || !(first.params == second.params) ||
      first.arity != second.arity || first.loop != second.loop || first.has_where || second.has_where)
    return false;
  for (int i = 0; i < first.arity; ++i) {
    const Record *a = first.in[i], *b = second.in[i];
    if (a && b) {
      if (a == b ? written_since(first, *a) : !computes_the_same(*a, *b, numbers, steps)) return false;
      continue;
    }
    if (a || b) return false;
    if (first.scalars[i].kind != second.scalars[i].kind || !is_same_value(first.scalars[i].value, second.scalars[i].value))
      return false;
    numbers.push_back(is_before(first, second) ? std::pair(&first.scalars[i], &second.scalars[i])
                                               : std::pair(&second.scalars[i], &first.scalars[i]));
  }
  return true;
}

// The name given to a length counted from this array, or from one that is computed in the same way,
// by this rule earlier in the segment, or 0.
std::uint32_t LengthNames::name_of_count(const node* counted, length_rule rule, const op_params& params) const {
  const Record* made_by = counted->is(node::lazy) ? counted->record : nullptr;
  if (const Record* input = path_.input_of(counted)) made_by = input;
  for (const Record* r = path_.at; r != path_.trie->root(); r = r->parent) {
    if (r->op == op_id::black_box) return 0;
    const data_length length = length_of_result(r->op);
    const Record* other = length.rule == rule && r->params == params ? r->in[length.input] : nullptr;
    if (other && other->cur == counted) return r->name;
    int steps = 64;
    if (SlotPairs numbers; other && made_by && computes_the_same(*other, *made_by, numbers, steps)) {
      if (std::any_of(numbers.begin(), numbers.end(),
                      [](const auto& p) { return p.second->same_as && !relies_on(*p.second, p.first); }))
        return 0;
      for (auto [earlier, later] : numbers)
        if (!later->same_as) later->same_as = earlier;
      return r->name;
    }
    if (!r->is_store) continue;
    if (!made_by || may_write(*r, made_by)) return 0;
  }
  return 0;
}

std::int64_t LengthNames::name_for(const op_call& call, const Record* known) {
  const data_length length = length_of_result(call.op);
  const node* counted = call.in[static_cast<std::size_t>(length.input)].n();
  fresh_ = known ? known->name : 0;
  if (!known && length.rule != length_rule::known && counted) fresh_ = name_of_count(counted, length.rule, call.p());
  if (fresh_ == 0) fresh_ = ++path_.trie->names;
  return detail::unknown_extents + fresh_;
}

// False where a rule that computes with extents made something of a name that is none, or there are several.
bool LengthNames::name_extents(const op_call& call, inference& inferred, const Record* known, int& unknown) {
  std::int64_t beside = 1;
  for (std::int64_t& extent : inferred.shape) {
    if (!is_name(extent)) {
      beside *= std::max<std::int64_t>(extent, 1);
      if (beside > most_beside) return false;
      continue;
    }
    if (++unknown > 1) return false;
    bool given = selects(call);
    for (const operand& o : call.in) given |= is_unsized(o.n()) && name_in(o.n()) == extent;
    if (given && call.op != op_id::concatenate) continue;
    if (call.op != op_id::concatenate) return false;
    const std::int64_t axis = layout::axis_of(call.p());
    const bool along = &extent == &inferred.shape[normalize_axis("concatenate", axis, inferred.shape.size())];
    if (along)
      extent = name_for(call, known);
    else if (!given)
      return false;
  }
  return true;
}

bool LengthNames::infer(const op_call& call, inference& inferred, const Record* known) {
  const bool names = has_unsized(call);
  if (names) {
    if (!carries_names(call)) return false;
    try {
      numjit::infer(call, inferred);
    } catch (const error&) {
      return false;
    }
  } else {
    numjit::infer(call, inferred);
  }
  if (call.op == op_id::mask_put && is_unsized(call.in[2].n()) &&
      name_in(call.in[2].n()) != detail::unknown_extents + name_of_count(call.in[1].n(), length_rule::true_elements, {}))
    return false;
  if (info(call.op).kind == op_kind::store) return true;
  fresh_ = 0;
  if (selects(call)) inferred.shape[0] = name_for(call, known);
  int unknown = 0;
  if (!name_extents(call, inferred, known, unknown)) return false;
  // A reshape may give all extents, and is checked when it runs; or it may split a length, which hides its
  // name. Views that start at one of the last elements depend on the length as well.
  if (call.op == op_id::reshape_view && unknown == 0) return call.in[0].n()->rank == 1;
  return !inferred.is_view || (unknown == 1 && inferred.offset < detail::unknown_extents);
}

void keep_names(Record& record) {
  node* n = record.cur;
  n->flags |= node::unsized;
  record.memo_shape = dims(n->shape, n->rank);
  record.memo_strides = dims(n->strides, n->rank);
}

void forget_length(Record& record) {
  detail::set_layout(record.cur, record.cur->type, record.memo_shape.size(), record.memo_shape.data(),
                     record.memo_strides.data());
  record.cur->flags |= node::unsized;
}

}  // namespace numjit::tracing
