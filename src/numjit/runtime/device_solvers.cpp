// Decompositions of np::linalg on devices, by a library: kernels turn stacks of matrices into Fortran's order and take
// the parts of results to where numpy_compat/linalg/routines.cpp puts them. What goes wrong is the host's to report.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <numjit/device/solvers.h>
#include <numjit/ops/math/log.h>
#include <numjit/ops/routine.h>
#include <numjit/runtime/device_ops.h>

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
      : call_(call), library_(library), type_(call.in[0]->type), real_(part_type(type_)), stack_(call.in[0]->shape, call.in[0]->rank - 2),
        rows_(call.in[0]->shape[call.in[0]->rank - 2]), columns_(call.in[0]->shape[call.in[0]->rank - 1]) {
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
    // Columns are rows here: the triangle that stays is j <= i of (j, i), or i <= j.
    const std::int64_t n = rows_;
    const dims shape = stacked({n, n}), square{n, n}, one{1};
    const DeviceElements zero = packed_elements(call_.context.scratch(16), type_, one);
    const devices::address kept = memory_of(square, dtype_id::bool_, call_);
    NumbersBody body;
    const std::uint16_t width = body.word(dtype_id::int64, static_cast<std::uint64_t>(n));
    const std::uint16_t column = body.op(op_id::floor_divide, {0, width, 0}), row = body.op(op_id::remainder, {0, width, 0});
    body.spec.outputs = {upper ? body.op(op_id::less_equal, {row, column, 0}) : body.op(op_id::less_equal, {column, row, 0})};
    if (!fill_on(zero, 0, call_) || !fill_numbers(body, kept, 1, n * n, call_)) return false;
    return apply_on(choosing(type_), {*broadcast_elements(packed_elements(kept, dtype_id::bool_, square), shape),
                                      packed_elements(*a, type_, shape), *broadcast_elements(zero, shape), turned(elements_of(call_.result))},
                    call_);
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
    return copy_on(all, result_part(0, {n}), call_) && copy_on(packed_elements(*a, type_, stacked({n, n})), turned(result_part(n, {n, n})), call_);
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
      const devices::address first = vectors ? part(u, i * m * u_columns, type_) : u, second = vectors ? part(v, i * v_rows * n, type_) : v;
      library_.svd(d, !vectors ? 'N' : full ? 'A' : 'S', part(s, i * k, real_), wide ? second : first, wide ? first : second, room());
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
  Decomposition matrix(devices::address a, std::int64_t k) const { return {type_, rows_, columns_, part(a, k * rows_ * columns_, type_), info_}; }
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
    case routine_id::eigh:
    case routine_id::eigvalsh:
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
    case routine_id::svd: return solving.svd(true);
    case routine_id::singular_values: return solving.svd(false);
    default: return solving.solve();
  }
}

}  // namespace numjit::runtime::detail
