// Differences, slopes, interpolation; einsum's "..."; dtypes= of variances; several masks; kinds of dtypes.
#include "against_numpy.h"

namespace np = numjit;

namespace {

using std::complex;

TEST(differences, diff) {
  VALUE("np.diff([1, 4, 9], prepend=0)", np::diff(np::array{1, 4, 9}, {.prepend = np::array(0)}));
  VALUE("np.diff(np.arange(6).reshape(2, 3) ** 2, n=2, axis=0, prepend=[[7, 8, 9]], append=1)",
        np::diff(np::square(np::arange(6).reshape(2, 3)),
                 {.n = 2, .axis = 0, .prepend = np::array{{7, 8, 9}}, .append = np::array(1)}));
  VALUE("np.diff([True, False, False])", np::diff(np::array{true, false, false}));
  VALUE("np.diff(np.arange(3), n=0)", np::diff(np::arange(3), {.n = 0}));
  ERROR("np.diff([1, 2], n=-1)", np::diff(np::array{1, 2}, {.n = -1}));
}

TEST(differences, gradients) {
  const np::array f = np::square(np::arange(12.0)).reshape(3, 4);
#define F "f = (np.arange(12.) ** 2).reshape(3, 4); "
  VALUE(F "np.gradient(f)[0]", np::gradients(f)[0]);
  VALUE(F "np.gradient(f)[1]", np::gradients(f)[1]);
  VALUE(F "np.gradient(f, 2, axis=1, edge_order=2)",
        np::gradients(f, {.spacing = {np::array(2)}, .axis = 1, .edge_order = 2})[0]);
  VALUE(F "np.gradient(f, [0, 1, 4], [0, .5, 2, 3])[0]",
        np::gradients(f, {.spacing = {np::array{0, 1, 4}, np::array{0, .5, 2, 3}}})[0]);
  VALUE(F "np.gradient(f, [0, 1, 4], [0, .5, 2, 3], edge_order=2)[1]",
        np::gradients(f, {.spacing = {np::array{0, 1, 4}, np::array{0, .5, 2, 3}}, .edge_order = 2})[1]);
  VALUE("np.gradient(np.array([1, 2, 4, 7], np.float32), [0, 1, 4, 5])",
        np::gradients(np::array({1, 2, 4, 7}, {np::float32}), {.spacing = {np::array{0, 1, 4, 5}}})[0]);
  VALUE("np.gradient(np.array([1, 2, 4, 7], np.uint8))", np::gradient(np::array({1, 2, 4, 7}, {np::uint8})));
  VALUE_EXACT("np.gradient(np.array([.1, .2, .7, .3]), [0, 3, 6, 9])",  // as far apart everywhere: the formula of one distance
              np::gradients(np::array{.1, .2, .7, .3}, {.spacing = {np::array{0, 3, 6, 9}}})[0]);
  ERROR("np.gradient(np.array([True, False]))", np::gradients(np::array{true, false}));
  ERROR("np.gradient(np.ones((2, 2)), axis=(0, -2))", np::gradients(np::ones({2, 2}), {.axis = {0, -2}}));
  ERROR("np.gradient(np.ones(3), edge_order=3)", np::gradients(np::ones(3), {.edge_order = 3}));
  ERROR("np.gradient(np.ones(2), edge_order=2)", np::gradients(np::ones(2), {.edge_order = 2}));
  ERROR("np.gradient(np.ones((2, 2)), 1, 2, 3)",
        np::gradients(np::ones({2, 2}), {.spacing = {np::array(1), np::array(2), np::array(3)}}));
  ERROR("np.gradient(np.ones(3), [1, 2])", np::gradients(np::ones(3), {.spacing = {np::array{1, 2}}}));
  ERROR("np.gradient(np.ones(3), [[1, 2]])", np::gradients(np::ones(3), {.spacing = {np::array{{1, 2}}}}));
}

TEST(differences, integrals) {
  VALUE("np.trapezoid([1, 2, 4], x=[0, 1, 4])", np::trapezoid(np::array{1, 2, 4}, {.x = np::array{0, 1, 4}}));
  VALUE("np.trapezoid([1., 2], [[1., 2], [3, 4]])", np::trapezoid(np::array{1.0, 2}, {.x = np::array{{1.0, 2}, {3, 4}}}));
  VALUE("np.trapezoid(np.arange(6.).reshape(2, 3), x=[0, 3], axis=0)",
        np::trapezoid(np::arange(6.0).reshape(2, 3), {.x = np::array{0, 3}, .axis = 0}));
  VALUE("np.trapezoid(np.arange(6.).reshape(2, 3), x=np.arange(6.).reshape(2, 3) ** 2)",
        np::trapezoid(np::arange(6.0).reshape(2, 3), {.x = np::square(np::arange(6.0).reshape(2, 3))}));
  VALUE("np.trapezoid([1, 2, 4], dx=.5)", np::trapezoid(np::array{1, 2, 4}, 0.5));
}

TEST(differences, interp) {
  const np::array xp{1.0, 2.0, 4.0}, fp{3.0, 2.0, 0.0}, x{0.0, 1.0, 2.5, 4.0, 5.0};
  VALUE("np.interp([0, 1, 2.5, 4, 5], [1, 2, 4], [3, 2, 0], left=-1, right=9)",
        np::interp(x, xp, fp, {.left = -1.0, .right = 9.0}));
  VALUE("np.interp([-180, -170, -185, 185, -10, -5, 0, 365], [190, -190, 350, -350], [5, 10, 3, 4], period=360)",
        np::interp(np::array{-180, -170, -185, 185, -10, -5, 0, 365}, np::array{190, -190, 350, -350}, np::array{5, 10, 3, 4},
                   {.period = 360.0}));
  VALUE("np.interp([1.5, 4.0, 9], [2, 3, 5], [1j, 0, 2 + 3j])",
        np::interp(np::array{1.5, 4.0, 9.0}, np::array{2, 3, 5},
                   np::array{complex<double>(0, 1), complex<double>(0, 0), complex<double>(2, 3)}));
  VALUE("np.interp([0., 4], [1., 2], [3j, 5], left=1j, right=2)",
        np::interp(np::array{0.0, 4.0}, np::array{1.0, 2.0}, np::array{complex<double>(0, 3), complex<double>(5, 0)},
                   {.left = complex<double>(0, 1), .right = 2}));
  VALUE("np.interp([0., 1, 2], [1.], [5.], left=-1)",
        np::interp(np::array{0.0, 1.0, 2.0}, np::array{1.0}, np::array{5.0}, {.left = -1.0}));
  ERROR("np.interp([1.], [1, 2], [3, 4], period=0)",
        np::interp(np::array{1.0}, np::array{1, 2}, np::array{3, 4}, {.period = 0.0}));
  const np::array z{complex<double>(0, 1), complex<double>(2, 0)};
  ERROR("np.interp(np.array([1j, 2]), [1., 2], [3., 4])", np::interp(z, np::array{1.0, 2.0}, np::array{3.0, 4.0}));
  ERROR("np.interp(np.array(1j), [1., 2], [3., 4])",
        np::interp(np::array(complex<double>(0, 1)), np::array{1.0, 2.0}, np::array{3.0, 4.0}));
  ERROR("np.interp(1j, [1., 2], [3., 4])", np::interp(complex<double>(0, 1), np::array{1.0, 2.0}, np::array{3.0, 4.0}));
  ERROR("np.interp([1.], np.array([1j, 2]), [3., 4])", np::interp(np::array{1.0}, z, np::array{3.0, 4.0}));
  ERROR("np.sum([1., 2], initial=1j)", np::sum(np::array{1.0, 2.0}, {.initial = complex<double>(0, 1)}));
  ERROR("np.prod([1, 2], initial=1j)", np::prod(np::array{1, 2}, {.initial = complex<double>(0, 1)}));
  VALUE("np.sum([1., 2j], initial=1j)",
        np::sum(np::array{complex<double>(1, 0), complex<double>(0, 2)}, {.initial = complex<double>(0, 1)}));
  ERROR("np.interp([1.], [1, 2], [3])", np::interp(np::array{1.0}, np::array{1, 2}, np::array{3}));
  VALUE("np.nan_to_num([nan, 1, nan], nan=[5, 6, 7])",
        np::nan_to_num(np::array{np::nan, 1.0, np::nan}, {.nan = np::array{5, 6, 7}}));
  ERROR("np.nan_to_num([nan, 1, nan], nan=[5, 6])", np::nan_to_num(np::array{np::nan, 1.0, np::nan}, {.nan = np::array{5, 6}}));
  np::array kept{np::nan, 1.0, np::inf};
  EXPECT_TRUE(np::may_share_memory(np::nan_to_num(kept, {.copy = false, .posinf = 2.0}), kept));
  VALUE("[0., 1, 2]", kept);
  VALUE("np.nan_to_num(np.array([complex(nan, inf), 1 - 2j]), posinf=5.)",
        np::nan_to_num(np::array{complex<double>(np::nan, np::inf), complex<double>(1, -2)}, 0.0, 5.0));
}

TEST(einsum, options) {
  const np::array a = np::arange(6).reshape(2, 3), b = np::arange(12.0).reshape(3, 4), out = np::zeros({2, 4});
  const std::vector<np::array> both{a, b};
#define TWO "a = np.arange(6).reshape(2, 3); b = np.arange(12.0).reshape(3, 4); "
  VALUE(TWO "np.einsum('ij,jk->ik', a, b, out=np.zeros((2, 4)))", np::einsum("ij,jk->ik", both, {.out = out}));
  EXPECT_TRUE(np::array_equal(out, np::matmul(a, b)));
  VALUE(TWO "np.einsum('ij->ji', a, out=np.zeros((3, 2)))", np::einsum("ij->ji", {a}, {.out = np::zeros({3, 2})}));
  VALUE(TWO "np.einsum('ij,jk->ik', a, b, dtype=np.complex128)", np::einsum("ij,jk->ik", both, {.dtype = np::complex128}));
  VALUE(TWO "np.einsum('ij,jk->ik', a, b, dtype=np.float32, casting='same_kind')",
        np::einsum("ij,jk->ik", both, {.dtype = np::float32, .casting = "same_kind"}));
  VALUE(TWO "np.einsum('ij,jk->ik', a, b, out=np.zeros((2, 4), int), casting='unsafe')",
        np::einsum("ij,jk->ik", both, {.out = np::zeros({2, 4}, np::int64), .casting = "unsafe"}));
  VALUE(TWO "np.einsum('ij->ji', a, dtype=np.int8)", np::einsum("ij->ji", {a}, {.dtype = np::int8}));
  EXPECT_TRUE(np::einsum("ij,jk->ik", both, {.order = 'F'}).is_f_contiguous());
  EXPECT_TRUE(np::einsum("ji,jk->ik", {a, np::asfortranarray(np::ones({2, 4}))}, {.order = 'A'}).is_c_contiguous());
  EXPECT_TRUE(
      np::einsum("ji,jk->ik", {np::asfortranarray(a), np::asfortranarray(np::ones({2, 4}))}, {.order = 'A'}).is_f_contiguous());
  ERROR(TWO "np.einsum('ij,jk->ik', a, b, dtype=np.float32)", np::einsum("ij,jk->ik", both, {.dtype = np::float32}));
  ERROR(TWO "np.einsum('ij,jk->ik', a, b, casting='no')", np::einsum("ij,jk->ik", both, {.casting = "no"}));
  ERROR(TWO "np.einsum('ij,jk->ik', a, b, casting='nothing')", np::einsum("ij,jk->ik", both, {.casting = "nothing"}));
  ERROR(TWO "np.einsum('ij,jk->ik', a, b, out=np.zeros((2, 4), np.float32))",
        np::einsum("ij,jk->ik", both, {.out = np::zeros({2, 4}, np::float32)}));
  ERROR(TWO "np.einsum('ij,jk->ik', a, b, out=np.zeros(2))", np::einsum("ij,jk->ik", both, {.out = np::zeros(2)}));
  try {
    np::einsum("ij,jk->ik", both, {.out = np::zeros({2, 3})});
    FAIL();
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(), "[einsum] output array has the wrong shape: got (2, 3), expected (2, 4)");
  }
}

