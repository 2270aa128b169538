// Making nests, the distances of what depends on each other, and running them.
#include <numjit/runtime/nest/nest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <numjit/base/thread_pool.h>
#include <numjit/runtime/plan/strides.h>

namespace numjit::runtime {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Rows [row, row + count) of a move, whose accesses begin at these places, as far as bytes [first_byte, last_byte) of a row are
/// written.
void move_rows(const Statement& move, std::int64_t row, std::int64_t count, std::int64_t first_byte, std::int64_t last_byte,
               const LaunchOperand* places) {
  const Access &source = move.accesses.front(), &target = move.accesses.back();
  const bool copies = move.accesses.size() == 2;
  for (Box box : move.boxes) {
    const std::int64_t left_out = std::max<std::int64_t>(first_byte - box.to, 0);
    box.bytes = std::min(box.to + box.bytes, last_byte) - box.to - left_out;
    box.from += left_out;
    box.to += left_out;
    const std::int64_t first = std::max(row, box.first), last = box.bytes > 0 ? std::min(row + count, box.last) : first;
    const bool dense = box.bytes == target.row_step && box.bytes == source.row_step;
    const std::int64_t at_once = dense && last > first ? last - first : 1, bytes = box.bytes * at_once;
    for (std::int64_t r = first; r < last; r += at_once) {
      char* begin = places[copies].data + (r - row) * target.row_step + box.to;
      const char* from = places[0].data + (r - row) * source.row_step + box.from;
      std::int64_t done = copies ? bytes : target.item;
      std::memcpy(begin, copies ? from : move.part->scalar_pointers[0], at(done));
      for (; done < bytes; done *= 2) std::memcpy(begin + done, begin, at(std::min(done, bytes - done)));
    }
  }
}

}  // namespace

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return (a < 0 ? a - (b - 1) : a) / b; }

std::vector<Box> boxes_of(const dims& extent, const std::int64_t* from, const std::int64_t* to, std::int64_t bytes) {
  int inner = extent.size() - 1;
  for (; inner > 0 && from[inner] == bytes && to[inner] == bytes; --inner) bytes *= extent[inner];
  std::int64_t count = 1;
  for (int axis = 1; axis <= inner; ++axis) count *= extent[axis];
  std::vector<Box> boxes(at(count));
  for (std::int64_t b = 0; b < count; ++b) {
    Box& box = boxes[at(b)] = {0, extent[0], 0, 0, bytes};
    std::int64_t left = b;
    for (int axis = inner; axis > 0; left /= extent[axis--]) {
      box.from += left % extent[axis] * from[axis];
      box.to += left % extent[axis] * to[axis];
    }
  }
  return boxes;
}

bool BoundPlan::is_statement(const Step& step) {
  if (step.kind != Step::Kind::fused || step.parts.size() != 1 || !step.resolve.empty() || !step.unknown.empty() ||
      !step.temporaries.empty())
    return false;
  const FusedPart& part = step.parts[0];
  return part.call.spec().reduction_levels == 0 && part.call.info().compiled && part.rank >= 1 && !part.arguments.empty() &&
         std::find(part.extent, part.extent + part.rank, 0) == part.extent + part.rank;
}

bool BoundPlan::is_move(const Step& step) const {
  const FusedPart& part = step.parts[0];
  const node* made = *part.places.back();
  const op_id op = graph.nodes[at(step.group[0])].op;
  const bool fills = op == op_id::full && part.scalars.size() == 1 && part.scalars[0].type == made->type;
  return (fills || op == op_id::copy) && step.group.size() == 1 && part.offsets.empty() &&
         std::all_of(part.places.begin(), part.places.end(), [made](node* const* place) {
           return (*place)->type == made->type && numjit::detail::same_shape(*place, made) && (*place)->is(node::c_contiguous);
         });
}

