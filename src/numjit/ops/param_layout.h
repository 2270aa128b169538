// The words of op_params: an encoder and a decoder for each op's. What they mean stands in the op's row, as the schema that
// texts and checks go by (op_text.h).
//
// Masks of reductions (where=) travel in op_call::where_mask.
#pragma once

#include <limits>
#include <optional>
#include <span>

#include <numjit/ops/params.h>

namespace numjit::layout {

/// Stands for an omitted value: a slice bound not given, axis=None.
inline constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

/// A number as a parameter: an integer, an integer above int64, a double or a complex.
struct number {
  enum kind_t : std::int64_t { integer, above_int64, real, complex_ };
  kind_t kind = integer;
  std::int64_t bits = 0;  // integer value, or the bits of the double
  double imag = 0;

  static number of(std::int64_t v) { return {integer, v, 0}; }
  static number of(double v) { return {real, std::bit_cast<std::int64_t>(v), 0}; }
  static number of(double re, double im) { return {complex_, std::bit_cast<std::int64_t>(re), im}; }
  /// The value of a weak scalar operand.
  template <class Operand>
  static number of_literal(const Operand& o) {
    if (o.above_int64()) return {above_int64, o.int_value(), 0};
    if (static_cast<int>(o.kind()) <= 2) return of(o.int_value());  // weak_kind bool_, int_
    return static_cast<int>(o.kind()) == 3 ? of(o.real()) : of(o.real(), o.imag());
  }
  double as_double() const {
    if (kind == integer) return static_cast<double>(bits);
    if (kind == above_int64) return static_cast<double>(static_cast<std::uint64_t>(bits));
    return std::bit_cast<double>(bits);
  }
  bool is_integer() const { return kind == integer || kind == above_int64; }
};
inline void push(op_params& p, const number& v) {
  p.push(static_cast<std::int64_t>(v.kind)).push(v.bits).push(v.imag);
}
inline number number_at(const op_params& p, int at) {
  return {static_cast<number::kind_t>(p[at]), p[at + 1], p.real(at + 2)};
}
inline constexpr int number_words = 3;

// ---- index ----
/// One entry of basic indexing. Ellipsis is expanded by the caller, so that each entry but newaxis
/// consumes the next input axis; axes without an entry are taken whole. Bounds are raw (negative, out
/// of range, omitted): they are resolved against the length when the op runs.
struct index_entry {
  enum kind_t : std::int64_t { integer, slice, newaxis, whole };
  kind_t kind = whole;
  std::int64_t start = none;  // integer: the index
  std::int64_t stop = none;
  std::int64_t step = none;   // none or not zero

