// Arrays on which a compiled call of another thread has operations pending, where threads do not take turns.
#include <numjit/array/pending_use.h>
#include <numjit/base/error.h>
#include <numjit/base/thread_pool.h>
#include <numjit/ops/stores_into.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/learned_paths.h>

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace numjit::tracing {

#ifdef __EMSCRIPTEN__  // one thread records

void refuse_pending_elsewhere(const Recorder*, const node*, bool, std::string_view, const location&) {}
void Recorder::meet_others(const SegmentEnd&) const {}
void Recorder::note_place(Record&) {}

#else

namespace {

std::string at(const location* where) {
  return !where || where->line == 0 ? "" : fmt::format(" at {}:{}", where->file, where->line);
}

/// An immortal copy, the same for equal ones.
const location* interned(const location& where) {
  std::lock_guard lock(tables_mutex());
  static auto& table = *new std::map<std::pair<std::string, int>, location>;
  const auto [entry, is_new] = table.try_emplace({where.file, where.line}, where);
  if (is_new) entry->second.file = entry->first.first.c_str();
  return &entry->second;
}

}  // namespace

void refuse_pending_elsewhere(const Recorder* own, const node* n, bool writes, std::string_view op, const location& where) {
  // Pieces of a parallel run belong to who began it.
  if (n->is(node::lazy) || detail::inside_parallel()) return;
  const node* const owner = detail::storage_owner(const_cast<node*>(n));
  const bool is_open = own && own->is_open();
  const location* const store = detail::place_in(owner->stored_at);
  if (store && !(is_open && own->uses(owner, false)))
    throw ValueError(std::string(op),
                     fmt::format("an array that is used{} has a store pending that a compiled function on another thread made{}. "
                                 "Call np::flush() on that thread before others use the array.",
                                 at(&where), at(store)));
  if (!writes || detail::pending_uses(owner) <= (is_open && own->uses(owner, true) ? 1U : 0U)) return;
  throw ValueError(std::string(op),
                   fmt::format("an array that is stored to{} is used{} by a compiled function on another thread, where the "
                               "operation is pending. Call np::flush() on that thread before others store to the array.",
                               at(&where), at(detail::place_in(owner->used_at))));
}

// Where threads take turns, nobody asks.
void Recorder::note_place(Record& op) {
  if (detail::threads_take_turns) return;
  op.place = interned(op.where);
  for (int i = 0; i < op.arity; ++i) {
    Record* const in = op.in[i];
    if (!in || !in->is_input || in->place) continue;
    in->place = op.place;
    detail::set_place(detail::storage_owner(in->cur)->used_at, op.place);
  }
}

// A replayed call runs its segment at once, without asking who has pending what at each operation.
void Recorder::meet_others(const SegmentEnd& end) const {
  for (const Record* op : end.path) {
    if (op->is_input) continue;
    for (int i = 0; i < op->arity; ++i) {
      const Record* in = op->in[i];
      while (in && in->is_view) in = in->in[0];
      if (in && in->is_input && in->cur)
        detail::read_hooks.settle_others(in->cur, may_store_into(op->op, static_cast<std::size_t>(i)), info(op->op).name,
                                         op->where);
    }
  }
}

#endif

}  // namespace numjit::tracing
