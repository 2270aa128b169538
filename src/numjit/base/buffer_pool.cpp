// Blocks for array data. Small ones (powers of two) live in per-thread lists that cost no lock;
// large ones (eight classes per doubling) in one global pool that forgets the least recently used
// first.
#include <numjit/base/buffer_pool.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <numjit/base/block_watcher.h>
#include <numjit/base/config.h>
#include <numjit/base/error.h>
#include <numjit/base/fault.h>
#include <numjit/base/zeroed_block.h>

#if defined(__SANITIZE_ADDRESS__)
#define NUMJIT_POOL_BYPASS \
  1  // every block from malloc in its exact size, so that overflows are seen
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NUMJIT_POOL_BYPASS 1
#endif
#endif
#ifndef NUMJIT_POOL_BYPASS
#define NUMJIT_POOL_BYPASS 0
#endif

namespace numjit::detail {
namespace {

/// More than any address space holds.
constexpr auto largest_block = static_cast<std::size_t>(std::min<std::uint64_t>(std::uint64_t{1} << 46, PTRDIFF_MAX));

constexpr int small_classes = 11;  // 64 bytes to 64 KiB
constexpr std::size_t huge_page = std::size_t{2} << 20;
/// From here on the system clears a block that is used again, page by page where it is touched: in less time than it takes
/// to write zeros to all of it, as caches don't hold so much.
[[maybe_unused]] constexpr std::size_t cleared_by_system = std::size_t{64} << 20;
constexpr std::int64_t small_list_bytes = 256 << 10;  // per thread and class
constexpr std::int64_t small_global_bytes = 64 << 20;
constexpr std::int64_t usage_delay = 1 << 20;
constexpr int large_classes = (47 - 16) * 8;

struct FreeBlock {
  FreeBlock* next;
};

/// A cached large block, described by its own first bytes.
struct LargeBlock {
  LargeBlock *class_next, *class_prev;  // same class, latest first
  LargeBlock *older, *newer;            // all, by time of their return
  int index;
};

/// Trivially destructible, so that it can be used while other thread-locals are being destroyed.
struct ThreadCache {
  FreeBlock* head[small_classes];
  std::int32_t count[small_classes];
  std::int64_t usage;     // change of bytes in use, not yet added to the total
  std::int64_t told;      // bytes in the lists when they were last added to that
  bool guarded, flushed;  // the guard exists; it has run, so nothing may be kept any more
};
constinit thread_local ThreadCache cache{};

struct Pool {
  std::mutex mutex;
  FreeBlock* small[small_classes] = {};
  LargeBlock* large[large_classes] = {};
  LargeBlock *newest = nullptr, *oldest = nullptr;
  std::int64_t small_bytes = 0, large_bytes = 0;  // kept for reuse
};
constinit Pool pool;
std::atomic<std::int64_t> in_use{0}, peak{0}, thread_cached{0};

int small_class(std::size_t bytes) {
  return static_cast<int>(std::bit_width((bytes - (bytes != 0)) | 63)) - 6;
}
constexpr std::size_t small_size(int index) { return std::size_t{64} << index; }
/// Most blocks of each class in a thread's list.
constexpr std::array<std::int32_t, small_classes> small_cap = [] {
  std::array<std::int32_t, small_classes> caps{};
  for (int i = 0; i < small_classes; ++i)
    caps[static_cast<std::size_t>(i)] =
        static_cast<std::int32_t>(std::max<std::int64_t>(8, small_list_bytes >> (i + 6)));
  return caps;
}();

struct LargeClass {
  std::size_t size;
  int index;
};

/// Sizes 9/8, 10/8, ... 16/8 of each power of two: at most one eighth is wasted.
LargeClass large_class(std::size_t bytes) {
  int power = static_cast<int>(std::bit_width(bytes - 1)) - 1;
  std::size_t step = std::size_t{1} << (power - 3);
  std::size_t steps = (bytes - 1) / step + 1;
  return {steps * step, (power - 16) * 8 + static_cast<int>(steps) - 9};
}

std::int64_t memory_limit() noexcept {
  try {
    std::int64_t limit = config().memory_limit;
    return limit > 0 ? limit : INT64_MAX;
  } catch (const error&) {
    return INT64_MAX;  // a bad environment is reported by the throwing calls
  }
}

void add_usage(std::int64_t bytes) noexcept {
  std::int64_t now = in_use.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t seen = peak.load(std::memory_order_relaxed);
  while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

void publish_usage() noexcept {
  if (cache.usage != 0) add_usage(std::exchange(cache.usage, 0));
  std::int64_t kept = 0;
  for (int i = 0; i < small_classes; ++i) kept += cache.count[i] * static_cast<std::int64_t>(small_size(i));
  thread_cached.fetch_add(kept - std::exchange(cache.told, kept), std::memory_order_relaxed);
}

// --- the system ---------------------------------------------------------------------------------

#if defined(__GLIBC__)
/// What is free at the top of its heap glibc gives back to the system from 128 KiB on, to take it again page by page: half of
/// what a tape costs that is made at every step. Once a program has freed a larger block, twice as much as that stays.
[[maybe_unused]] const bool keeps_heap = [] {
  void* volatile block = std::malloc(std::size_t{4} << 20);
  std::free(block);
  return true;
}();
#endif

void* map_large(std::size_t size) noexcept {
  if (size < huge_page) return std::aligned_alloc(4096, (size + 4095) / 4096 * 4096);
  // Aligned to huge pages by mapping more and giving the ends back.
  std::size_t whole = (size + 4095) / 4096 * 4096;
  void* raw =
      mmap(nullptr, whole + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto start = reinterpret_cast<std::uintptr_t>(raw);
  std::uintptr_t aligned = (start + huge_page - 1) / huge_page * huge_page;
  if (aligned > start) munmap(raw, aligned - start);
  std::size_t after = start + huge_page - aligned;
  if (after > 0) munmap(reinterpret_cast<void*>(aligned + whole), after);
  void* block = reinterpret_cast<void*>(aligned);
  madvise(block, whole, MADV_HUGEPAGE);
  return block;
}

/// Does map_large() give zeros?
constexpr bool is_mapped_zeroed(std::size_t size) {
#ifdef __wasm__
  return size == 0;
#else
  return size >= huge_page;
#endif
}

/// Gives the pages of a block back; what is read there next is zero. False: the block is as it was.
bool clear_by_system([[maybe_unused]] void* block, std::size_t size) noexcept {
#ifdef __wasm__
  return size == 0;
#else
  return size >= cleared_by_system && madvise(block, (size + 4095) / 4096 * 4096, MADV_DONTNEED) == 0;
#endif
}

void unmap_large(void* block, std::size_t size) noexcept {
  if (size < huge_page)
    std::free(block);
  else
    munmap(block, (size + 4095) / 4096 * 4096);
}

std::size_t size_of_index(int index) {
  std::size_t step = std::size_t{1} << (index / 8 + 16 - 3);
  return step * static_cast<std::size_t>(index % 8 + 9);
}

// --- large blocks; the pool is locked
// -------------------------------------------------------------

void unlink(LargeBlock* block) {
  (block->class_prev ? block->class_prev->class_next : pool.large[block->index]) =
      block->class_next;
  if (block->class_next) block->class_next->class_prev = block->class_prev;
  (block->newer ? block->newer->older : pool.newest) = block->older;
  (block->older ? block->older->newer : pool.oldest) = block->newer;
  pool.large_bytes -= static_cast<std::int64_t>(size_of_index(block->index));
}

void link(LargeBlock* block, int index) {
  *block = {pool.large[index], nullptr, pool.newest, nullptr, index};
  if (block->class_next) block->class_next->class_prev = block;
  pool.large[index] = block;
  (pool.newest ? pool.newest->newer : pool.oldest) = block;
  pool.newest = block;
  pool.large_bytes += static_cast<std::int64_t>(size_of_index(index));
}

/// Gives the longest unused blocks back until at most `bytes` are kept.
void trim_large(std::int64_t bytes) {
  while (pool.large_bytes > bytes && pool.oldest) {
    LargeBlock* block = pool.oldest;
    int index = block->index;
    unlink(block);
    unmap_large(block, size_of_index(index));
  }
}

void trim_small() {
  for (int index = 0; index < small_classes; ++index)
    while (FreeBlock* block = pool.small[index]) {
      pool.small[index] = block->next;
      std::free(block);
    }
  pool.small_bytes = 0;
}

void register_fork_handlers() {
  static const int registered = pthread_atfork(
      [] { pool.mutex.lock(); }, [] { pool.mutex.unlock(); }, [] { pool.mutex.unlock(); });
  (void)registered;
}

// --- small blocks
// ---------------------------------------------------------------------------------

/// Moves up to `count` blocks of a class from this thread's list to the global one.
void give_away(int index, std::int32_t count) noexcept {
  std::lock_guard lock(pool.mutex);
  auto size = static_cast<std::int64_t>(small_size(index));
  for (; count > 0 && cache.head[index]; --count) {
    FreeBlock* block = cache.head[index];
    cache.head[index] = block->next;
    --cache.count[index];
    if (pool.small_bytes + size > small_global_bytes) {
      std::free(block);
      continue;
    }
    block->next = pool.small[index];
    pool.small[index] = block;
    pool.small_bytes += size;
  }
}

void flush_thread() noexcept {
  for (int index = 0; index < small_classes; ++index) give_away(index, INT32_MAX);
  publish_usage();
}

/// Exists on threads that have used the small lists; what is freed after it goes to the global
/// pool.
struct ThreadGuard {
  ~ThreadGuard() {
    cache.flushed = true;
    flush_thread();
  }
};

void guard_thread() noexcept {
  thread_local ThreadGuard guard;
  (void)&guard;
  cache.guarded = true;
}

void* allocate_small_slow(int index) noexcept {
  if (!cache.guarded && !cache.flushed) guard_thread();
  publish_usage();
  auto size = static_cast<std::int64_t>(small_size(index));
  {
    std::lock_guard lock(pool.mutex);
    register_fork_handlers();
    FreeBlock* block = pool.small[index];
    if (block) {
      // One for the caller, and some more so that the lock is rarely taken.
      std::int32_t more = cache.flushed ? 0 : small_cap[static_cast<std::size_t>(index)] / 4;
      pool.small[index] = block->next;
      pool.small_bytes -= size;
      for (; more > 0 && pool.small[index]; --more) {
        FreeBlock* extra = pool.small[index];
        pool.small[index] = extra->next;
        pool.small_bytes -= size;
        extra->next = cache.head[index];
        cache.head[index] = extra;
        ++cache.count[index];
      }
      return block;
    }
  }
  if (in_use.load(std::memory_order_relaxed) + size > memory_limit()) return nullptr;
  return std::aligned_alloc(block_alignment, small_size(index));
}

void* allocate_small(std::size_t bytes) noexcept {
  int index = small_class(bytes);
  void* block = cache.head[index];
  if (block) {
    cache.head[index] = cache.head[index]->next;
    --cache.count[index];
  } else {
    block = allocate_small_slow(index);
    if (!block) return nullptr;
  }
  cache.usage += static_cast<std::int64_t>(small_size(index));
  if (cache.usage > usage_delay || cache.flushed) publish_usage();
  return block;
}

/// After a block came to a thread's list: more than it may keep, or the first or last one of a thread.
[[gnu::noinline]] void free_small_slow(int index) noexcept {
  if (!cache.guarded && !cache.flushed) guard_thread();
  const std::int32_t cap = small_cap[static_cast<std::size_t>(index)];
  if (cache.flushed)
    flush_thread();
  else if (cache.count[index] > cap)
    give_away(index, cap / 2);
  else if (cache.usage < -usage_delay)
    publish_usage();
}

void free_small(void* memory, std::size_t bytes) noexcept {
  int index = small_class(bytes);
  auto* block = static_cast<FreeBlock*>(memory);
  block->next = cache.head[index];
  cache.head[index] = block;
  const std::int32_t count = ++cache.count[index], cap = small_cap[static_cast<std::size_t>(index)];
  cache.usage -= static_cast<std::int64_t>(small_size(index));
  if ((count > cap) | (cache.usage < -usage_delay) | !cache.guarded | cache.flushed) [[unlikely]]
    free_small_slow(index);
}

// --- large blocks
// -----------------------------------------------------------------------------------

/// `recycled`: whether the block was used before.
void* take_large(std::size_t bytes, bool& recycled) noexcept {
  if (bytes > largest_block) return nullptr;
  publish_usage();
  LargeClass wanted = large_class(bytes);
  auto size = static_cast<std::int64_t>(wanted.size);
  std::int64_t limit = memory_limit();
  std::lock_guard lock(pool.mutex);
  register_fork_handlers();
  std::int64_t used = in_use.load(std::memory_order_relaxed);
  if (used + size > limit) return nullptr;
  void* block = pool.large[wanted.index];
  recycled = block != nullptr;
  if (block) {
    unlink(static_cast<LargeBlock*>(block));
  } else {
    trim_large(limit - used - size);
    block = map_large(wanted.size);
    if (!block) {
      trim_large(0);
      trim_small();
      block = map_large(wanted.size);
    }
  }
  if (block) add_usage(size);
  return block;
}

/// `zeroed`, if it is asked for: whether the block holds zeros.
void* allocate_large(std::size_t bytes, bool* zeroed) noexcept {
  bool recycled = false;
  void* const block = take_large(bytes, recycled);
  if (!block || !zeroed) return block;
  const std::size_t size = large_class(bytes).size;
  *zeroed = recycled ? clear_by_system(block, size) : is_mapped_zeroed(size);
  return block;
}

void free_large(void* block, std::size_t bytes) noexcept {
  static const std::int64_t kept = physical_memory() / 4;
  LargeClass given = large_class(bytes);
  publish_usage();
  add_usage(-static_cast<std::int64_t>(given.size));
  std::lock_guard lock(pool.mutex);
  link(static_cast<LargeBlock*>(block), given.index);
  trim_large(kept);
}

/// What a request is counted as: its class.
std::int64_t counted(std::size_t bytes) {
  return static_cast<std::int64_t>(bytes <= largest_small_block ? small_size(small_class(bytes))
                                                                : large_class(bytes).size);
}

void* allocate_exact(std::size_t bytes) noexcept {
  void* block = nullptr;
  if (bytes > largest_block ||
      in_use.load(std::memory_order_relaxed) + counted(bytes) > memory_limit() ||
      posix_memalign(&block, block_alignment, std::max<std::size_t>(bytes, 1)) != 0)
    return nullptr;
  add_usage(counted(bytes));
  return block;
}

}  // namespace

std::atomic<void (*)(const void*, std::size_t) noexcept> block_came{nullptr};
std::atomic<void (*)(const void*) noexcept> block_goes{nullptr};

namespace {
void* told(void* block, std::uint64_t bytes) noexcept {
  if (const auto came = block_came.load(std::memory_order_relaxed); came && block) [[unlikely]]
    came(block, static_cast<std::size_t>(bytes));
  return block;
}
}  // namespace

void* try_allocate_block(std::uint64_t wanted) noexcept {
  if (fault_injected(fault_point::allocation) || wanted > largest_block) [[unlikely]] return nullptr;
  const auto bytes = static_cast<std::size_t>(wanted);
  if (NUMJIT_POOL_BYPASS) return told(allocate_exact(bytes), bytes);
  return told(bytes <= largest_small_block ? allocate_small(bytes) : allocate_large(bytes, nullptr), bytes);
}

void* try_allocate_block(std::uint64_t wanted, bool& zeroed) noexcept {
  zeroed = false;
  if (NUMJIT_POOL_BYPASS || wanted <= largest_small_block || wanted > largest_block || fault_injected(fault_point::allocation))
    return try_allocate_block(wanted);
  return told(allocate_large(static_cast<std::size_t>(wanted), &zeroed), wanted);
}

void* allocate_block(std::uint64_t bytes) {
  void* block = try_allocate_block(bytes);
  if (block) return block;
  config();
  throw MemoryError(
      "", fmt::format("Unable to allocate {}: {}.", format_bytes(bytes), memory_shortage(bytes)));
}

void free_block(void* block, std::size_t bytes) noexcept {
  if (!block) return;
  if (const auto goes = block_goes.load(std::memory_order_relaxed)) [[unlikely]]
    goes(block);
  if (NUMJIT_POOL_BYPASS) {
    std::free(block);
    add_usage(-counted(bytes));
  } else if (bytes <= largest_small_block) {
    free_small(block, bytes);
  } else {
    free_large(block, bytes);
  }
}

std::string format_bytes(std::uint64_t bytes) {
  // Follows numpy's _ArrayMemoryError._size_to_string.
  static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  int unit = std::max(static_cast<int>(std::bit_width(bytes)) - 1, 1) / 10;
  double count = static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << (10 * unit));
  if (std::nearbyint(count) == 1024 && unit < 6) {
    ++unit;
    count /= 1024;
  }
  if (unit == 0) return fmt::format("{} bytes", bytes);
  char digits[32];
  std::snprintf(digits, sizeof digits, std::nearbyint(count) < 1000 ? "%#.3g" : "%#.0f", count);
  return fmt::format("{} {}", digits, units[unit]);
}

std::string memory_shortage(std::uint64_t bytes) {
  memory_stats usage = memory_usage();
  std::int64_t limit = memory_limit();
  std::string used =
      format_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(usage.in_use, 0)));
  bool over = bytes > largest_block || usage.in_use + counted(static_cast<std::size_t>(bytes)) > limit;
  if (over && limit != INT64_MAX)
    return fmt::format("{} in use, config.memory_limit is {}", used,
                       format_bytes(static_cast<std::uint64_t>(limit)));
  return fmt::format("{} in use, the system gives no more", used);
}

std::int64_t memory_left() noexcept {
  publish_usage();
  return memory_limit() - in_use.load(std::memory_order_relaxed);
}

memory_stats memory_usage() {
  publish_usage();
  std::lock_guard lock(pool.mutex);
  return {in_use.load(), peak.load(),
          pool.small_bytes + pool.large_bytes + thread_cached.load(std::memory_order_relaxed)};
}

void reset_memory_peak() {
  publish_usage();
  peak.store(in_use.load());
}

void release_cached_blocks() noexcept {
  flush_thread();
  std::lock_guard lock(pool.mutex);
  trim_large(0);
  trim_small();
}

std::int64_t physical_memory() {
#ifdef __wasm__
  return std::int64_t{1} << 32;  // its address space: what it has now says nothing
#endif
  std::int64_t bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/memory.max", "re")) {
    long long limit = 0;
    if (std::fscanf(file, "%lld", &limit) == 1 && limit > 0)
      bytes = std::min<std::int64_t>(bytes, limit);
    std::fclose(file);
  }
  return bytes;
}

}  // namespace numjit::detail
