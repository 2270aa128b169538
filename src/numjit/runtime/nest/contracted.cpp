// Scratch of which each share of the rows keeps a window (array contraction): it holds the rows at work, and moves on with them.
//
//   share i       |------ rows that need nothing of others ------|        its window is at the end, and has the last of them
//   share i + 1                                            |------ ...    its first rows are saved before the window moves on
//   border i                                         |------|             both beside each other, for the statements in between
#include <algorithm>
#include <cstring>

#include <numjit/base/buffer_pool.h>
#include <numjit/runtime/nest/nest.h>

namespace numjit::runtime {
namespace {

constexpr auto line = static_cast<std::int64_t>(numjit::detail::block_alignment);

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::int64_t in_lines(std::int64_t bytes) { return (bytes + line - 1) / line * line; }

/// Where byte 0 would be, if `base` is the first that is in `memory`: at the beginning of a line.
char* origin_of(char* memory, std::int64_t base) { return memory + (base % line + line) % line - base; }

}  // namespace

/// False: rows of several lengths, or not those that belong together.
bool Nest::find_windows(Scratch& each, int number) const {
  bool is_new = true, is_written = false;
  for (const Statement& statement : statements)
    for (const Access& access : statement.accesses) {
      if (access.scratch != number) continue;
      if (access.row_step <= 0 || (!is_new && access.row_step != each.row_step)) return false;
      const std::int64_t low = access.offset + access.low - statement.center * access.row_step, high = low + access.row_span;
      each.row_step = access.row_step;
      each.low = is_new ? low : std::min(each.low, low);
      each.high = is_new ? high : std::max(each.high, high);
      is_new = false;
      if (!access.written) continue;
      each.written_low = is_written ? std::min(each.written_low, low) : low;
      each.written_high = is_written ? std::max(each.written_high, high) : high;
      is_written = true;
    }
  // Enough that rows at the beginning are done with when the window moves on, and that this is rare.
  const std::int64_t around = (each.high - each.low) / std::max<std::int64_t>(each.row_step, 1) + 1;
  each.window = (block + before + 2 * behind + 3 * around + 2) * each.row_step;
  return is_written && each.written_high - each.written_low <= each.row_step;
}

/// Decides whether scratch is contracted, and where it lies in the memory of a run.
void Nest::lay_out_scratch() {
  std::int64_t all = 0, windows = 0;
  contracted_ = strip == 0;
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    contracted_ = contracted_ && find_windows(scratch[i], static_cast<int>(i));
    all += scratch[i].last - scratch[i].first;
    windows += scratch[i].window;
  }
  contracted_ = contracted_ && (is_periodic || windows * lanes_ < all);
  scratch_size_ = 0;
  for (Scratch& each : scratch) {
    each.at = scratch_size_;
    scratch_size_ += in_lines(contracted_ ? each.window : each.last - each.first) + line;
    each.border_at = scratch_size_;
    if (contracted_) scratch_size_ += in_lines(each.to(before + 1) - each.from(-behind)) + line;
  }
  windows_ = std::vector<Window>(at(lanes_) * scratch.size());
}

void Nest::place_windows(const Share& share) {
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    const Scratch& each = scratch[i];
    char* memory = memory_ + each.at + (contracted_ ? share.number * scratch_size_ : 0);
    const std::int64_t base = contracted_ ? each.from(share.begin) : each.first;
    window_of(share.number, i) = {origin_of(memory, base), base};
  }
}

/// So that the block of rows that begins at `row` is in them.
void Nest::move_windows(const Share& share, std::int64_t row) {
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    const Scratch& each = scratch[i];
    Window& window = window_of(share.number, i);
    if (each.to(std::min(row + block, share.end)) <= window.base + each.window) continue;
    if (window.base == each.from(share.begin)) save_first_rows(share, i);
    const std::int64_t base = each.from(row - behind), end = std::min(each.to(row), window.base + each.window);
    char* origin = origin_of(memory_ + each.at + share.number * scratch_size_, base);
    if (base < end) std::memmove(origin + base, window.origin + base, at(end - base));
    window = {origin, base};
  }
}

/// For the border before the share.
void Nest::save_first_rows(const Share& share, std::size_t number) {
  if (share.is_first) return;
  const Scratch& each = scratch[number];
  const std::int64_t ahead = share.ahead * each.row_step, base = each.from(share.begin - behind) + ahead;
  char* border = origin_of(memory_ + each.border_at + share.before * scratch_size_, base) + ahead;
  const std::int64_t from = share.begin * each.row_step + each.written_low, to = each.to(share.begin + before);
  if (from < to) std::memcpy(border + from, window_of(share.number, number).origin + from, at(to - from));
}

/// When all statements are done: what the borders need and the windows have.
void Nest::save_rows(const Share& share) {
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    const Scratch& each = scratch[i];
    const Window& window = window_of(share.number, i);
    if (window.base == each.from(share.begin)) save_first_rows(share, i);
    if (share.is_last) continue;
    const std::int64_t from = each.from(share.end - behind), to = share.end * each.row_step + each.written_low;
    char* border = origin_of(memory_ + each.border_at + share.number * scratch_size_, from);
    std::memcpy(border + from, window.origin + from, at(to - from));
  }
}

void Nest::place_border(const Share& share) {
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    const std::int64_t base = scratch[i].from(share.end - behind);
    window_of(share.number, i) = {origin_of(memory_ + scratch[i].border_at + share.number * scratch_size_, base), base};
  }
}

}  // namespace numjit::runtime
