// Elements at the places that indices tell.
#pragma once

#include <cstdint>

#include <numjit/array/dtype.h>

namespace numjit::detail {

/// Are all of 0 <= index < n? Without branches, so that it costs little.
template <class Index>
bool all_inside(const Index* index, std::int64_t count, std::int64_t n) {
  std::uint64_t outside = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::uint64_t>(index[i]);
    outside |= at | (static_cast<std::uint64_t>(n) - 1 - at);
  }
  return static_cast<std::int64_t>(outside) >= 0;
}

/// Elements of 16 bytes.
struct pair_of_words {
  std::uint64_t first, second;
};

/// out[o, i, :] = from[o, index[i], :] for contiguous memory, where from has `n` places along the axis of the indices.
struct gathering {
  const char* from;
  char* out;
  std::int64_t outer, count, n;
  std::int64_t run;               // bytes of from[o, i, :]
  bool negative_from_end = true;  // -1 is the last place; else no negative index is taken
};

/// The elements for indices begin to end; indices of an integer dtype, one behind the other. False if one is outside,
/// or of a dtype that this build converts first: what is written by then is of no use.
bool gather(const gathering& g, const char* index, dtype_id type, std::int64_t begin, std::int64_t end);

}  // namespace numjit::detail
