// Decompositions of np::linalg on devices, by a library: kernels turn stacks of matrices into Fortran's order and take
// the parts of results to where numpy_compat/linalg/routines.cpp puts them. What goes wrong is the host's to report.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <numjit/device/products.h>
#include <numjit/device/solvers.h>
#include <numjit/ops/math/log.h>
#include <numjit/ops/routine.h>
#include <numjit/runtime/gpu/ops/ops.h>

namespace numjit::runtime::detail {

using devices::Decomposition;
using devices::Solvers;
using numjit::detail::routine_id;

namespace {

/// The last two axes of stacks of matrices exchanged.
DeviceElements turned(DeviceElements e) { return with_last(std::move(e), e.shape.size() - 2); }

devices::address memory_of(const dims& shape, dtype_id type, const DeviceOpCall& call) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return call.context.scratch(static_cast<std::size_t>(n * size_of(type)));
}

class Solving {
 public:
  Solving(const DeviceOpCall& call, Solvers& library)
      : call_(call),
        library_(library),
        type_(call.in[0]->type),
        real_(part_type(type_)),
        stack_(call.in[0]->shape, call.in[0]->rank - 2),
        rows_(call.in[0]->shape[call.in[0]->rank - 2]),
        columns_(call.in[0]->shape[call.in[0]->rank - 1]) {
    for (const std::int64_t extent : stack_) count_ *= extent;
    info_ = call.context.scratch(4);
  }

  bool solve() {
    const bool inverse = call_.in.size() == 1;
    const std::int64_t n = rows_, wide = call_.result->shape[call_.result->rank - 1];
    const dims shape = stacked({wide, n});
    const DeviceElements x = packed_elements(memory_of(shape, type_, call_), type_, shape);
    if (!(inverse ? fill_identity(x) : copy_on(turned(elements_of(call_.in[1])), x, call_))) return false;
    const auto a = fortran(call_.in[0]);
    if (!a) return false;
    const devices::address pivots = call_.context.scratch(static_cast<std::size_t>(n) * 8);
    for (std::int64_t k = 0; k < count_; ++k) {
      const Decomposition d = matrix(*a, k);
      library_.lu(d, pivots, room());
      if (!is_well()) return false;
      library_.solve(d, pivots, part(x.place.memory, k * n * wide, type_), wide);
    }
    return copy_on(x, turned(elements_of(call_.result)), call_);
  }

  bool sign_and_log() {
    switch (type_) {
      case dtype_id::float32: return sign_and_log_as<float>();
      case dtype_id::float64: return sign_and_log_as<double>();
      case dtype_id::complex64: return sign_and_log_as<std::complex<float>>();
      default: return sign_and_log_as<std::complex<double>>();
    }
  }

  bool cholesky() {
    const bool upper = call_.params[1] != 0;
    const auto a = fortran(call_.in[0]);
    if (!a) return false;
    for (std::int64_t k = 0; k < count_; ++k) {
      library_.cholesky(matrix(*a, k), upper, room());
      if (!is_well()) return false;
    }
    return copy_triangle(packed_elements(*a, type_, stacked({rows_, rows_})), turned(elements_of(call_.result)), upper);
  }

