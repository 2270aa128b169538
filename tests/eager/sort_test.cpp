// Sorting and argsort: every dtype against a stable sort of the standard library, all lengths at which
// the way changes, any number of threads, rows and columns, NaN and signed zeros.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <numjit/base/config.h>

#include "helpers.h"

namespace numjit::testing {
namespace {

array sorted(const array& a, std::int64_t axis = -1) { return run(op_id::sort, {a}, layout::sort_params(axis)); }
array order(const array& a, std::int64_t axis = -1) { return run(op_id::argsort, {a}, layout::sort_params(axis)); }

/// Values with many equal ones; floats with NaN of both signs, infinities, zeros of both signs.
template <class T>
std::vector<T> some(std::int64_t n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) {
    const std::uint64_t r = random();
    if constexpr (std::is_floating_point_v<T>) {
      const T special[] = {T(0), -T(0), std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN(),
                           std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                           std::numeric_limits<T>::denorm_min(), T(1)};
      x = r % 4 == 0 ? special[r / 4 % 8] : static_cast<T>(static_cast<double>(r) / 1e18 - 9);
    } else {
      x = static_cast<T>(r % 3 == 0 ? r % 7 : r >> 5);
    }
  }
  return v;
}

template <class T>
bool less(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) return a < b || (std::isnan(b) && !std::isnan(a));
  else return a < b;
}

const std::int64_t lengths[] = {0, 1, 2, 31, 32, 47, 48, 49, 1000, 1023, 1024, 16383, 16384, 20000, 70001};

/// Integers from `first` on that lie close together.
template <class T>
std::vector<T> near(std::int64_t n, T first) {
  std::vector<T> v = some<T>(n);
  for (T& x : v) x = static_cast<T>(first + static_cast<T>(static_cast<std::uint64_t>(x) % 100));
  return v;
}

template <class T>
void check_sorted(dtype_id type, const std::vector<T>& given) {
  const std::int64_t n = static_cast<std::int64_t>(given.size());
  std::vector<T> expected = given;
  std::stable_sort(expected.begin(), expected.end(), less<T>);
  std::vector<std::int64_t> places(given.size());
  std::iota(places.begin(), places.end(), std::int64_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) {
    return less(given[static_cast<std::size_t>(a)], given[static_cast<std::size_t>(b)]);
  });
  std::string first;
  for (const std::int64_t threads : {1, 2, 7}) {
    SCOPED_TRACE(std::string(dtype(type).name()) + " " + std::to_string(n) + " threads " + std::to_string(threads));
    config_scope scope({.threads = threads});
    const array a = of(type, given), got = sorted(a);
    const std::vector<T> found = values<T>(got);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_TRUE(!less(found[i], expected[i]) && !less(expected[i], found[i])) << i;
    EXPECT_EQ(values<std::int64_t>(order(a)), places);
    if (threads == 1) first = bytes(got);
    EXPECT_EQ(bytes(got), first);
    EXPECT_EQ(values<T>(a).size(), given.size());
    EXPECT_EQ(bytes(a), bytes(of(type, given)));  // the input stays
  }
}

template <class T>
void check(dtype_id type) {
  for (const std::int64_t n : lengths) check_sorted(type, some<T>(n));
}

template <class T>
void check_near(dtype_id type) {
  using limits = std::numeric_limits<T>;
  for (const std::int64_t n : {63, 64, 1000, 70001})
    for (const T first : {limits::min(), static_cast<T>(limits::max() - 99), static_cast<T>(limits::max() / 2)}) {
      std::vector<T> given = near<T>(n, first);
      check_sorted(type, given);
      given.back() = limits::max();  // one far away, found last
      given.front() = limits::min();
      check_sorted(type, given);
    }
}

TEST(sort, integers_close_together) {
  check_near<std::int8_t>(dtype_id::int8);
  check_near<std::uint8_t>(dtype_id::uint8);
  check_near<std::int16_t>(dtype_id::int16);
  check_near<std::uint16_t>(dtype_id::uint16);
  check_near<std::int32_t>(dtype_id::int32);
  check_near<std::uint32_t>(dtype_id::uint32);
  check_near<std::int64_t>(dtype_id::int64);
  check_near<std::uint64_t>(dtype_id::uint64);
}

