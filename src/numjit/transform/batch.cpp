// Operations on stacks in place of those on examples.
#include <numjit/transform/batch.h>

#include <string>

#include <fmt/format.h>

#include <numjit/array/unusable.h>
#include <numjit/base/error.h>
#include <numjit/base/location_scope.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

using detail::call;

namespace {

/// (n, shape...) with axes of 1 behind the first, so that n is followed by `rank` axes.
array widened(const array& stack, int rank) {
  dims shape = shape_of(stack);
  if (shape.size() - 1 >= rank) return stack;
  while (shape.size() - 1 < rank) shape.insert(1, 1);
  return reshaped(stack, shape);
}

dims with_first(std::int64_t n, const dims& shape) {
  dims made{n};
  for (const std::int64_t extent : shape) made.push_back(extent);
  return made;
}

// ---- stand-ins ----

/// What can be a view of it goes by how the example's elements would lie.
void lie_as(node* n, dtype_id type, int rank, const std::int64_t* shape, const std::int64_t* strides) {
  detail::set_layout(n, type, rank, shape, strides);
  n->flags |= node::lazy | node::poisoned;
}

}  // namespace

array BatchLevel::stand_in(const array& stack, node* owner) {
  node* const of = stack.get();
  node* n = detail::allocate_node();
  array made = array::adopt(n);
  n->type = of->type;
  detail::set_contiguous_layout(n, of->type, of->rank - 1, of->shape + 1);
  n->flags |= node::lazy | node::poisoned;
  n->deleter_context = detail::no_values_mark;
  if (owner) {
    n->base = owner;
    detail::retain(owner);
  }
  fresh_note(n).companion = stack;
  return made;
}

array BatchLevel::argument(const array& x, int axis) {
  const Below below(*this);
  const array stack = move_axis(x, axis, 0);
  const array made = stand_in(stack);
  const node* const n = stack.get();
  lie_as(made.get(), n->type, n->rank - 1, n->shape + 1, n->strides + 1);
  return made;
}

array BatchLevel::stack_of(const array& a) {
  if (array own = stack(a.get()); !own.empty_handle()) return own;
  const Below below(*this);
  return detail::expand_to(a, with_first(size_, shape_of(a)));
}

void BatchLevel::read(node* n, const char* why, const location&) {
  const std::string_view reason = why;
  if (reason == "size" || !is_active(n)) return;
  if (reason == "str")
    throw ValueError(name(),
                     "str() of a batched array: it stands for one example and has no values. Print its shape and dtype, or "
                     "return it.");
  throw ValueError(
      name(),
      fmt::format("{}() of a batched array: each example may branch its own way. Use np.where, or loop over the axis.", reason));
}

array BatchLevel::stopped_batch(const array& x) {
  const array all = stack(x.get());
  return all.empty_handle() ? array() : stand_in(stopped_below(all));
}

// ---- operations ----

array BatchLevel::active(const op_call& c) {
  if (kind_of(c.op) == op_kind::view) return batched_view(c);
  array made;
  {
    const Below below(*this);
    made = stand_in(batch_of_rows(Batched(*this, c)));
  }
  if (made.get()->rank < 2) return made;
  inference seen;  // as the example's would lie, by operands that may be transposed
  infer(c, seen);
  if (seen.strides.size() == made.get()->rank)
    lie_as(made.get(), seen.type, seen.shape.size(), seen.shape.begin(), seen.strides.begin());
  return made;
}

// A view of memory that lies somewhere is a view of it; of what only stands for a stack, another stand-in.
array BatchLevel::batched_view(const op_call& c) {
  node* const of = c.in[0].n();
  const array stack = [&] {
    const Below below(*this);
    return batch_of_rows(Batched(*this, c));
  }();
  array made;
  if (of->is(node::lazy)) {
    inference seen;
    infer(c, seen);
    if (!seen.is_view) return stand_in(stack);
    made = stand_in(stack, memory_of(of));
    lie_as(made.get(), seen.type, seen.shape.size(), seen.shape.begin(), seen.strides.begin());
    detail::offset_in_owner(made.get()) = detail::offset_in_owner(static_cast<const node*>(of)) + seen.offset;
  } else {
    made = carry_out(c);
    if (memory_of(made.get()) != memory_of(of)) return stand_in(stack);
  }
  note_view(c, made.get()).companion = stack;
  return made;
}

