// The run of a segment, which every call of a compiled function goes through: the plan for what is alive, and what becomes
// of the nodes. A file of its own, which pages compile for speed; segment.cpp has what is done once.
#include <algorithm>
#include <exception>
#include <utility>

#include <numjit/array/lazy_node.h>
#include <numjit/array/pending_use.h>
#include <numjit/array/remote.h>
#include <numjit/base/clock.h>
#include <numjit/runtime/kernels/cache.h>
#include <numjit/runtime/launch/fused_call.h>
#include <numjit/trace/record/recorder.h>
#include <numjit/trace/state/counters.h>

namespace numjit::tracing {

using detail::make_concrete;

namespace {

}  // namespace

void Recorder::find_live(const SegmentEnd& end) {
  live_.assign(end.lazy_slots.size(), [&](std::size_t i) { return (*end.lazy_slots[i])->refs > 1; });
}

// What levels note beside arrays that nobody holds any more would stay alive as if somebody did.
void Recorder::forget_dead_notes() const noexcept {
  for (const Record* r = path_.at; r != path_.trie->root(); r = r->parent)
    if (!r->is_store && r->cur && r->cur->refs == 1 && r->cur->notes) detail::drop_notes(r->cur);
}

void Recorder::run_variant(SegmentEnd& end, SegmentVariant& variant) {
  // Where breaks are errors, so are kernels that can't be made.
  const bool throws = function_->fullgraph || are_breaks_errors();
  const runtime::kernel_request_scope requests(function_->name, current_stance() == Stance::run_only, throws);
  if (function_->backend == Backend::user) {
    variant.epoch = 0;
    run_user_backend(end, variant);
    variant.epoch = epoch_;
  } else {
    end.run(variant, epoch_, function_->name, function_->backend != Backend::halide);
  }
  ++end.runs;
  if (variant.plan->has_news()) [[unlikely]] {
    own_counters().eager_ops += variant.plan->take_single_ops();
    late_error_ = variant.plan->take_error();
  }
}

// Live lazies become concrete in place; their records get fresh nodes.
void Recorder::escape(SegmentEnd& end) {
  end.give_out(live_);
  for (std::uint32_t at : end.unsized) forget_length(*end.path[at]);
}

// The code of users that a segment calls may have threads of its own: what they do belongs to the segment.
Recorder::Unnoted::Unnoted(Recorder& recorder) : r(recorder) {
  for (node* owner : r.path_.stored_owners) detail::note_store(owner, nullptr);
  for (node* owner : r.path_.owners) detail::end_use(owner);
}
Recorder::Unnoted::~Unnoted() {
  for (node* owner : r.path_.owners) detail::begin_use(owner);
}

void Recorder::start_over(SegmentEnd* from) {
  path_.begin(from, !small_loops_.at_once());
  if (!boxes_.empty()) [[unlikely]]
    drop_boxes();
}

std::exception_ptr Recorder::run_for_others() noexcept {
  try {
    end_segment(EndKind::cut);
    return nullptr;
  } catch (...) {
    if (!error_for_others_) detail::lazy_owner::left_for_owners.fetch_add(1, std::memory_order_relaxed);
    return error_for_others_ = std::current_exception();
  }
}

// What other threads left here: handles that they dropped, and the error of what they ran.
void Recorder::take_from_others(EndKind kind) {
  lazies_.release_dropped();
  if (!error_for_others_) return;
  detail::lazy_owner::left_for_owners.fetch_sub(1, std::memory_order_relaxed);
  const std::exception_ptr error = std::exchange(error_for_others_, nullptr);
  if (kind != EndKind::exception) std::rethrow_exception(error);
}

inline void Recorder::run_noted(SegmentEnd& end, SegmentVariant& variant) {
  if (boxes_.empty() && function_->backend != Backend::user) [[likely]]
    return run_variant(end, variant);
  const Unnoted unnoted(*this);
  run_variant(end, variant);
}

void Recorder::run_timed(SegmentEnd& end, SegmentVariant& variant) {
  const auto spent = [] { return detail::clock_ns() - runtime::asking_ns(); };
  const std::int64_t start = spent(), kernels_before = runtime::FusedCall::timed_ns();
  run_noted(end, variant);
  times_ = {spent() - start, runtime::FusedCall::timed_ns() - kernels_before};
}

void Recorder::tell_segment(SegmentEnd& end, const SegmentVariant* variant, EndKind kind) {
  const SegmentEvent event{*this, end, variant, live_, kind, function_->name, boxes_, std::exchange(times_, {})};
  observers.tell([&](CallObserver& o) { o.on_segment(event); });
}

void Recorder::end_segment(EndKind kind) {
  if (detail::lazy_owner::left_for_owners.load(std::memory_order_relaxed) != 0) [[unlikely]]
    take_from_others(kind);
  if (path_.is_empty()) {
    path_.unbind_from(0);
    return;
  }
  if (kind == EndKind::cut) {
    ++own_counters().cuts;
    if (observers.need(CallObserver::costs)) [[unlikely]]
      observers.tell([](CallObserver& o) { o.on_cut(); });
  }
  bool refused = false;
  const Raised busy(busy_);
  try {
    SegmentEnd& end = end_of(*path_.at);
    if (detail::own_context.levels > 0) [[unlikely]]
      save_for_way_back(end);
    if (!computed_views_.empty()) [[unlikely]]
      forget_dead_computed_views();
    find_live(end);
    SegmentVariant* variant = end.find_variant(live_, epoch_);
    const bool known = variant;
    if (!variant) [[unlikely]]
      variant = variant_not_met(end, kind, refused);
    if (variant) {
      if (observers.need(CallObserver::costs)) [[unlikely]]
        run_timed(end, *variant);
      else
        run_noted(end, *variant);
      small_loops_.guess(end);
      if (kind == EndKind::cut || kind == EndKind::break_)
        small_loops_.weigh(end, *variant, !known, small_loops_allowed(), *path_.trie, function_->name);
    }
    if (observers.any()) [[unlikely]]
      tell_segment(end, variant, kind);
    escape(end);
    path_.unbind_from(0);
    start_over(&end);
    if (!computed_views_.empty()) [[unlikely]]
      place_computed_views();
  } catch (...) {
    late_error_ = nullptr;
    const SegmentEnd* const failed = path_.at->end;
    discard_segment();
    throw_of_segment(kind, failed);
  }
  if (refused || late_error_) [[unlikely]]
    report_end(kind, refused);
}

}  // namespace numjit::tracing
