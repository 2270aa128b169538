// Several stores in place, tile by tile. Places in the target and in images of it are counted in bytes from the
// target's first element: row i is at i * row_step_.
#include <numjit/runtime/nest/in_place_loop.h>

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

/// The kernel of a stage, the move of its result to field f, and the rows that it looks at around its own.
const Statement& kernel_of(const Nest& stage) { return stage.statements[0]; }
const Statement& move_to(std::size_t f, const Nest& stage) { return stage.statements[f + 1]; }
std::size_t fields_of(const Nest& stage) { return stage.statements.size() - 1; }
const Access& target_of(std::size_t f, const Nest& stage) { return move_to(f, stage).accesses[1]; }
std::int64_t up_of(const Nest& stage) { return stage.before; }
std::int64_t down_of(const Nest& stage) { return stage.behind; }

}  // namespace

/// Memory for bytes of a target from `begin` on; the target itself begins at 0.
struct InPlaceLoop::Image {
  char* data = nullptr;
  std::int64_t begin = 0;
  char* operator+(std::int64_t byte) const { return data + (byte - begin); }
};

/// An array that all stages write.
struct InPlaceLoop::Field {
  const Access* target = nullptr;      // of the first stage
  std::int64_t row_step = 0, gap = 0;  // bytes from row to row, and of what lies between
  bool is_dense = false;               // does nothing lie in rows?
  std::int64_t begin = 0, end = 0;     // bytes around the target's first that the stages read or write

  char* data() const { return target->data; }
  std::int64_t inside(std::int64_t byte) const { return std::clamp(byte, begin, end); }
  std::int64_t bytes_of(std::int64_t rows) const { return (rows + 1) * row_step; }
  /// Bytes [from, last) of the target, as far as anything is there, to where `from` is to be.
  void copy_out(char* to, std::int64_t from, std::int64_t last) const {
    const std::int64_t first = inside(from);
    last = inside(last);
    if (first < last) std::memcpy(to + (first - from), data() + first, at(last - first));
  }
  void copy_rest(Image from, Image to, std::int64_t first, std::int64_t last, std::int64_t stop) const;
};

/// What one share needs for itself. Memory is of the run.
struct InPlaceLoop::Lane {
  std::vector<std::unique_ptr<detail::LaunchPlan>> plans;  // per stage
  std::vector<detail::KernelSource> kernels;
  std::vector<LaunchOperand> operands;
  std::vector<std::int64_t> from, to;  // rows that each stage computes for a tile
  struct OfField {
    char *memory[2] = {}, *above = nullptr, *below = nullptr;
    Image now, next;  // of the tile at work
  };
  std::vector<OfField> fields;
};

/// Rows [first, last) of a share that ends at `end`.
struct InPlaceLoop::Tile {
  std::int64_t first, last, end;
};

InPlaceLoop::~InPlaceLoop() = default;

// ---- finding ----

std::vector<std::unique_ptr<InPlaceLoop>> InPlaceLoop::take(std::vector<std::unique_ptr<Nest>>& stores,
                                                            const PlannedSteps& planned) {
  const auto follows = [&](const Nest& a, const Nest& b) {
    for (int s = a.last() + 1; s < b.first(); ++s)
      if (planned.steps[at(s)].kind != Step::Kind::view) return false;
    const FusedPart &one = *kernel_of(a).part, &other = *kernel_of(b).part;
    if (one.outputs.size() != fields_of(a) || other.outputs.size() != fields_of(b) || fields_of(a) != fields_of(b) ||
        !std::equal(one.extent, one.extent + one.rank, other.extent, other.extent + other.rank))
      return false;
    for (std::size_t f = 0; f < fields_of(a); ++f) {
      const Access &target = target_of(f, a), &now = target_of(f, b);
      const std::int64_t *strides = (*target.place)->strides, *others = (*now.place)->strides;
      if (target.begin != now.begin || target.item != now.item || !std::equal(strides, strides + one.rank, others)) return false;
    }
    return true;
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

std::unique_ptr<InPlaceLoop> InPlaceLoop::make(std::vector<std::unique_ptr<Nest>>& stores, std::size_t from, std::size_t to) {
  std::unique_ptr<InPlaceLoop> loop(new InPlaceLoop);
  for (std::size_t i = from; i < to; ++i) loop->stages_.push_back(std::move(stores[i]));
  if (loop->fits() && loop->bind()) return loop;
  for (std::size_t i = from; i < to; ++i) stores[i] = std::move(loop->stages_[i - from]);
  return nullptr;
}

/// Is there a tile of rows worth it? Decides what a loop keeps of its stages.
bool InPlaceLoop::fits() {
  const Nest& like = *stages_[0];
  first_ = like.first();
  last_ = stages_.back()->last();
  rows_ = kernel_of(like).rows();
  std::int64_t row_bytes = 0;
  for (std::size_t f = 0; f < fields_of(like); ++f) {
    const Access& target = target_of(f, like);
    const std::int64_t moved = move_to(f, like).moved_bytes();
    // What lies between the rows, or in them, is copied too.
    if (2 * (target.row_step - moved) > target.row_step) return false;
    for (const Field& field : fields_)  // each has images of its own
      if (target.memory == field.target->memory && target.delta < field.target->delta + field.target->bytes &&
          field.target->delta < target.delta + target.bytes)
        return false;
    row_bytes += target.row_step;
    fields_.push_back({&target, target.row_step, target.row_step - target.row_span, moved == target.row_span});
  }
  for (const auto& stage : stages_) {
    up_ += up_of(*stage);
    down_ += down_of(*stage);
    estimate_ns_ += stage->estimate_ns;
    bytes_ = std::max(bytes_, stage->bytes());
  }
  const std::int64_t overlap = up_ + down_, most = image_bytes / row_bytes - overlap - 1;
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
      const FusedPart& part = *kernel_of(*stages_[s]).part;
      std::vector<LaunchOperand> arguments = part.arguments;
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        const Statement& move = move_to(f, *stages_[s]);
        arguments[move.moved].strides = (*move.accesses[1].place)->strides;
      }
      lane->plans.push_back(plan_rows(part, arguments.data(), image_rows(), lane->kernels[s]));
      if (!lane->plans[s] || !lane->plans[s]->can_run_first(image_rows())) return false;
      lane->operands.resize(std::max(lane->operands.size(), arguments.size()));
    }
    lane->from.resize(stages_.size());
    lane->to.resize(stages_.size());
    lane->fields.resize(fields_.size());
    lanes_.push_back(std::move(lane));
  }
  moves_.resize(stages_.size());
  return true;
}

