// Op rows as functions on Halide expressions: row.eval, combine and wins instantiated on hx<T>.
#pragma once

#include <Halide.h>

#include <numjit/ops/op.h>

namespace numjit::halide_gen {

/// Applies one loop of an op to expressions of exactly the loop's types (bool is Bool(), not a byte):
/// a ufunc's eval, a reduction's combine(a, b), an argreduction's wins(a, b).
using apply_function = Halide::Expr (*)(const Halide::Expr* in);

/// The function of an op's loop; null where kernels can't express it (float16, complex, structural).
apply_function find_apply(op_id op, int loop);

/// astype: NumPy's conversion of an element. Throws CompileError for float16 and complex.
Halide::Expr cast_value(dtype_id from, dtype_id to, const Halide::Expr& value);

/// Halide type of a value; bool is Bool().
Halide::Type value_type(dtype_id type);
/// Halide type of an element in memory; bool is UInt(8).
Halide::Type storage_type(dtype_id type);
/// Converts between the two.
Halide::Expr from_storage(dtype_id type, const Halide::Expr& stored);
Halide::Expr to_storage(dtype_id type, const Halide::Expr& value);

}  // namespace numjit::halide_gen
