// Finding and running stores into arrays that their kernels read.
#include <numjit/runtime/nest/in_place.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <numjit/base/thread_pool.h>
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

}  // namespace

/// What one share needs for itself.
struct InPlaceStore::Lane {
  std::unique_ptr<detail::LaunchPlan> whole, odd;  // for block_ rows, and for the last, shorter block
  std::vector<LaunchOperand> operands;
  char* ring = nullptr;     // of each target two blocks
  char* waiting = nullptr;  // of each target the first and last rows of the share
};

InPlaceStore::~InPlaceStore() = default;

// ---- finding ----

std::vector<std::unique_ptr<InPlaceStore>> InPlaceStore::find(const graph::Graph& graph, PlannedSteps& planned,
                                                              const RunInputs& inputs) {
  std::vector<std::unique_ptr<InPlaceStore>> found;
  for (int from = 0; from < static_cast<int>(planned.steps.size()); ++from) {
    if (planned.steps[at(from)].kind != Step::Kind::fused) continue;
    auto made = make(graph, planned, inputs, from);
    if (!made) continue;
    from = made->last_;
    found.push_back(std::move(made));
  }
  return found;
}

/// Results of a kernel that nothing but the stores behind it read; their rows lie one behind the other.
bool InPlaceStore::takes_results(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs) {
  Step& compute = planned.steps[at(first_)];
  if (compute.parts.size() != 1 || compute.store_target >= 0) return false;
  part_ = &compute.parts[0];
  for (int s = first_ + 1; s < static_cast<int>(planned.steps.size()); ++s) {
    const Step& step = planned.steps[at(s)];
    if (!step.resolve.empty() || !step.unknown.empty()) break;
    if (step.kind == Step::Kind::view) continue;
    if (step.kind != Step::Kind::single) break;
    const graph::Node& store = graph.nodes[at(step.node)];
    if (store.op != op_id::store || store.has_where || store.in[1].node < 0) break;
    Target target;
    target.value = store.in[1].node;
    target.graph_node = store.in[0].node;
    while (target.output < part_->outputs.size() && part_->outputs[target.output].node != target.value) ++target.output;
    const bool is_twice =
        std::any_of(targets_.begin(), targets_.end(), [&](const Target& other) { return other.value == target.value; });
    if (target.output == part_->outputs.size() || is_twice) break;
    targets_.push_back(target);
    last_ = s;
  }
  return !targets_.empty() && std::all_of(targets_.begin(), targets_.end(), [&](const Target& target) {
    const node *result = inputs.slot(target.value), *written = inputs.slot(target.graph_node);
    return dies(planned, target.value) && result->type == written->type && numjit::detail::same_shape(result, written) &&
           result->is(node::c_contiguous);
  });
}

/// A kernel that stores what it computes from a copy which nothing else reads: it may read what was copied.
bool InPlaceStore::takes_copy(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs) {
  targets_.clear();
  for (last_ = first_ + 1; last_ < static_cast<int>(planned.steps.size()); ++last_)
    if (planned.steps[at(last_)].kind != Step::Kind::view) break;
  if (last_ == static_cast<int>(planned.steps.size())) return false;
  Step &copy = planned.steps[at(first_)], &compute = planned.steps[at(last_)];
  if (copy.parts.size() != 1 || copy.store_target >= 0 || copy.group.size() != 1 || compute.kind != Step::Kind::fused ||
      compute.parts.size() != 1 || compute.store_target < 0 || !compute.resolve.empty() || !compute.unknown.empty())
    return false;
  FusedPart& copied = copy.parts[0];
  Target target;
  target.value = copy.group[0];
  if (graph.nodes[at(target.value)].op != op_id::copy || copied.operands.size() != 1 || copied.operands[0].view >= 0 ||
      copied.outputs.size() != 1 || copied.outputs[0].node != target.value || !dies(planned, target.value))
    return false;
  const int source = copied.operands[0].node;
  const node *from = inputs.slot(source), *to = inputs.slot(target.value);
  if (from->type != to->type || !numjit::detail::same_shape(from, to) || !from->is(node::c_contiguous) ||
      !to->is(node::c_contiguous))
    return false;
  part_ = &compute.parts[0];
  target.graph_node = compute.store_target;
  std::int64_t offset = 0;
  // The copy itself is written: it is needed.
  if (part_->outputs.size() != 1 || root_of(graph, target.graph_node, inputs, offset) == target.value) return false;
  copied_ = copied.places[0];
  copied_node_ = source;
  for (const ArraySource& operand : part_->operands) {
    offset = 0;
    const bool reads = operand.node >= 0 && root_of(graph, operand.node, inputs, offset) == target.value;
    offsets_in_copy_.push_back(reads ? offset : -1);
  }
  targets_.push_back(target);
  return true;
}

