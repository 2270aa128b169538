// Sorting along an axis, NaN last, as NumPy: integers and floats as keys by Highway's vector sort,
// integers that lie close together by counting, complex numbers by real then imaginary part. argsort is stable. Where the
// parameters name places, only these are selected.
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <numjit/base/check_interrupt.h>
#include <numjit/base/value_span.h>
#include <numjit/eager/select.h>
#include <numjit/eager/sort_keys.h>

namespace numjit::eager {
namespace {

using numjit::detail::in_parts;
using numjit::detail::value_span;

constexpr std::int64_t part = 1 << 18;  // elements between two questions

/// NumPy's order of complex numbers: by real part, then imaginary part, where NaN counts as largest.
template <class T>
bool before(complex<T> a, complex<T> b) {
  const bool a_nan = a.re != a.re, b_nan = b.re != b.re;
  if (a.re < b.re) return a.im == a.im || b.im != b.im;
  if (a.re > b.re) return b.im != b.im && a.im == a.im;
  if (a.re == b.re || (a_nan && b_nan)) return a.im < b.im || (b.im != b.im && a.im == a.im);
  return b_nan;
}

/// An order that asks now and then whether the sort is given up. Copies, of which sorts make many, count together.
template <class Less>
struct asking {
  Less less;
  unsigned* asked;

  template <class T>
  bool operator()(const T& a, const T& b) const {
    if (++*asked % (1 << 16) == 0) numjit::detail::check_interrupt();
    return less(a, b);
  }
};
template <class Less>
asking(Less, unsigned*) -> asking<Less>;

template <class T> inline constexpr bool is_complex = false;
template <class T> inline constexpr bool is_complex<complex<T>> = true;
template <class T> inline constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, half>;
template <class T> using wide_float = std::conditional_t<std::is_same_v<T, half>, float, T>;

// ---- values ----

/// fn(counts, span) for integers that lie close together; false, and nothing done, for others.
template <class T, class F>
bool with_counts(const T* p, std::int64_t n, F&& fn) {
  // Tables of what two bytes can hold stay in the cache.
  const std::uint64_t longest = static_cast<std::uint64_t>(sizeof(T) <= 2 ? 4 * n : n / 4);
  const auto span = n < 64 ? std::nullopt : numjit::detail::span_of(p, n, longest);
  if (!span) return false;
  scratch memory(span->length * 8);
  std::int64_t* count = memory.as<std::int64_t>();
  std::fill(count, count + span->length, 0);
  in_parts(n, part, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++count[span->place_of(p[i])];
  });
  fn(count, *span);
  return true;
}

/// As many of each value as there were.
template <class T>
bool sort_by_counting(T* p, std::int64_t n) {
  return with_counts(p, n, [p](const std::int64_t* count, const value_span& span) {
    T* to = p;
    for (std::int64_t v = 0; v < span.length; to += count[v], ++v)
      std::fill(to, to + count[v], span.value_at<T>(static_cast<std::size_t>(v)));
  });
}

/// Each place to where its value begins, one after the other.
template <class T>
bool argsort_by_counting(const T* p, std::int64_t* index, std::int64_t n) {
  return with_counts(p, n, [&](std::int64_t* count, const value_span& span) {
    std::exclusive_scan(count, count + span.length, count, std::int64_t{0});
    in_parts(n, part, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) index[count[span.place_of(p[i])]++] = i;
    });
  });
}

/// Places to be selected, as they rise; none where all is sorted.
using places = std::vector<std::int64_t>;

template <class T, class Less>
void select_all(T* p, std::int64_t n, const places& wanted, Less less) {
  scratch spare(std::min(2 * n, split_room) * static_cast<std::int64_t>(sizeof(T)));
  select_places(p, n, wanted.data(), wanted.data() + wanted.size(), 0, less, spare.as<T>());
}

/// Sorts keys, or selects among them.
template <class Key, class Less = std::less<Key>>
void order_keys(Key* p, std::int64_t n, const places& wanted, Less less = {}) {
  wanted.empty() ? sort_all(p, n) : select_all(p, n, wanted, less);
}

