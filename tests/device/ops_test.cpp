// Operations that are steps by themselves on an OpenCL device: the bits of the host, and nothing that the host does.
#include <algorithm>
#include <complex>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <device/on_device.h>

namespace {

namespace np = numjit;
using numjit::testing::all_dtypes;
using numjit::testing::expect_same;
using numjit::testing::expect_there;
using numjit::testing::host_work;
using numjit::testing::numbers;

class OpenClDeviceOps : public numjit::testing::OnOpenCl {};

const std::vector<np::dtype>& some_dtypes() {
  static const std::vector<np::dtype> some = {np::bool_, np::int16, np::float16, np::float32, np::complex128};
  return some;
}
np::array values(const std::vector<std::int64_t>& shape, const np::dtype& type) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  np::array x = numbers(n);
  if (type.kind() == 'c') x = x + np::cos(np::arange(static_cast<double>(n))) * std::complex<double>(0.0, 1.0);
  if (type.kind() == 'u' || type.kind() == 'i') x = x * 20.0;
  if (type.kind() == 'b') return np::reshape(x > 0.5, np::dims(shape));
  return np::reshape(x.astype(type.kind() == 'u' ? np::dtype(np::int64) : type).astype(type), np::dims(shape));
}

TEST_F(OpenClDeviceOps, ScansOfAllDtypes) {
  for (const np::dtype& type : all_dtypes()) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = values({3, 300, 2}, type);
    expect_there([](const np::array& a) { return np::cumsum(a, {.axis = 1}); }, x);
    if (type.itemsize() % 4 == 0) continue;  // a kernel takes a moment to make; products of the others are alike
    expect_there([](const np::array& a) { return np::cumprod(a, {.axis = 1}); }, x);
  }
  const np::array x = values({3, 300, 5}, np::float64),
                  z = values({3, 300, 5}, np::complex64) * 0.3f;  // NaN have no bits to compare
  for (const int axis : {0, 1, 2}) {
    SCOPED_TRACE(axis);
    expect_there([axis](const np::array& a) { return np::cumprod(a, {.axis = axis}); }, x);
    expect_there([axis](const np::array& a) { return np::cumprod(a, {.axis = axis}); }, z);
  }
}

/// What a function of nothing makes in a scope of the device: the host's bits.
template <class F>
void expect_made_there(const F& f) {
  auto compiled = np::compile(f);
  const np::array want = f();
  const std::int64_t before = host_work();
  np::array got;
  {
    np::device scope(np::testing::device_kind());
    got = compiled();
  }
  EXPECT_EQ(got.device(), np::testing::device_name());
  EXPECT_EQ(host_work(), before) << numjit::testing::host_ops();
  expect_same(want, got);
}

TEST_F(OpenClDeviceOps, RangesOfAllDtypes) {
  for (const np::dtype& type : all_dtypes()) {
    SCOPED_TRACE(std::string(type.name()));
    if (type.kind() != 'b')
      for (const double start : {0.0, -0.0, 3.0})
        expect_made_there([=] { return np::arange(start, start + 100.0, 3.0, {.dtype = type}); });
    expect_made_there([=] { return np::arange(0, 2, 1, {.dtype = type}); });
  }
  for (const np::dtype& type : some_dtypes()) {
    SCOPED_TRACE(std::string(type.name()));
    expect_made_there([=] { return np::linspace(1.0, 100.0, 53, {.dtype = type}); });
    expect_made_there([=] { return np::eye(5, {.M = 7, .k = 1, .dtype = type}); });
  }
}

TEST_F(OpenClDeviceOps, RangesAtTheirEdges) {
  for (const std::int64_t n : {0, 1, 2, 3, 64, 65, 100000}) {
    SCOPED_TRACE(n);
    expect_made_there([=] { return np::arange(n); });
    expect_made_there([=] { return np::arange(0.1, 0.1 + 0.7 * static_cast<double>(n), 0.7); });
    expect_made_there([=] { return np::linspace(0.1, 0.7, n); });
    expect_made_there([=] { return np::linspace(0.1, 0.7, n, {.endpoint = false}); });
    expect_made_there([=] { return np::linspace(0.3, 0.3, n); });
  }
  expect_made_there([] { return np::arange(1e300, 1.7e308, 1e307); });
  expect_made_there([] { return np::arange(10, -10, -3); });
  expect_made_there([] { return np::linspace(std::complex<double>(0, 1), std::complex<double>(3, -2), 17); });
  expect_made_there([] { return np::linspace(5.0, 5.0 + 1e-323, 7); });  // a step that rounds to nothing
  for (const int k : {-9, -2, 0, 3, 9}) expect_made_there([=] { return np::eye(6, {.M = 8, .k = k}); });
  expect_made_there([] { return np::eye(4) * 2.0 + np::arange(4.0); });
}

