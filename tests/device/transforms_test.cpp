// Fourier transforms by a library: lines cut off or filled up, axes, factors, and real ones on both sides; and the calls of
// cuFFT over the recording driver.
#include <complex>
#include <functional>
#include <string>

#include <numjit/np_fft.h>

#include <device/library_device.h>

namespace {

namespace np = numjit;
using numjit::testing::HostTransforms;

class LibraryTransforms : public numjit::testing::OnLibraries {};

np::array numbers(const np::dims& shape, const np::dtype& type) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  np::array x = numjit::testing::numbers(n);
  if (type.kind() == 'c') x = x + np::cos(np::arange(static_cast<double>(n))) * std::complex<double>(0.0, 1.0);
  return np::reshape(x.astype(type), shape);
}

void expect_there(const std::function<np::array(const np::array&)>& f, const np::array& x, int calls = 1) {
  auto compiled = np::compile(f);
  const np::array want = f(x);
  const np::array there = x.to(np::testing::library_name());
  const std::int64_t before = numjit::testing::host_work();
  HostTransforms::calls = 0;
  const np::array got = compiled(there);
  EXPECT_EQ(numjit::testing::host_work(), before) << np::device_host_work().front().op;
  numjit::testing::expect_library_calls(HostTransforms::calls, calls);
  EXPECT_EQ(got.device(), np::testing::library_name());
  ASSERT_EQ(got.dtype(), want.dtype());
  ASSERT_EQ(got.shape(), want.shape());
  const double tolerance = want.dtype().itemsize() / (want.dtype().kind() == 'c' ? 2 : 1) == 4 ? 1e-4 : 1e-11;
  EXPECT_TRUE(np::allclose(got.to("cpu"), want, {.rtol = tolerance, .atol = tolerance})) << got.str() << "\nfor\n" << want.str();
  EXPECT_TRUE(np::array_equal(there.to("cpu"), x));  // nothing was written to
}

TEST_F(LibraryTransforms, OfAllKinds) {
  for (const std::int64_t n : {1, 2, 7, 12}) {
    SCOPED_TRACE(n);
    for (const np::dtype& type :
         {np::dtype(np::float32), np::dtype(np::float64), np::dtype(np::complex64), np::dtype(np::complex128)}) {
      SCOPED_TRACE(std::string(type.name()));
      const np::array x = numbers({5, n}, type);
      expect_there([](const np::array& a) { return np::fft::fft(a); }, x);
      expect_there([](const np::array& a) { return np::fft::ifft(a); }, x);
      if (type.kind() == 'f') expect_there([](const np::array& a) { return np::fft::rfft(a); }, x);
      if (n > 1) expect_there([](const np::array& a) { return np::fft::irfft(a); }, x);
      expect_there([n](const np::array& a) { return np::fft::irfft(a, {.n = 2 * n - 1}); }, x);
    }
  }
}

TEST_F(LibraryTransforms, AlongAxesCutOffAndFilledUp) {
  const np::array x = numbers({4, 6, 5}, np::float64), z = numbers({4, 6, 5}, np::complex128);
  for (const int axis : {0, 1, 2, -1})
    for (const std::int64_t n : {3, 6, 9}) {
      SCOPED_TRACE(std::to_string(axis) + " " + std::to_string(n));
      expect_there([=](const np::array& a) { return np::fft::fft(a, {.n = n, .axis = axis}); }, z);
      expect_there([=](const np::array& a) { return np::fft::rfft(a, {.n = n, .axis = axis}); }, x);
      expect_there([=](const np::array& a) { return np::fft::irfft(a, {.n = n, .axis = axis}); }, z);
    }
  expect_there(
      [](const np::array& a) { return np::fft::fft(a(np::slice(np::none, np::none, -1), np::slice(0, 6, 2)), {.axis = 1}); }, x);
  expect_there([](const np::array& a) { return np::fft::fft(a.T() * 2.0, {.norm = "ortho"}) + 1.0; }, z);
  expect_there([](const np::array& a) { return np::fft::ifft(a, {.norm = "forward"}); }, z);
  expect_there([](const np::array& a) { return np::fft::fftn(a); }, x, 3);
}

}  // namespace
