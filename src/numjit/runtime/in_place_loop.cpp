// Several stores in place, tile by tile. Places in the target and in images of it are counted in bytes from the
// target's first element: row i is at i * row_step_.
#include <numjit/runtime/in_place_loop.h>

#include <algorithm>
#include <cstring>

#include <numjit/base/thread_pool.h>

namespace numjit::runtime {
namespace {

/// Bytes of an image: two of them stay in a core's share of the last cache. Smaller ones, for the second-level cache,
/// overlap so much that they are slower from 500 x 500 doubles on.
constexpr std::int64_t image_bytes = 1 << 20;
/// Rows of a tile for each row that is computed twice, or the work done again costs what the cache gives.
constexpr std::int64_t rows_per_overlap = 2;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

/// What one share needs for itself. Memory is of the run.
struct InPlaceLoop::Lane {
  std::vector<std::unique_ptr<detail::LaunchPlan>> plans;  // per stage
  std::vector<detail::KernelSource> kernels;
  std::vector<LaunchOperand> operands;
  std::vector<std::int64_t> from, to;  // rows that each stage computes for a tile
  char *image[2] = {}, *above = nullptr, *below = nullptr;
};

/// Rows [first, last) of a share that ends at `end`.
struct InPlaceLoop::Tile {
  std::int64_t first, last, end;
};

/// Memory for bytes of the target from `begin` on; the target itself begins at 0.
struct InPlaceLoop::Image {
  char* data;
  std::int64_t begin;
  char* operator+(std::int64_t byte) const { return data + (byte - begin); }
};

InPlaceLoop::~InPlaceLoop() = default;

// ---- finding ----

std::vector<std::unique_ptr<InPlaceLoop>> InPlaceLoop::take(std::vector<std::unique_ptr<InPlaceStore>>& stores,
                                                            const PlannedSteps& planned) {
  const auto follows = [&](const InPlaceStore& a, const InPlaceStore& b) {
    for (int s = a.last() + 1; s < b.first(); ++s)
      if (planned.steps[at(s)].kind != Step::Kind::view) return false;
    const bool same = a.planned_at_ ? a.planned_at_ == b.planned_at_ : a.root_ == b.root_ && a.root_offset_ == b.root_offset_;
    return same && a.item_ == b.item_ && a.shape_ == b.shape_ && a.strides_ == b.strides_;
  };
  std::vector<std::unique_ptr<InPlaceLoop>> found;
  for (std::size_t from = 0; from + 1 < stores.size();) {
    std::size_t to = from + 1;
    while (to < stores.size() && follows(*stores[to - 1], *stores[to])) ++to;
    // As many as fit a tile; the rest make the next loop.
    std::size_t taken = to;
    std::unique_ptr<InPlaceLoop> loop;
    for (; taken > from + 1 && !loop; --taken) loop = make(stores, from, taken);
    if (loop) {
      from = taken + 1;
      found.push_back(std::move(loop));
    } else {
      from = to;
    }
  }
  return found;
}

std::unique_ptr<InPlaceLoop> InPlaceLoop::make(std::vector<std::unique_ptr<InPlaceStore>>& stores, std::size_t from,
                                               std::size_t to) {
  std::unique_ptr<InPlaceLoop> loop(new InPlaceLoop);
  for (std::size_t i = from; i < to; ++i) loop->stages_.push_back(std::move(stores[i]));
  if (loop->fits() && loop->bind()) return loop;
  for (std::size_t i = from; i < to; ++i) stores[i] = std::move(loop->stages_[i - from]);
  return nullptr;
}

/// Is there a tile of rows worth it? Decides what a loop keeps of its stages.
bool InPlaceLoop::fits() {
  const InPlaceStore& like = *stages_[0];
  first_ = like.first();
  last_ = stages_.back()->last();
  rows_ = like.rows_;
  row_step_ = like.strides_[0];
  gap_ = row_step_ - like.end_of_row_;
  // What lies between the rows, or in them, is copied too.
  if (2 * (row_step_ - like.row_bytes_) > row_step_) return false;
  for (const auto& stage : stages_) {
    total_.up += stage->room_.up;
    total_.down += stage->room_.down;
    estimate_ns_ += stage->estimate_ns_;
    bytes_ = std::max(bytes_, stage->bytes_);
  }
  const std::int64_t overlap = total_.up + total_.down, most = image_bytes / row_step_ - overlap - 1;
  if (most < rows_per_overlap * std::max<std::int64_t>(overlap, 1)) return false;
  const std::int64_t threads = bind_lanes(), share = (rows_ + threads - 1) / threads;
  tile_ = std::min(most, share);
  return tile_ >= rows_per_overlap * overlap && tile_ >= 1;
}

bool InPlaceLoop::bind() {
  const int threads = bind_lanes();
  for (int t = 0; t < threads; ++t) {
    auto lane = std::make_unique<Lane>();
    lane->kernels.resize(stages_.size());
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const FusedPart& part = *stages_[s]->part_;
      std::vector<LaunchOperand> arguments = part.arguments;
      arguments[part.operands.size()].strides = stages_[s]->strides_.begin();
      lane->plans.push_back(plan_rows(part, arguments.data(), image_rows(), lane->kernels[s]));
      if (!lane->plans[s] || !lane->plans[s]->can_run_first(image_rows())) return false;
      lane->operands.resize(std::max(lane->operands.size(), arguments.size()));
    }
    lane->from.resize(stages_.size());
    lane->to.resize(stages_.size());
    lanes_.push_back(std::move(lane));
  }
  reach_.resize(stages_.size());
  moves_.resize(stages_.size());
  return true;
}

bool InPlaceLoop::keeps(int i) const {
  return std::any_of(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage->keeps(i); });
}

