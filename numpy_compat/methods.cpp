// array's methods, and reading values out of arrays.
#include <cstring>

#include <numjit/array/shown.h>
#include <numjit/trace/state/pending.h>

#include "surface.h"

namespace numjit {

namespace detail {

array to_array(const operand& a) {
  if (a.is_array()) return array::share(a.n());
  return array(a, {});
}

dtype_id type_of(const operand& a) {
  if (a.is_array()) return a.n()->type;
  switch (a.kind()) {
    case weak_kind::bool_: return dtype_id::bool_;
    case weak_kind::int_: return a.above_int64() ? dtype_id::uint64 : dtype_id::int64;
    case weak_kind::complex_: return dtype_id::complex128;
    default: return dtype_id::float64;
  }
}

array readable(const operand& a, const char* why) {
  const location_scope scope(a.where());
  array x = to_array(a);
  concrete(x.get(), why);
  if (!x.is_c_contiguous()) {
    x = contiguous_copy(x);
    concrete(x.get(), why);
  }
  return x;
}

namespace {

element_value element_at(const char* p, dtype_id t) {
  element_value v;
  v.kind = dtype(t).kind();
  visit_dtype(t, [&]<class T>() {
    T x;
    std::memcpy(&x, p, sizeof(T));
    if constexpr (std::is_same_v<T, half>) {
      v.re = static_cast<double>(static_cast<float>(x));
    } else if constexpr (std::is_floating_point_v<T>) {
      v.re = static_cast<double>(x);
    } else if constexpr (std::is_integral_v<T>) {
      v.i = static_cast<std::int64_t>(x);
      v.u = static_cast<std::uint64_t>(x);
    } else {
      v.re = static_cast<double>(x.re);
      v.im = static_cast<double>(x.im);
    }
  });
  return v;
}

bool truth(const element_value& v) {
  if (v.kind == 'f') return v.re != 0;
  if (v.kind == 'c') return v.re != 0 || v.im != 0;
  return v.u != 0;
}

}  // namespace

element_value single_element(const array& a, const location& where) {
  if (a.size() != 1)
    throw ValueError("item", "can only convert an array of size 1 to a Python scalar: got shape " +
                                 a.shape().str() + ".");
  node* n = concrete(a.get(), "item", where);
  return element_at(n->data, n->type);
}

element_value flat_element(const array& a, std::int64_t index, const location& where) {
  const std::int64_t size = a.size(), given = index;
  if (index < 0) index += size;
  if (index < 0 || index >= size)
    throw IndexError("item", "index " + std::to_string(given) + " is out of bounds for size " +
                                 std::to_string(size));
  const node* n = concrete(a.get(), "item", where);
  const char* p = n->data;
  for (int axis = n->rank - 1; axis >= 0; index /= n->shape[axis], --axis)
    p += index % n->shape[axis] * n->strides[axis];
  return element_at(p, n->type);
}

void throw_cannot_hold(const array& a, const char* what) {
  throw TypeError("item", "the value does not fit: got dtype " + std::string(a.dtype().name()) +
                              ", expected one whose value " + what +
                              " can hold. Convert with astype first, or ask for another type.");
}

void* checked_data(const array& a, dtype_id type, const location& where) {
  node* n = a.get();
  if (n->type != type)
    throw TypeError("data", "the element type differs: got dtype " + std::string(a.dtype().name()) +
                                ", expected " + std::string(dtype(type).name()) +
                                ". Convert with astype first.");
  before_write();
  concrete(n, "data", where);
  refuse_memory(n);
  tracing::show_until_call_ends(n, where);
  return n->data;
}

void copy_out(const array& a, dtype_id type, void* to, const location& where) {
  const location_scope scope(where);
  if (!can_cast(a.get()->type, type, casting::safe))
    throw TypeError("tolist", "the values may not fit: got dtype " + std::string(a.dtype().name()) +
                                  ", expected one that casts safely to " +
                                  std::string(dtype(type).name()) + ". Convert with astype first.");
  const array from = readable(a.get()->type == type ? a : cast(a, type), "tolist");
  if (from.nbytes() > 0)  // an empty array may have no memory to copy from
    std::memcpy(to, from.get()->data, static_cast<std::size_t>(from.nbytes()));
}

}  // namespace detail

array dtype::operator()(const operand& value) const {
  if (!value.is_array()) {
    if (value.kind() == weak_kind::int_ && (kind() == 'i' || kind() == 'u'))
      check_literal(std::string(name()), value, id_);
    return detail::create(op_id::full,
                          layout::full_params({}, layout::number::of_literal(value), id_),
                          value.where());
  }
  return detail::cast(value, id_);
}

array::operator bool() const {
  if (size() != 1) {
    if (size() == 0)
      throw ValueError("bool", "The truth value of an empty array is ambiguous. Use "
                               "`array.size > 0` to check that an array is not empty.");
    throw ValueError("bool", "The truth value of an array with more than one element is ambiguous. "
                             "Use a.any() or a.all()");
  }
  node* n = detail::concrete(get(), "bool");
  return detail::truth(detail::element_at(n->data, n->type));
}

array::operator double() const { return item<double>(); }

array::operator std::int64_t() const {
  detail::element_value v = detail::single_element(*this, {});
  if (v.kind == 'f') return static_cast<std::int64_t>(v.re);  // int() truncates, as in Python
  return detail::convert_element<std::int64_t>(*this, v);
}

void* array::raw_data(location where) const {
  detail::before_write();
  node* n = detail::concrete(get(), "data", where);
  detail::refuse_memory(n);
  tracing::show_until_call_ends(n, where);
  return n->data;
}

void share(const array& a, location where) {
  detail::before_write();
  detail::show_for_good(detail::concrete(a.get(), "data", where), "np::share", where);
}

const array& array::eval(location where) const {
  detail::concrete(get(), "eval", where);
  return *this;
}

using detail::at;

array array::astype(numjit::dtype to, call_site where) const { return detail::cast(at(*this, where), to.id()); }
array array::astype(numjit::dtype to, const astype_options& o, location where) const {
  return numjit::astype(*this, to, o, where);
}
array array::copy(call_site where) const { return detail::contiguous_copy(at(*this, where)); }
array array::copy(const order_options& o, location where) const { return numjit::copy(at(*this, where), o.order); }
array array::reshape(const dims& shape, call_site where) const { return numjit::reshape(at(*this, where), shape); }
array array::reshape(const dims& shape, const reshape_options& o, location where) const {
  return numjit::reshape(at(*this, where), shape, o);
}
array array::ravel(call_site where) const { return numjit::ravel(at(*this, where)); }
array array::ravel(const order_options& o, location where) const { return numjit::ravel(at(*this, where), o); }
array array::flatten(call_site where) const {
  const location_scope scope(where);
  return detail::reshape_view(copy(), {size()});
}
array array::flatten(const order_options& o, location where) const {
  const location_scope scope(where);
  return numjit::ravel(numjit::copy(*this, o.order), o);
}
array array::transpose(const dims& axes, location where) const {
  return numjit::transpose(at(*this, where), axes);
}
array array::squeeze(call_site where) const { return numjit::squeeze(at(*this, where)); }
array array::squeeze(const axes_options& o, location where) const { return numjit::squeeze(at(*this, where), o); }
array array::swapaxes(int a, int b, location where) const { return numjit::swapaxes(at(*this, where), a, b); }
array array::diagonal(std::int64_t offset, std::int64_t axis1, std::int64_t axis2, location where) const {
  return numjit::diagonal(at(*this, where), offset, axis1, axis2);
}
array array::diagonal(const diagonal_options& o, location where) const { return numjit::diagonal(at(*this, where), o); }
array array::real(location where) const { return numjit::real(at(*this, where)); }
array array::imag(location where) const { return numjit::imag(at(*this, where)); }
array array::conj(location where) const { return numjit::conjugate(at(*this, where)); }
array array::fill(const operand& value, location where) const {
  detail::before_write();
  detail::call(op_id::store, {at(*this, where), value});
  return *this;
}
array array::take(const array& indices, std::optional<int> axis, location where) const {
  return numjit::take(at(*this, where), indices, axis ? std::optional<std::int64_t>(*axis) : std::nullopt);
}
array array::take(const array& indices, const take_options& o, location where) const {
  return numjit::take(at(*this, where), indices, o);
}

#define NUMJIT_REDUCTION_METHOD(name, options)                                                                   \
  array array::name(const options& o, location where) const { return numjit::name(at(*this, where), o); } \
  array array::name(call_site where) const { return numjit::name(at(*this, where)); }
NUMJIT_REDUCTION_METHOD(sum, reduce_options)
NUMJIT_REDUCTION_METHOD(prod, reduce_options)
NUMJIT_REDUCTION_METHOD(max, reduce_options)
NUMJIT_REDUCTION_METHOD(min, reduce_options)
NUMJIT_REDUCTION_METHOD(any, reduce_options)
NUMJIT_REDUCTION_METHOD(all, reduce_options)
NUMJIT_REDUCTION_METHOD(mean, reduce_options)
NUMJIT_REDUCTION_METHOD(var, var_options)
NUMJIT_REDUCTION_METHOD(std, var_options)
NUMJIT_REDUCTION_METHOD(argmax, arg_options)
NUMJIT_REDUCTION_METHOD(argmin, arg_options)
NUMJIT_REDUCTION_METHOD(cumsum, scan_options)
NUMJIT_REDUCTION_METHOD(cumprod, scan_options)
#undef NUMJIT_REDUCTION_METHOD

array array::dot(const operand& other, call_site where) const { return numjit::dot(at(*this, where), other); }
array array::dot(const operand& other, const out_options& o, location where) const {
  return numjit::dot(at(*this, where), other, o);
}
array array::round(int decimals, location where) const { return numjit::round(at(*this, where), decimals); }
array array::round(const round_options& o, location where) const { return numjit::round(at(*this, where), o); }
array array::clip(const operand& low, const operand& high, call_site where) const {
  return numjit::clip(at(*this, where), low, high);
}
array array::clip(const operand& low, const operand& high, const out_options& o, location where) const {
  return numjit::clip(at(*this, where), low, high, {.out = o.out});
}
array array::clip(const clip_options& o, location where) const { return numjit::clip(at(*this, where), o); }
array array::mT(location where) const {
  if (ndim() < 2) throw ValueError("mT", "matrix transpose with ndim < 2 is undefined");
  return matrix_transpose(at(*this, where));
}
array array::trace(std::int64_t offset, std::int64_t axis1, std::int64_t axis2) const {
  return numjit::trace(*this, offset, axis1, axis2);
}
array array::trace(const trace_keywords& o, location where) const { return numjit::trace(at(*this, where), o); }
array array::repeat(std::int64_t repeats, std::optional<std::int64_t> axis, location where) const {
  return numjit::repeat(at(*this, where), repeats, axis);
}
array array::repeat(const array& repeats, std::optional<std::int64_t> axis, location where) const {
  return numjit::repeat(at(*this, where), repeats, axis);
}
array array::repeat(std::int64_t repeats, const axis_options& o, location where) const {
  return repeat(repeats, o.axis, where);
}
array array::repeat(const array& repeats, const axis_options& o, location where) const {
  return repeat(repeats, o.axis, where);
}
array array::compress(const array& condition, std::optional<std::int64_t> axis, location where) const {
  return numjit::compress(condition, at(*this, where), {.axis = axis});
}
array array::compress(const array& condition, const compress_options& o, location where) const {
  return numjit::compress(condition, at(*this, where), o);
}
array array::choose(const std::vector<array>& choices, const char* mode, location where) const {
  return numjit::choose(at(*this, where), choices, mode);
}
array array::choose(const std::vector<array>& choices, const choose_options& o, location where) const {
  return numjit::choose(at(*this, where), choices, o);
}
void array::put(const array& indices, const operand& values, const char* mode) const {
  numjit::put(*this, indices, values, mode);
}
void array::put(const array& indices, const operand& values, const mode_options& o) const {
  numjit::put(*this, indices, values, o);
}
std::vector<array> array::nonzero(location where) const { return numjit::nonzero(at(*this, where)); }
array array::searchsorted(const operand& v, const char* side) const { return numjit::searchsorted(*this, v, side); }
array array::searchsorted(const operand& v, const char* side, const array& sorter) const {
  return numjit::searchsorted(*this, v, side, sorter);
}
array array::searchsorted(const operand& v, const searchsorted_options& o, location where) const {
  return numjit::searchsorted(at(*this, where), v, o);
}
array array::argsort(std::int64_t axis, location where) const { return numjit::argsort(at(*this, where), axis); }
array array::argsort(const sort_options& o, location where) const { return numjit::argsort(at(*this, where), o); }
array array::argpartition(const index_list& kth, std::int64_t axis, location where) const {
  return numjit::argpartition(at(*this, where), kth, axis);
}
array array::argpartition(const index_list& kth, const partition_options& o, location where) const {
  return numjit::argpartition(at(*this, where), kth, o);
}

namespace {
/// In place there is no flattened array: NumPy's words for axis=None.
void require_axis(const char* op, const std::optional<std::int64_t>& axis) {
  if (!axis) throw TypeError(op, "'NoneType' object cannot be interpreted as an integer");
}
}  // namespace

void array::sort(std::int64_t axis, location where) const {
  const location_scope scope(where);
  fill(numjit::sort(*this, axis));
}
void array::sort(const sort_options& o, location where) const {
  const location_scope scope(where);
  require_axis("sort", o.axis);
  fill(numjit::sort(*this, o));
}
void array::partition(const index_list& kth, std::int64_t axis, location where) const {
  const location_scope scope(where);
  fill(numjit::partition(*this, kth, axis));
}
void array::partition(const index_list& kth, const partition_options& o, location where) const {
  const location_scope scope(where);
  require_axis("partition", o.axis);
  fill(numjit::partition(*this, kth, o));
}
void array::resize(const dims& shape, location where) {
  const location_scope scope(where);
  const array flat = flatten();
  array made = zeros(shape, {.dtype = dtype()}), line = made.ravel();  // a view
  const std::int64_t kept = std::min(made.size(), flat.size());
  line(slice(none, kept)) = flat(slice(none, kept));
  *this = std::move(made);
}

}  // namespace numjit
