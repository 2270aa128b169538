// Filled arrays, ranges, grids, matrices of diagonals.
#include <limits>

#include <at_hand.h>

#include "call.h"

namespace numjit::py {

namespace {

std::optional<std::string> device_in(Any o) {
  return o.is_none() ? std::nullopt : std::optional(nb::cast<std::string>(nb::str(o)));
}
/// The dtype of what is made, float64 where none is given.
KeptType type_or_float(Any o) {
  KeptType type = to_kept_type(o.ptr());
  if (!type.id) type.id = dtype_id::float64;
  return type;
}
/// The dtype of what is made like another array, which may have its bytes in the other order.
KeptType type_as(Any given, Any like) {
  KeptType type = to_kept_type(given.ptr());
  if (!type.id) type.other = is_in_other_order(like.ptr());
  return type;
}

/// Arguments (shape, dtype, order, device) of a filled array.
template <array (*F)(const shape_list&, const filled_options&, location)>
nb::object filled(const Given& a) {
  const KeptType type = type_or_float(a[1]);
  const filled_options o{.dtype = dtype_in(type), .order = a.order(2, 'C'), .device = device_in(a[3])};
  return in_order(give(F(a.shape(0), o, {})), type.other);
}
/// Options from `first` on: dtype, order, subok, shape, device.
like_options like_in(const Given& a, std::size_t first, const KeptType& type) {
  like_options o{.dtype = dtype_in(type), .order = a.order(first + 1, 'K'), .device = device_in(a[first + 4])};
  if (!a.is_none(first + 3)) o.shape = a.shape(first + 3);
  return o;
}
template <array (*F)(const operand&, const like_options&)>
nb::object filled_like(const Given& a) {
  const array like = array_in(a[0]);
  const KeptType type = type_as(a[1], a[0]);
  return in_order(give(F(operand_of(like), like_in(a, 1, type))), type.other);
}

/// The value that an array is filled with: a number of Python's, which fits any dtype, or an array.
class Value {
 public:
  Value(Any o, std::optional<dtype_id> type) {
    if (!is_weak_number(o.ptr())) {
      array_ = to_array(o.ptr(), PyUnicode_Check(o.ptr()) || PyBytes_Check(o.ptr()) || o.is_none() ? type : std::nullopt);
      if (type) warn_complex(array_.dtype().id(), *type, 1);
      return;
    }
    number_.set(o.ptr());
    const char kind = type ? dtype(*type).kind() : 'i';
    if (kind == 'b' && PyLong_CheckExact(o.ptr()) && PyLong_AsLong(o.ptr()) == -1 && PyErr_Occurred())
      throw ErrorSet();  // as NumPy
    number_.refuse_huge(kind);
    if (!type || kind == 'b') return;
    if (number_.get().kind() == weak_kind::int_) check_literal("full", number_.get(), *type);
    if (number_.get().kind() != weak_kind::complex_ || kind == 'c') return;
    warn_complex(dtype_id::complex128, *type, 1);
    array_ = number_.as_array();
  }
  template <class F>
  array fill(F&& f) const {
    return f(array_.empty_handle() ? number_.get() : operand_of(array_));
  }

