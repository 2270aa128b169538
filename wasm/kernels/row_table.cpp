// Copying formulas from the table into a kernel's graph.
#include "row_table.h"

namespace numjit::wasm_gen {
namespace {

struct Reader {
  const std::uint8_t* at;
  std::uint32_t number() {
    std::uint32_t v = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint8_t byte = *at++;
      v |= static_cast<std::uint32_t>(byte & 127) << shift;
      if (byte < 128) return v;
    }
  }
};

Value copy_formula(Dag& dag, std::uint32_t start, const Value* in) {
  Reader read{start & late_formula_bit ? late_formula(start & ~late_formula_bit) : row_formulas + start};
  const std::uint32_t count = read.number(), results = read.number();
  std::vector<Id> ids(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    DagNode node;
    node.prim = static_cast<Prim>(*read.at++);
    node.type = static_cast<Type>(*read.at++);
    for (int k = 0; k < arity_of(node.prim); ++k) node.in[k] = ids[i - read.number()];
    if (node.prim == Prim::leaf) {
      const std::uint32_t which = read.number();
      ids[i] = which & 1 ? in[which / 2].im : in[which / 2].re;
      continue;
    }
    if (node.prim == Prim::constant) node.imm = row_constants[read.number()];
    ids[i] = dag.add(node);
  }
  Value value;
  value.re = ids[read.number()];
  if (results == 2) value.im = ids[read.number()];
  return value;
}

}  // namespace

bool has_formula(op_id op, int loop) {
  const auto at = static_cast<std::size_t>(op);
  return op_starts[at] + loop < op_starts[at + 1] && row_starts[op_starts[at] + loop] != no_formula;
}

Value apply(Dag& dag, op_id op, int loop, const Value* in) {
  return copy_formula(dag, row_starts[op_starts[static_cast<std::size_t>(op)] + loop], in);
}

Value cast(Dag& dag, dtype_id from, dtype_id to, Value v) {
  if (from == to) return v;
  const int at = static_cast<int>(from) * dtype_count + static_cast<int>(to);
  return copy_formula(dag, row_starts[op_starts[op_count] + at], &v);
}

Type part_type(dtype_id type) {
  constexpr Type types[dtype_count] = {Type::b,   Type::i8,  Type::i16, Type::i32, Type::i64, Type::u8,  Type::u16,
                                       Type::u32, Type::u64, Type::u16, Type::f32, Type::f64, Type::f32, Type::f64};
  return types[static_cast<int>(type)];
}

bool is_complex(dtype_id type) { return type == dtype_id::complex64 || type == dtype_id::complex128; }

}  // namespace numjit::wasm_gen
