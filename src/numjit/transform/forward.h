// Forward mode: changes go along with the values.
#pragma once

#include <vector>

#include <numjit/transform/level.h>
#include <numjit/transform/rules.h>

namespace numjit::transform {

/// A level at which active arrays have a change beside them, of the same shape and dtype.
class ForwardLevel final : public Level {
 public:
  explicit ForwardLevel(const char* name) : Level(name) {}
  /// A new array with the elements of `x`, and its memory, whose change is `change`.
  array argument(const array& x, const array& change);
  /// The change of an array as it is now; empty for one that is not active.
  array change_of(node* n);

 private:
  void know_memory(node* memory, const location& where) override;
  bool is_active(node* n) override { return !change_of(n).empty_handle(); }
  array active(const op_call& call) override;
  void active_store(const op_call& call) override;
  void before_store(node*) override {}
  bool is_memory_active(node* memory) override;
  /// The changes of memory, which nobody else has, before a store.
  void begin_memory(node* memory, Note& note);
  bool lies_in_written(const op_call& call, const std::vector<array>& changes, const array& change);
  Applied applied(const op_call& call, std::vector<array>& changes);

  std::vector<array> arguments_;
  Layouts layouts_;  // of the operation at hand
};

}  // namespace numjit::transform