// Steps of views, each on the stack.
array BatchLevel::follow(const array& stack, const Path& path) {
  array at = stack;
  for (const ViewStep* step : path.steps()) {
    if (step->op == ViewStep::by_place)
      throw NotImplementedError(name(), "a view that was made before the function began can't become batched. Make it inside.");
    const detail::location_override place(&step->where);
    const array example = stand_in(at);
    const operand in(example, step->where.file, step->where.function, step->where.line);
    at = batch_of_rows(Batched(*this, {step->op, in, &step->params}));
  }
  return at;
}

// A generator has one state for all examples.
bool BatchLevel::before_opaque(const op_call& c) {
  if (c.op != op_id::random_draw || randomness_ == Randomness::same) return false;
  if (randomness_ == Randomness::different) return true;
  throw ValueError(name(),
                   "a random number is drawn, and randomness is 'error'. Draw outside and pass the numbers, or say "
                   "randomness='same' for one draw for all examples, 'different' for one for each.");
}

// ---- stores ----

bool BatchLevel::is_memory_active(node* memory) {
  const Note* k = note_of(memory);
  return k && (k->version > 0 || !k->companion.empty_handle());
}

// What the function did not make itself would hold one example's values, or the last one's.
void BatchLevel::before_store(node* n) {
  node* const memory = memory_of(n);
  const Note* k = note_of(memory);
  if (k && (k->made_inside || !k->companion.empty_handle())) return;
  throw ValueError(name(),
                   "a batched value is stored into an array made outside of the function. Make it inside, or return the value.");
}

void BatchLevel::know_memory(node* memory, const location&) {
  const Below below(*this);
  Note& k = note_for(memory);
  if (k.version > 0) return;
  k.companion =
      k.companion.empty_handle()
          ? detail::contiguous_copy(detail::expand_to(array::share(memory), with_first(size_, dims(memory->shape, memory->rank))))
          : detail::contiguous_copy(k.companion);
  ++k.version;
  ++stores_;
}

void BatchLevel::active_store(const op_call& c) {
  node* const target = c.in[0].n();
  node* const memory = memory_of(target);
  const array keep = array::share(memory);
  const Path path = path_of(target);
  inference checked;
  infer(c, checked);
  std::vector<array> stacks;
  {
    const Batched b(*this, c);
    const Below below(*this);
    for (std::size_t i = 1; i < c.in.size(); ++i) stacks.push_back(c.in[i].is_array() ? b.stack(i) : array());
  }
  know_memory(memory, {});
  const Below below(*this);
  Note& k = *note_of(memory);
  store_into_stack(c, follow(k.companion, path), stacks);
  ++k.version;
}

// ---- what rules see ----

dims Batched::shape(std::size_t i) const {
  const node* n = call_.in[i].n();
  return n ? dims(n->shape, n->rank) : dims();
}

array Batched::stack(std::size_t i, int rank) const {
  const operand& o = call_.in[i];
  array made = o.n() ? level_.stack(o.n()) : array();
  if (made.empty_handle()) {
    const array one = o.n() ? array::share(o.n()) : call(op_id::copy, {o});
    made = detail::expand_to(one, with_first(batch(), shape_of(one)));
  }
  return widened(made, rank);
}

array Batched::stack_or_given(std::size_t i) const {
  array made = level_.stack(call_.in[i].n());
  return made.empty_handle() ? array::share(call_.in[i].n()) : made;
}

array Batched::mask_stack(int rank) const {
  array made = level_.stack(call_.where_mask);
  return made.empty_handle() ? array::share(call_.where_mask) : widened(made, rank);
}

array Batched::one_by_one(const std::function<array(std::int64_t)>& first) const {
  std::vector<array> results;
  for (std::int64_t k = 0; k < batch(); ++k) {
    std::vector<array> parts;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!call_.in[i].is_array()) {
        parts.emplace_back();
        continue;
      }
      const array from = level_.stack(call_.in[i].n());
      parts.push_back(from.empty_handle() ? array::share(call_.in[i].n()) : example_of(from, k));
    }
    if (first) parts[0] = first(k);
    std::vector<operand> in;
    for (std::size_t i = 0; i < size(); ++i) in.push_back(parts[i].empty_handle() ? call_.in[i] : operand(parts[i], "", "", 0));
    const array one = bind({call_.op, in, call_.params});
    results.push_back(reshaped(one, with_first(1, shape_of(one))));
  }
  std::vector<operand> in;
  for (const array& r : results) in.emplace_back(r, "", "", 0);
  const op_params axis = layout::axis_params(0);
  return bind({op_id::concatenate, in, &axis});
}

void Batched::throw_length(const char* what) const {
  throw ValueError(
      level_.name(),
      fmt::format("the length of {} depends on values of a batched array. Use np.where, or loop over the axis.", what));
}

}  // namespace numjit::transform
