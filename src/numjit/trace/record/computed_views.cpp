// Views at places still to be computed: recorded as copies, made views where the graph has run.
#include <numjit/trace/record/computed_views.h>

#include <algorithm>
#include <utility>

#include <numjit/array/shown.h>
#include <numjit/ops/location_of.h>
#include <numjit/ops/op_text.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/transform/level.h>

namespace numjit::tracing {
using transform::Level;

bool may_stand_for_view(const array& of) {
  const node* const n = of.get();
  if (detail::own_context.levels > 0 || n->device != 0 || (n->is(node::lazy) && n->is(node::unsized))) return false;
  return !detail::is_shown(Level::memory_of(of.get()));
}

void stand_for_view(ComputedView view) { Recorder::current().add(std::move(view)); }

void Recorder::add(ComputedView view) { computed_views_.push_back(std::move(view)); }

// Does the call write to memory that a computed view shows, or make a view of one?
bool Recorder::concerns_computed_views(const op_call& call) const {
  const op_kind kind = info(call.op).kind;
  const auto shows = [&](node* n) {
    const node* const owner = Level::memory_of(n);
    return std::any_of(computed_views_.begin(), computed_views_.end(),
                       [&](const ComputedView& v) { return owner == v.copy.get() || owner == Level::memory_of(v.of.get()); });
  };
  if (call.out) return shows(call.out);
  if (kind == op_kind::store) return shows(call.in[0].n());
  const auto is_copy = [&](const operand& o) {
    return o.n() && std::any_of(computed_views_.begin(), computed_views_.end(),
                                [&](const ComputedView& v) { return v.copy.get() == o.n(); });
  };
  if (kind == op_kind::view) return is_copy(call.in[0]);
  if (call.op == op_id::black_box)
    for (const operand& o : call.in)
      if (o.n() && shows(o.n())) return true;
  return false;
}

void Recorder::settle_computed_views(const op_call& call) {
  forget_dead_computed_views();
  if (!concerns_computed_views(call)) return;
  note_other_work();
  graph_break(BreakId::view_at_computed_place, location_of(call), nullptr, op_text(call.op, call.p()));
}

// Where nobody has the copy any more, or nobody but this has what it shows, nobody can tell it from a view.
void Recorder::forget_dead_computed_views() {
  const auto is_seen_by_views = [&](const node* owner) {
    for (const Record* r = path_.at; r != path_.trie->root(); r = r->parent)
      if (r->is_view && r->cur->refs > 1 && Level::memory_of(r->cur) == owner) return true;
    return false;
  };
  std::erase_if(computed_views_, [&](const ComputedView& v) {
    node *const copy = v.copy.get(), *const of = v.of.get();
    if (copy->is(node::lazy) && copy->refs <= 2) return true;  // its record has it, too
    if (!of->is(node::lazy) || of->refs > 2) return false;
    const node* const owner = Level::memory_of(of);
    return owner->is(node::lazy) && (owner == of || owner->refs <= 1) && (owner == of || !is_seen_by_views(owner));
  });
}

// Those that were recorded before what is discarded stay.
void Recorder::forget_discarded_computed_views() noexcept {
  std::erase_if(computed_views_, [](const ComputedView& v) { return v.copy.get()->is(node::poisoned); });
}

// The segment has run.
void Recorder::place_computed_views() {
  for (ComputedView& v : std::exchange(computed_views_, {})) {
    node* const copy = v.copy.get();
    if (copy->is(node::lazy) || copy->base || std::atomic_ref(copy->refs).load(std::memory_order_acquire) == 1) continue;
    note_other_work();
    detail::become_view(copy, v.view(v).get());
  }
}

}  // namespace numjit::tracing