template <class T>
void check_within_32_bits(dtype_id type) {
  using limits = std::numeric_limits<T>;
  for (const T first : {limits::min(), static_cast<T>(limits::max() - 0xffffffffu), static_cast<T>(limits::max() / 2)}) {
    std::vector<T> given = some<T>(5000);
    for (T& x : given) x = static_cast<T>(static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(x) % 0xffffffffu);
    given.front() = first;
    given.back() = static_cast<T>(static_cast<std::uint64_t>(first) + 0xffffffffu);
    check_sorted(type, given);
    if (first > limits::min()) given[7] = static_cast<T>(first - 1);  // one too far
    check_sorted(type, given);
  }
}

TEST(sort, long_integers_that_differ_by_32_bits) {
  check_within_32_bits<std::int64_t>(dtype_id::int64);
  check_within_32_bits<std::uint64_t>(dtype_id::uint64);
}

TEST(sort, integers_of_every_size) {
  check<std::int8_t>(dtype_id::int8);
  check<std::uint8_t>(dtype_id::uint8);
  check<std::int16_t>(dtype_id::int16);
  check<std::uint16_t>(dtype_id::uint16);
  check<std::int32_t>(dtype_id::int32);
  check<std::uint32_t>(dtype_id::uint32);
  check<std::int64_t>(dtype_id::int64);
  check<std::uint64_t>(dtype_id::uint64);
}

TEST(sort, floats_with_nan_last) {
  check<float>(dtype_id::float32);
  check<double>(dtype_id::float64);
}

TEST(sort, negative_zero_comes_first_and_argsort_takes_zeros_as_equal) {
  const array a = doubles({0.0, -0.0, -1.0, 0.0, -0.0});
  const std::vector<double> found = values<double>(sorted(a));
  EXPECT_EQ(found[0], -1.0);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(std::signbit(found[i]), i < 3) << i;
  EXPECT_EQ(values<std::int64_t>(order(a)), (std::vector<std::int64_t>{2, 0, 1, 3, 4}));
}

TEST(sort, float16_and_bool) {
  const array halves =
      run(op_id::astype, {doubles({2, -1, std::nan(""), 0.5, -HUGE_VAL})}, layout::type_params(dtype_id::float16));
  const array wide = run(op_id::astype, {sorted(halves)}, layout::type_params(dtype_id::float64));
  const std::vector<double> found = values<double>(wide);
  EXPECT_EQ(std::vector<double>(found.begin(), found.begin() + 4), (std::vector<double>{-HUGE_VAL, -1, 0.5, 2}));
  EXPECT_TRUE(std::isnan(found[4]));
  EXPECT_EQ(values<std::int64_t>(order(halves)), (std::vector<std::int64_t>{4, 1, 3, 0, 2}));
  EXPECT_EQ(values<std::uint8_t>(sorted(bools({1, 0, 1, 0}))), (std::vector<std::uint8_t>{0, 0, 1, 1}));
  EXPECT_EQ(values<std::int64_t>(order(bools({1, 0, 1, 0}))), (std::vector<std::int64_t>{1, 3, 0, 2}));
}

TEST(sort, complex_by_real_then_imaginary_part) {
  const array z = of(dtype_id::complex128, std::vector<std::complex<double>>{{1, 2}, {0, 9}, {1, -2}, {std::nan(""), 0}, {0, 1}});
  EXPECT_EQ(values<std::int64_t>(order(z)), (std::vector<std::int64_t>{4, 1, 2, 0, 3}));
}

TEST(sort, along_rows_columns_and_strided_views) {
  std::vector<std::int64_t> given = some<std::int64_t>(60 * 70);
  const array a = reshape(ints(given), {60, 70});
  for (const array& view : {a, transpose(a)}) {
    for (const std::int64_t axis : {0, 1, -1}) {
      const array got = sorted(view, axis), places = order(view, axis);
      const bool rows = axis != 0;
      const array line_up = rows ? got : transpose(got), from = rows ? view : transpose(view);
      const array at = rows ? places : transpose(places);
      const std::int64_t n = from.shape()[1];
      const std::vector<std::int64_t> found = values<std::int64_t>(line_up), in = values<std::int64_t>(from),
                                      index = values<std::int64_t>(at);
      for (std::int64_t r = 0; r < from.shape()[0]; ++r) {
        std::vector<std::int64_t> row(in.begin() + r * n, in.begin() + (r + 1) * n);
        for (std::int64_t i = 0; i < n; ++i)
          EXPECT_EQ(row[static_cast<std::size_t>(index[static_cast<std::size_t>(r * n + i)])],
                    found[static_cast<std::size_t>(r * n + i)]);
        std::sort(row.begin(), row.end());
        EXPECT_TRUE(std::equal(row.begin(), row.end(), found.begin() + r * n));
      }
    }
  }
}

}  // namespace
}  // namespace numjit::testing
