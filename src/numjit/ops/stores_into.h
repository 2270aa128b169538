// What an op may do to its operands.
#pragma once

#include <cstddef>

#include <numjit/ops/op.h>

namespace numjit {

/// Is it code that is not the engine's, or has a state? Nobody knows what becomes of its operands.
inline bool is_opaque(op_id op) { return op == op_id::black_box || op == op_id::routine || op == op_id::random_draw; }

/// May it store into operand `i`?
inline bool may_store_into(op_id op, std::size_t i) { return is_opaque(op) || (i == 0 && info(op).kind == op_kind::store); }

}  // namespace numjit
