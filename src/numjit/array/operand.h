// What an array op takes: an array or a weak literal, with the place in user code it came from.
#pragma once

#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <numjit/array/node.h>
#include <numjit/base/location.h>

#ifdef __clang__  // which warns where what an operand is of goes before it
#define NUMJIT_OWNER [[gsl::Owner(node)]]
#define NUMJIT_POINTER [[gsl::Pointer(node)]]
#else
#define NUMJIT_OWNER
#define NUMJIT_POINTER
#endif

namespace numjit {

class NUMJIT_OWNER array;

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
class NUMJIT_POINTER operand {
 public:
  operand(const array& a, const char* file = __builtin_FILE(),
          const char* function = __builtin_FUNCTION(), int line = __builtin_LINE());

  template <weak_scalar T>
  operand(T value, const char* file = __builtin_FILE(),
          const char* function = __builtin_FUNCTION(), int line = __builtin_LINE())
      : where_{file, function, line} {
    if constexpr (std::same_as<T, bool>) {
      kind_ = weak_kind::bool_;
      bits_ = value;
    } else if constexpr (std::is_floating_point_v<T>) {
      kind_ = weak_kind::float_;
      bits_ = std::bit_cast<std::int64_t>(static_cast<double>(value));
    } else {
      kind_ = weak_kind::int_;
      bits_ = static_cast<std::int64_t>(value);
      above_int64_ = std::is_unsigned_v<T> && bits_ < 0;
    }
  }
  template <class F>
    requires(std::same_as<F, float> || std::same_as<F, double>)
  operand(std::complex<F> value, const char* file = __builtin_FILE(),
          const char* function = __builtin_FUNCTION(), int line = __builtin_LINE())
      : bits_(std::bit_cast<std::int64_t>(static_cast<double>(value.real()))),
        imag_(value.imag()), kind_(weak_kind::complex_), where_{file, function, line} {}

  template <class T>
    requires(std::is_arithmetic_v<T> && !weak_scalar<T>)
  operand(T) = delete;  // char, wchar_t, long double: not a NumPy number

  bool is_array() const { return kind_ == weak_kind::none; }
  /// The array's node; null for a weak scalar.
  node* n() const { return node_; }
  weak_kind kind() const { return kind_; }
  const location& where() const { return where_; }

  // Value of a weak scalar.
  std::int64_t int_value() const { return is_integer() ? bits_ : 0; }
  /// The integer is above int64's range: int_value() holds its uint64 bit pattern.
  bool above_int64() const { return above_int64_; }
  double real() const {
    if (!is_integer()) return std::bit_cast<double>(bits_);
    return above_int64_ ? static_cast<double>(static_cast<std::uint64_t>(bits_))
                        : static_cast<double>(bits_);
  }
  double imag() const { return imag_; }

 private:
  bool is_integer() const { return kind_ == weak_kind::int_ || kind_ == weak_kind::bool_; }

  node* node_ = nullptr;
  std::int64_t bits_ = 0;  // the integer, or the bits of the real part
  double imag_ = 0;
  weak_kind kind_ = weak_kind::none;
  bool above_int64_ = false;
  location where_;
};

/// Parameter type of operators and of functions that are one op: an operand that knows whether its array is a temporary of
/// the caller's expression, as x * y is in x * y + z. Nobody can read that array afterwards, so that the op may
/// write its result there and give the memory back before the next one asks for some, as NumPy does. An operand handed
/// on, which its function may read again, is none.
#ifdef __EMSCRIPTEN__  // modules of pages have no room for two ways to call an op
using argument = operand;
#else
class argument : public operand {
 public:
  using operand::operand;
  argument(const operand& a) : operand(a) {}
  template <class T>
    requires(requires(T& t) { t.operator operand(); } || requires(T& t) { t.operator const operand&(); })
  argument(T&& value) : operand(static_cast<const operand&>(value)) {}
  argument(array&& a, const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
           int line = __builtin_LINE());

  /// The handle of a temporary that is large enough for its memory to matter, else null.
  array* temporary() const { return temporary_; }

 private:
  /// Below it the arrays of an expression stay in a core's caches, and their memory comes from its pool at once.
  static constexpr std::int64_t least_elements = 8192;

  array* temporary_ = nullptr;
};
#endif

/// The operands of one op call, borrowed: an array or vector of them, or up to three that stand
/// anywhere. Those are referred to, not copied: a call made billions of times has no bytes to spare.
class operand_list {
 public:
  operand_list() = default;
  operand_list(const operand& a) : at_{&a}, size_(1) {}
  operand_list(const operand& a, const operand& b) : at_{&a, &b}, size_(2) {}
  operand_list(const operand& a, const operand& b, const operand& c) : at_{&a, &b, &c}, size_(3) {}
  operand_list(const operand* first, std::size_t size) : size_(size) {
    at_[0] = first;
    for (std::size_t i = 1; i < size && i < few; ++i) at_[i] = first + i;
  }
  template <class List>
    requires(std::convertible_to<const List&, std::span<const operand>>)
  operand_list(const List& list)
      : operand_list(std::span<const operand>(list).data(), std::span<const operand>(list).size()) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const operand& operator[](std::size_t i) const { return size_ <= few ? *at_[i] : at_[0][i]; }

  class iterator {
   public:
    iterator(const operand_list& list, std::size_t i) : list_(list), i_(i) {}
    const operand& operator*() const { return list_[i_]; }
    iterator& operator++() {
      ++i_;
      return *this;
    }
    friend bool operator!=(const iterator& a, const iterator& b) { return a.i_ != b.i_; }

   private:
    const operand_list& list_;
    std::size_t i_;
  };
  iterator begin() const { return {*this, 0}; }
  iterator end() const { return {*this, size_}; }

 private:
  static constexpr std::size_t few = 3;
  const operand* at_[few];  // each operand, or the first of more than three
  std::size_t size_ = 0;
};

}  // namespace numjit
