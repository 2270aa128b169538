// Transforms of functions: derivatives of plain programs, forward and backward.
//
// A function is called as it is: it may store into arrays, take views, read values and branch by them, and call compiled
// functions. See docs/transforms.md.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include <numjit/array/leaves.h>
#include <numjit/base/kept.h>
#include <numjit/transform/calls.h>
#include <numjit/transform/tree.h>

namespace numjit {
namespace transform {

template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

/// The arguments of a call: copies of those at the places I..., which get other arrays, and references to the others.
template <std::size_t... I>
struct Chosen {
  static_assert(sizeof...(I) > 0);
  template <std::size_t K>
  static constexpr bool has = ((K == I) || ...);
  template <std::size_t K, class A>
  using held = std::conditional_t<has<K>, std::decay_t<A>, A&&>;

  template <class... Args, std::size_t... K>
  static auto hold(std::index_sequence<K...>, Args&&... args) {
    static_assert(((I < sizeof...(Args)) && ...), "a number of an argument that the call has not");
    return std::tuple<held<K, Args>...>(std::forward<Args>(args)...);
  }
  /// fn(number, argument) of each chosen one, in the order of I.
  template <class Tuple, class F>
  static void each(Tuple& held, F&& fn) {
    (fn(static_cast<int>(I), std::get<I>(held)), ...);
  }
  /// The chosen ones by themselves: one as it is, several as a tuple.
  template <class Tuple>
  static auto results(Tuple&& of) {
    if constexpr (sizeof...(I) == 1)
      return std::get<0>(std::forward<Tuple>(of));
    else
      return std::forward<Tuple>(of);
  }
  /// Copies of the chosen arguments whose leaves are these arrays, one after the other.
  template <class Tuple>
  static auto with_leaves(const Tuple& held, std::vector<array> leaves) {
    std::size_t at = 0;
    std::tuple made{std::decay_t<std::tuple_element_t<I, Tuple>>(std::get<I>(held))...};
    std::apply([&](auto&... trees) { (replace_leaves(trees, leaves, at), ...); }, made);
    return results(std::move(made));
  }
};

template <class T>
decltype(auto) as_lvalue(T&& value) {
  return static_cast<std::remove_reference_t<T>&>(value);
}
template <class F, class Tuple>
decltype(auto) call_with(F& f, Tuple& held) {
  return std::apply([&](auto&&... args) -> decltype(auto) { return f(as_lvalue(args)...); }, held);
}

template <class R>
constexpr void check_result_type() {
  using Result = std::remove_cvref_t<R>;
  static_assert(
      !std::is_arithmetic_v<Result>,
      "grad: the function returned a number, expected a real 0-D array: item() of an array gives a constant. Return the "
      "array.");
}

/// The value and the gradients: pair(value or pair(value, aux), gradients).
template <class Places, class F, class... Args>
auto value_and_gradient(const char* name, F& f, Args&&... args) {
  ReverseCall call(name);
  auto held = Places::hold(std::index_sequence_for<Args...>(), std::forward<Args>(args)...);
  Places::each(held, [&](int number, auto& tree) { call.activate(number, leaves_of(tree), name_of_leaf(tree)); });
  auto result = call_with(f, held);
  check_result_type<decltype(result)>();
  array value;
  if constexpr (is_pair<decltype(result)>)
    value = result.first;
  else
    value = result;
  array* const values[] = {&value};
  call.finish(values);
  std::vector<array> gradients = call.gradients(value);
  return std::pair(std::move(result), Places::with_leaves(held, std::move(gradients)));
}

/// What an argument is as a tree: an array, where it is one or becomes one.
template <class T>
using as_tree = std::conditional_t<std::convertible_to<T, array>, array, T>;

/// All arguments of a call.
template <std::size_t... K>
Chosen<K...> all_of(std::index_sequence<K...>);
template <class... Args>
using All = decltype(all_of(std::index_sequence_for<Args...>()));

/// A call that is gone through later: tuple(call, arguments, result).
template <class F, class... Args>
auto recorded(const char* name, F& f, Args&&... args) {
  auto call = std::make_shared<ReverseCall>(name);
  auto held = All<Args...>::hold(std::index_sequence_for<Args...>(), std::forward<Args>(args)...);
  All<Args...>::each(held, [&](int number, auto& tree) { call->activate(number, leaves_of(tree), name_of_leaf(tree)); });
  auto result = call_with(f, held);
  call->finish(leaves_of(result));
  call->own_values();
  return std::tuple(std::move(call), std::move(held), std::move(result));
}

}  // namespace transform

/// The gradient of a function of arrays whose result is a real 0-D array, by its arguments at the places I (the first one): a
/// tree like the argument, several as a tuple. If the function returns a pair, its second part is handed through:
/// pair(gradient, second).
///
/// TypeError for integers among the arrays, ValueError for other results, NotImplementedError where an operation's derivative is
/// not known.
///   auto slope = np::grad([](const np::array& x) { return np::sum(x * x); });
///   slope(np::array{1.0, 2.0});  // [2. 4.]
template <std::size_t... I, class F>
auto grad(F f) {
  if constexpr (sizeof...(I) == 0) {
    return grad<0>(std::move(f));
  } else {
    return [kept = detail::Kept{std::move(f)}]<class... Args>(Args&&... args) {
      auto [result, gradients] =
          transform::value_and_gradient<transform::Chosen<I...>>("grad", kept.fn, std::forward<Args>(args)...);
      if constexpr (transform::is_pair<std::remove_cvref_t<decltype(result)>>)
        return std::pair(std::move(gradients), std::move(result.second));
      else
        return std::move(gradients);
    };
  }
}

/// The same as pair(value, gradient), the value as the function gave it.
///   auto [value, slope] = np::value_and_grad(loss)(x);
template <std::size_t... I, class F>
auto value_and_grad(F f) {
  if constexpr (sizeof...(I) == 0) {
    return value_and_grad<0>(std::move(f));
  } else {
    return [kept = detail::Kept{std::move(f)}]<class... Args>(Args&&... args) {
      return transform::value_and_gradient<transform::Chosen<I...>>("value_and_grad", kept.fn, std::forward<Args>(args)...);
    };
  }
}

/// pair(result of f(args...), pull): pull(cotangent) takes a tree like the result to the cotangents of the arguments, of one as
/// it is, of several as a tuple: J^H g of complex numbers. It may be called often; what f computed does not run again.
///   auto [y, pull] = np::vjp(f, x);
///   pull(np::ones_like(y));
template <class F, class... Args>
auto vjp(F f, Args&&... args) {
  using Places = transform::All<Args...>;
  auto [call, held, result] = transform::recorded("vjp", f, std::forward<Args>(args)...);
  auto pull = [call = call, held = held, result = result](auto cotangent) {
    std::vector<array> given;
    auto like = result;
    const auto leaves = transform::leaves_of(like), cotangents = transform::leaves_of(cotangent);
    if (leaves.size() != cotangents.size())
      throw ValueError("vjp", "the cotangent has " + std::to_string(cotangents.size()) + " arrays, the result has " +
                                  std::to_string(leaves.size()) + ".");
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      transform::check_like("vjp", "cotangent", i, *cotangents[i], *leaves[i], "result");
      given.push_back(*cotangents[i]);
    }
    return Places::with_leaves(held, call->pull(given));
  };
  return std::pair(std::move(result), std::move(pull));
}

