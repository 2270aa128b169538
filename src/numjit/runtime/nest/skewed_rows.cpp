// Elementwise steps that read rows around their own of what the steps before them write, as the statements of a stencil
// program do: which of them run some rows at a time, and how many.
#include <algorithm>

#include <numjit/runtime/nest/nest.h>
#include <numjit/runtime/nest/schedule.h>

namespace numjit::runtime {
namespace {

constexpr std::int64_t least_rows = 32;
/// Less than this is in the caches anyway.
constexpr std::int64_t least_bytes = 256 << 10;
/// Finding looks at all pairs.
constexpr std::size_t most_statements = 32, most_memories = 24;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::int64_t bytes_of(const node* n) { return n->size * static_cast<std::int64_t>(dtype(n->type).itemsize()); }

struct SkewedRowsFinder {
  const BoundPlan& plan;
  std::vector<Step>& all;
  std::vector<int> steps;  // of the statements at hand
  std::size_t cut = 0;     // statements from here on cannot follow the ones before

  std::vector<std::unique_ptr<Nest>> find(const std::vector<bool>& taken) {
    std::vector<std::unique_ptr<Nest>> found;
    for (int from = 0, to = 0; at(from) < all.size(); from = to = std::max(to, from + 1)) {
      steps.clear();
      for (; at(to) < all.size() && !taken[at(to)] && steps.size() < most_statements; ++to) {
        if (all[at(to)].kind == Step::Kind::view && all[at(to)].resolve.empty()) continue;
        const bool fused = BoundPlan::is_statement(all[at(to)]);
        if (fused ? all[at(to)].parts[0].extent[0] < least_rows : maker_of(all[at(to)]) == steps.size()) break;
        steps.push_back(to);
      }
      std::unique_ptr<Nest> nest;
      while (steps.size() >= 2 && !(nest = make()) && cut < steps.size()) {
        to = steps[cut];  // what cannot follow the others begins the next run
        steps.resize(cut);
      }
      if (nest) found.push_back(std::move(nest));
    }
    return found;
  }

  /// Which of the statements at hand makes what this step stores, in the layout of its target; their number if none does.
  std::size_t maker_of(const Step& step) const {
    if (step.kind != Step::Kind::single || !step.resolve.empty() || !step.unknown.empty()) return steps.size();
    const graph::Node& store = plan.graph.nodes[at(step.node)];
    if (store.op != op_id::store || store.has_where || store.in[1].node < 0) return steps.size();
    const node *value = plan.inputs.slot(store.in[1].node), *target = plan.inputs.slot(store.in[0].node);
    if (value->type != target->type || !numjit::detail::same_shape(value, target)) return steps.size();
    const auto made = std::find_if(steps.begin(), steps.end(), [&](int s) {
      const auto is_value = [&](const ArraySource& output) { return output.node == store.in[1].node; };
      if (all[at(s)].kind != Step::Kind::fused || all[at(s)].store_target >= 0) return false;
      const std::vector<ArraySource>& outputs = all[at(s)].parts[0].outputs;
      return std::any_of(outputs.begin(), outputs.end(), is_value);
    });
    return static_cast<std::size_t>(made - steps.begin());
  }

  std::unique_ptr<Nest> make() {
    cut = steps.size();
    auto nest = std::make_unique<Nest>("skewed rows", plan, steps.front(), steps.back(), steps.size());
    assign_scratch(*nest);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      Step& step = all[at(steps[s])];
      const auto in = [&](int i) { return plan.graph.nodes[at(step.node)].in[i].node; };
      if (step.kind == Step::Kind::fused)
        nest->make_kernel(plan, s, step);
      else
        nest->make_move(plan, s, maker_of(step), in(1), in(0));
    }
    nest->find_memories();
    if (nest->memories.size() > most_memories) return nullptr;
    NestSchedule schedule(*nest);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (schedule.follows(s)) continue;
      cut = std::max<std::size_t>(s, 1);
      return nullptr;
    }
    if (!schedule.choose(least_bytes)) return nullptr;
    for (std::size_t s = 0; s + 1 < steps.size(); ++s)
      if (is_fused(s) && is_fused(s + 1) && plan.is_move(all[at(steps[s])]))
        leave_out_inside(nest->statements[s], nest->statements[s + 1]);
    return nest->bind() ? std::move(nest) : nullptr;
  }

  bool is_fused(std::size_t s) const { return all[at(steps[s])].kind == Step::Kind::fused; }

  /// `v = u.copy(); v[1:-1, 1:-1] = ...`, or zeros in place of the copy: what the next statement overwrites before anything
  /// reads it is not moved.
  static void leave_out_inside(Statement& move, const Statement& next) {
    const Access &made = move.accesses.back(), &over = next.accesses.back();
    const std::int64_t row = made.row_step, apart = over.delta - made.delta, first = apart / row, last = first + next.rows;
    const std::int64_t begin = apart - first * row, end = begin + over.row_span;
    std::int64_t dense = over.item;
    for (int axis = next.part->rank - 1; axis > 0; dense *= next.part->extent[axis--])
      if (next.part->arguments.back().strides[axis] != dense) return;
    const auto touches = [&](const Access& access) { return access.memory == made.memory; };
    if (std::count_if(next.accesses.begin(), next.accesses.end(), touches) != 1 || !touches(over) || apart < 0 ||
        last > move.rows || end > row)
      return;
    move.boxes = {
        {0, first, 0, 0, row}, {first, last, 0, 0, begin}, {first, last, end, end, row - end}, {last, move.rows, 0, 0, row}};
  }

  /// Arrays that live within the run only share memory as they would if the steps ran one by one.
  void assign_scratch(Nest& nest) const {
    std::vector<const node*> free;  // per scratch: what it held, if that is gone
    for (int s = nest.first(); s <= nest.last(); ++s) {
      for (const int i : all[at(s)].allocate) {
        if (!plan.dies(i, nest.first(), nest.last())) continue;
        const node* n = plan.inputs.slot(i);
        const auto fits = [n](const node* f) { return f && bytes_of(f) == bytes_of(n) && f->strides[0] == n->strides[0]; };
        const auto k = static_cast<std::size_t>(std::find_if(free.begin(), free.end(), fits) - free.begin());
        if (k == free.size()) {
          nest.scratch.push_back({0, bytes_of(n)});
          free.push_back(nullptr);
        }
        free[k] = nullptr;
        nest.scratch_of[at(i)] = static_cast<int>(k);
      }
      for (const int i : all[at(s)].free_after)
        if (nest.scratch_of[at(i)] >= 0) free[at(nest.scratch_of[at(i)])] = plan.inputs.slot(i);
    }
  }
};

}  // namespace

std::vector<std::unique_ptr<Nest>> find_skewed_rows(const BoundPlan& plan, const std::vector<bool>& taken) {
  return SkewedRowsFinder{plan, plan.planned.steps, {}}.find(taken);
}

}  // namespace numjit::runtime
