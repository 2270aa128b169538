// Gathering, index by index, in blocks that are checked just before they are used.
#include <numjit/array/gather.h>

#include <algorithm>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

namespace numjit::detail {
namespace {

constexpr std::int64_t block = 1024;

/// Indices with negative ones counted from the end. False if one is outside even so.
template <class Index>
bool count_from_end(const Index* index, std::int64_t count, std::int64_t n, std::int64_t* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(index[i]);
    to[i] = std::signed_integral<Index> && at < 0 ? at + n : at;
  }
  return all_inside(to, count, n);
}

template <class Word, class Index>
void gather_words(const char* from, const Index* index, std::int64_t count, char* out) {
  const Word* source = reinterpret_cast<const Word*>(from);
  Word* to = reinterpret_cast<Word*>(out);
  for (std::int64_t i = 0; i < count; ++i) to[i] = source[index[i]];
}

template <class Index>
void gather_runs(const char* from, const Index* index, std::int64_t count, std::int64_t run, char* out) {
  switch (run) {
    case 1: return gather_words<std::uint8_t>(from, index, count, out);
    case 2: return gather_words<std::uint16_t>(from, index, count, out);
    case 4: return gather_words<std::uint32_t>(from, index, count, out);
    case 8: return gather_words<std::uint64_t>(from, index, count, out);
    case 16: return gather_words<pair_of_words>(from, index, count, out);
    default:
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(out + i * run, from + static_cast<std::int64_t>(index[i]) * run, static_cast<std::size_t>(run));
  }
}

template <class Index>
void gather_outer(const gathering& g, const Index* index, std::int64_t first, std::int64_t count) {
  for (std::int64_t o = 0; o < g.outer; ++o)
    gather_runs(g.from + o * g.n * g.run, index, count, g.run, g.out + (o * g.count + first) * g.run);
}

template <class Index>
bool gather_as(const gathering& g, const char* indices, std::int64_t begin, std::int64_t end) {
  const Index* index = reinterpret_cast<const Index*>(indices);
  for (std::int64_t first = begin; first < end; first += block) {
    const std::int64_t count = std::min(block, end - first);
    if (all_inside(index + first, count, g.n)) {
      gather_outer(g, index + first, first, count);
      continue;
    }
    std::int64_t from_end[block];
    if (!g.negative_from_end || !count_from_end(index + first, count, g.n, from_end)) return false;
    gather_outer(g, from_end, first, count);
  }
  return true;
}

/// Bytes from the first element, as wide as addresses are: pages have twice as many of them in a vector.
using place = std::conditional_t<sizeof(void*) == 4, std::uint32_t, std::int64_t>;

/// Adds to `to` how far the indices lead along an axis. False if one is outside. Short: places and bytes of a step fit
/// 32 bits, whose product processors have a vector instruction for.
template <bool Short, class Index>
bool add_steps(const Index* index, std::int64_t count, std::int64_t n, std::int64_t step, place* to) {
  if constexpr (sizeof(place) == 4 && sizeof(Index) == 4) {
    if (n <= std::numeric_limits<std::int32_t>::max()) {
      const auto length = static_cast<std::uint32_t>(n), bytes = static_cast<std::uint32_t>(step);
      std::uint32_t outside = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::uint32_t>(index[i]) + (static_cast<std::uint32_t>(index[i] >> 31) & length);
        outside |= at | (length - 1 - at);
        to[i] += at * bytes;
      }
      return static_cast<std::int32_t>(outside) >= 0;
    }
  }
  std::uint64_t outside = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    auto at = static_cast<std::int64_t>(index[i]);
    if constexpr (std::signed_integral<Index>) at += at >> 63 & n;
    outside |= static_cast<std::uint64_t>(at) | (static_cast<std::uint64_t>(n) - 1 - static_cast<std::uint64_t>(at));
    if constexpr (Short)
      to[i] += static_cast<place>(std::uint64_t{static_cast<std::uint32_t>(at)} * static_cast<std::uint32_t>(step));
    else to[i] += static_cast<place>(at * step);
  }
  return static_cast<std::int64_t>(outside) >= 0;
}

bool add_steps(const place_gathering::axis& axis, std::int64_t first, std::int64_t count, place* to) {
  auto add = [&]<class Index>(Index) {
    const Index* index = reinterpret_cast<const Index*>(axis.index) + first;
#ifndef __wasm__
    constexpr std::int64_t limit = std::int64_t{1} << 32;
    if (axis.n <= limit && axis.step >= 0 && axis.step < limit) return add_steps<true>(index, count, axis.n, axis.step, to);
#endif
    return add_steps<false>(index, count, axis.n, axis.step, to);
  };
  switch (axis.type) {
    case dtype_id::int32: return add(std::int32_t{});
    case dtype_id::int64: return add(std::int64_t{});
#ifndef __wasm__
    case dtype_id::uint8: return add(std::uint8_t{});
    case dtype_id::int8: return add(std::int8_t{});
    case dtype_id::int16: return add(std::int16_t{});
    case dtype_id::uint16: return add(std::uint16_t{});
    case dtype_id::uint32: return add(std::uint32_t{});
#endif
    default: return false;
  }
}

template <class Word>
void gather_from(const char* from, const place* at, std::int64_t count, char* out) {
  Word* to = reinterpret_cast<Word*>(out);
  for (std::int64_t i = 0; i < count; ++i) to[i] = *reinterpret_cast<const Word*>(from + static_cast<std::ptrdiff_t>(at[i]));
}

void gather_from(const char* from, const place* at, std::int64_t count, std::int64_t run, char* out) {
  switch (run) {
    case 4: return gather_from<std::uint32_t>(from, at, count, out);
    case 8: return gather_from<std::uint64_t>(from, at, count, out);
    case 1: return gather_from<std::uint8_t>(from, at, count, out);
#ifndef __wasm__
    case 2: return gather_from<std::uint16_t>(from, at, count, out);
    case 16: return gather_from<pair_of_words>(from, at, count, out);
#endif
    default:
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(out + i * run, from + static_cast<std::ptrdiff_t>(at[i]), static_cast<std::size_t>(run));
  }
}

}  // namespace

bool gather_places(const place_gathering& g, std::int64_t begin, std::int64_t end) {
  place places[block];
  for (std::int64_t first = begin; first < end; first += block) {
    const std::int64_t count = std::min(block, end - first);
    std::fill_n(places, count, 0);
    for (int k = 0; k < g.rank; ++k)
      if (!add_steps(g.axes[k], first, count, places)) return false;
    gather_from(g.from, places, count, g.run, g.out + first * g.run);
  }
  return true;
}

bool gather(const gathering& g, const char* index, dtype_id type, std::int64_t begin, std::int64_t end) {
  switch (type) {
    case dtype_id::int32: return gather_as<std::int32_t>(g, index, begin, end);
    case dtype_id::int64: return gather_as<std::int64_t>(g, index, begin, end);
    case dtype_id::uint8: return gather_as<std::uint8_t>(g, index, begin, end);
#ifndef __wasm__  // code of pages is small: indices of other types are converted
    case dtype_id::int8: return gather_as<std::int8_t>(g, index, begin, end);
    case dtype_id::int16: return gather_as<std::int16_t>(g, index, begin, end);
    case dtype_id::uint16: return gather_as<std::uint16_t>(g, index, begin, end);
    case dtype_id::uint32: return gather_as<std::uint32_t>(g, index, begin, end);
    case dtype_id::uint64: return gather_as<std::uint64_t>(g, index, begin, end);
#endif
    default: return false;
  }
}

}  // namespace numjit::detail
