// The C interface that run.py loads: arrays in and out, timed calls, bandwidth. All functions that
// can fail return a negative number, and bench_error() tells why.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/thread_pool.h>

#include "eager_ops.h"
#include "workloads.h"

namespace {

namespace np = numjit;
using clock_type = std::chrono::steady_clock;

std::string last_error;
bench::arrays inputs, results;

double ns_since(clock_type::time_point start) {
  return std::chrono::duration<double, std::nano>(clock_type::now() - start).count();
}

template <class F>
double guarded(F&& f) {
  try {
    return f();
  } catch (const std::exception& e) {
    last_error = e.what();
    return -1;
  }
}

enum Engine { eager, compiled, compiled_one_thread, compiled_fast };

template <class F>
double timed(int repeats, F&& f) {
  const auto start = clock_type::now();
  for (int i = 0; i < repeats; ++i) f(inputs, results);
  return ns_since(start) / repeats;
}

// Best of some rounds of one pass over big arrays on all threads; bytes as the program sees them.
template <class F>
double best_bandwidth(double bytes, std::int64_t n, F&& pass) {
  double best = 0;
  for (int round = 0; round < 7; ++round) {
    const auto start = clock_type::now();
    np::detail::parallel_ranges(n, 4096, 1e9, pass);
    best = std::max(best, bytes / ns_since(start));
  }
  return best;
}

}  // namespace

extern "C" {

const char* bench_error() { return last_error.c_str(); }

/// Forgets the inputs and the results.
void bench_clear() {
  inputs.clear();
  results.clear();
}

/// Adds a copy of a C-contiguous array to the inputs; `type` is NumPy's dtype name.
double bench_input(const void* data, const char* type, int rank, const std::int64_t* shape) {
  return guarded([&] {
    auto a = np::empty(np::dims(shape, rank), np::dtype_of(type));
    std::memcpy(a.raw_data(), data, static_cast<std::size_t>(a.nbytes()));
    inputs.push_back(a);
    return 0.0;
  });
}

/// Nanoseconds per call of a workload on the inputs, over `repeats` calls; the last results are
/// kept.
double bench_run(const char* name, int engine, int repeats) {
  return guarded([&]() -> double {
    const bench::Workload* w = bench::find_workload(name);
    if (!w) throw np::ValueError("bench", std::string("unknown workload: got ") + name);
    if (engine == eager) return timed(repeats, w->eager);
    np::config_scope scope(
        {.compile = np::compile_mode::sync,
         .float_mode = engine == compiled_fast ? np::float_mode::fast : np::float_mode::exact,
         .threads = engine == compiled_one_thread ? std::optional<std::int64_t>(1) : std::nullopt});
    return timed(repeats, w->compiled);
  });
}

/// Nanoseconds per eager call of one operation on the inputs; the last result is kept.
double bench_eager_op(const char* name, int repeats) {
  return guarded([&]() -> double {
    const bench::EagerOp* op = bench::find_eager_op(name);
    if (!op) throw np::ValueError("bench", std::string("unknown operation: got ") + name);
    return timed(repeats, [op](const bench::arrays& in, bench::arrays& out) {
      out.resize(1);
      out[0] = op->run(in);
    });
  });
}

/// Number of results of the last call.
int bench_result_count() { return static_cast<int>(results.size()); }

/// NumPy's dtype name and the shape of the i-th result, as "float64 (3, 4)"; valid until the next call.
const char* bench_result_layout(int i) {
  static std::string text;
  const np::array& result = results.at(static_cast<std::size_t>(i));
  text = std::string(result.dtype().name()) + " " + result.shape().str();
  return text.c_str();
}

/// Copies the i-th result, C-contiguous, to `to`.
double bench_result(int i, void* to) {
  return guarded([&] {
    auto flat = np::ascontiguousarray(results.at(static_cast<std::size_t>(i)));
    if (flat.size() > 0) std::memcpy(to, flat.raw_data(), static_cast<std::size_t>(flat.nbytes()));
    return 0.0;
  });
}

/// What np::explain says about one compiled call of the workload; valid until the next call.
const char* bench_explain(const char* name) {
  static std::string text;
  guarded([&] {
    const bench::Workload* w = bench::find_workload(name);
    np::config_scope scope({.compile = np::compile_mode::sync});
    auto f = np::compile(w->eager);
    f(inputs, results);
    text = np::explain(f)(inputs, results).str();
    return 0.0;
  });
  return text.c_str();
}

/// Nanoseconds of the first call of the i-th distinct function, its kernel compiled, nothing
/// cached.
double bench_cold(int i) {
  return guarded([&] {
    np::config_scope scope({.compile = np::compile_mode::sync, .cache_dir = std::string("off")});
    auto f = np::compile(
        [i](const np::array& a, const np::array& b) { return bench::distinct(i, a, b); });
    const auto start = clock_type::now();
    results.assign(1, f(inputs.at(0), inputs.at(1)));
    return ns_since(start);
  });
}

int bench_distinct_functions() { return bench::distinct_functions; }

/// Kernels compiled so far.
double bench_kernels_compiled() { return static_cast<double>(np::counters().kernels_compiled); }

int bench_threads() { return np::detail::thread_count(); }

/// Gigabytes per second of a copy (bytes read plus bytes written) and of the triad a = b + 3 c.
double bench_copy_bandwidth() {
  return guarded([] {
    constexpr std::int64_t n = 16 << 20;
    std::vector<double> from(n, 1.0), to(n, 0.0);
    return best_bandwidth(16.0 * n, n, [&](std::int64_t begin, std::int64_t end) {
      std::memcpy(&to[static_cast<std::size_t>(begin)], &from[static_cast<std::size_t>(begin)],
                  static_cast<std::size_t>(end - begin) * sizeof(double));
    });
  });
}
double bench_triad_bandwidth() {
  return guarded([] {
    constexpr std::int64_t n = 16 << 20;
    std::vector<double> b(n, 1.0), c(n, 2.0), a(n, 0.0);
    return best_bandwidth(24.0 * n, n, [&](std::int64_t begin, std::int64_t end) {
      double* __restrict x = a.data();
      const double *y = b.data(), *z = c.data();
      for (std::int64_t i = begin; i < end; ++i) x[i] = y[i] + 3.0 * z[i];
    });
  });
}

}  // extern "C"
