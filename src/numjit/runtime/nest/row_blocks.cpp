// Finding and running steps that go through their arrays together.
#include <numjit/runtime/nest/row_blocks.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include <numjit/array/gather.h>
#include <numjit/base/thread_pool.h>
#include <numjit/ops/param_layout.h>
#include <numjit/ops/stores_into.h>
#include <numjit/runtime/launch/launch.h>
#include <numjit/runtime/nest/strided_copy.h>
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

/// One kernel launch of the run; or elements taken at indices, or arrays put side by side. The arguments of these are
/// what they read (but the source of a take), and the result.
struct RowBlocks::Part {
  FusedPart* part = nullptr;           // of a kernel
  node* const* source = nullptr;       // of a take
  int indexed = 0;                     // of a take_places: its index arrays
  std::int64_t row_count = 0;          // a take: indices in a row of them; a join: pieces of each array in a row
  std::vector<node* const*> places;    // per argument: where its array stands
  std::vector<std::int64_t> row_step;  // per argument: bytes from row to row
  std::vector<int> scratch;            // per argument: which array in scratch, or -1
  std::vector<std::int64_t> offset;    // per argument: of a view into it
  detail::KernelSource kernels;
};

/// What one thread needs for itself.
struct RowBlocks::Lane {
  std::atomic<bool> busy{false};
  std::vector<std::unique_ptr<detail::LaunchPlan>> whole, odd;  // per part; odd: the last, shorter block
  std::vector<LaunchOperand> operands;
  char* scratch = nullptr;  // of a run
};

RowBlocks::~RowBlocks() = default;

// ---- finding ----

class RowBlocks::Finder {
 public:
  Finder(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs)
      : graph_(graph), planned_(planned), inputs_(inputs) {}

  std::vector<std::unique_ptr<RowBlocks>> find() {
    std::vector<std::unique_ptr<RowBlocks>> found;
    const int count = static_cast<int>(planned_.steps.size());
    for (int from = 0; from < count;) {
      begin();
      if (is_small(planned_.steps[at(from)])) {
        ++from;
        continue;
      }
      int to = from;
      for (; to < count; ++to) {
        if (to > from && can_go_first(from, to))
          go_first(from++, to);
        else if (!joins(planned_.steps[at(to)]))
          break;
      }
      if (fused_ >= 2)
        if (auto blocks = make(from, to - 1)) found.push_back(std::move(blocks));
      from = std::max(to, from + 1);
    }
    return found;
  }

