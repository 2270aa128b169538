// Indices and elements one by one, functions of numbers, ranges joined.
#include <cmath>
#include <string>
#include <tuple>

#include <support/error_text.h>
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
  for (auto [i, value] : np::ndenumerate<double>(np::arange(6.0).reshape(2, 3).T()))
    weighted += value * static_cast<double>(10 * i[0] + i[1]);
  EXPECT_EQ(weighted, 0 * 0 + 3 * 1 + 1 * 10 + 4 * 11 + 2 * 20 + 5 * 21);
}

TEST(iteration, functions_of_numbers) {
  auto f = np::vectorize([](double x, double y) { return x > y ? x - y : x + y; });
  VALUE("np.vectorize(lambda x, y: x - y if x > y else x + y)(np.arange(6.0).reshape(2, 3), [2.0, 2.0, 9.0])",
        f(np::arange(6.0).reshape(2, 3), np::array{2.0, 2.0, 9.0}));
  VALUE("np.vectorize(lambda x: x % 3 == 0)(np.arange(6))",
        np::vectorize([](std::int64_t x) { return x % 3 == 0; })(np::arange(6)));
  VALUE("np.vectorize(lambda x: x * 1j)(np.arange(3.0))",
        np::vectorize([](double x) { return x * std::complex<double>(0, 1); })(np::arange(3.0)));
  VALUE("np.vectorize(lambda x: x + 0.5)(2)", np::vectorize([](double x) { return x + 0.5; })(2));
}

TEST(iteration, functions_of_any_numbers) {
  // Called once, with arrays.
  auto payoff = np::vectorize([](auto s, auto k) { return np::select(s > k, s - k, 0.0); });
  VALUE("np.vectorize(lambda s, k: s - k if s > k else 0.0)(np.array([[90.0, 120.0, np.nan]]), np.array([[100.0], [50.0]]))",
        payoff(np::array{{90.0, 120.0, std::nan("")}}, np::array{{100.0}, {50.0}}));
  VALUE("np.array([0.0, 20.0])",
        np::compile([&](const np::array& s) { return payoff(s, 100.0); }, {.fullgraph = true})(np::array{90.0, 120.0}));
  VALUE("np.array([0.0, 3.0])",
        np::grad([&](const np::array& s) { return np::sum(payoff(s, 100.0) * 3.0); })(np::array{90.0, 120.0}));
  VALUE("np.full((2, 3), 1.5)", np::vectorize([](auto, auto) { return 1.5; })(np::arange(3), np::zeros({2, 1})));
  VALUE("np.zeros((2, 3)) + [[7.0], [8.0]]",
        np::vectorize([](auto x, auto) { return x; })(np::array{{7.0}, {8.0}}, np::arange(3)));
  EXPECT_EQ(np::select(true, 1, 2.5), 1.0);
  EXPECT_EQ(np::select(false, 1, 2), 2);
}

