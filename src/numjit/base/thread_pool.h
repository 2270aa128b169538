// The one thread pool: splits index ranges over threads that spin briefly, then sleep.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace numjit::detail {

/// Runs fn(begin, end) over [0, n) in pieces whose borders are multiples of `grain` (the last piece
/// may be shorter). The pieces cover the range exactly once, in no particular order, each on one
/// thread; the caller takes part and returns when all are done. Which thread runs what never shows
/// in results as long as pieces write to different places.
///
/// `estimated_ns` is the caller's guess of the work on one thread. It decides whether sharing pays:
/// below 2 us all runs on the caller; from 2 us it is shared with the workers that are awake;
/// sleeping ones are woken from 60 us on, counting what recent runs would have liked to share.
///
/// A call from inside a piece, or while another thread uses the pool, runs on the caller alone. The
/// first exception of a piece is rethrown; pieces not yet begun are then skipped. No allocation.
template <class F>
void parallel_ranges(std::int64_t n, std::int64_t grain, double estimated_ns, F&& fn);

/// The same for pieces that call compiled code over memory that is there already: they record nothing, make no arrays,
/// touch nothing that belongs to a thread, and throw at most bad_alloc. Where threads have no C++ runtime of their own
/// (wasm/threads), these are the runs that are shared.
template <class F>
void parallel_plain_ranges(std::int64_t n, std::int64_t grain, double estimated_ns, F&& fn);

/// Threads that a run may use, the caller included: config().threads, or if that is 0 the cores
/// this process may run on.
int thread_count();

/// True inside a piece of a parallel run (nested runs are serial).
bool inside_parallel();

/// Workers that sleep, of how many there are. For tests and doctor.
struct worker_count {
  int asleep = 0, all = 0;
};
worker_count count_workers();

/// Ends the workers; the next run starts them again. Called at exit and in a forked child.
void stop_workers();

using range_function = void (*)(void* context, std::int64_t begin, std::int64_t end);
void parallel_ranges_impl(std::int64_t n, std::int64_t grain, double estimated_ns,
                          range_function fn, void* context);
void parallel_plain_ranges_impl(std::int64_t n, std::int64_t grain, double estimated_ns,
                                range_function fn, void* context);

inline constexpr double parallel_from_ns = 2000;          // workers awake
inline constexpr double parallel_from_asleep_ns = 60000;  // workers have to be woken

/// Alone if that is best, else by `share`.
template <class Share, class F>
void run_ranges(Share* share, std::int64_t n, std::int64_t grain, double estimated_ns, F&& fn) {
  if (n <= 0) return;
  if (estimated_ns < parallel_from_ns || n <= grain) {
    fn(std::int64_t{0}, n);
    return;
  }
  using function = std::remove_reference_t<F>;
  share(
      n, grain, estimated_ns,
      [](void* context, std::int64_t begin, std::int64_t end) {
        (*static_cast<function*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const volatile void*>(std::addressof(fn))));
}

template <class F>
void parallel_ranges(std::int64_t n, std::int64_t grain, double estimated_ns, F&& fn) {
  run_ranges(parallel_ranges_impl, n, grain, estimated_ns, fn);
}
template <class F>
void parallel_plain_ranges(std::int64_t n, std::int64_t grain, double estimated_ns, F&& fn) {
  run_ranges(parallel_plain_ranges_impl, n, grain, estimated_ns, fn);
}

}  // namespace numjit::detail
