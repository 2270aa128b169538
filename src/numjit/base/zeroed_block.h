// Blocks whose pages the system fills with zeros when they are first touched.
#pragma once

#include <cstdint>

namespace numjit::detail {

/// try_allocate_block() of buffer_pool.h; `zeroed` tells whether the block holds zeros: large ones that come from the system
/// do, and so do the largest ones that are used again. Their pages are there when they are first touched.
void* try_allocate_block(std::uint64_t bytes, bool& zeroed) noexcept;

}  // namespace numjit::detail
