// Memory that others look at too, besides operations on arrays: views of NumPy's, pointers, other owners, files, processes.
//
// A compiled function keeps its operations pending, which nobody can tell who uses arrays only. Who looks at the memory
// itself can: so operations on memory that is shown run at once (trace/record/recorder.h). `node::shown` of the storage's owner
// counts the views whose end is told, and has a bit for each of the two other ways to be shown.
#pragma once

#include <cstdint>

#include <numjit/array/node.h>
#include <numjit/base/location.h>

namespace numjit::detail {

inline constexpr std::uint32_t shown_for_good = 1U << 31;
/// The memory is another's: asked at each use whether he still has it. See know_foreign_owner().
inline constexpr std::uint32_t shown_if_asked = 1U << 30;

[[nodiscard]] bool ask_if_shown(const node* owner, std::uint32_t shown) noexcept;

/// May somebody read or write the memory of a storage's owner otherwise than by operations on arrays?
inline bool is_shown(const node* owner) noexcept {
  const std::uint32_t shown = __atomic_load_n(&owner->shown, __ATOMIC_RELAXED);
  return shown != 0 && ask_if_shown(owner, shown);
}

/// Counts a view of the storage until hide(), which any thread may call. `n`: an array on it that has its memory; `by`: what
/// shows it, an immortal text.
void show(node* n, const char* by, const location& where = {});
void hide(node* n) noexcept;
/// For views whose end nobody tells.
void show_for_good(node* n, const char* by, const location& where = {});

/// How to ask whether the owner of foreign memory is alive besides: by the deleter of its nodes, whose context is passed.
/// Called at start, once for each deleter; nodes with it get `shown_if_asked`.
void know_foreign_owner(void (*deleter)(void*), bool (*is_seen)(void* context) noexcept);

/// Who shows the memory of a storage's owner, as text: "memoryview at app.py:3".
struct shown_by {
  const char* by = "the owner of its memory";
  location where{};
};
shown_by who_shows(const node* owner);

/// Called when a node dies that was shown.
void forget_shown(const node* n) noexcept;

}  // namespace numjit::detail
