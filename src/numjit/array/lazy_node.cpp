// References to lazy nodes that other threads drop.
#include <numjit/array/lazy_node.h>

#include <unordered_map>
#include <utility>

namespace numjit::detail {
namespace {

/// By what this_thread() says: a thread that begins may get that of one that has ended.
struct Owners {
  std::mutex mutex;
  std::unordered_map<void*, lazy_owner*> of;
};
Owners& owners() {
  static auto& instance = *new Owners;
  return instance;
}

}  // namespace

lazy_owner& lazy_owner::of_this_thread() {
  Owners& all = owners();
  std::lock_guard lock(all.mutex);
  lazy_owner*& found = all.of[this_thread()];
  if (!found) found = new lazy_owner;
  std::lock_guard own(found->mutex_);
  found->ended_ = false;
  return *found;
}

void lazy_owner::drop(node* n) noexcept {
  std::lock_guard lock(mutex_);
  if (ended_) return release_private(n);
  try {
    dropped_.push_back(n);
    left_for_owners.fetch_add(1, std::memory_order_relaxed);
  } catch (...) {  // no memory for the note: the node stays
  }
}

void lazy_owner::release_dropped() noexcept {
  std::vector<node*> dropped;
  {
    std::lock_guard lock(mutex_);
    dropped.swap(dropped_);
  }
  left_for_owners.fetch_sub(static_cast<int>(dropped.size()), std::memory_order_relaxed);
  for (node* n : dropped) release(n);
}

void lazy_owner::end() noexcept {
  release_dropped();
  std::lock_guard lock(mutex_);
  ended_ = true;
}

void drop_elsewhere(node* n) noexcept {
  lazy_owner* owner = nullptr;
  if (void* thread = n->deleter_context) {
    Owners& all = owners();
    std::lock_guard lock(all.mutex);
    const auto found = all.of.find(thread);
    if (found != all.of.end()) owner = found->second;
  }
  if (owner)
    owner->drop(n);
  else
    release_private(n);
}

}  // namespace numjit::detail
