// Indices and elements one by one, functions of numbers, ranges joined.
#include <string>

#include "against_numpy.h"

namespace np = numjit;
using np::slice;

namespace {

TEST(iteration, indices) {
  std::string text;
  for (const np::dims& i : np::ndindex({2, 3})) text += std::to_string(i[0]) + std::to_string(i[1]) + " ";
  EXPECT_EQ(text, "00 01 02 10 11 12 ");
  int empty = 0, one = 0;
  for (const np::dims& i : np::ndindex({2, 0})) empty += i.size();
  for (const np::dims& i : np::ndindex(np::dims{})) one += 1 + i.size();
  EXPECT_EQ(empty, 0);
  EXPECT_EQ(one, 1);
  double weighted = 0;
  for (auto [i, value] : np::ndenumerate<double>(np::arange(6.0).reshape(2, 3).T())) weighted += value * static_cast<double>(10 * i[0] + i[1]);
  EXPECT_EQ(weighted, 0 * 0 + 3 * 1 + 1 * 10 + 4 * 11 + 2 * 20 + 5 * 21);
}

TEST(iteration, functions_of_numbers) {
  auto f = np::vectorize([](double x, double y) { return x > y ? x - y : x + y; });
  VALUE("np.vectorize(lambda x, y: x - y if x > y else x + y)(np.arange(6.0).reshape(2, 3), [2.0, 2.0, 9.0])",
        f(np::arange(6.0).reshape(2, 3), np::array{2.0, 2.0, 9.0}));
  VALUE("np.vectorize(lambda x: x % 3 == 0)(np.arange(6))", np::vectorize([](std::int64_t x) { return x % 3 == 0; })(np::arange(6)));
  VALUE("np.vectorize(lambda x: x * 1j)(np.arange(3.0))",
        np::vectorize([](double x) { return x * std::complex<double>(0, 1); })(np::arange(3.0)));
  VALUE("np.vectorize(lambda x: x + 0.5)(2)", np::vectorize([](double x) { return x + 0.5; })(2));
}

TEST(iteration, joined) {
  const np::array a{1.5, 2.5};
  VALUE("np.r_[1:4, 0, 4]", np::r_(slice(1, 4), 0, 4));
  VALUE("np.r_[np.array([1.5, 2.5]), 0, 1:6:2]", np::r_(a, 0, slice(1, 6, 2)));
  VALUE("np.r_[np.array([1, 2], dtype=np.int8), 3]", np::r_(np::array({1, 2}, {.dtype = np::int8}), 3));
  VALUE("np.r_[np.array([1, 2], dtype=np.int8), 3.5]", np::r_(np::array({1, 2}, {.dtype = np::int8}), 3.5));
  VALUE("np.r_[np.zeros((2, 2)), np.ones((1, 2))]", np::r_(np::zeros({2, 2}), np::ones({1, 2})));
  VALUE("np.c_[np.array([1, 2, 3]), np.array([4, 5, 6])]", np::c_(np::array{1, 2, 3}, np::array{4, 5, 6}));
  VALUE("np.c_[np.arange(6).reshape(3, 2), np.array([7, 8, 9])]", np::c_(np::arange(6).reshape(3, 2), np::array{7, 8, 9}));
  VALUE("np.c_[np.array([[1, 2, 3]]), 0, 0, np.array([[4, 5, 6]])]", np::c_(np::array{{1, 2, 3}}, 0, 0, np::array{{4, 5, 6}}));
  VALUE("np.c_[0:3]", np::c_(slice(0, 3)));
  ERROR("np.c_[np.arange(3), 0]", np::c_(np::arange(3), 0));
  try {
    np::r_(slice(1, np::none));
    FAIL();
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(), "[r_] a slice needs a stop to be a range: got none. Write np::slice(start, stop).");
  }
}

