// The rules of reductions and scans.
#include <algorithm>

#include <numjit/transform/rules.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {

using detail::call;

namespace {

/// A reduction: its axes, shapes with them kept, mask and initial value.
struct Reduced {
  explicit Reduced(const Seen& s)
      : params(layout::reduction_of(s.p())),
        shape(s.shape(0)),
        axes(reduced_axes(params, shape.size())),
        kept(kept_shape(shape, axes)) {}

  /// What belongs to the result, for each element of the input.
  array spread(const array& of_result) const { return detail::expand_to(reshaped(of_result, kept), shape); }
  /// Zeros where the mask of the reduction is false.
  array masked(const Seen& s, const array& a, int otherwise = 0) const {
    return s.mask().empty_handle() ? a : select(s.mask(), a, operand(otherwise, "", "", 0));
  }
  /// The sum of changes, as the reduction goes.
  array sum(const Seen& s, const array& changes) const {
    layout::reduction r;
    r.axes = axes;
    r.keepdims = params.keepdims;
    return as_result(call(op_id::sum, {masked(s, as_result(changes, shape, s.result_type()))}, layout::reduction_params(r)),
                     s.result_shape(), s.result_type());
  }

  const layout::reduction params;
  const dims shape, axes, kept;
};

operand number_of(const layout::number& n) {
  if (n.kind == layout::number::complex_) return {std::complex(n.as_double(), n.imag), "", "", 0};
  return {n.as_double(), "", "", 0};
}

// ---- max and min ----

/// For each element its part of the result: 1 over the number of elements that are equal to it, 0 for the others.
array parts_of_extremum(const Seen& s, const Reduced& r) {
  const array& x = s.array_value(0);
  const array y = r.spread(s.result());
  const array both_nan = binary(op_id::bitwise_and, bind_ufunc(op_id::isnan, x), bind_ufunc(op_id::isnan, y));
  array hit = binary(op_id::bitwise_or, binary(op_id::equal, x, y), both_nan);
  if (!s.mask().empty_handle()) hit = binary(op_id::bitwise_and, hit, s.mask());
  layout::reduction kept;
  kept.axes = r.axes;
  kept.keepdims = true;
  array count = call(op_id::sum, {hit}, layout::reduction_params(kept));
  if (r.params.initial)
    count = binary(op_id::add, count, binary(op_id::equal, reshaped(s.result(), r.kept), number_of(*r.params.initial)));
  const array each = binary(op_id::divide, detail::cast(hit, s.result_type()), detail::cast(count, s.result_type()));
  return select(hit, each, operand(0, "", "", 0));
}

void adjoint_of_extremum(Adjoint& a) {
  const Reduced r(a);
  a.give(0, binary(op_id::scale, r.spread(a.g()), parts_of_extremum(a, r)));
}
array tangent_of_extremum(const Tangent& t) {
  const Reduced r(t);
  return r.sum(t, binary(op_id::scale, t.change(0), parts_of_extremum(t, r)));
}

// ---- products ----

/// Along the last axis, for each element the product of those before it.
array products_before(const array& x) {
  dims first = shape_of(x);
  const int axis = first.size() - 1;
  first[axis] = 1;
  const array ones = full_of(first, type_of(x), 1);
  const array running = call(op_id::cumprod, {slice(x, axis, 0, -1)}, layout::axis_params(axis));
  return joined(ones, running, axis);
}

/// For each element the product of the others that are multiplied with it.
array products_of_others(const Seen& s, const Reduced& r) {
  const array given = as_result(s.array_value(0), r.shape, s.result_type());
  const array x = s.mask().empty_handle() ? given : select(s.mask(), given, operand(1, "", "", 0));
  dims order, inverse;
  for (int i = 0; i < r.shape.size(); ++i)
    if (std::find(r.axes.begin(), r.axes.end(), i) == r.axes.end()) order.push_back(i);
  dims flat;
  for (const std::int64_t i : order) flat.push_back(r.shape[static_cast<int>(i)]);
  std::int64_t reduced = 1;
  for (const std::int64_t i : r.axes) {
    order.push_back(i);
    reduced *= r.shape[static_cast<int>(i)];
  }
  flat.push_back(reduced);
  inverse.resize(order.size());
  for (int i = 0; i < order.size(); ++i) inverse[static_cast<int>(order[i])] = i;
  if (reduced == 0) return x;
  const array ordered = detail::permute(x, order), rows = reshaped(ordered, flat);
  const int axis = flat.size() - 1;
  array others = binary(op_id::multiply, products_before(rows), flip(products_before(flip(rows, axis)), axis));
  if (r.params.initial) others = binary(op_id::multiply, others, number_of(*r.params.initial));
  return detail::permute(reshaped(others, shape_of(ordered)), inverse);
}

// ---- scans ----

/// The input of a scan, which is flattened where no axis is given.
struct Scanned {
  explicit Scanned(const Seen& s) : shape(s.result_shape()) {
    const std::int64_t word = layout::axis_of(s.p());
    const int rank = shape.size();
    axis = word == layout::none ? 0 : static_cast<int>(word < 0 ? word + rank : word);
  }
  array input(const Seen& s, const array& a) const { return as_result(reshaped(a, shape), shape, s.result_type()); }
  array backward_sum(const array& g) const { return flip(call(op_id::cumsum, {flip(g, axis)}, layout::axis_params(axis)), axis); }
  /// Elements moved by one place to the back, `first` before them.
  array after(const array& a, std::int64_t first) const {
    dims one = shape;
    one[axis] = 1;
    return joined(full_of(one, type_of(a), first), slice(a, axis, 0, -1), axis);
  }
  array scan(const array& a, const array& b) const { return call(op_id::linear_scan, {a, b}, layout::axis_params(axis)); }
  /// h[k] = g[k] + a[k + 1] * h[k + 1], from the last to the first.
  array backward_scan(const array& a, const array& g) const {
    return flip(scan(after(flip(conjugate(a), axis), 0), flip(g, axis)), axis);
  }

