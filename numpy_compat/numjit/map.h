// NUMJIT_MAP(f): the function that `numjit map program.cpp` applies to files.
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <numjit/np.h>

namespace numjit {

/// What `numjit map` sees of a function in a C++ source.
class map_function {
 public:
  virtual ~map_function() = default;
  virtual std::size_t input_count() const = 0;
  virtual std::size_t output_count() const = 0;
  /// Parameters taken by reference, which the function may store into.
  virtual std::vector<std::size_t> changed_inputs() const = 0;
  virtual std::vector<array> call(const std::vector<array>& inputs) = 0;
  /// np::export_function of it, without kernels: for a look at its graphs.
  virtual void export_to(const std::vector<array>& example, const std::string& path) = 0;
};

namespace detail {

template <class R, class... A>
class map_function_of final : public map_function {
 public:
  static_assert((std::is_same_v<std::remove_cvref_t<A>, array> && ...),
                "NUMJIT_MAP takes a function whose parameters are arrays");
  static_assert(sizeof...(A) > 0, "NUMJIT_MAP takes a function with a parameter: there is nothing to map it over");
  static_assert(tracing::holds_only_arrays<std::remove_cvref_t<R>>(),
                "NUMJIT_MAP takes a function that returns arrays: return numbers as 0-D arrays");

  explicit map_function_of(R (*f)(A...)) : plain_(f), compiled_(compile(f)) {}

  std::size_t input_count() const override { return sizeof...(A); }
  std::size_t output_count() const override {
    if constexpr (std::is_void_v<R>) {
      return 0;
    } else {
      std::remove_cvref_t<R> result{};
      tracing::LeafList leaves;
      tracing::visit_leaves(result, leaves);
      return leaves.arrays.size();
    }
  }
  std::vector<std::size_t> changed_inputs() const override {
    constexpr bool by_reference[] = {(std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>>)...};
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < sizeof...(A); ++i)
      if (by_reference[i]) list.push_back(i);
    return list;
  }
  std::vector<array> call(const std::vector<array>& inputs) override {
    std::vector<array> arguments = inputs;  // the same arrays: what is stored into them shows
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      std::vector<array> results;
      if constexpr (std::is_void_v<R>) {
        compiled_(static_cast<std::add_lvalue_reference_t<std::remove_reference_t<A>>>(arguments[I])...);
      } else {
        auto result = compiled_(static_cast<std::add_lvalue_reference_t<std::remove_reference_t<A>>>(arguments[I])...);
        tracing::LeafList leaves;
        tracing::visit_leaves(result, leaves);
        for (const array* a : leaves.arrays) results.push_back(*a);
      }
      return results;
    }(std::index_sequence_for<A...>{});
  }
  void export_to(const std::vector<array>& example, const std::string& path) override {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      export_function(plain_, std::tuple<std::remove_cvref_t<A>...>(example[I]...), path, {.targets = {}});
    }(std::index_sequence_for<A...>{});
  }

 private:
  R (*plain_)(A...);
  decltype(compile(std::declval<R (*)(A...)>())) compiled_;
};

template <class R, class... A>
map_function* make_map_function(R (*f)(A...)) {
  return new map_function_of<R, A...>(f);
}
template <class F>
map_function* make_map_function(F&& f) {
  return make_map_function(+f);  // a lambda without captures
}

}  // namespace detail
}  // namespace numjit

/// Once in a source, outside of namespaces: the function (or a lambda without captures) that `numjit map` compiles
/// and applies. Its parameters are arrays, one for each input; it returns an array, a tuple or a struct of arrays.
///   NUMJIT_MAP([](const np::array& x) { return np::sqrt(x); })
#define NUMJIT_MAP(...)                                                   \
  extern "C" [[gnu::visibility("default")]] numjit::map_function* numjit_map_function() { \
    static numjit::map_function* const function = numjit::detail::make_map_function(__VA_ARGS__); \
    return function;                                                      \
  }
