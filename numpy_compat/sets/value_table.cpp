// Tables of values that lie close together: see value_table.h.
#include "value_table.h"

#include <algorithm>
#include <vector>

#include <numjit/base/check_interrupt.h>

#include <at_hand.h>

namespace numjit::detail {
namespace {

constexpr std::int64_t part = 1 << 18;  // elements between two questions

/// fn(elements, their number) with the elements' type; nothing for what is no integer.
template <class F>
void with_integers(const array& x, F&& fn) {
  visit_dtype(x.dtype().id(), [&]<class T>() {
    if constexpr (std::is_integral_v<T>) fn(data_of<const T>(x), x.size());
  });
}

/// A flag for each value of the span.
std::vector<std::uint8_t> occurring(const array& x, const value_span& span) {
  std::vector<std::uint8_t> occurs(static_cast<std::size_t>(span.length));
  with_integers(x, [&](const auto* p, std::int64_t n) {
    in_parts(n, part, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) occurs[span.place_of(p[i])] = 1;
    });
  });
  return occurs;
}

/// The values that `counts` is not zero for, in order.
template <class Count>
array values_of(dtype_id type, const value_span& span, const std::vector<Count>& counts) {
  const auto distinct = counts.size() - static_cast<std::size_t>(std::count(counts.begin(), counts.end(), Count(0)));
  const array values = fresh(type, {static_cast<std::int64_t>(distinct)});
  visit_dtype(type, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      T* out = data_of<T>(values);
      for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i]) *out++ = span.value_at<T>(i);
    }
  });
  return values;
}

}  // namespace

std::optional<value_span> value_span_of(const array& x) {
  std::optional<value_span> span;
  if (!is_at_hand(x) || x.size() == 0) return span;
  with_integers(x, [&](const auto* p, std::int64_t n) { span = span_of(p, n, 2 * static_cast<std::uint64_t>(n) + 256); });
  return span;
}

array distinct_by_table(const array& flat, const value_span& span) {
  return values_of(flat.dtype().id(), span, occurring(flat, span));
}

unique_result unique_by_table(const array& flat, const value_span& span, bool only_counts) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(span.length));
  with_integers(flat, [&](const auto* p, std::int64_t n) {
    in_parts(n, part, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++counts[span.place_of(p[i])];
    });
  });
  unique_result u;
  u.values = values_of(flat.dtype().id(), span, counts);
  const dims shape{u.values.size()};
  u.counts = fresh(dtype_id::int64, shape);
  std::copy_if(counts.begin(), counts.end(), data_of<std::int64_t>(u.counts), [](std::int64_t c) { return c > 0; });
  if (only_counts) return u;

  u.indices = fresh(dtype_id::int64, shape);
  u.inverse_indices = fresh(dtype_id::int64, {flat.size()});
  std::int64_t* const first = data_of<std::int64_t>(u.indices);
  std::int64_t* const inverse = data_of<std::int64_t>(u.inverse_indices);
  std::int64_t rank = 0;
  for (std::int64_t& c : counts) c = c > 0 ? rank++ : 0;  // from here on the rank of a value
  with_integers(flat, [&](const auto* p, std::int64_t n) {
    for (std::int64_t i = n; i-- > 0;) {  // backwards: the first one of each value writes last
      check_interrupt_at(i);
      inverse[i] = counts[span.place_of(p[i])];
      first[inverse[i]] = i;
    }
  });
  return u;
}

array isin_by_table(const array& x, const array& test, const value_span& span, bool invert) {
  const std::vector<std::uint8_t> occurs = occurring(test, span);
  const array found = fresh(dtype_id::bool_, shape_of(x));
  bool* const out = data_of<bool>(found);
  with_integers(x, [&](const auto* p, std::int64_t) {
    for_elements(x, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::size_t place = span.place_of(p[i]);
        out[i] = (place < occurs.size() && occurs[place]) != invert;
      }
    });
  });
  return found;
}

}  // namespace numjit::detail
