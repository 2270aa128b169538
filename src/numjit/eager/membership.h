// Values in a sorted sequence: their places, and whether they are there.
#pragma once

#include <numjit/array/node.h>

namespace numjit::eager {

/// Places of the values (in C order) in a sorted sequence before ("left") or after (right) the elements equal to each of them.
/// Both are real, of any dtypes.
void find_places(const node* sorted, const node* values, bool right, std::int64_t* out);

/// out[i]: is value i among the keys, or with `invert` not? Values are contiguous, keys sorted and contiguous, both real;
/// they are compared in the keys' dtype, as which the values must be exact or rounded to float64. NaN is no member.
void find_members(const node* values, const node* keys, bool invert, bool* out);

}  // namespace numjit::eager
