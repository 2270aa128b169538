// Loops of rows by text: their numbers change when a row gets another loop, the text does not.
#pragma once

#include <string>
#include <string_view>

#include <numjit/ops/op.h>

namespace numjit::graph {

/// Loop `loop` of an op as type characters: "dd->d".
std::string loop_text(op_id op, int loop);

/// Number of the loop with that text, -1 if the op has none.
int find_loop(op_id op, std::string_view text);

}  // namespace numjit::graph
