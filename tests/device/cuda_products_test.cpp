// Products of matrices through cuBLAS, over the recording driver and a cuBLAS that computes on the host: transpositions,
// leading dimensions and strides as the library counts, results, and its errors.
#include <complex>
#include <string>

#include <device/cuda_layer.h>
#include <device/operands.h>

namespace {

namespace np = numjit;
using numjit::testing::count_of;
using numjit::testing::fake;

class CudaProducts : public numjit::testing::OverFakeCuda {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_CODE_GENERATOR();
    OverFakeCuda::SetUp();
  }
};

using numjit::testing::whole_numbers;

/// The product there is the host's, by `calls` calls of cuBLAS.
void expect_product(const np::array& a, const np::array& b, const np::array& there_a, const np::array& there_b, int calls = 1) {
  auto f = np::compile([](const np::array& x, const np::array& y) { return np::matmul(x, y); });
  const np::array want = np::matmul(a, b);
  fake().reset();
  const np::array got = f(there_a, there_b);
  EXPECT_EQ(got.device(), "cuda:0");
  EXPECT_EQ(count_of("cublasGemm"), calls) << fake().log();
  EXPECT_EQ(got.shape(), want.shape());
  EXPECT_EQ(got.dtype(), want.dtype());
  EXPECT_TRUE(np::array_equal(got.to("cpu"), want)) << got.str() << "\nfor\n" << want.str();
}
void expect_product(const np::array& a, const np::array& b, int calls = 1) {
  expect_product(a, b, a.to("cuda"), b.to("cuda"), calls);
}

TEST_F(CudaProducts, HaveTheirOwnDtypes) {
  for (const np::dtype& type :
       {np::dtype(np::float32), np::dtype(np::float64), np::dtype(np::complex64), np::dtype(np::complex128)}) {
    SCOPED_TRACE(std::string(type.name()));
    expect_product(whole_numbers({3, 4}, type), whole_numbers({4, 5}, type));
    expect_product(whole_numbers({1, 4}, type), whole_numbers({4, 1}, type));
    expect_product(whole_numbers({4}, type), whole_numbers({4, 5}, type));
    expect_product(whole_numbers({3, 4}, type), whole_numbers({4}, type));
    expect_product(whole_numbers({6, 3, 4}, type), whole_numbers({6, 4, 5}, type));
  }
}

TEST_F(CudaProducts, AreAskedForByColumns) {
  const np::array a = whole_numbers({3, 4}, np::float32), b = whole_numbers({4, 5}, np::float32);
  expect_product(a, b);
  EXPECT_EQ(count_of("cublasGemmEx NN 5,3,4 lead 5,4,5 type 0 compute 68 math 0 count 1"), 1) << fake().log();
  EXPECT_EQ(count_of("cuMemcpyDtoHAsync"), 1);  // the result, to be compared
  np::config_scope fast({.float_mode = np::float_mode::fast});
  expect_product(a, b);
  EXPECT_EQ(count_of("cublasGemmEx NN 5,3,4 lead 5,4,5 type 0 compute 77 math 0 count 1"), 1) << fake().log();
}

TEST_F(CudaProducts, TakeMatricesAsTheyAreStored) {
  const np::array a = whole_numbers({8, 9}, np::float64), b = whole_numbers({8, 9}, np::float64), g = a.to("cuda"),
                  h = b.to("cuda");
  expect_product(a, b.T(), g, h.T());
  EXPECT_EQ(count_of("cublasGemmEx TN 8,8,9 lead 9,9,8"), 1) << fake().log();
  expect_product(a.T(), b, g.T(), h);
  EXPECT_EQ(count_of("cublasGemmEx NT 9,9,8 lead 9,9,9"), 1) << fake().log();
  const auto part = [](const np::array& x) { return np::array(x(np::slice(1, 6), np::slice(2, 7))); };
  expect_product(part(a), part(b), part(g), part(h));
  EXPECT_EQ(count_of("cublasGemmEx NN 5,5,5 lead 9,9,5"), 1) << fake().log();
  EXPECT_EQ(count_of("cuLaunchKernel"), 0);  // nothing was copied
  const auto row = [](const np::array& x) { return np::array(x(np::slice(2, 3))); };
  expect_product(row(a), a.T(), row(g), g.T());
  const auto column = [](const np::array& x) { return np::array(x(np::_, np::slice(2, 3))); };
  expect_product(column(a).T(), b, column(g).T(), h);
}

TEST_F(CudaProducts, StacksAreBroadcast) {
  const np::array a = whole_numbers({2, 3, 4, 5}, np::float64), b = whole_numbers({2, 3, 5, 2}, np::float64);
  expect_product(a, b);
  EXPECT_EQ(count_of("cublasGemmStridedBatchedEx NN 2,4,5 lead 2,5,2 type 1 compute 70 math 0 count 6"), 1) << fake().log();
  expect_product(a, np::array(b(0, 0)));        // one matrix for all
  expect_product(np::array(a(0, 0)), b);
  expect_product(np::array(a(np::_, np::slice(0, 1))), b, 2);  // along the first axis only
  expect_product(np::array(a(0)), b, 2);
  expect_product(whole_numbers({3, 4}, np::float64), whole_numbers({7, 4, 3}, np::float64));
  const np::array g = a.to("cuda"), h = b.to("cuda");
  expect_product(np::swapaxes(a, -1, -2), np::swapaxes(np::swapaxes(b, -1, -2), -1, -2)(np::ellipsis, np::slice(0, 4), np::_),
                 np::swapaxes(g, -1, -2), h(np::ellipsis, np::slice(0, 4), np::_));
}

TEST_F(CudaProducts, FollowAndPrecedeOtherWork) {
  // Kernels of the fake compute nothing; that all are asked for in their order is what it can tell.
  auto f = np::compile([](const np::array& x) { return np::sum(np::matmul(np::exp(x), x) * 2.0, {.axis = 1}); });
  const np::array g = whole_numbers({6, 6}, np::float64).to("cuda");
  const np::config_scope one_by_one({.cuda_graphs = false});
  (void)f(g);
  fake().reset();
  const np::array y = f(g);
  std::vector<std::string> order;
  for (const std::string& line : numjit::testing::calls()) order.push_back(line.substr(0, line.find(' ')));
  EXPECT_EQ(order, (std::vector<std::string>{"cuLaunchKernel", "cublasGemmEx", "cuLaunchKernel"})) << fake().log();
}

TEST_F(CudaProducts, OtherDtypesAndNoRowsAreTheHosts) {
  expect_product(whole_numbers({3, 4}, np::float16), whole_numbers({4, 5}, np::float16), 0);
  expect_product(np::zeros({3, 0}), np::zeros({0, 5}), 0);
}

TEST_F(CudaProducts, ErrorsAreTheCalls) {
  auto f = np::compile([](const np::array& x) { return np::matmul(x, x); });
  const np::array g = whole_numbers({4, 4}, np::float64).to("cuda");
  (void)f(g);
  for (const int code : {1, 3, 7, 8, 11, 13, 14, 15, 16}) {
    fake().fail("cublasGemmEx", 1, code);
    try {
      (void)f(g);
      ADD_FAILURE() << "no error of " << code;
    } catch (const np::DeviceError& e) {
      const std::string number = std::to_string(code);
      EXPECT_EQ(std::string(e.what()), "[device] cuda:0: cublasGemmEx failed: CUBLAS_STATUS_" + number + " (" + number + ").");
    }
    fake().fail("", 0, 0);
    EXPECT_EQ(f(g).device(), "cuda:0");
  }
}

}  // namespace