bool InPlaceStore::dies(const PlannedSteps& planned, int value) const {
  if (planned.persistent[at(value)]) return false;
  return std::any_of(planned.steps.begin() + first_, planned.steps.begin() + last_ + 1, [value](const Step& step) {
    return std::find(step.free_after.begin(), step.free_after.end(), value) != step.free_after.end();
  });
}

bool InPlaceStore::keeps(int i) const {
  return std::any_of(targets_.begin(), targets_.end(), [i](const Target& target) { return target.value == i; });
}

std::unique_ptr<InPlaceStore> InPlaceStore::make(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs,
                                                 int from) {
  if (!planned.steps[at(from)].resolve.empty() || !planned.steps[at(from)].unknown.empty()) return nullptr;
  std::unique_ptr<InPlaceStore> made(new InPlaceStore);
  made->first_ = made->last_ = from;
  if (!made->takes_results(graph, planned, inputs) && !made->takes_copy(graph, planned, inputs)) return nullptr;
  const FusedPart& part = *made->part_;
  if (part.arguments.empty() || part.rank < 1 || part.call.spec().reduction_levels != 0 || !part.call.info().compiled)
    return nullptr;
  made->shape_ = dims(part.extent, part.rank);
  made->rows_ = made->shape_[0];
  std::int64_t row_bytes = 0;
  for (Target& target : made->targets_) {
    if (!made->lay_out(target, inputs)) return nullptr;
    row_bytes = std::max(row_bytes, target.row_bytes);
  }
  if (row_bytes * made->rows_ < least_bytes || row_bytes > most_row_bytes) return nullptr;
  for (Target& target : made->targets_)
    if (!made->find_room(graph, inputs, target)) return nullptr;
  made->block_ = std::max({block_bytes / row_bytes, made->room_.up + made->room_.down, std::int64_t{1}});
  if (2 * made->block_ > made->rows_) return nullptr;
  std::int64_t ring = 0, waiting = 0;
  for (Target& target : made->targets_) {
    target.ring = std::exchange(ring, ring + 2 * made->block_ * target.row_bytes);
    target.waiting = std::exchange(waiting, waiting + (made->room_.up + made->room_.down) * target.row_bytes);
  }
  made->estimate_ns_ =
      (detail::ns_per_point(part.call.spec()) + 0.1 * static_cast<double>(made->targets_.size())) * points_of(part);
  made->bytes_ = part.call.info().bytes;
  return made;
}

/// How the target's rows lie. False: not as the kernel's space has them.
bool InPlaceStore::lay_out(Target& target, const RunInputs& inputs) const {
  const node* written = inputs.slot(target.graph_node);
  if (written->rank != shape_.size() || !std::equal(written->shape, written->shape + written->rank, shape_.begin())) return false;
  target.place = inputs.slots[at(target.graph_node)];
  target.strides = target.ring_strides = dims(written->strides, written->rank);
  target.item = target.row_bytes = static_cast<std::int64_t>(dtype(written->type).itemsize());
  for (int axis = shape_.size(); axis-- > 0;) {
    target.ring_strides[axis] = target.row_bytes;
    if (axis > 0) target.row_bytes *= shape_[axis];
  }
  target.end_of_row = target.item;
  for (int axis = 1; axis < shape_.size(); ++axis) target.end_of_row += target.strides[axis] * (shape_[axis] - 1);
  return fits_rows(target);
}

/// Do the target's rows lie one behind the other, each in one direction?
bool InPlaceStore::fits_rows(const Target& target) const {
  for (int axis = 1; axis < shape_.size(); ++axis)
    if (target.strides[axis] <= 0) return false;
  return target.strides[0] >= target.end_of_row && (shape_.size() == 1 || target.strides[shape_.size() - 1] == target.item);
}

/// Where the operands lie is asked again at each run; here, for how many rows buffers have to have room.
bool InPlaceStore::find_room(const graph::Graph& graph, const RunInputs& inputs, Target& target) {
  target.root = root_of(graph, target.graph_node, inputs, target.root_offset);
  const char* here = inputs.slot(target.root)->data;
  if (here) target.planned_at = here + target.root_offset;
  for (std::size_t k = 0; k < part_->operands.size(); ++k) {
    std::int64_t offset = 0;
    const bool copied = reads_copy(k);
    const int other = root_of(graph, copied ? copied_node_ : part_->operands[k].node, inputs, offset);
    const char* there = inputs.slot(other)->data;
    if (other != target.root && (!here || !there)) continue;  // temporaries
    if (copied) offset += offsets_in_copy_[k];
    if (!part_->offsets.empty()) offset += part_->offsets[k];
    const std::int64_t apart = other == target.root ? 0 : there - here;
    if (!add_reach(room_, target, k, apart + offset - target.root_offset)) return false;
  }
  return true;
}