bool BoundPlan::dies(int i, int first, int last) const {
  if (planned.persistent[at(i)]) return false;
  return std::any_of(planned.steps.begin() + first, planned.steps.begin() + last + 1, [i](const Step& step) {
    return std::find(step.free_after.begin(), step.free_after.end(), i) != step.free_after.end();
  });
}

Nest::Nest(std::string_view name, const BoundPlan& plan, int first, int last, std::size_t count)
    : called(name), statements(count), scratch_of(plan.graph.nodes.size(), -1) {
  first_ = first;
  last_ = last;
}

Nest::~Nest() = default;

void Access::lay_out(const FusedPart& part, const std::int64_t* strides) {
  row_step = strides[0];
  column_step = part.rank > 1 ? strides[1] : 0;
  bytes = row_span = column_span = item;
  for (int axis = 0; axis < part.rank; ++axis) {
    const std::int64_t reach = strides[axis] * (part.extent[axis] - 1);
    low += std::min<std::int64_t>(reach, 0);
    bytes += std::abs(reach);
    if (axis > 0) row_span += std::abs(reach);
    if (axis > 1) column_span += std::abs(reach);
  }
}

void Nest::find_place(const BoundPlan& plan, const FusedPart& part, Access& access, int node, const std::int64_t* strides) const {
  access.lay_out(part, strides);
  std::int64_t from_root = 0;
  const int root = root_of(plan.graph, node, plan.inputs, from_root);
  const char* data = plan.inputs.slot(root)->data;
  access.scratch = scratch_of[at(root)];
  access.begin = access.offset + from_root + access.low;
  if (access.scratch >= 0) access.offset += from_root;  // a view of scratch has no place of its own
  // What has no memory yet is as if it were at addresses of its own, below all others.
  if (access.scratch >= 0)
    access.begin += begin_of_scratch(at(access.scratch));
  else
    access.begin += data ? reinterpret_cast<std::intptr_t>(data) : -((std::int64_t{root} + 1) << 40);
}

void Nest::make_kernel(const BoundPlan& plan, std::size_t number, Step& step, const Step* copy) {
  Statement& kernel = statements[number];
  kernel.part = &step.parts[0];
  const FusedPart& part = *kernel.part;
  kernel.rows = part.extent[0];
  if (part.rank > 1) kernel.columns = part.extent[1];
  kernel.arguments = part.arguments;
  kernel.estimate_ns = detail::ns_per_point(part.call.spec()) * points_of(part);
  estimate_ns += kernel.estimate_ns;
  kernel.accesses = std::vector<Access>(part.arguments.size());
  for (std::size_t k = 0; k < part.arguments.size(); ++k) {
    const bool written = k >= part.operands.size();
    Access& access = kernel.accesses[k];
    access.place = part.places[k];
    access.written = written;
    if (!part.offsets.empty()) access.offset = part.offsets[k];
    const dtype type(written ? (*access.place)->type : part.call.spec().operand_types[k]);
    access.item = static_cast<std::int64_t>(type.itemsize());
    int node = written ? part.outputs[k - part.operands.size()].node : part.operands[k].node;
    std::int64_t from_copy = 0;
    if (written && !copy && step.store_target >= 0) node = step.store_target;
    if (!written && copy && root_of(plan.graph, node, plan.inputs, from_copy) == copy->group[0]) {
      node = copy->parts[0].operands[0].node;
      access.place = copy->parts[0].places[0];
      access.offset += from_copy;
    }
    find_place(plan, part, access, node, part.arguments[k].strides);
  }
}

std::int64_t Nest::begin_of_scratch(std::size_t number) const {
  return -(static_cast<std::int64_t>(scratch_of.size() + number + 1) << 40);
}

