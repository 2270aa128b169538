// Blocks for array data: alignment, reuse, limits, threads, sizes in NumPy's words.
#include <numjit/base/buffer_pool.h>

#include <cstring>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>

namespace numjit::detail {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool pooled = false;
#else
constexpr bool pooled = true;
#endif

TEST(BufferPool, BlocksAreAlignedAndWritable) {
  for (std::size_t bytes : {0ul, 1ul, 63ul, 64ul, 65ul, 1000ul, 65536ul, 65537ul, 1ul << 20,
                            (2ul << 20) + 1, 5ul << 20, 33333333ul}) {
    auto* block = static_cast<char*>(allocate_block(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % block_alignment, 0u) << bytes;
    std::memset(block, 0x5a, bytes);
    free_block(block, bytes);
  }
}

TEST(BufferPool, SizeClassesWasteAtMostAnEighthAboveTheSmallOnes) {
  for (std::size_t bytes : {65537ul, 73728ul, 73729ul, 100000ul, 131072ul, 131073ul, 80000000ul}) {
    std::int64_t before = memory_usage().in_use;
    void* block = allocate_block(bytes);
    std::int64_t used = memory_usage().in_use - before;
    EXPECT_GE(used, static_cast<std::int64_t>(bytes));
    EXPECT_LE(static_cast<double>(used), static_cast<double>(bytes) * 1.125) << bytes;
    free_block(block, bytes);
    EXPECT_EQ(memory_usage().in_use, before);
  }
}

TEST(BufferPool, FreedBlocksAreUsedAgain) {
  if (!pooled) GTEST_SKIP() << "AddressSanitizer builds keep nothing";
  for (std::size_t bytes : {40ul, 4096ul, 100000ul, 8ul << 20}) {
    release_cached_blocks();
    void* first = allocate_block(bytes);
    free_block(first, bytes);
    EXPECT_GE(memory_usage().cached, static_cast<std::int64_t>(bytes));
    void* second = allocate_block(bytes - 1);
    EXPECT_EQ(second, first) << bytes;
    free_block(second, bytes - 1);
  }
  release_cached_blocks();
  EXPECT_EQ(memory_usage().cached, 0);
}

TEST(BufferPool, PeakIsTheHighestUse) {
  reset_memory_peak();
  std::int64_t before = memory_usage().in_use;
  EXPECT_EQ(memory_usage().peak, before);
  void* a = allocate_block(1 << 20);
  void* b = allocate_block(2 << 20);
  free_block(a, 1 << 20);
  free_block(b, 2 << 20);
  EXPECT_EQ(memory_usage().in_use, before);
  EXPECT_EQ(memory_usage().peak, before + (3 << 20));
}

TEST(BufferPool, OverTheLimitIsAnErrorWithBothSizes) {
  release_cached_blocks();
  config().memory_limit = 16 << 20;
  ASSERT_EQ(memory_usage().in_use, 0);
  void* kept = allocate_block(12 << 20);
  EXPECT_EQ(try_allocate_block(8 << 20), nullptr);
  EXPECT_EQ(memory_shortage(8 << 20), "12.0 MiB in use, config.memory_limit is 16.0 MiB");
  try {
    allocate_block(8 << 20);
    FAIL();
  } catch (const MemoryError& e) {
    EXPECT_STREQ(e.what(),
                 "Unable to allocate 8.00 MiB: 12.0 MiB in use, config.memory_limit is 16.0 MiB.");
  }
  void* fits = allocate_block(4 << 20);
  free_block(fits, 4 << 20);
  free_block(kept, 12 << 20);
  // What is only kept for reuse makes way.
  void* whole = allocate_block(16 << 20);
  EXPECT_NE(whole, nullptr);
  free_block(whole, 16 << 20);
  reload_config();
}

TEST(BufferPool, AbsurdSizesAreErrors) {
  std::string limit = format_bytes(static_cast<std::uint64_t>(config().memory_limit.get()));
  for (std::size_t bytes : {std::size_t{8000000000000}, std::size_t{1} << 62,
                            std::numeric_limits<std::size_t>::max()}) {
    try {
      allocate_block(bytes);
      FAIL() << bytes;
    } catch (const MemoryError& e) {
      EXPECT_EQ(e.what(), "Unable to allocate " + format_bytes(bytes) +
                              ": 0 bytes in use, config.memory_limit is " + limit + ".");
    }
  }
  config().memory_limit = 0;  // no limit of ours: the system's
  EXPECT_EQ(try_allocate_block(std::size_t{1} << 62), nullptr);
  EXPECT_EQ(memory_shortage(std::size_t{1} << 62), "0 bytes in use, the system gives no more");
  reload_config();
}

TEST(BufferPool, BlocksMayBeFreedOnAnotherThread) {
  release_cached_blocks();
  constexpr int count = 2000;
  for (std::size_t bytes : {64ul, 3000ul, 65536ul, 200000ul}) {
    std::vector<void*> blocks;
    for (int i = 0; i < count / 10; ++i) blocks.push_back(allocate_block(bytes));
    std::thread([&] {
      for (void* block : blocks) free_block(block, bytes);
    }).join();
  }
  EXPECT_EQ(memory_usage().in_use, 0);
}

TEST(BufferPool, ManyThreads) {
  release_cached_blocks();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      std::vector<std::pair<unsigned char*, std::size_t>> mine;
      std::uint32_t random = t + 1;
      for (int i = 0; i < 4000; ++i) {
        random = random * 1664525u + 1013904223u;
        std::size_t bytes = 1 + (random >> 8) % (i % 50 == 0 ? 300000 : 5000);
        auto* block = static_cast<unsigned char*>(allocate_block(bytes));
        block[0] = static_cast<unsigned char>(t);
        block[bytes - 1] = static_cast<unsigned char>(t);
        mine.emplace_back(block, bytes);
        if (mine.size() > 64) {
          auto [old, size] = mine[random % 64];
          EXPECT_EQ(old[0], t);
          EXPECT_EQ(old[size - 1], t);
          free_block(old, size);
          mine[random % 64] = mine.back();
          mine.pop_back();
        }
      }
      for (auto [block, size] : mine) free_block(block, size);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(memory_usage().in_use, 0);
}

struct FreesAtThreadExit {
  void* block = nullptr;
  ~FreesAtThreadExit() {
    free_block(block, 100);
    free_block(allocate_block(100), 100);
  }
};

TEST(BufferPool, WorksWhileAThreadEnds) {
  release_cached_blocks();
  std::thread([] {
    static thread_local FreesAtThreadExit
        late;  // made before the pool's guard, so destroyed after it
    late.block = nullptr;
    late.block = allocate_block(100);
  }).join();
  EXPECT_EQ(memory_usage().in_use, 0);
}

TEST(BufferPool, BytesInNumPysWords) {
  // numpy._core._exceptions._ArrayMemoryError._size_to_string of NumPy 2.4.6
  const std::pair<std::uint64_t, const char*> expected[] = {{0u, "0 bytes"},
                                                            {1u, "1 bytes"},
                                                            {512u, "512 bytes"},
                                                            {1023u, "1023 bytes"},
                                                            {1024u, "1.00 KiB"},
                                                            {1536u, "1.50 KiB"},
                                                            {10189u, "9.95 KiB"},
                                                            {10235u, "10.0 KiB"},
                                                            {102348u, "99.9 KiB"},
                                                            {1047552u, "1023. KiB"},
                                                            {1048575u, "1.00 MiB"},
                                                            {1048576u, "1.00 MiB"},
                                                            {104857600000u, "97.7 GiB"},
                                                            {1000000000u, "954. MiB"},
                                                            {80000000000000u, "72.8 TiB"},
                                                            {8000000000000u, "7.28 TiB"},
                                                            {9223372036854775808u, "8.00 EiB"},
                                                            {18446744073709551615u, "16.0 EiB"},
                                                            {1023476u, "999. KiB"},
                                                            {1024000u, "1000. KiB"}};
  for (auto [bytes, text] : expected) EXPECT_EQ(format_bytes(bytes), text);
}

}  // namespace
}  // namespace numjit::detail
