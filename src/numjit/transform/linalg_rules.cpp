// The rules of systems and decompositions. g is the cotangent of what a routine gives, d what the matrix changes by.
//
// Sources: M. Giles, "An extended collection of matrix derivative results for forward and reverse mode algorithmic
// differentiation" (2008); M. Seeger et al., "Auto-differentiating linear algebra" (2017). Where eigenvalues or singular values
// are equal, what turns their vectors into each other is taken as 0: right for the values and for the space that they share.
#include <limits>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/transform/custom.h>
#include <numjit/transform/matrices.h>
#include <numjit/transform/routine_rules.h>

namespace numjit::transform {

using detail::call;
using detail::routine_id;

namespace {

std::int64_t rows_of(const Seen& s) { return s.shape(0)[s.rank(0) - 2]; }
std::int64_t columns_of(const Seen& s) { return s.shape(0)[s.rank(0) - 1]; }
std::int64_t least_of(const Seen& s) { return std::min(rows_of(s), columns_of(s)); }

/// What is equal among numbers: n eps times the largest, (..., 1).
array equal_gap(const array& values) {
  const std::int64_t n = shape_of(values).back();
  const array sizes = bind_ufunc(op_id::absolute, values);
  const double eps =
      type_of(sizes) == dtype_id::float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  return binary(op_id::multiply, reduced(op_id::max, sizes, {-1}, true), operand(eps * static_cast<double>(n), "", "", 0));
}
/// The same beside what there is for each pair of numbers, (..., 1, 1).
array equal_gap_of_pairs(const array& values) { return with_axis_of_one(equal_gap(values), rank_of(values)); }
/// 1 / (d[j] - d[i]), 0 where they are equal.
array inverse_differences(const array& d) { return inverse_or_zero(differences(d), equal_gap_of_pairs(d)); }

[[noreturn]] void throw_not_unique(const char* what) {
  throw NotImplementedError("linalg", fmt::format("no derivative of {} is known: a part of it is any basis of a space. Use the "
                                                  "reduced form.",
                                                  what));
}

// ---- systems ----

void adjoint_solve(Adjoint& a) {
  const array of_right = solved(adjoint_of(a.array_value(0)), a.g());
  a.give(1, of_right);
  if (a.is_active(0)) a.give(0, negated(matmul(of_right, adjoint_of(a.result()))));
}
array tangent_solve(const Tangent& t) {
  array right = t.changes(1) ? t.change(1) : array();
  if (t.changes(0)) {
    const array moved = negated(matmul(t.change(0), t.result()));
    right = right.empty_handle() ? moved : plus(right, moved);
  }
  return solved(t.array_value(0), right);
}

void adjoint_inverse(Adjoint& a) {
  const array y = adjoint_of(a.result());
  a.give(0, negated(matmul(y, a.g(), y)));
}
array tangent_inverse(const Tangent& t) { return negated(matmul(t.result(), t.change(0), t.result())); }

// ---- the determinant ----

// Sign and logarithm of its size. Of complex matrices the sign turns by the imaginary part of the logarithm's derivative.
void adjoint_sign_log(Adjoint& a) {
  Packed g(a.g()), y(a.result());
  const array of_sign = g.next({}), of_log = real_of(g.next({})), sign = y.next({});
  array factor = of_log;
  if (is_complex(type_of(sign))) factor = plus(of_log, times_i(negated(imag_of(times(conjugate(of_sign), sign)))));
  const int rank = rank_of(factor);
  const array wide = with_axis_of_one(with_axis_of_one(factor, rank), rank);
  a.give(0, binary(op_id::scale, wide, adjoint_of(inverse(a.array_value(0)))));
}
array tangent_sign_log(const Tangent& t) {
  Packed y(t.result());
  const array sign = y.next({});
  const array trace = reduced(op_id::sum, times(transposed(inverse(t.array_value(0))), t.change(0)), {-2, -1});
  const array of_sign = is_complex(type_of(sign)) ? times(sign, times_i(imag_of(trace))) : zeros(shape_of(sign), type_of(sign));
  return packed({{of_sign, 0}, {real_of(trace), 0}}, t.result_type());
}

// ---- Cholesky and QR ----

array lower_with_half_diagonal(const array& a) { return plus(below_diagonal(a), diagonal_matrix(halved(diagonal_of(a)), a)); }

void adjoint_cholesky(Adjoint& a) {
  const bool upper = a.p()[1] != 0;
  const array l = upper ? adjoint_of(a.result()) : a.result(), g = upper ? adjoint_of(a.g()) : a.g();
  const array up = adjoint_of(l);
  const array middle = solved(up, lower_with_half_diagonal(matmul(up, g)));
  a.give(0, hermitian_part(adjoint_of(solved(up, adjoint_of(middle)))));
}
array tangent_cholesky(const Tangent& t) {
  const bool upper = t.p()[1] != 0;
  const array l = upper ? adjoint_of(t.result()) : t.result();
  const array left = solved(l, hermitian_part(t.change(0)));
  const array made = matmul(l, lower_with_half_diagonal(adjoint_of(solved(l, adjoint_of(left)))));
  return upper ? adjoint_of(made) : made;
}

/// A matrix of at least as many rows as columns.
array adjoint_of_tall(const array& q, const array& r, const array& of_q, const array& of_r) {
  const array m = minus(matmul(r, adjoint_of(of_r)), matmul(adjoint_of(of_q), q)), below = below_diagonal(m);
  const array both = plus(plus(below, adjoint_of(below)), diagonal_matrix(real_of(diagonal_of(m)), m));
  return adjoint_of(solved(r, adjoint_of(plus(of_q, matmul(q, both)))));
}
std::pair<array, array> tangent_of_tall(const array& q, const array& r, const array& d) {
  const array c = adjoint_of(solved(adjoint_of(r), adjoint_of(d))), part = matmul(adjoint_of(q), c), below = below_diagonal(part);
  array turn = minus(below, adjoint_of(below));
  if (is_complex(type_of(part))) turn = plus(turn, diagonal_matrix(times_i(imag_of(diagonal_of(part))), part));
  return {plus(c, matmul(q, minus(turn, part))), matmul(minus(part, turn), r)};
}

struct Qr {
  array q, r;
};
/// Q and R of the reduced form; where only R was wanted, Q was not made.
Qr qr_of(const Seen& s) {
  const std::int64_t m = rows_of(s), n = columns_of(s), k = least_of(s), mode = s.p()[1];
  if (mode == 1 && m > n) throw_not_unique("qr with mode='complete' and more rows than columns");
  const array all = mode == 2 ? run_routine(routine_id::qr, {s.array_value(0)}, {0}) : s.result();
  Packed parts(all);
  const array q = parts.next({m, k});
  return {q, parts.next({k, n})};
}

void adjoint_qr(Adjoint& a) {
  const auto [q, r] = qr_of(a);
  const std::int64_t m = rows_of(a), n = columns_of(a), k = least_of(a);
  Packed g(a.g());
  array of_q = g.next({m, k});
  const array of_r = g.next({k, n});
  if (a.p()[1] == 2) of_q = zeros(shape_of(q), type_of(q));
  if (m >= n) return a.give(0, adjoint_of_tall(q, r, of_q, of_r));
  const int last = a.rank(0) - 1;
  const array more = slice(of_r, last, m, n), rest = slice(a.array_value(0), last, m, n);
  const array square =
      adjoint_of_tall(q, slice(r, last, 0, m), plus(of_q, matmul(rest, adjoint_of(more))), slice(of_r, last, 0, m));
  a.give(0, joined(square, matmul(q, more), last));
}
array tangent_qr(const Tangent& t) {
  const auto [q, r] = qr_of(t);
  const std::int64_t m = rows_of(t), n = columns_of(t);
  const int last = t.rank(0) - 1;
  if (m >= n) {
    const auto [of_q, of_r] = tangent_of_tall(q, r, t.change(0));
    return packed({{of_q, 2}, {of_r, 2}}, t.result_type());
  }
  const auto [of_q, of_square] = tangent_of_tall(q, slice(r, last, 0, m), slice(t.change(0), last, 0, m));
  const array more =
      plus(matmul(adjoint_of(of_q), slice(t.array_value(0), last, m, n)), matmul(adjoint_of(q), slice(t.change(0), last, m, n)));
  return packed({{of_q, 2}, {joined(of_square, more, last), 2}}, t.result_type());
}

// ---- eigenvalues ----

struct Eigen {
  array values, vectors;
};
Eigen eigen_of(const array& all, std::int64_t n, bool real_values) {
  Packed parts(all);
  const array values = parts.next({n});
  return {real_values ? real_of(values) : values, parts.next({n, n})};
}

void adjoint_eigh(Adjoint& a) {
  const std::int64_t n = rows_of(a);
  const auto [w, v] = eigen_of(a.result(), n, true);
  const auto [of_w, of_v] = eigen_of(a.g(), n, true);
  const array inner = plus(times(inverse_differences(w), matmul(adjoint_of(v), of_v)), diagonal_matrix(of_w, v));
  a.give(0, hermitian_part(matmul(v, inner, adjoint_of(v))));
}
array tangent_eigh(const Tangent& t) {
  const auto [w, v] = eigen_of(t.result(), rows_of(t), true);
  const array inner = matmul(adjoint_of(v), hermitian_part(t.change(0)), v);
  return packed({{real_of(diagonal_of(inner)), 1}, {matmul(v, times(inverse_differences(w), inner)), 2}}, t.result_type());
}

array vectors_of(const Seen& s) {
  return eigen_of(run_routine(routine_id::eigh, {s.array_value(0)}, {s.p()[1]}), rows_of(s), true).vectors;
}
void adjoint_eigvalsh(Adjoint& a) {
  const array v = vectors_of(a);
  a.give(0, matmul(scale_columns(v, a.g()), adjoint_of(v)));
}
array tangent_eigvalsh(const Tangent& t) {
  const array v = vectors_of(t);
  return real_of(diagonal_of(matmul(adjoint_of(v), hermitian_part(t.change(0)), v)));
}

/// Vectors have length 1, and are real where their largest element is: the parts of a change that this forbids.
array along_vectors(const array& products) { return real_of(diagonal_of(products)); }

void adjoint_eig(Adjoint& a) {
  const std::int64_t n = rows_of(a);
  const auto [w, v] = eigen_of(a.result(), n, false);
  const auto [of_w, of_v] = eigen_of(a.g(), n, false);
  const array up = adjoint_of(v), products = matmul(up, of_v);
  const array turned = minus(products, scale_columns(matmul(up, v), along_vectors(products)));
  const array inner = plus(times(conjugate(inverse_differences(w)), turned), diagonal_matrix(of_w, v));
  a.give(0, solved(up, matmul(inner, up)));
}
array tangent_eig(const Tangent& t) {
  const auto [w, v] = eigen_of(t.result(), rows_of(t), false);
  const array d = of_type(t.change(0), type_of(v));
  const array inner = solved(v, matmul(d, v)), free = matmul(v, times(inverse_differences(w), inner));
  const array of_v = minus(free, scale_columns(v, along_vectors(matmul(adjoint_of(v), free))));
  return packed({{diagonal_of(inner), 1}, {of_v, 2}}, t.result_type());
}

array all_vectors_of(const Seen& s) {
  return eigen_of(run_routine(routine_id::eig, {s.array_value(0)}), rows_of(s), false).vectors;
}
void adjoint_eigvals(Adjoint& a) {
  const array up = adjoint_of(all_vectors_of(a));
  a.give(0, solved(up, scale_rows(up, a.g())));
}
array tangent_eigvals(const Tangent& t) {
  const array v = all_vectors_of(t);
  const array d = of_type(t.change(0), type_of(v));
  return diagonal_of(solved(v, matmul(d, v)));
}

// ---- singular values ----

struct Svd {
  array u, s, vh;
};
Svd svd_parts(const array& all, std::int64_t m, std::int64_t n) {
  const std::int64_t k = std::min(m, n);
  Packed parts(all);
  const array u = parts.next({m, k}), s = real_of(parts.next({k}));
  return {u, s, parts.next({k, n})};
}
Svd svd_of(const Seen& s) {
  const std::int64_t m = rows_of(s), n = columns_of(s);
  if (s.p()[1] == 1 && m != n) throw_not_unique("svd with full_matrices of a matrix that is not square");
  return svd_parts(s.result(), m, n);
}
Svd reduced_svd(const array& a) {
  const dims shape = shape_of(a);
  return svd_parts(run_routine(routine_id::svd, {a}, {0}), shape[shape.size() - 2], shape.back());
}
array inverse_values(const array& s) { return inverse_or_zero(s, equal_gap(s)); }
/// 1 / (s[j]^2 - s[i]^2), 0 where they are equal.
array inverse_square_differences(const array& s) {
  const array sums = plus(with_axis_of_one(s, rank_of(s) - 1), with_axis_of_one(s, rank_of(s)));
  return times(inverse_differences(s), inverse_or_zero(sums, equal_gap_of_pairs(s)));
}
/// The part of `a` outside of the space of columns that are orthonormal.
array outside(const array& columns, const array& a) { return minus(a, matmul(columns, matmul(adjoint_of(columns), a))); }

void adjoint_svd(Adjoint& a) {
  const auto [u, s, vh] = svd_of(a);
  const std::int64_t m = rows_of(a), n = columns_of(a);
  const auto [of_u, of_s, of_vh] = svd_parts(a.g(), m, n);
  const array v = adjoint_of(vh), of_v = adjoint_of(of_vh), gaps = inverse_square_differences(s), inverse = inverse_values(s);
  const array by_u = matmul(adjoint_of(u), of_u), by_v = matmul(vh, of_v);
  array inner = plus(scale_columns(times(gaps, minus(by_u, adjoint_of(by_u))), s),
                     scale_rows(times(gaps, minus(by_v, adjoint_of(by_v))), s));
  inner = plus(inner, diagonal_matrix(of_s, inner));
  if (is_complex(type_of(u))) inner = plus(inner, diagonal_matrix(times_i(times(imag_of(diagonal_of(by_u)), inverse)), inner));
  array given = matmul(u, inner, vh);
  if (m > n) given = plus(given, matmul(outside(u, scale_columns(of_u, inverse)), vh));
  if (m < n) given = plus(given, matmul(u, adjoint_of(outside(v, scale_columns(of_v, inverse)))));
  a.give(0, given);
}
array tangent_svd(const Tangent& t) {
  const auto [u, s, vh] = svd_of(t);
  const std::int64_t m = rows_of(t), n = columns_of(t);
  const array v = adjoint_of(vh), d = t.change(0), gaps = inverse_square_differences(s), inverse = inverse_values(s);
  const array inner = matmul(adjoint_of(u), d, v), back = adjoint_of(inner);
  array turn = times(gaps, plus(scale_columns(inner, s), scale_rows(back, s)));
  if (is_complex(type_of(u))) turn = plus(turn, diagonal_matrix(times_i(times(imag_of(diagonal_of(inner)), inverse)), turn));
  array of_u = matmul(u, turn), of_v = matmul(v, times(gaps, plus(scale_rows(inner, s), scale_columns(back, s))));
  if (m > n) of_u = plus(of_u, outside(u, scale_columns(matmul(d, v), inverse)));
  if (m < n) of_v = plus(of_v, outside(v, scale_columns(matmul(adjoint_of(d), u), inverse)));
  return packed({{of_u, 2}, {real_of(diagonal_of(inner)), 1}, {adjoint_of(of_v), 2}}, t.result_type());
}

void adjoint_singular_values(Adjoint& a) {
  const auto [u, s, vh] = reduced_svd(a.array_value(0));
  a.give(0, matmul(scale_columns(u, a.g()), vh));
}
array tangent_singular_values(const Tangent& t) {
  const auto [u, s, vh] = reduced_svd(t.array_value(0));
  return real_of(diagonal_of(matmul(adjoint_of(u), t.change(0), adjoint_of(vh))));
}

// ---- least squares ----

/// By singular values above `rcond` times the largest, with a rule of its own.
array pseudoinverse(const array& a, double rcond) {
  const auto plain = [rcond](const array& matrix) {
    const auto [u, s, vh] = reduced_svd(matrix);
    const array cutoff = binary(op_id::multiply, reduced(op_id::max, s, {}, true), operand(rcond, "", "", 0));
    return matmul(scale_columns(adjoint_of(vh), inverse_or_zero(s, cutoff)), adjoint_of(u));
  };
  if (!numjit::detail::levels_are_open()) return plain(a);
  return custom_jvp(plain, [rcond](const auto& args, const auto& changes) {
    const array p = pseudoinverse(std::get<0>(args), rcond);
    return std::pair(p, change_of_pseudoinverse(std::get<0>(args), p, std::get<0>(changes)));
  })(a);
}

/// The system, its pseudoinverse (n, m) and what the solution leaves.
struct LeastSquares {
  array a, b, x, pseudo, rest;
  Svd parts;

