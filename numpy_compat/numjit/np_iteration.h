// Going over arrays, elements and indices, and functions of numbers as functions of arrays.
#pragma once

#include <complex>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <numjit/base/location_scope.h>
#include <numjit/np_creation.h>
#include <numjit/np_index_tricks.h>
#include <numjit/np_indexing.h>
#include <numjit/np_keywords.h>
#include <numjit/np_manipulation.h>
#include <numjit/np_reductions.h>
#include <numjit/np_ufuncs.h>

namespace numjit {

/// Goes over the first axis: the views a(0), a(1), ..., which are 0-D for a vector. No values are
/// read, so this is no graph break inside a compiled function. TypeError for a 0-D array:
/// "iteration over a 0-d array".
///   for (auto row : np::array{{1, 2}, {3, 4}}) std::cout << row << " ";   ->  [1 2] [3 4]
class array_iterator {
 public:
  using value_type = array;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::input_iterator_tag;
  using reference = array;
  using pointer = void;

  array_iterator() = default;
  array_iterator(const array& over, std::int64_t place, const location& where)
      : over_(over), place_(place), where_(where) {}
  array operator*() const { return over_(place_, where_); }
  array_iterator& operator++() {
    ++place_;
    return *this;
  }
  array_iterator operator++(int) {
    array_iterator before = *this;
    ++place_;
    return before;
  }
  bool operator==(const array_iterator& other) const { return place_ == other.place_; }

 private:
  array over_;
  std::int64_t place_ = 0;
  location where_;
};

namespace detail {
/// The length of the first axis, for iteration.
std::int64_t iteration_length(const array& a, const location& where);
}  // namespace detail

// Free functions, which a range-based `for` finds by the array's namespace.
inline array_iterator begin(const array& a, location where = location::here()) {
  return {a, 0, where};
}
inline array_iterator end(const array& a, location where = location::here()) {
  return {array(), detail::iteration_length(a, where), where};
}

namespace detail {
/// unstack() where there are `count` parts, or the ValueError of unstack<N>.
array_list unstack_exactly(const operand& a, std::size_t count, std::int64_t axis);
}  // namespace detail

/// The arrays along an axis whose length is known to be N, for structured bindings: Python's
/// `x, y = points.T`. ValueError, in Python's words: "too many values to unpack (expected 2, got 3)",
/// "not enough values to unpack ...".
///   auto [x, y] = np::unstack<2>(np::array{{1, 2}, {3, 4}}, 1);   ->  x is [1 3], y is [2 4]
template <std::size_t N>
array_tuple<N> unstack(const operand& a, std::int64_t axis = 0) {
  return detail::first_of<N>(detail::unstack_exactly(a, N, axis));
}
template <std::size_t N>
array_tuple<N> unstack(const operand& a, const split_options& o) {
  return unstack<N>(a, o.axis);
}

/// What arrays broadcast to. ValueError: "shape mismatch: objects cannot be broadcast to a single shape".
///   np::broadcast(np::ones({3, 1}), np::ones(4)).shape  ->  (3, 4)
struct broadcast {
  template <class... A>
    requires(sizeof...(A) >= 1 && (std::convertible_to<const A&, operand> && ...))
  explicit broadcast(const A&... arrays) : broadcast(array_list{asarray(arrays)...}) {}
  explicit broadcast(const array_list& arrays);
  dims shape;
  std::int64_t size = 0;
  int nd = 0, ndim = 0, numiter = 0;
};

/// All indices of a shape in C order.
///   for (const np::dims& i : np::ndindex({2, 3})) ...   ->  (0, 0), (0, 1), ..., (1, 2)
class ndindex {
 public:
  explicit ndindex(const dims& shape) : shape_(shape) {}

  class iterator {
   public:
    using value_type = dims;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    iterator(const dims& shape, std::int64_t place) : shape_(shape), index_(shape), place_(place) {
      for (int axis = 0; axis < index_.size(); ++axis) index_[axis] = 0;
    }
    const dims& operator*() const { return index_; }
    iterator& operator++() {
      ++place_;
      for (int axis = shape_.size() - 1; axis >= 0 && ++index_[axis] == shape_[axis]; --axis) index_[axis] = 0;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const iterator& other) const { return place_ == other.place_; }
    std::int64_t place() const { return place_; }

   private:
    dims shape_, index_;
    std::int64_t place_ = 0;
  };

  iterator begin() const { return {shape_, 0}; }
  iterator end() const { return {shape_, element_count(shape_)}; }

