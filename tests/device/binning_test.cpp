// Bins and histograms on a device: the host's values, which differ where a comparison or a rounding would.
#include <limits>
#include <string>

#include <device/on_device.h>

namespace {

namespace np = numjit;
using np::testing::expect_same;
using np::testing::expect_there;
using np::testing::numbers;

class OpenClBinning : public np::testing::OnOpenCl {};

/// Elements on edges, between, outside, and none.
np::array spread(std::int64_t n, const np::dtype& type) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  np::array x = np::remainder(np::arange(static_cast<double>(n)) * 37.0, 101.0) * 0.25 - 10.0;
  if (type.kind() == 'f') {
    const np::array which = np::remainder(np::arange(n) * 11, 23);
    x = np::where(which == 1, nan, np::where(which == 3, inf, np::where(which == 5, -inf, np::where(which == 7, -0.0, x))));
  }
  if (type.kind() == 'u') x = x + 10.0;
  if (type.kind() == 'b') x = np::remainder(x, 2.0) > 0.5;
  return x.astype(type);
}

/// What the host did since, but for the few edges of equal bins.
std::int64_t other_host_work() {
  std::int64_t count = 0;
  for (const auto& w : np::device_host_work()) count += w.op == "histogram_edges" ? 0 : w.count;
  return count;
}

template <class F, class... Arrays>
void expect_counted_there(const F& f, const Arrays&... arrays) {
  auto compiled = np::compile(f);
  const np::array want = f(arrays...);
  const std::int64_t before = other_host_work();
  const np::array got = compiled(arrays.to(np::testing::device_kind())...);
  EXPECT_EQ(other_host_work(), before) << np::testing::host_ops();
  EXPECT_EQ(got.device(), np::testing::device_name());
  expect_same(want, got);
}

const np::dtype some_types[] = {np::int16, np::uint64, np::float16, np::float32, np::float64};

TEST_F(OpenClBinning, Digitize) {
  for (const np::dtype& type : some_types) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = np::reshape(spread(330, type), {33, 10}), rising = np::array({-4.0, 0.0, 0.0, 0.25, 3.0, 9.5});
    for (const bool right : {false, true}) {
      const auto f = [right](const np::array& a, const np::array& bins) { return np::digitize(a, bins, right); };
      expect_there(f, x, rising);
      expect_there(f, x, np::flip(rising).copy());
      expect_there(f, x, np::array({1.0}));
    }
  }
  const np::array big = np::arange(40).astype(np::uint64) + 0x7fffffffffffffe0u, edges = big(np::slice(3, 39, 5)).copy();
  expect_there([](const np::array& a, const np::array& bins) { return np::digitize(a(np::slice(np::none, np::none, -1)), bins); },
               big, edges);
}

TEST_F(OpenClBinning, EdgesThatAreNoneAreTheHostsToJudge) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto f = np::compile([](const np::array& a, const np::array& bins) { return np::digitize(a, bins); });
  const np::array x = spread(50, np::float64), odd = np::array({0.0, nan, 3.0});
  expect_same(np::digitize(x, odd), f(x.to(np::testing::device_kind()), odd.to(np::testing::device_kind())));
  const auto message = [&](auto g, const np::array& bins) -> std::string {
    try {
      np::compile(g)(x.to(np::testing::device_kind()), bins.to(np::testing::device_kind())).eval();
    } catch (const np::ValueError& e) {
      return e.what();
    }
    return "no error";
  };
  const np::array mixed = np::array({0.0, 2.0, 1.0});
  EXPECT_EQ(message([](const np::array& a, const np::array& bins) { return np::digitize(a, bins); }, mixed),
            "[digitize] bins must be monotonically increasing or decreasing");
  EXPECT_EQ(message([](const np::array& a, const np::array& bins) { return np::histogram(a, bins).counts; }, mixed),
            "[histogram] `bins` must increase monotonically, when an array");
}

TEST_F(OpenClBinning, HistogramsBetweenEdges) {
  const auto counts = [](const np::array& a, const np::array& edges) { return np::histogram(a, edges).counts; };
  for (const np::dtype& type : some_types) {
    SCOPED_TRACE(std::string(type.name()));
    expect_there(counts, spread(700, type), np::array({-4.0, 0.0, 0.0, 0.25, 3.0, 9.5}));
    expect_there(counts, spread(700, type), np::array({0, 1, 5}));
  }
  expect_there([](const np::array& a, const np::array& edges) { return np::histogram(a * 2.0, edges, true).counts; },
               np::reshape(numbers(900), {30, 30}), np::array({-3.0, -1.0, 0.0, 4.0}));
}

