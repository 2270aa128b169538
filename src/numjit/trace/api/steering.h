// Functions that steer what compiled functions record: disable, breaks as errors, marks, constants.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <numjit/base/kept.h>
#include <numjit/base/location.h>
#include <numjit/ops/black_box.h>
#include <numjit/ops/eager_on_thread.h>
#include <numjit/trace/api/region.h>

namespace numjit {

namespace tracing {

/// TypeError if a callable is empty (a null function pointer, an empty std::function).
[[noreturn]] void throw_empty_callable(const char* op);
template <class F>
void require_callable(const char* op, const F& fn) {
  // A function, or a lambda that converts to a pointer to one, can't be empty.
  if constexpr (std::is_pointer_v<F> || std::is_member_pointer_v<F> || requires { fn.operator bool(); })
    if (!static_cast<bool>(fn)) throw_empty_callable(op);
}

/// Makes an array argument concrete before code that runs eagerly takes it: a graph break if it is pending.
template <class A>
void require_value(const A& argument) {
  if constexpr (std::is_same_v<A, array>)
    if (!argument.empty_handle()) detail::concrete(argument.get(), "eval");
}

/// `mutates`: numbers of the arguments that the function changes.
array call_black_box(const detail::black_box& box, std::span<const operand> in, std::span<const int> mutates = {});

// Signature of a callable with one call operator; void where it can't be known (generic lambdas,
// overload sets) or also takes the object (member pointers).
template <class Member>
struct member_signature {
  using type = void;
};
#define NUMJIT_SIGNATURE(...)                           \
  template <class R, class C, class... A>               \
  struct member_signature<R (C::*)(A...) __VA_ARGS__> { \
    using type = R(A...);                               \
  }
NUMJIT_SIGNATURE();
NUMJIT_SIGNATURE(const);
NUMJIT_SIGNATURE(noexcept);
NUMJIT_SIGNATURE(const noexcept);
#undef NUMJIT_SIGNATURE
template <class F>
struct signature_of {
  using type = void;
};
template <class F>
requires requires { &F::operator(); }
struct signature_of<F> : member_signature<decltype(&F::operator())> {};
template <class R, class... A>
struct signature_of<R (*)(A...)> {
  using type = R(A...);
};
template <class R, class... A>
struct signature_of<R (*)(A...) noexcept> {
  using type = R(A...);
};

/// Does the type belong to one place of the program, as that of a lambda? std::function and others of its kind do not.
template <class F>
constexpr bool is_closure() {
  return std::is_class_v<F> && std::string_view(__PRETTY_FUNCTION__).find("lambda") != std::string_view::npos;
}

/// What the places of a callable's operations say.
template <class F>
disabled_code code_of(const F& fn) {
  if constexpr (std::is_pointer_v<F>) {
    const std::string name = function_at(reinterpret_cast<const void*>(fn));
    return {name, "", name};
  } else {
    return {"", "", is_closure<F>() ? "operator()" : ""};
  }
}

/// Is it a line of the standard library, which called for the user?
bool is_of_standard_library(const location& where);

/// Where an assume_constant wrapper and its copies keep their result; np::reset() empties it.
class constant_slot {
 public:
  std::shared_ptr<void> load() const {
    std::lock_guard lock(mutex_);
    return value_;
  }
  std::shared_ptr<void> exchange(std::shared_ptr<void> value) {
    std::lock_guard lock(mutex_);
    return std::exchange(value_, std::move(value));
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<void> value_;
};
std::shared_ptr<constant_slot> make_constant_slot();
void empty_constant_slots();

}  // namespace tracing

/// What np::is_disabled tells about a callable.
struct disabled_state {
  bool disabled = false;
  bool recursive = false;
  std::string reason{};
  explicit operator bool() const { return disabled; }
};

namespace tracing {

/// The call operator of a callable under np::disable: with the parameters of a callable that has one signature, and then
/// with the place of the call.
template <class Self, class F, class Signature>
class disabled_call;
template <class Self, class F>
class disabled_call<Self, F, void> {
 public:
  template <class... A>
  requires std::invocable<F&, A...>
  decltype(auto) operator()(A&&... args) const { return static_cast<const Self&>(*this).call({}, std::forward<A>(args)...); }
};
template <class Self, class F, class R, class... A>
class disabled_call<Self, F, R(A...)> {
 public:
  R operator()(A... args, location where = location::here()) const {
    return static_cast<const Self&>(*this).call(where, std::forward<A>(args)...);
  }
};

}  // namespace tracing

/// A callable under np::disable.
template <class F>
class disabled_function : public tracing::disabled_call<disabled_function<F>, F, typename tracing::signature_of<F>::type> {
 public:
  disabled_function(F fn, disable_options options, location where)
      : fn_(std::move(fn)), options_(std::move(options)), code_(tracing::code_of(fn_)), where_(where) {}
  disabled_state disabled() const { return {true, options_.recursive, options_.reason}; }

