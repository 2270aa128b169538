// Strides of a kernel's arrays over its iteration space: broadcast, without reduced axes, seen through views.
//
// A view of an array that is never stored becomes a view of what the array is computed from:
//
//   wide = image.astype(int64)            stored: 8 bytes an element, then read nine times
//   wide(slice(1, -1), slice(2, none))    seen as image(slice(1, -1), slice(2, none)), cast when read
//
// Elementwise values commute with the selection of elements, so a view can be moved below them. A view
// over C-contiguous `base` that was made by basic indexing, transposing or broadcasting steps along at
// most one axis of `base` per axis of its own, so its strides name these axes.
#pragma once

#include <cstdint>

#include <numjit/runtime/plan/steps.h>

namespace numjit::runtime {

/// Strides of `n` over an iteration space of `rank` axes, aligned to the right.
void broadcast_strides(const node* n, int rank, std::int64_t* out);

/// Strides of a reduction's output over the space before it.
void output_strides(const FusedPart& part, const node* n, int rank, std::int64_t* out);

/// The node below the views that `i` is one of; adds to `offset` the bytes from its first element to theirs.
int root_of(const graph::Graph& graph, int i, const RunInputs& inputs, std::int64_t& offset);

/// Strides of `leaf`, broadcast to the shape of `base`, over the axes of `view`; all in bytes.
/// `offset_in_base`: bytes from the first element of `base`, were it stored, to the view's.
/// Returns the bytes from the leaf's first element to the one that the view begins with.
std::int64_t map_view(const node* view, const node* base, std::int64_t offset_in_base, const node* leaf, std::int64_t* strides);

}  // namespace numjit::runtime
