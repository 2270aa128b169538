// Derivatives against differences.
#include <numjit/transform/check_grads.h>

#include <cmath>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {
namespace {

using testing::check_grads_options;

/// Numbers that look random and are the same in each run.
class Directions {
 public:
  /// Between -1 and 1, of the shape and dtype of `a`, which is inexact.
  array like(const array& a) {
    array made = numbers(shape_of(a));
    if (is_complex(type_of(a)))
      made = binary(op_id::add, made, binary(op_id::multiply, numbers(shape_of(a)), operand(std::complex(0.0, 1.0), "", "", 0)));
    return type_of(made) == type_of(a) ? made : detail::cast(made, type_of(a));
  }

 private:
  array numbers(const dims& shape) {
    const array made = array::adopt(detail::new_node(dtype_id::float64, shape.size(), shape.data()));
    auto* to = reinterpret_cast<double*>(made.get()->data);
    for (std::int64_t i = 0; i < made.get()->size; ++i) {
      state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;  // Knuth's multiplier (MMIX)
      to[i] = static_cast<double>(state_ >> 11) * 0x1p-52 - 1;
    }
    return made;
  }
  std::uint64_t state_ = 42;
};

/// The sum over all arrays of Re<a, b>, as a number.
double inner_product(const std::vector<array>& a, const std::vector<array>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    array product = binary(op_id::multiply, conjugate(a[i]), b[i]);
    if (is_complex(type_of(product))) product = detail::call(op_id::real_view, {product});
    const array total = detail::cast(detail::call(op_id::sum, {product}), dtype_id::float64);
    sum += *reinterpret_cast<const double*>(detail::concrete(total.get(), "item")->data);
  }
  return sum;
}

/// Those of the results that have derivatives.
std::vector<array> inexact(const std::vector<array>& all) {
  std::vector<array> kept;
  for (const array& a : all)
    if (is_inexact(type_of(a))) kept.push_back(a);
  return kept;
}

std::vector<array> moved(const std::vector<array>& args, const std::vector<array>& along, double by) {
  std::vector<array> made;
  for (std::size_t i = 0; i < args.size(); ++i)
    made.push_back(binary(op_id::add, args[i], binary(op_id::multiply, along[i], operand(by, "", "", 0))));
  return made;
}

void compare(const char* what, int order, double found, double expected, double size, const check_grads_options& o) {
  if (std::abs(found - expected) <= o.atol + o.rtol * std::max(size, std::abs(expected)) ||
      (std::isnan(found) && std::isnan(expected)))
    return;
  throw AssertionError("check_grads", fmt::format("order {}, {}: the derivative along a direction is {}, by differences {}.",
                                                  order, what, found, expected));
}

void check(const ArrayFunction& f, const std::vector<array>& args, const check_grads_options& o, int order,
           Directions& directions) {
  std::vector<array> along, weights;
  for (const array& a : args) along.push_back(directions.like(a));
  const std::vector<array> y = inexact(f(args));
  for (const array& result : y) weights.push_back(directions.like(result));
  const double up = inner_product(weights, inexact(f(moved(args, along, o.step))));
  const double down = inner_product(weights, inexact(f(moved(args, along, -o.step))));
  const double expected = (up - down) / (2 * o.step), size = 1e-9 * std::abs(up) / o.step;
  const auto kept = [&f](const std::vector<array>& x) { return inexact(f(x)); };
  const ArrayFunction forward = [&](const std::vector<array>& x) { return jvp(kept, std::tuple(x), std::tuple(along)).second; };
  const ArrayFunction backward = [&](const std::vector<array>& x) { return vjp(kept, x).second(weights); };
  if (o.forward) compare("forward", order, inner_product(weights, forward(args)), expected, size, o);
  if (o.reverse) compare("backward", order, inner_product(backward(args), along), expected, size, o);
  if (order >= o.order) return;
  if (o.forward) check(forward, args, o, order + 1, directions);
  if (o.reverse) check(backward, args, o, order + 1, directions);
}

}  // namespace

void check_derivatives(const ArrayFunction& f, const std::vector<array>& args, const check_grads_options& options) {
  Directions directions;
  check(f, args, options, 1, directions);
}

}  // namespace numjit::transform