 private:
  friend class tracing::disabled_call<disabled_function<F>, F, typename tracing::signature_of<F>::type>;
  template <class... A>
  decltype(auto) call(const location& where, A&&... args) const {
    disable_scope scope(options_, code_, where.line == 0 || tracing::is_of_standard_library(where) ? where_ : where);
    return std::invoke(fn_, std::forward<A>(args)...);
  }

  mutable F fn_;
  disable_options options_;
  tracing::disabled_code code_;
  location where_;
};

namespace tracing {
template <class F>
struct signature_of<disabled_function<F>> : signature_of<F> {};
}  // namespace tracing

/// `fn` wrapped so that it runs eagerly, also inside compiled functions: a graph break. `recursive`:
/// what it calls is eager too; otherwise functions it calls are recorded. Errors: TypeError for an empty
/// callable; a GraphBreakError when it is called under fullgraph.
///   auto log = np::disable([](const np::array& x) { std::cout << x; }, {.reason = "prints"});
template <class F>
auto disable(F&& fn, disable_options options = {}, const char* file = __builtin_FILE(),
             const char* function = __builtin_FUNCTION(), int line = __builtin_LINE()) {
  tracing::require_callable("disable", fn);
  return disabled_function<std::decay_t<F>>(std::forward<F>(fn), std::move(options), {file, function, line});
}

/// Whether `fn` is a callable made by np::disable, and how.
///   np::is_disabled(np::disable(f)).recursive   // true
template <class F>
disabled_state is_disabled(const F& fn) {
  if constexpr (requires {
                  { fn.disabled() } -> std::same_as<disabled_state>;
                })
    return fn.disabled();
  return {};
}

/// `fn` wrapped so that it is recorded also where a np::disable(..., {.recursive = false}) around it
/// keeps the code eager.
template <class F>
auto dont_skip_tracing(F&& fn) {
  tracing::require_callable("dont_skip_tracing", fn);
  return [kept = detail::Kept{std::decay_t<F>(std::forward<F>(fn))}](auto&&... args) -> decltype(auto) {
    dont_skip_tracing_scope scope;
    return std::invoke(kept.fn, std::forward<decltype(args)>(args)...);
  };
}

/// `fn` wrapped so that graph breaks inside it are errors (true) or allowed (false).
///   auto g = np::error_on_graph_break(true, third_party::smooth);
template <class F>
auto error_on_graph_break(bool on, F&& fn) {
  tracing::require_callable("error_on_graph_break", fn);
  return [on, kept = detail::Kept{std::decay_t<F>(std::forward<F>(fn))}](auto&&... args) -> decltype(auto) {
    error_on_graph_break_scope scope(on);
    return std::invoke(kept.fn, std::forward<decltype(args)>(args)...);
  };
}

/// Options of np::allow_in_graph for functions.
struct black_box_options {
  std::vector<int> mutates{};  // numbers of the arguments that the function changes
};

/// A callable made by np::allow_in_graph.
template <class F, class Rule>
class black_box_function {
 public:
  black_box_function(F fn, Rule rule, black_box_options options)
      : fn_(std::make_shared<F>(std::move(fn))), rule_(std::make_shared<Rule>(std::move(rule))), options_(std::move(options)) {}
  template <class... A>
  requires(std::convertible_to<A, operand>&&...) array operator()(A&&... args) const {
    const operand in[] = {operand(std::forward<A>(args))...};
    return tracing::call_black_box(box<sizeof...(A)>(), in, options_.mutates);
  }

 private:
  // The table wants functions of a span; they depend on how many arrays there are.
  template <std::size_t count>
  const detail::black_box& box() const {
    std::lock_guard lock(boxes_->mutex);
    std::shared_ptr<const detail::black_box>& box = boxes_->of[count];
    auto spread = [](auto& function, const auto& list) {
      return [&]<std::size_t... I>(std::index_sequence<I...>) { return std::invoke(function, list[I]...); }
      (std::make_index_sequence<count>{});
    };
    if (!box)
      box = detail::add_black_box(
          {[rule = rule_, spread](std::span<const array_spec> specs) -> array_spec { return spread(*rule, specs); },
           [fn = fn_, spread](std::span<const array> arrays) -> array { return spread(*fn, arrays); }});
    return *box;
  }

