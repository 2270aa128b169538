// Finding and running stores into arrays that their kernels read.
#include <numjit/runtime/in_place.h>

#include <algorithm>
#include <cstring>

#include <numjit/base/thread_pool.h>
#include <numjit/runtime/part_layout.h>

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
  char* ring = nullptr;     // two blocks
  char* waiting = nullptr;  // the first and last rows of the share
};

InPlaceStore::~InPlaceStore() = default;

// ---- finding ----

std::vector<std::unique_ptr<InPlaceStore>> InPlaceStore::find(const graph::Graph& graph, PlannedSteps& planned,
                                                              const RunInputs& inputs) {
  std::vector<std::unique_ptr<InPlaceStore>> found;
  const int count = static_cast<int>(planned.steps.size());
  for (int from = 0; from < count; ++from) {
    if (planned.steps[at(from)].kind != Step::Kind::fused) continue;
    int to = from + 1;
    while (to < count && planned.steps[at(to)].kind == Step::Kind::view) ++to;
    if (to == count) break;
    auto made = make(graph, planned, inputs, from, to);
    if (!made) continue;
    found.push_back(std::move(made));
    from = to;
  }
  return found;
}

/// A kernel's result that nothing but the store reads; its rows lie one behind the other.
bool InPlaceStore::takes_result(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs) {
  Step &compute = planned.steps[at(first_)], &copy = planned.steps[at(last_)];
  if (compute.parts.size() != 1 || compute.store_target >= 0 || copy.kind != Step::Kind::single) return false;
  part_ = &compute.parts[0];
  const graph::Node& store = graph.nodes[at(copy.node)];
  if (part_->outputs.size() != 1 || store.op != op_id::store || store.has_where || store.in[1].node < 0 ||
      store.in[1].node != part_->outputs[0].node)
    return false;
  value_ = store.in[1].node;
  target_node_ = store.in[0].node;
  const node *result = inputs.slot(value_), *written = inputs.slot(target_node_);
  return dies(planned, value_) && result->type == written->type && numjit::detail::same_shape(result, written) &&
         result->is(node::c_contiguous);
}

/// A kernel that stores what it computes from a copy which nothing else reads: it may read what was copied.
bool InPlaceStore::takes_copy(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs) {
  Step &copy = planned.steps[at(first_)], &compute = planned.steps[at(last_)];
  if (copy.parts.size() != 1 || copy.store_target >= 0 || copy.group.size() != 1 || compute.kind != Step::Kind::fused ||
      compute.parts.size() != 1 || compute.store_target < 0)
    return false;
  FusedPart& copied = copy.parts[0];
  value_ = copy.group[0];
  if (graph.nodes[at(value_)].op != op_id::copy || copied.operands.size() != 1 || copied.operands[0].view >= 0 ||
      copied.outputs.size() != 1 || copied.outputs[0].node != value_ || !dies(planned, value_))
    return false;
  const int source = copied.operands[0].node;
  const node *from = inputs.slot(source), *to = inputs.slot(value_);
  if (from->type != to->type || !numjit::detail::same_shape(from, to) || !from->is(node::c_contiguous) ||
      !to->is(node::c_contiguous))
    return false;
  part_ = &compute.parts[0];
  target_node_ = compute.store_target;
  std::int64_t offset = 0;
  if (root_of(graph, target_node_, inputs, offset) == value_) return false;  // the copy itself is written: it is needed
  copied_ = copied.places[0];
  copied_node_ = source;
  for (const ArraySource& operand : part_->operands) {
    offset = 0;
    const bool reads = operand.node >= 0 && root_of(graph, operand.node, inputs, offset) == value_;
    offsets_in_copy_.push_back(reads ? offset : -1);
  }
  return true;
}

bool InPlaceStore::dies(const PlannedSteps& planned, int value) const {
  const std::vector<int>& freed = planned.steps[at(last_)].free_after;
  return !planned.persistent[at(value)] && std::find(freed.begin(), freed.end(), value) != freed.end();
}

