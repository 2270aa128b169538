// Memory of others as arrays, and arrays as memory: pointers with an owner, std::vector, std::span. No copies.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <numjit/np_creation.h>

namespace numjit {

/// How memory of others is laid out.
struct memory_options {
  dims strides{};         // bytes per step along each axis; C order if empty
  bool readonly = false;  // stores to the array are a ValueError; always so for const elements
};

namespace detail {
/// An array on foreign memory; `release(context)` is called once, by whatever thread drops the last array on it.
array foreign_array(void* memory, dtype_id type, const dims& shape, const dims& strides, bool readonly,
                    void (*release)(void*), void* context);
/// The same with a shared owner, or none: then the memory must outlive all arrays on it.
array foreign_array(const void* memory, dtype_id type, const dims& shape, const memory_options& options,
                    std::shared_ptr<const void> owner);
/// The elements of an array as others address them, in units of elements.
struct strided_memory {
  void* low = nullptr;       // the lowest element
  std::int64_t offset = 0;   // the first element, from there
  std::int64_t length = 0;   // from the lowest to the highest element
  dims shape, strides;
};
/// Pending work runs first. TypeError: another dtype. ValueError: strides that are no whole elements; a read-only array
/// if `writes`.
strided_memory strided_memory_of(const array& a, dtype_id type, bool writes, const char* op);
/// Memory of a C-contiguous array of this dtype, for std::span. ValueError, TypeError.
void* span_memory(const array& a, dtype_id type, bool writes);

/// Holds an array for a view of another library's, whose end it tells: operations of compiled functions on the array's
/// memory run at once meanwhile.
class shown_array {
 public:
  explicit shown_array(const array& a);
  shown_array(const shown_array& other) : shown_array(other.kept_) {}
  shown_array& operator=(const shown_array& other) {
    shown_array copy(other);
    swap(kept_, copy.kept_);
    return *this;
  }
  ~shown_array();
  const array& get() const { return kept_; }

 private:
  array kept_;
};
}  // namespace detail

/// An array of elements that lie elsewhere, from `data` on; `owner` is held as long as an array uses them. Without
/// an owner they must outlive the array and all its views.
///   auto frame = std::make_shared<Frame>();
///   np::array pixels = np::as_array(frame->pixels, {480, 640}, frame);
/// ValueError: strides of another number of axes than the shape; a null pointer with elements.
template <class T>
array as_array(T* data, const shape_list& shape, std::shared_ptr<const void> owner = nullptr,
               memory_options options = {}) {
  options.readonly |= std::is_const_v<T>;
  return detail::foreign_array(data, detail::dtype_of_element<std::remove_const_t<T>>(), shape, options, std::move(owner));
}
/// A vector of what a span shows.
template <class T, std::size_t N>
array as_array(std::span<T, N> values, std::shared_ptr<const void> owner = nullptr) {
  return as_array(values.data(), {static_cast<std::int64_t>(values.size())}, std::move(owner));
}
/// Takes a std::vector over: `np::as_array(std::move(samples))`. One that stays with you is a std::span.
template <class T>
  requires(!std::is_same_v<T, bool>)
array as_array(std::vector<T>&& values) {
  auto kept = std::make_shared<std::vector<T>>(std::move(values));
  return as_array(kept->data(), {static_cast<std::int64_t>(kept->size())}, kept);
}

/// The elements of an array in C order, in its own memory; the array must outlive the span, so that a temporary is
/// refused where the program is compiled. Pending work runs first; taken inside a compiled function, the span shows
/// what operations store until the function returns, as np::share(a) does for ever.
///   for (double& x : np::as_span<double>(a)) x += 1;
/// TypeError: the array has another dtype than T. ValueError: it is not contiguous; it is read-only and T is not const.
template <class T>
std::span<T> as_span(const array& a) {
  void* memory = detail::span_memory(a, detail::dtype_of_element<std::remove_const_t<T>>(), !std::is_const_v<T>);
  return {static_cast<T*>(memory), static_cast<std::size_t>(a.size())};
}
/// A temporary's memory is gone before the span is used: name the array first.
template <class T>
std::span<T> as_span(const array&& a) = delete;

}  // namespace numjit