 private:
  void begin() {
    produced_.assign(graph_.nodes.size(), false);
    rows_ = -1;
    fused_ = 0;
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

  bool joins(Step& step) {
    if (!step.resolve.empty() || !step.unknown.empty()) return false;
    if (step.kind == Step::Kind::view) return true;
    if (step.kind == Step::Kind::single) return joins_take(step) || joins_take_places(step) || joins_concatenate(step);
    if (step.kind != Step::Kind::fused || step.parts.size() != 1 || step.store_target >= 0) return false;
    FusedPart& part = step.parts[0];
    if (part.reduced_axis[0] == 0 || part.reduced_axis[1] >= 0 || part.rank < 1 || part.arguments.empty() ||
        !part.call.info().compiled)
      return false;
    for (int axis = 0; axis < part.rank; ++axis)
      if (part.extent[axis] == 0) return false;
    if (rows_ >= 0 && part.extent[0] != rows_) return false;
    if (!part.offsets.empty()) return false;
    for (std::size_t k = 0; k < part.operands.size(); ++k) {
      std::int64_t offset = 0;
      const int root = root_of(graph_, part.operands[k].node, inputs_, offset);
      if (produced_[at(root)] && !stays_in_row(part, k, root, offset)) return false;
    }
    for (std::size_t k = 0; k < part.outputs.size(); ++k)
      if (!stays_in_row(part, part.operands.size() + k, part.outputs[k].node, 0)) return false;
    rows_ = part.extent[0];
    for (const ArraySource& output : part.outputs) produced_[at(output.node)] = true;
    ++fused_;
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
    while (planned_.steps[at(to)].kind == Step::Kind::view) --to;
    std::unique_ptr<RowBlocks> blocks(new RowBlocks);
    blocks->first_ = from;
    blocks->last_ = to;
    blocks->rows_ = rows_;
    blocks->internal_.assign(graph_.nodes.size(), -1);
    for (int s = from; s <= to; ++s)
      for (int i : planned_.steps[at(s)].free_after)
        if (produced_[at(i)] && !planned_.persistent[at(i)]) {
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
      Part part;
      part.part = &step.parts[0];
      part.places = part.part->places;
      const std::size_t count = part.part->arguments.size();
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t inputs = part.part->operands.size();
        const ArraySource& source = k < inputs ? part.part->operands[k] : part.part->outputs[k - inputs];
        std::int64_t offset = 0;
        const int root = root_of(graph_, source.node, inputs_, offset), scratch = blocks->internal_[at(root)];
        part.row_step.push_back(part.part->arguments[k].strides[0]);
        part.scratch.push_back(scratch);
        // A view of what the run computes has no place of its own while it runs.
        part.offset.push_back(scratch >= 0 ? offset : 0);
        if (scratch >= 0 || std::find(counted.begin(), counted.end(), part.part->places[k]) != counted.end()) {
          gains = true;
          continue;
        }
        counted.push_back(part.part->places[k]);
        if (part.row_step.back() == 0) continue;
        std::int64_t bytes = item_size(*part.part->places[k]);
        for (int axis = 1; axis < part.part->rank; ++axis)
          if (part.part->arguments[k].strides[axis] != 0) bytes *= part.part->extent[axis];
        row_bytes += bytes;
        blocks->bytes_ += bytes * rows_;
      }
      blocks->estimate_ns_ += detail::ns_per_point(part.part->call.spec()) * points_of(*part.part);
      blocks->parts_.push_back(std::move(part));
    }
    if (!gains || !choose_block(*blocks, row_bytes) || !blocks->bind()) return nullptr;
    return blocks;
  }

  // An argument that is an array of its own or all of what the run computes.
  void add_argument(RowBlocks& blocks, Part& part, int i, std::int64_t& row_bytes, bool& gains) const {
    std::int64_t offset = 0;
    const node* array = inputs_.slot(i);
    const int scratch = blocks.internal_[at(root_of(graph_, i, inputs_, offset))];
    part.places.push_back(inputs_.slots[at(i)]);
    part.row_step.push_back(array->size / rows_ * item_size(array));
    part.scratch.push_back(scratch);
    part.offset.push_back(0);
    if (scratch >= 0) {
      gains = true;
    } else {
      row_bytes += part.row_step.back();
      blocks.bytes_ += part.row_step.back() * rows_;
    }
  }

  Part make_take(RowBlocks& blocks, const Step& step, std::int64_t& row_bytes, bool& gains) const {
    const graph::Node& n = graph_.nodes[at(step.node)];
    Part part;
    part.source = inputs_.slots[at(n.in[0].node)];
    if (n.op == op_id::take_places) part.indexed = static_cast<int>(n.in.size()) - 1;
    for (std::size_t k = 1; k < n.in.size(); ++k) add_argument(blocks, part, n.in[k].node, row_bytes, gains);
    add_argument(blocks, part, step.node, row_bytes, gains);
    const node* index = *part.places[0];
    part.row_count = index->size / rows_;
    blocks.estimate_ns_ += static_cast<double>(index->size) + 0.1 * static_cast<double>(part.row_step.back() * rows_);
    return part;
  }

