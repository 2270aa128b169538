// Products of vectors and matrices, norms, and comparisons of whole arrays.
#include <algorithm>
#include <cmath>

#include <numjit/eager/product_sums.h>
#include <numjit/eager/short_calls.h>

#include <at_hand.h>

namespace numjit {

using detail::call;

array detail::sum_of_products_at_hand(const array& a, const array& b, bool conjugated) {
  constexpr std::int64_t few = 1 << 13;
  const dtype_id type = a.get()->type;
  const bool is_real = type == dtype_id::float32 || type == dtype_id::float64;
  if ((!is_real && type != dtype_id::complex64 && type != dtype_id::complex128) || b.get()->type != type || a.get()->rank == 0 ||
      a.get()->size < few || !same_shape(a.get(), b.get()) || !is_at_hand(a) || !is_at_hand(b))
    return {};
  dims shape(a.get()->shape, a.get()->rank);
  const std::int64_t n = shape.back();
  shape.erase(shape.size() - 1);
  const array made = fresh(type, shape);
  eager::sum_products(type, a.get()->data, b.get()->data, made.get()->size, n, made.get()->data, conjugated);
  return made;
}

namespace {

std::string tight(const dims& shape) {
  std::string s = shape.str();
  s.erase(std::remove(s.begin(), s.end(), ' '), s.end());
  return s;
}

[[noreturn]] void throw_not_aligned(const char* op, const dims& a, const dims& b, int i, int j) {
  throw ValueError(op, "shapes " + tight(a) + " and " + tight(b) + " not aligned: " + std::to_string(a[i]) + " (dim " +
                           std::to_string(i) + ") != " + std::to_string(b[j]) + " (dim " + std::to_string(j) + ")");
}

/// Sum of the products over the last axis of both: the canonical reduction, in the promoted dtype.
array sum_of_products(const operand& a, const operand& b) {
  const operand both[] = {a, b};
  const dtype_id t = result_type(both);
  if (a.is_array() && b.is_array())
    if (const array made = detail::sum_of_products_at_hand(detail::to_array(a), detail::to_array(b)); !made.empty_handle())
      return made;
  const array products = a * b;
  return t == dtype_id::bool_ ? any(products, {.axis = -1}) : sum(products, {.axis = -1, .dtype = dtype(t)});
}

}  // namespace

array matmul(const operand& a, const operand& b) { return call(op_id::matmul, {a, b}); }

array dot(const operand& a, const operand& b) {
#ifndef __EMSCRIPTEN__  // pages load no code for loops over elements
  if (a.is_array() && b.is_array() && detail::runs_small_at_once())
    if (node* product = eager::product_short(a.n(), b.n())) return array::adopt(product);
#endif
  const location_scope scope(a.where());
  dims s = detail::named_shape(a), t = detail::named_shape(b);
  if (s.empty() || t.empty()) return multiply(a, b);
  const int i = s.size() - 1, j = t.size() > 1 ? t.size() - 2 : 0;
  if (s[i] != t[j]) s = detail::shape_of(a), t = detail::shape_of(b);
  if (s[i] != t[j]) throw_not_aligned("dot", s, t, i, j);
  if (s.size() == 1 && t.size() == 1) return sum_of_products(a, b);
  if (s.size() <= 2 && t.size() <= 2) return matmul(a, b);
  return tensordot(a, b, dims{i}, dims{j});
}

array vdot(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  array x = ravel(a);
  const array y = ravel(b);
  if (!(detail::named_shape(x) == detail::named_shape(y)) && x.size() != y.size())
    throw ValueError(
        "vdot", "cannot reshape array of size " + std::to_string(y.size()) + " into shape (" + std::to_string(x.size()) + ",)");
  if (x.dtype().kind() == 'c') {
    if (const array made = detail::sum_of_products_at_hand(x, y, true); !made.empty_handle()) return made;
    x = conjugate(x);
  }
  return sum_of_products(x, y);
}

array inner(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  dims s = detail::named_shape(a), t = detail::named_shape(b);
  if (s.empty() || t.empty()) return multiply(a, b);
  if (s.back() != t.back()) s = detail::shape_of(a), t = detail::shape_of(b);
  if (s.back() != t.back()) {  // NumPy's words are those of dot() with the second one's last two axes swapped
    if (t.size() > 1) std::swap(t[t.size() - 1], t[t.size() - 2]);
    throw_not_aligned("inner", s, t, s.size() - 1, std::max(t.size() - 2, 0));
  }
  if (s.size() == 1 && t.size() == 1) return sum_of_products(a, b);
  return tensordot(a, b, dims{s.size() - 1}, dims{t.size() - 1});
}

array outer(const operand& a, const operand& b) { return outer(a, b, out_options{}); }
array outer(const operand& a, const operand& b, const out_options& o) {
  const location_scope scope(a.where());
  const array column = reshape(a, {-1, 1}), row = ravel(b);
  return multiply(column, row, {.out = o.out});
}

array tensordot(const operand& a, const operand& b, const dims& a_axes, const dims& b_axes) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a), y = detail::to_array(b);
  if (a_axes.size() != b_axes.size()) throw ValueError("tensordot", "shape-mismatch for sum");
  dims ax, bx, a_free, b_free;
  for (int i = 0; i < a_axes.size(); ++i) {
    for (const auto& [axis, rank] : {std::pair(a_axes[i], x.ndim()), {b_axes[i], y.ndim()}})
      if (axis < -rank || axis >= rank) throw IndexError("tensordot", "tuple index out of range");
    ax.push_back(normalize_axis("tensordot", a_axes[i], x.ndim()));
    bx.push_back(normalize_axis("tensordot", b_axes[i], y.ndim()));
    if (x.shape(static_cast<int>(ax[i])) != y.shape(static_cast<int>(bx[i])))
      throw ValueError("tensordot", "shape-mismatch for sum");
  }
  for (int i = 0; i < x.ndim(); ++i)
    if (std::find(ax.begin(), ax.end(), i) == ax.end()) a_free.push_back(i);
  for (int i = 0; i < y.ndim(); ++i)
    if (std::find(bx.begin(), bx.end(), i) == bx.end()) b_free.push_back(i);
  std::int64_t rows = 1, columns = 1, inside = 1;
  dims result, a_order = a_free, b_order = bx;
  for (std::int64_t k : a_free) rows *= x.shape(static_cast<int>(k)), result.push_back(x.shape(static_cast<int>(k)));
  for (std::int64_t k : ax) inside *= x.shape(static_cast<int>(k)), a_order.push_back(k);
  for (std::int64_t k : b_free) {
    columns *= y.shape(static_cast<int>(k));
    result.push_back(y.shape(static_cast<int>(k)));
    b_order.push_back(k);
  }
  const array left = reshape(detail::permute(x, a_order), {rows, inside});
  const array right = reshape(detail::permute(y, b_order), {inside, columns});
  return reshape(matmul(left, right), result);
}
array tensordot(const operand& a, const operand& b, int axes) {
  dims first, second;
  for (int i = 0; i < axes; ++i) {
    first.push_back(i - axes);
    second.push_back(i);
  }
  return tensordot(a, b, first, second);
}

