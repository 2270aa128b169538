// Running steps that go through their arrays together.
#include <algorithm>
#include <atomic>

#include <numjit/array/gather.h>
#include <numjit/base/thread_pool.h>
#include <numjit/runtime/launch/launch.h>
#include <numjit/runtime/nest/row_blocks_parts.h>
#include <numjit/runtime/nest/strided_copy.h>

namespace numjit::runtime {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::int64_t item_size(const node* n) { return static_cast<std::int64_t>(dtype(n->type).itemsize()); }

}  // namespace

RowBlocks::~RowBlocks() = default;

bool RowBlocks::bind() {
  std::size_t most = 0;
  for (Part& part : parts_) {
    if (!part.part) continue;
    most = std::max(most, part.arguments.size());
    if (!part.in_chunks) continue;
    part.chunks = plan_rows(*part.part, rows_, part.kernels);
    if (!part.chunks || part.chunks->chunks() == 0) return false;
  }
  for (Ending& ending : endings_) {
    most = std::max(most, ending.arguments.size());
    ending.plan = plan_rows(*ending.part, ending.part->extent[0], ending.kernels);
    if (!ending.plan) return false;
  }
  const int count = bind_lanes();
  for (int t = 0; t < count; ++t) {
    auto lane = std::make_unique<Lane>();
    for (Part& part : parts_) {
      std::unique_ptr<detail::LaunchPlan>& whole = lane->whole.emplace_back();
      std::unique_ptr<detail::LaunchPlan>& odd = lane->odd.emplace_back();
      if (!part.part || part.in_chunks) continue;
      whole = plan_rows(*part.part, block_, part.kernels);
      if (rows_ % block_ != 0) odd = plan_rows(*part.part, rows_ % block_, part.kernels);
      if (!whole || (rows_ % block_ != 0 && !odd)) return false;
    }
    lane->operands.resize(most);
    lanes_.push_back(std::move(lane));
  }
  return true;
}

std::int64_t RowBlocks::scratch_bytes() const { return lane_bytes_ * static_cast<std::int64_t>(lanes_.size()) + shared_bytes_; }

bool RowBlocks::run() {
  const RunScratch scratch(scratch_bytes());
  if (!scratch.data()) return false;
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    lanes_[i]->scratch = scratch.data() + static_cast<std::int64_t>(i) * lane_bytes_;
  shared_ = scratch.data() + static_cast<std::int64_t>(lanes_.size()) * lane_bytes_;
  for (const Part& part : parts_)
    if (part.chunks) part.chunks->begin_chunks(launch_of(*part.part, nullptr));
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
  if (reduces_rows && done) run_endings(*lanes_[0]);
  return done;
}

char* RowBlocks::place(const Argument& argument, const Lane& lane, std::int64_t row) const {
  if (argument.scratch >= 0) return lane.scratch + scratch_[at(argument.scratch)] + argument.offset;
  return (argument.shared >= 0 ? shared_ + argument.shared : (*argument.place)->data) + row * argument.row_step;
}

// False at an index that is out of bounds.
bool RowBlocks::take(const Part& part, const Lane& lane, std::int64_t row, std::int64_t rows) const {
  const node *source = *part.source, *index = *part.arguments[0].place;
  const std::int64_t run = part.arguments[1].row_step / part.row_count, bytes = source->size * item_size(source);
  const numjit::detail::gathering g{source->data, place(part.arguments[1], lane, row), 1, part.row_count * rows, bytes / run,
                                    run};
  return numjit::detail::gather(g, place(part.arguments[0], lane, row), index->type, 0, g.count);
}

bool RowBlocks::take_places(const Part& part, const Lane& lane, std::int64_t row, std::int64_t rows) const {
  const node* source = *part.source;
  numjit::detail::place_gathering::axis axes[max_rank];
  const auto indexed = static_cast<std::size_t>(part.indexed);
  for (std::size_t k = 0; k < indexed; ++k)
    axes[k] = {place(part.arguments[k], lane, row), (*part.arguments[k].place)->type, source->shape[k], source->strides[k]};
  const Argument& result = part.arguments[indexed];
  return numjit::detail::gather_places(
      {source->data, place(result, lane, row), axes, part.indexed, result.row_step / part.row_count}, 0, part.row_count * rows);
}

void RowBlocks::join(const Part& part, const Lane& lane, std::int64_t row, std::int64_t rows) const {
  const Argument& result = part.arguments.back();
  char* to = place(result, lane, row);
  for (std::size_t k = 0; k + 1 < part.arguments.size(); ++k) {
    const std::int64_t bytes = part.arguments[k].row_step / part.row_count;
    copy_strided(place(part.arguments[k], lane, row), bytes, to, result.row_step / part.row_count, part.row_count * rows, bytes);
    to += bytes;
  }
}

// The plan counts from the first row of all, which is not in scratch: so its place is told as if it were.
void RowBlocks::run_chunks(const Part& part, Lane& lane, std::int64_t row, std::int64_t rows) const {
  for (std::size_t k = 0; k < part.arguments.size(); ++k) {
    const Argument& argument = part.arguments[k];
    lane.operands[k] = {place(argument, lane, row) - row * argument.row_step, part.part->arguments[k].strides};
  }
  const std::int64_t first = row / chunk_size, count = (rows + chunk_size - 1) / chunk_size;
  part.chunks->run_chunks(launch_of(*part.part, lane.operands.data()), first, first + count);
}

void RowBlocks::run_endings(Lane& lane) {
  const auto bring = [&](const FusedPart& part, const std::vector<Argument>& arguments) {
    for (std::size_t k = 0; k < arguments.size(); ++k)
      lane.operands[k] = {place(arguments[k], lane, 0), part.arguments[k].strides};
    return launch_of(part, lane.operands.data());
  };
  for (const Part& part : parts_)
    if (part.chunks) part.chunks->finish_chunks(bring(*part.part, part.arguments));
  for (const Ending& ending : endings_) ending.plan->run(bring(*ending.part, ending.arguments));
}

/// False at an index that is out of bounds: the steps one by one make the error of it.
bool RowBlocks::run_block(Lane& lane, std::int64_t number) {
  const std::int64_t row = number * block_;
  const bool odd = row + block_ > rows_;
  const std::int64_t rows = odd ? rows_ - row : block_;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    if (part.source) {
      if (!(part.indexed > 0 ? take_places(part, lane, row, rows) : take(part, lane, row, rows))) return false;
    } else if (!part.part) {
      join(part, lane, row, rows);
    } else if (reduces_rows && part.in_chunks) {
      run_chunks(part, lane, row, rows);
    } else {
      for (std::size_t k = 0; k < part.arguments.size(); ++k)
        lane.operands[k] = {place(part.arguments[k], lane, row), part.part->arguments[k].strides};
      run_rows(*(odd ? lane.odd : lane.whole)[p], *part.part, lane.operands.data());
    }
  }
  return true;
}

}  // namespace numjit::runtime
