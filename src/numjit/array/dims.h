// Shapes, strides and other short lists of int64, one per axis, without allocation.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>

#include <numjit/base/error.h>

namespace numjit {

/// Largest number of axes of an array.
inline constexpr int max_rank = 16;

/// A shape, a stride list or an axis list: up to 16 int64 values, held in place.
///   np::dims s{2, 3};  s.size() == 2;  s[1] == 3;
class dims {
 public:
  constexpr dims() = default;
  constexpr dims(std::initializer_list<std::int64_t> values) {
    check(values.size());
    for (std::int64_t v : values) data_[size_++] = v;
  }
  constexpr dims(const std::int64_t* values, int n) {
    check(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) data_[size_++] = values[i];
  }
  explicit dims(std::span<const std::int64_t> values)
      : dims(values.data(), static_cast<int>(values.size())) {}

  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr std::int64_t& operator[](int i) { return data_[i]; }
  constexpr std::int64_t operator[](int i) const { return data_[i]; }
  constexpr std::int64_t* data() { return data_; }
  constexpr const std::int64_t* data() const { return data_; }
  constexpr std::int64_t* begin() { return data_; }
  constexpr std::int64_t* end() { return data_ + size_; }
  constexpr const std::int64_t* begin() const { return data_; }
  constexpr const std::int64_t* end() const { return data_ + size_; }
  constexpr std::int64_t back() const { return data_[size_ - 1]; }

  constexpr void push_back(std::int64_t v) {
    check(static_cast<std::size_t>(size_) + 1);
    data_[size_++] = v;
  }
  constexpr void resize(int n, std::int64_t fill = 0) {
    check(static_cast<std::size_t>(n));
    for (int i = size_; i < n; ++i) data_[i] = fill;
    size_ = n;
  }
  constexpr void assign(const std::int64_t* values, int n) {
    check(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) data_[i] = values[i];
    size_ = n;
  }
  constexpr void insert(int at, std::int64_t v) {
    check(static_cast<std::size_t>(size_) + 1);
    for (int i = size_; i > at; --i) data_[i] = data_[i - 1];
    data_[at] = v;
    ++size_;
  }
  constexpr void erase(int at) {
    for (int i = at; i + 1 < size_; ++i) data_[i] = data_[i + 1];
    --size_;
  }
  friend constexpr bool operator==(const dims& a, const dims& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i)
      if (a.data_[i] != b.data_[i]) return false;
    return true;
  }
  /// Text as NumPy prints a shape: "(2, 3)", "(4,)", "()".
  std::string str() const;
  /// Text as NumPy prints a shape inside ufunc errors, without spaces: "(2,3)", "(4,)".
  std::string compact_str() const;

 private:
  static constexpr void check(std::size_t n) {
    if (n > max_rank)
      throw ValueError("", "maximum supported dimension for an array is 16, found " +
                               std::to_string(n) + ".");
  }
  std::int64_t data_[max_rank] = {};
  int size_ = 0;
};

/// Number of elements of a shape (1 for rank 0). Throws ValueError if it exceeds int64.
std::int64_t element_count(const dims& shape);

/// NumPy's refusal of an array whose bytes int64 can't count.
[[noreturn]] void throw_array_too_big();

/// C-order strides in bytes; all 0 for a shape without elements, as in NumPy.
dims contiguous_strides(const dims& shape, std::int64_t itemsize);

/// NumPy's broadcasting of shapes. Throws ValueError with NumPy's words, naming `op`:
/// "[add] operands could not be broadcast together with shapes (2,3) (4,)".
dims broadcast_shapes(std::string_view op, std::span<const dims> shapes);

/// `axis` in [0, rank) from NumPy's negative form; AxisError names `op`.
int normalize_axis(std::string_view op, std::int64_t axis, int rank);

}  // namespace numjit
