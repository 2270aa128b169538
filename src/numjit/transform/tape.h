// Reverse mode: what the operations of a function did, and the sweep back over it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <numjit/transform/backward_region.h>
#include <numjit/transform/calls.h>
#include <numjit/transform/gradient_sink.h>
#include <numjit/transform/level.h>
#include <numjit/transform/packed.h>
#include <numjit/transform/rules.h>

namespace numjit::transform {

/// A value that entries which are carried out again take as it is.
struct KnownValue {
  int variable;
  array value;
  bool is_from_outside;  // of the segment; else it is of a function with a rule of its own, which does not run again
};

/// A run of a tape's entries. One that can be carried out again may be thin: it holds what it took from outside, and what is no
/// value of a variable.
struct Segment {
  std::vector<Applied> entries;  // thin: while they are carried out again
  PackedEntries packed;          // of a thin one
  int first_variable = 0;        // of those that it makes
  std::vector<KnownValue> known;
  std::vector<std::size_t> parts;           // borders between entries, of which one part at a time shall be held
  std::int64_t bytes = 0, known_bytes = 0;  // what it holds, or would without being thin, that thinning gives up; and of `known`
  int count = 1;                            // segments that were joined to this one
  bool can_run_again = false, is_thin = false;
};

/// What was done to active arrays, in order. Outlives the level that noted it.
class Tape {
 public:
  Tape() { layout_of_variable_.reserve(24); }
  int new_variable(int layout) {
    layout_of_variable_.push_back(layout);
    return static_cast<int>(layout_of_variable_.size()) - 1;
  }
  int layout_of(int variable) const { return layout_of_variable_[static_cast<std::size_t>(variable)]; }

  // Sweeps over what a compiled function did are compiled.
  /// Cotangents of `wanted` variables, from those of `given` ones: zeros where nothing came. `keep`: the tape is swept again.
  std::vector<array> pull(std::span<const int> given, std::span<const array> cotangents, std::span<const int> wanted, bool keep);
  /// The same for who takes them as they become final.
  std::vector<array> pull_into_sink(std::span<const int> given, std::span<const array> cotangents, std::span<const int> wanted);
  /// Changes of `wanted` variables from those of `given` ones.
  std::vector<array> push(std::span<const int> given, std::span<const array> changes, std::span<const int> wanted);
  /// Copies what is held of arrays that others have too, and may store into later.
  void own_values();

  /// Of memory that nobody else has.
  std::int64_t saved_bytes();

  /// An operation was carried out by who is at the base now.
  void note_base() {
    if (!function_ && detail::own_context.base_interpreter) [[unlikely]]
      function_ = backward_regions.function_here();
  }

  // ---- memory ----
  Segment& open() { return segments.back(); }
  /// Entries from here on are of another segment.
  void open_segment(bool can_run_again);
  /// Gives up what a segment holds; the bytes of it.
  std::int64_t thin(Segment& s);
  /// Does so with the first one that can be, or joins segments. Returns the bytes that went, 0 if there are none.
  std::int64_t thin_one();
  int thinned_segments() const;
  int variables() const { return static_cast<int>(layout_of_variable_.size()); }

  Layouts layouts;
  std::vector<Segment> segments{1};
  std::vector<std::weak_ptr<Recipe>> recipes;  // of entries, which own them
  GradientSink* sink = nullptr;                // who takes the gradients; null: they are given back
  std::vector<int> argument_of;                // of each leaf, for the sink

 private:
  void pull_entry(Applied& e, Cotangents& sums) const;
  void push_entry(Applied& e, std::vector<array>& change_of, std::vector<array>& of_inputs) const;
  void begin_sweep();
  std::int64_t join_segments();
  std::int64_t room_for(const Segment& s);
  std::vector<array> sweep_back(std::span<const int> given, std::span<const array> cotangents, std::span<const int> wanted,
                                bool keep);
  /// Goes back over all entries; behind(segment, entry) after each that is not of a thin segment.
  template <class Behind>
  void sweep_entries(Cotangents& sums, bool keep, Behind&& behind);
  Cotangents begun(std::span<const int> given, std::span<const array> cotangents) const;
  /// What came together for a variable; zeros where nothing came.
  array taken(Cotangents& sums, int variable) const;
  FinalVariables final_variables(std::span<const int> wanted) const;
  std::vector<array> sweep_forward(std::span<const int> given, std::span<const array> changes, std::span<const int> wanted);
  template <class Sweep>
  std::vector<array> swept(Sweep&& sweep) const;
  class References;
  template <class F>
  void each_held(F&& visit);

  std::vector<int> layout_of_variable_;
  Forms forms_;
  int stride_ = 1;                  // of thin segments so many are one
  int recipe_operations_ = 0;       // that recipes carried out in a sweep
  std::shared_ptr<void> function_;  // see backward_region.h; null: no operation was of a compiled call
};

/// A level that notes on a tape.
class TapeLevel final : public Level {
 public:
  explicit TapeLevel(const char* name);
  ~TapeLevel() override;

