// Reductions, scans, statistics, products, comparisons of whole arrays.
#include "against_numpy.h"

namespace np = numjit;

namespace {

np::array grid() { return np::arange(12).reshape(3, 4); }
np::array wave() { return np::sin(np::arange(60)).reshape(3, 4, 5); }

TEST(reductions, over_axes) {
  VALUE("np.sum(np.arange(12).reshape(3, 4))", np::sum(grid()));
  VALUE("np.sum(np.arange(12).reshape(3, 4), axis=0)", np::sum(grid(), {.axis = 0}));
  VALUE("np.sum(np.arange(12).reshape(3, 4), axis=-1, keepdims=True)",
        np::sum(grid(), {.axis = -1, .keepdims = true}));
  VALUE("np.sum(np.ones((2, 3, 4)), axis=(0, 2))", np::sum(np::ones({2, 3, 4}), {.axis = {0, 2}}));
  VALUE("np.sum(np.ones(3, np.int8))", np::sum(np::ones(3, np::int8)));
  VALUE("np.sum(np.ones(3, np.uint8))", np::sum(np::ones(3, np::uint8)));
  VALUE("np.sum(np.ones(3, bool))", np::sum(np::ones(3, np::bool_)));
  VALUE("np.sum(np.ones(3, np.int8), dtype=np.float32)",
        np::sum(np::ones(3, np::int8), {.dtype = np::float32}));
  VALUE("np.sum(np.arange(4), initial=10)", np::sum(np::arange(4), {.initial = 10}));
  VALUE("np.sum(np.arange(4), where=np.array([True, False, True, True]))",
        np::sum(np::arange(4), {.where = np::array{true, false, true, true}}));
  VALUE("np.sum(np.zeros((0, 3)), axis=0)", np::sum(np::zeros({0, 3}), {.axis = 0}));
  VALUE("np.prod(np.arange(1, 6))", np::prod(np::arange(1, 6)));
  VALUE("np.max(np.arange(12).reshape(3, 4), axis=1)", np::max(grid(), {.axis = 1}));
  VALUE("np.min(np.array([1.0, np.nan, -3]))", np::min(np::array{1.0, np::nan, -3}));
  VALUE("np.max(np.arange(3), initial=10)", np::max(np::arange(3), {.initial = 10}));
  VALUE("np.any(np.arange(12).reshape(3, 4) > 8, axis=1)", np::any(grid() > 8, {.axis = 1}));
  VALUE("np.all(np.arange(12).reshape(3, 4) >= 0)", np::all(grid() >= 0));
  VALUE("np.argmax(np.array([[1, 5, 2], [7, 0, 7]]), axis=1)",
        np::argmax(np::array{{1, 5, 2}, {7, 0, 7}}, {.axis = 1}));
  VALUE("np.argmin(np.array([3.0, np.nan, 1]))", np::argmin(np::array{3.0, np::nan, 1}));
  VALUE("np.argmax(np.arange(12).reshape(3, 4), axis=0, keepdims=True)",
        np::argmax(grid(), {.axis = 0, .keepdims = true}));
  VALUE("np.cumsum(np.arange(12).reshape(3, 4), axis=1)", np::cumsum(grid(), {.axis = 1}));
  VALUE("np.cumsum(np.arange(12).reshape(3, 4))", np::cumsum(grid()));
  VALUE("np.cumprod(np.arange(1, 6))", np::cumprod(np::arange(1, 6)));
  VALUE("np.arange(12).reshape(3, 4).sum(axis=0)", grid().sum({.axis = 0}));
  VALUE("np.arange(12).reshape(3, 4).max()", grid().max());
  auto out = np::zeros(4);
  np::sum(grid(), {.axis = 0, .out = out});
  VALUE("np.sum(np.arange(12.0).reshape(3, 4), axis=0)", out);
}

TEST(reductions, errors) {
  ERROR("np.nanmean(np.ones(3), dtype=int)", np::nanmean(np::ones(3), {.dtype = np::int64}));
  ERROR("np.nanvar(np.ones(3), dtype=bool)", np::nanvar(np::ones(3), {.dtype = np::bool_}));
  ERROR("np.nanstd(np.ones(3), dtype=int)", np::nanstd(np::ones(3), {.dtype = np::int64}));
  ERROR("np.nanmean(np.ones(3), out=np.zeros((), int))", np::nanmean(np::ones(3), {.out = np::zeros({}, {.dtype = np::int64})}));
  ERROR("np.sum(np.ones((2, 2)), axis=2)", np::sum(np::ones({2, 2}), {.axis = 2}));
  ERROR("np.sum(np.ones((2, 2)), axis=(0, 0))", np::sum(np::ones({2, 2}), {.axis = {0, 0}}));
  ERROR("np.max(np.zeros(0))", np::max(np::zeros(0)));
  ERROR("np.argmax(np.zeros(0))", np::argmax(np::zeros(0)));
  ERROR("np.cumsum(np.ones(3), axis=1)", np::cumsum(np::ones(3), {.axis = 1}));
}

TEST(statistics, means_and_variances) {
  VALUE("np.mean(np.arange(12).reshape(3, 4))", np::mean(grid()));
  VALUE("np.mean(np.arange(12).reshape(3, 4), axis=0)", np::mean(grid(), {.axis = 0}));
  VALUE("np.mean(np.ones((2, 3), np.float32), axis=1, keepdims=True)",
        np::mean(np::ones({2, 3}, np::float32), {.axis = 1, .keepdims = true}));
  VALUE("np.mean(np.array([1, 2, 3], np.float16))",
        np::mean(np::array({1, 2, 3}, {.dtype = np::float16})));
  VALUE("np.mean(np.arange(4), where=np.array([True, False, True, True]))",
        np::mean(np::arange(4), {.where = np::array{true, false, true, true}}));
  VALUE("np.mean(np.array([1 + 2j, 3]))", np::mean(np::array{std::complex<double>(1, 2), 3}));
  VALUE("np.mean(np.zeros(0))", np::mean(np::zeros(0)));
  VALUE_CLOSE("np.var(np.sin(np.arange(60)).reshape(3, 4, 5), axis=1)", 1e-13,
              np::var(wave(), {.axis = 1}));
  VALUE("np.var(np.arange(12).reshape(3, 4))", np::var(grid()));
  VALUE("np.var(np.arange(5), ddof=1)", np::var(np::arange(5), {.ddof = 1}));
  VALUE("np.var(np.array([1 + 2j, 3, -1j]))",
        np::var(np::array{std::complex<double>(1, 2), 3, std::complex<double>(0, -1)}));
  VALUE("np.var(np.array([1, 2, 4], np.float16))",
        np::var(np::array({1, 2, 4}, {.dtype = np::float16})));
  VALUE("np.var(np.ones(3, np.float32) * np.float32(2.5))",
        np::var(np::ones(3, np::float32) * np::float32(2.5)));
  VALUE("np.var(np.arange(6), where=np.arange(6) > 1)",
        np::var(np::arange(6), {.where = np::arange(6) > 1}));
  VALUE_CLOSE("np.std(np.sin(np.arange(60)).reshape(3, 4, 5), axis=(0, 2))", 1e-13,
              np::std(wave(), {.axis = {0, 2}}));
  VALUE("np.std(np.arange(12).reshape(3, 4), axis=0, keepdims=True)",
        np::std(grid(), {.axis = 0, .keepdims = true}));
  VALUE("np.average(np.arange(4), weights=np.array([4, 3, 2, 1]))",
        np::average(np::arange(4), {.weights = np::array{4, 3, 2, 1}}));
  VALUE("np.average(np.arange(12).reshape(3, 4), axis=1, weights=np.array([1.0, 0, 0, 1]))",
        np::average(grid(), 1, np::array{1.0, 0, 0, 1}));
  ERROR("np.average(np.arange(2), weights=np.array([1, -1]))",
        np::average(np::arange(2), {.weights = np::array{1, -1}}));
  VALUE("np.ptp(np.arange(12).reshape(3, 4), axis=1)", np::ptp(grid(), 1));
  VALUE("np.count_nonzero(np.arange(12).reshape(3, 4) % 3)", np::count_nonzero(grid() % 3));
  VALUE("np.count_nonzero(np.arange(12).reshape(3, 4) % 3, axis=0)", np::count_nonzero(grid() % 3, 0));
}

TEST(statistics, order) {
  VALUE("np.median(np.array([3, 1, 2, 10]))", np::median(np::array{3, 1, 2, 10}));
  VALUE("np.median(np.arange(12).reshape(3, 4), axis=0)", np::median(grid(), 0));
  VALUE("np.median(np.array([1.0, np.nan, 3]))", np::median(np::array{1.0, np::nan, 3}));
  VALUE("np.quantile(np.array([1.0, 2, 4, 8]), 0.3)", np::quantile(np::array{1.0, 2, 4, 8}, 0.3));
  VALUE("np.percentile(np.arange(12).reshape(3, 4), [10, 50, 95], axis=1)",
        np::percentile(grid(), np::array{10, 50, 95}, 1));
  ERROR("np.quantile(np.arange(3), 1.5)", np::quantile(np::arange(3), 1.5));
  VALUE("np.histogram(np.array([1, 2, 2, 3, 9.5]), 4)[0]",
        np::histogram(np::array{1, 2, 2, 3, 9.5}, 4).counts);
  VALUE("np.histogram(np.array([1, 2, 2, 3, 9.5]), 4)[1]",
        np::histogram(np::array{1, 2, 2, 3, 9.5}, 4).edges);
  VALUE("np.histogram(np.arange(10), 3, (2, 8))[0]",
        np::histogram(np::arange(10), 3, {{2, 8}}).counts);
  VALUE("np.bincount(np.array([0, 3, 3, 1]))", np::bincount(np::array{0, 3, 3, 1}));
  VALUE("np.bincount(np.array([0, 2, 2]), weights=np.array([0.5, 1, 2]), minlength=5)",
        np::bincount(np::array{0, 2, 2}, np::array{0.5, 1, 2}, 5));
  ERROR("np.bincount(np.array([0, -1]))", np::bincount(np::array{0, -1}));
  ERROR("np.bincount(np.array([0.5]))", np::bincount(np::array{0.5}));
  VALUE("np.digitize(np.array([0.2, 6.4, 3.0]), np.array([0.0, 1.0, 2.5, 4.0, 10.0]))",
        np::digitize(np::array{0.2, 6.4, 3.0}, np::array{0.0, 1.0, 2.5, 4.0, 10.0}));
}

TEST(statistics, bins) {
  VALUE("np.bincount(np.array([], dtype=np.int64), minlength=2)", np::bincount(np::zeros(0, np::int64), {}, 2));
  VALUE("np.bincount(np.array([], dtype=np.int64))", np::bincount(np::zeros(0, np::int64)));
  VALUE("np.bincount(np.array([2, 0], dtype=np.uint8))", np::bincount(np::array({2, 0}, {.dtype = np::uint8})));
  VALUE("np.bincount(np.array([True, False, True]))", np::bincount(np::array{true, false, true}));
  VALUE("np.bincount(np.array([300000, 1, 300000]))[[0, 1, 300000]]",
        np::bincount(np::array{300000, 1, 300000})(np::array{0, 1, 300000}));
  VALUE("np.bincount(np.arange(300000) % 7, minlength=9)", np::bincount(np::arange(300000) % 7, {}, 9));
  VALUE("np.bincount(np.arange(300000) % 20011)[[0, 1, 20010]]",
        np::bincount(np::arange(300000) % 20011)(np::array{0, 1, 20010}));
  VALUE("np.bincount(np.arange(9) % 3, weights=np.arange(9) * 0.1)",
        np::bincount(np::arange(9) % 3, np::arange(9) * 0.1));
  ERROR("np.bincount(np.array([[1]]))", np::bincount(np::array{{1}}));
  ERROR("np.bincount(np.array([1]), minlength=-1)", np::bincount(np::array{1}, {}, -1));
  ERROR("np.bincount(np.array([1, 2]), weights=np.array([1.0]))", np::bincount(np::array{1, 2}, np::array{1.0}));
  ERROR("np.bincount(np.where(np.arange(300000) == 250000, -1, 5))",
        np::bincount(np::where(np::arange(300000) == 250000, -1, 5)));
  VALUE("np.searchsorted(np.array([1.0, 2, np.nan]), np.array([np.nan, 0, 2, 5]))",
        np::searchsorted(np::array{1.0, 2.0, np::nan}, np::array{np::nan, 0.0, 2.0, 5.0}));
  VALUE("np.searchsorted(np.array([1.0, 2, np.nan]), np.array([np.nan, 0, 2, 5]), side='right')",
        np::searchsorted(np::array{1.0, 2.0, np::nan}, np::array{np::nan, 0.0, 2.0, 5.0}, "right"));
  VALUE("np.searchsorted(np.arange(100) // 3, np.arange(-2, 40))",
        np::searchsorted(np::floor_divide(np::arange(100), 3), np::arange(-2, 40)));
  VALUE("np.searchsorted(np.array([], dtype=np.float64), np.array([1.0, 2]))",
        np::searchsorted(np::zeros(0), np::array{1.0, 2.0}));
  VALUE("np.digitize(np.array([1, 3, 5, 7]), np.array([6, 5, 3]))",
        np::digitize(np::array{1, 3, 5, 7}, np::array{6, 5, 3}));
  VALUE("np.digitize(np.array([1, 3, 5, 7], np.uint8), np.array([6, 5, 3], np.uint8))",
        np::digitize(np::array({1, 3, 5, 7}, {.dtype = np::uint8}), np::array({6, 5, 3}, {.dtype = np::uint8})));
  VALUE("np.searchsorted(np.arange(10, dtype=np.float32)[::2], np.array([[1, 4], [5, 0]]))",
        np::searchsorted(np::arange(10, {np::float32})(np::slice(np::none, np::none, 2)), np::array{{1, 4}, {5, 0}}));
  VALUE("np.searchsorted(np.array([1, 2, 4]), 2.5)", np::searchsorted(np::array{1, 2, 4}, 2.5));
  ERROR("np.searchsorted(np.array([[1]]), 2)", np::searchsorted(np::array{{1}}, 2));
  ERROR("np.digitize(np.array([1j]), np.array([1.0, 2]))",
        np::digitize(np::array{std::complex<double>(0, 1)}, np::array{1.0, 2.0}));
  VALUE("np.digitize(np.array([1, 3, 5, 7]), np.array([6, 5, 3]), right=True)",
        np::digitize(np::array{1, 3, 5, 7}, np::array{6, 5, 3}, true));
  ERROR("np.digitize(np.array([1]), np.array([1, 3, 2]))", np::digitize(np::array{1}, np::array{1, 3, 2}));
}

TEST(statistics, histograms) {
  const np::array x{1.0, 2.0, 2.0, 3.5, 9.5}, w{1.0, 0.5, 0.25, 2.0, 3.0};
  VALUE("np.histogram(np.array([1.0, 2, 2, 3.5, 9.5]), 4, density=True)[0]", np::histogram(x, 4, {}, true).counts);
  VALUE("np.histogram(np.array([1.0, 2, 2, 3.5, 9.5]), 4, weights=np.array([1, 0.5, 0.25, 2, 3]))[0]",
        np::histogram(x, 4, {}, false, w).counts);
  VALUE("np.histogram(np.array([1.0, 2, 2, 3.5, 9.5]), 4, (1, 5), True, np.array([1, 0.5, 0.25, 2, 3]))[0]",
        np::histogram(x, 4, {{1, 5}}, true, w).counts);
  const np::array z = w * std::complex<double>(1, -2) + np::array{0, 1, 0, 3, 0};
  VALUE("np.histogram(np.array([1.0, 2, 2, 3.5, 9.5]), 4, weights=np.array([1-2j, 1.5-1j, 0.25-0.5j, 5-4j, 3-6j]))[0]",
        np::histogram(x, 4, {}, false, z).counts);
  VALUE(
      "np.histogram(np.array([1.0, 2, 2, 3.5, 9.5]), np.array([1, 3, 10]), weights=np.array([1-2j, 1.5-1j, 0.25-0.5j, 5-4j, "
      "3-6j]).astype('F'))[0]",
      np::histogram(x, np::array{1, 3, 10}, false, z.astype(np::complex64)).counts);
  VALUE("np.histogram(np.array([1.0, 2, 2, 3.5, 9.5]), np.array([1, 2, 3.5, 9.5]))[0]",
        np::histogram(x, np::array{1.0, 2.0, 3.5, 9.5}).counts);
  VALUE("np.histogram(np.array([1.0, 2, np.nan, 3.5, 12]), np.array([2, 3.5, 9.5]))[0]",
        np::histogram(np::array{1.0, 2.0, np::nan, 3.5, 12.0}, np::array{2.0, 3.5, 9.5}).counts);
  VALUE("np.histogram(np.array([1.0, 2, 2, 3.5, 9.5]), np.array([1, 2, 4, 10]), density=True)[0]",
        np::histogram(x, np::array{1, 2, 4, 10}, true).counts);
  VALUE("np.histogram(np.array([[1, 5], [5, 5]]), 2)[0]", np::histogram(np::array{{1, 5}, {5, 5}}, 2).counts);
  VALUE("np.histogram(np.linspace(0, 1, 101, dtype=np.float32), 7)[0]",
        np::histogram(np::linspace(0, 1, 101, {.dtype = np::float32}), 7).counts);
  VALUE("np.histogram(np.linspace(0, 1, 101, dtype=np.float32), 7)[1]",
        np::histogram(np::linspace(0, 1, 101, {.dtype = np::float32}), 7).edges);
  ERROR("np.histogram(np.array([1.0, 1.0000000000000002]), 10)",
        np::histogram(np::array{1.0, 1.0000000000000002}, 10));
  VALUE("np.histogram(np.array([5, 5]), 2)[1]", np::histogram(np::array{5, 5}, 2).edges);
  VALUE("np.histogram(np.array([True, False, True]), 2)[0]", np::histogram(np::array{true, false, true}, 2).counts);
  VALUE("np.histogram(np.zeros(0), 3)[1]", np::histogram(np::zeros(0), 3).edges);
  VALUE("np.histogram(np.zeros(0), 3)[0]", np::histogram(np::zeros(0), 3).counts);
  VALUE("np.histogram(np.full(4, 2.5), 3)[1]", np::histogram(np::full(4, 2.5), 3).edges);
  ERROR("np.histogram(np.arange(3), 0)", np::histogram(np::arange(3), 0));
  ERROR("np.histogram(np.arange(3), 3, (2, 1))", np::histogram(np::arange(3), 3, {{2, 1}}));
  ERROR("np.histogram(np.array([1, np.nan]), 3)", np::histogram(np::array{1.0, np::nan}, 3));
  ERROR("np.histogram(np.arange(3), 3, (0.0, np.inf))", np::histogram(np::arange(3), 3, {{0.0, np::inf}}));
  ERROR("np.histogram(np.arange(3), np.array([3, 1]))", np::histogram(np::arange(3), np::array{3, 1}));
  ERROR("np.histogram(np.arange(3), weights=np.arange(2))", np::histogram(np::arange(3), 10, {}, false, np::arange(2)));
}

TEST(statistics, histograms_of_two_coordinates) {
  const np::array x{0.0, 0.1, 0.5, 0.9, 1.0, 1.0}, y{0.0, 2.0, 1.0, 0.5, 2.0, -1.0};
  VALUE("np.histogram2d(np.array([0, 0.1, 0.5, 0.9, 1, 1]), np.array([0, 2, 1, 0.5, 2, -1]), (2, 3))[0]",
        np::histogram2d(x, y, {2, 3}).counts);
  VALUE("np.histogram2d(np.array([0, 0.1, 0.5, 0.9, 1, 1]), np.array([0, 2, 1, 0.5, 2, -1]), (2, 3))[2]",
        np::histogram2d(x, y, {2, 3}).y_edges);
  VALUE("np.histogram2d(np.array([0, 0.1, 0.5, 0.9, 1, 1]), np.array([0, 2, 1, 0.5, 2, -1]), 2, [[0, 0.9], [0, 2]])[0]",
        np::histogram2d(x, y, {2, 2}, {{{0, 0.9}}, {{0, 2}}}).counts);
  VALUE("np.histogram2d(np.array([0, 0.1, 0.5, 0.9, 1, 1]), np.array([0, 2, 1, 0.5, 2, -1]), 2, density=True)[0]",
        np::histogram2d(x, y, {2, 2}, {}, true).counts);
  VALUE("np.histogram2d(np.array([0, 0.1, 0.5, 0.9, 1, 1]), np.array([0, 2, 1, 0.5, 2, -1]), 2, "
        "weights=np.array([1, 2, 4, 8, 16, 32]))[0]",
        np::histogram2d(x, y, {2, 2}, {}, false, np::array{1, 2, 4, 8, 16, 32}).counts);
  const np::array narrow = np::array{1, 2, 4}.astype(np::float32), wide = np::array{1.0, 2, 2};
  VALUE("np.histogram2d(np.array([1, 2, 4], np.float32), np.array([1, 2, 4], np.float32), (3, 2))[1]",
        np::histogram2d(narrow, narrow, {3, 2}).x_edges);
  VALUE("np.histogram2d(np.array([1, 2, 4], np.float32), np.array([1., 2, 2]), (3, 2))[1]",
        np::histogram2d(narrow, wide, {3, 2}).x_edges);
  VALUE("np.histogram2d(np.array([1.0, 1.0 + 2**-52]), np.array([1., 2]), 10)[0]",
        np::histogram2d(np::array{1.0, 1.0 + 0x1p-52}, np::array{1.0, 2.0}, {10, 10}).counts);
  ERROR("np.histogram2d(np.ones(2), np.ones(2), 0)", np::histogram2d(np::ones(2), np::ones(2), {0, 0}));
  ERROR("np.histogram2d(np.ones(2), np.ones(2), 2, [[3, 1], [0, 1]])",
        np::histogram2d(np::ones(2), np::ones(2), {2, 2}, {{{3, 1}}, {{0, 1}}}));
  ERROR("np.histogram2d(np.ones(2), np.ones(2), weights=np.array([1j, 2]))",
        np::histogram2d(np::ones(2), np::ones(2), {2, 2}, {}, false,
                        np::array{std::complex<double>(0, 1), std::complex<double>(2)}));
  ERROR("np.histogram2d(np.arange(3), np.arange(2))", np::histogram2d(np::arange(3), np::arange(2)));
}

TEST(statistics, without_nan) {
  auto x = np::array{{1.0, np::nan, 3}, {np::nan, np::nan, np::nan}};
  VALUE("np.nansum(np.array([[1.0, np.nan, 3], [np.nan] * 3]), axis=1)", np::nansum(x, {.axis = 1}));
  VALUE("np.nanmean(np.array([[1.0, np.nan, 3], [np.nan] * 3]), axis=1)", np::nanmean(x, {.axis = 1}));
  VALUE("np.nanmax(np.array([[1.0, np.nan, 3], [np.nan] * 3]), axis=1)", np::nanmax(x, {.axis = 1}));
  VALUE("np.nanmax(np.array([[1.0, np.nan, 3], [np.nan] * 3]), axis=1, initial=2)",
        np::nanmax(x, {.axis = 1, .initial = 2}));
  VALUE("np.nanmin(np.array([[1.0, np.nan, 3], [np.nan] * 3]), initial=9, where=[True, False, False])",
        np::nanmin(x, {.initial = 9, .where = np::array{true, false, false}}));
  VALUE("np.nanmean(np.array([[1.0, np.nan, 3], [np.nan] * 3]), axis=1, where=[True, True, False])",
        np::nanmean(x, {.axis = 1, .where = np::array{true, true, false}}));
  VALUE("o = np.zeros(2, np.float32); np.nanmean(np.array([[1.0, np.nan, 3], [np.nan] * 3]), axis=1, out=o); o",
        [&] {
          np::array o = np::zeros({2}, {.dtype = np::float32});
          np::nanmean(x, {.axis = 1, .out = o});
          return o;
        }());
  VALUE("o = np.zeros(2); np.nanmax(np.array([[1.0, np.nan, 3], [np.nan] * 3]), axis=1, out=o); o", [&] {
    np::array o = np::zeros({2});
    np::nanmax(x, {.axis = 1, .out = o});
    return o;
  }());
  VALUE("np.var(np.float32([1, 2, 4]), where=[True, True, False])",
        np::var(np::array{1, 2, 4}.astype(np::float32), {.where = np::array{true, true, false}}));
  VALUE("np.signbit(np.sum(np.ones(3), where=False))",
        np::signbit(np::sum(np::ones({3}), {.where = np::zeros({3}, {.dtype = np::bool_})})));
  VALUE("np.sum(np.float16([1, 1]), initial=np.float16(0.1))",
        np::sum(np::ones({2}, {.dtype = np::float16}), {.initial = 0.1}));
  VALUE("np.nanmin(np.array([[1.0, np.nan, 3], [np.nan] * 3]), axis=1)", np::nanmin(x, {.axis = 1}));
  VALUE("np.nan_to_num(np.array([np.nan, np.inf, -np.inf, 1.5]))",
        np::nan_to_num(np::array{np::nan, np::inf, -np::inf, 1.5}));
}

TEST(differences, and_rounding) {
  VALUE("np.diff(np.array([1, 4, 9, 16]))", np::diff(np::array{1, 4, 9, 16}));
  VALUE("np.diff(np.arange(12).reshape(3, 4) ** 2, n=2, axis=0)", np::diff(np::square(grid()), 2, 0));
  VALUE("np.diff(np.array([True, False, False]))", np::diff(np::array{true, false, false}));
  VALUE("np.gradient(np.array([1.0, 2, 4, 7, 11]))", np::gradient(np::array{1.0, 2, 4, 7, 11}));
  VALUE("np.gradient(np.array([1, 2, 4, 7, 11]), 2)", np::gradient(np::array{1, 2, 4, 7, 11}, 2));
  VALUE("np.trapezoid(np.array([1.0, 2, 3]), dx=0.5)", np::trapezoid(np::array{1.0, 2, 3}, 0.5));
  VALUE("np.round(np.array([0.5, 1.5, -2.5, 1.25]))", np::round(np::array{0.5, 1.5, -2.5, 1.25}));
  VALUE("np.round(np.array([1.005, 2.675, -1.234]), 2)", np::round(np::array{1.005, 2.675, -1.234}, 2));
  VALUE("np.around(np.array([1234.5, 5550.0]), -2)", np::around(np::array{1234.5, 5550.0}, -2));
  VALUE("np.round(np.array([15, 25, -15]), -1)", np::round(np::array{15, 25, -15}, -1));
  VALUE("np.round(np.array([1, 2]), 1)", np::round(np::array{1, 2}, 1));
  VALUE("np.interp(np.array([0, 1.5, 2.5, 9]), np.array([1, 2, 3]), np.array([3, 2, 0]))",
        np::interp(np::array{0, 1.5, 2.5, 9}, np::array{1, 2, 3}, np::array{3, 2, 0}));
}

TEST(products, of_vectors_and_matrices) {
  auto m = np::arange(6).reshape(2, 3);
  VALUE("np.dot(np.arange(4), np.arange(4))", np::dot(np::arange(4), np::arange(4)));
  VALUE("np.dot(np.arange(6).reshape(2, 3), np.arange(3))", np::dot(m, np::arange(3)));
  VALUE("np.dot(np.arange(6).reshape(2, 3), np.arange(12.0).reshape(3, 4))",
        np::dot(m, np::arange(12.0).reshape(3, 4)));
  VALUE("np.dot(np.arange(3), 2)", np::dot(np::arange(3), 2));
  VALUE("np.dot(np.arange(12).reshape(2, 2, 3), np.arange(12).reshape(2, 3, 2))",
        np::dot(np::arange(12).reshape(2, 2, 3), np::arange(12).reshape(2, 3, 2)));
  VALUE("np.arange(6).reshape(2, 3) @ np.arange(6).reshape(3, 2)", np::matmul(m, np::arange(6).reshape(3, 2)));
  VALUE("np.matmul(np.arange(12.0).reshape(2, 2, 3), np.arange(6.0).reshape(3, 2))",
        np::matmul(np::arange(12.0).reshape(2, 2, 3), np::arange(6.0).reshape(3, 2)));
  VALUE("np.matmul(np.ones((2, 3), np.float32), np.ones(3, np.float32))",
        np::matmul(np::ones({2, 3}, np::float32), np::ones(3, np::float32)));
  VALUE("np.matmul(np.arange(6).reshape(2, 3).T, np.arange(6).reshape(2, 3))", np::matmul(m.T(), m));
  VALUE("np.matmul(np.array([[1j, 2], [3, 4j]]), np.array([[1, 2], [3, 4]]))",
        np::matmul(np::array{{std::complex<double>(0, 1), 2}, {3, std::complex<double>(0, 4)}},
                   np::array{{1, 2}, {3, 4}}));
  VALUE("np.vdot(np.array([1j, 2]), np.array([1j, 3]))",
        np::vdot(np::array{std::complex<double>(0, 1), 2}, np::array{std::complex<double>(0, 1), 3}));
  VALUE("np.inner(np.arange(6).reshape(2, 3), np.arange(3))", np::inner(m, np::arange(3)));
  VALUE("np.outer(np.arange(3), np.arange(2) + 0.5)", np::outer(np::arange(3), np::arange(2) + 0.5));
  VALUE("np.tensordot(np.arange(24).reshape(2, 3, 4), np.arange(12).reshape(3, 4), 2)",
        np::tensordot(np::arange(24).reshape(2, 3, 4), np::arange(12).reshape(3, 4), 2));
  VALUE("np.tensordot(np.arange(24).reshape(2, 3, 4), np.arange(6).reshape(2, 3), ([0, 1], [0, 1]))",
        np::tensordot(np::arange(24).reshape(2, 3, 4), m, np::dims{0, 1}, np::dims{0, 1}));
  VALUE("np.kron(np.array([1, 10]), np.arange(3))", np::kron(np::array{1, 10}, np::arange(3)));
  VALUE("np.kron(np.eye(2), np.ones((1, 2)))", np::kron(np::eye(2), np::ones({1, 2})));
  VALUE("np.cross(np.array([1, 2, 3]), np.array([4, 5, 7]))",
        np::cross(np::array{1, 2, 3}, np::array{4, 5, 7}));
  ERROR("np.dot(np.arange(2), np.arange(3))", np::dot(np::arange(2), np::arange(3)));
  ERROR("np.dot(np.ones((2, 3)), np.ones((2, 3)))", np::dot(np::ones({2, 3}), np::ones({2, 3})));
  ERROR("np.matmul(np.ones((2, 3)), np.ones((2, 3)))", np::matmul(np::ones({2, 3}), np::ones({2, 3})));
}

TEST(products, einsum) {
  auto a = np::arange(6).reshape(2, 3), b = np::arange(12.0).reshape(3, 4);
  auto c = np::arange(24).reshape(2, 3, 4);
  VALUE("np.einsum('ij,jk->ik', np.arange(6).reshape(2, 3), np.arange(12.0).reshape(3, 4))",
        np::einsum("ij,jk->ik", {a, b}));
  VALUE("np.einsum('ij,jk', np.arange(6).reshape(2, 3), np.arange(12.0).reshape(3, 4))",
        np::einsum("ij,jk", {a, b}));
  VALUE("np.einsum('ii', np.arange(9).reshape(3, 3))", np::einsum("ii", {np::arange(9).reshape(3, 3)}));
  VALUE("np.einsum('ii->i', np.arange(9).reshape(3, 3))",
        np::einsum("ii->i", {np::arange(9).reshape(3, 3)}));
  VALUE("np.einsum('ij->ji', np.arange(6).reshape(2, 3))", np::einsum("ij->ji", {a}));
  VALUE("np.einsum('ij->', np.arange(6).reshape(2, 3))", np::einsum("ij->", {a}));
  VALUE("np.einsum('ij->j', np.arange(6).reshape(2, 3))", np::einsum("ij->j", {a}));
  VALUE("np.einsum('i,j->ij', np.arange(3), np.arange(4))",
        np::einsum("i,j->ij", {np::arange(3), np::arange(4)}));
  VALUE("np.einsum('i,i', np.arange(3), np.arange(3))", np::einsum("i,i", {np::arange(3), np::arange(3)}));
  VALUE("np.einsum('ij,ij->i', np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3))",
        np::einsum("ij,ij->i", {a, a}));
  VALUE("np.einsum('bij,bjk->bik', np.arange(24).reshape(2, 3, 4), np.arange(24).reshape(2, 4, 3))",
        np::einsum("bij,bjk->bik", {c, np::arange(24).reshape(2, 4, 3)}));
  VALUE("np.einsum('ijk,ij,k->i', np.arange(24).reshape(2, 3, 4), np.arange(6).reshape(2, 3), np.arange(4))",
        np::einsum("ijk,ij,k->i", {c, a, np::arange(4)}));
  VALUE("np.einsum('ij,k->kji', np.arange(6).reshape(2, 3), np.arange(2))",
        np::einsum("ij,k->kji", {a, np::arange(2)}));
  VALUE("np.einsum('ij,kj->k', np.arange(6).reshape(2, 3), np.ones((4, 3)))",
        np::einsum("ij,kj->k", {a, np::ones({4, 3})}));
  VALUE("np.einsum('i,i->i', np.ones(3, np.int8), np.ones(3, np.int8))",
        np::einsum("i,i->i", {np::ones(3, np::int8), np::ones(3, np::int8)}));
  ERROR("np.einsum('ij,jk', np.ones((2, 3)))", np::einsum("ij,jk", {np::ones({2, 3})}));
  ERROR("np.einsum('ij', np.ones((2, 3)), np.ones((2, 3)))",
        np::einsum("ij", {np::ones({2, 3}), np::ones({2, 3})}));
  ERROR("np.einsum('ij->k', np.ones((2, 3)))", np::einsum("ij->k", {np::ones({2, 3})}));
  ERROR("np.einsum('ijk', np.ones((2, 3)))", np::einsum("ijk", {np::ones({2, 3})}));
  EXPECT_THROW(np::einsum("ij,jk", {a, a}), np::ValueError);
}

TEST(products, norms) {
  VALUE("np.linalg.norm(np.array([3, 4]))", np::linalg::norm(np::array{3, 4}));
  VALUE("np.linalg.norm(np.arange(6).reshape(2, 3), axis=1)",
        np::linalg::norm(np::arange(6).reshape(2, 3), {.axis = 1}));
  VALUE("np.linalg.norm(np.array([3, -4]), 1)", np::linalg::norm(np::array{3, -4}, {.ord = 1}));
  VALUE("np.linalg.norm(np.array([3, -4]), np.inf)", np::linalg::norm(np::array{3, -4}, {.ord = np::inf}));
  VALUE("np.linalg.norm(np.array([3, -4]), 3)", np::linalg::norm(np::array{3, -4}, {.ord = 3}));
  VALUE("np.linalg.norm(np.array([3j, 4]))", np::linalg::norm(np::array{std::complex<double>(0, 3), 4}));
  VALUE("np.linalg.norm(np.arange(6).reshape(2, 3))", np::linalg::norm(np::arange(6).reshape(2, 3)));
  VALUE("np.linalg.norm(np.arange(6).reshape(2, 3), 1)",
        np::linalg::norm(np::arange(6).reshape(2, 3), {.ord = 1}));
  VALUE("np.linalg.matrix_power(np.array([[1, 1], [1, 0]]), 10)",
        np::linalg::matrix_power(np::array{{1, 1}, {1, 0}}, 10));
}

TEST(comparisons, of_whole_arrays) {
  VALUE("np.isclose(np.array([1, 1 + 1e-9, 2, np.nan, np.inf]), np.array([1, 1, 2.1, np.nan, np.inf]))",
        np::isclose(np::array{1, 1 + 1e-9, 2, np::nan, np::inf}, np::array{1, 1, 2.1, np::nan, np::inf}));
  VALUE("np.isclose(np.float32(1), 2, atol=0, rtol=.5 - 1e-12)",
        np::isclose(np::float32(1), 2, {.rtol = .5 - 1e-12, .atol = 0.0}));
  VALUE("np.isclose([1, 2], [1.4, 2.4], rtol=[.1, .5])",
        np::isclose(np::array{1, 2}, np::array{1.4, 2.4}, {.rtol = np::array{.1, .5}}));
  VALUE("np.isclose(np.array([np.nan]), np.array([np.nan]), equal_nan=True)",
        np::isclose(np::array{np::nan}, np::array{np::nan}, {.equal_nan = true}));
  EXPECT_TRUE(np::allclose(np::ones(3), 1.0 + 1e-9));
  EXPECT_FALSE(np::allclose(np::ones(3), np::array{1, 1, 2}));
  EXPECT_TRUE(np::array_equal(np::arange(3), np::array{0, 1, 2}));
  EXPECT_FALSE(np::array_equal(np::arange(3), np::arange(4)));
  EXPECT_FALSE(np::array_equal(np::array{np::nan}, np::array{np::nan}));
  EXPECT_TRUE(np::array_equal(np::array{np::nan}, np::array{np::nan}, true));
  EXPECT_TRUE(np::array_equiv(np::ones({2, 3}), np::ones(3)));
  EXPECT_FALSE(np::array_equiv(np::ones(2), np::ones(3)));
}

TEST(reductions, axis_as_second_argument) {
  auto a = np::reshape(np::arange(12.0), {3, 4});
  VALUE("np.sum(np.arange(12.0).reshape(3, 4), 0)", np::sum(a, 0));
  VALUE("np.arange(12.0).reshape(3, 4).sum(1)", a.sum(1));
  VALUE("np.arange(12.0).reshape(3, 4).prod(0)", a.prod(0));
  VALUE("np.arange(12.0).reshape(3, 4).max(-1)", a.max(-1));
  VALUE("np.arange(12.0).reshape(3, 4).min(0)", a.min(0));
  VALUE("np.arange(12.0).reshape(3, 4).any(1)", a.any(1));
  VALUE("np.arange(12.0).reshape(3, 4).all(1)", a.all(1));
  VALUE("np.mean(np.arange(12.0).reshape(3, 4), 1)", np::mean(a, 1));
  VALUE("np.arange(12.0).reshape(3, 4).var(0)", a.var(0));
  VALUE("np.std(np.arange(12.0).reshape(3, 4), 1)", np::std(a, 1));
  VALUE("np.arange(12.0).reshape(3, 4).argmax(0)", a.argmax(0));
  VALUE("np.arange(12.0).reshape(3, 4).argmin(1)", a.argmin(1));
  VALUE("np.cumsum(np.arange(12.0).reshape(3, 4), 0)", np::cumsum(a, 0));
  VALUE("np.arange(12.0).reshape(3, 4).cumprod(1)", a.cumprod(1));
  ERROR("np.arange(12.0).reshape(3, 4).sum(2)", a.sum(2));
}

}  // namespace
