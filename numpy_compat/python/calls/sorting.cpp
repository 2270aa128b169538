// Sorting, searching, counting.
#include "call.h"

namespace numjit::py {

nb::object call_nonzero(const Given& a) { return nb::tuple(give_list(nonzero(Argument(a[0].ptr())))); }
nb::object call_flatnonzero(const Given& a) { return give(flatnonzero(Argument(a[0].ptr()))); }
nb::object call_argwhere(const Given& a) { return give(argwhere(Argument(a[0].ptr()))); }

nb::object call_lexsort(const Given& a) {
  if (!is_sequence(a[0])) throw TypeError("", "need sequence of keys with len > 0 in lexsort");
  const array_list arrays = to_array_list(a[0].ptr());
  const std::int64_t axis = a.integer(1);
  const bool of_numbers = !arrays.empty() && arrays[0].ndim() == 0;
  if (of_numbers) normalize_axis("", axis, axis == 0 || axis == -1 ? 1 : 0);
  return give_result(lexsort(arrays, {.axis = of_numbers ? -1 : axis}));
}

}  // namespace numjit::py
