// Calls of transformed functions, as js/transforms.js takes them apart. Calls that are open stand on each other, as their levels
// do: js knows each by its place, and closes it in any case, which closes those that an error left open above it.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <numjit/base/error.h>
#include <numjit/base/location_scope.h>
#include <numjit/np.h>
#include <numjit/transform/calls.h>
#include <numjit/transform/checkpoint.h>
#include <numjit/transform/custom.h>
#include <numjit/transform/vmap.h>

#include "call.h"

/// Carries out a rule that the page gave: step 0 back, 1 that the rule is no longer needed. What goes in and out is in passing().
/// Returns -1 after an error, which js keeps.
extern "C" __attribute__((import_module("env"), import_name("nj_host_rule"))) int nj_host_rule(int rule, int step);

namespace numjit::js {
namespace {

using transform::BatchCall;
using transform::CustomCall;
using transform::ForwardCall;
using transform::ReverseCall;

// ---- calls ----

/// One call, of one of the kinds.
struct Open {
  std::unique_ptr<ReverseCall> reverse{};
  std::unique_ptr<ForwardCall> forward{};
  std::unique_ptr<BatchCall> batch{};
  std::vector<std::unique_ptr<array>> batched{};  // whose places the batch keeps
  std::unique_ptr<CustomCall> custom{};
  std::unique_ptr<CustomCall::Below> below{};  // goes before the call
};
std::vector<std::unique_ptr<Open>>& open_calls() {
  static auto& calls = *new std::vector<std::unique_ptr<Open>>;
  return calls;
}
Result opened(std::unique_ptr<Open> call) {
  open_calls().push_back(std::move(call));
  return give(static_cast<std::int64_t>(open_calls().size() - 1));
}
Open& open_call(Call& c) { return *open_calls().at(static_cast<std::size_t>(c.integer(0, 0))); }

/// A call that is gone through later: pull and push.
struct Kept {
  std::unique_ptr<ReverseCall> call;
  std::vector<array> results;
  std::vector<array> leaves;  // of the arguments, where tangents will have to be like them
  std::vector<int> argument_of;
};
std::vector<std::unique_ptr<Kept>>& kept_calls() {
  static auto& calls = *new std::vector<std::unique_ptr<Kept>>;
  return calls;
}
Kept& kept_call(Call& c) { return *kept_calls().at(static_cast<std::size_t>(c.integer(0, 0))); }

/// Names of transforms outlive their levels.
const char* kept_name(const char* name) {
  static auto& names = *new std::set<std::string>;
  return names.insert(name).first->c_str();
}

std::vector<array*> pointers_to(std::vector<array>& arrays) {
  std::vector<array*> pointers;
  for (array& a : arrays) pointers.push_back(&a);
  return pointers;
}

Result open_call_of(Call& c) {
  auto made = std::make_unique<Open>();
  const char* const name = kept_name(c.word(1, ""));
  if (c.integer(0, 0) == 0)
    made->reverse = std::make_unique<ReverseCall>(name);
  else
    made->forward = std::make_unique<ForwardCall>(name);
  return opened(std::move(made));
}

/// Innermost first, and what an error left open above it.
Result close_call(Call& c) {
  auto& calls = open_calls();
  for (const auto at = static_cast<std::size_t>(c.integer(0, 0)); calls.size() > at;) calls.pop_back();
  return {};
}

/// One of several lines.
std::string line_of(std::string_view text, std::size_t number) {
  for (; number > 0; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return std::string(text.substr(0, text.find('\n')));
}

/// Arguments become active: other arrays with the same memory. Names of leaves, in lines, come where an error will need them.
Result activated(Call& c) {
  Open& open = open_call(c);
  std::vector<array> arrays = c.arrays(2);
  const auto argument = static_cast<int>(c.integer(1, 0));
  const std::vector<array*> leaves = pointers_to(arrays);
  const transform::LeafName name = [&](std::size_t i) { return c.has(4) ? line_of(c.word(4, ""), i) : std::string(); };
  if (open.reverse) {
    open.reverse->activate(argument, leaves, name);
  } else {
    std::vector<array> changes = c.arrays(3);
    open.forward->activate(argument, leaves, pointers_to(changes), name);
  }
  return give(arrays);
}

Result gradients_of(Call& c) {
  Open& open = open_call(c);
  std::vector<array> result{c[1].as_array()};
  open.reverse->finish(pointers_to(result));
  return give(open.reverse->gradients(result[0]));
}

Result changes_of_results(Call& c) {
  std::vector<array> results = c.arrays(1);
  return give(open_call(c).forward->finish(pointers_to(results)));
}

/// Those by the leaves of each result, one after the other.
Result jacobians_of(Call& c) {
  Open& open = open_call(c);
  std::vector<array> results = c.arrays(2);
  const std::vector<array> leaves = c.arrays(3);
  open.reverse->finish(pointers_to(results));
  const auto mode = static_cast<transform::JacobianMode>(c.integer(1, 0));
  std::vector<array> all;
  for (std::size_t i = 0; i < results.size(); ++i)
    for (array& made : transform::jacobian(*open.reverse, mode, results, i, leaves)) all.push_back(std::move(made));
  return give(all);
}

// ---- calls that are gone through later ----

Result keep_call(Call& c) {
  Open& open = open_call(c);
  auto kept = std::make_unique<Kept>();
  kept->results = c.arrays(1);
  kept->leaves = c.arrays(2);
  for (Value& v : c[3].items) kept->argument_of.push_back(static_cast<int>(v.as_integer("argument")));
  open.reverse->finish(pointers_to(kept->results));
  open.reverse->own_values();
  kept->call = std::move(open.reverse);
  auto& calls = kept_calls();
  std::size_t at = 0;
  while (at < calls.size() && calls[at]) ++at;
  if (at == calls.size()) calls.emplace_back();
  calls[at] = std::move(kept);
  return give(static_cast<std::int64_t>(at));
}

Result pulled(Call& c) {
  const Kept& kept = kept_call(c);
  const std::vector<array> given = c.arrays(1);
  const char* const name = kept.call->name();
  if (given.size() != kept.results.size())
    throw ValueError(name, "the cotangent has " + std::to_string(given.size()) + " arrays, the result has " +
                               std::to_string(kept.results.size()) + ".");
  for (std::size_t i = 0; i < given.size(); ++i) transform::check_like(name, "cotangent", i, given[i], kept.results[i], "result");
  return give(kept.call->pull(given));
}

Result pushed(Call& c) {
  const Kept& kept = kept_call(c);
  const std::vector<array> given = c.arrays(1);
  const char* const name = kept.call->name();
  if (given.size() != kept.leaves.size())
    throw ValueError(name, "the tangents have " + std::to_string(given.size()) + " arrays, the arguments have " +
                               std::to_string(kept.leaves.size()) + ".");
  for (std::size_t i = 0; i < given.size(); ++i)
    transform::check_like(name, "tangent", static_cast<std::size_t>(kept.argument_of.at(i)), given[i], kept.leaves[i],
                          "argument");
  std::vector<array> made = kept.call->push(given);
  for (std::size_t i = 0; i < made.size(); ++i)
    if (made[i].empty_handle()) made[i] = transform::zeros_like(kept.results[i]);
  return give(made);
}

Result release_call(Call& c) {
  kept_calls().at(static_cast<std::size_t>(c.integer(0, 0))).reset();
  return {};
}

// ---- batches ----

/// None is a truth value, which lists of numbers may hold.
batch_axis axis_of(Value& v) {
  return v.tag == Tag::bool_ ? batch_axis(std::nullopt) : batch_axis(static_cast<int>(v.as_integer("axis")));
}

Result open_batch(Call& c) {
  auto made = std::make_unique<Open>();
  std::optional<std::int64_t> size;
  if (c.has(0)) size = c.integer(0, 0);
  made->batch = std::make_unique<BatchCall>(size, c.word(1, "error"));
  return opened(std::move(made));
}

Result begin_batch(Call& c) {
  Open& open = open_call(c);
  const std::vector<array> leaves = c.arrays(1);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    open.batched.push_back(std::make_unique<array>(leaves[i]));
    open.batch->add(static_cast<int>(c[2].items.at(i).as_integer("argument")), *open.batched.back(), axis_of(c[3].items.at(i)));
  }
  open.batch->begin();
  std::vector<array> given;
  for (const auto& leaf : open.batched) given.push_back(*leaf);
  return give(given);
}

Result finish_batch(Call& c) {
  std::vector<array> results = c.arrays(1);
  std::vector<batch_axis> axes;
  for (Value& v : c[2].items) axes.push_back(axis_of(v));
  open_call(c).batch->finish(pointers_to(results), axes);
  return give(results);
}

// ---- checkpoints ----

std::vector<std::unique_ptr<transform::Checkpoint>>& checkpoints() {
  static auto& open = *new std::vector<std::unique_ptr<transform::Checkpoint>>;
  return open;
}
Result begin_checkpoint(Call&) {
  checkpoints().push_back(std::make_unique<transform::Checkpoint>());
  return {};
}
Result end_checkpoint(Call&) {
  checkpoints().pop_back();
  return {};
}

// ---- functions with derivatives of their own ----

/// What a rule of the page gets, and gives: arrays, empty for those that are not there.
std::vector<array>& passing() {
  static auto& arrays = *new std::vector<array>;
  return arrays;
}

/// A rule that the page keeps by a number.
class HostRule {
 public:
  explicit HostRule(int number) : number_(number) {}
  HostRule(const HostRule&) = delete;
  HostRule& operator=(const HostRule&) = delete;
  ~HostRule() { nj_host_rule(number_, 1); }
  /// The rule gets the cotangents, then what is kept.
  std::vector<array> back(const std::vector<array>& cotangents, const std::vector<array>& kept) const {
    passing() = cotangents;
    passing().insert(passing().end(), kept.begin(), kept.end());
    const int status = nj_host_rule(number_, 0);
    std::vector<array> made = std::exchange(passing(), {});
    if (status < 0) throw InternalError("transforms", "the error of a rule was lost.");  // js throws its own in place of this
    return made;
  }

