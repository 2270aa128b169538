// Texts of loops.
#include <numjit/graph/loop_text.h>

namespace numjit::graph {

std::string loop_text(op_id op, int loop) {
  const op_info& description = info(op);
  const op_loop& l = description.loops[static_cast<std::size_t>(loop)];
  std::string text;
  for (int i = 0; i < description.arity; ++i) text += dtype(l.in[i]).character();
  return text + "->" + dtype(l.out).character();
}

int find_loop(op_id op, std::string_view text) {
  for (int loop = 0; loop < static_cast<int>(info(op).loops.size()); ++loop)
    if (loop_text(op, loop) == text) return loop;
  return -1;
}

}  // namespace numjit::graph
