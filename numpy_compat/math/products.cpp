// Products of vectors and matrices, norms, and comparisons of whole arrays.
#include <algorithm>
#include <cmath>

#include <numjit/eager/product_sums.h>
#include <numjit/eager/short_calls.h>

#include <at_hand.h>

namespace numjit {

using detail::at;
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
array sum_of_products(const operand& a, const operand& b, const location& w) {
  const operand both[] = {a, b};
  dtype_id t = result_type(both);
  if (a.is_array() && b.is_array())
    if (const array made = detail::sum_of_products_at_hand(detail::to_array(a), detail::to_array(b)); !made.empty_handle())
      return made;
  array products = multiply(a, b);
  if (t == dtype_id::bool_) return any(at(products, w), {.axis = -1});
  return sum(at(products, w), {.axis = -1, .dtype = dtype(t)});
}

}  // namespace

array matmul(const operand& a, const operand& b) { return call(op_id::matmul, {a, b}); }

array dot(const operand& a, const operand& b) {
#ifndef __EMSCRIPTEN__  // pages load no code for loops over elements
  if (a.is_array() && b.is_array() && detail::runs_small_at_once())
    if (node* product = eager::product_short(a.n(), b.n())) return array::adopt(product);
#endif
  dims s = detail::named_shape(a), t = detail::named_shape(b);
  const location& w = a.where();
  if (s.empty() || t.empty()) return multiply(a, b);
  const int i = s.size() - 1, j = t.size() > 1 ? t.size() - 2 : 0;
  if (s[i] != t[j]) s = detail::shape_of(a), t = detail::shape_of(b);
  if (s[i] != t[j]) throw_not_aligned("dot", s, t, i, j);
  if (s.size() == 1 && t.size() == 1) return sum_of_products(a, b, w);
  if (s.size() <= 2 && t.size() <= 2) return matmul(a, b);
  return tensordot(a, b, dims{i}, dims{j});
}

array vdot(const operand& a, const operand& b) {
  array x = ravel(a), y = ravel(b);
  if (!(detail::named_shape(x) == detail::named_shape(y)) && x.size() != y.size())
    throw_not_aligned("vdot", x.shape(), y.shape(), 0, 0);
  if (x.dtype().kind() == 'c') {
    if (const array made = detail::sum_of_products_at_hand(x, y, true); !made.empty_handle()) return made;
    x = conjugate(at(x, a.where()));
  }
  return sum_of_products(at(x, a.where()), at(y, a.where()), a.where());
}

array inner(const operand& a, const operand& b) {
  dims s = detail::named_shape(a), t = detail::named_shape(b);
  if (s.empty() || t.empty()) return multiply(a, b);
  if (s.back() != t.back()) s = detail::shape_of(a), t = detail::shape_of(b);
  if (s.back() != t.back()) {  // NumPy's words are those of dot() with the second one's last two axes swapped
    if (t.size() > 1) std::swap(t[t.size() - 1], t[t.size() - 2]);
    throw_not_aligned("inner", s, t, s.size() - 1, std::max(t.size() - 2, 0));
  }
  if (s.size() == 1 && t.size() == 1) return sum_of_products(a, b, a.where());
  return tensordot(a, b, dims{s.size() - 1}, dims{t.size() - 1});
}

array outer(const operand& a, const operand& b) {
  const location& w = a.where();
  array column = reshape(a, {-1, 1}), row = ravel(b);
  return multiply(at(column, w), at(row, w));
}

