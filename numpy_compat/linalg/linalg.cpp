// np::linalg: what the functions ask of their arguments, and how they are made of routines and other ops.
#include <algorithm>
#include <cmath>
#include <limits>

#include <numjit/ops/routine.h>
#include <numjit/transform/custom.h>
#include <numjit/transform/matrices.h>

#include <surface.h>

namespace numjit::linalg {

using detail::routine_id;

namespace {

/// float32, float64 or complex, as LAPACK has them.
array floating(const char* op, const operand& a) {
  const dtype_id t = detail::type_of(a);
  if (t == dtype_id::float16) throw TypeError(op, "array type float16 is unsupported in linalg");
  const char kind = dtype(t).kind();
  const array x = detail::to_array(a);
  return kind == 'f' || kind == 'c' ? x : detail::cast(x, dtype_id::float64);
}

array of_type(const array& a, dtype_id t) { return a.get()->type == t ? a : detail::cast(a, t); }

void require_stack(const char* op, const array& a) {
  if (a.ndim() < 2)
    throw LinAlgError(op, std::to_string(a.ndim()) + "-dimensional array given. Array must be at least two-dimensional");
}
void require_square(const char* op, const array& a) {
  require_stack(op, a);
  if (a.shape(-1) != a.shape(-2)) throw LinAlgError(op, "Last 2 dimensions of the array must be square");
}

array square_stack(const char* op, const operand& a) {
  const array x = floating(op, a);
  require_square(op, x);
  return x;
}

/// The type that a routine computes in: as in NumPy, float64 or complex128 also for the narrower ones.
dtype_id wide(dtype_id t) { return dtype(t).kind() == 'c' ? dtype_id::complex128 : dtype_id::float64; }
dtype_id narrow(dtype_id t) { return dtype(t).kind() == 'c' ? dtype_id::complex64 : dtype_id::float32; }

array run(routine_id id, std::initializer_list<array> in, std::initializer_list<std::int64_t> more = {}) {
  op_params p;
  p.push(static_cast<std::int64_t>(id));
  for (std::int64_t v : more) p.push(v);
  std::vector<array> inputs;
  for (const array& a : in) inputs.push_back(of_type(a, wide(a.get()->type)));
  const std::vector<operand> operands(inputs.begin(), inputs.end());
  const array result = bind({op_id::routine, operands, &p});
  const bool single = in.begin()->get()->type != inputs[0].get()->type;
  return single ? of_type(result, narrow(result.get()->type)) : result;
}

/// Elements [first, first + count) of the last axis in another shape: one part of a routine's result.
array part(const array& packed, std::int64_t first, const dims& shape) {
  std::int64_t count = 1;
  for (std::int64_t n : shape) count *= n;
  dims whole = packed.shape();
  whole.resize(whole.size() - 1);
  for (std::int64_t n : shape) whole.push_back(n);
  const array piece = detail::slice_axis(packed, packed.ndim() - 1, first, first + count);
  return reshape(detail::contiguous_copy(piece), whole);
}

array real_part_of(const array& a) { return a.dtype().kind() == 'c' ? detail::contiguous_copy(real(a)) : a; }

array conjugated(const array& a) { return a.dtype().kind() == 'c' ? conjugate(a) : a; }

array swapped(const array& a) { return swapaxes(a, -1, -2); }

dtype_id common_type(const array& a, const array& b) {
  return result_type(operand(a), operand(b)).id();
}

}  // namespace

// ---- systems ----

array solve(const operand& a, const operand& b) {
  const location_scope scope(a.where());
  array left = square_stack("solve", a), right = floating("solve", b);
  if (right.ndim() == 0)
    throw ValueError("solve",
                     "solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with signature "
                     "(m,m),(m,n)->(m,n) requires 2)");
  const dtype_id t = common_type(left, right);
  const bool vector = right.ndim() == 1;
  if (vector) right = reshape(right, {right.shape(0), 1});
  const std::int64_t n = left.shape(-1);
  if (right.shape(-2) != n)
    throw ValueError("solve", std::string(vector ? "solve1" : "solve") +
                                  ": Input operand 1 has a mismatch in its core dimension 0, with gufunc signature " +
                                  (vector ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)") + " (size " +
                                  std::to_string(right.shape(-2)) + " is different from " + std::to_string(n) + ")");
  dims left_stack = left.shape(), right_stack = right.shape();
  left_stack.resize(left_stack.size() - 2);
  right_stack.resize(right_stack.size() - 2);
  const dims both[] = {left_stack, right_stack};
  dims stack = broadcast_shapes("solve", both), left_shape = stack, right_shape = stack;
  for (std::int64_t e : {n, n}) left_shape.push_back(e);
  for (std::int64_t e : {n, right.shape(-1)}) right_shape.push_back(e);
  if (!(left.shape() == left_shape)) left = detail::expand_to(left, left_shape);
  if (!(right.shape() == right_shape)) right = detail::expand_to(right, right_shape);
  const array x = run(routine_id::solve, {of_type(left, t), of_type(right, t)});
  if (!vector) return x;
  stack.push_back(n);
  return reshape(x, stack);
}

array inv(const operand& a) {
  const location_scope scope(a.where());
  return run(routine_id::inverse, {square_stack("inv", a)}, {0});
}

slogdet_result slogdet(const operand& a) {
  const location_scope scope(a.where());
  const array both = run(routine_id::sign_log_determinant, {square_stack("slogdet", a)});
  return {part(both, 0, {}), real_part_of(part(both, 1, {}))};
}

namespace {

array determinant(const array& x) {
  const array both = run(routine_id::sign_log_determinant, {x});
  const array sign = part(both, 0, {}), log = real_part_of(part(both, 1, {}));
  return sign * exp(log);
}

array identity_like(const array& x) { return eye(x.shape(-1), {.dtype = bool_}); }

/// The derivative of the determinant by each element at x = u s vh: products of the other singular values.
array cofactors_by_values(const array& x) {
  const svd_result f = svd(x);
  const array others = prod(where(identity_like(x), 1, expand_dims(f.S, -2)), {.axis = -1});
  const array turned = determinant(f.U) * determinant(f.Vh);
  return expand_dims(turned, {-1, -2}) * conjugated(matmul(f.U * expand_dims(others, -2), f.Vh));
}
/// What a change of x by d changes of them: in the bases of u and vh the matrix is diagonal, so that two rows and columns are
/// left out of each product.
array change_of_cofactors(const array& x, const array& d) {
  const svd_result f = svd(x);
  const array one = identity_like(x), turned = determinant(f.U) * determinant(f.Vh);
  const array left_out = expand_dims(one, -2) | expand_dims(one, -3);  // (row, column, value)
  const array others = prod(where(left_out, 1, expand_dims(f.S, {-2, -3})), {.axis = -1});
  const array moved = matmul(matmul(conjugated(swapped(f.U)), d), conjugated(swapped(f.Vh)));
  const array along = expand_dims(diagonal(moved, {.axis1 = -2, .axis2 = -1}), -1);
  const array change = where(one, matmul(where(one, 0, others), along), -(others * swapped(moved)));
  return expand_dims(turned, {-1, -2}) * matmul(matmul(conjugated(f.U), change), conjugated(f.Vh));
}

/// x, by whose change everything is NaN: for what is not known of the decompositions of singular matrices.
array without_derivative(const array& x) {
  static const auto with_rule =
      custom_jvp([](const array& m) { return m; },
                 [](const auto& args, const auto& changes) {
                   return std::pair(std::get<0>(args), std::numeric_limits<double>::quiet_NaN() * std::get<0>(changes));
                 });
  return with_rule(x);
}

/// Of singular matrices. Their second derivatives, which are third ones of the determinant, are NaN.
array singular_cofactors(const array& x) {
  static const auto with_rule = custom_jvp(cofactors_by_values, [](const auto& args, const auto& changes) {
    const array& matrix = std::get<0>(args);
    return std::pair(cofactors_by_values(matrix), change_of_cofactors(without_derivative(matrix), std::get<0>(changes)));
  });
  return with_rule(x);
}

/// The derivative of the determinant by each element. Where it is 0, by the singular values.
array cofactors(const array& x, const array& value) {
  const auto by_inverse = [](const array& matrix, const array& size) {
    return swapped(run(routine_id::inverse, {matrix}, {1})) * expand_dims(size, {-1, -2});
  };
  const array is_singular = expand_dims(value == 0, {-1, -2});
  const bool has_value = !is_singular.get()->is(node::lazy);  // where it has none, both are computed
  if (has_value && !any(is_singular).item<bool>()) return by_inverse(x, value);
  const array regular = where(is_singular, identity_like(x), x);
  return where(is_singular, singular_cofactors(x), by_inverse(regular, det(regular)));
}

}  // namespace

array det(const operand& a) {
  const location_scope scope(a.where());
  const array x = square_stack("det", a);
  if (!detail::levels_are_open()) return determinant(x);
  static const auto with_rule = custom_jvp(determinant, [](const auto& args, const auto& changes) {
    const array& matrix = std::get<0>(args);
    const array value = det(matrix);  // with its rule again
    return std::pair(value, sum(cofactors(matrix, value) * std::get<0>(changes), {.axis = {-2, -1}}));
  });
  return with_rule(x);
}

array cholesky(const operand& a, const cholesky_options& o) {
  const location_scope scope(a.where());
  return run(routine_id::cholesky, {square_stack("cholesky", a)}, {o.upper});
}

qr_result qr(const operand& a, const char* mode) {
  const location_scope scope(a.where());
  std::string_view name(mode);
  if (name == "full" || name == "f") name = "reduced";
  const bool economic = name == "economic" || name == "e";
  if (!economic && name != "reduced" && name != "complete" && name != "r" && name != "raw")
    throw ValueError("qr", "Unrecognized mode '" + std::string(name) + "'");
  const array x = floating("qr", a);
  require_stack("qr", x);
  const std::int64_t m = x.shape(-2), n = x.shape(-1), least = std::min(m, n);
  if (economic || name == "raw") {
    const array packed = run(routine_id::qr_raw, {x}, {0}), factored = part(packed, 0, {n, m});
    if (economic) return {array(), swapped(factored)};
    return {factored, part(packed, n * m, {least})};
  }
  const bool complete = name == "complete";
  const array packed = run(routine_id::qr, {x}, {complete ? 1 : name == "r" ? 2 : 0});
  const std::int64_t inner = complete ? m : least;
  const array r = part(packed, m * inner, {inner, n});
  return {name == "r" ? array() : part(packed, 0, {m, inner}), r};
}

// ---- eigenvalues and singular values ----

namespace {

char checked_uplo(const char* op, char uplo) {
  const char upper = static_cast<char>(uplo & ~0x20);
  if (upper != 'L' && upper != 'U') throw ValueError(op, "UPLO argument must be 'L' or 'U'");
  return upper;
}

/// NumPy gives real results where all eigenvalues are real: the values decide.
bool all_real(const array& eigenvalues) { return !any(imag(eigenvalues) != 0).item<bool>(); }

array finite_stack(const char* op, const operand& a) {
  const array x = square_stack(op, a);
  if (!all(isfinite(x)).item<bool>()) throw LinAlgError(op, "Array must not contain infs or NaNs");
  return x;
}

}  // namespace

eig_result eig(const operand& a) {
  const location_scope scope(a.where());
  const array x = finite_stack("eig", a), packed = run(routine_id::eig, {x});
  const std::int64_t n = x.shape(-1);
  const array values = part(packed, 0, {n}), vectors = part(packed, n, {n, n});
  if (x.dtype().kind() == 'c' || !all_real(values)) return {values, vectors};
  return {real_part_of(values), real_part_of(vectors)};
}

array eigvals(const operand& a) {
  const location_scope scope(a.where());
  const array x = finite_stack("eigvals", a), values = run(routine_id::eigvals, {x});
  return x.dtype().kind() == 'c' || !all_real(values) ? values : real_part_of(values);
}

eig_result eigh(const operand& a, char uplo) {
  const location_scope scope(a.where());
  uplo = checked_uplo("eigh", uplo);
  const array x = square_stack("eigh", a), packed = run(routine_id::eigh, {x}, {uplo});
  const std::int64_t n = x.shape(-1);
  return {real_part_of(part(packed, 0, {n})), part(packed, n, {n, n})};
}

array eigvalsh(const operand& a, char uplo) {
  const location_scope scope(a.where());
  uplo = checked_uplo("eigvalsh", uplo);
  return run(routine_id::eigvalsh, {square_stack("eigvalsh", a)}, {uplo});
}

svd_result svd(const operand& a, const svd_options& o) {
  const location_scope scope(a.where());
  if (!o.compute_uv) return {{}, o.hermitian ? flip(sort(absolute(eigvalsh(a))), axis_list(-1)) : svdvals(a), {}};
  if (o.hermitian) {
    // a = V diag(w) V^H: the signs go to Vh, and the values are put in falling order.
    const eig_result e = eigh(a);
    const array size = absolute(e.eigenvalues);
    const array order = flip(argsort(size), axis_list(-1));
    const array sign = take_along_axis(copysign(1.0, e.eigenvalues), order, -1);  // none is 0
    const array s = take_along_axis(size, order, -1);
    dims wide = order.shape();
    wide.insert(wide.size() - 1, 1);
    const array columns = reshape(order, wide);
    const array u = take_along_axis(e.eigenvectors, broadcast_to(columns, e.eigenvectors.shape()), -1);
    const array signed_u = u * reshape(of_type(sign, u.get()->type), wide);
    return {u, s, conjugated(swapped(signed_u))};
  }
  const array x = floating("svd", a);
  require_stack("svd", x);
  const std::int64_t m = x.shape(-2), n = x.shape(-1), k = std::min(m, n);
  const std::int64_t columns = o.full_matrices ? m : k, rows = o.full_matrices ? n : k;
  const array packed = run(routine_id::svd, {x}, {o.full_matrices});
  return {part(packed, 0, {m, columns}), real_part_of(part(packed, m * columns, {k})), part(packed, m * columns + k, {rows, n})};
}

array svdvals(const operand& a) {
  const location_scope scope(a.where());
  const array x = floating("svd", a);
  require_stack("svd", x);
  return run(routine_id::singular_values, {x});
}

// ---- what is made of them ----

namespace {

array pseudoinverse(const array& x, const pinv_options& o) {
  const svd_result f = svd(conjugated(x), {.full_matrices = false, .hermitian = o.hermitian});
  const operand relative = o.rtol ? *o.rtol : o.rcond ? *o.rcond : operand(1e-15);
  array limit = detail::to_array(relative);
  if (limit.ndim() > 0) {
    dims shape = limit.shape();
    shape.push_back(1);
    limit = reshape(limit, shape);
  }
  const array largest = max(f.S, {.axis = -1, .keepdims = true});
  const array cutoff = limit.ndim() > 0 ? limit * largest : relative * largest;
  const array large = f.S > cutoff;
  const array safe = where(large, f.S, 1);
  const array inverse = where(large, 1 / safe, 0);
  const array scaled = expand_dims(inverse, -1) * swapped(f.U);
  return matmul(swapped(f.Vh), scaled);
}

}  // namespace

array pinv(const operand& a, const pinv_options& o) {
  const location_scope scope(a.where());
  const array x = floating("pinv", a);
  require_stack("pinv", x);
  if (o.rcond && o.rtol) throw ValueError("pinv", "`rtol` and `rcond` can't be both set.");
  if (x.size() == 0) {
    dims shape = x.shape();
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return empty(shape, x.dtype());
  }
  if (!detail::levels_are_open()) return pseudoinverse(x, o);
  const auto plain = [o](const array& matrix) { return pseudoinverse(matrix, o); };
  const auto with_rule = custom_jvp(plain, [o](const auto& args, const auto& changes) {
    const array p = pinv(std::get<0>(args), o);  // with its rule again
    return std::pair(p, transform::change_of_pseudoinverse(std::get<0>(args), p, std::get<0>(changes)));
  });
  return with_rule(x);
}

namespace {

/// A tolerance as an array that broadcasts against singular values: arrays get one more axis.
array beside_values(const operand& tolerance) {
  const array limit = detail::to_array(tolerance);
  return limit.ndim() > 0 ? expand_dims(limit, -1) : limit;
}

}  // namespace

array matrix_rank(const operand& a, const rank_options& o) {
  const location_scope scope(a.where());
  if (o.tol && o.rtol) throw ValueError("matrix_rank", "`tol` and `rtol` can't be both set.");
  const array x = floating("matrix_rank", a);
  if (x.ndim() < 2) return detail::cast(any(x), dtype_id::int64);
  array s = svdvals(x);
  if (o.hermitian) s = absolute(eigvalsh(x));
  if (o.tol) {
    const array limit = beside_values(*o.tol);
    return sum(o.tol->is_array() ? s > limit : s > *o.tol, {.axis = -1});
  }
  const array largest = max(s, {.axis = -1, .keepdims = true, .initial = 0});
  array limit;
  if (o.rtol) {
    limit = beside_values(*o.rtol);
    limit = o.rtol->is_array() ? largest * limit : largest * *o.rtol;
  } else {
    const double eps = s.dtype() == float32 ? 0x1p-23 : 0x1p-52;
    limit = largest * (static_cast<double>(std::max(x.shape(-1), x.shape(-2))) * eps);
  }
  return sum(s > limit, {.axis = -1});
}

array matrix_power(const operand& a, std::int64_t n) {
  const location_scope scope(a.where());
  array x = detail::to_array(a);
  require_square("matrix_power", x);
  if (n == 0) {
    const array one = eye(x.shape(-1), {.dtype = x.dtype()});
    return x.ndim() == 2 ? one : detail::contiguous_copy(detail::expand_to(one, x.shape()));
  }
  if (n < 0) x = inv(x);
  array result;
  const auto power = static_cast<std::uint64_t>(n);
  for (std::uint64_t left = n < 0 ? 0 - power : power; left > 0; left >>= 1) {
    if (left & 1) result = result.empty_handle() ? x : matmul(result, x);
    if (left > 1) x = matmul(x, x);
  }
  return n == 1 ? detail::contiguous_copy(result) : result;
}

namespace {

/// A condition number is nan only where the matrix has nans.
array infinite_for_nan(const array& number, const array& x) {
  const array in_x = any(isnan(x), {.axis = {-2, -1}});
  const array made = logical_and(isnan(number), logical_not(in_x));
  return where(made, inf, number);
}

}  // namespace

array cond(const operand& a, const norm_order& p) {
  const location_scope scope(a.where());
  const array x = floating("cond", a);
  const dims shape = x.shape();  // of no matrices there are no condition numbers
  if (x.size() == 0 && (shape.size() < 2 || shape.back() * shape[shape.size() - 2] == 0))
    throw LinAlgError("cond", "cond is not defined on empty arrays");
  if (!p.given() || (!p.named() && std::fabs(p.p()) == 2)) {
    require_stack("cond", x);
    const array s = svdvals(x);
    const array first = detail::pick_axis(s, s.ndim() - 1, 0), last = detail::pick_axis(s, s.ndim() - 1, s.shape(-1) - 1);
    return infinite_for_nan(p.given() && p.p() < 0 ? last / first : first / last, x);
  }
  require_square("cond", x);
  const array inverse = run(routine_id::inverse, {x}, {1});
  const array result = norm(x, {.ord = p, .axis = {-2, -1}}) * norm(inverse, {.ord = p, .axis = {-2, -1}});
  return infinite_for_nan(result, x);
}

lstsq_result lstsq(const operand& a, const operand& b, std::optional<double> rcond) {
  const location_scope scope(a.where());
  array left = floating("lstsq", a), right = floating("lstsq", b);
  const bool vector = right.ndim() == 1;
  if (vector) right = reshape(right, {right.shape(0), 1});
  for (const array* m : {&left, &right})
    if (m->ndim() != 2)
      throw LinAlgError("lstsq", std::to_string(m->ndim()) + "-dimensional array given. Array must be two-dimensional");
  const std::int64_t m = left.shape(0), n = left.shape(1), k = right.shape(1), least = std::min(m, n);
  if (right.shape(0) != m) throw LinAlgError("lstsq", "Incompatible dimensions");
  const dtype_id t = common_type(left, right);
  const double limit = rcond.value_or(0x1p-52 * static_cast<double>(std::max(m, n)));
  const array packed = run(routine_id::lstsq, {of_type(left, t), of_type(right, t)}, {std::bit_cast<std::int64_t>(limit)});
  std::int64_t begin = 0;
  auto next = [&](const dims& shape) {
    std::int64_t count = 1;
    for (std::int64_t e : shape) count *= e;
    const array p = part(packed, begin, shape);
    begin += count;
    return p;
  };
  array x = next(dims{n, k});
  array residuals = real_part_of(next(dims{k}));
  const array s = real_part_of(next(dims{least}));
  const auto rank = static_cast<std::int64_t>(real_part_of(next(dims{})).item<double>());
  if (rank != n || m <= n) residuals = empty(0, residuals.dtype());
  if (vector) x = reshape(x, {n});
  return {x, residuals, rank, s};
}

array tensorsolve(const operand& a, const operand& b, const std::optional<dims>& axes) {
  const location_scope scope(a.where());
  array x = detail::to_array(a);
  const array y = detail::to_array(b);
  if (axes) {
    dims order;
    for (int i = 0; i < x.ndim(); ++i)
      if (std::find(axes->begin(), axes->end(), i) == axes->end()) order.push_back(i);
    for (std::int64_t i : *axes) order.push_back(i);
    x = detail::permute(x, order);
  }
  dims old;
  for (int i = y.ndim(); i < x.ndim(); ++i) old.push_back(x.shape(i));
  const std::int64_t count = element_count(old);
  if (x.size() != count * count)
    throw LinAlgError("tensorsolve",
                      "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])");
  const array flat = solve(reshape(x, {count, count}), ravel(y));
  return reshape(flat, old);
}

array tensorinv(const operand& a, int ind) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  if (ind <= 0) throw ValueError("tensorinv", "Invalid ind argument.");
  dims inverse;
  std::int64_t count = 1;
  for (int i = ind; i < x.ndim(); ++i) {
    inverse.push_back(x.shape(i));
    count *= x.shape(i);
  }
  for (int i = 0; i < ind && i < x.ndim(); ++i) inverse.push_back(x.shape(i));
  const array flat = inv(reshape(x, {count, -1}));
  return reshape(flat, inverse);
}

namespace {

using splits = std::vector<std::vector<std::size_t>>;

/// Where to split the product of matrices i to j, by dynamic programming (Cormen et al., Introduction to Algorithms, 15.2).
splits cheapest_splits(const std::vector<array>& all) {
  const std::size_t n = all.size();
  std::vector<double> p;
  for (const array& a : all) p.push_back(static_cast<double>(a.shape(0)));
  p.push_back(static_cast<double>(all.back().shape(1)));
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  splits split(n, std::vector<std::size_t>(n, 0));
  for (std::size_t l = 1; l < n; ++l)
    for (std::size_t i = 0; i + l < n; ++i) {
      const std::size_t j = i + l;
      cost[i][j] = HUGE_VAL;
      for (std::size_t k = i; k < j; ++k) {
        const double c = cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1];
        if (c < cost[i][j]) cost[i][j] = c, split[i][j] = k;
      }
    }
  return split;
}

array product_of(const std::vector<array>& all, const splits& split, std::size_t i, std::size_t j, const array& out = {}) {
  if (i == j) return all[i];
  const std::size_t k = split[i][j];
  const array left = product_of(all, split, i, k), right = product_of(all, split, k + 1, j);
  return out.empty_handle() ? matmul(left, right) : dot(left, right, {.out = out});
}

}  // namespace