/// Two images, with room for laying them to the lines of the cache, and what waits.
std::int64_t InPlaceLoop::lane_bytes() const {
  constexpr std::int64_t line = numjit::detail::block_alignment;
  const std::int64_t bytes = 2 * (waiting_bytes(image_rows()) + line) + waiting_bytes(total_.up) + waiting_bytes(total_.down);
  return (bytes + line - 1) / line * line;
}

std::int64_t InPlaceLoop::scratch_bytes() const { return lane_bytes() * static_cast<std::int64_t>(lanes_.size()); }

// ---- running ----

/// Where everything lies now. False: not as it did when the tiles were chosen.
bool InPlaceLoop::reach_now() {
  const char* target = (*stages_[0]->target_)->data;
  Reach sum;
  region_begin_ = 0;
  region_end_ = (rows_ - 1) * row_step_ + stages_[0]->end_of_row_;
  const std::int64_t written = region_end_;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const FusedPart& part = *stages_[s]->part_;
    reach_[s] = {};
    if ((*stages_[s]->target_)->data != target || !stages_[s]->reach_now(reach_[s])) return false;
    sum.up += reach_[s].up;
    sum.down += reach_[s].down;
    moves_[s].assign(part.operands.size(), false);
    for (std::size_t k = 0; k < part.operands.size(); ++k) {
      const std::int64_t from = stages_[s]->operand(k) - target, to = from + stages_[s]->span(k);
      if (from >= written || to <= 0) continue;  // elsewhere
      moves_[s][k] = true;
      region_begin_ = std::min(region_begin_, from);
      region_end_ = std::max(region_end_, to);
    }
  }
  return sum.up <= total_.up && sum.down <= total_.down;
}

bool InPlaceLoop::run() {
  if (!reach_now()) return false;
  const std::int64_t threads = numjit::detail::thread_count();
  const std::int64_t shares =
      estimate_ns_ < numjit::detail::parallel_from_ns
          ? 1
          : std::clamp<std::int64_t>(rows_ / std::max<std::int64_t>(rows_per_overlap * (total_.up + total_.down), 1), 1, threads);
  const RunScratch scratch(lane_bytes() * shares);
  if (!scratch.data()) return false;
  for (std::int64_t share = 0; share < shares; ++share) {
    Lane& lane = *lanes_[at(share)];
    char* memory = scratch.data() + share * lane_bytes();
    for (char*& image : lane.image) {
      image = memory;
      memory += waiting_bytes(image_rows()) + static_cast<std::int64_t>(numjit::detail::block_alignment);
    }
    lane.above = memory;
    lane.below = memory + waiting_bytes(total_.down);
    // What the neighbours overwrite.
    const std::int64_t begin = share_begin(share, shares), end = share_begin(share + 1, shares);
    if (share > 0) copy_out(lane.above, (begin - total_.down) * row_step_ - gap_, begin * row_step_);
    if (share < shares - 1) copy_out(lane.below, end * row_step_, (end + total_.up) * row_step_);
  }
  numjit::detail::parallel_plain_ranges(shares, 1, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t share = from; share < to; ++share)
      run_share(*lanes_[at(share)], share_begin(share, shares), share_begin(share + 1, shares));
  });
  return true;
}

