// The quick forms of loops (division by multiplication, searches, tiles, wide panels) against plain ones.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <support/canonical.h>

#include "helpers.h"

namespace numjit::testing {
namespace {

template <class T, int I = 0>
constexpr dtype_id type_of() {
  if constexpr (std::is_same_v<T, cpp_type<static_cast<dtype_id>(I)>>) return static_cast<dtype_id>(I);
  else return type_of<T, I + 1>();
}

// ---- integer division ----

template <class T>
T floor_of_quotient(T a, T b) {
  __extension__ typedef __int128 W;
  if (b == 0) return 0;
  W q = W(a) / W(b);
  if (q * b != a && (a < 0) != (b < 0)) --q;
  return static_cast<T>(q);
}

/// Every kind of value near the ends, near zero, near multiples, and random.
template <class T>
std::vector<T> dividends() {
  using L = std::numeric_limits<T>;
  std::vector<T> v;
  if constexpr (sizeof(T) == 1) {
    for (int i = L::min(); i <= L::max(); ++i) v.push_back(static_cast<T>(i));
    return v;
  }
  for (int i = 0; i < 40; ++i) {
    v.push_back(static_cast<T>(L::min() + static_cast<T>(i)));
    v.push_back(static_cast<T>(L::max() - static_cast<T>(i)));
    v.push_back(static_cast<T>(i - (std::is_signed_v<T> ? 20 : 0)));
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) v.push_back(static_cast<T>(random() >> (random() % 64)));
  return v;
}

template <class T>
void check_division() {
  const std::vector<T> a = dividends<T>();
  std::vector<T> divisors = a;
  if (sizeof(T) > 1)
    for (int bit = 0; bit < static_cast<int>(sizeof(T)) * 8 - 1; ++bit)
      for (int near = -1; near <= 1; ++near) divisors.push_back(static_cast<T>((std::uint64_t{1} << bit) + near));
  // For the last bits of the conversions: dividends next to multiples.
  std::vector<T> close;
  for (T d : divisors)
    for (int k = -1; k <= 1; ++k)
      close.push_back(static_cast<T>(static_cast<std::uint64_t>(d) * (std::numeric_limits<T>::max() / (d ? d : T(1)) / 2) + k));
  const array x = of(type_of<T>(), a), near = of(type_of<T>(), close), all = of(type_of<T>(), divisors);
  for (T d : divisors) {
    const std::vector<T> quotient = values<T>(run(op_id::floor_divide, {x, from_bytes(type_of<T>(), {}, &d)}));
    const std::vector<T> rest = values<T>(run(op_id::remainder, {x, from_bytes(type_of<T>(), {}, &d)}));
    for (std::size_t i = 0; i < a.size(); ++i) {
      const T want = floor_of_quotient(a[i], d);
      const T left = d == 0 ? T(0)
                            : static_cast<T>(static_cast<std::uint64_t>(a[i]) -
                                             static_cast<std::uint64_t>(want) * static_cast<std::uint64_t>(d));
      ASSERT_EQ(+quotient[i], +want) << +a[i] << " // " << +d;
      ASSERT_EQ(+rest[i], +left) << +a[i] << " % " << +d;
    }
  }
  std::vector<T> each;
  for (T d : divisors) each.insert(each.end(), 3, d);
  const std::vector<T> quotient = values<T>(run(op_id::floor_divide, {near, of(type_of<T>(), each)}));
  for (std::size_t i = 0; i < close.size(); ++i)
    ASSERT_EQ(+quotient[i], +floor_of_quotient(close[i], each[i])) << +close[i] << " // " << +each[i];
}

TEST(Loops, DivisionOfIntegersIsExact) {
  check_division<std::int8_t>();
  check_division<std::uint8_t>();
  check_division<std::int16_t>();
  check_division<std::uint16_t>();
  check_division<std::int32_t>();
  check_division<std::uint32_t>();
  check_division<std::int64_t>();
  check_division<std::uint64_t>();
}

// ---- blocks without far quotients ----

/// Pairs whose quotients are near the limits of the quick way, exact multiples and their neighbours among them.
template <class T>
void near_pairs(std::vector<T>& a, std::vector<T>& b) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 20000; ++i) {
    if constexpr (std::is_integral_v<T>) {
      const int most = 51 - static_cast<int>(std::is_unsigned_v<T>);
      const auto some = [&] { return static_cast<T>((random() & ((std::uint64_t{1} << most) - 1)) >> (random() % 50)); };
      T y = some(), x = i % 3 ? some() : static_cast<T>(y * static_cast<T>(random() % 7) + static_cast<T>(random() % 3) - 1);
      if constexpr (std::is_signed_v<T>) {
        if (random() % 2) x = static_cast<T>(-x);
        if (random() % 2) y = static_cast<T>(-y);
      }
      a.push_back(x), b.push_back(y);
    } else {
      const int far = static_cast<int>(random() % (sizeof(T) == 4 ? 30 : 54)), scale = static_cast<int>(random() % 200) - 100;
      const T y = static_cast<T>(std::ldexp(normal(random), sizeof(T) == 4 ? scale : 5 * scale));
      T x = static_cast<T>(static_cast<double>(y) * std::ldexp(normal(random), far));
      if (i % 3 == 0) x = static_cast<T>(static_cast<double>(y) * std::rint(std::ldexp(normal(random), far)));
      if (i % 9 == 0) x = std::nextafter(x, i % 2 ? T(0) : std::numeric_limits<T>::infinity());
      constexpr double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN};
      a.push_back(i % 100 ? x : static_cast<T>(special[random() % 5]));
      b.push_back(i % 77 ? y : static_cast<T>(special[random() % 5]));
    }
  }
}

