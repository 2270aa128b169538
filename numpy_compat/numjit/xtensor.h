// xtensor and numjit on the same memory: np::from_xtensor, np::to_xarray, np::to_xtensor. Needs xtensor's headers.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include <numjit/interop.h>
#include <xtensor/xarray.hpp>
#include <xtensor/xcontainer.hpp>
#include <xtensor/xsemantic.hpp>
#include <xtensor/xtensor.hpp>

namespace numjit {

template <class T, class Shape>
class xtensor_view;

namespace detail {

/// What xtensor calls a storage: the memory of an array from its first element on, held by the array. Strides may
/// lead before the first element, so places are signed.
template <class T>
class xtensor_memory {
 public:
  using value_type = std::remove_const_t<T>;
  using allocator_type = std::allocator<value_type>;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using iterator = T*;
  using const_iterator = const T*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  xtensor_memory(const array& holder, T* first) : holder_(holder), first_(first) {}

  size_type size() const noexcept { return static_cast<size_type>(holder_.get().size()); }
  bool empty() const noexcept { return size() == 0; }
  reference operator[](size_type i) { return first_[static_cast<difference_type>(i)]; }
  const_reference operator[](size_type i) const { return first_[static_cast<difference_type>(i)]; }
  pointer data() noexcept { return first_; }
  const_pointer data() const noexcept { return first_; }
  iterator begin() noexcept { return first_; }
  iterator end() noexcept { return first_ + size(); }
  const_iterator begin() const noexcept { return first_; }
  const_iterator end() const noexcept { return first_ + size(); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }

 private:
  shown_array holder_;
  T* first_;
};

}  // namespace detail
}  // namespace numjit

template <class T, class Shape>
struct xt::xcontainer_inner_types<numjit::xtensor_view<T, Shape>> {
  using storage_type = numjit::detail::xtensor_memory<T>;
  using reference = T&;
  using const_reference = const T&;
  using size_type = std::size_t;
  using shape_type = Shape;
  using strides_type = xt::get_strides_t<Shape>;
  using backstrides_type = strides_type;
  using inner_shape_type = shape_type;
  using inner_strides_type = strides_type;
  using inner_backstrides_type = strides_type;
  using temporary_type = xt::xarray<std::remove_const_t<T>>;
  static constexpr xt::layout_type layout = xt::layout_type::dynamic;
};
template <class T, class Shape>
struct xt::xiterable_inner_types<numjit::xtensor_view<T, Shape>>
    : xt::xcontainer_iterable_types<numjit::xtensor_view<T, Shape>> {};

namespace numjit {

/// A view of xtensor's on an array's memory, which it holds. Copies show the same memory; what is assigned to it is
/// stored element by element, broadcast as xtensor's views do.
template <class T, class Shape>
class xtensor_view : public xt::xstrided_container<xtensor_view<T, Shape>>,
                     public xt::xview_semantic<xtensor_view<T, Shape>> {
 public:
  using base_type = xt::xstrided_container<xtensor_view>;
  using semantic_base = xt::xview_semantic<xtensor_view>;
  using storage_type = typename base_type::storage_type;
  using temporary_type = typename xt::xcontainer_inner_types<xtensor_view>::temporary_type;
  using shape_type = typename base_type::shape_type;
  using strides_type = typename base_type::strides_type;
  using expression_tag = xt::xtensor_expression_tag;

  xtensor_view(const array& a, T* first, shape_type shape, strides_type strides)
      : base_type(std::move(shape), strides_type(strides), strides_type(strides), xt::layout_type::dynamic), storage_(a, first) {
    for (std::size_t i = 0; i < this->dimension(); ++i)
      this->backstrides_impl()[i] = this->strides_impl()[i] * (static_cast<std::ptrdiff_t>(this->shape_impl()[i]) - 1);
  }
  xtensor_view(const xtensor_view&) = default;
  xtensor_view& operator=(const xtensor_view& other) { return *this = static_cast<const xt::xexpression<xtensor_view>&>(other); }
  template <class E>
  xtensor_view& operator=(const xt::xexpression<E>& e) {
    semantic_base::operator=(e);
    return *this;
  }
  template <class E>
    requires(!xt::is_xexpression<E>::value)
  xtensor_view& operator=(const E& value) {
    std::fill(this->begin(), this->end(), value);
    return *this;
  }

 private:
  // What xtensor's semantics and containers call.
  void assign_temporary_impl(temporary_type&& made) { std::copy(made.cbegin(), made.cend(), this->begin()); }
  storage_type& storage_impl() noexcept { return storage_; }
  const storage_type& storage_impl() const noexcept { return storage_; }
  friend class xt::xview_semantic<xtensor_view>;
  friend class xt::xcontainer<xtensor_view>;

  storage_type storage_;
};

namespace detail {

template <class T, class Shape>
xtensor_view<T, Shape> view_of(const array& a, Shape shape) {
  const strided_memory m = strided_memory_of(a, dtype_of_element<std::remove_const_t<T>>(), !std::is_const_v<T>, "to_xarray");
  auto strides = xtl::make_sequence<xt::get_strides_t<Shape>>(shape.size(), 0);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] = static_cast<typename Shape::value_type>(m.shape[static_cast<int>(i)]);
    strides[i] = static_cast<std::ptrdiff_t>(shape[i] == 1 ? 0 : m.strides[static_cast<int>(i)]);
  }
  return {a, static_cast<T*>(m.low) + m.offset, std::move(shape), std::move(strides)};
}

