// The thread pool of the build with threads. A worker is another instance of the module over the same memory, with a
// stack of its own, made by js/pool_worker.js. It has no C++ runtime of its own: nothing here is compiled with
// thread-local storage, so only plain ranges are shared (base/thread_pool.h), and memory is asked for under a lock.
//
// A job is opened and closed by its caller. Workers count themselves in (nj_worker_enter), learn of kernels made since
// their last job, take pieces, and count themselves out; the caller closes the job and then waits until none is in.
#include <numjit/base/thread_pool.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <numjit/base/config.h>
#include <numjit/base/wake_debt.h>

#include "kernel.h"

#define NUMJIT_EXPORT(name) __attribute__((export_name(#name), used)) extern "C"

namespace numjit::detail {
namespace {

constexpr int most_workers = 31;
constexpr int spins_before_sleep = 20000;  // some 100 us
constexpr std::size_t worker_stack_bytes = 256 * 1024;

struct Job {
  range_function fn = nullptr;
  void* context = nullptr;
  std::int64_t n = 0, piece = 0, count = 0;
};

struct Pool {
  alignas(64) std::atomic<bool> busy{false};             // a caller owns the pool
  alignas(64) std::atomic<std::uint32_t> generation{0};  // bumped for each job; workers wait on it
  std::atomic<int> sleepers{0}, workers{0};
  std::atomic<bool> stop{false};
  alignas(64) std::atomic<bool> open{false};  // the job may be joined
  std::atomic<int> active{0};                 // workers that look at the job
  std::atomic<int> seats{0};                  // workers that may still join
  alignas(64) std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  Job job;
  WakeDebt debt;
  int wanted = 1;  // threads, the caller included
  int shared = 0;  // jobs so far
};
constinit Pool pool;

void take_pieces() {
  const Job& job = pool.job;
  for (;;) {
    const std::int64_t index = pool.next.fetch_add(1, std::memory_order_relaxed);
    if (index >= job.count || pool.failed.load(std::memory_order_relaxed)) return;
    job.fn(job.context, index * job.piece, std::min(job.n, (index + 1) * job.piece));
  }
}

/// Closes the job, also when the caller's own piece throws: workers use what lies on its stack.
struct OpenJob {
  OpenJob() { pool.open.store(true); }
  ~OpenJob() {
    pool.open.store(false);
    while (pool.active.load() != 0) {}
    pool.busy.store(false, std::memory_order_release);
  }
};

/// Shares the job with `helpers` workers. False: one of them ran out of memory.
bool run_job(int helpers, bool wake) {
  pool.next.store(0, std::memory_order_relaxed);
  pool.failed.store(false, std::memory_order_relaxed);
  pool.seats.store(helpers, std::memory_order_relaxed);
  {
    const OpenJob opened;
    pool.generation.fetch_add(1);
    if (wake && pool.sleepers.load() > 0)
      __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&pool.generation), static_cast<unsigned>(helpers));
    take_pieces();
  }
  return !pool.failed.load();
}

}  // namespace

int thread_count() {
  const auto set = static_cast<int>(std::min<std::int64_t>(config().threads, most_workers + 1));
  return set > 0 ? std::min(set, pool.wanted) : pool.wanted;
}
bool inside_parallel() { return false; }
worker_count count_workers() { return {pool.sleepers.load(), pool.workers.load()}; }
void stop_workers() {}

void parallel_ranges_impl(std::int64_t n, std::int64_t, double, range_function fn, void* context) { fn(context, 0, n); }

void parallel_plain_ranges_impl(std::int64_t n, std::int64_t grain, double estimated_ns, range_function fn, void* context) {
  int helpers = std::min(thread_count() - 1, pool.workers.load(std::memory_order_relaxed));
  // A piece that comes here itself finds the pool busy.
  if (helpers <= 0 || pool.busy.exchange(true, std::memory_order_acquire)) return fn(context, 0, n);
  const int asleep = pool.sleepers.load(std::memory_order_relaxed);
  const bool wake = asleep > 0 && pool.debt.pays(estimated_ns);
  if (!wake) helpers = std::min(helpers, pool.workers.load(std::memory_order_relaxed) - asleep);
  if (helpers <= 0) {
    pool.busy.store(false, std::memory_order_release);
    return fn(context, 0, n);
  }
  grain = std::max<std::int64_t>(grain, 1);
  const std::int64_t units = (n - 1) / grain + 1, parts = std::int64_t{helpers + 1} * (estimated_ns > 100000 ? 4 : 1);
  const std::int64_t piece = (units + std::min(units, parts) - 1) / std::min(units, parts) * grain;
  ++pool.shared;
  pool.job = {fn, context, n, piece, (n - 1) / piece + 1};
  if (!run_job(helpers, wake)) throw std::bad_alloc();
}

// ---- called by js/pool_worker.js, in workers ----

