// The recorder: the interpreter of an open compiled region. Matches op calls against the trie of
// records, grows it where the program does something new, and runs segments when they end.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <numjit/array/lazy_node.h>
#include <numjit/array/shown.h>
#include <numjit/base/config.h>
#include <numjit/ops/black_box.h>
#include <numjit/trace/record/computed_views.h>
#include <numjit/trace/record/cut_policy.h>
#include <numjit/trace/record/length_names.h>
#include <numjit/trace/record/observer.h>
#include <numjit/trace/record/path.h>
#include <numjit/trace/record/small_loops.h>
#include <numjit/trace/state/breaks.h>
#include <numjit/trace/state/function_state.h>
#include <numjit/trace/state/stance.h>

namespace numjit::tracing {

/// Adds to what compile_times() tells; see profiler.cpp.
void add_recording_time(const std::string& function, std::int64_t record_ns, std::int64_t passes_ns);

class Recorder final : public interpreter {
 public:
  /// The calling thread's recorder, made on first use.
  static Recorder& current();

  array apply(const op_call& call) override;
  array apply_ufunc(op_id op, const operand& a) override;
  array apply_ufunc(op_id op, const operand& a, const operand& b) override;
  bool makes_views_at_once() override;
  bool runs_small_at_once() override;

  // ---- regions (see region.h for the scope object) ----
  /// Opens the outermost region for `function`, or notes an inner one.
  void enter(FunctionState& function);
  /// Runs what is pending and closes the outermost region. `unwinding`: an exception is in flight.
  void leave(FunctionState& function, bool unwinding);
  bool is_open() const { return depth_ > 0; }
  /// Who says how a call of `function`, which is about to begin, is to run; null where nothing but recording will do.
  const std::shared_ptr<CallWeigher>* weigher_of(FunctionState& function);
  /// A recorded call is measured: what it would take eagerly is guessed.
  void begin_guess() { small_loops_.begin_guess(); }
  std::int64_t eager_guess() const { return small_loops_.eager_guess(); }
  /// The program asks whether it is compiled.
  void note_asked_whether_compiling() { path_.trie->weigher->never(); }
  /// Number of the open (or last) outermost region, and how many detail::eager_on_thread were open as it began.
  std::uint64_t region_number = 0;
  int region_extents = 0;
  int depth() const { return depth_; }
  /// The function of the outermost region, which is or was open.
  FunctionState* function() const { return function_; }

  /// Ends the segment because the program needs a value. Throws GraphBreakError where breaks are
  /// errors. Does nothing outside a region. `about`: the array whose value is asked for, or null;
  /// `message` fills the explanation's {}. Texts are built only if someone reads them.
  void graph_break(BreakId id, const location& where, node* about = nullptr, std::string_view message = {});
  /// Makes `n` readable: see detail::value_hooks.
  void materialize(node* n, const char* why, const location& where);
  /// Do pending stores write the storage of this concrete array?
  bool stores_to(node* n) const;
  /// Counts the memory of a concrete array as shown from here to the end of the outermost call.
  void show_until_end(node* n, const location& where);
  /// Runs the pending segment.
  void end_segment(EndKind kind);
  /// Keeps an error: see value_errors.h.
  void keep(std::exception_ptr error, bool leaves_call);
  /// The error that was kept, which is kept no longer; null for one that its handler got.
  std::exception_ptr take_kept();
  bool keeps_error() const { return kept_error_ != nullptr; }
  void drop_kept() noexcept { kept_error_ = nullptr; }
  /// Runs what is pending before a function changes arrays unseen. In a bundle that is not possible.
  void cut_for_changes(const location& where);
  /// Runs what is pending before a constant is computed.
  void flush_for_constant(const location& where);
  /// Runs what is pending and forgets all records of the function: they were made under other rules.
  void drop_records();
  /// A place in the pending segment.
  struct Checkpoint {
    std::uint64_t segment = 0;  // another one pending: the place is its beginning
    Record* at = nullptr;
    std::uint32_t ops = 0;
    std::size_t bound = 0, stored_owners = 0;
  };
  Checkpoint here() const { return {path_.segments_begun, path_.at, path_.ops, path_.bound.size(), path_.stored_owners.size()}; }
  void add(ComputedView view);
  /// Forgets the pending segment from a place on: stores are dropped, lazies poisoned.
  void discard_segment(const Checkpoint& from) noexcept;
  void discard_segment() noexcept { discard_segment(Checkpoint()); }