bool InPlaceLoop::keeps(int i) const {
  return std::any_of(stages_.begin(), stages_.end(), [&](const auto& stage) { return stage->keeps(i); });
}

namespace {

/// Rows of images begin where lines of the cache do, if they are as long: those of the target may not (u(in, in)).
constexpr auto line = static_cast<std::int64_t>(numjit::detail::block_alignment);

}  // namespace

/// Of each field two images, with room for laying them to the lines of the cache, and what waits.
std::int64_t InPlaceLoop::lane_bytes() const {
  std::int64_t bytes = 0;
  for (const Field& field : fields_)
    bytes += 2 * (field.bytes_of(image_rows()) + line) + field.bytes_of(up_) + field.bytes_of(down_);
  return (bytes + line - 1) / line * line;
}

void InPlaceLoop::place_lane(Lane& lane, char* memory) const {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    Lane::OfField& own = lane.fields[f];
    for (char*& image : own.memory) {
      image = memory;
      memory += fields_[f].bytes_of(image_rows()) + line;
    }
    own.above = memory;
    own.below = own.above + fields_[f].bytes_of(down_);
    memory = own.below + fields_[f].bytes_of(up_);
  }
}

std::int64_t InPlaceLoop::scratch_bytes() const { return lane_bytes() * static_cast<std::int64_t>(lanes_.size()); }

// ---- running ----

/// Where everything lies now. False: not as it did when the tiles were chosen.
bool InPlaceLoop::places_hold() {
  for (Field& field : fields_) {
    field.begin = 0;
    field.end = field.target->bytes;
  }
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    if (!stages_[s]->places_hold(nullptr)) return false;
    const Statement& kernel = kernel_of(*stages_[s]);
    moves_[s].assign(kernel.part->operands.size(), -1);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      Field& field = fields_[f];
      if (target_of(f, *stages_[s]).data != field.data()) return false;
      for (std::size_t k = 0; k < moves_[s].size(); ++k) {
        const Access& read = kernel.accesses[k];
        const std::int64_t from = read.data + read.low - field.data(), to = from + read.bytes;
        if (from >= field.target->bytes || to <= 0) continue;  // elsewhere
        if (moves_[s][k] >= 0) return false;
        moves_[s][k] = static_cast<int>(f);
        field.begin = std::min(field.begin, from);
        field.end = std::max(field.end, to);
      }
    }
  }
  return true;
}

bool InPlaceLoop::run() {
  if (!places_hold()) return false;
  const std::int64_t threads = numjit::detail::thread_count();
  const std::int64_t shares =
      estimate_ns_ < numjit::detail::parallel_from_ns
          ? 1
          : std::clamp<std::int64_t>(rows_ / std::max<std::int64_t>(rows_per_overlap * (up_ + down_), 1), 1, threads);
  const RunScratch scratch(lane_bytes() * shares);
  if (!scratch.data()) return false;
  for (std::int64_t share = 0; share < shares; ++share) {
    Lane& lane = *lanes_[at(share)];
    place_lane(lane, scratch.data() + share * lane_bytes());
    save_borders(lane, share_begin(share, shares), share_begin(share + 1, shares), share == 0, share == shares - 1);
  }
  numjit::detail::parallel_plain_ranges(shares, 1, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t share = from; share < to; ++share)
      run_share(*lanes_[at(share)], share_begin(share, shares), share_begin(share + 1, shares));
  });
  return true;
}

