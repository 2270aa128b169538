// Composites that take one pass over memory where the elements are at hand, instead of several operations. What they
// give is exact, so that it is the same as in graphs. Not a public header.
#pragma once

#include <numjit/base/thread_pool.h>

#include "surface.h"

namespace numjit::detail {

/// Are the elements in the host's memory, one behind the other and where their dtype wants them, and does nobody look at the
/// operations (a recorder, grad, errstate)?
inline bool is_at_hand(const array& a) {
  return !work_may_be_pending() && !top_interpreter() && !a.get()->is(node::lazy) && a.get()->device == 0 &&
         a.is_c_contiguous() && !is_misaligned(a.get());
}

/// fn(begin, end) over the elements of an array, on all threads; `ns`: of one element.
template <class F>
void for_elements(const array& a, double ns, F&& fn) {
  parallel_ranges(a.get()->size, 4096, ns * static_cast<double>(a.get()->size), fn);
}

/// Is it the last of `rank` axes, and no other?
inline bool is_last_axis(const axis_list& axis, int rank) {
  if (axis.all()) return rank == 1;
  return axis.list().size() == 1 && (axis.list()[0] == -1 || axis.list()[0] == rank - 1);
}

/// sum(multiply(a, b), -1) of arrays at hand of one shape, whose products are never all in memory, with the same bits; an
/// empty handle for others than large ones of float32, float64 and complex dtypes. `conjugated`: of the conjugates of a.
array sum_of_products_at_hand(const array& a, const array& b, bool conjugated = false);

/// An array of integers that indexes a 1-D array, as int64, if it is at hand and no index is negative or too large; else an
/// empty handle.
array direct_places(const array& a, const array& index);

}  // namespace numjit::detail
