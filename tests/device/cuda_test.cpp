// The CUDA layer over a driver that records: order of work, lifetimes of what it is given, and each error.
#include <cstring>
#include <thread>

#include <numjit/base/buffer_pool.h>
#include <numjit/np_cuda_graphs.h>

#include <device/cuda_layer.h>

namespace {

namespace np = numjit;
using numjit::testing::calls;
using numjit::testing::count_of;
using numjit::testing::fake;

class CudaLayer : public numjit::testing::OverFakeCuda {
 protected:
  void SetUp() override {
    OverFakeCuda::SetUp();
    np::cuda::use_graphs(false);  // they have tests of their own
  }
  void TearDown() override {
    np::cuda::use_graphs(true);
    OverFakeCuda::TearDown();
  }
};

TEST_F(CudaLayer, InfoTellsWhatThereIs) {
  const auto info = np::cuda::info();
  ASSERT_TRUE(info.available) << info.reason;
  ASSERT_EQ(info.devices.size(), 2u);
  EXPECT_EQ(info.devices[1].name, "cuda:1");
  EXPECT_EQ(info.devices[0].capability, 90);
  EXPECT_EQ(info.str().substr(0, 43), "CUDA: CUDA 12.8\n  cuda:0  Fake GPU 0, sm_90");
}

TEST_F(CudaLayer, CopiesGoThroughPinnedMemoryInPieces) {
  const np::array x = np::arange(3e6 / 2);  // 12 MB: three pieces of 4 MiB
  const np::array g = x.to("cuda");
  EXPECT_EQ(count_of("cuMemcpyHtoDAsync 4194304 pinned"), 2);
  EXPECT_EQ(count_of("cuMemcpyHtoDAsync"), 3);
  fake().reset();
  EXPECT_EQ(std::memcmp(g.to("cpu").raw_data(), x.raw_data(), static_cast<std::size_t>(x.nbytes())), 0);
  EXPECT_EQ(count_of("cuMemcpyDtoHAsync"), 3);
  EXPECT_EQ(count_of("cuStreamSynchronize"), 0);  // events of the pieces are enough
  // Small ones go as they are; the source may change at once.
  np::array small = np::arange(5.0);
  const np::array there = small.to("cuda");
  small(np::_) = 7.0;
  EXPECT_EQ(there.str(), "[0. 1. 2. 3. 4.]");
}

TEST_F(CudaLayer, KernelsOfASegmentFollowEachOther) {
  SKIP_WITHOUT_CODE_GENERATOR();
  auto f = np::compile([](const np::array& x) {
    const np::array e = np::exp(x - np::max(x, {.axis = 1, .keepdims = true}));
    return e / np::sum(e, {.axis = 1, .keepdims = true});
  });
  const np::array g = np::reshape(np::arange(3200.0), {32, 100}).to("cuda");
  np::array y = f(g);
  y = f(g);  // modules are loaded, and there is memory for a result beside the last one
  fake().reset();
  y = f(g);
  EXPECT_EQ(y.device(), "cuda:0");
  EXPECT_EQ(y.shape(), (np::dims{32, 100}));
  const std::vector<std::string> list = calls();
  EXPECT_GE(list.size(), 2u);
  for (const std::string& line : list)
    EXPECT_TRUE(line.rfind("cuLaunchKernel", 0) == 0) << line << " between kernels";
  (void)y.to("cpu");
  EXPECT_EQ(calls().back().rfind("cuStreamSynchronize", 0), 0u) << calls().back();
}

/// Only the first axis of a grid may be long: the driver refuses others beyond 65,535 blocks.
TEST_F(CudaLayer, GridsOfManyRows) {
  SKIP_WITHOUT_CODE_GENERATOR();
  auto nearest = np::compile([](const np::array& p, const np::array& c) {
    const np::array d = p(np::_, np::newaxis) - c(np::newaxis);
    return np::argmin(np::sum(d * d, {.axis = -1}), {.axis = 1});
  });
  EXPECT_EQ(nearest(np::zeros({1100000, 2}, np::float32).to("cuda"), np::zeros({3, 2}, np::float32).to("cuda")).size(), 1100000);
  auto twice = np::compile([](const np::array& a, const np::array& b) { return a * b; });
  for (const auto& [rows, columns] : {std::pair{2200000, 4}, {600000, 33}})
    EXPECT_EQ(twice(np::zeros({rows, columns}, np::int8).to("cuda"), np::zeros({columns}, np::int8).to("cuda")).shape(0), rows);
  auto sums = np::compile([](const np::array& a) { return np::sum(a, {.axis = -1}); });
  for (const np::dims& shape : {np::dims{70000, 9, 2}, np::dims{70000, 9, 40}, np::dims{70000, 40, 2}})
    EXPECT_EQ(sums(np::zeros(shape, np::int8).to("cuda")).size(), shape[0] * shape[1]);
}

TEST_F(CudaLayer, ModulesLiveAsLongAsTheirKernels) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const np::array g = np::arange(10.0).to("cuda");
  const int before = fake().count().modules;
  {
    auto f = np::compile([](const np::array& x) { return np::log1p(x) * 3.25; });
    (void)f(g);
    (void)f(g);
    EXPECT_EQ(fake().count().modules, before + 1);
  }
  np::reset();
  (void)np::compile([](const np::array& x) { return x + 1.5; })(g);  // lets go of functions that are gone
  EXPECT_LE(fake().count().modules, before + 2);
}

