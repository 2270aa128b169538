// Memory ranges and overlap: against an element-by-element answer, on random and chosen layouts.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include <numjit/array/array.h>

namespace numjit {
namespace {

using detail::may_overlap;
using detail::memory_range;

array bytes_of(std::int64_t n) {
  return array::adopt(detail::new_node(dtype_id::uint8, 1, &n));
}
array view(const array& of, dtype_id type, const dims& shape, const dims& strides,
           std::int64_t offset) {
  return array::adopt(
      detail::new_view(of.get(), type, shape.size(), shape.data(), strides.data(), offset));
}

/// Every byte that the elements of `a` occupy.
std::set<const char*> bytes(const array& a) {
  std::set<const char*> all;
  const dims shape = a.shape(), strides = a.strides();
  for (std::int64_t i = 0; i < a.size(); ++i) {
    std::int64_t rest = i, at = 0;
    for (int k = a.ndim() - 1; k >= 0; --k) {
      at += rest % shape[k] * strides[k];
      rest /= shape[k];
    }
    for (std::size_t b = 0; b < a.itemsize(); ++b)
      all.insert(a.get()->data + at + static_cast<std::int64_t>(b));
  }
  return all;
}
bool share(const std::set<const char*>& a, const std::set<const char*>& b) {
  for (const char* p : a)
    if (b.contains(p)) return true;
  return false;
}

TEST(Overlap, ChosenLayouts) {
  array memory = bytes_of(4096);
  auto f8 = [&](dims shape, dims strides, std::int64_t offset) {
    return view(memory, dtype_id::float64, shape, strides, offset);
  };
  auto overlap = [](const array& a, const array& b) { return may_overlap(a.get(), b.get()); };
  EXPECT_TRUE(overlap(f8({10}, {8}, 0), f8({10}, {8}, 72)));
  EXPECT_FALSE(overlap(f8({10}, {8}, 0), f8({10}, {8}, 80)));
  EXPECT_FALSE(overlap(f8({10}, {16}, 0), f8({10}, {16}, 8))) << "even and odd elements";
  EXPECT_TRUE(overlap(f8({10}, {16}, 0), f8({10}, {24}, 8))) << "they meet at 32";
  EXPECT_FALSE(overlap(f8({2}, {16}, 0), f8({2}, {24}, 8))) << "they would meet at 32, beyond both";
  EXPECT_FALSE(overlap(f8({4, 3}, {48, 8}, 0), f8({4, 3}, {48, 8}, 24)))
      << "left and right half of rows";
  EXPECT_TRUE(overlap(f8({4, 4}, {48, 8}, 0), f8({4, 3}, {48, 8}, 24)));
  EXPECT_FALSE(overlap(f8({2, 6}, {96, 8}, 0), f8({2, 6}, {96, 8}, 48))) << "even and odd rows";
  EXPECT_TRUE(overlap(f8({10}, {-8}, 72), f8({10}, {8}, 0))) << "reversed";
  EXPECT_TRUE(overlap(f8({5}, {0}, 8), f8({4}, {8}, 0))) << "one element, repeated";
  EXPECT_FALSE(overlap(f8({5}, {0}, 8), f8({4}, {16}, 0)));
  EXPECT_FALSE(overlap(f8({0}, {8}, 0), f8({4}, {8}, 0))) << "no elements";
  EXPECT_FALSE(overlap(f8({3}, {8}, 0), view(bytes_of(64), dtype_id::float64, {3}, {8}, 0)));
  EXPECT_TRUE(overlap(view(memory, dtype_id::uint8, {1}, {1}, 7), f8({1}, {8}, 0)));
  EXPECT_FALSE(overlap(view(memory, dtype_id::uint8, {8}, {16}, 8), f8({8}, {16}, 0)));
  array whole = f8({10, 20}, {160, 8}, 0);
  EXPECT_TRUE(overlap(whole, whole));
}

TEST(Overlap, RangeCoversEveryByte) {
  array memory = bytes_of(4096);
  array a = view(memory, dtype_id::float32, {3, 4}, {-64, 8}, 256);
  const auto all = bytes(a);
  EXPECT_EQ(memory_range(a.get()).low, *all.begin());
  EXPECT_EQ(memory_range(a.get()).high, *all.rbegin() + 1);
  array none = view(memory, dtype_id::float32, {0}, {4}, 8);
  EXPECT_EQ(memory_range(none.get()).low, memory_range(none.get()).high);
}

TEST(Overlap, AgreesWithEnumerationOnRandomLayouts) {
  std::mt19937 random(7);
  auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  array memory = bytes_of(1 << 14);
  const dtype_id types[] = {dtype_id::uint8, dtype_id::int16, dtype_id::float32, dtype_id::float64,
                            dtype_id::complex128};
  int apart_inside = 0, shared = 0;
  for (int round = 0; round < 4000; ++round) {
    auto make = [&] {
      const int rank = static_cast<int>(pick(0, 3));
      dims shape, strides;
      for (int k = 0; k < rank; ++k) {
        shape.push_back(pick(1, 4));
        strides.push_back(pick(-12, 12) * 4);
      }
      return view(memory, types[pick(0, 4)], shape, strides, 8192 + pick(-40, 40) * 2);
    };
    array a = make(), b = make();
    const bool expected = share(bytes(a), bytes(b));
    ASSERT_EQ(may_overlap(a.get(), b.get()), expected)
        << a.shape().str() << a.strides().str() << ' ' << b.shape().str() << b.strides().str()
        << " distance " << b.get()->data - a.get()->data;
    ASSERT_EQ(may_overlap(b.get(), a.get()), expected);
    const auto ra = memory_range(a.get()), rb = memory_range(b.get());
    shared += expected;
    apart_inside += !expected && ra.low < rb.high && rb.low < ra.high;
  }
  EXPECT_GT(shared, 500);
  EXPECT_GT(apart_inside, 300) << "layouts that interleave without sharing must be among them";
}

}  // namespace
}  // namespace numjit
