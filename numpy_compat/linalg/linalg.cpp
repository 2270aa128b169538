// np::linalg: what the functions ask of their arguments, and how they are made of routines and other ops.
#include <algorithm>
#include <cmath>

#include <numjit/ops/routine.h>

#include <surface.h>

namespace numjit::linalg {

using numjit::detail::at;
using numjit::detail::routine_id;

namespace {

/// float32, float64 or complex, as LAPACK has them.
array floating(const char* op, const operand& a) {
  const dtype_id t = numjit::detail::type_of(a);
  if (t == dtype_id::float16) throw TypeError(op, "array type float16 is unsupported in linalg");
  const char kind = dtype(t).kind();
  array x = numjit::detail::to_array(a);
  return kind == 'f' || kind == 'c' ? x : numjit::detail::cast(at(x, a.where()), dtype_id::float64);
}

array of_type(const array& a, dtype_id t, const location& w) {
  return a.get()->type == t ? a : numjit::detail::cast(at(a, w), t);
}

void require_stack(const char* op, const array& a) {
  if (a.ndim() < 2)
    throw LinAlgError(op, std::to_string(a.ndim()) + "-dimensional array given. Array must be at least two-dimensional");
}
void require_square(const char* op, const array& a) {
  require_stack(op, a);
  if (a.shape(-1) != a.shape(-2)) throw LinAlgError(op, "Last 2 dimensions of the array must be square");
}

array square_stack(const char* op, const operand& a) {
  array x = floating(op, a);
  require_square(op, x);
  return x;
}

/// The type that a routine computes in: as in NumPy, float64 or complex128 also for the narrower ones.
dtype_id wide(dtype_id t) { return dtype(t).kind() == 'c' ? dtype_id::complex128 : dtype_id::float64; }
dtype_id narrow(dtype_id t) { return dtype(t).kind() == 'c' ? dtype_id::complex64 : dtype_id::float32; }

array run(routine_id id, std::initializer_list<array> in, const location& w, std::initializer_list<std::int64_t> more = {}) {
  op_params p;
  p.push(static_cast<std::int64_t>(id));
  for (std::int64_t v : more) p.push(v);
  std::vector<array> inputs;
  std::vector<operand> operands;
  for (const array& a : in) inputs.push_back(of_type(a, wide(a.get()->type), w));
  for (const array& a : inputs) operands.push_back(at(a, w));
  const array result = bind({op_id::routine, operands, &p, nullptr, nullptr, w});
  const bool single = in.begin()->get()->type != inputs[0].get()->type;
  return single ? of_type(result, narrow(result.get()->type), w) : result;
}

/// Elements [first, first + count) of the last axis in another shape: one part of a routine's result.
array part(const array& packed, std::int64_t first, const dims& shape, const location& w) {
  std::int64_t count = 1;
  for (std::int64_t n : shape) count *= n;
  dims whole = packed.shape();
  whole.resize(whole.size() - 1);
  for (std::int64_t n : shape) whole.push_back(n);
  const array piece = numjit::detail::slice_axis(at(packed, w), packed.ndim() - 1, first, first + count);
  return reshape(at(numjit::detail::contiguous_copy(at(piece, w)), w), whole);
}

array real_part_of(const array& a, const location& w) {
  return a.dtype().kind() == 'c' ? numjit::detail::contiguous_copy(at(real(at(a, w)), w)) : a;
}

array conjugated(const array& a, const location& w) { return a.dtype().kind() == 'c' ? conjugate(at(a, w)) : a; }

array swapped(const array& a, const location& w) { return swapaxes(at(a, w), -1, -2); }

dtype_id common_type(const array& a, const array& b) {
  return result_type(operand(a), operand(b)).id();
}

}  // namespace

// ---- systems ----

array solve(const operand& a, const operand& b) {
  const location& w = a.where();
  array left = square_stack("solve", a), right = floating("solve", b);
  if (right.ndim() == 0)
    throw ValueError("solve",
                     "solve: Input operand 1 does not have enough dimensions (has 0, gufunc core with signature "
                     "(m,m),(m,n)->(m,n) requires 2)");
  const dtype_id t = common_type(left, right);
  const bool vector = right.ndim() == 1;
  if (vector) right = reshape(at(right, w), {right.shape(0), 1});
  const std::int64_t n = left.shape(-1);
  if (right.shape(-2) != n)
    throw ValueError("solve", std::string(vector ? "solve1" : "solve") + ": Input operand 1 has a mismatch in its core dimension 0, with gufunc signature " +
                                  (vector ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)") + " (size " + std::to_string(right.shape(-2)) +
                                  " is different from " + std::to_string(n) + ")");
  dims left_stack = left.shape(), right_stack = right.shape();
  left_stack.resize(left_stack.size() - 2);
  right_stack.resize(right_stack.size() - 2);
  const dims both[] = {left_stack, right_stack};
  dims stack = broadcast_shapes("solve", both), left_shape = stack, right_shape = stack;
  for (std::int64_t e : {n, n}) left_shape.push_back(e);
  for (std::int64_t e : {n, right.shape(-1)}) right_shape.push_back(e);
  if (!(left.shape() == left_shape)) left = numjit::detail::expand_to(at(left, w), left_shape);
  if (!(right.shape() == right_shape)) right = numjit::detail::expand_to(at(right, w), right_shape);
  const array x = run(routine_id::solve, {of_type(left, t, w), of_type(right, t, w)}, w);
  if (!vector) return x;
  stack.push_back(n);
  return reshape(at(x, w), stack);
}

array inv(const operand& a) { return run(routine_id::inverse, {square_stack("inv", a)}, a.where(), {0}); }

slogdet_result slogdet(const operand& a) {
  const location& w = a.where();
  const array both = run(routine_id::sign_log_determinant, {square_stack("slogdet", a)}, w);
  return {part(both, 0, {}, w), real_part_of(part(both, 1, {}, w), w)};
}

array det(const operand& a) {
  const location& w = a.where();
  const array both = run(routine_id::sign_log_determinant, {square_stack("det", a)}, w);
  const array sign = part(both, 0, {}, w), log = real_part_of(part(both, 1, {}, w), w);
  return multiply(at(sign, w), at(exp(at(log, w)), w));
}

array cholesky(const operand& a, const cholesky_options& o) {
  return run(routine_id::cholesky, {square_stack("cholesky", a)}, a.where(), {o.upper});
}

qr_result qr(const operand& a, const char* mode) {
  const location& w = a.where();
  const std::string_view name(mode);
  if (name != "reduced" && name != "complete" && name != "r" && name != "raw")
    throw ValueError("qr", "Unrecognized mode '" + std::string(name) + "'");
  const array x = floating("qr", a);
  require_stack("qr", x);
  const std::int64_t m = x.shape(-2), n = x.shape(-1), least = std::min(m, n);
  if (name == "raw") {
    const array packed = run(routine_id::qr_raw, {x}, w, {0});
    return {part(packed, 0, {n, m}, w), part(packed, n * m, {least}, w)};
  }
  const bool complete = name == "complete";
  const array packed = run(routine_id::qr, {x}, w, {complete ? 1 : name == "r" ? 2 : 0});
  const std::int64_t inner = complete ? m : least;
  const array r = part(packed, m * inner, {inner, n}, w);
  return {name == "r" ? array() : part(packed, 0, {m, inner}, w), r};
}

// ---- eigenvalues and singular values ----

namespace {

char checked_uplo(const char* op, char uplo) {
  const char upper = static_cast<char>(uplo & ~0x20);
  if (upper != 'L' && upper != 'U') throw ValueError(op, "UPLO argument must be 'L' or 'U'");
  return upper;
}

/// NumPy gives real results where all eigenvalues are real: the values decide.
bool all_real(const array& eigenvalues, const location& w) {
  const array any_imaginary = any(at(not_equal(at(imag(at(eigenvalues, w)), w), at(0, w)), w));
  return !any_imaginary.item<bool>(w);
}

array finite_stack(const char* op, const operand& a) {
  const array x = square_stack(op, a);
  if (!all(at(isfinite(at(x, a.where())), a.where())).item<bool>(a.where()))
    throw LinAlgError(op, "Array must not contain infs or NaNs");
  return x;
}

}  // namespace

eig_result eig(const operand& a) {
  const location& w = a.where();
  const array x = finite_stack("eig", a), packed = run(routine_id::eig, {x}, w);
  const std::int64_t n = x.shape(-1);
  array values = part(packed, 0, {n}, w), vectors = part(packed, n, {n, n}, w);
  if (x.dtype().kind() == 'c' || !all_real(values, w)) return {values, vectors};
  return {real_part_of(values, w), real_part_of(vectors, w)};
}

array eigvals(const operand& a) {
  const array x = finite_stack("eigvals", a), values = run(routine_id::eigvals, {x}, a.where());
  return x.dtype().kind() == 'c' || !all_real(values, a.where()) ? values : real_part_of(values, a.where());
}

eig_result eigh(const operand& a, char uplo) {
  const location& w = a.where();
  uplo = checked_uplo("eigh", uplo);
  const array x = square_stack("eigh", a), packed = run(routine_id::eigh, {x}, w, {uplo});
  const std::int64_t n = x.shape(-1);
  return {real_part_of(part(packed, 0, {n}, w), w), part(packed, n, {n, n}, w)};
}

array eigvalsh(const operand& a, char uplo) {
  uplo = checked_uplo("eigvalsh", uplo);
  return run(routine_id::eigvalsh, {square_stack("eigvalsh", a)}, a.where(), {uplo});
}

svd_result svd(const operand& a, const svd_options& o) {
  const location& w = a.where();
  if (o.hermitian) {
    // a = V diag(w) V^H: the signs go to Vh, and the values are put in falling order.
    const eig_result e = eigh(a);
    const array size = absolute(at(e.eigenvalues, w));
    const array order = flip(at(argsort(at(size, w)), w), axis_list(-1));
    array sign = copysign(at(1.0, w), at(e.eigenvalues, w));  // none is 0
    sign = take_along_axis(at(sign, w), order, -1);
    const array s = take_along_axis(at(size, w), order, -1);
    dims wide = order.shape();
    wide.insert(wide.size() - 1, 1);
    const array columns = reshape(at(order, w), wide);
    const array u = take_along_axis(at(e.eigenvectors, w), broadcast_to(at(columns, w), e.eigenvectors.shape()), -1);
    const array signed_u = multiply(at(u, w), at(reshape(at(of_type(sign, u.get()->type, w), w), wide), w));
    return {u, s, conjugated(swapped(signed_u, w), w)};
  }
  const array x = floating("svd", a);
  require_stack("svd", x);
  const std::int64_t m = x.shape(-2), n = x.shape(-1), k = std::min(m, n);
  const std::int64_t columns = o.full_matrices ? m : k, rows = o.full_matrices ? n : k;
  const array packed = run(routine_id::svd, {x}, w, {o.full_matrices});
  return {part(packed, 0, {m, columns}, w), real_part_of(part(packed, m * columns, {k}, w), w),
          part(packed, m * columns + k, {rows, n}, w)};
}

array svdvals(const operand& a) {
  const array x = floating("svd", a);
  require_stack("svd", x);
  return run(routine_id::singular_values, {x}, a.where());
}

// ---- what is made of them ----

array pinv(const operand& a, const pinv_options& o) {
  const location& w = a.where();
  const array x = floating("pinv", a);
  require_stack("pinv", x);
  if (o.rcond && o.rtol) throw ValueError("pinv", "`rtol` and `rcond` can't be both set.");
  if (x.size() == 0) {
    dims shape = x.shape();
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return empty(shape, x.dtype(), w);
  }
  const svd_result f = svd(at(conjugated(x, w), w), {.full_matrices = false, .hermitian = o.hermitian});
  const operand relative = o.rtol ? *o.rtol : o.rcond ? *o.rcond : at(1e-15, w);
  array limit = numjit::detail::to_array(relative);
  if (limit.ndim() > 0) {
    dims shape = limit.shape();
    shape.push_back(1);
    limit = reshape(at(limit, w), shape);
  }
  const array largest = max(at(f.S, w), {.axis = -1, .keepdims = true});
  const array cutoff = limit.ndim() > 0 ? multiply(at(limit, w), at(largest, w)) : multiply(relative, at(largest, w));
  const array large = greater(at(f.S, w), at(cutoff, w));
  const array safe = where(at(large, w), at(f.S, w), at(1, w));
  const array inverse = where(at(large, w), at(divide(at(1, w), at(safe, w)), w), at(0, w));
  const array scaled = multiply(at(expand_dims(at(inverse, w), -1), w), at(swapped(f.U, w), w));
  return matmul(at(swapped(f.Vh, w), w), at(scaled, w));
}

array matrix_rank(const operand& a, const rank_options& o) {
  const location& w = a.where();
  if (o.tol && o.rtol) throw ValueError("matrix_rank", "`tol` and `rtol` can't be both set.");
  const array x = floating("matrix_rank", a);
  if (x.ndim() < 2) return numjit::detail::cast(at(any(at(x, w)), w), dtype_id::int64);
  array s = svdvals(at(x, w));
  if (o.hermitian) s = absolute(at(eigvalsh(at(x, w)), w));
  array limit;
  if (o.tol) {
    limit = numjit::detail::to_array(*o.tol);
    if (limit.ndim() > 0) limit = expand_dims(at(limit, w), -1);
    return sum(at(greater(at(s, w), o.tol->is_array() ? at(limit, w) : *o.tol), w), {.axis = -1});
  }
  const array largest = max(at(s, w), {.axis = -1, .keepdims = true, .initial = 0});
  if (o.rtol) {
    limit = numjit::detail::to_array(*o.rtol);
    if (limit.ndim() > 0) limit = expand_dims(at(limit, w), -1);
    limit = o.rtol->is_array() ? multiply(at(largest, w), at(limit, w)) : multiply(at(largest, w), *o.rtol);
  } else {
    const double eps = s.dtype() == float32 ? 0x1p-23 : 0x1p-52;
    limit = multiply(at(largest, w), at(static_cast<double>(std::max(x.shape(-1), x.shape(-2))) * eps, w));
  }
  return sum(at(greater(at(s, w), at(limit, w)), w), {.axis = -1});
}

array matrix_power(const operand& a, int n) {
  const location& w = a.where();
  array x = numjit::detail::to_array(a);
  require_square("matrix_power", x);
  if (n == 0) {
    const array one = eye(x.shape(-1), {.dtype = x.dtype()}, w);
    return x.ndim() == 2 ? one : numjit::detail::contiguous_copy(at(numjit::detail::expand_to(at(one, w), x.shape()), w));
  }
  if (n < 0) x = inv(at(x, w));
  array result;
  for (unsigned left = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n); left > 0; left >>= 1) {
    if (left & 1) result = result.empty_handle() ? x : matmul(at(result, w), at(x, w));
    if (left > 1) x = matmul(at(x, w), at(x, w));
  }
  return n == 1 ? numjit::detail::contiguous_copy(at(result, w)) : result;
}

namespace {

/// A condition number is nan only where the matrix has nans.
array infinite_for_nan(const array& number, const array& x, const location& w) {
  const array in_x = any(at(isnan(at(x, w)), w), {.axis = {-2, -1}});
  const array made = logical_and(at(isnan(at(number, w)), w), at(logical_not(at(in_x, w)), w));
  return where(at(made, w), at(inf, w), at(number, w));
}

}  // namespace

array cond(const operand& a, const norm_order& p) {
  const location& w = a.where();
  const array x = floating("cond", a);
  const dims s = detail::shape_of(at(x, w));  // of no matrices there are no condition numbers
  if (x.size() == 0 && (s.size() < 2 || s.back() * s[s.size() - 2] == 0))
    throw LinAlgError("cond", "cond is not defined on empty arrays");
  if (!p.given() || (p.named() == norm_order::name::none && std::fabs(p.p()) == 2)) {
    require_stack("cond", x);
    const array s = svdvals(at(x, w));
    const array first = numjit::detail::pick_axis(at(s, w), s.ndim() - 1, 0),
                last = numjit::detail::pick_axis(at(s, w), s.ndim() - 1, s.shape(-1) - 1);
    return infinite_for_nan(p.given() && p.p() < 0 ? divide(at(last, w), at(first, w)) : divide(at(first, w), at(last, w)), x, w);
  }
  require_square("cond", x);
  const array inverse = run(routine_id::inverse, {x}, w, {1});
  const array result = multiply(at(norm(at(x, w), {.ord = p, .axis = {-2, -1}}), w),
                                at(norm(at(inverse, w), {.ord = p, .axis = {-2, -1}}), w));
  return infinite_for_nan(result, x, w);
}

lstsq_result lstsq(const operand& a, const operand& b, std::optional<double> rcond) {
  const location& w = a.where();
  array left = floating("lstsq", a), right = floating("lstsq", b);
  const bool vector = right.ndim() == 1;
  if (vector) right = reshape(at(right, w), {right.shape(0), 1});
  for (const array* m : {&left, &right})
    if (m->ndim() != 2)
      throw LinAlgError("lstsq", std::to_string(m->ndim()) + "-dimensional array given. Array must be two-dimensional");
  const std::int64_t m = left.shape(0), n = left.shape(1), k = right.shape(1), least = std::min(m, n);
  if (right.shape(0) != m) throw LinAlgError("lstsq", "Incompatible dimensions");
  const dtype_id t = common_type(left, right);
  const double limit = rcond.value_or(0x1p-52 * static_cast<double>(std::max(m, n)));
  const array packed = run(routine_id::lstsq, {of_type(left, t, w), of_type(right, t, w)}, w, {std::bit_cast<std::int64_t>(limit)});
  std::int64_t begin = 0;
  auto next = [&](const dims& shape) {
    std::int64_t count = 1;
    for (std::int64_t e : shape) count *= e;
    const array p = part(packed, begin, shape, w);
    begin += count;
    return p;
  };
  array x = next(dims{n, k});
  array residuals = real_part_of(next(dims{k}), w);
  const array s = real_part_of(next(dims{least}), w);
  const auto rank = static_cast<std::int64_t>(real_part_of(next(dims{}), w).item<double>(w));
  if (rank != n || m <= n) residuals = empty(0, residuals.dtype(), w);
  if (vector) x = reshape(at(x, w), {n});
  return {x, residuals, rank, s};
}

array tensorsolve(const operand& a, const operand& b, const std::optional<dims>& axes) {
  const location& w = a.where();
  array x = numjit::detail::to_array(a);
  const array y = numjit::detail::to_array(b);
  if (axes) {
    dims order;
    for (int i = 0; i < x.ndim(); ++i)
      if (std::find(axes->begin(), axes->end(), i) == axes->end()) order.push_back(i);
    for (std::int64_t i : *axes) order.push_back(i);
    x = numjit::detail::permute(at(x, w), order);
  }
  dims old;
  for (int i = y.ndim(); i < x.ndim(); ++i) old.push_back(x.shape(i));
  const std::int64_t count = element_count(old);
  if (x.size() != count * count)
    throw LinAlgError("tensorsolve", "Input arrays must satisfy the requirement             prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])");
  const array flat = solve(at(reshape(at(x, w), {count, count}), w), at(ravel(at(y, w)), w));
  return reshape(at(flat, w), old);
}

array tensorinv(const operand& a, int ind) {
  const location& w = a.where();
  const array x = numjit::detail::to_array(a);
  if (ind <= 0) throw ValueError("tensorinv", "Invalid ind argument.");
  dims inverse;
  std::int64_t count = 1;
  for (int i = ind; i < x.ndim(); ++i) {
    inverse.push_back(x.shape(i));
    count *= x.shape(i);
  }
  for (int i = 0; i < ind && i < x.ndim(); ++i) inverse.push_back(x.shape(i));
  const array flat = inv(at(reshape(at(x, w), {count, -1}), w));
  return reshape(at(flat, w), inverse);
}

namespace {

/// Chain order by dynamic programming (Cormen et al., Introduction to Algorithms, 15.2).
array product_of(const std::vector<array>& all, const std::vector<std::vector<std::size_t>>& split, std::size_t i,
                 std::size_t j, const location& w) {
  if (i == j) return all[i];
  const std::size_t k = split[i][j];
  return matmul(at(product_of(all, split, i, k, w), w), at(product_of(all, split, k + 1, j, w), w));
}

}  // namespace

array multi_dot(const std::vector<array>& arrays, location w) {
  const std::size_t n = arrays.size();
  if (n < 2) throw ValueError("multi_dot", "Expecting at least two arrays.");
  std::vector<array> all = arrays;
  const bool first = all.front().ndim() == 1, last = all.back().ndim() == 1;
  if (first) all.front() = reshape(at(all.front(), w), {1, -1});
  if (last) all.back() = reshape(at(all.back(), w), {-1, 1});
  for (const array& a : all)
    if (a.ndim() != 2)
      throw LinAlgError("multi_dot", std::to_string(a.ndim()) + "-dimensional array given. Array must be two-dimensional");
  std::vector<double> p;
  for (const array& a : all) p.push_back(static_cast<double>(a.shape(0)));
  p.push_back(static_cast<double>(all.back().shape(1)));
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  std::vector<std::vector<std::size_t>> split(n, std::vector<std::size_t>(n, 0));
  for (std::size_t l = 1; l < n; ++l)
    for (std::size_t i = 0; i + l < n; ++i) {
      const std::size_t j = i + l;
      cost[i][j] = HUGE_VAL;
      for (std::size_t k = i; k < j; ++k) {
        const double c = cost[i][k] + cost[k + 1][j] + p[i] * p[k + 1] * p[j + 1];
        if (c < cost[i][j]) cost[i][j] = c, split[i][j] = k;
      }
    }
  array result = product_of(all, split, 0, n - 1, w);
  if (first && last) return reshape(at(result, w), dims());
  return first || last ? ravel(at(result, w)) : result;
}

// ---- products and diagonals ----

array cross(const operand& a, const operand& b, std::int64_t axis) {
  const location& w = a.where();
  const array x = numjit::detail::to_array(a), y = numjit::detail::to_array(b);
  const std::int64_t n = x.shape(normalize_axis("cross", axis, x.ndim())), m = y.shape(normalize_axis("cross", axis, y.ndim()));
  if (n != 3 || m != 3)
    throw ValueError("cross", "Both input arrays must be (arrays of) 3-dimensional vectors, but they are " + std::to_string(n) +
                                  " and " + std::to_string(m) + " dimensional instead.");
  const array product = numjit::cross(at(moveaxis(at(x, w), axis, -1), w), at(moveaxis(at(y, w), axis, -1), w));
  return moveaxis(at(product, w), -1, axis);
}

array outer(const operand& a, const operand& b) {
  const int m = numjit::detail::rank_of(a), n = numjit::detail::rank_of(b);
  if (m != 1 || n != 1)
    throw ValueError("outer", "Input arrays must be one-dimensional, but they are x1.ndim=" + std::to_string(m) +
                                  " and x2.ndim=" + std::to_string(n) + ".");
  return numjit::outer(a, b);
}

array diagonal(const operand& a, std::int64_t offset) { return numjit::diagonal(a, offset, -2, -1); }
array trace(const operand& a, const trace_options& o) { return numjit::trace(a, o.offset, -2, -1, o.dtype); }

array matrix_transpose(const operand& a) {
  if (numjit::detail::rank_of(a) < 2)
    throw ValueError("matrix_transpose", "Input array must be at least 2-dimensional, but it is " +
                                             std::to_string(numjit::detail::rank_of(a)));
  return swapaxes(a, -1, -2);
}

array vecdot(const operand& a, const operand& b, std::int64_t axis) {
  const location& w = a.where();
  array x = numjit::detail::to_array(a), y = numjit::detail::to_array(b);
  const std::int64_t n = x.shape(normalize_axis("vecdot", axis, x.ndim())), m = y.shape(normalize_axis("vecdot", axis, y.ndim()));
  if (n != m)
    throw ValueError("vecdot", "vecdot: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n),(n)->() (size " +
                                   std::to_string(m) + " is different from " + std::to_string(n) + ")");
  const dtype_id t = common_type(x, y);
  x = moveaxis(at(x, w), axis, -1);
  y = moveaxis(at(y, w), axis, -1);
  const array products = multiply(at(conjugated(x, w), w), at(y, w));
  return t == dtype_id::bool_ ? any(at(products, w), {.axis = -1}) : sum(at(products, w), {.axis = -1, .dtype = dtype(t)});
}

}  // namespace numjit::linalg

namespace numjit {

array trace(const operand& a, std::int64_t offset, std::int64_t axis1, std::int64_t axis2, const optional_dtype& dtype) {
  const array line = diagonal(a, offset, axis1, axis2);
  return sum(detail::at(line, a.where()), {.axis = -1, .dtype = dtype});
}

}  // namespace numjit