  /// What the inputs of a segment, which are bound now, were guarded for, as texts.
  std::vector<std::string> guards_of(const SegmentEnd& end) const;

  // ---- replay (see replay.h) ----
  /// Can a call of `function` on this thread, now, do without its body? Selects its records.
  bool replay_possible(FunctionState& function);
  std::vector<std::shared_ptr<ReplayEntry>>& replay_entries();
  /// Shall the next call that ran its body be learned from? False for a while after many in a row that could not be.
  bool tries_replay();
  void count_replay_attempt(bool learned_it);
  /// Runs the segment of `entry`; `outputs` gets the arrays of its live values.
  void replay(FunctionState& function, ReplayEntry& entry, const std::vector<node*>& arguments, std::vector<array>& outputs,
              bool on_copies = false);
  /// Nodes of the array parameters of the outermost call, as it began; null for other parameters.
  std::span<const node* const> arguments;

  /// Who watches the calls of this thread.
  ObserverList observers;
  /// Tells those who learn from the open call that it does other things than array work.
  void note_other_work() {
    if (observers.need(CallObserver::other_work)) [[unlikely]]
      tell_other_work();
  }

  // ---- for other threads that take turns with this one, and meet what is pending here ----
  /// Is this lazy array of the pending segment?
  bool pends(const node* n) const { return n->record && n->record->trie == path_.trie; }
  /// Does the pending segment store into this storage, or, for one who stores himself, use it at all?
  bool uses(const node* owner, bool writes) const { return path_.uses(owner, writes); }
  std::vector<node*> storage(bool stored) const { return stored ? path_.stored_owners : path_.owners; }
  /// In the middle of a change of the above.
  bool is_busy() const { return busy_; }
  /// Runs what is pending, on another thread. An error is returned, and thrown too where this thread's program goes on.
  std::exception_ptr run_for_others() noexcept;

  /// error_on_graph_break of this thread, as set by scopes and wrappers.
  bool error_on_break = false;
  /// While a ReplayCall of this thread has an entry in its hands: no records are dropped.
  bool in_replay = false;
  /// Where the fullgraph extents open on this thread began: an error discards what is pending from the
  /// beginning of the innermost one.
  std::vector<Checkpoint> fullgraphs;
  bool in_fullgraph() const { return !fullgraphs.empty(); }
  bool are_breaks_errors() const { return error_on_break || in_fullgraph(); }

  /// Frees this thread's records of functions that are gone, and those that np::reset() made old.
  static void forget_stale_records();

  ~Recorder() override;

 private:
  Recorder() = default;
  static std::uint64_t new_serial();

