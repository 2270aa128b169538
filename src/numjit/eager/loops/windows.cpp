// Sums of products of windows side by side, in the canonical order: lane k mod 32 takes element k, then halves are folded
// (docs/numerics.md).
#include <numjit/eager/loops/ufunc.h>

#include <algorithm>

namespace numjit::eager::NUMJIT_ISA {
namespace {

/// Joins lanes in halves.
template <int width, class T>
void fold_lanes(T (&lanes)[lane_count][width], int used, T* out) {
  for (int half = lane_count / 2; half > 0; half /= 2) {
    for (int l = 0; l + half < used; ++l) {
      NUMJIT_INDEPENDENT
      for (int j = 0; j < width; ++j) lanes[l][j] += lanes[l + half][j];
    }
    used = std::min(used, half);
  }
  std::copy_n(lanes[0], width, out);
}

/// Of `width` windows of at most a chunk's length.
template <int width, class T>
void chunk_sums(const T* a, const T* v, std::int64_t m, T* out) {
  alignas(64) T lanes[lane_count][width];
  const int used = static_cast<int>(std::min<std::int64_t>(m, lane_count));
  for (int l = 0; l < used; ++l) {
    T sums[width];
    NUMJIT_INDEPENDENT
    for (int j = 0; j < width; ++j) sums[j] = a[l + j] * v[l];
    for (std::int64_t k = l + lane_count; k < m; k += lane_count) {
      NUMJIT_INDEPENDENT
      for (int j = 0; j < width; ++j) sums[j] += a[k + j] * v[k];
    }
    std::copy_n(sums, width, lanes[l]);
  }
  fold_lanes(lanes, used, out);
}

/// Of windows of up to a chunk of chunks: the sums of the chunks are summed in the same order.
template <int width, class T>
void long_sums(const T* a, const T* v, std::int64_t m, T* out) {
  if (m <= chunk_size) return chunk_sums<width>(a, v, m, out);
  T lanes[lane_count][width], sums[width];
  std::int64_t part = 0;
  for (std::int64_t k = 0; k < m; k += chunk_size, ++part) {
    chunk_sums<width>(a + k, v + k, std::min(chunk_size, m - k), sums);
    T* const lane = lanes[part % lane_count];
    for (int j = 0; j < width; ++j) lane[j] = part < lane_count ? sums[j] : lane[j] + sums[j];
  }
  fold_lanes(lanes, static_cast<int>(std::min<std::int64_t>(part, lane_count)), out);
}

template <class T>
void windows(const char* a, const char* v, std::int64_t m, std::int64_t count, char* out) {
  constexpr int wide = 32, width = 8;  // short windows are little work, long ones want their sums in registers
  const T *from = reinterpret_cast<const T*>(a), *with = reinterpret_cast<const T*>(v);
  T* const to = reinterpret_cast<T*>(out);
  std::int64_t i = 0;
  for (; m <= lane_count && i + wide <= count; i += wide) chunk_sums<wide>(from + i, with, m, to + i);
  for (; i + width <= count; i += width) long_sums<width>(from + i, with, m, to + i);
  for (; i < count; ++i) long_sums<1>(from + i, with, m, to + i);
}

}  // namespace

void fill_windows(loop_table& table) {
  // Integers as unsigned ones, which wrap.
  table.windows = {windows<float>, windows<double>, windows<std::uint32_t>, windows<std::uint64_t>};
}

}  // namespace numjit::eager::NUMJIT_ISA