  /// Q and R, or (raw) what the library leaves of the matrix, and the factors.
  bool qr(bool raw) {
    const std::int64_t m = rows_, n = columns_, least = std::min(m, n), inner = raw || call_.params[1] != 1 ? least : m;
    const std::int64_t wide = std::max(n, inner);  // Q stands where the matrix stood
    DeviceElements a = packed_elements(memory_of(stacked({wide, m}), type_, call_), type_, stacked({wide, m}));
    const devices::address factors = memory_of(stacked({least}), type_, call_);
    const auto some = [&](std::int64_t columns, std::int64_t rows) {
      DeviceElements part = a;
      part.shape[part.shape.size() - 2] = columns, part.shape[part.shape.size() - 1] = rows;
      return part;
    };
    if (!copy_on(turned(elements_of(call_.in[0])), some(n, m), call_)) return false;
    auto one = [&](std::int64_t k, std::int64_t columns) {
      return Decomposition{type_, m, columns, part(a.place.memory, k * m * wide, type_), info_};
    };
    for (std::int64_t k = 0; k < count_; ++k) library_.qr(one(k, n), part(factors, k * least, type_), room());
    if (raw)
      return copy_on(some(n, m), result_part(0, {n, m}), call_) &&
             copy_on(packed_elements(factors, type_, stacked({least})), result_part(n * m, {least}), call_);
    if (!copy_triangle(some(n, inner), turned(result_part(m * inner, {inner, n})), true)) return false;
    if (call_.params[1] == 2) return true;  // only R is wanted
    for (std::int64_t k = 0; k < count_; ++k) library_.qr_vectors(one(k, inner), least, part(factors, k * least, type_), room());
    return copy_on(some(inner, m), turned(result_part(0, {m, inner})), call_);
  }

  bool eig(bool vectors) {
    const std::int64_t n = rows_;
    const bool is_real = real_ == type_;
    const dtype_id type = call_.result->type;
    const auto a = fortran(call_.in[0]);
    if (!a) return false;
    const dims values = stacked({n});
    const DeviceElements w = packed_elements(memory_of(values, type, call_), type, values);
    // Of real matrices, a column's neighbour may be its imaginary part: there is one before the first and behind the last.
    DeviceElements v = packed_elements(vectors ? memory_of(stacked({n + 2, n}), type_, call_) : 0, type_, stacked({n + 2, n}));
    v.place.memory += vectors ? static_cast<devices::address>(n * size_of(type_)) : 0;
    v.shape[v.shape.size() - 2] = n;
    for (std::int64_t k = 0; k < count_; ++k) {
      const devices::address to = vectors ? part(v.place.memory, k * (n + 2) * n, type_) : 0;
      if (!library_.eig(matrix(*a, k), part(w.place.memory, k * n, type), to, room()) || !is_well()) return false;
    }
    if (!vectors) return copy_on(w, elements_of(call_.result), call_);
    const DeviceElements to = turned(result_part(n, {n, n}));
    return copy_on(w, result_part(0, {n}), call_) && (is_real ? join_pairs(w, v, to) : copy_on(v, to, call_));
  }

  /// The least x for which a x is nearest to b, by the singular values that count: x = v (u^H b / s).
  bool least_squares() {
    switch (type_) {
      case dtype_id::float32: return least_squares_as<float>();
      case dtype_id::float64: return least_squares_as<double>();
      case dtype_id::complex64: return least_squares_as<std::complex<float>>();
      default: return least_squares_as<std::complex<double>>();
    }
  }

  bool eigh(bool vectors) {
    const std::int64_t n = rows_;
    const auto a = fortran(call_.in[0]);
    if (!a) return false;
    const dims values = stacked({n});
    const devices::address w = memory_of(values, real_, call_);
    for (std::int64_t k = 0; k < count_; ++k) {
      library_.eigh(matrix(*a, k), vectors, call_.params[1] == 'U', part(w, k * n, real_), room());
      if (!is_well()) return false;
    }
    const DeviceElements all = packed_elements(w, real_, values);
    if (!vectors) return copy_on(all, elements_of(call_.result), call_);
    return copy_on(all, result_part(0, {n}), call_) &&
           copy_on(packed_elements(*a, type_, stacked({n, n})), turned(result_part(n, {n, n})), call_);
  }

