// Measuring compiled functions: profiler and budget scopes, and where compile time went.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <numjit/trace/api/explain.h>
#include <numjit/trace/state/counters.h>

namespace numjit {

/// What np::profiler saw.
struct profile_report {
  std::uint64_t calls = 0;           // of compiled functions (outermost ones)
  std::vector<break_reason> breaks;  // costliest first
  std::vector<recompile_report> recompiles;
  std::uint64_t memory_hits = 0, disk_hits = 0, compiled = 0;  // kernels asked for: where they came from
  std::uint64_t eager_ops = 0;                                 // run one by one inside compiled functions
  std::int64_t eager_ns = 0;                                   // time of segments outside kernels
  std::int64_t kernel_ns = 0;                                  // time inside kernels

  std::string str() const;
  std::string json() const;
};
std::ostream& operator<<(std::ostream& out, const profile_report& report);

/// Watches the compiled calls of this thread until the scope ends. Several may watch at once, and end in any order, also on
/// another thread (see config_scope); report() belongs to the thread that opened it, or comes after its calls.
///   np::profiler profile;
///   f(x);
///   std::cout << profile.report();
class [[nodiscard]] profiler {
 public:
  profiler();
  ~profiler();
  profiler(const profiler&) = delete;
  profiler& operator=(const profiler&) = delete;
  profile_report report() const;
  tracing::Explaining& watching() { return watching_; }

 private:
  tracing::Explaining watching_;
  counter_values before_;
};

/// What a budget scope allows. Negative: no limit.
struct budget_options {
  std::int64_t max_breaks = -1;
  std::int64_t max_recompiles = -1;
  double max_fallback_ms = -1;  // time of segments outside kernels
};

/// Limits what compiled calls of this thread may cost until the scope ends. The call that goes over
/// throws when it is done, its results complete: GraphBreakError, RecompileError, or CompileError for
/// time; the text names the worst offender. Budgets may end in any order (see config_scope). For tests of programs that must stay
/// fast.
///   np::budget limit({.max_breaks = 0});
class [[nodiscard]] budget {
 public:
  explicit budget(budget_options options);
  ~budget();
  budget(const budget&) = delete;
  budget& operator=(const budget&) = delete;
  /// Throws if what was seen so far is over the limit.
  void check() const;
  tracing::Explaining& watching() { return watching_; }

 private:
  tracing::Explaining watching_;
};

/// Time spent on making kernels since the start or the last reset(), in milliseconds.
struct compile_times_report {
  struct phases {
    double record = 0;  // recording ops
    double passes = 0;  // fusing graphs
    double plugin = 0;  // opening the code generator, once
    double halide = 0;  // lowering and LLVM: spec to object code
    double link = 0;
    double load = 0;
    double disk = 0;  // reading and writing the cache
    double total() const { return record + passes + plugin + halide + link + load + disk; }
  };
  phases total;
  std::vector<std::pair<std::string, phases>> functions;  // by name, costliest first

  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const compile_times_report& report);

/// Per phase, in total and for each compiled function. A kernel counts for the function that asked for it
/// first.
compile_times_report compile_times();

}  // namespace numjit