TEST_F(CudaLayer, MemoryIsKeptGivenBackAndTriedAgain) {
  np::trim_device_memory("cuda");
  const auto none = fake().count();
  {
    const np::array a = np::zeros({100000}).to("cuda"), b = np::zeros({100000}).to("cuda");
    EXPECT_EQ(fake().count().device_blocks, none.device_blocks + 2);
  }
  EXPECT_EQ(fake().count().device_blocks, none.device_blocks + 2);  // kept
  fake().reset();
  { const np::array a = np::zeros({100000}).to("cuda"); }
  EXPECT_EQ(count_of("cuMemAlloc"), 0);
  fake().memory(fake().count().device_bytes + 1000);
  // No room: what is kept goes, and it is tried again.
  { const np::array a = np::zeros({150000}).to("cuda"); }
  EXPECT_EQ(count_of("cuMemAlloc"), 2);
  EXPECT_EQ(count_of("cuMemFree"), 2);
  EXPECT_THROW((void)np::zeros({1 << 20}).to("cuda"), np::MemoryError);
  fake().memory(std::size_t{1} << 30);
  np::trim_device_memory("cuda");
  EXPECT_EQ(fake().count().device_blocks, none.device_blocks);
}

// Drivers ask for the device's context on each thread, also where something is only given back.
TEST_F(CudaLayer, MemoryIsGivenBackByThreadsThatNeverAskedTheDevice) {
  { const np::array a = np::ones(100000).to("cuda"); }
  const std::size_t before = fake().count().device_bytes;
  std::thread([] { np::trim_device_memory("cuda"); }).join();
  EXPECT_LE(fake().count().device_bytes, before - 800000);
}

TEST_F(CudaLayer, ArraysOfTwoDevicesAreAnError) {
  const np::array a = np::arange(3.0).to("cuda:0"), b = np::arange(3.0).to("cuda:1");
  try {
    (void)(a + b);
    ADD_FAILURE() << "no error";
  } catch (const np::DeviceError& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, 63), "[add] arrays on different devices: got cuda:0 and cuda:1, expec");
  }
  EXPECT_EQ(b.to("cuda:0").device(), "cuda:0");
}

// Each error of each call: a DeviceError that names both; afterwards all works, and nothing is lost or leaked.
TEST_F(CudaLayer, ErrorsOfTheDriverAreErrorsOfTheCall) {
  SKIP_WITHOUT_CODE_GENERATOR();
  auto f = np::compile([](const np::array& x) { return np::sum(x * 2.0, {.axis = 1}) + 1.0; });
  const np::array x = np::reshape(np::arange(60000.0), {300, 200});
  auto use = [&] {
    const np::array g = x.to("cuda");
    (void)f(g).to("cpu");
  };
  use();
  np::trim_device_memory("cuda");
  const auto before = fake().count();
  const char* const functions[] = {"cuCtxSetCurrent", "cuMemAlloc", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync",
                                   "cuStreamSynchronize", "cuEventRecord", "cuLaunchKernel"};
  for (const char* function : functions)
    for (const int code : numjit::testing::cuda_errors) {
      fake().fail(function, 1, code);
      const std::string what = std::string(function) + " " + std::to_string(code);
      try {
        use();
        // No memory at first is tried again after a trim.
        EXPECT_TRUE(code == 2 && what.rfind("cuMemAlloc", 0) == 0) << what << " was no error";
      } catch (const np::DeviceError& e) {
        const std::string text = e.what();
        EXPECT_EQ(text.rfind("[device] cuda:0: " + std::string(function) + " failed: CUDA_ERROR_" + std::to_string(code), 0), 0u)
            << text;
        const bool lost = code == 46 || code >= 700;
        EXPECT_EQ(text.find("start it again") != std::string::npos, lost && code != 701 && code < 720) << text;
      } catch (const np::MemoryError& e) {
        EXPECT_EQ(code, 2) << what << ": " << e.what();
      }
      fake().fail("", 0, 0);
      use();
      np::trim_device_memory("cuda");
      EXPECT_EQ(fake().count().device_bytes, before.device_bytes) << what;
      EXPECT_EQ(x.item(7), 7.0);
      np::detail::release_cached_blocks();  // goes through all that is free: what was written to late shows
    }
  EXPECT_EQ(fake().count().events, before.events);
}

TEST_F(CudaLayer, KernelsThatAreRefusedSayWhy) {
  SKIP_WITHOUT_CODE_GENERATOR();
  const np::array g = np::arange(10.0).to("cuda");
  auto f = np::compile([](const np::array& x) { return np::tanh(x) - 0.125; });
  fake().fail("cuModuleLoadData", 1, 218);
  try {
    (void)f(g);
    ADD_FAILURE() << "no error";
  } catch (const np::DeviceError& e) {
    EXPECT_NE(std::string(e.what()).find("cuModuleLoadData failed: CUDA_ERROR_218"), std::string::npos) << e.what();
  }
  EXPECT_EQ(f(g).device(), "cuda:0");  // the next call loads it
}

}  // namespace
