// The fourteen dtypes: identity, names, sizes, NumPy type characters and C++ types.
#pragma once

#include <numjit/base/needs_cxx20.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <numjit/array/half.h>
#include <numjit/array/complex.h>

namespace numjit {

class array;
class operand;

enum class dtype_id : std::uint8_t {
  bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
  float16, float32, float64, complex64, complex128,
};
inline constexpr int dtype_count = 14;

namespace detail {
struct dtype_info {
  std::string_view name;   // "float64"
  char character;          // NumPy's type character, "d"
  char kind;               // b i u f c
  std::uint8_t itemsize;   // bytes
  std::string_view descr;  // array-protocol string, "<f8"
};
inline constexpr dtype_info dtype_table[dtype_count] = {
    {"bool", '?', 'b', 1, "|b1"},    {"int8", 'b', 'i', 1, "|i1"},
    {"int16", 'h', 'i', 2, "<i2"},   {"int32", 'i', 'i', 4, "<i4"},
    {"int64", 'l', 'i', 8, "<i8"},   {"uint8", 'B', 'u', 1, "|u1"},
    {"uint16", 'H', 'u', 2, "<u2"},  {"uint32", 'I', 'u', 4, "<u4"},
    {"uint64", 'L', 'u', 8, "<u8"},  {"float16", 'e', 'f', 2, "<f2"},
    {"float32", 'f', 'f', 4, "<f4"}, {"float64", 'd', 'f', 8, "<f8"},
    {"complex64", 'F', 'c', 8, "<c8"}, {"complex128", 'D', 'c', 16, "<c16"},
};
}  // namespace detail

/// An element type. `np::float32` and its thirteen siblings are the values; calling one makes a
/// strong 0-D array of that dtype: `np::float32(3)` is `np.float32(3)`.
class dtype {
 public:
  constexpr dtype() = default;  // float64, NumPy's default
  constexpr dtype(dtype_id id) : id_(id) {}

  constexpr dtype_id id() const { return id_; }
  constexpr std::string_view name() const { return info().name; }
  constexpr std::size_t itemsize() const { return info().itemsize; }
  constexpr char character() const { return info().character; }
  /// 'b' bool, 'i' signed, 'u' unsigned, 'f' float, 'c' complex.
  constexpr char kind() const { return info().kind; }
  constexpr std::string_view descr() const { return info().descr; }
  friend constexpr bool operator==(dtype, dtype) = default;

  /// A 0-D array of this dtype holding `value` (cast as NumPy's scalar constructor does).
  array operator()(const operand& value) const;

