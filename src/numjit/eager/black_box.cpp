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
      in.push_back(array::share(c.in[i]));
      continue;
    }
    // A value of the running segment: its memory goes back when the segment is done, but the function may
    // keep what it is given.
    in.push_back(array::adopt(numjit::detail::new_node(c.in[i]->type, c.in[i]->rank, c.in[i]->shape)));
    copy_elements(layout_view(c.in[i]), layout_view(in.back().get()));
  }
  // The box runs while a segment does: what it calls must not be recorded.
  const numjit::detail::eager_on_thread eagerly;
  const array result = numjit::detail::black_box_of(c.params[0])->function(in);
  const node* n = result.get();
  if (n->type != c.result->type || !numjit::detail::same_shape(n, c.result))
    throw ValueError("allow_in_graph",
                     "the function returned " + std::string(dtype(n->type).name()) + " of shape " +
                         dims(n->shape, n->rank).str() + ", its shape rule said " +
                         std::string(dtype(c.result->type).name()) + " of shape " +
                         dims(c.result->shape, c.result->rank).str() + ".");
  copy_elements(layout_view(n), layout_view(c.result));
}

}  // namespace numjit::eager
