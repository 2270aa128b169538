// Arguments by NumPy's names, and lists in braces where a vector is meant.
#include "against_numpy.h"

namespace np = numjit;

namespace {

np::array grid() { return np::arange(12.0).reshape(3, 4); }
np::array list() { return np::array{3, 1, 2}; }
#define A "a = np.arange(12.).reshape(3, 4); "
#define B "b = np.array([3, 1, 2]); "
#define AB "a = np.arange(12.).reshape(3, 4); b = np.array([3, 1, 2]); "

TEST(keywords, creation) {
  VALUE("np.linspace(0, 1, num=5, endpoint=False)", np::linspace(0, 1, {.num = 5, .endpoint = false}));
  VALUE("np.logspace(0, 3, num=4)", np::logspace(0, 3, {.num = 4}));
  VALUE("np.geomspace(1, 8, num=4)", np::geomspace(1, 8, {.num = 4}));
  VALUE("np.full((2, 2), 7, np.float32)", np::full({2, 2}, 7, np::float32));
  VALUE(A "np.zeros_like(a, np.int8)", np::zeros_like(grid(), np::int8));
  VALUE(A "np.ones_like(a, np.int8)", np::ones_like(grid(), np::int8));
  VALUE(A "np.full_like(a, 3, np.int8)", np::full_like(grid(), 3, np::int8));
  VALUE(A "np.astype(a, np.int32)", np::astype(grid(), np::int32));
  const np::array a = grid();
  EXPECT_EQ(np::astype(a, np::float64, {.copy = false}).get(), a.get());
  EXPECT_NE(np::astype(a, np::float64).get(), a.get());
  VALUE("np.asarray(2, np.float32)", np::asarray(2, np::float32));
  VALUE(B "np.meshgrid(b, b[:2])[0]", np::meshgrid(list(), list()(np::slice(2)))[0]);
  VALUE(B "np.meshgrid(b, b[:2], sparse=True)[1]", np::meshgrid(list(), list()(np::slice(2)), {.sparse = true})[1]);
  VALUE(B "np.meshgrid(b, b[:2], indexing='ij', sparse=True)[1]",
        np::meshgrid({list(), list()(np::slice(2))}, {.sparse = true, .indexing = "ij"})[1]);
  VALUE(B "np.meshgrid(b, b[:2], b, copy=False)[2]", np::meshgrid(list(), list()(np::slice(2)), list(), {.copy = false})[2]);
  VALUE(B "np.vander(b, increasing=True)", np::vander(list(), {.increasing = true}));
  VALUE(B "np.vander(b, N=2)", np::vander(list(), {.N = 2}));
}

TEST(keywords, diagonals) {
  VALUE(B "np.diag(b, k=1)", np::diag(list(), {.k = 1}));
  VALUE(B "np.diagflat(b, k=-1)", np::diagflat(list(), {.k = -1}));
  VALUE(A "np.tril(a, k=-1)", np::tril(grid(), {.k = -1}));
  VALUE(A "np.triu(a, k=1)", np::triu(grid(), {.k = 1}));
  VALUE("np.tril_indices(3, k=1)[0]", np::tril_indices(3, {.k = 1})[0]);
  VALUE("np.triu_indices(3, k=1, m=4)[1]", np::triu_indices(3, {.k = 1, .m = 4})[1]);
  VALUE(A "np.triu_indices_from(a, k=1)[1]", np::triu_indices_from(grid(), {.k = 1})[1]);
  VALUE(A "np.diagonal(a, offset=1)", np::diagonal(grid(), {.offset = 1}));
  VALUE(A "np.trace(a, offset=1)", np::trace(grid(), {.offset = 1}));
  VALUE(A "np.trace(a, dtype=np.float32)", np::trace(grid(), {.dtype = np::float32}));
}

TEST(keywords, orders) {
  VALUE(A "np.reshape(a, (4, 3), order='F')", np::reshape(grid(), {4, 3}, {.order = 'F'}));
  VALUE(A "np.reshape(a, (2, -1, 3), order='F')", np::reshape(grid(), {2, -1, 3}, {.order = 'F'}));
  VALUE(A "np.reshape(a.T, (2, 6), order='A')", np::reshape(grid().T(), {2, 6}, {.order = 'A'}));
  VALUE(A "np.ravel(a, order='F')", np::ravel(grid(), {.order = 'F'}));
  VALUE(A "np.ravel(a.T, order='K')", np::ravel(grid().T(), {.order = 'K'}));
  VALUE("np.ravel(np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0), order='K')",
        np::ravel(np::arange(24).reshape(2, 3, 4).transpose({1, 2, 0}), {.order = 'K'}));
  ERROR("np.reshape(np.ones(4), (2, 2), order='K')", np::reshape(np::ones(4), {2, 2}, {.order = 'K'}));
  VALUE(A "np.transpose(a, axes=(1, 0))", np::transpose(grid(), {.axes = {1, 0}}));
  VALUE(A "np.flip(a, axis=0)", np::flip(grid(), {.axis = 0}));
  VALUE(A "np.flip(a, axis=(0, 1))", np::flip(grid(), {.axis = {0, 1}}));
  VALUE("np.squeeze(np.ones((1, 2, 1)), axis=0)", np::squeeze(np::ones({1, 2, 1}), {.axis = 0}));
  VALUE(A "np.expand_dims(a, axis=(0, 2))", np::expand_dims(grid(), {.axis = {0, 2}}));
  VALUE(A "np.fft.fftshift(a, axes=1)", np::fft::fftshift(grid(), {.axes = 1}));
  VALUE(A "np.fft.ifftshift(a, axes=(0, 1))", np::fft::ifftshift(grid(), {.axes = {0, 1}}));
}

TEST(keywords, joining) {
  VALUE(A "np.concatenate((a, a), 1)", np::concatenate({grid(), grid()}, 1));
  VALUE(A "np.stack((a, a), -1)", np::stack({grid(), grid()}, -1));
  VALUE(A "np.append(a, a, axis=0)", np::append(grid(), grid(), {.axis = 0}));
  VALUE(A "np.repeat(a, 2, axis=0)", np::repeat(grid(), 2, {.axis = 0}));
  VALUE(AB "np.repeat(a, b, axis=0)", np::repeat(grid(), list(), {.axis = 0}));
  VALUE(A "np.roll(a, 1, axis=1)", np::roll(grid(), 1, {.axis = 1}));
  VALUE(A "np.insert(a, 1, 5, axis=0)", np::insert(grid(), 1, 5, {.axis = 0}));
  VALUE(A "np.delete(a, 1, axis=1)", np::delete_(grid(), 1, {.axis = 1}));
  VALUE(A "np.argmax(a, axis=None)", np::argmax(grid(), {.axis = np::none}));
  VALUE(A "np.sort(a, axis=None)", np::sort(grid(), {.axis = np::none}));
  VALUE(A "np.cumsum(a, axis=None)", np::cumsum(grid(), {.axis = np::none}));
  VALUE(A "np.repeat(a, 2, axis=None)", np::repeat(grid(), 2, {.axis = np::none}));
  VALUE(A "np.split(a, 2, axis=1)[1]", np::split(grid(), 2, {.axis = 1})[1]);
  VALUE(A "np.array_split(a, 3, axis=1)[0]", np::array_split(grid(), 3, {.axis = 1})[0]);
  VALUE(A "np.unstack(a, axis=1)[1]", np::unstack(grid(), {.axis = 1})[1]);
  VALUE(A "np.rot90(a, k=2)", np::rot90(grid(), {.k = 2}));
}

TEST(keywords, searching) {
  VALUE(A "np.take_along_axis(a, np.argsort(-a, axis=1), axis=1)",
        np::take_along_axis(grid(), np::argsort(-grid(), {.axis = 1}), {.axis = 1}));
  VALUE("np.lexsort(([[1, 0], [0, 1]], [[0, 0], [0, 1]]), axis=0)",
        np::lexsort({np::array{{1, 0}, {0, 1}}, np::array{{0, 0}, {0, 1}}}, {.axis = 0}));
  VALUE("np.partition([[3, 1], [1, 2]], 1, axis=0)", np::partition(np::array{{3, 1}, {1, 2}}, 1, {.axis = 0}));
  VALUE("np.searchsorted([1, 2, 2, 3], 2, side='right')", np::searchsorted(np::array{1, 2, 2, 3}, 2, {.side = "right"}));
  VALUE("np.searchsorted([1, 2, 2, 3], [0, 2])", np::searchsorted(np::array{1, 2, 2, 3}, {0, 2}));
  VALUE(B "np.searchsorted(b, 2, sorter=np.argsort(b))", np::searchsorted(list(), 2, {.sorter = np::argsort(list())}));
  VALUE(B "np.digitize(b, [0, 2, 4])", np::digitize(list(), {0, 2, 4}));
  VALUE(B "np.digitize(b, [0, 2, 4], right=True)", np::digitize(list(), {0, 2, 4}, {.right = true}));
  VALUE(B "np.bincount(b, minlength=6)", np::bincount(list(), {.minlength = 6}));
  VALUE(B "np.bincount(b, weights=b)", np::bincount(list(), {.weights = list()}));
  VALUE(B "np.choose([0, 3, 1], (b, -b), mode='wrap')", np::choose(np::array{0, 3, 1}, {list(), -list()}, {.mode = "wrap"}));
  VALUE(A "np.take(a, [0, 5])", np::take(grid(), {0, 5}));
  VALUE(A "np.take(a, [0, 2], 1)", np::take(grid(), {0, 2}, 1));
  VALUE(A "np.take(a, [0, 2], axis=0)", np::take(grid(), {0, 2}, {.axis = 0}));
  VALUE(A "np.isin(a, [1, 2])", np::isin(grid(), {1, 2}));
  VALUE(A "np.isin(a, [1, 2], invert=True)", np::isin(grid(), {1, 2}, {.invert = true}));
  VALUE("np.unravel_index(5, (3, 4), order='F')[1]", np::unravel_index(5, {3, 4}, {.order = 'F'})[1]);
  VALUE(B "np.ravel_multi_index((b, b), (4, 4), order='F')", np::ravel_multi_index({list(), list()}, {4, 4}, {.order = 'F'}));
  VALUE("np.packbits(np.array([[1, 0], [1, 1]]), axis=0)", np::packbits(np::array{{1, 0}, {1, 1}}, {.axis = 0}));
  VALUE("np.unpackbits(np.packbits([1, 0, 1]), count=3)", np::unpackbits(np::packbits(np::array{1, 0, 1}), {.count = 3}));
  VALUE(B "np.sort(b, stable=True)", np::sort(list(), {.stable = true}));
  VALUE(B "np.sort(b)[::-1]", np::sort(list(), {.descending = true}));
  VALUE("np.argsort([-3, -1, -3, -2], stable=True)", np::argsort(np::array{3, 1, 3, 2}, {.descending = true}));
  VALUE(A "np.sort(a, axis=0)[::-1]", np::sort(grid(), {.axis = 0, .descending = true}));
  np::array written = grid();
  np::put_along_axis(written, np::array{{0}, {1}, {2}}, 99, {.axis = 1});
  VALUE(A "np.put_along_axis(a, np.array([[0], [1], [2]]), 99, axis=1); a", written);
  np::put(written, np::array{0, 30}, -1, {.mode = "clip"});
  VALUE(A "np.put_along_axis(a, np.array([[0], [1], [2]]), 99, axis=1); np.put(a, [0, 30], -1, mode='clip'); a", written);
}

TEST(keywords, histograms) {
  VALUE(A "np.histogram(a, bins=5, range=(0, 10))[0]", np::histogram(grid(), {.bins = 5, .range = {0, 10}}).counts);
  VALUE(A "np.histogram(a, bins='sturges')[1]", np::histogram(grid(), {.bins = "sturges"}).edges);
  VALUE(A "np.histogram(a, bins=[0, 5, 11], density=True)[0]",
        np::histogram(grid(), {.bins = {0, 5, 11}, .density = true}).counts);
  VALUE(A "np.histogram(a, bins=np.array([0, 5, 11]))[0]", np::histogram(grid(), {.bins = np::array{0, 5, 11}}).counts);
  VALUE(A "np.histogram(a, 4, density=True)[0]", np::histogram(grid(), 4, {.density = true}).counts);
  VALUE(A "np.histogram(a, 4, weights=a)[0]", np::histogram(grid(), 4, {.weights = grid()}).counts);
  VALUE(A "np.histogram(a, np.array([0, 3, 7]), density=True)[0]",
        np::histogram(grid(), np::array{0, 3, 7}, {.density = true}).counts);
  VALUE(A "np.histogram_bin_edges(a, bins=3)", np::histogram_bin_edges(grid(), {.bins = 3}));
  VALUE(A "np.histogram2d(a.ravel(), a.ravel(), bins=3)[0]", np::histogram2d(grid().ravel(), grid().ravel(), {.bins = 3}).counts);
  VALUE(A "np.histogram2d(a.ravel(), a.ravel(), bins=(3, 2), range=[[0, 5], [0, 6]])[0]",
        np::histogram2d(grid().ravel(), grid().ravel(), {.bins = {3, 2}, .range = {{0, 5}, {0, 6}}}).counts);
}

TEST(keywords, numbers) {
  VALUE(A "np.round(a / 3, decimals=2)", np::round(grid() / 3, {.decimals = 2}));
  np::array out = np::zeros({3, 4});
  np::round(grid() / 3, {.decimals = 1, .out = out});
  VALUE(A "np.round(a / 3, decimals=1)", out);
  VALUE(A "np.clip(a, a_min=1, a_max=4)", np::clip(grid(), {.a_min = 1, .a_max = 4}));
  VALUE(A "np.clip(a, max=4)", np::clip(grid(), {.max = 4}));
  VALUE(A "np.clip(a, min=4)", np::clip(grid(), {.min = 4}));
  np::clip(grid(), {.a_min = 2, .out = out});
  VALUE(A "np.clip(a, 2, None)", out);
  ERROR("np.clip(np.ones(2), a_min=1, a_max=4, min=2)", np::clip(np::ones(2), {.a_min = 1, .a_max = 4, .min = 2}));
  VALUE("np.nan_to_num([nan, inf, 1.0], nan=-1, posinf=5)",
        np::nan_to_num(np::array{np::nan, np::inf, 1.0}, {.nan = -1, .posinf = 5}));
  VALUE("np.angle([1.0, -1.0], deg=True)", np::angle(np::array{1.0, -1.0}, {.deg = true}));
  VALUE("np.array_equal([nan], [nan], equal_nan=True)",
        np::asarray(np::array_equal(np::array{np::nan}, np::array{np::nan}, {.equal_nan = true})));
  VALUE(A "np.percentile(a, [25, 50, 75])", np::percentile(grid(), {25, 50, 75}));
  VALUE(A "np.percentile(a, [25, 75], 0)", np::percentile(grid(), {25, 75}, 0));
  VALUE(A "np.quantile(a, [0.25, 0.75], axis=1, keepdims=True)",
        np::quantile(grid(), {0.25, 0.75}, {.axis = 1, .keepdims = true}));
  VALUE(A "np.nanpercentile(a, [50])", np::nanpercentile(grid(), {50}));
  VALUE(A "np.gradient(a, axis=1, edge_order=2)", np::gradient(grid(), {.axis = 1, .edge_order = 2}));
  VALUE(A "np.gradient(a, 0.5, axis=1)", np::gradient(grid(), 0.5, {.axis = 1}));
  VALUE(B "np.gradient(b, np.array([0, 1, 3]))", np::gradient(list(), np::array{0, 1, 3}));
  VALUE(B "np.convolve(b, [1, 1])", np::convolve(list(), {1, 1}));
  VALUE(B "np.convolve(b, b, mode='same')", np::convolve(list(), list(), {.mode = "same"}));
  VALUE(B "np.correlate(b, [1, 2], mode='full')", np::correlate(list(), {1, 2}, {.mode = "full"}));
  VALUE("np.corrcoef([[1.0, 2.0, 4.0], [2.0, 1.0, 5.0]], rowvar=False)",
        np::corrcoef(np::array{{1.0, 2.0, 4.0}, {2.0, 1.0, 5.0}}, {.rowvar = false}));
}

TEST(keywords, refused) {
  const np::array two{1, 2}, first{0};
  ERROR("np.isin([1, 2], [1], kind='x')", np::isin(two, np::array{1}, {.kind = "x"}));
  ERROR("np.isin([1, 2], [0.5], kind='table')", np::isin(two, np::array{0.5}, {.kind = "table"}));
  ERROR("np.take([1, 2], [0], out=np.zeros(2, int))", np::take(two, first, {.out = np::zeros(2, np::int64)}));
  ERROR("np.take([1, 2], [0], out=np.zeros(1))", np::take(two, first, {.out = np::zeros(1)}));
  ERROR("np.choose([0], [[1]], out=np.zeros(2, int))", np::choose(first, {np::array{1}}, {.out = np::zeros(2, np::int64)}));
  ERROR("np.concatenate(([1, 2], [0.5]), casting='no')", np::concatenate({two, np::array{0.5}}, {.casting = "no"}));
  ERROR("np.cumulative_sum([1, 2], out=np.zeros(3, int))", np::cumulative_sum(two, {.out = np::zeros(3, np::int64)}));
}

TEST(keywords, arrays_as_values) {
  const np::array pair{7, 9};
  VALUE("np.pad([1, 2], 1, constant_values=(7, 9))", np::pad(np::array{1, 2}, 1, {.constant_values = {{pair(0), pair(1)}}}));
  np::array out = np::zeros({2, 1});
  np::quantile(np::array{1.0, 2.0}, 0.5, {.out = out});
  VALUE("np.quantile([1.0, 2.0], 0.5, out=np.zeros((2, 1)))", out);
}

TEST(keywords, products) {
  VALUE(A "np.tensordot(a, a, axes=([1], [1]))", np::tensordot(grid(), grid(), {.axes = {{1}, {1}}}));
  VALUE(A "np.tensordot(a, a, axes=2)", np::tensordot(grid(), grid(), {.axes = 2}));
  VALUE("np.cross(np.array([[1], [2], [3]]), np.array([[4], [5], [7]]), axis=0)",
        np::cross(np::array{{1}, {2}, {3}}, np::array{{4}, {5}, {7}}, {.axis = 0}));
  VALUE("np.cross(np.arange(1., 9).reshape(4, 2), [1, 2, 3])", np::cross(np::arange(1.0, 9.0).reshape(4, 2), np::array{1, 2, 3}));
  VALUE("np.cross([[1, 2], [3, 4]], [5, 7], axisa=0)", np::cross(np::array{{1, 2}, {3, 4}}, np::array{5, 7}, {.axisa = 0}));
  ERROR("np.cross([1, 2, 3], [4, 5, 6], axisc=3)", np::cross(np::array{1, 2, 3}, np::array{4, 5, 6}, {.axisc = 3}));
  ERROR("np.cross([1, 2, 3, 4], [4, 5, 6])", np::cross(np::array{1, 2, 3, 4}, np::array{4, 5, 6}));
  ERROR("np.tensordot([1, 2], [1, 2], 3)", np::tensordot(np::array{1, 2}, np::array{1, 2}, 3));
  ERROR("np.vdot([1, 2], [1, 2, 3])", np::vdot(np::array{1, 2}, np::array{1, 2, 3}));
  ERROR("np.correlate(1, [2])", np::correlate(np::array(1), np::array{2}));
  VALUE("np.cross([[1, 0, 0], [0, 1, 0]], np.array([[0, 1, 0], [0, 0, 1]]).T, axisb=0, axisc=0)",
        np::cross(np::array{{1, 0, 0}, {0, 1, 0}}, (np::array{{0, 1, 0}, {0, 0, 1}}).T(), {.axisb = 0, .axisc = 0}));
  np::array out = np::zeros({3, 3});
  EXPECT_EQ(np::matmul(grid(), grid().T(), {.out = out}).get(), out.get());
  VALUE(A "np.matmul(a, a.T)", out);
  EXPECT_EQ(np::dot(grid(), grid().T(), {.out = out}).get(), out.get());
  VALUE(B "np.outer(b, b)", np::outer(list(), list(), {.out = out}).astype(np::int64));
  ERROR("np.dot(np.ones((2, 2)), np.ones((2, 2)), out=np.zeros((2, 2), np.float32))",
        np::dot(np::ones({2, 2}), np::ones({2, 2}), {.out = np::zeros({2, 2}, np::float32)}));
  VALUE("np.linalg.eigvalsh([[2.0, 9.0], [1.0, 3.0]], UPLO='L')",
        np::linalg::eigvalsh(np::array{{2.0, 9.0}, {1.0, 3.0}}, {.UPLO = 'L'}));
  VALUE("np.linalg.eigh([[2.0, 9.0], [1.0, 3.0]], UPLO='U')[0]",
        np::linalg::eigh(np::array{{2.0, 9.0}, {1.0, 3.0}}, {.UPLO = 'U'}).eigenvalues);
  VALUE("np.linalg.cond([[2.0, 9.0], [1.0, 3.0]], p=1)", np::linalg::cond(np::array{{2.0, 9.0}, {1.0, 3.0}}, {.p = 1}));
  VALUE("np.linalg.tensorinv(np.eye(4).reshape(4, 2, 2), ind=1)", np::linalg::tensorinv(np::eye(4).reshape(4, 2, 2), {.ind = 1}));
  VALUE("np.abs(np.linalg.qr([[2.0, 9.0], [1.0, 3.0]], mode='r'))",
        np::abs(np::linalg::qr(np::array{{2.0, 9.0}, {1.0, 3.0}}, {.mode = "r"}).R));
  VALUE("np.linalg.lstsq([[1.0, 0.0], [0.0, 1e-9]], [1.0, 1.0], rcond=1e-6)[0]",
        np::linalg::lstsq(np::array{{1.0, 0.0}, {0.0, 1e-9}}, np::ones(2), {.rcond = 1e-6}).x);
}

TEST(keywords, polynomials) {
  VALUE("np.polyval([1, 2, 3], 2)", np::polyval({1, 2, 3}, 2));
  VALUE("np.poly([1, 2])", np::poly({1, 2}));
  VALUE("np.roots([1, -3, 2])", np::roots({1, -3, 2}));
  VALUE(B "np.polyder(b, m=2)", np::polyder(list(), {.m = 2}));
  VALUE(B "np.polyint(b, m=1, k=[3])", np::polyint(list(), {.m = 1, .k = {3}}));
  VALUE("np.poly1d([1, 2], True).coeffs", np::poly1d({1, 2}, {.r = true}).coeffs());
  VALUE("np.poly1d([0, 1, 2]).coeffs", np::poly1d({0, 1, 2}).coeffs());
  VALUE(B "np.poly1d(b).coeffs", np::poly1d{list()}.coeffs());
  VALUE("np.polyfit([0, 1, 2], [1, 3, 7], 1, w=[1, 2, 1])",
        np::polyfit(np::array{0, 1, 2}, np::array{1, 3, 7}, 1, {.w = np::array{1, 2, 1}}));
}

TEST(keywords, texts_and_bytes) {
  TEXT(B "np.array2string(b, separator=',')", np::array2string(list(), {.separator = ","}));
  TEXT(A "np.array2string(a / 3, precision=2, separator=', ', prefix='x = ')",
       np::array2string(grid() / 3, {.precision = 2, .separator = ", ", .prefix = "x = "}));
  TEXT("np.array2string(np.arange(40), max_line_width=30, suffix='   ')",
       np::array2string(np::arange(40), {.max_line_width = 30, .suffix = "   "}));
  TEXT("np.array2string(np.array([1e-9, 1.0]), suppress_small=True)",
       np::array2string(np::array{1e-9, 1.0}, {.suppress_small = true}));
  TEXT("np.array2string(np.arange(40), threshold=10, edgeitems=2)",
       np::array2string(np::arange(40), {.threshold = 10, .edgeitems = 2}));
  VALUE("np.frombuffer(b'abcd', dtype=np.uint8, offset=1)", np::frombuffer("abcd", {.dtype = np::uint8, .offset = 1}));
  VALUE("np.fromstring('1,2', dtype=np.int64, sep=',')", np::fromstring("1,2", {.dtype = np::int64, .sep = ","}));
}

}  // namespace