/// pair(result, its change) of f at the arguments of a tuple, for these changes of them.
///   auto [y, dy] = np::jvp(f, std::tuple(x), std::tuple(dx));
template <class F, class... X, class... DX>
auto jvp(F f, std::tuple<X...> arguments, std::tuple<DX...> changes) {
  static_assert(sizeof...(X) == sizeof...(DX), "jvp: one change for each argument");
  transform::ForwardCall call("jvp");
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    (call.activate(static_cast<int>(K), transform::leaves_of(std::get<K>(arguments)), transform::leaves_of(std::get<K>(changes)),
                   transform::name_of_leaf(std::get<K>(arguments))),
     ...);
  }
  (std::index_sequence_for<X...>());
  auto result = transform::call_with(f, arguments);
  auto change = result;
  std::size_t at = 0;
  transform::replace_leaves(change, call.finish(transform::leaves_of(result)), at);
  return std::pair(std::move(result), std::move(change));
}

/// pair(result of f(args...), push): push(changes...) gives the result's change, without running f.
template <class F, class... Args>
auto linearize(F f, Args&&... args) {
  using Places = transform::All<Args...>;
  auto [call, held, result] = transform::recorded("linearize", f, std::forward<Args>(args)...);
  auto push = [call = call, held = held, result = result](std::decay_t<Args>... changes) {
    std::vector<array> given;
    std::tuple<std::decay_t<Args>...> all(std::move(changes)...);
    auto like = held;
    Places::each(all, [&](int, auto& tree) {
      for (const array* leaf : transform::leaves_of(tree)) given.push_back(*leaf);
    });
    std::size_t at = 0;
    Places::each(like, [&](int number, auto& tree) {
      for (const array* leaf : transform::leaves_of(tree)) {
        if (at == given.size()) throw ValueError("linearize", "a tangent has fewer arrays than its argument.");
        transform::check_like("linearize", "tangent", static_cast<std::size_t>(number), given[at++], *leaf, "argument");
      }
    });
    auto change = result;
    std::vector<array> made = call->push(given);
    const auto leaves = transform::leaves_of(change);
    for (std::size_t i = 0; i < leaves.size(); ++i)
      *leaves[i] = made[i].empty_handle() ? transform::zeros_like(*leaves[i]) : made[i];
    return change;
  };
  return std::pair(std::move(result), std::move(push));
}

