// The option structs of the NumPy surface: fields in the order of NumPy's signatures, to be given as
// designated initialisers, e.g. np::sum(a, {.axis = 1, .dtype = np::float64}).
#pragma once

#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <numjit/array/array.h>
#include <numjit/np_indexing.h>

namespace numjit {

/// The axis argument of reductions: an integer, a list of integers, or np::none (all axes).
class axis_list {
 public:
  axis_list() = default;
  axis_list(none_t) {}
  template <std::integral T>
    requires(weak_scalar<T> && !std::same_as<T, bool>)
  axis_list(T axis) : given_(true), axes_{static_cast<std::int64_t>(axis)} {}
  axis_list(std::initializer_list<std::int64_t> axes) : given_(true), axes_(axes) {}
  axis_list(const dims& axes) : given_(true), axes_(axes) {}

  /// All axes are meant.
  bool all() const { return !given_; }
  const dims& list() const { return axes_; }

 private:
  bool given_ = false;
  dims axes_;
};

/// What an axis argument is made of, braces aside: they are options.
template <class T>
concept axis_argument = std::convertible_to<const T&, axis_list> && !std::same_as<T, array>;

/// A shape argument: one integer, a list, or np::dims.
class shape_list : public dims {
 public:
  template <std::integral T>
    requires(weak_scalar<T> && !std::same_as<T, bool>)
  shape_list(T extent) : dims{static_cast<std::int64_t>(extent)} {}
  shape_list(std::initializer_list<std::int64_t> extents) : dims(extents) {}
  shape_list(const dims& shape) : dims(shape) {}
};

/// Indices in any number: an integer, a list, a vector, or an array of integers, whose values are needed at once. TypeError:
/// "indices must be integers: got an array of float64".
class index_list {
 public:
  template <std::integral T>
  requires(weak_scalar<T> && !std::same_as<T, bool>) index_list(T index) : values_{static_cast<std::int64_t>(index)} {}
  index_list(std::initializer_list<std::int64_t> values) : values_(values) {}
  index_list(std::vector<std::int64_t> values) : values_(std::move(values)) {}
  index_list(const dims& values) : values_(values.begin(), values.end()) {}
  index_list(const array& values);

  const std::vector<std::int64_t>& values() const { return values_; }

 private:
  std::vector<std::int64_t> values_;
};

/// How many parts there are, by an integer, or where they begin, by indices.
class indices_or_sections {
 public:
  template <std::integral T>
  requires(weak_scalar<T> && !std::same_as<T, bool>) indices_or_sections(T sections)
      : sections_(static_cast<std::int64_t>(sections)) {}
  indices_or_sections(std::initializer_list<std::int64_t> starts) : starts_(starts) {}
  indices_or_sections(std::vector<std::int64_t> starts) : starts_(std::move(starts)) {}
  indices_or_sections(const dims& starts) : starts_(starts.begin(), starts.end()) {}
  /// Of integers; one without axes is a number of parts.
  indices_or_sections(const array& given);

  const std::optional<std::int64_t>& sections() const { return sections_; }
  const std::vector<std::int64_t>& starts() const { return starts_; }

 private:
  std::optional<std::int64_t> sections_;
  std::vector<std::int64_t> starts_;
};

/// A dtype that may be left out.
using optional_dtype = std::optional<numjit::dtype>;

/// A parameter type for overloads beside those that take options. They are templates (`template <class A = array>`), so
/// that `{.name = value}` means the options also where a compiler would take it for a list.
template <class A>
using beside_options = const std::type_identity_t<A>&;

/// Options that are nothing but axes.
struct axes_options {
  axis_list axis{};
};

/// Options of ufuncs. `out` is written in place and returned; where `where` (bool) is false, `out`
/// keeps its old elements (a fresh result has undefined ones); `dtype` is that of the result.
struct ufunc_options {
  array out{};
  array where{};
  optional_dtype dtype{};
};

/// Options of sum, prod, max, min, any, all, mean.
struct reduce_options {
  axis_list axis{};
  optional_dtype dtype{};
  array out{};
  bool keepdims = false;
  std::optional<operand> initial{};
  array where{};
};

/// Options of var and std: the divisor is n - ddof. `mean`: taken for that of the elements, with the reduced axes kept.
/// ValueError: "ddof and correction can't be provided simultaneously."
struct var_options {
  axis_list axis{};
  optional_dtype dtype{};
  array out{};
  double ddof = 0;
  bool keepdims = false;
  array where{};
  std::optional<operand> mean{};
  std::optional<double> correction{};  // another name of ddof
};

/// Options of argmax and argmin; without axis the index is into the flattened array.
struct arg_options {
  std::optional<std::int64_t> axis{};
  array out{};
  bool keepdims = false;
};

/// Options of cumsum and cumprod; without axis the input is flattened.
struct scan_options {
  std::optional<std::int64_t> axis{};
  optional_dtype dtype{};
  array out{};
};

}  // namespace numjit