template <class E>
concept xtensor_strided = requires(E& e) {
  e.data();
  e.strides();
  e.data_offset();
};

template <class E>
array from_xtensor_memory(E& e, std::shared_ptr<const void> owner) {
  using T = std::remove_pointer_t<decltype(e.data())>;
  dims shape, strides;
  for (std::size_t i = 0; i < e.dimension(); ++i) {
    shape.push_back(static_cast<std::int64_t>(e.shape()[i]));
    strides.push_back(static_cast<std::int64_t>(e.strides()[i]) * static_cast<std::int64_t>(sizeof(T)));
  }
  return as_array(e.data() + e.data_offset(), shape, std::move(owner), {.strides = strides});
}

}  // namespace detail

/// A view of xtensor's on the array's memory, which it holds: it may outlive `a`, and what is assigned to it or its
/// elements is seen by both. Any strides, of any sign. Pending work runs first.
///   auto v = np::to_xarray<double>(a);      v(0, 1) = 3;   v = xt::sin(v) + 1;
///   auto m = np::to_xtensor<float, 2>(b);   // two axes, known when compiling
/// TypeError: the array has another dtype than T. ValueError: another number of axes; a read-only array unless T is const.
template <class T>
auto to_xarray(const array& a) {
  return detail::view_of<T>(a, xt::dynamic_shape<std::size_t>(static_cast<std::size_t>(a.ndim())));
}
template <class T, std::size_t N>
auto to_xtensor(const array& a) {
  if (a.ndim() != static_cast<int>(N))
    throw ValueError("to_xtensor", "the number of axes differs: got " + std::to_string(a.ndim()) + ", expected " +
                                       std::to_string(N) + ".");
  return detail::view_of<T>(a, std::array<std::size_t, N>{});
}

/// An array on the memory of xtensor's containers, adaptors and views.
///   np::array a = np::from_xtensor(std::move(x));   // xt::xarray, xt::xtensor: the array takes the container over
///   np::array b = np::from_xtensor(x);              // x stays yours, and must outlive b and its views
///   np::array c = np::from_xtensor(shared);         // std::shared_ptr of a container: held
/// An expression without memory (xt::sin(x)) is computed into a container, which the array takes over.
template <class E>
  requires xt::is_xexpression<std::decay_t<E>>::value
array from_xtensor(E&& e) {
  using D = std::decay_t<E>;
  if constexpr (std::is_lvalue_reference_v<E> && detail::xtensor_strided<E>) {
    return detail::from_xtensor_memory(e, nullptr);
  } else if constexpr (!std::is_const_v<std::remove_reference_t<E>> && detail::xtensor_strided<D>) {
    auto kept = std::make_shared<D>(std::forward<E>(e));  // views hold what they are views of
    return detail::from_xtensor_memory(*kept, kept);
  } else {
    auto kept = std::make_shared<xt::xarray<typename D::value_type>>(std::forward<E>(e));
    return detail::from_xtensor_memory(*kept, kept);
  }
}
template <class E>
array from_xtensor(const std::shared_ptr<E>& e) {
  return detail::from_xtensor_memory(*e, e);
}

}  // namespace numjit