/// A signed integer that orders the values, of at least their size.
template <class Key, class T>
Key sort_key(T value) {
  if constexpr (is_float<T>) return key_of_float(static_cast<wide_float<T>>(value));
  else if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(Key))
    return static_cast<Key>(value ^ (T(1) << (8 * sizeof(T) - 1)));
  else return static_cast<Key>(value);
}
template <class T, class Key>
T value_of_key(Key key) {
  if constexpr (is_float<T>) {
    using Wide = wide_float<T>;
    return static_cast<T>(float_of_key<Wide>(static_cast<decltype(key_of_float(Wide()))>(key)));
  } else if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(Key)) {
    return static_cast<T>(static_cast<T>(key) ^ (T(1) << (8 * sizeof(T) - 1)));
  } else {
    return static_cast<T>(key);
  }
}

/// to[i] = f(from[i]) on all threads, through memcpy: the same memory may hold both by turns. It has one name then, as the
/// compiler makes no vectors of two names that may be one.
template <class From, class To, class F>
void convert_all(const void* from, void* to, std::int64_t n, const F& f) {
  constexpr std::int64_t piece = 1 << 13;
  numjit::detail::parallel_ranges(n, piece, static_cast<double>(n) * 0.5, [&](std::int64_t begin, std::int64_t end) {
    const auto convert = [&](const char* source, char* target) __attribute__((always_inline)) {
      for (std::int64_t i = begin; i < end; ++i) {
        From value;
        std::memcpy(&value, source + i * static_cast<std::int64_t>(sizeof(From)), sizeof(From));
        const To converted = f(value);
        std::memcpy(target + i * static_cast<std::int64_t>(sizeof(To)), &converted, sizeof(To));
      }
    };
    char* const target = static_cast<char*>(to);
    from == to ? convert(target, target) : convert(static_cast<const char*>(from), target);
  });
}

/// Orders by keys in place of the values, which then become those of the keys as they stand: in place where both have
/// one size.
template <class Key, class T>
void order_by_keys(T* p, std::int64_t n, const places& wanted) {
  std::optional<scratch> memory;
  if constexpr (sizeof(T) != sizeof(Key)) memory.emplace(n * static_cast<std::int64_t>(sizeof(Key)));
  Key* keys = memory ? memory->as<Key>() : reinterpret_cast<Key*>(p);
  convert_all<T, Key>(p, keys, n, [](T value) { return sort_key<Key>(value); });
  order_keys(keys, n, wanted);
  convert_all<Key, T>(keys, p, n, [](Key key) { return value_of_key<T>(key); });
}

/// Through keys of the values' size (at least 32 bits) where these are the faster ones, and wherever places are selected;
/// else through those of 64 bits.
template <class T>
void order_by_best_keys(T* p, std::int64_t n, const places& wanted, bool short_keys) {
  if constexpr (sizeof(T) <= 4)
    if (!wanted.empty() || short_keys) return order_by_keys<std::int32_t>(p, n, wanted);
  order_by_keys<std::int64_t>(p, n, wanted);
}

void order_complex(complex<double>* p, std::int64_t n, const places& wanted) {
  unsigned asked = 0;
  if (wanted.empty())
    std::stable_sort(p, p + n, asking{before<double>, &asked});
  else select_all(p, n, wanted, before<double>);
}

/// `short_keys`: are those of 32 bits the faster ones?
template <class T>
void order_row(T* p, std::int64_t n, const places& wanted, bool short_keys) {
  if constexpr (std::is_same_v<T, complex<float>>) {
    scratch memory(n * 16);
    complex<double>* wide = memory.as<complex<double>>();
    for (std::int64_t i = 0; i < n; ++i) wide[i] = {p[i].re, p[i].im};
    order_complex(wide, n, wanted);
    for (std::int64_t i = 0; i < n; ++i) p[i] = {static_cast<float>(wide[i].re), static_cast<float>(wide[i].im)};
  } else if constexpr (is_complex<T>) {
    order_complex(p, n, wanted);
  } else {
    if constexpr (std::is_integral_v<T>) {
      if (n < 32 && wanted.empty()) return insertion_sort(p, n, std::less<T>());
      if (sort_by_counting(p, n)) return;
    }
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) order_keys(p, n, wanted);
    else if (std::is_same_v<T, std::int32_t> && !wanted.empty()) select_all(p, n, wanted, std::less<T>());
    else order_by_best_keys(p, n, wanted, short_keys);
  }
}

// ---- indices ----