TEST(einsum, views) {
  const np::array a = np::arange(9.0).reshape(3, 3), s = np::zeros({2, 3, 3});
  np::einsum("ji", {a})(0, 1) = 30;
  EXPECT_EQ(a(1, 0).item<double>(), 30);
  np::einsum("ii->i", {a})(np::_) = -1;
  EXPECT_TRUE(np::array_equal(np::diagonal(a), np::array{-1, -1, -1}));
  np::einsum("...ii->...i", {s})(np::_) = 1;
  EXPECT_EQ(np::sum(s).item<double>(), 6);
  EXPECT_THROW(np::einsum("ii->i", {np::broadcast_to(a, {3, 3})})(np::_) = 1, np::ValueError);
}

TEST(einsum, ellipsis) {
  const np::array a = np::arange(24.0).reshape(4, 2, 3), b = np::arange(6.0).reshape(3, 2), m = np::arange(6.0).reshape(2, 3);
#define AB "a = np.arange(24.).reshape(4, 2, 3); b = np.arange(6.).reshape(3, 2); m = np.arange(6.).reshape(2, 3); "
  VALUE(AB "np.einsum('...ij,...jk', a, b)", np::einsum("...ij,...jk", {a, b}));
  VALUE(AB "np.einsum('i...->...', a)", np::einsum("i...->...", {a}));
  VALUE(AB "np.einsum('...ij->j...i', a)", np::einsum("...ij->j...i", {a}));
  VALUE(AB "np.einsum('...,...', a, m)", np::einsum("...,...", {a, m}));
  VALUE(AB "np.einsum('i...j, j... -> ...i', a, b)", np::einsum("i...j, j... -> ...i", {a, b}));
  VALUE(AB "np.einsum('...', m)", np::einsum("...", {m}));
  VALUE(AB "np.einsum('ij...->ji', m)", np::einsum("ij...->ji", {m}));
  VALUE(AB "np.einsum('...ii', np.ones((2, 3, 3)))", np::einsum("...ii", {np::ones({2, 3, 3})}));
  ERROR("np.einsum('i-', np.ones(2))", np::einsum("i-", {np::ones(2)}));
  try {
    np::einsum("\u00e9", {np::ones(2)});
    FAIL();
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(), "[einsum] invalid subscript '\u00e9' in einstein sum subscripts string, subscripts must be letters");
  }
  ERROR("np.einsum('ii', np.ones((2, 3)))", np::einsum("ii", {np::ones({2, 3})}));
  ERROR("np.einsum('ii->i', np.ones((2, 3)))", np::einsum("ii->i", {np::ones({2, 3})}));
  VALUE("np.einsum('i,i->i', np.zeros(0), np.ones(1))", np::einsum("i,i->i", {np::zeros(0), np::ones(1)}));
  ERROR(AB "np.einsum('...i->i', m)", np::einsum("...i->i", {m}));
  ERROR(AB "np.einsum('i..', m)", np::einsum("i..", {m}));
  ERROR(AB "np.einsum('...i...', m)", np::einsum("...i...", {m}));
  ERROR("np.einsum('i...', np.ones(()))", np::einsum("i...", {np::ones(np::dims{})}));
  ERROR(AB "np.einsum('i', m)", np::einsum("i", {m}));
}

