// Elementwise kernels and the stores of their results into arrays that they read, rows at a time: the first example in
// nest.h. So do several: `u(in, in) += f(u, v); v(in, in) += g(u, v)` is one kernel with two results. And so does
// `old = u.copy(); u(in, in) = f(old)`, which reads what was copied where it was.
#include <algorithm>

#include <numjit/runtime/nest/nest.h>
#include <numjit/runtime/plan/strides.h>

namespace numjit::runtime {
namespace {

/// Bytes of the result's rows that are computed at once: two such blocks and what they read stay in a core's
/// second-level cache, with room for what follows.
constexpr std::int64_t block_bytes = 32 << 10;
/// Longer rows would fill it.
constexpr std::int64_t most_row_bytes = 64 << 10;
constexpr std::int64_t least_bytes = 32 << 10;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

struct InPlaceFinder {
  const BoundPlan& plan;
  std::vector<Step>& steps;
  int first, last;             // of the steps at hand
  std::size_t stores = 0;      // that they have
  const Step* copy = nullptr;  // what the kernel reads, if it stores its result itself

  std::unique_ptr<Nest> find() {
    if (!BoundPlan::is_statement(steps[at(first)]) || !(takes_results() || takes_copy())) return nullptr;
    Step& step = steps[at(copy ? last : first)];
    const std::int64_t rows = step.parts[0].extent[0];
    auto nest = std::make_unique<Nest>("in place", plan, first, last, stores + 1);
    if (copy) nest->scratch_of[at(copy->group[0])] = 0;  // it is not stored
    for (int s = first + 1, t = 0; s <= last; ++s)
      if (steps[at(s)].kind != Step::Kind::view) nest->scratch_of[at(value_of(steps[at(s)]))] = t++;
    nest->make_kernel(plan, 0, step, copy);
    std::int64_t row_bytes = 0;  // of a result
    for (int s = first + 1, number = 0; s <= last; ++s) {
      if (steps[at(s)].kind == Step::Kind::view) continue;
      const node *value = plan.inputs.slot(value_of(steps[at(s)])), *target = plan.inputs.slot(target_of(steps[at(s)]));
      if (value->type != target->type || !numjit::detail::same_shape(value, target)) return nullptr;
      nest->make_move(plan, at(++number), 0, value_of(steps[at(s)]), target_of(steps[at(s)]));
      const Statement& move = nest->statements[at(number)];
      row_bytes = std::max(row_bytes, move.moved_bytes());
      for (const Access& access : move.accesses)
        if (access.low < 0 || access.row_span > access.row_step) return nullptr;  // rows lie one behind the other,
      // those in scratch not far apart, and they are no single elements.
      if (move.accesses[0].row_step > 2 * move.moved_bytes() ||
          (move.boxes.size() > 1 && move.boxes[0].bytes == move.accesses[0].item))
        return nullptr;
    }
    nest->find_memories();
    for (std::size_t s = 1; s <= stores; ++s)
      if (!nest->find_lag(s)) return nullptr;
    nest->last_row = rows;
    nest->block = nest->most = std::max(std::max(block_bytes / row_bytes, nest->before + nest->behind), std::int64_t{1});
    nest->least_share = 2 * nest->block;
    for (std::size_t s = 1; s <= stores; ++s) nest->scratch.push_back({0, rows * nest->statements[s].accesses[0].row_step});
    if (row_bytes * rows < least_bytes || row_bytes > most_row_bytes || nest->least_share > rows) return nullptr;
    return nest;
  }

  int value_of(const Step& step) const {
    return copy ? step.parts[0].outputs[0].node : plan.graph.nodes[at(step.node)].in[1].node;
  }
  int target_of(const Step& step) const { return copy ? step.store_target : plan.graph.nodes[at(step.node)].in[0].node; }

  /// Results of a kernel that nothing but the stores behind it read.
  bool takes_results() {
    const std::vector<ArraySource>& outputs = steps[at(first)].parts[0].outputs;
    if (steps[at(first)].store_target >= 0) return false;
    for (int s = first + 1; s < static_cast<int>(steps.size()); ++s) {
      const Step& step = steps[at(s)];
      if (!step.resolve.empty() || !step.unknown.empty()) break;
      if (step.kind == Step::Kind::view) continue;
      if (step.kind != Step::Kind::single) break;
      const graph::Node& store = plan.graph.nodes[at(step.node)];
      if (store.op != op_id::store || store.has_where || store.in[1].node < 0) break;
      const auto is_stored = [&](const ArraySource& output) { return output.node == store.in[1].node; };
      if (std::none_of(outputs.begin(), outputs.end(), is_stored) || !plan.dies(store.in[1].node, first, s)) break;
      ++stores;
      last = s;
    }
    return stores > 0;
  }

  /// A kernel that stores what it computes from a copy which nothing else reads: it may read what was copied.
  bool takes_copy() {
    copy = &steps[at(first)];
    stores = 1;
    for (last = first + 1; last < static_cast<int>(steps.size()) && steps[at(last)].kind == Step::Kind::view;) ++last;
    if (last == static_cast<int>(steps.size()) || !BoundPlan::is_statement(steps[at(last)])) return false;
    const Step& step = steps[at(last)];
    std::int64_t offset = 0;  // where the copy itself is written, it is needed
    return step.store_target >= 0 && copy->store_target < 0 && plan.is_move(*copy) && copy->parts[0].operands.size() == 1 &&
           step.parts[0].outputs.size() == 1 && plan.dies(copy->group[0], first, last) &&
           root_of(plan.graph, step.store_target, plan.inputs, offset) != copy->group[0];
  }
};

}  // namespace

std::vector<std::unique_ptr<Nest>> find_in_place(const BoundPlan& plan) {
  std::vector<std::unique_ptr<Nest>> found;
  for (int from = 0; from < static_cast<int>(plan.planned.steps.size()); ++from)
    if (auto nest = InPlaceFinder{plan, plan.planned.steps, from, from}.find()) {
      from = nest->last();
      found.push_back(std::move(nest));
    }
  return found;
}

}  // namespace numjit::runtime
