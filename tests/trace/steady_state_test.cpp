// No heap allocation in the steady state of a compiled function, counted at malloc itself.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

#include <numjit/np.h>

#include <support/code_generator.h>

namespace {
std::atomic<bool> counting{false};
std::atomic<long> allocations{0};
}  // namespace

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool can_count = false;  // sanitizers own malloc
#else
constexpr bool can_count = true;
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t bytes) {
  if (counting.load(std::memory_order_relaxed)) ++allocations;
  return __libc_malloc(bytes);
}
#endif

namespace {

namespace np = numjit;

template <class F>
long allocations_of(F&& f) {
  for (int i = 0; i < 50; ++i) f();
  np::wait_for_compiles();
  for (int i = 0; i < 50; ++i) f();
  allocations = 0;
  counting = true;
  for (int i = 0; i < 100; ++i) f();
  counting = false;
  return allocations;
}

#define SKIP_WITHOUT_COUNTER() \
  if (!can_count) GTEST_SKIP() << "sanitizers own malloc: nothing to count"

// Ops that run one by one, for want of a code generator, take their temporaries from the heap.
#define SKIP_WITHOUT_KERNELS() \
  SKIP_WITHOUT_COUNTER();      \
  SKIP_WITHOUT_CODE_GENERATOR()

TEST(SteadyState, CounterCounts) {
  SKIP_WITHOUT_COUNTER();
  EXPECT_GE(allocations_of([] {
              void* volatile block = std::malloc(100);  // clang drops a pair that it sees through
              std::free(block);
            }),
            100);
}

TEST(SteadyState, ChainOfOps) {
  SKIP_WITHOUT_KERNELS();
  auto f = np::compile(
      [](const np::array& a, const np::array& b) { return a * b + np::sqrt(a) - b / (1 + a); });
  auto x = np::arange(10).astype(np::float64), y = x + 2;
  EXPECT_EQ(allocations_of([&] { f(x, y); }), 0);
}

TEST(SteadyState, StoresAndViews) {
  SKIP_WITHOUT_KERNELS();
  auto f = np::compile([](const np::array& u, const np::array& v) {
    v(np::slice(1, -1)) = u(np::slice(2, np::none)) + u(np::slice(np::none, -2));
  });
  auto u = np::arange(20).astype(np::float64), v = np::zeros(20);
  EXPECT_EQ(allocations_of([&] { f(u, v); }), 0);
}

TEST(SteadyState, ReductionsAndBreaks) {
  SKIP_WITHOUT_KERNELS();
  auto f = np::compile([](const np::array& x) {
    auto y = x * 2;
    if (bool(np::sum(y) > 0)) return y + 1;
    return y - 1;
  });
  auto x = np::arange(10).astype(np::float64);
  EXPECT_EQ(allocations_of([&] { f(x); }), 0);
}

TEST(SteadyState, ScalarsAndSizesThatChange) {
  SKIP_WITHOUT_KERNELS();
  auto f = np::compile([](const np::array& x, double t) { return x * t + t; });
  auto a = np::arange(10).astype(np::float64), b = np::arange(17).astype(np::float64);
  double t = 0;
  EXPECT_EQ(allocations_of([&] {
              f(a, t += 1);
              f(b, t);
            }),
            0);
}

TEST(SteadyState, EagerOps) {
  SKIP_WITHOUT_COUNTER();
  auto x = np::arange(10).astype(np::float64), y = x + 2;
  EXPECT_EQ(allocations_of([&] { x * y + np::sqrt(x); }), 0);
}

}  // namespace
