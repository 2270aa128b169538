// Reading values out of arrays: the templates behind array::item, data and tolist.
#pragma once

#include <complex>
#include <concepts>
#include <type_traits>
#include <vector>

#include <numjit/np_creation.h>

namespace numjit {
namespace detail {

/// One element, in the widest type of its kind.
struct element_value {
  char kind = 'f';  // b i u f c
  std::int64_t i = 0;
  std::uint64_t u = 0;
  double re = 0, im = 0;
};
/// The single element of an array. ValueError if there are more:
/// "can only convert an array of size 1 to a Python scalar".
element_value single_element(const array& a, const location& where);
/// The element at an index into the flattened array. IndexError if there is none.
element_value flat_element(const array& a, std::int64_t index, const location& where);
[[noreturn]] void throw_cannot_hold(const array& a, const char* what);
/// Address of the first element of an array of exactly that dtype, ready to be written.
void* checked_data(const array& a, dtype_id type, const location& where);
/// Elements in C order, cast exactly to `type` (TypeError if the dtype can't be held).
void copy_out(const array& a, dtype_id type, void* to, const location& where);

template <class T>
T convert_element(const array& a, const element_value& v) {
  if constexpr (std::is_same_v<T, bool>) {
    if (v.kind == 'b') return v.i != 0;
    throw_cannot_hold(a, "bool");
  } else if constexpr (std::is_integral_v<T>) {
    if (v.kind == 'u') {
      if (v.u <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return static_cast<T>(v.u);
    } else if (v.kind == 'b' || v.kind == 'i') {
      T t = static_cast<T>(v.i);
      if (static_cast<std::int64_t>(t) == v.i && (t < T(0)) == (v.i < 0)) return t;
    }
    throw_cannot_hold(a, "the integer type asked for");
  } else if constexpr (std::is_floating_point_v<T>) {
    if (v.kind == 'c') throw_cannot_hold(a, "a real type");
    if (v.kind == 'f') return static_cast<T>(v.re);
    return v.kind == 'u' ? static_cast<T>(v.u) : static_cast<T>(v.i);
  } else {
    using R = typename T::value_type;
    if (v.kind == 'c') return T(static_cast<R>(v.re), static_cast<R>(v.im));
    if (v.kind == 'f') return T(static_cast<R>(v.re));
    return T(v.kind == 'u' ? static_cast<R>(v.u) : static_cast<R>(v.i));
  }
}
}  // namespace detail

template <class T>
T array::item(location where) const {
  return detail::convert_element<T>(*this, detail::single_element(*this, where));
}

template <class T, std::integral I>
  requires(!std::same_as<I, bool>)
T array::item(I flat_index, location where) const {
  return detail::convert_element<T>(*this, detail::flat_element(*this, static_cast<std::int64_t>(flat_index), where));
}

template <class T>
T* array::data(location where) const {
  return static_cast<T*>(detail::checked_data(*this, detail::dtype_of_element<T>(), where));
}

template <class T>
std::vector<T> array::tolist(location where) const {
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size()));
    detail::copy_out(*this, dtype_id::bool_, bytes.data(), where);
    return std::vector<bool>(bytes.begin(), bytes.end());
  } else {
    std::vector<T> values(static_cast<std::size_t>(size()));
    detail::copy_out(*this, detail::dtype_of_element<T>(), values.data(), where);
    return values;
  }
}

/// Says that others look at the array's memory from now on, by an address that was taken before a compiled function runs, or
/// that is kept longer than it. There, operations on this memory run at once instead of being fused, so that others see
/// what they store, and they what others stored. There is no way back. Pending work runs first.
///   double* p = a.data<double>();  np::share(a);  f(a);  // f may read *p
/// Addresses taken inside a compiled function count by themselves until it returns.
void share(const array& a, location where = location::here());

template <class A>
array array::squeeze(const std::type_identity_t<A>& axis, location where) const {
  return squeeze(axes_options{axis}, where);
}

// ---- reductions along one axis: np::sum(a, 0), a.sum(0) ----

#define NUMJIT_ALONG_AXIS(name, options)                                 \
  template <std::integral Axis>                                          \
  array name(const operand& a, Axis axis) {                              \
    return name(a, options{.axis = static_cast<std::int64_t>(axis)});    \
  }                                                                      \
  template <std::integral Axis>                                          \
  array array::name(Axis axis, location where) const {                   \
    return name(options{.axis = static_cast<std::int64_t>(axis)}, where); \
  }
NUMJIT_AXIS_REDUCTIONS(NUMJIT_ALONG_AXIS)
#undef NUMJIT_ALONG_AXIS

}  // namespace numjit
