// Marks that a user puts on axes of an array: whether compiled functions guard on their sizes.
#pragma once

#include <cstdint>

#include <numjit/array/node.h>

namespace numjit::detail {

/// A set of axes: bit i is axis i.
using axis_set = std::uint16_t;

/// Axes whose sizes are guarded (`fixed`), or never are (`free`).
struct axis_marks {
  axis_set fixed = 0;
  axis_set free = 0;
};

/// The marks of a node. One flag test where there are none, which is nearly always.
axis_marks look_up_marks(const node* n);
inline axis_marks marks_of(const node* n) {
  return n->is(node::marked) ? look_up_marks(n) : axis_marks{};
}

/// Replaces the mark of one axis.
void mark_axis(node* n, int axis, bool fixed);

/// Called when a marked node dies: its address may come back for another array.
void forget_marks(const node* n) noexcept;

}  // namespace numjit::detail
