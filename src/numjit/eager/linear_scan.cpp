// y[k] = a[k] * y[k - 1] + b[k] along an axis: the order of its operations is that of the axis.
#include <numjit/eager/internal.h>
#include <numjit/ops/math/vocabulary.h>

namespace numjit::eager {
namespace {

/// One step. float16 goes through float32, as in every row.
template <class T>
T step(T a, T y, T b) {
  if constexpr (std::is_same_v<T, half>)
    return half(static_cast<float>(a) * static_cast<float>(y) + static_cast<float>(b));
  else
    return m::add(m::multiply(a, y), b);
}

/// Rows of `n` elements along the axis, `inner` of them side by side.
template <class T>
void scan_rows(const char* a, const char* b, char* to, std::int64_t n, std::int64_t inner, std::int64_t begin, std::int64_t end) {
  const auto *factor = reinterpret_cast<const T*>(a), *term = reinterpret_cast<const T*>(b);
  auto* y = reinterpret_cast<T*>(to);
  for (std::int64_t outer = begin; outer < end; ++outer) {
    const std::int64_t first = outer * n * inner;
    for (std::int64_t i = first; i < first + inner; ++i) y[i] = step(factor[i], T(0), term[i]);
    for (std::int64_t i = first + inner; i < first + n * inner; ++i) y[i] = step(factor[i], y[i - inner], term[i]);
  }
}

}  // namespace

void run_linear_scan(const structural_call& c) {
  if (c.result->size == 0) return;
  std::optional<scratch> factor_memory, term_memory;
  const layout_view factors = contiguous_input(layout_view(c.in[0]), factor_memory);
  const layout_view terms = contiguous_input(layout_view(c.in[1]), term_memory);
  const int axis = normalize_axis("linear_scan", layout::axis_of(c.params), c.in[0]->rank);
  const std::int64_t n = factors.shape[axis];
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= factors.shape[i];
  for (int i = axis + 1; i < factors.shape.size(); ++i) inner *= factors.shape[i];
  with_contiguous(c.result, [&](char* to) {
    const auto rows = [&](auto zero) {
      using T = decltype(zero);
      numjit::detail::parallel_ranges(
          outer, 1, 4.0 * static_cast<double>(factors.size()),
          [&](std::int64_t begin, std::int64_t end) { scan_rows<T>(factors.data, terms.data, to, n, inner, begin, end); });
    };
    switch (factors.type) {
      case dtype_id::float16: return rows(half());
      case dtype_id::float32: return rows(0.0F);
      case dtype_id::float64: return rows(0.0);
      case dtype_id::complex64: return rows(complex<float>());
      default: return rows(complex<double>());
    }
  });
}

}  // namespace numjit::eager
