// Finding and running steps that go through their arrays together.
#include <numjit/runtime/row_blocks.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/thread_pool.h>
#include <numjit/runtime/launch.h>
#include <numjit/runtime/part_layout.h>

namespace numjit::runtime {
namespace {

/// Bytes of all arrays of a block: what a core's second-level cache holds with ease.
constexpr std::int64_t block_bytes = 128 << 10;
/// Arrays that all fit into the caches anyway gain nothing.
constexpr std::int64_t least_bytes = 512 << 10;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::int64_t item_size(const node* n) { return static_cast<std::int64_t>(dtype(n->type).itemsize()); }

}  // namespace

/// One kernel launch of the run.
struct RowBlocks::Part {
  FusedPart* part;
  std::vector<std::int64_t> row_step;   // per argument: bytes from row to row
  std::vector<int> scratch;             // per argument: which array in scratch, or -1
  std::vector<std::int64_t> offset;     // per argument: of a view into it
  detail::KernelSource kernels;
};

/// What one thread needs for itself.
struct RowBlocks::Lane {
  std::atomic<bool> busy{false};
  std::vector<std::unique_ptr<detail::LaunchPlan>> whole, odd;  // per part; odd: the last, shorter block
  std::vector<LaunchOperand> operands;
  void* scratch = nullptr;
  std::size_t scratch_bytes = 0;
  ~Lane() {
    if (scratch) numjit::detail::free_block(scratch, scratch_bytes);
  }
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
      int to = from;
      while (to < count && joins(planned_.steps[at(to)])) ++to;
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

  bool joins(Step& step) {
    if (!step.resolve.empty() || !step.unknown.empty()) return false;
    if (step.kind == Step::Kind::view) return true;
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
      if (step.kind != Step::Kind::fused) continue;
      Part part{&step.parts[0], {}, {}, {}, {}};
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
      double points = 1;
      for (int axis = 0; axis < part.part->rank; ++axis)
        points *= static_cast<double>(part.part->extent[axis]);
      blocks->estimate_ns_ += detail::ns_per_point(part.part->call.spec()) * points;
      blocks->parts_.push_back(std::move(part));
    }
    if (!gains || !choose_block(*blocks, row_bytes) || !blocks->bind()) return nullptr;
    return blocks;
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
      lane->whole.push_back(plan_rows(*part.part, block_, part.kernels));
      if (!lane->whole.back()) return false;
      if (rows_ % block_ != 0) {
        lane->odd.push_back(plan_rows(*part.part, rows_ % block_, part.kernels));
        if (!lane->odd.back()) return false;
      }
      most = std::max(most, part.part->arguments.size());
    }
    lane->operands.resize(most);
    lanes_.push_back(std::move(lane));
  }
  return true;
}

std::int64_t RowBlocks::scratch_bytes() const {
  return lane_bytes_ * static_cast<std::int64_t>(lanes_.size());
}

bool RowBlocks::run() {
  // Memory first: pieces of a parallel run had better not throw.
  for (auto& lane : lanes_)
    if (!lane->scratch && lane_bytes_ > 0) {
      lane->scratch_bytes = static_cast<std::size_t>(lane_bytes_);
      lane->scratch = numjit::detail::allocate_block(lane->scratch_bytes);
    }
  const std::int64_t blocks = (rows_ + block_ - 1) / block_;
  numjit::detail::parallel_plain_ranges(blocks, 1, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
    Lane* mine = nullptr;
    while (!mine)  // there are as many as threads
      for (auto& lane : lanes_)
        if (!lane->busy.exchange(true, std::memory_order_acquire)) {
          mine = lane.get();
          break;
        }
    for (std::int64_t b = from; b < to; ++b) run_block(*mine, b);
    mine->busy.store(false, std::memory_order_release);
  });
  return true;
}

void RowBlocks::run_block(Lane& lane, std::int64_t number) {
  const std::int64_t row = number * block_;
  const bool odd = row + block_ > rows_;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    for (std::size_t k = 0; k < part.row_step.size(); ++k) {
      char* data = part.scratch[k] >= 0
                       ? static_cast<char*>(lane.scratch) + scratch_[at(part.scratch[k])] + part.offset[k]
                       : (*part.part->places[k])->data + row * part.row_step[k];
      lane.operands[k] = {data, part.part->arguments[k].strides};
    }
    run_rows(*(odd ? lane.odd : lane.whole)[p], *part.part, lane.operands.data());
  }
}

}  // namespace numjit::runtime