TEST(iteration, loops_of_elements) {
  const auto escape = [](auto c, int most) {
    const auto bounded = [](auto z, auto) { return np::abs(z) <= 2.0; };
    auto [last, rounds] = np::loop(
        most, bounded, [&](auto z, auto n) { return std::tuple(z * z + c, n + 1); }, c * 0.0, 0);
    return rounds;
  };
  const np::array c{-1.0, 0.3, 1.0, 0.26, 3.0, 0.251};
  VALUE("np.array([50, 12, 3, 30, 1, 50])", escape(c, 50));
  VALUE("np.array([50, 12, 3, 30, 1, 50])", np::compile([&](const np::array& x) { return escape(x, 50); })(c));
  VALUE("np.array([8, 8, 3, 8, 1, 8])", np::compile([&](const np::array& x) { return escape(x, 8); }, {.fullgraph = true})(c));
  VALUE("np.zeros(6, int)", np::vectorize([&](auto x) { return escape(x, 0); })(c));

  // One value, a number: the same function.
  const auto doubled = [](auto x) {
    return np::loop(
        3, [](auto y) { return y < 5.0; }, [](auto y) { return y * 2; }, x);
  };
  EXPECT_EQ(doubled(1.0), 8.0);
  EXPECT_EQ(doubled(3.0), 6.0);
  VALUE("np.array([8.0, 6.0, 9.0])", doubled(np::array{1.0, 3.0, 9.0}));
  VALUE("np.array([8.0, 2.0, 1.0])", np::grad([&](const np::array& x) { return np::sum(doubled(x)); })(np::array{1.0, 3.0, 9.0}));
  EXPECT_EQ(np::text_of<np::ValueError>([&] {
              np::loop(
                  -1, [](auto y) { return y < 5.0; }, [](auto y) { return y; }, 1.0);
            }),
            "[loop] got a negative number of rounds: -1, expected at least 0.");
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

TEST(iteration, an_array_is_gone_over_along_its_first_axis) {
  const np::array x = np::arange(6).reshape(3, 2);
  np::array_list rows;
  for (auto row : x) rows.push_back(row);
  VALUE("np.stack([row * 2 for row in np.arange(6).reshape(3, 2)])", np::stack(rows) * 2);
  for (auto row : x) row += 1;  // views
  VALUE("np.arange(6).reshape(3, 2) + 1", x);
  std::int64_t total = 0;
  for (auto element : np::array{3, 4}) {
    EXPECT_EQ(element.ndim(), 0);
    total += element.item<std::int64_t>();
  }
  EXPECT_EQ(total, 7);
  for (auto selected : x(x > 4)) total += selected.item<std::int64_t>();
  EXPECT_EQ(total, 7 + 5 + 6);
  for (auto nothing : np::ones({0, 2})) FAIL() << nothing.str();
  const std::vector<np::array> list(begin(x), end(x));
  EXPECT_EQ(list.size(), 3u);
  ERROR("list(np.array(3))", end(np::array(3)));
}

TEST(iteration, is_no_graph_break) {
  const auto weigh = np::compile(
      [](const np::array& x) {
        auto total = np::zeros(x.shape(1));
        double weight = 1;
        for (auto row : x) total += row * (weight *= 0.5);
        return total;
      },
      {.fullgraph = true});
  const np::array x = np::arange(12.0).reshape(4, 3);
  np::array expected = np::zeros(3);
  for (int i = 0; i < 4; ++i) expected += x(i) * std::pow(0.5, i + 1);
  EXPECT_TRUE(np::array_equal(weigh(x), expected));
}

// VALUE is a lambda, which clang 14 does not let see the names of a structured binding: arrays of their own do.
TEST(iteration, arrays_of_a_known_number_are_unpacked) {
  const auto [x, y] = np::unstack<2>(np::array{{1, 2}, {3, 4}, {5, 6}}, {.axis = 1});
  const np::array first = x, second = y;
  VALUE("np.array([[1, 2], [3, 4], [5, 6]]).T[0]", first);
  VALUE("np.array([[1, 2], [3, 4], [5, 6]]).T[1]", second);
  const auto message = [](auto f) {
    try {
      f();
    } catch (const np::ValueError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message([] { np::unstack<2>(np::ones(3)); }),
            "[unstack] too many values to unpack (expected 2, got 3)");
  EXPECT_EQ(message([] { np::unstack<4>(np::ones(3)); }),
            "[unstack] not enough values to unpack (expected 4, got 3)");
  const auto [across, down] = np::meshgrid(np::arange(3), np::arange(2));
  const np::array columns = across, lines = down;
  VALUE("np.meshgrid(np.arange(3), np.arange(2))[0]", columns);
  VALUE("np.meshgrid(np.arange(3), np.arange(2))[1]", lines);
  const auto [i, j] = np::tril_indices(3, {.k = -1});
  const np::array below = i, left = j;
  VALUE("np.tril_indices(3, -1)[0]", below);
  VALUE("np.tril_indices(3, -1)[1]", left);
  const auto [wide, high, deep] =
      np::broadcast_arrays(np::arange(3), np::ones({2, 1}), np::ones({}));
  const np::array row = wide, column = high, number = deep;
  VALUE("np.broadcast_arrays(np.arange(3), np.ones((2, 1)), np.ones(()))[0]", row);
  VALUE("np.broadcast_arrays(np.arange(3), np.ones((2, 1)), np.ones(()))[1]", column);
  VALUE("np.broadcast_arrays(np.arange(3), np.ones((2, 1)), np.ones(()))[2]", number);
  const np::array_list as_list = np::meshgrid(np::arange(3), np::arange(2));
  EXPECT_EQ(as_list.size(), 2u);
}

TEST(iteration, tuples_are_one_index) {
  np::array x = np::arange(12).reshape(3, 4);
  VALUE("np.arange(12).reshape(3, 4)[np.ix_([2, 0], [1, 3])]",
        x(np::ix_(np::array{2, 0}, np::array{1, 3})));
  VALUE("np.arange(12).reshape(3, 4)[np.nonzero(np.arange(12).reshape(3, 4) % 5 == 0)]",
        x(np::nonzero(x % 5 == 0)));
  VALUE("np.arange(12).reshape(3, 4)[np.tril_indices(3)]", x[np::tril_indices(3)]);
  VALUE("np.arange(12).reshape(3, 4)[np.unravel_index([5, 7], (3, 4))]",
        x[np::unravel_index(np::array{5, 7}, {3, 4})]);
  std::int64_t sum = 0;
  for (const auto& place : np::ndindex({3, 2}))
    sum += x(place).item<std::int64_t>() * x[place].item<std::int64_t>();
  EXPECT_EQ(sum, 0 + 1 + 16 + 25 + 64 + 81);
  x(np::ix_(np::array{2, 0}, np::array{1, 3})) = -1;
  x(np::triu_indices(3, 2)) += 100;
  for (const auto& place : np::ndindex({1, 2})) x(place) = 50;
  VALUE(
      "(lambda x: (x.__setitem__(np.ix_([2, 0], [1, 3]), -1), x.__setitem__(np.triu_indices(3, 2), "
      "x[np.triu_indices(3, 2)] + 100), "
      "x.__setitem__((0, slice(2)), 50), x)[-1])(np.arange(12).reshape(3, 4))",
      x);
  ERROR("np.ones((3, 4))[(np.array([3]), np.array([0]))]",
        np::ones({3, 4})(np::array_list{np::array{3}, np::array{0}}).sum());
  ERROR("np.ones(3)[(np.array([1]), np.array([0]))]",
        np::ones(3)(np::array_list{np::array{1}, np::array{0}}).sum());
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
  EXPECT_TRUE(np::issubdtype(np::float32, np::floating) && !np::issubdtype(np::int8, np::inexact) &&
              np::issubdtype(np::uint8, np::integer));
  EXPECT_TRUE(np::issubdtype(np::int8, np::signedinteger) && np::issubdtype(np::bool_, np::generic) &&
              !np::issubdtype(np::bool_, np::number));
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
