// np::fft against NumPy: every length, axes, norms, dtypes, errors, and as part of graphs.
#include <gtest/gtest.h>

#include <complex>
#include <functional>

#include <numjit/np.h>

#include "against_numpy.h"

namespace np = numjit;
using namespace np::fft;

namespace {

using std::complex;
constexpr complex<double> i1(0, 1);

np::array real_of(std::int64_t n) { return np::sin(np::square(np::arange(double(n))) * 0.7) + 0.1; }
np::array complex_of(std::int64_t n) { return real_of(n) + np::cos(np::arange(double(n)) * 1.9) * i1; }

/// The sum of the definition.
np::array by_definition(const np::array& x, double sign) {
  const std::int64_t n = x.size();
  np::array k = np::arange(n), turns = (k(np::_, np::newaxis) * k % n) * (sign * 2 * np::pi / double(n));
  return np::matmul(np::cos(turns) + np::sin(turns) * i1, x + 0.0 * i1);
}

double error_of(const np::array& a, const np::array& b) {
  return np::linalg::norm(a - b).item<double>() / (1e-300 + np::linalg::norm(b).item<double>());
}

TEST(fft, every_length) {
  for (std::int64_t n : {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,  11,  12,  13,  15,  16,  17,  20,  25,  27,  30,  32,  36,
                         47, 48, 49, 53, 59, 60, 64, 77, 97, 100, 101, 106, 120, 121, 127, 128, 169, 202, 243, 251, 256, 360}) {
    SCOPED_TRACE(n);
    const np::array x = complex_of(n), r = real_of(n);
    const np::array exact = by_definition(x, -1);
    EXPECT_LT(error_of(np::fft::fft(x), exact), 1e-14);
    EXPECT_LT(error_of(ifft(x) * n, by_definition(x, 1)), 1e-14);
    EXPECT_LT(error_of(ifft(np::fft::fft(x)), x), 2e-15);
    EXPECT_LT(error_of(rfft(r), by_definition(r, -1)(np::slice(0, n / 2 + 1))), 1e-14);
    EXPECT_LT(error_of(irfft(rfft(r), {.n = n}), r), 2e-15);
    EXPECT_LT(error_of(np::fft::fft(x.astype(np::complex64)), exact), 5e-6);
    EXPECT_EQ(rfft(r.astype(np::float32)).dtype(), np::complex64);
    EXPECT_LT(error_of(rfft(r.astype(np::float32)), rfft(r)), 5e-6);
  }
}

TEST(fft, long_lines) {
  for (std::int64_t n : {1 << 16, 100003, 99225, 3 * 5 * 7 * 11 * 13 * 2}) {
    const np::array x = complex_of(n);
    EXPECT_LT(error_of(ifft(np::fft::fft(x)), x), 5e-15) << n;
    const double power = np::sum(np::square(np::abs(np::fft::fft(x, {.norm = "ortho"})))).item<double>();
    EXPECT_NEAR(power / np::sum(np::square(np::abs(x))).item<double>(), 1, 1e-12) << n;
  }
}

np::array x() { return np::sin(np::square(np::arange(24.0)) * 0.7).reshape(2, 3, 4); }

TEST(fft, against_numpy) {
  VALUE_CLOSE("np.fft.fft(np.arange(6))", 1e-13, np::fft::fft(np::arange(6)));
  VALUE_CLOSE("np.fft.fft(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4), axis=1)", 1e-13, np::fft::fft(x(), {.axis = 1}));
  VALUE_CLOSE("np.fft.fft(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4).T, n=7, axis=0, norm='ortho')", 1e-13,
              np::fft::fft(x().T(), {.n = 7, .axis = 0, .norm = "ortho"}));
  VALUE_CLOSE("np.fft.fft(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4), n=3)", 1e-13, np::fft::fft(x(), {.n = 3}));
  VALUE_CLOSE("np.fft.ifft(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4), norm='forward')", 1e-13,
              ifft(x(), {.norm = "forward"}));
  VALUE_CLOSE("np.fft.rfft(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4), n=9, axis=0)", 1e-13,
              rfft(x(), {.n = 9, .axis = 0}));
  VALUE_CLOSE("np.fft.rfft(np.arange(5), norm='forward')", 1e-13, rfft(np::arange(5), {.norm = "forward"}));
  VALUE_CLOSE("np.fft.irfft(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4))", 1e-13, irfft(x()));
  VALUE_CLOSE("np.fft.irfft(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4) * 1j, n=5, axis=1)", 1e-13,
              irfft(x() * i1, {.n = 5, .axis = 1}));
  VALUE_CLOSE("np.fft.hfft(np.arange(4) + 1j * np.arange(4))", 1e-13, hfft(np::arange(4) + np::arange(4) * i1));
  VALUE_CLOSE("np.fft.hfft(np.arange(4), n=5, norm='ortho')", 1e-13, hfft(np::arange(4), {.n = 5, .norm = "ortho"}));
  VALUE_CLOSE("np.fft.ihfft(np.arange(7), norm='forward')", 1e-13, ihfft(np::arange(7), {.norm = "forward"}));
  VALUE_CLOSE("np.fft.fft2(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4))", 1e-13, fft2(x()));
  VALUE_CLOSE("np.fft.ifft2(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4), s=(5, 2), axes=(0, 2))", 1e-13,
              ifft2(x(), {.s = {5, 2}, .axes = {0, 2}}));
  VALUE_CLOSE("np.fft.rfft2(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4), norm='ortho')", 1e-13,
              rfft2(x(), {.norm = "ortho"}));
  VALUE_CLOSE("np.fft.irfft2(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4))", 1e-13, irfft2(x()));
  VALUE_CLOSE("np.fft.fftn(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4))", 1e-13, fftn(x()));
  VALUE_CLOSE("np.fft.ifftn(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4), axes=(1,))", 1e-13, ifftn(x(), {.axes = {1}}));
  VALUE_CLOSE("np.fft.rfftn(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4), s=(4, -1, 5), axes=(0, 1, 2))", 1e-13,
              rfftn(x(), {.s = {4, -1, 5}, .axes = {0, 1, 2}}));
  VALUE_CLOSE("np.fft.irfftn(np.sin(np.arange(24.0)**2 * 0.7).reshape(2, 3, 4), s=(2, 3, 7), axes=(0, 1, 2))", 1e-13,
              irfftn(x(), {.s = {2, 3, 7}, .axes = {0, 1, 2}}));
  VALUE("np.fft.fftfreq(8, d=0.1)", fftfreq(8, 0.1));
  VALUE("np.fft.fftfreq(7)", fftfreq(7));
  VALUE("np.fft.rfftfreq(9, 0.5)", rfftfreq(9, 0.5));
  ERROR("np.fft.fftfreq(-3)", np::fft::fftfreq(-3));
  ERROR("np.fft.fftfreq(0)", np::fft::fftfreq(0));
  VALUE("np.fft.fftshift(np.arange(15).reshape(3, 5))", fftshift(np::arange(15).reshape(3, 5)));
  VALUE("np.fft.fftshift(np.arange(24).reshape(2, 3, 4))", fftshift(np::arange(24).reshape(2, 3, 4)));
  VALUE("np.fft.ifftshift(np.arange(24).reshape(2, 3, 4), axes=(0, 1))", ifftshift(np::arange(24).reshape(2, 3, 4), {0, 1}));
  VALUE("np.fft.ifftshift(np.arange(15).reshape(3, 5), axes=1)", ifftshift(np::arange(15).reshape(3, 5), 1));
  VALUE_CLOSE("np.fft.fft(np.zeros((0, 4)))", 1e-13, np::fft::fft(np::zeros({0, 4})));
  EXPECT_EQ(np::fft::fft(np::ones(4, np::float16)).dtype(), np::complex64);
  EXPECT_EQ(irfft(np::ones(4, np::complex64)).dtype(), np::float32);
  np::array out = np::zeros(4, np::complex128);
  EXPECT_EQ(np::fft::fft(np::arange(4), {.out = out}).get(), out.get());
  EXPECT_TRUE(np::array_equal(out, np::fft::fft(np::arange(4))));
}

TEST(fft, errors) {
  ERROR("np.fft.fft(np.ones(3), n=0)", np::fft::fft(np::ones(3), {.n = 0}));
  ERROR("np.fft.fft(np.ones(3), norm='x')", np::fft::fft(np::ones(3), {.norm = "x"}));
  ERROR("np.fft.ifft(np.ones(3), norm='x')", ifft(np::ones(3), {.norm = "x"}));
  ERROR("np.fft.fft(np.ones(3), axis=1)", np::fft::fft(np::ones(3), {.axis = 1}));
  ERROR("np.fft.fft(np.array(1.0))", np::fft::fft(np::array(1.0)));
  ERROR("np.fft.fft(np.zeros(0))", np::fft::fft(np::zeros(0)));
  ERROR("np.fft.irfft(np.ones(1))", irfft(np::ones(1)));
  ERROR("np.fft.rfft(np.ones(4) * 1j)", rfft(np::ones(4) * i1));
  ERROR("np.fft.fftn(np.ones((2, 2)), s=(2,), axes=(0, 1))", fftn(np::ones({2, 2}), {.s = {2}, .axes = {0, 1}}));
}

TEST(fft, is_part_of_graphs) {
  auto body = [](const np::array& a) {
    const np::array spectrum = rfft2(a * 2.0);
    return irfft2(spectrum * np::exp(-np::abs(spectrum)), {.s = {a.shape(0), a.shape(1)}, .axes = {0, 1}}) + fftfreq(a.shape(1));
  };
  auto f = np::compile(body, {.fullgraph = true});
  for (int n : {8, 8, 6, 7, 8}) {
    const np::array a = np::sin(np::square(np::arange(double(n * n)))).reshape(n, n);
    EXPECT_TRUE(np::array_equal(f(a), body(a))) << n;
  }
}

/// Each line of a transform along `axis` has the bits that it gets alone, whatever lines lie beside it.
void expect_lines_alone(const np::array& a, const std::function<np::array(const np::array&, int)>& transform) {
  const np::array rows = transform(a, 1), columns = transform(a.T(), 0);
  for (std::int64_t i = 0; i < a.shape(0); ++i) {
    const np::array alone = transform(a(i), 0);
    EXPECT_TRUE(np::array_equal(rows(i), alone, {.equal_nan = true})) << a.shape(1) << " " << a.dtype() << " row " << i;
    EXPECT_TRUE(np::array_equal(columns(np::_, i), alone, {.equal_nan = true}))
        << a.shape(1) << " " << a.dtype() << " column " << i;
  }
}

TEST(fft, lines_side_by_side_have_the_bits_of_lines_alone) {
  const std::function<np::array(const np::array&, int)> transforms[] = {
      [](const np::array& a, int axis) { return fft(a, {.axis = axis}); },
      [](const np::array& a, int axis) { return ifft(a, {.axis = axis}); },
      [](const np::array& a, int axis) { return fft(a, {.n = 12, .axis = axis, .norm = "ortho"}); },
      [](const np::array& a, int axis) { return irfft(a, {.axis = axis}); },
      [](const np::array& a, int axis) { return hfft(a, {.n = 21, .axis = axis}); },
  };
  for (const std::int64_t lines : {1, 3, 8, 16, 19, 37})
    for (const std::int64_t n : {2, 3, 4, 5, 8, 15, 16, 53, 60, 107, 128}) {
      const np::array x = real_of(lines * n).reshape(lines, n), z = x + i1 * np::cos(x * 3.0);
      for (const np::dtype& type : {np::float64, np::float32, np::complex128, np::complex64}) {
        const np::array a = (type == np::float64 || type == np::float32 ? x : z).astype(type);
        for (const auto& transform : transforms) expect_lines_alone(a, transform);
        expect_lines_alone(a(np::_, np::slice(np::none, np::none, -1)), transforms[0]);
        if (a.dtype() == np::float64 || a.dtype() == np::float32)
          expect_lines_alone(a, [](const np::array& b, int axis) { return rfft(b, {.axis = axis}); });
      }
    }
}

TEST(fft, threads_change_no_bit) {
  const np::array a = real_of(300 * 211).reshape(300, 211);
  np::array one;
  {
    np::config_scope scope({.threads = 1});
    one = fft2(a);
  }
  np::config_scope scope({.threads = 4});
  EXPECT_TRUE(np::array_equal(fft2(a), one));
}

}  // namespace
