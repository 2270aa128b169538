// References to lazy nodes that other threads drop.
#include <numjit/array/lazy_node.h>

#include <utility>

namespace numjit::detail {

lazy_owner& lazy_owner::of_this_thread() {
  if (!lazies_of_thread) lazies_of_thread = new lazy_owner;
  return *static_cast<lazy_owner*>(lazies_of_thread);
}

void lazy_owner::drop(node* n) noexcept {
  std::lock_guard lock(mutex_);
  if (ended_) return release_private(n);
  try {
    dropped_.push_back(n);
    any_.store(true, std::memory_order_relaxed);
  } catch (...) {  // no memory for the note: the node stays
  }
}

void lazy_owner::release_all() noexcept {
  std::vector<node*> dropped;
  {
    std::lock_guard lock(mutex_);
    dropped.swap(dropped_);
    any_.store(false, std::memory_order_relaxed);
  }
  for (node* n : dropped) release(n);
}

void lazy_owner::end() noexcept {
  release_dropped();
  std::lock_guard lock(mutex_);
  ended_ = true;
}

void drop_elsewhere(node* n) noexcept {
  if (auto* owner = static_cast<lazy_owner*>(n->deleter_context))
    owner->drop(n);
  else
    release_private(n);
}

}  // namespace numjit::detail
