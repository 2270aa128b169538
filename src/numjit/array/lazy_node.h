// Nodes that the records of a compiled function hand out, and the thread that they belong to.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include <numjit/array/node.h>

namespace numjit::detail {

/// A new lazy node of this thread, of the dtype and layout of `from`, with these flags beside those of contiguity.
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
  void release_dropped() noexcept {
    if (any_.load(std::memory_order_relaxed)) [[unlikely]]
      release_all();
  }
  /// The thread ends: from now on others drop references themselves, one at a time.
  void end() noexcept;

 private:
  void release_all() noexcept;

  std::mutex mutex_;
  std::vector<node*> dropped_;
  std::atomic<bool> any_{false};
  bool ended_ = false;
};

}  // namespace numjit::detail
