// Blocks of zeros: what the system fills in, what was used before, accounts, alignment.
#include <numjit/base/zeroed_block.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include <numjit/base/buffer_pool.h>

namespace numjit::detail {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool pooled = false;
#else
constexpr bool pooled = true;
#endif

bool all_zero(const void* block, std::uint64_t bytes) {
  const char* p = static_cast<const char*>(block);
  return std::all_of(p, p + bytes, [](char c) { return c == 0; });
}

TEST(ZeroedBlock, LargeOnesComeZeroedFromTheSystem) {
  if (!pooled) GTEST_SKIP() << "AddressSanitizer builds take all from malloc";
  for (std::uint64_t bytes : {std::uint64_t{3} << 20, (std::uint64_t{5} << 20) + 7, std::uint64_t{70} << 20}) {
    release_cached_blocks();
    const std::int64_t before = memory_usage().in_use;
    bool zeroed = false;
    void* block = try_allocate_block(bytes, zeroed);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(zeroed);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % block_alignment, 0u);
    EXPECT_GE(memory_usage().in_use - before, static_cast<std::int64_t>(bytes));
    EXPECT_TRUE(all_zero(block, bytes));
    free_block(block, bytes);
    EXPECT_EQ(memory_usage().in_use, before);
  }
}

TEST(ZeroedBlock, WhatWasUsedBeforeIsZeroOrSaysThatItIsNot) {
  for (std::uint64_t bytes :
       {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{100'000}, std::uint64_t{3} << 20, std::uint64_t{100} << 20}) {
    void* used = allocate_block(bytes);
    std::memset(used, 0x5a, bytes);
    free_block(used, bytes);
    bool zeroed = true;
    void* block = try_allocate_block(bytes, zeroed);
    ASSERT_NE(block, nullptr);
    if (pooled) {
      EXPECT_EQ(block, used) << "the pool keeps it";
    }
    if (zeroed) {
      EXPECT_TRUE(all_zero(block, bytes)) << bytes;
    }
    if (bytes >= std::uint64_t{64} << 20) {
      EXPECT_EQ(zeroed, pooled) << "the system clears it";
    }
    free_block(block, bytes);
  }
}

TEST(ZeroedBlock, AbsurdSizesAreRefused) {
  bool zeroed = true;
  EXPECT_EQ(try_allocate_block(~std::uint64_t{0}, zeroed), nullptr);
  EXPECT_FALSE(zeroed);
}

}  // namespace
}  // namespace numjit::detail
