// Running steps with lags. How the lags are found: skewed_rows_finder.cpp.
#include <numjit/runtime/nest/skewed_rows_parts.h>

#include <algorithm>
#include <cstring>

#include <numjit/base/thread_pool.h>

namespace numjit::runtime {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

SkewedRows::~SkewedRows() = default;

bool SkewedRows::bind() {
  const int threads = bind_lanes();
  for (int t = 0; t < threads; ++t) {
    auto lane = std::make_unique<Lane>();
    lane->kernels.resize(parts_.size());
    std::size_t most = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      lane->plans.push_back(plan_rows(*parts_[p].part, most_, lane->kernels[p]));
      if (!lane->plans[p] || !lane->plans[p]->can_run_first(most_)) return false;
      most = std::max(most, parts_[p].arguments.size());
    }
    lane->operands.resize(most);
    lanes_.push_back(std::move(lane));
  }
  return true;
}

/// Finds where everything is now. False: not to each other as it was when the lags were found.
bool SkewedRows::places_hold(char* scratch) {
  for (Memory& memory : memories_) memory.begin = nullptr;
  for (Part& part : parts_)
    for (Argument& argument : part.arguments) {
      argument.data = (argument.slot >= 0 ? scratch + slots_[at(argument.slot)] : (*argument.place)->data) + argument.offset;
      Memory& memory = memories_[at(argument.memory)];
      if (!memory.begin)
        memory.begin = argument.data - argument.delta;
      else if (memory.begin + argument.delta != argument.data)
        return false;
    }
  for (std::size_t a = 0; a < memories_.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const Memory &one = memories_[a], &other = memories_[b];
      if ((one.written || other.written) && one.begin < other.begin + other.bytes && other.begin < one.begin + one.bytes)
        return false;
    }
  return true;
}

std::int64_t SkewedRows::border(std::int64_t share, std::int64_t shares) const {
  return first_row_ + (last_row_ - first_row_) * share / shares;
}

bool SkewedRows::run() {
  const RunScratch scratch(scratch_bytes_);
  if (!scratch.data() || !places_hold(scratch.data())) return false;
  const std::int64_t threads = numjit::detail::thread_count();
  const std::int64_t most = (last_row_ - first_row_) / std::max<std::int64_t>(4 * border_rows_, block_);
  const std::int64_t shares = estimate_ns_ < numjit::detail::parallel_from_ns ? 1 : std::clamp<std::int64_t>(most, 1, threads);
  numjit::detail::parallel_plain_ranges(shares, 1, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t share = from; share < to; ++share) run_share(*lanes_[at(share)], share, shares);
  });
  const double border_ns = estimate_ns_ * static_cast<double>(border_rows_) / static_cast<double>(last_row_ - first_row_);
  numjit::detail::parallel_plain_ranges(shares - 1, 1, border_ns * static_cast<double>(shares - 1),
                                        [&](std::int64_t from, std::int64_t to) {
                                          for (std::int64_t b = from; b < to; ++b) {
                                            const std::int64_t row = border(b + 1, shares);
                                            for (std::size_t p = 0; p < parts_.size(); ++p)
                                              run_part(*lanes_[at(b)], p, row - parts_[p].behind, row + parts_[p].before);
                                          }
                                        });
  return true;
}

/// The rows of a share that need nothing of its neighbours.
void SkewedRows::run_share(Lane& lane, std::int64_t share, std::int64_t shares) const {
  const std::int64_t begin = border(share, shares), end = border(share + 1, shares);
  for (std::int64_t row = begin; row < end + ahead_; row += block_)
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      const std::int64_t first = share > 0 ? begin + part.before : first_row_;
      const std::int64_t last = share < shares - 1 ? end - part.behind : last_row_;
      const std::int64_t from = row == begin ? first : row - part.behind;
      run_part(lane, p, std::max(first, from), std::min(last, row + block_ - part.behind));
    }
}

namespace {

/// Elements of one value.
void fill_bytes(char* to, std::int64_t bytes, const void* value, std::int64_t item) {
  if (bytes <= 0) return;
  std::memcpy(to, value, at(item));
  for (std::int64_t done = item; done < bytes; done *= 2) std::memcpy(to + done, to, at(std::min(done, bytes - done)));
}

}  // namespace

/// Rows [from, to) of a copy or of a fill, without their inside.
void SkewedRows::make_rest(const Part& part, std::int64_t from, std::int64_t to) {
  const Inside& inside = part.inside;
  const bool copies = part.arguments.size() == 2;
  const std::int64_t item = part.part->arguments.back().strides[part.part->rank - 1];
  for (std::int64_t row = from; row < to; ++row) {
    const std::int64_t begin = row * inside.row_bytes;
    const auto make = [&](std::int64_t first, std::int64_t last) {
      char* made = part.arguments.back().data + begin + first;
      if (copies)
        std::memcpy(made, part.arguments[0].data + begin + first, at(last - first));
      else
        fill_bytes(made, last - first, part.part->scalar_pointers[0], item);
    };
    const bool has_inside = row >= inside.first && row < inside.last;
    make(0, has_inside ? inside.begin : inside.row_bytes);
    if (has_inside) make(inside.end, inside.row_bytes);
  }
}

/// Rows [from, to), as far as the part has them.
void SkewedRows::run_part(Lane& lane, std::size_t number, std::int64_t from, std::int64_t to) const {
  const Part& part = parts_[number];
  from = std::max(from, part.center);
  to = std::min(to, part.center + part.rows);
  if (from >= to) return;
  if (part.inside.last > part.inside.first) return make_rest(part, from - part.center, to - part.center);
  const std::int64_t row = from - part.center;
  for (std::size_t k = 0; k < part.arguments.size(); ++k) {
    const std::int64_t* strides = part.part->arguments[k].strides;
    lane.operands[k] = {part.arguments[k].data + row * strides[0], strides};
  }
  run_first(*lane.plans[number], *part.part, lane.operands.data(), to - from, most_);
}

}  // namespace numjit::runtime
