// np::pad in all modes; unique by axis, sets, take and put with their options.
#include "against_numpy.h"

namespace np = numjit;

namespace {

const double nan = np::nan;

np::array grid() { return np::array{{3, 1, 4}, {1, 5, 9}}; }
np::array reals() { return np::array{{3.0, 1.5, 4.0}, {1.0, -5.0, 9.25}}; }

#define GRID "g = np.array([[3, 1, 4], [1, 5, 9]]); "
#define REALS "g = np.array([[3, 1.5, 4], [1, -5, 9.25]]); "

TEST(pad, constants) {
  VALUE(GRID "np.pad(g, 2, constant_values=7)", np::pad(grid(), 2, {.constant_values = 7}));
  VALUE(GRID "np.pad(g, (1, 2), constant_values=(7, -1))", np::pad(grid(), {1, 2}, {.constant_values = {7, -1}}));
  VALUE(GRID "np.pad(g, ((1, 0), (2, 1)), constant_values=((1, 2), (3, 4)))",
        np::pad(grid(), {{1, 0}, {2, 1}}, {.constant_values = {{1, 2}, {3, 4}}}));
  VALUE(GRID "np.pad(g, 1, constant_values=2.75)", np::pad(grid(), 1, {.constant_values = 2.75}));
  ERROR("np.pad(np.arange(3), 0, 'maximum', stat_length=0)", np::pad(np::arange(3), 0, {.mode = "maximum", .stat_length = 0}));
  ERROR(GRID "np.pad(g, 1, constant_values=float('nan'))", np::pad(grid(), 1, {.constant_values = nan}));
  ERROR("np.pad(np.int8([1]), 1, constant_values=(0, 300))",
        np::pad(np::array({1}, {.dtype = np::int8}), 1, {.constant_values = {0, 300}}));
  VALUE("np.pad(np.uint8([1]), 1, constant_values=300)",
        np::pad(np::array({1}, {.dtype = np::uint8}), 1, {.constant_values = 300}));
  VALUE("np.pad(np.array([1j, 2]), 1, constant_values=3 - 1j)",
        np::pad(np::array{std::complex<double>(0, 1), std::complex<double>(2, 0)}, 1,
                {.constant_values = std::complex<double>(3, -1)}));
  VALUE("np.pad(np.ones((2, 0)), 1, constant_values=(2, 3))", np::pad(np::ones({2, 0}), 1, {.constant_values = {2, 3}}));
  VALUE("np.pad(np.ones((2, 3)), ((1, 2), (0, 1)), mode='empty').shape",
        np::from_values(std::vector<std::int64_t>{np::pad(np::ones({2, 3}), {{1, 2}, {0, 1}}, {.mode = "empty"}).shape(0),
                                                  np::pad(np::ones({2, 3}), {{1, 2}, {0, 1}}, {.mode = "empty"}).shape(1)}));
}

TEST(pad, mirrors) {
  for (const char* mode : {"reflect", "symmetric"}) {
    if (std::string(mode) == "reflect") {
      VALUE(GRID "np.pad(g, 3, mode='reflect')", np::pad(grid(), 3, {.mode = mode}));
      VALUE(GRID "np.pad(g, ((1, 5), (7, 4)), mode='reflect', reflect_type='odd')",
            np::pad(grid(), {{1, 5}, {7, 4}}, {.mode = mode, .reflect_type = "odd"}));
      VALUE(REALS "np.pad(g, 2, mode='reflect', reflect_type='odd')", np::pad(reals(), 2, {.mode = mode, .reflect_type = "odd"}));
    } else {
      VALUE(GRID "np.pad(g, 3, mode='symmetric')", np::pad(grid(), 3, {.mode = mode}));
      VALUE(GRID "np.pad(g, ((1, 5), (7, 4)), mode='symmetric', reflect_type='odd')",
            np::pad(grid(), {{1, 5}, {7, 4}}, {.mode = mode, .reflect_type = "odd"}));
      VALUE("np.pad(np.array([[2]]), 2, mode='symmetric', reflect_type='odd')",
            np::pad(np::array{{2}}, 2, {.mode = mode, .reflect_type = "odd"}));
    }
  }
  VALUE(GRID "np.pad(g, ((5, 2), (4, 7)), mode='wrap')", np::pad(grid(), {{5, 2}, {4, 7}}, {.mode = "wrap"}));
  VALUE(GRID "np.pad(g, ((5, 2), (4, 7)), mode='edge')", np::pad(grid(), {{5, 2}, {4, 7}}, {.mode = "edge"}));
}

TEST(pad, made_of_neighbours) {
  VALUE(GRID "np.pad(g, 3, mode='linear_ramp')", np::pad(grid(), 3, {.mode = "linear_ramp"}));
  VALUE(REALS "np.pad(g, ((1, 2), (3, 2)), mode='linear_ramp', end_values=((5, -4), (1.5, 0)))",
        np::pad(reals(), {{1, 2}, {3, 2}}, {.mode = "linear_ramp", .end_values = {{5, -4}, {1.5, 0}}}));
  VALUE("np.pad(np.array([2, 2.5], np.float32), 2, mode='linear_ramp', end_values=2)",
        np::pad(np::array({2, 2.5}, {np::float32}), 2, {.mode = "linear_ramp", .end_values = 2}));
  VALUE(GRID "np.pad(g, 2, mode='maximum')", np::pad(grid(), 2, {.mode = "maximum"}));
  VALUE(GRID "np.pad(g, 2, mode='minimum', stat_length=1)", np::pad(grid(), 2, {.mode = "minimum", .stat_length = 1}));
  VALUE(GRID "np.pad(g, 1, mode='mean', stat_length=((1, 2), (2, 3)))",
        np::pad(grid(), 1, {.mode = "mean", .stat_length = np::pad_widths{{1, 2}, {2, 3}}}));
  VALUE(REALS "np.pad(g, ((0, 2), (1, 1)), mode='mean')", np::pad(reals(), {{0, 2}, {1, 1}}, {.mode = "mean"}));
  VALUE(REALS "np.pad(g, 2, mode='median', stat_length=(2, 9))",
        np::pad(reals(), 2, {.mode = "median", .stat_length = np::pad_widths(2, 9)}));
  VALUE("np.pad(np.array([True, False]), 1, mode='mean')", np::pad(np::array{true, false}, 1, {.mode = "mean"}));
}

TEST(pad, errors) {
  ERROR("np.pad(np.ones(2), -1)", np::pad(np::ones(2), -1));
  ERROR("np.pad(np.ones(2), 1, mode='x')", np::pad(np::ones(2), 1, {.mode = "x"}));
  ERROR("np.pad(np.ones((0, 2)), 1, mode='edge')", np::pad(np::ones({0, 2}), 1, {.mode = "edge"}));
  ERROR("np.pad(np.ones(3), 1, mode='maximum', stat_length=0)", np::pad(np::ones(3), 1, {.mode = "maximum", .stat_length = 0}));
  try {
    np::pad(np::ones(2), 1, {.mode = "reflect", .reflect_type = "x"});
    FAIL() << "nothing thrown";
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(), "[pad] reflect_type must be 'even' or 'odd': got 'x'.");
  }
}

