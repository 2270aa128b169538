// Selecting places: guarantees, time, and the same order everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <numjit/eager/select.h>
#include <numjit/np.h>

namespace np = numjit;

namespace {

using values = std::vector<std::int64_t>;

struct Counting {
  std::int64_t* count;
  bool operator()(std::int64_t a, std::int64_t b) const { return ++*count, a < b; }
};

/// Selects with counted comparisons, and checks what is promised.
std::int64_t comparisons(values v, const values& places) {
  values sorted = v, spare(2 * v.size());
  std::sort(sorted.begin(), sorted.end());
  std::int64_t count = 0;
  np::eager::select_places(v.data(), static_cast<std::int64_t>(v.size()), places.data(), places.data() + places.size(), 0,
                           Counting{&count}, spare.data());
  for (std::int64_t k : places) {
    const auto at = v.begin() + k;
    EXPECT_EQ(*at, sorted[static_cast<std::size_t>(k)]);
    EXPECT_TRUE(std::all_of(v.begin(), at, [&](std::int64_t x) { return x <= *at; }));
    EXPECT_TRUE(std::all_of(at, v.end(), [&](std::int64_t x) { return x >= *at; }));
  }
  std::sort(v.begin(), v.end());
  EXPECT_EQ(v, sorted);
  return count;
}

/// What the sample sees are the least elements, in every round: it misleads each time.
values misleading(std::int64_t n) {
  values v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), n);
  const std::int64_t size = std::min<std::int64_t>(1024, n / 16);
  for (std::int64_t i = 0; i < size; ++i) v[static_cast<std::size_t>((2 * i + 1) * n / (2 * size))] = i;
  return v;
}

TEST(select, keeps_its_promise_in_linear_time) {
  std::mt19937_64 random(7);
  for (std::int64_t n : {1, 2, 63, 64, 65, 1000, 20000, 100000}) {
    values uniform(static_cast<std::size_t>(n)), few, rising, falling, same(static_cast<std::size_t>(n), 5);
    for (auto& x : uniform) x = static_cast<std::int64_t>(random());
    for (std::int64_t i = 0; i < n; ++i) few.push_back(i * 7919 % 5), rising.push_back(i), falling.push_back(n - i);
    for (const values& v : {uniform, few, rising, falling, same, misleading(n)})
      for (std::int64_t k : {std::int64_t{0}, n / 2, n - 1}) EXPECT_LT(comparisons(v, {k}), 30 * n + 3000) << n << " " << k;
  }
}

TEST(select, several_places) {
  std::mt19937_64 random(3);
  values v(5000);
  for (auto& x : v) x = static_cast<std::int64_t>(random() % 900);
  values all(5000);
  std::iota(all.begin(), all.end(), 0);
  comparisons(v, {0, 1, 2, 2500, 4998, 4999});
  comparisons(v, all);
}

/// The same elements by the loop, whose order has another class, and by vectors.
template <class T, class Less, class Make>
void compare_splits(Make make) {
  struct in_other_words {
    bool operator()(const T& a, const T& b) const { return Less()(a, b); }
  };
  std::mt19937_64 random(5);
  for (std::int64_t n = 0; n < 200; ++n)
    for (std::uint64_t different : {1, 3, 50, 1000000}) {
      std::vector<T> by_loop;
      for (std::int64_t i = 0; i < n; ++i) by_loop.push_back(make(random() % different, static_cast<std::uint64_t>(i)));
      std::vector<T> by_vectors = by_loop, spare(2 * by_loop.size());
      T low = make(random() % different, 0), high = make(random() % different, 0);
      if (Less()(high, low)) std::swap(low, high);
      const auto cuts = np::eager::split(by_loop.data(), n, low, high, in_other_words(), spare.data());
      EXPECT_EQ(np::eager::split(by_vectors.data(), n, low, high, Less(), spare.data()), cuts);
      EXPECT_TRUE(std::equal(by_loop.begin(), by_loop.end(), by_vectors.begin(),
                             [](const T& a, const T& b) { return !(a < b) && !(b < a); }));
    }
}

TEST(select, vectors_split_as_the_loop_does) {
  compare_splits<std::int32_t, std::less<std::int32_t>>([](auto v, auto) { return static_cast<std::int32_t>(v) - 500; });
  compare_splits<std::int64_t, std::less<std::int64_t>>(
      [](auto v, auto) { return static_cast<std::int64_t>(v << 40) - (1LL << 58); });
  compare_splits<std::uint64_t, std::less<std::uint64_t>>([](auto v, auto) { return static_cast<std::uint64_t>(v << 44); });
  compare_splits<np::eager::placed_key, np::eager::by_key>([](auto v, auto i) {
    return np::eager::placed_key{static_cast<std::uint64_t>(i), v << 44};
  });
}

/// Is `got` a partition of `a` at k, along the last axis? For all dtypes, by the sorted array.
void check_partition(const np::array& a, const np::array& got, std::int64_t k) {
  const np::array sorted = np::sort(a);
  const auto pivot = np::slice(k, k + 1);
  EXPECT_TRUE(np::array_equal(got(np::ellipsis, pivot), sorted(np::ellipsis, pivot), true));
  EXPECT_TRUE(np::array_equal(np::sort(got), sorted, true));
  EXPECT_TRUE(np::array_equal(np::sort(got(np::ellipsis, np::slice(0, k))), sorted(np::ellipsis, np::slice(0, k)), true));
}

TEST(select, every_dtype) {
  np::random::Generator random = np::random::default_rng(11);
  for (np::dtype t : {np::bool_, np::int8, np::int16, np::int32, np::int64, np::uint8, np::uint16, np::uint32, np::uint64,
                      np::float16, np::float32, np::float64, np::complex64, np::complex128}) {
    SCOPED_TRACE(std::string(t.name()));
    for (std::int64_t n : {5, 300, 20000}) {
      np::array a = random.normal(0, 40, {2, n}).astype(t);
      if (t.kind() == 'f') a(1, np::slice(0, n, 4)) = np::nan;
      if (t.kind() == 'c') a = a + random.normal(0, 2, {2, n}).astype(t) * np::array(std::complex<double>(0, 1)).astype(t);
      for (std::int64_t k : {std::int64_t{0}, n / 3, n - 1}) {
        check_partition(a, np::partition(a, k), k);
        check_partition(a, np::take_along_axis(a, np::argpartition(a, k), -1), k);
      }
      check_partition(a(np::_, np::slice(np::none, np::none, -2)), np::partition(a(np::_, np::slice(np::none, np::none, -2)), -1),
                      (n + 1) / 2 - 1);
      check_partition(a.T().copy().T(), np::partition(a.T(), {n / 2, 1}, 0).T(), 1);
    }
  }
}

}  // namespace
