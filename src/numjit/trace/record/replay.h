// Replay: calls whose arguments equal those of an earlier call run its kernels without the body.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <numjit/array/leaves.h>

namespace numjit::tracing {

/// The leaves of arguments or results: arrays by their handles, plain values as words.
struct LeafList {
  std::vector<numjit::array*> arrays;
  std::vector<std::uint64_t> values;
  void array(numjit::array& a);
  void value(std::uint64_t word);
  void clear();
};

/// What was learned from one call. Belongs to the thread that made it.
struct ReplayEntry;
struct ReplayScratch;
struct FunctionState;
class Recorder;

/// One call of a function in replay mode. The lists of leaves are scratch of the thread, filled by the
/// caller: arguments before known(), results and rebound arguments before give(), learn() or compare().
class ReplayCall {
 public:
  explicit ReplayCall(FunctionState& function);
  ~ReplayCall();
  ReplayCall(const ReplayCall&) = delete;
  ReplayCall& operator=(const ReplayCall&) = delete;

  /// False inside another compiled function, under explain(), and under a stance or setting that keeps
  /// the call eager: the body runs as in rerun mode.
  bool possible() const { return scratch_ != nullptr; }
  LeafList& arguments();
  LeafList& results();
  LeafList& rebound();
  /// The leaves of rebindable arguments before the body ran: a plain value that it changes can't be
  /// replayed.
  LeafList& before();

  /// Finds the entry whose guards hold. Counts calls for verify_replay.
  bool known();
  /// This call shall also run the body and compare.
  bool verifies() const { return verifies_; }

  /// Runs the kernels of the entry on the arguments.
  void run();
  /// Runs them on copies of the arguments, for compare().
  void run_on_copies();
  /// Sets the array leaves of the result, and of arguments that the body rebinds.
  void give();
  /// The same for a function whose result is an array.
  numjit::array give_one();
  /// ValueError if the body's results or arguments differ from those of run_on_copies().
  void compare();
  /// The result of the learned call with its arrays taken out.
  const std::shared_ptr<void>& prototype() const;

  /// Asks the recorder to note what learn() needs.
  void begin();
  /// Makes an entry from the call that just ended. False if it can't be replayed.
  bool learn();
  void set_prototype(std::shared_ptr<void> prototype);

 private:
  bool make_entry();
  void run_with(const std::vector<node*>& arguments, bool copies);

  FunctionState& function_;
  Recorder* recorder_ = nullptr;
  ReplayScratch* scratch_ = nullptr;  // null: not possible
  ReplayEntry* entry_ = nullptr;
  std::shared_ptr<ReplayEntry> held_;  // the same, while the body runs too
  bool verifies_ = false, replays_ = false;
};

/// TypeError at compile() for a signature that replay can't understand. `what` names the part.
[[noreturn]] void throw_not_replayable(const std::string& function, const std::string& what);

/// Visits those arguments that the body could rebind: arrays in non-const references.
template <class A>
void visit_rebound(LeafList& list, std::remove_reference_t<A>& argument) {
  if constexpr (std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>) visit_leaves(argument, list);
}

template <class R, class... A>
constexpr bool replay_understands() {
  return has_known_leaves<std::remove_cvref_t<R>>() && (has_known_leaves<std::remove_cvref_t<A>>() && ...) &&
         !std::is_reference_v<R> && !std::is_pointer_v<R>;
}

/// Carries out one call in replay mode; A are the parameter types as declared.
template <class R, class... A, class Body>
R run_replay(FunctionState& state, Body body, std::remove_reference_t<A>&... args) {
  ReplayCall call(state);
  if (!call.possible()) return body();
  (visit_leaves(args, call.arguments()), ...);
  auto list_rebound = [&] { (visit_rebound<A>(call.rebound(), args), ...); };
  const bool known = call.known();
  if (known && !call.verifies()) {
    call.run();
    list_rebound();
    if constexpr (std::is_void_v<R>) {
      call.give();
      return;
    } else if constexpr (std::is_same_v<R, array>) {
      return call.give_one();
    } else {
      R result = *static_cast<const R*>(call.prototype().get());
      visit_leaves(result, call.results());
      call.give();
      return result;
    }
  }
  if (known) {
    call.run_on_copies();
  } else {
    (visit_rebound<A>(call.before(), args), ...);
    call.begin();
  }
  auto finish = [&] {
    list_rebound();
    if (!known) return call.learn();
    call.compare();
    return false;
  };
  if constexpr (std::is_void_v<R>) {
    body();
    finish();
  } else {
    R result = body();
    visit_leaves(result, call.results());
    if (finish()) {
      auto kept = std::make_shared<std::remove_const_t<R>>(result);
      LeafList leaves;
      visit_leaves(*kept, leaves);
      for (numjit::array* a : leaves.arrays) *a = numjit::array();
      call.set_prototype(std::move(kept));
    }
    return result;
  }
}

}  // namespace numjit::tracing
