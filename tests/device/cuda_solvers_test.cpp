// Decompositions through cuSOLVER, over the recording driver: what is asked of it, where its work room lies, its errors.
#include <complex>
#include <functional>
#include <future>
#include <iterator>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <numjit/device/solvers.h>
#include <numjit/np_linalg.h>

#include <device/cuda_layer.h>

namespace {

namespace np = numjit;
namespace la = np::linalg;
using numjit::testing::count_of;
using numjit::testing::fake;

class CudaSolvers : public numjit::testing::OverFakeCuda {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_CODE_GENERATOR();
    OverFakeCuda::SetUp();
  }
};

/// Runs it on a matrix of the device. Kernels of the fake copy nothing, so that the library decomposes whatever lies in
/// its memory: only what it is asked for can be told.
template <class F>
void run(const F& f, const np::dtype& type, std::int64_t rows, std::int64_t columns) {
  auto compiled = np::compile(f);
  const np::array g = np::ones({rows, columns}, {.dtype = type}).to("cuda");
  fake().reset();
  try {
    (void)compiled(g);
  } catch (const np::LinAlgError&) {
  }
}

TEST_F(CudaSolvers, AreAskedForByTypeAndShape) {
  const auto inverse = [](const np::array& x) { return la::inv(x); };
  int code = 0;
  for (const np::dtype& type : {np::dtype(np::float64), np::dtype(np::complex128)}) {
    SCOPED_TRACE(std::string(type.name()));
    code = type == np::float64 ? 1 : 5;
    const std::string of_type = " of type " + std::to_string(code);
    run(inverse, type, 4, 4);
    EXPECT_EQ(count_of("cusolverDnXgetrf 4" + of_type), 1) << fake().log();
    run([](const np::array& x) { return la::cholesky(x); }, type, 5, 5);
    EXPECT_EQ(count_of("cusolverDnXpotrf L 5" + of_type), 1) << fake().log();
    run([](const np::array& x) { return la::eigvalsh(x, 'U'); }, type, 5, 5);
    EXPECT_EQ(count_of("cusolverDnXsyevd NU 5" + of_type), 1) << fake().log();
    run([](const np::array& x) { return la::eigh(x).eigenvectors; }, type, 5, 5);
    EXPECT_EQ(count_of("cusolverDnXsyevd VL 5" + of_type), 1) << fake().log();
    run([](const np::array& x) { return la::svdvals(x); }, type, 3, 6);
    EXPECT_EQ(count_of("cusolverDnXgesvd N 6,3" + of_type), 1) << fake().log();
    run([](const np::array& x) { return la::qr(x).Q; }, type, 7, 3);
    EXPECT_EQ(count_of("cusolverDnXgeqrf 7,3" + of_type), 1) << fake().log();
    EXPECT_EQ(count_of(code == 1 ? "cusolverDnDorgqr 7,3,3" : "cusolverDnZungqr 7,3,3"), 1) << fake().log();
    run([](const np::array& x) { return la::svd(x).U; }, type, 7, 3);
    EXPECT_EQ(count_of("cusolverDnXgesvd A 7,3" + of_type), 1) << fake().log();
  }
}

/// The layer by itself: a system is solved in the device's memory.
TEST_F(CudaSolvers, SolveInTheDevicesMemory) {
  np::devices::Device& device = np::devices::device(np::devices::open("cuda:0"));
  np::devices::Stream& stream = device.stream();
  std::string why;
  np::devices::Solvers* library = stream.solvers(why);
  ASSERT_NE(library, nullptr) << why;
  std::vector<np::devices::address> rooms;
  const auto room = [&](std::size_t bytes) { return rooms.emplace_back(device.allocate(bytes)); };
  const double a[] = {2, 1, 0, 3}, b[] = {4, 11};  // by columns: (2 0; 1 3)
  const np::devices::Decomposition d{np::dtype_id::float64, 2, 2, room(sizeof a), room(4)};
  const np::devices::address pivots = room(16), x = room(sizeof b);
  stream.copy_in(d.a, a, sizeof a);
  stream.copy_in(x, b, sizeof b);
  library->lu(d, pivots, room);
  library->solve(d, pivots, x, 1);
  double solved[2] = {};
  stream.copy_out(solved, x, sizeof solved);
  EXPECT_EQ(solved[0], 2.0);
  EXPECT_EQ(solved[1], 3.0);
  for (const np::devices::address memory : rooms) device.free(memory);
}

/// Whether a matrix has no NaN is a truth value that a kernel finds and the host reads.
void let_matrices_be_finite() {
  const bool yes = true;
  fake().answer(&yes, sizeof yes);
}

