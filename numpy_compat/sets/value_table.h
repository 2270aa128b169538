// Sets of integers that lie close together, at hand: a table with a place for each value does what sorting does for
// others. What it gives is exact, so that it is the same as in graphs. Not a public header.
#pragma once

#include <cstdint>
#include <optional>

#include <numjit/base/value_span.h>
#include <numjit/np_manipulation.h>

namespace numjit::detail {

/// What the values of an array span: nothing where they are not at hand, no integers, none, or so far apart that the
/// table would be longer than twice the array.
std::optional<value_span> value_span_of(const array& x);

/// Sorted distinct values of a vector.
array distinct_by_table(const array& flat, const value_span& span);
/// These with their counts and, unless only counts are wanted, first indices and inverse indices.
unique_result unique_by_table(const array& flat, const value_span& span, bool only_counts);
/// True where elements of x, at hand, occur in `test` of the same dtype, whose span is given; `invert`: do not.
array isin_by_table(const array& x, const array& test, const value_span& span, bool invert);

}  // namespace numjit::detail