TEST(unique, rows) {
  const np::array rows{{2, 1, 0}, {0, 3, 1}, {2, 1, 0}, {0, 2, 9}, {0, 3, 1}};
#define ROWS "r = np.array([[2, 1, 0], [0, 3, 1], [2, 1, 0], [0, 2, 9], [0, 3, 1]]); "
  VALUE(ROWS "np.unique(r, axis=0)", np::unique(rows, {.axis = 0}));
  VALUE(ROWS "np.unique(r, axis=1)", np::unique(rows, {.axis = 1}));
  VALUE(ROWS "np.unique(r, axis=0, return_index=True)[1]", np::unique_all(rows, {.axis = 0}).indices);
  VALUE(ROWS "np.unique(r, axis=0, return_inverse=True)[1]", np::unique_all(rows, {.axis = 0}).inverse_indices);
  VALUE(ROWS "np.unique(r, axis=0, return_counts=True)[1]", np::unique_all(rows, {.axis = 0}).counts);
  VALUE("np.unique(np.array([[[1, 1], [0, 0]], [[1, 1], [0, 0]]]), axis=1)",
        np::unique(np::array{{{1, 1}, {0, 0}}, {{1, 1}, {0, 0}}}, {.axis = 1}));
  VALUE("np.unique(np.array([[nan, 1], [nan, 1], [0, 1.]]), axis=0)",
        np::unique(np::array{{nan, 1.0}, {nan, 1.0}, {0.0, 1.0}}, {.axis = 0}));
  VALUE("np.unique(np.ones((2, 0)), axis=0)", np::unique(np::ones({2, 0}), {.axis = 0}));
  VALUE("np.unique(np.ones((0, 2)), axis=0)", np::unique(np::ones({0, 2}), {.axis = 0}));
  VALUE("np.unique(np.arange(70).reshape(10, 7) // 20 % 2, axis=0, return_inverse=True)[1]",
        np::unique_all(np::floor_divide(np::arange(70).reshape(10, 7), 20) % 2, {.axis = 0}).inverse_indices);
  VALUE("np.unique(np.array([nan, 1, nan]), equal_nan=False)", np::unique(np::array{nan, 1.0, nan}, {.equal_nan = false}));
  VALUE("np.unique_counts(np.array([nan, nan, 1]))[1]", np::unique_counts(np::array{nan, nan, 1.0}).counts);
  VALUE("np.unique_values(np.array([nan, nan]))", np::unique_values(np::array{nan, nan}));
  ERROR("np.unique(np.ones(3), axis=1)", np::unique(np::ones(3), {.axis = 1}));
}

