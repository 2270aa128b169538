// Making arrays: filled, ranges, from functions, from other arrays; constants.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <limits>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <numjit/base/location_scope.h>
#include <numjit/np_options.h>

namespace numjit {

inline constexpr double pi = 3.14159265358979323846;
inline constexpr double e = 2.71828182845904523536;
inline constexpr double euler_gamma = 0.57721566490153286061;
inline constexpr double inf = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr bool little_endian = std::endian::native == std::endian::little;

/// NumPy's name of the class.
using ndarray = array;
/// Is it a number rather than an array? Arrays without axes are arrays.
template <class T>
constexpr bool isscalar(const T&) {
  return weak_scalar<T> || std::is_convertible_v<const T&, std::string_view>;
}

struct filled_options {
  optional_dtype dtype{};
  char order = 'C';  // or 'F': the first axis changes fastest in memory
  std::optional<std::string> device{};
};
/// New arrays of a shape (an integer or a list), float64 unless a dtype is given. `.device` puts them on a device, as it
/// does below.
///   np::zeros({2, 3});  np::ones(4, {.dtype = np::int32});  np::full({2}, 7);  np::empty({2, 3}, {.order = 'F'})
/// ValueError: "negative dimensions are not allowed", "only 'C' or 'F' order is permitted". `full` takes the dtype of its
/// value.
array zeros(const shape_list& shape, const filled_options& options = {},
            location where = location::here());
array ones(const shape_list& shape, const filled_options& options = {},
           location where = location::here());
array empty(const shape_list& shape, const filled_options& options = {},
            location where = location::here());
array full(const shape_list& shape, const operand& value, const filled_options& options = {});
inline array zeros(const shape_list& shape, numjit::dtype t, location where = location::here()) {
  return zeros(shape, filled_options{.dtype = t}, where);
}
inline array ones(const shape_list& shape, numjit::dtype t, location where = location::here()) {
  return ones(shape, filled_options{.dtype = t}, where);
}
inline array empty(const shape_list& shape, numjit::dtype t, location where = location::here()) {
  return empty(shape, filled_options{.dtype = t}, where);
}
/// The dtype second or third, as NumPy takes it: `np::full({2}, 7, np::float32)`.
template <std::same_as<numjit::dtype> D>
array full(const shape_list& shape, const operand& value, D type) {
  return full(shape, value, filled_options{.dtype = type});
}
/// A shape that may be left out.
class optional_shape : public std::optional<shape_list> {
 public:
  using std::optional<shape_list>::optional;
  optional_shape(std::initializer_list<std::int64_t> extents) : std::optional<shape_list>(shape_list(extents)) {}
};
struct like_options {
  optional_dtype dtype{};
  char order = 'K';  // 'C', 'F', 'A' or 'K', as of np::copy
  optional_shape shape{};
  std::optional<std::string> device{};
};
/// The same with shape, dtype and order in memory of another array.
array zeros_like(const operand& a, const like_options& options = {});
array ones_like(const operand& a, const like_options& options = {});
array empty_like(const operand& a, const like_options& options = {});
array full_like(const operand& a, const operand& value, const like_options& options = {});

template <std::same_as<numjit::dtype> D>
array zeros_like(const operand& a, D type) {
  return zeros_like(a, like_options{.dtype = type});
}
template <std::same_as<numjit::dtype> D>
array ones_like(const operand& a, D type) {
  return ones_like(a, like_options{.dtype = type});
}
template <std::same_as<numjit::dtype> D>
array empty_like(const operand& a, D type) {
  return empty_like(a, like_options{.dtype = type});
}

/// Evenly spaced values in [start, stop): int64 for integer arguments, else float64.
///   np::arange(5) -> [0 1 2 3 4];  np::arange(1, 2, 0.25) -> [1. 1.25 1.5 1.75]
/// ZeroDivisionError for step 0.
array arange(const operand& stop, const array_options& options = {});
array arange(const operand& start, const operand& stop, const array_options& options = {});
array arange(const operand& start, const operand& stop, const operand& step,
             const array_options& options = {});
struct linspace_options {
  bool endpoint = true;
  optional_dtype dtype{};
  std::int64_t axis = 0;  // along which the values lie, between arrays
  std::optional<std::string> device{};
};
/// `num` evenly spaced values from start to stop, which may be arrays. ValueError if num < 0.
///   np::linspace(0, 1, 5) -> [0. 0.25 0.5 0.75 1.]
array linspace(const operand& start, const operand& stop, std::int64_t num = 50,
               const linspace_options& options = {});
struct linspace_result {
  array samples, step;
};
/// The same with the distance between the values, as NumPy's retstep=True gives it: NaN where there is one value or none.
///   np::linspace_retstep(0, 1, 5).step -> 0.25
linspace_result linspace_retstep(const operand& start, const operand& stop, std::int64_t num = 50,
                                 const linspace_options& options = {});
struct logspace_options {
  bool endpoint = true;
  operand base = 10.0;  // or an array, of which each element has its own sequence
  optional_dtype dtype{};
  std::int64_t axis = 0;
};
/// base ** linspace(start, stop, num).
///   np::logspace(0, 3, 4) -> [1. 10. 100. 1000.]
array logspace(const operand& start, const operand& stop, std::int64_t num = 50,
               double base = 10.0);
array logspace(const operand& start, const operand& stop, std::int64_t num, const logspace_options& options);
using geomspace_options = linspace_options;
/// num values from start to stop in equal ratio: negative, complex and arrays as in NumPy. ValueError: "Geometric
/// sequence cannot include zero".
///   np::geomspace(1, 8, 4) -> [1. 2. 4. 8.]
array geomspace(const operand& start, const operand& stop, std::int64_t num = 50, const geomspace_options& options = {});

struct eye_options {
  std::int64_t M = -1;  // columns; -1: as many as rows
  std::int64_t k = 0;   // diagonal
  optional_dtype dtype{};
  char order = 'C';  // or 'F'
  std::optional<std::string> device{};
};
struct tri_options {
  std::int64_t M = -1;
  std::int64_t k = 0;
  optional_dtype dtype{};
};
/// Ones on the k-th diagonal of an (N, M) matrix.
array eye(std::int64_t N, const eye_options& options = {}, location where = location::here());
inline array eye(std::int64_t N, std::int64_t M, std::int64_t k = 0,
                 location where = location::here()) {
  return eye(N, eye_options{M, k, {}}, where);
}
array identity(std::int64_t n, const array_options& options = {},
               location where = location::here());
/// The k-th diagonal of a matrix (a copy), or the matrix with a vector on its k-th diagonal.
array diag(const operand& v, std::int64_t k = 0);
/// Ones at and below the k-th diagonal of an (N, M) matrix.
array tri(std::int64_t N, const tri_options& options = {}, location where = location::here());
/// The elements at and below (above) the k-th diagonal, zero elsewhere; a vector is each row of a square matrix.
///   np::tril(np::array{1, 2}) -> [[1 0] [1 2]]
/// TypeError for numbers: "tri() missing 1 required positional argument: 'N'".
array tril(const operand& a, std::int64_t k = 0);
array triu(const operand& a, std::int64_t k = 0);
/// Vandermonde matrix: columns are decreasing powers of x.
array vander(const operand& x, std::int64_t N = -1);

struct meshgrid_options {
  bool copy = true;             // without: read-only views of the vectors
  bool sparse = false;          // each of length 1 along the axes of the others
  const char* indexing = "xy";  // or "ij"
};
/// Coordinate matrices of coordinate vectors (copies).
std::vector<array> meshgrid(std::initializer_list<array> vectors, const meshgrid_options& options = {},
                            location where = location::here());
std::vector<array> meshgrid(const std::vector<array>& vectors, const meshgrid_options& options = {},
                            location where = location::here());
/// Grid of indices: shape (ndim, *shape).
array indices(const shape_list& shape, const array_options& options = {},
              location where = location::here());
/// The same as one array an axis, of length 1 along the other axes: NumPy's sparse=True.
std::vector<array> indices_sparse(const shape_list& shape, const array_options& options = {}, location where = location::here());

/// An array whose first axis has N elements, which structured bindings take apart.
template <std::size_t N>
struct stacked_array : array {
  explicit stacked_array(array a) : array(std::move(a)) {}
};
template <std::size_t I, std::size_t N>
array get(const stacked_array<N>& a) {
  return a(static_cast<int>(I));
}

/// `np::mgrid(np::slice(0, 5), np::slice(0, 3))`: dense index grids, stacked along the first axis.
///   auto [y, x] = np::mgrid(np::slice(0, 5), np::slice(0, 3));
struct mgrid_t {
  array operator()(const slice& a) const { return make({&a, 1}); }
  template <class... S>
  requires(sizeof...(S) > 0) stacked_array<1 + sizeof...(S)>
  operator()(const slice& a, const S&... more) const {
    const slice all[] = {a, more...};
    return stacked_array<1 + sizeof...(S)>(make(all));
  }
  static array make(std::span<const slice> slices);
};
inline constexpr mgrid_t mgrid{};
/// Open grids: one array per slice, each broadcastable against the others.
struct ogrid_t {
  template <class... S>
  std::vector<array> operator()(const slice& a, const S&... more) const {
    const slice all[] = {a, more...};
    return make(all);
  }
  static std::vector<array> make(std::span<const slice> slices);
};
inline constexpr ogrid_t ogrid{};

struct asarray_options {
  optional_dtype dtype{};
  char order = 'K';  // 'C', 'F', 'A' or 'K', as of np::copy
  std::optional<std::string> device{};
  std::optional<bool> copy{};  // true: always; false: ValueError where one is needed
};
/// The operand as an array: itself if it is one (of that dtype, order, on that device), else a 0-D array or a copy.
///   np::asarray(x, {.device = "opencl"});  np::asarray(x, {.order = 'F'})
array asarray(const operand& a, const asarray_options& options = {});
template <std::same_as<numjit::dtype> D>
array asarray(const operand& a, D type) {
  return asarray(a, asarray_options{.dtype = type});
}
/// The same, copied only if its elements are not in C order.
array ascontiguousarray(const operand& a, const array_options& options = {});
/// The same for elements in Fortran's order.
array asfortranarray(const operand& a, const array_options& options = {});
/// As asarray, with what is required of it: 'C' or 'F' (the order of the elements), 'W' (may be written), 'O' (owns its
/// memory), 'E' (no subclass: nothing to do), 'A' (aligned: arrays are). ValueError for others, and for 'C' with 'F':
/// "Cannot specify both "C" and "F" order".
///   np::require(x.T(), "C")
array require(const operand& a, std::string_view requirements, const array_options& options = {});
/// As asarray. ValueError: "array must not contain infs or NaNs"
array asarray_chkfinite(const operand& a, const asarray_options& options = {});
/// Another name of asarray: there are no subclasses.
array asanyarray(const operand& a, const asarray_options& options = {});
/// In Fortran's order, and not in C's?
bool isfortran(const array& a);
/// A copy whose axes lie in memory as those of the argument.
array copy(const operand& a);
/// A copy whose elements lie in C's order ('C'), Fortran's ('F'), that of the argument ('K'), or in Fortran's if those of
/// the argument do ('A'). ValueError for other letters: "order must be one of 'C', 'F', 'A', or 'K' (got 'x')"
///   np::copy(np::ones({2, 3}), 'F').strides()  ->  (8, 16)
array copy(const operand& a, char order);
/// An array of the values of a range of numbers: `np::from_values(std::vector<double>{1, 2})`.
template <class T>
array from_values(std::span<const T> values, const shape_list& shape);
template <class T>
array from_values(const std::vector<T>& values) {
  return from_values(std::span<const T>(values), static_cast<std::int64_t>(values.size()));
}
template <class T>
array from_values(const std::vector<T>& values, const shape_list& shape) {
  return from_values(std::span<const T>(values), shape);
}
/// The first `count` values of a range of numbers, all of them without it. ValueError: "iterator too short: ..."
template <class Range>
array fromiter(Range&& range, numjit::dtype type, std::int64_t count = -1, location where = location::here());

namespace detail {
/// For an array that is a copy already.
inline new_array_options of_copy(new_array_options options) {
  options.copy.reset();
  return options;
}
[[noreturn]] void throw_inhomogeneous(std::int64_t rows);
[[noreturn]] void throw_iterator_too_short(std::int64_t expected, std::int64_t got);
/// Axes of an array of `rank` axes from the outermost in memory to the innermost, in an order of 'CFAK', where 'K' and
/// 'A' look at `like` (may be null). ValueError for other letters.
dims memory_axes(const char* op, int rank, const array* like, char order);
/// A new array whose axis i is to become axis axes[i]: the same memory under that layout, owned if nobody else has it.
array permuted_back(array made, const dims& axes);
/// A cast copy whose axes lie in memory by a letter as in np::copy, 'K' and 'A' as those of `like`.
array cast_in_order(const operand& a, dtype_id type, const array& like, char order);
array from_memory(const void* data, dtype_id type, std::int64_t count, const dims& shape);
}  // namespace detail

template <class T>
array from_values(std::span<const T> values, const shape_list& shape) {
  return detail::from_memory(values.data(), detail::dtype_of_element<T>(),
                             static_cast<std::int64_t>(values.size()), shape);
}

template <class E, std::size_t N>
requires(detail::is_element<std::remove_const_t<E>>) array::array(std::span<E, N> values, new_array_options options)
    : array(operand(from_values(std::span<const std::remove_const_t<E>>(values), static_cast<std::int64_t>(values.size()))),
            detail::of_copy(std::move(options))) {}
template <class E, class A>
requires(detail::is_element<E>) array::array(const std::vector<E, A>& values, new_array_options options) {
  if constexpr (std::is_same_v<E, bool>) {  // its bits lie elsewhere than those of an array
    std::vector<std::uint8_t> bytes(values.begin(), values.end());
    const array made = detail::from_memory(bytes.data(), dtype_id::bool_, static_cast<std::int64_t>(bytes.size()),
                                           {static_cast<std::int64_t>(bytes.size())});
    *this = array(operand(made), detail::of_copy(std::move(options)));
  } else {
    *this = array(std::span<const E>(values), std::move(options));
  }
}
template <class E, class A, class B>
requires(detail::is_element<E>) array::array(const std::vector<std::vector<E, A>, B>& rows, new_array_options options) {
  const std::size_t length = rows.empty() ? 0 : rows.front().size();
  std::vector<E> all;
  for (const auto& row : rows) {
    if (row.size() != length) detail::throw_inhomogeneous(static_cast<std::int64_t>(rows.size()));
    all.insert(all.end(), row.begin(), row.end());
  }
  const auto height = static_cast<std::int64_t>(rows.size());
  const array flat(all);
  *this = array(operand(rows.empty() ? flat : flat.reshape(dims{height, static_cast<std::int64_t>(length)})),
                detail::of_copy(std::move(options)));
}

template <class Range>
array fromiter(Range&& range, numjit::dtype type, std::int64_t count, location where) {
  std::vector<std::remove_cvref_t<decltype(*std::begin(range))>> values;
  for (auto&& value : range) {
    if (count >= 0 && static_cast<std::int64_t>(values.size()) == count) break;
    values.push_back(value);
  }
  const auto got = static_cast<std::int64_t>(values.size());
  if (got < count) detail::throw_iterator_too_short(count, got);
  return from_values(values).astype(type, where);
}

/// The array of f(i0, i1, ...) where the arguments are the index grids of `shape` (float64, as in
/// NumPy, unless a dtype is given): f is called once, with arrays.
///   np::fromfunction([](auto i, auto j) { return i + j; }, {2, 2})
template <class F>
array fromfunction(F&& f, const shape_list& shape, const array_options& options = {}, location where = location::here()) {
  const location_scope scope(where);
  const array grid = indices(shape, {options.dtype ? options.dtype : optional_dtype(float64)});
  auto call = [&]<std::size_t... I>(std::index_sequence<I...>) -> array {
    const std::array<array, sizeof...(I)> axes{array(grid(static_cast<int>(I)))...};
    auto result = [&] {
      const user_code_scope users;
      return f(axes[I]...);
    }();
    if constexpr (weak_scalar<decltype(result)>) return full(shape, result);
    else return result;
  };
  if constexpr (std::is_invocable_v<F, array>) {
    if (shape.size() == 1) return call(std::make_index_sequence<1>());
  }
  if constexpr (std::is_invocable_v<F, array, array>) {
    if (shape.size() == 2) return call(std::make_index_sequence<2>());
  }
  if constexpr (std::is_invocable_v<F, array, array, array>) {
    if (shape.size() == 3) return call(std::make_index_sequence<3>());
  }
  if constexpr (std::is_invocable_v<F, array, array, array, array>) {
    if (shape.size() == 4) return call(std::make_index_sequence<4>());
  }
  throw TypeError("fromfunction", "the function does not take one array per axis: got " +
                                      std::to_string(shape.size()) + " axes, expected 1 to 4.");
}

}  // namespace numjit

template <std::size_t N>
struct std::tuple_size<numjit::stacked_array<N>> : std::integral_constant<std::size_t, N> {};
template <std::size_t I, std::size_t N>
struct std::tuple_element<I, numjit::stacked_array<N>> {
  using type = numjit::array;
};
