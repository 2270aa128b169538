// Two reductions over a broadcast product, nothing of its size stored: argmin over k of a sum over d.
#include <functional>

#include <kernels/kernel_fixture.h>
#include <support/canonical.h>

namespace numjit::testing {
namespace {

/// Space (n, k, d); points (n, d), centres (k, d), result (n). Points may be stored transposed.
template <class T>
void check(const char* outer, const char* inner, std::int64_t n, std::int64_t k, std::int64_t d, Layout layout) {
  SpecBuilder b;
  int p = b.operand(dtype_of<T>), c = b.operand(dtype_of<T>);
  int diff = b.op("subtract", p, c);
  auto spec = b.outputs({b.reduce(outer, b.reduce(inner, b.op("multiply", diff, diff), 0), 1)});
  ASSERT_TRUE(runtime::FusedCall::can_express(spec));
  runtime::FusedCall call(spec);
  const dims shape{n, k, d};
  TestArray<T> points({n, d}, layout, 3), centres({k, d}, Layout::c, 4);
  const bool arg = std::string(outer).starts_with("arg");
  TestArray<std::int64_t> index({n}, Layout::c, 1);
  TestArray<T> value({n}, Layout::c, 1);
  Runner runner(shape);
  runner.raw(points.data, dims{points.strides[0], 0, points.strides[1]})
      .raw(centres.data, dims{0, centres.strides[0], centres.strides[1]})
      .reduced(2, 1);
  if (arg) runner.raw(index.data, dims{8, 0, 0});
  else runner.raw(value.data, dims{static_cast<std::int64_t>(sizeof(T)), 0, 0});
  ASSERT_TRUE(runner.run(call));
  const bool ordered = std::string(outer) == "sum" && std::is_floating_point_v<T>;
  EXPECT_EQ(call.info().schedule, d <= 8 && !ordered ? "broadcast product" : "nested reductions");
  auto better = [&](T a, T bb) { return std::string(outer).ends_with("min") ? a < bb : a > bb; };
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<T> distances;
    for (std::int64_t j = 0; j < k; ++j) {
      std::vector<T> terms;
      for (std::int64_t l = 0; l < d; ++l) {
        T difference = static_cast<T>(points.at({i, l}) - centres.at({j, l}));
        terms.push_back(static_cast<T>(difference * difference));
      }
      distances.push_back(std::string(inner) == "sum" ? canonical_sum(terms.data(), d)
                                                      : terms[first_best(terms.data(), d, std::greater<T>())]);
    }
    if (std::string(outer) == "sum") {
      ASSERT_TRUE(same_bits(value.at({i}), canonical_sum(distances.data(), k))) << n << " " << k << " " << d;
      continue;
    }
    const std::int64_t best = first_best(distances.data(), k, better);
    if (arg) ASSERT_EQ(index.at({i}), best) << n << " " << k << " " << d << " at " << i;
    else ASSERT_TRUE(same_bits(value.at({i}), distances[best])) << n << " " << k << " " << d << " at " << i;
  }
}

class Product : public KernelTest {};

TEST_F(Product, ArgminOfSquaredDistances) {
  for (std::int64_t d : {1, 2, 3, 4, 5, 8, 9, 31, 33, 64, 1000})
    for (std::int64_t n : {1, 2, 15, 16, 17, 40, 100}) {
      check<float>("argmin", "sum", n, 7, d, Layout::c);
      check<double>("argmin", "sum", n, 1, d, Layout::transposed);
    }
}
TEST_F(Product, MinAndMax) {
  for (std::int64_t d : {3, 8, 40}) {
    check<float>("min", "sum", 37, 16, d, Layout::c);
    check<double>("max", "sum", 37, 5, d, Layout::step2);
    check<float>("argmax", "max", 37, 16, d, Layout::negative);
  }
}

TEST_F(Product, SumOfSums) {
  for (std::int64_t d : {3, 40, 1500})
    for (std::int64_t k : {1, 40, 1100}) {
      check<float>("sum", "sum", 5, k, d, Layout::c);
      check<double>("sum", "max", 3, k, d, Layout::transposed);
    }
}
/// More than one tile of intermediate values, and a last one that is shorter.
TEST_F(Product, ManyTiles) { check<double>("argmin", "sum", 3000, 50, 9, Layout::c); }

}  // namespace
}  // namespace numjit::testing
