// The thread pool: one job at a time; workers spin briefly, then sleep.
//
// A line of memory that another core wrote last takes 100 to 200 ns to come over, so a job is handed over by as few as
// can be: the one that workers watch holds the whole job, and a piece is claimed by counting down a share. Who has
// claimed one has the job for himself: it stays until all of its pieces are counted as done. A worker that comes too
// late finds no piece, or one of the next job, which is as good.
#include <numjit/base/thread_pool.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <numjit/base/check_interrupt.h>
#include <numjit/base/config.h>
#include <numjit/base/interrupt.h>
#include <numjit/base/wake_debt.h>

namespace numjit::detail {
namespace {

using clock = std::chrono::steady_clock;
constexpr int max_workers = 1023;
constexpr int max_shares = 64;
/// What a piece may take by its estimate if there are questions: real times are longer where the machine is busy, and much
/// longer where memory is touched for the first time.
constexpr double piece_for_questions_ns = 1e6;
constexpr std::int64_t spin_ns = 150000;  // longer, and the hypervisor takes the core away

/// What is being run: one line of memory, written by the caller between jobs.
struct alignas(64) Job {
  std::atomic<std::uint32_t> generation{0};  // bumped per job; workers wait on it
  std::atomic<std::uint16_t> shares{1};
  std::atomic<bool> limited{false};  // only as many workers as there are seats
  std::atomic<bool> failed{false};
  range_function fn = nullptr;
  void* context = nullptr;
  std::int64_t n = 0, piece = 0, count = 0;
  const config_overlay* overlay = nullptr;
  std::exception_ptr* failure = nullptr;  // the caller's

  std::int64_t first_of(int share) const { return count * share / shares.load(std::memory_order_relaxed); }
};
static_assert(sizeof(Job) == 64);

/// Neighbouring pieces that one thread takes first, from call to call the same ones: what it wrote is in its
/// cache when the next call reads it. Who has nothing left takes of the others' shares.
struct alignas(64) Share {
  std::atomic<std::int64_t> left{0};  // pieces that nobody has claimed; the last one goes first
};

/// Everything is reset by hand in a forked child, so nothing here has a destructor that matters.
struct Pool {
  alignas(64) std::atomic<bool> busy{false};  // a caller owns the pool
  Job job;
  Share shares[max_shares];
  alignas(64) std::atomic<std::int64_t> done{0};  // pieces that workers have finished
  alignas(64) std::atomic<int> seats{0};          // workers that may still join a limited job
  alignas(64) std::atomic<int> sleepers{0};
  std::atomic<bool> stop{false};
  std::atomic<bool> asked{false};  // the job's caller has a question
  pthread_t threads[max_workers] = {};
  std::atomic<int> workers{0};
  std::atomic<int> started{0};  // workers, for their numbers
  bool spins = true;
  int kept_off = -1;  // core that workers don't run on
  std::atomic<bool> exiting{false};
  WakeDebt debt;
};

constinit Pool pool;
constinit thread_local bool in_piece = false;
constinit thread_local int own_share = 0;  // a worker's number; callers have 0
constinit thread_local interrupt_question question = nullptr;  // of this thread's long runs
constinit thread_local std::int64_t asked_at = 0;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch())
      .count();
}

void relax() { __builtin_ia32_pause(); }

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value,
          nullptr, nullptr, 0);
}

