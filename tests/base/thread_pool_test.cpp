// The thread pool: coverage, borders, exceptions, nesting, resizing, fork. Also run under
// ThreadSanitizer.
#include <numjit/base/thread_pool.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <numjit/base/config.h>
#include <numjit/base/interrupt.h>

namespace {
std::atomic<long> heap_calls{0};
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#ifdef __GNUC__
// Both replaced operators use malloc and free; g++ at -O3 sees only one of them inlined.
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(std::size_t size) {
  heap_calls.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace numjit::detail {
namespace {

constexpr double long_work = 1e6;  // ns: enough to wake sleeping workers

class ThreadPool : public testing::Test {
 protected:
  void SetUp() override { config().threads = 4; }
  void TearDown() override {
    stop_workers();
    reload_config();
  }
  static void wait_until_all_sleep() {
    while (count_workers().asleep < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(count_workers().all, 3);
  }
};

TEST_F(ThreadPool, EachIndexOnceAtMultiplesOfTheGrain) {
  for (std::int64_t n : {1, 2, 7, 64, 1000, 4097}) {
    for (std::int64_t grain : {1, 3, 64, 5000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
      std::atomic<int> misplaced{0};
      parallel_ranges(n, grain, long_work, [&](std::int64_t begin, std::int64_t end) {
        if (begin % grain != 0 || (end % grain != 0 && end != n) || begin >= end) ++misplaced;
        for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(misplaced, 0);
      for (auto& count : seen) EXPECT_EQ(count, 1) << n << " by " << grain;
    }
  }
}

TEST_F(ThreadPool, NothingToDoCallsNothing) {
  parallel_ranges(0, 1, long_work, [](std::int64_t, std::int64_t) { FAIL(); });
}

TEST_F(ThreadPool, SmallWorkStaysOnTheCaller) {
  int calls = 0;
  parallel_ranges(1000, 1, 1999, [&](std::int64_t begin, std::int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 1000);
  });
  EXPECT_EQ(calls, 1);
}

TEST_F(ThreadPool, SleepingWorkersAreWokenOnlyForLongWork) {
  parallel_ranges(4, 1, long_work, [](std::int64_t, std::int64_t) {});
  // A worker that was woken and has not run yet still counts as asleep: then it may take part once more.
  std::atomic<int> calls{0};
  for (int run = 0; run < 100 && calls != 1; ++run) {
    wait_until_all_sleep();
    calls = 0;
    parallel_ranges(1000, 1, 50000, [&](std::int64_t, std::int64_t) { ++calls; });
  }
  EXPECT_EQ(calls, 1);
  std::atomic<int> pieces{0};
  parallel_ranges(1000, 1, 60000, [&](std::int64_t, std::int64_t) { ++pieces; });
  EXPECT_EQ(pieces, 4);
}

TEST_F(ThreadPool, ManyShortRunsInARowWakeThem) {
  parallel_ranges(4, 1, long_work, [](std::int64_t, std::int64_t) {});
  wait_until_all_sleep();
  std::atomic<int> pieces{0};
  // Three within a millisecond do it, which a busy machine may not grant at once.
  for (int run = 0; run < 10000 && pieces == run; ++run)
    parallel_ranges(1000, 1, 30000, [&](std::int64_t, std::int64_t) { ++pieces; });
  EXPECT_LT(pieces, 10000);
}

TEST_F(ThreadPool, OthersTakePart) {
  std::atomic<int> arrived{0};
  parallel_ranges(4, 1, long_work, [&](std::int64_t, std::int64_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();  // returns only if two threads are at it
  });
  EXPECT_EQ(arrived, 4);
}

TEST_F(ThreadPool, NestedRunsAreSerial) {
  std::atomic<int> inner{0};
  EXPECT_FALSE(inside_parallel());
  parallel_ranges(4, 1, long_work, [&](std::int64_t begin, std::int64_t end) {
    EXPECT_TRUE(inside_parallel());
    std::thread::id self = std::this_thread::get_id();
    parallel_ranges(100, 1, long_work, [&](std::int64_t b, std::int64_t e) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      EXPECT_EQ(e - b, 100);
      inner += static_cast<int>(end - begin);
    });
  });
  EXPECT_EQ(inner, 4);
  EXPECT_FALSE(inside_parallel());
}

TEST_F(ThreadPool, FirstExceptionReachesTheCaller) {
  for (int round = 0; round < 20; ++round) {
    try {
      parallel_ranges(64, 1, long_work, [&](std::int64_t begin, std::int64_t) {
        if (begin >= 8) throw std::runtime_error("piece");
      });
      FAIL() << "no exception";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "piece");
    }
  }
  std::atomic<std::int64_t> sum{0};
  parallel_ranges(64, 1, long_work,
                  [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
  EXPECT_EQ(sum, 64);
}

TEST_F(ThreadPool, PiecesSeeTheCallersScope) {
  config_scope scope({.recompile_limit = 77});
  std::atomic<int> other{0};
  parallel_ranges(64, 1, long_work, [&](std::int64_t, std::int64_t) {
    if (config().recompile_limit != 77) ++other;
  });
  EXPECT_EQ(other, 0);
}

TEST_F(ThreadPool, ResizesAtTheNextRun) {
  for (int threads : {1, 3, 2, 8, 1, 4}) {
    config().threads = threads;
    EXPECT_EQ(thread_count(), threads);
    std::atomic<std::int64_t> sum{0};
    parallel_ranges(1000, 1, long_work,
                    [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum, 1000);
  }
}

TEST_F(ThreadPool, OneThreadInAScopeMeansSerial) {
  config_scope scope({.threads = 1});
  int calls = 0;
  parallel_ranges(1000, 1, long_work, [&](std::int64_t, std::int64_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST_F(ThreadPool, ManyCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> sum{0};
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int run = 0; run < 300; ++run)
        parallel_ranges(256, 16, long_work,
                        [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 300 * 256);
}

TEST_F(ThreadPool, PlainDataIsHandedOver) {
  std::vector<int> data(4096, 1);
  for (int round = 0; round < 200; ++round) {
    parallel_ranges(4096, 64, long_work, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) data[static_cast<std::size_t>(i)] += round;
    });
    data[0] -= round;  // the caller sees what workers wrote, and they what it writes
  }
  EXPECT_EQ(data[0], 1);
  EXPECT_EQ(data[4095], 1 + 199 * 200 / 2);
}

int questions = 0, give_up_at = 0;
bool count_questions() { return ++questions == give_up_at; }

/// A run that sleeps 1 ms for each of `n`; how many were done.
std::int64_t sleep_through(std::int64_t n, double estimated_ns) {
  std::atomic<std::int64_t> done{0};
  try {
    parallel_ranges(n, 1, estimated_ns, [&](std::int64_t begin, std::int64_t end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(end - begin));
      done += end - begin;
    });
  } catch (const Interrupted&) {
    EXPECT_GT(give_up_at, 0);
  }
  return done;
}

TEST_F(ThreadPool, ALongRunIsAskedBetweenPieces) {
  for (std::int64_t threads : {1, 3}) {
    config().threads = threads;
    questions = give_up_at = 0;
    EXPECT_EQ(sleep_through(400, 400e6), 400);
    EXPECT_EQ(questions, 0) << "nobody wants to know";
    const auto begin = std::chrono::steady_clock::now();
    const Interruptible interruptible(count_questions);
    EXPECT_EQ(sleep_through(30, 30e6), 30);
    const auto taken = std::chrono::steady_clock::now() - begin;
    // A busy machine may make it long.
    EXPECT_LE(questions, taken / std::chrono::nanoseconds(interrupt_every_ns)) << "too short";
    questions = 0;
    EXPECT_EQ(sleep_through(1200, 1200e6), 1200);
    EXPECT_GE(questions, 2);
    questions = 0, give_up_at = 2;
    EXPECT_LT(sleep_through(6000, 6000e6), 5000);
    EXPECT_EQ(questions, 2);
    {
      const Interruptible nobody(nullptr);
      questions = 0;
      EXPECT_EQ(sleep_through(200, 400e6), 200);
      EXPECT_EQ(questions, 0);
    }
    give_up_at = 0;
    EXPECT_EQ(sleep_through(50, 400e6), 50) << "the pool works on";
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(ThreadPool, ARunAllocatesNothing) {
  std::atomic<std::int64_t> sum{0};
  auto run = [&] {
    parallel_ranges(256, 16, long_work,
                    [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
  };
  run();
  long before = heap_calls;
  for (int i = 0; i < 100; ++i) run();
  EXPECT_EQ(heap_calls, before);
}
#endif

#if !defined(__SANITIZE_THREAD__)  // its runtime does not follow threads through fork
TEST_F(ThreadPool, AForkedChildRebuildsIt) {
  auto total = [] {
    std::atomic<std::int64_t> sum{0};
    parallel_ranges(256, 16, long_work,
                    [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
    return sum.load();
  };
  EXPECT_EQ(total(), 256);
  pid_t child = fork();
  if (child == 0) _exit(total() == 256 ? 7 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(total(), 256);
}
#endif

}  // namespace
}  // namespace numjit::detail