/// Whole arrays against their elements beside a far quotient, which take the other way.
template <class T>
void check_blocks() {
  std::vector<T> a, b, far_a, far_b;
  near_pairs(a, b);
  const T largest = std::numeric_limits<T>::max();
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (T v : {a[i], largest}) far_a.push_back(v);
    for (T v : {b[i], std::is_integral_v<T> ? static_cast<T>(largest / 3) : T(1)}) far_b.push_back(v);
  }
  for (op_id op : {op_id::fmod, op_id::remainder, op_id::floor_divide}) {
    const std::vector<T> quick = values<T>(run(op, {of(type_of<T>(), a), of(type_of<T>(), b)}));
    const std::vector<T> careful = values<T>(run(op, {of(type_of<T>(), far_a), of(type_of<T>(), far_b)}));
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(std::memcmp(&quick[i], &careful[2 * i], sizeof(T)), 0)
          << info(op).name << "(" << a[i] << ", " << b[i] << "): got " << quick[i] << ", expected " << careful[2 * i];
  }
}

TEST(Loops, DivisionsByBlocksAreThoseOfTheirElements) {
  check_blocks<float>();
  check_blocks<double>();
  check_blocks<std::int64_t>();
  check_blocks<std::uint64_t>();
}

// ---- reductions ----

