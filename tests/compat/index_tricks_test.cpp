// Indices of triangles, writing at places, choosing, blocks, inserting, functions along axes, memory.
#include "against_numpy.h"

namespace np = numjit;

namespace {

np::array grid() { return np::arange(12).reshape(3, 4); }

template <class F>
np::array changed(np::array a, const F& f) {
  f(a);
  return a;
}

TEST(index_tricks, indices) {
  VALUE("np.stack(np.diag_indices(3))", np::stack(np::diag_indices(3)));
  VALUE("np.stack(np.diag_indices_from(np.ones((2, 2, 2))))", np::stack(np::diag_indices_from(np::ones({2, 2, 2}))));
  VALUE("np.stack(np.tril_indices(3))", np::stack(np::tril_indices(3)));
  VALUE("np.stack(np.tril_indices(3, -1, 5))", np::stack(np::tril_indices(3, -1, 5)));
  VALUE("np.stack(np.triu_indices(3, 1))", np::stack(np::triu_indices(3, 1)));
  VALUE("np.stack(np.triu_indices_from(np.arange(12).reshape(3, 4)))", np::stack(np::triu_indices_from(grid())));
  VALUE("np.stack(np.mask_indices(3, np.triu, 1))",
        np::stack(np::mask_indices(3, [](const np::array& m, std::int64_t k) { return np::triu(m, k); }, 1)));
  VALUE("np.diagflat([[1, 2], [3, 4]], 1)", np::diagflat(np::array{{1, 2}, {3, 4}}, 1));
  VALUE("np.trace(np.arange(12).reshape(3, 4))", np::trace(grid()));
  VALUE("np.trace(np.arange(24).reshape(2, 3, 4), 1, 1, 2)", np::trace(np::arange(24).reshape(2, 3, 4), 1, 1, 2));
  ERROR("np.diag_indices_from(np.ones(3))", np::diag_indices_from(np::ones(3)));
  ERROR("np.tril_indices_from(np.ones(3))", np::tril_indices_from(np::ones(3)));
}

TEST(index_tricks, writing) {
  VALUE("a = np.arange(12).reshape(3, 4); np.fill_diagonal(a, 5); a", changed(grid(), [](auto& a) { np::fill_diagonal(a, 5); }));
  VALUE("a = np.zeros((2, 2, 2)); np.fill_diagonal(a, [1, 2]); a",
        changed(np::zeros({2, 2, 2}), [](auto& a) { np::fill_diagonal(a, np::array{1, 2}); }));
  VALUE("a = np.arange(12).reshape(3, 4); np.place(a, a > 6, [44, 55]); a",
        changed(grid(), [](auto& a) { np::place(a, a > 6, np::array{44, 55}); }));
  VALUE("a = np.arange(12).reshape(3, 4); np.putmask(a, a > 2, a ** 2); a",
        changed(grid(), [](auto& a) { np::putmask(a, a > 2, np::power(a, 2)); }));
  VALUE("a = np.arange(5); np.putmask(a, a > 1, [-33, -44]); a",
        changed(np::arange(5), [](auto& a) { np::putmask(a, a > 1, np::array{-33, -44}); }));
  VALUE("a = np.arange(12).reshape(3, 4); np.put_along_axis(a, np.array([[3], [0], [1]]), 99, 1); a",
        changed(grid(), [](auto& a) { np::put_along_axis(a, np::array{{3}, {0}, {1}}, 99, 1); }));
  VALUE("a = np.zeros((5, 2)); np.fill_diagonal(a, [1, 2, 3]); a", changed(np::zeros({5, 2}), [](auto& a) {
          np::fill_diagonal(a, np::array{1, 2, 3});
        }));
  VALUE("a = np.zeros((5, 2)); np.fill_diagonal(a, [1, 2, 3], wrap=True); a", changed(np::zeros({5, 2}), [](auto& a) {
          np::fill_diagonal(a, np::array{1, 2, 3}, {.wrap = true});
        }));
  VALUE("a = np.zeros((2, 5)).T; np.fill_diagonal(a, [1, 2, 3], wrap=True); a", changed(np::zeros({2, 5}).T(), [](auto& a) {
          np::fill_diagonal(a, np::array{1, 2, 3}, {.wrap = true});
        }));
  VALUE("a = np.arange(3); np.copyto(a, [1.5, 2.5, 3.5], casting='unsafe', where=[True, False, True]); a",
        changed(np::arange(3), [](auto& a) {
          np::copyto(a, np::array{1.5, 2.5, 3.5}, {.casting = "unsafe", .where = np::array{true, false, true}});
        }));
  VALUE("np.packbits(np.array(True), axis=0)", np::packbits(np::array(true), {.axis = 0}));
  VALUE("np.unpackbits(np.array(5, np.uint8), axis=0, count=3)",
        np::unpackbits(np::array(5).astype(np::uint8), {.axis = 0, .count = 3}));
  ERROR("np.searchsorted(np.arange(3), 1, 'l')", np::searchsorted(np::arange(3), 1, "l"));
  ERROR("np.searchsorted(np.ones((2, 2)), 1)", np::searchsorted(np::ones({2, 2}), 1));
  ERROR("np.searchsorted(np.arange(3), 1, sorter=[9, 9, 9])", np::searchsorted(np::arange(3), 1, "left", np::array{9, 9, 9}));
  ERROR("np.digitize([1j], [1, 2])", np::digitize(np::array{std::complex<double>(0, 1)}, np::array{1, 2}));
  ERROR("np.rollaxis(np.ones((2, 2)), 0, 4)", np::rollaxis(np::ones({2, 2}), 0, 4));
  ERROR("np.ravel_multi_index([[1], [2]], (2**40, 2**40))",
        np::ravel_multi_index({np::array{1}, np::array{2}}, {1L << 40, 1L << 40}));
  ERROR("np.ravel_multi_index([[1], [2]], (0, 4))", np::ravel_multi_index({np::array{1}, np::array{2}}, {0, 4}));
  ERROR("np.fill_diagonal(np.ones(3), 1)", np::fill_diagonal(np::ones(3), 1));
  ERROR("np.place(np.arange(3), np.array([True, False, True]), [])",
        np::place(np::arange(3), np::array{true, false, true}, np::zeros(0, np::int64)));
  ERROR("np.place(np.arange(3), np.array([True, False, True]), np.array([1.5]))",
        np::place(np::arange(3), np::array{true, false, true}, np::array{1.5}));
  ERROR("np.copyto(np.arange(3), np.float64(1.5))", np::copyto(np::arange(3), np::array(1.5)));
}

TEST(index_tricks, choosing) {
  const np::array_list choices{np::array{0, 1, 2, 3}, np::array{10, 11, 12, 13}, np::array{20, 21, 22, 23}};
  VALUE("np.choose([2, 0, 1, 0], [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]])",
        np::choose(np::array{2, 0, 1, 0}, choices));
  VALUE("np.choose([2, 4, 1, -1], [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]], mode='clip')",
        np::choose(np::array{2, 4, 1, -1}, choices, "clip"));
  VALUE("np.choose([2, 4, 1, -1], [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]], mode='wrap')",
        np::choose(np::array{2, 4, 1, -1}, choices, "wrap"));
  ERROR("np.choose([2, 4, 1, 0], [[0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]])",
        np::choose(np::array{2, 4, 1, 0}, choices));
  const np::array x = np::linspace(-2.5, 2.5, 6);
  VALUE("x = np.linspace(-2.5, 2.5, 6); np.piecewise(x, [x < 0, x >= 1], [lambda v: -v, lambda v: v * 2])",
        np::piecewise(x, {x < 0, x >= 1}, {[](auto& v) { return -v; }, [](auto& v) { return v * 2; }}));
  VALUE("x = np.arange(4); np.piecewise(x, [x > 2], [lambda v: v * 7.5, lambda v: v + 1])",
        np::piecewise(np::arange(4), {np::arange(4) > 2}, {[](auto& v) { return v * 7.5; }, [](auto& v) { return v + 1; }}));
}

TEST(index_tricks, joining) {
  VALUE("np.block([[np.eye(2), np.zeros((2, 3))], [np.ones((3, 2)), 3 * np.eye(3)]])",
        np::block({{np::eye(2), np::zeros({2, 3})}, {np::ones({3, 2}), 3 * np::eye(3)}}));
  VALUE("np.insert(np.arange(12).reshape(3, 4), 1, [[5], [6], [7]], axis=1)", np::insert(grid(), 1, np::array{{5}, {6}, {7}}, 1));
  VALUE("np.insert(np.arange(12).reshape(3, 4), [1], [[5], [6], [7]], axis=1)",
        np::insert(grid(), np::array{1}, np::array{{5}, {6}, {7}}, 1));
  ERROR("np.insert(np.arange(12).reshape(3, 4), [0, 2], [[7], [8]], axis=1)",
        np::insert(grid(), np::array{0, 2}, np::array{{7}, {8}}, 1));
  ERROR("np.insert(np.arange(3), np.array([1.0, 2.0]), 2)", np::insert(np::arange(3), np::array{1.0, 2.0}, 2));
  ERROR("np.delete(np.arange(3), np.array([1.0]))", np::delete_(np::arange(3), np::array{1.0}));
  VALUE("np.insert(np.arange(5), 1, 9)", np::insert(np::arange(5), 1, 9));
  VALUE("np.insert(np.arange(12).reshape(3, 4), 1, 5, axis=1)", np::insert(grid(), 1, 5, 1));
  VALUE("np.insert(np.arange(12).reshape(3, 4), 1, [1, 2, 3], axis=1)", np::insert(grid(), 1, np::array{1, 2, 3}, 1));
  VALUE("np.insert(np.arange(12).reshape(3, 4), [1], [[1], [2], [3]], axis=1)",
        np::insert(grid(), np::array{1}, np::array{{1}, {2}, {3}}, 1));
  VALUE("np.insert(np.arange(6), [2, 2, 5], [5, 6, 7.7])", np::insert(np::arange(6), np::array{2, 2, 5}, np::array{5, 6, 7.7}));
  VALUE("np.delete(np.arange(12).reshape(3, 4), [0, 2], 1)", np::delete_(grid(), np::array{0, 2}, 1));
  VALUE("np.delete(np.arange(9), slice(1, None, 3))", np::delete_(np::arange(9), np::slice(1, np::none, 3)));
  VALUE("np.delete(np.arange(3), np.array([True, False, True]))", np::delete_(np::arange(3), np::array{true, false, true}));
  ERROR("np.delete(np.arange(3), [5])", np::delete_(np::arange(3), np::array{5}));
  VALUE("np.resize(np.array([[0, 1], [2, 3]]), (2, 3))", np::resize(np::array{{0, 1}, {2, 3}}, {2, 3}));
  VALUE("np.dsplit(np.arange(16).reshape(2, 2, 4), 2)[1]", np::dsplit(np::arange(16).reshape(2, 2, 4), 2)[1]);
  VALUE("np.unstack(np.arange(12).reshape(3, 4), axis=1)[2]", np::unstack(grid(), 1)[2]);
  VALUE("np.matrix_transpose(np.arange(8).reshape(2, 2, 2))", np::matrix_transpose(np::arange(8).reshape(2, 2, 2)));
  EXPECT_EQ(np::broadcast_shapes({{1, 2}, {3, 1}, {3, 2}}), (np::dims{3, 2}));
  ERROR("np.broadcast_shapes((2**40, 1), (1, 2**40))", np::broadcast_shapes({{1ll << 40, 1}, {1, 1ll << 40}}));
  ERROR("np.broadcast_shapes((-1,))", np::broadcast_shapes({{-1}}));
  ERROR("np.dsplit(np.ones((2, 2)), 2)", np::dsplit(np::ones({2, 2}), 2));
}

TEST(index_tricks, along_axes) {
  VALUE("np.apply_along_axis(lambda v: v.sum(), 0, np.arange(12).reshape(3, 4))",
        np::apply_along_axis([](const np::array& v) { return v.sum(); }, 0, grid()));
  VALUE("np.apply_along_axis(np.diff, 1, np.arange(24).reshape(2, 3, 4) ** 2)",
        np::apply_along_axis([](const np::array& v) { return np::diff(v); }, 1, np::power(np::arange(24).reshape(2, 3, 4), 2)));
  VALUE("np.apply_along_axis(np.diag, -1, np.arange(12).reshape(3, 4))",
        np::apply_along_axis([](const np::array& v) { return np::diag(v); }, -1, grid()));
  VALUE("np.apply_over_axes(np.sum, np.arange(24).reshape(2, 3, 4), [0, 2])",
        np::apply_over_axes([](const np::array& v, std::int64_t k) { return np::sum(v, {.axis = k}); },
                            np::arange(24).reshape(2, 3, 4), {0, 2}));
}

TEST(index_tricks, products) {
  VALUE("np.vecdot(np.arange(12).reshape(3, 4), np.arange(4))", np::vecdot(grid(), np::arange(4)));
  VALUE("np.vecdot(np.array([1j, 2]), np.array([1, 1j]))",
        np::vecdot(np::array{std::complex<double>(0, 1), std::complex<double>(2, 0)},
                   np::array{std::complex<double>(1, 0), std::complex<double>(0, 1)}));
  VALUE("np.matvec(np.arange(12).reshape(3, 4), np.arange(4))", np::matvec(grid(), np::arange(4)));
  VALUE("np.vecmat(np.arange(3), np.arange(12).reshape(3, 4))", np::vecmat(np::arange(3), grid()));
  ERROR("np.vecdot(np.ones(3), np.ones(4))", np::vecdot(np::ones(3), np::ones(4)));
}

TEST(index_tricks, memory) {
  const np::array a = np::arange(20);
  const np::array even = a(np::slice(0, np::none, 2)), odd = a(np::slice(1, np::none, 2)), first = a(np::slice(0, 5));
  EXPECT_TRUE(np::may_share_memory(even, odd));
  EXPECT_FALSE(np::shares_memory(even, odd));
  EXPECT_TRUE(np::shares_memory(first, even));
  EXPECT_FALSE(np::may_share_memory(a, a.copy()));
  EXPECT_FALSE(np::shares_memory(first, a(np::slice(5, np::none))));
}

}  // namespace