TEST_F(OpenClDeviceOps, ScansOfAllLengths) {
  auto flat = [](const np::array& a) { return np::cumsum(a); };
  auto rows = [](const np::array& a) { return np::cumsum(a, {.axis = 1}); };
  auto columns = [](const np::array& a) { return np::cumsum(a, {.axis = 0}); };
  for (const std::int64_t n :
       {1, 2, 127, 128, 129, 255, 256, 257, 384, 1000, 128 * 128, 128 * 1024 + 1, 128 * 1025 + 77, 300000}) {
    SCOPED_TRACE(n);
    for (const np::dtype& type : {np::dtype(np::float64), np::dtype(np::float32), np::dtype(np::int32)}) {
      expect_there(flat, values({n}, type));
      if (n > 2000) continue;
      expect_there(rows, values({37, n}, type));
      expect_there(columns, values({n, 37}, type));
    }
  }
}

TEST_F(OpenClDeviceOps, ScansOfViewsAndOtherDtypes) {
  const np::array x = np::reshape(numbers(40 * 300), {40, 300});
  expect_there(
      [](const np::array& a) { return np::cumsum(a(np::slice(np::none, np::none, -2), np::slice(1, 290, 3)), {.axis = 1}); }, x);
  expect_there([](const np::array& a) { return np::cumsum(a.T(), {.axis = 0}); }, x);
  expect_there([](const np::array& a) { return np::cumsum(a.T()); }, x);
  expect_there([](const np::array& a) { return np::cumsum(a, {.axis = 1, .dtype = np::float32}); }, x);
  expect_there([](const np::array& a) { return np::cumsum(a * 5.0, {.axis = -1, .dtype = np::int64}); }, x);
  expect_there([](const np::array& a) { return np::exp(np::cumsum(a * 0.1, {.axis = 0})) + np::cumprod(a, {.axis = 1}); }, x);
  expect_there([](const np::array& a) { return np::cumsum(np::reshape(a, {20, 2, 3, 100})(np::_, 1), {.axis = 1}); }, x);
}

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const np::error& e) {
    return e.what();
  }
  return "no error";
}

/// Every pair of the values that Euclid's loop meets: zeros, signs, the ends of the dtype, and neighbours of Fibonacci's
/// sequence, which take the most divisions.
np::array divisors_of(const np::dtype& type) {
  const bool is_signed = type.kind() == 'i';
  const int bits = static_cast<int>(8 * type.itemsize()) - (is_signed ? 1 : 0);
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits);
  std::vector<std::uint64_t> list{0, 1, 2, 6, 12, 60, most / 2, most / 3 * 2, most - 1, most};
  std::uint64_t a = 1, b = 1;
  while (b <= most - a) b += std::exchange(a, b);
  list.insert(list.end(), {a, b, b - a});
  np::array x = np::zeros(static_cast<std::int64_t>(list.size()), {.dtype = np::uint64});
  std::copy(list.begin(), list.end(), x.data<std::uint64_t>());
  x = x.astype(type);
  if (is_signed) x = np::concatenate({x, -x, np::array({-static_cast<std::int64_t>(most) - 1}).astype(type)});
  return x;
}

TEST_F(OpenClDeviceOps, CommonDivisorsAndMultiples) {
  auto gcd = [](const np::array& a, const np::array& b) { return np::gcd(a, b); };
  auto lcm = [](const np::array& a, const np::array& b) { return np::lcm(a, b); };
  for (const np::dtype& type : all_dtypes()) {
    if (type.kind() != 'i' && type.kind() != 'u') continue;
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = divisors_of(type), all = np::array(x(np::_, np::newaxis));
    expect_there(gcd, x, all);
    expect_there(lcm, x, all);
  }
  const np::array bytes = np::arange(256).astype(np::uint8), signs = bytes.astype(np::int8);
  expect_there(gcd, bytes, np::array(bytes(np::_, np::newaxis)));
  expect_there(gcd, signs, np::array(signs(np::_, np::newaxis)));
  const np::array n = np::arange(6000).astype(np::int32).reshape({60, 100});
  expect_there([](const np::array& a) { return np::gcd(a * 3 - 500, 12) + np::lcm(36, a); }, n);
  expect_there(
      [](const np::array& a) {
        return np::lcm(a.T(), a(np::_, 7)) - np::gcd(a(np::slice(np::none, np::none, -3)), a(0)).T()(np::_, 0, np::newaxis);
      },
      n);
  expect_there([](const np::array& a, const np::array& b) { return np::gcd(a, b); }, n, np::arange(100).astype(np::uint8));
  expect_there([](const np::array& a, const np::array& b) { return np::lcm(a, b); }, n, np::array(18));
  expect_there([](const np::array& a) { return np::gcd(a(np::slice(0, 0)), 4); }, n);
}

