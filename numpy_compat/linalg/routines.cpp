// Decompositions as routines of graphs: shape rules, and LAPACK on one matrix of a stack after the other.
//
// Results of several parts lie one after the other in one flat array per matrix; linalg.cpp takes them
// apart. Matrices go to LAPACK as copies in Fortran's order.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <numjit/base/error.h>
#include <numjit/eager/blas.h>
#include <numjit/ops/math/log.h>
#include <numjit/ops/routine.h>

#include "lapack.h"

namespace numjit::linalg {
namespace {

using numjit::detail::routine_call;
using numjit::detail::routine_id;

template <class T> struct real_part { using type = T; };
template <class T> struct real_part<std::complex<T>> { using type = T; };
template <class T> using real_of = typename real_part<T>::type;
template <class T> inline constexpr bool is_complex = !std::is_same_v<T, real_of<T>>;

dtype_id real_type(dtype_id t) {
  return t == dtype_id::complex64 ? dtype_id::float32 : t == dtype_id::complex128 ? dtype_id::float64 : t;
}
dtype_id complex_type(dtype_id t) {
  return t == dtype_id::float32 ? dtype_id::complex64 : t == dtype_id::float64 ? dtype_id::complex128 : t;
}

template <class F>
void with_type(dtype_id t, F&& f) {
  switch (t) {
    case dtype_id::float32: return f(float{});
    case dtype_id::float64: return f(double{});
    case dtype_id::complex64: return f(std::complex<float>{});
    default: return f(std::complex<double>{});
  }
}

int as_int(std::int64_t n) {
  if (n > 0x7fffffff) throw ValueError("linalg", "too large for LAPACK: got an extent of " + std::to_string(n) + ".");
  return static_cast<int>(n);
}

/// The matrices of a stack: element (i, j) of matrix k.
class stack {
 public:
  explicit stack(const node* n, bool vectors = false)
      : n_(n), lead_(n->rank - (vectors ? 1 : 2)), rows(n->shape[lead_]), columns(vectors ? 1 : n->shape[lead_ + 1]),
        row_step_(n->strides[lead_]), column_step_(vectors ? 0 : n->strides[lead_ + 1]) {
    count = 1;
    for (int i = 0; i < lead_; ++i) count *= n->shape[i];
  }
  /// Copies matrix k into Fortran's order, rows `ld` apart.
  template <class T>
  void read(std::int64_t k, T* to, std::int64_t ld) const {
    const char* from = n_->data;
    for (int i = lead_ - 1; i >= 0; --i) {
      from += k % n_->shape[i] * n_->strides[i];
      k /= n_->shape[i];
    }
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < rows; ++i)
        to[j * ld + i] = *reinterpret_cast<const T*>(from + i * row_step_ + j * column_step_);
  }

 private:
  const node* n_;
  int lead_;

 public:
  std::int64_t rows, columns, count;

 private:
  std::int64_t row_step_, column_step_;
};

/// Fortran's order to C's.
template <class T>
void write(const T* from, std::int64_t ld, std::int64_t rows, std::int64_t columns, T* to) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) *to++ = from[j * ld + i];
}

template <class T>
T* data_of(const node* n) { return reinterpret_cast<T*>(n->data); }

template <class T>
std::vector<T> room(std::int64_t n) {
  constexpr std::size_t read_beyond = 32;  // by vectors of OpenBLAS's zgemv, which gesdd calls
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(n, 1));
  std::vector<T> made;
  made.reserve(count + read_beyond);
  made.resize(count);
  return made;
}

/// How much room LAPACK wants, from the first element of its answer.
template <class T>
std::vector<T> wanted(T answer) {
  return room<T>(static_cast<std::int64_t>(std::ceil(std::real(answer))) + 1);
}

// ---- shape rules: the stack's shape, then that of one result ----

dims leading(const op_call& call, int drop = 2) {
  const node* a = call.in[0].n();
  return dims(a->shape, a->rank - drop);
}
std::int64_t rows_of(const op_call& call) { return call.in[0].n()->shape[call.in[0].n()->rank - 2]; }
std::int64_t columns_of(const op_call& call) { return call.in[0].n()->shape[call.in[0].n()->rank - 1]; }
dtype_id type_of(const op_call& call) { return call.in[0].n()->type; }

