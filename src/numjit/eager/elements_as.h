// Elements of a node in one of the dtypes that counting and looking up work with.
#pragma once

#include <algorithm>
#include <optional>
#include <type_traits>

#include <numjit/eager/internal.h>
#include <numjit/ops/promotion.h>

namespace numjit::eager {

template <class T>
constexpr dtype_id type_of_element = std::is_same_v<T, double>          ? dtype_id::float64
                                     : std::is_same_v<T, float>         ? dtype_id::float32
                                     : std::is_same_v<T, bool>          ? dtype_id::bool_
                                     : std::is_same_v<T, std::uint64_t> ? dtype_id::uint64
                                                                        : dtype_id::int64;

/// A node's elements in C order as T: in place where they are that.
template <class T>
class elements_as {
 public:
  explicit elements_as(const node* n) : size_(n->size) {
    const layout_view v(n);
    if (v.type == type_of_element<T> && v.contiguous()) {
      data_ = reinterpret_cast<const T*>(v.data);
      return;
    }
    memory_.emplace(std::max<std::int64_t>(1, v.size()) * static_cast<std::int64_t>(sizeof(T)));
    copy_elements(v, layout_view(memory_->data(), type_of_element<T>, v.shape));
    data_ = memory_->as<T>();
  }
  const T* data() const { return data_; }
  std::int64_t size() const { return size_; }
  const T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  std::int64_t size_;
  const T* data_ = nullptr;
  std::optional<scratch> memory_;
};

/// `n` of contiguous elements, from the place `first` on, as T: in place where they are that, else converted into `memory`.
template <class T>
const T* block_as(const char* data, dtype_id type, std::int64_t first, std::int64_t n, T* memory) {
  if (type == type_of_element<T>) return reinterpret_cast<const T*>(data) + first;
  char* const pointers[] = {const_cast<char*>(data) + first * size_of(type), reinterpret_cast<char*>(memory)};
  const std::int64_t steps[] = {size_of(type), static_cast<std::int64_t>(sizeof(T))};
  cast_loop(type, type_of_element<T>)(pointers, steps, n);
  return memory;
}

/// fn.operator()<T>() for the widest type that orders the elements of both like their own: all reals are
/// compared as int64, uint64 or float64.
template <class F>
void with_common_type(const node* a, const node* b, F&& fn) {
  const dtype_id t = promote_types(a->type, b->type);
  if (kind_of(t) == 'f')
    fn.template operator()<double>();
  else if (t == dtype_id::uint64)
    fn.template operator()<std::uint64_t>();
  else
    fn.template operator()<std::int64_t>();
}

}  // namespace numjit::eager
