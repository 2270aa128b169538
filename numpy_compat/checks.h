// Errors that depend on values, raised where the values are computed: no graph ends for them. Not a public header.
#pragma once

#include "placed.h"

namespace numjit::detail {

/// What is checked; the numbers stand in files. Texts and classes: checks.cpp.
enum class value_check : std::int64_t {
  choice, all_nan_max, all_nan_min, zero_weights, negative_weights, unusable_weights, quantile_range, percentile_range,
  not_finite, coordinates, flat_index, geometric_zero, count_
};

/// `x`, unless an element of `bad` is true: then the check's error, when that is known.
placed checked(const placed& x, const placed& bad, value_check what);

/// Indices into an axis of that length as 0 to length - 1, negative ones counted from its end. IndexError when that is
/// known: "index 3 is out of bounds for axis 1 with size 2".
array places_along(const array& rows, std::int64_t length, int axis, const location& where);

}  // namespace numjit::detail