TEST_F(CudaSolvers, EigenvaluesOfAnyMatrix) {
  let_matrices_be_finite();
  for (const np::dtype& type : {np::dtype(np::float64), np::dtype(np::complex128)}) {
    SCOPED_TRACE(std::string(type.name()));
    const std::string of_type = type == np::float64 ? " of type 1" : " of type 5";
    run([](const np::array& x) { return la::eigvals(x); }, type, 5, 5);
    EXPECT_EQ(count_of("cusolverDnXgeev N 5" + of_type), 1) << fake().log();
    run([](const np::array& x) { return la::eig(x).eigenvectors; }, type, 5, 5);
    EXPECT_EQ(count_of("cusolverDnXgeev V 5" + of_type), 1) << fake().log();
  }
}

const char* const status_names[] = {"",
                                    "NOT_INITIALIZED",
                                    "ALLOC_FAILED",
                                    "INVALID_VALUE",
                                    "ARCH_MISMATCH",
                                    "MAPPING_ERROR",
                                    "EXECUTION_FAILED",
                                    "INTERNAL_ERROR",
                                    "MATRIX_TYPE_NOT_SUPPORTED",
                                    "NOT_SUPPORTED"};
std::string failed(const std::string& call, int code) {
  return call + " failed: CUSOLVER_STATUS_" + status_names[code] + " (" + std::to_string(code) + ")";
}

TEST_F(CudaSolvers, ThatDoNotOpenSayWhy) {
  np::devices::Device& device = np::devices::device(np::devices::open("cuda:0"));
  // A thread has a stream, and the stream a library, of its own; streams of threads that ended go to others.
  std::latch done(1);
  std::vector<std::jthread> threads;
  for (const char* call : {"cusolverDnCreate", "cusolverDnSetStream", "cusolverDnCreateParams"})
    for (int code = 1; code < static_cast<int>(std::size(status_names)); ++code) {
      fake().fail(call, 1, code);
      std::promise<std::string> said;
      threads.emplace_back([&, answer = std::ref(said)] {
        std::string why;
        const bool opened = device.stream().solvers(why) != nullptr;
        answer.get().set_value(opened ? "opened" : why);
        done.wait();
      });
      EXPECT_EQ(said.get_future().get(), "its cuSOLVER can't be used (" + failed(call, code) + ")");
    }
  done.count_down();
}

TEST_F(CudaSolvers, ErrorsAreTheCalls) {
  let_matrices_be_finite();
  const int well = 0;  // what a decomposition says of its matrix
  fake().answer(&well, sizeof well);
  using Function = np::array (*)(const np::array&);
  const std::vector<std::pair<Function, std::vector<const char*>>> functions = {
      {[](const np::array& x) { return la::eigvalsh(x); }, {"cusolverDnXsyevd_bufferSize", "cusolverDnXsyevd"}},
      {[](const np::array& x) { return la::inv(x); }, {"cusolverDnXgetrf_bufferSize", "cusolverDnXgetrf"}},
      {[](const np::array& x) { return la::cholesky(x); }, {"cusolverDnXpotrf_bufferSize", "cusolverDnXpotrf"}},
      {[](const np::array& x) { return la::svdvals(x); }, {"cusolverDnXgesvd_bufferSize", "cusolverDnXgesvd"}},
      {[](const np::array& x) { return la::solve(x, x); },
       {"cusolverDnXgetrf_bufferSize", "cusolverDnXgetrf", "cusolverDnXgetrs"}},
      {[](const np::array& x) { return la::eigvals(x); }, {"cusolverDnXgeev_bufferSize", "cusolverDnXgeev"}},
      {[](const np::array& x) { return la::eig(x).eigenvectors; }, {"cusolverDnXgeev_bufferSize", "cusolverDnXgeev"}},
      {[](const np::array& x) { return la::qr(x).Q; },
       {"cusolverDnXgeqrf_bufferSize", "cusolverDnXgeqrf", "cusolverDnDorgqr_bufferSize", "cusolverDnDorgqr"}},
  };
  const np::array g = (np::eye(4) * 3.0 + 1.0).to("cuda");
  for (const auto& [function, calls] : functions) {
    auto f = np::compile(function);
    for (const char* call : calls)
      for (int code = 1; code < static_cast<int>(std::size(status_names)); ++code) {
        SCOPED_TRACE(call);
        fake().fail(call, 1, code);
        try {
          (void)f(g);
          ADD_FAILURE() << "no error of " << code;
        } catch (const np::DeviceError& e) {
          EXPECT_EQ(std::string(e.what()), "[device] cuda:0: " + failed(call, code) + ".");
        }
        fake().fail("", 0, 0);
      }
  }
}

}  // namespace
