// Reverse mode: what the operations of a function did, and the sweep back over it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include <numjit/transform/backward_region.h>
#include <numjit/transform/calls.h>
#include <numjit/transform/level.h>
#include <numjit/transform/rules.h>

namespace numjit::transform {

/// The same on a tape.
struct CustomEntry {
  CustomRule rule;
  std::vector<int> results;  // variables; no_number for results without derivatives
};

/// What was done to active arrays, in order. Outlives the level that noted it.
class Tape {
 public:
  int new_variable(int layout) {
    layout_of_variable_.push_back(layout);
    return static_cast<int>(layout_of_variable_.size()) - 1;
  }
  int layout_of(int variable) const { return layout_of_variable_[static_cast<std::size_t>(variable)]; }

  // Sweeps over what a compiled function did are compiled.
  /// Cotangents of `wanted` variables, from those of `given` ones: zeros where nothing came. `keep`: the tape is swept again.
  std::vector<array> pull(std::span<const int> given, std::span<const array> cotangents, std::span<const int> wanted, bool keep);
  /// Changes of `wanted` variables from those of `given` ones.
  std::vector<array> push(std::span<const int> given, std::span<const array> changes, std::span<const int> wanted) const;
  /// Copies what is held of arrays that others have too, and may store into later.
  void own_values();

  /// Of memory that nobody else has.
  std::int64_t saved_bytes();

  /// An operation was carried out by who is at the base now.
  void note_base() {
    if (!function_ && detail::own_context.base_interpreter) [[unlikely]]
      function_ = backward_regions.function_here();
  }

  Layouts layouts;
  std::vector<Applied> entries;

 private:
  std::vector<array> sweep_back(std::span<const int> given, std::span<const array> cotangents, std::span<const int> wanted,
                                bool keep);
  std::vector<array> sweep_forward(std::span<const int> given, std::span<const array> changes, std::span<const int> wanted) const;
  template <class Sweep>
  std::vector<array> swept(Sweep&& sweep) const;
  class References;
  template <class F>
  void each_held(F&& visit);

  std::vector<int> layout_of_variable_;
  std::shared_ptr<void> function_;  // see backward_region.h; null: no operation was of a compiled call
};

/// A level that notes on a tape.
class TapeLevel final : public Level {
 public:
  explicit TapeLevel(const char* name) : Level(name), tape_(std::make_shared<Tape>()) {}

  /// A new array with the elements of `x`, and its memory, as an active argument. `number`: which, for errors.
  array argument(const array& x, int number);
  /// The variable that an array is now, or no_number.
  int variable_of(node* n);
  const std::shared_ptr<Tape>& tape() const { return tape_; }
  /// The results of a function with a rule of its own become active, as other arrays of the same memory.
  void note_custom(std::span<const array> inputs, std::span<array* const> results, CustomRule rule);

  /// Where the value of an active array was read; line 0: nowhere.
  const location& read_at() const { return read_at_; }

 private:
  void read(node* n, const char* why, const location& where) override;
  void know_memory(node* memory, const location& where) override;
  bool is_active(node* n) override { return variable_of(n) != no_number; }
  array active(const op_call& call) override;
  void active_store(const op_call& call) override;
  void before_store(node* n) override;
  bool is_memory_active(node* memory) override;

  struct Argument {
    array given;
    int variable, number;
  };
  struct Held {
    std::size_t entry;
    int slot;
  };
  int view_anew(Note& view, const Note& owner);
  Applied& note(const op_call& call, const Rule& rule, std::span<const int> variables, std::uint8_t needs);
  int memory_before(node* memory, const location& where);
  void hold(array& to, node* n);

  const std::shared_ptr<Tape> tape_;
  std::vector<Argument> arguments_;
  // What the tape holds, by the memory it lies in, of the entries before `indexed_`.
  std::unordered_map<const node*, std::vector<Held>> held_in_;
  std::size_t indexed_ = 0;
  location read_at_{};
};

}  // namespace numjit::transform
