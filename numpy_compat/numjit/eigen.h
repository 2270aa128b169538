// Eigen and numjit on the same memory: np::from_eigen, np::to_eigen, np::to_eigen_vector. Needs Eigen's headers.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <Eigen/Core>
#include <numjit/interop.h>

namespace numjit {

namespace detail {

template <class T, int Rows, int Cols>
using eigen_plain = Eigen::Matrix<std::remove_const_t<T>, Rows, Cols, Cols == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
template <class T, int Rows, int Cols>
using eigen_map_base =
    Eigen::Map<std::conditional_t<std::is_const_v<T>, const eigen_plain<T, Rows, Cols>, eigen_plain<T, Rows, Cols>>,
               Eigen::Unaligned, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;

inline strided_memory eigen_memory(const array& a, dtype_id type, bool writes, int rank) {
  if (a.ndim() != rank)
    throw ValueError("to_eigen", "the number of axes differs: got " + std::to_string(a.ndim()) + ", expected " +
                                     std::to_string(rank) + ".");
  strided_memory m = strided_memory_of(a, type, writes, "to_eigen");
  for (int i = 0; i < rank; ++i)
    if (m.strides[i] < 0)
      throw ValueError("to_eigen", "Eigen has no negative strides: got strides " + a.strides().str() + ". Pass a.copy().");
  return m;
}

}  // namespace detail

/// An Eigen::Map that holds the array it shows.
template <class T, int Rows, int Cols>
class eigen_map : public detail::eigen_map_base<T, Rows, Cols> {
 public:
  using Base = detail::eigen_map_base<T, Rows, Cols>;
  eigen_map(const array& holder, T* data, Eigen::Index rows, Eigen::Index cols, Eigen::Index outer, Eigen::Index inner)
      : Base(data, rows, cols, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(outer, inner)), holder_(holder) {}
  eigen_map(const eigen_map&) = default;
  /// Stores elements, as Eigen's maps do.
  eigen_map& operator=(const eigen_map& other) {
    Base::operator=(other);
    return *this;
  }
  using Base::operator=;

 private:
  detail::shown_array holder_;
};

/// A matrix (2 axes) or vector (1 axis) of Eigen's on the array's memory, which it holds: it may outlive `a`, and
/// what is assigned to it is seen by both. Pending work runs first.
///   auto m = np::to_eigen<double>(a);   m *= 2;   Eigen::VectorXd x = m * v;
/// TypeError: the array has another dtype than T. ValueError: another number of axes, negative strides, a read-only
/// array unless T is const.
template <class T>
eigen_map<T, Eigen::Dynamic, Eigen::Dynamic> to_eigen(const array& a) {
  const detail::strided_memory m =
      detail::eigen_memory(a, detail::dtype_of_element<std::remove_const_t<T>>(), !std::is_const_v<T>, 2);
  return {a, static_cast<T*>(m.low), m.shape[0], m.shape[1], m.strides[0], m.strides[1]};
}
template <class T>
eigen_map<T, Eigen::Dynamic, 1> to_eigen_vector(const array& a) {
  const detail::strided_memory m =
      detail::eigen_memory(a, detail::dtype_of_element<std::remove_const_t<T>>(), !std::is_const_v<T>, 1);
  return {a, static_cast<T*>(m.low), m.shape[0], 1, 0, m.strides[0]};
}

/// An array on the memory of an Eigen matrix or vector: vectors have one axis.
///   np::array a = np::from_eigen(std::move(m));   // the array takes the matrix over
///   np::array b = np::from_eigen(m);              // m stays yours, and must outlive b and its views
/// An expression is computed into a matrix, which the array takes over.
template <class E>
  requires std::is_base_of_v<Eigen::EigenBase<std::decay_t<E>>, std::decay_t<E>>
array from_eigen(E&& e) {
  using D = std::decay_t<E>;
  auto shown = [](auto& m, std::shared_ptr<const void> owner) {
    using M = std::decay_t<decltype(m)>;
    using T = std::remove_pointer_t<decltype(m.data())>;
    const auto item = static_cast<std::int64_t>(sizeof(T));
    if constexpr (M::IsVectorAtCompileTime)
      return as_array(m.data(), dims{m.size()}, std::move(owner), {.strides = dims{m.innerStride() * item}});
    else
      return as_array(m.data(), dims{m.rows(), m.cols()}, std::move(owner),
                      {.strides = dims{m.rowStride() * item, m.colStride() * item}});
  };
  if constexpr (std::is_lvalue_reference_v<E> && bool(D::Flags & Eigen::DirectAccessBit)) {
    return shown(e, nullptr);
  } else {
    auto kept = std::make_shared<typename D::PlainObject>(std::forward<E>(e));
    return shown(*kept, kept);
  }
}

}  // namespace numjit
