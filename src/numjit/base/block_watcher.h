// Who is told of the memory of arrays as it comes and goes.
#pragma once

#include <atomic>
#include <cstddef>

namespace numjit::detail {

/// Called after a block came from the pool and before it goes back, on the thread that asks for it. Null: nobody is told.
struct BlockWatcher {
  void (*came)(const void* block, std::size_t bytes) noexcept;
  void (*goes)(const void* block) noexcept;
};
extern std::atomic<const BlockWatcher*> block_watcher;

}  // namespace numjit::detail
