// Nodes that the records of a compiled function hand out, and the thread that they belong to.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include <numjit/array/array.h>

namespace numjit::detail {

/// A new lazy node of the thread of `from`, which is or was one too, of its dtype and layout, with these flags beside those
/// of contiguity.
node* new_lazy_like(const node* from, int flags);

/// The thread that lazy nodes belong to: only it counts their references. What other threads drop, it drops later. Never
/// destroyed, as handles may outlive the thread.
class lazy_owner {
 public:
  /// Of the calling thread, made at the first call.
  static lazy_owner& of_this_thread();
  /// By any other thread.
  void drop(node* n) noexcept;
  /// Lets go of what others dropped.
  void release_dropped() noexcept;
  /// The thread ends: from now on others drop references themselves, one at a time.
  void end() noexcept;

  /// What threads have to do for others: references to drop, errors to throw. 0, nearly always.
  static inline constinit std::atomic<int> left_for_owners{0};

 private:
  std::mutex mutex_;
  std::vector<node*> dropped_;
  bool ended_ = false;
};

/// The node has its value from now on: in one step, as other threads may be about to drop their handles.
inline void make_concrete(node* n) noexcept {
  std::atomic_ref flags(n->flags);
  flags.store(static_cast<std::uint8_t>(n->flags & ~(node::lazy | node::unsized)), std::memory_order_release);
}

/// Empties a handle, which another thread's lazy array may stand behind.
inline void drop_anywhere(array& a) noexcept {
  node* n = a.release_node();
  if (!n) return;
  const bool lazy = (std::atomic_ref(n->flags).load(std::memory_order_acquire) & node::lazy) != 0;
  if (lazy && n->deleter_context != this_thread()) [[unlikely]]
    drop_elsewhere(n);
  else
    release(n);
}

}  // namespace numjit::detail