  explicit LeastSquares(const Seen& seen) : a(seen.array_value(0)), b(seen.array_value(1)) {
    Packed result(seen.result());
    x = result.next({columns_of(seen), shape_of(b)[1]});
    parts = reduced_svd(a);
    pseudo = pseudoinverse(a, seen.p().real(1));
    rest = minus(b, matmul(a, x));
  }
};

void adjoint_lstsq(Adjoint& a) {
  const LeastSquares y(a);
  Packed g(a.g());
  const array of_x = g.next(shape_of(y.x)), of_sums = real_of(g.next({shape_of(y.b)[1]}));
  const array of_values = real_of(g.next({least_of(a)}));
  const array up = adjoint_of(y.pseudo), moved = matmul(up, of_x), pulled = scale_columns(y.rest, plus(of_sums, of_sums));
  a.give(1, plus(moved, pulled));
  if (!a.is_active(0)) return;
  array given = negated(matmul(plus(moved, pulled), adjoint_of(y.x)));
  given = plus(given, matmul(y.rest, adjoint_of(matmul(y.pseudo, moved))));
  given = plus(given, matmul(matmul(up, y.x), adjoint_of(minus(of_x, matmul(y.pseudo, matmul(y.a, of_x))))));
  a.give(0, plus(given, matmul(scale_columns(y.parts.u, of_values), y.parts.vh)));
}
array tangent_lstsq(const Tangent& t) {
  const LeastSquares y(t);
  const array d = t.change_or_zeros(0), moved = minus(t.change_or_zeros(1), matmul(d, y.x)), up = adjoint_of(y.pseudo);
  array of_x = plus(matmul(y.pseudo, moved), matmul(y.pseudo, matmul(up, matmul(adjoint_of(d), y.rest))));
  const array turned = matmul(adjoint_of(d), matmul(up, y.x));
  of_x = plus(of_x, minus(turned, matmul(y.pseudo, matmul(y.a, turned))));
  const array sums = reduced(op_id::sum, real_of(times(conjugate(y.rest), moved)), {0});
  const array of_values = real_of(diagonal_of(matmul(adjoint_of(y.parts.u), d, adjoint_of(y.parts.vh))));
  return packed({{of_x, 2}, {plus(sums, sums), 1}, {of_values, 1}, {zeros({1}, type_of(of_x)), 1}}, t.result_type());
}

constexpr std::uint8_t first = 1;

}  // namespace

RoutineRule linalg_rule(routine_id id) {
  switch (id) {
    case routine_id::solve: return {first | needs_result, &adjoint_solve, &tangent_solve};
    case routine_id::inverse: return {needs_result, &adjoint_inverse, &tangent_inverse};
    case routine_id::sign_log_determinant: return {first | needs_result, &adjoint_sign_log, &tangent_sign_log};
    case routine_id::cholesky: return {needs_result, &adjoint_cholesky, &tangent_cholesky};
    case routine_id::qr: return {first | needs_result, &adjoint_qr, &tangent_qr};
    case routine_id::svd: return {needs_result, &adjoint_svd, &tangent_svd};
    case routine_id::singular_values: return {first, &adjoint_singular_values, &tangent_singular_values};
    case routine_id::eigh: return {needs_result, &adjoint_eigh, &tangent_eigh};
    case routine_id::eigvalsh: return {first, &adjoint_eigvalsh, &tangent_eigvalsh};
    case routine_id::eig: return {needs_result, &adjoint_eig, &tangent_eig};
    case routine_id::eigvals: return {first, &adjoint_eigvals, &tangent_eigvals};
    case routine_id::lstsq: return {needs_all_inputs | needs_result, &adjoint_lstsq, &tangent_lstsq};
    default: return {};
  }
}

}  // namespace numjit::transform
