// The canonical order of reductions (docs/numerics.md), written as plainly as it is defined: the
// reference that every engine, schedule and target is compared to, bit by bit.
#pragma once

#include <cstdint>
#include <vector>

namespace numjit::testing {

/// One chunk of at most 1024 values: 32 lanes that start at the identity, filled round robin, then folded
/// in halves.
template <class T, class Combine>
T canonical_chunk(const T* x, std::int64_t n, T identity, Combine combine) {
  T lane[32];
  for (T& l : lane) l = identity;
  for (std::int64_t i = 0; i < n; ++i) lane[i % 32] = combine(lane[i % 32], x[i]);
  for (int h = 16; h >= 1; h /= 2)
    for (int l = 0; l < h; ++l) lane[l] = combine(lane[l], lane[l + h]);
  return lane[0];
}

/// The reduction of n values: chunks of 1024, then the same rule on the results of the chunks.
/// `of_nothing` is the value of an empty reduction; `identity` changes nothing (-0.0 for float sums).
template <class T, class Combine>
T canonical_reduce(const T* x, std::int64_t n, T identity, T of_nothing, Combine combine) {
  if (n == 0) return of_nothing;
  if (n <= 1024) return canonical_chunk(x, n, identity, combine);
  std::vector<T> chunks;
  for (std::int64_t i = 0; i < n; i += 1024)
    chunks.push_back(canonical_chunk(x + i, n - i < 1024 ? n - i : 1024, identity, combine));
  return canonical_reduce(chunks.data(), static_cast<std::int64_t>(chunks.size()), identity, of_nothing, combine);
}

template <class T>
T canonical_sum(const T* x, std::int64_t n) {
  return canonical_reduce(x, n, T(-0.0), T(0), [](T a, T b) { return static_cast<T>(a + b); });
}

/// Index of the first largest (or smallest) value; a NaN wins, the first one.
template <class T, class Better>
std::int64_t first_best(const T* x, std::int64_t n, Better better) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < n; ++i)
    if (better(x[i], x[best]) || (x[i] != x[i] && x[best] == x[best])) best = i;
  return best;
}

}  // namespace numjit::testing
