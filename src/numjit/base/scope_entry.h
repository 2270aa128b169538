// What open scopes hold on to: entries of one list per thread, which leave it in any order and from any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace numjit::detail {

enum class scope_kind : std::uint8_t {
  config,
  stance,
  disable,
  keep_tracing,
  break_error,
  collector,
  device,
  errstate,
  printing
};

/// One open scope of a thread. What is set on the thread is what the open entries say, the one opened last first: an entry that
/// leaves the list takes along what it set and nothing else, in whatever order scopes end.
///
/// Entries are on the heap and belong to two holders, the thread's list and the scope object. Only the thread itself touches
/// its list. A scope that ends on another thread marks its entry; the thread that opened it drops the entry when it next opens
/// or ends a scope or begins a compiled call. A thread that ends, behind its thread_locals, leaves the entries to the scope
/// objects.
class ScopeEntry {
 public:
  explicit ScopeEntry(scope_kind kind) : kind_(kind) {}
  virtual ~ScopeEntry() = default;
  ScopeEntry(const ScopeEntry&) = delete;
  ScopeEntry& operator=(const ScopeEntry&) = delete;

  scope_kind kind() const { return kind_; }
  /// The scope of this thread that was opened before this one, of whatever kind.
  ScopeEntry* outer() const { return outer_; }

 protected:
  /// Sets on the thread what the scopes of this kind on its list say; called after one came or went.
  virtual void apply() noexcept = 0;
  /// Is it on the list of the thread that opened it?
  bool is_listed() const { return listed_; }

 private:
  friend class ScopeList;
  ScopeEntry *outer_ = nullptr, *inner_ = nullptr;
  scope_kind kind_;
  bool listed_ = false;  // of the thread that opened it, as the next
  std::uint64_t thread_ = 0;
  std::atomic<bool> ended_{false};
  std::atomic<int> holders_{2};
};

/// The scope of this thread that was opened last; null where none is open.
inline constinit thread_local ScopeEntry* innermost_scope [[gnu::tls_model("initial-exec")]] = nullptr;

/// The innermost open scope of a kind from `from` outwards, or null.
inline ScopeEntry* scope_of_kind(scope_kind kind, ScopeEntry* from) {
  while (from && from->kind() != kind) from = from->outer();
  return from;
}
template <class Entry>
Entry* scope_of_kind(scope_kind kind, ScopeEntry* from = innermost_scope) {
  return static_cast<Entry*>(scope_of_kind(kind, from));
}

/// Opens the scope of an entry made by new, on this thread.
void open_scope(ScopeEntry* entry);
/// Ends it, from any thread. The entry is not the caller's any more.
void end_scope(ScopeEntry* entry) noexcept;
/// Takes an entry of this thread off its list and back, for scopes whose context waits.
void pause_scope(ScopeEntry* entry) noexcept;
void resume_scope(ScopeEntry* entry) noexcept;
/// Drops scopes of this thread that other threads ended.
void drop_ended_scopes() noexcept;
/// A number of this thread that no other thread ever has.
std::uint64_t number_of_thread();

}  // namespace numjit::detail
