// The steps of a plan on a device, and what moves when the host has to do one.
#include <algorithm>

#include <numjit/ops/stores_into.h>
#include <numjit/runtime/gpu/run.h>
#include <numjit/runtime/plan/unknown_lengths.h>

namespace numjit::runtime {
namespace {

struct StepsOnDevice {
  DeviceRun& device;
  const graph::Graph& graph;
  PlannedSteps& planned;
  StepRunner& runner;
  const RunInputs& in;
  bool layout_changed;

  const graph::Node& node_at(int i) const { return graph.nodes[static_cast<std::size_t>(i)]; }

  // The array whose memory a view shows.
  int root(int i) const {
    while (node_at(i).kind == graph::NodeKind::view) i = node_at(i).in[0].node;
    return i;
  }

  // What the nodes read is current on the host; what they write is current nowhere else. Returns the bytes.
  std::int64_t bring_to_host(const std::vector<int>& nodes) {
    std::int64_t bytes = 0;
    auto bring = [&](const node* n, bool writes) {
      if (!n->data) return;
      device.on_host(n, writes);
      bytes += n->size * static_cast<std::int64_t>(dtype(n->type).itemsize());
    };
    for (int i : nodes)
      for (const graph::Ref& ref : node_at(i).in)
        if (ref.node >= 0) bring(in.slot(root(ref.node)), false);
    for (int i : nodes) {
      const graph::Node& n = node_at(i);
      if (n.kind == graph::NodeKind::view) continue;
      const bool writes_first = n.kind == graph::NodeKind::store || moves_state(n.op);
      if (writes_first && n.in[0].node >= 0) bring(in.slot(root(n.in[0].node)), true);
      if (n.kind == graph::NodeKind::op) bring(in.slot(i), true);
    }
    return bytes;
  }

  // What the executor is going to ask for: the length that node `i` makes, if it makes one that nobody has counted.
  void count(int i) {
    device.counted.reset();
    if (!selects(node_at(i))) return;
    const int earlier = planned.counted_by[static_cast<std::size_t>(i)];
    if (earlier >= 0 && !in.slot(earlier)->is(node::unsized)) return;
    device.counted = device.count(graph, i, in);
    if (!device.counted) bring_to_host({i});
  }

  void run_on_host(Step& step) {
    const std::vector<int> alone{step.node};
    const std::vector<int>& nodes = step.kind == Step::Kind::single ? alone : step.group;
    const std::int64_t bytes = bring_to_host(nodes);
    device.note(op_text(node_at(nodes.back())), bytes);
    struct Working {
      bool& flag;
      explicit Working(bool& f) : flag(f) { flag = true; }
      ~Working() { flag = false; }
    } working(device.host_works);
    step.device_form.clear();
    if (step.kind == Step::Kind::single)
      runner.run_single_step(step, in);
    else
      runner.run_fused(step, in, layout_changed, false);
  }

  // The parts of a fused step: all of them on the device, or none.
  bool launch(Step& step) {
    if (!step.unknown.empty() && runner.has_tiny_length(step, in)) return false;
    if (!step.temporaries.empty()) runner.make_temporaries(step, in);
    const bool fresh = layout_changed || !step.temporaries.empty() || !step.unknown.empty();
    bool done = true;
    for (FusedPart& part : step.parts)
      if (done) done = runner.run_part(part, in, fresh);
    runner.give_back_temporaries(step);
    return done;
  }

  void run(Step& step) {
    for (int i : step.allocate) device.allocate(in.slot(i), planned.persistent[static_cast<std::size_t>(i)]);
    if (step.kind == Step::Kind::view)
      runner.place_view(step.node, in);
    else if (step.kind == Step::Kind::single ? !device.run_op(graph, step, in) : !launch(step))
      run_on_host(step);
    for (int i : step.free_after) runner.give_back(in.slot(i));
  }
};

}  // namespace

void drop_remote_storage(node* n) noexcept {
  n->deleter(n->deleter_context);
  n->data = nullptr;
  n->block_bytes = 0;
  n->deleter = nullptr;
  n->deleter_context = nullptr;
  n->flags = static_cast<std::uint8_t>(n->flags & ~node::remote);
  n->device = 0;
}

void run_on_device(DeviceRun& device, const graph::Graph& graph, PlannedSteps& planned, StepRunner& runner, const RunInputs& in,
                   bool layout_changed, int& reached) {
  StepsOnDevice steps{device, graph, planned, runner, in, layout_changed};
  for (Step& step : planned.steps) {
    for (int i : step.resolve) {
      reached = i;
      steps.count(i);
      runner.resolve(i, in);
    }
    reached = step.last_node();
    steps.run(step);
  }
}

}  // namespace numjit::runtime