template <class T>
void check_extremes() {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::mt19937_64 random(11);
  for (std::int64_t n : {1, 2, 9, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 300, 1000, 1024, 1025, 2500, 9000})
    for (int kind = 0; kind < 6; ++kind) {
      std::vector<T> v(static_cast<std::size_t>(n));
      for (T& x : v) x = static_cast<T>(static_cast<int>(random() % 2001) - 1000);
      const auto at = static_cast<std::size_t>(random() % v.size());
      if (kind == 1) for (T& x : v) x = random() % 2 ? T(0) : T(-0.0);
      if (kind == 2) for (T& x : v) x = random() % 3 ? (random() % 2 ? T(0) : T(-0.0)) : T(-1);
      if (kind == 3) v[at] = nan;
      if (kind == 4) v[0] = nan;
      if (kind == 5) v[at] = inf, v[v.size() - 1] = -inf;
      const array x = of(type_of<T>(), v);
      const T most = canonical_reduce(v.data(), n, T(-inf), T(0), [](T a, T b) { return a > b || a != a ? a : b; });
      const T least = canonical_reduce(v.data(), n, T(inf), T(0), [](T a, T b) { return a < b || a != a ? a : b; });
      const T got_most = values<T>(run(op_id::max, {x}))[0], got_least = values<T>(run(op_id::min, {x}))[0];
      if (most != most) {
        ASSERT_TRUE(got_most != got_most && got_least != got_least) << n << " kind " << kind;
      } else {
        ASSERT_EQ(std::memcmp(&got_most, &most, sizeof most), 0) << n << " kind " << kind;
        ASSERT_EQ(std::memcmp(&got_least, &least, sizeof least), 0) << n << " kind " << kind;
      }
      ASSERT_EQ(values<std::int64_t>(run(op_id::argmax, {x}))[0], first_best(v.data(), n, std::greater<>()))
          << n << " kind " << kind;
      ASSERT_EQ(values<std::int64_t>(run(op_id::argmin, {x}))[0], first_best(v.data(), n, std::less<>()))
          << n << " kind " << kind;
    }
}

TEST(Loops, ExtremesOfRowsOfEveryLength) {
  check_extremes<double>();
  check_extremes<float>();
}

template <class T>
void check_integer_reductions() {
  std::mt19937_64 random(5);
  for (std::int64_t n : {1, 2, 10, 33, 255, 256, 257, 1000, 4096, 4097, 20000}) {
    std::vector<T> v(static_cast<std::size_t>(n));
    for (T& x : v) x = static_cast<T>(random());
    for (int rare = 0; rare < 3; ++rare) {  // random; all zero; all zero but the last
      if (rare) std::fill(v.begin(), v.end(), T(0));
      if (rare == 2) v.back() = T(1);
      const array x = of(type_of<T>(), v);
      std::uint64_t sum = 0;
      for (T e : v) sum += static_cast<std::uint64_t>(e);
      ASSERT_EQ(values<std::uint64_t>(run(op_id::sum, {x}))[0], sum) << n;
      ASSERT_EQ(+values<T>(run(op_id::max, {x}))[0], +*std::max_element(v.begin(), v.end())) << n;
      ASSERT_EQ(+values<T>(run(op_id::min, {x}))[0], +*std::min_element(v.begin(), v.end())) << n;
      ASSERT_EQ(values<std::uint8_t>(run(op_id::any, {x}))[0], std::any_of(v.begin(), v.end(), [](T e) { return e != T(0); }))
          << n;
      ASSERT_EQ(values<std::uint8_t>(run(op_id::all, {x}))[0], std::all_of(v.begin(), v.end(), [](T e) { return e != T(0); }))
          << n;
      ASSERT_EQ(values<std::int64_t>(run(op_id::argmax, {x}))[0], first_best(v.data(), n, std::greater<>())) << n;
      ASSERT_EQ(values<std::int64_t>(run(op_id::argmin, {x}))[0], first_best(v.data(), n, std::less<>())) << n;
    }
  }
}

TEST(Loops, ReductionsOfIntegers) {
  check_integer_reductions<std::uint8_t>();
  check_integer_reductions<std::int8_t>();
  check_integer_reductions<std::uint16_t>();
  check_integer_reductions<std::int16_t>();
  check_integer_reductions<std::int32_t>();
  check_integer_reductions<std::int64_t>();
}

TEST(Loops, ReductionsOfBool) {
  for (std::int64_t n : {1, 7, 255, 256, 1000})
    for (int kind = 0; kind < 4; ++kind) {  // none, all, the last, all but the last
      std::vector<std::uint8_t> v(static_cast<std::size_t>(n), kind == 1 || kind == 3);
      if (kind >= 2) v.back() ^= 1;
      const array x = bools(v);
      const std::int64_t count = std::count(v.begin(), v.end(), 1);
      for (op_id op : {op_id::any, op_id::max}) ASSERT_EQ(values<std::uint8_t>(run(op, {x}))[0], count > 0);
      for (op_id op : {op_id::all, op_id::min}) ASSERT_EQ(values<std::uint8_t>(run(op, {x}))[0], count == n);
      ASSERT_EQ(values<std::int64_t>(run(op_id::sum, {x}))[0], count);
      ASSERT_EQ(values<std::int64_t>(run(op_id::argmax, {x}))[0], first_best(v.data(), n, std::greater<>()));
      ASSERT_EQ(values<std::int64_t>(run(op_id::argmin, {x}))[0], first_best(v.data(), n, std::less<>()));
      ASSERT_EQ(values<std::int64_t>(run(op_id::nonzero_flat, {x})).size(), static_cast<std::size_t>(count));
    }
}

