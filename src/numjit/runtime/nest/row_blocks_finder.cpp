// Which steps go through their arrays together, block of rows by block of rows.
#include <algorithm>
#include <numeric>

#include <numjit/array/gather.h>
#include <numjit/base/thread_pool.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/stores_into.h>
#include <numjit/runtime/launch/launch.h>
#include <numjit/runtime/nest/row_blocks_parts.h>
#include <numjit/runtime/plan/strides.h>

namespace numjit::runtime {
namespace {

/// Bytes of all arrays of a block: what a core's second-level cache holds with ease.
constexpr std::int64_t block_bytes = 128 << 10;
/// Arrays that all fit into the caches anyway gain nothing.
constexpr std::int64_t least_bytes = 512 << 10;
/// Elements of arrays that are no part of a run: one axis of a grid, its indices.
constexpr std::int64_t few_elements = 16 << 10;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::int64_t item_size(const node* n) { return static_cast<std::int64_t>(dtype(n->type).itemsize()); }

}  // namespace

class RowBlocks::Finder {
 public:
  Finder(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs)
      : graph_(graph), planned_(planned), inputs_(inputs) {}

  std::vector<std::unique_ptr<RowBlocks>> find() {
    std::vector<std::unique_ptr<RowBlocks>> found;
    const int count = static_cast<int>(planned_.steps.size());
    for (int from = 0; from < count;) {
      if (is_small(planned_.steps[at(from)])) {
        ++from;
        continue;
      }
      int to = take_steps(from, true);
      auto blocks = make(from, to - 1);
      if (!blocks && in_chunks_) {  // rows that are too long for a chunk of them
        to = take_steps(from, false);
        blocks = make(from, to - 1);
      }
      if (blocks) found.push_back(std::move(blocks));
      from = std::max(to, from + 1);
    }
    return found;
  }

 private:
  // The steps of a run from `from` on, which goes behind those that are computed before; returns the first that is none.
  int take_steps(int& from, bool may_reduce_rows) {
    produced_.assign(graph_.nodes.size(), false);
    ended_.assign(graph_.nodes.size(), false);
    rows_ = -1;
    fused_ = endings_ = 0;
    in_chunks_ = false;
    int to = from;
    for (; to < static_cast<int>(planned_.steps.size()); ++to) {
      if (to > from && can_go_first(from, to)) {
        go_first(from++, to);
        continue;
      }
      if (!joins(planned_.steps[at(to)], may_reduce_rows)) break;
    }
    return to;
  }

  bool is_small(const Step& step) const {
    if (step.kind != Step::Kind::fused) return step.kind != Step::Kind::single || inputs_.slot(step.node)->size <= few_elements;
    return std::all_of(step.parts.begin(), step.parts.end(),
                       [](const FusedPart& part) { return points_of(part) <= few_elements; });
  }

  // Small steps between those of a run that need nothing of it: the run goes on behind them if they come before it.
  bool can_go_first(int from, int to) const {
    const Step& step = planned_.steps[at(to)];
    if (!step.resolve.empty() || !step.unknown.empty() || !is_small(step)) return false;
    const auto is_there = [&](int node) {
      std::int64_t offset = 0;
      if (produced_[at(root_of(graph_, node, inputs_, offset))]) return false;
      return std::none_of(planned_.steps.begin() + from, planned_.steps.begin() + to,
                          [node](const Step& before) { return before.kind == Step::Kind::view && before.node == node; });
    };
    if (step.kind == Step::Kind::fused) {
      if (step.parts.size() != 1 || step.store_target >= 0) return false;
      const std::vector<ArraySource>& operands = step.parts[0].operands;
      return std::all_of(operands.begin(), operands.end(), [&](const ArraySource& o) { return o.view < 0 && is_there(o.node); });
    }
    const graph::Node& n = graph_.nodes[at(step.node)];
    const op_kind kind = info(n.op).kind;
    if (step.kind == Step::Kind::single && n.op != op_id::take && (kind != op_kind::creation || moves_state(n.op))) return false;
    return std::all_of(n.in.begin(), n.in.end(), [&](const graph::Ref& ref) { return ref.node < 0 || is_there(ref.node); });
  }

  void go_first(int from, int to) {
    auto& steps = planned_.steps;
    // What it was the last to read may be read by those that it passes.
    std::vector<int>& later = steps[at(to - 1)].free_after;
    later.insert(later.end(), steps[at(to)].free_after.begin(), steps[at(to)].free_after.end());
    steps[at(to)].free_after.clear();
    std::rotate(steps.begin() + from, steps.begin() + to, steps.begin() + to + 1);
  }