void Nest::make_move(const BoundPlan& plan, std::size_t number, std::size_t maker, int value, int node) {
  const Statement& kernel = statements[maker];
  Statement& move = statements[number];
  const numjit::node* target = plan.inputs.slot(node);
  move.part = kernel.part;
  move.rows = kernel.rows;
  move.columns = kernel.columns;
  move.moved = move.part->operands.size();
  for (const ArraySource& output : move.part->outputs) {
    if (output.node == value) break;
    ++move.moved;
  }
  move.accesses = std::vector<Access>(2);
  move.accesses[0] = kernel.accesses[move.moved];
  move.accesses[0].written = false;
  Access& to = move.accesses[1];
  to.place = plan.inputs.slots[at(node)];
  to.written = true;
  to.item = move.accesses[0].item;
  move.boxes =
      boxes_of(dims(move.part->extent, move.part->rank), move.part->arguments[move.moved].strides, target->strides, to.item);
  find_place(plan, *move.part, to, node, target->strides);
  move.estimate_ns = 0.1 * points_of(*move.part);
  estimate_ns += move.estimate_ns;
}

/// In the order of where they begin, accesses that overlap are in one memory.
void Nest::find_memories() {
  std::size_t left = 0;
  for (const Statement& statement : statements) left += statement.accesses.size();
  memories = std::vector<Memory>(left);  // at most
  std::vector<const Statement*> users(left);
  const Access* first = nullptr;         // of the memory at hand
  int number = -1;
  for (; left > 0; --left) {
    Access* next = nullptr;
    const Statement* user = nullptr;
    for (Statement& statement : statements)
      for (Access& access : statement.accesses)
        if (access.memory < 0 && (!next || access.begin < next->begin)) next = &access, user = &statement;
    if (!first || next->begin >= first->begin + memories[at(number)].bytes) {
      first = next;
      ++number;
    }
    Memory& memory = memories[at(number)];
    next->memory = number;
    next->delta = next->begin - first->begin;
    memory.bytes = std::max(memory.bytes, next->delta + next->bytes);
    memory.written |= next->written;
    if (!users[at(number)]) users[at(number)] = user;
    memory.shared |= users[at(number)] != user;
  }
  memories.erase(memories.begin() + number + 1, memories.end());
  for (const Memory& memory : memories) bytes_ += memory.bytes;
}

/// f(earlier statement, its access, the one of statement `number`, least, last) of each two that touch the same bytes and of
/// which one writes: rows i and j of them touch where i - j is from least to last. False: some do not count their rows alike, or
/// f says so.
template <class F>
bool Nest::for_each_conflict(std::size_t number, F f) const {
  for (std::size_t earlier = 0; earlier < number; ++earlier)
    for (const Access& a : statements[earlier].accesses)
      for (const Access& b : statements[number].accesses) {
        const std::int64_t apart = b.delta - a.delta, row = a.row_step;
        if (a.memory != b.memory || !(a.written || b.written) || apart >= a.bytes || -apart >= b.bytes) continue;
        if (row <= 0 || b.row_step != row) return false;
        // Row i of a has bytes [i row, i row + a.row_span), row j of b has [j row + apart, j row + apart + b.row_span).
        const std::int64_t least = floor_div(apart - a.row_span, row) + 1, last = -floor_div(-apart - b.row_span, row) - 1;
        if (least <= last && !f(statements[earlier], a, b, least, last)) return false;
      }
  return true;
}

bool Nest::find_lag(std::size_t number) {
  Statement& statement = statements[number];
  const bool found = for_each_conflict(number, [&](const Statement& other, const Access&, const Access&, auto least, auto last) {
    const std::int64_t moved = other.center - statement.center;
    statement.before = std::max(statement.before, other.before - least - moved);
    statement.behind = std::max(statement.behind, other.behind + last + moved);
    return true;
  });
  before = std::max(before, statement.before);
  behind = std::max(behind, statement.behind);
  border_rows = std::max(border_rows, statement.before + statement.behind);
  return found;
}