// Integers close together are counted in eager code, sorted in graphs.
TEST(sets, tables_give_what_sorting_gives) {
  auto parts = [](const np::array& x, const np::array& y) {
    const np::unique_result u = np::unique_all(x);
    return std::tuple(u.values, u.indices, u.inverse_indices, u.counts, np::unique(x), np::isin(x, y),
                      np::isin(y, x, {.invert = true}));
  };
  auto same = [](const np::array& got, const np::array& expected) {
    EXPECT_TRUE(np::array_equal(got, expected) && got.dtype() == expected.dtype());
  };
  for (const np::dtype type :
       {np::bool_, np::int8, np::uint8, np::int16, np::uint16, np::int32, np::uint32, np::int64, np::uint64})
    for (const bool high : {false, true})
      for (const int n : {1, 7, 1000}) {
        SCOPED_TRACE(std::string(type.name()) + (high ? " high " : " low ") + std::to_string(n));
        np::array x = (np::arange(n) * 7919 % 61).astype(type), y = (np::arange(n) * 104729 % 97).astype(type);
        if (type != np::bool_ && high) x = np::invert(x), y = np::invert(y);  // from the other end of the range
        auto compiled = np::compile(parts);
        std::apply([&](const auto&... got) {
          std::apply([&](const auto&... expected) { (same(got, expected), ...); }, compiled(x, y));
        }, parts(x, y));
      }
}

TEST(sets, options) {
  VALUE("np.intersect1d([1, 2.5, 2], np.array([2, 9, 1, 1]), return_indices=True)[0]",
        np::intersect1d_all(np::array{1.0, 2.5, 2.0}, np::array{2, 9, 1, 1}).values);
  VALUE("np.intersect1d([1, 2.5, 2], np.array([2, 9, 1, 1]), return_indices=True)[1]",
        np::intersect1d_all(np::array{1.0, 2.5, 2.0}, np::array{2, 9, 1, 1}).a_indices);
  VALUE("np.intersect1d([1, 2.5, 2], np.array([2, 9, 1, 1]), return_indices=True)[2]",
        np::intersect1d_all(np::array{1.0, 2.5, 2.0}, np::array{2, 9, 1, 1}).b_indices);
  VALUE("np.intersect1d(np.array([1, 300], np.int16), np.array([44, 1], np.uint8))",
        np::intersect1d(np::array({1, 300}, {np::int16}), np::array({44, 1}, {np::uint8})));
  VALUE("np.intersect1d([nan, 1], [nan, 1, 2])", np::intersect1d(np::array{nan, 1.0}, np::array{nan, 1.0, 2.0}));
  VALUE("np.setxor1d([nan, 1, 5], [nan, 5, 2])", np::setxor1d(np::array{nan, 1.0, 5.0}, np::array{nan, 5.0, 2.0}));
  VALUE("np.setxor1d(np.array([], int), np.array([3, 1]))", np::setxor1d(np::zeros(0, np::int64), np::array{3, 1}));
  VALUE("np.setdiff1d([3, 1, 3], [1], assume_unique=True)",
        np::setdiff1d(np::array{3, 1, 3}, np::array{1}, {.assume_unique = true}));
  VALUE("np.isin([[1, 2], [3, 4]], [2, 9, 3], invert=True)",
        np::isin(np::array{{1, 2}, {3, 4}}, np::array{2, 9, 3}, {.invert = true}));
  VALUE("np.isin([1, 2], np.array([], int), invert=True)", np::isin(np::array{1, 2}, np::zeros(0, np::int64), {.invert = true}));
  VALUE("np.unique(np.array([3, -2, 3, 7], np.int8))", np::unique(np::array({3, -2, 3, 7}, {np::int8})));
  VALUE("np.unique(np.array([True, False, True]))", np::unique(np::array{true, false, true}));
  VALUE("np.unique_counts(np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], np.uint64))[0]",
        np::unique_counts(np::array({-1, -3, -1}, {np::int64}).astype(np::uint64)).values);
  VALUE("np.unique_counts(np.array([2**64 - 1, 2**64 - 3, 2**64 - 1], np.uint64))[1]",
        np::unique_counts(np::array({-1, -3, -1}, {np::int64}).astype(np::uint64)).counts);
  VALUE("np.isin([300, -1, 5], np.array([5, 44], np.uint8))", np::isin(np::array{300, -1, 5}, np::array({5, 44}, {np::uint8})));
  VALUE("np.ediff1d([1, 4, 9], to_end=[88, 99], to_begin=-1)",
        np::ediff1d(np::array{1, 4, 9}, {.to_end = np::array{88, 99}, .to_begin = np::array(-1)}));
  ERROR("np.ediff1d([1, 2], to_end=[.5])", np::ediff1d(np::array{1, 2}, {.to_end = np::array{.5}}));
}