  bool joins(Step& step, bool may_reduce_rows) {
    if (!step.resolve.empty() || !step.unknown.empty()) return false;
    if (step.kind == Step::Kind::view) return true;
    if (step.kind == Step::Kind::single)
      return !reads_ended(step) && (joins_take(step) || joins_take_places(step) || joins_concatenate(step));
    if (step.kind != Step::Kind::fused || step.store_target >= 0) return false;
    if (!reduces_rows && step.parts.size() > 1) return false;
    FusedPart& part = step.parts[0];
    const bool is_chain = step.parts.size() > 1;
    if (part.reduced_axis[1] >= 0 || part.rank < 1) return false;
    for (const FusedPart& each : step.parts)
      if (each.arguments.empty() || !each.offsets.empty() || !each.call.info().compiled) return false;
    for (int axis = 0; axis < part.rank; ++axis)
      if (part.extent[axis] == 0) return false;
    if (rows_ >= 0 && part.extent[0] != rows_) return false;
    const bool in_chunks = part.reduced_axis[0] == 0;
    if (in_chunks && !(may_reduce_rows && !is_chain && runs_in_chunks(part))) return false;
    for (std::size_t k = 0; k < part.operands.size(); ++k) {
      std::int64_t offset = 0;
      const int root = root_of(graph_, part.operands[k].node, inputs_, offset);
      if (ended_[at(root)] || (produced_[at(root)] && !stays_in_row(part, k, root, offset))) return false;
    }
    if (is_chain) {
      if (!can_end(step)) return false;
    } else if (!in_chunks) {
      for (std::size_t k = 0; k < part.outputs.size(); ++k)
        if (!stays_in_row(part, part.operands.size() + k, part.outputs[k].node, 0)) return false;
    }
    rows_ = part.extent[0];
    for (const ArraySource& output : step.parts.back().outputs) {
      produced_[at(output.node)] = true;
      ended_[at(output.node)] = is_chain || in_chunks;
    }
    ++fused_;
    endings_ += is_chain || in_chunks;
    in_chunks_ = in_chunks_ || in_chunks;
    return true;
  }

  bool reads_ended(const Step& step) const {
    const std::vector<graph::Ref>& in = graph_.nodes[at(step.node)].in;
    return std::any_of(in.begin(), in.end(), [this](const graph::Ref& ref) {
      std::int64_t offset = 0;
      return ref.node >= 0 && ended_[at(root_of(graph_, ref.node, inputs_, offset))];
    });
  }

  // Can the rows that a part reduces be reduced chunk by chunk?
  static bool runs_in_chunks(const FusedPart& part) {
    if (!reduces_rows || part.extent[0] <= chunk_size) return false;
    detail::KernelSource kernels;
    const auto plan = plan_rows(part, part.extent[0], kernels);
    return plan && plan->chunks() > 0;
  }

  // The further launches of a reduction over several axes read what those before them leave, and nothing of the run.
  bool can_end(const Step& step) const {
    for (std::size_t p = 1; p < step.parts.size(); ++p)
      for (const ArraySource& operand : step.parts[p].operands) {
        std::int64_t offset = 0;
        if (operand.node >= 0 && produced_[at(root_of(graph_, operand.node, inputs_, offset))]) return false;
      }
    return true;
  }

  // Elements along the first axis of an array that is there, at indices whose rows are those of the run.
  bool joins_take(const Step& step) {
    const graph::Node& n = graph_.nodes[at(step.node)];
    if (n.op != op_id::take || n.has_where || n.in[0].node < 0 || n.in[1].node < 0) return false;
    const node *source = inputs_.slot(n.in[0].node), *index = inputs_.slot(n.in[1].node), *result = inputs_.slot(step.node);
    const op_params& params = *inputs_.params[at(step.node)];
    const std::int64_t axis = layout::axis_of(params);
    const auto mode = params.size() > 1 ? static_cast<layout::take_mode>(params[1]) : layout::take_mode::raise;
    const bool first_axis = axis == 0 || axis == -source->rank || axis == layout::none;
    const char kind = dtype(index->type).kind();
    if (!first_axis || mode != layout::take_mode::raise || (kind != 'i' && kind != 'u') || index->rank < 1 || source->rank < 1 ||
        source->size == 0 || index->size == 0 || result->size == 0 || result->type != source->type ||
        !source->is(node::c_contiguous) || !index->is(node::c_contiguous) || !result->is(node::c_contiguous))
      return false;
    if (rows_ >= 0 && index->shape[0] != rows_) return false;
    std::int64_t offset = 0;
    if (produced_[at(root_of(graph_, n.in[0].node, inputs_, offset))]) return false;
    const int root = root_of(graph_, n.in[1].node, inputs_, offset = 0);
    if (produced_[at(root)] && root != n.in[1].node) return false;
    rows_ = index->shape[0];
    produced_[at(step.node)] = true;
    ++fused_;
    return true;
  }

