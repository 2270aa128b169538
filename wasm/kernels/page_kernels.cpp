// The table of kernels of a page: what packs brought, else made on the spot. In place of runtime/kernels/cache.cpp,
// which compiles in the background, keeps files, and has threads.
#include <numjit/runtime/kernels/cache.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/hash.h>
#include <numjit/base/log.h>
#include <numjit/ops/rows.h>
#include <numjit/runtime/kernels/abi.h>
#include <numjit/runtime/kernels/disk_cache.h>
#include <numjit/runtime/kernels/key.h>
#include <numjit/runtime/kernels/library.h>
#include <numjit/runtime/kernels/list.h>
#include <numjit/runtime/kernels/plugin.h>
#include <numjit/runtime/kernels/portable.h>

#include "kernel.h"
#include "page.h"

extern "C" {
/// The host's: makes a module of these bytes and puts its function `run` into the table. Its place there, or 0.
/// `scratch`: for the kernels that this thread runs.
int nj_add_kernel(const char* bytes, int size, void* scratch);
void nj_drop_kernel(int place);
}

namespace numjit::runtime {
namespace {

alignas(16) char scratch[wasm_gen::scratch_bytes];

constexpr std::size_t kept_kernels = 4096;

struct Entry {
  std::shared_ptr<Kernel> kernel;
  std::uint64_t used = 0;
  std::string ops;
  std::string content;
};

struct Table {
  std::unordered_map<hash128, Entry> kernels;
  std::unordered_map<hash128, std::shared_ptr<const std::vector<char>>> provided;
  std::unordered_map<hash128, Kernel::Entry> packed;  // functions of packs, in the host's table for good
  std::uint64_t clock = 0, events = 1;
  KernelCounters counters;
  KernelTimes times;
};
Table& table() {
  static auto& only = *new Table;
  return only;
}

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void make_ready(Kernel& kernel, std::span<const char> bytes) {
  const std::int64_t start = now();
  const KernelLibrary library = open_kernel(bytes, kernel.name);
  kernel.library = library.handle;
  kernel.entry.store(library.entry, std::memory_order_release);
  kernel.state.store(KernelState::ready, std::memory_order_release);
  table().times.load_ns += now() - start;
}

/// A function of a pack, which nobody takes out of the table.
void provide(Kernel& kernel, Kernel::Entry entry) {
  kernel.entry.store(entry, std::memory_order_release);
  kernel.state.store(KernelState::ready, std::memory_order_release);
  ++table().counters.loaded;
  ++table().events;
}

void settle(Kernel& kernel, const graph::KernelSpec& spec, const KernelVariant& variant, const hash128& content) {
  try {
    if (const auto packed = table().packed.find(content); packed != table().packed.end()) {
      provide(kernel, packed->second);
    } else if (const auto provided = find_provided(content)) {
      make_ready(kernel, *provided);
      ++table().counters.loaded;
    } else {
      const std::int64_t start = now();
      const std::vector<char> bytes = wasm_gen::write_kernel(spec, variant, wasm_gen::page_target());
      table().times.codegen_ns += now() - start;
      make_ready(kernel, bytes);
      ++table().counters.compiled;
    }
  } catch (const error& e) {
    kernel.error = e.what();
    kernel.state.store(KernelState::failed, std::memory_order_release);
    ++table().counters.quarantined;
  }
  ++table().events;
}

/// Drops kernels that nobody holds, longest unused first.
void evict() {
  auto& kernels = table().kernels;
  while (kernels.size() > kept_kernels) {
    auto oldest = kernels.end();
    for (auto it = kernels.begin(); it != kernels.end(); ++it)
      if (it->second.kernel.use_count() == 1 && (oldest == kernels.end() || it->second.used < oldest->second.used)) oldest = it;
    if (oldest == kernels.end()) return;
    kernels.erase(oldest);
  }
}

}  // namespace

Kernel::~Kernel() {
  if (library) close_kernel(library);
}

KernelLibrary open_kernel(std::span<const char> bytes, const std::string& name) {
  const int place = nj_add_kernel(bytes.data(), static_cast<int>(bytes.size()), scratch);
  if (place == 0) throw CompileError("compile", fmt::format("this machine refuses the module of kernel {}", name));
  KernelLibrary library;
  library.handle = reinterpret_cast<OpenKernel*>(static_cast<std::uintptr_t>(place));  // a place in the table, no object
  library.entry = reinterpret_cast<int (*)(void**)>(static_cast<std::uintptr_t>(place));
  return library;
}

void close_kernel(OpenKernel* handle) noexcept { nj_drop_kernel(static_cast<int>(reinterpret_cast<std::uintptr_t>(handle))); }

namespace {
std::int64_t making_ns = 0;
}
std::int64_t asking_ns() { return making_ns; }

std::shared_ptr<Kernel> get_kernel(const graph::KernelSpec& spec, const KernelVariant& variant) {
  const std::string content = kernel_content(spec, variant);
  kernel_notes_scope::note(content, spec, variant);
  const hash128 hash = hash_text(content);
  Entry& entry = table().kernels[hash];
  entry.used = ++table().clock;
  std::shared_ptr<Kernel> kernel = entry.kernel;
  if (kernel) {
    ++table().counters.memory_hits;
  } else {
    ++table().counters.misses;
    kernel = entry.kernel = std::make_shared<Kernel>();
    kernel->name = kernel_name(content);
    kernel->schedule = variant.schedule;
    entry.content = content;
    const auto start = std::chrono::steady_clock::now();
    settle(*kernel, spec, variant, hash);
    making_ns += std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
    if (kernel->state.load() == KernelState::failed)
      for (std::string_view op : graph::op_names(spec)) entry.ops += (entry.ops.empty() ? "" : " ") + std::string(op);
    evict();
  }
  check_failure(*kernel);
  return kernel;
}

const std::string& library_folder() {
  static const std::string none = ".";
  return none;
}

std::uint64_t kernel_events() { return table().events; }
void count_quarantine() { ++table().counters.quarantined; }

void check_failure(const Kernel& kernel) {
  if (kernel.state.load() == KernelState::failed && !config().suppress_errors)
    throw CompileError("compile", fmt::format("kernel {} ({}): {}", kernel.name, kernel.schedule, kernel.error));
}

constinit std::atomic<bool> any_deferred{false};
void push_deferred() {}
void wait_for_compiles() {}

void forget_failed_kernels(const std::vector<hash128>& contents) {
  for (const hash128& content : contents) {
    const auto found = table().kernels.find(content);
    if (found != table().kernels.end() && found->second.kernel->state.load() == KernelState::failed)
      table().kernels.erase(found);
  }
  ++table().events;
}

void reset_kernels() {
  table().kernels.clear();
  table().counters = {};
  table().times = {};
}

KernelCounters kernel_counters() { return table().counters; }
KernelTimes kernel_times() { return table().times; }
std::string current_kernel_owner() { return kernel_requests().owner ? *kernel_requests().owner : "(none)"; }
std::vector<std::pair<std::string, KernelTimes>> kernel_times_by_function() { return {}; }

// ---- what packs bring, in place of kernels/portable.cpp ----

namespace {
kernel_notes_scope* noting = nullptr;
}

kernel_notes_scope::kernel_notes_scope() : outer_(std::exchange(noting, this)) {}
kernel_notes_scope::~kernel_notes_scope() { noting = outer_; }

void kernel_notes_scope::note(const std::string& content, const graph::KernelSpec& spec, const KernelVariant& variant) {
  if (!noting) [[likely]] return;
  for (const KernelRequest& known : noting->requests_)
    if (known.content == content) return;
  noting->requests_.push_back({content, spec, variant});
}

std::vector<char> linked_kernel(const KernelRequest& request, const std::string&) {
  return wasm_gen::write_kernel(request.spec, request.variant, wasm_gen::page_target());
}

void provide_kernels(std::vector<ProvidedKernel> kernels) {
  std::vector<hash128> contents;
  for (ProvidedKernel& kernel : kernels) {
    contents.push_back(hash_text(kernel.content));
    table().provided.try_emplace(contents.back(), std::make_shared<const std::vector<char>>(std::move(kernel.linked)));
  }
  forget_failed_kernels(contents);
}

std::shared_ptr<const std::vector<char>> find_provided(const hash128& content) {
  const auto found = table().provided.find(content);
  return found == table().provided.end() ? nullptr : found->second;
}

}  // namespace numjit::runtime