/// An unsigned number that orders the values; equal values (-0.0 and 0.0, all NaN) have the same.
template <class T>
auto order_of(T value) {
  if constexpr (is_float<T>) {
    using Wide = wide_float<T>;
    const auto key = key_of_float(static_cast<Wide>(value) + Wide(0));
    using Bits = std::make_unsigned_t<decltype(key_of_float(Wide()))>;
    return static_cast<Bits>(static_cast<Bits>(key) ^ (Bits(1) << (8 * sizeof(Bits) - 1)));
  } else if constexpr (std::is_same_v<T, bool> || std::is_unsigned_v<T>) {
    return value;
  } else {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<Bits>(static_cast<Bits>(value) ^ static_cast<Bits>(Bits(1) << (8 * sizeof(T) - 1)));
  }
}

/// What orders the values by 32 bits, if these do: integers of 64 bits by their distance from the smallest one.
template <class T>
std::optional<value_span> span_of_half_keys(const T* value, std::int64_t n) {
  if constexpr (sizeof(order_of(T())) <= 4) return value_span();
  else if constexpr (std::is_integral_v<T>) return numjit::detail::span_of(value, n, std::uint64_t{1} << 32);
  else return std::nullopt;
}
template <class T>
std::uint64_t half_key(T value, const value_span& span) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) return span.place_of(value);
  else return static_cast<std::uint64_t>(order_of(value));
}

void order_complex_places(const complex<double>* value, std::int64_t* index, std::int64_t n, const places& wanted) {
  unsigned asked = 0;
  const auto less = [value](std::int64_t a, std::int64_t b) { return before(value[a], value[b]); };
  std::iota(index, index + n, std::int64_t{0});
  if (wanted.empty())
    std::stable_sort(index, index + n, asking{less, &asked});
  else select_all(index, n, wanted, less);
}

/// Orders a row's elements with their places, and takes the places as they stand then: keys of up to 32 bits with the
/// place below them are one 64-bit number, others have 128 bits.
template <class T>
void order_places(const T* value, std::int64_t* index, std::int64_t n, const places& wanted) {
  if constexpr (std::is_integral_v<T>)
    if (wanted.empty() && argsort_by_counting(value, index, n)) return;
  if constexpr (std::is_same_v<T, complex<float>>) {
    scratch memory(n * 16);
    complex<double>* wide = memory.as<complex<double>>();
    for (std::int64_t i = 0; i < n; ++i) wide[i] = {value[i].re, value[i].im};
    order_complex_places(wide, index, n, wanted);
  } else if constexpr (is_complex<T>) {
    order_complex_places(value, index, n, wanted);
  } else if (const auto span = span_of_half_keys(value, n); span && n <= (std::int64_t{1} << 32)) {
    std::uint64_t* keys = reinterpret_cast<std::uint64_t*>(index);
    in_parts(n, part, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) keys[i] = half_key(value[i], *span) << 32 | static_cast<std::uint64_t>(i);
    });
    order_keys(keys, n, wanted);
    in_parts(n, part, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) index[i] = static_cast<std::int64_t>(keys[i] & 0xffffffffu);
    });
  } else {
    scratch memory(n * static_cast<std::int64_t>(sizeof(placed_key)));
    placed_key* keys = memory.as<placed_key>();
    in_parts(n, part, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) keys[i] = {static_cast<std::uint64_t>(i), order_of(value[i])};
    });
    order_keys(keys, n, wanted, by_key());
    in_parts(n, part, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) index[i] = static_cast<std::int64_t>(keys[i].place);
    });
  }
}

// ---- rows ----

/// `v` with the axis last; the flattened array as one row if `axis` is negative.
layout_view with_axis_last(layout_view v, int axis) {
  auto to_end = [&](dims& d) {
    const std::int64_t value = d[axis];
    d.erase(axis);
    d.push_back(value);
  };
  to_end(v.shape), to_end(v.strides);
  return v;
}

/// fn(row) for all rows, rows side by side where there are enough of them; a long one uses all threads.
template <class F>
void for_each_row(std::int64_t rows, std::int64_t n, F&& fn) {
  const double ns = static_cast<double>(rows) * static_cast<double>(n) * 10;
  if (rows < numjit::detail::thread_count() && n >= 1 << 15) {
    for (std::int64_t r = 0; r < rows; ++r) fn(r);
    return;
  }
  numjit::detail::parallel_ranges(rows, std::max<std::int64_t>(1, 2048 / n), ns,
                                  [&](std::int64_t begin, std::int64_t end) {
                                    for (std::int64_t r = begin; r < end; ++r) fn(r);
                                  });
}