  // Elements of an array that is there, at places that index arrays of the run's rows name.
  bool joins_take_places(const Step& step) {
    const graph::Node& n = graph_.nodes[at(step.node)];
    if (n.op != op_id::take_places || n.has_where) return false;
    const node *source = inputs_.slot(n.in[0].node), *result = inputs_.slot(step.node);
    const int indexed = static_cast<int>(n.in.size()) - 1;
    if (source->size == 0 || result->size == 0 || result->type != source->type || !result->is(node::c_contiguous)) return false;
    for (std::int64_t axis = source->rank, step_of = item_size(source); axis-- > indexed; step_of *= source->shape[axis])
      if (source->strides[axis] != step_of) return false;
    std::int64_t offset = 0;
    if (produced_[at(root_of(graph_, n.in[0].node, inputs_, offset))]) return false;
    const node* first = inputs_.slot(n.in[1].node);
    for (int k = 1; k <= indexed; ++k) {
      const int i = n.in[at(k)].node;
      if (i < 0) return false;
      const node* index = inputs_.slot(i);
      if (!numjit::detail::can_gather_by(index->type) || index->rank < 1 || !index->is(node::c_contiguous) ||
          !numjit::detail::same_shape(index, first) || (rows_ >= 0 && index->shape[0] != rows_))
        return false;
      const int root = root_of(graph_, i, inputs_, offset = 0);
      if (produced_[at(root)] && root != i) return false;
    }
    rows_ = first->shape[0];
    produced_[at(step.node)] = true;
    ++fused_;
    return true;
  }

  // Does argument k, at row r of the space, touch row r of its array only?
  bool stays_in_row(const FusedPart& part, std::size_t k, int root, std::int64_t offset) const {
    const node* array = inputs_.slot(root);
    if (array->rank < 1 || array->shape[0] != part.extent[0]) return false;
    const std::int64_t row = array->strides[0];
    const std::int64_t* stride = part.arguments[k].strides;
    if (offset < 0 || (part.extent[0] > 1 && stride[0] != row)) return false;
    std::int64_t end = offset + item_size(array);
    for (int axis = 1; axis < part.rank; ++axis) {
      if (stride[axis] < 0) return false;
      end += stride[axis] * (part.extent[axis] - 1);
    }
    return end <= row;
  }

  // Arrays of one dtype put side by side along another axis than the first, as stack does.
  bool joins_concatenate(const Step& step) {
    const graph::Node& n = graph_.nodes[at(step.node)];
    const node* result = inputs_.slot(step.node);
    if (n.op != op_id::concatenate || result->rank < 2 || result->size == 0 || !result->is(node::c_contiguous) ||
        normalize_axis("concatenate", layout::axis_of(*inputs_.params[at(step.node)]), result->rank) == 0 ||
        (rows_ >= 0 && result->shape[0] != rows_))
      return false;
    for (const graph::Ref& ref : n.in) {
      if (ref.node < 0) return false;
      const node* array = inputs_.slot(ref.node);
      std::int64_t offset = 0;
      const int root = root_of(graph_, ref.node, inputs_, offset);
      if (array->type != result->type || array->rank != result->rank || !array->is(node::c_contiguous) || array->size == 0)
        return false;
      // A view of what the run computes is all of it, in another shape.
      if (produced_[at(root)] && (offset != 0 || array->size != inputs_.slot(root)->size)) return false;
    }
    rows_ = result->shape[0];
    produced_[at(step.node)] = true;
    ++fused_;
    return true;
  }

