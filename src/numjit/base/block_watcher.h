// Who is told of the memory of arrays as it comes and goes.
#pragma once

#include <atomic>
#include <cstddef>

namespace numjit::detail {

/// Called after a block came from the pool, on the thread that asked for it. Null: nobody is told.
extern std::atomic<void (*)(const void* block, std::size_t bytes) noexcept> block_came;
/// Called before a block goes back to the pool. Null: nobody knows any.
extern std::atomic<void (*)(const void* block) noexcept> block_goes;

}  // namespace numjit::detail
