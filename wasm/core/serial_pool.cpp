// The thread pool of builds without threads: everything runs on the caller.
#include <numjit/base/thread_pool.h>

namespace numjit::detail {

int thread_count() { return 1; }
bool inside_parallel() { return false; }
worker_count count_workers() { return {}; }
void stop_workers() {}
void parallel_ranges_impl(std::int64_t n, std::int64_t, double, range_function fn, void* context) { fn(context, 0, n); }
void parallel_plain_ranges_impl(std::int64_t n, std::int64_t, double, range_function fn, void* context) { fn(context, 0, n); }

}  // namespace numjit::detail
