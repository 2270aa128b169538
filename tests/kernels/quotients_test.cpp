// All quotients of 16-bit integers by one number each, and the hardest of 32 bits: what kernels compute by an inverse
// is the quotient of integers.
#include <gtest/gtest.h>

#include <numjit/array/same_bits.h>
#include <numjit/np.h>

#include "support/compiled_kernels.h"

namespace np = numjit;

namespace {

class Quotients : public numjit::testing::CompiledKernels {
 protected:
  static void expect_same(const np::array& x, const np::array& divisors) {
    auto divide = [](const np::array& a, std::int64_t d) { return np::floor_divide(a, d); };
    auto by_array = np::compile([](const np::array& a, const np::array& d) { return np::floor_divide(a, d); });
    auto fast = np::compile(divide);
    for (std::int64_t i = 0; i < divisors.size(); ++i) {
      const auto d = divisors(i).item<std::int64_t>();
      const np::array expected = divide(x, d);
      const auto difference = np::detail::first_difference(expected.get(), fast(x, d).get());
      ASSERT_FALSE(difference) << x.dtype() << " by " << d << ", element " << *difference;
      if (i % 64 != 0) continue;
      const auto other = np::detail::first_difference(expected.get(), by_array(x, divisors(i)).get());
      ASSERT_FALSE(other) << x.dtype() << " by an array of " << d << ", element " << *other;
    }
  }
};

TEST_F(Quotients, AllOf16Bits) {
  const np::array all = np::arange(65536);
  const np::array some = np::concatenate({np::arange(300), np::arange(300, 65536, 97), np::array{32767, 65535}});
  expect_same(all.astype(np::uint16), some.astype(np::uint16));
  expect_same((all - 32768).astype(np::int16), np::concatenate({some, -some}).astype(np::int16));
  expect_same(np::arange(256).astype(np::uint8), np::arange(256).astype(np::uint8));
  expect_same((np::arange(256) - 128).astype(np::int8), np::arange(-128, 128).astype(np::int8));
}

// Multiples of the divisor and their neighbours, near the ends of the range.
TEST_F(Quotients, Edges) {
  for (np::dtype type : {np::int32, np::uint32}) {
    const double most = type == np::int32 ? 2147483647.0 : 4294967295.0;
    for (std::int64_t d : {1L, 2L, 3L, 7L, 9L, 10L, 255L, 641L, 65535L, 65537L, 1000003L, 46341L, 2147483647L}) {
      const np::array k = np::floor(np::linspace(0, most / static_cast<double>(d) - 1, 5001));
      const np::array multiples = (k * static_cast<double>(d)).astype(np::int64);
      const np::array x = np::concatenate({multiples, multiples + 1, np::maximum(multiples - 1, 0), multiples + (d - 1)});
      expect_same(x.astype(type), np::array{d}.astype(type));
      if (type == np::int32) expect_same((-x).astype(type), np::array{d, -d}.astype(type));
    }
  }
}

// Dividends beyond what a double holds, by divisors on both sides of 2^49, from where on integers are divided one by one.
TEST_F(Quotients, Of64Bits) {
  auto both = np::compile([](const np::array& a, const np::array& b) {
    return np::stack({np::floor_divide(a, b), np::remainder(a, b), np::fmod(a, b)});
  });
  const auto rng = np::random::default_rng(4);
  for (np::dtype type : {np::int64, np::uint64}) {
    // Words of every length, so that small ones are as frequent as large ones.
    const auto words = [&](std::int64_t n) {
      const np::array bits = rng.integers(0, ~std::uint64_t{0}, {.size = n, .dtype = np::uint64, .endpoint = true});
      return (bits >> rng.integers(0, 64, n).astype(np::uint64)).astype(type);
    };
    const np::array powers = np::left_shift(np::ones(64, {.dtype = np::uint64}), np::arange(64).astype(np::uint64));
    const np::array edges = np::concatenate({powers, powers - np::array(1, {.dtype = np::uint64}), ~powers}).astype(type);
    const np::array divisors = np::concatenate({edges, words(3000)}), a = words(divisors.size());
    const np::array multiples = np::floor_divide(a, np::maximum(divisors, 1)) * divisors;
    for (const np::array& x : {a, multiples, multiples - np::array(1, {.dtype = type}), divisors}) {
      const auto check = [&](const np::array& b) {
        const np::array expected = np::stack({np::floor_divide(x, b), np::remainder(x, b), np::fmod(x, b)});
        const auto difference = np::detail::first_difference(expected.get(), both(x, b).get());
        ASSERT_FALSE(difference) << type << " by " << b.str() << ", element " << *difference;
      };
      check(divisors);
      for (std::int64_t i = 0; i < edges.size(); ++i) check(edges(i));
    }
  }
}

// Divisors that the code generator finds to be zero.
TEST_F(Quotients, ByKnownZeros) {
  const np::errstate quiet({.all = "ignore"});
  const double inf = np::inf, nan = np::nan;
  const np::array x = np::concatenate({np::array{0.0, -0.0, 1.0, -1.0, inf, -inf, nan, -nan, 5e-324}, np::arange(91.0) - 45});
  const np::array i = np::arange(100);
  const auto expect_same_quotient = [&](auto divide) {
    for (np::dtype type : {np::float64, np::float32, np::float16}) {
      auto compiled = np::compile(divide);
      const np::array y = x.astype(type);
      const auto difference = np::detail::first_difference(divide(y, i).get(), compiled(y, i).get());
      ASSERT_FALSE(difference) << type << ", element " << *difference;
    }
  };
  expect_same_quotient([](const np::array& a, const np::array& k) { return a / (k - k); });
  expect_same_quotient([](const np::array& a, const np::array& k) { return a / np::isnan(k); });
  expect_same_quotient([](const np::array& a, const np::array& k) { return a / -np::isnan(k).astype(a.dtype()); });
}

}  // namespace
