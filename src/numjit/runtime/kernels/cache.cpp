// The table of kernels: finds, loads, compiles, quarantines.
#include <numjit/runtime/kernels/cache.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pthread.h>

#include <numjit/base/config.h>
#include <numjit/base/cpu.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/hash.h>
#include <numjit/base/job_context.h>
#include <numjit/base/log.h>
#include <numjit/runtime/kernels/compile_queue.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/key.h>
#include <numjit/runtime/kernels/library.h>
#include <numjit/runtime/kernels/linker.h>
#include <numjit/runtime/kernels/list.h>
#include <numjit/runtime/kernels/plugin.h>
#include <numjit/runtime/kernels/portable.h>
#include <numjit/runtime/kernels/report.h>
#include <numjit/runtime/kernels/reproducer.h>

namespace numjit::runtime {

constinit ReproducerMaker reproducer_at_work = nullptr;

Kernel::~Kernel() {
  if (library) close_kernel(library);
}

namespace {

constexpr std::size_t kept_kernels = 4096;

struct Entry {
  std::shared_ptr<Kernel> kernel;
  std::shared_ptr<CompileJob> job;  // while queued
  std::string content;              // what the kernel is filed under, to list it
  std::uint64_t used = 0;           // for eviction
};

struct Counters {
  std::atomic<std::int64_t> compiled{0}, loaded{0}, memory_hits{0}, misses{0}, quarantined{0};
};
struct Times {
  std::atomic<std::int64_t> plugin{0}, codegen{0}, link{0}, load{0}, disk{0};
};

struct Cache {
  std::mutex mutex;
  std::unordered_map<hash128, Entry> table;
  std::uint64_t clock = 0;
  std::string first_error;  // of an asynchronous compile while suppress_errors was off
  std::string first_error_kernel;
  std::vector<std::shared_ptr<CompileJob>> deferred;  // see kernel_request_scope
  std::atomic<std::uint64_t> events{1};
  Counters counters;
  Times times;
  std::unordered_map<std::string, KernelTimes> function_times;
};

Cache& cache() {
  static auto& instance = *new Cache;
  return instance;
}

/// Adds the time until the end of the scope to a phase, and keeps it for the log.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<std::int64_t>& total) : total_(total) {}
  ~Stopwatch() { stop(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  std::int64_t stop() {
    if (!running_) return ns_;
    running_ = false;
    ns_ = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start_).count();
    total_.fetch_add(ns_, std::memory_order_relaxed);
    return ns_;
  }

 private:
  using clock = std::chrono::steady_clock;
  std::atomic<std::int64_t>& total_;
  clock::time_point start_ = clock::now();
  bool running_ = true;
  std::int64_t ns_ = 0;
};

double ms(std::int64_t ns) { return 1e-6 * static_cast<double>(ns); }

void add_function_times(const std::string& function, const KernelTimes& more) {
  std::lock_guard lock(cache().mutex);
  KernelTimes& times = cache().function_times[function];
  times.codegen_ns += more.codegen_ns;
  times.link_ns += more.link_ns;
  times.load_ns += more.load_ns;
  times.disk_ns += more.disk_ns;
}

std::string without_tag(const error& e) {
  std::string text = e.what(), tag = "[" + e.op() + "] ";
  return !e.op().empty() && text.starts_with(tag) ? text.substr(tag.size()) : text;
}

[[noreturn]] void throw_failure(const Kernel& kernel) {
  throw CompileError("compile", fmt::format("kernel {} ({}): {}.{}", kernel.name, kernel.schedule, kernel.error, kernel.repro));
}

void make_ready(Kernel& kernel, const KernelLibrary& library) {
  kernel.library = library.handle;
  kernel.entry.store(library.entry, std::memory_order_release);
  kernel.state.store(KernelState::ready, std::memory_order_release);
  ++cache().events;
}

/// How the error of a kernel begins that took too long, also on disk.
constexpr std::string_view late_text = "not compiled within compile_timeout_ms = ";

void make_failed(Kernel& kernel, std::string reason, bool has_no_tools = false) {
  kernel.timed_out = reason.starts_with(late_text);
  kernel.has_no_tools = has_no_tools;
  kernel.error = std::move(reason);
  kernel.state.store(KernelState::failed, std::memory_order_release);
  ++cache().events;
}

std::string target_of(const KernelVariant& variant) { return variant.target.empty() ? detail::kernel_target() : variant.target; }

std::unique_ptr<Reproducer> segment_at_work() { return reproducer_at_work ? reproducer_at_work() : nullptr; }

/// Writes down the segment for which a kernel failed.
std::string reproduction(Reproducer* segment, const Kernel& kernel, const std::string& function, const std::string& reason) {
  return segment ? segment->write(function, fmt::format("kernel {} ({}): {}", kernel.name, kernel.schedule, reason)) : "";
}

/// The segment on disk while a kernel of it is compiled: a code generator that ends the process leaves it behind.
class WrittenAhead {
 public:
  WrittenAhead(Reproducer* segment, const Kernel& kernel, const std::string& function) : segment_(segment) {
    if (segment_)
      segment_->write_ahead(function,
                            fmt::format("kernel {} ({}): the process ended while it was compiled", kernel.name, kernel.schedule));
  }
  ~WrittenAhead() {
    if (segment_) segment_->remove_ahead();
  }
  WrittenAhead(const WrittenAhead&) = delete;
  WrittenAhead& operator=(const WrittenAhead&) = delete;