TEST(iteration, made_from) {
  VALUE("np.fromiter((x * x for x in range(5)), dtype=np.float32)", np::fromiter(std::vector<int>{0, 1, 4, 9, 16}, np::float32));
  VALUE("np.fromiter(range(5), dtype=int, count=3)", np::fromiter(std::vector<int>{0, 1, 2, 3, 4}, np::int64, 3));
  ERROR("np.fromiter(range(2), dtype=int, count=3)", np::fromiter(std::vector<int>{0, 1}, np::int64, 3));
  const np::array grid = np::arange(6).reshape(2, 3);
  EXPECT_TRUE(np::isfortran(np::asfortranarray(grid)));
  EXPECT_FALSE(np::isfortran(grid));
  VALUE("np.asfortranarray(np.arange(6).reshape(2, 3))", np::asfortranarray(grid));
  VALUE("np.asarray_chkfinite([1.0, 2.0])", np::asarray_chkfinite(np::array{1.0, 2.0}));
  ERROR("np.asarray_chkfinite([1.0, np.nan])", np::asarray_chkfinite(np::array{1.0, np::nan}));
  EXPECT_TRUE(np::shares_memory(np::asanyarray(grid), grid));
  VALUE("np.require(np.arange(6).reshape(2, 3).T, requirements='C')", np::require(grid.T(), "C"));
  EXPECT_TRUE(np::require(grid.T(), "C").is_c_contiguous());
  EXPECT_TRUE(np::require(grid, "F").is_f_contiguous());
  EXPECT_TRUE(np::shares_memory(np::require(grid, "CWA"), grid));
  EXPECT_FALSE(np::shares_memory(np::require(grid(0), "O"), grid));
  EXPECT_FALSE(np::shares_memory(np::require(np::broadcast_to(grid, {2, 2, 3}), "W"), grid));
  ERROR("np.require(np.ones(2), requirements=['C', 'F'])", np::require(np::ones(2), "CF"));
  try {
    np::require(grid, "X");
    FAIL();
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(), "[require] unknown requirement: got 'X', expected letters of CFWOEA.");
  }
}

TEST(iteration, names_of_numpy) {
  const np::ndarray x = np::ones({3, 1});
  EXPECT_EQ(np::broadcast(x, np::ones(4)).shape, (np::dims{3, 4}));
  EXPECT_EQ(np::broadcast(x, 1, np::ones({2, 1, 1})).size, 6);
  EXPECT_EQ(np::broadcast(x, 1).numiter, 2);
  EXPECT_EQ(np::broadcast(x, np::ones({2, 1, 1})).ndim, 3);
  ERROR("np.broadcast(np.ones(2), np.ones(3))", np::broadcast(np::ones(2), np::ones(3)));
  EXPECT_TRUE(np::isscalar(3.5) && np::isscalar("text") && !np::isscalar(x) && !np::isscalar(np::array(1)));
  EXPECT_TRUE(np::little_endian);
  EXPECT_TRUE(np::issubdtype(np::float32, np::floating) && !np::issubdtype(np::int8, np::inexact) && np::issubdtype(np::uint8, np::integer));
  EXPECT_TRUE(np::issubdtype(np::int8, np::signedinteger) && np::issubdtype(np::bool_, np::generic) && !np::issubdtype(np::bool_, np::number));
  EXPECT_TRUE(np::issubdtype(np::complex64, np::complexfloating) && !np::issubdtype(np::int8, np::unsignedinteger));
  EXPECT_EQ(np::mintypecode("fD"), 'D');
  EXPECT_EQ(np::mintypecode("Fd"), 'D');
  EXPECT_EQ(np::mintypecode("fi"), 'f');
  EXPECT_EQ(np::mintypecode("i"), 'd');
  EXPECT_EQ(np::mintypecode("bh", "bhi"), 'h');
  ERROR("np.mintypecode('x', typeset='x')", np::mintypecode("x", "x"));
  static_assert(std::is_same_v<np::linalg::LinAlgError, np::LinAlgError>);
}

}  // namespace
