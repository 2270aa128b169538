// np::compile and its companions: disable, graph_break, fullgraph, explain, counters, reset.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <numjit/base/config.h>
#include <numjit/base/log.h>
#include <numjit/trace/counters.h>
#include <numjit/trace/explain.h>
#include <numjit/trace/function_state.h>
#include <numjit/trace/region.h>

namespace numjit {

/// How a compiled function treats sizes and scalars. Sizes are run-time values in every mode here;
/// the class exists so that `dynamic = true` and `np::dynamic::automatic` both read well.
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
/// promises that the body does nothing but array work on its arguments; it is carried out as rerun,
/// which is always right.
enum class mode { rerun, replay };

/// Options of np::compile.
struct compile_options {
  bool fullgraph = false;                  // a graph break is a GraphBreakError
  numjit::dynamic dynamic = numjit::dynamic::automatic;
  std::string backend = "halide";          // "eager", "graph", "halide"
  numjit::mode mode = numjit::mode::rerun;
  std::string name{};                      // for logs and explain
  int verify_replay = 0;
  bool disable = false;                    // a pass-through wrapper
  bool nopython = false;                   // alias of fullgraph
};

namespace trace {

std::shared_ptr<FunctionState> make_function_state(const compile_options& options);

// Signature of a callable with one call operator; void where it can't be known (generic lambdas,
// overload sets).
template <class F> struct signature_of { using type = void; };
template <class F>
  requires requires { &F::operator(); }
struct signature_of<F> : signature_of<decltype(&F::operator())> {};
#define NUMJIT_SIGNATURE(...)                                        \
  template <class R, class C, class... A>                            \
  struct signature_of<R (C::*)(A...) __VA_ARGS__> { using type = R(A...); };
NUMJIT_SIGNATURE() NUMJIT_SIGNATURE(const) NUMJIT_SIGNATURE(noexcept) NUMJIT_SIGNATURE(const noexcept)
#undef NUMJIT_SIGNATURE
template <class R, class... A> struct signature_of<R (*)(A...)> { using type = R(A...); };
template <class R, class... A> struct signature_of<R (*)(A...) noexcept> { using type = R(A...); };

/// Runs `fn` as one compiled region. The region ends after the callee's by-value parameters died.
template <class F, class... A>
decltype(auto) run_region(FunctionState& state, F& fn, A&&... args) {
  using R = std::invoke_result_t<F&, A...>;
  Region region(state);
  if constexpr (std::is_void_v<R>) {
    std::invoke(fn, std::forward<A>(args)...);
    region.finish();
  } else if constexpr (std::is_reference_v<R>) {
    R result = std::invoke(fn, std::forward<A>(args)...);
    region.finish();
    return static_cast<R>(result);
  } else {
    R result = std::invoke(fn, std::forward<A>(args)...);
    region.finish();
    return result;
  }
}

}  // namespace trace

/// A compiled function: callable like the original. Copies share their graphs.
template <class F, class Signature = typename trace::signature_of<F>::type>
class compiled;

template <class F>
class compiled<F, void> {
 public:
  compiled(F fn, std::shared_ptr<trace::FunctionState> state)
      : fn_(std::move(fn)), state_(std::move(state)) {}
  template <class... A>
    requires std::invocable<F&, A...>
  decltype(auto) operator()(A&&... args) const {
    return trace::run_region(*state_, fn_, std::forward<A>(args)...);
  }
  trace::FunctionState& state() const { return *state_; }

 private:
  mutable F fn_;
  std::shared_ptr<trace::FunctionState> state_;
};

template <class F, class R, class... A>
class compiled<F, R(A...)> {
 public:
  compiled(F fn, std::shared_ptr<trace::FunctionState> state)
      : fn_(std::move(fn)), state_(std::move(state)) {}
  R operator()(A... args) const {
    return trace::run_region(*state_, fn_, std::forward<A>(args)...);
  }
  trace::FunctionState& state() const { return *state_; }

 private:
  mutable F fn_;
  std::shared_ptr<trace::FunctionState> state_;
};

/// A function that records what `fn` does with arrays and runs it as fused kernels. Results,
/// mutations, exceptions and their order are those of `fn`. Nothing happens before the first call;
/// that one runs eagerly at once while kernels are built behind it.
/// Errors: ValueError for an unknown backend, naming the valid ones.
///   auto f = np::compile([](const np::array& x) { return np::sum(x * x); });
///   f(np::array{1.0, 2.0});   // 5.0
template <class F>
auto compile(F&& fn, compile_options options = {}) {
  return compiled<std::decay_t<F>>(std::forward<F>(fn), trace::make_function_state(options));
}

/// Turns an overload set into one callable: `np::compile(NUMJIT_LIFT(np::arange))`.
#define NUMJIT_LIFT(...)                                                            \
  [](auto&&... args) -> decltype(auto) {                                            \
    return __VA_ARGS__(std::forward<decltype(args)>(args)...);                      \
  }

/// Defines a compiled free function: `NUMJIT_COMPILED(step, np::array, (const np::array& u)) { ... }`.
#define NUMJIT_COMPILED(name, result, parameters)                 \
  static result name##_uncompiled parameters;                     \
  inline const auto name = ::numjit::compile(&name##_uncompiled, {.name = #name}); \
  static result name##_uncompiled parameters

/// `fn` wrapped so that it always runs eagerly, also inside compiled functions: a graph break.
template <class F>
auto disable(F&& fn, disable_options options = {}, const char* file = __builtin_FILE(),
             const char* function = __builtin_FUNCTION(), int line = __builtin_LINE()) {
  return [fn = std::decay_t<F>(std::forward<F>(fn)), options, file, function,
          line](auto&&... args) mutable -> decltype(auto) {
    disable_scope scope(options, file, function, line);
    return std::invoke(fn, std::forward<decltype(args)>(args)...);
  };
}

/// `fn` wrapped so that graph breaks inside it are errors (true) or allowed (false).
template <class F>
auto error_on_graph_break(bool on, F&& fn) {
  return [on, fn = std::decay_t<F>(std::forward<F>(fn))](auto&&... args) mutable -> decltype(auto) {
    error_on_graph_break_scope scope(on);
    return std::invoke(fn, std::forward<decltype(args)>(args)...);
  };
}

/// Ends the segment here. No effect outside a compiled function.
void graph_break(std::string message = "", const char* file = __builtin_FILE(),
                 const char* function = __builtin_FUNCTION(), int line = __builtin_LINE());

/// Runs pending work of this thread's compiled region, so that memory may be touched from outside.
void flush(const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
           int line = __builtin_LINE());

/// True inside a compiled function (and not in a disabled part of it).
bool is_compiling();

/// `np::explain(f)(args...)` makes the call once, effects included, and tells what was compiled.
/// A function that is not compiled yet is compiled.
template <class F>
auto explain(const F& fn) {
  return [fn](auto&&... args) -> explain_report {
    if constexpr (requires { fn.state(); }) {
      trace::Explaining explaining(fn.state().name);
      fn(std::forward<decltype(args)>(args)...);
      return explaining.report();
    } else {
      auto wrapped = compile(fn);
      trace::Explaining explaining(wrapped.state().name);
      wrapped(std::forward<decltype(args)>(args)...);
      return explaining.report();
    }
  };
}

/// Counts since the start or the last reset().
counter_values counters();

/// Waits until every queued kernel is compiled and ready.
void wait_for_compiles();

/// Forgets all graphs and kernels in memory and zeroes the counters. Keeps config, sinks, compiled
/// callables and the disk cache. ValueError inside a compiled function.
void reset();

}  // namespace numjit
