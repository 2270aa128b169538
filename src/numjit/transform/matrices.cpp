// Stacks of matrices, by operations.
#include <numjit/transform/matrices.h>

#include <complex>

namespace numjit::transform {

using detail::call;

array reduced(op_id op, const array& a, std::initializer_list<int> axes, bool keepdims) {
  layout::reduction r;
  if (axes.size() > 0) r.axes.emplace();
  for (const int axis : axes) r.axes->push_back(axis);
  r.keepdims = keepdims;
  if (op == op_id::max) r.initial = layout::number::of(0.0);  // of magnitudes, of which there may be none
  return call(op, {a}, layout::reduction_params(r));
}

array transposed(const array& a) {
  dims axes;
  for (int i = 0; i < rank_of(a); ++i) axes.push_back(i);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return detail::permute(a, axes);
}
array adjoint_of(const array& a) { return conjugate(transposed(a)); }
array hermitian_part(const array& a) { return halved(plus(a, adjoint_of(a))); }
array real_of(const array& a) { return is_complex(type_of(a)) ? call(op_id::real_view, {a}) : a; }
array imag_of(const array& a) { return call(op_id::imag_view, {a}); }
array times_i(const array& a) { return binary(op_id::multiply, a, operand(std::complex(0.0, 1.0), "", "", 0)); }

array diagonal_of(const array& a) { return call(op_id::diagonal, {a}, layout::diagonal_params(0, -2, -1)); }

namespace {

array row_numbers(std::int64_t n) { return reshaped(count_to(n), dims{n, 1}); }
array zero_like(const array& a) { return full_of(dims(), type_of(a), 0); }

}  // namespace

array diagonal_matrix(const array& d, const array& like) {
  const std::int64_t n = shape_of(d).back();
  const array column = with_axis_of_one(of_type(d, type_of(like)), rank_of(d));
  return select(binary(op_id::equal, row_numbers(n), count_to(n)), column, zero_like(like));
}
array below_diagonal(const array& a) {
  const dims shape = shape_of(a);
  const array below = binary(op_id::greater, row_numbers(shape[shape.size() - 2]), count_to(shape.back()));
  return select(below, a, zero_like(a));
}
array scale_columns(const array& a, const array& factors) { return times(a, with_axis_of_one(factors, rank_of(factors) - 1)); }
array scale_rows(const array& a, const array& factors) { return times(a, with_axis_of_one(factors, rank_of(factors))); }
array differences(const array& d) { return minus(with_axis_of_one(d, rank_of(d) - 1), with_axis_of_one(d, rank_of(d))); }
array inverse_or_zero(const array& a, const array& least) {
  const array is_small = binary(op_id::less_equal, bind_ufunc(op_id::absolute, a), least);
  const array safe = select(is_small, full_of(dims(), type_of(a), 1), a);
  return select(is_small, zero_like(a), bind_ufunc(op_id::reciprocal, safe));
}

array change_of_pseudoinverse(const array& a, const array& p, const array& d) {
  const array up = adjoint_of(p), of_d = adjoint_of(d);
  const array beside = matmul(matmul(p, up), of_d), before = matmul(of_d, matmul(up, p));
  const array outer = minus(beside, matmul(matmul(beside, a), p)), inner = minus(before, matmul(p, matmul(a, before)));
  return minus(plus(outer, inner), matmul(matmul(p, d), p));
}

array run_routine(detail::routine_id id, std::initializer_list<array> in, std::initializer_list<std::int64_t> more) {
  op_params p;
  p.push(static_cast<std::int64_t>(id));
  for (const std::int64_t word : more) p.push(word);
  const std::vector<operand> operands(in.begin(), in.end());
  return bind({op_id::routine, operands, &p});
}

array Packed::next(const dims& shape) {
  const std::int64_t count = element_count(shape);
  dims whole = shape_of(all_);
  whole.resize(whole.size() - 1);
  for (const std::int64_t n : shape) whole.push_back(n);
  const array part = slice(all_, rank_of(all_) - 1, at_, at_ + count);
  at_ += count;
  return reshaped(part, whole);
}

array packed(std::initializer_list<std::pair<array, int>> parts, dtype_id type) {
  array all;
  for (const auto& [part, axes] : parts) {
    dims shape = shape_of(part);
    std::int64_t count = 1;
    for (int i = 0; i < axes; ++i) {
      count *= shape.back();
      shape.resize(shape.size() - 1);
    }
    shape.push_back(count);
    const array flat = reshaped(of_type(part, type), shape);
    all = all.empty_handle() ? flat : joined(all, flat, shape.size() - 1);
  }
  return all;
}

}  // namespace numjit::transform