 private:
  Reproducer* segment_;
};

/// One kernel on its way through code generator, linker and loader.
class KernelJob final : public CompileJob {
 public:
  KernelJob(std::shared_ptr<Kernel> kernel, graph::KernelSpec spec, KernelVariant variant, std::string content)
      : kernel_(std::move(kernel)),
        spec_(std::move(spec)),
        variant_(std::move(variant)),
        content_(std::move(content)),
        context_(job_context::here()),
        folder_(cache_folder()),
        owner_(current_kernel_owner()),
        suppress_(suppresses_errors()),
        suppress_without_tools_(config().suppress_errors),
        waited_for_(config().compile == compile_mode::sync),
        segment_(segment_at_work()) {
    timeout_ms = config().compile_timeout_ms;
  }
  ~KernelJob() override {
    if (library_.handle) close_kernel(library_.handle);
  }

  void run() noexcept override {
    try {
      job_context_scope scope(context_);
      compile();
    } catch (const error& e) {
      error_ = without_tag(e);
    } catch (const std::exception& e) {
      error_ = e.what();
    } catch (...) {
      error_ = "an exception of unknown type";
    }
  }

  void publish() noexcept override {
    if (error_.empty()) {
      make_ready(*kernel_, std::exchange(library_, {}));
      cache().counters.compiled.fetch_add(1, std::memory_order_relaxed);
    } else {
      fail(error_, content_fault_);
    }
  }

  void store() noexcept override {
    leave_table();
    if (key_.empty() || folder_.empty()) return;
    job_context_scope scope(context_);
    Stopwatch watch(cache().times.disk);
    if (error_.empty())
      write_cache(folder_, key_, kind_of_kernel(image_), image_);
    else if (content_fault_)
      write_cache(folder_, key_, CacheKind::quarantine, std::vector<char>(error_.begin(), error_.end()));
  }

  void expire() noexcept override {
    // run() may still be writing its results: this touches none of them.
    std::string reason = fmt::format("{}{}", late_text, timeout_ms);
    std::string key = folder_.empty() ? "" : disk_key(kernel_->name, content_, target());
    fail(reason, true);
    if (!key.empty()) write_cache(folder_, key, CacheKind::quarantine, std::vector<char>(reason.begin(), reason.end()));
    leave_table();
  }

 private:
  std::string target() const { return target_of(variant_); }