  // matching
  struct Raised {  // a flag, while this lives
    bool& flag;
    const bool saved;
    explicit Raised(bool& f) : flag(f), saved(std::exchange(f, true)) {}
    ~Raised() { flag = saved; }
  };
  template <class... Operand>
  bool follows(Record* r, op_id op, const Operand&... operands);
  template <class... Operand>
  bool takes_shape(Record& record, const Operand&... operands);
  template <class... Operand>
  [[gnu::noinline]] array apply_ufunc_general(op_id op, const Operand&... operands);
  array advance(Record* r);
  bool operand_matches(Record& record, int i, const operand& o);
  static bool literal_matches(const Record& record, int i, const operand& o);
  bool try_bind(Record& input, node* n);
  [[gnu::noinline]] void note_layout(Record& input, const node* n);
  bool matches(Record& record, const op_call& call);
  bool refresh(Record& record, const op_call& call);
  bool static_sizes_match(const Record& input, const node* n) const;
  /// Do others look at this storage, so that operations on it run at once? Not in mode replay, which promises that the body
  /// does array work only, nor where the arrays are copies.
  bool is_seen(const node* owner) const { return detail::is_shown(owner) && !function_->replay && !works_on_copies(); }
  bool works_on_copies() const { return observers.need(CallObserver::copies); }
  struct Unnoted {  // pending_use.h has no notes of the pending segment meanwhile
    Recorder& r;
    explicit Unnoted(Recorder& recorder);
    ~Unnoted();
  };
  void run_noted(SegmentEnd& end, SegmentVariant& variant);
  static void note_place(Record& op);
  [[gnu::noinline]] void meet_others(const SegmentEnd& end) const;
  Record* find_child(const op_call& call);
  void hold_box(const Record& record);
  void drop_boxes();
  array take(Record* record, const op_call& call);
  [[gnu::noinline]] void take_care_of(const Record& record);
  array apply_slow(const op_call& call);
  // errors that depend on values: see value_errors.cpp
  void settle_errors(const Record& record);
  static bool is_watched();
  bool is_value_error(const SegmentEnd* end, const std::exception_ptr& error, const Record*& failed) const;
  void throw_of_segment(EndKind kind, const SegmentEnd* end);
  [[gnu::noinline]] void throw_swallowed();
  [[gnu::noinline]] void throw_kept();
  void note_work();
  [[noreturn]] void refuse_unusable(const std::string& op, const node* n) const;
  [[gnu::noinline]] void hide_all() noexcept;
  [[gnu::cold]] void take_from_others(EndKind kind);
  [[gnu::noinline]] void cut_behind(const Record& record);
  [[gnu::cold, gnu::noinline]] void tell_other_work() const;
  // cuts and stances
  void tell_cut(const std::string& reason, const location& where);
  const Record* recorded_cut(const op_call& call) const;
  bool cut_if_wanted(const op_call& call);
  void check_graph_limit(const op_call& call);
  void refuse_growth(const op_call& call, Stance stance);
  void go_on_eagerly();
  // small arrays whose graphs don't pay: see small_loops.h
  bool small_loops_allowed() const;
  bool runs_at_once(const op_call& call) const;
  array run_at_once(const op_call& call);
  // growing
  Record* append(const op_call& call);
  Record* producer_of(const operand& o, std::uint16_t& new_inputs);
  Record* bind_new_input(node* n);
  void note_operands(Record& record, const op_call& call, const inference& inferred);
  void part_from_siblings(Record& record) const;
  void make_lazy(Record& record, const op_call& call, const inference& inferred);
  // in-place forms
  array apply_with_out(const op_call& call);
  array apply_plain(const op_call& plain, const op_call* whole);
  array run_breaking_op(const op_call& call, BreakId why);
  bool is_concrete_view(const op_call& call) const;
  array apply_sized(const op_call& call);
  void check_operands(const op_call& call) const;
  bool is_usable(const node* n) const;
  // see computed_views.h
  bool concerns_computed_views(const op_call& call) const;
  [[gnu::noinline]] void settle_computed_views(const op_call& call);
  [[gnu::noinline]] void forget_dead_computed_views();
  void forget_discarded_computed_views() noexcept;
  [[gnu::noinline]] void place_computed_views();
  // ending
  SegmentEnd& end_of(Record& last) { return last.end ? *last.end : make_end(last); }
  [[gnu::noinline]] SegmentEnd& make_end(Record& last);
  [[gnu::noinline]] void report_end(EndKind kind, bool refused);
  [[gnu::noinline]] SegmentVariant* variant_not_met(SegmentEnd& end, EndKind kind, bool& refused);
  SegmentVariant& make_variant(SegmentEnd& end);
  void run_variant(SegmentEnd& end, SegmentVariant& variant);
  void run_unplanned(SegmentEnd& end);
  void run_user_backend(SegmentEnd& end, SegmentVariant& variant);
  void find_live(const SegmentEnd& end);
  [[gnu::noinline]] void forget_dead_notes() const noexcept;
  [[gnu::noinline]] void save_for_way_back(SegmentEnd& end) const;
  [[gnu::noinline]] void run_timed(SegmentEnd& end, SegmentVariant& variant);
  [[gnu::noinline]] void tell_segment(SegmentEnd& end, const SegmentVariant* variant, EndKind kind);
  void read(node* n, const char* why, const location& where);
  [[gnu::noinline]] void read_watched(node* n, const char* why, const location& where);
  bool restore(const ReplayEntry& entry);
  void escape(SegmentEnd& end);
  BreakEvent describe(BreakId id, const location& where, node* about, std::string_view message) const;
  static void log_break(const BreakEvent& event);
  // what is known of the function: see recompiles.cpp
  static std::uint16_t guarded_axes(const node* n, bool all);
  static std::uint64_t guard_key(const node* n, std::uint32_t static_axes, std::size_t slot, std::size_t number);
  PathKeys keys_of(const op_call& call) const;
  std::uint64_t variant_key(const SegmentEnd& end) const;
  /// The smallest difference between an input of a call and what was recorded: a guard that fails.
  struct GuardMiss {
    std::string argument;  // empty: none, this is another path of the program
    std::string change;
    location where;
    std::string text() const;
  };
  GuardMiss guard_miss(const PathKeys& keys) const;
  std::size_t argument_number(const node* n) const;
  std::string name_of_input(const node* n) const;
  bool learn_path(const op_call& call, const PathKeys& keys);
  bool count_recompile(const GuardMiss& miss);
  std::string path_change(const Record& known, const op_call& call) const;
  bool count_new_path(const op_call& call);
  void start_over(SegmentEnd* from);
  void select_trie(FunctionState& function) {
    // Nearly always the function called last.
    const std::uint64_t changes = trie_changes.load(std::memory_order_acquire);
    if (trie_function_ == function.id && trie_changes_seen_ == changes &&
        path_.trie->segment_count <= static_cast<std::size_t>(config().segment_limit.get())) [[likely]]
      return;
    trie_changes_seen_ = changes;
    find_trie(function);
  }
  [[gnu::noinline]] void find_trie(FunctionState& function);
  void forget_tries(std::uint64_t generation);