array kron(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a), y = detail::to_array(b);
  const int rank = std::max(x.ndim(), y.ndim());
  dims s = x.shape(), t = y.shape(), column, row, merged;
  while (s.size() < rank) s.insert(0, 1);
  while (t.size() < rank) t.insert(0, 1);
  for (int i = 0; i < rank; ++i) {
    column.push_back(s[i]), column.push_back(1);
    row.push_back(1), row.push_back(t[i]);
    merged.push_back(s[i] * t[i]);
  }
  return reshape(reshape(x, column) * reshape(y, row), merged);
}

namespace {

/// An axis of vectors as the last one. NumPy names the argument in its error.
array vectors_last(const operand& a, std::int64_t axis, const char* name) {
  const int rank = detail::rank_of(a);
  if (axis < -rank || axis >= rank)
    throw AxisError("cross", std::string(name) + ": axis " + std::to_string(axis) + " is out of bounds for array of dimension " +
                                 std::to_string(rank));
  const array x = moveaxis(a, axis, -1);
  if (x.shape(-1) != 2 && x.shape(-1) != 3)
    throw ValueError("cross", "incompatible dimensions for cross product\n(dimension must be 2 or 3)");
  return x;
}

}  // namespace

array cross(const operand& a, const operand& b) { return cross(a, b, cross_options{}); }
array cross(const operand& a, const operand& b, const cross_options& o) {
  const location_scope scope(a.where());
  if (detail::rank_of(a) == 0 || detail::rank_of(b) == 0) throw ValueError("cross", "At least one array has zero dimension");
  const array x = vectors_last(a, o.axis.value_or(o.axisa), "axisa"), y = vectors_last(b, o.axis.value_or(o.axisb), "axisb");
  const auto of = [](const array& v, int place) {  // vectors of two elements lie in the plane
    const array first = detail::pick_axis(v, v.ndim() - 1, std::min<std::int64_t>(place, v.shape(-1) - 1));
    return place < v.shape(-1) ? first : zeros_like(first);
  };
  const auto part = [&](int j, int k) { return of(x, j) * of(y, k) - of(x, k) * of(y, j); };
  if (x.shape(-1) == 2 && y.shape(-1) == 2) return part(0, 1);
  const array parts = stack({part(1, 2), part(2, 0), part(0, 1)}, {.axis = -1});
  const std::int64_t axis = o.axis.value_or(o.axisc);
  if (axis < -parts.ndim() || axis >= parts.ndim())
    throw AxisError("cross", "axisc: axis " + std::to_string(axis) + " is out of bounds for array of dimension " +
                                 std::to_string(parts.ndim()));
  return moveaxis(parts.is_c_contiguous() ? parts : copy(parts, 'C'), -1, axis);
}