  void compile() {
    Stopwatch opening(cache().times.plugin);
    KernelCompiler* compiler = kernel_compiler();
    opening.stop();
    if (!compiler) error_ = "no code generator: " + plugin_error();
    content_fault_ = error_.empty();
    if (!content_fault_) return;
    key_ = disk_key(kernel_->name, content_, target());
    const WrittenAhead written_ahead(segment_.get(), *kernel_, owner_);
    Stopwatch codegen(cache().times.codegen);
    const std::vector<std::string_view> ops = graph::op_names(spec_);
    const detail::fault_subject_scope subject(ops);
    fail_on_purpose();
    std::vector<char> object = compiler->compile(spec_, variant_, kernel_->name, target());
    codegen.stop();
    Stopwatch link(cache().times.link);
    try {
      image_ = kernel_image(object, kernel_->name, !variant_.target.empty());
    } catch (const NoLinker&) {
      content_fault_ = false;
      throw;
    }
    link.stop();
    Stopwatch load(cache().times.load);
    library_ = open_kernel(image_, kernel_->name);
    add_function_times(owner_, {0, codegen.stop(), link.stop(), load.stop(), 0});
    report_kernel(
        {kernel_->name, owner_, spec_, variant_, content_, false, ms(codegen.stop()), ms(link.stop()), ms(load.stop())});
    if (detail::log_enabled(log_channel::cache))
      detail::log(log_channel::cache,
                  fmt::format("kernel {} ({}) compiled in {:.1f} ms: codegen {:.1f}, link {:.1f}, load {:.2f}", kernel_->name,
                              kernel_->schedule, ms(codegen.stop() + link.stop() + load.stop()), ms(codegen.stop()),
                              ms(link.stop()), ms(load.stop())));
  }

  void fail_on_purpose() const {
    using detail::fault_injected, detail::fault_point;
    for (auto point : {fault_point::lower, fault_point::halide})
      if (fault_injected(point)) throw CompileError("compile", fmt::format("fault injected into {}", detail::fault_name(point)));
    if (fault_injected(fault_point::crash)) std::abort();
    if (timeout_ms > 0 && fault_injected(fault_point::timeout)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(timeout_ms + 100));
      throw CompileError("compile", "fault injected into timeout");
    }
  }

  void fail(const std::string& reason, bool content_fault) noexcept {
    if (content_fault) {
      job_context_scope scope(context_);
      count_quarantine();
      kernel_->repro = reproduction(segment_.get(), *kernel_, owner_, reason);
    }
    if (suppress_ && content_fault) {
      detail::warn(fmt::format("kernel {} ({}) can't be compiled: {}; {}.{}", kernel_->name, kernel_->schedule, reason,
                               reason.starts_with(late_text) && graph::op_names(spec_).size() > 1
                                   ? "its ops run one by one until two smaller kernels are there"
                                   : "its ops run one by one from now on",
                               kernel_->repro));
    } else if (!content_fault && suppress_without_tools_) {
      // Nothing is wrong with the kernel: one line for all of them.
      detail::warn_once("no kernels: " + reason, reason + "; compiled functions run their ops one by one.");
    } else if (!waited_for_) {  // else the caller throws it
      std::lock_guard lock(cache().mutex);
      if (cache().first_error.empty()) {
        cache().first_error = fmt::format("{}.{}", reason, kernel_->repro);
        cache().first_error_kernel = fmt::format("{} ({})", kernel_->name, kernel_->schedule);
      }
    }
    make_failed(*kernel_, reason, !content_fault);
  }

  /// The table keeps the kernel and the text of what it was made from.
  void leave_table() {
    std::shared_ptr<CompileJob> self;  // outlives the lock
    std::lock_guard lock(cache().mutex);
    auto found = cache().table.find(hash_text(content_));
    if (found != cache().table.end() && found->second.job.get() == this) self.swap(found->second.job);
  }