TEST_F(OpenClBinning, HistogramsOfEqualBins) {
  for (const np::dtype& type : some_types) {
    SCOPED_TRACE(std::string(type.name()));
    // Multiples of a quarter, so that many lie on edges.
    expect_counted_there([](const np::array& a) { return np::histogram(a, 20, {{0.0, 10.0}}).counts; }, spread(3000, type));
    const np::array finite = type.kind() == 'f' ? (numbers(3000) * 0.1).astype(type) : spread(3000, type);
    expect_counted_there([](const np::array& a) { return np::histogram(a, 7).counts; }, finite);
  }
  for (const std::int64_t bins : {1, 2, 1000})
    expect_counted_there([bins](const np::array& a) { return np::histogram(a, bins).counts; }, numbers(3000));
  expect_counted_there([](const np::array& a) { return np::histogram(a, 10, {{-1.0, 1.0}}, true).counts; }, numbers(500));
}

TEST_F(OpenClBinning, HistogramsOfPairs) {
  const np::array x = numbers(2000), y = np::cos(x * 3.0);
  expect_counted_there([](const np::array& a, const np::array& b) { return np::histogram2d(a, b, {8, 5}).counts; }, x, y);
  expect_counted_there(
      [](const np::array& a, const np::array& b) {
        return np::histogram2d(a, b, {3, 4}, {{{-1.0, 1.0}}, {{0.0, 1.0}}}).counts;
      },
      x, y);
}

/// Weights of all sizes, so that another order of the sums shows.
np::array weights_of(std::int64_t n) { return np::exp(numbers(n) * 4.0) * np::sin(np::arange(static_cast<double>(n)) * 0.7); }

TEST_F(OpenClBinning, SumsOfWeightsAreInTheOrderOfTheElements) {
  const auto equal = [](const np::array& a, const np::array& w) { return np::histogram(a, 10, {{-1.0, 1.0}}, false, w).counts; };
  const auto between = [](const np::array& a, const np::array& w, const np::array& edges) {
    return np::histogram(a, edges, false, w).counts;
  };
  const auto pairs = [](const np::array& a, const np::array& w) {
    return np::histogram2d(a, np::cos(a * 3.0), {8, 5}, {}, false, w).counts;
  };
  for (const std::int64_t n : {1, 500, 5000}) {
    const np::array x = numbers(n), w = weights_of(n);
    expect_counted_there(equal, x, w);
    expect_counted_there(between, x, w, np::array({-3.0, -1.0, 0.0, 0.5, 4.0}));
    expect_counted_there(pairs, x, w);
    expect_counted_there(
        [](const np::array& a, const np::array& v) {
          return np::histogram(a, 7, {{-1.0, 1.0}}, true, v).counts;
        },
        x, w);
  }
  const np::array x = numbers(700), w = weights_of(700);
  for (const np::dtype& type : {np::int32, np::float32, np::complex128}) expect_counted_there(equal, x, w.astype(type));
  // What another order gives.
  const np::array sums = equal(x, w), turned = equal(np::flip(x), np::flip(w));
  EXPECT_FALSE(np::array_equal(sums, turned));
}

TEST_F(OpenClBinning, CountsWithWeights) {
  const auto f = [](const np::array& a, const np::array& w) { return np::bincount(a, w, 6); };
  for (const std::int64_t n : {1, 40, 3000}) {
    const np::array x = np::remainder(np::arange(n) * 7, 11) * 3;
    expect_there(f, x, weights_of(n));
    expect_there(f, x.astype(np::uint8), np::flip(weights_of(2 * n))(np::slice(np::none, np::none, 2)));
    expect_there(f, x, np::arange(n) - 5);
  }
  // All in one bin, and none at all.
  expect_there(f, np::full(2000, 3), weights_of(2000));
  expect_there(f, np::zeros(0, {.dtype = np::int64}), np::zeros(0));
  // Infinities meet where they do on the host.
  const double inf = std::numeric_limits<double>::infinity();
  expect_there(f, np::array({0, 1, 0, 2, 2}), np::array({inf, -inf, -inf, -0.0, -0.0}));
}

}  // namespace