// ---- comparisons of whole arrays ----

namespace {

array are_close(const operand& a, const operand& y, const operand& bound, bool equal_nan) {
  array near = absolute(a - y) <= bound;
  near = logical_and(near, isfinite(y));
  const array result = logical_or(near, a == y);
  return equal_nan ? logical_or(result, logical_and(isnan(a), isnan(y))) : result;
}

}  // namespace

array isclose(const operand& a, const operand& b, const close_options& o) {
  const location_scope scope(a.where());
  if (!b.is_array()) {  // weak, as the bound is, where the tolerances are numbers, too
    const operand y = b.kind() == weak_kind::complex_ ? b : operand(b.real());
    const double magnitude = std::hypot(b.real(), b.imag());
    if (!o.rtol.is_array() && !o.atol.is_array()) return are_close(a, y, o.atol.real() + o.rtol.real() * magnitude, o.equal_nan);
    return are_close(a, y, o.atol + o.rtol * magnitude, o.equal_nan);
  }
  const array y = detail::as_floating(b);
  return are_close(a, y, o.atol + o.rtol * absolute(y), o.equal_nan);
}
bool allclose(const operand& a, const operand& b, const close_options& o) {
  const location_scope scope(a.where());
  return all(isclose(a, b, o)).item<bool>();
}
bool array_equal(const operand& a, const operand& b, bool equal_nan) {
  const location_scope scope(a.where());
  if (!(detail::shape_of(a) == detail::shape_of(b))) return false;
  array same = equal(a, b);
  if (equal_nan && dtype(detail::type_of(a)).kind() != 'b') same = logical_or(same, logical_and(isnan(a), isnan(b)));
  return all(same).item<bool>();
}
bool array_equiv(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  const dims shapes[] = {detail::shape_of(a), detail::shape_of(b)};
  try {
    broadcast_shapes("array_equiv", shapes);
  } catch (const ValueError&) {
    return false;
  }
  return all(equal(a, b)).item<bool>();
}

}  // namespace numjit