array tensordot(const operand& a, const operand& b, const dims& a_axes, const dims& b_axes) {
  const location& w = a.where();
  array x = detail::to_array(a), y = detail::to_array(b);
  if (a_axes.size() != b_axes.size()) throw ValueError("tensordot", "shape-mismatch for sum");
  dims ax, bx, a_free, b_free;
  for (int i = 0; i < a_axes.size(); ++i) {
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
  array left = reshape(at(detail::permute(at(x, w), a_order), w), {rows, inside});
  array right = reshape(at(detail::permute(at(y, w), b_order), w), {inside, columns});
  array product = matmul(at(left, w), at(right, w));
  return reshape(at(product, w), result);
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
  const location& w = a.where();
  array x = detail::to_array(a), y = detail::to_array(b);
  const int rank = std::max(x.ndim(), y.ndim());
  dims s = x.shape(), t = y.shape(), column, row, merged;
  while (s.size() < rank) s.insert(0, 1);
  while (t.size() < rank) t.insert(0, 1);
  for (int i = 0; i < rank; ++i) {
    column.push_back(s[i]), column.push_back(1);
    row.push_back(1), row.push_back(t[i]);
    merged.push_back(s[i] * t[i]);
  }
  array product = multiply(at(reshape(at(x, w), column), w), at(reshape(at(y, w), row), w));
  return reshape(at(product, w), merged);
}

array cross(const operand& a, const operand& b) {
  const location& w = a.where();
  array x = detail::to_array(a), y = detail::to_array(b);
  if (x.ndim() == 0 || y.ndim() == 0 || x.shape(-1) != 3 || y.shape(-1) != 3)
    throw ValueError("cross",
                     "Both input arrays must be (arrays of) 3-dimensional vectors, but "
                     "they are " +
                         std::to_string(x.ndim() ? x.shape(-1) : 0) + " and " + std::to_string(y.ndim() ? y.shape(-1) : 0) +
                         " dimensional instead.");
  array parts[3];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    auto of = [&](const array& v, int at_index) { return detail::pick_axis(at(v, w), v.ndim() - 1, at_index); };
    array first = multiply(at(of(x, j), w), at(of(y, k), w));
    array second = multiply(at(of(x, k), w), at(of(y, j), w));
    parts[i] = subtract(at(first, w), at(second, w));
  }
  const array made = stack({parts[0], parts[1], parts[2]}, {.axis = -1}, w);
  return made.is_c_contiguous() ? made : copy(at(made, w), 'C');
}

// ---- comparisons of whole arrays ----

array isclose(const operand& a, const operand& b, const close_options& o) {
  const location& w = a.where();
  array y = detail::to_array(b);
  if (y.dtype().kind() != 'f' && y.dtype().kind() != 'c') y = detail::cast(at(y, w), dtype_id::float64);
  array distance = absolute(at(subtract(a, at(y, w)), w));
  array magnitude = absolute(at(y, w));
  array bound = add(at(o.atol, w), at(multiply(at(o.rtol, w), at(magnitude, w)), w));
  array near = less_equal(at(distance, w), at(bound, w));
  near = logical_and(at(near, w), at(isfinite(at(y, w)), w));
  array result = logical_or(at(near, w), at(equal(a, at(y, w)), w));
  if (o.equal_nan) {
    array both = logical_and(at(isnan(a), w), at(isnan(at(y, w)), w));
    result = logical_or(at(result, w), at(both, w));
  }
  return result;
}
bool allclose(const operand& a, const operand& b, const close_options& o) {
  array close = isclose(a, b, o);
  array whole = all(at(close, a.where()));
  return detail::single_element(whole, a.where()).i != 0;
}
bool array_equal(const operand& a, const operand& b, bool equal_nan) {
  if (!(detail::shape_of(a) == detail::shape_of(b))) return false;
  const location& w = a.where();
  array same = equal(a, b);
  if (equal_nan && dtype(detail::type_of(a)).kind() != 'b') {
    array both = logical_and(at(isnan(a), w), at(isnan(b), w));
    same = logical_or(at(same, w), at(both, w));
  }
  return detail::single_element(all(at(same, w)), w).i != 0;
}
bool array_equiv(const operand& a, const operand& b) {
  const dims shapes[] = {detail::shape_of(a), detail::shape_of(b)};
  try {
    broadcast_shapes("array_equiv", shapes);
  } catch (const ValueError&) {
    return false;
  }
  array whole = all(at(equal(a, b), a.where()));
  return detail::single_element(whole, a.where()).i != 0;
}

}  // namespace numjit
