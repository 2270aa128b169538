// Memory for array data: 64-byte aligned blocks, kept for reuse per thread (small) and globally
// (large).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace numjit::detail {

inline constexpr std::size_t block_alignment = 64;
inline constexpr std::size_t largest_small_block = 64 * 1024;

/// A block of at least `bytes` bytes, 64-byte aligned, contents undefined; 0 bytes give a valid
/// block. MemoryError "Unable to allocate 7.28 TiB: ..." if config().memory_limit or the system
/// forbids it.
void* allocate_block(std::uint64_t bytes);

/// The same; null instead of the error. Callers that know more (shape, dtype) make their own text
/// from format_bytes() and memory_shortage().
void* try_allocate_block(std::uint64_t bytes) noexcept;

/// Takes the block back; `bytes` as given to allocate_block. Any thread may do it, also at exit.
void free_block(void* block, std::size_t bytes) noexcept;

/// "7.28 TiB", "512 bytes": a number of bytes in NumPy's words.
std::string format_bytes(std::uint64_t bytes);

/// Why `bytes` can't be had, to stand behind "Unable to allocate X...: ": "1.50 GiB in use of
/// config.memory_limit = 18.7 GiB", or that the system refused.
std::string memory_shortage(std::uint64_t bytes);

/// Bytes that config().memory_limit leaves.
std::int64_t memory_left() noexcept;

struct memory_stats {
  std::int64_t in_use = 0;  // bytes of blocks handed out, in whole size classes
  std::int64_t peak = 0;    // largest in_use since start or reset_peak()
  std::int64_t cached = 0;  // bytes kept for reuse
};
/// Exact for the calling thread and for threads that have ended; other threads' small blocks are
/// counted with a delay of at most 1 MiB each.
memory_stats memory_usage();
void reset_memory_peak();

/// Gives all cached blocks of this thread and of the global pool back to the system.
void release_cached_blocks() noexcept;

/// Bytes of RAM this process may use: the machine's, or the container's limit if that is lower.
std::int64_t physical_memory();

}  // namespace numjit::detail