  /// Of a wide matrix, the transposed one is decomposed, which is how C's order looks to the library: what it calls u and
  /// v is then v and u, in C's order.
  bool svd(bool vectors) {
    const std::int64_t m = rows_, n = columns_, k = std::min(m, n);
    const bool wide = m < n, full = vectors && call_.params[1] == 1;
    const std::int64_t u_columns = full ? m : k, v_rows = full ? n : k;
    const auto a = wide ? copy_of(elements_of(call_.in[0])) : fortran(call_.in[0]);
    if (!a) return false;
    const dims values = stacked({k}), of_u = wide ? stacked({m, u_columns}) : stacked({u_columns, m}),
               of_v = wide ? stacked({v_rows, n}) : stacked({n, v_rows});
    const devices::address s = memory_of(values, real_, call_);
    const devices::address u = vectors ? memory_of(of_u, type_, call_) : call_.context.scratch(16),
                           v = vectors ? memory_of(of_v, type_, call_) : call_.context.scratch(16);
    for (std::int64_t i = 0; i < count_; ++i) {
      Decomposition d = matrix(*a, i);
      if (wide) std::swap(d.rows, d.columns);
      const devices::address first = vectors ? part(u, i * m * u_columns, type_) : u,
                             second = vectors ? part(v, i * v_rows * n, type_) : v;
      library_.svd(d,
                   !vectors ? 'N'
                   : full   ? 'A'
                            : 'S',
                   part(s, i * k, real_), wide ? second : first, wide ? first : second, room());
      if (!is_well()) return false;
    }
    const DeviceElements all = packed_elements(s, real_, values);
    if (!vectors) return copy_on(all, elements_of(call_.result), call_);
    DeviceElements to_u = result_part(0, {m, u_columns}), to_v = result_part(m * u_columns + k, {v_rows, n});
    if (!wide) to_u = turned(std::move(to_u)), to_v = turned(std::move(to_v));
    return copy_on(packed_elements(u, type_, of_u), to_u, call_) && copy_on(all, result_part(m * u_columns, {k}), call_) &&
           copy_on(packed_elements(v, type_, of_v), to_v, call_);
  }

 private:
  /// Sign and logarithm of determinants, as the host makes them of the diagonal of U: n numbers of n * n are read.
  template <class T>
  bool sign_and_log_as() {
    using real = decltype(std::abs(T()));
    const auto n = static_cast<std::size_t>(rows_);
    const auto a = fortran(call_.in[0]);
    if (!a) return false;
    const devices::address pivots = call_.context.scratch(n * 8), diagonal = call_.context.scratch(n * sizeof(T));
    std::vector<T> d(n), answer;
    std::vector<std::int64_t> rows(n);
    for (std::int64_t k = 0; k < count_; ++k) {
      const Decomposition lu = matrix(*a, k);
      library_.lu(lu, pivots, room());
      if (!is_well()) {  // singular
        answer.insert(answer.end(), {T(0), T(-std::numeric_limits<real>::infinity())});
        continue;
      }
      DeviceElements of_u = packed_elements(lu.a, type_, dims{rows_});
      of_u.strides[0] *= rows_ + 1;
      if (!copy_on(of_u, packed_elements(diagonal, type_, dims{rows_}), call_)) return false;
      call_.context.read(d.data(), diagonal, n * sizeof(T));
      call_.context.read(rows.data(), pivots, n * 8);
      T sign(1);
      real log(0);
      for (std::size_t i = 0; i < n; ++i) {
        const real size = std::abs(d[i]);
        sign *= (rows[i] == static_cast<std::int64_t>(i) + 1 ? d[i] : -d[i]) / size;
        log += m::log(size);
      }
      answer.insert(answer.end(), {sign, T(log)});
    }
    call_.context.write(call_.context.place(call_.result->data, true), answer.data(), answer.size() * sizeof(T));
    return true;
  }

