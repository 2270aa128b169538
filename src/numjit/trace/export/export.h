// np::export_function and np::load_function: compiled functions as files, run where there is no compiler.
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <numjit/array/leaves.h>
#include <numjit/trace/api/api.h>
#include <numjit/trace/record/replay.h>

namespace numjit {

/// Options of np::export_function.
struct export_options {
  /// What kernels are compiled for: "host" (this processor), "x86-64-v2", "x86-64-v3", "x86-64-v4", and devices that
  /// this machine has ("cuda", "opencl"), whose kernels run where such a device is: those of "cuda" on every GPU of
  /// compute capability 8 or later.
  /// None: the bundle holds no kernels, and its operations run one by one.
  std::vector<std::string> targets{"host"};
  std::string name{};  // in errors and descriptions; that of the file if empty
};

namespace tracing {

/// Does a T hold arrays and nothing else?
template <class T>
constexpr bool holds_only_arrays() {
  if constexpr (std::same_as<T, array> || std::is_void_v<T>) {
    return true;
  } else if constexpr (map_node<T> || plain_leaf<T> || string_leaf<T>) {
    return false;
  } else if constexpr (container_node<T>) {
    return holds_only_arrays<typename element_of<T>::type>();
  } else if constexpr (tuple_node<T>) {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return (holds_only_arrays<std::remove_cvref_t<std::tuple_element_t<I, T>>>() && ...);
    }
    (std::make_index_sequence<std::tuple_size_v<T>>{});
  } else if constexpr (struct_node<T>) {
    return []<class... F>(std::type_identity<std::tuple<F&...>>) {
      return (holds_only_arrays<std::remove_cvref_t<F>>() && ...);
    }(std::type_identity<decltype(numjit_fields(std::declval<T&>()))>{});
  } else {
    return false;
  }
}

/// One example of a call: fresh arguments as often as asked for, and the call on them.
class Example {
 public:
  virtual ~Example() = default;
  /// Makes arguments anew from those given, and lists their leaves in `arguments`.
  virtual void make_arguments() = 0;
  /// Calls the function on them, as a region of `state`; fills the other lists.
  virtual void call(FunctionState& state) = 0;
  LeafList arguments, results, after;
};

template <class F, class... A>
class ExampleOf final : public Example {
 public:
  using Result = std::remove_cvref_t<std::invoke_result_t<F&, A&...>>;
  ExampleOf(F& fn, const std::tuple<A...>& given) : fn_(fn), given_(given) {}
  void make_arguments() override {
    arguments.clear();
    made_.emplace(given_);
    visit_leaves(*made_, arguments);
  }
  void call(FunctionState& state) override {
    results.clear();
    after.clear();
    auto run = [&](auto&... args) -> decltype(auto) { return run_region(state, fn_, args...); };
    if constexpr (std::is_void_v<Result>) {
      std::apply(run, *made_);
    } else {
      result_.emplace(std::apply(run, *made_));
      visit_leaves(*result_, results);
    }
    visit_leaves(*made_, after);
  }

 private:
  F& fn_;
  const std::tuple<A...>& given_;
  std::optional<std::tuple<A...>> made_;
  std::optional<std::conditional_t<std::is_void_v<Result>, int, Result>> result_;
};

using Examples = std::vector<std::unique_ptr<Example>>;
void export_examples(const Examples& examples, const std::string& path, const export_options& options);
[[noreturn]] void throw_not_exportable(const std::string& path, const std::string& what);

template <class F, class... A>
std::unique_ptr<Example> make_example(F& fn, const std::tuple<A...>& arguments, const std::string& path) {
  if constexpr (!std::is_invocable_v<F&, A&...>) {
    throw_not_exportable(path, "the function can't be called with the example's arguments");
  } else if constexpr (!(has_known_leaves<A>() && ...)) {
    throw_not_exportable(path, "an argument has a type whose arrays can't be seen");
  } else if constexpr (!holds_only_arrays<typename ExampleOf<F, A...>::Result>()) {
    throw_not_exportable(path, "the result holds something else than arrays (return numbers as 0-D arrays)");
  } else {
    return std::make_unique<ExampleOf<F, A...>>(fn, arguments);
  }
}

/// `count` arrays as a tuple, for the form with braces.
template <class F, std::size_t... I>
std::unique_ptr<Example> make_example_of(F& fn, const std::vector<array>& arrays, const std::string& path,
                                         std::shared_ptr<void>& keep, std::index_sequence<I...>) {
  auto tuple = std::make_shared<std::tuple<std::decay_t<decltype((void(I), arrays[0]))>...>>(arrays[I]...);
  keep = tuple;
  return make_example(fn, *tuple, path);
}

}  // namespace tracing

/// Writes what `fn` does with such arguments to a bundle at `path` ("name.npj" by custom), which
/// np::load_function or the program `numjit run` carry out without `fn`, without a compiler and with the
/// same bits. `fn` is called a few times, on copies of the arguments, and must do nothing but array work on
/// them; arrays that it captures become constants of the bundle.
///
/// Sizes are those of the example; axes marked by np::mark_dynamic take any size: that the function does
/// the same for other sizes is proved by calling it with some. Plain arguments (numbers, strings) keep
/// their value. A value that the function reads (`if`, item()) is read by the bundle too, and decides
/// between the examples given (a vector of tuples).
/// Errors: TypeError for arguments or results that can't be taken apart, GraphBreakError for a break that
/// no file can hold (printing, disabled functions, ...), NotImplementedError for stores into captured
/// arrays, ValueError for a function that is different for other sizes, CompileError, OSError.
///   np::export_function(step, std::tuple(u, 0.1), "heat.npj");
///   np::export_function(step, std::tuple(u), "heat.npj", {.targets = {"x86-64-v2", "x86-64-v4"}});
template <class F, class... A>
void export_function(F&& fn, const std::tuple<A...>& arguments, const std::string& path, const export_options& options = {}) {
  tracing::require_callable("export_function", fn);
  tracing::Examples examples;
  examples.push_back(tracing::make_example(fn, arguments, path));
  tracing::export_examples(examples, path, options);
}

