// Polynomials, windows, sinc, phases.
#include "against_numpy.h"

namespace np = numjit;

namespace {

TEST(polynomial, arithmetic) {
  VALUE("np.polyval([3, 0, 1], 5)", np::polyval(np::array{3, 0, 1}, 5));
  VALUE("np.polyval(np.array([3., 0, 1]), np.arange(4))", np::polyval(np::array{3.0, 0, 1}, np::arange(4)));
  VALUE("np.polyadd([1, 2], [9, 5, 4])", np::polyadd(np::array{1, 2}, np::array{9, 5, 4}));
  VALUE("np.polysub([2, 10, -2], [3., 10, -4])", np::polysub(np::array{2, 10, -2}, np::array{3.0, 10, -4}));
  VALUE("np.polymul([1, 2, 3], [9, 5, 1])", np::polymul(np::array{1, 2, 3}, np::array{9, 5, 1}));
  VALUE("np.polydiv(np.array([3., 5, 2]), np.array([2., 1]))[0]", np::polydiv(np::array{3.0, 5, 2}, np::array{2.0, 1}).first);
  VALUE("np.polydiv(np.array([3., 5, 2]), np.array([2., 1]))[1]", np::polydiv(np::array{3.0, 5, 2}, np::array{2.0, 1}).second);
  VALUE("np.polydiv([1, 0, -1], [1, 1])[1]", np::polydiv(np::array{1, 0, -1}, np::array{1, 1}).second);
  VALUE("np.polydiv([1, 2], [1, 1, 1])[0]", np::polydiv(np::array{1, 2}, np::array{1, 1, 1}).first);
  VALUE("np.polyder([1, 1, 1, 1])", np::polyder(np::array{1, 1, 1, 1}));
  VALUE("np.polyder([1, 4, 1, 1], 2)", np::polyder(np::array{1, 4, 1, 1}, 2));
  VALUE("np.polyint([1, 1, 1])", np::polyint(np::array{1, 1, 1}));
  VALUE("np.polyint(np.array([1., 1, 1]), 2, [3, 5])", np::polyint(np::array{1.0, 1, 1}, 2, {3, 5}));
  VALUE("np.poly([0, 1, -2.5])", np::poly(np::array{0, 1, -2.5}));
  using z = std::complex<double>;
  VALUE("np.poly([1j, -1j, 2])", np::poly(np::array{z(0, 1), z(0, -1), z(2)}));
  VALUE("np.poly([1j, 2])", np::poly(np::array{z(0, 1), z(2)}));
  VALUE("np.polyint([1, 2], 3, 2)", np::polyint(np::array{1, 2}, 3, 2));
  VALUE("np.polyint([1, 2], 1, [1j])", np::polyint(np::array{1, 2}, 1, np::array{z(0, 1)}));
  VALUE("np.polymul([0, 1, 2], [0, 0, 3])", np::polymul(np::array{0, 1, 2}, np::array{0, 0, 3}));
  VALUE("np.polymul([0, 0], [1, 2])", np::polymul(np::array{0, 0}, np::array{1, 2}));
  VALUE("np.polydiv([0, 1, 2], [1, 1, 1, 1])[1]", np::polydiv(np::array{0, 1, 2}, np::array{1, 1, 1, 1}).second);
  VALUE_CLOSE("np.poly([[2., 1], [1, 3]])", 1e-13, np::poly(np::array{{2.0, 1}, {1, 3}}));
  VALUE_CLOSE("np.poly([[0, 1], [-1, 0]])", 1e-13, np::poly(np::array{{0, 1}, {-1, 0}}));
  VALUE("np.poly([])", np::poly(np::zeros(0)));
  ERROR("np.polyder([1, 2], -1)", np::polyder(np::array{1, 2}, -1));
  ERROR("np.polyder(np.array(3))", np::polyder(3));
  ERROR("np.polyint(np.array(3))", np::polyint(3));
  ERROR("np.polyint([1, 2], 3, [1, 2])", np::polyint(np::array{1, 2}, 3, {1, 2}));
  ERROR("np.polyval(np.array(3), 2)", np::polyval(3, 2));
  ERROR("np.poly(np.ones((2, 3)))", np::poly(np::ones({2, 3})));
  ERROR("np.roots(np.ones((2, 3)))", np::roots(np::ones({2, 3})));
  ERROR("np.polydiv(np.ones((3, 2)), np.ones(1))", np::polydiv(np::ones({3, 2}), np::ones(1)));
}

TEST(polynomial, zeros_and_fits) {
  VALUE_CLOSE("np.sort(np.roots([3.2, 2, 1]).imag)", 1e-13, np::sort(np::imag(np::roots(np::array{3.2, 2, 1}))));
  VALUE_CLOSE("np.sort(np.roots([0, 1, -6, 11, -6, 0, 0]))", 1e-12, np::sort(np::roots(np::array{0, 1, -6, 11, -6, 0, 0})));
  VALUE("np.roots([0, 0])", np::roots(np::array{0, 0}));
  VALUE_CLOSE("np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 2)", 1e-11,
              np::polyfit(np::array{0, 1, 2, 3}, np::array{1.0, 3, 7, 14}, 2));
  VALUE_CLOSE("np.polyfit([0, 1, 2, 3.], np.array([[1., 3], [2, 5], [7, 1], [3, 3]]), 1, w=[1, 2, 1, .5])", 1e-11,
              np::polyfit(np::array{0, 1, 2, 3.0}, np::array{{1.0, 3}, {2, 5}, {7, 1}, {3, 3}}, 1, np::array{1, 2, 1, .5}));
  const np::array x{0, 1, 2, 3}, y{1.0, 3, 7, 14}, rows{{1.0, 3}, {7, 14}, {1, 2}, {3, 4}};
  const np::polyfit_full_result full = np::polyfit_full(x, y, 1);
  VALUE_CLOSE("np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 1, full=True)[1]", 1e-11, full.residuals);
  VALUE_CLOSE("np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 1, full=True)[3]", 1e-11, full.s);
  EXPECT_EQ(full.rank, 2);
  EXPECT_EQ(full.rcond, 4 * 0x1p-52);
  VALUE_CLOSE("np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 1, cov=True)[0]", 1e-11, np::polyfit_cov(x, y, 1).c);
  VALUE_CLOSE("np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 1, cov=True)[1]", 1e-11, np::polyfit_cov(x, y, 1).V);
  VALUE_CLOSE("np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 1, w=[1, 2, 1, .5], cov='unscaled')[1]", 1e-11,
              np::polyfit_cov(x, y, 1, {.w = np::array{1, 2, 1, .5}}, false).V);
  VALUE_CLOSE("np.polyfit([0, 1, 2, 3], [[1., 3], [7, 14], [1, 2], [3, 4]], 1, cov=True)[1]", 1e-11,
              np::polyfit_cov(x, rows, 1).V);
  ERROR("np.polyfit([0, 1, 2, 3], [1., 3, 7, 14], 3, cov=True)", np::polyfit_cov(x, y, 3));
  ERROR("np.polyfit([], [], 1)", np::polyfit(np::zeros(0), np::zeros(0), 1));
  ERROR("np.polyfit([1, 2], [1], 1)", np::polyfit(np::array{1, 2}, np::array{1}, 1));
}

TEST(polynomial, windows) {
  VALUE("np.bartlett(7)", np::bartlett(7));
  VALUE_CLOSE("np.blackman(8)", 1e-13, np::blackman(8));
  VALUE("np.hamming(6)", np::hamming(6));
  VALUE_CLOSE("np.hanning(9)", 1e-14, np::hanning(9));
  VALUE_CLOSE("np.kaiser(10, 14)", 1e-14, np::kaiser(10, 14));
  VALUE("np.hanning(1)", np::hanning(1));
  VALUE("np.hanning(0)", np::hanning(0));
  VALUE("np.i0(np.array([0., .5, -3, 7.9, 8, 8.1, 50, 700]))", np::i0(np::array{0.0, .5, -3, 7.9, 8, 8.1, 50, 700}));
  VALUE("np.sinc(np.array([0, .5, -2.25]))", np::sinc(np::array{0, .5, -2.25}));
  VALUE("np.sinc(0)", np::sinc(0));
}

TEST(polynomial, phases) {
  VALUE("np.unwrap(np.array([5, 7, 6, 5, 4], np.uint8))", np::unwrap(np::array{5, 7, 6, 5, 4}.astype(np::uint8)));
  VALUE("np.unwrap(np.array([0., .5, 4, 7, 1, -3]))", np::unwrap(np::array{0.0, .5, 4, 7, 1, -3}));
  VALUE("np.unwrap(np.array([[0, 3, 350, 10], [5, 170, 190, -170]]), period=360)",
        np::unwrap(np::array{{0, 3, 350, 10}, {5, 170, 190, -170}}, {.period = 360}));
  VALUE("np.unwrap(np.array([0, 4, 1, 6]), period=5)", np::unwrap(np::array{0, 4, 1, 6}, {.period = 5}));
  VALUE("np.unwrap(np.array([0, 4, 1, 6]), period=5.)", np::unwrap(np::array{0, 4, 1, 6}, {.period = 5.0}));
  VALUE("np.unwrap(np.array([0, 4, 1, 6], np.int8), period=-5)", np::unwrap(np::array({0, 4, 1, 6}, {np::int8}), {.period = -5}));
  VALUE("np.unwrap(np.array([[0., 3], [9, 10], [1, -5]]), axis=0, discont=4)",
        np::unwrap(np::array{{0.0, 3}, {9, 10}, {1, -5}}, {.discont = 4.0, .axis = 0}));
}

}  // namespace