/// Input and result as rows along the axis: the result's elements shaped as the input's.
struct sorted_rows {
  layout_view from, target;
  std::int64_t n = 0, rows = 0;

  explicit sorted_rows(const structural_call& c) : from(c.in[0]), target(c.result) {
    if (from.size() == 0) return;
    const std::int64_t word = layout::axis_of(c.params);
    if (word == layout::none) {
      n = from.size();
      target.strides = contiguous_strides(from.shape, size_of(target.type));
      if (c.result->rank == 1 && c.result->size > 1)
        for (std::int64_t& step : target.strides) step = step / size_of(target.type) * c.result->strides[0];
      target.shape = from.shape;
    } else {
      const int axis = normalize_axis("sort", word, from.shape.size());
      from = with_axis_last(from, axis), target = with_axis_last(target, axis);
      n = from.shape.back();
    }
    rows = from.size() / n;
  }
};

/// The places that a partition asks for, sorted; none for a sort. Parameters: axis, number of places, places.
places wanted_places(const char* op, const op_params& params, std::int64_t n) {
  places wanted;
  for (int i = 2; i < params.size(); ++i) {
    const std::int64_t k = params[i] < 0 ? params[i] + n : params[i];
    if (k < 0 || k >= n)
      throw ValueError(op, "kth(=" + std::to_string(k) + ") out of bounds (" + std::to_string(n) + ")");
    wanted.push_back(k);
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

}  // namespace

void run_sort(const structural_call& c) {
  const sorted_rows s(c);
  if (s.rows == 0) return;
  const places wanted = wanted_places("partition", c.params, s.n);
  const std::int64_t row = s.n * size_of(s.from.type);
  const bool in_place = s.target.contiguous() && !numjit::detail::may_overlap(c.in[0], c.result);
  std::optional<scratch> memory;
  if (!in_place) memory.emplace(s.from.size() * size_of(s.from.type));
  char* data = in_place ? s.target.data : memory->data();
  copy_elements(s.from, layout_view(data, s.from.type, s.from.shape));
  using row_function = void (*)(char*, std::int64_t, const places&, bool);
  const row_function order = visit_dtype(s.from.type, []<class T>() -> row_function {
    return [](char* p, std::int64_t n, const places& which, bool short_keys) {
      order_row(reinterpret_cast<T*>(p), n, which, short_keys);
    };
  });
  const bool short_keys = vector_sort_prefers_short_keys(s.rows * s.n);
  for_each_row(s.rows, s.n, [&](std::int64_t r) { order(data + r * row, s.n, wanted, short_keys); });
  if (!in_place) copy_elements(layout_view(data, s.from.type, s.from.shape), s.target);
}

void run_argsort(const structural_call& c) {
  const sorted_rows s(c);
  if (s.rows == 0) return;
  const places wanted = wanted_places("argpartition", c.params, s.n);
  const std::int64_t row = s.n * size_of(s.from.type);
  std::optional<scratch> values, indices;
  const char* data = s.from.data;
  if (!s.from.contiguous()) {
    values.emplace(s.from.size() * size_of(s.from.type));
    copy_elements(s.from, layout_view(values->data(), s.from.type, s.from.shape));
    data = values->data();
  }
  const bool in_place = s.target.contiguous() && !numjit::detail::may_overlap(c.in[0], c.result);
  if (!in_place) indices.emplace(s.from.size() * 8);
  char* index = in_place ? s.target.data : indices->data();
  using row_function = void (*)(const char*, std::int64_t*, std::int64_t, const places&);
  const row_function order = visit_dtype(s.from.type, []<class T>() -> row_function {
    return [](const char* p, std::int64_t* to, std::int64_t n, const places& which) {
      order_places(reinterpret_cast<const T*>(p), to, n, which);
    };
  });
  for_each_row(s.rows, s.n, [&](std::int64_t r) {
    order(data + r * row, reinterpret_cast<std::int64_t*>(index) + r * s.n, s.n, wanted);
  });
  if (!in_place) copy_elements(layout_view(index, dtype_id::int64, s.from.shape), s.target);
}

}  // namespace numjit::eager