TEST_F(OpenClDeviceOps, RepeatsByCounts) {
  auto repeat = [](const np::array& a, const np::array& counts) { return np::repeat(a, counts, 0) + 1; };
  for (const std::int64_t n : {3, 7, 128, 1000}) {
    SCOPED_TRACE(n);
    const np::array x = np::arange(2 * n).reshape({n, 2});
    expect_there(repeat, x, np::arange(n) % 4);
    expect_there(repeat, x, np::flip(np::arange(n) % 3).astype(np::uint8));
    expect_there(repeat, x, np::where(np::arange(n) == n - 1, 500, 0));
  }
  auto f = np::compile(repeat);
  const np::array x = np::arange(3).to(np::testing::device_kind());
  EXPECT_EQ(f(x, np::zeros(3, {.dtype = np::int64}).to(np::testing::device_kind())).size(), 0);
  EXPECT_EQ(message([&] {
              f(x, np::array({1, -1, 2}).to(np::testing::device_kind())).eval();
            }),
            "[repeat] repeats may not contain negative values.");
}

TEST_F(OpenClDeviceOps, TakesOfDtypes) {
  const np::array index = np::array({3, -1, 0, 3, 7, -8});
  for (const np::dtype& type : some_dtypes()) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = values({8, 9, 40}, type);
    expect_there([](const np::array& a, const np::array& i) { return np::take(a, i, {.axis = 0}); }, x, index);
    expect_there([](const np::array& a, const np::array& i) { return np::take(a, i, {.axis = 1}); }, x, index);
    expect_there([](const np::array& a, const np::array& i) { return np::take(a, i, {.axis = 2}); }, x, index);
    expect_there([](const np::array& a, const np::array& i) { return np::take(a, i); }, x, index);
  }
}

TEST_F(OpenClDeviceOps, TakesByModesAndViews) {
  const np::array x = values({50, 6}, np::float64);
  const np::array far = np::array({3, -1, 0, 49, 70, -800, 1000000}), many = (np::arange(2000) * 7) % 50;
  auto wrap = [](const np::array& a, const np::array& i) { return np::take(a, i, {.axis = 0, .mode = "wrap"}); };
  auto clip = [](const np::array& a, const np::array& i) { return np::take(a, i, {.axis = 0, .mode = "clip"}); };
  expect_there(wrap, x, far);
  expect_there(clip, x, far);
  expect_there(wrap, x, far.astype(np::int16));
  expect_there(clip, x, np::reshape(many, {40, 50}));
  expect_there([](const np::array& a,
                  const np::array& i) { return np::take(a.T(), i(np::slice(np::none, np::none, -3)), {.axis = 1}) * 2.0; },
               x, many);
  expect_there([](const np::array& a, const np::array& i) { return a(i) + 1.0; }, x, many);
  expect_there([](const np::array& a, const np::array& i) { return np::cumsum(a(i, 2)); }, x, many);
}

TEST_F(OpenClDeviceOps, TakesOfSeveralIndices) {
  const np::array i = np::array({3, -1, 0, 3, 7, -8}), j = np::array({0, 8, -9, 2, 2, 5});
  for (const np::dtype& type : some_dtypes()) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = values({8, 9, 40}, type);
    expect_there([](const np::array& a, const np::array& p, const np::array& q) { return np::array(a(p, q)); }, x, i, j);
    expect_there([](const np::array& a, const np::array& p,
                    const np::array& q) { return np::array(a(p, np::slice(np::none, np::none, 1), q)); },
                 x, i, j);
    expect_there([](const np::array& a, const np::array& p, const np::array& q) { return np::array(a.T()(q, p)); },
                 values({8, 9}, type), i, j);
  }
  const np::array x = values({50, 60}, np::float32), rows = (np::arange(700).reshape({70, 10}) * 7) % 50;
  expect_there([](const np::array& a, const np::array& p) { return a(p, np::full({10}, -3)) * 2.0; }, x, rows.astype(np::int16));
  auto f = np::compile([](const np::array& a, const np::array& p) { return a(p, p) + 1.0; });
  EXPECT_EQ(message([&] { f(x.to(np::testing::device_kind()), np::array({1, 50}).to(np::testing::device_kind())).eval(); }),
            "[index] index 50 is out of bounds for axis 0 with size 50");
}

