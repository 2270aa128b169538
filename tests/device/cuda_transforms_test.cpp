// Fourier transforms through cuFFT, over the recording driver and a cuFFT that computes on the host.
#include <complex>
#include <string>

#include <numjit/np_fft.h>

#include <device/cuda_layer.h>

namespace {

namespace np = numjit;
using numjit::testing::count_of;
using numjit::testing::fake;

class CudaTransforms : public numjit::testing::OverFakeCuda {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_CODE_GENERATOR();
    OverFakeCuda::SetUp();
  }
};

np::array signal(std::int64_t rows, std::int64_t n, const np::dtype& type) {
  np::array x = np::sin(np::arange(static_cast<double>(rows * n)));
  if (type.kind() == 'c') x = x + np::cos(np::arange(static_cast<double>(rows * n))) * std::complex<double>(0.0, 1.0);
  return np::reshape(x.astype(type), {rows, n});
}

template <class F>
void expect_transform(const F& f, const np::array& x, const char* plan, const char* call) {
  auto compiled = np::compile(f);
  const np::array want = f(x), g = x.to("cuda");
  fake().reset();
  const np::array got = compiled(g);
  EXPECT_EQ(count_of(plan), 1) << fake().log();
  EXPECT_EQ(count_of(call), 1) << fake().log();
  EXPECT_EQ(count_of("cuLaunchKernel"), 0);
  EXPECT_EQ(got.dtype(), want.dtype());
  EXPECT_TRUE(np::allclose(got.to("cpu"), want, {.rtol = 1e-4, .atol = 1e-4})) << got.str() << "\nfor\n" << want.str();
  fake().reset();
  EXPECT_TRUE(np::allclose(compiled(g).to("cpu"), want, {.rtol = 1e-4, .atol = 1e-4}));
  EXPECT_EQ(count_of("cufftMakePlan"), 0);  // it is kept
}

// Where lines lie one after the other and there is no factor, the library reads and writes the arrays themselves.
TEST_F(CudaTransforms, HaveTheirOwnCalls) {
  auto forward = [](const np::array& a) { return np::fft::fft(a); };
  auto back = [](const np::array& a) { return np::fft::ifft(a, {.norm = "forward"}); };
  auto half = [](const np::array& a) { return np::fft::rfft(a); };
  expect_transform(forward, signal(3, 8, np::complex64), "cufftMakePlanMany64 type 29 8 times 3",
                   "cufftExecC2C 8 times 3 way -1");
  expect_transform(forward, signal(1, 15, np::complex128), "cufftMakePlanMany64 type 69 15 times 1",
                   "cufftExecZ2Z 15 times 1 way -1");
  expect_transform(back, signal(2, 9, np::complex64), "cufftMakePlanMany64 type 29 9 times 2", "cufftExecC2C 9 times 2 way 1");
  expect_transform(half, signal(4, 6, np::float32), "cufftMakePlanMany64 type 2a 6 times 4", "cufftExecR2C 6 times 4");
  expect_transform(half, signal(4, 7, np::float64), "cufftMakePlanMany64 type 6a 7 times 4", "cufftExecD2Z 7 times 4");
}

TEST_F(CudaTransforms, BackToRealNumbersFromACopy) {
  auto f = np::compile([](const np::array& a) { return np::fft::irfft(a, {.norm = "forward"}); });
  for (const np::dtype& type : {np::dtype(np::complex64), np::dtype(np::complex128)}) {
    const np::array g = signal(3, 5, type).to("cuda");
    fake().reset();
    (void)f(g);
    EXPECT_EQ(count_of(type == np::complex64 ? "cufftMakePlanMany64 type 2c 8 times 3" : "cufftMakePlanMany64 type 6c 8 times 3"),
              1)
        << fake().log();
    EXPECT_EQ(count_of(type == np::complex64 ? "cufftExecC2R 8 times 3" : "cufftExecZ2D 8 times 3"), 1) << fake().log();
    EXPECT_GE(count_of("cuLaunchKernel"), 1);
  }
}

TEST_F(CudaTransforms, PlansAreKeptUpToANumber) {
  auto f = np::compile([](const np::array& a) { return np::fft::fft(a); });
  for (std::int64_t n = 20; n < 32; ++n) (void)f(signal(2, n, np::complex128).to("cuda"));
  fake().reset();
  (void)f(signal(2, 31, np::complex128).to("cuda"));
  EXPECT_EQ(count_of("cufftCreate"), 0);
  (void)f(signal(2, 20, np::complex128).to("cuda"));
  EXPECT_EQ(count_of("cufftCreate"), 1);
  EXPECT_EQ(count_of("cufftDestroy"), 1);
}

TEST_F(CudaTransforms, ErrorsAreTheCalls) {
  auto f = np::compile([](const np::array& a) { return np::fft::fft(a); });
  std::int64_t n = 40;
  const char* const names[] = {"",
                               "CUFFT_INVALID_PLAN",
                               "CUFFT_ALLOC_FAILED",
                               "CUFFT_INVALID_TYPE",
                               "CUFFT_INVALID_VALUE",
                               "CUFFT_INTERNAL_ERROR",
                               "CUFFT_EXEC_FAILED",
                               "CUFFT_SETUP_FAILED",
                               "CUFFT_INVALID_SIZE"};
  for (const char* call : {"cufftCreate", "cufftMakePlanMany64", "cufftSetStream", "cufftExecZ2Z"})
    for (const int code : {1, 2, 5, 6, 7, 8}) {
      const np::array g = signal(2, ++n, np::complex128).to("cuda");
      fake().fail(call, 1, code);
      try {
        (void)f(g);
        ADD_FAILURE() << "no error of " << call;
      } catch (const np::DeviceError& e) {
        EXPECT_EQ(std::string(e.what()),
                  std::string("[device] cuda:0: ") + call + " failed: " + names[code] + " (" + std::to_string(code) + ").");
      }
      fake().fail("", 0, 0);
      EXPECT_EQ(f(g).device(), "cuda:0");
    }
}

}  // namespace
