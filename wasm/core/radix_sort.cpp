// What sorts keys where no library of vector sorts is: by their digits, lowest first. It reads each key a few times, in
// order, and asks no branch of them.
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include <numjit/eager/vector_sort.h>

namespace numjit::eager {
namespace {

/// An unsigned number in the order of the keys.
template <class T>
auto digits_of(const T& key) {
  if constexpr (std::is_same_v<T, placed_key>) return key.key;
  else if constexpr (std::is_signed_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<Bits>(static_cast<Bits>(key) ^ (Bits(1) << (8 * sizeof(T) - 1)));
  } else {
    return key;
  }
}

/// `width` bits a digit. Digits that all keys share are passed over.
template <int width, class T>
bool sort_by_digits(T* p, std::int64_t n) {
  using Bits = decltype(digits_of(*p));
  constexpr int places = (8 * static_cast<int>(sizeof(Bits)) + width - 1) / width;
  constexpr std::size_t values = std::size_t(1) << width;
  using Counts = std::array<std::array<std::uint32_t, values>, places>;
  const auto count = static_cast<std::size_t>(n);
  const std::unique_ptr<void, decltype(&std::free)> memory(std::malloc(count * sizeof(T) + sizeof(Counts)), &std::free);
  if (!memory) return false;
  Counts& counts = *static_cast<Counts*>(memory.get());
  T *from = p, *to = reinterpret_cast<T*>(static_cast<char*>(memory.get()) + sizeof(Counts));
  std::memset(&counts, 0, sizeof counts);
  for (std::size_t i = 0; i < count; ++i) {
    const Bits bits = digits_of(p[i]);
    for (int place = 0; place < places; ++place)
      ++counts[static_cast<std::size_t>(place)][static_cast<std::size_t>(bits >> (place * width)) & (values - 1)];
  }
  for (int place = 0; place < places; ++place) {
    auto& starts = counts[static_cast<std::size_t>(place)];
    const int shift = place * width;
    if (starts[static_cast<std::size_t>(digits_of(from[0]) >> shift) & (values - 1)] == count) continue;
    std::uint32_t start = 0;
    for (std::uint32_t& s : starts) start += std::exchange(s, start);
    for (std::size_t i = 0; i < count; ++i)
      to[starts[static_cast<std::size_t>(digits_of(from[i]) >> shift) & (values - 1)]++] = from[i];
    std::swap(from, to);
  }
  if (from != p) std::memcpy(static_cast<void*>(p), from, count * sizeof(T));
  return true;
}

/// Counting takes as long as sorting does below `few`; from `many` on, fewer and wider digits pay.
template <class T>
bool sort_keys(T* p, std::int64_t n) {
  constexpr std::int64_t few = sizeof(T) == 4 ? 64 : 256, many = 1 << 12;
  if (n < few || n > std::int64_t(0x7fffffff)) return false;
  return n < many ? sort_by_digits<8>(p, n) : sort_by_digits<11>(p, n);
}

}  // namespace

bool vector_sort(std::int32_t* p, std::int64_t n) { return sort_keys(p, n); }
bool vector_sort(std::int64_t* p, std::int64_t n) { return sort_keys(p, n); }
bool vector_sort(std::uint64_t* p, std::int64_t n) { return sort_keys(p, n); }
bool vector_sort(placed_key* p, std::int64_t n) {
  for (std::int64_t i = 1; i < n; ++i)
    if (p[i].place < p[i - 1].place) return false;  // equal keys stay as they stand
  return sort_keys(p, n);
}
bool vector_sort_prefers_short_keys(std::int64_t) { return true; }

}  // namespace numjit::eager
