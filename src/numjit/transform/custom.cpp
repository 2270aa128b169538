// Functions with derivatives of their own, at the level where they are called.
#include <numjit/transform/custom.h>

#include <algorithm>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/transform/batch.h>
#include <numjit/transform/forward.h>
#include <numjit/transform/shapes.h>
#include <numjit/transform/tape.h>

namespace numjit::transform {

namespace {

/// In the place of a level while a function with a rule of its own runs: nothing is active, and what the level follows may only
/// come by the function's arguments.
class Watch final : public Level {
 public:
  Watch(Level& level, const std::vector<array>& inputs) : Level(level.name()), level_(level) {
    for (const array& a : inputs) given_.push_back(memory_of(a.get()));
  }

 private:
  bool is_active(node* n) override {
    if (std::find(given_.begin(), given_.end(), memory_of(n)) == given_.end() && level_.knows(n))
      throw NotImplementedError(name(),
                                "a function with a derivative of its own uses an array that depends on the arguments and is none "
                                "of its own: it would have no derivative. Pass it as an argument.");
    return false;
  }
  void know_memory(node*, const location&) override {}
  array active(const op_call& call) override { return carry_out(call); }
  void active_store(const op_call& call) override { carry_out(call); }
  void before_store(node*) override {}
  bool is_memory_active(node*) override { return false; }

  Level& level_;
  std::vector<const node*> given_;
};

}  // namespace

CustomCall::CustomCall(std::span<array* const> inputs, bool every_batch) {
  if (detail::levels_are_open()) level_ = dynamic_cast<Level*>(detail::top_interpreter());
  while (level_ && dynamic_cast<Watch*>(level_))
    level_ = level_->has_outer() ? static_cast<Level*>(level_->below_or_null()) : nullptr;
  if (!level_) return;
  for (const array* a : inputs) inputs_.push_back(*a);
  is_for_below_ = std::none_of(inputs_.begin(), inputs_.end(), [&](const array& a) { return level_->knows(a.get()); });
  is_forward_ = dynamic_cast<ForwardLevel*>(level_) != nullptr;
  if (is_for_below_ || is_forward_ || dynamic_cast<TapeLevel*>(level_)) return;
  // Under vmap its operations are batched as any others; a transform outside of it would see those, and not the rule.
  if (level_->has_outer() || every_batch)
    batch_ = dynamic_cast<BatchLevel*>(level_);
  else
    level_ = nullptr;
}

std::int64_t CustomCall::batch_size() const { return batch_->size(); }

std::vector<array> CustomCall::stacks(std::vector<std::optional<int>>& axes) const {
  std::vector<array> made;
  for (const array& a : inputs_) {
    const bool batched = batch_->is_batched(a.get());
    axes.push_back(batched ? std::optional(0) : std::nullopt);
    made.push_back(batched ? batch_->stack_of(a) : a);
  }
  return made;
}

void CustomCall::give_examples(std::span<array* const> results) const {
  for (array* result : results) *result = batch_->argument(*result, 0);
}

CustomCall::Below::Below(const CustomCall& call) : top_(detail::top_interpreter()) {
  detail::own_context.top_interpreter = call.level_->below_or_null();
  watch_ = std::make_unique<Watch>(*call.level_, call.inputs_);
}
CustomCall::Below::~Below() {
  watch_.reset();
  detail::own_context.top_interpreter = top_;
}

void CustomCall::note(std::span<array* const> results, CustomRule rule) const {
  static_cast<TapeLevel*>(level_)->note_custom(inputs_, results, std::move(rule));
}

std::vector<array> CustomCall::changes() const {
  std::vector<array> changes;
  auto* const forward = dynamic_cast<ForwardLevel*>(level_);
  for (const array& a : inputs_) {
    array change = forward && is_inexact(type_of(a)) ? forward->change_of(a.get()) : array();
    changes.push_back(change.empty_handle() ? zeros_like(a) : change);
  }
  return changes;
}

void CustomCall::note_changes(std::span<array* const> results, const std::vector<array>& changes) const {
  auto* const forward = static_cast<ForwardLevel*>(level_);
  for (std::size_t i = 0; i < results.size(); ++i)
    if (is_inexact(type_of(*results[i]))) {
      check_like("custom_jvp", "change", i, changes[i], *results[i], "result");
      *results[i] = forward->argument(*results[i], changes[i]);
    }
}

CallForExamples::CallForExamples(const Batches& batches, Given given, std::span<array* const> leaves) : batches_(batches) {
  for (std::size_t i = batches.size(); i-- > 0;) {
    try {
      open(batches[i], given, leaves);
    } catch (...) {
      while (!open_.empty()) open_.pop_back();
      throw;
    }
  }
}
CallForExamples::~CallForExamples() {
  while (!open_.empty()) open_.pop_back();
}

void CallForExamples::open(const Examples& batch, Given given, std::span<array* const> leaves) {
  auto call = std::make_unique<BatchCall>(batch.size, "error");
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (given == Given::stacks || batch.axes[i % batch.axes.size()]) call->add(static_cast<int>(i), *leaves[i], batch_axis(0));
  call->begin();
  open_.push_back(std::move(call));
}

void CallForExamples::finish(std::span<array* const> results) {
  const std::vector<batch_axis> first(results.size(), batch_axis(0));
  for (; !open_.empty(); open_.pop_back()) open_.back()->finish(results, first);
}

void CallForExamples::finish_cotangents(std::span<array* const> cotangents) {
  const std::vector<batch_axis> first(cotangents.size(), batch_axis(0));
  layout::reduction over_examples;
  over_examples.axes = {0};
  for (const Examples& batch : batches_) {  // the innermost is the first
    open_.back()->finish(cotangents, first);
    open_.pop_back();
    for (std::size_t i = 0; i < std::min(cotangents.size(), batch.axes.size()); ++i)
      if (!batch.axes[i] && !cotangents[i]->empty_handle())
        *cotangents[i] = detail::call(op_id::sum, {*cotangents[i]}, layout::reduction_params(over_examples));
  }
}

void throw_kept_unseen() {
  throw NotImplementedError(
      "custom_vjp",
      "fwd keeps values of a type whose arrays can't be seen, and is called under vmap. Keep arrays, numbers, "
      "tuples, vectors, maps, or a struct with NUMJIT_FIELDS.");
}

void check_cotangents(std::size_t given, std::size_t arguments) {
  if (given == arguments) return;
  throw ValueError("custom_vjp", fmt::format("bwd gave {} cotangent{}, the function has {} argument{}.", given,
                                             given == 1 ? "" : "s", arguments, arguments == 1 ? "" : "s"));
}

array shape_of_result(const array& result) { return detail::expand_to(zeros(dims(), type_of(result)), shape_of(result)); }

std::vector<array> transposed(const ReverseCall& call, const std::vector<array>& cotangents, std::span<const array> results) {
  std::vector<array> given;
  for (std::size_t i = 0; i < cotangents.size(); ++i)
    given.push_back(cotangents[i].empty_handle() ? zeros_like(results[i]) : cotangents[i]);
  return call.pull(given);
}

}  // namespace numjit::transform
