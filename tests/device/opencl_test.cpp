// Programs on an OpenCL device (pocl computes on the CPU): the bits of the host, arrays that stay where they are,
// copies that are counted, and what is not possible said.
#include <cstdlib>
#include <thread>

#include <device/opencl.h>

namespace {

namespace np = numjit;

using numjit::testing::expect_same;
using numjit::testing::numbers;

class OpenClDevice : public numjit::testing::OnOpenCl {};

TEST_F(OpenClDevice, ArraysMoveThereAndBack) {
  const np::array x = np::reshape(np::arange(12.0), {3, 4});
  const np::array g = x.to(np::testing::device_kind());
  EXPECT_EQ(x.device(), "cpu");
  EXPECT_EQ(g.device(), np::testing::device_name());
  EXPECT_EQ(g.to(np::testing::device_name()).get(), g.get());
  EXPECT_EQ(np::asarray(x, {.device = np::testing::device_kind()}).device(), np::testing::device_name());
  EXPECT_EQ(np::zeros({2}, {.device = np::testing::device_kind()}).device(), np::testing::device_name());
  EXPECT_EQ(g.to("cpu").device(), "cpu");
  expect_same(x, g);
  EXPECT_EQ(g.str(), x.str());
  EXPECT_EQ(g.item(5), 5.0);
  // Views lie where their array does.
  const np::array row = g(1);
  EXPECT_EQ(row.device(), np::testing::device_name());
  EXPECT_EQ(row.str(), x(1).str());
  expect_same(x.T(), g.T());
}

TEST_F(OpenClDevice, TheSettingIsAScopeAroundEverything) {
  auto f = np::compile([](const np::array& x) { return np::exp(x) + 1.0; });
  const np::array x = numbers(50), want = f(x);
  np::config().device = np::testing::device_kind();
  EXPECT_EQ(np::zeros({2}).device(), np::testing::device_name());
  EXPECT_EQ(np::array({1.0, 2.0}).device(), np::testing::device_name());
  const auto before = np::transfer_counts();
  const np::array got = f(x);
  EXPECT_GT(np::transfer_counts().in, before.in);
  {
    np::device scope("cpu");
    EXPECT_EQ(np::zeros({2}).device(), "cpu");
    np::device inner(np::testing::device_name());
    EXPECT_EQ(np::zeros({2}).device(), np::testing::device_name());
  }
  std::thread([] { EXPECT_EQ(np::zeros({2}).device(), np::testing::device_name()); }).join();
  np::config().device = "cpu";
  EXPECT_EQ(got.device(), "cpu");
  expect_same(want, got);
  EXPECT_EQ(np::zeros({2}).device(), "cpu");
  {
    np::config_scope scope({.device = np::testing::device_kind()});
    EXPECT_EQ(np::zeros({2}).device(), np::testing::device_name());
    std::thread([] { EXPECT_EQ(np::zeros({2}).device(), "cpu"); }).join();
  }
  EXPECT_EQ(np::zeros({2}).device(), "cpu");
}

TEST_F(OpenClDevice, TheHostCopiesOnce) {
  const np::array g = numbers(1000).to(np::testing::device_kind());
  const auto before = np::transfer_counts();
  const double a = g.item(3), b = g.item(4);
  EXPECT_NE(a, b);
  EXPECT_EQ(np::transfer_counts().out, before.out + 1);
  // Who takes the address may write: the device's copy is stale, and is made anew when it is needed.
  g.data<double>()[3] = 42.0;
  auto twice = np::compile([](const np::array& v) { return v + v; });
  EXPECT_EQ(twice(g).item(3), 84.0);
  EXPECT_EQ(np::transfer_counts().in, before.in + 1);
}

TEST_F(OpenClDevice, ElementwiseHasTheHostsBits) {
  auto f = np::compile([](const np::array& x, const np::array& y) {
    return np::where(x > y, np::exp(x) * y, np::sqrt(np::abs(x - y))) + 0.1;
  });
  const np::array x = np::reshape(numbers(6000), {60, 100}), y = np::cos(np::arange(100.0));
  const np::array want = f(x, y);
  np::array got;
  {
    np::device scope(np::testing::device_kind());
    got = f(x, y);
  }
  EXPECT_EQ(got.device(), "cpu");  // both arguments came from the host
  expect_same(want, got);
  expect_same(want, f(x.to(np::testing::device_kind()), y.to(np::testing::device_kind())));
  // Strided, reversed and broadcast operands, three axes that do not merge.
  const np::array a = np::reshape(numbers(4 * 6 * 10), {4, 6, 10});
  auto views = [&](const np::array& v) {
    return np::array(v(np::slice(0, 4, 2), np::slice(np::none, np::none, -1), np::slice(1, 9, 3)));
  };
  auto g = np::compile([](const np::array& v) { return v * 2.0 - 1.0; });
  expect_same(g(views(a)), g(views(a.to(np::testing::device_kind()))));
}

TEST_F(OpenClDevice, ReductionsHaveTheHostsBits) {
  auto sums = np::compile([](const np::array& x) { return np::sum(x * x, {.axis = 1}); });
  auto columns = np::compile([](const np::array& x) { return np::sum(x, {.axis = 0}) / 3.0; });
  auto all = np::compile([](const np::array& x) { return np::max(x) - np::sum(x); });
  auto place = np::compile([](const np::array& x) { return np::argmax(x, {.axis = 1}); });
  for (const std::int64_t n : {7, 100, 1024, 2500}) {
    const np::array x = np::reshape(numbers(40 * n), {40, n}), g = x.to(np::testing::device_kind());
    expect_same(sums(x), sums(g));
    expect_same(columns(x), columns(g));
    expect_same(all(x), all(g));
    expect_same(place(x), place(g));
    expect_same(columns(x.T()), columns(g.T()));
  }
}

TEST_F(OpenClDevice, LargeColumnSumsAreKernelsToo) {  // on the host they are eager loops
  auto columns = np::compile([](const np::array& x) { return np::sum(x, {.axis = 0}); });
  const np::array x = np::reshape(numbers(1200 * 1000), {1200, 1000}), want = columns(x);
  auto by_host = [] {
    std::int64_t count = 0;
    for (const auto& w : np::device_host_work()) count += w.op == "sum" ? w.count : 0;
    return count;
  };
  const std::int64_t before = by_host();
  expect_same(want, columns(x.to(np::testing::device_kind())));
  EXPECT_EQ(by_host(), before);
}

TEST_F(OpenClDevice, NestedReductions) {
  auto assign = np::compile([](const np::array& points, const np::array& centres) {
    const np::array d = points(np::_, np::newaxis) - centres(np::newaxis);
    return np::argmin(np::sum(d * d, {.axis = -1}), {.axis = 1});
  });
  const np::array points = np::reshape(numbers(600), {200, 3}), centres = np::reshape(np::cos(np::arange(15.0)), {5, 3});
  expect_same(assign(points, centres), assign(points.to(np::testing::device_kind()), centres.to(np::testing::device_kind())));
}

TEST_F(OpenClDevice, KernelsOfASegmentMoveNothing) {
  auto softmax = np::compile([](const np::array& x) {
    const np::array e = np::exp(x - np::max(x, {.axis = 1, .keepdims = true}));
    return e / np::sum(e, {.axis = 1, .keepdims = true});
  });
  const np::array x = np::reshape(numbers(64 * 50), {64, 50}), g = x.to(np::testing::device_kind());
  expect_same(softmax(x), softmax(g));
  const auto before = np::transfer_counts();
  const auto work = np::device_host_work().size();
  np::array y = softmax(g);
  for (int i = 0; i < 3; ++i) y = softmax(y);
  EXPECT_EQ(y.device(), np::testing::device_name());
  EXPECT_EQ(np::transfer_counts().in, before.in);
  EXPECT_EQ(np::transfer_counts().out, before.out);
  EXPECT_EQ(np::device_host_work().size(), work);
}

TEST_F(OpenClDevice, StoresGoIntoArguments) {
  auto step = np::compile([](np::array& u) {
    const auto in = np::slice(1, -1);
    u(in) += 0.25 * (u(np::slice(2, np::none)) - 2.0 * u(in) + u(np::slice(0, -2)));
  });
  np::array host = numbers(5000), foreign = host.copy(), there = host.to(np::testing::device_kind());
  for (int i = 0; i < 5; ++i) step(host);
  {
    np::device scope(np::testing::device_kind());
    for (int i = 0; i < 5; ++i) step(foreign);  // in and out again at each call
  }
  EXPECT_EQ(foreign.device(), "cpu");
  expect_same(host, foreign);
  for (int i = 0; i < 5; ++i) step(there);
  EXPECT_EQ(there.device(), np::testing::device_name());
  expect_same(host, there);
}

TEST_F(OpenClDevice, TwoResultsStoredOverTheirInputs) {
  auto turn = np::compile([](np::array& a, np::array& b) {
    const np::array s = a + b, d = a - b;
    a(np::_) = s;
    b(np::_) = d;
  });
  np::array a = numbers(300), b = np::cos(np::arange(300.0)), ga = a.to(np::testing::device_kind()),
            gb = b.to(np::testing::device_kind());
  for (int i = 0; i < 3; ++i) turn(a, b), turn(ga, gb);
  expect_same(a, ga);
  expect_same(b, gb);
}

TEST_F(OpenClDevice, CreatedUnderAScope) {
  np::array made, filled, listed;
  {
    np::device scope(np::testing::device_kind());
    made = np::arange(5.0);
    filled = np::full({2, 3}, 7);
    listed = np::array{1.0, 2.0};
    EXPECT_EQ(np::ones({2}, {.device = "cpu"}).device(), "cpu");
  }
  for (const np::array& a : {made, filled, listed}) EXPECT_EQ(a.device(), np::testing::device_name());
  EXPECT_EQ(np::zeros({2}).device(), "cpu");
  EXPECT_EQ(np::zeros_like(made).device(), np::testing::device_name());
  EXPECT_EQ(made.str(), "[0. 1. 2. 3. 4.]");
  EXPECT_EQ(listed.str(), "[1. 2.]");
}

TEST_F(OpenClDevice, MixedDevicesAreAnError) {
  const np::array x = np::arange(3.0), g = x.to(np::testing::device_kind());
  auto message = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const np::DeviceError& e) {
      return e.what();
    }
    return "no error";
  };
  const std::string rest =
      "expected one device. Move one with x.to(...), or open an np::device scope, which moves arguments in.";
  EXPECT_EQ(message([&] { (void)(g + x); }),
            "[add] arrays on different devices: got " + np::testing::device_name() + " and cpu, " + rest);
  auto f = np::compile([](const np::array& a, const np::array& b) { return a * b; }, {.name = "f"});
  EXPECT_EQ(message([&] { (void)f(x, g); }),
            "[f] arrays on different devices: got cpu and " + np::testing::device_name() + ", " + rest);
  EXPECT_EQ(f(g, g).str(), "[0. 1. 4.]");
  // Numbers go anywhere, and a scope moves what is elsewhere.
  EXPECT_EQ((g + np::array(1.0)).str(), "[1. 2. 3.]");
  np::device scope(np::testing::device_kind());
  EXPECT_EQ(f(x, g).device(), np::testing::device_name());
}

