// What entries of a tape hold, place by place.
#pragma once

#include <numjit/transform/applied.h>
#include <numjit/transform/calls.h>

namespace numjit::transform {

/// Places where an entry holds arrays, beside those of its inputs, which have their numbers.
inline constexpr int result_slot = -1, mask_slot = -2, known_slot = -3, packed_slot = -4, leaf_slot = -5;

inline array& held_at(Applied& e, int slot) {
  if (slot == result_slot) return e.result;
  if (slot == mask_slot) return e.mask;
  const auto i = static_cast<std::size_t>(slot);
  return i < e.size() ? e.in(i).value : (*e.custom->rule.kept)[i - e.size()];
}
inline int slots_behind(const Applied& e) { return static_cast<int>(e.size() + e.kept_count()); }
/// visit(array, slot) of each array that an entry holds.
template <class F>
void for_held(Applied& e, F&& visit) {
  for (int slot = mask_slot; slot < slots_behind(e); ++slot)
    if (array& a = held_at(e, slot); !a.empty_handle()) visit(a, slot);
}

}  // namespace numjit::transform
