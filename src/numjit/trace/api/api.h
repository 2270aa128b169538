// np::compile, explain, counters and reset. What steers compiled functions is in steering.h.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <numjit/base/config.h>
#include <numjit/base/log.h>
#include <numjit/trace/api/errstate.h>
#include <numjit/trace/api/explain.h>
#include <numjit/trace/api/region.h>
#include <numjit/trace/api/steering.h>
#include <numjit/trace/record/replay.h>
#include <numjit/trace/state/backend.h>
#include <numjit/trace/state/counters.h>
#include <numjit/trace/state/op_policy.h>
#include <numjit/trace/state/stance.h>

namespace numjit {

/// How a compiled function treats sizes. automatic, yes: sizes of arguments are run-time values, one
/// graph serves all. no: each size is guarded, so that another one is a recompile. A class, so that
/// `dynamic = true` and `np::dynamic::automatic` both read well.
class dynamic {
 public:
  enum value { automatic, yes, no };
  constexpr dynamic(value v = automatic) : value_(v) {}
  constexpr dynamic(bool on) : value_(on ? yes : no) {}
  friend constexpr bool operator==(dynamic, dynamic) = default;

 private:
  value value_;
};

/// rerun: the body runs at each call and is matched against the record (default). replay: the user
/// promises that the body does nothing but array work on its arguments. A call whose arguments have the
/// layouts, and the plain values, of an earlier one then runs that call's kernels without the body.
/// Calls with graph breaks, and those past the recompile limit, run as rerun.
enum class mode { rerun, replay };

/// Options of np::compile.
struct compile_options {
  bool fullgraph = false;  // a graph break is a GraphBreakError
  numjit::dynamic dynamic = numjit::dynamic::automatic;
  numjit::backend backend = "halide";  // "eager", "graph", "halide", or a backend_function
  numjit::mode mode = numjit::mode::rerun;
  std::string name{};                              // for logs and explain
  int verify_replay = 0;                           // replay: each n-th call runs the body too and compares
  bool disable = false;                            // a pass-through wrapper
  bool nopython = false;                           // alias of fullgraph
  std::optional<numjit::float_mode> float_mode{};  // of calls of this function; else that of config()
  std::vector<std::string> args{};                 // names of the parameters, for the texts of recompiles
};

namespace tracing {

std::shared_ptr<FunctionState> make_function_state(const compile_options& options);

/// What functions compiled from one code learned, by their options: np::compile inside a function goes on where the call
/// before left off.
class SharedStates {
 public:
  /// The state that was made with such options, else a new one. Those used longest ago go.
  std::shared_ptr<FunctionState> get(const compile_options& options);
  /// The same for a function that is told apart by more than its options: `kind` stands for that. What a function that
  /// `captures` does may be decided by what it holds, as a program that it carries out: a state half way to the limit of
  /// recompiles is handed out to such functions no more.
  std::shared_ptr<FunctionState> get(const compile_options& options, std::uint64_t kind, bool captures);
  /// The states of a function pointer.
  static SharedStates& of_function(const void* function);

 private:
  struct Entry {
    compile_options options;
    std::uint64_t kind;
    std::shared_ptr<FunctionState> state;
  };
  static constexpr std::size_t most = 16;
  std::mutex mutex_;
  std::vector<Entry> entries_;  // used last first
};

/// What `fn` compiled with these options has learned before. Captured values are read by the body, which runs at each call;
/// in mode replay it does not, so that only functions without any share there.
template <class F>
std::shared_ptr<FunctionState> state_of(const F& fn, const compile_options& options) {
  if constexpr (is_closure<F>()) {
    static SharedStates& of_type = *new SharedStates;
    if (std::is_empty_v<F> || options.mode != mode::replay) return of_type.get(options, 0, !std::is_empty_v<F>);
  } else if constexpr (std::is_pointer_v<F>) {
    if (options.mode != mode::replay) return SharedStates::of_function(reinterpret_cast<const void*>(fn)).get(options);
  }
  return make_function_state(options);
}

/// What templates here need to know of it: its parts are function_state.h's, which users' code need not read.
const std::string& name_of(const FunctionState& state);
bool replays(const FunctionState& state);

template <class T>
const node* node_of_parameter(const T& parameter) {
  if constexpr (std::is_same_v<T, array>)
    return parameter.empty_handle() ? nullptr : parameter.get();
  else
    return nullptr;
}

/// Runs `fn` as one compiled region. The region ends after the callee's by-value parameters died.
template <class F, class... A>
decltype(auto) run_region(FunctionState& state, F& fn, A&&... args) {
  using R = std::invoke_result_t<F&, A...>;
  const node* const arguments[] = {node_of_parameter(args)..., nullptr};
  Region region(state, {arguments, sizeof...(A)});
  const auto body = [&]() -> R {
    try {
      return std::invoke(fn, std::forward<A>(args)...);
    } catch (...) {
      region.fail();
      throw;
    }
  };
  if constexpr (std::is_void_v<R>) {
    body();
    region.finish();
  } else if constexpr (std::is_reference_v<R>) {
    R result = body();
    region.finish();
    return static_cast<R>(result);
  } else {
    R result = body();
    region.finish();
    return result;
  }
}

}  // namespace tracing

/// A compiled function: callable like the original. Copies share their graphs.
template <class F, class Signature = typename tracing::signature_of<F>::type>
class compiled;

template <class F>
class compiled<F, void> {
 public:
  compiled(F fn, std::shared_ptr<tracing::FunctionState> state) : fn_(std::move(fn)), state_(std::move(state)) {}
  template <class... A>
  requires std::invocable<F&, A...>
  decltype(auto) operator()(A&&... args) const { return tracing::run_region(*state_, fn_, std::forward<A>(args)...); }
  tracing::FunctionState& state() const { return *state_; }

