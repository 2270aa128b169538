// np::testing::check_grads: derivatives of a function against differences, forward against backward.
#pragma once

#include <functional>
#include <tuple>
#include <vector>

#include <numjit/transform/api.h>

namespace numjit {

namespace testing {
struct check_grads_options {
  int order = 2;
  bool forward = true, reverse = true;
  double step = 1e-5, rtol = 1e-5, atol = 1e-6;
};
}  // namespace testing

namespace transform {
/// The same for arrays: what `f` gives for them, as arrays.
using ArrayFunction = std::function<std::vector<array>(const std::vector<array>&)>;
void check_derivatives(const ArrayFunction& f, const std::vector<array>& args, const testing::check_grads_options& options);
}  // namespace transform

namespace testing {

/// Throws AssertionError where a derivative of f at these arguments, up to `order`, forward (jvp) or backward (vjp), differs from
/// the one by central differences along a random direction.
///   np::testing::check_grads([](const np::array& x) { return np::sin(x); }, std::tuple(np::arange(3.0)));
template <class F, class... Args>
void check_grads(F f, const std::tuple<Args...>& args, const check_grads_options& options = {}) {
  std::tuple<std::decay_t<Args>...> at(args);
  const std::vector<array*> leaves = transform::leaves_of(at);
  std::vector<array> arrays;
  for (const array* leaf : leaves) arrays.push_back(*leaf);
  const transform::ArrayFunction flat = [&](const std::vector<array>& given) {
    auto held = at;
    std::size_t next = 0;
    transform::replace_leaves(held, given, next);
    auto result = transform::call_with(f, held);
    std::vector<array> made;
    for (const array* leaf : transform::leaves_of(result)) made.push_back(*leaf);
    return made;
  };
  transform::check_derivatives(flat, arrays, options);
}

}  // namespace testing
}  // namespace numjit
