// Medians, quantiles and weighted means with all their options; what is without NaN.
#include "against_numpy.h"

namespace np = numjit;

namespace {

const double nan = np::nan;

np::array cube() { return (np::arange(24) * 7 % 11).reshape(2, 3, 4) + 0.5; }
np::array holes() { return np::array{{1.0, nan, 3.0, 9.0}, {nan, nan, nan, nan}, {4.0, 0.5, -2.0, nan}}; }

#define CUBE "c = (np.arange(24) * 7 % 11).reshape(2, 3, 4) + 0.5; "
#define HOLES "h = np.array([[1, nan, 3, 9], [nan, nan, nan, nan], [4, .5, -2, nan]]); "

TEST(quantiles, axes_keepdims_out) {
  VALUE(CUBE "np.median(c, axis=(0, 2))", np::median(cube(), {.axis = {0, 2}}));
  VALUE(CUBE "np.median(c, axis=(2, 0), keepdims=True)", np::median(cube(), {.axis = {2, 0}, .keepdims = true}));
  VALUE(CUBE "np.median(c, keepdims=True)", np::median(cube(), {.keepdims = true}));
  VALUE(CUBE "np.median(c, axis=-2)", np::median(cube(), -2));
  VALUE(CUBE "np.quantile(c, [.1, .5, .8], axis=(0, 1))", np::quantile(cube(), np::array{.1, .5, .8}, {.axis = {0, 1}}));
  VALUE(CUBE "np.quantile(c, [[.1], [.8]], axis=1, keepdims=True)",
        np::quantile(cube(), np::array{{.1}, {.8}}, {.axis = 1, .keepdims = true}));
  VALUE(CUBE "np.percentile(c, 35, axis=(0, 1, 2), keepdims=True)",
        np::percentile(cube(), 35, {.axis = {0, 1, 2}, .keepdims = true}));
  VALUE("np.percentile(np.array([3, 1, 2]), [0, 100])", np::percentile(np::array{3, 1, 2}, np::array{0, 100}));
  VALUE("np.quantile(np.array([3, 1, 2]), 1)", np::quantile(np::array{3, 1, 2}, 1));
  VALUE("np.quantile(np.array([3, 1, 2]), [0, 1])", np::quantile(np::array{3, 1, 2}, np::array{0, 1}));
  VALUE("np.quantile(np.array([3, 1, 2], np.float32), .3)", np::quantile(np::array({3, 1, 2}, {np::float32}), .3));
  VALUE("np.quantile(np.array([3, 1, 2], np.float32), np.array([.3]))",
        np::quantile(np::array({3, 1, 2}, {np::float32}), np::array{.3}));
  VALUE("np.quantile(np.array([3, 1, 2], np.float16), .3)", np::quantile(np::array({3, 1, 2}, {np::float16}), .3));
  VALUE("np.median(np.array([3, 1, 2, 9], np.int8))", np::median(np::array({3, 1, 2, 9}, {np::int8})));
  VALUE("np.median(np.array([True, False]))", np::median(np::array{true, false}));
  VALUE("np.quantile(np.array([2.0, np.nan, 1.0]), [.2, .4])", np::quantile(np::array{2.0, nan, 1.0}, np::array{.2, .4}));
  VALUE("np.median(np.array([[2.0, np.nan], [1.0, 3.0]]), axis=1)", np::median(np::array{{2.0, nan}, {1.0, 3.0}}, 1));
  np::array out = np::zeros(4), row = np::zeros({1, 3}, np::float32);
  np::median(cube(), {.axis = {0, 1}, .out = out});
  VALUE(CUBE "np.median(c, axis=(0, 1))", out);
  np::quantile(np::arange(6).reshape(2, 3), 0.5, {.axis = 0, .out = row, .keepdims = true});
  VALUE("np.quantile(np.arange(6).reshape(2, 3), .5, axis=0, keepdims=True).astype(np.float32)", row);
}

// NumPy's methods, in its order.
template <class F>
np::array of_all_methods(const F& f) {
  np::array_list results;
  for (const char* method : {"inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
                             "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher",
                             "midpoint", "nearest"})
    results.push_back(f(method));
  return np::stack(results);
}
#define METHODS "m = list(np.lib._function_base_impl._QuantileMethods); "

TEST(quantiles, methods) {
  const np::array x{7.0, 2.0, 9.5, 4.0, 1.0, 4.0, 8.0};
  const np::array q{0.0, 0.05, 0.3, 0.5, 0.6428571428571429, 0.9, 1.0};
  VALUE(METHODS "x = np.array([7, 2, 9.5, 4, 1, 4, 8]); q = [0, .05, .3, .5, 0.6428571428571429, .9, 1]; "
                "np.stack([np.quantile(x, q, method=k) for k in m])",
        of_all_methods([&](const char* m) { return np::quantile(x, q, {.method = m}); }));
  VALUE(METHODS "x = np.array([7, 2, 9, 4, 1, 4]); np.stack([np.quantile(x, [0, .25, .5, .8, 1.], method=k) for k in m])",
        of_all_methods([&](const char* m) {
          return np::quantile(np::array{7, 2, 9, 4, 1, 4}, np::array{0.0, .25, .5, .8, 1.0}, {.method = m});
        }));
  VALUE(METHODS "x = np.array([[7, 2, nan, 4], [nan, nan, 3, 5], [1, 1, 4, 2.]]); "
                "np.stack([np.nanquantile(x, [.1, .5, 1.], axis=0, method=k) for k in m])",
        of_all_methods([&](const char* m) {
          return np::nanquantile(np::array{{7.0, 2.0, nan, 4.0}, {nan, nan, 3.0, 5.0}, {1.0, 1.0, 4.0, 2.0}},
                                 np::array{.1, .5, 1.0}, {.axis = 0, .method = m});
        }));
}

TEST(quantiles, weights) {
  const np::array x{7.0, 2.0, 9.5, 4.0};
  VALUE("np.quantile(np.array([7, 2, 9.5, 4]), [.1, .5, .9], weights=np.array([1, 3, 0, 2]), method='inverted_cdf')",
        np::quantile(x, np::array{.1, .5, .9}, {.method = "inverted_cdf", .weights = np::array{1, 3, 0, 2}}));
  VALUE("np.percentile(np.array([7, 2, 9.5, 4]), 40, weights=np.array([0, .3, 0, 2]), method='inverted_cdf')",
        np::percentile(x, 40, {.method = "inverted_cdf", .weights = np::array{0, .3, 0, 2}}));
  VALUE("np.quantile(np.array([7, 2, 9.5, 4]), 0, weights=np.array([0, 0, 1, 2]), method='inverted_cdf')",
        np::quantile(x, 0, {.method = "inverted_cdf", .weights = np::array{0, 0, 1, 2}}));
  VALUE(CUBE "np.quantile(c, [.2, .6], axis=1, weights=np.array([1, 0, 2]), method='inverted_cdf')",
        np::quantile(cube(), np::array{.2, .6}, {.axis = 1, .method = "inverted_cdf", .weights = np::array{1, 0, 2}}));
  VALUE(CUBE "np.quantile(c, .6, axis=(2, 0), weights=np.arange(8.).reshape(4, 2), method='inverted_cdf', keepdims=True)",
        np::quantile(cube(), .6, {.axis = {2, 0}, .method = "inverted_cdf", .keepdims = true,
                                  .weights = np::arange(8.0).reshape(4, 2)}));
  VALUE(HOLES "np.nanquantile(h, [.2, .7], axis=1, weights=np.arange(1, 13).reshape(3, 4), method='inverted_cdf')",
        np::nanquantile(holes(), np::array{.2, .7},
                        {.axis = 1, .method = "inverted_cdf", .weights = np::arange(1, 13).reshape(3, 4)}));
  VALUE("np.quantile(np.array([7, np.nan, 4]), .1, weights=np.array([1, 1, 2]), method='inverted_cdf')",
        np::quantile(np::array{7.0, nan, 4.0}, .1, {.method = "inverted_cdf", .weights = np::array{1, 1, 2}}));
}

TEST(quantiles, without_nan) {
  VALUE(HOLES "np.nanmedian(h, axis=(0, 1), keepdims=True)", np::nanmedian(holes(), {.axis = {0, 1}, .keepdims = true}));
  VALUE(HOLES "np.nanmedian(h, axis=0)", np::nanmedian(holes(), 0));
  VALUE(HOLES "np.nanmedian(h, axis=1, keepdims=True)", np::nanmedian(holes(), {.axis = 1, .keepdims = true}));
  VALUE(HOLES "np.nanmedian(h.astype(np.float16), axis=1)", np::nanmedian(holes().astype(np::float16), 1));
  VALUE(HOLES "np.nanpercentile(h, [10, 90], axis=1)", np::nanpercentile(holes(), np::array{10, 90}, 1));
  VALUE(HOLES "np.nanquantile(h, .4)", np::nanquantile(holes(), .4));
  VALUE(HOLES "np.nanquantile(h.astype(np.float32), .4, axis=1)", np::nanquantile(holes().astype(np::float32), .4, 1));
  VALUE("np.nanmedian(np.arange(6).reshape(2, 3), axis=0)", np::nanmedian(np::arange(6).reshape(2, 3), 0));
  VALUE("np.nanmedian(np.ones((0, 2)), axis=0)", np::nanmedian(np::ones({0, 2}), 0));
  VALUE("np.nanquantile(np.array([]), .5)", np::nanquantile(np::zeros(0), .5));
  VALUE("np.nanmedian(np.array([1e308, 1e308, np.nan]))", np::nanmedian(np::array{1e308, 1e308, nan}));
  VALUE("np.nanmedian(np.array([np.inf, np.nan, np.inf, 1.]))", np::nanmedian(np::array{np::inf, nan, np::inf, 1.0}));
}

TEST(quantiles, errors) {
  const np::array x{1.0, 2.0};
  ERROR("np.median(np.ones((2, 3)), axis=(0, 0))", np::median(np::ones({2, 3}), {.axis = {0, 0}}));
  ERROR("np.median(np.ones((2, 3)), axis=2)", np::median(np::ones({2, 3}), {.axis = 2}));
  ERROR("np.quantile([1., 2], .5, method='x')", np::quantile(x, .5, {.method = "x"}));
  ERROR("np.quantile([1j], .5)", np::quantile(np::array{std::complex<double>(0, 1)}, .5));
  ERROR("np.quantile([1., 2], [[[.5]]])", np::quantile(x, np::full({1, 1, 1}, .5)));
  ERROR("np.quantile([1., 2], 1.5)", np::quantile(x, 1.5));
  ERROR("np.quantile([1., 2], [.5, -.1])", np::quantile(x, np::array{.5, -.1}));
  ERROR("np.percentile([1., 2], 101)", np::percentile(x, 101));
  ERROR("np.quantile([1., 2], .5, weights=[1, 1])", np::quantile(x, .5, {.weights = np::array{1, 1}}));
  ERROR("np.quantile([1., 2], .5, weights=[1, -1], method='inverted_cdf')",
        np::quantile(x, .5, {.method = "inverted_cdf", .weights = np::array{1, -1}}));
  ERROR("np.quantile([1., 2], .5, weights=[0, 0], method='inverted_cdf')",
        np::quantile(x, .5, {.method = "inverted_cdf", .weights = np::array{0, 0}}));
  ERROR("np.quantile(np.ones((2, 3)), .5, weights=np.ones(3), method='inverted_cdf')",
        np::quantile(np::ones({2, 3}), .5, {.method = "inverted_cdf", .weights = np::ones(3)}));
  ERROR("np.quantile([], .5)", np::quantile(np::zeros(0), .5));
  try {
    np::median(np::ones({2, 3}), {.axis = 0, .out = np::ones(4)});
    FAIL() << "nothing thrown";
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(), "[median] Wrong shape of argument 'out', shape=(3,) is required; got shape=(4,).");
  }
}

