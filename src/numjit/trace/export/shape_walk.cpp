// Inference over a whole program.
#include <numjit/trace/export/shape_walk.h>

#include <fmt/format.h>

#include <numjit/ops/inferred_layout.h>

namespace numjit::tracing {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

array lazy_value(const inference& inferred) {
  node* made = detail::allocate_node();
  detail::set_layout(made, inferred);
  made->flags |= node::lazy;
  return array::adopt(made);
}

}  // namespace

array without_elements(const ArrayShape& shape) {
  inference inferred;
  inferred.type = shape.type;
  inferred.shape = shape.shape;
  return lazy_value(inferred);
}

ShapeWalk::ShapeWalk(const Program& program, const ProgramEntry& entry, const std::vector<ArrayShape>& arguments,
                     bool holds_errors)
    : program_(program) {
  for (const ArrayShape& a : arguments) arguments_.push_back(without_elements(a));
  for (int next = entry.first; next >= 0;) {
    const ProgramStep& step = program.steps[at(next)];
    if (step.kind == ProgramStep::Kind::results) {
      results = &step;
      return;
    }
    if (step.kind == ProgramStep::Kind::read) {
      reads = true;
      next = step.known.empty() ? -1 : step.known.front().second;
    } else {
      try {
        if (!run_graph(step)) return;
      } catch (const error& e) {
        if (!holds_errors) throw;
        stopped = e.what();
        return;
      }
      next = step.next;
    }
  }
}

array ShapeWalk::value_of(const ProgramSource& source) const {
  switch (source.kind) {
    case ProgramSource::Kind::none: return array();
    case ProgramSource::Kind::argument: return arguments_[source.at];
    case ProgramSource::Kind::computed: return computed_[source.at];
    case ProgramSource::Kind::constant: return program_.constants[source.at];
  }
  __builtin_unreachable();
}

bool ShapeWalk::run_graph(const ProgramStep& step) {
  const graph::Graph& graph = step.graph;
  Step& run = steps.emplace_back(Step{&step, {}, {}, {}, step.scalars});
  for (const ProgramSource& source : step.inputs) run.inputs.push_back(value_of(source));
  for (const graph::Node& n : graph.nodes) run.params.push_back(n.params);
  std::vector<node*> nodes;
  for (const array& a : arguments_) nodes.push_back(a.get());
  for (const SizedWord& w : step.sized) {
    const std::int64_t value = tracing::value_of(w.term, nodes);
    if (w.scalar >= 0)
      set_size(run.scalars[at(w.scalar)], value);
    else
      run.params[at(w.node)] = with_word(run.params[at(w.node)], static_cast<int>(w.word), value);
  }
  if (!fill(graph, run)) return false;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].live) computed_.push_back(run.values[i]);
  return true;
}

bool ShapeWalk::fill(const graph::Graph& graph, Step& run) {
  std::size_t input = 0;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const graph::Node& n = graph.nodes[i];
    if (n.kind == graph::NodeKind::input) {
      run.values.push_back(run.inputs[input++]);
      continue;
    }
    std::vector<operand> operands;
    node* mask = nullptr;
    for (std::size_t k = 0; k < n.in.size(); ++k) {
      const graph::Ref& ref = n.in[k];
      if (n.has_where && k + 1 == n.in.size())
        mask = run.values[at(ref.node)].get();
      else if (ref.node >= 0)
        operands.emplace_back(run.values[at(ref.node)], n.where.file, n.where.function, n.where.line);
      else
        operands.push_back(runtime::operand_of(run.scalars[at(ref.scalar)], n.where));
    }
    inference inferred;
    infer({n.op, operands, &run.params[i], nullptr, mask, n.where}, inferred);
    if (inferred.data_dependent || length_of_result(n.op).rule != length_rule::known) {
      stopped = fmt::format("the length of {} at {}:{} depends on data", op_text(n), n.where.file, n.where.line);
      return false;
    }
    run.values.push_back(n.kind == graph::NodeKind::store ? array() : lazy_value(inferred));
  }
  return true;
}

}  // namespace numjit::tracing