/// Waits for a job after `seen`: spins, then sleeps. Its number.
NUMJIT_EXPORT(nj_worker_wait) int nj_worker_wait(int seen) {
  const auto last = static_cast<std::uint32_t>(seen);
  for (int i = 0; i < spins_before_sleep; ++i)
    if (pool.generation.load(std::memory_order_acquire) != last) break;
  if (pool.generation.load() == last) {
    pool.sleepers.fetch_add(1);
    while (pool.generation.load() == last)
      __builtin_wasm_memory_atomic_wait32(reinterpret_cast<int*>(&pool.generation), seen, -1);
    pool.sleepers.fetch_sub(1);
  }
  return static_cast<int>(pool.generation.load());
}
/// May this worker join the job (1)? Then it is not over before nj_worker_leave. 2: the pool has ended. Active before
/// open, both sequentially consistent: the caller closes first and then waits for active == 0.
NUMJIT_EXPORT(nj_worker_enter) int nj_worker_enter() {
  pool.active.fetch_add(1);
  if (pool.stop.load()) return 2;
  return pool.open.load() && pool.seats.fetch_sub(1) > 0;
}
NUMJIT_EXPORT(nj_worker_take) void nj_worker_take() { take_pieces(); }
NUMJIT_EXPORT(nj_worker_fail) void nj_worker_fail() { pool.failed.store(true); }
NUMJIT_EXPORT(nj_worker_leave) void nj_worker_leave() { pool.active.fetch_sub(1); }
/// From now on this worker waits for jobs, after the one that is returned.
NUMJIT_EXPORT(nj_worker_ready) int nj_worker_ready() {
  const auto seen = static_cast<int>(pool.generation.load());
  pool.workers.fetch_add(1);
  return seen;
}

// ---- called by js/threads.js, on the thread that has the arrays ----

/// The end of a worker's stack, and the start of its scratch memory behind it; 0: no memory.
NUMJIT_EXPORT(nj_worker_memory) char* nj_worker_memory() {
  char* block = static_cast<char*>(std::aligned_alloc(64, worker_stack_bytes + wasm_gen::scratch_bytes));
  return block ? block + worker_stack_bytes : nullptr;
}
NUMJIT_EXPORT(nj_set_threads) void nj_set_threads(int threads) { pool.wanted = std::clamp(threads, 1, most_workers + 1); }
NUMJIT_EXPORT(nj_running_workers) int nj_running_workers() { return pool.workers.load(); }
NUMJIT_EXPORT(nj_shared_runs) int nj_shared_runs() { return pool.shared; }
/// Ends the workers: none takes a job any more.
NUMJIT_EXPORT(nj_stop_threads) void nj_stop_threads() {
  pool.wanted = 1;
  pool.workers.store(0);
  pool.stop.store(true);
  pool.generation.fetch_add(1);
  __builtin_wasm_memory_atomic_notify(reinterpret_cast<int*>(&pool.generation), ~0u);
}

}  // namespace numjit::detail

// ---- the allocator, which is that of one thread: the linker passes its calls through here ----

namespace {

/// Where on its stack the holder stands, 0: nobody holds it.
constinit std::atomic<std::uintptr_t> holder{0};

/// The linker passes the allocator's calls of itself through here, too: who comes from the holder's own frame, close
/// above it, goes on. Stacks of others are farther away: nj_worker_memory() puts scratch memory between them.
class Lock {
 public:
  Lock() {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const std::uintptr_t there = holder.load(std::memory_order_relaxed);
    if (there != 0 && there - here < near) return;
    for (std::uintptr_t nobody = 0; !holder.compare_exchange_weak(nobody, here, std::memory_order_acquire); nobody = 0) {}
    mine_ = true;
  }
  ~Lock() {
    if (mine_) holder.store(0, std::memory_order_release);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static constexpr std::uintptr_t near = 64 * 1024;
  bool mine_ = false;
};

}  // namespace

extern "C" {
void* __real_malloc(std::size_t);
void __real_free(void*);
void* __real_calloc(std::size_t, std::size_t);
void* __real_realloc(void*, std::size_t);
void* __real_aligned_alloc(std::size_t, std::size_t);
int __real_posix_memalign(void**, std::size_t, std::size_t);

void* __wrap_malloc(std::size_t bytes) { const Lock lock; return __real_malloc(bytes); }
void __wrap_free(void* block) { const Lock lock; __real_free(block); }
void* __wrap_calloc(std::size_t count, std::size_t bytes) { const Lock lock; return __real_calloc(count, bytes); }
void* __wrap_realloc(void* block, std::size_t bytes) { const Lock lock; return __real_realloc(block, bytes); }
void* __wrap_aligned_alloc(std::size_t align, std::size_t bytes) { const Lock lock; return __real_aligned_alloc(align, bytes); }
int __wrap_posix_memalign(void** block, std::size_t align, std::size_t bytes) {
  const Lock lock;
  return __real_posix_memalign(block, align, bytes);
}
}