TEST(averages, options) {
  VALUE(CUBE "np.average(c, axis=(0, 1), weights=[[.25, .75, 1], [1, .5, 0]])",
        np::average(cube(), {.axis = {0, 1}, .weights = np::array{{.25, .75, 1.0}, {1.0, .5, 0.0}}}));
  VALUE(CUBE "np.average(c, axis=(1, 0), weights=np.arange(6).reshape(3, 2), keepdims=True)",
        np::average(cube(), {.axis = {1, 0}, .weights = np::arange(6).reshape(3, 2), .keepdims = true}));
  VALUE(CUBE "np.average(c, axis=1, keepdims=True)", np::average(cube(), {.axis = 1, .keepdims = true}));
  VALUE(CUBE "np.average(c, axis=1, weights=[1, 2, 3], returned=True)[1]",
        np::average_returned(cube(), {.axis = 1, .weights = np::array{1, 2, 3}}).sum_of_weights);
  VALUE(CUBE "np.average(c, axis=1, returned=True)[1]", np::average_returned(cube(), {.axis = 1}).sum_of_weights);
  VALUE("np.average(np.array([1, 2], np.float32), weights=np.array([1, 3]))",
        np::average(np::array({1, 2}, {np::float32}), {.weights = np::array{1, 3}}));
  ERROR("np.average(np.ones((2, 3)), weights=np.ones(3))", np::average(np::ones({2, 3}), {.weights = np::ones(3)}));
  ERROR("np.average(np.ones((2, 3)), axis=0, weights=np.ones(3))", np::average(np::ones({2, 3}), 0, np::ones(3)));
  ERROR("np.average(np.ones(2), weights=[1, -1])", np::average(np::ones(2), {.weights = np::array{1, -1}}));
  VALUE(CUBE "np.ptp(c, axis=(0, 2), keepdims=True)", np::ptp(cube(), {.axis = {0, 2}, .keepdims = true}));
  VALUE(CUBE "np.count_nonzero(c > 3, axis=1, keepdims=True)", np::count_nonzero(cube() > 3, {.axis = 1, .keepdims = true}));
  np::array out = np::zeros(3);
  np::ptp(cube(), {.axis = {0, 2}, .out = out});
  VALUE(CUBE "np.ptp(c, axis=(0, 2))", out);
}

TEST(reductions, nan_arg_with_out) {
  np::array out = np::zeros(2, np::int64);
  np::nanargmax(np::array{{1.0, nan, 7.0}, {nan, 3.0, 2.0}}, {.axis = 1, .out = out});
  VALUE("np.nanargmax(np.array([[1, nan, 7], [nan, 3, 2.]]), axis=1)", out);
  VALUE("np.nanargmin(np.array([[1, nan, 7], [nan, 3, 2.]]), axis=0, keepdims=True)",
        np::nanargmin(np::array{{1.0, nan, 7.0}, {nan, 3.0, 2.0}}, {.axis = 0, .keepdims = true}));
}

}  // namespace