  const std::shared_ptr<Kernel> kernel_;
  const graph::KernelSpec spec_;
  const KernelVariant variant_;
  const std::string content_;
  const job_context context_;
  const std::string folder_, owner_;
  const bool suppress_, suppress_without_tools_, waited_for_;
  const std::unique_ptr<Reproducer> segment_;  // asks for it; null: is not written down
  // Results of run().
  std::string key_, error_;
  std::vector<char> image_;
  KernelLibrary library_;
  bool content_fault_ = true;  // the failure, if any, is due to what was compiled
};

/// Looks among the kernels that bundles brought. True if that makes the kernel ready.
bool settle_from_bundle(Kernel& kernel, const hash128& content) {
  const auto linked = find_provided(content);
  if (!linked) return false;
  Stopwatch loading(cache().times.load);
  try {
    make_ready(kernel, open_kernel(*linked, kernel.name));
  } catch (const CompileError& e) {
    detail::warn(
        fmt::format("kernel {} ({}) from a bundle: {}; it is compiled anew.", kernel.name, kernel.schedule, without_tag(e)));
    return false;
  }
  cache().counters.loaded.fetch_add(1, std::memory_order_relaxed);
  return true;
}

/// Was it an earlier process that ran out of time, with less of it than there is now? The machine may have been busy.
bool may_be_in_time_now(std::string_view reason) {
  std::int64_t then = 0;
  if (!reason.starts_with(late_text)) return false;
  reason.remove_prefix(late_text.size());
  std::from_chars(reason.data(), reason.data() + reason.size(), then);
  const std::int64_t now = config().compile_timeout_ms;
  return now == 0 || now > then;
}

/// Looks on disk. True if that settles the kernel, ready or quarantined.
bool settle_from_disk(Kernel& kernel, const graph::KernelSpec& spec, const KernelVariant& variant, const std::string& content) {
  std::string folder = cache_folder();
  if (folder.empty()) return false;
  Stopwatch reading(cache().times.disk);
  std::string key = disk_key(kernel.name, content, target_of(variant));
  if (key.empty()) return false;
  std::optional<CacheEntry> entry = read_cache(folder, key);
  reading.stop();
  if (!entry) return false;
  if (entry->kind == CacheKind::quarantine) {
    const std::string reason(entry->payload.begin(), entry->payload.end());
    if (may_be_in_time_now(reason)) return false;
    if (reason.starts_with(late_text))
      detail::warn_once("kernels too late before",
                        fmt::format("kernel {} ({}), in an earlier process: {}; its ops run one by one "
                                    "until smaller kernels are there. A longer time tries it again.",
                                    kernel.name, kernel.schedule, reason));
    kernel.repro = reproduction(segment_at_work().get(), kernel, current_kernel_owner(), reason);
    make_failed(kernel, reason);
    count_quarantine();
    detail::log(log_channel::cache,
                fmt::format("kernel {} ({}) is quarantined on disk: {}", kernel.name, kernel.schedule, kernel.error));
    return true;
  }
  Stopwatch loading(cache().times.load);
  try {
    make_ready(kernel, open_kernel(entry->payload, kernel.name));
  } catch (const CompileError& e) {
    detail::warn(fmt::format("kernel {} ({}) from the disk cache: {}; it is compiled anew.", kernel.name, kernel.schedule,
                             without_tag(e)));
    return false;
  }
  cache().counters.loaded.fetch_add(1, std::memory_order_relaxed);
  if (kernel_requests().owner) add_function_times(*kernel_requests().owner, {0, 0, 0, loading.stop(), reading.stop()});
  if (detail::log_enabled(log_channel::cache))
    detail::log(log_channel::cache, fmt::format("kernel {} ({}) loaded from disk in {:.2f} ms", kernel.name, kernel.schedule,
                                                ms(reading.stop() + loading.stop())));
  report_kernel(
      {kernel.name, current_kernel_owner(), spec, variant, content, true, 0, 0, ms(loading.stop()), ms(reading.stop())});
  return true;
}

/// Drops kernels that nobody holds, longest unused first. The cache is locked.
void evict() {
  auto& table = cache().table;
  while (table.size() > kept_kernels) {
    auto oldest = table.end();
    for (auto it = table.begin(); it != table.end(); ++it)
      if (it->second.kernel.use_count() == 1 && (oldest == table.end() || it->second.used < oldest->second.used)) oldest = it;
    if (oldest == table.end()) return;
    table.erase(oldest);
  }
}

void fork_prepare() {
  CompileQueue::instance().pause();
  cache().mutex.lock();
  CompileQueue::instance().before_fork();
}

void fork_parent() {
  CompileQueue::instance().after_fork();
  cache().mutex.unlock();
}

void fork_child() {
  const bool was_busy = CompileQueue::replace_in_child();
  if (was_busy) forbid_compiler("the process was forked during a compile");
  for (auto it = cache().table.begin(); it != cache().table.end();) {
    Kernel& kernel = *it->second.kernel;
    const bool pending = kernel.state.load() == KernelState::queued;
    if (pending && !was_busy && it->second.job) {
      // The thread that would have compiled it is the parent's: the next compiled call here queues it again.
      cache().deferred.push_back(it->second.job);
      any_deferred = true;
    }
    const bool lost = pending && (was_busy || !it->second.job);
    if (lost) make_failed(kernel, "the process was forked before it was compiled");
    it = lost ? cache().table.erase(it) : std::next(it);
  }
  cache().mutex.unlock();
}

/// Around waiting for a compile, which an interrupt ends as well.
class Waiting {
 public:
  Waiting() : outside_(wait_hooks.before ? wait_hooks.before() : nullptr) {}
  ~Waiting() {
    if (wait_hooks.after) wait_hooks.after(outside_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void* const outside_;
};

/// The state after waiting if this thread's settings ask for it; throws what is to be thrown.
std::shared_ptr<Kernel> settled(std::shared_ptr<Kernel> kernel, CompileJob* job) {
  if (job && !kernel_requests().defer && config().compile == compile_mode::sync && kernel->state.load() == KernelState::queued) {
    compile_deferred();  // it may be one of those
    const Waiting waiting;
    CompileQueue::instance().wait(*job);
  }
  check_failure(*kernel);
  return kernel;
}

constinit thread_local std::int64_t asking_ns_here = 0;

}  // namespace

std::int64_t asking_ns() { return asking_ns_here; }

constinit WaitHooks wait_hooks{};

std::shared_ptr<Kernel> get_kernel(const graph::KernelSpec& spec, const KernelVariant& variant) {
  struct Asking {
    const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Asking() { asking_ns_here += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count(); }
  } asking;
  config();
  static const int forks = pthread_atfork(fork_prepare, fork_parent, fork_child);
  (void)forks;
  std::string content = kernel_content(spec, variant);
  kernel_notes_scope::note(content, spec, variant);
  hash128 hash = hash_text(content);
  std::shared_ptr<Kernel> kernel;
  std::shared_ptr<CompileJob> job;
  {
    std::unique_lock lock(cache().mutex);
    Entry& entry = cache().table[hash];
    entry.used = ++cache().clock;
    if (entry.kernel) {
      kernel = entry.kernel;
      job = entry.job;
      lock.unlock();
      cache().counters.memory_hits.fetch_add(1, std::memory_order_relaxed);
      return settled(std::move(kernel), job.get());
    }
    kernel = entry.kernel = std::make_shared<Kernel>();
    kernel->name = kernel_name(content);
    kernel->schedule = variant.schedule;
    entry.content = content;
    job = entry.job = std::make_shared<KernelJob>(kernel, spec, variant, content);
    evict();
  }
  if (variant.target.empty()) record_kernel(content);
  if (detail::log_enabled(log_channel::perf_hints)) report_strides(kernel->name, current_kernel_owner(), spec, variant);
  if (settle_from_bundle(*kernel, hash) || settle_from_disk(*kernel, spec, variant, content)) {
    CompileQueue::instance().finish(*job);
    std::lock_guard lock(cache().mutex);
    auto found = cache().table.find(hash);
    if (found != cache().table.end() && found->second.job == job) found->second.job.reset();
  } else {
    cache().counters.misses.fetch_add(1, std::memory_order_relaxed);
    if (kernel_requests().defer) {
      std::lock_guard lock(cache().mutex);
      cache().deferred.push_back(job);
      any_deferred = true;
      return kernel;
    }
    CompileQueue::instance().push(job);
    // However quick a background compile fails, it is a later call that throws.
    if (config().compile == compile_mode::async) return kernel;
  }
  return settled(std::move(kernel), job.get());
}

KernelListing list_kernel(const std::string& name) {
  std::string content;
  {
    std::lock_guard lock(cache().mutex);
    const auto& table = cache().table;
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.second.kernel->name == name; });
    if (found == table.end()) return {};
    content = found->second.content;
  }
  KernelCompiler* const compiler = kernel_compiler();
  if (!compiler) return {};
  const KernelRequest request = request_from_text(content);
  return compiler->list(request.spec, request.variant, name, target_of(request.variant));
}

