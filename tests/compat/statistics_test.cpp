// Statistics without NaN, covariances, convolution, histograms.
#include "against_numpy.h"

namespace np = numjit;

namespace {

const double nan = np::nan;
np::array holes() { return np::array{{1.0, nan, 3.0}, {nan, nan, nan}, {4.0, 0.5, -2.0}}; }

TEST(statistics, without_nan) {
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanprod(a)", np::nanprod(holes()));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanprod(a, axis=1)", np::nanprod(holes(), {.axis = 1}));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nancumsum(a)", np::nancumsum(holes()));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nancumsum(a, axis=0)",
        np::nancumsum(holes(), {.axis = 0}));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nancumprod(a, axis=1)",
        np::nancumprod(holes(), {.axis = 1}));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanvar(a)", np::nanvar(holes()));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanvar(a, axis=0, ddof=1)",
        np::nanvar(holes(), {.axis = 0, .ddof = 1}));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanstd(a, axis=1, keepdims=True)",
        np::nanstd(holes(), {.axis = 1, .keepdims = true}));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanvar(a.astype(np.float32), axis=0)",
        np::nanvar(holes().astype(np::float32), {.axis = 0}));
  VALUE("np.nanvar(np.arange(4))", np::nanvar(np::arange(4)));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanargmax(a)", np::nanargmax(holes()));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanargmin(a[::2], axis=1)",
        np::nanargmin(holes()(np::slice(np::none, np::none, 2)), {.axis = 1}));
  ERROR("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanargmax(a, axis=1)",
        np::nanargmax(holes(), {.axis = 1}));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanmedian(a)", np::nanmedian(holes()));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanmedian(a, axis=0)", np::nanmedian(holes(), 0));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanmedian(a, axis=1)", np::nanmedian(holes(), 1));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanquantile(a, [.2, .7], axis=0)",
        np::nanquantile(holes(), np::array{.2, .7}, 0));
  VALUE("a = np.array([[1, nan, 3], [nan, nan, nan], [4, .5, -2]]); np.nanpercentile(a, 30)", np::nanpercentile(holes(), 30));
}

TEST(statistics, running) {
  VALUE("np.cumulative_sum(np.arange(4), include_initial=True)", np::cumulative_sum(np::arange(4), {.include_initial = true}));
  VALUE("np.cumulative_prod(np.arange(1., 7).reshape(2, 3), axis=1)",
        np::cumulative_prod(np::arange(1.0, 7).reshape(2, 3), {.axis = 1}));
  ERROR("np.cumulative_sum(np.ones((2, 2)))", np::cumulative_sum(np::ones({2, 2})));
}