bool Nest::find_column_lag(std::size_t number) {
  Statement& statement = statements[number];
  const auto add = [&](const Statement& other, const Access& a, const Access& b, std::int64_t least, std::int64_t last) {
    const std::int64_t column = a.column_step;
    if (column <= 0 || b.column_step != column) return false;
    // The same of the columns that are so many rows further down.
    for (std::int64_t rows = least; rows <= last; ++rows) {
      const std::int64_t apart = b.delta - a.delta - rows * a.row_step;
      const std::int64_t left = std::max(floor_div(apart - a.column_span, column) + 1, 1 - statement.columns);
      const std::int64_t right = std::min(-floor_div(-apart - b.column_span, column) - 1, other.columns - 1);
      const std::int64_t lag = other.columns_behind + right + other.column_center - statement.column_center;
      if (left <= right) statement.columns_behind = std::max(statement.columns_behind, lag);
    }
    return true;
  };
  const bool found = for_each_conflict(number, add);
  columns_behind = std::max(columns_behind, statement.columns_behind);
  return found;
}

// ---- running ----

bool Nest::bind() {
  lanes_ = bind_lanes();
  lay_out_scratch();
  if (is_periodic && !contracted_) return false;
  lane_operands_ = 0;
  for (const Statement& statement : statements)
    lane_operands_ = std::max(lane_operands_, statement.accesses.size() + 4);  // lanes share no line of the cache
  operands_ = std::vector<LaunchOperand>(at(lanes_) * lane_operands_);
  plans_ = std::vector<std::unique_ptr<detail::LaunchPlan>>(at(lanes_) * statements.size());
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    const Statement& statement = statements[i % statements.size()];
    if (!statement.boxes.empty()) continue;
    plans_[i] = plan_rows(*statement.part, statement.arguments.data(), most, strip, kernels_);
    if (!plans_[i] || !(strip > 0 ? plans_[i]->can_run_corner(most, strip) : plans_[i]->can_run_first(most))) return false;
  }
  return true;
}

bool Nest::places_hold() {
  for (Memory& each : memories) each.begin = each.end = 0;
  for (Statement& statement : statements)
    for (Access& access : statement.accesses) {
      if (access.scratch >= 0) continue;
      access.data = (*access.place)->data + access.offset;
      Memory& in = memories[at(access.memory)];
      const std::int64_t begin = reinterpret_cast<std::intptr_t>(access.data) + access.low - access.delta;
      if (in.written && in.begin != 0 && in.begin != begin) return false;
      in.begin = in.begin == 0 ? begin : std::min(in.begin, begin);
      in.end = std::max(in.end, begin + in.bytes);
    }
  for (const Memory& one : memories)
    for (const Memory& other : memories)
      if (one.written && &one != &other && one.begin < other.end && other.begin < one.end) return false;
  return true;
}

bool Nest::run() {
  const std::int64_t rows = last_row - first_row, threads = numjit::detail::thread_count();
  const bool small = estimate_ns < numjit::detail::parallel_from_ns;
  const std::int64_t shares = small ? 1 : std::clamp<std::int64_t>(rows / least_share, 1, threads);
  const RunScratch memory(scratch_size_ * (contracted_ ? shares : 1));
  if (!memory.data() || !places_hold()) return false;
  memory_ = memory.data();
  if (strip == 0) run_strip(0, shares);
  for (std::int64_t column = first_column; strip > 0 && column < last_column + columns_behind; column += strip)
    run_strip(column, shares);
  return true;
}

/// All rows of the strip that begins at `first_column`, or of all columns: first those of each share that need nothing of its
/// neighbours, then those between shares.
void Nest::run_strip(std::int64_t first_column, std::int64_t shares) {
  const std::int64_t rows = last_row - first_row;
  const double columns = static_cast<double>(last_column - first_column);
  const double ns = strip > 0 ? estimate_ns * static_cast<double>(strip) / columns : estimate_ns;
  const double border_ns = ns * static_cast<double>(border_rows * (shares - 1)) / static_cast<double>(rows);
  for (const bool borders : {false, true})
    numjit::detail::parallel_plain_ranges(
        shares - (borders && !is_periodic), 1, borders ? border_ns : ns, [&](auto from, auto to) {
          for (std::int64_t i = from; i < to; ++i) {
            const std::int64_t begin = first_row + rows * i / shares, end = first_row + rows * (i + 1) / shares;
            const bool is_first = i == 0 && !is_periodic, is_last = i == shares - 1 && !is_periodic;
            const Share share{i, begin, end, is_first, is_last, first_column, (i + shares - 1) % shares, i == 0 ? rows : 0};
            borders ? run_border(share) : run_share(share);
          }
        });
}

