// The process's compiled kernels: memory, then disk, then the compiler on background threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <numjit/base/config.h>
#include <numjit/base/hash.h>
#include <numjit/base/thread_context.h>
#include <numjit/graph/kernel_spec.h>
#include <numjit/runtime/kernels/compiler.h>

namespace numjit::runtime {

class OpenKernel;

enum class KernelState : std::uint8_t {
  queued,  // waits for its compile or is being compiled
  ready,   // entry can be called
  failed,  // quarantined: its content did not compile, and is not tried again
};

/// One compiled kernel, shared by all who use it. The code stays loaded while a reference is held.
struct Kernel {
  using Entry = int (*)(void** argv);

  /// Null until ready; one acquire load is all a caller needs: `if (auto f =
  /// kernel->entry.load())`.
  std::atomic<Entry> entry{nullptr};
  std::atomic<KernelState> state{KernelState::queued};
  std::string name;         // "nj_3f2a5b...": start of the C symbol, name in logs and in the disk cache
  std::string schedule;     // the variant's template
  std::string error;        // why it failed; set before state becomes failed
  std::string repro;        // " Reproduce it: ...", or "": set with `error`
  bool timed_out = false;   // config.compile_timeout_ms was not enough: set with `error`
  bool has_no_tools = false;  // no code generator, no linker: nothing is wrong with the kernel. Set with `error`
  OpenKernel* library = nullptr;  // closed with the last reference

  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel();
};

/// The kernel of `spec` in `variant`, never null. Known ones cost making and hashing the key text:
/// hold on to the result. A new one is loaded from the disk cache at once; otherwise it is compiled
/// on a background thread; under config().compile == sync this call waits for it.
///
/// A failure (code generator, linker, time limit) is one warning line, and the content is
/// quarantined, also on disk: the kernel stays `failed` and callers run its ops one by one. With
/// config().suppress_errors off it is a CompileError, thrown here (sync), or by the next
/// get_kernel() of the same content or wait_for_compiles() (async).
std::shared_ptr<Kernel> get_kernel(const graph::KernelSpec& spec, const KernelVariant& variant);

/// Its code as texts, which compiles it once more. Empty of kernels that nobody has asked for here, or that the code generator
/// has no texts of. ValueError of what only this process can compile.
KernelListing list_kernel(const std::string& name);

/// Called around waiting for a compile where it is not null: in Python other threads go on meanwhile, among them who logs.
struct WaitHooks {
  void* (*before)();
  void (*after)(void*);
};
extern constinit WaitHooks wait_hooks;

/// Nanoseconds that this thread spent in get_kernel(): looking, loading, waiting for a compile.
std::int64_t asking_ns();

/// Grows whenever some kernel becomes ready or fails: until then, asking again is of no use.
std::uint64_t kernel_events();

/// Counts something that is not run any more because it was wrong.
void count_quarantine();

/// Of this thread.
inline KernelRequests& kernel_requests() { return numjit::detail::own_context.kernel_requests; }
/// Do operations run one by one where a kernel fails?
inline bool suppresses_errors() { return !kernel_requests().throws && config().suppress_errors; }

/// Throws the CompileError of a kernel that failed, unless errors are suppressed.
void check_failure(const Kernel& kernel);

/// Sets it for a scope.
class [[nodiscard]] kernel_request_scope {
 public:
  kernel_request_scope(const std::string& owner, bool defer, bool throws) : saved_(kernel_requests()) {
    kernel_requests() = {&owner, saved_.defer || defer, saved_.throws || throws};
  }
  ~kernel_request_scope() { kernel_requests() = saved_; }
  kernel_request_scope(const kernel_request_scope&) = delete;
  kernel_request_scope& operator=(const kernel_request_scope&) = delete;

 private:
  KernelRequests saved_;
};
/// Only whether compiles wait.
class [[nodiscard]] defer_compiles_scope {
 public:
  explicit defer_compiles_scope(bool on) : saved_(std::exchange(kernel_requests().defer, on)) {}
  ~defer_compiles_scope() { kernel_requests().defer = saved_; }
  defer_compiles_scope(const defer_compiles_scope&) = delete;
  defer_compiles_scope& operator=(const defer_compiles_scope&) = delete;

 private:
  bool saved_;
};
/// Queues the compiles put off so far. One atomic load when there are none.
extern constinit std::atomic<bool> any_deferred;
void push_deferred();
inline void compile_deferred() {
  if (any_deferred.load(std::memory_order_relaxed)) [[unlikely]]
    push_deferred();
}

/// Waits until nothing is queued or being compiled. Throws the first CompileError kept since the
/// last call (only kept while suppress_errors is off).
void wait_for_compiles();

/// Forgets those of these contents (hashes of kernel_content()) that failed: they are asked for anew.
void forget_failed_kernels(const std::vector<hash128>& contents);

/// Waits for background compiles, then forgets kernels, quarantine in memory and counters. Kernels
/// that are held stay usable. The disk cache is kept.
void reset_kernels();

struct KernelCounters {
  std::int64_t compiled = 0;     // by a code generator
  std::int64_t loaded = 0;       // from the disk cache
  std::int64_t memory_hits = 0;  // get_kernel() found it in the table
  std::int64_t misses = 0;       // neither in memory nor on disk
  std::int64_t quarantined = 0;  // failed in this process, or found so on disk
};
KernelCounters kernel_counters();

/// Wall time spent per phase of all compiles so far, in nanoseconds.
struct KernelTimes {
  std::int64_t plugin_ns = 0;   // opening the code generator (once)
  std::int64_t codegen_ns = 0;  // spec to object code
  std::int64_t link_ns = 0;
  std::int64_t load_ns = 0;  // dlopen, of fresh and cached kernels
  std::int64_t disk_ns = 0;  // reading and writing the cache
};
KernelTimes kernel_times();

/// Name of the function that this thread asks for kernels for, "(none)" outside of its runs.
std::string current_kernel_owner();
/// Times by that name.
std::vector<std::pair<std::string, KernelTimes>> kernel_times_by_function();

}  // namespace numjit::runtime
