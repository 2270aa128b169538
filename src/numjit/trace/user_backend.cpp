// Runs of graphs by a user's backend: hands over arrays, checks and takes back what it computed.
#include <fmt/format.h>

#include <numjit/ops/eager_on_thread.h>
#include <numjit/trace/recorder.h>

namespace numjit::tracing {
namespace {

// Nodes that need storage after the run: live ones, and bases of live views.
std::vector<bool> needed_nodes(const graph::Graph& graph) {
  std::vector<bool> needed(graph.nodes.size());
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    needed[i] = needed[i] || graph.nodes[i].live;
    if (needed[i] && graph.nodes[i].kind == graph::NodeKind::view)
      needed[static_cast<std::size_t>(graph.nodes[i].in[0].node)] = true;
  }
  return needed;
}

void take_output(node* slot, const array& given, std::size_t number) {
  if (given.empty_handle())
    throw ValueError("compile", fmt::format("the backend did not set output {}.", number));
  const node* n = given.get();
  if (n->type != slot->type || !detail::same_shape(n, slot))
    throw ValueError("compile",
                     fmt::format("the backend set output {} to {} of shape {}, expected {} of shape {}.", number,
                                 dtype(n->type).name(), dims(n->shape, n->rank).str(),
                                 dtype(slot->type).name(), dims(slot->shape, slot->rank).str()));
  detail::allocate_storage(slot);
  inference inferred;
  inferred.type = slot->type;
  inferred.in_type[0] = slot->type;
  inferred.shape = dims(slot->shape, slot->rank);
  node* in[] = {given.get()};
  runtime::op_runner(op_id::copy, inferred, in, 1, op_params(), slot, nullptr);
}

}  // namespace

// Outside of the recorder, as the backend's code may use arrays itself.
void Recorder::run_user_backend(SegmentEnd& end, SegmentVariant& variant) {
  const detail::eager_on_thread eagerly;
  const graph::Graph graph = graph_of_run(end);
  if (!variant.runner) variant.runner = function_->user_backend(graph);
  const runtime::RunInputs& inputs = end.run_inputs;
  const std::vector<bool> needed = needed_nodes(graph);
  bool done = false;
  graph_call call;
  std::vector<node*> targets;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind == graph::NodeKind::input) call.inputs.push_back(array::share(*end.slots[i]));
    if (needed[i] && graph.nodes[i].kind == graph::NodeKind::op) targets.push_back(*end.slots[i]);
  }
  call.outputs.resize(targets.size());
  call.run_op_by_op = [&] {
    variant.plan->run(inputs, true, true);
    done = true;
  };
  variant.runner(call);
  if (done) return;
  for (std::size_t k = 0; k < targets.size(); ++k) take_output(targets[k], call.outputs[k], k);
}

}  // namespace numjit::tracing
