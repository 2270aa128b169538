// Values in a sorted sequence: their places, and whether they are there.
#pragma once

#include <numjit/array/node.h>

namespace numjit::eager {

/// Places of the values (in C order) in a sorted sequence before ("left") or after (right) the elements equal to each of them.
/// Both are real, of any dtypes.
void find_places(const node* sorted, const node* values, bool right, std::int64_t* out);

/// out[i]: is value i (in C order) among the sorted keys, or with `invert` not? Both are real, of any dtypes, and compared in
/// the type that orders both. NaN is no member.
void find_members(const node* keys, const node* values, bool invert, bool* out);

}  // namespace numjit::eager