  std::unique_ptr<RowBlocks> make(int from, int to) {
    if (fused_ < 2) return nullptr;  // there may be no step
    while (planned_.steps[at(to)].kind == Step::Kind::view) --to;
    std::unique_ptr<RowBlocks> blocks(new RowBlocks);
    blocks->first_ = from;
    blocks->last_ = to;
    blocks->rows_ = rows_;
    blocks->internal_.assign(graph_.nodes.size(), -1);
    for (int s = from; s <= to; ++s)
      for (int i : planned_.steps[at(s)].free_after)
        if (produced_[at(i)] && !ended_[at(i)] && !planned_.persistent[at(i)]) {
          blocks->internal_[at(i)] = static_cast<int>(blocks->scratch_.size());
          blocks->scratch_.push_back(inputs_.slot(i)->strides[0]);
        }
    std::int64_t row_bytes = std::accumulate(blocks->scratch_.begin(), blocks->scratch_.end(), std::int64_t{0});
    bool gains = false;
    std::vector<node* const*> counted;
    for (int s = from; s <= to; ++s) {
      Step& step = planned_.steps[at(s)];
      if (step.kind == Step::Kind::view) continue;
      if (step.kind == Step::Kind::single) {
        const op_id op = graph_.nodes[at(step.node)].op;
        blocks->parts_.push_back(op == op_id::take || op == op_id::take_places ? make_take(*blocks, step, row_bytes, gains)
                                                                               : make_join(*blocks, step, row_bytes, gains));
        continue;
      }
      add_kernel(*blocks, step, row_bytes, gains, counted);
    }
    blocks->is_one_with_endings_ = fused_ - endings_ < 2;
    if (!gains || !choose_block(*blocks, row_bytes) || !blocks->bind()) return nullptr;
    return blocks;
  }

  void add_kernel(RowBlocks& blocks, Step& step, std::int64_t& row_bytes, bool& gains, std::vector<node* const*>& counted) const {
    FusedPart& part = step.parts[0];
    Part made;
    made.part = &part;
    made.in_chunks = part.reduced_axis[0] == 0;
    std::vector<std::int64_t> temporaries;
    for (std::size_t k = 0; k < part.arguments.size(); ++k) {
      const std::size_t inputs = part.operands.size();
      const ArraySource& source = k < inputs ? part.operands[k] : part.outputs[k - inputs];
      Argument argument{part.places[k], part.arguments[k].strides[0]};
      if (source.temporary >= 0) {
        temporaries.push_back(blocks.shared_bytes_);
        argument.shared = blocks.shared_bytes_;
        blocks.shared_bytes_ += temporary_bytes(step, source);
      } else {
        std::int64_t offset = 0;
        argument.scratch = blocks.internal_[at(root_of(graph_, source.node, inputs_, offset))];
        // A view of what the run computes has no place of its own while it runs.
        if (argument.scratch >= 0) argument.offset = offset;
        count(blocks, part, k, argument, row_bytes, gains, counted);
      }
      made.arguments.push_back(argument);
    }
    blocks.estimate_ns_ += detail::ns_per_point(part.call.spec()) * points_of(part);
    blocks.parts_.push_back(std::move(made));
    for (std::size_t p = 1; reduces_rows && p < step.parts.size(); ++p) add_ending(blocks, step, p, temporaries);
  }

  // Bytes that the run moves for an argument: of an array that was there before, once.
  void count(RowBlocks& blocks, const FusedPart& part, std::size_t k, const Argument& argument, std::int64_t& row_bytes,
             bool& gains, std::vector<node* const*>& counted) const {
    if (argument.scratch >= 0 || std::find(counted.begin(), counted.end(), argument.place) != counted.end()) {
      gains = true;
      return;
    }
    counted.push_back(argument.place);
    if (argument.row_step == 0) return;
    std::int64_t bytes = item_size(*argument.place);
    for (int axis = 1; axis < part.rank; ++axis)
      if (part.arguments[k].strides[axis] != 0) bytes *= part.extent[axis];
    row_bytes += bytes;
    blocks.bytes_ += bytes * rows_;
  }

  // Temporaries lie one behind the other, in the order in which the launches make them.
  static void add_ending(RowBlocks& blocks, Step& step, std::size_t p, std::vector<std::int64_t>& temporaries) {
    FusedPart& part = step.parts[p];
    Ending made;
    made.part = &part;
    const auto add = [&](const ArraySource& source, std::size_t k) {
      Argument argument{part.places[k]};
      if (source.temporary >= 0) argument.shared = temporaries[at(source.temporary)];
      made.arguments.push_back(argument);
    };
    for (std::size_t k = 0; k < part.operands.size(); ++k) add(part.operands[k], k);
    for (std::size_t k = 0; k < part.outputs.size(); ++k) {
      if (part.outputs[k].temporary >= 0) {
        temporaries.push_back(blocks.shared_bytes_);
        blocks.shared_bytes_ += temporary_bytes(step, part.outputs[k]);
      }
      add(part.outputs[k], part.operands.size() + k);
    }
    blocks.endings_.push_back(std::move(made));
  }