int count_cores() {
  cpu_set_t set;
  int cores = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = std::max(1, CPU_COUNT(&set));
  // A container's quota: more threads than that only wait for each other.
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {
    long long quota = 0, period = 0;
    if (std::fscanf(file, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0)
      cores = static_cast<int>(std::clamp<long long>((quota + period - 1) / period, 1, cores));
    std::fclose(file);
  }
  return cores;
}

int core_count() {
  static const int cores = count_cores();
  return cores;
}

/// Milliseconds are exact enough, and a fraction of the cost.
std::int64_t coarse_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

/// Between pieces: throws if the thread's run is given up. Workers have no question.
void ask_for_interrupt() {
  if (!question) [[likely]] return;
  const std::int64_t now = coarse_ns();
  if (now - asked_at < interrupt_every_ns) return;
  const bool given_up = question();
  asked_at = coarse_ns();
  if (given_up) throw Interrupted();
}

void run_piece(Job& job, std::int64_t index) {
  if (job.failed.load(std::memory_order_relaxed)) return;
  const std::int64_t begin = index * job.piece;
  try {
    ask_for_interrupt();
    job.fn(job.context, begin, std::min(job.n, begin + job.piece));
  } catch (...) {
    if (!job.failed.exchange(true)) *job.failure = std::current_exception();
  }
}

/// Runs what is left of a share; how many pieces that were.
std::int64_t take_share(Job& job, int number) {
  Share& share = pool.shares[number];
  std::int64_t taken = 0;
  while (share.left.load(std::memory_order_relaxed) > 0) {
    const std::int64_t left = share.left.fetch_sub(1, std::memory_order_acquire);
    if (left <= 0) break;
    own_context.overlay = job.overlay;
    run_piece(job, job.first_of(number) + left - 1);
    ++taken;
  }
  return taken;
}

/// Runs pieces of all shares, the thread's own first. finished(pieces) is called after each share.
template <class Finished>
void take_pieces(const Finished& finished) {
  Job& job = pool.job;
  const config_overlay* own = own_context.overlay;
  in_piece = true;
  const int shares = job.shares.load(std::memory_order_relaxed);
  for (int i = 0; i < shares; ++i)
    if (const std::int64_t taken = take_share(job, (own_share + i) % shares); taken > 0) finished(taken);
  in_piece = false;
  own_context.overlay = own;
}

/// A worker's part in the job of now, if there is one.
void join_job() {
  if (pool.job.limited.load(std::memory_order_relaxed) && pool.seats.fetch_sub(1) <= 0) return;
  take_pieces([](std::int64_t taken) { pool.done.fetch_add(taken, std::memory_order_release); });
}

/// Waits for a generation other than `seen`: spins, then sleeps.
std::uint32_t wait_for_job(std::uint32_t seen) {
  std::int64_t until = pool.spins ? now_ns() + spin_ns : 0;
  for (int i = 0; pool.spins; ++i) {
    std::uint32_t generation = pool.job.generation.load(std::memory_order_acquire);
    if (generation != seen) return generation;
    relax();
    if (i % 32 == 31 && now_ns() > until) break;
  }
  pool.sleepers.fetch_add(1);
  std::uint32_t generation;
  while ((generation = pool.job.generation.load()) == seen) futex(pool.job.generation, FUTEX_WAIT, seen);
  pool.sleepers.fetch_sub(1);
  return generation;
}

void* worker_main(void* first_generation) {
  auto seen = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(first_generation));
  own_share = 1 + pool.started.fetch_add(1);
  for (;;) {
    seen = wait_for_job(seen);
    if (pool.stop.load()) return nullptr;
    join_job();
  }
}

/// A worker that is woken may be put on the core of who wakes it, and wait there for milliseconds while another core
/// is idle: it may run on all the caller's cores but this one.
void keep_workers_off_this_core() {
  const int here = sched_getcpu();
  if (here == pool.kept_off || !pool.spins) return;
  cpu_set_t cores;
  if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof cores, &cores) != 0) return;
  CPU_CLR(here, &cores);
  const int workers = pool.workers.load(std::memory_order_relaxed);
  if (CPU_COUNT(&cores) < workers) return;
  for (int i = 0; i < workers; ++i) pthread_setaffinity_np(pool.threads[i], sizeof cores, &cores);
  pool.kept_off = here;
}

void reset_in_child() {
  pool.workers.store(0);
  pool.started.store(0);
  pool.sleepers.store(0);
  pool.busy.store(false);
  in_piece = false;
}