array multi_dot(const std::vector<array>& arrays, location where) { return multi_dot(arrays, multi_dot_options{}, where); }
array multi_dot(const std::vector<array>& arrays, const multi_dot_options& o, location where) {
  const location_scope scope(where);
  const std::size_t n = arrays.size();
  if (n < 2) throw ValueError("multi_dot", "Expecting at least two arrays.");
  if (n == 2) return o.out.empty_handle() ? dot(arrays[0], arrays[1]) : dot(arrays[0], arrays[1], {.out = o.out});
  std::vector<array> all = arrays;
  const bool first = all.front().ndim() == 1, last = all.back().ndim() == 1;
  if (first) all.front() = reshape(all.front(), {1, -1});
  if (last) all.back() = reshape(all.back(), {-1, 1});
  for (const array& a : all)
    if (a.ndim() != 2)
      throw LinAlgError("multi_dot", std::to_string(a.ndim()) + "-dimensional array given. Array must be two-dimensional");
  const array result = product_of(all, cheapest_splits(all), 0, n - 1, o.out);
  if (first && last) return reshape(result, dims());
  return first || last ? ravel(result) : result;
}

// ---- products and diagonals ----

array cross(const operand& a, const operand& b, std::int64_t axis) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a), y = detail::to_array(b);
  const std::int64_t n = x.shape(normalize_axis("cross", axis, x.ndim())), m = y.shape(normalize_axis("cross", axis, y.ndim()));
  if (n != 3 || m != 3)
    throw ValueError("cross", "Both input arrays must be (arrays of) 3-dimensional vectors, but they are " + std::to_string(n) +
                                  " and " + std::to_string(m) + " dimensional instead.");
  return numjit::cross(x, y, {.axis = axis});
}

