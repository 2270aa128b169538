// Comparison of two arrays bit by bit, as the promise of equal results means it.
#pragma once

#include <cstdint>
#include <optional>

#include <numjit/array/node.h>

namespace numjit::detail {

/// The flat index (C order) of the first element whose bits differ, nullopt if there is none. Two NaN
/// are equal whatever their sign and payload. Both must be concrete, of one dtype and shape.
std::optional<std::int64_t> first_difference(const node* a, const node* b);

}  // namespace numjit::detail
