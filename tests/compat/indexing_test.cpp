// Indexing: views, masks, integer arrays; reads, stores, in-place updates, errors.
#include "against_numpy.h"

namespace np = numjit;
using np::_, np::slice, np::none, np::newaxis, np::ellipsis;

namespace {

np::array cube() { return np::arange(24).reshape(2, 3, 4); }
np::array grid() { return np::arange(12).reshape(3, 4); }

/// A copy, after f.
template <class F>
np::array changed(const np::array& a, const F& f) {
  np::array x = a.copy();
  f(x);
  return x;
}

TEST(indexing, numbers_of_uint64_wrap) {
  const np::array places = np::array({3, -1}).astype(np::uint64);
  VALUE("np.arange(10)[np.array([3, 2**64 - 1], np.uint64)]", np::arange(10)(places));
  VALUE("a = np.arange(4); a[np.array([3, 2**64 - 1], np.uint64)] += 5; a",
        changed(np::arange(4), [&](auto& a) { a(places) += 5; }));
  ERROR("np.arange(3)[np.array([2**63], np.uint64)]",
        np::arange(3)(np::array{std::numeric_limits<std::int64_t>::min()}.astype(np::uint64)));
  const auto f = np::compile([](const np::array& x, const np::array& i) { return (x + 1)(i + np::uint64(0)) * 2; });
  EXPECT_TRUE(np::array_equal(f(np::arange(10), places), np::array{8, 20}));
}

TEST(indexing, basic) {
  VALUE("np.arange(24).reshape(2, 3, 4)[1]", cube()(1));
  VALUE("np.arange(24).reshape(2, 3, 4)[-1, 2]", cube()(-1, 2));
  VALUE("np.arange(24).reshape(2, 3, 4)[0, 1, 2]", cube()(0, 1, 2));
  VALUE("np.arange(24).reshape(2, 3, 4)[:, 1]", cube()(_, 1));
  VALUE("np.arange(24).reshape(2, 3, 4)[..., 1]", cube()(ellipsis, 1));
  VALUE("np.arange(24).reshape(2, 3, 4)[1, ..., ::2]", cube()(1, ellipsis, slice(none, none, 2)));
  VALUE("np.arange(24).reshape(2, 3, 4)[:, np.newaxis, 1:]", cube()(_, newaxis, slice(1, none)));
  VALUE("np.arange(24).reshape(2, 3, 4)[..., np.newaxis]", cube()(ellipsis, newaxis));
  VALUE("np.arange(10)[2:8:3]", np::arange(10)(slice(2, 8, 3)));
  VALUE("np.arange(10)[::-1]", np::arange(10)(slice(none, none, -1)));
  VALUE("np.arange(10)[8:2:-2]", np::arange(10)(slice(8, 2, -2)));
  VALUE("np.arange(10)[-3:]", np::arange(10)(slice(-3, none)));
  VALUE("np.arange(10)[:-3]", np::arange(10)(slice(-3)));
  VALUE("np.arange(10)[5:2]", np::arange(10)(slice(5, 2)));
  VALUE("np.arange(10)[-100:100]", np::arange(10)(slice(-100, 100)));
  VALUE("np.arange(10)[3]", np::arange(10)[3]);
  VALUE("np.arange(5)[np.newaxis]", np::arange(5)(newaxis));
  VALUE("np.arange(5)[:, None, None]", np::arange(5)(_, newaxis, newaxis));
  VALUE("np.zeros((1, 2, 1, 2, 1, 2))[0, 1, 0, 1, 0, 1]",
        np::zeros({1, 2, 1, 2, 1, 2})(0, 1, 0, 1, 0, 1));
  VALUE("np.array(3.0)[...]", np::float64(3)(ellipsis));
}

TEST(indexing, masks_with_an_axis_of_length_0) {
  VALUE("np.arange(12).reshape(3, 4)[np.zeros(0, bool)]", grid()(np::zeros(0, {.dtype = np::bool_})));
  VALUE("np.arange(12).reshape(3, 4)[np.zeros((3, 0), bool)]", grid()(np::zeros({3, 0}, {.dtype = np::bool_})));
  VALUE("np.arange(12).reshape(3, 4)[:, np.zeros(0, bool)]", grid()(_, np::zeros(0, {.dtype = np::bool_})));
  ERROR("np.arange(12).reshape(3, 4)[np.zeros((0, 5), bool)]", np::array(grid()(np::zeros({0, 5}, {.dtype = np::bool_}))));
  VALUE("a = np.arange(12).reshape(3, 4); a[np.zeros(0, bool)] = 5; a",
        changed(grid(), [](np::array& x) { x(np::zeros(0, {.dtype = np::bool_})) = 5; }));
}

TEST(indexing, views_share_storage) {
  auto a = np::zeros({3, 4});
  auto row = a(1);
  row(2) = 5;
  a(_, 0) = np::array{1, 2, 3};
  a(slice(0, 2), slice(2, 4)) = np::array{{7}, {8}};
  VALUE("a = np.zeros((3, 4)); a[1, 2] = 5; a[:, 0] = [1, 2, 3]; a[0:2, 2:4] = [[7], [8]]; a", a);
  EXPECT_EQ(row.base().get(), a.get());
  auto b = a;
  b = np::ones(2);  // rebinds the variable only
  EXPECT_EQ(a.ndim(), 2);
}

TEST(indexing, stores_cast_broadcast_and_overlap) {
  auto a = np::arange(6);
  a(slice(1, 4)) = 2.9;
  VALUE("a = np.arange(6); a[1:4] = 2.9; a", a);
  auto b = np::arange(6);
  b(slice(1, none)) = b(slice(-1));
  VALUE("b = np.arange(6); b[1:] = b[:-1]; b", b);
  auto c = np::zeros({2, 3});
  c(ellipsis) = np::array{1, 2, 3};
  VALUE("c = np.zeros((2, 3)); c[...] = [1, 2, 3]; c", c);
  ERROR("c = np.zeros((2, 3)); c[0] = np.ones(2)", c(0) = np::ones(2));
  ERROR("c = np.zeros((2, 3)); c[:] = np.ones((3, 3))", c(_) = np::ones({3, 3}));
  ERROR("a = np.zeros(3, np.uint8); a[0] = 300", np::zeros(3, np::uint8)(0) = 300);
  ERROR("a = np.zeros(3, np.uint8); a[0] = 300.5", np::zeros(3, np::uint8)(0) = 300.5);
  ERROR("a = np.zeros(3, np.uint8); a[0] = -1.5", np::zeros(3, np::uint8)(0) = -1.5);
  ERROR("a = np.zeros(3, int); a[0] = np.float64('nan').item()", np::zeros(3, np::int64)(0) = np::nan);
  ERROR("a = np.zeros(3, int); a[[0, 1]] = float('nan')", np::zeros(3, np::int64)(np::array{0, 1}) = np::nan);
  ERROR("a = np.zeros(3, int); a[a == 0] = float('inf')", np::zeros(3, np::int64)(np::zeros(3) == 0) = -np::inf);
  ERROR("np.zeros(3, int).fill(float('nan'))", np::zeros(3, np::int64).fill(np::nan));
  ERROR("np.zeros(3, int).fill(1e300)", np::zeros(3, np::int64).fill(1e300));
  ERROR("np.put(np.zeros(3, int), [0], float('nan'))", np::put(np::zeros(3, np::int64), np::array{0}, np::nan));
  VALUE("a = np.zeros(3, np.int8); a[0] = -1.5; a", ([] { auto a = np::zeros(3, np::int8); a(0) = -1.5; return a; }()));
  VALUE("a = np.zeros(2, np.uint64); a[0] = 1.8e19; a", ([] { auto a = np::zeros(2, np::uint64); a(0) = 1.8e19; return a; }()));
}

TEST(indexing, masks) {
  auto x = grid();
  VALUE("x = np.arange(12).reshape(3, 4); x[x > 5]", x(x > 5));
  VALUE("x = np.arange(12).reshape(3, 4); x[np.array([True, False, True])]",
        x(np::array{true, false, true}));
  VALUE("x = np.arange(12).reshape(3, 4); x[:, np.array([True, False, False, True])]",
        x(_, np::array{true, false, false, true}));
  VALUE("x = np.arange(12).reshape(3, 4); x[1, np.array([True, False, False, True])]",
        x(1, np::array{true, false, false, true}));
  VALUE("x = np.arange(24).reshape(2, 3, 4); x[x[:, :, 0] > 5]", cube()(cube()(_, _, 0) > 5));
  VALUE("x = np.arange(24).reshape(2, 3, 4); x[x[:, :, 0] > 5, 1]", cube()(cube()(_, _, 0) > 5, 1));
  VALUE("np.zeros((0, 3))[np.zeros((0, 3), bool)]",
        np::zeros({0, 3})(np::zeros({0, 3}, np::bool_)));
  ERROR("np.zeros((5, 2))[np.zeros(4, bool)]", np::zeros({5, 2})(np::zeros(4, np::bool_)));
  ERROR("np.zeros((3, 2))[np.zeros((3, 3), bool)]",
        np::zeros({3, 2})(np::zeros({3, 3}, np::bool_)));
}

TEST(indexing, stores_through_masks) {
  auto x = grid();
  x(x > 5) = 0;
  VALUE("x = np.arange(12).reshape(3, 4); x[x > 5] = 0; x", x);
  x = grid();
  x(x % 2 == 0) += 100;
  VALUE("x = np.arange(12).reshape(3, 4); x[x % 2 == 0] += 100; x", x);
  x = grid();
  x(x > 8) = np::array{-1, -2, -3};
  VALUE("x = np.arange(12).reshape(3, 4); x[x > 8] = [-1, -2, -3]; x", x);
  x = grid();
  x(x > 8) *= np::array{1, 2, 3};
  VALUE("x = np.arange(12).reshape(3, 4); x[x > 8] *= np.array([1, 2, 3]); x", x);
  x = grid();
  x(np::array{true, false, true}) = np::array{1, 2, 3, 4};
  VALUE("x = np.arange(12).reshape(3, 4); x[np.array([True, False, True])] = [1, 2, 3, 4]; x", x);
  x = grid();
  x(np::array{true, false, true}) = np::array{{1, 2, 3, 4}, {5, 6, 7, 8}};
  VALUE("x = np.arange(12).reshape(3, 4); "
        "x[np.array([True, False, True])] = [[1, 2, 3, 4], [5, 6, 7, 8]]; x", x);
  x = grid();
  x(_, np::array{true, false, false, true}) -= 5;
  VALUE("x = np.arange(12).reshape(3, 4); x[:, np.array([True, False, False, True])] -= 5; x", x);
  x = grid();
  x(x > 8) = x(x < 3);
  VALUE("x = np.arange(12).reshape(3, 4); x[x > 8] = x[x < 3]; x", x);
  x = grid();
  ERROR("x = np.arange(12).reshape(3, 4); x[x > 8] = [1, 2]", x(x > 8) = np::array{1, 2});
  ERROR("x = np.arange(12).reshape(3, 4); x[x > 8] += 1.5", x(x > 8) += 1.5);
}

TEST(indexing, integer_arrays) {
  auto x = grid();
  VALUE("x = np.arange(12).reshape(3, 4); x[np.array([2, 0, 2])]", x(np::array{2, 0, 2}));
  VALUE("x = np.arange(12).reshape(3, 4); x[np.array([[2, 0], [-1, 1]])]",
        x(np::array{{2, 0}, {-1, 1}}));
  VALUE("x = np.arange(12).reshape(3, 4); x[:, np.array([3, 0])]", x(_, np::array{3, 0}));
  VALUE("x = np.arange(12).reshape(3, 4); x[1, np.array([3, 0])]", x(1, np::array{3, 0}));
  VALUE("x = np.arange(12).reshape(3, 4); x[np.array([0, 2]), 1:3]",
        x(np::array{0, 2}, slice(1, 3)));
  VALUE("x = np.arange(12).reshape(3, 4); x[np.array([0, 2]), np.array([1, 3])]",
        x(np::array{0, 2}, np::array{1, 3}));
  VALUE("x = np.arange(12).reshape(3, 4); x[np.array([[0], [2]]), np.array([1, 3])]",
        x(np::array{{0}, {2}}, np::array{1, 3}));
  VALUE("x = np.arange(24).reshape(2, 3, 4); x[0, :, np.array([1, 3])]",
        cube()(0, _, np::array{1, 3}));
  VALUE("x = np.arange(24).reshape(2, 3, 4); x[:, 0, np.array([1, 3])]",
        cube()(_, 0, np::array{1, 3}));
  VALUE("x = np.arange(24).reshape(2, 3, 4); x[np.array([1, 0]), :, np.array([1, 3])]",
        cube()(np::array{1, 0}, _, np::array{1, 3}));
  VALUE("x = np.arange(24).reshape(2, 3, 4); x[:, np.array([1, 2]), np.array([1, 3])]",
        cube()(_, np::array{1, 2}, np::array{1, 3}));
  VALUE("x = np.arange(24).reshape(2, 3, 4); x[..., np.array([1, 3])]",
        cube()(ellipsis, np::array{1, 3}));
  VALUE("x = np.arange(24).reshape(2, 3, 4); x[:, np.array([[0, 1], [2, 0]])]",
        cube()(_, np::array{{0, 1}, {2, 0}}));
  VALUE("x = np.arange(12).reshape(3, 4); x[np.argmax(np.array([1, 5, 2]))]",
        x(np::argmax(np::array{1, 5, 2})));
  VALUE("x = np.arange(5); x[np.array([1, 2], np.uint8)]",
        np::arange(5)(np::array({1, 2}, {.dtype = np::uint8})));
  VALUE("np.arange(5)[np.zeros(0, int)]", np::arange(5)(np::zeros(0, np::int64)));
  ERROR("np.arange(5)[np.array([7])]", np::arange(5)(np::array{7}));
  ERROR("np.zeros((2, 3))[:, np.array([0, -4])]", np::zeros({2, 3})(_, np::array{0, -4}));
  ERROR("np.arange(5)[np.array([1.0])]", np::arange(5)(np::array{1.0}));
  ERROR("np.zeros((3, 3))[np.array([0, 1]), np.array([0, 1, 2])]",
        np::zeros({3, 3})(np::array{0, 1}, np::array{0, 1, 2}).eval());
}

TEST(indexing, stores_through_integer_arrays) {
  auto x = grid();
  x(np::array{2, 0}) = 0;
  VALUE("x = np.arange(12).reshape(3, 4); x[np.array([2, 0])] = 0; x", x);
  x = grid();
  x(_, np::array{3, 0}) = np::array{{1, 2}, {3, 4}, {5, 6}};
  VALUE("x = np.arange(12).reshape(3, 4); x[:, np.array([3, 0])] = [[1, 2], [3, 4], [5, 6]]; x", x);
  x = grid();
  x(np::array{0, 2}, np::array{1, 3}) = np::array{50, 60};
  VALUE("x = np.arange(12).reshape(3, 4); x[np.array([0, 2]), np.array([1, 3])] = [50, 60]; x", x);
  x = grid();
  x(np::array{0, 0, 2}) += 10;
  VALUE("x = np.arange(12).reshape(3, 4); x[np.array([0, 0, 2])] += 10; x", x);
  x = grid();
  x.T()(np::array{1, 2}, np::array{0, 1}) *= 7;
  VALUE("x = np.arange(12).reshape(3, 4); x.T[np.array([1, 2]), np.array([0, 1])] *= 7; x", x);
  x = grid();
  x(1, np::array{0, 3}) = np::array{-1, -2};
  VALUE("x = np.arange(12).reshape(3, 4); x[1, np.array([0, 3])] = [-1, -2]; x", x);
  auto c = cube();
  c(0, _, np::array{1, 3}) = np::array{{1, 2, 3}, {4, 5, 6}};
  VALUE("c = np.arange(24).reshape(2, 3, 4); c[0, :, np.array([1, 3])] = [[1, 2, 3], [4, 5, 6]]; c",
        c);
  x = grid();
  ERROR("x = np.arange(12).reshape(3, 4); x[np.array([2, 0])] = np.zeros(3)",
        x(np::array{2, 0}) = np::zeros(3));
  ERROR("x = np.arange(12).reshape(3, 4); x[np.array([2, 9])] = 0", x(np::array{2, 9}) = 0);
}

TEST(indexing, a_named_gather_is_a_copy) {
  auto x = np::arange(6);
  auto y = x(x > 2);            // not read yet
  auto z = x(np::array{0, 1});  // not read yet
  x(x > 2) = 0;
  x += 1;
  EXPECT_EQ(y.str(), "[3 4 5]");
  EXPECT_EQ(z.str(), "[0 1]");
  y += 10;
  EXPECT_EQ(x.str(), "[1 2 3 1 1 1]");
  EXPECT_EQ(y.str(), "[13 14 15]");
  np::array copy = y;
  y = np::ones(2);
  EXPECT_EQ(copy.str(), "[13 14 15]");
  auto same = x(x > 2);
  auto moved = std::move(same);
  EXPECT_EQ(moved.str(), "[3]");
}

TEST(indexing, by_truth_values) {
  const np::array a = np::arange(6).reshape(2, 3);
  VALUE("np.arange(6).reshape(2, 3)[np.True_]", a(np::True_));
  VALUE("np.arange(6).reshape(2, 3)[np.False_]", a(np::False_));
  VALUE("np.arange(6).reshape(2, 3)[True, ...]", a(np::True_, ellipsis));
  VALUE("np.arange(6).reshape(2, 3)[..., True]", a(ellipsis, np::True_));
  VALUE("np.arange(6).reshape(2, 3)[:, np.array(True), 1]", a(_, np::array(true), 1));
  VALUE("np.arange(6).reshape(2, 3)[True, :, 1]", a(np::True_, _, 1));
  VALUE("np.arange(6).reshape(2, 3)[0, True]", a(0, np::True_));
  VALUE("np.arange(6).reshape(2, 3)[True, True]", a(np::True_, np::True_));
  VALUE("np.arange(6).reshape(2, 3)[True, False]", a(np::True_, np::False_));
  VALUE("np.arange(6).reshape(2, 3)[True, [0, 1, 1]]", a(np::True_, np::array{0, 1, 1}));
  VALUE("np.arange(6).reshape(2, 3)[:, True, [0, 1]]", a(_, np::True_, np::array{0, 1}));
  VALUE("np.arange(6).reshape(2, 3)[True, np.array([True, False]), 1:]", a(np::True_, np::array{true, false}, slice(1, none)));
  VALUE("np.arange(6).reshape(2, 3)[None, True, ::-1]", a(np::newaxis, np::True_, slice(none, none, -1)));
  VALUE("np.array(5)[True]", np::array(5)(np::True_));
  VALUE("np.array(5)[np.array(3) > 4]", np::array(5)(np::array(3) > 4));
  VALUE("x = np.arange(6).reshape(2, 3); x[True] = 9; x", changed(a, [](auto& x) { x(np::True_) = 9; }));
  VALUE("x = np.arange(6).reshape(2, 3); x[False] = 9; x", changed(a, [](auto& x) { x(np::False_) = 9; }));
  VALUE("x = np.arange(6).reshape(2, 3); x[np.array(True), 1] += 5; x", changed(a, [](auto& x) { x(np::array(true), 1) += 5; }));
  VALUE("x = np.arange(6).reshape(2, 3); x[..., True] = [[[7], [8], [9]]]; x",
        changed(a, [](auto& x) { x(ellipsis, np::True_) = np::array{{{7}, {8}, {9}}}; }));
  VALUE("x = np.array(5); x[x > 3] = 0; x", changed(np::array(5), [](auto& x) { x(x > 3) = 0; }));
  ERROR("np.arange(6).reshape(2, 3)[False, [0, 1]]", np::array(a(np::False_, np::array{0, 1})));
  ERROR("np.arange(6).reshape(2, 3)[True, 0, 0, 0]", a(np::True_, 0, 0, 0));
  // In a graph: no value of the mask is needed.
  auto f = np::compile([](const np::array& x, const np::array& limit) {
    np::array y = x * 2;
    y(np::max(y) > limit) = -1;
    return y + np::sum(y(np::min(y) < limit));
  }, {.fullgraph = true});
  for (double limit : {0.0, 5.0, 20.0}) {
    np::array y = a * 2, t = np::array(limit);
    y(np::max(y) > t) = -1;
    EXPECT_TRUE(np::array_equal(f(a, t), y + np::sum(y(np::min(y) < t)))) << limit;
  }
}

TEST(indexing, a_gather_is_an_array_everywhere) {
  auto x = np::arange(6);
  auto keep = [](np::array a) { return a; };
  auto by_reference = [](const np::array& a) {
    np::array copied = a;
    return copied;
  };
  EXPECT_EQ(keep(x(x > 3)).str(), "[4 5]");
  EXPECT_EQ(by_reference(x(x > 3)).str(), "[4 5]");
  EXPECT_EQ(np::sum(x(x > 3)).item<int>(), 9);
  EXPECT_EQ(x(x > 3).size(), 2);
  EXPECT_EQ((x(x > 3) + 1).str(), "[5 6]");
  EXPECT_EQ(x(x(np::array{5, 0})).str(), "[5 0]");
  std::vector<np::array> list{x(x > 4), x(x < 1)};
  EXPECT_EQ(np::concatenate(list).str(), "[5 0]");
  list.push_back(x(x > 4));
  list.emplace_back(x(np::array{1}));
  list[0] = x(np::array{2, 2});
  EXPECT_EQ(np::concatenate(list).str(), "[2 2 0 5 1]");
  np::array assigned;
  auto pending = x(x < 2);
  np::array&& reference = std::move(pending);
  assigned = std::move(reference);
  EXPECT_EQ(assigned.str(), "[0 1]");
}

TEST(indexing, errors) {
  ERROR("np.arange(5)[10]", np::arange(5)(10));
  ERROR("np.arange(5)[-6]", np::arange(5)(-6));
  ERROR("np.zeros((2, 3))[1, 5]", np::zeros({2, 3})(1, 5));
  ERROR("np.zeros((2, 3))[1, 2, 3]", np::zeros({2, 3})(1, 2, 3));
  ERROR("np.zeros((2, 3))[..., ...]", np::zeros({2, 3})(ellipsis, ellipsis));
  ERROR("np.arange(5)[::0]", np::arange(5)(slice(none, none, 0)));
  ERROR("x = np.arange(5); x[10] = 1", np::arange(5)(10) = 1);
  ERROR("np.array(1.0)[0]", np::array(1.0)(0));
}

}  // namespace
