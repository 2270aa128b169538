// Storage that operations pending in a compiled call read or write, for threads other than the one that recorded them: they
// would see it as it was before.
//
// Noted on the storage's owner. The upper half of its count of references is the number of segments that use it, so that
// noting this takes no locked instruction beside that of the reference which a segment holds anyway.
#pragma once

#include <atomic>
#include <cstdint>

#include <numjit/array/node.h>

namespace numjit::detail {

#ifdef __EMSCRIPTEN__  // one thread records

inline void retain_for_use(node* n, node*, const location*) noexcept { retain(n); }
inline void release_after_use(node* n) noexcept { release(n); }
inline void begin_use(node*) noexcept {}
inline void end_use(node*) noexcept {}
inline void note_store(node*, const location*) noexcept {}

#else

inline constexpr std::uint64_t pending_use = std::uint64_t{1} << 32;

inline void set_place(const location*& field, const location* place) noexcept {
  std::atomic_ref(field).store(place, std::memory_order_relaxed);
}
inline const location* place_in(const location* const& field) noexcept {
  return std::atomic_ref(const_cast<const location*&>(field)).load(std::memory_order_relaxed);
}

/// A reference to `n`, and a use of its storage, by a segment that begins to use it at `place`: immortal, or null.
inline void retain_for_use(node* n, node* owner, const location* place) noexcept {
  set_place(owner->used_at, place);
  std::atomic_ref(owner->refs).fetch_add(pending_use + (owner == n), std::memory_order_relaxed);
  if (owner != n) retain(n);
}
inline void release_after_use(node* n) noexcept {
  if (n->base) {
    std::atomic_ref(n->base->refs).fetch_sub(pending_use, std::memory_order_relaxed);
    return release(n);
  }
  std::atomic_ref refs(n->refs);
  if (refs.load(std::memory_order_acquire) == pending_use + 1 ||
      refs.fetch_sub(pending_use + 1, std::memory_order_acq_rel) == pending_use + 1)
    destroy_node(n);
}

/// The use alone, of a storage's owner that something else keeps.
inline void begin_use(node* owner) noexcept { std::atomic_ref(owner->refs).fetch_add(pending_use, std::memory_order_relaxed); }
inline void end_use(node* owner) noexcept { std::atomic_ref(owner->refs).fetch_sub(pending_use, std::memory_order_relaxed); }

/// Where a segment stores to the storage of this owner, from now on and until it has run; null: no longer. No other thread may
/// store there meanwhile.
inline void note_store(node* owner, const location* place) noexcept { set_place(owner->stored_at, place); }

/// How many segments use the storage.
inline std::uint32_t pending_uses(const node* owner) noexcept {
  return static_cast<std::uint32_t>(std::atomic_ref(const_cast<node*>(owner)->refs).load(std::memory_order_relaxed) >> 32);
}

#endif

}  // namespace numjit::detail