/// Bytes [from, end) of the target, as far as anything is there, to where `from` is to be.
void InPlaceLoop::copy_out(char* to, std::int64_t from, std::int64_t end) const {
  const std::int64_t first = inside(from), last = inside(end);
  if (first < last) std::memcpy(to + (first - from), (*stages_[0]->target_)->data + first, at(last - first));
}

void InPlaceLoop::run_share(Lane& lane, std::int64_t begin, std::int64_t end) {
  const std::int64_t tiles = (end - begin + tile_ - 1) / tile_;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const Tile tile{begin + (end - begin) * t / tiles, begin + (end - begin) * (t + 1) / tiles, end};
    std::int64_t from = tile.first, to = tile.last;
    for (std::size_t s = stages_.size(); s-- > 0;) {
      lane.from[s] = from;
      lane.to[s] = to;
      from = std::max<std::int64_t>(from - reach_[s].down, 0);
      to = std::min(to + reach_[s].up, rows_);
    }
    run_tile(lane, tile);
  }
}

void InPlaceLoop::run_tile(Lane& lane, const Tile& tile) {
  // At the ends of the array a later stage may read more rows than the first: those that none writes.
  std::int64_t from = lane.from[0], to = lane.to[0];
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    from = std::min(from, lane.from[s] - reach_[s].down);
    to = std::max(to, lane.to[s] + reach_[s].up);
  }
  const std::int64_t begin = inside(from * row_step_ - gap_), end = inside(to * row_step_);
  const Image target{(*stages_[0]->target_)->data, 0};
  // Rows of images begin where lines of the cache do, if they are as long: those of the target may not (u(in, in)).
  constexpr auto line = static_cast<std::int64_t>(numjit::detail::block_alignment);
  const std::int64_t shift = (begin % line + line) % line;
  Image now{lane.image[0] + shift, begin}, next{lane.image[1] + shift, begin};
  load(lane, tile, now, end);
  copy_rest(now, next, lane.from[0], lane.to[0], end);
  const std::size_t last = stages_.size() - 1;
  for (std::size_t s = 0; s < last; ++s) {
    compute(lane, s, now, next);
    std::swap(now, next);
  }
  if (tile.last < tile.end) copy_out(lane.above, (tile.last - total_.down) * row_step_ - gap_, tile.last * row_step_);
  compute(lane, last, now, target);
}

/// The target's bytes up to `end` as they were before the run.
void InPlaceLoop::load(const Lane& lane, const Tile& tile, Image to, std::int64_t end) const {
  const auto copy = [&](const char* from, std::int64_t first, std::int64_t last) {
    if (first < last) std::memcpy(to + first, from, at(last - first));
  };
  const std::int64_t first = tile.first > 0 ? tile.first * row_step_ : to.begin;
  const std::int64_t last = tile.end < rows_ ? std::min(tile.end * row_step_, end) : end;
  copy(lane.above + (to.begin - ((tile.first - total_.down) * row_step_ - gap_)), to.begin, first);
  copy((*stages_[0]->target_)->data + first, first, last);
  copy(lane.below, last, end);
}

/// What no stage writes: bytes before rows [first, last), between and behind them.
void InPlaceLoop::copy_rest(Image from, Image to, std::int64_t first, std::int64_t last, std::int64_t end) const {
  const auto copy = [&](std::int64_t begin, std::int64_t stop) {
    if (begin < stop) std::memcpy(to + begin, from + begin, at(stop - begin));
  };
  const InPlaceStore& like = *stages_[0];
  if (like.end_of_row_ != like.row_bytes_) return copy(from.begin, end);
  copy(from.begin, first * row_step_);
  if (gap_ > 0)
    for (std::int64_t row = first; row < last - 1; ++row) copy((row + 1) * row_step_ - gap_, (row + 1) * row_step_);
  copy((last - 1) * row_step_ + like.end_of_row_, end);
}

void InPlaceLoop::compute(Lane& lane, std::size_t stage, Image from, Image to) const {
  const InPlaceStore& store = *stages_[stage];
  const FusedPart& part = *store.part_;
  const std::int64_t row = lane.from[stage];
  const char* target = (*store.target_)->data;
  const std::size_t inputs = part.operands.size();
  for (std::size_t k = 0; k < inputs; ++k) {
    const std::int64_t* strides = part.arguments[k].strides;
    char* data = store.operand(k);
    lane.operands[k] = {moves_[stage][k] ? from + (data - target + row * row_step_) : data + row * strides[0], strides};
  }
  lane.operands[inputs] = {to + row * row_step_, store.strides_.begin()};
  run_first(*lane.plans[stage], part, lane.operands.data(), lane.to[stage] - row, image_rows());
}

}  // namespace numjit::runtime