bool InPlaceStore::bind() {
  const int count = bind_lanes();
  for (int t = 0; t < count; ++t) {
    auto lane = std::make_unique<Lane>();
    std::vector<LaunchOperand> arguments = part_->arguments;
    for (const Target& target : targets_) arguments[argument_of(target)].strides = target.ring_strides.begin();
    lane->whole = plan_rows(*part_, arguments.data(), block_, kernels_);
    if (!lane->whole) return false;
    if (rows_ % block_ != 0 && !(lane->odd = plan_rows(*part_, arguments.data(), rows_ % block_, kernels_))) return false;
    lane->operands.resize(part_->arguments.size());
    lanes_.push_back(std::move(lane));
  }
  return true;
}

bool InPlaceStore::add_reach(Reach& reach, const Target& target, std::size_t k, std::int64_t delta) const {
  const std::int64_t* strides = part_->arguments[k].strides;
  const auto operand_item = static_cast<std::int64_t>(dtype(part_->call.spec().operand_types[k]).itemsize());
  std::int64_t read = operand_item;
  bool same = operand_item == target.item, forwards = true;
  for (int axis = 0; axis < shape_.size(); ++axis) {
    if (shape_[axis] == 1) continue;
    same = same && strides[axis] == target.strides[axis];
    forwards = forwards && strides[axis] >= 0;
    read += strides[axis] * (shape_[axis] - 1);
  }
  if (forwards && (delta >= target.span(rows_) || delta + read <= 0)) return true;  // elsewhere
  if (!same) return false;
  // With R bytes from row to row and E in one, row i reads [i R + delta, i R + delta + E), and row j is [j R, j R + E).
  const std::int64_t last = target.end_of_row - 1, row = target.strides[0];
  if (delta + last >= 0) reach.up = std::max(reach.up, (delta + last) / row);
  if (last - delta >= 0) reach.down = std::max(reach.down, (last - delta) / row);
  return true;
}

bool InPlaceStore::reach_now(Reach& reach) const {
  for (const Target& target : targets_) {
    const char* begin = target.data();
    for (std::size_t k = 0; k < part_->operands.size(); ++k)
      if (!add_reach(reach, target, k, operand(k) - begin)) return false;
    for (const Target& other : targets_)
      if (&other != &target && begin < other.data() + other.span(rows_) && other.data() < begin + target.span(rows_))
        return false;
  }
  return reach.up <= room_.up && reach.down <= room_.down;
}

char* InPlaceStore::operand(std::size_t k) const {
  char* data = reads_copy(k) ? (*copied_)->data + offsets_in_copy_[k] : (*part_->places[k])->data;
  return data + (part_->offsets.empty() ? 0 : part_->offsets[k]);
}

std::int64_t InPlaceStore::span(std::size_t k) const {
  auto bytes = static_cast<std::int64_t>(dtype(part_->call.spec().operand_types[k]).itemsize());
  for (int axis = 0; axis < shape_.size(); ++axis) bytes += part_->arguments[k].strides[axis] * (shape_[axis] - 1);
  return bytes;
}

// ---- running ----

std::int64_t InPlaceStore::lane_bytes() const {
  std::int64_t bytes = 0;
  for (const Target& target : targets_) bytes += (2 * block_ + room_.up + room_.down) * target.row_bytes;
  return bytes;
}

std::int64_t InPlaceStore::scratch_bytes() const { return lane_bytes() * static_cast<std::int64_t>(lanes_.size()); }

std::int64_t InPlaceStore::share_begin(std::int64_t share, std::int64_t shares) const {
  const std::int64_t blocks = (rows_ + block_ - 1) / block_;
  return std::min(blocks * share / shares * block_, rows_);
}

void InPlaceStore::place_lane(Lane& lane, char* memory) const {
  lane.ring = lane.waiting = memory;
  for (const Target& target : targets_) lane.waiting += 2 * block_ * target.row_bytes;
}