 private:
  mutable F fn_;
  std::shared_ptr<tracing::FunctionState> state_;
};

template <class F, class R, class... A>
class compiled<F, R(A...)> {
 public:
  compiled(F fn, std::shared_ptr<tracing::FunctionState> state) : fn_(std::move(fn)), state_(std::move(state)) {}
  R operator()(A... args) const {
    if constexpr (tracing::replay_understands<R, A...>())
      if (tracing::replays(*state_))
        return tracing::run_replay<R, A...>(
            *state_, [&]() -> R { return tracing::run_region(*state_, fn_, std::forward<A>(args)...); }, args...);
    return tracing::run_region(*state_, fn_, std::forward<A>(args)...);
  }
  static constexpr bool replayable = tracing::replay_understands<R, A...>();
  tracing::FunctionState& state() const { return *state_; }

 private:
  mutable F fn_;
  std::shared_ptr<tracing::FunctionState> state_;
};

/// A function that records what `fn` does with arrays and runs it as fused kernels. Results,
/// mutations, exceptions and their order are those of `fn`. Nothing happens before the first call;
/// that one runs eagerly at once while kernels are built behind it.
/// What was recorded belongs to the function and the options, not to this object: np::compile of the same lambda, reached
/// again, goes on with it.
/// Errors: ValueError for an unknown backend, naming the valid ones.
///   auto f = np::compile([](const np::array& x) { return np::sum(x * x); });
///   f(np::array{1.0, 2.0});   // 5.0
template <class F>
auto compile(F&& fn, compile_options options = {}) {
  tracing::require_callable("compile", fn);
  using Compiled = compiled<std::decay_t<F>>;
  auto state = tracing::state_of<std::decay_t<F>>(fn, options);
  if (options.mode == mode::replay) {
    if constexpr (!requires { Compiled::replayable; })
      tracing::throw_not_replayable(tracing::name_of(*state),
                                    "its parameter types are not known (a generic lambda or "
                                    "several overloads)");
    else if constexpr (!Compiled::replayable)
      tracing::throw_not_replayable(tracing::name_of(*state),
                                    "a parameter or the result has a type whose arrays can't be "
                                    "seen");
  }
  return Compiled(std::forward<F>(fn), std::move(state));
}

/// Turns an overload set into one callable: `np::compile(NUMJIT_LIFT(np::arange))`.
#define NUMJIT_LIFT(...) [](auto&&... args) -> decltype(auto) { return __VA_ARGS__(std::forward<decltype(args)>(args)...); }

/// Defines a compiled free function: `NUMJIT_COMPILED(step, np::array, (const np::array& u)) { ... }`.
#define NUMJIT_COMPILED(function, result, parameters)                                          \
  static result function##_uncompiled parameters;                                              \
  inline const auto function = ::numjit::compile(&function##_uncompiled, {.name = #function}); \
  static result function##_uncompiled parameters

/// `np::explain(f)(args...)` makes the call once, effects included, and tells what was compiled.
/// A function that is not compiled yet is compiled, and kernels that are not ready are waited for.
template <class F>
auto explain(const F& fn, explain_options options = {}) {
  return [fn, options](auto&&... args) -> explain_report {
    if constexpr (requires { fn.state(); }) {
      tracing::Explaining explaining(tracing::name_of(fn.state()), options);
      fn(std::forward<decltype(args)>(args)...);
      return explaining.report();
    } else {
      auto wrapped = compile(fn);
      tracing::Explaining explaining(tracing::name_of(wrapped.state()), options);
      wrapped(std::forward<decltype(args)>(args)...);
      return explaining.report();
    }
  };
}

/// What the identifier of a graph break or a class of errors means, and what to do about it. ValueError for others.
///   std::cout << np::help("NJ0001");
std::string help(std::string_view topic);

/// Counts since the start or the last reset().
counter_values counters();

/// Waits until every queued kernel is compiled and ready.
void wait_for_compiles();

/// Forgets all graphs and kernels in memory and zeroes the counters. Keeps config, sinks, compiled
/// callables and the disk cache. ValueError inside a compiled function.
void reset();

}  // namespace numjit
