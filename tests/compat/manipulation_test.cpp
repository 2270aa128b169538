// Shapes, joining, splitting, rearranging, searching, sorting.
#include "against_numpy.h"
#include "support/error_text.h"

namespace np = numjit;

namespace {

np::array grid() { return np::arange(12).reshape(3, 4); }

TEST(shapes, reshape_and_axes) {
  VALUE("np.reshape(np.arange(6), (2, -1))", np::reshape(np::arange(6), {2, -1}));
  VALUE("np.arange(12).reshape(3, 4).T.reshape(2, 6)", grid().T().reshape(2, 6));
  VALUE("np.arange(12).reshape(3, 4)[:, ::2].reshape(-1)",
        grid()(np::_, np::slice(np::none, np::none, 2)).reshape(-1));
  VALUE("np.ravel(np.arange(12).reshape(3, 4).T)", np::ravel(grid().T()));
  VALUE("np.arange(12).reshape(3, 4).flatten()", grid().flatten());
  VALUE("np.transpose(np.zeros((2, 3, 4)), (1, 2, 0)).shape",
        np::from_values([] {
          auto s = np::transpose(np::zeros({2, 3, 4}), {1, 2, 0}).shape();
          return std::vector<std::int64_t>(s.begin(), s.end());
        }()));
  VALUE("np.swapaxes(np.arange(24).reshape(2, 3, 4), 0, -1)",
        np::swapaxes(np::arange(24).reshape(2, 3, 4), 0, -1));
  VALUE("np.moveaxis(np.arange(24).reshape(2, 3, 4), 0, -1)",
        np::moveaxis(np::arange(24).reshape(2, 3, 4), 0, -1));
  VALUE("np.moveaxis(np.arange(24).reshape(2, 3, 4), [0, 1], [-1, -2])",
        np::moveaxis(np::arange(24).reshape(2, 3, 4), {0, 1}, {-1, -2}));
  VALUE("np.rollaxis(np.arange(24).reshape(2, 3, 4), 2)",
        np::rollaxis(np::arange(24).reshape(2, 3, 4), 2));
  VALUE("np.squeeze(np.arange(3).reshape(1, 3, 1))", np::squeeze(np::arange(3).reshape(1, 3, 1)));
  VALUE("np.squeeze(np.arange(3).reshape(1, 3, 1), axis=0)",
        np::squeeze(np::arange(3).reshape(1, 3, 1), 0));
  VALUE("np.expand_dims(np.arange(3), (0, 2))", np::expand_dims(np::arange(3), {0, 2}));
  VALUE("np.broadcast_to(np.arange(3), (2, 3))", np::broadcast_to(np::arange(3), {2, 3}));
  VALUE("np.broadcast_arrays(np.arange(3), np.ones((2, 1)))[0]",
        np::broadcast_arrays({np::arange(3), np::ones({2, 1})})[0]);
  VALUE("np.atleast_1d(3)", np::atleast_1d(3));
  VALUE("np.atleast_2d(np.arange(3))", np::atleast_2d(np::arange(3)));
  VALUE("np.atleast_3d(np.arange(3))", np::atleast_3d(np::arange(3)));
  VALUE("np.diagonal(np.arange(12).reshape(3, 4), 1)", np::diagonal(grid(), 1));
  VALUE("np.real(np.array([1 + 2j]))", np::real(np::array{std::complex<double>(1, 2)}));
  VALUE("np.imag(np.array([1 + 2j, 3]))", np::imag(np::array{std::complex<double>(1, 2), 3}));
  VALUE("np.imag(np.arange(2))", np::imag(np::arange(2)));
  VALUE("np.angle(np.array([1j, -1]), deg=True)", np::angle(np::array{std::complex<double>(0, 1), -1}, true));
  auto z = np::array{std::complex<double>(1, 2), 3};
  z.real() = 7;
  VALUE("z = np.array([1 + 2j, 3]); z.real = 7; z", z);
  auto shared = np::arange(6);
  shared.reshape(2, 3)(0, 0) = 50;
  EXPECT_EQ(shared(0).item<int>(), 50);
  ERROR("np.ones(20)[::2].reshape(2, 13, 419, 691, 823, 2977518503)",
        np::ones(20)(np::slice(np::none, np::none, 2)).reshape({2, 13, 419, 691, 823, 2977518503}));
  ERROR("np.ones(20).reshape(2, 2 ** 62 + 5, 2)", np::ones(20).reshape({2, (std::int64_t{1} << 62) + 5, 2}));
  ERROR("np.reshape(np.arange(6), 4)", np::reshape(np::arange(6), 4));
  ERROR("np.reshape(np.arange(6), (-1, 4))", np::reshape(np::arange(6), {-1, 4}));
  ERROR("np.reshape(np.arange(6), (-1, -1))", np::reshape(np::arange(6), {-1, -1}));
  ERROR("np.transpose(np.ones((2, 3)), (0,))", np::transpose(np::ones({2, 3}), {0}));
  ERROR("np.squeeze(np.ones((1, 3)), axis=1)", np::squeeze(np::ones({1, 3}), 1));
  ERROR("np.broadcast_to(np.arange(3), (2, 2))", np::broadcast_to(np::arange(3), {2, 2}));
  ERROR("np.swapaxes(np.ones(3), 0, 1)", np::swapaxes(np::ones(3), 0, 1));
  ERROR("np.reshape(np.arange(6), (4, -1))", np::reshape(np::arange(6), {4, -1}));
  ERROR("np.moveaxis(np.ones((2, 3)), 5, 0)", np::moveaxis(np::ones({2, 3}), 5, 0));
  ERROR("np.moveaxis(np.ones((2, 3)), [0, 0], [0, 1])", np::moveaxis(np::ones({2, 3}), {0, 0}, {0, 1}));
  ERROR("np.expand_dims(np.ones(2), 5)", np::expand_dims(np::ones(2), 5));
  ERROR("np.flip(np.ones(2), 3)", np::flip(np::ones(2), 3));
  ERROR("x = np.broadcast_to(1.0, 3); x[0] = 1", np::broadcast_to(1.0, 3)(0) = 1);
}

TEST(joining, and_splitting) {
  auto a = np::array{{1, 2}, {3, 4}}, b = np::array{{5.5, 6}};
  VALUE("np.concatenate([np.array([[1, 2], [3, 4]]), np.array([[5.5, 6]])])", np::concatenate({a, b}));
  VALUE("np.concatenate([np.array([[1, 2], [3, 4]]), np.array([[5.5, 6]]).T], axis=1)",
        np::concatenate({a, b.T()}, {.axis = 1}));
  VALUE("np.concatenate([np.arange(2), np.arange(2)], dtype=np.float32)",
        np::concatenate({np::arange(2), np::arange(2)}, {.dtype = np::float32}));
  VALUE("np.stack([np.arange(3), np.ones(3)], axis=1)", np::stack({np::arange(3), np::ones(3)}, {.axis = 1}));
  VALUE("np.vstack([np.arange(3), np.ones((2, 3))])", np::vstack({np::arange(3), np::ones({2, 3})}));
  VALUE("np.hstack([np.arange(3), np.ones(2)])", np::hstack({np::arange(3), np::ones(2)}));
  VALUE("np.hstack([np.ones((2, 1)), np.zeros((2, 2))])", np::hstack({np::ones({2, 1}), np::zeros({2, 2})}));
  VALUE("np.dstack([np.arange(3), np.ones(3)])", np::dstack({np::arange(3), np::ones(3)}));
  VALUE("np.column_stack([np.arange(3), np.ones(3)])", np::column_stack({np::arange(3), np::ones(3)}));
  VALUE("np.append(np.arange(3), [[7, 8]])", np::append(np::arange(3), np::array{{7, 8}}));
  VALUE("np.delete(np.arange(5), 1)", np::delete_(np::arange(5), 1));
  VALUE("np.delete(np.arange(12).reshape(3, 4), -1, axis=1)", np::delete_(grid(), -1, 1));
  VALUE("np.split(np.arange(6), 3)[1]", np::split(np::arange(6), 3)[1]);
  VALUE("np.split(np.arange(6), [1, 4])[2]", np::split(np::arange(6), np::dims{1, 4})[2]);
  VALUE("np.array_split(np.arange(7), 3)[0]", np::array_split(np::arange(7), 3)[0]);
  VALUE("np.hsplit(np.arange(12).reshape(3, 4), 2)[1]", np::hsplit(grid(), 2)[1]);
  VALUE("np.vsplit(np.arange(12).reshape(3, 4), 3)[1]", np::vsplit(grid(), 3)[1]);
  ERROR("np.concatenate([np.ones((2, 2)), np.ones((2, 3))])",
        np::concatenate({np::ones({2, 2}), np::ones({2, 3})}));
  ERROR("np.concatenate([np.ones(2), np.ones((2, 3))])", np::concatenate({np::ones(2), np::ones({2, 3})}));
  ERROR("np.concatenate([])", np::concatenate({}));
  ERROR("np.stack([np.ones(2), np.ones(3)])", np::stack({np::ones(2), np::ones(3)}));
  ERROR("np.split(np.arange(5), 2)", np::split(np::arange(5), 2));
  // Indices in any number, by braces, a vector, or an array; one in braces is an index, too.
  VALUE("np.split(np.arange(6), [2])[1]", np::split(np::arange(6), {2})[1]);
  const std::vector<std::int64_t> starts{1, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38};
  VALUE("np.split(np.arange(40), [1, *range(4, 40, 2)])[-1]", np::split(np::arange(40), starts).back());
  VALUE("np.array_split(np.arange(40), np.arange(1, 40))[20]", np::array_split(np::arange(40), np::arange(1, 40))[20]);
  VALUE("np.hsplit(np.arange(12).reshape(3, 4), [1, 3])[1]", np::hsplit(grid(), {1, 3})[1]);
  VALUE("np.vsplit(np.arange(12).reshape(3, 4), [1])[1]", np::vsplit(grid(), {1})[1]);
  VALUE("np.array_split(np.arange(12).reshape(3, 4), [1, 3], axis=1)[1]", np::array_split(grid(), {1, 3}, {.axis = 1})[1]);
  EXPECT_EQ(numjit::text_of<np::TypeError>([] { np::split(np::arange(5), np::array{1.5}); }),
            "indices must be integers: got an array of float64");
  VALUE("np.partition(np.arange(40)[::-1], list(range(20)))[:20]",
        np::partition(np::arange(40)(np::slice(np::none, np::none, -1)), np::arange(20))(np::slice(0, 20)));
}

TEST(rearranging, repeats_rolls_flips_borders) {
  VALUE("np.tile(np.arange(3), 2)", np::tile(np::arange(3), 2));
  VALUE("np.tile(np.array([[1, 2], [3, 4]]), (2, 1, 2))", np::tile(np::array{{1, 2}, {3, 4}}, {2, 1, 2}));
  VALUE("np.repeat(np.arange(3), 2)", np::repeat(np::arange(3), 2));
  VALUE("np.repeat(np.array([[1, 2], [3, 4]]), 2, axis=0)", np::repeat(np::array{{1, 2}, {3, 4}}, 2, 0));
  VALUE("np.repeat(np.arange(3), np.array([2, 0, 3]))", np::repeat(np::arange(3), np::array{2, 0, 3}));
  VALUE("np.repeat(np.array([[1, 2], [3, 4]]), np.array([2]), axis=1)",
        np::repeat(np::array{{1, 2}, {3, 4}}, np::array({2}, {.dtype = np::uint8}), 1));
  VALUE("np.repeat(np.arange(3), np.array([0, 0, 0]))", np::repeat(np::arange(3), np::array{0, 0, 0}));
  ERROR("np.repeat(np.arange(3), np.array([1, -1, 2]))", np::repeat(np::arange(3), np::array{1, -1, 2}));
  ERROR("np.repeat(np.arange(2), np.array([0.5, 1]))", np::repeat(np::arange(2), np::array{0.5, 1.0}));
  VALUE("np.roll(np.arange(5), 2)", np::roll(np::arange(5), 2));
  VALUE("np.roll(np.arange(5), -7)", np::roll(np::arange(5), -7));
  VALUE("np.roll(np.arange(12).reshape(3, 4), 1, axis=1)", np::roll(grid(), 1, 1));
  VALUE("np.roll(np.arange(12).reshape(3, 4), 5)", np::roll(grid(), 5));
  VALUE("np.flip(np.arange(12).reshape(3, 4))", np::flip(grid()));
  VALUE("np.flip(np.arange(12).reshape(3, 4), 1)", np::flip(grid(), 1));
  VALUE("np.flipud(np.arange(12).reshape(3, 4))", np::flipud(grid()));
  VALUE("np.fliplr(np.arange(12).reshape(3, 4))", np::fliplr(grid()));
  VALUE("np.rot90(np.arange(12).reshape(3, 4))", np::rot90(grid()));
  VALUE("np.rot90(np.arange(12).reshape(3, 4), -1)", np::rot90(grid(), -1));
  VALUE("np.rot90(np.arange(12).reshape(3, 4), 2)", np::rot90(grid(), 2));
  VALUE("np.pad(np.arange(3), 2)", np::pad(np::arange(3), 2));
  VALUE("np.pad(np.arange(12).reshape(3, 4), ((1, 0), (2, 1)), constant_values=9)",
        np::pad(grid(), {{1, 0}, {2, 1}}, {.constant_values = 9}));
  VALUE("np.pad(np.arange(12).reshape(3, 4), 1, mode='edge')", np::pad(grid(), 1, {.mode = "edge"}));
  VALUE("np.pad(np.arange(4), (2, 3), mode='wrap')", np::pad(np::arange(4), {2, 3}, {.mode = "wrap"}));
  VALUE("np.pad(np.arange(4), (2, 3), mode='reflect')", np::pad(np::arange(4), {2, 3}, {.mode = "reflect"}));
  VALUE("np.pad(np.arange(4), (2, 3), mode='symmetric')",
        np::pad(np::arange(4), {2, 3}, {.mode = "symmetric"}));
  ERROR("np.pad(np.arange(3), -1)", np::pad(np::arange(3), -1));
  VALUE("np.lib.stride_tricks.sliding_window_view(np.arange(12).reshape(3, 4), (2, 2))[1, 2]",
        np::lib::sliding_window_view(grid(), {2, 2})(1, 2));
  ERROR("np.lib.stride_tricks.sliding_window_view(np.arange(3), 4)",
        np::lib::sliding_window_view(np::arange(3), 4));
}

TEST(searching, places_of_elements) {
  VALUE("np.nonzero(np.array([[3, 0], [0, 4]]))[1]", np::nonzero(np::array{{3, 0}, {0, 4}})[1]);
  VALUE("np.where(np.arange(5) > 2)[0]", np::where(np::arange(5) > 2)[0]);
  VALUE("np.argwhere(np.array([[3, 0], [0, 4]]))", np::argwhere(np::array{{3, 0}, {0, 4}}));
  VALUE("np.flatnonzero(np.array([[3, 0], [0, 4]]))", np::flatnonzero(np::array{{3, 0}, {0, 4}}));
  VALUE("np.take(np.arange(12).reshape(3, 4), [5, 0])", np::take(grid(), np::array{5, 0}));
  VALUE("np.take(np.arange(12).reshape(3, 4), [[1], [0]], axis=1)", np::take(grid(), np::array{{1}, {0}}, 1));
  VALUE("np.take(np.arange(12).reshape(3, 4), -1, axis=0)", np::take(grid(), -1, 0));
  VALUE("np.take_along_axis(np.array([[3, 1, 2], [9, 7, 8]]), np.array([[1, 2, 0], [1, 2, 0]]), axis=1)",
        np::take_along_axis(np::array{{3, 1, 2}, {9, 7, 8}}, np::array{{1, 2, 0}, {1, 2, 0}}, 1));
  VALUE("np.compress([True, False, True], np.arange(3))",
        np::compress(np::array{true, false, true}, np::arange(3)));
  VALUE("np.extract(np.arange(6).reshape(2, 3) > 2, np.arange(6).reshape(2, 3))",
        np::extract(np::arange(6).reshape(2, 3) > 2, np::arange(6).reshape(2, 3)));
  VALUE("np.select([np.arange(6) < 2, np.arange(6) > 3], [np.arange(6), np.arange(6) ** 2], 42)",
        np::select({np::arange(6) < 2, np::arange(6) > 3}, {np::arange(6), np::square(np::arange(6))}, 42));
  auto a = np::arange(5);
  np::put(a, np::array{0, 2}, np::array{-44, -55});
  VALUE("a = np.arange(5); np.put(a, [0, 2], [-44, -55]); a", a);
  auto c = np::zeros(3);
  np::copyto(c, np::arange(3), np::array{true, false, true});
  VALUE("c = np.zeros(3); np.copyto(c, np.arange(3), where=[True, False, True]); c", c);
  ERROR("np.copyto(np.zeros(2, int), np.ones(2))", np::copyto(np::zeros(2, np::int64), np::ones(2)));
  VALUE("np.unravel_index(np.array([22, 41]), (7, 6))[1]", np::unravel_index(np::array{22, 41}, {7, 6})[1]);
  VALUE("np.ravel_multi_index((np.array([3, 6]), np.array([4, 5])), (7, 6))",
        np::ravel_multi_index({np::array{3, 6}, np::array{4, 5}}, {7, 6}));
  VALUE("x = np.arange(12).reshape(3, 4); x[np.ix_([0, 2], [1, 3])]", [&] {
    auto ix = np::ix_({np::array{0, 2}, np::array{1, 3}});
    return np::array(grid()(ix[0], ix[1]));
  }());
  ERROR("np.take(np.arange(3), 5)", np::take(np::arange(3), 5).eval());
  ERROR("np.unravel_index(50, (7, 6))", np::unravel_index(50, {7, 6}));
  ERROR("np.unravel_index(np.array([1.5]), (7, 6))", np::unravel_index(np::array{1.5}, {7, 6}));
  ERROR("np.ravel_multi_index((np.array(2), np.array(1)), (2, 3))",
        np::ravel_multi_index({np::array(2), np::array(1)}, {2, 3}));
  ERROR("np.ravel_multi_index((np.array(-1), np.array(1)), (2, 3))",
        np::ravel_multi_index({np::array(-1), np::array(1)}, {2, 3}));
  VALUE("np.ravel_multi_index((np.array([200, 3], np.uint8), np.array([5, 1])), (300, 10))",
        np::ravel_multi_index({np::array({200, 3}, {.dtype = np::uint8}), np::array{5, 1}}, {300, 10}));
  ERROR("np.take_along_axis(np.zeros((3, 2)), np.array([[2], [0], [0]]), 1)",
        np::take_along_axis(np::zeros({3, 2}), np::array{{2}, {0}, {0}}, 1).eval());
  VALUE("np.take_along_axis(np.array([[1, 2], [3, 4]]), np.array([[-2], [-1]]), 1)",
        np::take_along_axis(np::array{{1, 2}, {3, 4}}, np::array{{-2}, {-1}}, 1));
  ERROR("np.put_along_axis(np.zeros((3, 2)), np.array([[2], [0], [0]]), 1.0, 1)",
        np::put_along_axis(np::zeros({3, 2}), np::array{{2}, {0}, {0}}, 1.0, 1));
  ERROR("np.nonzero(np.array(1))", np::nonzero(np::array(1)));
}

TEST(sorting, and_sets) {
  VALUE("np.sort(np.array([3, 1, 2]))", np::sort(np::array{3, 1, 2}));
  VALUE("np.sort(np.array([[3.0, np.nan, 2], [9, 7, 8]]), axis=0)",
        np::sort(np::array{{3.0, np::nan, 2}, {9, 7, 8}}, 0));
  VALUE("np.sort(np.array([[3, 1], [2, 0]]), axis=None)", np::sort(np::array{{3, 1}, {2, 0}}, np::none));
  VALUE("np.argsort(np.array([3, 1, 2, 1]), kind='stable')", np::argsort(np::array{3, 1, 2, 1}));
  VALUE("np.unique(np.array([3, 1, 3, 2]))", np::unique(np::array{3, 1, 3, 2}));
  VALUE("np.unique(np.array([2.5, np.nan, 1, np.nan]))", np::unique(np::array{2.5, np::nan, 1, np::nan}));
  VALUE("np.unique(np.zeros(0))", np::unique(np::zeros(0)));
  auto u = np::unique_all(np::array{3, 1, 3, 2});
  VALUE("np.unique(np.array([3, 1, 3, 2]), return_counts=True)[1]", u.counts);
  VALUE("np.unique(np.array([3, 1, 3, 2]), return_inverse=True)[1]", u.inverse_indices);
  VALUE("np.unique(np.array([3, 1, 3, 2]), return_index=True)[1]", u.indices);
  VALUE("np.searchsorted(np.array([1, 2, 2, 5]), np.array([2, 0, 9]))",
        np::searchsorted(np::array{1, 2, 2, 5}, np::array{2, 0, 9}));
  VALUE("np.searchsorted(np.array([1, 2, 2, 5]), 2, side='right')",
        np::searchsorted(np::array{1, 2, 2, 5}, 2, "right"));
  VALUE("np.isin(np.arange(5), np.array([3, 1, 9]))", np::isin(np::arange(5), np::array{3, 1, 9}));
  ERROR("np.searchsorted(np.arange(3), 1, side='up')", np::searchsorted(np::arange(3), 1, "up"));
  ERROR("np.sort(np.arange(3), axis=1)", np::sort(np::arange(3), 1));
}

TEST(methods, are_the_functions) {
  VALUE("np.arange(12).reshape(3, 4).astype(np.float32)", grid().astype(np::float32));
  VALUE("np.array([1.9, -1.9]).astype(int)", np::array{1.9, -1.9}.astype(np::int64));
  VALUE("np.arange(3).copy()", np::arange(3).copy());
  VALUE("np.arange(12).reshape(3, 4).mean(axis=1)", grid().mean({.axis = 1}));
  VALUE("np.arange(12).reshape(3, 4).std()", grid().std());
  VALUE("np.arange(12).reshape(3, 4).swapaxes(0, 1)", grid().swapaxes(0, 1));
  VALUE("np.arange(12).reshape(3, 4).diagonal()", grid().diagonal());
  VALUE("np.arange(12).reshape(3, 4).argmax(axis=0)", grid().argmax({.axis = 0}));
  VALUE("np.arange(12).reshape(3, 4).dot(np.arange(4))", grid().dot(np::arange(4)));
  VALUE("np.array([1.25, 2.5]).round(1)", np::array{1.25, 2.5}.round(1));
  VALUE("np.arange(5).clip(1, 3)", np::arange(5).clip(1, 3));
  VALUE("np.arange(12).reshape(3, 4).take([1, 5])", grid().take(np::array{1, 5}));
  auto a = np::zeros({2, 2});
  a.fill(3);
  VALUE("np.full((2, 2), 3.0)", a);
  EXPECT_EQ(grid().len(), 3);
  EXPECT_EQ(grid().strides(), (np::dims{32, 8}));
  EXPECT_EQ(grid().nbytes(), 96);
}

TEST(manipulation, calls_as_numpy_writes_them) {
  auto m = np::array{{3, 1}, {0, 2}};
  VALUE("np.sort(np.array([[3, 1], [0, 2]]), axis=0)", np::sort(m, {.axis = 0}));
  VALUE("np.sort(np.array([[3, 1], [0, 2]]), axis=None, kind='heapsort')", np::sort(m, {.axis = {}, .kind = "heapsort"}));
  VALUE("np.argsort(np.array([[3, 1], [0, 2]]), axis=1)", np::argsort(m, {.axis = 1}));
  ERROR("np.sort(np.arange(3), kind='bubble')", np::sort(np::arange(3), {.kind = "bubble"}));
  VALUE("np.einsum('ij,j->i', np.array([[3, 1], [0, 2]]), np.arange(2))", np::einsum("ij,j->i", m, np::arange(2)));
  VALUE("np.delete(np.arange(5), [1, 3])", np::delete_(np::arange(5), {1, 3}));
  VALUE("np.array([[3, 1], [0, 2]])[np.ix_(np.array([1, 0]), np.array([1]))]",
        m(np::ix_(np::array{1, 0}, np::array{1})[0], np::ix_(np::array{1, 0}, np::array{1})[1]));
  VALUE("np.broadcast_arrays(np.arange(2), np.array([[3, 1], [0, 2]]))[0]", np::broadcast_arrays(np::arange(2), m)[0]);
  VALUE("np.add.reduceat(np.arange(6), [0, 2, 4])", np::ufunc("add").reduceat(np::arange(6), {0, 2, 4}));
  EXPECT_EQ(np::result_type(np::int8, np::float32), np::float32);
}

TEST(shapes, numbers_and_axes_of_none) {
  VALUE("np.angle(np.array([True, False]))", np::angle(np::array{true, false}));
  VALUE("np.angle(np.array([1, -1], 'i1'))", np::angle(np::array{1, -1}.astype(np::int8)));
  VALUE("np.argsort(np.array(3.0), 0)", np::argsort(np::array(3.0), 0));
  VALUE("np.take_along_axis(np.arange(6).reshape(2, 3), np.array([4, 0]), None)",
        np::take_along_axis(np::arange(6).reshape(2, 3), np::array{4, 0}, {.axis = std::nullopt}));
  VALUE("a = np.zeros((2, 2)); np.put_along_axis(a, np.array([3, 0]), np.array([1.0, 2.0]), None); a", [] {
    const np::array a = np::zeros({2, 2});
    np::put_along_axis(a, np::array{3, 0}, np::array{1.0, 2.0}, {.axis = std::nullopt});
    return a;
  }());
  VALUE("a = np.zeros(3); np.put_along_axis(a, np.array([2, 0]), np.array([[1.0, 2.0]]), 0); a", [] {
    const np::array a = np::zeros({3});
    np::put_along_axis(a, np::array{2, 0}, np::array{{1.0, 2.0}}, 0);
    return a;
  }());
  ERROR("np.take_along_axis(np.zeros((2, 2)), np.zeros((2, 2)), 0)",
        np::take_along_axis(np::zeros({2, 2}), np::zeros({2, 2}), 0));
  const np::array whole = np::arange(3);
  EXPECT_FALSE(np::shares_memory(np::resize(whole, {3}), whole));  // always a copy
  EXPECT_FALSE(np::shares_memory(np::resize(whole, {2}), whole));
  EXPECT_FALSE(np::shares_memory(np::tile(whole, {1}), whole));
  VALUE("np.diff(np.arange(3.0), 5)", np::diff(np::arange(3.0), 5));
}

TEST(shapes, options_of_joins) {
  const np::array a = np::arange(3), b = np::arange(2) + 0.5;
  VALUE("np.concatenate([np.arange(3), np.arange(2) + 0.5], axis=None)", np::concatenate({a, b}, {.axis = std::nullopt}));
  VALUE("np.concatenate([np.arange(3), np.arange(2) + 0.5], dtype='f4')", np::concatenate({a, b}, {.dtype = np::float32}));
  VALUE("np.concatenate([np.arange(3), np.arange(2) + 0.5], dtype='i8', casting='unsafe')",
        np::concatenate({a, b}, {.dtype = np::int64, .casting = "unsafe"}));
  VALUE("np.vstack([np.arange(3), np.arange(3) + 0.5], dtype='i2', casting='unsafe')",
        np::vstack({a, a + 0.5}, {.dtype = np::int16, .casting = "unsafe"}));
  VALUE("np.hstack([np.arange(3), np.arange(2) + 0.5], dtype='f4')", np::hstack({a, b}, {.dtype = np::float32}));
  ERROR("np.concatenate([np.arange(3), np.arange(2) + 0.5], dtype='i8')", np::concatenate({a, b}, {.dtype = np::int64}));
  ERROR("np.concatenate([np.arange(3), np.arange(2)], casting='x')", np::concatenate({a, b}, {.casting = "x"}));
  ERROR("np.concatenate([np.arange(3), np.arange(2) + 0.5], out=np.zeros(5), dtype='f8')",
        np::concatenate({a, b}, {.out = np::zeros({5}), .dtype = np::float64}));
  ERROR("np.concatenate([np.arange(3), np.arange(2) + 0.5], out=np.zeros(4))", np::concatenate({a, b}, {.out = np::zeros({4})}));
  ERROR("np.concatenate([np.arange(3), np.arange(2) + 0.5], out=np.zeros((5, 1)))",
        np::concatenate({a, b}, {.out = np::zeros({5, 1})}));
  ERROR("np.stack([np.arange(3), np.arange(3)], out=np.zeros((2, 2)))", np::stack({a, a}, {.out = np::zeros({2, 2})}));
  ERROR("np.tile(np.arange(3), -1)", np::tile(a, {-1}));
  ERROR("np.reshape(np.arange(3), (2, 2), order='F')", np::reshape(a, {2, 2}, {.order = 'F'}));
}

}  // namespace