/// Several examples: kinds of arguments, and paths through the function.
template <class F, class... A>
void export_function(F&& fn, const std::vector<std::tuple<A...>>& list, const std::string& path,
                     const export_options& options = {}) {
  tracing::require_callable("export_function", fn);
  tracing::Examples examples;
  for (const auto& arguments : list) examples.push_back(tracing::make_example(fn, arguments, path));
  tracing::export_examples(examples, path, options);
}

/// Arrays only: `np::export_function(step, {u, v}, "heat.npj")`.
template <class F>
void export_function(F&& fn, std::initializer_list<array> arrays, const std::string& path, const export_options& options = {}) {
  tracing::require_callable("export_function", fn);
  const std::vector<array> list(arrays);
  std::shared_ptr<void> keep;
  tracing::Examples examples;
  auto try_count = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    if (N == list.size()) examples.push_back(tracing::make_example_of(fn, list, path, keep, std::make_index_sequence<N>{}));
  };
  [&]<std::size_t... N>(std::index_sequence<N...>) { (try_count(std::integral_constant<std::size_t, N>{}), ...); }
  (std::make_index_sequence<9>{});
  if (examples.empty()) tracing::throw_not_exportable(path, "more than 8 arrays: pass a std::tuple");
  tracing::export_examples(examples, path, options);
}

/// `np::export_function(step, u, v, "heat.npj")`.
template <class F, std::same_as<array> First, class... Rest>
requires(sizeof...(Rest) >= 1) void export_function(F&& fn, const First& first, const Rest&... rest) {
  const auto all = std::tie(first, rest...);
  constexpr std::size_t count = sizeof...(Rest);
  static_assert(std::convertible_to<std::tuple_element_t<count, decltype(all)>, std::string>,
                "the last argument of export_function is the path; with options, pass the arguments as std::tuple");
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    export_function(fn, std::tuple(std::get<I>(all)...), std::string(std::get<count>(all)));
  }
  (std::make_index_sequence<count>{});
}

/// The arrays that a loaded function returns. A single one is as good as an array: `np::sum(g(x)) + g(y)`.
class loaded_results {
 public:
  explicit loaded_results(std::vector<array> arrays) : arrays_(std::move(arrays)) {}
  /// TypeError unless there is exactly one.
  operator array() const { return single(); }
  operator operand() const { return operand(single()); }
  const array& operator[](std::size_t i) const { return arrays_[i]; }
  std::size_t size() const { return arrays_.size(); }
  auto begin() const { return arrays_.begin(); }
  auto end() const { return arrays_.end(); }

 private:
  const array& single() const;
  std::vector<array> arrays_;
};

/// A function from a bundle. Copies share it; it may be called from many threads.
class loaded_function {
 public:
  /// One array that it takes.
  struct input {
    numjit::dtype dtype;
    dims shape;                  // of the example
    std::vector<bool> any_size;  // by axis
    bool changed = false;        // the function stores into it
  };

  /// Calls it with arguments as those of the example: arrays, numbers, tuples, structs, ... Stores go into
  /// the arrays given. Errors: ValueError for arguments that no example fits, or if the function reads a
  /// value that no example had.
  ///   np::array y = g(x, 0.1);
  template <class... A>
  loaded_results operator()(const A&... args) const {
    return loaded_results(call_with(args...));
  }
  /// The same with results as a tuple or struct of arrays: `auto [a, b] = g.call<std::tuple<np::array, np::array>>(x);`
  template <class R, class... A>
  R call(const A&... args) const {
    static_assert(tracing::holds_only_arrays<R>(), "the result type of call<R>() must hold arrays and nothing else");
    std::vector<array> arrays = call_with(args...);
    if constexpr (std::same_as<R, std::vector<array>>) {
      return arrays;
    } else {
      R result{};
      tracing::LeafList leaves;
      tracing::visit_leaves(result, leaves);
      check_count(leaves.arrays.size(), arrays.size());
      for (std::size_t i = 0; i < arrays.size(); ++i) *leaves.arrays[i] = std::move(arrays[i]);
      return result;
    }
  }
  /// Calls it with arrays only; plain arguments are those of the example if all examples agree.
  std::vector<array> run(const std::vector<array>& arrays) const;

  const std::string& name() const;
  /// Kinds of arguments it takes: one list for each.
  std::vector<std::vector<input>> inputs() const;
  /// Number of arrays that it returns.
  std::size_t output_count() const;
  /// Arguments, graphs and the values it reads, as text.
  std::string str() const;

 private:
  friend loaded_function load_function(const std::string& path);
  struct State;
  template <class... A>
  std::vector<array> call_with(const A&... args) const {
    static_assert((tracing::has_known_leaves<A>() && ...), "an argument has a type whose arrays can't be seen");
    tracing::LeafList leaves;
    (tracing::visit_leaves(args, leaves), ...);
    return call_leaves(leaves);
  }
  std::vector<array> call_leaves(const tracing::LeafList& leaves) const;
  static void check_count(std::size_t expected, std::size_t got);

  std::shared_ptr<State> state_;
};

/// Opens a bundle that np::export_function wrote. Neither Halide nor a compiler is needed or opened.
/// Errors: OSError for a file that is missing, no bundle, newer, cut short or damaged; DeviceError if it
/// holds kernels for other processors only.
///   auto g = np::load_function("heat.npj");
loaded_function load_function(const std::string& path);

}  // namespace numjit