  Path path_;
  LengthNames lengths_{path_};
  SmallLoops small_loops_;
  std::uint32_t epoch_ = 1;
  int depth_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Trie>> tries_;
  std::uint64_t dead_seen_ = 0, generation_seen_ = 0, trie_function_ = 0, trie_changes_seen_ = 0;
  FunctionState* function_ = nullptr;           // of the outermost region
  bool eager_rest_ = false;                     // the stance forbade a new graph: the call goes on eagerly
  std::int64_t record_ns_ = 0, passes_ns_ = 0;  // of the call, spent on what is new
  CutPolicy cuts_;
  std::vector<array> bound_views_;                      // inputs of a replay that are views or captured
  LiveSet live_;                                        // of the segment that is ending: which lazies stay reachable
  std::exception_ptr late_error_;                       // of the segment that ran last: thrown when all is as eager leaves it
  detail::lazy_owner& lazies_ = detail::lazy_owner::of_this_thread();
  // Rarely used, so behind the others.
  const std::uint64_t serial_ = new_serial();                    // among all recorders that there ever were
  std::vector<std::shared_ptr<const detail::black_box>> boxes_;  // called by the pending segment
  std::exception_ptr kept_error_;                                // thrown again later in the call, or at its end
  bool kept_leaves_call_ = false;                                // at its end only
  const Record* settling_ = nullptr;                             // that a cut is made behind, for its errors
  std::vector<array> shown_;                                     // until the call ends: see show_until_end()
  SegmentTimes times_;                                           // of the segment that is ending, for observers
  std::vector<ComputedView> computed_views_;
  bool busy_ = false;
  bool reading_ = false;     // a read that is watched is being carried out
  bool holds_cuts_ = false;  // an op's cut waits for its store
  bool cut_due_ = false;
  std::exception_ptr error_for_others_;  // of run_for_others()
};

/// A ValueError if a compiled call of another thread has operations pending that store to the storage of `n`, or, if `writes`,
/// that use it: `op` would see it as it was before, or change what they compute. `own`: the recorder of this thread, or null.
void refuse_pending_elsewhere(const Recorder* own, const node* n, bool writes, std::string_view op, const location& where);

}  // namespace numjit::tracing
