// What an op may do to its operands.
#pragma once

#include <cstddef>

#include <numjit/ops/op.h>

namespace numjit {

/// Is its first operand a state that it moves on, a generator's or a communicator's? Such operations run in the program's order,
/// each once.
inline bool moves_state(op_id op) { return op == op_id::random_draw || op == op_id::communicate; }

/// Is it code that is not the engine's, or has a state? Nobody knows what becomes of its operands.
inline bool is_opaque(op_id op) { return op == op_id::black_box || op == op_id::routine || op == op_id::random_draw; }

/// May nobody carry it out again, even with the same operands?
inline bool runs_once(op_id op) { return op == op_id::black_box || op == op_id::communicate; }

/// May it store into operand `i`?
inline bool may_store_into(op_id op, std::size_t i) {
  return is_opaque(op) || (i == 0 && (info(op).kind == op_kind::store || moves_state(op)));
}

}  // namespace numjit