namespace transform {

template <class Places, class F, class... Args>
auto jacobian_of(const char* name, JacobianMode mode, F& f, Args&&... args) {
  ReverseCall call(name);
  auto held = Places::hold(std::index_sequence_for<Args...>(), std::forward<Args>(args)...);
  std::vector<array> leaves;
  Places::each(held, [&](int number, auto& tree) {
    for (const array* leaf : leaves_of(tree)) leaves.push_back(*leaf);
    call.activate(number, leaves_of(tree), name_of_leaf(tree));
  });
  array result = call_with(f, held);
  array* const results[] = {&result};
  call.finish(results);
  return Places::with_leaves(held, jacobian(call, mode, {&result, 1}, 0, leaves));
}

}  // namespace transform

#define NUMJIT_JACOBIAN(name, mode)                                                                           \
  template <std::size_t... I, class F>                                                                        \
  auto name(F f) {                                                                                            \
    if constexpr (sizeof...(I) == 0) {                                                                        \
      return name<0>(std::move(f));                                                                           \
    } else {                                                                                                  \
      return [kept = detail::Kept{std::move(f)}]<class... Args>(Args&&... args) {                             \
        return transform::jacobian_of<transform::Chosen<I...>>(#name, transform::JacobianMode::mode, kept.fn, \
                                                               std::forward<Args>(args)...);                  \
      };                                                                                                      \
    }                                                                                                         \
  }
/// d y[i...] / d x[k...] of a function with one array as its result, of shape y.shape + x.shape: a tree like the argument. jacrev
/// goes back once for each element of the result, jacfwd forward once for each of the arguments, jacobian the shorter way.
///   np::jacobian([](const np::array& x) { return x * x; })(np::array{1.0, 2.0});  // [[2. 0.] [0. 4.]]
NUMJIT_JACOBIAN(jacrev, rows)
NUMJIT_JACOBIAN(jacfwd, columns)
NUMJIT_JACOBIAN(jacobian, either)
#undef NUMJIT_JACOBIAN

/// The second derivatives of a function with a real 0-D result, by one argument that is an array: shape x.shape + x.shape.
template <std::size_t I = 0, class F>
auto hessian(F f) {
  return [second = jacfwd<I>(grad<I>(std::move(f)))]<class... Args>(Args&&... args) {
    auto tree = std::get<I>(std::tie(args...));
    for (const array* leaf : transform::leaves_of(tree)) transform::check_real("hessian", *leaf);
    return second(std::forward<Args>(args)...);
  };
}

/// The Hessian of f at x times v, a tree like x: forward over backward, without the matrix.
template <class F, class X>
auto hvp(F f, const X& x, const std::type_identity_t<transform::as_tree<X>>& v) {
  return jvp(grad(std::move(f)), std::tuple<transform::as_tree<X>>(x), std::tuple(v)).second;
}

/// The same values, as constants: no derivative goes through.
inline array stop_gradient(const array& x) { return transform::stopped(x); }

}  // namespace numjit
