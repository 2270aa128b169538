// np::pad: borders, one axis after the other, so that later ones see the borders of earlier ones.
#include <algorithm>
#include <string>

#include <numjit/ops/stored_literal.h>

#include <surface.h>

namespace numjit {

using detail::call;
using detail::slice_axis;

namespace {

using widths = std::vector<std::pair<std::int64_t, std::int64_t>>;

[[noreturn]] void wrong_number(std::size_t got, int rank) {
  throw ValueError("pad", "operands could not be broadcast together with remapped shapes: got " + std::to_string(got) +
                              " pairs, expected 1 or " + std::to_string(rank) + ".");
}

/// One pair per axis of what was given for all, or per axis.
template <class Pair>
std::vector<Pair> per_axis(std::vector<Pair> pairs, int rank) {
  if (pairs.size() == 1) return std::vector<Pair>(static_cast<std::size_t>(rank), pairs[0]);
  if (static_cast<int>(pairs.size()) != rank) wrong_number(pairs.size(), rank);
  return pairs;
}
widths counts_per_axis(const pad_widths& given, int rank) {
  widths pairs = per_axis(given.pairs(), rank);
  for (const auto& [before, after] : pairs)
    if (before < 0 || after < 0) throw ValueError("pad", "index can't contain negative values");
  return pairs;
}

array in_type_of(const array& x, const array& v) { return detail::cast(v, x.get()->type); }

// ---- constants ----

array of_one_constant(const array& x, const widths& pairs, const operand& value) {
  dims shape = x.shape();
  op_params inside;
  for (int i = 0; i < x.ndim(); ++i) {
    const auto& [before, after] = pairs[static_cast<std::size_t>(i)];
    layout::push(inside, layout::index_entry::range(before, before + shape[i]));
    shape[i] += before + after;
  }
  const array out = full(shape, value, {x.dtype()});
  call(op_id::store, {call(op_id::index, {out}, inside), x});
  return out;
}

/// NumPy stores the value as one element: what a signed integer can't hold is an error, while an unsigned one wraps.
operand fitting(const operand& v, dtype type) {
  if (type.kind() == 'i') {
    if (stores_as_integer(v, type.id())) check_whole("pad", v, type.id());
    if (v.kind() == weak_kind::int_) check_literal("pad", v, type.id());
  }
  if (type.kind() != 'u' || v.kind() != weak_kind::int_) return v;
  return operand(static_cast<std::uint64_t>(v.int_value()) & (~std::uint64_t{0} >> (64 - 8 * type.itemsize())));
}

array of_constants(array x, const widths& pairs, const std::vector<std::pair<operand, operand>>& values) {
  for (int i = 0; i < x.ndim(); ++i) {
    const auto& [before, after] = pairs[static_cast<std::size_t>(i)];
    dims shape = x.shape();
    auto side = [&](std::int64_t n, const operand& v) {
      shape[i] = n;
      return full(shape, fitting(v, x.dtype()), {x.dtype()});
    };
    const auto& [low, high] = values[static_cast<std::size_t>(i)];
    x = concatenate({side(before, low), x, side(after, high)}, {.axis = i});
  }
  return x;
}

// ---- elements at other places: edge, wrap, reflect, symmetric ----

/// Places along one axis that a border of a mode reads: for position p in [-before, n + after).
std::int64_t border_source(std::int64_t p, std::int64_t n, const std::string& mode) {
  if (p >= 0 && p < n) return p;
  if (mode == "edge") return p < 0 ? 0 : n - 1;
  if (mode == "wrap") return ((p % n) + n) % n;
  const std::int64_t period = mode == "reflect" ? std::max<std::int64_t>(2 * (n - 1), 1) : 2 * n;
  const std::int64_t q = ((p % period) + period) % period;
  if (q < n) return q;
  return mode == "reflect" ? period - q : period - 1 - q;
}

array of_places(const array& x, int axis, std::int64_t before, std::int64_t after, const std::string& mode) {
  const std::int64_t n = x.shape(axis);
  std::vector<std::int64_t> from;
  for (std::int64_t p = -before; p < n + after; ++p) from.push_back(border_source(p, n, mode));
  return take(x, from_values(from), axis);
}

/// Can the borders of a mode be read from the elements beside them, in one piece each?
bool is_beside(const widths& pairs, const dims& shape, const std::string& mode) {
  for (int i = 0; i < shape.size(); ++i) {
    const auto& [before, after] = pairs[static_cast<std::size_t>(i)];
    const std::int64_t most = mode == "reflect" ? shape[i] - 1 : shape[i];
    if (mode != "edge" && std::max(before, after) > most) return false;
  }
  return true;
}

/// The elements in their place, then the borders of one axis after the other, each from what lies beside it: (first,
/// last) of a border along an axis is that of its source, mirrored in the mirroring modes.
array of_neighbours(const array& x, const widths& pairs, const std::string& mode) {
  const dims inner = x.shape();
  dims shape = inner, low, high;  // of what is there already
  for (int i = 0; i < inner.size(); ++i) {
    const auto& [before, after] = pairs[static_cast<std::size_t>(i)];
    shape[i] += before + after;
    low.push_back(before);
    high.push_back(before + inner[i]);
  }
  const array out = empty(shape, x.dtype());
  const auto region = [&](int axis, std::int64_t first, std::int64_t last) {
    op_params inside;
    for (int i = 0; i < shape.size(); ++i)
      layout::push(inside, i == axis ? layout::index_entry::range(first, last) : layout::index_entry::range(low[i], high[i]));
    return call(op_id::index, {out}, inside);
  };
  call(op_id::store, {region(-1, 0, 0), x});
  const bool mirrors = mode == "reflect" || mode == "symmetric";
  for (int i = 0; i < inner.size(); ++i) {
    const std::int64_t begin = low[i], end = high[i], before = begin, after = shape[i] - end, skip = mode == "reflect" ? 1 : 0;
    const auto border = [&](std::int64_t to, std::int64_t n, std::int64_t from, std::int64_t count) {
      if (n == 0) return;
      const array source = region(i, from, from + count);
      call(op_id::store, {region(i, to, to + n), mirrors ? flip(source, i) : source});
    };
    if (mode == "edge") {
      border(0, before, begin, 1);
      border(end, after, end - 1, 1);
    } else if (mode == "wrap") {
      border(0, before, end - before, before);
      border(end, after, begin, after);
    } else {
      border(0, before, begin + skip, before);
      border(end, after, end - skip - after, after);
    }
    low[i] = 0;
    high[i] = shape[i];
  }
  return out;
}

/// Mirrored at the edge's place and value, as often as the border needs it.
array mirrored_odd(array x, int axis, std::int64_t left, std::int64_t right, bool with_edge) {
  const std::int64_t period = x.shape(axis);
  if (period == 1) return of_places(x, axis, left, right, "edge");
  while (left > 0 || right > 0) {
    // Whole periods only: there the elements so far are symmetric about the edge.
    const std::int64_t n = x.shape(axis);
    const std::int64_t most = with_edge ? n / period * period : (n - 1) / (period - 1) * (period - 1);
    const std::int64_t low = std::min(most, left), high = std::min(most, right), skip = with_edge ? 0 : 1;
    const array first = slice_axis(x, axis, 0, 1), last = slice_axis(x, axis, n - 1, n);
    const array before = first * 2 - flip(slice_axis(x, axis, skip, skip + low), axis);
    const array after = last * 2 - flip(slice_axis(x, axis, n - skip - high, n - skip), axis);
    x = concatenate({before, x, after}, {.axis = axis});
    left -= low;
    right -= high;
  }
  return x;
}

// ---- values made from the elements next to the border ----

/// Steps from the ends, which are reached at the outside, to the edges: NumPy's linspace without its last point.
array of_ramps(const array& x, int axis, std::int64_t before, std::int64_t after, const std::pair<operand, operand>& ends) {
  const auto ramp = [&](const operand& end, std::int64_t edge, std::int64_t count) {
    return linspace(end, detail::pick_axis(x, axis, edge), count, {.endpoint = false, .dtype = x.dtype(), .axis = axis});
  };
  array_list pieces{x};
  if (before > 0) pieces.insert(pieces.begin(), ramp(ends.first, 0, before));
  if (after > 0) pieces.push_back(flip(ramp(ends.second, x.shape(axis) - 1, after), axis));
  return concatenate(pieces, {.axis = axis});
}

array statistic(const std::string& mode, const array& x, int axis) {
  const bool whole = x.dtype().kind() == 'i' || x.dtype().kind() == 'u';
  if (mode == "maximum") return max(x, {.axis = axis, .keepdims = true});
  if (mode == "minimum") return min(x, {.axis = axis, .keepdims = true});
  const array value = mode == "mean" ? mean(x, {.axis = axis, .keepdims = true}) : median(x, {.axis = axis, .keepdims = true});
  return in_type_of(x, whole ? rint(value) : value);
}

array of_statistics(const array& x, int axis, std::int64_t before, std::int64_t after, const std::string& mode,
                    std::optional<std::pair<std::int64_t, std::int64_t>> lengths) {
  const std::int64_t n = x.shape(axis);
  const std::int64_t left = lengths ? std::min(lengths->first, n) : n, right = lengths ? std::min(lengths->second, n) : n;
  auto side = [&](const array& value, std::int64_t width) {
    dims shape = x.shape();
    shape[axis] = width;
    return broadcast_to(value, shape);
  };
  const array low = statistic(mode, slice_axis(x, axis, 0, left), axis);
  const array high = left == n && right == n ? low : statistic(mode, slice_axis(x, axis, n - right, n), axis);
  return concatenate({side(low, before), x, side(high, after)}, {.axis = axis});
}

}  // namespace

array pad(const operand& a, const pad_widths& given, const pad_options& o) {
  const location_scope scope(a.where());
  const array original = detail::to_array(a);
  if (isfortran(original)) return copy(pad(detail::contiguous_copy(original), given, o), 'F');
  const std::string mode = o.mode;
  const widths pairs = counts_per_axis(given, original.ndim());
  const bool statistics = mode == "maximum" || mode == "minimum" || mode == "mean" || mode == "median";
  const bool mirrors = mode == "reflect" || mode == "symmetric";
  const bool odd = mirrors && std::string(o.reflect_type) == "odd";
  if (mode == "empty") return of_one_constant(original, pairs, 0);
  if (mode == "constant") {
    const auto& values = o.constant_values.pairs();
    const bool one = values.size() == 1 && !values[0].first.is_array() && !values[0].second.is_array() &&
                     values[0].first.kind() == values[0].second.kind() && values[0].first.real() == values[0].second.real() &&
                     values[0].first.imag() == values[0].second.imag();
    if (one) return of_one_constant(original, pairs, fitting(values[0].first, original.dtype()));
    return of_constants(original, pairs, per_axis(values, original.ndim()));
  }
  if (!statistics && !mirrors && mode != "edge" && mode != "wrap" && mode != "linear_ramp")
    throw ValueError("pad", "mode '" + mode + "' is not supported");
  if (mirrors && !odd && std::string(o.reflect_type) != "even")
    throw ValueError("pad", "reflect_type must be 'even' or 'odd': got '" + std::string(o.reflect_type) + "'.");
  const auto ends = per_axis(o.end_values.pairs(), original.ndim());
  std::optional<widths> lengths;
  if (o.stat_length) lengths = counts_per_axis(*o.stat_length, original.ndim());
  if (lengths && (mode == "maximum" || mode == "minimum"))
    for (const auto& [left, right] : *lengths)
      if (left == 0 || right == 0) throw ValueError("pad", "stat_length of 0 yields no value for padding");
  const bool no_elements = original.size() == 0;
  array x = original;
  const bool others = statistics || odd || mode == "linear_ramp" || no_elements;
  if (!others && is_beside(pairs, original.shape(), mode)) return of_neighbours(original, pairs, mode);
  for (int i = 0; i < x.ndim(); ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    const auto& [before, after] = pairs[k];
    if (before == 0 && after == 0) continue;
    if (x.shape(i) == 0)
      throw ValueError("pad", "can't extend empty axis " + std::to_string(i) + " using modes other than 'constant' or 'empty'");
    if (no_elements) {
      dims shape = x.shape();
      shape[i] += before + after;
      x = zeros(shape, x.dtype());
    } else if (odd) {
      x = mirrored_odd(x, i, before, after, mode == "symmetric");
    } else if (mode == "linear_ramp") {
      x = of_ramps(x, i, before, after, ends[k]);
    } else if (statistics) {
      x = of_statistics(x, i, before, after, mode, lengths ? std::optional((*lengths)[k]) : std::nullopt);
    } else {
      x = of_places(x, i, before, after, mode);
    }
  }
  return original.shape() == x.shape() ? copy(x) : x;
}

}  // namespace numjit
