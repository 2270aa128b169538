// Runs of graphs by a user's backend: hands over arrays, checks and takes back what it computed.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <numjit/array/remote.h>
#include <numjit/ops/eager_on_thread.h>
#include <numjit/ops/result_order.h>
#include <numjit/trace/record/recorder.h>

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

// The lengths that outputs give to names, which stand in the shapes of slots whose length depends on data.
using Lengths = std::vector<std::pair<std::int64_t, std::int64_t>>;

void take_lengths(node* slot, const node* given, Lengths& lengths) {
  if (slot->rank != given->rank) return;
  dims shape(slot->shape, slot->rank);
  for (int axis = 0; axis < slot->rank; ++axis) {
    const std::int64_t name = slot->shape[axis];
    if (name < detail::unknown_extents) continue;
    auto known = std::find_if(lengths.begin(), lengths.end(), [&](const auto& l) { return l.first == name; });
    if (known == lengths.end()) known = lengths.insert(known, {name, given->shape[axis]});
    shape[axis] = known->second;
  }
  if (slot->is(node::c_contiguous))
    detail::set_contiguous_layout(slot, slot->type, shape.size(), shape.data());
  else
    detail::set_layout(slot, slot->type, shape.size(), shape.data(), detail::dense_strides_like(slot, shape).data());
  slot->flags = static_cast<std::uint8_t>(slot->flags & ~node::unsized);
}

void take_output(node* slot, const array& given, std::size_t number, Lengths& lengths) {
  if (given.empty_handle()) throw ValueError("compile", fmt::format("the backend did not set output {}.", number));
  const node* n = given.get();
  if (slot->is(node::unsized)) take_lengths(slot, n, lengths);
  if (n->type != slot->type || !detail::same_shape(n, slot))
    throw ValueError("compile", fmt::format("the backend set output {} to {} of shape {}, expected {} of shape {}.", number,
                                            dtype(n->type).name(), dims(n->shape, n->rank).str(), dtype(slot->type).name(),
                                            dims(slot->shape, slot->rank).str()));
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
  const graph::Graph graph = end.graph_of_run(live_);
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
    end.run(*variant.plan, true, function_->name, true);
    done = true;
  };
  variant.runner(call);
  if (done) return;
  Lengths lengths;
  for (std::size_t k = 0; k < targets.size(); ++k) take_output(targets[k], call.outputs[k], k, lengths);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (needed[i] && graph.nodes[i].kind == graph::NodeKind::view && (*end.slots[i])->is(node::unsized))
      variant.plan->resolve(static_cast<int>(i), inputs);
}

}  // namespace numjit::tracing