namespace numjit::wasm_gen {

Target page_target() {
#ifdef __wasm_simd128__
  constexpr bool simd = true;
#else
  constexpr bool simd = false;
#endif
  return {simd};
}

std::uint64_t start_bits_of_half(op_id op) { return neutral_value<half>(neutral_of(op)).bits; }

}  // namespace numjit::wasm_gen

namespace numjit::runtime {

int provide_packed(std::string_view content, int place) {
  const hash128 hash = hash_text(content);
  const auto entry = reinterpret_cast<Kernel::Entry>(static_cast<std::uintptr_t>(place));
  table().packed[hash] = entry;
  const auto found = table().kernels.find(hash);
  if (found == table().kernels.end()) return 0;
  Kernel& kernel = *found->second.kernel;
  if (kernel.state.load() == KernelState::ready) return static_cast<int>(reinterpret_cast<std::uintptr_t>(kernel.entry.load()));
  provide(kernel, entry);  // there was none so far: who holds it asks when there are events
  return 0;
}

int count_graphs() { return static_cast<int>(table().counters.misses); }

std::string recorded_graphs(bool missing) {
  std::vector<const std::string*> contents;
  for (const auto& [hash, entry] : table().kernels)
    if (!missing || !table().packed.contains(hash)) contents.push_back(&entry.content);
  std::sort(contents.begin(), contents.end(), [](auto* a, auto* b) { return *a < *b; });
  std::string text(kernel_list_head);
  for (const std::string* content : contents) text += "\n" + *content;
  return text;
}

std::vector<MissingKernel> list_missing() {
  std::vector<MissingKernel> list;
  for (const auto& [hash, entry] : table().kernels)
    if (entry.kernel->state.load() == KernelState::failed)
      list.push_back({entry.kernel->name, entry.kernel->schedule, entry.ops, entry.kernel->error});
  return list;
}

}  // namespace numjit::runtime