  static std::int64_t temporary_bytes(const Step& step, const ArraySource& source) {
    const ChainTemporary& t = step.temporaries[at(source.temporary)];
    const FusedPart& first = step.parts[0];
    std::int64_t bytes = static_cast<std::int64_t>(dtype(t.type).itemsize());
    for (int axis = 0; axis < first.rank; ++axis)
      if (!(t.reduced >> axis & 1)) bytes *= first.extent[axis];
    return (bytes + 63) / 64 * 64;
  }

  // An argument that is an array of its own or all of what the run computes.
  void add_argument(RowBlocks& blocks, Part& part, int i, std::int64_t& row_bytes, bool& gains) const {
    std::int64_t offset = 0;
    const node* array = inputs_.slot(i);
    const int scratch = blocks.internal_[at(root_of(graph_, i, inputs_, offset))];
    const std::int64_t row_step = array->size / rows_ * item_size(array);
    part.arguments.push_back({inputs_.slots[at(i)], row_step, scratch});
    if (scratch >= 0) {
      gains = true;
    } else {
      row_bytes += row_step;
      blocks.bytes_ += row_step * rows_;
    }
  }

  Part make_take(RowBlocks& blocks, const Step& step, std::int64_t& row_bytes, bool& gains) const {
    const graph::Node& n = graph_.nodes[at(step.node)];
    Part part;
    part.source = inputs_.slots[at(n.in[0].node)];
    if (n.op == op_id::take_places) part.indexed = static_cast<int>(n.in.size()) - 1;
    for (std::size_t k = 1; k < n.in.size(); ++k) add_argument(blocks, part, n.in[k].node, row_bytes, gains);
    add_argument(blocks, part, step.node, row_bytes, gains);
    const node* index = *part.arguments[0].place;
    part.row_count = index->size / rows_;
    blocks.estimate_ns_ += static_cast<double>(index->size) + 0.1 * static_cast<double>(part.arguments.back().row_step * rows_);
    return part;
  }

  Part make_join(RowBlocks& blocks, const Step& step, std::int64_t& row_bytes, bool& gains) const {
    const graph::Node& n = graph_.nodes[at(step.node)];
    Part part;
    for (const graph::Ref& ref : n.in) add_argument(blocks, part, ref.node, row_bytes, gains);
    add_argument(blocks, part, step.node, row_bytes, gains);
    const node* result = *part.arguments.back().place;
    const int axis = normalize_axis("concatenate", layout::axis_of(*inputs_.params[at(step.node)]), result->rank);
    part.row_count = 1;
    for (int a = 1; a < axis; ++a) part.row_count *= result->shape[a];
    blocks.estimate_ns_ += 0.5 * static_cast<double>(result->size);
    return part;
  }

  bool choose_block(RowBlocks& blocks, std::int64_t row_bytes) const {
    if (row_bytes * rows_ < least_bytes || row_bytes > 4 * block_bytes) return false;
    const std::int64_t shares = numjit::detail::thread_count() * std::int64_t{4};
    std::int64_t block = std::max<std::int64_t>(block_bytes / row_bytes, 1);
    block = std::min(block, std::max<std::int64_t>(rows_ / shares, 1));
    if (block > 64) block = block / 64 * 64;
    const bool in_chunks =
        std::any_of(blocks.parts_.begin(), blocks.parts_.end(), [](const Part& part) { return part.in_chunks; });
    if (in_chunks) {
      block = std::max(block / chunk_size, std::int64_t{1}) * chunk_size;
      if (row_bytes * block > 4 * block_bytes) return false;
    }
    blocks.block_ = block;
    for (std::int64_t& place : blocks.scratch_) {  // from bytes a row to where it begins
      const std::int64_t bytes = (place * block + 63) / 64 * 64;
      place = blocks.lane_bytes_;
      blocks.lane_bytes_ += bytes;
    }
    return block < rows_;
  }

  const graph::Graph& graph_;
  PlannedSteps& planned_;
  const RunInputs& inputs_;
  std::vector<bool> produced_;  // nodes that the steps taken so far compute
  std::vector<bool> ended_;     // those of them that are there behind all blocks only
  std::int64_t rows_ = -1;
  int fused_ = 0, endings_ = 0;  // steps that joined; those of them that reduce the rows
  bool in_chunks_ = false;
};

std::vector<std::unique_ptr<RowBlocks>> RowBlocks::find(const graph::Graph& graph, PlannedSteps& planned,
                                                        const RunInputs& inputs) {
  return Finder(graph, planned, inputs).find();
}

}  // namespace numjit::runtime
