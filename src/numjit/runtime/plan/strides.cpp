// Strides over iteration spaces; of views, taken apart into steps along the axes below them.
#include <numjit/runtime/plan/strides.h>

#include <algorithm>

namespace numjit::runtime {
namespace {

// The axes of an array without gaps, from the outermost to the innermost in memory.
dims axes_outwards_in(const node* base) {
  dims axes;
  for (int axis = 0; axis < base->rank; ++axis)
    if (base->shape[axis] != 1) axes.push_back(axis);
  std::sort(axes.begin(), axes.end(), [&](auto a, auto b) { return base->strides[a] > base->strides[b]; });
  return axes;
}

// `distance`, in bytes of `base`, which has these axes and no gaps, in bytes of the leaf. Its steps along them are
// smaller than those are long, so that dividing by what a step along each axis skips finds them.
std::int64_t in_leaf(std::int64_t distance, const node* base, const dims& axes, const node* leaf) {
  std::int64_t bytes = 0;
  for (const std::int64_t axis : axes) {
    const std::int64_t skipped = base->strides[axis], own = axis - (base->rank - leaf->rank);
    if (own >= 0 && leaf->shape[own] != 1) bytes += distance / skipped * leaf->strides[own];
    distance %= skipped;
  }
  return bytes;
}

}  // namespace

void broadcast_strides(const node* n, int rank, std::int64_t* out) {
  for (int axis = 0; axis < rank; ++axis) {
    const int own = axis - (rank - n->rank);
    out[axis] = own < 0 || n->shape[own] == 1 ? 0 : n->strides[own];
  }
}

void output_strides(const FusedPart& part, const node* n, int rank, std::int64_t* out) {
  if (n->rank == rank) return broadcast_strides(n, rank, out);  // kept axes have length 1
  // Under a second level only that one may keep its axis.
  const bool two_levels = part.reduced_axis[1] >= 0;
  const bool keeps_second = two_levels && n->rank == rank - 1;
  int own = 0;
  for (int axis = 0; axis < rank; ++axis) {
    const bool reduced = axis == part.reduced_axis[0] || axis == part.reduced_axis[1];
    if (reduced || part.dropped >> axis & 1) {
      out[axis] = 0;
      if (keeps_second && axis == part.reduced_axis[1]) ++own;
      continue;
    }
    out[axis] = n->shape[own] == 1 ? 0 : n->strides[own];
    ++own;
  }
}

int root_of(const graph::Graph& graph, int i, const RunInputs& inputs, std::int64_t& offset) {
  auto node = [&](int k) -> const graph::Node& { return graph.nodes[static_cast<std::size_t>(k)]; };
  for (; node(i).kind == graph::NodeKind::view; i = node(i).in[0].node)
    offset += *inputs.view_offsets[static_cast<std::size_t>(i)];
  return i;
}

std::int64_t map_view(const node* view, const node* base, std::int64_t offset_in_base, const node* leaf, std::int64_t* strides) {
  std::fill_n(strides, view->rank, 0);
  if (view->size == 0) return 0;
  const dims axes = axes_outwards_in(base);
  for (int axis = 0; axis < view->rank; ++axis)
    if (view->shape[axis] > 1) strides[axis] = in_leaf(view->strides[axis], base, axes, leaf);
  return in_leaf(offset_in_base, base, axes, leaf);
}

}  // namespace numjit::runtime