/// Columns of wide matrices; rows below, at and above the 32 lanes and the chunk of 1024.
template <class T>
void check_columns() {
  for (dims shape : {dims{5, 700}, dims{32, 300}, dims{33, 5000}, dims{65, 3000}, dims{200, 260}, dims{1025, 140}}) {
    std::mt19937_64 random(2);
    std::vector<T> v(static_cast<std::size_t>(shape[0] * shape[1]));
    for (T& x : v)
      x = static_cast<T>(std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53 - 0.3, static_cast<int>(random() % 20)));
    const array a = from_bytes(type_of<T>(), shape, v.data());
    const std::vector<T> sums = values<T>(run(op_id::sum, {a}, over({0}))), most = values<T>(run(op_id::max, {a}, over({0})));
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      std::vector<T> column;
      for (std::int64_t i = 0; i < shape[0]; ++i) column.push_back(v[static_cast<std::size_t>(i * shape[1] + j)]);
      const auto at = static_cast<std::size_t>(j);
      ASSERT_EQ(sums[at], canonical_sum(column.data(), shape[0])) << shape.str() << " column " << j;
      ASSERT_EQ(most[at], *std::max_element(column.begin(), column.end())) << shape.str() << " column " << j;
    }
  }
}

TEST(Loops, SumsOfManyColumnsAreCanonical) {
  check_columns<double>();
  check_columns<float>();
}

TEST(Loops, AnyAndMaxOfManyColumnsOfBytes) {
  std::mt19937_64 random(2);
  for (dims shape : {dims{10, 20000}, dims{64, 3000}, dims{100, 100}}) {
    std::vector<std::uint8_t> v(static_cast<std::size_t>(shape[0] * shape[1]));
    for (auto& x : v) x = random() % 64 == 0 ? static_cast<std::uint8_t>(random()) : 0;
    const array a = from_bytes(dtype_id::uint8, shape, v.data());
    const auto any = values<std::uint8_t>(run(op_id::any, {a}, over({0})));
    const auto most = values<std::uint8_t>(run(op_id::max, {a}, over({0})));
    const auto sum = values<std::uint64_t>(run(op_id::sum, {a}, over({0})));
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      std::uint8_t largest = 0;
      std::uint64_t total = 0;
      for (std::int64_t i = 0; i < shape[0]; ++i) {
        largest = std::max(largest, v[static_cast<std::size_t>(i * shape[1] + j)]);
        total += v[static_cast<std::size_t>(i * shape[1] + j)];
      }
      ASSERT_EQ(most[static_cast<std::size_t>(j)], largest);
      ASSERT_EQ(any[static_cast<std::size_t>(j)], largest != 0);
      ASSERT_EQ(sum[static_cast<std::size_t>(j)], total);
    }
  }
}

// ---- layouts ----