TEST(statistics, covariances) {
  const np::array x = np::array{{0.0, 1, 2, 5}, {2, 1, 0, 3}, {1, 1, 7, 2}};
  VALUE("np.cov(np.array([[0., 1, 2, 5], [2, 1, 0, 3], [1, 1, 7, 2]]))", np::cov(x));
  VALUE("np.cov(np.array([[0., 1, 2, 5], [2, 1, 0, 3], [1, 1, 7, 2]]), rowvar=False, bias=True)",
        np::cov(x, {.rowvar = false, .bias = true}));
  VALUE("np.cov(np.arange(5), np.array([2, 1, 4, 3, 9]), ddof=2)",
        np::cov(np::arange(5), np::array{2, 1, 4, 3, 9}, {.ddof = 2.0}));
  VALUE("np.cov(np.arange(5.))", np::cov(np::arange(5.0)));
  VALUE("np.cov(np.arange(4.), fweights=np.array([1, 2, 3, 1]))", np::cov(np::arange(4.0), {.fweights = np::array{1, 2, 3, 1}}));
  VALUE("np.cov(np.arange(4.), aweights=np.array([1, .2, .3, 1]))",
        np::cov(np::arange(4.0), {.aweights = np::array{1, .2, .3, 1}}));
  VALUE("np.cov(np.array([[1, 2j], [1j, 3]]))",
        np::cov(np::array{{std::complex<double>(1, 0), std::complex<double>(0, 2)},
                          {std::complex<double>(0, 1), std::complex<double>(3, 0)}}));
  VALUE("np.corrcoef(np.array([[0., 1, 2, 5], [2, 1, 0, 3], [1, 1, 7, 2]]))", np::corrcoef(x));
  VALUE("np.corrcoef(np.arange(4), np.array([2, 1, 0, 3]))", np::corrcoef(np::arange(4), np::array{2, 1, 0, 3}));
  VALUE("np.cov(np.zeros((0, 3)))", np::cov(np::zeros({0, 3})));
  VALUE("np.cov(np.arange(4.), fweights=[1., 2, 3, 1])", np::cov(np::arange(4.0), {.fweights = np::array{1.0, 2, 3, 1}}));
  VALUE("np.corrcoef(np.array([1j, 2, 3 - 1j]), np.array([2, 1j, 5]))",
        np::corrcoef(np::array{std::complex<double>(0, 1), std::complex<double>(2, 0), std::complex<double>(3, -1)},
                     np::array{std::complex<double>(2, 0), std::complex<double>(0, 1), std::complex<double>(5, 0)}));
  ERROR("np.cov(np.arange(4.), ddof=.5)", np::cov(np::arange(4.0), {.ddof = .5}));
  ERROR("np.cov(np.ones((2, 2, 2)))", np::cov(np::ones({2, 2, 2})));
  ERROR("np.cov(np.arange(4.), fweights=np.array([.5, 1, 1, 1]))",
        np::cov(np::arange(4.0), {.fweights = np::array{.5, 1, 1, 1}}));
}

TEST(statistics, convolution) {
  const np::array a{1, 2, 3}, v{0.0, 1, 0.5};
  VALUE("np.convolve([1, 2, 3], [0, 1, 0.5])", np::convolve(a, v));
  VALUE("np.convolve([1, 2, 3], [0, 1, 0.5], 'same')", np::convolve(a, v, "same"));
  VALUE("np.convolve([1, 2, 3], [0, 1, 0.5], 'valid')", np::convolve(a, v, "valid"));
  for (const char* mode : {"full", "same", "valid"}) {
    if (std::string(mode) == "full") {
      VALUE("np.convolve(np.arange(7), np.array([1, -2]), 'full')", np::convolve(np::arange(7), np::array{1, -2}, mode));
      VALUE("np.correlate(np.array([1, -2]), np.arange(7), 'full')", np::correlate(np::array{1, -2}, np::arange(7), mode));
    } else if (std::string(mode) == "same") {
      VALUE("np.convolve(np.arange(7), np.array([1, -2, 4, 3]), 'same')",
            np::convolve(np::arange(7), np::array{1, -2, 4, 3}, mode));
      VALUE("np.correlate(np.array([1, -2, 4, 3]), np.arange(7), 'same')",
            np::correlate(np::array{1, -2, 4, 3}, np::arange(7), mode));
    } else {
      VALUE("np.convolve(np.array([1, -2]), np.arange(7), 'valid')", np::convolve(np::array{1, -2}, np::arange(7), mode));
      VALUE("np.correlate(np.array([1, -2]), np.arange(7.), 'valid')",
            np::correlate(np::array{1, -2}, np::arange(7.0), mode));
    }
  }
  VALUE("np.correlate([1, 2, 3], [0, 1, 0.5])", np::correlate(a, v));
  VALUE("np.correlate(np.array([1+1j, 2, 3-1j]), np.array([0, 1, 0.5j]), 'full')",
        np::correlate(np::array{std::complex<double>(1, 1), std::complex<double>(2, 0), std::complex<double>(3, -1)},
                      np::array{std::complex<double>(0, 0), std::complex<double>(1, 0), std::complex<double>(0, .5)}, "full"));
  ERROR("np.convolve(np.ones(0), np.ones(2))", np::convolve(np::ones(0), np::ones(2)));
  ERROR("np.convolve(np.ones(2), np.ones(2), 'most')", np::convolve(np::ones(2), np::ones(2), "most"));
}

