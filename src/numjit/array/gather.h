// Elements at the places that indices tell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include <numjit/array/dtype.h>

namespace numjit::detail {

/// Are all of 0 <= index < n? Without branches, so that it costs little.
template <class Index>
bool all_inside(const Index* index, std::int64_t count, std::int64_t n) {
  if constexpr (sizeof(Index) < 8) {  // in vectors of their own width
    constexpr bool is_unsigned = std::numeric_limits<Index>::min() == 0;
    if (is_unsigned && std::int64_t{std::numeric_limits<Index>::max()} < n) return true;
    Index least = 0, most = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (!is_unsigned) least = std::min(least, index[i]);
      most = std::max(most, index[i]);
    }
    return least >= 0 && std::int64_t{most} < n;
  }
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

/// out[i, :] = from[index 0 [i], index 1 [i], ..., :], where from may have any strides along the indexed axes.
struct place_gathering {
  struct axis {
    const char* index;      // one behind the other, of an integer dtype
    dtype_id type;
    std::int64_t n, step;   // places, and bytes between two of them
  };
  const char* from;
  char* out;
  const axis* axes;
  int rank;                 // of the indexed axes
  std::int64_t run;         // bytes of from[..., :]
};

/// Does this build read indices of the dtype as they are?
constexpr bool can_gather_by(dtype_id type) {
#ifdef __wasm__  // code of pages is small: indices of other types are converted
  return type == dtype_id::int32 || type == dtype_id::int64;
#else
  return type >= dtype_id::int8 && type < dtype_id::uint64;  // those are numbers of int64 first, as in NumPy
#endif
}

/// As gather; negative indices are counted from the end. False also for a dtype of which can_gather_by says so.
bool gather_places(const place_gathering& g, std::int64_t begin, std::int64_t end);

}  // namespace numjit::detail