void give(inference& result, dtype_id type, dims shape, std::initializer_list<std::int64_t> more) {
  for (std::int64_t n : more) shape.push_back(n);
  result.type = type;
  result.shape = shape;
}

void infer_like_first(const op_call& call, inference& r) {
  give(r, type_of(call), leading(call), {rows_of(call), columns_of(call)});
}
void infer_solve(const op_call& call, inference& r) {
  const node* b = call.in[1].n();
  give(r, type_of(call), leading(call), {rows_of(call), b->shape[b->rank - 1]});
}
void infer_sign_log(const op_call& call, inference& r) { give(r, type_of(call), leading(call), {2}); }

/// Q has m rows and k columns, R k rows and n columns.
std::int64_t qr_inner(const op_call& call) {
  return call.p()[1] == 1 ? rows_of(call) : std::min(rows_of(call), columns_of(call));
}
void infer_qr(const op_call& call, inference& r) {
  give(r, type_of(call), leading(call), {qr_inner(call) * (rows_of(call) + columns_of(call))});
}
/// What geqrf leaves: the matrix (transposed), then the factors.
void infer_qr_raw(const op_call& call, inference& r) {
  const std::int64_t m = rows_of(call), n = columns_of(call);
  give(r, type_of(call), leading(call), {m * n + std::min(m, n)});
}
void infer_svd(const op_call& call, inference& r) {
  const std::int64_t m = rows_of(call), n = columns_of(call), k = std::min(m, n);
  const bool full = call.p()[1] == 1;
  give(r, type_of(call), leading(call), {m * (full ? m : k) + k + (full ? n : k) * n});
}
void infer_singular_values(const op_call& call, inference& r) {
  give(r, real_type(type_of(call)), leading(call), {std::min(rows_of(call), columns_of(call))});
}
void infer_eigh(const op_call& call, inference& r) {
  give(r, type_of(call), leading(call), {rows_of(call) * (rows_of(call) + 1)});
}
void infer_eigvalsh(const op_call& call, inference& r) {
  give(r, real_type(type_of(call)), leading(call), {rows_of(call)});
}
void infer_eig(const op_call& call, inference& r) {
  give(r, complex_type(type_of(call)), leading(call), {rows_of(call) * (rows_of(call) + 1)});
}
void infer_eigvals(const op_call& call, inference& r) {
  give(r, complex_type(type_of(call)), leading(call), {rows_of(call)});
}
/// x, the sums of squared residuals, the singular values and the rank.
void infer_lstsq(const op_call& call, inference& r) {
  const node* b = call.in[1].n();
  const std::int64_t k = b->shape[1];
  give(r, type_of(call), dims(), {columns_of(call) * k + k + std::min(rows_of(call), columns_of(call)) + 1});
}

// ---- what they do ----

[[noreturn]] void throw_singular(const char* op) { throw LinAlgError(op, "Singular matrix"); }

template <class T>
void solve_stack(const routine_call& c, const char* op) {
  const stack a(c.in[0]);
  const int n = as_int(a.rows);
  const bool inverse = c.n_in == 1, lenient = inverse && c.params[1] != 0;  // nan for what is singular
  const std::int64_t columns = c.result->shape[c.result->rank - 1];
  auto lu = room<T>(a.rows * a.rows), x = room<T>(a.rows * columns);
  auto pivots = room<int>(a.rows);
  T* to = data_of<T>(c.result);
  for (std::int64_t k = 0; k < a.count; ++k, to += a.rows * columns) {
    if (a.rows * columns == 0) continue;
    a.read(k, lu.data(), a.rows);
    if (inverse) {
      std::fill(x.begin(), x.end(), T(0));
      for (std::int64_t i = 0; i < a.rows; ++i) x[static_cast<std::size_t>(i * a.rows + i)] = T(1);
    } else {
      stack(c.in[1]).read(k, x.data(), a.rows);
    }
    if (lapack::gesv(n, as_int(columns), lu.data(), pivots.data(), x.data()) > 0) {
      if (!lenient) throw_singular(op);
      std::fill(x.begin(), x.end(), T(std::numeric_limits<real_of<T>>::quiet_NaN()));
    }
    write(x.data(), a.rows, a.rows, columns, to);
  }
}

