// NEP 50 promotion: dtypes of pairs, weak literals, loop choice, casting rules.
#pragma once

#include <span>
#include <string_view>

#include <numjit/ops/bind.h>

namespace numjit {

/// NumPy's promote_types.
dtype_id promote_types(dtype_id a, dtype_id b);
/// dtype common to any number of dtypes, as NumPy's result_type finds it; bool for none.
dtype_id promote_types(std::span<const dtype_id> types);

enum class casting : std::uint8_t { no, equiv, safe, same_kind, unsafe_ };

/// NumPy's can_cast for dtypes.
bool can_cast(dtype_id from, dtype_id to, casting rule = casting::safe);

/// dtype of mixed operands (arrays and weak literals), NumPy's result_type.
dtype_id result_type(const operand_list& operands);

/// dtype that literals, the strongest of kind `weak`, take beside arrays of common dtype `strong`;
/// `any_strong` false: there are only literals.
dtype_id weak_result_type(dtype_id strong, bool any_strong, weak_kind weak);

/// Does an integer literal fit an integer dtype?
bool literal_fits(const operand& literal, dtype_id type);

/// Checks that an integer literal fits an integer dtype: OverflowError in NumPy's words,
/// "Python integer 300 out of bounds for uint8". Other dtypes take any integer.
void check_literal(std::string_view op, const operand& literal, dtype_id type);

/// Checks that no complex literal goes into a dtype of real numbers: TypeError in the words of Python's float() and int(). bool
/// takes its truth.
void check_no_complex(std::string_view op, const operand& literal, dtype_id type);

/// Index of the ufunc loop NumPy takes; fills in_type (one per input). TypeError if there is none,
/// OverflowError if an integer literal does not fit. With dtype= (call.p().has_type()): the loop with
/// that output dtype.
///
/// Literals that do not fit, where NumPy has an answer: a comparison gets the loop in which both
/// sides are exact (`uint8_array < 300` is compared as int64, `int64_array < 2**63` in the mixed
/// int64/uint64 loop), so no engine needs to know; where() wraps them.
int choose_loop(const op_call& call, dtype_id* in_type);

/// The bound that clip(a, low, high) takes for an integer literal: where the literal lies beyond the
/// dtype's own end (`uint8_array.clip(-1, 300)`) it bounds nothing and becomes that end, as in NumPy.
/// Any other operand is returned as it is. For np.clip itself; the op row takes what fits.
operand clip_bound(const operand& a, const operand& bound, bool is_low);

/// Writes one element of `type`, the value of a weak literal, to `element`; integers wrap.
void literal_element(const operand& literal, dtype_id type, void* element);

}  // namespace numjit
