// Composites that take one pass over memory where the elements are at hand, instead of several operations. What they
// give is exact, so that it is the same as in graphs. Not a public header.
#pragma once

#include <numjit/base/thread_pool.h>

#include "surface.h"

namespace numjit::detail {

/// Are the elements in the host's memory, one behind the other, and is nothing being recorded?
inline bool is_at_hand(const array& a) {
  return !recording && !a.get()->is(node::lazy) && a.get()->device == 0 && a.is_c_contiguous();
}

/// fn(begin, end) over the elements of an array, on all threads; `ns`: of one element.
template <class F>
void for_elements(const array& a, double ns, F&& fn) {
  parallel_ranges(a.get()->size, 4096, ns * static_cast<double>(a.get()->size), fn);
}

}  // namespace numjit::detail
