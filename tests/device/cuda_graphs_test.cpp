// Calls that come again, over the recording CUDA driver: one graph in place of their launches, made anew when something
// changed, with nothing used after its end; and each error of the calls that make one.
#include <string>
#include <thread>

#include <numjit/np_cuda_graphs.h>

#include <device/cuda_layer.h>

namespace {

namespace np = numjit;
using numjit::testing::calls;
using numjit::testing::count_of;
using numjit::testing::fake;

class CudaGraphs : public numjit::testing::OverFakeCuda {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_CODE_GENERATOR();
    OverFakeCuda::SetUp();
    np::cuda::use_graphs(true);
    np::reset();  // functions of one place share their graphs: those of the test before
  }
  void TearDown() override { np::cuda::use_graphs(true); OverFakeCuda::TearDown(); }
};

auto softmax(double scale) {
  return np::compile([scale](const np::array& x) {
    const np::array e = np::exp((x - np::max(x, {.axis = 1, .keepdims = true})) * scale);
    return e / np::sum(e, {.axis = 1, .keepdims = true});
  });
}
np::array matrix(std::int64_t rows, std::int64_t columns) {
  return np::reshape(np::arange(static_cast<double>(rows * columns)), {rows, columns}).to("cuda");
}
/// The result of a call that has come so often that it has its graphs.
template <class F>
np::array settled(F& f, const np::array& g) {
  np::array y = f(g);
  for (int i = 0; i < 8; ++i) y = f(g);
  return y;
}

TEST_F(CudaGraphs, ACallThatComesAgainIsOneLaunch) {
  auto f = softmax(1.0);
  const np::array g = matrix(32, 100);
  np::array y = f(g);
  fake().reset();
  y = f(g);
  const int kernels = count_of("cuLaunchKernel");
  ASSERT_GE(kernels, 2);
  // Results go to two places in turn; each has its graph after it came twice.
  for (int i = 0; i < 8; ++i) y = f(g);
  EXPECT_EQ(count_of("cuStreamBeginCapture"), 2);
  EXPECT_EQ(count_of("cuGraphInstantiateWithFlags " + std::to_string(kernels)), 2);
  EXPECT_EQ(count_of("cuGraphDestroy"), 2);
  fake().reset();
  const auto before = np::cuda::count_graphs();
  for (int i = 0; i < 6; ++i) y = f(g);
  const std::vector<std::string> list = calls();
  ASSERT_EQ(list.size(), 6u);
  for (const std::string& line : list) EXPECT_EQ(line.rfind("cuGraphLaunch s", 0), 0u) << line;
  EXPECT_EQ(np::cuda::count_graphs().repeated, before.repeated + 6);
  EXPECT_EQ(np::cuda::count_graphs().launched, before.launched + 6);
  EXPECT_EQ(y.device(), "cuda:0");
  (void)y.to("cpu");
  EXPECT_EQ(calls().back().rfind("cuStreamSynchronize", 0), 0u) << calls().back();
}

TEST_F(CudaGraphs, TheOrderIsThatOfThePlainLaunches) {
  auto f = softmax(2.0);
  const np::array g = matrix(16, 2500);
  np::array y = f(g);
  fake().reset();
  y = f(g);
  std::vector<std::string> plain;
  for (const std::string& line : calls())
    if (line.rfind("cuLaunchKernel", 0) == 0) plain.push_back(line);
  fake().reset();
  while (count_of("cuStreamEndCapture") == 0) y = f(g);
  std::vector<std::string> captured;
  bool within = false;
  for (const std::string& line : calls()) {
    if (line.rfind("cuStreamEndCapture", 0) == 0) within = false;
    if (within) captured.push_back(line);
    if (line.rfind("cuStreamBeginCapture", 0) == 0) within = true;
  }
  EXPECT_EQ(captured, plain);  // and nothing in between
}