TEST_F(OpenClDevice, TheHostDoesWhatHasNoKernelAndSaysSo) {
  auto f = np::compile([](const np::array& x) { return np::histogram_bin_edges(x * 2, {.bins = 500}) + 1; });
  const np::array x = np::arange(500), g = x.to(np::testing::device_kind());
  auto noted = [] {
    for (const np::host_work& w : np::device_host_work())
      if (w.op == "histogram_edges" && w.device == np::testing::device_name()) return std::pair(w.count, w.bytes);
    return std::pair<std::int64_t, std::int64_t>();
  };
  const auto before = noted();
  const np::array want = f(x), got = f(g);
  EXPECT_EQ(got.device(), np::testing::device_name());
  expect_same(want, got);
  EXPECT_EQ(noted(), std::pair(before.first + 1, before.second + 503 * 8));  // two ends, 501 edges
  const auto report = np::explain(f)(g);
  EXPECT_NE(report.str().find(np::testing::device_name()), std::string::npos) << report.str();
}

TEST_F(OpenClDevice, EagerOperationsGiveArraysOfTheDevice) {
  const np::array x = numbers(20), g = x.to(np::testing::device_kind());
  expect_same(np::exp(x) + x, np::exp(g) + g);
  EXPECT_EQ((g + 1.0).device(), np::testing::device_name());
  np::array h = g.to("cpu").to(np::testing::device_kind());
  h += 1.0;
  expect_same(x + 1.0, h);
  h(np::slice(0, 3)) = 5.0;
  EXPECT_EQ(h.item(2), 5.0);
}

