// Op rows as functions on Halide expressions: row.eval, combine and wins instantiated on hx<T>.
#pragma once

#include <vector>

#include <Halide.h>

#include <numjit/ops/op.h>

namespace numjit::halide_gen {

/// One element: an expression, or two for a complex number.
struct Value {
  Halide::Expr re, im;

  Value() = default;
  Value(Halide::Expr real) : re(std::move(real)) {}
  Value(Halide::Expr real, Halide::Expr imaginary) : re(std::move(real)), im(std::move(imaginary)) {}
  bool defined() const { return re.defined(); }
  bool is_complex() const { return im.defined(); }
  /// f of each part.
  template <class F>
  Value each(F f) const {
    return is_complex() ? Value(f(re), f(im)) : Value(f(re));
  }
  void append_to(std::vector<Halide::Expr>& list) const {
    list.push_back(re);
    if (is_complex()) list.push_back(im);
  }
};
Value select(const Halide::Expr& condition, const Value& a, const Value& b);

/// Applies one loop of an op to values of exactly the loop's types (bool is Bool(), not a byte):
/// a ufunc's eval, a reduction's combine(a, b), an argreduction's wins(a, b).
using apply_function = Value (*)(const Value* in);

/// The function of an op's loop; null where kernels can't express it (structural, reductions of
/// float16).
apply_function find_apply(op_id op, int loop);
/// The same of rows whose eval loops until a value says stop (graph::has_kernel_form); null for others. For kernels of one
/// thread an element: see euclid.h.
apply_function find_apply_of_loop(op_id op, int loop);

/// astype: NumPy's conversion of an element.
Value cast_value(dtype_id from, dtype_id to, const Value& value);

/// Has the type two parts in memory, real and imaginary?
bool is_complex(dtype_id type);
/// Halide type of a value's parts: bool is Bool(), float16 its bits, UInt(16).
Halide::Type value_type(dtype_id type);
/// Halide type of an element's parts in memory; bool is UInt(8).
Halide::Type storage_type(dtype_id type);
/// Converts between the two.
Value from_storage(dtype_id type, const Value& stored);
Value to_storage(dtype_id type, const Value& value);

}  // namespace numjit::halide_gen
