// float16 and complex arrays through compiled functions: views, layouts, reductions and stores in place
// give the bits of the eager call, from kernels.
#include <complex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <numjit/np.h>
#include <support/element_bits.h>
#include <support/memory_layouts.h>

namespace {

namespace np = numjit;
using np::testing::MemoryLayout;
using np::testing::laid_out;

/// Values whose sums and products show their order, with signed zeros, in any dtype.
np::array values(np::dtype_id type, np::dims shape, double scale = 1.0) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  const np::array i = np::arange(n, {.dtype = np::float64});
  const np::array re = np::sin(i * 12.9898) * scale, im = np::where(np::remainder(i, 7) == 3, -0.0, np::cos(i * 78.233));
  const np::array flat = np::dtype(type).kind() == 'c' ? re + im * std::complex<double>(0, 1) : re;
  return flat.astype(np::dtype(type)).reshape(shape);
}

std::string difference(const np::array& expected, const np::array& got) {
  if (expected.dtype() != got.dtype()) return "dtype " + std::string(got.dtype().name());
  if (expected.shape() != got.shape()) return "shape " + got.shape().str();
  const np::array a = expected.copy(), b = got.copy();
  const std::size_t size = a.dtype().itemsize();
  for (std::int64_t k = 0; k < a.size(); ++k) {
    const char* x = static_cast<const char*>(a.raw_data()) + static_cast<std::size_t>(k) * size;
    const char* y = static_cast<const char*>(b.raw_data()) + static_cast<std::size_t>(k) * size;
    if (!np::testing::same_element_bits(a.dtype().id(), x, y)) return "element " + std::to_string(k);
  }
  return "";
}

class WideTypes : public ::testing::TestWithParam<np::dtype_id> {
 protected:
  np::dtype_id type() const { return GetParam(); }
  bool is_complex() const { return np::dtype(type()).kind() == 'c'; }

  /// The compiled function and the plain one give the same bits, and nothing ran op by op.
  template <class F, class... A>
  void check(F f, const A&... arguments) {
    const auto compiled = np::compile(f);
    const np::array expected = f(arguments...);
    EXPECT_EQ(difference(expected, compiled(arguments...)), "");
    EXPECT_EQ(difference(expected, compiled(arguments...)), "") << "second call";
    std::ostringstream text;
    text << np::explain(compiled)(arguments...);
    EXPECT_EQ(text.str().find("  eager "), std::string::npos) << text.str();
  }

  np::config_scope sync_{{.compile = np::compile_mode::sync, .suppress_errors = false, .recompile_limit = 100}};
};

TEST_P(WideTypes, ExpressionsInEveryLayout) {
  for (const np::dims& shape : {np::dims{0}, np::dims{1}, np::dims{7}, np::dims{1003}, np::dims{5, 9}, np::dims{64, 33}})
    for (const MemoryLayout layout : np::testing::memory_layouts) {
      const np::array a = laid_out(values(type(), shape), layout), b = values(type(), shape, 3.0);
      check([](const np::array& x, const np::array& y) { return (x * y + x) / (y - 0.25); }, a, b);
    }
}

TEST_P(WideTypes, BroadcastRowsScalarsAndTypes) {
  const np::array a = values(type(), {40, 17}), row = values(type(), {17}), column = values(type(), {40, 1});
  check([](const np::array& x, const np::array& r, const np::array& c) { return x * r + c; }, a, row, column);
  check([](const np::array& x, const np::array& r) { return np::where(np::abs(x) < 0.5, x * r, r); }, a, row);
  check([](const np::array& x) { return x.astype(np::complex128) * std::complex<double>(0.5, -2) + x.astype(np::float16); }, row);
  check([](const np::array& x) { return np::add(x, 1.0) == x; }, row);
}

