// Where a call is in the trie of its function: the pending segment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <numjit/array/pending_use.h>
#include <numjit/trace/record/record.h>

namespace numjit::tracing {

/// The records of the pending segment, from the root of the trie to `at`, and the arrays that its inputs are bound to.
class Path {
 public:
  Trie* trie = nullptr;
  Record* at = nullptr;        // the last record; the root: nothing pends
  Record* expected = nullptr;  // child of `at` that came next last time
  SegmentEnd* previous_end = nullptr;
  std::uint32_t ops = 0;             // that pend
  std::uint64_t segments_begun = 0;  // of this thread
  std::vector<Record*> bound;        // inputs, in order of first use
  std::vector<node*> owners;         // storage owners among them: slot i is owners[i]
  std::vector<node*> stored_owners;  // storage that pending stores write (concrete inputs)

  bool is_empty() const { return at == trie->root(); }

  /// Goes on to a record.
  void advance(Record* r) {
    at->next = r;
    at = r;
    expected = r->next;
    ++ops;
  }
  /// The first record of a segment is the one that follows the segment before.
  void note_first(Record* r) {
    if (previous_end)
      previous_end->following = r;
    else
      trie->entry = r;
  }
  /// Another segment, behind `from` or at the beginning of a call (null).
  void begin(SegmentEnd* from, bool expects) {
    ++segments_begun;
    previous_end = from;
    at = trie->root();
    expected = !expects ? nullptr : from ? from->following : trie->entry;
    ops = 0;
  }

  // ---- arrays ----
  /// Number of a storage owner among those bound; how many there are if it is none of them.
  std::size_t slot_of(const node* owner) const {
    std::size_t slot = 0;
    while (slot < owners.size() && owners[slot] != owner) ++slot;
    return slot;
  }
  /// The input that is bound to this array, or null.
  Record* input_of(const node* n) const {
    for (Record* input : bound)
      if (input->cur == n) return input;
    return nullptr;
  }
  /// Does the segment store into this storage, or, for one who stores himself (`writes`), use it at all?
  bool uses(const node* owner, bool writes) const {
    const auto& list = writes ? owners : stored_owners;
    return std::find(list.begin(), list.end(), owner) != list.end();
  }
  void bind(Record& input, node* n, node* owner) {
    if (input.brings_owner) {
      owners.push_back(owner);
      detail::retain_for_use(n, owner, input.place);
    } else {
      detail::retain(n);
    }
    input.cur = n;
    bound.push_back(&input);
  }
  /// Lets go of the inputs from number `count` on.
  void unbind_from(std::size_t count) noexcept {
    if (count == 0) {
      if (!stored_owners.empty()) forget_stores(0);
      for (Record* input : bound) unbind(*input);
      bound.clear();
      owners.clear();
      return;
    }
    while (bound.size() > count) {
      Record* const input = bound.back();
      bound.pop_back();
      if (input->brings_owner) owners.pop_back();  // the last one: they are numbered in order of first use
      unbind(*input);
    }
  }
  /// The segment will write to memory of `target`: who reads it before must end the segment.
  void note_store_to(const Record* target) {
    while (target->is_view) target = target->in[0];
    if (!target->is_input) return;
    node* owner = detail::storage_owner(target->cur);
    if (uses(owner, false)) return;
    stored_owners.push_back(owner);
    detail::note_store(owner, at->place);
  }
  void forget_stores(std::size_t kept) noexcept {
    for (std::size_t i = kept; i < stored_owners.size(); ++i) detail::note_store(stored_owners[i], nullptr);
    stored_owners.resize(kept);
  }

 private:
  static void unbind(Record& input) noexcept {
    node* const n = std::exchange(input.cur, nullptr);
    if (input.brings_owner) [[likely]]
      detail::release_after_use(n);
    else
      detail::release(n);
  }
};

}  // namespace numjit::tracing
