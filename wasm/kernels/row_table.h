// The formulas of all op rows, made by record_rows.cpp, and their use in a kernel's graph.
//
// A formula: number of nodes, number of results, the nodes, the results' places. A node: its primitive and type (a
// byte each), how far back each input stands, of leaves and constants what they are. Numbers are LEB128.
#pragma once

#include <numjit/array/dtype.h>
#include <numjit/ops/op.h>

#include "dag.h"

namespace numjit::wasm_gen {

inline constexpr std::uint32_t no_formula = 0xffffffffu;
/// In row_starts: the formula stands in late_formulas, which pages load when they want one of them.
inline constexpr std::uint32_t late_formula_bit = 0x80000000u;

extern const std::uint64_t row_constants[];
extern const std::uint8_t row_formulas[];
extern const std::uint8_t late_formulas[];
const std::uint8_t* late_formula(std::uint32_t start);
extern const std::uint32_t row_starts[];  // by loop; after the last op's: casts, by from and to
extern const std::uint16_t op_starts[];   // by op: its first loop; after the last: the first cast

/// Is there a formula for this loop? None of rows that are no expressions, and of reductions of float16.
bool has_formula(op_id op, int loop);

/// The value of one loop of an op: of ufuncs their eval, of reductions combine(a, b), of argreductions wins(a, b).
Value apply(Dag& dag, op_id op, int loop, const Value* in);

/// astype of one element.
Value cast(Dag& dag, dtype_id from, dtype_id to, Value v);

/// Type of a value's parts: float16 is its bits.
Type part_type(dtype_id type);
bool is_complex(dtype_id type);

}  // namespace numjit::wasm_gen