/// What the neighbours of a share overwrite.
void InPlaceLoop::save_borders(Lane& lane, std::int64_t begin, std::int64_t end, bool is_first, bool is_last) const {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const Field& field = fields_[f];
    const std::int64_t step = field.row_step;
    if (!is_first) field.copy_out(lane.fields[f].above, (begin - down_) * step - field.gap, begin * step);
    if (!is_last) field.copy_out(lane.fields[f].below, end * step, (end + up_) * step);
  }
}

void InPlaceLoop::run_share(Lane& lane, std::int64_t begin, std::int64_t end) {
  const std::int64_t tiles = (end - begin + tile_ - 1) / tile_;
  for (std::int64_t t = 0; t < tiles; ++t) {
    const Tile tile{begin + (end - begin) * t / tiles, begin + (end - begin) * (t + 1) / tiles, end};
    std::int64_t from = tile.first, to = tile.last;
    for (std::size_t s = stages_.size(); s-- > 0;) {
      lane.from[s] = from;
      lane.to[s] = to;
      from = std::max<std::int64_t>(from - down_of(*stages_[s]), 0);
      to = std::min(to + up_of(*stages_[s]), rows_);
    }
    run_tile(lane, tile);
  }
}

void InPlaceLoop::run_tile(Lane& lane, const Tile& tile) {
  // At the ends of the array a later stage may read more rows than the first: those that none writes.
  std::int64_t from = lane.from[0], to = lane.to[0];
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    from = std::min(from, lane.from[s] - down_of(*stages_[s]));
    to = std::max(to, lane.to[s] + up_of(*stages_[s]));
  }
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const Field& field = fields_[f];
    Lane::OfField& own = lane.fields[f];
    const std::int64_t step = field.row_step, begin = field.inside(from * step - field.gap), end = field.inside(to * step);
    const std::int64_t shift = (begin % line + line) % line;
    own.now = {own.memory[0] + shift, begin};
    own.next = {own.memory[1] + shift, begin};
    // The target as it was before the run.
    const auto copy = [&](const char* source, std::int64_t first, std::int64_t last) {
      if (first < last) std::memcpy(own.now + first, source, at(last - first));
    };
    const std::int64_t first = tile.first > 0 ? tile.first * step : begin;
    const std::int64_t last = tile.end < rows_ ? std::min(tile.end * step, end) : end;
    copy(own.above + (begin - ((tile.first - down_) * step - field.gap)), begin, first);
    copy(field.data() + first, first, last);
    copy(own.below, last, end);
    field.copy_rest(own.now, own.next, lane.from[0], lane.to[0], end);
  }
  const std::size_t last = stages_.size() - 1;
  for (std::size_t s = 0; s < last; ++s) {
    compute(lane, s, false);
    for (Lane::OfField& own : lane.fields) std::swap(own.now, own.next);
  }
  if (tile.last < tile.end)
    for (std::size_t f = 0; f < fields_.size(); ++f)
      fields_[f].copy_out(lane.fields[f].above, (tile.last - down_) * fields_[f].row_step - fields_[f].gap,
                          tile.last * fields_[f].row_step);
  compute(lane, last, true);
}

/// What no stage writes: bytes before rows [first, last), between and behind them, up to `stop`.
void InPlaceLoop::Field::copy_rest(Image from, Image to, std::int64_t first, std::int64_t last, std::int64_t stop) const {
  const auto copy = [&](std::int64_t begin_at, std::int64_t end_at) {
    if (begin_at < end_at) std::memcpy(to + begin_at, from + begin_at, at(end_at - begin_at));
  };
  if (!is_dense) return copy(from.begin, stop);
  copy(from.begin, first * row_step);
  if (gap > 0)
    for (std::int64_t row = first; row < last - 1; ++row) copy((row + 1) * row_step - gap, (row + 1) * row_step);
  copy(last * row_step - gap, stop);
}

void InPlaceLoop::compute(Lane& lane, std::size_t stage, bool to_targets) const {
  const Statement& kernel = kernel_of(*stages_[stage]);
  const FusedPart& part = *kernel.part;
  const std::int64_t row = lane.from[stage];
  for (std::size_t k = 0; k < part.operands.size(); ++k) {
    char* data = kernel.accesses[k].data + row * kernel.accesses[k].row_step;
    if (const int f = moves_[stage][k]; f >= 0) data = lane.fields[at(f)].now + (data - fields_[at(f)].data());
    lane.operands[k] = {data, part.arguments[k].strides};
  }
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const Statement& move = move_to(f, *stages_[stage]);
    const std::int64_t byte = row * fields_[f].row_step;
    char* to = to_targets ? fields_[f].data() + byte : lane.fields[f].next + byte;
    lane.operands[move.moved] = {to, (*move.accesses[1].place)->strides};
  }
  run_first(*lane.plans[stage], part, lane.operands.data(), lane.to[stage] - row, image_rows());
}

}  // namespace numjit::runtime