TEST_P(WideTypes, Reductions) {
  for (const np::dims& shape :
       {np::dims{1}, np::dims{33}, np::dims{2500}, np::dims{6, 40}, np::dims{40, 70}, np::dims{3, 1100, 2}})
    for (const MemoryLayout layout : {MemoryLayout::c, MemoryLayout::f, MemoryLayout::negative}) {
      const np::array a = laid_out(values(type(), shape), layout);
      for (int axis = 0; axis < shape.size(); ++axis) {
        check([axis](const np::array& x) { return np::sum(x * x, {.axis = axis}); }, a);
        check([axis](const np::array& x) { return np::prod(x + x, {.axis = axis}); }, a);
        check([axis](const np::array& x) { return np::max(x, {.axis = axis}) - np::min(x, {.axis = axis}); }, a);
        check([axis](const np::array& x) { return np::argmax(x, {.axis = axis}); }, a);
        check([axis](const np::array& x) { return np::any(x, {.axis = axis}); }, a);
      }
      check([](const np::array& x) { return np::sum(x); }, a);
      check([](const np::array& x) { return np::mean(x) * 2.0; }, a);
    }
}

/// Nothing is multiplied into a product that is not there: 1 + 0i is no exact identity.
TEST_P(WideTypes, ProductsOfSignedZerosAndInfinities) {
  for (const std::int64_t n : {1, 2, 31, 32, 33, 1025}) {
    const np::array a = np::copysign(np::full({n}, 0.0), -1.0).astype(np::dtype(type()));
    const np::array b = np::full({n}, np::inf).astype(np::dtype(type()));
    check([](const np::array& x) { return np::prod(x * x); }, a);
    check([](const np::array& x) { return np::prod(x + x); }, b);
  }
}

TEST_P(WideTypes, StoresInPlace) {
  for (const std::int64_t n : {1, 6, 7, 1001}) {
    const auto step = [](np::array x) {
      x *= x;
      x += 0.5;
      return x;
    };
    const np::array a = values(type(), {n}), b = a.copy();
    const auto compiled = np::compile(step);
    for (int round = 0; round < 3; ++round) {
      step(a);
      compiled(b);
      ASSERT_EQ(difference(a, b), "") << n;
    }
    const auto inner = [](np::array x) {
      np::array even = x(np::slice(np::none, np::none, 2));
      even += x(np::slice(0, 1)) * 2.0;
      return x;
    };
    const auto compiled_inner = np::compile(inner);
    inner(a);
    compiled_inner(b);
    EXPECT_EQ(difference(a, b), "") << n;
  }
}

TEST_P(WideTypes, MasksOfComplexSumsAndProductsAreInTheKernel) {
  if (!is_complex()) GTEST_SKIP() << "real";
  for (const np::dims& shape : {np::dims{40, 70}, np::dims{3, 2500}}) {
    const np::array a = values(type(), shape) * np::where(np::arange(shape[1]) == 5, -0.0, 1.0);
    check([](const np::array& x) { return np::sum(x, {.axis = 1, .where = np::real(x) > 0}); }, a);
    check([](const np::array& x) { return np::sum(x, {.axis = 0, .initial = 2, .where = np::real(x) > 9}); }, a);
    check([](const np::array& x) { return np::sum(x, {.where = np::real(x) == 0}); }, a);
    check([](const np::array& x) { return np::prod(x, {.axis = 1, .where = np::real(x) > 0}); }, a);
    check([](const np::array& x) { return np::mean(x, {.axis = 1, .where = np::real(x) > 0}); }, a);
  }
}

TEST_P(WideTypes, PartsAreViews) {
  if (!is_complex()) GTEST_SKIP() << "real";
  const np::array a = values(type(), {31, 5});
  check([](const np::array& x) { return np::real(x) * np::imag(x) + 1.0; }, a);
  check([](const np::array& x) { return np::imag(x * x); }, a);
  check([](const np::array& x) { return np::conj(x) * x; }, a);
  const auto store = [](np::array x) {
    np::array part = np::imag(x);
    part += np::real(x) * 3.0;
    return x;
  };
  const np::array b = a.copy();
  store(a);
  np::compile(store)(b);
  EXPECT_EQ(difference(a, b), "");
}

INSTANTIATE_TEST_SUITE_P(Of, WideTypes,
                         ::testing::Values(np::dtype_id::float16, np::dtype_id::complex64, np::dtype_id::complex128),
                         [](const auto& info) { return std::string(np::dtype(info.param).name()); });

}  // namespace