TEST(variances, whole_and_complex_dtypes) {
  VALUE("np.var(np.arange(4), dtype=int)", np::var(np::arange(4), {.dtype = np::int64}));
  VALUE("np.std(np.arange(4), dtype=int)", np::std(np::arange(4), {.dtype = np::int64}));
  VALUE("np.var(np.arange(4), dtype=np.complex64)", np::var(np::arange(4), {.dtype = np::complex64}));
  VALUE("np.std(np.arange(4), dtype=complex)", np::std(np::arange(4), {.dtype = np::complex128}));
  VALUE("np.var(np.arange(5) * 2 + 1, dtype=np.int8)", np::var(np::arange(5) * 2 + 1, {.dtype = np::int8}));
  VALUE("np.var(np.arange(4.), dtype=int)", np::var(np::arange(4.0), {.dtype = np::int64}));
  VALUE("np.var(np.arange(6).reshape(2, 3), axis=0, dtype=int)",
        np::var(np::arange(6).reshape(2, 3), {.axis = 0, .dtype = np::int64}));
  VALUE("np.var(np.arange(4), dtype=bool)", np::var(np::arange(4), {.dtype = np::bool_}));
  VALUE("np.mean(np.arange(5), dtype=np.int8)", np::mean(np::arange(5), {.dtype = np::int8}));
  VALUE("np.mean(np.arange(4), dtype=np.complex64)", np::mean(np::arange(4), {.dtype = np::complex64}));
  ERROR("np.std(np.arange(6).reshape(2, 3), axis=0, dtype=int)",
        np::std(np::arange(6).reshape(2, 3), {.axis = 0, .dtype = np::int64}));
}

