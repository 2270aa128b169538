// Matching of op calls against the trie, and growing it.
#include <numjit/base/log.h>
#include <numjit/ops/stores_into.h>
#include <numjit/trace/record/recorder.h>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include <numjit/array/marks.h>
#include <numjit/array/pending_use.h>
#include <numjit/array/remote.h>
#include <numjit/array/unusable.h>
#include <numjit/base/config.h>
#include <numjit/ops/borrowed.h>
#include <numjit/ops/inferred_layout.h>
#include <numjit/ops/op_text.h>
#include <numjit/ops/promotion.h>
#include <numjit/ops/stored_literal.h>
#include <numjit/trace/state/counters.h>
#include <numjit/trace/state/op_policy.h>

namespace numjit::tracing {
namespace {

// Whether the call succeeds depends on values: a negative exponent of an integer power is an error.
bool checks_values(const op_call& call) {
  if (call.op != op_id::power || call.in.size() != 2 || !call.in[1].is_array()) return false;
  const operand& base = call.in[0];
  const char kind = base.is_array() ? dtype(base.n()->type).kind() : base.kind() <= weak_kind::int_ ? 'i' : 'f';
  return kind != 'f' && kind != 'c' && dtype(call.in[1].n()->type).kind() == 'i';
}

/// Why a segment is cut at a mark.
const char* reason_of_cut(const Record& mark, std::size_t ops) {
  return keeps_most(mark.live_before, ops)
             ? "the graph became long, and most of its values are kept, so that they are stored. Hint: drop "
               "those that are not needed; in a page, by np.tidy around each round"
             : "the graph became long";
}

runtime::ScalarValue value_of(const operand& o) { return {o.kind(), o.above_int64(), o.int_value(), o.real(), o.imag()}; }

// Does the op read or write memory that others look at? What is computed from it lies elsewhere.
bool uses_shown(const Record& record) {
  return std::any_of(record.in, record.in + record.arity, [](const Record* in) { return in && in->is_input && in->shown; });
}

bool params_equal(const Record& record, const op_call& call) { return record.params == call.p(); }

}  // namespace

// ---- matching ----

bool Recorder::try_bind(Record& input, node* n) {
  if (n->signature != input.signature || (n->flags & (node::lazy | node::poisoned))) return false;
  if ((input.static_axes != 0 || n->is(node::marked) || function_->static_sizes) && !static_sizes_match(input, n)) return false;
  if (path_.input_of(n)) return false;  // bound already, as another input
  node* owner = detail::storage_owner(n);
  if (is_seen(owner) != input.shown) return false;
  if (path_.slot_of(owner) != input.slot) return false;
  path_.bind(input, n, owner);
  const std::int64_t *shape = input.memo_shape.data(), *strides = input.memo_strides.data();
  for (int i = 0; i < n->rank; ++i)
    if ((n->shape[i] != shape[i]) | (n->strides[i] != strides[i])) [[unlikely]] {
      note_layout(input, n);
      break;
    }
  return true;
}

void Recorder::note_layout(Record& input, const node* n) {
  input.memo_shape.assign(n->shape, n->rank);
  input.memo_strides.assign(n->strides, n->rank);
  ++epoch_;
}

bool Recorder::static_sizes_match(const Record& input, const node* n) const {
  if (guarded_axes(n, function_->static_sizes) != input.static_axes) return false;
  for (int axis = 0; axis < n->rank; ++axis)
    if ((input.static_axes >> axis & 1) && n->shape[axis] != input.memo_shape[axis]) return false;
  return true;
}

inline bool Recorder::operand_matches(Record& record, int i, const operand& o) {
  Record* in = record.in[i];
  if (node* n = o.n()) return in && (in->cur == n || (in->is_input && !in->cur && try_bind(*in, n)));
  if (in) return false;
  ScalarSlot& slot = record.scalars[i];
  if (slot.kind != o.kind() || (slot.checked && !literal_matches(record, i, o))) return false;
  if (slot.same_as && is_same_value(slot.same_as->value, value_of(o)) == slot.differs) [[unlikely]]
    return false;
  slot.value = value_of(o);
  return true;
}

// A literal that this loop's dtype can't hold is another path: comparisons have a wider loop for it,
// where() wraps it in the same one, elsewhere infer() throws. So it does for a negative exponent.
bool Recorder::literal_matches(const Record& record, int i, const operand& o) {
  if (o.kind() == weak_kind::float_) return whole_fits(o, record.in_type[i]);
  const runtime::ScalarValue& last = record.scalars[i].value;
  if (last.integer == o.int_value() && last.above_int64 == o.above_int64()) return true;
  if (record.op != op_id::where && !literal_fits(o, record.in_type[i])) return false;
  return record.op != op_id::power || i != 1 || o.int_value() >= 0 || o.above_int64();
}

bool Recorder::matches(Record& record, const op_call& call) {
  const int given = static_cast<int>(call.in.size()) + (call.where_mask != nullptr);
  if (record.op != call.op || record.is_input || record.is_cut || record.arity != given ||
      record.has_where != (call.where_mask != nullptr))
    return false;
  const bool same_params = params_equal(record, call);
  if (!same_params &&
      !(has_value_params(call.op) && record.params.size() == call.p().size() && record.params.has_type() == call.p().has_type() &&
        (!record.params.has_type() || record.params.type() == call.p().type())))
    return false;
  const std::size_t bound_before = path_.bound.size();
  bool same = true;
  for (int i = 0; same && i < static_cast<int>(call.in.size()); ++i)
    same = operand_matches(record, i, call.in[static_cast<std::size_t>(i)]);
  if (same && call.where_mask) {
    Record* in = record.in[record.arity - 1];
    same = in && (in->cur == call.where_mask || (in->is_input && !in->cur && try_bind(*in, call.where_mask)));
  }
  if (same && (!same_params || record.epoch != epoch_)) same = refresh(record, call);
  if (!same) path_.unbind_from(bound_before);
  return same;
}

// Runs the op's rules again after a layout or a size parameter changed. False if the op would now be
// another one (another loop, dtype or rank). Errors of the op itself arise here, at the guilty call.
bool Recorder::refresh(Record& record, const op_call& call) {
  inference inferred;
  if (has_unsized(call) || selects(call)) {
    if (!lengths_.infer(call, inferred, &record)) return false;
  } else {
    infer(call, inferred);
  }
  if (record.is_store) {
    record.epoch = epoch_;
    return true;
  }
  if (inferred.type != record.cur->type || inferred.loop != record.loop || inferred.is_view != record.is_view ||
      inferred.shape.size() != record.cur->rank || is_unsized(inferred.shape) != record.is_unsized)
    return false;
  if (!(record.params == call.p())) {
    record.params = call.p();
    ++epoch_;
  }
  node* n = record.cur;
  detail::set_layout(n, inferred);
  if (record.is_view) record.view_offset = inferred.offset;
  if (record.is_unsized) keep_names(record);
  record.epoch = epoch_;
  return true;
}

Record* Recorder::find_child(const op_call& call) {
  if (path_.expected && matches(*path_.expected, call)) return path_.expected;
  for (Record* child = path_.at->first_child; child; child = child->sibling)
    if (child != path_.expected && matches(*child, call)) return child;
  return nullptr;
}

// The program may let go of a box before the segment that calls it runs.
void Recorder::hold_box(const Record& record) { boxes_.push_back(detail::black_box_of(record.params[0])); }
// Not where segments begin, as nearly none has one.
void Recorder::drop_boxes() { boxes_.clear(); }

// Moves to `record`, which matched or was made for `call`, and returns its array.
array Recorder::take(Record* record, const op_call& call) {
  if (path_.is_empty()) path_.note_first(record);
  path_.advance(record);
  if (record->is_store) path_.note_store_to(record->in[0]);
  array result = array::share(record->is_store ? call.in[0].n() : record->cur);
  if (record->needs_care | cut_due_) [[unlikely]]
    take_care_of(*record);
  return result;
}

// What the ops that need it have beside their arrays: see Record::needs_care.
void Recorder::take_care_of(const Record& record) {
  if (moves_state(record.op)) path_.note_store_to(record.in[0]);
  if (record.op == op_id::black_box) hold_box(record);
  const bool cuts = record.shown | cut_due_;
  if (record.errors != value_errors::none) settle_errors(record);
  if (cuts) cut_behind(record);
}

// The short way of the calls made most often: the record expected next, with the operands it knows.
template <class... Operand>
bool Recorder::follows(Record* r, op_id op, const Operand&... operands) {
  if (!r || r->short_op != op) return false;
  const std::size_t bound_before = path_.bound.size();
  int i = 0;
  if ((operand_matches(*r, i++, operands) && ...) && (r->epoch == epoch_ || takes_shape(*r, operands...))) [[likely]]
    return true;
  path_.unbind_from(bound_before);
  return false;
}

// Some layout changed since this record was matched last. Where the arrays among the operands have one
// shape, so has the result, and, if they lie in C's order, nothing else can differ: dtypes and loop follow from the guards.
template <class... Operand>
bool Recorder::takes_shape(Record& record, const Operand&... operands) {
  const node* full = nullptr;
  auto agrees = [&](const node* n) {
    if (!n || n->rank == 0 || n == full) return true;
    if (!n->is(node::c_contiguous)) return false;  // strides decide about the result's order
    if (full) return detail::same_shape(n, full);
    full = n;
    return true;
  };
  node* result = record.cur;
  if (!(agrees(operands.n()) && ...) || !full || full->rank != result->rank) return false;
  if (full->is(node::unsized) != record.is_unsized) return false;
  bool copies = full->type == result->type;
  for (int i = 0; i < full->rank; ++i) copies &= full->shape[i] > 1;  // elsewhere strides may be odd
  if (copies)
    detail::copy_layout(result, full);
  else
    detail::set_contiguous_layout(result, result->type, full->rank, full->shape);
  if (record.is_unsized) [[unlikely]]
    keep_names(record);
  record.epoch = epoch_;
  return true;
}

inline array Recorder::advance(Record* r) {
  path_.advance(r);
  ++r->cur->refs;  // lazy: of this thread alone
  return array::adopt(r->cur);
}

inline bool is_value_of(const Record* in, const operand& o) { return in && in->cur == o.n(); }

array Recorder::apply_ufunc(op_id op, const operand& a) {
  Record* r = path_.expected;
  if (r && r->short_op == op && r->epoch == epoch_ && a.n() && is_value_of(r->in_few[0], a)) [[likely]]
    return advance(r);
  return apply_ufunc_general(op, a);
}

array Recorder::apply_ufunc(op_id op, const operand& a, const operand& b) {
  Record* r = path_.expected;
  if (r && r->short_op == op && r->epoch == epoch_ && a.n() && b.n() && is_value_of(r->in_few[0], a) &&
      is_value_of(r->in_few[1], b)) [[likely]]
    return advance(r);
  return apply_ufunc_general(op, a, b);
}

// The same with numbers among the operands or inputs not met before in this segment.
template <class... Operand>
array Recorder::apply_ufunc_general(op_id op, const Operand&... operands) {
  Record* r = path_.expected;
  if (r && !(detail::others_record() && (detail::may_be_pending_elsewhere(operands.n()) || ...)) && follows(r, op, operands...))
    return advance(r);
  return apply_slow({op, {operands...}});
}

array Recorder::apply(const op_call& call) {
  if (small_loops_.at_once() && runs_at_once(call)) return run_at_once(call);
  if (info(call.op).kind == op_kind::ufunc && !call.params && !call.out && !call.where_mask) {
    if (call.in.size() == 1) return apply_ufunc(call.op, call.in[0]);
    if (call.in.size() == 2) return apply_ufunc(call.op, call.in[0], call.in[1]);
  }
  return apply_slow(call);
}

array Recorder::apply_slow(const op_call& call) {
  if (kept_error_) [[unlikely]]
    throw_swallowed();
  if (detail::others_record()) [[unlikely]]
    detail::settle_others(call);
  if (eager_rest_) return detail::eager_interpreter->apply(call);
  if (small_loops_.at_once() && runs_at_once(call)) return run_at_once(call);
  check_operands(call);
  if (!computed_views_.empty()) [[unlikely]]
    settle_computed_views(call);
  if (is_disallowed(call.op)) return run_breaking_op(call, BreakId::disallowed_op);
  if (checks_values(call)) return run_breaking_op(call, BreakId::checked_value);
  if (call.out) return apply_with_out(call);
  if (is_concrete_view(call) && !works_on_copies()) return detail::eager_interpreter->apply(call);
  if (const Record* mark = in_fullgraph() ? nullptr : recorded_cut(call)) {
    if (observers.need(CallObserver::costs)) tell_cut(reason_of_cut(*mark, path_.ops), location_of(call));
    end_segment(EndKind::cut);
    if (small_loops_.at_once() && runs_at_once(call)) return run_at_once(call);
  }
  Record* record = find_child(call);
  if (record) return take(record, call);
  if (inference inferred; has_unsized(call) || selects(call)) [[unlikely]] {
    if (!lengths_.infer(call, inferred, nullptr))
      return has_unsized(call) ? apply_sized(call) : run_breaking_op(call, BreakId::data_dependent_shape);
  }
  if (const Stance stance = current_stance(); stance > Stance::force_eager) [[unlikely]] {
    if (!function_->learned.knows(keys_of(call).path)) {
      refuse_growth(call, stance);
      return detail::eager_interpreter->apply(call);
    }
  }
  // After a cut the call starts a segment, which may be known.
  if (cut_if_wanted(call)) {
    if (small_loops_.at_once() && runs_at_once(call)) return run_at_once(call);
    record = find_child(call);
  }
  if (!record) {
    const auto start = std::chrono::steady_clock::now();
    record = append(call);
    record_ns_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
    if (!record) [[unlikely]] {
      go_on_eagerly();
      return detail::eager_interpreter->apply(call);
    }
  }
  return take(record, call);
}

// ---- calls that do not pay ----

// Where somebody sees graphs, breaks or times, or what stands below would see another order of operations, all calls are
// recorded.
const std::shared_ptr<CallWeigher>* Recorder::weigher_of([[maybe_unused]] FunctionState& function) {
#ifdef __EMSCRIPTEN__
  return nullptr;
#else
  const auto& settings = config();
  if (!settings.adaptive || function.backend != Backend::halide || function.fullgraph || function.replay) return nullptr;
  if (function.float_mode.value_or(settings.float_mode) != float_mode::exact || settings.check_same_bits) return nullptr;
  if (detail::own_context.levels > 0 || detail::own_context.base_interpreter || detail::device_now() != 0) return nullptr;
  if (current_stance() != Stance::default_ || are_breaks_errors()) return nullptr;
  for (const log_channel channel : {log_channel::graph_breaks, log_channel::recompiles, log_channel::guards, log_channel::graph})
    if (detail::log_enabled(channel)) return nullptr;
  select_trie(function);
  return &path_.trie->weigher;
#endif
}

// ---- small arrays whose graphs do not pay ----

#ifdef __EMSCRIPTEN__
bool Recorder::small_loops_allowed() const { return false; }
bool Recorder::makes_views_at_once() { return false; }
bool Recorder::runs_small_at_once() { return false; }
#else
// Only where nobody asked for graphs: not for export and explain(), nor for a user's backend or a stance.
bool Recorder::small_loops_allowed() const {
  return function_->backend == Backend::halide && !observers.need(CallObserver::graphs) && current_stance() == Stance::default_ &&
         detail::device_now() == 0;
}

bool Recorder::makes_views_at_once() { return eager_rest_ || (!works_on_copies() && !is_disallowed(op_id::index)); }

// Whoever asks will run something that is not recorded.
bool Recorder::runs_small_at_once() {
  if (!small_loops_.at_once() || !path_.is_empty() || are_breaks_errors() || works_on_copies()) return eager_rest_;
  note_other_work();
  return true;
}
#endif

bool Recorder::runs_at_once(const op_call& call) const {
  return path_.is_empty() && !are_breaks_errors() && !works_on_copies() && SmallLoops::are_small(call);
}

array Recorder::run_at_once(const op_call& call) {
  note_other_work();
  ++small_loops_.ops;
  return detail::eager_interpreter->apply(call);
}

// ---- cuts and stances ----

// The mark where this path ended before, when such a call came.
const Record* Recorder::recorded_cut(const op_call& call) const {
  for (const Record* child = path_.at->first_child; child; child = child->sibling)
    if (child->is_cut && child->op == call.op && child->key == call_key(call.op, location_of(call))) return child;
  return nullptr;
}

// Asked when nothing recorded matches: ends the segment if it has become long, and leaves a mark so
// that the path is cut here ever after.
bool Recorder::cut_if_wanted(const op_call& call) {
  if (in_fullgraph()) {
    check_graph_limit(call);
    return false;
  }
  const std::uint64_t key = call_key(call.op, location_of(call));
  if (!cuts_.want_cut(path_.trie->root(), path_.at, call, key)) return false;
  Record* head = path_.at;
  while (head->parent != path_.trie->root()) head = head->parent;
  ++head->cut_segments;
  Record* mark = path_.trie->new_record(0, false);
  mark->live_before = cuts_.live_before;
  if (observers.need(CallObserver::costs)) tell_cut(reason_of_cut(*mark, path_.ops), location_of(call));
  mark->is_cut = true;
  mark->op = call.op;
  mark->key = key;
  mark->parent = path_.at;
  mark->sibling = path_.at->first_child;
  path_.at->first_child = mark;
  end_segment(EndKind::cut);
  return true;
}

// Others look at memory that this op, the last one, reads or writes: it runs here, so that they see what was stored, and
// so that it reads what is there now.
void Recorder::cut_behind(const Record& record) {
  cut_due_ = holds_cuts_;
  if (holds_cuts_ || path_.ops == 0) return;  // the latter: the operation ran already, for its errors
  const auto shown = std::find_if(path_.bound.begin(), path_.bound.end(), [](const Record* input) { return input->shown; });
  if (observers.need(CallObserver::costs) && shown != path_.bound.end()) {
    const detail::shown_by who = detail::who_shows(detail::storage_owner((*shown)->cur));
    std::string reason = fmt::format("shown by {}", who.by);
    if (who.where.line != 0) reason += fmt::format(" at {}:{}", who.where.file, who.where.line);
    tell_cut(reason + ": runs at its line", record.where);
  }
  end_segment(EndKind::cut);
}

void Recorder::check_graph_limit(const op_call& call) {
  const auto limit = static_cast<std::int64_t>(config().graph_limit);
  if (path_.ops < limit) return;
  graph_break(BreakId::graph_limit, location_of(call), nullptr, std::to_string(limit));
}

// The stance allows no new graph: what is pending runs, then the call goes on eagerly, or fails.
void Recorder::refuse_growth(const op_call& call, Stance stance) {
  const GuardMiss miss = guard_miss(keys_of(call));
  const location where = location_of(call);
  if (stance != Stance::fail_on_recompile) return go_on_eagerly();
  end_segment(EndKind::fallback);
  throw RecompileError(std::string(info(call.op).name),
                       fmt::format("{} would be compiled at {}:{}, and the stance is 'fail_on_recompile': {}. Call it "
                                   "with such arguments before the stance is set, or use 'eager_on_recompile'.",
                                   function_->name, where.file, where.line,
                                   miss.argument.empty() ? "this operation was not recorded here before" : miss.text()));
}

// What is pending runs, and the rest of the call is not recorded.
void Recorder::go_on_eagerly() {
  end_segment(EndKind::fallback);
  eager_rest_ = true;
  note_other_work();
  path_.expected = nullptr;
}

// A lazy array of another thread or of a failed segment is an error before anything else happens.
void Recorder::check_operands(const op_call& call) const {
  for (const operand& o : call.in)
    if (o.is_array() && !is_usable(o.n())) refuse_unusable(std::string(info(call.op).name), o.n());
  for (const node* n : {call.out, call.where_mask})
    if (n && !is_usable(n)) refuse_unusable(std::string(info(call.op).name), n);
}

// Concrete, or pending in this recorder.
bool Recorder::is_usable(const node* n) const {
  if (!n->is(node::lazy)) return true;
  return !n->is(node::poisoned) && depth_ > 0 && n->record->trie == path_.trie && n->record->cur == n;
}

// Views of concrete arrays are metadata: made at once, and bound as inputs where they are used.
bool Recorder::is_concrete_view(const op_call& call) const {
  return info(call.op).kind == op_kind::view && call.in[0].is_array() && !call.in[0].n()->is(node::lazy);
}

// The op without its out=. Errors name all shapes, that of `whole`'s out among them.
array Recorder::apply_plain(const op_call& plain, const op_call* whole) {
  try {
    return apply(plain);
  } catch (const error&) {
    inference inferred;
    if (whole) infer(*whole, inferred);
    throw;
  }
}

// out=: the op, then a store, which returns its target. The checks of the one-step form come first, except
// where the op is the one expected and its result like `out`, which passes them all.
array Recorder::apply_with_out(const op_call& call) {
  const bool names = has_unsized(call);
  const auto is_named = [&] {
    inference inferred;
    return lengths_.infer(call, inferred, nullptr);
  };
  if (names && !is_named()) return apply_sized(call);
  auto passes = [&](const node* value) {
    return value->type == call.out->type && detail::same_shape(value, call.out) && !call.out->is(node::readonly);
  };
  const Record* expected = path_.expected;
  const bool known = !names && expected && expected->op == call.op && expected->cur && expected->epoch == epoch_ &&
                     !call.where_mask && passes(expected->cur);
  auto check = [&] {
    inference inferred;
    infer(call, inferred);
  };
  if (!known && !names) check();
  op_call plain = call;
  plain.out = nullptr;
  const bool masked = call.where_mask && info(call.op).kind == op_kind::ufunc;
  if (masked) plain.where_mask = nullptr;
  // Nobody can look between the op and the store: they run together, if at once.
  const array value = [&] {
    const Raised together(holds_cuts_);
    return apply_plain(plain, known ? &call : nullptr);
  }();
  if (known && !passes(value.get())) check();
  const auto& [file, function, line] = call.where;
  const operand in[] = {
      borrowed(call.out, call.where), {value, file, function, line}, borrowed(masked ? call.where_mask : call.out, call.where)};
  return apply({masked ? op_id::masked_store : op_id::store, {in, masked ? 3u : 2u}, nullptr, nullptr, nullptr, call.where});
}

// The program needs a length: the segment ends, and the call goes on with all extents known.
array Recorder::apply_sized(const op_call& call) {
  node* about = nullptr;
  for (const operand& o : call.in)
    if (!about && o.n() && o.n()->is(node::unsized)) about = o.n();
  if (!about) about = call.out && call.out->is(node::unsized) ? call.out : call.where_mask;
  graph_break(BreakId::data_dependent_shape, location_of(call), about, op_text(call.op, call.p()));
  return apply(call);
}

// The shape of the result, or whether there is one, needs values: the segment ends, the op runs at once.
array Recorder::run_breaking_op(const op_call& call, BreakId why) {
  inference inferred;
  if (!has_unsized(call)) infer(call, inferred);
  graph_break(why, location_of(call), call.in.empty() ? nullptr : call.in[0].n(), op_text(call.op, call.p()));
  return detail::eager_interpreter->apply(call);
}

// ---- growing ----

Record* Recorder::bind_new_input(node* n) {
  Record* input = path_.trie->new_record(0, false);
  input->is_input = true;
  input->signature = n->signature;
  input->static_axes = guarded_axes(n, function_->static_sizes);
  input->memo_shape = dims(n->shape, n->rank);
  input->memo_strides = dims(n->strides, n->rank);
  node* owner = detail::storage_owner(n);
  const std::size_t slot = path_.slot_of(owner);
  input->slot = static_cast<std::uint16_t>(slot);
  input->brings_owner = slot == path_.owners.size();
  input->shown = is_seen(owner);
  input->path = guard_key(n, input->static_axes, slot, path_.bound.size());
  path_.bind(*input, n, owner);
  return input;
}

Record* Recorder::producer_of(const operand& o, std::uint16_t& new_inputs) {
  node* n = o.n();
  if (n->is(node::lazy)) return n->record;
  if (Record* input = path_.input_of(n)) return input;
  ++new_inputs;
  return bind_new_input(n);
}

void Recorder::make_lazy(Record& record, const op_call& call, const inference& inferred) {
  node* n = detail::allocate_node();
  n->flags |= node::lazy;
  n->deleter_context = detail::this_thread();
  n->record = &record;
  detail::set_layout(n, inferred);
  if (inferred.is_view) {
    record.is_view = true;
    record.view_offset = inferred.offset;
    if (call.in[0].n()->is(node::readonly) || structure_of(call.op).readonly_view) n->flags |= node::readonly;
  }
  record.cur = n;
  record.is_unsized = is_unsized(inferred.shape);
  if (record.is_unsized) keep_names(record);
}

// A record beside one that was refused because a number is not equal to an earlier one: there it
// never is.
void Recorder::part_from_siblings(Record& record) const {
  for (const Record* other = path_.at->first_child; other; other = other->sibling) {
    if (other->op != record.op || other->arity != record.arity || !other->scalars ||
        !std::equal(other->in, other->in + other->arity, record.in))
      continue;
    for (int i = 0; i < record.arity; ++i) {
      const ScalarSlot& slot = other->scalars[i];
      if (!slot.same_as || slot.differs || is_same_value(slot.same_as->value, record.scalars[i].value)) continue;
      record.scalars[i].same_as = slot.same_as;
      record.scalars[i].differs = true;
      return;
    }
  }
}

// Which records and inputs the operands are, and which numbers.
void Recorder::note_operands(Record& record, const op_call& call, const inference& inferred) {
  std::uint16_t new_inputs = 0;
  for (std::size_t i = 0; i < call.in.size(); ++i) {
    const operand& o = call.in[i];
    if (o.is_array()) {
      record.in[i] = producer_of(o, new_inputs);
      continue;
    }
    ScalarSlot& slot = record.scalars[i];
    slot.kind = o.kind();
    slot.value = value_of(o);
    const char type_kind = i < 3 ? dtype(inferred.in_type[i]).kind() : 'f';
    const bool stores_float = o.kind() == weak_kind::float_ && info(call.op).kind == op_kind::store;
    slot.checked = (o.kind() == weak_kind::int_ || stores_float) && (type_kind == 'i' || type_kind == 'u') && i < 3;
  }
  if (record.scalars) part_from_siblings(record);
  if (!call.where_mask) return;
  record.has_where = true;
  array mask = array::share(call.where_mask);
  record.in[call.in.size()] = producer_of(operand(mask), new_inputs);
}

// Null where the function's limit of recompiles forbids it.
Record* Recorder::append(const op_call& call) {
  const Raised busy(busy_);
  inference inferred;
  // Errors of the op: nothing was recorded yet.
  const bool names = has_unsized(call) || selects(call);
  if (names)
    lengths_.infer(call, inferred, nullptr);  // has been found possible
  else
    infer(call, inferred);
  const op_kind kind = info(call.op).kind;
  if (kind == op_kind::store && call.in[0].n()->is(node::readonly))
    throw ValueError(std::string(info(call.op).name), "assignment destination is read-only");
  const PathKeys keys = keys_of(call);
  if (!learn_path(call, keys)) return nullptr;

  bool with_scalars = false;
  for (const operand& o : call.in) with_scalars |= !o.is_array();
  const int arity = static_cast<int>(call.in.size()) + (call.where_mask != nullptr);
  Record* record = path_.trie->new_record(arity, with_scalars);
  record->op = call.op;
  record->params = call.p();
  record->where = location_of(call);
  record->is_backward = detail::own_context.sweeping_back;
  record->key = call_key(call.op, record->where);
  record->path = keys.path;
  record->live_before = cuts_.live_before;
  record->errors = value_errors_of(call);
  record->loop = inferred.loop;
  if (names) record->name = lengths_.fresh();
  std::copy(std::begin(inferred.in_type), std::end(inferred.in_type), std::begin(record->in_type));
  note_operands(*record, call, inferred);
  if (kind == op_kind::store)
    record->is_store = true;
  else
    make_lazy(*record, call, inferred);
  record->epoch = epoch_;
  record->shown = uses_shown(*record);
  record->needs_care =
      record->shown || record->errors != value_errors::none || moves_state(call.op) || call.op == op_id::black_box;
  if (arity >= 1 && arity <= 2 && kind == op_kind::ufunc && !record->has_where && call.p().size() == 0 && !call.p().has_type() &&
      !record->shown)
    record->short_op = call.op;
  note_place(*record);
  record->parent = path_.at;
  record->sibling = path_.at->first_child;
  path_.at->first_child = record;
  return record;
}

}  // namespace numjit::tracing
