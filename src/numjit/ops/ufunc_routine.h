// Parameters of the routines behind the methods of ufuncs. They stand in files: an op goes by its name.
#pragma once

#include <array>
#include <string>

#include <numjit/base/error.h>
#include <numjit/ops/loop_over.h>
#include <numjit/ops/routine.h>

namespace numjit::detail {

/// The op's name in three words, the axis.
inline constexpr std::string_view ufunc_routine_schema = "_op:int _op:int _op:int axis:int";

inline op_params ufunc_routine_params(routine_id routine, op_id op, int axis = 0) {
  std::array<char, 24> text{};
  const std::string_view name = info(op).name;
  name.copy(text.data(), text.size());
  op_params params;
  params.push(static_cast<std::int64_t>(routine));
  for (std::int64_t word : std::bit_cast<std::array<std::int64_t, 3>>(text)) params.push(word);
  return params.push(static_cast<std::int64_t>(axis));
}

/// The op of such parameters: a ufunc, or nothing.
inline std::optional<op_id> op_of_routine(const op_params& params) {
  const std::array<std::int64_t, 3> words{params[1], params[2], params[3]};
  const auto text = std::bit_cast<std::array<char, 24>>(words);
  const std::size_t length = std::string_view(text.data(), text.size()).find('\0');
  const auto op = find_op(std::string_view(text.data(), std::min(length, text.size())));
  return op && info(*op).kind == op_kind::ufunc ? op : std::nullopt;
}

/// Pieces begin at elements of the axis: IndexError for the first that does not.
inline void check_pieces(op_id op, const std::int64_t* begins, std::int64_t count, std::int64_t n) {
  for (std::int64_t k = 0; k < count; ++k)
    if (begins[k] < 0 || begins[k] >= n)
      throw IndexError("", "index " + std::to_string(begins[k]) + " out-of-bounds in " + std::string(info(op).name) +
                               ".reduceat [0, " + std::to_string(n) + ")");
}

}  // namespace numjit::detail
