// Products of matrices by a library: what the kernels before it make of the operands (casts, copies of views, broadcasts).
#include <complex>
#include <cstdint>

#include <numjit/np_cuda_graphs.h>

#include <device/library_device.h>
#include <device/operands.h>

namespace {

namespace np = numjit;

class LibraryProducts : public numjit::testing::OnLibraries {};

using numjit::testing::whole_numbers;

template <class F>
void expect_there(const F& f, const np::array& a, const np::array& b, int calls) {
  auto compiled = np::compile(f);
  const np::array want = f(a, b), x = a.to(np::testing::library_name()), y = b.to(np::testing::library_name());
  const std::int64_t before = numjit::testing::host_work();
  numjit::testing::HostProducts::calls = 0;
  const np::array got = compiled(x, y);
  EXPECT_EQ(numjit::testing::host_work(), before);
  numjit::testing::expect_library_calls(numjit::testing::HostProducts::calls, calls);
  EXPECT_EQ(got.device(), np::testing::library_name());
  numjit::testing::expect_same(want, got);
}

TEST_F(LibraryProducts, OperandsAreCast) {
  const auto product = [](const np::array& a, const np::array& b) { return np::matmul(a, b); };
  expect_there(product, whole_numbers({3, 4}, np::float32), whole_numbers({4, 5}, np::float64), 1);
  expect_there(product, whole_numbers({3, 4}, np::int16), whole_numbers({2, 4, 5}, np::float32), 1);
  expect_there(product, whole_numbers({3, 4}, np::complex64), whole_numbers({4, 5}, np::float64), 1);
  expect_there(product, whole_numbers({4}, np::int64), whole_numbers({4, 5}, np::float64), 1);
}

TEST_F(LibraryProducts, ViewsThatNoLibraryTakesAreCopied) {
  const np::array a = whole_numbers({8, 10}, np::float64), b = whole_numbers({6, 10, 8}, np::float64);
  expect_there([](const np::array& x,
                  const np::array& y) { return np::matmul(x(np::slice(0, 8, 2), np::slice(0, 10, 2)), y(0, np::slice(0, 5))); },
               a, b, 1);
  expect_there([](const np::array& x,
                  const np::array& y) { return np::matmul(x(np::slice(np::none, np::none, -1)), y(np::slice(0, 6, 3))); },
               a, b, 1);
  expect_there(
      [](const np::array& x, const np::array& y) { return np::matmul(x(np::_, np::slice(np::none, np::none, -1)), y(1)); }, a, b,
      1);
  expect_there([](const np::array& x,
                  const np::array& y) { return np::matmul(np::swapaxes(y, 0, 1), x(np::slice(0, 8), np::slice(0, 3))); },
               a, b, 1);
  // A stack that is walked backwards.
  expect_there([](const np::array& x, const np::array& y) { return np::matmul(x, y(np::slice(np::none, np::none, -1))); }, a, b,
               6);
}

TEST_F(LibraryProducts, FuseWithWhatIsAroundThem) {
  expect_there(
      [](const np::array& x, const np::array& y) { return np::sum(np::matmul(np::square(x), y + 1.0), {.axis = 0}) * 0.5; },
      whole_numbers({8, 10}, np::float32), whole_numbers({10, 12}, np::float32), 1);
}

// Of vectors, kernels do it: in the order of sums, with the host's bits, on every device.
TEST_F(LibraryProducts, VectorsAreSummedInTheCanonicalOrder) {
  const auto product = [](const np::array& a, const np::array& b) { return np::matmul(a, b); };
  for (const std::int64_t n : {1, 5, 1000, 5000}) {
    const np::array x = numjit::testing::numbers(n), y = np::cos(x);
    expect_there(product, x, y, 0);
    expect_there(product, x.astype(np::float32), y, 0);
    expect_there(product, x.astype(np::complex128), y.astype(np::complex64), 0);
    expect_there(product, (x * 20.0).astype(np::int64), (y * 20.0).astype(np::int8), 0);
    expect_there(product, x > 0.0, y > 2.0, 0);
    expect_there([](const np::array& a, const np::array& b) { return np::matmul(a(np::slice(np::none, np::none, -1)), b); }, x, y,
                 0);
  }
}

// Integers, too: they wrap around, so that their order does not matter.
TEST_F(LibraryProducts, IntegersAreSummedByKernels) {
  const auto product = [](const np::array& a, const np::array& b) { return np::matmul(a, b); };
  for (const np::dtype& type : {np::dtype(np::int8), np::dtype(np::uint16), np::dtype(np::int64), np::dtype(np::uint64)}) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array a = (np::reshape(np::arange(35), {5, 7}) * 0x123456789abll).astype(type),
                    b = (np::reshape(np::arange(42), {7, 6}) * 77).astype(type);
    expect_there(product, a, b, 0);
  }
  const np::array a = whole_numbers({3, 5, 70}, np::int32), b = whole_numbers({70, 9}, np::int64);
  expect_there(product, a, b, 0);
  expect_there(product, a > 2, b > 2, 0);
  expect_there(
      [](const np::array& x, const np::array& y) {
        return np::matmul(x(np::_, np::_, np::slice(np::none, np::none, -2)), y(np::slice(0, 70, 2)));
      },
      a, b, 0);
  expect_there([](const np::array& x, const np::array& y) { return np::matmul(x(0, 0), y); }, a, b, 0);
  expect_there([](const np::array& x, const np::array& y) { return np::matmul(x, y(np::_, 3)); }, a, b, 0);
  expect_there([](const np::array& x,
                  const np::array& y) { return np::matmul(x(np::_, np::newaxis), np::swapaxes(x, 1, 2)) + np::sum(y); },
               a, b, 0);
}

TEST_F(LibraryProducts, CallsThatComeAgainCallTheLibraryAgain) {
  auto layer = np::compile([](const np::array& x, const np::array& w) { return np::maximum(np::matmul(x, w), 0.5) * 0.125; });
  np::array x = whole_numbers({6, 4}, np::float64);
  const np::array w = whole_numbers({4, 4}, np::float64) * 0.25;
  np::array there = x.to(np::testing::library_name());
  const np::array weights = w.to(np::testing::library_name());
  const auto before = np::cuda::count_graphs().repeated;
  for (int i = 0; i < 30; ++i) {
    x = layer(x, w);
    there = layer(there, weights);
  }
  EXPECT_GE(np::cuda::count_graphs().repeated, before + 10);
  EXPECT_TRUE(np::allclose(there.to("cpu"), x));
}

}  // namespace
