// np::custom_vjp and np::custom_jvp: functions whose derivatives the user gives.
#pragma once

#include <optional>

#include <numjit/transform/api.h>
#include <numjit/transform/vmap.h>

namespace numjit {
namespace transform {

class Level;

/// The innermost level, where a function with rules of its own is called.
class CustomCall {
 public:
  /// `inputs`: the arrays of its arguments. `every_batch`: it is called for stacks also where no transform is outside of vmap.
  explicit CustomCall(std::span<array* const> inputs, bool every_batch = false);
  /// No level is open: the function runs.
  bool is_plain() const { return !level_; }
  /// It does not concern the innermost level.
  bool is_for_below() const { return is_for_below_; }
  bool is_forward() const { return is_forward_; }
  /// The level is a batch that other transforms see from outside: the function and its rules are called for stacks, below.
  bool is_batched() const { return batch_ != nullptr; }
  std::int64_t batch_size() const;
  /// Of each input its stack, the examples first; those that are the same for all as they are, without an axis in `axes`.
  std::vector<array> stacks(std::vector<std::optional<int>>& axes) const;
  /// The results, which are stacks, become what stands for one example.
  void give_examples(std::span<array* const> results) const;
  /// Operations go to the level below while this lives. NotImplementedError for arrays that the level follows and that are none
  /// of the arguments: they would have no derivative.
  class Below {
   public:
    explicit Below(const CustomCall& call);
    ~Below();

   private:
    interpreter* const top_;
    std::unique_ptr<Level> watch_;
  };
  /// The results become what the rule says. They are copies where somebody else has them, or their memory.
  void note(std::span<array* const> results, CustomRule rule) const;
  /// Forward: the changes of the inputs, zeros where they don't change; and of the results.
  std::vector<array> changes() const;
  void note_changes(std::span<array* const> results, const std::vector<array>& changes) const;

 private:
  Level* level_ = nullptr;
  BatchLevel* batch_ = nullptr;
  bool is_for_below_ = false, is_forward_ = false;
  std::vector<array> inputs_;
};

/// A batch for all of which a function with rules of its own is called at once.
struct Examples {
  std::vector<std::optional<int>> axes;  // of each array of the arguments; none: the same for all
  std::int64_t size;
};

using Batches = std::vector<Examples>;

/// A call of such a function, or of one of its rules, for batches in batches: the last one is the outermost.
class CallForExamples {
 public:
  enum class Given { arguments, stacks };  // what has axes as `Examples` says, again and again; what has examples throughout
  CallForExamples(const Batches& batches, Given given, std::span<array* const> leaves);
  ~CallForExamples();
  /// Results become stacks.
  void finish(std::span<array* const> results);
  /// The same of cotangents of the arguments: of what is the same for all examples the sum over these.
  void finish_cotangents(std::span<array* const> cotangents);