 private:
  constexpr const detail::dtype_info& info() const {
    return detail::dtype_table[static_cast<int>(id_)];
  }
  dtype_id id_ = dtype_id::float64;
};

inline constexpr dtype bool_{dtype_id::bool_}, int8{dtype_id::int8}, int16{dtype_id::int16},
    int32{dtype_id::int32}, int64{dtype_id::int64}, uint8{dtype_id::uint8},
    uint16{dtype_id::uint16}, uint32{dtype_id::uint32}, uint64{dtype_id::uint64},
    float16{dtype_id::float16}, float32{dtype_id::float32}, float64{dtype_id::float64},
    complex64{dtype_id::complex64}, complex128{dtype_id::complex128};

/// dtype of a NumPy type character ('d', 'f', '?', ...); 'q' and 'Q' are int64 and uint64.
constexpr dtype_id dtype_of_char(char c) {
  if (c == 'q') return dtype_id::int64;
  if (c == 'Q') return dtype_id::uint64;
  for (int i = 0; i < dtype_count; ++i)
    if (detail::dtype_table[i].character == c) return static_cast<dtype_id>(i);
  return dtype_id::float64;
}

/// C++ element type of a dtype: `cpp_type<dtype_id::float32>` is float.
template <dtype_id> struct cpp_type_of;
template <> struct cpp_type_of<dtype_id::bool_> { using type = bool; };
template <> struct cpp_type_of<dtype_id::int8> { using type = std::int8_t; };
template <> struct cpp_type_of<dtype_id::int16> { using type = std::int16_t; };
template <> struct cpp_type_of<dtype_id::int32> { using type = std::int32_t; };
template <> struct cpp_type_of<dtype_id::int64> { using type = std::int64_t; };
template <> struct cpp_type_of<dtype_id::uint8> { using type = std::uint8_t; };
template <> struct cpp_type_of<dtype_id::uint16> { using type = std::uint16_t; };
template <> struct cpp_type_of<dtype_id::uint32> { using type = std::uint32_t; };
template <> struct cpp_type_of<dtype_id::uint64> { using type = std::uint64_t; };
template <> struct cpp_type_of<dtype_id::float16> { using type = half; };
template <> struct cpp_type_of<dtype_id::float32> { using type = float; };
template <> struct cpp_type_of<dtype_id::float64> { using type = double; };
template <> struct cpp_type_of<dtype_id::complex64> { using type = complex<float>; };
template <> struct cpp_type_of<dtype_id::complex128> { using type = complex<double>; };
template <dtype_id D> using cpp_type = typename cpp_type_of<D>::type;

namespace detail {
/// The dtype whose elements are of a C++ type; nothing for other types.
template <class T>
inline constexpr bool is_element =
    (std::is_arithmetic_v<T> && !std::is_same_v<T, char> && !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char8_t> &&
     !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t> && !std::is_same_v<T, long double>) ||
    std::is_same_v<T, half> || std::is_same_v<T, complex<float>> || std::is_same_v<T, complex<double>> ||
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
constexpr dtype_id dtype_of_element() {
  if constexpr (std::is_same_v<T, bool>)
    return dtype_id::bool_;
  else if constexpr (std::is_same_v<T, half>)
    return dtype_id::float16;
  else if constexpr (std::is_same_v<T, float>)
    return dtype_id::float32;
  else if constexpr (std::is_same_v<T, double>)
    return dtype_id::float64;
  else if constexpr (std::is_same_v<T, complex<float>> || std::is_same_v<T, std::complex<float>>)
    return dtype_id::complex64;
  else if constexpr (std::is_same_v<T, complex<double>> || std::is_same_v<T, std::complex<double>>)
    return dtype_id::complex128;
  else {
    static_assert(std::is_integral_v<T>, "no dtype has this C++ element type");
    constexpr int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<dtype_id>(static_cast<int>(std::is_signed_v<T> ? dtype_id::int8 : dtype_id::uint8) + log2);
  }
}
}  // namespace detail

/// The dtype of a C++ element type: `np::dtype_of<float>()` is np::float32.
template <class T>
constexpr dtype dtype_of() {
  static_assert(detail::is_element<T>,
                "no dtype has this C++ element type: expected bool, an integer, float, double, np::half or std::complex of float "
                "or double");
  return detail::dtype_of_element<T>();
}

/// Calls `f.template operator()<T>()` with the C++ element type of `id`.
template <class F>
decltype(auto) visit_dtype(dtype_id id, F&& f) {
  switch (id) {
#define NUMJIT_VISIT(name) \
  case dtype_id::name: return f.template operator()<cpp_type<dtype_id::name>>();
    NUMJIT_VISIT(bool_) NUMJIT_VISIT(int8) NUMJIT_VISIT(int16) NUMJIT_VISIT(int32)
    NUMJIT_VISIT(int64) NUMJIT_VISIT(uint8) NUMJIT_VISIT(uint16) NUMJIT_VISIT(uint32)
    NUMJIT_VISIT(uint64) NUMJIT_VISIT(float16) NUMJIT_VISIT(float32) NUMJIT_VISIT(float64)
    NUMJIT_VISIT(complex64) NUMJIT_VISIT(complex128)
#undef NUMJIT_VISIT
  }
  __builtin_unreachable();
}

}  // namespace numjit
