// Sorting, searching and sets on an OpenCL device: the host's values, and nothing that the host does.
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <device/on_device.h>

namespace {

namespace np = numjit;
using numjit::testing::expect_same;
using numjit::testing::expect_there;
using numjit::testing::numbers;

class OpenClSort : public numjit::testing::OnOpenCl {};

const auto sorted = [](const np::array& a) { return np::sort(a); };
const auto places = [](const np::array& a) { return np::argsort(a); };

/// Elements of which many are equal, among them NaN, infinities and zeros of both signs.
np::array mixed(std::int64_t n, const np::dtype& type) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  np::array x = np::remainder(np::arange(static_cast<double>(n)) * 37.0, 101.0) - 50.0;
  if (type.kind() == 'f' || type.kind() == 'c') {
    const np::array which = np::remainder(np::arange(n) * 11, 17);
    x = np::where(which == 1, nan,
                  np::where(which == 3, inf, np::where(which == 5, -inf, np::where(which == 7, -0.0, x * 0.37))));
  }
  if (type.kind() == 'c') {
    const np::array y = np::remainder(np::arange(static_cast<double>(n)) * 53.0, 7.0) - 3.0;
    np::array z = np::zeros(n, {.dtype = np::complex128});
    np::real(z) = np::where(x > 15.0, 1.0, x);
    np::imag(z) = np::where(y == 2.0, nan, np::where(y == 1.0, -0.0, y));
    return z.astype(type);
  }
  if (type.kind() == 'b') return x > 0.0;
  if (type.kind() == 'u') x = x + 50.0;
  return x.astype(type);
}

TEST_F(OpenClSort, KindsOfDtypes) {
  for (const np::dtype& type : {np::dtype(np::bool_), np::dtype(np::int16), np::dtype(np::uint32), np::dtype(np::float16),
                                np::dtype(np::float32), np::dtype(np::float64), np::dtype(np::complex64)}) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = mixed(700, type);
    expect_there(sorted, x);
    expect_there(places, x);
  }
}

TEST_F(OpenClSort, AllLengths) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 1000, 1024, 1025, 3073, 65535, 65537}) {
    SCOPED_TRACE(n);
    const np::array x = np::remainder(np::arange(n) * 7919, 997), y = numbers(n);
    expect_there(sorted, y);
    expect_there(places, x);
  }
  const np::array rows = np::reshape(numbers(3 * 2500), {3, 2500});  // longer than what a block of threads merges
  expect_there([](const np::array& x) { return np::sort(x, {.axis = 1}); }, rows);
  expect_there([](const np::array& x) { return np::argsort(x, {.axis = 1}); }, rows);
  const np::array falling = np::flip(np::arange(1000.0)), equal = np::ones(1000);
  for (const np::array& x : {falling, equal, np::arange(1000.0)}) {
    expect_there(sorted, x);
    expect_there(places, x);
  }
}

TEST_F(OpenClSort, ExtremesOfIntegers) {
  for (const np::dtype& type : {np::dtype(np::int64), np::dtype(np::int8), np::dtype(np::uint64), np::dtype(np::uint16)}) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = (np::arange(300) * 0x123456789abcdefll).astype(type);
    expect_there(sorted, x);
    expect_there(places, x);
  }
}

TEST_F(OpenClSort, AxesAndViews) {
  const np::array x = np::reshape(mixed(6 * 35 * 10, np::float32), {6, 35, 10}),
                  z = np::reshape(mixed(2100, np::complex64), {6, 35, 10});
  for (const int axis : {0, 1, 2}) {
    SCOPED_TRACE(axis);
    expect_there([axis](const np::array& v) { return np::sort(v, axis); }, x);
    expect_there([axis](const np::array& v) { return np::argsort(v, axis); }, axis == 1 ? z : x);
  }
  expect_there([](const np::array& v) { return np::sort(v(np::slice(np::none, np::none, -2), np::_, np::slice(1, 9, 3)), 1); },
               x);
  expect_there([](const np::array& v) { return np::argsort(v.T(), 0); }, x);
  expect_there([](const np::array& v) { return np::sort(np::ravel(v)) * 2.0f; }, x);
}

TEST_F(OpenClSort, InPlace) {
  auto f = np::compile([](np::array& a) { a(np::_, np::slice(2, 30)).sort(0); });
  np::array here = np::reshape(mixed(40 * 35, np::float64), {40, 35}).copy(), there = here.to(np::testing::device_kind());
  f(here), f(there);
  expect_same(here, there);
}

// A partition is sorted whole: what has to stand at its places does, and all elements are there.
TEST_F(OpenClSort, PartitionsAndWhatIsMadeOfThem) {
  const np::array x = np::reshape(numbers(900), {30, 30});
  const np::array part = np::compile([](const np::array& a) {
    return np::partition(a, {3, 20}, 1);
  })(x.to(np::testing::device_kind()));
  expect_same(np::sort(x, 1), part);
  const np::array order =
      np::compile([](const np::array& a) { return np::argpartition(a, 5, 1); })(x.to(np::testing::device_kind()));
  expect_same(np::argsort(x, 1), order);
  expect_there([](const np::array& a) { return np::median(a, {.axis = 0}); }, x);
  expect_there([](const np::array& a, const np::array& q) { return np::percentile(a, q, {.axis = 1}); }, x,
               np::array({30.0, 75.0}));
}