TEST_F(OpenClDeviceOps, AnIndexOutOfRangeIsTheHostsError) {
  auto f = np::compile([](const np::array& a, const np::array& i) { return np::take(a * 2.0, i, {.axis = 0}) + 1.0; });
  const np::array x = numbers(10), wrong = np::array({1, 10});
  const std::string want = "[take] index 10 is out of bounds for axis 0 with size 10";
  EXPECT_EQ(message([&] { f(x, wrong).eval(); }), want);
  EXPECT_EQ(message([&] { f(x.to(np::testing::device_kind()), wrong.to(np::testing::device_kind())).eval(); }), want);
  EXPECT_EQ(message([&] { f(x.to(np::testing::device_kind()), np::array({1, -11}).to(np::testing::device_kind())).eval(); }),
            "[take] index -11 is out of bounds for axis 0 with size 10");
}

TEST_F(OpenClDeviceOps, IndicesOfTheHostGoWithAnyDevice) {
  const np::array x = values({30, 8}, np::float64), index = np::array({3, -1, 0, 29, 7}), mask = numbers(30) > 0.5;
  const np::array g = x.to(np::testing::device_kind());
  auto rows = [](const np::array& a, const np::array& i) { return np::array(a(i)) * 2.0; };
  auto some = [](const np::array& a, const np::array& m) { return np::array(a(m)) + 1.0; };
  auto taken = [](const np::array& a, const np::array& i) { return np::take(a, i * 2 % 8, {.axis = 1}); };
  for (const bool compiled : {false, true}) {
    SCOPED_TRACE(compiled);
    const np::array r = compiled ? np::compile(rows)(g, index) : rows(g, index),
                    s = compiled ? np::compile(some)(g, mask) : some(g, mask);
    EXPECT_EQ(r.device(), np::testing::device_name());
    EXPECT_EQ(s.device(), np::testing::device_name());
    expect_same(rows(x, index), r);
    expect_same(some(x, mask), s);
  }
  expect_same(taken(x, index), np::compile(taken)(g, index));
  auto put = np::compile([](np::array& a, const np::array& i) { a(i) = 7.0; });
  np::array there = x.to(np::testing::device_kind()), here = x.copy();
  put(there, index), put(here, index);
  expect_same(here, there);
  // Elements are not indices: those of two devices stay an error.
  auto sum = np::compile([](const np::array& a, const np::array& i) { return np::array(a(i)) + i; });
  const std::string error = message([&] { sum(np::array(g(np::_, 0)), index).eval(); });
  EXPECT_EQ(error.substr(error.find(']')), "] arrays on different devices: got " + np::testing::device_name() +
                                               " and cpu, expected one device. Move one with x.to(...), or open an np::device "
                                               "scope, which moves arguments in.");
}

TEST_F(OpenClDeviceOps, SelectionsByMasks) {
  auto select = [](const np::array& a, const np::array& m) { return np::array(a(m)); };
  for (const np::dtype& type : some_dtypes()) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = values({60, 50}, type);
    expect_there(select, x, np::reshape(numbers(3000), {60, 50}) > 0.3);
    expect_there(select, x, numbers(60) > 0.3);
  }
  const np::array x = numbers(100000);
  for (const double level : {-4.0, 0.0, 2.999, 4.0}) {
    SCOPED_TRACE(level);
    auto f = np::compile([level](const np::array& a) { return np::array(a(a > level)); });
    expect_same(f(x), f(x.to(np::testing::device_kind())));
  }
  expect_there([](const np::array& a) { return np::sum(np::sqrt(a(a > 1.0))) / 2.0; }, x);
  expect_there([](const np::array& a) { return np::array(a(a > 1.0)) * 2.0 + np::array(a(a > 1.0)); }, x);
  expect_there([](const np::array& a) { return np::nonzero(np::reshape(a, {100, 1000}) > 2.0)[1]; }, x);
  expect_there([](const np::array& a) { return np::flatnonzero(np::floor(a)); }, x);
}