  /// A new array with the elements of `x`, and its memory, as an active argument. `number`: which, for errors.
  array argument(const array& x, int number);
  /// The variable that an array is now, or no_number.
  int variable_of(node* n);
  const std::shared_ptr<Tape>& tape() const { return tape_; }
  /// The results of a function with a rule of its own become active: copies where somebody else has them, or their memory.
  void note_custom(std::span<const array> inputs, std::span<array* const> results, CustomRule rule);

  /// What follows up to the end is carried out again on the way back: only what it takes from outside is held.
  void begin_checkpoint();
  void end_checkpoint();

  // ---- what the end of a graph need not store ----
  /// The tape below all levels of this thread; null if there is none, or if it gives nothing up now.
  static TapeLevel* lowest();
  /// Memory that a store overwrites which is being carried out; else null.
  const node* being_written() const { return writing_; }
  /// An array that an entry of the open segment holds.
  struct HeldValue {
    node* n;
    std::size_t entry;
    int slot;
  };
  /// What the entries noted since the last call hold for their rules.
  std::vector<HeldValue> values_held();
  /// Their entries hold the values no longer: value `numbers[i]` of the recipe is that of `values[i]`.
  void give_up(std::span<const HeldValue> values, std::span<const int> numbers, std::shared_ptr<Recipe> recipe);

  /// Where the value of an active array was read; line 0: nowhere.
  const location& read_at() const { return read_at_; }

 private:
  void read(node* n, const char* why, const location& where) override;
  void know_memory(node* memory, const location& where) override;
  bool is_active(node* n) override { return variable_of(n) != no_number; }
  array active(const op_call& call) override;
  void active_store(const op_call& call) override;
  void before_store(node* n) override;
  void inactive(const op_call& call, node* result) override;
  bool before_opaque(const op_call& call) override;
  bool is_memory_active(node* memory) override;

  struct Argument {
    array given;
    int variable, number;
  };
  struct Held {
    std::size_t segment, entry;
    int slot;  // known_slot: `entry` is one of the segment's known values; leaf_slot: of the leaves of recipe number `segment`
  };
  array& held_at(const Held& held);
  void index(const Held& held);
  void index_packed(std::size_t segment);
  void index_held();
  int view_anew(Note& view, const Note& owner);
  Applied& note(const op_call& call, const Rule& rule, std::span<const int> variables, std::uint8_t needs);
  int made_by(node* n) const;
  void note_unfollowed(const op_call& call, std::span<const int> variables, node* made);
  int memory_before(node* memory, const location& where);
  void hold(array& to, node* n);
  /// The same of what thinning can give up.
  void hold_value(array& to, node* n);

  // ---- memory ----
  /// An entry takes the value of a variable: where it is of an earlier segment, the open one holds it.
  void take_value(int variable, node* n) {
    if (variable < first_variable_) [[unlikely]]
      know_value(variable, n, true);
  }
  void know_value(int variable, node* n, bool is_from_outside);
  bool tracks() const { return tape_->segments.back().can_run_again; }
  void open_segment(bool can_run_again);
  std::int64_t bytes_once(const node* n);
  void check_memory() {
    if (saved_ > check_at_) [[unlikely]]
      bound_memory();
  }
  void bound_memory();
  bool is_good_place(std::int64_t target);
  void rank_place();

  const std::shared_ptr<Tape> tape_;
  std::vector<Argument> arguments_;
  // What the tape holds, by the memory it lies in, of the entries before `indexed_`.
  std::unordered_map<const node*, std::vector<Held>> held_in_;
  std::size_t indexed_ = 0, indexed_known_ = 0, indexed_segment_ = 0, indexed_recipes_ = 0;
  std::size_t looked_at_ = 0;  // by values_held(), of the open segment's entries
  int checkpoints_ = 0;  // open ones
  bool may_thin_ = true, is_thinning_ = false;
  array state_;                               // of a generator, before the draw that is about to be made
  int first_variable_ = -1;                   // of the open segment, if it can be carried out again
  std::int64_t saved_ = 0;                    // bytes held, about
  std::int64_t check_at_ = 0, count_at_ = 0;  // of them: to look whether segments end, to count exactly
  std::unordered_set<int> known_;             // variables that the open segment knows
  std::unordered_set<const node*> counted_;   // of what it holds
  // Where segments best begin: behind which operations least is alive.
  std::uint64_t last_ops_ = 0, began_behind_ = 0, best_behind_ = 0;
  std::int64_t least_known_ = 0;
  std::vector<std::uint64_t> tried_;
  location read_at_{};
};

}  // namespace numjit::transform