TEST(statistics, histograms_of_columns) {
  const np::array x{0.0, 1, 5, 2}, y{3.0, 2, 9, 4};
#define COLUMNS "c = [np.array([0., 1, 5, 2]), np.array([3., 2, 9, 4])]; "
  const np::histogramdd_options o{
      .bins = {np::array{0, 1, 2, 4}, 2}, .range = {np::none, {0, 5}}, .weights = np::array{1, 2, 3, 5}};
  VALUE(COLUMNS "np.histogramdd(c, [[0, 1, 2, 4], 2], [None, (0, 5)], weights=[1, 2, 3, 5])[0]",
        np::histogramdd({x, y}, o).counts);
  VALUE(COLUMNS "np.histogramdd(c, [[0, 1, 2, 4], 2], [None, (0, 5)], weights=[1, 2, 3, 5])[1][1]",
        np::histogramdd({x, y}, o).edges[1]);
  VALUE(COLUMNS "np.histogramdd(c, 3, density=True)[0]", np::histogramdd({x, y}, {.bins = {3}, .density = true}).counts);
  ERROR(COLUMNS "np.histogramdd(c, [2, [3, 1]])", np::histogramdd({x, y}, {.bins = {2, np::array{3, 1}}}));
  ERROR(COLUMNS "np.histogramdd(c, 2, [(0, 5)])", np::histogramdd({x, y}, {.bins = {2}, .range = {{0, 5}}}));
}

TEST(statistics, histograms) {
  VALUE("np.histogram_bin_edges(np.array([1., 2, 4]), 3)", np::histogram_bin_edges(np::array{1.0, 2, 4}, 3));
  const np::array points = np::array{{0.0, 1, 5}, {2, 2, 2}, {4, 3, 1}, {4, 3, 5}, {1, 1, 1}};
  VALUE("np.histogramdd(np.array([[0., 1, 5], [2, 2, 2], [4, 3, 1], [4, 3, 5], [1, 1, 1]]), (2, 3, 2))[0]",
        np::histogramdd(points, {2, 3, 2}).counts);
  VALUE("np.histogramdd(np.array([[0., 1, 5], [2, 2, 2], [4, 3, 1], [4, 3, 5], [1, 1, 1]]), (2, 3, 2), density=True)[0]",
        np::histogramdd(points, {2, 3, 2}, true).counts);
  VALUE("np.histogramdd(np.array([[0., 1, 5], [2, 2, 2], [4, 3, 1], [4, 3, 5], [1, 1, 1]]), (2, 3, 2))[1][2]",
        np::histogramdd(points, {2, 3, 2}).edges[2]);
  ERROR("np.histogramdd(np.ones((3, 2)), (2, 2, 2))", np::histogramdd(np::ones({3, 2}), {2, 2, 2}));
}