 private:
  dims shape_;
};

/// Indices and elements in C order, the elements as T. Reads the array: a graph break inside a compiled function.
///   for (auto [index, value] : np::ndenumerate<double>(a)) ...
template <class T>
class ndenumerate {
 public:
  explicit ndenumerate(const array& a) : indices_(a.shape()), values_(a.tolist<T>()) {}

  class iterator {
   public:
    using value_type = std::pair<dims, T>;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    iterator(ndindex::iterator index, const std::vector<T>* values) : index_(std::move(index)), values_(values) {}
    value_type operator*() const { return {*index_, (*values_)[static_cast<std::size_t>(index_.place())]}; }
    iterator& operator++() {
      ++index_;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const iterator& other) const { return index_ == other.index_; }

   private:
    ndindex::iterator index_;
    const std::vector<T>* values_ = nullptr;
  };

  iterator begin() const { return {indices_.begin(), &values_}; }
  iterator end() const { return {indices_.end(), &values_}; }

 private:
  ndindex indices_;
  std::vector<T> values_;
};

namespace detail {
template <class F>
struct call_types : call_types<decltype(&F::operator())> {};
template <class R, class... P>
struct call_types<R (*)(P...)> {
  using parameters = std::tuple<std::remove_cvref_t<P>...>;
};
template <class F, class R, class... P>
struct call_types<R (F::*)(P...) const> : call_types<R (*)(P...)> {};
template <class F, class R, class... P>
struct call_types<R (F::*)(P...)> : call_types<R (*)(P...)> {};
}  // namespace detail

namespace detail {
/// Functions whose parameters have types of their own; others are templates (`auto`).
template <class F>
concept has_parameter_types = std::is_pointer_v<F> || requires {
  &F::operator();
};

[[noreturn]] void throw_negative_rounds(std::int64_t most);

template <class T>
auto as_tuple(T&& value) {
  if constexpr (requires { std::tuple_size<std::remove_cvref_t<T>>::value; })
    return std::forward<T>(value);
  else
    return std::tuple<std::remove_cvref_t<T>>(std::forward<T>(value));
}
template <class... T>
auto one_or_tuple(std::tuple<T...> values) {
  if constexpr (sizeof...(T) == 1)
    return std::get<0>(std::move(values));
  else
    return values;
}
}  // namespace detail

/// `a` where the condition holds, else `b`: of numbers one of them, of arrays np::where. For functions that take both.
///   auto positive = [](auto x) { return np::select(x > 0.0, x, 0.0); };
///   positive(-1.5)  ->  0.0
///   positive(np::array{-1.5, 2.0})  ->  [0. 2.]
template <class C, class A, class B>
requires std::is_same_v<C, bool> || std::is_base_of_v<array, C>
auto select(const C& condition, const A& a, const B& b, location at = location::here()) {
  if constexpr (std::is_same_v<C, bool> && std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {
    return condition ? static_cast<std::common_type_t<A, B>>(a) : static_cast<std::common_type_t<A, B>>(b);
  } else {
    const location_scope scope(at);
    return where(condition, a, b);
  }
}

/// The most rounds of a loop, and where that is said.
struct loop_rounds {
  template <class N>
  requires std::is_integral_v<N> loop_rounds(N rounds, location at = location::here())
      : most(static_cast<std::int64_t>(rounds)), where(at) {}
  std::int64_t most;
  location where;
};

/// `while (condition(state...)) state = body(state...)`, at most so many rounds, for functions of numbers that are ones of arrays
/// as well: of arrays, each element goes on until its own condition fails, and keeps its state then. Returns the state, a tuple
/// if it is several values. ValueError: a negative number of rounds.
///
/// Of arrays, the body is computed for all elements in each round, of those that have ended as well, and what it gives for them
/// is not taken. Every eight rounds it is looked whether an element goes on: a graph break inside a compiled function, which
/// loops of at most eight rounds don't have.
///   // Rounds until |z| is above 2, at most 50.
///   auto escape = np::vectorize([](auto c) {
///     auto [z, n] = np::loop(50, [](auto z, auto) { return np::abs(z) <= 2.0; },
///                            [&](auto z, auto n) { return std::tuple(z * z + c, n + 1); }, c * 0.0, 0);
///     return n;
///   });
///   escape(np::array{-1.0, 0.3, 1.0})  ->  [50 12  3]
template <class Condition, class Body, class... S>
auto loop(loop_rounds rounds, const Condition& condition, const Body& body, S... state) {
  if (rounds.most < 0) detail::throw_negative_rounds(rounds.most);
  using lives = std::remove_cvref_t<decltype(condition(state...))>;
  if constexpr (std::is_same_v<lives, bool>) {
    std::tuple<S...> now(std::move(state)...);
    for (std::int64_t i = 0; i < rounds.most && std::apply(condition, now); ++i) now = detail::as_tuple(std::apply(body, now));
    return detail::one_or_tuple(std::move(now));
  } else {
    constexpr std::int64_t rounds_between_looks = 8;
    const location_scope scope(rounds.where);
    const auto ask = [&](const auto& at) {
      const user_code_scope own;
      return asarray(std::apply(condition, at));
    };
    const auto step = [&](const auto& at) {
      const user_code_scope own;
      return detail::as_tuple(std::apply(body, at));
    };
    auto now = std::apply([](const auto&... s) { return std::tuple(asarray(s)...); }, std::tuple<S...>(std::move(state)...));
    array living = ask(now);
    for (std::int64_t i = 0; i < rounds.most; ++i) {
      if (i > 0 && i % rounds_between_looks == 0 && !any(living).item<bool>()) break;
      const auto next = step(now);
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        ((std::get<K>(now) = where(living, std::get<K>(next), std::get<K>(now))), ...);
      }
      (std::index_sequence_for<S...>());
      if (i + 1 < rounds.most) living = living & ask(now);
    }
    return detail::one_or_tuple(std::move(now));
  }
}

/// A function of numbers as one of arrays, which are broadcast.
///
/// A function with `auto` parameters is called once, with the arrays: its operations become part of the graphs and kernels around
/// them, and derivatives go through it. np::select stands for `if`, np::loop for `while`, functions of np for those of std.
///   auto payoff = np::vectorize([](auto s, auto k) { return np::select(s > k, s - k, 0.0); });
///   payoff(np::array{90.0, 120.0}, 100.0)  ->  [ 0. 20.]
///
/// One with parameters of types of their own is called in a loop, in C order: for comfort, not for speed, and a graph break
/// inside a compiled function. The result has the dtype of what the function returns.
///   auto hardshrink = np::vectorize([](double x) { return std::abs(x) > 0.5 ? x : 0.0; });
///   hardshrink(np::array{-1.0, 0.25})  ->  [-1. 0.]
template <class F>
class vectorize {
 public:
  explicit vectorize(F f) : f_(std::move(f)) {}

