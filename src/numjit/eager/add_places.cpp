// Rows added up by places, in their order: the adjoint of a gather.
#include <vector>

#include <numjit/base/error.h>
#include <numjit/eager/internal.h>
#include <numjit/ops/math/vocabulary.h>

namespace numjit::eager {
namespace {

/// Columns [begin, end) of all rows. float16 is added up as float32.
template <class T, class Sum>
void add_columns(const T* values, const std::int64_t* places, std::int64_t count, std::int64_t width, std::int64_t n, T* to,
                 std::int64_t begin, std::int64_t end) {
  const std::int64_t wide = end - begin;
  std::vector<Sum> wider(std::is_same_v<T, Sum> ? 0 : static_cast<std::size_t>(n * wide));
  const auto row_of = [&](std::int64_t place) {
    if constexpr (std::is_same_v<T, Sum>)
      return to + place * width + begin;
    else
      return wider.data() + place * wide;
  };
  if constexpr (std::is_same_v<T, Sum>)
    for (std::int64_t p = 0; p < n; ++p) std::fill_n(row_of(p), wide, T(0));
  for (std::int64_t k = 0; k < count; ++k) {
    Sum* const sum = row_of(places[k]);
    const T* const from = values + k * width + begin;
    for (std::int64_t i = 0; i < wide; ++i) sum[i] = m::add(sum[i], static_cast<Sum>(from[i]));
  }
  if constexpr (!std::is_same_v<T, Sum>)
    for (std::int64_t p = 0; p < n; ++p)
      for (std::int64_t i = 0; i < wide; ++i) to[p * width + begin + i] = T(row_of(p)[i]);
}

}  // namespace

void run_add_places(const structural_call& c) {
  std::optional<scratch> value_memory, place_memory;
  const layout_view values = contiguous_input(layout_view(c.in[0]), value_memory);
  const layout_view places = contiguous_input(layout_view(c.in[1]), place_memory);
  const std::int64_t count = places.size(), n = c.result->shape[0];
  std::int64_t width = 1;
  for (int i = 1; i < values.shape.size(); ++i) width *= values.shape[i];
  const auto* place = reinterpret_cast<const std::int64_t*>(places.data);
  for (std::int64_t k = 0; k < count; ++k)
    if (place[k] < 0 || place[k] >= n)
      throw IndexError("add_places",
                       "index " + std::to_string(place[k]) + " is out of bounds for axis 0 with size " + std::to_string(n));
  with_contiguous(c.result, [&](char* to) {
    const auto add = [&](auto zero, auto sum) {
      using T = decltype(zero);
      numjit::detail::parallel_ranges(width, 16, 2.0 * static_cast<double>(values.size()),
                                      [&](std::int64_t begin, std::int64_t end) {
                                        add_columns<T, decltype(sum)>(reinterpret_cast<const T*>(values.data), place, count,
                                                                      width, n, reinterpret_cast<T*>(to), begin, end);
                                      });
    };
    switch (values.type) {
      case dtype_id::float16: return add(half(), 0.0F);
      case dtype_id::float32: return add(0.0F, 0.0F);
      case dtype_id::float64: return add(0.0, 0.0);
      case dtype_id::complex64: return add(complex<float>(), complex<float>());
      default: return add(complex<double>(), complex<double>());
    }
  });
}

}  // namespace numjit::eager
