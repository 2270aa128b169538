// Operations that put their result together of parts of their inputs, one behind the other along an axis.
#pragma once

#include <cstdint>
#include <vector>

#include <numjit/ops/param_layout.h>

namespace numjit::runtime {

inline bool is_join(op_id op) { return op == op_id::concatenate || op == op_id::roll; }

struct JoinedPart {
  std::size_t input = 0;
  std::int64_t begin = 0;         // along the axis, in the input
  std::int64_t from = 0, to = 0;  // along the axis, in the result
};

/// The parts of a join, without empty ones. `length(i)` is that of input i along the axis.
template <class F>
std::vector<JoinedPart> parts_of_join(op_id op, const op_params& params, std::size_t inputs, const F& length) {
  std::vector<JoinedPart> parts;
  std::int64_t end = 0;
  const auto add = [&](std::size_t input, std::int64_t begin, std::int64_t n) {
    if (n > 0) parts.push_back({input, begin, end, end + n});
    end += n;
  };
  if (op == op_id::roll) {
    const std::int64_t n = length(0), ahead = layout::shift_of(params, n);
    add(0, n - ahead, ahead);
    add(0, 0, n - ahead);
  } else {
    for (std::size_t i = 0; i < inputs; ++i) add(i, 0, length(i));
  }
  return parts;
}

}  // namespace numjit::runtime
