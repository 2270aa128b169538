// Views at places that a compiled function still computes: m[np.argmin(x)].
#pragma once

#include <functional>
#include <vector>

#include <numjit/array/array.h>

namespace numjit::tracing {

/// Recorded as a copy. It becomes the view that it stands for when its segment has run, which the next store into the one or the
/// other makes happen before.
struct ComputedView {
  array of, copy;
  std::vector<array> places;
  std::function<array(const ComputedView&)> view;  // made when the places are known
};

/// Can an array that this thread computes stand for a view of `of`? Not where others see the memory, or a transform is open.
bool may_stand_for_view(const array& of);
void stand_for_view(ComputedView view);

}  // namespace numjit::tracing