  template <class T>
  bool least_squares_as() {
    using real = decltype(std::abs(T()));
    devices::Products* products = call_.context.products();
    const std::int64_t m = rows_, n = columns_, k = std::min(m, n), count = call_.in[1]->shape[1];
    const bool wide = m < n;
    const auto a = wide ? copy_of(elements_of(call_.in[0])) : fortran(call_.in[0]), b = contiguous_on(call_.in[1], type_, call_);
    if (!products || !a || !b) return false;
    const devices::address s = memory_of({k}, real_, call_), u = memory_of({m, k}, type_, call_),
                           v = memory_of({k, n}, type_, call_);
    Decomposition d = matrix(*a, 0);
    if (wide) std::swap(d.rows, d.columns);
    library_.svd(d, 'S', s, wide ? v : u, wide ? u : v, room());
    if (!is_well()) return false;
    std::vector<real> values(static_cast<std::size_t>(k));
    call_.context.read(values.data(), s, values.size() * sizeof(real));
    auto limit = static_cast<real>(call_.params.real(1));
    if (limit < 0) limit = std::numeric_limits<real>::epsilon();
    std::vector<T> numbers, inverse;  // singular values and rank, as the result has them
    std::int64_t rank = 0;
    for (const real value : values) {
      if (std::isnan(value)) return false;  // for the host to say
      const bool counts = value > limit * values[0];
      rank += counts;
      inverse.push_back(counts ? T(real(1) / value) : T(0));
      numbers.push_back(T(value));
    }
    numbers.push_back(T(static_cast<real>(rank)));
    const devices::address scale = memory_of({k}, type_, call_), all = memory_of({k + 1}, type_, call_);
    call_.context.write(scale, inverse.data(), inverse.size() * sizeof(T));
    call_.context.write(all, numbers.data(), numbers.size() * sizeof(T));
    // As svd() has them: columns of u (of a wide matrix, rows) and of v^H (rows), whose conjugates are u^H and v turned.
    if (!conjugate(u, m * k) || !conjugate(v, k * n)) return false;
    const devices::Factor left_u{u, wide, wide ? k : m, 0}, left_v{v, wide, wide ? n : k, 0};
    const devices::address c = memory_of({k, count}, type_, call_), x = memory_of({n, count}, type_, call_);
    const auto product = [&](std::int64_t rows, std::int64_t inner, const devices::Factor& left, devices::address right,
                             devices::address to) {
      return products->multiply({type_, false, rows, count, inner, 1, left, {right, false, count, 0}, to});
    };
    if (!product(k, m, left_u, *b, c)) return false;
    const DeviceElements of_c = packed_elements(c, type_, {k, count});
    if (!multiply(of_c, *broadcast_elements(packed_elements(scale, type_, {k, 1}), {k, count}), of_c)) return false;
    if (!product(n, k, left_v, c, x)) return false;
    return copy_on(packed_elements(x, type_, {n, count}), result_part(0, {n, count}), call_) &&
           copy_on(packed_elements(all, type_, {k + 1}), result_part((n + 1) * count, {k + 1}), call_) &&
           residuals(rank == n && m > n, x, *b, count, products);
  }

  /// Sums of |b - a x|^2 over columns, where they count: the others nobody sees.
  bool residuals(bool wanted, devices::address x, devices::address b, std::int64_t count, devices::Products* products) {
    const std::int64_t m = rows_, n = columns_;
    const DeviceElements to = result_part(n * count, {count});
    if (!wanted) return fill_on(to, 0, call_);
    const auto a = copy_of(elements_of(call_.in[0]));
    const dims shape{m, count};
    const DeviceElements off = packed_elements(memory_of(shape, type_, call_), type_, shape);
    const DeviceElements conjugated = packed_elements(memory_of(shape, type_, call_), type_, shape);
    const devices::address ones = memory_of({m}, type_, call_), sums = memory_of({count}, type_, call_);
    if (!a || !products->multiply({type_, false, m, count, n, 1, {*a, false, n, 0}, {x, false, count, 0}, off.place.memory}))
      return false;
    NumbersBody difference(type_);
    difference.spec.outputs = {difference.op(op_id::subtract, {difference.operand(type_), 0, 0})};
    return apply_on(difference, {off, packed_elements(b, type_, shape), off}, call_) && copy_on(off, conjugated, call_) &&
           conjugate(conjugated.place.memory, m * count) && multiply(off, conjugated, off) &&
           fill_on(packed_elements(ones, type_, {m}), 1, call_) &&
           products->multiply({type_, false, 1, count, m, 1, {ones, false, m, 0}, {off.place.memory, false, count, 0}, sums}) &&
           copy_on(packed_elements(sums, type_, {count}), to, call_);
  }