bool InPlaceStore::run() {
  Reach reach;
  if (!reach_now(reach)) return false;
  const std::int64_t threads = numjit::detail::thread_count(), most = rows_ / (2 * block_);
  const std::int64_t shares =
      estimate_ns_ < numjit::detail::parallel_from_ns ? 1 : std::max<std::int64_t>(std::min(threads, most), 1);
  // Of this run only: the next store finds the memory still in the cache.
  const RunScratch scratch(lane_bytes() * shares);
  if (!scratch.data()) return false;
  for (std::int64_t share = 0; share < shares; ++share) place_lane(*lanes_[at(share)], scratch.data() + share * lane_bytes());
  numjit::detail::parallel_plain_ranges(shares, 1, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t share = from; share < to; ++share) run_share(*lanes_[at(share)], share, shares, reach);
  });
  for (std::int64_t share = 0; share < shares; ++share) {
    const std::int64_t begin = share_begin(share, shares), end = share_begin(share + 1, shares);
    for (const Target& target : targets_) {
      const char* waiting = lanes_[at(share)]->waiting + target.waiting;
      if (share > 0) write(target, waiting, begin, std::min(reach.up, end - begin));
      if (share < shares - 1) write(target, waiting + reach.up * target.row_bytes, end - reach.down, reach.down);
    }
  }
  return true;
}

char* InPlaceStore::block_of(const Lane& lane, const Target& target, bool odd) const {
  return lane.ring + target.ring + (odd ? block_ * target.row_bytes : 0);
}

void InPlaceStore::run_share(Lane& lane, std::int64_t share, std::int64_t shares, Reach reach) {
  const std::int64_t begin = share_begin(share, shares), end = share_begin(share + 1, shares);
  // Rows of the share that none of another share is computed from.
  const std::int64_t first = share > 0 ? std::min(begin + reach.up, end) : begin;
  const std::int64_t last = share < shares - 1 ? end - reach.down : end;
  bool odd = false;
  std::int64_t written = first;
  for (std::int64_t row = begin; row < end; row += block_, odd = !odd) {
    const std::int64_t rows = std::min(block_, end - row);
    compute(lane, row, rows, odd);
    // Up to here nothing that is still to come reads the targets' rows.
    const std::int64_t ready = std::max(std::min(row + rows == end ? end : row + rows - reach.down, last), written);
    const std::int64_t of_before = std::min(ready, row), kept = std::max(row, last);
    for (const Target& target : targets_) {
      const char *now = block_of(lane, target, odd), *before = block_of(lane, target, !odd);
      char* waiting = lane.waiting + target.waiting;
      if (share > 0 && row < first)
        std::memcpy(waiting + (row - begin) * target.row_bytes, now, at((std::min(first, row + rows) - row) * target.row_bytes));
      if (share < shares - 1 && kept < row + rows)
        std::memcpy(waiting + (reach.up + kept - last) * target.row_bytes, now + (kept - row) * target.row_bytes,
                    at((row + rows - kept) * target.row_bytes));
      if (written < of_before)
        write(target, before + (block_ - (row - written)) * target.row_bytes, written, of_before - written);
      const std::int64_t of_now = std::max(written, row);
      write(target, now + (of_now - row) * target.row_bytes, of_now, ready - of_now);
    }
    written = ready;
  }
}

void InPlaceStore::compute(Lane& lane, std::int64_t row, std::int64_t rows, bool odd) {
  const std::size_t inputs = part_->operands.size();
  for (std::size_t k = 0; k < part_->arguments.size(); ++k) {
    const std::int64_t* strides = part_->arguments[k].strides;
    const bool is_kept = k >= inputs && keeps(part_->outputs[k - inputs].node);
    char* data = k < inputs ? operand(k) : is_kept ? nullptr : (*part_->places[k])->data;
    lane.operands[k] = {data ? data + row * strides[0] : nullptr, strides};
  }
  for (const Target& target : targets_)
    lane.operands[argument_of(target)] = {block_of(lane, target, odd), target.ring_strides.begin()};
  run_rows(*(rows == block_ ? lane.whole : lane.odd), *part_, lane.operands.data());
}

void InPlaceStore::write(const Target& target, const char* from, std::int64_t row, std::int64_t rows) const {
  if (rows <= 0) return;
  char* to = target.data() + row * target.strides[0];
  const bool dense = target.row_bytes == target.end_of_row;
  if (dense && target.strides[0] == target.row_bytes) {
    std::memcpy(to, from, at(rows * target.row_bytes));
    return;
  }
  const int rank = shape_.size();
  const std::int64_t run = dense ? target.row_bytes : target.item * shape_[rank - 1];
  dims index;
  index.resize(rank);
  for (std::int64_t r = 0; r < rows; ++r, to += target.strides[0])
    for (std::int64_t done = 0; done < target.row_bytes; done += run, from += run) {
      char* place = to;
      for (int axis = 1; axis < rank - 1; ++axis) place += index[axis] * target.strides[axis];
      std::memcpy(place, from, at(run));
      for (int axis = rank - 2; axis > 0 && ++index[axis] == shape_[axis]; --axis) index[axis] = 0;
    }
}

}  // namespace numjit::runtime