TEST(indexing, several_masks) {
  const np::array a = np::arange(12).reshape(3, 4);
  const np::array rows{true, false, true}, columns{false, true, true, false}, one{false, false, true, false};
  VALUE("np.arange(12).reshape(3, 4)[np.array([True, False, True]), np.array([False, True, True, False])]", a(rows, columns));
  VALUE("np.arange(12).reshape(3, 4)[np.array([True, False, True]), np.array([False, False, True, False])]", a(rows, one));
  VALUE("np.arange(24).reshape(3, 2, 4)[np.array([True, False, True]), :, np.array([False, True, True, False])]",
        np::arange(24).reshape(3, 2, 4)(rows, np::_, columns));
  VALUE("np.arange(12).reshape(3, 4)[np.ix_([True, False, True], [False, True, True, False])]",
        [&] { auto g = np::ix_({rows, columns}); return np::array(a(g[0], g[1])); }());
  ERROR("np.arange(12).reshape(3, 4)[np.array([True, True, True]), np.array([False, True, True, False])]",
        np::array(a(np::array{true, true, true}, columns)));
  np::array b = a.copy();
  b(rows, columns) = np::array{-1, -2};
  VALUE(
      "b = np.arange(12).reshape(3, 4); b.__setitem__((np.array([True, False, True]), np.array([False, True, True, False])), "
      "[-1, -2]) or b",
      b);
}