  static index_entry at(std::int64_t i) { return {integer, i, none, none}; }
  static index_entry range(std::int64_t start, std::int64_t stop, std::int64_t step = none) {
    return {slice, start, stop, step};
  }
  static index_entry all() { return {}; }
  static index_entry new_axis() { return {newaxis, none, none, none}; }
};
/// Words: kind, then 1 word for an integer, 3 for a slice, 0 else (64 words at most).
inline void push(op_params& p, const index_entry& e) {
  p.push(static_cast<std::int64_t>(e.kind));
  if (e.kind == index_entry::integer) p.push(e.start);
  if (e.kind == index_entry::slice) p.push(e.start).push(e.stop).push(e.step);
}
inline op_params index_params(std::span<const index_entry> entries) {
  op_params p;
  for (const index_entry& e : entries) push(p, e);
  return p;
}
/// Reads the entry at word `at` and moves `at` behind it.
inline index_entry next_index_entry(const op_params& p, int& at) {
  index_entry e;
  e.kind = static_cast<index_entry::kind_t>(p[at++]);
  if (e.kind == index_entry::integer) e.start = p[at++];
  if (e.kind == index_entry::slice) {
    e.start = p[at++];
    e.stop = p[at++];
    e.step = p[at++];
  }
  return e;
}
/// First element and length of start:stop:step on an axis of `n` elements (Python's slice.indices).
struct slice_range { std::int64_t first, length, step; };
inline slice_range resolve_slice(const index_entry& e, std::int64_t n) {
  std::int64_t step = e.step == none ? 1 : e.step;
  std::int64_t low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
  auto clamp = [&](std::int64_t v) {
    if (v < 0) v += n;
    return v < low ? low : v > high ? high : v;
  };
  std::int64_t first = e.start == none ? (step < 0 ? high : low) : clamp(e.start);
  std::int64_t stop = e.stop == none ? (step < 0 ? low : high) : clamp(e.stop);
  // Unsigned distances: a step of the lowest int64 must not overflow.
  std::uint64_t length = 0;
  if (step > 0 && stop > first)
    length = (static_cast<std::uint64_t>(stop - first) - 1) / static_cast<std::uint64_t>(step) + 1;
  if (step < 0 && first > stop)
    length = (static_cast<std::uint64_t>(first - stop) - 1) / (0 - static_cast<std::uint64_t>(step)) + 1;
  return {first, static_cast<std::int64_t>(length), step};
}

// ---- views ----
/// reshape_view, broadcast_to, sliding_window_view
inline op_params shape_params(const dims& shape) { return op_params().push(shape); }
inline op_params axes_params(const dims& axes) { return op_params().push(axes); }     // transpose
inline dims list_of(const op_params& p) { return p.size() ? p.list(0) : dims(); }
inline op_params diagonal_params(std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
  return op_params().push(offset).push(axis1).push(axis2);
}

// ---- casts and creation ----
inline op_params type_params(dtype_id t) { return op_params().type(t); }  // astype; dtype= of ufuncs
inline op_params full_params(const dims& shape, const number& value, dtype_id t) {
  op_params p;
  push(p, value);
  return std::move(p.push(shape).type(t));
}
struct full_values { number value; dims shape; };
inline full_values full_of(const op_params& p) { return {number_at(p, 0), p.list(number_words)}; }

inline op_params arange_params(const number& start, const number& stop, const number& step, dtype_id t) {
  op_params p;
  push(p, start), push(p, stop), push(p, step);
  return std::move(p.type(t));
}
struct arange_values { number start, stop, step; };
inline arange_values arange_of(const op_params& p) {
  return {number_at(p, 0), number_at(p, 3), number_at(p, 6)};
}

inline op_params linspace_params(const number& start, const number& stop, std::int64_t num, bool endpoint,
                                 dtype_id t) {
  op_params p;
  push(p, start), push(p, stop);
  return std::move(p.push(num).push(static_cast<std::int64_t>(endpoint)).type(t));
}
struct linspace_values { number start, stop; std::int64_t num; bool endpoint; };
inline linspace_values linspace_of(const op_params& p) {
  return {number_at(p, 0), number_at(p, 3), p[6], p[7] != 0};
}

inline op_params eye_params(std::int64_t n, std::int64_t m, std::int64_t k, dtype_id t) {
  return std::move(op_params().push(n).push(m).push(k).type(t));
}

// ---- joining, gathering, sorting ----
inline op_params axis_params(std::int64_t axis) { return op_params().push(axis); }  // concatenate, scans
inline op_params roll_params(std::int64_t axis, std::int64_t shift) { return op_params().push(axis).push(shift); }
enum class take_mode : std::int64_t { raise, wrap, clip };
inline op_params take_params(std::int64_t axis, take_mode mode = take_mode::raise) {
  return op_params().push(axis).push(static_cast<std::int64_t>(mode));
}
/// Of an index along the first axis, which is that axis of the array that is indexed.
inline op_params index_params(int axis_of_source) { return std::move(take_params(0).push(std::int64_t{axis_of_source})); }
/// All kinds of sorting give equal results; the second word counts the places of a partition.
inline op_params sort_params(std::int64_t axis) { return op_params().push(axis).push(std::int64_t{0}); }

// ---- counting ----
inline op_params side_params(bool right) { return op_params().push(std::int64_t{right}); }
inline op_params count_params(std::int64_t n) { return op_params().push(n); }  // bincount, histogram_counts
inline op_params edges_params(std::int64_t bins, bool two_dimensional, dtype_id t) {
  return std::move(op_params().push(bins).push(std::int64_t{two_dimensional}).type(t));
}
/// The one integer of searchsorted, digitize, bincount, histogram_*: 0 where the params are empty.
inline std::int64_t first_word(const op_params& p) { return p.size() ? p[0] : 0; }

// ---- reductions and scans ----
struct reduction {
  std::optional<dims> axes;  // nullopt: all of them; raw, may be negative
  bool keepdims = false;
  std::optional<number> initial;
  std::optional<dtype_id> dtype;
};
inline op_params reduction_params(const reduction& r) {
  op_params p;
  p.push(std::int64_t{r.keepdims} | (r.axes ? 0 : 2) | (r.initial ? 4 : 0));
  p.push(r.axes.value_or(dims()));
  if (r.initial) push(p, *r.initial);
  if (r.dtype) p.type(*r.dtype);
  return p;
}
inline reduction reduction_of(const op_params& p) {
  reduction r;
  if (p.size() == 0) return r;  // all axes
  r.keepdims = p[0] & 1;
  if (!(p[0] & 2)) r.axes = p.list(1);
  if (p[0] & 4) r.initial = number_at(p, 2 + static_cast<int>(p[1]));
  if (p.has_type()) r.dtype = p.type();
  return r;
}
inline op_params arg_params(std::int64_t axis, bool keepdims) {
  return op_params().push(axis).push(std::int64_t{keepdims});
}
/// axis of arg reductions, scans, take, sort: `none` where the params are empty.
inline std::int64_t axis_of(const op_params& p) { return p.size() ? p[0] : none; }
/// By how much elements of an axis of length n move: 0 to n - 1.
inline std::int64_t shift_of(const op_params& p, std::int64_t n) { return n > 0 ? (p[1] % n + n) % n : 0; }

}  // namespace numjit::layout
