// Indexing: np::slice, np::_, np::newaxis, np::ellipsis, integer arrays and boolean masks.
//
//   a(1, np::slice(0, 4), np::_)     integers and slices: a view, as in NumPy
//   a(np::ellipsis, np::newaxis)     new axes
//   a(mask)   a(np::_, rows)         a boolean mask or integer arrays: a gathered copy when read,
//                                    the elements themselves when written:
//   a(mask) = 0;   a(rows) += 1;
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <numjit/array/array.h>

namespace numjit {

/// Python's None: an omitted slice bound, an omitted axis or other optional value, and as an index a new axis.
struct none_t {
  template <class T>
  constexpr operator std::optional<T>() const {
    return std::nullopt;
  }
};
inline constexpr none_t none{};
/// A new axis of length 1: `a(np::newaxis)`, `a(np::_, np::newaxis)`.
inline constexpr none_t newaxis{};
struct whole_axis_t {};
/// A whole axis, Python's `:`.
inline constexpr whole_axis_t _{};
struct ellipsis_t {};
/// As many whole axes as are left, Python's `...`.
inline constexpr ellipsis_t ellipsis{};

/// One bound of a slice: an integer or np::none.
class slice_bound {
 public:
  static constexpr std::int64_t omitted = std::numeric_limits<std::int64_t>::min();
  constexpr slice_bound(none_t) {}
  template <std::integral T>
    requires(weak_scalar<T> && !std::same_as<T, bool>)
  constexpr slice_bound(T value) : value_(static_cast<std::int64_t>(value)) {}
  constexpr std::int64_t value() const { return value_; }

 private:
  std::int64_t value_ = omitted;
};

/// Python's slice: `np::slice(stop)`, `np::slice(start, stop)`, `np::slice(start, stop, step)`, each
/// an integer (negative counts from the end) or np::none. ValueError for step 0:
/// "slice step cannot be zero".
class slice {
 public:
  explicit constexpr slice(slice_bound stop_) : stop(stop_.value()) {}
  constexpr slice(slice_bound start_, slice_bound stop_, slice_bound step_ = none)
      : start(start_.value()), stop(stop_.value()), step(step_.value()) {}
  std::int64_t start = slice_bound::omitted;
  std::int64_t stop = slice_bound::omitted;
  std::int64_t step = slice_bound::omitted;
};

/// One entry of an indexing expression. Lives only as long as the expression.
class index {
 public:
  enum class kind_t : std::uint8_t { integer, slice, whole, newaxis, ellipsis, array };

  template <std::integral T>
    requires(weak_scalar<T> && !std::same_as<T, bool>)
  index(T value) : kind_(kind_t::integer), start_(static_cast<std::int64_t>(value)) {}
  index(const numjit::slice& s)
      : kind_(kind_t::slice), start_(s.start), stop_(s.stop), step_(s.step) {}
  index(whole_axis_t) : kind_(kind_t::whole) {}
  index(none_t) : kind_(kind_t::newaxis) {}
  index(ellipsis_t) : kind_(kind_t::ellipsis) {}
  index(const numjit::array& a) : kind_(kind_t::array), array_(a.get()) {}
  index(bool) = delete;  // a boolean index is an array: np::True_
  index(double) = delete;

  kind_t kind() const { return kind_; }
  std::int64_t start() const { return start_; }
  std::int64_t stop() const { return stop_; }
  std::int64_t step() const { return step_; }
  node* array_node() const { return array_; }

 private:
  kind_t kind_;
  std::int64_t start_ = slice_bound::omitted, stop_ = slice_bound::omitted,
               step_ = slice_bound::omitted;
  node* array_ = nullptr;
};

/// Truth values as arrays (0-D bool), for indexing among other things: `a(np::True_)` has shape (1, ...).
extern const array True_, False_;

namespace detail {

/// What an indexed_array remembers: the array, the indices, and its place among those not read yet.
struct pending_index;
struct pending_index_deleter {
  void operator()(pending_index* p) const noexcept;
};

array index_view(const array& a, const index* entries, int n, const location& where);
/// Gathers every indexed_array of this thread that was not read yet: called before anything is
/// written, so that `auto y = x(mask); x(mask) = 0;` leaves y the old values.
void settle_pending();

}  // namespace detail

/// The result of indexing by a boolean mask or by integer arrays. Read, it is an array (a copy, as in
/// NumPy); assigned to or updated in place while it is still unnamed, it writes the selected elements
/// of the array it came from:
///   auto y = x(mask);     // a copy
///   x(mask) = 0;          // a store
///   x(rows, 1) += 2;      // gather, add, store; of repeated indices the last one counts
/// The elements are gathered at the first read, and at the latest before the next write of any array
/// on this thread; a pure store gathers nothing. Concrete index arrays are checked at once, lazy ones
/// when they run.
/// Several masks stand for the places of their true elements, as in NumPy. A truth value (a 0-D mask: `np::True_`,
/// `np::array(a > b)` of numbers) selects all or nothing, along a new axis of length 1 or 0.
/// Errors: IndexError for an index out of bounds, a mask of another shape, a float index, index arrays
/// (masks counted as their places) that do not broadcast.
class indexed_array : public array {
 public:
  indexed_array(const array& source, const index* entries, int n, const location& where);
  indexed_array(const indexed_array& other) : array(other) {}
  indexed_array(indexed_array&& other) : array(std::move(other)) {}