 private:
  void open(const Examples& batch, Given given, std::span<array* const> leaves);
  const Batches& batches_;
  std::vector<std::unique_ptr<BatchCall>> open_;
};

[[noreturn]] void throw_kept_unseen();

template <class F, class Tuple>
auto call_for_examples(const Batches& batches, F& f, Tuple held) {
  using Result = std::remove_cvref_t<decltype(call_with(f, held))>;
  if constexpr (tracing::has_known_leaves<Result>()) {
    if (batches.empty()) return Result(call_with(f, held));
    CallForExamples call(batches, CallForExamples::Given::arguments, leaves_of(held));
    Result result = call_with(f, held);
    call.finish(leaves_of(result));
    return result;
  } else {
    if (!batches.empty()) throw_kept_unseen();
    return Result(call_with(f, held));
  }
}

/// Cotangents by a backward function, of what the forward one kept and the results' cotangents.
template <class F, class Tuple>
auto cotangents_for_examples(const Batches& batches, F& f, Tuple held) {
  using Result = std::remove_cvref_t<decltype(call_with(f, held))>;
  if constexpr (tracing::has_known_leaves<Tuple>()) {
    if (!batches.empty()) {
      CallForExamples call(batches, CallForExamples::Given::stacks, leaves_of(held));
      Result result = call_with(f, held);
      call.finish_cotangents(leaves_of(result));
      return result;
    }
  }
  return Result(call_with(f, held));
}

/// The call of a function under a batch, and that under other transforms: `below` calls it for the stacks.
template <class Tuple, class Below>
auto called_for_stacks(const CustomCall& call, const Tuple& held, Batches batches, Below&& below) {
  Tuple stacked = held;
  Examples& examples = batches.emplace_back();
  examples.size = call.batch_size();
  std::size_t at = 0;
  replace_leaves(stacked, call.stacks(examples.axes), at);
  auto result = [&] {
    const CustomCall::Below level(call);
    return below(stacked, batches);
  }();
  call.give_examples(leaves_of(result));
  return result;
}

/// Cotangents that a backward function gave, for each input: empty where it gives none.
void check_cotangents(std::size_t given, std::size_t arguments);
/// An array without memory of its own that tells shape and dtype.
array shape_of_result(const array& result);
/// J^T of what a forward rule gave: cotangents of the changes it was called with.
std::vector<array> transposed(const ReverseCall& call, const std::vector<array>& cotangents, std::span<const array> results);

template <class Tree>
std::vector<array> copies_of_leaves(Tree& tree) {
  std::vector<array> made;
  for (const array* leaf : leaves_of(tree)) made.push_back(*leaf);
  return made;
}

}  // namespace transform

/// f with a derivative of its own: fwd(args...) gives pair(result, kept), bwd(kept, cotangent) the cotangents of the arguments,
/// of one as it is, of several as a tuple. f is not looked into.
///
/// ValueError where bwd gives another number of cotangents than f has arguments; NotImplementedError under jvp. Under vmap, and
/// that under another transform, f and its rules are called for all examples at once: what fwd keeps is to be of arrays and
/// numbers.
///   auto clipped = np::custom_vjp([](const np::array& x) { return x; },
///                                 [](const np::array& x) { return std::pair(x, 0); },
///                                 [](int, const np::array& g) { return np::clip(g, -1.0, 1.0); });
template <class F, class Forward, class Backward>
auto custom_vjp(F f, Forward fwd, Backward bwd) {
  return [f, fwd, bwd]<class... Args>(const Args&... args) {
    auto self = [&f, &fwd, &bwd](auto& self, std::tuple<Args...>& held, const transform::Batches& batches) {
      const transform::CustomCall call(transform::leaves_of(held));
      if (call.is_plain()) return transform::call_for_examples(batches, f, held);
      if (call.is_for_below()) {
        const transform::CustomCall::Below below(call);
        return self(self, held, batches);
      }
      if (call.is_batched())
        return transform::called_for_stacks(call, held, batches,
                                            [&](auto& stacks, auto& all) { return self(self, stacks, all); });
      if (call.is_forward())
        throw NotImplementedError("jvp", "no forward derivative of a custom_vjp function is known. Give one by custom_jvp.");
      auto [result, kept] = [&] {
        const transform::CustomCall::Below below(call);
        return transform::call_for_examples(batches, fwd, held);
      }();
      auto like = result;  // the result itself may be the program's alone
      for (array* leaf : transform::leaves_of(like)) *leaf = transform::shape_of_result(*leaf);
      constexpr bool keeps_arrays = tracing::has_known_leaves<std::remove_cvref_t<decltype(kept)>>();
      const auto arrays = std::make_shared<std::vector<array>>();
      if constexpr (keeps_arrays)
        for (array* leaf : transform::leaves_of(kept)) arrays->push_back(std::exchange(*leaf, array()));
      auto back = [bwd, kept = std::move(kept), arrays, like, batches](const std::vector<array>& cotangents) {
        auto tree = like;
        const auto leaves = transform::leaves_of(tree);
        for (std::size_t i = 0; i < leaves.size(); ++i)
          *leaves[i] = cotangents[i].empty_handle() ? transform::zeros_like(*leaves[i]) : cotangents[i];
        auto residuals = kept;
        std::size_t at = 0;
        if constexpr (keeps_arrays) transform::replace_leaves(residuals, *arrays, at);
        auto given = transform::cotangents_for_examples(batches, bwd, std::tuple(std::move(residuals), std::move(tree)));
        if constexpr (tracing::tuple_node<decltype(given)>)
          transform::check_cotangents(std::tuple_size_v<decltype(given)>, sizeof...(Args));
        else
          transform::check_cotangents(1, sizeof...(Args));
        return transform::copies_of_leaves(given);
      };
      call.note(transform::leaves_of(result), {back, nullptr, arrays});
      return result;
    };
    std::tuple<Args...> held(args...);
    return self(self, held, {});
  };
}

/// f with a derivative of its own: rule(tuple of arguments, tuple of their changes) gives pair(result, its change), which is
/// linear in the changes. Forward mode calls it, backward mode goes back through what it does with the changes. f is not looked
/// into.
///   auto safe_log = np::custom_jvp([](const np::array& x) { return np::log(x); }, [](auto args, auto changes) {
///     const np::array x = std::get<0>(args), t = std::get<0>(changes);
///     return std::pair(np::log(x), t / np::maximum(x, 1e-3));
///   });
template <class F, class Rule>
auto custom_jvp(F f, Rule rule) {
  return [f, rule]<class... Args>(const Args&... args) {
    auto self = [&f, &rule](auto& self, std::tuple<Args...>& held, const transform::Batches& batches) {
      const transform::CustomCall call(transform::leaves_of(held));
      if (call.is_plain()) return transform::call_for_examples(batches, f, held);
      const auto with_changes = [&](const std::vector<array>& given) {
        auto changes = held;
        std::size_t at = 0;
        transform::replace_leaves(changes, given, at);
        return changes;
      };
      if (call.is_for_below()) {
        const transform::CustomCall::Below below(call);
        return self(self, held, batches);
      }
      if (call.is_batched())
        return transform::called_for_stacks(call, held, batches,
                                            [&](auto& stacks, auto& all) { return self(self, stacks, all); });
      if (call.is_forward()) {
        auto [result, change] = [&] {
          const transform::CustomCall::Below below(call);
          return transform::call_for_examples(batches, rule, std::tuple(held, with_changes(call.changes())));
        }();
        call.note_changes(transform::leaves_of(result), transform::copies_of_leaves(change));
        return result;
      }
      std::shared_ptr<transform::ReverseCall> linear;
      auto [result, change] = [&] {
        const transform::CustomCall::Below below(call);
        linear = std::make_shared<transform::ReverseCall>("custom_jvp");
        std::vector<array> zeros = call.changes();
        std::vector<array*> pointers;
        for (array& zero : zeros) pointers.push_back(&zero);
        linear->activate(0, pointers, [](std::size_t) { return std::string(); });
        auto made = transform::call_for_examples(batches, rule, std::tuple(held, with_changes(zeros)));
        linear->finish(transform::leaves_of(made.second));
        linear->own_values();
        return made;
      }();
      std::vector<array> results;
      for (const array* leaf : transform::leaves_of(result)) results.push_back(transform::shape_of_result(*leaf));
      call.note(transform::leaves_of(result),
                {[linear, results](const std::vector<array>& g) { return transform::transposed(*linear, g, results); },
                 [linear](const std::vector<array>& t) { return linear->push(t); }});
      return result;
    };
    std::tuple<Args...> held(args...);
    return self(self, held, {});
  };
}

}  // namespace numjit
