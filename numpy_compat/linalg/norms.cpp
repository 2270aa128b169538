// np::linalg's norms of vectors and matrices.
#include <cmath>

#include <at_hand.h>

namespace numjit::linalg {

namespace {

array powered_sum(const array& x, double p, const axis_list& axis, bool keepdims) {
  const array powers = power(absolute(x), p);
  return power(sum(powers, {.axis = axis, .keepdims = keepdims}), 1.0 / p);
}

array root_of_squares(const array& x, const axis_list& axis, bool keepdims) {
  if (detail::is_last_axis(axis, x.ndim()) && !keepdims && x.dtype().kind() != 'c')
    if (const array total = detail::sum_of_products_at_hand(x, x); !total.empty_handle()) return sqrt(total);
  array squares;
  if (x.dtype().kind() == 'c') {
    const array re = real(x), im = imag(x);
    squares = re * re + im * im;
  } else {
    squares = x * x;
  }
  return detail::root_of_sum(sum(squares, {.axis = axis, .keepdims = keepdims}));
}

array vector_norm_of(const array& x, const norm_order& ord, const axis_list& axis, bool keepdims) {
  if (ord.named()) throw ValueError("norm", "Invalid norm order '" + ord.name() + "' for vectors");
  if (!ord.given() || ord.p() == 2) return root_of_squares(x, axis, keepdims);
  const double p = ord.p();
  const array magnitude = absolute(x);
  if (p == inf) return max(magnitude, {.axis = axis, .keepdims = keepdims, .initial = 0});
  if (p == -inf) return min(magnitude, {.axis = axis, .keepdims = keepdims});
  if (p == 0) return sum(x != 0, {.axis = axis, .dtype = magnitude.dtype(), .keepdims = keepdims});
  if (p == 1) return sum(magnitude, {.axis = axis, .keepdims = keepdims});
  return powered_sum(x, p, axis, keepdims);
}

/// Singular values of the matrices of two axes.
array values_of(const array& x, int row, int column) {
  return svdvals(moveaxis(x, axis_list(dims{row, column}), axis_list(dims{-2, -1})));
}

array with_axes_kept(const array& a, const array& x, int row, int column) {
  dims shape = x.shape();
  shape[row] = shape[column] = 1;
  return reshape(a, shape);
}

array matrix_norm_of(const array& x, const norm_order& ord, int row, int column, bool keepdims) {
  if (row == column) throw ValueError("norm", "Duplicate axes given.");
  const axis_list both(dims{row, column});
  if (!ord.given() || ord.name() == "fro") return root_of_squares(x, both, keepdims);
  array result;
  const double p = std::fabs(ord.p());
  if (ord.name() == "nuc") {
    result = sum(values_of(x, row, column), {.axis = -1});
  } else if (p == 2) {
    const array s = values_of(x, row, column);
    result = ord.p() > 0 ? max(s, {.axis = -1, .initial = 0}) : min(s, {.axis = -1});
  } else if (p == 1 || p == inf) {
    const int over = p == 1 ? row : column, then = p == 1 ? column : row;
    const array lines = sum(absolute(x), {.axis = over, .keepdims = true});
    result =
        ord.p() > 0 ? max(lines, {.axis = then, .keepdims = true, .initial = 0}) : min(lines, {.axis = then, .keepdims = true});
    return keepdims ? result : squeeze(result, {row, column});
  } else {
    throw ValueError("norm", "Invalid norm order for matrices.");
  }
  return keepdims ? with_axes_kept(result, x, row, column) : result;
}

}  // namespace

array norm(const operand& a, const norm_options& o) {
  const location_scope scope(a.where());
  const array x = detail::as_floating(a);
  if (o.axis.all()) {
    if (!o.ord.given()) return root_of_squares(x, axis_list(), o.keepdims);
    if (x.ndim() == 1) return vector_norm_of(x, o.ord, axis_list(0), o.keepdims);
    if (x.ndim() == 2) return matrix_norm_of(x, o.ord, 0, 1, o.keepdims);
    throw ValueError("norm", "Improper number of dimensions to norm.");
  }
  const dims axes = o.axis.list();
  if (axes.size() == 1) return vector_norm_of(x, o.ord, o.axis, o.keepdims);
  if (axes.size() != 2) throw ValueError("norm", "Improper number of dimensions to norm.");
  return matrix_norm_of(x, o.ord, normalize_axis("norm", axes[0], x.ndim()), normalize_axis("norm", axes[1], x.ndim()),
                        o.keepdims);
}

array vector_norm(const operand& a, const vector_norm_options& o) {
  const location_scope scope(a.where());
  return vector_norm_of(detail::as_floating(a), o.ord.given() ? o.ord : norm_order(2), o.axis, o.keepdims);
}

array matrix_norm(const operand& a, const matrix_norm_options& o) {
  const location_scope scope(a.where());
  const array x = detail::as_floating(a);
  if (x.ndim() < 2) throw AxisError("matrix_norm", "axis -2 is out of bounds for array of dimension " + std::to_string(x.ndim()));
  return matrix_norm_of(x, o.ord, x.ndim() - 2, x.ndim() - 1, o.keepdims);
}

}  // namespace numjit::linalg
