// The CUDA layer over a driver that records: order of work, lifetimes of what it is given, and each error.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/np.h>
#include <numjit/device/device.h>
#include <support/code_generator.h>

#include "fake/fake_cuda.h"

namespace {

namespace np = numjit;

struct Fake {
  fake_fail_function fail;
  fake_log_function log;
  fake_reset_function reset;
  fake_counts_function count;
  fake_memory_function memory;
};

/// The fake, made the driver of this process before anything asks for one.
const Fake& fake() {
  static const Fake functions = [] {
    const std::string path = NUMJIT_TEST_BUILD_DIR "/bin/tests/libfake_cuda.so";
    setenv("NUMJIT_CUDA_DRIVER", path.c_str(), 1);
    void* library = dlopen(path.c_str(), RTLD_NOW);
    if (!library) throw std::runtime_error(dlerror());
    return Fake{reinterpret_cast<fake_fail_function>(dlsym(library, "fake_fail")),
                reinterpret_cast<fake_log_function>(dlsym(library, "fake_log")),
                reinterpret_cast<fake_reset_function>(dlsym(library, "fake_reset")),
                reinterpret_cast<fake_counts_function>(dlsym(library, "fake_count")),
                reinterpret_cast<fake_memory_function>(dlsym(library, "fake_memory"))};
  }();
  return functions;
}

class CudaLayer : public ::testing::Test {
 protected:
  void SetUp() override {
    np::config().compile = np::compile_mode::sync;
    fake().fail("", 0, 0);
    fake().reset();
  }
  void TearDown() override {
    fake().fail("", 0, 0);
    EXPECT_EQ(fake().count().faults, faults_) << "memory, events or modules were used after their end";
  }
  int faults_ = fake().count().faults;
};

/// The calls of the log that matter, in order, without the context's.
std::vector<std::string> calls() {
  std::vector<std::string> list;
  std::string text = fake().log();
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = text.substr(at, end - at);
    if (line.rfind("cuCtxSetCurrent", 0) != 0) list.push_back(line);
  }
  return list;
}
int count_of(const std::string& name) {
  int n = 0;
  for (const std::string& line : calls()) n += line.rfind(name, 0) == 0;
  return n;
}

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
  const int codes[] = {1, 2, 3, 4, 34, 46, 100, 101, 200, 201, 209, 214, 218, 222, 300, 301, 302, 304, 400, 401,
                       500, 600, 700, 701, 702, 709, 710, 714, 715, 716, 717, 718, 719, 800, 801, 802, 803, 900, 999};
  const char* const functions[] = {"cuCtxSetCurrent", "cuMemAlloc", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync",
                                   "cuStreamSynchronize", "cuEventRecord", "cuLaunchKernel"};
  for (const char* function : functions)
    for (const int code : codes) {
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
