// Parameters of an op call that are not arrays: axes, index entries, dtype, scalars.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include <numjit/array/dims.h>
#include <numjit/array/dtype.h>

namespace numjit {

/// A short list of 64-bit words whose meaning is the op's own, plus an optional dtype. Equal params
/// mean equal code. Up to 14 words without allocation.
class op_params {
 public:
  op_params() = default;
  op_params(const op_params& o) { *this = o; }
  op_params(op_params&&) = default;
  op_params& operator=(op_params&&) = default;
  op_params& operator=(const op_params& o) {
    if (this == &o) return *this;
    size_ = 0;
    type_ = o.type_;
    has_type_ = o.has_type_;
    for (int i = 0; i < o.size_; ++i) push(o[i]);
    return *this;
  }

  op_params& push(std::int64_t word) {
    if (size_ < inline_words) {
      words_[size_++] = word;
    } else {
      if (!more_) more_ = std::make_unique<std::int64_t[]>(max_words - inline_words);
      more_[size_++ - inline_words] = word;
    }
    return *this;
  }
  op_params& push(double value) { return push(std::bit_cast<std::int64_t>(value)); }
  op_params& push(const dims& list) {
    push(static_cast<std::int64_t>(list.size()));
    for (std::int64_t v : list) push(v);
    return *this;
  }
  op_params& type(dtype_id t) {
    type_ = t;
    has_type_ = true;
    return *this;
  }

  int size() const { return size_; }
  std::int64_t operator[](int i) const {
    return i < inline_words ? words_[i] : more_[static_cast<std::size_t>(i - inline_words)];
  }
  double real(int i) const { return std::bit_cast<double>((*this)[i]); }
  /// Reads a list pushed at word `at`.
  dims list(int at) const {
    dims d;
    for (int i = 0; i < static_cast<int>((*this)[at]); ++i) d.push_back((*this)[at + 1 + i]);
    return d;
  }
  bool has_type() const { return has_type_; }
  dtype_id type() const { return type_; }

  friend bool operator==(const op_params& a, const op_params& b) {
    if (a.size_ != b.size_ || a.has_type_ != b.has_type_ || (a.has_type_ && a.type_ != b.type_))
      return false;
    int head = a.size_ < inline_words ? a.size_ : inline_words;
    if (std::memcmp(a.words_, b.words_, sizeof(std::int64_t) * static_cast<std::size_t>(head)) != 0) return false;
    return a.size_ <= inline_words || std::memcmp(a.more_.get(), b.more_.get(),
                                                  sizeof(std::int64_t) * static_cast<std::size_t>(a.size_ - inline_words)) == 0;
  }

  static constexpr int inline_words = 14;
  static constexpr int max_words = 80;  // 16 axes of (kind, start, stop, step), with room

 private:
  std::uint8_t size_ = 0;
  bool has_type_ = false;
  dtype_id type_{};
  std::int64_t words_[inline_words];
  std::unique_ptr<std::int64_t[]> more_;
};

}  // namespace numjit
