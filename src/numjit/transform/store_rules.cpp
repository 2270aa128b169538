// The rules of stores: memory has a value before and one after, of which a part is what was stored.
#include <numjit/transform/paths.h>
#include <numjit/transform/rules.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

using detail::call;

namespace {

// Inputs of the operation on the tape: 0 the memory's elements before, as an array of the shape of what owns it; 1 and 2 as the
// operation has them. The result is the memory's elements behind it.

/// For each of `count` places, whether the value that was stored there last is the one at this number: stores of one place follow
/// each other. `places`: flat, from 0.
array is_last(const array& places, std::int64_t n) {
  const array numbers = count_to(places.get()->size), last = zeros(dims{n}, dtype_id::int64);
  const operand in[] = {last, places, numbers};
  bind({op_id::put_index, in});
  return binary(op_id::equal, call(op_id::take, {last, places}, layout::take_params(0)), numbers);
}

array from_front(const array& index, std::int64_t n) {
  const array whole = detail::cast(index, dtype_id::int64);
  return select(binary(op_id::less, whole, operand(0, "", "", 0)), binary(op_id::add, whole, operand(n, "", "", 0)), whole);
}

/// The stored value's cotangent: that of the places it went to. For put_index those that nothing else was stored to later.
array piece_of(const Adjoint& a, const array& target) {
  switch (a.applied().op) {
    case op_id::masked_store: return select(a.value(2), target, operand(0, "", "", 0));
    case op_id::mask_put: {
      const operand in[] = {target, a.value(1)};
      return bind({op_id::mask_select, in});
    }
    case op_id::put_index: {
      const std::int64_t n = shape_of(target)[0];
      const array& index = a.array_value(1);
      const array places = from_front(index, n);
      const array taken = call(op_id::take, {target, places}, layout::take_params(0));
      dims kept = shape_of(index);
      for (int i = 1; i < rank_of(target); ++i) kept.push_back(1);
      return select(reshaped(is_last(reshaped(places, dims{-1}), n), kept), taken, operand(0, "", "", 0));
    }
    default: return detail::contiguous_copy(target);
  }
}

/// The operation with another value, on another target.
void store_like(const Seen& s, const array& target, const operand& value) {
  std::vector<operand> in{target};
  switch (s.applied().op) {
    case op_id::masked_store: in.push_back(value), in.push_back(s.value(2)); break;
    case op_id::mask_put:
    case op_id::put_index: in.push_back(s.value(1)), in.push_back(value); break;
    default: in.push_back(value);
  }
  bind({s.applied().op, in, s.applied().params.get()});
}

std::size_t stored_input(op_id op) { return op == op_id::mask_put || op == op_id::put_index ? 2 : 1; }

void adjoint_of_store(Adjoint& a) {
  const array memory = a.g();  // nobody else's: see Tape::sweep
  StoredPart part(memory, a.applied().path);
  const std::size_t value = stored_input(a.applied().op);
  if (a.is_active(value)) a.give(value, piece_of(a, part.target()));
  if (!a.is_active(0)) return;
  store_like(a, part.target(), operand(0, "", "", 0));
  part.write_back();
  a.cotangents().put_own(a.applied().in(0).variable, memory);
}

array tangent_of_store(const Tangent& t) {
  const array memory = t.changes(0) ? detail::contiguous_copy(t.change(0)) : zeros(t.result_shape(), t.result_type());
  StoredPart part(memory, t.applied().path);
  const std::size_t value = stored_input(t.applied().op);
  if (t.changes(value))
    store_like(t, part.target(), t.change(value));
  else
    store_like(t, part.target(), operand(0, "", "", 0));
  part.write_back();
  return memory;
}

// ---- a part that is known by its place ----

array places_of_part(const Seen& s) { return places_of(*s.applied().path.steps().front(), s.shape(0)); }

void adjoint_of_place(Adjoint& a) {
  const dims shape = a.shape(0);
  const array sum = call(op_id::add_places, {reshaped(a.g(), dims{-1}), reshaped(places_of_part(a), dims{-1})},
                         layout::count_params(element_count(shape)));
  a.give(0, reshaped(sum, shape));
}
array tangent_of_place(const Tangent& t) {
  return call(op_id::take, {reshaped(t.change(0), dims{-1}), places_of_part(t)}, layout::take_params(0));
}
constexpr Rule place_rule{Rule::kind::known, 0, &adjoint_of_place, &tangent_of_place};

}  // namespace

const Rule& rule_of_place() { return place_rule; }

#define NUMJIT_STORE_RULES(name)                           \
  void adjoint_##name(Adjoint& a) { adjoint_of_store(a); } \
  array tangent_##name(const Tangent& t) { return tangent_of_store(t); }
NUMJIT_STORE_RULES(store)
NUMJIT_STORE_RULES(masked_store)
NUMJIT_STORE_RULES(put_index)
NUMJIT_STORE_RULES(mask_put)
#undef NUMJIT_STORE_RULES

}  // namespace numjit::transform
