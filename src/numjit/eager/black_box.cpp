// Runs a user's function as an operation: eagerly, outside of any recording.
#include <vector>

#include <numjit/eager/internal.h>
#include <numjit/ops/black_box.h>
#include <numjit/ops/eager_on_thread.h>

namespace numjit::eager {

void run_black_box(const structural_call& c) {
  std::vector<array> in;
  for (int i = 0; i < c.n_in; ++i) {
    if (!c.in[i]->is(node::lazy)) {
      in.push_back(numjit::detail::read_only_view(c.in[i]));
      continue;
    }
    // A value of the running segment: its memory goes back when the segment is done, but the function may
    // keep what it is given.
    in.push_back(array::adopt(numjit::detail::new_node(c.in[i]->type, c.in[i]->rank, c.in[i]->shape)));
    copy_elements(layout_view(c.in[i]), layout_view(in.back().get()));
    in.back().get()->flags |= node::readonly;
  }
  // The box runs while a segment does: what it calls must not be recorded.
  const numjit::detail::eager_on_thread eagerly;
  const array_spec promised{c.result->type, dims(c.result->shape, c.result->rank)};
  const array result = numjit::detail::result_of(*numjit::detail::black_box_of(c.params[0]), in, promised);
  copy_elements(layout_view(result.get()), layout_view(c.result));
}

}  // namespace numjit::eager