TEST_F(CudaGraphs, WhatChangedIsCapturedAnew) {
  auto f = np::compile([](const np::array& x, double by) {
    const np::array e = np::exp(x * by);
    return e / np::sum(e, {.axis = 1, .keepdims = true});
  });
  const np::array a = matrix(20, 30), b = matrix(20, 30), wide = matrix(20, 40);
  np::array y;
  auto settle = [&](const np::array& x, double by) {
    for (int i = 0; i < 8; ++i) y = f(x, by);
    fake().reset();
    y = f(x, by);
    EXPECT_EQ(calls().size(), 1u);
    EXPECT_EQ(count_of("cuGraphLaunch"), 1);
    fake().reset();
  };
  settle(a, 0.5);
  y = f(b, 0.5);  // another array
  EXPECT_EQ(count_of("cuGraphLaunch"), 0);
  EXPECT_GE(count_of("cuLaunchKernel"), 2);
  settle(b, 0.5);
  y = f(b, 0.25);  // another number
  EXPECT_EQ(count_of("cuGraphLaunch"), 0);
  settle(b, 0.25);
  y = f(wide, 0.25);  // another shape
  EXPECT_EQ(count_of("cuGraphLaunch"), 0);
  settle(wide, 0.25);
  np::config_scope fast({.float_mode = np::float_mode::fast});
  y = f(wide, 0.25);  // other kernels
  EXPECT_EQ(count_of("cuGraphLaunch"), 0);
}

TEST_F(CudaGraphs, ArgumentsOfTheHostArriveFirst) {
  auto f = softmax(3.0);
  np::array g = matrix(8, 50);
  np::array y = settled(f, g);
  g.data<double>()[3] = 1.0;  // the device's copy is stale
  fake().reset();
  y = f(g);
  const std::vector<std::string> list = calls();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].rfind("cuMemcpyHtoDAsync 3200", 0), 0u) << list[0];
  EXPECT_EQ(list[1].rfind("cuGraphLaunch", 0), 0u) << list[1];
}

TEST_F(CudaGraphs, AnotherThreadsArrayIsWaitedFor) {
  auto f = softmax(4.0);
  auto shift = np::compile([](np::array& x) { x += 1.0; });
  np::array g = matrix(8, 60);
  np::array y = settled(f, g);
  std::thread([&] { shift(g); }).join();
  fake().reset();
  y = f(g);
  const std::vector<std::string> list = calls();
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list[2].rfind("cuStreamWaitEvent", 0), 0u) << list[2];
  EXPECT_EQ(list[4].rfind("cuGraphLaunch", 0), 0u) << list[4];
}

TEST_F(CudaGraphs, TheSwitchTurnsThemOff) {
  auto f = softmax(5.0);
  const np::array g = matrix(8, 70);
  np::cuda::use_graphs(false);
  EXPECT_FALSE(np::cuda::uses_graphs());
  np::array y = settled(f, g);
  EXPECT_EQ(count_of("cuStreamBeginCapture"), 0);
  EXPECT_EQ(count_of("cuGraphLaunch"), 0);
  np::cuda::use_graphs(true);
  for (int i = 0; i < 8; ++i) y = f(g);
  EXPECT_GT(count_of("cuGraphLaunch"), 0);
  fake().reset();
  {
    np::config_scope one_by_one({.cuda_graphs = false});
    y = f(g);
  }
  EXPECT_EQ(count_of("cuGraphLaunch"), 0);
  np::config().cuda_graphs = false;
  EXPECT_FALSE(np::cuda::uses_graphs());
  y = f(g);
  EXPECT_EQ(count_of("cuGraphLaunch"), 0);
}

TEST_F(CudaGraphs, WhatReadsTheHostIsNotCaptured) {
  const np::array edges = np::arange(3.0).to("cuda");
  auto f = np::compile([&](const np::array& x) {
    const np::array s = np::digitize(np::exp(x) * 2.0, edges);  // whose edges are read
    return s / np::sum(s);
  });
  const np::array g = matrix(1, 90);
  np::array y = settled(f, g);
  EXPECT_EQ(count_of("cuStreamBeginCapture"), 0);
  // Nor are calls whose arguments come from the host.
  auto soft = softmax(6.0);
  const np::array x = g.to("cpu");
  np::device scope("cuda");
  for (int i = 0; i < 8; ++i) y = soft(x);
  EXPECT_EQ(count_of("cuStreamBeginCapture"), 0);
}

TEST_F(CudaGraphs, GraphsGoWithTheirFunctionAndWhenMemoryIsShort) {
  np::trim_device_memory("cuda");
  const np::array g = matrix(100, 3000);
  const int graphs = fake().count().graphs;
  {
    auto f = softmax(7.0);
    np::array y = f(g);
    for (int i = 0; i < 8; ++i) y = f(g);
    EXPECT_EQ(fake().count().graphs, graphs + 2);
    // Temporaries stay with their graphs: a trim takes them along at the next call.
    np::trim_device_memory("cuda");
    y = f(g);
    EXPECT_EQ(fake().count().graphs, graphs);
    for (int i = 0; i < 8; ++i) y = f(g);
    EXPECT_EQ(fake().count().graphs, graphs + 2);
  }
  np::reset();
  (void)np::compile([](const np::array& x) { return x + 2.5; })(g);  // lets go of functions that are gone
  EXPECT_EQ(fake().count().graphs, graphs);
}

