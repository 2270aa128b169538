// Calls that come again on an OpenCL device: their kernels are launched again without anything else being done, and what
// they compute stays what the host computes.
#include <numjit/np_cuda_graphs.h>

#include <device/opencl.h>

namespace {

namespace np = numjit;
using numjit::testing::expect_same;
using numjit::testing::numbers;

class OpenClRepeats : public numjit::testing::OnOpenCl {
 protected:
  void SetUp() override {
    OnOpenCl::SetUp();
    np::cuda::use_graphs(true);
  }
  std::int64_t repeated() const { return np::cuda::count_graphs().repeated - before_; }
  std::int64_t before_ = np::cuda::count_graphs().repeated;
};

TEST_F(OpenClRepeats, ATimeLoopHasTheHostsBits) {
  auto step = np::compile([](np::array& u) {
    const auto in = np::slice(1, -1), up = np::slice(0, -2), down = np::slice(2, np::none);
    u(in, in) += 0.2 * (u(up, in) + u(down, in) + u(in, up) + u(in, down) - 4.0 * u(in, in));
  });
  np::array u = np::reshape(numbers(40 * 50), {40, 50}), g = u.to(np::testing::device_kind());
  for (int i = 0; i < 30; ++i) step(u), step(g);
  EXPECT_GE(repeated(), 20);
  expect_same(u, g);
}

TEST_F(OpenClRepeats, ResultsGoRoundAndNumbersChange) {
  auto f = np::compile([](const np::array& x, double by) {
    const np::array e = np::exp(x * by - np::max(x, {.axis = 1, .keepdims = true}));
    return e / np::sum(e, {.axis = 1, .keepdims = true});
  });
  np::array x = np::reshape(numbers(30 * 200), {30, 200}), g = x.to(np::testing::device_kind());
  for (int i = 0; i < 40; ++i) {
    const double by = i % 10 == 9 ? 0.75 : 1.5;
    x = f(x, by);
    g = f(g, by);
  }
  EXPECT_GE(repeated(), 5);
  expect_same(x, g);
}

TEST_F(OpenClRepeats, ResultsThatAreKeptStayAsTheyAre) {
  auto f = np::compile([](const np::array& x) {
    const np::array s = np::cumsum(x * 2.0, {.axis = 0});
    return s - np::mean(s);
  });
  std::vector<np::array> wanted, got;
  for (int i = 0; i < 30; ++i) {
    const np::array x = numbers(700) + static_cast<double>(i % 3), g = x.to(np::testing::device_kind());
    np::array there = f(g);
    for (int k = 0; k < 4; ++k) there = f(g);
    wanted.push_back(f(x));
    got.push_back(there);
    if (i % 4 == 0) wanted.erase(wanted.begin()), got.erase(got.begin());
  }
  EXPECT_GT(repeated(), 0);
  for (std::size_t i = 0; i < got.size(); ++i) expect_same(wanted[i], got[i]);
}

TEST_F(OpenClRepeats, ViewsAreOtherArguments) {
  auto f = np::compile([](const np::array& x) { return np::sqrt(np::abs(x)) + np::sum(x); });
  const np::array x = np::reshape(numbers(8 * 300), {8, 300}), g = x.to(np::testing::device_kind());
  for (int round = 0; round < 6; ++round)
    for (std::int64_t row = 0; row < 8; ++row) {
      const np::array want = f(x(row)), got = f(g(row));
      expect_same(want, got);
    }
}

TEST_F(OpenClRepeats, WhatTheHostWritesIsSeen) {
  auto f = np::compile([](const np::array& x) { return x * 3.0 + np::max(x); });
  np::array x = numbers(400), g = x.to(np::testing::device_kind()), y;
  for (int i = 0; i < 12; ++i) {
    x(np::slice(i, i + 3)) = static_cast<double>(i);
    g(np::slice(i, i + 3)) = static_cast<double>(i);
    y = f(g);
    expect_same(f(x), y);
  }
}

TEST_F(OpenClRepeats, LiveViewsAndSeveralResults) {
  auto f = np::compile([](const np::array& x) {
    const np::array y = x * 2.0, top = y(np::slice(0, 3));
    return std::tuple(np::sum(y, {.axis = 0}), top, np::array(y.T()));
  });
  const np::array x = np::reshape(numbers(60), {6, 10}), g = x.to(np::testing::device_kind());
  const auto [s, top, turned] = f(x);
  for (int i = 0; i < 10; ++i) {
    const auto [a, b, c] = f(g);
    expect_same(s, a);
    expect_same(top, b);
    expect_same(turned, c);
  }
  EXPECT_GT(repeated(), 0);
}

TEST_F(OpenClRepeats, LengthsThatDependOnDataAreNotRepeated) {
  auto f = np::compile([](const np::array& x, const np::array& mask) { return np::array(x(mask)) * 2.0; });
  for (const std::int64_t n : {0, 5}) {  // of no elements there is nothing to count
    const np::array x = numbers(n), g = x.to(np::testing::device_kind()), mask = (x > 0.0).to(np::testing::device_kind());
    for (int i = 0; i < 4; ++i) expect_same(f(x, x > 0.0), f(g, mask));
  }
  EXPECT_EQ(repeated(), 0);
}

TEST_F(OpenClRepeats, ExplainStillSeesEachKernel) {
  auto f = np::compile([](const np::array& x) { return np::sum(np::cos(x) * 1.25, {.axis = 1}); });
  const np::array g = np::reshape(numbers(600), {20, 30}).to(np::testing::device_kind());
  for (int i = 0; i < 8; ++i) (void)f(g);
  const auto at = repeated();
  const auto report = np::explain(f)(g);
  EXPECT_NE(report.str().find("on " + np::testing::device_name()), std::string::npos) << report.str();
  EXPECT_EQ(repeated(), at);
}

}  // namespace
