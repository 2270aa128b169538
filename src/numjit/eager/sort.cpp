// Sorting along an axis: stable, NaN last, complex by real then imaginary part, as NumPy.
#include <algorithm>
#include <numeric>
#include <optional>

#include <numjit/eager/internal.h>

namespace numjit::eager {
namespace {

template <class T> struct sort_key { static bool nan(T) { return false; } };
template <> struct sort_key<float> { static bool nan(float v) { return v != v; } };
template <> struct sort_key<double> { static bool nan(double v) { return v != v; } };

template <class T>
bool before(T a, T b) {
  if constexpr (std::is_same_v<T, half>) {
    return before(static_cast<float>(a), static_cast<float>(b));
  } else {
    return a < b || (sort_key<T>::nan(b) && !sort_key<T>::nan(a));
  }
}
/// NumPy's order of complex numbers: by real part, then imaginary part, where NaN counts as largest.
template <class T>
bool before(complex<T> a, complex<T> b) {
  const bool a_nan = a.re != a.re, b_nan = b.re != b.re;
  if (a.re < b.re) return a.im == a.im || b.im != b.im;
  if (a.re > b.re) return b.im != b.im && a.im == a.im;
  if (a.re == b.re || (a_nan && b_nan)) return a.im < b.im || (b.im != b.im && a.im == a.im);
  return b_nan;
}

/// Rows along the axis as contiguous memory: fn(row of `in`, row of `out`).
template <class F>
void for_each_row(const structural_call& c, dtype_id out_type, F&& fn) {
  layout_view from(c.in[0]);
  const std::int64_t word = layout::axis_of(c.params);
  if (from.size() == 0) return;
  const bool flat = word == layout::none;
  const int axis = flat ? 0 : normalize_axis("sort", word, from.shape.size());
  // The sorted axis last, all rows contiguous.
  layout_view moved = from, target(c.result);
  if (!flat) {
    auto to_end = [&](dims& d) {
      const std::int64_t v = d[axis];
      d.erase(axis);
      d.push_back(v);
    };
    to_end(moved.shape), to_end(moved.strides), to_end(target.shape), to_end(target.strides);
  }
  const std::int64_t n = flat ? from.size() : moved.shape.back(), rows = from.size() / n;
  scratch in(from.size() * size_of(from.type)), out(from.size() * size_of(out_type));
  copy_elements(moved, layout_view(in.data(), from.type, moved.shape));
  const std::int64_t in_row = n * size_of(from.type), out_row = n * size_of(out_type);
  numjit::detail::parallel_ranges(rows, 1, static_cast<double>(from.size()) * 30,
                                  [&](std::int64_t begin, std::int64_t end) {
                                    for (std::int64_t r = begin; r < end; ++r)
                                      fn(in.data() + r * in_row, out.data() + r * out_row, n);
                                  });
  copy_elements(layout_view(out.data(), out_type, flat ? dims{n} : moved.shape), target);
}

}  // namespace

void run_sort(const structural_call& c) {
  visit_dtype(c.in[0]->type, [&]<class T>() {
    for_each_row(c, c.in[0]->type, [](char* in, char* out, std::int64_t n) {
      T* first = reinterpret_cast<T*>(in);
      if constexpr (std::is_integral_v<T>) std::sort(first, first + n);
      else std::stable_sort(first, first + n, [](const T& a, const T& b) { return before(a, b); });
      std::copy(first, first + n, reinterpret_cast<T*>(out));
    });
  });
}

void run_argsort(const structural_call& c) {
  visit_dtype(c.in[0]->type, [&]<class T>() {
    for_each_row(c, dtype_id::int64, [](char* in, char* out, std::int64_t n) {
      const T* value = reinterpret_cast<const T*>(in);
      std::int64_t* index = reinterpret_cast<std::int64_t*>(out);
      std::iota(index, index + n, std::int64_t{0});
      std::stable_sort(index, index + n, [&](std::int64_t a, std::int64_t b) {
        return before(value[a], value[b]);
      });
    });
  });
}

}  // namespace numjit::eager