void acquire_before_fork() {
  if (in_piece) return;
  while (pool.busy.exchange(true)) sched_yield();
}

void release_after_fork() {
  if (!in_piece) pool.busy.store(false);
}

void stop_at_exit() {
  pool.exiting.store(true);
  stop_workers();
}

void stop_owned() {
  int count = pool.workers.load();
  if (count == 0) return;
  pool.stop.store(true);
  pool.job.generation.fetch_add(1);
  futex(pool.job.generation, FUTEX_WAKE, INT_MAX);
  for (int i = 0; i < count; ++i) pthread_join(pool.threads[i], nullptr);
  pool.workers.store(0);
  pool.started.store(0);
  pool.stop.store(false);
}

/// Brings the number of workers to `wanted`, or to what the system gives. The caller owns the pool.
void start_workers(int wanted) {
  static const int registered = [] {
    pthread_atfork(acquire_before_fork, release_after_fork, reset_in_child);
    return std::atexit(stop_at_exit);
  }();
  (void)registered;
  // Signals are the program's: its own threads take them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pool.spins = wanted < core_count();
  pool.kept_off = -1;
  std::uintptr_t generation = pool.job.generation.load();
  int count = pool.workers.load();
  while (count < wanted && pthread_create(&pool.threads[count], nullptr, worker_main,
                                          reinterpret_cast<void*>(generation)) == 0) {
    pthread_setname_np(pool.threads[count], "numjit");
    ++count;
  }
  pool.workers.store(count);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Workers for this run; adapts the pool to the setting first. 0: run on the caller alone.
int workers_for_run(int wanted) {
  bool own_scope = own_context.overlay && (own_context.overlay->set >> static_cast<int>(config_field::threads) & 1);
  int have = pool.workers.load(std::memory_order_relaxed);
  if (have < wanted || (have > wanted && !own_scope)) {
    if (have > 0) stop_owned();
    start_workers(wanted);
    have = pool.workers.load(std::memory_order_relaxed);
  }
  return std::min(have, wanted);
}

/// Runs the job of the pool; up to `seats` of its workers may take part.
void run_job(int seats, bool wake) {
  Job& job = pool.job;
  const int shares = job.shares.load(std::memory_order_relaxed);
  job.failed.store(false, std::memory_order_relaxed);
  job.limited.store(seats < pool.workers.load(std::memory_order_relaxed), std::memory_order_relaxed);
  pool.seats.store(seats, std::memory_order_relaxed);
  pool.done.store(0, std::memory_order_relaxed);
  pool.asked.store(question != nullptr, std::memory_order_relaxed);
  for (int i = 0; i < shares; ++i)
    pool.shares[i].left.store(job.first_of(i + 1) - job.first_of(i), std::memory_order_release);
  if (wake) {  // in one order with the count of sleepers: who goes to sleep now sees the generation, or is counted
    job.generation.fetch_add(1);
    if (pool.sleepers.load() > 0) {
      keep_workers_off_this_core();
      futex(job.generation, FUTEX_WAKE, static_cast<std::uint32_t>(seats));
    }
  } else {
    job.generation.store(job.generation.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  std::int64_t rest = job.count;
  take_pieces([&rest](std::int64_t taken) { rest -= taken; });
  for (int i = 0; pool.done.load(std::memory_order_acquire) != rest; ++i) {
    relax();
    if (i % 4096 != 4095 && pool.spins) continue;
    sched_yield();  // a worker may have lost its core
    if (job.failed.load(std::memory_order_relaxed)) continue;
    try {
      ask_for_interrupt();
    } catch (...) {  // workers look at `failed`
      if (!job.failed.exchange(true)) *job.failure = std::current_exception();
    }
  }
}

/// Pieces that are short enough for questions between them.
std::int64_t pieces_for_questions(double estimated_ns) {
  return static_cast<std::int64_t>(std::min(1e6, estimated_ns / piece_for_questions_ns)) + 1;
}

/// The range on this thread alone: whole, unless somebody may want it to end early.
void run_alone(std::int64_t n, std::int64_t grain, double estimated_ns, range_function fn, void* context) {
  if (!question) return fn(context, 0, n);
  ask_for_interrupt();
  if (estimated_ns < piece_for_questions_ns) return fn(context, 0, n);
  const std::int64_t units = (n - 1) / grain + 1;
  const std::int64_t pieces = std::min(units, pieces_for_questions(estimated_ns));
  const std::int64_t piece = (units + pieces - 1) / pieces * grain;
  for (std::int64_t begin = 0; begin < n; begin += piece) {
    ask_for_interrupt();
    fn(context, begin, std::min(n, begin + piece));
  }
}

}  // namespace

Interruptible::Interruptible(interrupt_question asked) : before_(question) {
  question = asked;
  if (asked) asked_at = coarse_ns();
}
Interruptible::~Interruptible() { question = before_; }

void check_interrupt() {
  ask_for_interrupt();
  if (in_piece && pool.job.failed.load(std::memory_order_relaxed)) throw Interrupted();
}

bool may_be_interrupted() { return question != nullptr || (in_piece && pool.asked.load(std::memory_order_relaxed)); }

int thread_count() {
  std::int64_t threads = config().threads;
  return threads > 0 ? static_cast<int>(threads) : core_count();
}

bool inside_parallel() { return in_piece; }

worker_count count_workers() { return {pool.sleepers.load(), pool.workers.load()}; }

void stop_workers() {
  if (in_piece) return;
  while (pool.busy.exchange(true)) sched_yield();
  stop_owned();
  pool.busy.store(false);
}

void parallel_ranges_impl(std::int64_t n, std::int64_t grain, double estimated_ns,
                          range_function fn, void* context) {
  grain = std::max<std::int64_t>(grain, 1);
  int wanted = in_piece ? 0 : std::min(thread_count() - 1, max_workers);
  if (wanted <= 0 || pool.exiting.load(std::memory_order_relaxed) ||
      pool.busy.exchange(true, std::memory_order_acquire))
    return run_alone(n, grain, estimated_ns, fn, context);

  int helpers = workers_for_run(wanted);
  int asleep = pool.sleepers.load(std::memory_order_relaxed);
  bool wake = helpers > 0 && asleep > 0 && pool.debt.pays(estimated_ns);
  if (!wake) helpers = std::min(helpers, pool.workers.load(std::memory_order_relaxed) - asleep);
  if (helpers <= 0) {
    pool.busy.store(false, std::memory_order_release);
    return run_alone(n, grain, estimated_ns, fn, context);
  }

  Job& job = pool.job;
  // More pieces than threads even out cores of different speed; a piece costs about 0.1 us.
  std::int64_t units = (n - 1) / grain + 1;
  std::int64_t parts = std::int64_t{helpers + 1} * (estimated_ns > 100000 ? 4 : 1);
  if (question && estimated_ns > piece_for_questions_ns) parts = std::max(parts, pieces_for_questions(estimated_ns));
  std::int64_t piece = (units + std::min(units, parts) - 1) / std::min(units, parts) * grain;
  job.fn = fn;
  job.context = context;
  job.n = n;
  job.piece = piece;
  job.count = (n - 1) / piece + 1;
  job.shares.store(static_cast<std::uint16_t>(std::min<std::int64_t>({helpers + 1, max_shares, job.count})),
                   std::memory_order_relaxed);
  job.overlay = own_context.overlay;
  std::exception_ptr failure;
  job.failure = &failure;
  run_job(wanted, wake);
  pool.busy.store(false, std::memory_order_release);
  if (failure) std::rethrow_exception(failure);
}

void parallel_plain_ranges_impl(std::int64_t n, std::int64_t grain, double estimated_ns,
                                range_function fn, void* context) {
  parallel_ranges_impl(n, grain, estimated_ns, fn, context);
}

}  // namespace numjit::detail
