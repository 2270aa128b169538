// Elementwise steps that read rows around their own of what the steps before them write, as the statements of a stencil
// program do: which of them run some rows at a time, and how many.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/thread_pool.h>
#include <numjit/runtime/nest/nest.h>

namespace numjit::runtime {
namespace {

/// Bytes of the rows at work, of all arrays: what stays in a core's second-level cache, and what in its share of the last.
constexpr std::int64_t window_bytes = 384 << 10, most_window_bytes = 1536 << 10;
/// Less than this is in the caches anyway.
constexpr std::int64_t least_bytes = 256 << 10;
constexpr std::int64_t least_rows = 32;
/// What one call of a kernel should take, beside what calling it does.
constexpr double least_call_ns = 1500;
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
        if (!BoundPlan::is_statement(all[at(to)]) || all[at(to)].parts[0].extent[0] < least_rows) break;
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

  std::unique_ptr<Nest> make() {
    cut = steps.size();
    auto nest = std::make_unique<Nest>("skewed rows", plan, steps.front(), steps.back(), steps.size());
    assign_scratch(*nest);
    for (std::size_t s = 0; s < steps.size(); ++s) nest->make_kernel(plan, s, all[at(steps[s])]);
    nest->find_memories();
    if (nest->memories.size() > most_memories) return nullptr;
    std::vector<std::int64_t> row_steps(nest->memories.size());
    for (const Statement& statement : nest->statements)
      for (const Access& access : statement.accesses)
        row_steps[at(access.memory)] = std::max(row_steps[at(access.memory)], std::abs(access.row_step));
    const std::int64_t row_bytes = std::reduce(row_steps.begin(), row_steps.end());
    for (std::size_t s = 0; s < steps.size(); ++s) {
      Statement& statement = nest->statements[s];
      const Access& result = statement.accesses.back();
      if (result.row_step > 0) statement.center = (result.delta + result.row_step / 2) / result.row_step;
      const bool follows = nest->find_lag(s) && (nest->behind + 2) * row_bytes <= most_window_bytes;
      if (follows && 4 * nest->border_rows * numjit::detail::thread_count() <= statement.rows()) continue;
      cut = std::max<std::size_t>(s, 1);
      return nullptr;
    }
    if (!choose_block(*nest, row_bytes)) return nullptr;
    for (std::size_t s = 0; s + 1 < steps.size(); ++s)
      if (plan.is_move(all[at(steps[s])])) leave_out_inside(nest->statements[s], nest->statements[s + 1]);
    return nest->bind() ? std::move(nest) : nullptr;
  }

  /// `v = u.copy(); v[1:-1, 1:-1] = ...`, or zeros in place of the copy: what the next statement overwrites before anything
  /// reads it is not moved.
  static void leave_out_inside(Statement& move, const Statement& next) {
    const Access &made = move.accesses.back(), &over = next.accesses.back();
    const std::int64_t row = made.row_step, apart = over.delta - made.delta, first = apart / row, last = first + next.rows();
    const std::int64_t begin = apart - first * row, end = begin + over.row_span;
    std::int64_t dense = over.item;
    for (int axis = next.part->rank - 1; axis > 0; dense *= next.part->extent[axis--])
      if (next.part->arguments.back().strides[axis] != dense) return;
    const auto touches = [&](const Access& access) { return access.memory == made.memory; };
    if (std::count_if(next.accesses.begin(), next.accesses.end(), touches) != 1 || !touches(over) || apart < 0 ||
        last > move.rows() || end > row)
      return;
    move.boxes = {
        {0, first, 0, 0, row}, {first, last, 0, 0, begin}, {first, last, end, end, row - end}, {last, move.rows(), 0, 0, row}};
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
          constexpr std::int64_t line = numjit::detail::block_alignment;
          nest.scratch.push_back(nest.scratch_size);
          nest.scratch_size += (bytes_of(n) + line - 1) / line * line;
          free.push_back(nullptr);
        }
        free[k] = nullptr;
        nest.scratch_of[at(i)] = static_cast<int>(k);
      }
      for (const int i : all[at(s)].free_after)
        if (nest.scratch_of[at(i)] >= 0) free[at(nest.scratch_of[at(i)])] = plan.inputs.slot(i);
    }
  }

  static bool choose_block(Nest& nest, std::int64_t row_bytes) {
    double slowest = 0;
    nest.first_row = nest.statements[0].center;
    for (const Statement& statement : nest.statements) {
      slowest = std::max(slowest, statement.estimate_ns / static_cast<double>(statement.rows()));
      nest.first_row = std::min(nest.first_row, statement.center);
      nest.last_row = std::max(nest.last_row, statement.center + statement.rows());
    }
    std::int64_t shared = 0;
    for (const Memory& memory : nest.memories) shared += memory.shared ? memory.bytes : 0;
    const auto worth = static_cast<std::int64_t>(least_call_ns / slowest) + 1;
    nest.block = std::min(std::max(window_bytes / row_bytes - nest.behind, worth), nest.last_row - nest.first_row);
    nest.most = std::max(nest.block, nest.border_rows);
    nest.least_share = std::max<std::int64_t>(4 * nest.border_rows, nest.block);
    return shared >= least_bytes && nest.block + nest.behind <= std::max(most_window_bytes / row_bytes, worth + nest.behind);
  }
};

}  // namespace

std::vector<std::unique_ptr<Nest>> find_skewed_rows(const BoundPlan& plan, const std::vector<bool>& taken) {
  return SkewedRowsFinder{plan, plan.planned.steps, {}}.find(taken);
}

}  // namespace numjit::runtime