  bool multiply(const DeviceElements& x, const DeviceElements& y, const DeviceElements& to) const {
    NumbersBody body(type_);
    body.spec.outputs = {body.op(op_id::multiply, {0, body.operand(type_), 0})};
    return apply_on(body, {x, y, to}, call_);
  }
  bool conjugate(devices::address memory, std::int64_t n) const {
    if (real_ == type_) return true;
    NumbersBody body(type_);
    body.spec.outputs = {body.op(op_id::conjugate, {0, 0, 0})};
    const DeviceElements all = packed_elements(memory, type_, {n});
    return apply_on(body, {all, all}, call_);
  }

  /// Columns lie as rows (j, i) here: of those i <= j (upper) or j <= i are copied, the others become 0.
  bool copy_triangle(const DeviceElements& from, const DeviceElements& to, bool upper) const {
    const dims plane{from.shape[from.shape.size() - 2], from.shape.back()};
    const std::int64_t n = plane[0] * plane[1];
    const DeviceElements zero = packed_elements(call_.context.scratch(16), type_, {1});
    const devices::address kept = memory_of(plane, dtype_id::bool_, call_);
    NumbersBody body;
    const std::uint16_t width = body.word(dtype_id::int64, static_cast<std::uint64_t>(plane[1]));
    const std::uint16_t column = body.op(op_id::floor_divide, {0, width, 0}), row = body.op(op_id::remainder, {0, width, 0});
    body.spec.outputs = {upper ? body.op(op_id::less_equal, {row, column, 0}) : body.op(op_id::less_equal, {column, row, 0})};
    if (!fill_on(zero, 0, call_) || !fill_numbers(body, kept, 1, n, call_)) return false;
    return apply_on(choosing(type_),
                    {*broadcast_elements(packed_elements(kept, dtype_id::bool_, plane), from.shape), from,
                     *broadcast_elements(zero, from.shape), to},
                    call_);
  }

  /// Complex vectors from real columns: of eigenvalues with a positive imaginary part, this column and the next one; with a
  /// negative one, the column before and this one, negated.
  bool join_pairs(const DeviceElements& w, const DeviceElements& v, const DeviceElements& to) const {
    const auto part_of = [&](DeviceElements e, int part) {
      e.type = real_;
      if (e.place.host)
        e.place.host += part * size_of(real_);
      else
        e.place.memory += static_cast<devices::address>(part * size_of(real_));
      return e;
    };
    DeviceElements imaginary = part_of(w, 1), before = v, next = v;
    imaginary.shape.push_back(1), imaginary.strides.push_back(0);
    const auto step = static_cast<devices::address>(rows_ * size_of(real_));
    before.place.memory -= step, next.place.memory += step;
    const std::vector<DeviceElements> arrays{*broadcast_elements(imaginary, v.shape), before, v, next};
    for (const int part : {0, 1}) {
      NumbersBody body(real_);
      const std::uint16_t left = body.operand(real_), own = body.operand(real_), right = body.operand(real_),
                          zero = body.real(real_, 0);
      const std::uint16_t is_second = body.op(op_id::less, {0, zero, 0}), is_first = body.op(op_id::less, {zero, 0, 0});
      const std::uint16_t value =
          part == 0 ? body.op(op_id::where, {is_second, left, own})
                    : body.op(op_id::where,
                              {is_first, right, body.op(op_id::where, {is_second, body.op(op_id::negative, {own, 0, 0}), zero})});
      body.spec.outputs = {value};
      std::vector<DeviceElements> all = arrays;
      all.push_back(part_of(to, part));
      if (!apply_on(body, all, call_)) return false;
    }
    return true;
  }