TEST(take, modes) {
  const np::array x = np::arange(12).reshape(3, 4);
  const np::array i{{-7, 5}, {2, 99}};
  VALUE("np.take(np.arange(12).reshape(3, 4), [[-7, 5], [2, 99]], mode='wrap')", np::take(x, i, {.mode = "wrap"}));
  VALUE("np.take(np.arange(12).reshape(3, 4), [[-7, 5], [2, 99]], axis=1, mode='clip')",
        np::take(x, i, {.axis = 1, .mode = "clip"}));
  np::array out = np::zeros(2, np::int64);
  np::take(x, np::array{1, 3}, {.out = out});
  VALUE("np.take(np.arange(12).reshape(3, 4), [1, 3])", out);
  ERROR("np.take(np.arange(3), [5], mode='q')", np::take(np::arange(3), np::array{5}, {.mode = "q"}));
  ERROR("np.take(np.arange(3), [5])", np::take(np::arange(3), np::array{5}));
  auto after = [&](auto change) {
    np::array y = np::arange(6.0);
    change(y);
    return y;
  };
  VALUE("y = np.arange(6.); np.put(y, [-9, 7, 2], [10, 20], mode='wrap') or y",
        after([](np::array& y) { np::put(y, np::array{-9, 7, 2}, np::array{10, 20}, "wrap"); }));
  VALUE("y = np.arange(6.); np.put(y, [-9, 7, 2], [10, 20, 30, 40], mode='clip') or y",
        after([](np::array& y) { np::put(y, np::array{-9, 7, 2}, np::array{10, 20, 30, 40}, "clip"); }));
  VALUE("y = np.arange(6.); np.put(y[::2], [0, -1], 5) or y",
        after([](np::array& y) { np::put(y(np::slice(np::none, np::none, 2)), np::array{0, -1}, 5); }));
  ERROR("np.put(np.arange(3), [5], [1])", np::put(np::arange(3), np::array{5}, np::array{1}));
  ERROR("np.put(np.arange(3), [5], [1], mode='q')", np::put(np::arange(3), np::array{5}, np::array{1}, "q"));
  VALUE("np.compress([False, True, True], np.arange(12).reshape(3, 4), axis=0)",
        np::compress(np::array{false, true, true}, x, {.axis = 0}));
  VALUE("np.compress([False, True], np.arange(12).reshape(3, 4), axis=1)", np::compress(np::array{false, true}, x, {.axis = 1}));
  ERROR("np.compress([[True]], [1])", np::compress(np::array{{true}}, np::array{1}, {}));
  VALUE("np.searchsorted([3, 1, 2], [2, 0], sorter=[1, 2, 0])",
        np::searchsorted(np::array{3, 1, 2}, np::array{2, 0}, "left", np::array{1, 2, 0}));
  ERROR("np.searchsorted([1, 2], 1, sorter=[0])", np::searchsorted(np::array{1, 2}, 1, "left", np::array{0}));
  ERROR("np.searchsorted([1, 2], 1, sorter=[0., 1])", np::searchsorted(np::array{1, 2}, 1, "left", np::array{0.0, 1.0}));
  VALUE("y = np.arange(6.).reshape(2, 3); np.place(y, [[True, False, True], [True, True, False]], [7, 8, 9]) or y",
        after([](np::array& y) {
          y = y.reshape(2, 3);
          np::place(y, np::array{{true, false, true}, {true, true, false}}, np::array{7, 8, 9});
        }));
  ERROR("np.place(np.arange(2), [True, False], [])", np::place(np::arange(2), np::array{true, false}, np::zeros(0, np::int64)));
  ERROR("np.choose(np.array([0, -1]), [1, 2])", np::choose(np::array{0, -1}, {np::array(1), np::array(2)}));
}

}  // namespace
