// What loops over elements and short rows do: in-place operations, stores and products of elements, rows and columns.
// Values and texts are NumPy's.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <numjit/np.h>

#include "helpers.h"

namespace numjit::testing {
namespace {

namespace np = numjit;
using doubles_t = std::vector<double>;

array ramp(std::int64_t n) { return np::arange(n).astype(np::float64); }

TEST(ShortCalls, RowsInPlaceReadTheOldValues) {
  const auto all = np::none;
  array a = ramp(6);
  a(np::slice(1, all)) += a(np::slice(all, -1));
  EXPECT_EQ(values<double>(a), (doubles_t{0, 1, 3, 5, 7, 9}));
  a = ramp(6);
  a(np::slice(all, -1)) += a(np::slice(1, all));
  EXPECT_EQ(values<double>(a), (doubles_t{1, 3, 5, 7, 9, 5}));
  a = ramp(6);
  a(np::slice(all, all, 2)) -= a(np::slice(all, all, -2));
  EXPECT_EQ(values<double>(a), (doubles_t{-5, 1, -1, 3, 3, 5}));
}

// Under AddressSanitizer: no element is read where there is none.
TEST(ShortCalls, ArraysWithoutElementsAreNotRead) {
  array a = ramp(6), rest = a(np::slice(np::none, np::none, 2));
  rest(np::slice(3, np::none)) = np::zeros({0});
  rest(np::slice(0, 0)) = np::zeros({0}).astype(np::float32);
  rest(np::slice(3, np::none)) += np::zeros({0});
  EXPECT_EQ(values<double>(a), (doubles_t{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(np::add(np::zeros({0}), rest(np::slice(3, np::none))).size(), 0);
}

TEST(ShortCalls, ColumnsAndElementsInPlace) {
  array m = ramp(12).reshape(3, 4);
  m(np::_, 1) -= m(np::_, 2) * m(1, 1);
  EXPECT_EQ(values<double>(m), (doubles_t{0, -9, 2, 3, 4, -25, 6, 7, 8, -41, 10, 11}));
  m = ramp(12).reshape(3, 4);
  m(1, 2) /= m(0, 3);
  m(1, 2) += m(1, 2);
  EXPECT_EQ(values<double>(m), (doubles_t{0, 1, 2, 3, 4, 5, 4, 7, 8, 9, 10, 11}));
  array a = ramp(4);
  a -= a(2);
  EXPECT_EQ(values<double>(a), (doubles_t{-2, -1, 0, 1}));
  array b = np::broadcast_to(np::array(1.0), {3});
  EXPECT_THROW(b += 1.0, ValueError);
  EXPECT_THROW(m(1, 2) += np::ones(1), ValueError);  // non-broadcastable output operand
}

TEST(ShortCalls, StoresOfElementsAndRows) {
  const auto all = np::none;
  array a = ramp(6);
  a(np::_) = a(2);
  EXPECT_EQ(values<double>(a), (doubles_t{2, 2, 2, 2, 2, 2}));
  a = ramp(6);
  a(np::slice(1, all)) = a(np::slice(all, -1));
  EXPECT_EQ(values<double>(a), (doubles_t{0, 0, 1, 2, 3, 4}));
  a = ramp(6);
  a(np::slice(all, all, 2)) = a(np::slice(1, all, 2));
  EXPECT_EQ(values<double>(a), (doubles_t{1, 1, 3, 3, 5, 5}));
  a(np::slice(all, all, -1)) = ramp(6) * 2;
  EXPECT_EQ(values<double>(a), (doubles_t{10, 8, 6, 4, 2, 0}));
  a(3) = true;
  a(-1) = 7;
  EXPECT_EQ(values<double>(a), (doubles_t{10, 8, 6, 1, 2, 7}));
  array f = np::arange(3).astype(np::float32);
  f(1) = 0.1;
  f(2) = 2;
  EXPECT_EQ(values<float>(f), (std::vector<float>{0, 0.1f, 2}));
  EXPECT_THROW(a(6) = 1.0, IndexError);
  EXPECT_THROW(np::broadcast_to(np::array(1.0), {3})(1) = 2.0, ValueError);
}

TEST(ShortCalls, NumbersStoredIntoIntegers) {
  array i = np::arange(4).astype(np::int32);
  i(1) = 7;
  i(2) = true;
  i(3) = 2.9;
  EXPECT_EQ(values<std::int32_t>(i), (std::vector<std::int32_t>{0, 7, 1, 2}));
  array u = np::arange(4).astype(np::uint8);
  EXPECT_EQ(error_of([&] { u(0) = 300; }), "OverflowError: [store] Python integer 300 out of bounds for uint8");
  EXPECT_EQ(error_of([&] { u(0) = -1; }), "OverflowError: [store] Python integer -1 out of bounds for uint8");
  EXPECT_EQ(error_of([&] { u(0) = std::nan(""); }), "ValueError: [store] cannot convert float NaN to integer");
  EXPECT_EQ(values<std::uint8_t>(u), (std::vector<std::uint8_t>{0, 1, 2, 3}));
}

/// np.dot and np.matmul of vectors that lie in any way are the sum of their products, in the canonical order.
TEST(ShortCalls, ProductsOfVectors) {
  for (const np::dtype type : {np::float16, np::float32, np::float64, np::complex64, np::complex128, np::int32, np::bool_}) {
    for (const std::int64_t n : {0, 1, 3, 33, 1000, 1024, 1025}) {
      const array wide = ((np::arange(2 * n) * 37 % 101) / 7.0 - 5.0).astype(type);
      const array a = wide(np::slice(np::none, np::none, 2)), b = wide(np::slice(n, np::none))(np::slice(np::none, np::none, -1));
      const array sum = type == np::bool_ ? np::any(a * b) : np::sum(a * b, {.dtype = type});
      EXPECT_EQ(bytes(np::dot(a, b)), bytes(sum)) << type.name() << " " << n;
      EXPECT_EQ(bytes(np::matmul(a, b)), bytes(sum)) << type.name() << " " << n;
    }
  }
  EXPECT_TRUE(np::signbit(np::dot(doubles({-0.0}), doubles({1.0}))).item<bool>());
  EXPECT_EQ(error_of([] { np::matmul(np::ones(2), np::ones(3)); }),
            "ValueError: [matmul] matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            "(n?,k),(k,m?)->(n?,m?) (size 3 is different from 2)");
}

}  // namespace
}  // namespace numjit::testing
