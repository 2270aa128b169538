// Large products of matrices: computed in blocks, which cover the result, and whose bits no number of threads changes.
#include <cstdlib>

#include <gtest/gtest.h>

#include <numjit/base/config.h>
#include <numjit/base/cpu.h>
#include <numjit/eager/blas_core.h>

#include "helpers.h"

namespace numjit {
namespace {

using testing::bytes;
using testing::run;

struct Product {
  std::int64_t rows, depth, columns;
};
/// Tall, wide, deep, square, with odd ends.
constexpr Product products[] = {{1030, 70, 515}, {129, 513, 1025}, {5000, 33, 20}, {3, 900, 4001},
                                {40, 70000, 9},  {512, 512, 512},  {1, 3000, 2000}, {2000, 3000, 1},
                                {50, 20000, 1},   {1, 40001, 7},  {200, 5000, 60}, {300, 301, 302}};

class LargeProducts : public ::testing::TestWithParam<Product> {
 protected:
  void TearDown() override { config().threads = 0; }

  static array to(dtype_id type, const array& a) { return run(op_id::astype, {a}, layout::type_params(type)); }
  /// Numbers from -8 to 8: sums of their products are exact in every order.
  static array small(std::int64_t rows, std::int64_t columns) {
    const array hashed =
        run(op_id::remainder, {run(op_id::multiply, {testing::iota(rows * columns, dtype_id::int64), 7919}), 17});
    return testing::reshape(run(op_id::subtract, {hashed, 8}), dims{rows, columns});
  }
  static array rough(std::int64_t rows, std::int64_t columns) {
    return testing::reshape(run(op_id::sin, {testing::iota(rows * columns)}), dims{rows, columns});
  }
};

TEST_P(LargeProducts, AreThoseOfIntegers) {
  const auto [rows, depth, columns] = GetParam();
  const array a = small(rows, depth), b = small(depth, columns), expected = run(op_id::matmul, {a, b});
  for (dtype_id type : {dtype_id::float32, dtype_id::float64, dtype_id::complex64}) {
    const array got = run(op_id::matmul, {to(type, a), to(type, b)});
    EXPECT_EQ(bytes(to(type, expected)), bytes(got)) << dtype(type).name();
  }
  const array turned =
      run(op_id::matmul, {testing::transpose(to(dtype_id::float64, testing::contiguous(testing::transpose(a)))),
                          testing::transpose(to(dtype_id::float64, testing::contiguous(testing::transpose(b))))});
  EXPECT_EQ(bytes(to(dtype_id::float64, expected)), bytes(turned));
}

TEST_P(LargeProducts, WithTheirOwnTransposeAreSymmetric) {
  const auto [rows, depth, columns] = GetParam();
  if (rows > 2000) GTEST_SKIP() << "a result of " << rows * rows << " elements";
  const array whole = small(rows, depth), doubles = to(dtype_id::float64, whole);
  const array expected = run(op_id::matmul, {doubles, testing::contiguous(testing::transpose(doubles))});
  for (dtype_id type : {dtype_id::float32, dtype_id::float64, dtype_id::complex64, dtype_id::complex128}) {
    const array a = to(type, whole), turned = testing::transpose(testing::contiguous(testing::transpose(a)));
    EXPECT_EQ(bytes(to(type, expected)), bytes(run(op_id::matmul, {a, testing::transpose(a)}))) << dtype(type).name();
    EXPECT_EQ(bytes(to(type, expected)), bytes(run(op_id::matmul, {turned, testing::transpose(turned)}))) << dtype(type).name();
  }
  const array a = rough(rows, depth);
  config().threads = 1;
  const array product = run(op_id::matmul, {a, testing::transpose(a)});
  EXPECT_EQ(bytes(product), bytes(testing::contiguous(testing::transpose(product))));
  config().threads = 7;
  EXPECT_EQ(bytes(product), bytes(run(op_id::matmul, {a, testing::transpose(a)})));
}

TEST_P(LargeProducts, DoNotDependOnThreads) {
  const auto [rows, depth, columns] = GetParam();
  for (dtype_id type : {dtype_id::float32, dtype_id::float64}) {
    const array a = to(type, rough(rows, depth)), b = to(type, rough(depth, columns));
    config().threads = 1;
    const std::string expected = bytes(run(op_id::matmul, {a, b}));
    for (int threads : {2, 7}) {
      config().threads = threads;
      EXPECT_EQ(expected, bytes(run(op_id::matmul, {a, b}))) << threads << " threads, " << dtype(type).name();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Matmul, LargeProducts, ::testing::ValuesIn(products), [](const auto& info) {
  const Product& p = info.param;
  return std::to_string(p.rows) + "x" + std::to_string(p.depth) + "x" + std::to_string(p.columns);
});

// OpenBLAS that is older than the processor falls back to kernels without AVX, which take four times as long.
TEST(BlasKernels, AreOfTheProcessorsInstructions) {
  EXPECT_EQ(eager::better_blas_core("Prescott", 4), "SkylakeX");
  EXPECT_EQ(eager::better_blas_core("Prescott", 3), "Haswell");
  EXPECT_EQ(eager::better_blas_core("Barcelona", 3), "Haswell");
  EXPECT_EQ(eager::better_blas_core("Prescott", 2), "");
  for (const char* fits : {"Sandybridge", "Haswell", "Zen", "SkylakeX", "Cooperlake", "SapphireRapids", "NewerThanThis"})
    EXPECT_EQ(eager::better_blas_core(fits, 4), "") << fits;
  const std::string text = eager::blas_text();
  EXPECT_TRUE(text.starts_with("OpenBLAS 0.")) << text;
  if (std::getenv("OPENBLAS_CORETYPE")) return;  // then what that says
  const std::string_view kernels = std::string_view(text).substr(text.find("kernels ") + 8);
  EXPECT_EQ(eager::better_blas_core(kernels.substr(0, kernels.find(' ')), numjit::detail::cpu_level()), "") << text;
}

// One matrix times a stack of columns, whose batch axes lie at even distances, or do not.
TEST(Matmul, StacksOfColumns) {
  const auto whole = [](std::int64_t n, const dims& shape) { return testing::reshape(testing::iota(n, dtype_id::int64), shape); };
  const auto doubles = [](const array& a) { return run(op_id::astype, {a}, layout::type_params(dtype_id::float64)); };
  for (const std::int64_t depth : {1, 3, 64}) {
    const array matrix = whole(9 * depth, dims{9, depth});
    const array even = whole(35 * depth, dims{5, 7, depth, 1});
    for (const array& stack : {even, testing::transpose(even, dims{1, 0, 2, 3}), testing::slice(even, 1, 5, 2)}) {
      for (const array& left : {matrix, testing::transpose(testing::contiguous(testing::transpose(matrix)))}) {
        const array expected = run(op_id::matmul, {left, stack}), got = run(op_id::matmul, {doubles(left), doubles(stack)});
        EXPECT_EQ(got.shape(), expected.shape());
        EXPECT_EQ(bytes(doubles(expected)), bytes(got)) << depth;
      }
    }
  }
}

TEST(Matmul, ManyMiddlingProductsSideBySide) {
  const array a = testing::reshape(testing::iota(6 * 40 * 50), dims{6, 40, 50});
  const array b = testing::reshape(testing::iota(50 * 300), dims{50, 300});
  const array all = run(op_id::matmul, {a, b});
  for (std::int64_t i = 0; i < 6; ++i) {
    const array one = testing::reshape(testing::slice(a, i, i + 1), dims{40, 50});
    EXPECT_EQ(bytes(run(op_id::matmul, {one, b})), bytes(testing::slice(all, i, i + 1)));
  }
}

}  // namespace
}  // namespace numjit
