// The memory of arrays in Python's tracemalloc, by the line that made them, as NumPy's is.
#include "memory_trace.h"

#include <atomic>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <numjit/base/block_watcher.h>

namespace numjit::py {

// Python's PyTraceMalloc_Track and _Untrack by their names in C: its headers before 3.13 declare them as functions of C++.
int track(unsigned domain, std::uintptr_t block, std::size_t bytes) asm("PyTraceMalloc_Track");
int untrack(unsigned domain, std::uintptr_t block) asm("PyTraceMalloc_Untrack");

namespace {

constexpr unsigned domain = 0x6e6a;  // "nj"

/// Blocks that came where Python's lock was not held: waiting for it there might be for ever. Whoever takes it next tells of
/// them.
std::mutex mutex;
std::vector<std::pair<const void*, std::size_t>>& untold = *new std::vector<std::pair<const void*, std::size_t>>;
std::atomic<bool> some_untold{false};

/// Nothing is untracked by this; -2 says that nothing is traced.
bool is_tracing() { return untrack(domain, 0) != -2; }
std::uintptr_t address(const void* block) { return reinterpret_cast<std::uintptr_t>(block); }

void goes(const void* block) noexcept {
  if (untrack(domain, address(block)) == -2 || !some_untold) [[likely]]
    return;
  const std::lock_guard lock(mutex);
  std::erase_if(untold, [&](const auto& one) { return one.first == block; });
}

void came(const void* block, std::size_t bytes) noexcept {
  if (!is_tracing()) [[likely]]
    return;
  detail::block_goes = goes;  // from the first block on that is known
  if (PyGILState_Check()) {
    track(domain, address(block), bytes);
    return;
  }
  const std::lock_guard lock(mutex);
  try {
    untold.emplace_back(block, bytes);
    some_untold = true;
  } catch (const std::bad_alloc&) {  // then it is not told of
  }
}

}  // namespace

void tell_untold_blocks() {
  if (!some_untold) [[likely]]
    return;
  const std::lock_guard lock(mutex);  // whoever has it waits for nothing
  for (const auto& [block, bytes] : untold) track(domain, address(block), bytes);
  untold.clear();
  some_untold = false;
}

void define_memory_trace(Module& m) {
  m.attr("tracemalloc_domain") = domain;
  detail::block_came = came;
}

}  // namespace numjit::py