template <class T>
void sign_and_log(const routine_call& c) {
  const stack a(c.in[0]);
  auto lu = room<T>(a.rows * a.rows);
  auto pivots = room<int>(a.rows);
  T* to = data_of<T>(c.result);
  for (std::int64_t k = 0; k < a.count; ++k, to += 2) {
    T sign(1);
    real_of<T> log(0);
    if (a.rows > 0) {
      a.read(k, lu.data(), a.rows);
      if (lapack::getrf(as_int(a.rows), lu.data(), pivots.data()) > 0) {
        sign = T(0);
        log = -std::numeric_limits<real_of<T>>::infinity();
      } else {
        for (std::int64_t i = 0; i < a.rows; ++i) {
          if (pivots[static_cast<std::size_t>(i)] != i + 1) sign = -sign;
          const T d = lu[static_cast<std::size_t>(i * a.rows + i)];
          const real_of<T> size = std::abs(d);
          if constexpr (std::is_floating_point_v<T>)  // NaN counts as positive, and infinities have signs
            sign = d < 0 ? -sign : sign;
          else
            sign *= d / size;
          log += m::log(size);
        }
      }
    }
    to[0] = sign;
    to[1] = T(log);
  }
}

template <class T>
void factor_cholesky(const routine_call& c) {
  const stack a(c.in[0]);
  const bool upper = c.params[1];
  auto work = room<T>(a.rows * a.rows);
  T* to = data_of<T>(c.result);
  for (std::int64_t k = 0; k < a.count; ++k, to += a.rows * a.rows) {
    if (a.rows == 0) continue;
    a.read(k, work.data(), a.rows);
    if (lapack::potrf(upper ? 'U' : 'L', as_int(a.rows), work.data()) > 0)
      throw LinAlgError("cholesky", "Matrix is not positive definite");
    for (std::int64_t j = 0; j < a.rows; ++j)
      for (std::int64_t i = 0; i < a.rows; ++i)
        if (upper ? i > j : i < j) work[static_cast<std::size_t>(j * a.rows + i)] = T(0);
    write(work.data(), a.rows, a.rows, a.rows, to);
  }
}

template <class T>
void factor_qr(const routine_call& c, bool raw) {
  const stack a(c.in[0]);
  const std::int64_t m = a.rows, n = a.columns, least = std::min(m, n);
  const std::int64_t inner = raw ? least : c.params[1] == 1 ? m : least;
  auto q = room<T>(m * std::max(n, inner)), tau = room<T>(least), r = room<T>(inner * n);
  T answer{};
  if (least > 0) lapack::geqrf(as_int(m), as_int(n), q.data(), tau.data(), &answer, -1);
  auto work = wanted(answer);
  const std::int64_t each = raw ? m * n + least : inner * (m + n);
  T* to = data_of<T>(c.result);
  for (std::int64_t k = 0; k < a.count; ++k, to += each) {
    a.read(k, q.data(), m);
    if (least > 0) lapack::geqrf(as_int(m), as_int(n), q.data(), tau.data(), work.data(), static_cast<int>(work.size()));
    if (raw) {
      std::copy_n(q.data(), m * n, to);
      std::copy_n(tau.data(), least, to + m * n);
      continue;
    }
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < inner; ++i)
        r[static_cast<std::size_t>(j * inner + i)] = i <= j ? q[static_cast<std::size_t>(j * m + i)] : T(0);
    write(r.data(), inner, inner, n, to + m * inner);
    if (c.params[1] == 2 || m * inner == 0) continue;  // only R is wanted
    if (least > 0) {
      lapack::orgqr(as_int(m), as_int(inner), as_int(least), q.data(), tau.data(), &answer, -1);
      auto more = wanted(answer);
      lapack::orgqr(as_int(m), as_int(inner), as_int(least), q.data(), tau.data(), more.data(), static_cast<int>(more.size()));
    } else {
      for (std::int64_t i = 0; i < m * inner; ++i) q[static_cast<std::size_t>(i)] = T(i / m == i % m);
    }
    write(q.data(), m, m, inner, to);
  }
}

