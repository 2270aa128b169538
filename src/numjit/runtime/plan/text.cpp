// Plans for people: what the steps are and took, and what makes them slower than they could be.
#include <algorithm>

#include <fmt/format.h>

#include <numjit/base/buffer_pool.h>
#include <numjit/ops/op_text.h>
#include <numjit/runtime/plan/steps.h>

namespace numjit::runtime {
namespace {

/// Temporaries below this cost less than a hint is worth.
constexpr std::int64_t large_temporary = 1 << 20;

std::string source_text(const ArraySource& source) {
  if (source.view >= 0) return fmt::format("%{} as %{}", source.node, source.view);
  return source.node >= 0 ? fmt::format("%{}", source.node) : fmt::format("t{}", source.temporary);
}

std::string sources_text(const std::vector<ArraySource>& sources) {
  std::string text;
  for (const ArraySource& source : sources) text += (text.empty() ? "" : ", ") + source_text(source);
  return text;
}

/// Lines of `text`, each set in by two spaces.
std::string set_in(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    result += "  " + text.substr(at, end - at) + "\n";
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return result;
}

const graph::Node& node_of(const graph::Graph& graph, int i) { return graph.nodes[static_cast<std::size_t>(i)]; }

std::string fused_text(const Step& step) {
  std::string nodes;
  for (int i : step.group) nodes += fmt::format(" %{}", i);
  std::string text = fmt::format("fused:{}\n", nodes);
  for (const FusedPart& part : step.parts)
    text += fmt::format("  kernel spec {}: ({}) -> {}\n", graph::content_hash(part.call.spec()), sources_text(part.operands),
                        sources_text(part.outputs)) +
            set_in(set_in(graph::to_text(part.call.spec())));
  return text;
}

}  // namespace

void note_product(Step& step, const graph::Graph& graph, const RunInputs& inputs) {
  const graph::Node& product = node_of(graph, step.node);
  if (product.op != op_id::matmul) return;
  const auto bytes_of = [](const node* n) { return n->size * static_cast<std::int64_t>(dtype(n->type).itemsize()); };
  const node *result = inputs.slot(step.node), *first = inputs.slot(product.in[0].node);
  step.bytes = bytes_of(result);
  for (const graph::Ref& ref : product.in) step.bytes += bytes_of(inputs.slot(ref.node));
  const std::int64_t per_product = dtype(result->type).kind() == 'c' ? 8 : 2;
  step.flops = per_product * result->size * first->shape[first->rank - 1];
}

StepInfo step_info(const graph::Graph& graph, const Step& step) {
  StepInfo made;
  if (step.kind == Step::Kind::single) {
    made.schedule = step.sent ? "sent" : step.device_form.empty() ? "eager" : "kernels on " + step.device_form;
    made.sent = step.sent;
    made.ns = step.sent ? step.sent->ns : step.ns;
    made.bytes = step.sent ? step.sent->bytes : step.bytes;
    made.flops = step.flops;
    const graph::Node& n = node_of(graph, step.node);
    made.ops.push_back(n.op == op_id::communicate ? params_text(n.op, n.params) : op_text(n));
    made.nodes = {step.node};
    return made;
  }
  for (int i : step.group) made.ops.push_back(op_text(node_of(graph, i)));
  made.nodes = step.group;
  made.fused = true;
  for (const FusedPart& part : step.parts) {
    const FusedCall::Info part_info = part.call.info();
    made.kernel += (made.kernel.empty() ? "" : "+") + part_info.name;
    if (made.schedule.empty()) made.schedule = part_info.schedule;
    made.bytes += part_info.bytes;
    made.ns += part_info.ns;
    made.compiled = part_info.compiled;
  }
  return made;
}

std::string steps_text(const graph::Graph& graph, const PlannedSteps& planned) {
  std::string text;
  int number = 0;
  for (const Step& step : planned.steps) {
    text += fmt::format("step {} ", number++);
    if (step.kind == Step::Kind::fused) {
      text += fused_text(step);
    } else {
      const std::string op = op_text(node_of(graph, step.node));
      text += step.kind == Step::Kind::view ? fmt::format("view: %{} = {}\n", step.node, op)
                                            : fmt::format("by itself: %{} = {} ({})\n", step.node, op, step.why);
    }
    for (int i : step.free_after) text += fmt::format("  free %{}\n", i);
  }
  return text;
}

std::vector<PlanHint> plan_hints(const graph::Graph& graph, const PlannedSteps& planned, const RunInputs& inputs) {
  std::vector<PlanHint> hints;
  for (const Step& step : planned.steps) {
    if (step.kind == Step::Kind::single) {
      const graph::Node& n = node_of(graph, step.node);
      hints.push_back({n.where, fmt::format("{} runs by itself: {}.", op_text(n), step.why)});
    }
    for (int i : step.allocate) {
      const node* slot = inputs.slot(i);
      const std::int64_t bytes = slot->size * static_cast<std::int64_t>(dtype(slot->type).itemsize());
      if (planned.persistent[static_cast<std::size_t>(i)] || bytes < large_temporary) continue;
      const graph::Node& n = node_of(graph, i);
      hints.push_back({n.where, fmt::format("the result of {}, {}, is stored for a later kernel and dropped "
                                            "then.",
                                            op_text(n), numjit::detail::format_bytes(static_cast<std::uint64_t>(bytes)))});
    }
  }
  return hints;
}

}  // namespace numjit::runtime
