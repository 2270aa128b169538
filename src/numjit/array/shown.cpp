// Who looks at memory besides arrays: counts in the nodes, and beside them a table of who it was.
#include <numjit/array/shown.h>

#include <atomic>
#include <mutex>
#include <unordered_map>

#include <numjit/base/location_provider.h>

namespace numjit::detail {
namespace {

constexpr std::uint32_t count_of_views = shown_if_asked - 1;

struct Table {
  std::mutex mutex;
  std::unordered_map<const node*, shown_by> entries;
};
Table& table() {
  static auto& instance = *new Table;
  return instance;
}

/// Kinds of foreign owners: written at start, before there are nodes of theirs.
struct foreign_owner {
  std::atomic<void (*)(void*)> deleter{nullptr};
  bool (*is_seen)(void*) noexcept = nullptr;
};
constexpr int most_kinds = 8;
constinit foreign_owner foreign_owners[most_kinds];
constinit std::atomic<int> kinds{0};

void note(const node* owner, const char* by, const location& where) {
  // Before the lock: asking Python for the place may run its collector, which ends views.
  const location place = known_location(where);
  std::lock_guard lock(table().mutex);
  table().entries[owner] = {by, place};
}
void forget(const node* owner) noexcept {
  std::lock_guard lock(table().mutex);
  table().entries.erase(owner);
}

}  // namespace

bool ask_if_shown(const node* owner, std::uint32_t shown) noexcept {
  if (shown & (shown_for_good | count_of_views)) return true;
  for (int i = 0; i < kinds.load(std::memory_order_acquire); ++i)
    if (foreign_owners[i].deleter.load(std::memory_order_relaxed) == owner->deleter)
      return foreign_owners[i].is_seen(owner->deleter_context);
  return true;
}

void show(node* n, const char* by, const location& where) {
  node* owner = storage_owner(n);
  note(owner, by, where);
  __atomic_fetch_add(&owner->shown, 1U, __ATOMIC_RELAXED);
}

void hide(node* n) noexcept {
  node* owner = storage_owner(n);
  if ((__atomic_fetch_sub(&owner->shown, 1U, __ATOMIC_ACQ_REL) & ~shown_if_asked) == 1) forget(owner);
}

void show_for_good(node* n, const char* by, const location& where) {
  node* owner = storage_owner(n);
  note(owner, by, where);
  __atomic_fetch_or(&owner->shown, shown_for_good, __ATOMIC_RELAXED);
}

void know_foreign_owner(void (*deleter)(void*), bool (*is_seen)(void*) noexcept) {
  const int at = kinds.load(std::memory_order_relaxed);
  if (at == most_kinds) return;  // then they count as shown
  foreign_owners[at].is_seen = is_seen;
  foreign_owners[at].deleter.store(deleter, std::memory_order_relaxed);
  kinds.store(at + 1, std::memory_order_release);
}

shown_by who_shows(const node* owner) {
  std::lock_guard lock(table().mutex);
  const auto found = table().entries.find(owner);
  return found == table().entries.end() ? shown_by{} : found->second;
}

void forget_shown(const node* n) noexcept {
  if (n->shown & ~shown_if_asked) forget(n);
}

}  // namespace numjit::detail
