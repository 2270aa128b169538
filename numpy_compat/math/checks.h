// Errors that depend on values, raised where the values are computed: no graph ends for them. Not a public header.
#pragma once

#include <string>
#include <vector>

#include <surface.h>

namespace numjit::detail {

/// What is checked; the numbers stand in files. Texts and classes: checks.cpp.
enum class value_check : std::int64_t {
  choice,
  all_nan_max,
  all_nan_min,
  zero_weights,
  negative_weights,
  unusable_weights,
  quantile_range,
  percentile_range,
  not_finite,
  coordinates,
  flat_index,
  geometric_zero,
  count_
};

/// `x`, unless an element of `bad` is true: then the check's error, when that is known.
array checked(const array& x, const array& bad, value_check what);

/// Indices into an axis of that length as 0 to length - 1, negative ones counted from its end. IndexError when that is
/// known: "index 3 is out of bounds for axis 1 with size 2". `axis`: the one that the indices lie along.
/// Of the *_along_axis functions. ValueError unless there is one axis, where they have none; IndexError for other dtypes.
void check_vector(const array& indices);
void check_index_array(const array& indices);
/// Values as often as a store into this shape repeats them.
array spread_over(const operand& values, const dims& shape);
array places_along(const array& rows, std::int64_t length, int axis);
/// The same for index arrays in brackets; `source_axis` is what the error names.
array index_places_along(const array& rows, std::int64_t length, int axis, int source_axis);

/// The elements of an operand as T while a graph is recorded, if they are known and few: what they may not be is an error
/// of the call then, as in eager code. Empty if they are not, or if nothing is recorded.
template <class T>
std::vector<T> known_values(const operand& x);

/// ValueError for such values. A handler in the program may get it, which replays know nothing of.
[[noreturn]] void throw_for_known(const char* op, const std::string& text);

/// IndexError if an index of known ones is out of bounds.
void check_known_indices(const char* op, const operand& indices, std::int64_t length, int axis);

}  // namespace numjit::detail