void count_quarantine() { cache().counters.quarantined.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t kernel_events() { return cache().events.load(std::memory_order_acquire); }

void check_failure(const Kernel& kernel) {
  if (kernel.state.load(std::memory_order_acquire) != KernelState::failed) return;
  if (kernel.has_no_tools ? !config().suppress_errors : !suppresses_errors()) throw_failure(kernel);
}

constinit std::atomic<bool> any_deferred{false};

void push_deferred() {
  std::vector<std::shared_ptr<CompileJob>> jobs;
  {
    std::lock_guard lock(cache().mutex);
    jobs.swap(cache().deferred);
    any_deferred = false;
    ++cache().events;
  }
  for (auto& job : jobs) CompileQueue::instance().push(job);
}

void wait_for_compiles() {
  CompileQueue::instance().wait_idle();
  std::string text, kernel;
  {
    std::lock_guard lock(cache().mutex);
    text = std::exchange(cache().first_error, {});
    kernel = cache().first_error_kernel;
  }
  if (!text.empty()) throw CompileError("compile", fmt::format("kernel {}: {}", kernel, text));
}

void forget_failed_kernels(const std::vector<hash128>& contents) {
  std::vector<Entry> dropped;  // outlives the lock
  std::lock_guard lock(cache().mutex);
  for (const hash128& content : contents) {
    const auto found = cache().table.find(content);
    if (found == cache().table.end() || found->second.kernel->state.load() != KernelState::failed) continue;
    dropped.push_back(std::move(found->second));
    cache().table.erase(found);
  }
  ++cache().events;
}

void reset_kernels() {
  CompileQueue::instance().wait_idle();
  std::unordered_map<hash128, Entry> dropped;
  {
    std::lock_guard lock(cache().mutex);
    dropped.swap(cache().table);
    cache().deferred.clear();
    any_deferred = false;
    cache().first_error.clear();
    cache().function_times.clear();
  }
  Counters& counters = cache().counters;
  for (auto* counter : {&counters.compiled, &counters.loaded, &counters.memory_hits, &counters.misses, &counters.quarantined})
    counter->store(0);
  Times& times = cache().times;
  for (auto* time : {&times.plugin, &times.codegen, &times.link, &times.load, &times.disk}) time->store(0);
}

KernelCounters kernel_counters() {
  Counters& counters = cache().counters;
  return {counters.compiled.load(), counters.loaded.load(), counters.memory_hits.load(), counters.misses.load(),
          counters.quarantined.load()};
}

KernelTimes kernel_times() {
  Times& times = cache().times;
  return {times.plugin.load(), times.codegen.load(), times.link.load(), times.load.load(), times.disk.load()};
}

std::string current_kernel_owner() { return kernel_requests().owner ? *kernel_requests().owner : "(none)"; }

std::vector<std::pair<std::string, KernelTimes>> kernel_times_by_function() {
  std::lock_guard lock(cache().mutex);
  return {cache().function_times.begin(), cache().function_times.end()};
}

}  // namespace numjit::runtime
