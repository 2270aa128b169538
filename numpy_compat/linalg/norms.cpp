// np::linalg's norms of vectors and matrices.
#include <cmath>

#include <at_hand.h>

namespace numjit::linalg {

using numjit::detail::at;

norm_order::norm_order(const char* text) : given_(true) {
  const std::string_view name(text);
  if (name == "fro") name_ = name::fro;
  else if (name == "nuc") name_ = name::nuc;
  else throw ValueError("norm", "Invalid norm order for matrices.");
}

namespace {

array powered_sum(const array& x, double p, const axis_list& axis, bool keepdims, const location& w) {
  const array powers = power(at(absolute(at(x, w)), w), at(p, w));
  const array total = sum(at(powers, w), {.axis = axis, .keepdims = keepdims});
  return power(at(total, w), at(1.0 / p, w));
}

array root_of_squares(const array& x, const axis_list& axis, bool keepdims, const location& w) {
  if (detail::is_last_axis(axis, x.ndim()) && !keepdims && x.dtype().kind() != 'c')
    if (const array total = detail::sum_of_products_at_hand(x, x); !total.empty_handle()) return sqrt(at(total, w));
  array squares;
  if (x.dtype().kind() == 'c') {
    const array re = real(at(x, w)), im = imag(at(x, w));
    squares = add(at(multiply(at(re, w), at(re, w)), w), at(multiply(at(im, w), at(im, w)), w));
  } else {
    squares = multiply(at(x, w), at(x, w));
  }
  return sqrt(at(sum(at(squares, w), {.axis = axis, .keepdims = keepdims}), w));
}

array vector_norm_of(const array& x, const norm_order& ord, const axis_list& axis, bool keepdims, const location& w) {
  if (ord.named() != norm_order::name::none)
    throw ValueError("norm", std::string("Invalid norm order '") + (ord.named() == norm_order::name::fro ? "fro" : "nuc") + "' for vectors");
  if (!ord.given() || ord.p() == 2) return root_of_squares(x, axis, keepdims, w);
  const double p = ord.p();
  const array magnitude = absolute(at(x, w));
  if (p == inf) return max(at(magnitude, w), {.axis = axis, .keepdims = keepdims, .initial = 0});
  if (p == -inf) return min(at(magnitude, w), {.axis = axis, .keepdims = keepdims});
  if (p == 0)
    return sum(at(not_equal(at(x, w), at(0, w)), w),
               {.axis = axis, .dtype = dtype(magnitude.get()->type), .keepdims = keepdims});
  if (p == 1) return sum(at(magnitude, w), {.axis = axis, .keepdims = keepdims});
  return powered_sum(x, p, axis, keepdims, w);
}

/// Singular values of the matrices of two axes.
array values_of(const array& x, int row, int column, const location& w) {
  return svdvals(at(moveaxis(at(x, w), axis_list(dims{row, column}), axis_list(dims{-2, -1})), w));
}

array with_axes_kept(const array& a, const array& x, int row, int column, const location& w) {
  dims shape = x.shape();
  shape[row] = shape[column] = 1;
  return reshape(at(a, w), shape);
}

array matrix_norm_of(const array& x, const norm_order& ord, int row, int column, bool keepdims, const location& w) {
  if (row == column) throw ValueError("norm", "Duplicate axes given.");
  const axis_list both(dims{row, column});
  if (!ord.given() || ord.named() == norm_order::name::fro) return root_of_squares(x, both, keepdims, w);
  array result;
  const double p = std::fabs(ord.p());
  if (ord.named() == norm_order::name::nuc) {
    result = sum(at(values_of(x, row, column, w), w), {.axis = -1});
  } else if (p == 2) {
    const array s = values_of(x, row, column, w);
    result = ord.p() > 0 ? max(at(s, w), {.axis = -1, .initial = 0}) : min(at(s, w), {.axis = -1});
  } else if (p == 1 || p == inf) {
    const int over = p == 1 ? row : column, then = p == 1 ? column : row;
    const array lines = sum(at(absolute(at(x, w)), w), {.axis = over, .keepdims = true});
    result = ord.p() > 0 ? max(at(lines, w), {.axis = then, .keepdims = true, .initial = 0}) : min(at(lines, w), {.axis = then, .keepdims = true});
    return keepdims ? result : squeeze(at(result, w), {row, column});
  } else {
    throw ValueError("norm", "Invalid norm order for matrices.");
  }
  return keepdims ? with_axes_kept(result, x, row, column, w) : result;
}

array as_float(const operand& a) {
  const array x = numjit::detail::to_array(a);
  const char kind = x.dtype().kind();
  return kind == 'f' || kind == 'c' ? x : numjit::detail::cast_in_order(at(x, a.where()), dtype_id::float64, x, 'K');
}

}  // namespace

array norm(const operand& a, const norm_options& o) {
  const location& w = a.where();
  const array x = as_float(a);
  if (o.axis.all()) {
    if (!o.ord.given()) return root_of_squares(x, axis_list(), o.keepdims, w);
    if (x.ndim() == 1) return vector_norm_of(x, o.ord, axis_list(0), o.keepdims, w);
    if (x.ndim() == 2) return matrix_norm_of(x, o.ord, 0, 1, o.keepdims, w);
    throw ValueError("norm", "Improper number of dimensions to norm.");
  }
  const dims axes = o.axis.list();
  if (axes.size() == 1) return vector_norm_of(x, o.ord, o.axis, o.keepdims, w);
  if (axes.size() != 2) throw ValueError("norm", "Improper number of dimensions to norm.");
  return matrix_norm_of(x, o.ord, normalize_axis("norm", axes[0], x.ndim()), normalize_axis("norm", axes[1], x.ndim()),
                        o.keepdims, w);
}

array vector_norm(const operand& a, const norm_options& o) {
  return vector_norm_of(as_float(a), o.ord.given() ? o.ord : norm_order(2), o.axis, o.keepdims, a.where());
}

array matrix_norm(const operand& a, const matrix_norm_options& o) {
  const array x = as_float(a);
  if (x.ndim() < 2) throw AxisError("matrix_norm", "axis -2 is out of bounds for array of dimension " + std::to_string(x.ndim()));
  return matrix_norm_of(x, o.ord, x.ndim() - 2, x.ndim() - 1, o.keepdims, a.where());
}

}  // namespace numjit::linalg