  dims stacked(std::initializer_list<std::int64_t> more) const {
    dims shape = stack_;
    for (const std::int64_t extent : more) shape.push_back(extent);
    return shape;
  }
  std::optional<devices::address> copy_of(const DeviceElements& from) const {
    const devices::address memory = memory_of(from.shape, type_, call_);
    return copy_on(from, packed_elements(memory, type_, from.shape), call_) ? std::optional(memory) : std::nullopt;
  }
  std::optional<devices::address> fortran(const node* n) const { return copy_of(turned(elements_of(n))); }
  static devices::address part(devices::address memory, std::int64_t elements, dtype_id type) {
    return memory + static_cast<devices::address>(elements * size_of(type));
  }
  Decomposition matrix(devices::address a, std::int64_t k) const {
    return {type_, rows_, columns_, part(a, k * rows_ * columns_, type_), info_};
  }
  Solvers::Room room() const {
    return [this](std::size_t bytes) { return call_.context.scratch(bytes); };
  }
  bool is_well() const {
    std::int32_t info = 0;
    call_.context.read(&info, info_, sizeof info);
    return info == 0;
  }
  bool fill_identity(const DeviceElements& x) const {
    DeviceElements diagonal = x;
    const std::int64_t step = x.strides[x.strides.size() - 2] + x.strides.back();
    diagonal.shape.erase(diagonal.shape.size() - 1), diagonal.strides.erase(diagonal.strides.size() - 1);
    diagonal.strides[diagonal.strides.size() - 1] = step;
    return fill_on(x, 0, call_) && fill_on(diagonal, 1, call_);
  }
  /// A part of what stands for each matrix of the stack in the result: from an element on, in C's order.
  DeviceElements result_part(std::int64_t from, std::initializer_list<std::int64_t> shape) const {
    DeviceElements e = elements_of(call_.result);
    e.shape.erase(e.shape.size() - 1), e.strides.erase(e.strides.size() - 1);
    e.place.host += from * size_of(e.type);
    const dims own(shape);
    const dims steps = contiguous_strides(own, size_of(e.type));
    for (int axis = 0; axis < own.size(); ++axis) e.shape.push_back(own[axis]), e.strides.push_back(steps[axis]);
    return e;
  }

  const DeviceOpCall& call_;
  Solvers& library_;
  const dtype_id type_, real_;
  const dims stack_;
  const std::int64_t rows_, columns_;
  std::int64_t count_ = 1;
  devices::address info_ = 0;
};

bool is_known(routine_id id) {
  switch (id) {
    case routine_id::solve:
    case routine_id::inverse:
    case routine_id::sign_log_determinant:
    case routine_id::cholesky:
    case routine_id::qr:
    case routine_id::qr_raw:
    case routine_id::eigh:
    case routine_id::eigvalsh:
    case routine_id::eig:
    case routine_id::eigvals:
    case routine_id::lstsq:
    case routine_id::svd:
    case routine_id::singular_values: return true;
    default: return false;
  }
}

}  // namespace

bool run_solver_on(const DeviceOpCall& call) {
  const auto id = static_cast<routine_id>(call.params[0]);
  const node* result = call.result;
  if (!is_known(id)) return false;
  if (result->size == 0) return true;
  for (const node* n : call.in)
    if (n->size == 0) return false;
  if (!result->is(node::c_contiguous) || result->rank + 1 > max_rank) return false;
  Solvers* library = call.context.solvers();
  if (!library) return false;
  Solving solving(call, *library);
  switch (id) {
    case routine_id::sign_log_determinant: return solving.sign_and_log();
    case routine_id::cholesky: return solving.cholesky();
    case routine_id::eigh: return solving.eigh(true);
    case routine_id::eigvalsh: return solving.eigh(false);
    case routine_id::qr: return solving.qr(false);
    case routine_id::qr_raw: return solving.qr(true);
    case routine_id::eig: return solving.eig(true);
    case routine_id::eigvals: return solving.eig(false);
    case routine_id::lstsq: return solving.least_squares();
    case routine_id::svd: return solving.svd(true);
    case routine_id::singular_values: return solving.svd(false);
    default: return solving.solve();
  }
}

}  // namespace numjit::runtime::detail
