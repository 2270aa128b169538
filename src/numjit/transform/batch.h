// Batching: one call of a function computes for a whole axis of its arguments.
#pragma once

#include <functional>
#include <vector>

#include <numjit/transform/level.h>
#include <numjit/transform/mirrors.h>

namespace numjit::transform {

/// What becomes of random draws: an error, one draw for all examples, or one for each.
enum class Randomness : std::uint8_t { error, same, different };

/// A level at which active arrays stand for one value each of a stack: they have the shape that one example has, and no values;
/// the stack beside them has the examples along its first axis. Arrays that the function makes become stacks when a batched value
/// is first stored into them.
class BatchLevel final : public Level {
 public:
  BatchLevel(const char* name, std::int64_t size, Randomness randomness)
      : Level(name, true), size_(size), randomness_(randomness) {}

  /// What stands for one of the parts of `x` along an axis.
  array argument(const array& x, int axis);
  /// The stack of an array's values, the examples first; of one that is the same for all, repeated without a copy.
  array stack_of(const array& a);
  bool is_batched(node* n) { return is_active(n); }
  std::int64_t size() const { return size_; }
  bool differentiates() const override { return false; }
  Mirrors& mirrors() { return mirrors_; }

 private:
  friend class Batched;
  void read(node* n, const char* why, const location& where) override;
  void know_memory(node* memory, const location& where) override;
  bool is_active(node* n) override { return !stack(n).empty_handle(); }
  array active(const op_call& call) override;
  void active_store(const op_call& call) override;
  void before_store(node* n) override;
  void behind_store(node* n) override { mirrors_.follow_store(n); }
  bool before_opaque(const op_call& call) override;
  array stopped_batch(const array& x) override;
  bool is_memory_active(node* memory) override;

  /// The stack, or an empty handle.
  array stack(node* n) { return companion_of(n); }
  /// An array without values for one example of a stack. `owner`: whose memory it is a view of, or null.
  array stand_in(const array& stack, node* owner = nullptr);
  array batched_view(const op_call& call);
  array follow(const array& stack, const Path& path) override;

  const std::int64_t size_;
  const Randomness randomness_;
  Mirrors mirrors_;
};

/// A call with batched operands, as the rules of rows see it. They bind operations on stacks.
class Batched {
 public:
  Batched(BatchLevel& level, const op_call& call) : level_(level), call_(call) {}
  const op_params& p() const { return call_.p(); }
  op_id op() const { return call_.op; }
  std::size_t size() const { return call_.in.size(); }
  std::int64_t batch() const { return level_.size(); }
  Randomness randomness() const { return level_.randomness_; }
  bool is_batched(std::size_t i) const { return call_.in[i].n() && level_.is_batched(call_.in[i].n()); }
  /// Of one example.
  int rank(std::size_t i) const { return call_.in[i].n() ? call_.in[i].n()->rank : 0; }
  dims shape(std::size_t i) const;
  const operand& given(std::size_t i) const { return call_.in[i]; }
  /// The stack of an input, the examples first, of this rank without the first axis: axes of 1 are put behind the first.
  array stack(std::size_t i, int rank = -1) const;
  /// The stack of a batched input, any other as it is.
  array stack_or_given(std::size_t i) const;
  array mask_stack(int rank) const;
  bool has_mask() const { return call_.where_mask; }
  node* mask() const { return call_.where_mask; }
  /// One call for each example, put together. `first`: what each has as its first operand.
  array one_by_one(const std::function<array(std::int64_t)>& first = {}) const;
  [[noreturn]] void throw_length(const char* what) const;

 private:
  BatchLevel& level_;
  const op_call& call_;
};

/// The stack of the results. One for each row that is no ufunc, reduction or scan; the link fails without.
#define STRUCTURAL(name, ...) array batch_##name(const Batched& b);
#include <numjit/ops/all_rows.inc>
array batch_of_rows(const Batched& b);
/// One example of a stack, as a view.
array example_of(const array& stack, std::int64_t k);
/// A store of stacks (empty: the operand itself, of which there is one for all) into a part of a stack.
void store_into_stack(const op_call& call, const array& part, std::span<const array> stacks);

}  // namespace numjit::transform