void Nest::run_share(const Share& share) {
  place_windows(share);
  for (std::int64_t row = share.begin; row < share.end + behind; row += block) {
    if (contracted_) move_windows(share, row);
    for (std::size_t s = 0; s < statements.size(); ++s) {
      const Statement& statement = statements[s];
      const std::int64_t first = share.is_first ? share.begin : share.begin + statement.before;
      const std::int64_t last = share.is_last ? share.end : share.end - statement.behind;
      const std::int64_t from = row == share.begin ? first : std::max(first, row - statement.behind);
      run_statement(share, s, from, std::min(last, row + block - statement.behind));
    }
  }
  if (contracted_) save_rows(share);
}

void Nest::run_border(const Share& share) {
  if (contracted_) place_border(share);
  const bool ends_all = is_periodic && share.end == last_row;
  for (std::size_t s = 0; s < statements.size(); ++s) {
    run_statement(share, s, share.end - statements[s].behind, share.end + statements[s].before);
    if (ends_all) run_statement(share, s, first_row, first_row + statements[s].before, last_row - first_row);
  }
}

/// Rows [from, to), as far as the statement has them, whose scratch is `ahead` rows further on.
void Nest::run_statement(const Share& share, std::size_t number, std::int64_t from, std::int64_t to, std::int64_t ahead) {
  const Statement& statement = statements[number];
  Rectangle part{0, 0, 0, statement.columns};
  if (strip > 0) {
    const std::int64_t column = share.first_column - statement.columns_behind - statement.column_center;
    part.column = std::max<std::int64_t>(column, 0);
    part.columns = std::min(column + strip, statement.columns) - part.column;
  }
  part.row = std::max(from - statement.center, std::int64_t{0});
  part.rows = std::min(to - statement.center, statement.rows) - part.row;
  if (part.rows <= 0 || part.columns <= 0) return;
  LaunchOperand* operands = &operands_[at(share.number) * lane_operands_];
  for (std::size_t k = 0; k < statement.accesses.size(); ++k) {
    const Access& access = statement.accesses[k];
    operands[k].data = access.data;
    if (access.scratch >= 0)
      operands[k].data = window_of(share.number, at(access.scratch)).origin + access.offset + ahead * access.row_step;
    operands[k].data += part.row * access.row_step;
  }
  run_part(at(share.number), number, part);
}

/// The operands begin at the part's first row.
void Nest::run_part(std::size_t lane, std::size_t number, const Rectangle& part) {
  const Statement& statement = statements[number];
  LaunchOperand* operands = &operands_[lane * lane_operands_];
  if (!statement.boxes.empty()) {
    const std::int64_t column = strip > 0 ? statement.accesses.back().column_step : 0;
    const std::int64_t last = strip > 0 ? (part.column + part.columns) * column : INT64_MAX;
    return move_rows(statement, part.row, part.rows, part.column * column, last, operands);
  }
  detail::LaunchPlan& plan = *plans_[lane * statements.size() + number];
  if (strip == 0) return run_first(plan, *statement.part, operands, part.rows, most);
  for (std::size_t k = 0; k < statement.accesses.size(); ++k) operands[k].data += part.column * statement.accesses[k].column_step;
  plan.run_corner(launch_of(*statement.part, operands), part.rows, part.columns, strip);
}

}  // namespace numjit::runtime