array outer(const operand& a, const operand& b) {
  const int m = detail::rank_of(a), n = detail::rank_of(b);
  if (m != 1 || n != 1)
    throw ValueError("outer", "Input arrays must be one-dimensional, but they are x1.ndim=" + std::to_string(m) +
                                  " and x2.ndim=" + std::to_string(n) + ".");
  return numjit::outer(a, b);
}

array diagonal(const operand& a, std::int64_t offset) { return numjit::diagonal(a, offset, -2, -1); }
array trace(const operand& a, const trace_options& o) { return numjit::trace(a, o.offset, -2, -1, o.dtype); }

array matrix_transpose(const operand& a) {
  if (detail::rank_of(a) < 2)
    throw ValueError("matrix_transpose",
                     "Input array must be at least 2-dimensional, but it is " + std::to_string(detail::rank_of(a)));
  return swapaxes(a, -1, -2);
}

array vecdot(const operand& a, const operand& b, std::int64_t axis) {
  const location_scope scope(a.where());
  array x = detail::to_array(a), y = detail::to_array(b);
  for (const array* each : {&x, &y})
    if (each->ndim() == 0)
      throw ValueError("vecdot",
                       std::string("vecdot: Input operand ") + (each == &x ? "0" : "1") +
                           " does not have enough dimensions (has 0, gufunc core with signature (n),(n)->() requires 1)");
  const std::int64_t n = x.shape(normalize_axis("vecdot", axis, x.ndim())), m = y.shape(normalize_axis("vecdot", axis, y.ndim()));
  if (n != m)
    throw ValueError("vecdot",
                     "vecdot: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n),(n)->() (size " +
                         std::to_string(m) + " is different from " + std::to_string(n) + ")");
  const dtype_id t = common_type(x, y);
  x = moveaxis(x, axis, -1);
  y = moveaxis(y, axis, -1);
  const array products = conjugated(x) * y;
  return t == dtype_id::bool_ ? any(products, {.axis = -1}) : sum(products, {.axis = -1, .dtype = dtype(t)});
}

}  // namespace numjit::linalg

namespace numjit {

array trace(const operand& a, std::int64_t offset, std::int64_t axis1, std::int64_t axis2, const optional_dtype& dtype) {
  const location_scope scope(a.where());
  return sum(diagonal(a, offset, axis1, axis2), {.axis = -1, .dtype = dtype});
}

}  // namespace numjit
