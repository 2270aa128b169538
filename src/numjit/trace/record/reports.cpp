// What the recorder tells: guards, breaks, and reads.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_set>

#include <fmt/format.h>

#include <numjit/array/unusable.h>
#include <numjit/base/clock.h>
#include <numjit/base/config.h>
#include <numjit/base/location_provider.h>
#include <numjit/base/log.h>
#include <numjit/base/user_frames.h>
#include <numjit/ops/op_text.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/counters.h>
#include <numjit/trace/state/interpreter_scope.h>
#include <numjit/trace/state/pending.h>

namespace numjit::tracing {

using detail::log;
using detail::log_enabled;

std::vector<std::string> Recorder::guards_of(const SegmentEnd& end) const {
  std::vector<std::string> guards;
  int input = 0;
  for (const Record* r : end.path) {
    if (!r->is_input) continue;
    const node* n = r->cur;
    const std::size_t given = argument_number(n);
    const std::string name = given < std::min(function_->arguments.size(), arguments.size()) ? name_of_input(n) : "";
    ++input;
    std::string text = fmt::format("{}: {}, {}", name.empty() ? fmt::format("input {}", input) : name,
                                   graph::type_text(n->type, n->rank), n->is(node::c_contiguous) ? "C-contiguous" : "strided");
    for (int axis = 0; axis < n->rank; ++axis) {
      if (r->static_axes >> axis & 1)
        text += fmt::format(", axis {} has length {}", axis, n->shape[axis]);
      else if (n->shape[axis] == 1)
        text += fmt::format(", axis {} has length 1", axis);
    }
    guards.push_back(std::move(text));
  }
  return guards;
}

// ---- breaks ----

BreakEvent Recorder::describe(BreakId id, const location& where, node* about, std::string_view message) const {
  BreakEvent event{id, std::string(message), "", detail::known_location(where)};
  if (config().user_stack) event.frames = detail::user_frames();
  if (!about) {
    event.context = fmt::format("pending ops: {}", path_.ops);
    return event;
  }
  event.context = fmt::format("{}({})", message.empty() ? "value" : message, graph::type_text(about->type, about->rank));
  if (const Record* made_by = about->record; about->is(node::lazy) && made_by) {
    int number = 0;
    for (const Record* r = made_by; r != path_.trie->root(); r = r->parent) ++number;
    event.context += fmt::format(" of op {} = {}(...)", number, op_text(made_by->op, made_by->params));
    if (event.where.line == 0) event.where = made_by->where;
  }
  // Printing has no place of its own, and an array that was written to is made by no operation: the one before it.
  const auto is_above = [&](const Record* r) { return r && r != path_.trie->root(); };
  for (const Record* r = path_.at; event.where.line == 0 && is_above(r); r = r->parent) event.where = r->where;
  return event;
}

void Recorder::log_break(const BreakEvent& event) {
  static std::mutex mutex;
  static auto& seen = *new std::unordered_set<std::string>;
  static std::uint64_t generation = 0;
  std::string key = fmt::format("{}:{}:{}", event.where.file, event.where.line, int(event.id));
  bool fresh;
  {
    std::lock_guard lock(mutex);
    if (generation != reset_generation()) {
      seen.clear();
      generation = reset_generation();
    }
    fresh = seen.insert(std::move(key)).second;
  }
  log(log_channel::graph_breaks, fresh ? break_text(event)
                                       : fmt::format("Graph break in user code at {}:{}, {} (user stack suppressed due to "
                                                     "duplicate graph break)",
                                                     event.where.file, event.where.line, break_row(event.id).title));
}

void Recorder::graph_break(BreakId id, const location& where, node* about, std::string_view message) {
  note_other_work();
  if (depth_ == 0 || eager_rest_) return;
  const bool logs = log_enabled(log_channel::graph_breaks);
  if (!observers.need(CallObserver::breaks) && !error_on_break && !logs && !in_fullgraph()) {
    ++own_counters().breaks;
    return end_segment(EndKind::break_);
  }
  const BreakEvent event = describe(id, where, about, message);
  observers.tell([&](CallObserver& o) { o.before_break(event); });
  if (in_fullgraph()) {
    discard_segment(fullgraphs.back());
    throw GraphBreakError(std::string(break_row(id).id), "", break_text(event));
  }
  ++own_counters().breaks;
  // What it costs at each call: planning and kernels are made once.
  const auto now_ns = [&] { return detail::clock_ns() - runtime::asking_ns() - passes_ns_; };
  const std::int64_t start = now_ns();
  end_segment(EndKind::break_);
  const std::int64_t cost = std::max<std::int64_t>(now_ns() - start, 0);
  observers.tell([&](CallObserver& o) { o.on_break(event, cost); });
  if (logs) log_break(event);
  if (error_on_break) throw GraphBreakError(std::string(break_row(id).id), "", break_text(event));
}

void Recorder::materialize(node* n, const char* why, const location& where) {
  if (kept_error_) [[unlikely]]
    throw_swallowed();
  if (small_loops_.at_once() && !n->is(node::lazy) && runs_small_at_once()) return;  // nothing is pending
  if (!is_usable(n)) refuse_unusable(why, n);
  if (depth_ == 0) return;
  if (observers.need(CallObserver::reads) && !reading_) [[unlikely]]
    return read_watched(n, why, where);
  read(n, why, where);
}

inline void Recorder::read(node* n, const char* why, const location& where) {
  note_other_work();  // the body may depend on what it reads
  const std::string_view reason = why;
  if (!n->is(node::lazy)) {
    // A concrete array: only pending stores to its storage matter; raw memory also if it is read.
    node* owner = detail::storage_owner(n);
    if (!path_.uses(owner, reason == "data")) return;
  }
  graph_break(break_of(reason), where, n, reason);
}

// What reads to carry this one out is part of it.
void Recorder::read_watched(node* n, const char* why, const location& where) {
  const BreakEvent event = describe(break_of(why), where, n, why);
  observers.tell([&](CallObserver& o) { o.before_read(event, why); });
  {
    const Raised reading(reading_);
    read(n, why, where);
  }
  observers.tell([&](CallObserver& o) { o.after_read(event, n, why); });
}

// A function of its own, as small operations ask at each call.
void Recorder::tell_other_work() const {
  observers.tell([](CallObserver& o) { o.on_other_work(); });
}

bool Recorder::stores_to(node* n) const { return path_.uses(detail::storage_owner(n), false); }

void Recorder::show_until_end(node* n, const location& where) {
  node* owner = detail::storage_owner(n);
  // Temporaries whose addresses were taken are gone: nothing but this list has them.
  std::erase_if(shown_, [](const array& a) {
    const bool gone = std::atomic_ref(a.get()->refs).load(std::memory_order_acquire) == 1;
    if (gone) detail::hide(a.get());
    return gone;
  });
  if (std::any_of(shown_.begin(), shown_.end(), [&](const array& a) { return a.get() == owner; })) return;
  detail::show(owner, "a pointer or span", where);
  shown_.push_back(array::share(owner));
}

void show_until_call_ends(node* n, const location& where) {
  if (!detail::recording && !is_disabled_on_thread()) return;
  if (Recorder& recorder = Recorder::current(); recorder.is_open()) recorder.show_until_end(n, where);
}

bool has_pending_stores(node* n) { return detail::recording && Recorder::current().stores_to(n); }

bool begin_at_one_place(const node* a, const node* b) {
  struct Place {
    const void* owner = nullptr;  // what makes it, or stands for a batch; null: it has memory, `at` is the address
    std::int64_t at = 0;
    bool operator==(const Place&) const = default;
  };
  const auto address_of = [](const node* n) -> std::int64_t { return reinterpret_cast<std::intptr_t>(n->data); };
  const auto place_of = [&](const node* n) {
    if (!n->is(node::lazy)) return Place{nullptr, address_of(n)};
    if (n->deleter_context == numjit::detail::no_values_mark)
      return Place{n->base ? n->base : n, numjit::detail::offset_in_owner(n)};
    const Record* made_by = n->record;
    std::int64_t at = 0;
    for (; made_by && made_by->is_view; made_by = made_by->in[0]) at += made_by->view_offset;
    if (!made_by || !made_by->is_input) return Place{made_by, at};
    return Place{nullptr, at + address_of(made_by->cur)};
  };
  const Place place = place_of(a);
  return place != Place() && place == place_of(b);
}

}  // namespace numjit::tracing
