// Functions that rearrange, join, select and multiply arrays, for the Python layer.
#include <limits>

#include <nanobind/stl/string.h>


#include "byte_order.h"
#include "module.h"

namespace numjit::py {

namespace {

array call(op_id op, std::initializer_list<operand> in, const op_params& params = {}) {
  return bind({op, operand_list(in.begin(), in.size()), &params, nullptr, nullptr, {}});
}

void define_views(Module& m) {
  m.def("reshape", [](Any a, Any shape) {
    return in_order(give_rearranged(reshape(Argument(a.ptr()), to_dims(shape.ptr())), a), is_in_other_order(a.ptr()));
  });
  m.def("ravel", [](Any a) { return in_order(give_view(ravel(Argument(a.ptr())), a), is_in_other_order(a.ptr())); });
  m.def("transpose", [](Any h, Any axes) {
    Argument a(h.ptr());
    const array x = a.as_array();
    dims order = axes.is_none() ? dims() : to_dims(axes.ptr());
    if (!axes.is_none() && order.size() != x.ndim()) throw ValueError("transpose", "axes don't match array");
    return give_rearranged(transpose(operand_of(x), order), h);
  });
  m.def("swapaxes", [](Any a, std::int64_t i, std::int64_t j) { return give_rearranged(swapaxes(Argument(a.ptr()), i, j), a); });
  m.def("moveaxis", [](Any a, Any from, Any to) {
    return give_rearranged(moveaxis(Argument(a.ptr()), to_axes(from.ptr()), to_axes(to.ptr())), a);
  });
  m.def("squeeze", [](Any a, Any axis) { return give_rearranged(squeeze(Argument(a.ptr()), to_axes(axis.ptr())), a); });
  m.def("expand_dims", [](Any a, Any axis) { return give_view(expand_dims(Argument(a.ptr()), to_axes(axis.ptr())), a); });
  m.def("broadcast_to", [](Any h, Any shape) {
    Argument a(h.ptr());
    return give_view(broadcast_to(operand_of(a.as_array()), to_dims(shape.ptr())), h);
  });
  m.def("diagonal", [](Any a, std::int64_t offset, std::int64_t axis1, std::int64_t axis2) {
    return give_view(diagonal(Argument(a.ptr()), offset, axis1, axis2), a);
  });
  m.def("flip", [](Any a, Any axis) { return give_rearranged(flip(Argument(a.ptr()), to_axes(axis.ptr())), a); });
}

void define_joins(Module& m) {
  m.def("concatenate", [](Any arrays, Any axis, Any out, Any type) {
    std::vector<array> list = to_array_list(arrays.ptr());
    if (axis.is_none())
      for (array& a : list) a = a.ravel({});
    join_options o{.axis = axis.is_none() ? 0 : to_int(axis.ptr()), .out = opt_array(out)};
    const auto [asked, other] = to_kept_type(type.ptr());
    if (asked) o.dtype = dtype(*asked);
    if (!o.out.empty_handle()) detail::settle_pending();
    array result;
    {
      std::int64_t work = 0;
      for (const array& a : list) work += a.get()->size;
      MaybeUnlocked unlocked(work);
      result = concatenate(list, o, {});
    }
    return out.is_none() ? in_order(give(result), other) : nb::borrow(out);
  });
}

void define_searches(Module& m) {
  m.def("sort", [](Any h, Any axis) {
    Argument a(h.ptr());
    const array x = a.as_array();
    const std::optional<std::int64_t> at = to_optional_int(axis.ptr());
    array result;
    {
      MaybeUnlocked unlocked(4 * x.get()->size);
      result = at ? sort(operand_of(x), *at) : sort(operand_of(x), none);
    }
    return give(result);
  });
  m.def("searchsorted", [](Any a, Any v, const std::string& side) {
    return give_result(searchsorted(Argument(a.ptr()), Argument(v.ptr()), side.c_str()));
  });
  m.def("bincount", [](Any x, Any weights, std::int64_t minlength) {
    return give(bincount(Argument(x.ptr()), opt_array(weights), minlength));
  });
  m.def("nonzero", [](Any a) { return nb::tuple(give_list(nonzero(Argument(a.ptr())))); });
}

/// A bound of clip in the dtype of what is clipped: an integer beyond the dtype's end bounds nothing and becomes that end.
nb::object bound_for(Any a, Any bound, bool is_low) {
  if (!PyLong_CheckExact(bound.ptr())) return nb::borrow(bound);
  const array x = to_array(a.ptr());
  Argument b(bound.ptr());
  const char kind = x.dtype().kind();
  if (b.is_huge() && (kind == 'i' || kind == 'u')) {
    int sign = 0;
    PyLong_AsLongLongAndOverflow(bound.ptr(), &sign);
    if (is_low == (sign > 0)) return nb::borrow(bound);  // no element is left: an error
    const operand end =
        is_low ? operand(std::numeric_limits<std::int64_t>::min()) : operand(std::numeric_limits<std::uint64_t>::max());
    const operand limit = clip_bound(operand_of(x), end, is_low);
    return nb::steal(limit.above_int64() ? PyLong_FromUnsignedLongLong(static_cast<std::uint64_t>(limit.int_value()))
                                         : PyLong_FromLongLong(limit.int_value()));
  }
  const operand made = clip_bound(operand_of(x), b.get(), is_low);
  if (made.above_int64()) return nb::steal(PyLong_FromUnsignedLongLong(static_cast<std::uint64_t>(made.int_value())));
  if (made.kind() == weak_kind::int_) return nb::steal(PyLong_FromLongLong(made.int_value()));
  return nb::borrow(bound);
}

void define_copies(Module& m) {
  m.def("astype", [](Any a, Any type) {
    array x = to_array(a.ptr());
    const auto [t, other] = to_kept_type(type.ptr());
    array result;
    {
      MaybeUnlocked unlocked(x.get()->size);
      result = detail::cast_in_order(operand_of(x), t.value_or(dtype_id::float64), x, 'C');
    }
    return in_order(nb::steal(wrap(result, is_array(a.ptr()) && is_scalar(a.ptr()))), other);
  });
  m.def("copy", [](Any a) { return in_order(give(to_array(a.ptr()).copy({})), is_in_other_order(a.ptr())); });
  // A copy in an order of 'CFAK'; 'K' and 'A' look at how `like` lies.
  m.def("copy_in_order", [](Any a, Any type, const std::string& order, Any like) {
    const array x = to_array(a.ptr());
    const auto [asked, other] = to_kept_type(type.ptr());
    const dtype_id t = asked.value_or(x.dtype().id());
    const array model = to_array(like.ptr());
    array result;
    {
      MaybeUnlocked unlocked(x.get()->size);
      result = detail::cast_in_order(operand_of(x), t, model, order.at(0));
    }
    return in_order(give(result), asked ? other : is_in_other_order(a.ptr()));
  });
  m.def("mask", [](Any where) { return give(to_mask(where.ptr())); });
  m.def("rebind", [](Any target, Any other) { checked_array(target.ptr()) = array(checked_array(other.ptr())); });
  m.def("store", [](Any target, Any value, Any where) {
    array& to = checked_array(target.ptr());
    if (is_scalar(target.ptr())) return;  // never changes: NumPy stores into a copy
    if (!to.writeable()) throw ValueError("", "assignment destination is read-only");
    Argument v(value.ptr());
    detail::settle_pending();
    if (where.is_none()) {
      call(op_id::store, {operand_of(to), v.get()});
      return;
    }
    const array mask = to_array(where.ptr());
    const array wide = broadcast_to(operand_of(mask), to.shape());
    call(op_id::masked_store, {operand_of(to), v.get(), operand_of(wide)});
  });
  m.def("clip_bound", bound_for);
  define_joins(m);
  define_searches(m);
}

void define_products(Module& m) {
  m.def("matmul", [](Any h, Any g) {
    Argument a(h.ptr()), b(g.ptr());
    array result;
    {
      MaybeUnlocked unlocked(64 * std::max(work_of(a), work_of(b)));
      result = matmul(a, b);
    }
    return give_result(result);
  });
}

}  // namespace

void define_structure(Module& m) {
  define_views(m);
  define_copies(m);
  define_products(m);
}

}  // namespace numjit::py