TEST(statistics, bins_by_rules) {
  const np::array skewed = np::array{1.1, 7.0, 3.0, 3.2, 2.0, 2.5, 9.0, 0.4, 3.0, 3.3, 2.9, 40.0};
  VALUE("np.histogram(np.array([1.1, 7, 3, 3.2, 2, 2.5, 9, 0.4, 3, 3.3, 2.9, 40]), 'auto')[1]",
        np::histogram(skewed, "auto").edges);
  VALUE("np.histogram_bin_edges(np.arange(40) ** 2 % 97, 'auto')",
        np::histogram_bin_edges(np::array(np::remainder(np::power(np::arange(40), 2), 97)), "auto"));
  VALUE("np.histogram(np.array([1.1, 7, 3, 3.2, 2, 2.5, 9, 0.4, 3, 3.3, 2.9, 40]), 'fd')[1]", np::histogram(skewed, "fd").edges);
  VALUE("np.histogram_bin_edges(np.arange(40) ** 2 % 97, 'fd')",
        np::histogram_bin_edges(np::array(np::remainder(np::power(np::arange(40), 2), 97)), "fd"));
  VALUE("np.histogram(np.array([1.1, 7, 3, 3.2, 2, 2.5, 9, 0.4, 3, 3.3, 2.9, 40]), 'doane')[1]",
        np::histogram(skewed, "doane").edges);
  VALUE("np.histogram_bin_edges(np.arange(40) ** 2 % 97, 'doane')",
        np::histogram_bin_edges(np::array(np::remainder(np::power(np::arange(40), 2), 97)), "doane"));
  VALUE("np.histogram(np.array([1.1, 7, 3, 3.2, 2, 2.5, 9, 0.4, 3, 3.3, 2.9, 40]), 'scott')[1]",
        np::histogram(skewed, "scott").edges);
  VALUE("np.histogram_bin_edges(np.arange(40) ** 2 % 97, 'scott')",
        np::histogram_bin_edges(np::array(np::remainder(np::power(np::arange(40), 2), 97)), "scott"));
  VALUE("np.histogram(np.array([1.1, 7, 3, 3.2, 2, 2.5, 9, 0.4, 3, 3.3, 2.9, 40]), 'stone')[1]",
        np::histogram(skewed, "stone").edges);
  VALUE("np.histogram_bin_edges(np.arange(40) ** 2 % 97, 'stone')",
        np::histogram_bin_edges(np::array(np::remainder(np::power(np::arange(40), 2), 97)), "stone"));
  VALUE("np.histogram(np.array([1.1, 7, 3, 3.2, 2, 2.5, 9, 0.4, 3, 3.3, 2.9, 40]), 'rice')[1]",
        np::histogram(skewed, "rice").edges);
  VALUE("np.histogram_bin_edges(np.arange(40) ** 2 % 97, 'rice')",
        np::histogram_bin_edges(np::array(np::remainder(np::power(np::arange(40), 2), 97)), "rice"));
  VALUE("np.histogram(np.array([1.1, 7, 3, 3.2, 2, 2.5, 9, 0.4, 3, 3.3, 2.9, 40]), 'sturges')[1]",
        np::histogram(skewed, "sturges").edges);
  VALUE("np.histogram_bin_edges(np.arange(40) ** 2 % 97, 'sturges')",
        np::histogram_bin_edges(np::array(np::remainder(np::power(np::arange(40), 2), 97)), "sturges"));
  VALUE("np.histogram(np.array([1.1, 7, 3, 3.2, 2, 2.5, 9, 0.4, 3, 3.3, 2.9, 40]), 'sqrt')[1]",
        np::histogram(skewed, "sqrt").edges);
  VALUE("np.histogram_bin_edges(np.arange(40) ** 2 % 97, 'sqrt')",
        np::histogram_bin_edges(np::array(np::remainder(np::power(np::arange(40), 2), 97)), "sqrt"));
  VALUE("np.histogram(np.array([1.1, 7, 3, 3.2, 2, 2.5, 9, 0.4, 3, 3.3, 2.9, 40]), 'auto', (1, 5))[0]",
        np::histogram(skewed, "auto", {{1, 5}}).counts);
  VALUE("np.histogram(np.ones(5), 'fd')[0]", np::histogram(np::ones(5), "fd").counts);
  VALUE("np.histogram(np.zeros(0), 'auto')[1]", np::histogram(np::zeros(0), "auto").edges);
  VALUE("np.histogram_bin_edges(np.arange(5, dtype=np.float32), 'rice')",
        np::histogram_bin_edges(np::arange(5, {.dtype = np::float32}), "rice"));
  VALUE("np.histogram(np.array([-3.78, 3.6, 1], dtype=np.float32))[1]",
        np::histogram(np::array{-3.78, 3.6, 1.0}.astype(np::float32)).edges);
  VALUE("np.histogram(np.array([-3.78, 3.6, 1], dtype=np.float32), range=(-1, 3.3))[1]",
        np::histogram(np::array{-3.78, 3.6, 1.0}.astype(np::float32), 10, {{-1, 3.3}}).edges);
  VALUE("np.histogram(np.array([-3.78, 3.6, 1], dtype=np.float16))[1]",
        np::histogram(np::array{-3.78, 3.6, 1.0}.astype(np::float16)).edges);
  ERROR("np.histogram(np.arange(3), 'best')", np::histogram(np::arange(3), "best"));
  ERROR("np.histogram(np.arange(3), 'auto', weights=np.ones(3))", np::histogram(np::arange(3), "auto", {}, false, np::ones(3)));
  ERROR("np.histogram(np.arange(3), 'auto', (2, 1))", np::histogram(np::arange(3), "auto", {{2, 1}}));
  ERROR("np.histogram(np.array([1, np.nan]), 'auto')", np::histogram(np::array{1.0, np::nan}, "auto"));
}