 private:
  const int number_;
};

Result passed_in(Call&) {
  Result made;
  made.begin_list(passing().size());
  for (array& a : std::exchange(passing(), {})) {
    if (a.empty_handle())
      made.slots.push_back({Tag::none, 0, {0}});
    else
      made.add(std::move(a));
  }
  return made;
}

Result passed_out(Call& c) {
  passing().clear();
  for (Value& v : c[0].items) passing().push_back(v.tag == Tag::bool_ ? array() : v.as_array());
  return {};
}

/// [place, kind]: 0 no rule is asked for, 1 it is for the level below, 2 forward, 3 reverse, 4 a batch.
Result open_custom(Call& c) {
  std::vector<array> inputs = c.arrays(0);
  auto made = std::make_unique<Open>();
  made->custom = std::make_unique<CustomCall>(pointers_to(inputs));
  const CustomCall& call = *made->custom;
  const std::int64_t kind = call.is_plain() ? 0 : call.is_for_below() ? 1 : call.is_batched() ? 4 : call.is_forward() ? 2 : 3;
  open_calls().push_back(std::move(made));
  return give_list(static_cast<std::int64_t>(open_calls().size() - 1), kind);
}

/// Operations go to the level below, until it is said that they don't.
Result go_below(Call& c) {
  Open& open = open_call(c);
  open.below.reset();
  if (c.flag(1)) open.below = std::make_unique<CustomCall::Below>(*open.custom);
  return {};
}

/// [number of examples, the axis of each input that has them, -1 of others, the inputs' stacks].
Result stacks_of_inputs(Call& c) {
  const CustomCall& call = *open_call(c).custom;
  std::vector<std::optional<int>> axes;
  std::vector<array> stacks = call.stacks(axes);
  Result made;
  made.begin_list(1 + axes.size() + stacks.size());
  made.add(call.batch_size());
  for (const std::optional<int>& axis : axes) made.add(std::int64_t{axis.value_or(-1)});
  for (array& stack : stacks) made.add(std::move(stack));
  return made;
}

Result examples(Call& c) {
  std::vector<array> results = c.arrays(1);
  open_call(c).custom->give_examples(pointers_to(results));
  return give(std::move(results));
}

Result changes_of_inputs(Call& c) { return give(open_call(c).custom->changes()); }

Result note_rule(Call& c) {
  std::vector<array> results = c.arrays(1);
  const auto rule = std::make_shared<HostRule>(static_cast<int>(c.integer(2, 0)));
  const auto kept = std::make_shared<std::vector<array>>(c.arrays(3));
  open_call(c).custom->note(pointers_to(results),
                            {[rule, kept](const std::vector<array>& g) { return rule->back(g, *kept); }, nullptr, kept});
  return give(results);
}

/// The rule is what another call, which is kept, did to changes: those of the inputs that are named; others have none.
Result note_linear(Call& c) {
  std::vector<array> results = c.arrays(1);
  const std::shared_ptr<Kept> linear(std::move(kept_calls().at(static_cast<std::size_t>(c.integer(2, 0)))));
  const dims moving = c.shape(3);
  const auto count = static_cast<std::size_t>(c.integer(4, 0));
  const auto back = [linear, moving, count](const std::vector<array>& g) {
    std::vector<array> made(count), found = transform::transposed(*linear->call, g, linear->results);
    for (std::size_t i = 0; i < found.size(); ++i)
      made[static_cast<std::size_t>(moving[static_cast<int>(i)])] = std::move(found[i]);
    return made;
  };
  const auto forward = [linear, moving](const std::vector<array>& t) {
    std::vector<array> given;
    for (const std::int64_t i : moving) given.push_back(t[static_cast<std::size_t>(i)]);
    return linear->call->push(given);
  };
  open_call(c).custom->note(pointers_to(results), {back, forward});
  return give(results);
}

Result note_changes(Call& c) {
  std::vector<array> results = c.arrays(1);
  open_call(c).custom->note_changes(pointers_to(results), c.arrays(2));
  return give(results);
}

Result checked_like(Call& c) {
  const std::vector<array> given = c.arrays(2), like = c.arrays(3);
  for (std::size_t i = 0; i < given.size(); ++i)
    transform::check_like(kept_name(c.word(0, "")), c.word(1, ""), i, given[i], like.at(i), "result");
  return {};
}

}  // namespace

void add_transforms(std::vector<Function>& table) {
  static constexpr Function rows[] = {
      {"transform.open", "direction name", open_call_of},
      {"transform.close", "call", close_call},
      {"transform.activate", "call argument leaves = changes names", activated},
      {"transform.gradients", "call result", gradients_of},
      {"transform.changes", "call results", changes_of_results},
      {"transform.jacobians", "call mode results leaves", jacobians_of},
      {"transform.keep", "call results leaves arguments", keep_call},
      {"transform.pull", "kept cotangents", pulled},
      {"transform.push", "kept changes", pushed},
      {"transform.release", "kept", release_call},
      {"transform.open_batch", "= size randomness", open_batch},
      {"transform.begin_batch", "call leaves arguments axes", begin_batch},
      {"transform.finish_batch", "call results axes", finish_batch},
      {"transform.passed_in", "", passed_in},
      {"transform.passed_out", "arrays", passed_out},
      {"transform.open_custom", "inputs", open_custom},
      {"transform.below", "call below", go_below},
      {"transform.input_stacks", "call", stacks_of_inputs},
      {"transform.examples", "call results", examples},
      {"transform.input_changes", "call", changes_of_inputs},
      {"transform.note_rule", "call results rule kept", note_rule},
      {"transform.note_linear", "call results kept moving inputs", note_linear},
      {"transform.note_changes", "call results changes", note_changes},
      {"transform.check_like", "name what given like", checked_like},
      {"transform.begin_checkpoint", "", begin_checkpoint},
      {"transform.end_checkpoint", "", end_checkpoint},
      {"transform.stop", "a", [](Call& c) { return give(transform::stopped(c[0].as_array())); }},
  };
  table.insert(table.end(), std::begin(rows), std::end(rows));
}

}  // namespace numjit::js