  template <class... A>
  array operator()(const A&... arguments) const {
    if constexpr (detail::has_parameter_types<F>) {
      using parameters = typename detail::call_types<F>::parameters;
      static_assert(sizeof...(A) == std::tuple_size_v<parameters>, "as many arguments as the function has");
      return over(static_cast<parameters*>(nullptr), broadcast_arrays({asarray(arguments)...}));
    } else {
      return at_once(array_list{asarray(arguments)...}, std::index_sequence_for<A...>());
    }
  }

 private:
  template <std::size_t... K>
  array at_once(const array_list& arrays, std::index_sequence<K...>) const {
    array made = asarray(f_(arrays[K]...));
    // A function need not look at all of its arguments.
    const dims shape = broadcast_shapes({arrays[K].shape()...});
    return made.shape() == shape ? made : broadcast_to(made, shape).copy();
  }
  template <class... P>
  array over(std::tuple<P...>*, const array_list& arrays) const {
    return over(std::index_sequence_for<P...>(), arrays, std::tuple<std::vector<P>...>());
  }
  template <std::size_t... K, class Values>
  array over(std::index_sequence<K...>, const array_list& arrays, Values values) const {
    ((std::get<K>(values) = arrays[K].template tolist<typename std::tuple_element_t<K, Values>::value_type>()), ...);
    const auto count = static_cast<std::size_t>(arrays[0].size());
    using result = decltype(f_(std::get<K>(values)[0]...));
    std::vector<std::conditional_t<std::is_same_v<result, bool>, std::uint8_t, result>> results;
    results.reserve(count);
    for (std::size_t i = 0; i < count; ++i) results.push_back(f_(std::get<K>(values)[i]...));
    const array made = from_values(results).reshape(arrays[0].shape());
    if constexpr (std::is_same_v<result, bool>) return made.astype(bool_);
    else return made;
  }

  F f_;
};

}  // namespace numjit