  Part make_join(RowBlocks& blocks, const Step& step, std::int64_t& row_bytes, bool& gains) const {
    const graph::Node& n = graph_.nodes[at(step.node)];
    Part part;
    for (const graph::Ref& ref : n.in) add_argument(blocks, part, ref.node, row_bytes, gains);
    add_argument(blocks, part, step.node, row_bytes, gains);
    const node* result = *part.places.back();
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
  std::int64_t rows_ = -1;
  int fused_ = 0;
};

std::vector<std::unique_ptr<RowBlocks>> RowBlocks::find(const graph::Graph& graph, PlannedSteps& planned,
                                                        const RunInputs& inputs) {
  return Finder(graph, planned, inputs).find();
}

// ---- running ----

bool RowBlocks::bind() {
  const int count = bind_lanes();
  for (int t = 0; t < count; ++t) {
    auto lane = std::make_unique<Lane>();
    std::size_t most = 0;
    for (Part& part : parts_) {
      if (!part.part) {
        lane->whole.emplace_back(), lane->odd.emplace_back();
        continue;
      }
      lane->whole.push_back(plan_rows(*part.part, block_, part.kernels));
      if (!lane->whole.back()) return false;
      lane->odd.push_back(rows_ % block_ != 0 ? plan_rows(*part.part, rows_ % block_, part.kernels) : nullptr);
      if (rows_ % block_ != 0 && !lane->odd.back()) return false;
      most = std::max(most, part.part->arguments.size());
    }
    lane->operands.resize(most);
    lanes_.push_back(std::move(lane));
  }
  return true;
}

std::int64_t RowBlocks::scratch_bytes() const { return lane_bytes_ * static_cast<std::int64_t>(lanes_.size()); }

bool RowBlocks::run() {
  const RunScratch scratch(scratch_bytes());
  if (!scratch.data()) return false;
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i]->scratch = scratch.data() + static_cast<std::int64_t>(i) * lane_bytes_;
  const std::int64_t blocks = (rows_ + block_ - 1) / block_;
  std::atomic<bool> done{true};
  numjit::detail::parallel_plain_ranges(blocks, 1, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
    Lane* mine = nullptr;
    while (!mine)  // there are as many as threads
      for (auto& lane : lanes_)
        if (!lane->busy.exchange(true, std::memory_order_acquire)) {
          mine = lane.get();
          break;
        }
    for (std::int64_t b = from; b < to && done.load(std::memory_order_relaxed); ++b)
      if (!run_block(*mine, b)) done = false;
    mine->busy.store(false, std::memory_order_release);
  });
  return done;
}

char* RowBlocks::place(const Part& part, std::size_t k, const Lane& lane, std::int64_t row) const {
  return part.scratch[k] >= 0 ? lane.scratch + scratch_[at(part.scratch[k])] + part.offset[k]
                              : (*part.places[k])->data + row * part.row_step[k];
}

bool RowBlocks::take_places(const Part& part, const Lane& lane, std::int64_t row, std::int64_t rows) const {
  const node* source = *part.source;
  numjit::detail::place_gathering::axis axes[max_rank];
  const auto indexed = static_cast<std::size_t>(part.indexed);
  for (std::size_t k = 0; k < indexed; ++k)
    axes[k] = {place(part, k, lane, row), (*part.places[k])->type, source->shape[k], source->strides[k]};
  const std::int64_t run = part.row_step[indexed] / part.row_count;
  return numjit::detail::gather_places({source->data, place(part, indexed, lane, row), axes, part.indexed, run}, 0,
                                       part.row_count * rows);
}

/// False at an index that is out of bounds: the steps one by one make the error of it.
bool RowBlocks::run_block(Lane& lane, std::int64_t number) {
  const std::int64_t row = number * block_;
  const bool odd = row + block_ > rows_;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    const std::int64_t rows = odd ? rows_ - row : block_;
    if (part.indexed > 0) {
      if (!take_places(part, lane, row, rows)) return false;
      continue;
    }
    if (part.source) {
      const node *source = *part.source, *index = *part.places[0];
      const std::int64_t run = part.row_step[1] / part.row_count, bytes = source->size * item_size(source);
      const numjit::detail::gathering g{source->data, place(part, 1, lane, row), 1, part.row_count * rows, bytes / run, run};
      if (!numjit::detail::gather(g, place(part, 0, lane, row), index->type, 0, g.count)) return false;
      continue;
    }
    if (!part.part) {
      const std::size_t result = part.row_step.size() - 1;
      char* to = place(part, result, lane, row);
      for (std::size_t k = 0; k < result; ++k) {
        const std::int64_t bytes = part.row_step[k] / part.row_count;
        copy_strided(place(part, k, lane, row), bytes, to, part.row_step[result] / part.row_count, part.row_count * rows, bytes);
        to += bytes;
      }
      continue;
    }
    for (std::size_t k = 0; k < part.row_step.size(); ++k)
      lane.operands[k] = {place(part, k, lane, row), part.part->arguments[k].strides};
    run_rows(*(odd ? lane.odd : lane.whole)[p], *part.part, lane.operands.data());
  }
  return true;
}

}  // namespace numjit::runtime