template <class T>
void factor_svd(const routine_call& c, bool vectors) {
  using R = real_of<T>;
  const stack a(c.in[0]);
  const std::int64_t m = a.rows, n = a.columns, k = std::min(m, n);
  const bool full = vectors && c.params[1] == 1;
  const std::int64_t u_columns = full ? m : k, v_rows = full ? n : k;
  const char job = !vectors ? 'N' : full ? 'A' : 'S';
  auto work = room<T>(m * n), u = room<T>(m * u_columns), v = room<T>(v_rows * n);
  auto s = room<R>(k), real = room<R>(is_complex<T> ? std::max(5 * k * k + 7 * k, 2 * std::max(m, n) * k + 2 * k * k + k) : 1);
  auto whole = room<int>(8 * k);
  const int ldu = as_int(std::max<std::int64_t>(m, 1)), ldv = as_int(std::max<std::int64_t>(v_rows, 1));
  auto call = [&](T* room_given, int size) {
    return lapack::gesdd(job, as_int(m), as_int(n), work.data(), s.data(), u.data(), ldu, v.data(), ldv, room_given, size,
                         real.data(), whole.data());
  };
  std::vector<T> scratch;
  if (k > 0) {
    T answer{};
    call(&answer, -1);
    scratch = wanted(answer);
  }
  T* to = data_of<T>(c.result);
  R* values = data_of<R>(c.result);
  for (std::int64_t i = 0; i < a.count; ++i) {
    a.read(i, work.data(), m);
    if (k > 0 && call(scratch.data(), static_cast<int>(scratch.size())) != 0)  // negative: there are NaNs
      throw LinAlgError("svd", "SVD did not converge");
    if (!vectors) {
      values = std::copy_n(s.data(), k, values);
      continue;
    }
    if (k == 0) {  // the identity
      for (std::int64_t j = 0; j < m * u_columns; ++j) u[static_cast<std::size_t>(j)] = T(j / m == j % m);
      for (std::int64_t j = 0; j < v_rows * n; ++j) v[static_cast<std::size_t>(j)] = T(j / v_rows == j % v_rows);
    }
    write(u.data(), m, m, u_columns, to);
    to += m * u_columns;
    for (std::int64_t j = 0; j < k; ++j) *to++ = T(s[static_cast<std::size_t>(j)]);
    write(v.data(), v_rows, v_rows, n, to);
    to += v_rows * n;
  }
}

template <class T>
void factor_eigh(const routine_call& c, bool vectors) {
  using R = real_of<T>;
  const stack a(c.in[0]);
  const std::int64_t n = a.rows;
  const char uplo = static_cast<char>(c.params[1]), job = vectors ? 'V' : 'N';
  auto v = room<T>(n * n);
  auto w = room<R>(n), real = room<R>(1 + 5 * n + 2 * n * n);
  auto whole = room<int>(3 + 5 * n);
  std::vector<T> scratch;
  auto call = [&](T* room_given, int size) {
    return lapack::heevd(job, uplo, as_int(n), v.data(), w.data(), room_given, size, real.data(),
                         static_cast<int>(real.size()), whole.data(), static_cast<int>(whole.size()));
  };
  if (n > 0) {
    scratch = room<T>(std::max<std::int64_t>(1 + 6 * n + 2 * n * n, 2 * n + n * n));
  }
  T* to = data_of<T>(c.result);
  R* values = data_of<R>(c.result);
  for (std::int64_t i = 0; i < a.count && n > 0; ++i) {
    a.read(i, v.data(), n);
    if (call(scratch.data(), static_cast<int>(scratch.size())) > 0)
      throw LinAlgError(vectors ? "eigh" : "eigvalsh", "Eigenvalues did not converge");
    if (!vectors) {
      values = std::copy_n(w.data(), n, values);
      continue;
    }
    for (std::int64_t j = 0; j < n; ++j) *to++ = T(w[static_cast<std::size_t>(j)]);
    write(v.data(), n, n, n, to);
    to += n * n;
  }
}