  // A variable is rebound, an unnamed result is stored to.
  indexed_array& operator=(const array& other) &;
  indexed_array& operator=(array&& other) &;
  indexed_array& operator=(const indexed_array& other) &;
  indexed_array& operator=(indexed_array&& other) &;
  indexed_array& operator=(const operand& value) &&;
  indexed_array& operator=(const array& value) && { return std::move(*this) = operand(value); }
  indexed_array& operator=(const indexed_array& value) && {
    return std::move(*this) = operand(value);
  }

  using array::operator+=, array::operator-=, array::operator*=, array::operator/=,
      array::operator%=, array::operator&=, array::operator|=, array::operator^=,
      array::operator<<=, array::operator>>=;
  indexed_array&& operator+=(const operand& value) &&;
  indexed_array&& operator-=(const operand& value) &&;
  indexed_array&& operator*=(const operand& value) &&;
  indexed_array&& operator/=(const operand& value) &&;
  indexed_array&& operator%=(const operand& value) &&;
  indexed_array&& operator&=(const operand& value) &&;
  indexed_array&& operator|=(const operand& value) &&;
  indexed_array&& operator^=(const operand& value) &&;
  indexed_array&& operator<<=(const operand& value) &&;
  indexed_array&& operator>>=(const operand& value) &&;

  /// For the library: gathers if that has not happened yet.
  void settle();

 private:
  void remember(const array& source, const index* entries, int n, const location& where);
  void update(int op, const operand& value);
  std::unique_ptr<detail::pending_index, detail::pending_index_deleter> pending_;
};

namespace detail {
template <class... I>
array::index_result<I...> index_call(const array& a, const location& where, const I&... i) {
  const index entries[] = {index(i)...};
  constexpr int n = static_cast<int>(sizeof...(I));
  if constexpr (std::is_same_v<array::index_result<I...>, array>)
    return index_view(a, entries, n, where);
  else
    return indexed_array(a, entries, n, where);
}
}  // namespace detail

template <class I0>
array::index_result<I0> array::operator()(const I0& i0, location where) const {
  return detail::index_call(*this, where, i0);
}
template <class I0, class I1>
array::index_result<I0, I1> array::operator()(const I0& i0, const I1& i1, location where) const {
  return detail::index_call(*this, where, i0, i1);
}
template <class I0, class I1, class I2>
array::index_result<I0, I1, I2> array::operator()(const I0& i0, const I1& i1, const I2& i2,
                                                  location where) const {
  return detail::index_call(*this, where, i0, i1, i2);
}
template <class I0, class I1, class I2, class I3>
array::index_result<I0, I1, I2, I3> array::operator()(const I0& i0, const I1& i1, const I2& i2,
                                                      const I3& i3, location where) const {
  return detail::index_call(*this, where, i0, i1, i2, i3);
}
template <class... I>
  requires(sizeof...(I) > 4 && sizeof...(I) <= max_rank)
array::index_result<I...> array::operator()(const I&... i) const {
  return detail::index_call(*this, location{}, i...);
}
template <class I0>
array::index_result<I0> array::operator[](const I0& i0) const {
  return detail::index_call(*this, location{}, i0);
}

/// N arrays that a function returns together, as NumPy's tuples: for structured bindings, by
/// number, and wherever a vector of arrays is taken.
///   auto [x, y] = np::meshgrid(np::arange(3), np::arange(2));
template <std::size_t N>
struct array_tuple : std::array<array, N> {
  operator std::vector<array>() const {
    return {this->begin(), this->end()};
  }  // NOLINT(google-explicit-constructor)
};
template <std::size_t N>
indexed_array array::operator()(const array_tuple<N>& indices, location where) const {
  return (*this)(std::vector<array>(indices), where);
}
template <std::size_t N>
indexed_array array::operator[](const array_tuple<N>& indices) const {
  return (*this)[std::vector<array>(indices)];
}
namespace detail {
template <std::size_t... K>
array_tuple<sizeof...(K)> tuple_of_parts(const std::vector<array>& parts,
                                         std::index_sequence<K...>) {
  return {{parts[K]...}};
}
/// The first N of a list, which has them.
template <std::size_t N>
array_tuple<N> first_of(const std::vector<array>& parts) {
  return tuple_of_parts(parts, std::make_index_sequence<N>());
}
}  // namespace detail

}  // namespace numjit

// What structured bindings ask for.
template <std::size_t N>
struct std::tuple_size<numjit::array_tuple<N>> : std::integral_constant<std::size_t, N> {};
template <std::size_t I, std::size_t N>
struct std::tuple_element<I, numjit::array_tuple<N>> {
  using type = numjit::array;
};
