// Calls through bind() and arrays from bytes, for the tests of the eager engine.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <numjit/eager/engine.h>
#include <numjit/ops/bind.h>
#include <numjit/ops/param_layout.h>

namespace numjit::testing {

inline array run(op_id op, const std::vector<operand>& in, const op_params& params = op_call::no_params(),
                 node* out = nullptr, node* mask = nullptr) {
  op_call call{op, in, &params, out, mask};
  if (params.size() == 0 && !params.has_type()) call.params = nullptr;
  return bind(call);
}

/// A contiguous array of the given bytes.
inline array from_bytes(dtype_id type, const dims& shape, const void* bytes) {
  array a = array::adopt(detail::new_node(type, shape.size(), shape.data()));
  if (a.nbytes() != 0) std::memcpy(a.get()->data, bytes, static_cast<std::size_t>(a.nbytes()));
  return a;
}

template <class T>
array of(dtype_id type, const std::vector<T>& values) {
  return from_bytes(type, dims{static_cast<std::int64_t>(values.size())}, values.data());
}
inline array doubles(const std::vector<double>& values) { return of(dtype_id::float64, values); }
inline array ints(const std::vector<std::int64_t>& values) { return of(dtype_id::int64, values); }
inline array bools(const std::vector<std::uint8_t>& values) { return of(dtype_id::bool_, values); }

inline array contiguous(const array& a) { return run(op_id::copy, {a}); }

template <class T>
std::vector<T> values(const array& a) {
  array c = contiguous(a);
  const T* first = reinterpret_cast<const T*>(c.get()->data);
  return {first, first + c.size()};
}

/// The bytes of the elements in C order.
inline std::string bytes(const array& a) {
  array c = contiguous(a);
  return {c.get()->data, static_cast<std::size_t>(c.nbytes())};
}

inline array reshape(const array& a, const dims& shape) {
  return run(op_id::reshape_view, {a}, layout::shape_params(shape));
}
inline array transpose(const array& a, const dims& axes = {}) {
  return run(op_id::transpose, {a}, layout::axes_params(axes));
}
inline array index(const array& a, const std::vector<layout::index_entry>& entries) {
  return run(op_id::index, {a}, layout::index_params(entries));
}
inline array slice(const array& a, std::int64_t start, std::int64_t stop, std::int64_t step = 1) {
  return index(a, {layout::index_entry::range(start, stop, step)});
}
inline array iota(std::int64_t n, dtype_id type = dtype_id::float64) {
  return run(op_id::arange, {}, layout::arange_params(layout::number::of(std::int64_t{0}),
                                                      layout::number::of(n),
                                                      layout::number::of(std::int64_t{1}), type));
}
inline op_params over(const dims& axes, bool keepdims = false) {
  layout::reduction r;
  r.axes = axes;
  r.keepdims = keepdims;
  return layout::reduction_params(r);
}

/// The text of the error that f throws, "" if none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const error& e) {
    return e.code() + ": " + e.what();
  }
  return "";
}

}  // namespace numjit::testing