  static constexpr std::size_t max_arguments = 15;
  struct Boxes {
    std::mutex mutex;
    std::array<std::shared_ptr<const detail::black_box>, max_arguments + 1> of;
  };
  std::shared_ptr<F> fn_;
  std::shared_ptr<Rule> rule_;
  black_box_options options_;
  std::shared_ptr<Boxes> boxes_ = std::make_shared<Boxes>();
};

/// `fn` wrapped so that its result is taken as constant: it runs once, eagerly, and each later call of
/// this wrapper or a copy gives that result whatever the arguments are, without a graph break.
/// np::reset() forgets it. Under fullgraph it must not run for the first time while stores are pending: a
/// GraphBreakError.
///   auto table = np::assume_constant(load_table);
template <class F>
class constant_function {
 public:
  constant_function(F fn, location where) : fn_(std::move(fn)), where_(where) {}
  template <class... A>
  requires std::invocable<F&, A...>
  auto operator()(A&&... args) const {
    using R = std::decay_t<std::invoke_result_t<F&, A...>>;
    static_assert(!std::is_void_v<R>, "a constant needs a value");
    struct Kept {
      std::uint64_t generation;
      R value;
    };
    if (auto kept = std::static_pointer_cast<Kept>(kept_->load()); kept && kept->generation == tracing::constants_generation())
      return kept->value;
    (tracing::require_value(args), ...);
    tracing::flush_for_constant(where_);
    const detail::eager_on_thread eagerly;
    R value = std::invoke(fn_, std::forward<A>(args)...);
    kept_->exchange(std::make_shared<Kept>(Kept{tracing::constants_generation(), value}));
    return value;
  }

 private:
  mutable F fn_;
  location where_;
  std::shared_ptr<tracing::constant_slot> kept_ = tracing::make_constant_slot();
};
template <class F>
auto assume_constant(F&& fn, location where = location::here()) {
  tracing::require_callable("assume_constant", fn);
  return constant_function<std::decay_t<F>>(std::forward<F>(fn), where);
}

/// `fn` as one operation of a graph: a call is recorded, not broken at, and nothing inside is looked at.
/// It runs once per call of the compiled function, eagerly, in the program's order among stores and
/// other such calls. Its arguments are read-only, but for those that `mutates` names: with these it runs at its line (a cut).
/// Make it once, outside of what is compiled.
/// `fn`: arrays in, one array out. `shape_rule`: np::array_spec of each argument in, that of the result
/// out. Errors: those of `fn`; ValueError if its result is not what the rule said, and if it stores into what it may not.
///   auto smooth = np::allow_in_graph(blur, [](np::array_spec x) { return x; });
template <class F, class Rule>
requires(!std::convertible_to<F, std::string_view>) auto allow_in_graph(F&& fn, Rule&& shape_rule,
                                                                        black_box_options options = {}) {
  tracing::require_callable("allow_in_graph", fn);
  tracing::require_callable("allow_in_graph", shape_rule);
  return black_box_function<std::decay_t<F>, std::decay_t<Rule>>(std::forward<F>(fn), std::forward<Rule>(shape_rule),
                                                                 std::move(options));
}

/// Ends the segment here. No effect outside a compiled function.
///   np::graph_break("keeps the two halves apart");
void graph_break(std::string message = "", const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
                 int line = __builtin_LINE());

/// Runs pending work of this thread's compiled region, so that memory may be touched from outside.
void flush(const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(), int line = __builtin_LINE());

/// True inside a compiled function (and not in a disabled part of it). For programs, whose calls are recorded ever after where
/// they ask; numjit itself asks whether operations are recorded.
bool is_compiling();

/// Compiled functions guard on this array's size along `axis`: another size is another graph. Holds for
/// this array object. Errors: AxisError.
void mark_static(const array& x, int axis);

/// Compiled functions never guard on this array's size along `axis`, also under `dynamic = false`.
/// (A size of 1 broadcasts, which is other code: it stays another graph.) Errors: AxisError.
void mark_dynamic(const array& x, int axis);

/// Keeps an op out of graphs, process-wide: in compiled functions it ends the segment (break NJ0009)
/// and runs eagerly. `name`: the op's NumPy name, such as "subtract". Errors: ValueError for an unknown
/// name, with the nearest known one.
///   np::disallow_in_graph("subtract");
void disallow_in_graph(std::string_view name);

/// Undoes disallow_in_graph. Errors as there.
void allow_in_graph(std::string_view name);

}  // namespace numjit