TEST_F(CudaGraphs, NothingIsHeldBeyondAShareOfTheMemory) {
  auto f = softmax(8.0);
  const np::array g = matrix(100, 3100);
  np::set_device_memory_limit("cuda", 64 << 20);  // of which 2 MiB may be held; the temporary takes 2.4 MB
  np::array y = settled(f, g);
  EXPECT_EQ(count_of("cuGraphLaunch"), 0);
  np::set_device_memory_limit("cuda", 0);
}

// The library of the tests computes, so that what a graph does is seen in its results.
TEST_F(CudaGraphs, ProductsAreCaptured) {
  auto f = np::compile([](const np::array& x, const np::array& w) { return np::matmul(np::matmul(x, w), w); });
  const np::array x = np::reshape(np::arange(12.0), {3, 4}), w = np::reshape(np::arange(16.0), {4, 4}) - 7.0;
  const np::array there = x.to("cuda"), weights = w.to("cuda");
  np::array y;
  for (int i = 0; i < 9; ++i) y = f(there, weights);
  fake().reset();
  y = f(there, weights);
  EXPECT_EQ(calls().size(), 1u) << fake().log();
  EXPECT_EQ(count_of("cuGraphLaunch"), 1);
  EXPECT_TRUE(np::array_equal(y.to("cpu"), np::matmul(np::matmul(x, w), w)));
  np::array changed = x + 1.0;
  there.data<double>()[0] = 5.0;  // by the host: it arrives before the graph
  y = f(there, weights);
  EXPECT_EQ(count_of("cuGraphLaunch"), 2);
  changed = x.copy();
  changed(0, 0) = 5.0;
  EXPECT_TRUE(np::array_equal(y.to("cpu"), np::matmul(np::matmul(changed, w), w)));
}

TEST_F(CudaGraphs, TransformsAreCapturedAndKeepTheirPlans) {
  auto f = np::compile([](const np::array& x) { return np::fft::fft(np::fft::fft(x)); });
  const np::array x = np::reshape(np::arange(24.0), {2, 12}).astype(np::complex128), g = x.to("cuda");
  np::array y;
  for (int i = 0; i < 9; ++i) y = f(g);
  // Eight more sizes, as many as the layer keeps plans of: this one lives on with its graphs.
  const int destroyed = count_of("cufftDestroy");
  for (std::int64_t n = 3; n < 11; ++n)
    (void)np::compile([](const np::array& a) { return np::fft::fft(a); })(np::ones({n}, {.dtype = np::complex128}).to("cuda"));
  EXPECT_EQ(count_of("cufftDestroy"), destroyed);
  fake().reset();
  y = f(g);
  EXPECT_EQ(calls().size(), 1u) << fake().log();
  EXPECT_EQ(count_of("cuGraphLaunch"), 1);
  EXPECT_TRUE(np::allclose(y.to("cpu"), np::fft::fft(np::fft::fft(x))));
}

TEST_F(CudaGraphs, ALibraryThatRefusesACaptureIsCalledEachTime) {
  for (const char* function : {"cublasGemmEx", "cufftExecZ2Z"}) {
    SCOPED_TRACE(function);
    const bool product = std::string(function) == "cublasGemmEx";
    auto f = np::compile([product](const np::array& x) {
      return product ? np::matmul(np::matmul(x, x), x) : np::fft::fft(np::fft::fft(x));
    });
    const np::array x = np::reshape(np::arange(16.0), {4, 4}).astype(product ? np::float64 : np::complex128), g = x.to("cuda");
    const auto before = np::cuda::count_graphs();
    np::array y = f(g);
    fake().reset();
    while (count_of("cuStreamBeginCapture") == 0) {
      fake().fail(function, 3, 13);  // two calls as they are, then those of a capture
      y = f(g);
    }
    fake().fail("", 0, 0);
    EXPECT_EQ(np::cuda::count_graphs().refused, before.refused + 1);
    for (int i = 0; i < 8; ++i) y = f(g);
    EXPECT_EQ(count_of("cuGraphLaunch"), 0);
    fake().reset();
    y = f(g);
    EXPECT_EQ(calls().size(), 2u) << fake().log();  // and nothing else
    EXPECT_EQ(count_of(function), 2);
    EXPECT_TRUE(np::allclose(y.to("cpu"), product ? np::matmul(np::matmul(x, x), x) : np::fft::fft(np::fft::fft(x))));
  }
}