/// One matrix, complex results: eigenvalues, then vectors in Fortran's order.
template <class T>
int eig_one(bool vectors, int n, T* a, std::complex<real_of<T>>* w, std::complex<real_of<T>>* v) {
  using R = real_of<T>;
  const char job = vectors ? 'V' : 'N';
  const std::int64_t size = static_cast<std::int64_t>(n) * n;
  T answer{};
  if constexpr (is_complex<T>) {
    auto real = room<R>(2 * n);
    T none{};
    lapack::geev(job, n, a, w, vectors ? v : &none, vectors ? n : 1, &answer, -1, real.data());
    auto work = wanted(answer);
    return lapack::geev(job, n, a, w, vectors ? v : &none, vectors ? n : 1, work.data(), static_cast<int>(work.size()),
                        real.data());
  } else {
    auto wr = room<T>(n), wi = room<T>(n), columns = room<T>(vectors ? size : 1);
    lapack::geev(job, n, a, wr.data(), wi.data(), columns.data(), n, &answer, -1);
    auto work = wanted(answer);
    const int info = lapack::geev(job, n, a, wr.data(), wi.data(), columns.data(), n, work.data(), static_cast<int>(work.size()));
    for (int j = 0; j < n; ++j) w[j] = {wr[static_cast<std::size_t>(j)], wi[static_cast<std::size_t>(j)]};
    for (int j = 0; vectors && j < n; ++j) {
      const T* re = columns.data() + static_cast<std::int64_t>(j) * n;
      const bool pair = wi[static_cast<std::size_t>(j)] != 0 && j + 1 < n;  // a column each of real and imaginary parts
      for (int i = 0; i < n; ++i) {
        v[static_cast<std::int64_t>(j) * n + i] = {re[i], pair ? re[n + i] : T(0)};
        if (pair) v[static_cast<std::int64_t>(j + 1) * n + i] = {re[i], -re[n + i]};
      }
      j += pair;
    }
    return info;
  }
}

template <class T>
void factor_eig(const routine_call& c, bool vectors) {
  using C = std::complex<real_of<T>>;
  const stack a(c.in[0]);
  const std::int64_t n = a.rows;
  auto copy = room<T>(n * n);
  auto v = room<C>(vectors ? n * n : 1);
  C* to = data_of<C>(c.result);
  for (std::int64_t i = 0; i < a.count && n > 0; ++i) {
    a.read(i, copy.data(), n);
    if (eig_one<T>(vectors, as_int(n), copy.data(), to, v.data()) > 0)
      throw LinAlgError(vectors ? "eig" : "eigvals", "Eigenvalues did not converge");
    to += n;
    if (!vectors) continue;
    write(v.data(), n, n, n, to);
    to += n * n;
  }
}

template <class T>
void least_squares(const routine_call& c) {
  using R = real_of<T>;
  const stack a(c.in[0]), b(c.in[1]);
  const std::int64_t m = a.rows, n = a.columns, k = b.columns, least = std::min(m, n), ld = std::max({m, n, std::int64_t{1}});
  const std::int64_t columns = std::max<std::int64_t>(k, 1);  // LAPACK wants one
  auto left = room<T>(m * n), right = room<T>(ld * columns);
  auto s = room<R>(least);
  T* to = data_of<T>(c.result);
  int rank = 0;
  if (k == 0) std::fill(right.begin(), right.end(), T(0));
  else if (m > 0) b.read(0, right.data(), ld);
  if (least > 0) {
    a.read(0, left.data(), m);
    T answer{};
    R real_answer[2] = {};
    int whole_answer[2] = {};
    const R rcond = static_cast<R>(c.params.real(1));
    auto call = [&](T* work, int size, R* real, int* whole) {
      return lapack::gelsd(as_int(m), as_int(n), as_int(columns), left.data(), right.data(), as_int(ld), s.data(), rcond, &rank,
                           work, size, real, whole);
    };
    call(&answer, -1, real_answer, whole_answer);
    auto work = wanted(answer);
    auto real = room<R>(is_complex<T> ? static_cast<std::int64_t>(real_answer[0]) + 1 : 1);
    auto whole = room<int>(whole_answer[0] + 1);
    const int info = call(work.data(), static_cast<int>(work.size()), real.data(), whole.data());
    if (info != 0 || std::any_of(s.begin(), s.end(), [](R x) { return std::isnan(x); }))
      throw LinAlgError("lstsq", "SVD did not converge in Linear Least Squares");
  }
  write(right.data(), ld, n, k, to);
  to += n * k;
  for (std::int64_t j = 0; j < k; ++j) {
    R sum(0);
    for (std::int64_t i = n; i < m; ++i) sum += std::norm(right[static_cast<std::size_t>(j * ld + i)]);
    *to++ = T(sum);
  }
  for (std::int64_t j = 0; j < least; ++j) *to++ = T(s[static_cast<std::size_t>(j)]);
  *to = T(static_cast<R>(rank));
}