  const dims shape;
  int axis;
};

}  // namespace

void adjoint_sum(Adjoint& a) {
  const Reduced r(a);
  a.give(0, r.masked(a, r.spread(a.g())));
}
array tangent_sum(const Tangent& t) { return Reduced(t).sum(t, t.change(0)); }

void adjoint_prod(Adjoint& a) {
  const Reduced r(a);
  a.give(0, r.masked(a, binary(op_id::scale, r.spread(a.g()), conjugate(products_of_others(a, r)))));
}
array tangent_prod(const Tangent& t) {
  const Reduced r(t);
  return r.sum(t, binary(op_id::scale, as_result(t.change(0), r.shape, t.result_type()), products_of_others(t, r)));
}

void adjoint_max(Adjoint& a) { adjoint_of_extremum(a); }
array tangent_max(const Tangent& t) { return tangent_of_extremum(t); }
void adjoint_min(Adjoint& a) { adjoint_of_extremum(a); }
array tangent_min(const Tangent& t) { return tangent_of_extremum(t); }

void adjoint_cumsum(Adjoint& a) { a.give(0, reshaped(Scanned(a).backward_sum(a.g()), a.shape(0))); }
array tangent_cumsum(const Tangent& t) {
  const Scanned s(t);
  return call(op_id::cumsum, {s.input(t, t.change(0))}, layout::axis_params(s.axis));
}

// y[k] = y[k - 1] * x[k]
void adjoint_cumprod(Adjoint& a) {
  const Scanned s(a);
  if (a.g().get()->size == 0) return a.give(0, reshaped(a.g(), a.shape(0)));
  const array h = s.backward_scan(s.input(a, a.array_value(0)), a.g());
  a.give(0, reshaped(binary(op_id::scale, h, conjugate(s.after(a.result(), 1))), a.shape(0)));
}
array tangent_cumprod(const Tangent& t) {
  const Scanned s(t);
  if (t.result().get()->size == 0) return s.input(t, t.change(0));
  const array from = binary(op_id::scale, s.input(t, t.change(0)), s.after(t.result(), 1));
  return s.scan(s.input(t, t.array_value(0)), from);
}

// y[k] = a[k] * y[k - 1] + b[k]
void adjoint_linear_scan(Adjoint& a) {
  const Scanned s(a);
  if (a.g().get()->size == 0) return;
  const array h = s.backward_scan(s.input(a, a.array_value(0)), a.g());
  a.give(0, binary(op_id::scale, h, conjugate(s.after(a.result(), 0))));
  a.give(1, h);
}
array tangent_linear_scan(const Tangent& t) {
  const Scanned s(t);
  array from = t.changes(1) ? s.input(t, t.change(1)) : array();
  if (t.result().get()->size != 0 && t.changes(0)) {
    const array by_factor = binary(op_id::scale, s.input(t, t.change(0)), s.after(t.result(), 0));
    from = from.empty_handle() ? by_factor : binary(op_id::add, by_factor, from);
  }
  return s.scan(s.input(t, t.array_value(0)), from);
}

}  // namespace numjit::transform