std::unique_ptr<InPlaceStore> InPlaceStore::make(const graph::Graph& graph, PlannedSteps& planned,
                                                 const RunInputs& inputs, int from, int to) {
  for (const int s : {from, to})
    if (!planned.steps[at(s)].resolve.empty() || !planned.steps[at(s)].unknown.empty()) return nullptr;
  std::unique_ptr<InPlaceStore> made(new InPlaceStore);
  made->first_ = from;
  made->last_ = to;
  if (!made->takes_result(graph, planned, inputs) && !made->takes_copy(graph, planned, inputs)) return nullptr;
  const FusedPart& part = *made->part_;
  const node* written = inputs.slot(made->target_node_);
  if (part.outputs.size() != 1 || part.arguments.empty() || part.rank < 1 || part.call.spec().reduction_levels != 0 ||
      !part.call.info().compiled || written->rank != part.rank ||
      !std::equal(written->shape, written->shape + written->rank, part.extent))
    return nullptr;
  made->target_ = inputs.slots[at(made->target_node_)];
  made->shape_ = dims(written->shape, written->rank);
  made->strides_ = made->ring_strides_ = dims(written->strides, written->rank);
  made->item_ = made->row_bytes_ = static_cast<std::int64_t>(dtype(written->type).itemsize());
  made->rows_ = made->shape_[0];
  for (int axis = part.rank; axis-- > 0;) {
    made->ring_strides_[axis] = made->row_bytes_;
    if (axis > 0) made->row_bytes_ *= made->shape_[axis];
  }
  const std::int64_t size = made->row_bytes_ * made->rows_;
  if (size < least_bytes || made->row_bytes_ > most_row_bytes || !made->fits_rows()) return nullptr;
  if (!made->find_room(graph, inputs)) return nullptr;
  made->block_ = std::max({block_bytes / made->row_bytes_, made->room_.up + made->room_.down, std::int64_t{1}});
  if (2 * made->block_ > made->rows_) return nullptr;
  made->estimate_ns_ = (detail::ns_per_point(part.call.spec()) + 0.1) * static_cast<double>(written->size);
  made->bytes_ = part.call.info().bytes;
  return made;
}

/// Where the operands lie is asked again at each run; here, for how many rows buffers have to have room.
bool InPlaceStore::find_room(const graph::Graph& graph, const RunInputs& inputs) {
  root_ = root_of(graph, target_node_, inputs, root_offset_);
  const char* here = inputs.slot(root_)->data;
  if (here) planned_at_ = here + root_offset_;
  for (std::size_t k = 0; k < part_->operands.size(); ++k) {
    std::int64_t offset = 0;
    const bool copied = reads_copy(k);
    const int other = root_of(graph, copied ? copied_node_ : part_->operands[k].node, inputs, offset);
    const char* there = inputs.slot(other)->data;
    if (other != root_ && (!here || !there)) continue;  // temporaries
    if (copied) offset += offsets_in_copy_[k];
    if (!part_->offsets.empty()) offset += part_->offsets[k];
    const std::int64_t apart = other == root_ ? 0 : there - here;
    if (!add_reach(room_, k, apart + offset - root_offset_)) return false;
  }
  return true;
}

/// Do the target's rows lie one behind the other, each in one direction?
bool InPlaceStore::fits_rows() {
  end_of_row_ = item_;
  for (int axis = 1; axis < shape_.size(); ++axis) {
    if (strides_[axis] <= 0) return false;
    end_of_row_ += strides_[axis] * (shape_[axis] - 1);
  }
  return strides_[0] >= end_of_row_ && (shape_.size() == 1 || strides_[shape_.size() - 1] == item_);
}

bool InPlaceStore::bind() {
  const int count = bind_lanes();
  for (int t = 0; t < count; ++t) {
    auto lane = std::make_unique<Lane>();
    std::vector<LaunchOperand> arguments = part_->arguments;
    arguments[part_->operands.size()].strides = ring_strides_.begin();
    lane->whole = plan_rows(*part_, arguments.data(), block_, kernels_);
    if (!lane->whole) return false;
    if (rows_ % block_ != 0 && !(lane->odd = plan_rows(*part_, arguments.data(), rows_ % block_, kernels_))) return false;
    lane->operands.resize(part_->arguments.size());
    lanes_.push_back(std::move(lane));
  }
  return true;
}

bool InPlaceStore::add_reach(Reach& reach, std::size_t k, std::int64_t delta) const {
  const std::int64_t* strides = part_->arguments[k].strides;
  const auto operand_item = static_cast<std::int64_t>(dtype(part_->call.spec().operand_types[k]).itemsize());
  std::int64_t written = end_of_row_ + strides_[0] * (rows_ - 1), read = operand_item;
  bool same = operand_item == item_, forwards = true;
  for (int axis = 0; axis < shape_.size(); ++axis) {
    if (shape_[axis] == 1) continue;
    same = same && strides[axis] == strides_[axis];
    forwards = forwards && strides[axis] >= 0;
    read += strides[axis] * (shape_[axis] - 1);
  }
  if (forwards && (delta >= written || delta + read <= 0)) return true;  // elsewhere
  if (!same) return false;
  // With R bytes from row to row and E in one, row i reads [i R + delta, i R + delta + E), and row j is [j R, j R + E).
  const std::int64_t last = end_of_row_ - 1;
  if (delta + last >= 0) reach.up = std::max(reach.up, (delta + last) / strides_[0]);
  if (last - delta >= 0) reach.down = std::max(reach.down, (last - delta) / strides_[0]);
  return true;
}