TEST(shapes, more_axes) {
  const np::array a = np::arange(12).reshape(3, 4);
  VALUE("np.roll(np.arange(12).reshape(3, 4), (1, -1), axis=(0, 1))", np::roll(a, {1, -1}, {0, 1}));
  VALUE("np.roll(np.arange(24).reshape(2, 3, 4), (5, -1, 2), axis=(1, 0, 1))",
        np::roll(np::arange(24).reshape(2, 3, 4), {5, -1, 2}, {1, 0, 1}));
  VALUE("np.roll(np.arange(12).reshape(3, 4), 2, axis=(0, 1))", np::roll(a, np::dims{2}, {0, 1}));
  VALUE("np.rot90(np.arange(24).reshape(2, 3, 4), -1, axes=(2, 0))", np::rot90(np::arange(24).reshape(2, 3, 4), -1, {2, 0}));
  ERROR("np.rot90(np.ones((2, 3)), 1, axes=(1, -1))", np::rot90(np::ones({2, 3}), 1, {1, -1}));
  ERROR("np.rot90(np.ones((2, 3, 4)), 1, axes=(1, 5))", np::rot90(np::ones({2, 3, 4}), 1, {1, 5}));
  VALUE("np.unravel_index([1, 5], (2, 3), order='F')[0]", np::unravel_index(np::array{1, 5}, {2, 3}, 'F')[0]);
  VALUE("np.ravel_multi_index(([1, 0], [2, 1]), (2, 3), order='F')",
        np::ravel_multi_index({np::array{1, 0}, np::array{2, 1}}, {2, 3}, "raise", 'F'));
  VALUE("np.ravel_multi_index(([3, -1], [7, 1]), (2, 3), mode='wrap')",
        np::ravel_multi_index({np::array{3, -1}, np::array{7, 1}}, {2, 3}, "wrap"));
  VALUE("np.ravel_multi_index(([3, -1], [7, 1]), (2, 3), mode='clip')",
        np::ravel_multi_index({np::array{3, -1}, np::array{7, 1}}, {2, 3}, "clip"));
  ERROR("np.ravel_multi_index(([3], [1]), (2, 3))", np::ravel_multi_index({np::array{3}, np::array{1}}, {2, 3}));
  VALUE("np.vstack([np.arange(3), np.ones(3)])", np::row_stack({np::arange(3), np::ones(3)}));
}

TEST(dtypes, kinds) {
  VALUE("np.isdtype(np.dtype('uint8'), 'integral')", np::array(np::isdtype(np::uint8, "integral")));
  VALUE("np.isdtype(np.dtype('uint8'), 'signed integer')", np::array(np::isdtype(np::uint8, "signed integer")));
  VALUE("np.issubdtype(np.float32, np.inexact)", np::array(np::issubdtype(np::float32, "inexact")));
  VALUE("np.issubdtype(np.float32, np.float64)", np::array(np::issubdtype(np::float32, "float64")));
  EXPECT_EQ(np::min_scalar_type(-300), np::int16);
  EXPECT_EQ(np::min_scalar_type(255), np::uint8);
  EXPECT_EQ(np::min_scalar_type(1e50), np::float64);
  EXPECT_EQ(np::min_scalar_type(1.5), np::float16);
  EXPECT_EQ(np::min_scalar_type(np::arange(3)), np::int64);
  EXPECT_EQ(np::common_type({np::ones(2, np::float32), np::arange(3)}), np::float64);
  EXPECT_EQ(np::common_type({np::ones(2, np::float32), np::ones(1, np::complex64)}), np::complex64);
  ERROR("np.common_type(np.array([True]))", np::common_type({np::array{true}}));
  try {
    np::isdtype(np::uint8, "x");
    FAIL() << "nothing thrown";
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(), "[isdtype] kind argument is a string, but 'x' is not a known kind name.");
  }
}

}  // namespace