template <class T>
void check_transposed_copies() {
  for (dims shape : {dims{3, 1000}, dims{1000, 3}, dims{8, 9}, dims{100, 70}, dims{33, 65}, dims{6, 5, 40}, dims{40, 5, 6}}) {
    std::vector<T> v(static_cast<std::size_t>(shape[0] * shape[1] * (shape.size() > 2 ? shape[2] : 1)));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>(i * 7 + i / 251);
    const array a = from_bytes(type_of<T>(), shape, v.data()), t = transpose(a);
    const std::vector<T> got = values<T>(t);
    std::size_t k = 0;
    const std::int64_t last = shape.size() > 2 ? shape[2] : 1;
    if (shape.size() == 2) {
      for (std::int64_t j = 0; j < shape[1]; ++j)
        for (std::int64_t i = 0; i < shape[0]; ++i)
          ASSERT_EQ(got[k++], v[static_cast<std::size_t>(i * shape[1] + j)]) << shape.str();
    } else {
      for (std::int64_t l = 0; l < last; ++l)
        for (std::int64_t j = 0; j < shape[1]; ++j)
          for (std::int64_t i = 0; i < shape[0]; ++i)
            ASSERT_EQ(got[k++], v[static_cast<std::size_t>((i * shape[1] + j) * last + l)]) << shape.str();
    }
    ASSERT_EQ(bytes(transpose(t)), bytes(a));
  }
}

TEST(Loops, TransposedCopies) {
  check_transposed_copies<std::uint8_t>();
  check_transposed_copies<std::int16_t>();
  check_transposed_copies<float>();
  check_transposed_copies<double>();
}

TEST(Loops, ShortRowsInGreatNumber) {
  for (dims shape : {dims{2000, 10}, dims{513, 3}, dims{100, 16}, dims{3, 700, 2}}) {
    const std::int64_t columns = shape[shape.size() - 1], rows = shape.size() == 2 ? shape[0] : shape[0] * shape[1];
    const array x = reshape(iota(rows * columns), shape), row = iota(columns);
    const std::vector<double> got = values<double>(run(op_id::add, {x, row}));
    for (std::int64_t i = 0; i < rows * columns; ++i)
      ASSERT_EQ(got[static_cast<std::size_t>(i)], static_cast<double>(i + i % columns)) << shape.str();
  }
}

TEST(Loops, BoolsAsOperands) {
  for (std::int64_t n : {1, 5, 64, 300}) {
    std::vector<std::uint8_t> given;
    std::vector<float> numbers;
    for (std::int64_t i = 0; i < n; ++i) given.push_back(i % 3 == 0), numbers.push_back(i % 3 == 0);
    std::vector<std::uint8_t> flipped = given;
    for (auto& b : flipped) b ^= 1;
    EXPECT_EQ(values<std::uint8_t>(run(op_id::logical_not, {bools(given)})), flipped);
    EXPECT_EQ(values<std::uint8_t>(run(op_id::invert, {bools(given)})), flipped);
    EXPECT_EQ(values<float>(run(op_id::astype, {bools(given)}, layout::type_params(dtype_id::float32))), numbers);
    EXPECT_EQ(values<double>(run(op_id::where, {bools(given), iota(n), iota(n)})), values<double>(iota(n)));
  }
}

TEST(Loops, StoresByMaskAndIndex) {
  std::mt19937_64 random(8);
  for (std::int64_t n : {1, 5, 256, 1000}) {
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(n));
    for (auto& m : mask) m = random() % 2;
    std::vector<double> given, want(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) want[static_cast<std::size_t>(i)] = static_cast<double>(i);
    for (std::int64_t i = 0; i < n; ++i)
      if (mask[static_cast<std::size_t>(i)]) {
        given.push_back(static_cast<double>(random() % 100));
        want[static_cast<std::size_t>(i)] = given.back();
      }
    const array x = iota(n);
    if (!given.empty()) run(op_id::mask_put, {x, bools(mask), doubles(given)});
    EXPECT_EQ(values<double>(x), want) << n;
    std::vector<std::int64_t> index;
    std::vector<double> values_in;
    for (std::int64_t i = 0; i < 2 * n; ++i) {
      index.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * n)) - n);
      values_in.push_back(static_cast<double>(i));
      want[static_cast<std::size_t>(index.back() < 0 ? index.back() + n : index.back())] = values_in.back();
    }
    run(op_id::put_index, {x, ints(index), doubles(values_in)});
    EXPECT_EQ(values<double>(x), want) << n;
  }
}

}  // namespace
}  // namespace numjit::testing