bool InPlaceStore::reach_now(Reach& reach) const {
  const char* target = (*target_)->data;
  for (std::size_t k = 0; k < part_->operands.size(); ++k) {
    if (!add_reach(reach, k, operand(k) - target)) return false;
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

std::int64_t InPlaceStore::scratch_bytes() const {
  return (2 * block_ + room_.up + room_.down) * row_bytes_ * static_cast<std::int64_t>(lanes_.size());
}

std::int64_t InPlaceStore::share_begin(std::int64_t share, std::int64_t shares) const {
  const std::int64_t blocks = (rows_ + block_ - 1) / block_;
  return std::min(blocks * share / shares * block_, rows_);
}

bool InPlaceStore::run() {
  Reach reach;
  if (!reach_now(reach)) return false;
  const std::int64_t threads = numjit::detail::thread_count(), most = rows_ / (2 * block_);
  const std::int64_t shares =
      estimate_ns_ < numjit::detail::parallel_from_ns ? 1 : std::max<std::int64_t>(std::min(threads, most), 1);
  // Of this run only: the next store finds the memory still in the cache.
  const std::int64_t lane_bytes = scratch_bytes() / static_cast<std::int64_t>(lanes_.size());
  const RunScratch scratch(lane_bytes * shares);
  if (!scratch.data()) return false;
  for (std::int64_t share = 0; share < shares; ++share) {
    lanes_[at(share)]->ring = scratch.data() + share * lane_bytes;
    lanes_[at(share)]->waiting = lanes_[at(share)]->ring + 2 * block_ * row_bytes_;
  }
  numjit::detail::parallel_plain_ranges(shares, 1, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t share = from; share < to; ++share) run_share(*lanes_[at(share)], share, shares, reach);
  });
  for (std::int64_t share = 0; share < shares; ++share) {
    const std::int64_t begin = share_begin(share, shares), end = share_begin(share + 1, shares);
    const char* waiting = lanes_[at(share)]->waiting;
    if (share > 0) write(waiting, begin, std::min(reach.up, end - begin));
    if (share < shares - 1) write(waiting + reach.up * row_bytes_, end - reach.down, reach.down);
  }
  return true;
}

void InPlaceStore::run_share(Lane& lane, std::int64_t share, std::int64_t shares, Reach reach) {
  const std::int64_t begin = share_begin(share, shares), end = share_begin(share + 1, shares);
  // Rows of the share that none of another share is computed from.
  const std::int64_t first = share > 0 ? std::min(begin + reach.up, end) : begin;
  const std::int64_t last = share < shares - 1 ? end - reach.down : end;
  char *now = lane.ring, *before = now + block_ * row_bytes_;
  std::int64_t written = first;
  for (std::int64_t row = begin; row < end; row += block_) {
    const std::int64_t rows = std::min(block_, end - row);
    compute(lane, row, rows, now);
    if (share > 0 && row < first)
      std::memcpy(lane.waiting + (row - begin) * row_bytes_, now, at((std::min(first, row + rows) - row) * row_bytes_));
    const std::int64_t kept = std::max(row, last);
    if (share < shares - 1 && kept < row + rows)
      std::memcpy(lane.waiting + (reach.up + kept - last) * row_bytes_, now + (kept - row) * row_bytes_,
                  at((row + rows - kept) * row_bytes_));
    // Up to here nothing that is still to come reads the target's rows.
    const std::int64_t ready = std::min(row + rows == end ? end : row + rows - reach.down, last);
    if (written < std::min(ready, row)) {
      const std::int64_t count = std::min(ready, row) - written;
      write(before + (block_ - (row - written)) * row_bytes_, written, count);
      written += count;
    }
    if (written < ready) {
      write(now + (written - row) * row_bytes_, written, ready - written);
      written = ready;
    }
    std::swap(now, before);
  }
}

void InPlaceStore::compute(Lane& lane, std::int64_t row, std::int64_t rows, char* to) {
  const std::size_t inputs = part_->operands.size();
  for (std::size_t k = 0; k < inputs; ++k) {
    lane.operands[k] = {operand(k) + row * part_->arguments[k].strides[0], part_->arguments[k].strides};
  }
  lane.operands[inputs] = {to, ring_strides_.begin()};
  run_rows(*(rows == block_ ? lane.whole : lane.odd), *part_, lane.operands.data());
}

void InPlaceStore::write(const char* from, std::int64_t row, std::int64_t rows) const {
  char* to = (*target_)->data + row * strides_[0];
  if (rows <= 0) return;
  const bool dense = row_bytes_ == end_of_row_;
  if (dense && strides_[0] == row_bytes_) {
    std::memcpy(to, from, at(rows * row_bytes_));
    return;
  }
  const int rank = shape_.size();
  const std::int64_t run = dense ? row_bytes_ : item_ * shape_[rank - 1];
  dims index;
  index.resize(rank);
  for (std::int64_t r = 0; r < rows; ++r, to += strides_[0])
    for (std::int64_t done = 0; done < row_bytes_; done += run, from += run) {
      char* place = to;
      for (int axis = 1; axis < rank - 1; ++axis) place += index[axis] * strides_[axis];
      std::memcpy(place, from, at(run));
      for (int axis = rank - 2; axis > 0 && ++index[axis] == shape_[axis]; --axis) index[axis] = 0;
    }
}

}  // namespace numjit::runtime
