// NEP 50 promotion: dtypes of pairs, weak literals, loop choice, casting rules.
#pragma once

#include <span>
#include <string_view>

#include <numjit/ops/bind.h>

namespace numjit {

/// NumPy's promote_types.
dtype_id promote_types(dtype_id a, dtype_id b);

enum class casting : std::uint8_t { no, equiv, safe, same_kind, unsafe_ };

/// NumPy's can_cast for dtypes.
bool can_cast(dtype_id from, dtype_id to, casting rule = casting::safe);

/// dtype of mixed operands (arrays and weak literals), NumPy's result_type.
dtype_id result_type(std::span<const operand> operands);

/// Checks that an integer literal fits an integer dtype: OverflowError in NumPy's words,
/// "Python integer 300 out of bounds for uint8".
void check_literal(std::string_view op, const operand& literal, dtype_id type);

/// Index of the ufunc loop NumPy takes; fills in_type. TypeError if there is none.
/// `forced_out`: dtype= was given: the loop with that output dtype.
int choose_loop(const op_call& call, dtype_id* in_type);

}  // namespace numjit