TEST_F(OpenClSort, Searches) {
  for (const np::dtype& type :
       {np::dtype(np::int32), np::dtype(np::uint64), np::dtype(np::float16), np::dtype(np::float64), np::dtype(np::bool_)}) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array a = np::sort(mixed(500, type)), v = np::reshape(mixed(330, type), {33, 10});
    for (const char* side : {"left", "right"})
      expect_there([side](const np::array& x, const np::array& y) { return np::searchsorted(x, y, side); }, a, v);
  }
  const np::array a = np::arange(100), v = numbers(50) * 40.0;
  expect_there([](const np::array& x, const np::array& y) { return np::searchsorted(x, y); }, a, v);
  expect_there([](const np::array& x,
                  const np::array& y) { return np::searchsorted(x(np::slice(0, 100, 3)), y(np::slice(np::none, np::none, -1))); },
               a, v);
}

TEST_F(OpenClSort, Sets) {
  for (const np::dtype& type : {np::dtype(np::int32), np::dtype(np::complex128)}) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = mixed(900, type), y = mixed(90, type)(np::slice(10, 60));
    expect_there([](const np::array& a) { return np::unique(a); }, x);
    expect_there([](const np::array& a, const np::array& b) { return np::union1d(a, b); }, x, y);
  }
}

TEST_F(OpenClSort, Members) {
  for (const np::dtype& type :
       {np::dtype(np::int8), np::dtype(np::int32), np::dtype(np::uint64), np::dtype(np::float32), np::dtype(np::float64)}) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = np::reshape(mixed(900, type), {30, 30}), keys = mixed(90, type)(np::slice(10, 60));
    for (const bool invert : {false, true})
      expect_there([invert](const np::array& a, const np::array& b) { return np::isin(a, b, {.invert = invert}); }, x, keys);
    expect_there([](const np::array& a, const np::array& b) { return np::isin(a(np::slice(0, 30, 3)), b * 2.5); }, x, keys);
  }
}

TEST_F(OpenClSort, PutsAtIndices) {
  const np::array index = np::array({3, -1, 0, 3, 7, -8, 3}), many = (np::arange(5000) * 7919) % 400 - 200;
  auto put = [](const np::array& a, const np::array& i, const np::array& v) {
    np::array b = a.copy();
    b(i) = v;
    return b;
  };
  for (const np::dtype& type : {np::dtype(np::bool_), np::dtype(np::float16), np::dtype(np::float64), np::dtype(np::complex64)}) {
    SCOPED_TRACE(std::string(type.name()));
    const np::array x = np::reshape(mixed(8 * 45, type), {8, 45});
    expect_there(put, x, index, np::reshape(mixed(7 * 45, type), {7, 45}));
  }
  const np::array x = numbers(400), wide = np::reshape(numbers(800), {400, 2});
  expect_there(put, x, many, np::arange(5000.0));      // of equal indices the last one counts
  expect_there(put, x, np::reshape(many, {50, 100}), np::arange(100));
  expect_there(put, wide, many.astype(np::int16), np::array({5.0}));
  expect_there([](const np::array& a, const np::array& i, const np::array& v) {
    np::array b = np::array(a.T()).copy();
    b(1)(np::slice(0, 400, 2))(i % 100) = v;           // into a part of an array
    return b;
  }, wide, many, np::arange(5000.0));
  // What is stored is read before.
  expect_there([](const np::array& a, const np::array& i) {
    np::array b = a.copy();
    b(i) = b(np::slice(0, 7)) * 2.0;
    return b;
  }, x, index);
}

TEST_F(OpenClSort, WhatIsMadeByPuts) {
  const np::array x = mixed(500, np::int32);
  expect_there([](const np::array& a) { return np::unique_all(a).inverse_indices; }, x);
  expect_there([](const np::array& a) { return np::unique_all(a).counts; }, x);
}

TEST_F(OpenClSort, Bins) {
  const np::array x = np::remainder(np::arange(3000) * 7919, 57);
  expect_there([](const np::array& a) { return np::bincount(a); }, x);
  expect_there([](const np::array& a) { return np::bincount(a, {}, 100); }, x.astype(np::uint8));
  auto f = np::compile([](const np::array& a) { return np::bincount(a); });
  try {
    f((x - 1).to(np::testing::device_kind())).eval();
    FAIL() << "no error";
  } catch (const np::ValueError& e) {
    EXPECT_STREQ(e.what(), "[bincount] 'list' argument must have no negative elements");
  }
}

TEST_F(OpenClSort, AnIndexOutOfRangeIsTheHostsError) {
  auto put = np::compile([](np::array& a, const np::array& i) { a(i) = 1.0; });
  np::array x = numbers(10).to(np::testing::device_kind());
  try {
    put(x, np::array({1, 10}).to(np::testing::device_kind()));
    FAIL() << "no error";
  } catch (const np::IndexError& e) {
    EXPECT_STREQ(e.what(), "[index] index 10 is out of bounds for axis 0 with size 10");
  }
}

}  // namespace
