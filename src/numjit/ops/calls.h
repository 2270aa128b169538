// Operations called by name, at the place of an operand: what functions made of several are written in.
#pragma once

#include <initializer_list>

#include <numjit/ops/bind.h>
#include <numjit/ops/param_layout.h>

namespace numjit::detail {

/// Calls an op on a list of operands; the place is that of the first operand unless given.
inline array call(op_id op, std::initializer_list<operand> in, const op_params* params = nullptr) {
  return bind({op, operand_list(in.begin(), in.size()), params, nullptr, nullptr, in.begin()->where()});
}
inline array call(op_id op, std::initializer_list<operand> in, const op_params& params) { return call(op, in, &params); }
inline array create(op_id op, const op_params& params, const location& where = {}) {
  return bind({op, {}, &params, nullptr, nullptr, where});
}

/// An operand at a given place: ops inside a composite report the user's line.
inline operand at(const array& a, const location& where) { return operand(a, where.file, where.function, where.line); }
template <weak_scalar T>
operand at(T value, const location& where) {
  return operand(value, where.file, where.function, where.line);
}

// Views, by location of `a`.
inline array reshape_view(const operand& a, const dims& shape) {
  return call(op_id::reshape_view, {a}, layout::shape_params(shape));
}
inline array permute(const operand& a, const dims& axes) { return call(op_id::transpose, {a}, layout::axes_params(axes)); }
inline array cast(const operand& a, dtype_id t) { return call(op_id::astype, {a}, layout::type_params(t)); }
inline array contiguous_copy(const operand& a) { return call(op_id::copy, {a}); }
inline array expand_to(const operand& a, const dims& shape) {
  return call(op_id::broadcast_to, {a}, layout::shape_params(shape));
}

}  // namespace numjit::detail