/// Up to these orders LAPACK's own threads cost more than they bring, and beside other work that
/// keeps the cores busy they wait for each other in loops: an svd of order 100 took five times as
/// long. Decompositions by iteration gain late.
constexpr std::int64_t serial_order = 64, serial_order_of_iterations = 512;

/// Runs a routine, on the calling thread alone up to an order.
template <class F>
void run_with_threads_from(std::int64_t order, const routine_call& c, F&& run) {
  const node* a = c.in[0];
  std::optional<eager::SerialBlas> serial;
  if (a->rank >= 2 && std::max(a->shape[a->rank - 1], a->shape[a->rank - 2]) <= order)
    serial.emplace();
  with_type(a->type, run);
}

#define NUMJIT_RUN_FROM(order, call)                 \
  [](const routine_call& c) {                        \
    run_with_threads_from(order, c, [&](auto zero) { \
      using T = decltype(zero);                      \
      call;                                          \
    });                                              \
  }
#define NUMJIT_RUN(call) NUMJIT_RUN_FROM(serial_order, call)
#define NUMJIT_ITERATE(call) NUMJIT_RUN_FROM(serial_order_of_iterations, call)

[[maybe_unused]] const bool installed = [] {
  using numjit::detail::add_routine;
  const auto text = [](const op_params& p) { return std::string("linalg.") + numjit::detail::find_routine(p[0])->name; };
  add_routine(routine_id::solve, {"solve", "", 2, true, true, infer_solve, NUMJIT_RUN(solve_stack<T>(c, "solve")), false, text});
  add_routine(routine_id::inverse,
              {"inv", "_lenient:bool", 1, true, true, infer_like_first, NUMJIT_RUN(solve_stack<T>(c, "inv")), false, text});
  add_routine(routine_id::sign_log_determinant,
              {"slogdet", "", 1, true, true, infer_sign_log, NUMJIT_RUN(sign_and_log<T>(c)), false, text});
  add_routine(routine_id::cholesky,
              {"cholesky", "upper:bool?", 1, true, true, infer_like_first, NUMJIT_RUN(factor_cholesky<T>(c)), false, text});
  add_routine(routine_id::qr,
              {"qr", "mode:enum(reduced|complete|r)", 1, true, false, infer_qr, NUMJIT_RUN(factor_qr<T>(c, false)), false, text});
  add_routine(routine_id::qr_raw,
              {"qr", "mode:enum(raw)", 1, true, false, infer_qr_raw, NUMJIT_RUN(factor_qr<T>(c, true)), false, text});
  add_routine(routine_id::svd,
              {"svd", "full_matrices:bool", 1, true, false, infer_svd, NUMJIT_ITERATE(factor_svd<T>(c, true)), false, text});
  add_routine(routine_id::singular_values,
              {"svd", "", 1, true, false, infer_singular_values, NUMJIT_ITERATE(factor_svd<T>(c, false)), false, text});
  add_routine(routine_id::eigh,
              {"eigh", "UPLO:char", 1, true, true, infer_eigh, NUMJIT_ITERATE(factor_eigh<T>(c, true)), false, text});
  add_routine(routine_id::eigvalsh,
              {"eigvalsh", "UPLO:char", 1, true, true, infer_eigvalsh, NUMJIT_ITERATE(factor_eigh<T>(c, false)), false, text});
  add_routine(routine_id::eig, {"eig", "", 1, true, true, infer_eig, NUMJIT_ITERATE(factor_eig<T>(c, true)), false, text});
  add_routine(routine_id::eigvals,
              {"eigvals", "", 1, true, true, infer_eigvals, NUMJIT_ITERATE(factor_eig<T>(c, false)), false, text});
  add_routine(routine_id::lstsq,
              {"lstsq", "rcond:real", 2, true, false, infer_lstsq, NUMJIT_ITERATE(least_squares<T>(c)), false, text});
  return true;
}();
#undef NUMJIT_ITERATE
#undef NUMJIT_RUN
#undef NUMJIT_RUN_FROM

}  // namespace
}  // namespace numjit::linalg