TEST_F(CudaGraphs, DecompositionsAreNotCaptured) {
  auto f = np::compile([](const np::array& x, const np::array& b) { return np::matmul(np::linalg::solve(x, b), b); });
  const np::array x = (np::eye(3) * 2.0).to("cuda"), b = np::ones({3, 3}).to("cuda");
  np::array y;
  for (int i = 0; i < 8; ++i) y = f(x, b);
  EXPECT_EQ(count_of("cuStreamBeginCapture"), 0);
}

// Each error of each call: the kernels are launched one by one, and nothing stays behind.
TEST_F(CudaGraphs, WhereNoGraphIsToBeHadKernelsAreLaunched) {
  const np::array g = matrix(12, 80);
  const char* const functions[] = {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiateWithFlags", "cuGraphLaunch"};
  double scale = 10.0;
  for (const char* function : functions)
    for (const int code : numjit::testing::cuda_errors) {
      const std::string what = std::string(function) + " " + std::to_string(code);
      SCOPED_TRACE(what);
      const auto before = np::cuda::count_graphs();
      np::reset();  // or the function goes on with the graphs of the round before
      auto f = np::compile([scale](const np::array& x) {
        const np::array e = np::exp(x * scale);
        return e / np::sum(e, {.axis = 1, .keepdims = true});
      });
      scale += 1.0;
      np::array y = f(g);
      const int graphs = fake().count().graphs;  // the last function is gone
      fake().reset();
      fake().fail(function, 1, code);
      for (int i = 0; i < 10; ++i) y = f(g);
      EXPECT_EQ(np::cuda::count_graphs().refused, before.refused + 1);
      EXPECT_GT(np::cuda::count_graphs().repeated, before.repeated);
      const bool at_launch = std::string(function) == "cuGraphLaunch";
      EXPECT_EQ(fake().count().graphs, graphs + (at_launch ? 1 : 0));  // one of two places had its graph before
      fake().fail("", 0, 0);
      fake().reset();
      y = f(g);
      y = f(g);
      EXPECT_GE(count_of("cuLaunchKernel"), at_launch ? 2 : 4);
      EXPECT_EQ(count_of("cuStreamBeginCapture"), 0);  // not tried again
    }
}

// A device that is gone is an error, of the launches.
TEST_F(CudaGraphs, ALostDeviceIsAnError) {
  auto f = softmax(9.0);
  const np::array g = matrix(12, 85);
  np::array y = settled(f, g);
  fake().fail("cuGraphLaunch", 0, 700);
  fake().fail("cuLaunchKernel", 0, 700);
  try {
    y = f(g);
    ADD_FAILURE() << "no error";
  } catch (const np::DeviceError& e) {
    EXPECT_EQ(std::string(e.what()),
              "[device] cuda:0: cuLaunchKernel failed: CUDA_ERROR_700 (700): an error of the fake. The device does nothing more "
              "for this process: start it again. Arrays whose value is on the host are safe.");
  }
  fake().fail("", 0, 0);
  y = f(g);
  EXPECT_EQ(y.device(), "cuda:0");
}

TEST_F(CudaGraphs, KernelsThatFailInACaptureEndIt) {
  auto f = softmax(11.0);
  const np::array g = matrix(12, 95);
  np::array y = f(g);
  fake().reset();
  y = f(g);
  const int kernels = count_of("cuLaunchKernel");
  // The next call is kept: its launches come once as they are, then for the capture.
  fake().fail("cuLaunchKernel", 2 * kernels + 1, 1);
  const auto before = np::cuda::count_graphs();
  for (int i = 0; i < 8; ++i) y = f(g);
  EXPECT_EQ(np::cuda::count_graphs().refused, before.refused + 1);
  EXPECT_EQ(count_of("cuStreamBeginCapture"), count_of("cuStreamEndCapture"));
  EXPECT_EQ(count_of("cuGraphInstantiate"), 0);
}

}  // namespace
