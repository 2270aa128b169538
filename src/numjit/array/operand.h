// What an array op takes: an array or a weak literal, with the place in user code it came from.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <numjit/array/node.h>
#include <numjit/base/location.h>

namespace numjit {

class array;

/// Kinds of weak (NEP 50) scalars: Python's bool, int, float, complex.
enum class weak_kind : std::uint8_t { none, bool_, int_, float_, complex_ };

template <class T>
concept weak_scalar =
    (std::is_arithmetic_v<T> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
     !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t> &&
     !std::same_as<T, long double>);

/// Parameter type of every array op: built implicitly from an array (borrowed, not copied) or from a
/// value of built-in arithmetic type or std::complex (weak, as NEP 50 treats Python scalars). Lives
/// only as long as the full expression of the call.
class operand {
 public:
  operand(const array& a, const char* file = __builtin_FILE(),
          const char* function = __builtin_FUNCTION(), int line = __builtin_LINE());

  template <weak_scalar T>
  operand(T value, const char* file = __builtin_FILE(),
          const char* function = __builtin_FUNCTION(), int line = __builtin_LINE())
      : where_{file, function, line} {
    if constexpr (std::same_as<T, bool>) {
      kind_ = weak_kind::bool_;
      int_ = value;
    } else if constexpr (std::is_floating_point_v<T>) {
      kind_ = weak_kind::float_;
      real_ = static_cast<double>(value);
    } else {
      kind_ = weak_kind::int_;
      int_ = static_cast<std::int64_t>(value);
      above_int64_ = std::is_unsigned_v<T> && int_ < 0;
    }
  }
  template <class F>
    requires(std::same_as<F, float> || std::same_as<F, double>)
  operand(std::complex<F> value, const char* file = __builtin_FILE(),
          const char* function = __builtin_FUNCTION(), int line = __builtin_LINE())
      : kind_(weak_kind::complex_), real_(value.real()), imag_(value.imag()),
        where_{file, function, line} {}

  template <class T>
    requires(std::is_arithmetic_v<T> && !weak_scalar<T>)
  operand(T) = delete;  // char, wchar_t, long double: not a NumPy number

  bool is_array() const { return kind_ == weak_kind::none; }
  /// The array's node; null for a weak scalar.
  node* n() const { return node_; }
  weak_kind kind() const { return kind_; }
  const location& where() const { return where_; }

  // Value of a weak scalar.
  std::int64_t int_value() const { return int_; }
  /// The integer is above int64's range: int_value() holds its uint64 bit pattern.
  bool above_int64() const { return above_int64_; }
  double real() const { return kind_ == weak_kind::int_ || kind_ == weak_kind::bool_ ? (above_int64_ ? static_cast<double>(static_cast<std::uint64_t>(int_)) : static_cast<double>(int_)) : real_; }
  double imag() const { return imag_; }

 private:
  node* node_ = nullptr;
  weak_kind kind_ = weak_kind::none;
  bool above_int64_ = false;
  std::int64_t int_ = 0;
  double real_ = 0, imag_ = 0;
  location where_;
};

}  // namespace numjit
