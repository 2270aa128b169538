// Values are looked up block by block, so that no place of one is in memory for long.
#include <numjit/eager/membership.h>

#include <algorithm>
#include <cmath>

#include <numjit/eager/counting.h>
#include <numjit/eager/elements_as.h>

namespace numjit::eager {

namespace {

/// fn(first, count, places, values as T) for blocks of contiguous values, whose places are looked up; on all threads.
template <class T, class F>
void in_blocks(const elements_as<T>& sorted, const char* data, dtype_id type, std::int64_t size, bool right, F&& fn) {
  constexpr std::int64_t block = 1024;
  const sorted_search<T> search(sorted.data(), sorted.size(), size);
  const double ns = static_cast<double>(size) * (1.0 + 0.5 * std::log2(1.0 + static_cast<double>(sorted.size())));
  numjit::detail::parallel_ranges(size, block, ns, [&](std::int64_t begin, std::int64_t end) {
    T converted[block];
    std::int64_t place[block];
    for (std::int64_t first = begin; first < end; first += block) {
      const std::int64_t n = std::min(block, end - first);
      const T* values = block_as(data, type, first, n, converted);
      search.find(values, n, right, place);
      fn(first, n, place, values);
    }
  });
}

}  // namespace

void find_places(const node* sorted, const node* values, bool right, std::int64_t* out) {
  std::optional<scratch> memory;
  const layout_view flat = contiguous_input(layout_view(values), memory);
  with_common_type(sorted, values, [&]<class T>() {
    const elements_as<T> keys(sorted);
    if (flat.type == type_of_element<T>)
      return search_sorted(keys.data(), keys.size(), reinterpret_cast<const T*>(flat.data), flat.size(), right, out);
    in_blocks(
        keys, flat.data, flat.type, flat.size(), right,
        [&](std::int64_t first, std::int64_t n, const std::int64_t* place, const T*) { std::copy_n(place, n, out + first); });
  });
}

void find_members(const node* keys, const node* values, bool invert, bool* out) {
  std::optional<scratch> memory;
  const layout_view flat = contiguous_input(layout_view(values), memory);
  with_common_type(keys, values, [&]<class T>() {
    const elements_as<T> sorted(keys);
    in_blocks(sorted, flat.data, flat.type, flat.size(), false,
              [&](std::int64_t first, std::int64_t n, const std::int64_t* place, const T* value) {
                for (std::int64_t i = 0; i < n; ++i) {
                  const bool found = place[i] < sorted.size() && sorted[place[i]] == value[i];
                  out[first + i] = found != invert;
                }
              });
  });
}

}  // namespace numjit::eager