TEST_F(OpenClDevice, MemoryHasALimit) {
  const auto used = np::device_memory_usage(np::testing::device_kind());
  {
    const np::array a = np::zeros({1 << 16}, {.device = np::testing::device_kind()});
    EXPECT_EQ(np::compile([](const np::array& v) { return v + 1.0; })(a).item(0), 1.0);
    EXPECT_GE(np::device_memory_usage(np::testing::device_kind()).in_use, used.in_use + (1 << 19));
  }
  EXPECT_EQ(np::device_memory_usage(np::testing::device_kind()).in_use, used.in_use);
  EXPECT_GT(np::device_memory_usage(np::testing::device_kind()).cached, 0);
  np::set_device_memory_limit(np::testing::device_kind(), used.in_use + (1 << 20));
  try {
    (void)np::arange(1e6).to(np::testing::device_kind());
    ADD_FAILURE() << "more than the limit was given";
  } catch (const np::MemoryError& e) {
    const std::string text = e.what();
    EXPECT_EQ(text.find("[device] Unable to allocate 7."), 0u) << text;
    EXPECT_NE(text.find("on " + np::testing::device_name() + ": "), std::string::npos) << text;
    EXPECT_NE(text.find("0 bytes cached, limit "), std::string::npos) << text;
  }
  EXPECT_GT(np::device_memory_usage(np::testing::device_kind()).trims, used.trims);  // what was cached went first
  np::set_device_memory_limit(np::testing::device_kind(), 0);
  EXPECT_EQ(np::arange(1e6).to(np::testing::device_kind()).item(7), 7.0);
}

TEST_F(OpenClDevice, ThreadsHaveStreamsOfTheirOwn) {
  auto f = np::compile([](const np::array& v) { return v * 2.0; });
  const np::array g = numbers(4000).to(np::testing::device_kind());
  const np::array want = f(g);
  std::vector<std::thread> threads;
  std::vector<np::array> got(3);
  for (np::array& result : got) threads.emplace_back([&] {
    for (int i = 0; i < 4; ++i) result = f(g);
  });
  for (std::thread& t : threads) t.join();
  for (const np::array& result : got) expect_same(want.to("cpu"), result);
}

TEST(Devices, NamesAreChecked) {
  auto message = [](std::string_view name) -> std::string {
    try {
      np::device scope(name);
    } catch (const np::error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message("cpu"), "no error");
  EXPECT_EQ(message("abacus"), "[device] unknown device: got 'abacus', expected 'cpu', 'cuda', 'opencl', or one of these "
                               "with a number, as 'cuda:0'.");
  EXPECT_NE(message("opencl:99"), "no error");
  const auto all = np::list_devices();
  EXPECT_EQ(all.at(0).name, "cpu");
  EXPECT_GT(all.at(0).memory, 0);
}

}  // namespace