/// Lists of numbers go anywhere, as numbers do.
TEST_F(OpenClDeviceOps, ListsOfNumbers) {
  const np::array x = values({300}, np::float64);
  const auto expect_both = [&](auto f) {
    expect_there(f, x);
    expect_same(f(x), f(x.to(np::testing::device_kind())));
  };
  expect_both([](const np::array& a) { return np::percentile(a * 2.0, {25, 50, 75}); });
  expect_both([](const np::array& a) { return np::quantile(a, {0.1, 0.5}); });
  expect_both([](const np::array& a) { return np::digitize(a - 0.5, {-1.0, 0.0, 1.0}); });
  expect_both([](const np::array& a) { return np::searchsorted(np::sort(a), {-2.0, 0.25}); });
  expect_both([](const np::array& a) { return np::convolve(a, {0.25, 0.5, 0.25}); });
  expect_both([](const np::array& a) { return np::isin(np::floor(a), {1.0, 2.0}); });
}

TEST_F(OpenClDeviceOps, StoresOfNumbers) {
  for (const np::dtype& type : all_dtypes()) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = values({12, 15}, type);
    expect_there([](const np::array& a) {
      np::array b = a.copy();
      b(0) = 0;
      b(np::slice(1, 9, 2), np::slice(2, -2)) = 3;
      b(np::_, -1) = true;
      if (a.dtype().kind() != 'b' && a.dtype().kind() != 'u') b(5, np::slice(3, 6)) = -7.75;
      if (a.dtype().kind() == 'c') b(6) = std::complex<double>(0.5, -2.0);
      b(a == b) = 1;
      return b;
    }, x);
  }
  auto edges = np::compile([](np::array& a, double v) {
    a(0) = v;
    a(-1) = -v;
    a(np::_, 0) = 0.0;
    a *= 0.5;
  });
  const std::int64_t before = host_work();
  np::array here = values({40, 30}, np::float32), there = here.to(np::testing::device_kind());
  for (const double v : {1.5, 1e-50, 3e38, -0.0, 7.0}) edges(here, v), edges(there, v);
  EXPECT_EQ(host_work(), before) << numjit::testing::host_ops();
  expect_same(here, there);
}

TEST_F(OpenClDeviceOps, StoresByMasks) {
  for (const np::dtype& type : {np::dtype(np::float64), np::dtype(np::int16), np::dtype(np::complex64)}) {
    SCOPED_TRACE(std::string(type.name()));
    auto put = [](const np::array& a, const np::array& m, const np::array& v) {
      np::array b = a.copy();
      b(m) = v;
      return b;
    };
    const np::array x = values({40, 30}, type), mask = np::reshape(numbers(1200), {40, 30}) > 0.3;
    expect_there(put, x, mask, values({np::count_nonzero(mask).item<std::int64_t>()}, type) * np::array(2).astype(type));
    expect_there(put, x, mask, values({1}, type));
  }
  auto put = np::compile([](const np::array& a, const np::array& v) {
    np::array b = a.copy();
    b(a > 0.0) = v;
    return b;
  });
  const std::string want =
      "NumPy boolean array indexing assignment cannot assign 3 input values to the 50 output values where the mask is true";
  const np::array x = np::cos(np::arange(100.0) * 3.14159265);
  EXPECT_EQ(message([&] {
              put(x.to(np::testing::device_kind()), np::array({1.0, 2.0, 3.0}).to(np::testing::device_kind()));
            }),
            "[mask_put] " + want);
}

TEST_F(OpenClDeviceOps, Joins) {
  const np::array x = values({4, 5, 6}, np::float32), y = values({4, 7, 6}, np::float64), z = values({4, 5, 3}, np::int8);
  expect_there([](const np::array& a, const np::array& b) { return np::concatenate({a, b, a * 2.0f}, {.axis = 1}); }, x, y);
  expect_there([](const np::array& a, const np::array& b) { return np::concatenate({a, b}, {.axis = -1}) + 1.0; }, x, z);
  expect_there([](const np::array& a, const np::array& b) { return np::concatenate({a.T(), b.T()}, {.axis = 0}); }, x, z);
  expect_there([](const np::array& a) { return np::stack({a, np::flip(a)}, {.axis = 1}); }, x);
}

TEST_F(OpenClDeviceOps, ExplainSaysWhereTheyRan) {
  auto f = np::compile([](const np::array& a) { return np::cumsum(a * a); });
  const auto report = np::explain(f)(numbers(1000).to(np::testing::device_kind()));
  EXPECT_NE(report.str().find("cumsum"), std::string::npos);
  EXPECT_NE(report.str().find(np::testing::device_name()), std::string::npos) << report.str();
}

}  // namespace