// The operands have the dtype of the result before anything is added up.
TEST(statistics, einsum_of_several_dtypes) {
  const np::array bytes = np::full({2, 3}, 100, {.dtype = np::int8});
  VALUE("np.einsum('ij,k->k', np.full((2, 3), 100, np.int8), np.ones(2))", np::einsum("ij,k->k", {bytes, np::ones(2)}));
  VALUE("np.einsum('ij,jk,kl', np.arange(6).reshape(2, 3), np.ones((3, 4), bool), np.ones((4, 2), bool))",
        np::einsum("ij,jk,kl", {np::arange(6).reshape(2, 3), np::ones({3, 4}, {.dtype = np::bool_}),
                                np::ones({4, 2}, {.dtype = np::bool_})}));
}

// Windows of large vectors are summed side by side: each sum is the one of a small call, by operations, to the bit.
TEST(statistics, correlations_of_large_vectors_have_the_bits_of_small_ones) {
  for (const np::dtype type : {np::float64, np::float32, np::int64, np::int32})
    for (const std::int64_t m : {1, 3, 8, 32, 33, 100, 1024, 1025, 3000, 40000}) {
      const std::int64_t n = 80000 / m + m + 41;
      const np::array x = (np::sin(np::arange(static_cast<double>(n))) * 1000).astype(type);
      const np::array v = (np::cos(np::arange(static_cast<double>(m))) * 10).astype(type);
      const np::array all = np::correlate(x, v, "valid");
      for (const std::int64_t first : {std::int64_t{0}, std::int64_t{31}, all.size() - 9}) {
        const np::array some = np::correlate(x(np::slice(first, first + 8 + m)), v, "valid");
        EXPECT_TRUE(np::array_equal(all(np::slice(first, first + 9)), some)) << type.name() << " " << m << " " << first;
        const np::array products = x(np::slice(first, first + m)) * v;
        EXPECT_TRUE(np::array_equal(all(first), np::sum(products, {.dtype = type}))) << type.name() << " " << m;
      }
    }
}

// Composites are recorded, so they fuse, and give the same bits.
TEST(statistics, compiled) {
  const np::array x = np::sin(np::arange(300.0)).reshape(3, 100);
  auto f = np::compile(
      [](const np::array& a) { return np::cov(a) + np::nanvar(a) + np::sum(np::convolve(a(0), a(1, np::slice(0, 5)))); },
      {.fullgraph = true});
  EXPECT_TRUE(np::array_equal(f(x), np::cov(x) + np::nanvar(x) + np::sum(np::convolve(x(0), x(1, np::slice(0, 5))))));
}

}  // namespace
