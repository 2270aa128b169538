// Arguments of array's methods and of creation by NumPy's names: orders in memory, casting, sorters, means.
#include "against_numpy.h"

namespace np = numjit;

namespace {

np::array grid() { return np::arange(12.0).reshape(3, 4); }
np::array cube() { return np::arange(24).reshape(2, 3, 4).transpose(1, 2, 0); }
/// Strides in elements: how the axes lie in memory.
np::array lies(const np::array& a) {
  np::array strides = np::zeros(a.ndim(), np::int64);
  for (int i = 0; i < a.ndim(); ++i) strides(i) = a.strides()[i] / static_cast<std::int64_t>(a.itemsize());
  return strides;
}
#define A "a = np.arange(12.).reshape(3, 4); "
#define C "c = np.arange(24).reshape(2, 3, 4).transpose(1, 2, 0); "
#define AB "a = np.arange(12.).reshape(3, 4); b = np.array([3, 1, 2]); "

TEST(method_keywords, creation_orders) {
  VALUE("np.zeros((2, 3), order='F')", np::zeros({2, 3}, {.order = 'F'}));
  VALUE("np.array(np.zeros((2, 3), order='F').strides) // np.zeros((2, 3), order='F').itemsize",
        lies(np::zeros({2, 3}, {.order = 'F'})));
  VALUE("np.ones((2, 3, 4), np.int8, order='F')", np::ones({2, 3, 4}, {.dtype = np::int8, .order = 'F'}));
  VALUE("np.array(np.ones((2, 3, 4), np.int8, order='F').strides) // np.ones((2, 3, 4), np.int8, order='F').itemsize",
        lies(np::ones({2, 3, 4}, {.dtype = np::int8, .order = 'F'})));
  VALUE("np.full((2, 3), 7, order='F')", np::full({2, 3}, 7, {.order = 'F'}));
  VALUE("np.array(np.full((2, 3), 7, order='F').strides) // np.full((2, 3), 7, order='F').itemsize",
        lies(np::full({2, 3}, 7, {.order = 'F'})));
  VALUE("np.full((2, 3), np.arange(3), np.float32, order='F')",
        np::full({2, 3}, np::arange(3), {.dtype = np::float32, .order = 'F'}));
  VALUE(
      "np.array(np.full((2, 3), np.arange(3), np.float32, order='F').strides) // np.full((2, 3), np.arange(3), np.float32, "
      "order='F').itemsize",
      lies(np::full({2, 3}, np::arange(3), {.dtype = np::float32, .order = 'F'})));
  VALUE("np.eye(2, 3, 1, order='F')", np::eye(2, {.M = 3, .k = 1, .order = 'F'}));
  VALUE("np.array(np.eye(2, 3, 1, order='F').strides) // np.eye(2, 3, 1, order='F').itemsize",
        lies(np::eye(2, {.M = 3, .k = 1, .order = 'F'})));
  VALUE(C "np.zeros_like(c)", np::zeros_like(cube()));
  VALUE(C "np.array(np.zeros_like(c).strides) // np.zeros_like(c).itemsize", lies(np::zeros_like(cube())));
  VALUE(C "np.ones_like(c, order='C')", np::ones_like(cube(), {.order = 'C'}));
  VALUE(C "np.array(np.ones_like(c, order='C').strides) // np.ones_like(c, order='C').itemsize",
        lies(np::ones_like(cube(), {.order = 'C'})));
  VALUE(C "np.full_like(c, 2.5, np.float32)", np::full_like(cube(), 2.5, {.dtype = np::float32}));
  VALUE(C "np.array(np.full_like(c, 2.5, np.float32).strides) // np.full_like(c, 2.5, np.float32).itemsize",
        lies(np::full_like(cube(), 2.5, {.dtype = np::float32})));
  VALUE(C "np.full_like(c, np.arange(2), order='F')", np::full_like(cube(), np::arange(2), {.order = 'F'}));
  VALUE(C "np.array(np.full_like(c, np.arange(2), order='F').strides) // np.full_like(c, np.arange(2), order='F').itemsize",
        lies(np::full_like(cube(), np::arange(2), {.order = 'F'})));
  VALUE(C "np.zeros_like(c, shape=(4, 5, 6))", np::zeros_like(cube(), {.shape = {{4, 5, 6}}}));
  VALUE(C "np.array(np.zeros_like(c, shape=(4, 5, 6)).strides) // np.zeros_like(c, shape=(4, 5, 6)).itemsize",
        lies(np::zeros_like(cube(), {.shape = {{4, 5, 6}}})));
  VALUE(A "np.ones_like(a.T, order='A')", np::ones_like(grid().T(), {.order = 'A'}));
  VALUE(A "np.array(np.ones_like(a.T, order='A').strides) // np.ones_like(a.T, order='A').itemsize",
        lies(np::ones_like(grid().T(), {.order = 'A'})));
  EXPECT_EQ(np::empty({2, 3}, {.order = 'F'}).strides(), (np::dims{8, 16}));
  EXPECT_TRUE(np::zeros({2, 3}, {.order = 'F'}).base().empty_handle());  // it owns its memory
  ERROR("np.zeros(2, order='K')", np::zeros(2, {.order = 'K'}));
  ERROR("np.full((2, 3), 1, order='A')", np::full({2, 3}, 1, {.order = 'A'}));
  ERROR("np.zeros_like(np.ones((2, 2)), order='x')", np::zeros_like(np::ones({2, 2}), {.order = 'x'}));
}

TEST(method_keywords, arrays_of_arrays) {
  VALUE("np.array([[1, 2], [3, 4]], order='F')", np::array({{1, 2}, {3, 4}}, {.order = 'F'}));
  VALUE("np.array(np.array([[1, 2], [3, 4]], order='F').strides) // np.array([[1, 2], [3, 4]], order='F').itemsize",
        lies(np::array({{1, 2}, {3, 4}}, {.order = 'F'})));
  VALUE(A "np.array(a.T)", np::array(grid().T(), {}));
  VALUE(A "np.array(np.array(a.T).strides) // np.array(a.T).itemsize", lies(np::array(grid().T(), {})));
  VALUE(A "np.array(a.T, order='C')", np::array(grid().T(), {.order = 'C'}));
  VALUE(A "np.array(np.array(a.T, order='C').strides) // np.array(a.T, order='C').itemsize",
        lies(np::array(grid().T(), {.order = 'C'})));
  VALUE(A "np.array(a, np.int16, order='F')", np::array(grid(), {.dtype = np::int16, .order = 'F'}));
  VALUE(A "np.array(np.array(a, np.int16, order='F').strides) // np.array(a, np.int16, order='F').itemsize",
        lies(np::array(grid(), {.dtype = np::int16, .order = 'F'})));
  VALUE("np.array(3, ndmin=2)", np::array(3, {.ndmin = 2}));
  VALUE("np.array([1, 2], ndmin=3)", np::array({1, 2}, {.ndmin = 3}));
  VALUE(A "np.asarray(a, order='F')", np::asarray(grid(), {.order = 'F'}));
  VALUE(A "np.array(np.asarray(a, order='F').strides) // np.asarray(a, order='F').itemsize",
        lies(np::asarray(grid(), {.order = 'F'})));
  VALUE(C "np.asarray(c, np.float32)", np::asarray(cube(), np::float32));
  VALUE(C "np.array(np.asarray(c, np.float32).strides) // np.asarray(c, np.float32).itemsize",
        lies(np::asarray(cube(), np::float32)));
  VALUE(C "np.copy(c)", np::copy(cube()));
  VALUE(C "np.array(np.copy(c).strides) // np.copy(c).itemsize", lies(np::copy(cube())));
  VALUE(C "np.copy(c, order='C')", np::copy(cube(), {.order = 'C'}));
  VALUE(C "np.array(np.copy(c, order='C').strides) // np.copy(c, order='C').itemsize",
        lies(np::copy(cube(), {.order = 'C'})));
  const np::array a = grid().copy(), view = np::array(a, {.copy = std::nullopt, .ndmin = 3});
  EXPECT_EQ(view.shape(), (np::dims{1, 3, 4}));
  EXPECT_EQ(view.base().get(), a.get());
  EXPECT_EQ(np::array(a, {.copy = false}).get(), a.get());
  EXPECT_NE(np::array(a, {}).get(), a.get());
  EXPECT_NE(np::asarray(a, {.copy = true}).get(), a.get());
  EXPECT_EQ(np::asarray(a.T(), {.order = 'F', .copy = false}).base().get(), a.get());
  ERROR(A "np.array(a, order='F', copy=False)", np::array(grid(), {.copy = false, .order = 'F'}));
  ERROR(A "np.asarray(a, np.int8, copy=False)", np::asarray(grid(), {.dtype = np::int8, .copy = false}));
  ERROR("np.array([1, 2], copy=False)", np::array({1, 2}, {.copy = false}));
  ERROR(A "np.asarray(a, order='x')", np::asarray(grid(), {.order = 'x'}));
}

TEST(method_keywords, copies_and_casts) {
  VALUE(C "c.copy('K')", cube().copy({.order = 'K'}));
  VALUE(C "np.array(c.copy('K').strides) // c.copy('K').itemsize", lies(cube().copy({.order = 'K'})));
  VALUE(C "c.copy()", cube().copy());
  VALUE(C "np.array(c.copy().strides) // c.copy().itemsize", lies(cube().copy()));
  VALUE(C "c.flatten('F')", cube().flatten({.order = 'F'}));
  VALUE(C "c.flatten('K')", cube().flatten({.order = 'K'}));
  VALUE(C "c.flatten('A')", cube().flatten({.order = 'A'}));
  VALUE(C "c.ravel(order='F')", cube().ravel({.order = 'F'}));
  VALUE(C "c.reshape(6, 4, order='F')", cube().reshape({6, 4}, {.order = 'F'}));
  VALUE(A "a.astype(np.int32, order='F')", grid().astype(np::int32, {.order = 'F'}));
  VALUE(A "np.array(a.astype(np.int32, order='F').strides) // a.astype(np.int32, order='F').itemsize",
        lies(grid().astype(np::int32, {.order = 'F'})));
  VALUE(A "a.T.astype(np.float32)", grid().T().astype(np::float32, {}));
  VALUE(A "np.array(a.T.astype(np.float32).strides) // a.T.astype(np.float32).itemsize",
        lies(grid().T().astype(np::float32, {})));
  ERROR(A "a.astype(np.int32, casting='safe')", grid().astype(np::int32, {.casting = "safe"}));
  const np::array a = grid().copy();
  EXPECT_EQ(a.astype(np::float64, {.copy = false}).get(), a.get());
  EXPECT_NE(a.astype(np::float64, {.order = 'F', .copy = false}).get(), a.get());
  EXPECT_NE(a.reshape({4, 3}, {.copy = true}).base().get(), a.get());
  EXPECT_EQ(a.reshape({4, 3}, {.copy = false}).base().get(), a.get());
  ERROR(A "a.T.reshape(12, copy=False)", grid().T().reshape({12}, {.copy = false}));
  EXPECT_EQ(a.T().tobytes({.order = 'F'}), a.tobytes());
  EXPECT_EQ(a.T().tobytes({.order = 'C'}), a.T().copy().tobytes());
  np::array swapped = np::array({1, 256, -2}, {.dtype = np::int16});
  EXPECT_EQ(swapped.byteswap({.inplace = true}).get(), swapped.get());
  VALUE("np.array([1, 256, -2], np.int16).byteswap()", swapped);
}

TEST(method_keywords, order_of_elements) {
  VALUE("np.array([1, 2, 2, 3]).searchsorted(2, side='right')", np::array{1, 2, 2, 3}.searchsorted(2, {.side = "right"}));
  VALUE(AB "b.searchsorted([2, 3], sorter=b.argsort())",
        np::array({3, 1, 2}).searchsorted(np::array{2, 3}, {.sorter = np::array{1, 2, 0}}));
  ERROR("np.arange(3).searchsorted(1, side='x')", np::arange(3).searchsorted(1, {.side = "x"}));
  VALUE("np.sin(np.arange(12.)).reshape(3, 4).argsort(axis=0, kind='stable')",
        np::sin(np::arange(12.0)).reshape(3, 4).argsort({.axis = 0, .kind = "stable"}));
  VALUE(A "(-a).argsort(axis=None)", (-grid()).argsort({.axis = std::nullopt}));
  np::array a = -grid();
  a.sort({.axis = 0});
  VALUE(A "np.sort(-a, axis=0)", a);
  ERROR(A "a.sort(axis=None)", grid().sort({.axis = std::nullopt}));
  ERROR(A "a.sort(kind='x')", grid().sort({.kind = "x"}));
  a = -grid();
  a.partition({0, 2}, {.axis = 0});
  VALUE(A "np.sort(-a, axis=0)", a);
  VALUE("np.array([4, 3, 2, 1]).argpartition((0, 1, 2, 3))", np::array({4, 3, 2, 1}).argpartition({0, 1, 2, 3}));
  ERROR(A "a.partition(1, kind='x')", grid().partition(1, {.kind = "x"}));
  ERROR(A "np.argpartition(a, 1, kind='x')", np::argpartition(grid(), 1, {.kind = "x"}));
}

TEST(method_keywords, along_axes) {
  VALUE(C "c.diagonal(offset=1, axis1=2, axis2=0)", cube().diagonal({.offset = 1, .axis1 = 2, .axis2 = 0}));
  VALUE(C "c.trace(axis1=1, axis2=2, dtype=np.float32)", cube().trace({.axis1 = 1, .axis2 = 2, .dtype = np::float32}));
  VALUE("np.ones((1, 3, 1)).squeeze(0)", np::ones({1, 3, 1}).squeeze(0));
  VALUE("np.ones((1, 3, 1)).squeeze(axis=2)", np::ones({1, 3, 1}).squeeze({.axis = 2}));
  VALUE("np.ones((1, 3, 1)).squeeze((0, 2))", np::ones({1, 3, 1}).squeeze({0, 2}));
  VALUE(A "a.take([1, 7], axis=1, mode='wrap')", grid().take(np::array{1, 7}, {.axis = 1, .mode = "wrap"}));
  VALUE(A "a.repeat(2, axis=0)", grid().repeat(2, {.axis = 0}));
  VALUE(AB "a.repeat(b, axis=0)", grid().repeat(np::array{3, 1, 2}, {.axis = 0}));
  VALUE(A "a.compress([True, False, True], axis=0)", grid().compress(np::array{true, false, true}, {.axis = 0}));
  np::array out = np::zeros({2}, np::int64);
  const np::array chosen = np::array({1, 5}).choose({np::array{1, 2}, np::array{3, 4}}, {.out = out, .mode = "clip"});
  EXPECT_EQ(chosen.get(), out.get());
  VALUE("np.array([1, 5]).choose([[1, 2], [3, 4]], mode='clip')", out);
  np::array put = np::arange(4);
  put.put(np::array{5, 0}, np::array{7, 8}, {.mode = "wrap"});
  VALUE("np.array([8, 7, 2, 3])", put);
}

TEST(method_keywords, numbers) {
  np::array to = np::zeros({3, 4});
  EXPECT_EQ(grid().clip(2, 5, {.out = to}).get(), to.get());
  VALUE(A "a.clip(2, 5)", to);
  VALUE(A "a.clip(min=3)", grid().clip({.min = 3}));
  VALUE(A "(a / 7).round(decimals=2)", (grid() / 7).round({.decimals = 2}));
  np::array product = np::zeros({3, 3});
  EXPECT_EQ(grid().dot(grid().T(), {.out = product}).get(), product.get());
  VALUE(A "a.dot(a.T)", product);
  VALUE(A "np.var(a, axis=0, correction=1)", grid().var({.axis = 0, .correction = 1}));
  VALUE(A "np.std(a, correction=1.5)", np::std(grid(), {.correction = 1.5}));
  VALUE(A "np.var(a, axis=1, mean=np.zeros((3, 1)))", np::var(grid(), {.axis = 1, .mean = np::zeros({3, 1})}));
  VALUE(A "np.var(a.astype(np.float32), axis=0, mean=np.zeros(4))",
        np::var(grid().astype(np::float32), {.axis = 0, .mean = np::zeros(4)}));
  VALUE(A "np.std(a.astype(np.float32), mean=2)", np::std(grid().astype(np::float32), {.mean = 2}));
  VALUE(A "np.nanvar(np.where(a > 2, a, np.nan), axis=0, mean=np.zeros(4), correction=1)",
        np::nanvar(np::where(grid() > 2, grid(), np::nan), {.axis = 0, .mean = np::zeros(4), .correction = 1}));
  ERROR(A "np.var(a, ddof=1, correction=1)", np::var(grid(), {.ddof = 1, .correction = 1}));
}

TEST(method_keywords, in_compiled_functions) {
  auto f = np::compile([](const np::array& x) {
    np::array z = np::zeros_like(x.T());
    z += x.T().astype(np::float64, {.order = 'C'});
    return z + np::full({4, 3}, 2, {.order = 'F'}) + x.reshape({4, 3}, {.order = 'F', .copy = true}) +
           x.T().sum() + np::var(x, {.mean = 1, .correction = 1});
  });
  const np::array want =
      grid().T() + 2 + grid().reshape({4, 3}, {.order = 'F'}) + 66 + np::var(grid() - 1 + 0, {.mean = 0, .correction = 1});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(np::array_equal(f(grid()), want));
}

}  // namespace
