// The list of open scopes of a thread.
#include <numjit/base/scope_entry.h>

#include <numjit/base/thread_end.h>

namespace numjit::detail {

/// The operations on the calling thread's list.
class ScopeList {
 public:
  static void add(ScopeEntry* entry) noexcept {
    entry->listed_ = true;
    entry->inner_ = nullptr;
    entry->outer_ = innermost_scope;
    if (innermost_scope) innermost_scope->inner_ = entry;
    innermost_scope = entry;
    entry->apply();
  }
  static void remove(ScopeEntry* entry) noexcept {
    (entry->inner_ ? entry->inner_->outer_ : innermost_scope) = entry->outer_;
    if (entry->outer_) entry->outer_->inner_ = entry->inner_;
    entry->listed_ = false;
    entry->apply();
  }
  static void let_go(ScopeEntry* entry) noexcept {
    if (entry->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete entry;
  }
  static void drop_ended() noexcept {
    for (ScopeEntry* entry = innermost_scope; entry;) {
      ScopeEntry* const outer = entry->outer_;
      if (entry->ended_.load(std::memory_order_acquire)) {
        remove(entry);
        let_go(entry);
      }
      entry = outer;
    }
  }
  static void drop_all() noexcept {
    while (ScopeEntry* entry = innermost_scope) {
      remove(entry);
      let_go(entry);
    }
  }
  static void open(ScopeEntry* entry, std::uint64_t thread) noexcept {
    entry->thread_ = thread;
    add(entry);
  }
  static void end(ScopeEntry* entry, std::uint64_t thread) noexcept {
    if (entry->thread_ == thread && entry->listed_) {  // both holders are here
      remove(entry);
      delete entry;
      return;
    }
    if (entry->thread_ != thread) entry->ended_.store(true, std::memory_order_release);
    let_go(entry);
  }
  // Meanwhile the scope object alone holds it.
  static void pause(ScopeEntry* entry) noexcept {
    if (!entry->listed_) return;
    remove(entry);
    let_go(entry);
  }
  static void resume(ScopeEntry* entry) noexcept {
    if (entry->listed_) return;
    entry->holders_.fetch_add(1, std::memory_order_relaxed);
    add(entry);
  }
};

namespace {

std::atomic<std::uint64_t> threads{0};
constinit thread_local std::uint64_t thread_number = 0;

}  // namespace

std::uint64_t number_of_thread() {
  if (thread_number == 0) [[unlikely]] {
    thread_number = ++threads;
    // Scopes hold while thread_locals end, and on the main thread until the process ends.
    at_end_of_thread(nullptr, [](void*) { ScopeList::drop_all(); });
  }
  return thread_number;
}

void open_scope(ScopeEntry* entry) {
  ScopeList::drop_ended();
  ScopeList::open(entry, number_of_thread());
}
void end_scope(ScopeEntry* entry) noexcept {
  ScopeList::drop_ended();
  ScopeList::end(entry, number_of_thread());
}
void pause_scope(ScopeEntry* entry) noexcept { ScopeList::pause(entry); }
void resume_scope(ScopeEntry* entry) noexcept { ScopeList::resume(entry); }
void drop_ended_scopes() noexcept { ScopeList::drop_ended(); }

}  // namespace numjit::detail