 private:
  Argument number_;
  array array_;
};

/// Where a triangle is, one of whose numbers is a fraction: NumPy's ranges of integers count on from their first two values.
array below_diagonal(nb::object rows, nb::object columns, nb::object k) {
  const nb::object first = -k, end = columns - k;
  const array_options whole{.dtype = numjit::int64};
  const array lines = arange(0, Argument(rows.ptr()), 1, whole);
  return reshape(lines, {lines.size(), 1}) >= arange(Argument(first.ptr()), Argument(end.ptr()), 1, whole);
}
array below_diagonal_of(const array& a, nb::object k) {
  if (a.ndim() == 0) throw TypeError("", "tri() missing 1 required positional argument: 'N'");
  return below_diagonal(nb::int_(a.shape(a.ndim() > 1 ? -2 : -1)), nb::int_(a.shape(-1)), std::move(k));
}
array zero_like(const array& a) { return zeros({}, filled_options{.dtype = a.dtype()}, {}); }

/// What a sequence of numbers has evenly spaced between two, arrays among them.
template <class F>
nb::object spaced(const Given& a, std::size_t type_at, F&& f) {
  const Argument start(a[0].ptr()), stop(a[1].ptr());
  const KeptType type = to_kept_type(a[type_at].ptr());
  return in_order(give(f(start, stop, dtype_in(type))), type.other);
}

}  // namespace

// ---- filled ----

nb::object call_zeros(const Given& a) { return filled<&numjit::zeros>(a); }
nb::object call_ones(const Given& a) { return filled<&numjit::ones>(a); }
nb::object call_empty(const Given& a) { return filled<&numjit::empty>(a); }
nb::object call_full(const Given& a) {
  const dims shape = a.shape(0);
  detail::check_extents("full", shape);
  const KeptType type = to_kept_type(a[2].ptr());
  const filled_options o{.dtype = dtype_in(type), .order = a.order(3, 'C'), .device = device_in(a[4])};
  return in_order(give(Value(a[1], type.id).fill([&](const operand& value) { return full(shape, value, o); })), type.other);
}
nb::object call_zeros_like(const Given& a) { return filled_like<&numjit::zeros_like>(a); }
nb::object call_ones_like(const Given& a) { return filled_like<&numjit::ones_like>(a); }
nb::object call_empty_like(const Given& a) { return filled_like<&numjit::empty_like>(a); }
nb::object call_full_like(const Given& a) {
  const array like = array_in(a[0]);
  const KeptType type = type_as(a[2], a[0]);
  const like_options o = like_in(a, 2, type);
  if (o.shape) detail::check_extents("full", *o.shape);
  const Value value(a[1], type.id.value_or(like.dtype().id()));
  return in_order(give(value.fill([&](const operand& v) { return full_like(operand_of(like), v, o); })), type.other);
}
nb::object call_copy(const Given& a) {
  const array x = array_in(a[0]);
  return in_order(give(computed(x, [&](const operand& v) { return copy(v, a.order(1, 'K')); })), is_in_other_order(a[0].ptr()));
}

// ---- ranges ----

nb::object call_linspace(const Given& a) {
  const std::int64_t num = a.integer(2);
  array step;
  nb::object made = spaced(a, 5, [&](const operand& start, const operand& stop, const optional_dtype& type) {
    const linspace_options o{.endpoint = a.truth(3), .dtype = type, .axis = a.integer(6), .device = device_in(a[7])};
    if (!a.truth(4)) return linspace(start, stop, num, o);
    linspace_result both = linspace_retstep(start, stop, num, o);
    step = std::move(both.step);
    return std::move(both.samples);
  });
  if (step.empty_handle()) return made;
  const bool is_none = num - a.truth(3) <= 0;
  return nb::make_tuple(made, is_none ? nb::object(nb::float_(std::numeric_limits<double>::quiet_NaN())) : give_result(step));
}
nb::object call_logspace(const Given& a) {
  const std::int64_t num = a.integer(2);
  const Argument base(a[4].ptr());
  return spaced(a, 5, [&](const operand& start, const operand& stop, const optional_dtype& type) {
    return logspace(start, stop, num,
                    logspace_options{.endpoint = a.truth(3), .base = base, .dtype = type, .axis = a.integer(6)});
  });
}
nb::object call_geomspace(const Given& a) {
  const std::int64_t num = a.integer(2);
  return spaced(a, 4, [&](const operand& start, const operand& stop, const optional_dtype& type) {
    return geomspace(start, stop, num, geomspace_options{.endpoint = a.truth(3), .dtype = type, .axis = a.integer(5)});
  });
}

// ---- matrices ----

nb::object call_eye(const Given& a) {
  const std::int64_t rows = a.integer(0), columns = a.optional_integer(1).value_or(rows);
  if (columns < 0) throw ValueError("eye", "negative dimensions are not allowed");
  const KeptType type = type_or_float(a[3]);
  const eye_options o{
      .M = columns, .k = a.integer(2), .dtype = dtype_in(type), .order = a.order(4, 'C'), .device = device_in(a[5])};
  return in_order(give(eye(rows, o, {})), type.other);
}
nb::object call_identity(const Given& a) {
  const KeptType type = type_or_float(a[1]);
  return in_order(give(identity(a.integer(0), array_options{.dtype = dtype_in(type)}, {})), type.other);
}
nb::object call_tri(const Given& a) {
  const Any columns = a.is_none(1) ? a[0] : a[1];
  const KeptType type = type_or_float(a[3]);
  if (!PyIndex_Check(a[0].ptr()) || !PyIndex_Check(columns.ptr()) || !PyIndex_Check(a[2].ptr())) {
    const array below = below_diagonal(nb::borrow(a[0]), nb::borrow(columns), nb::borrow(a[2]));
    return in_order(give(below.astype(*dtype_in(type), {})), type.other);
  }
  const tri_options o{.M = std::max<std::int64_t>(to_int(columns.ptr()), 0), .k = a.integer(2), .dtype = dtype_in(type)};
  return in_order(give(tri(a.integer(0), o, {})), type.other);
}
nb::object call_tril(const Given& a) {
  const array x = array_in(a[0]);
  if (!PyIndex_Check(a[1].ptr())) return give(where(below_diagonal_of(x, nb::borrow(a[1])), x, zero_like(x)));
  return give(computed(x, [&](const operand& v) { return tril(v, a.integer(1)); }));
}
nb::object call_triu(const Given& a) {
  const array x = array_in(a[0]);
  if (!PyIndex_Check(a[1].ptr())) return give(where(below_diagonal_of(x, a[1] - nb::int_(1)), zero_like(x), x));
  return give(computed(x, [&](const operand& v) { return triu(v, a.integer(1)); }));
}
nb::object call_diag(const Given& a) {
  const array v = array_in(a[0]);
  const std::int64_t k = a.integer(1);
  if (v.ndim() == 2) return give_view(diagonal(operand_of(v), k), a[0]);
  return in_order(give(diag(operand_of(v), k)), is_in_other_order(a[0].ptr()));
}
nb::object call_diagflat(const Given& a) {
  const array v = array_in(a[0]);
  return in_order(give(diagflat(operand_of(v), a.integer(1))), is_in_other_order(a[0].ptr()));
}
nb::object call_vander(const Given& a) {
  const array x = array_in(a[0]);
  const vander_options o{.N = a.optional_integer(1).value_or(-1), .increasing = a.truth(2)};
  if (!a.is_none(1) && o.N < 0) throw ValueError("vander", "negative dimensions are not allowed");
  return give(vander(operand_of(x), o));
}

// ---- grids ----

nb::object call_meshgrid(const Given& a) {
  const std::string indexing = PyUnicode_Check(a[3].ptr()) ? utf8(a[3].ptr()) : "";  // which is none
  const meshgrid_options o{.copy = a.truth(1), .sparse = a.truth(2), .indexing = indexing.c_str()};
  nb::list made;
  Py_ssize_t i = 0;
  for (array& grid : meshgrid(to_array_list(a[0].ptr()), o, {})) {
    const nb::handle of = PyTuple_GET_ITEM(a[0].ptr(), i++);
    made.append(o.copy ? in_order(give(std::move(grid)), is_in_other_order(of.ptr())) : give_view(std::move(grid), of));
  }
  return nb::tuple(made);
}
nb::object call_indices(const Given& a) {
  const nb::object extents = items_of(a[0]);
  if (!extents.is_valid()) throw TypeError("", not_iterable(a[0]));
  const dims shape = to_dims(extents.ptr());
  const KeptType type = type_or_float(a[1]);
  const array_options o{.dtype = dtype_in(type)};
  if (!a.truth(2)) return in_order(give(indices(shape, o, {})), type.other);
  nb::list made;
  for (array& line : indices_sparse(shape, o, {})) made.append(in_order(give(std::move(line)), type.other));
  return nb::tuple(made);
}

}  // namespace numjit::py
