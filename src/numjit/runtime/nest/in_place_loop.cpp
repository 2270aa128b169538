// Stores in place that follow each other on the same rows, as the steps of a loop over time are.
//
//   for step in range(4): u(in, in) += 0.1 * (u(up, in) + u(down, in) + ...)
//
//   statement            reads    writes   behind
//   what is around       u        A        0 rows     A is an image of u, of which no step writes what lies around u(in, in)
//   u(in, in) = f(u)     u        A        0 rows
//   u(in, in) = f(u)     A        u        1 row
//   u(in, in) = f(u)     u        A        2 rows
//   u(in, in) = f(u)     A        u        3 rows
//
// So no result is moved. The last but one of an odd number of steps writes another image. So do several arrays, as the two of a
// reaction and diffusion: each step writes all of them from all of them.
#include <algorithm>

#include <numjit/runtime/nest/nest.h>
#include <numjit/runtime/nest/schedule.h>

namespace numjit::runtime {
namespace {

/// More steps are more loops.
constexpr std::size_t most_steps = 24;
/// Where the results of a step go: to the arrays, or to one of their images.
constexpr int arrays = -1;
/// Less than this is in the caches anyway.
constexpr std::int64_t least_bytes = 32 << 10;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The kernel of a step, and the move of its result to field f.
const Statement& kernel_of(const Nest& step) { return step.statements[0]; }
const Statement& move_to(std::size_t f, const Nest& step) { return step.statements[f + 1]; }
std::size_t fields_of(const Nest& step) { return step.statements.size() - 1; }

/// An array that all steps write, and its image. Bytes are counted from its first row's first.
struct Field {
  const Access* target;                    // of the first step
  std::int64_t begin = 0, end;             // bytes that the steps read or write,
  std::int64_t first_row = 0, last_row;    // the rows that these are in,
  std::int64_t first_byte = 0, last_byte;  // and where in each
  bool is_dense;                           // does nothing lie between what a row stores?

  Field(const Access& to, const Statement& move)
      : target(&to), end(to.bytes), last_row(move.rows), last_byte(to.row_span), is_dense(move.moved_bytes() == to.row_span) {}

  bool overlaps(const Access& access) const {
    return access.begin < target->begin + target->bytes && target->begin < access.begin + access.bytes;
  }
  /// False: not in the same rows.
  bool add(const Access& read, std::int64_t rows) {
    const std::int64_t row = target->row_step, from = read.begin - target->begin;
    if (read.row_step != row) return false;
    const std::int64_t first = floor_div(from + row / 2, row), byte = from - first * row;
    begin = std::min(begin, from);
    end = std::max(end, from + read.bytes);
    first_row = std::min(first_row, first);
    last_row = std::max(last_row, first + rows);
    first_byte = std::min(first_byte, byte);
    last_byte = std::max(last_byte, byte + read.row_span);
    return last_byte - first_byte <= row;
  }
  std::int64_t corner() const { return first_row * target->row_step + first_byte; }
  /// What no step writes, in rows and bytes that are counted from the corner.
  std::vector<Box> around() const;
};

std::vector<Box> Field::around() const {
  const std::int64_t rows = last_row - first_row, width = last_byte - first_byte, above = -first_row, left = -first_byte;
  const std::int64_t skipped = begin - corner(), last_width = end - corner() - (rows - 1) * target->row_step;
  std::vector<Box> boxes;
  const auto add_rows = [&](std::int64_t first, std::int64_t last, std::int64_t from, std::int64_t to) {
    if (first < last && from < to) boxes.push_back({first, last, from, from, to - from});
  };
  // The corners may be no memory of the array's.
  const auto add = [&](std::int64_t first, std::int64_t last, std::int64_t from, std::int64_t to) {
    const bool has_first = first == 0 && last > 0, has_last = last == rows && first < rows && rows > 1;
    if (has_first) add_rows(0, 1, std::max(from, skipped), rows == 1 ? std::min(to, last_width) : to);
    add_rows(first + has_first, last - has_last, from, to);
    if (has_last) add_rows(rows - 1, rows, from, std::min(to, last_width));
  };
  const std::int64_t below = above + (target->bytes - target->row_span) / target->row_step + 1;
  add(0, above, 0, width);
  add(above, below, 0, is_dense ? left : width);
  if (is_dense) add(above, below, left + target->row_span, width);
  add(below, rows, 0, width);
  return boxes;
}

class LoopFinder {
 public:
  LoopFinder(std::vector<std::unique_ptr<Nest>>& stores, const BoundPlan& plan) : stores_(stores), plan_(plan) {}

  std::vector<std::unique_ptr<Nest>> find() {
    std::vector<std::unique_ptr<Nest>> found;
    for (std::size_t to = 0; from_ + 1 < stores_.size(); from_ = to) {
      for (to = from_ + 1; to < stores_.size() && follows(*stores_[to - 1], *stores_[to]);) ++to;
      // As many as follow each other in the cache; the rest make the next loop. An even number has fewer images.
      std::unique_ptr<Nest> loop;
      for (steps_ = std::min(to - from_, most_steps); steps_ >= 2 && !loop; steps_ = loop ? steps_ : std::min(steps_ - 1, cut_)) {
        if (steps_ % 2 == 1 && steps_ < to - from_) --steps_;
        loop = make();
      }
      if (!loop) continue;
      to = from_ + steps_;
      std::fill(stores_.begin() + static_cast<std::ptrdiff_t>(from_), stores_.begin() + static_cast<std::ptrdiff_t>(to), nullptr);
      found.push_back(std::move(loop));
    }
    return found;
  }

 private:
  /// Does b store to the same places as a, with nothing between them?
  bool follows(const Nest& a, const Nest& b) const {
    for (int s = a.last() + 1; s < b.first(); ++s)
      if (plan_.planned.steps[at(s)].kind != Step::Kind::view) return false;
    const FusedPart &one = *kernel_of(a).part, &other = *kernel_of(b).part;
    if (one.outputs.size() != fields_of(a) || other.outputs.size() != fields_of(b) || fields_of(a) != fields_of(b) ||
        !std::equal(one.extent, one.extent + one.rank, other.extent, other.extent + other.rank))
      return false;
    for (std::size_t f = 0; f < fields_of(a); ++f) {
      const Access &target = move_to(f, a).accesses[1], &now = move_to(f, b).accesses[1];
      const std::int64_t *strides = (*target.place)->strides, *others = (*now.place)->strides;
      if (target.begin != now.begin || target.item != now.item || !std::equal(strides, strides + one.rank, others)) return false;
    }
    return true;
  }

  /// The first `steps_` from `from_` on. Null: at most `cut_` of them.
  std::unique_ptr<Nest> make() {
    cut_ = 0;
    const Nest &first = *stores_[from_], &last = *stores_[from_ + steps_ - 1];
    if (!find_fields()) return nullptr;
    const std::size_t images = (1 + steps_ % 2) * fields_.size();
    auto loop = std::make_unique<Nest>("in place, several steps", plan_, first.first(), last.last(), images + steps_);
    for (std::size_t i = 0; i < images; ++i) {
      const Field& field = fields_[i % fields_.size()];
      loop->scratch.push_back({field.corner(), field.corner() + (field.last_row - field.first_row) * field.target->row_step});
      make_around(*loop, i);
    }
    int from = arrays;
    for (std::size_t s = 0; s < steps_; ++s) {
      const Nest& step = *stores_[from_ + s];
      const int to = s + 1 == steps_ ? arrays : s % 2 == 0 ? 0 : s + 2 == steps_ ? 1 : arrays;
      loop->estimate_ns += kernel_of(step).estimate_ns;
      loop->statements[images + s] = kernel_between(*loop, step, from, to);
      from = to;
      for (std::size_t i = 0; i < step.scratch_of.size(); ++i)
        if (step.scratch_of[i] >= 0) loop->scratch_of[i] = step.scratch_of[i];  // it is not stored
    }
    loop->find_memories();
    NestSchedule schedule(*loop);
    for (std::size_t s = 0; s < loop->statements.size(); ++s) {
      if (schedule.follows(s)) continue;
      cut_ = s > images ? s - images : 0;
      return nullptr;
    }
    return schedule.choose(least_bytes) && loop->bind() ? std::move(loop) : nullptr;
  }

  bool find_fields() {
    fields_.clear();
    const Nest& like = *stores_[from_];
    for (std::size_t f = 0; f < fields_of(like); ++f) {
      const Statement& move = move_to(f, like);
      const Access& target = move.accesses[1];
      // What lies between the rows, or in them, is copied too.
      if (2 * (target.row_step - move.moved_bytes()) > target.row_step) return false;
      for (const Field& field : fields_)  // each has an image of its own
        if (field.overlaps(target)) return false;
      fields_.emplace_back(target, move);
    }
    for (std::size_t s = from_; s < from_ + steps_; ++s) {
      const Statement& kernel = kernel_of(*stores_[s]);
      for (std::size_t k = 0; k < kernel.part->operands.size(); ++k) {
        const Access& read = kernel.accesses[k];
        if (std::count_if(fields_.begin(), fields_.end(), [&](const Field& field) { return field.overlaps(read); }) > 1)
          return false;
        for (Field& field : fields_)
          if (field.overlaps(read) && !field.add(read, kernel.rows)) return false;
      }
    }
    return true;
  }

  /// The same of an image, which are one per field and then one more. Its rows begin where lines of the cache do, if they are as
  /// long: those of the target may not (u(in, in)).
  void to_image(const Nest& loop, std::size_t image, Access& access) const {
    const std::int64_t from_target = access.begin - fields_[image % fields_.size()].target->begin;
    access.place = nullptr;
    access.scratch = static_cast<int>(image);
    access.offset = from_target - access.low;
    access.begin = loop.begin_of_scratch(image) + from_target;
  }

  void make_around(Nest& loop, std::size_t image) const {
    const Field& field = fields_[image % fields_.size()];
    Statement& around = loop.statements[image];
    around.part = kernel_of(*stores_[from_]).part;
    around.rows = field.last_row - field.first_row;
    Access access = *field.target;
    access.written = false;
    access.memory = -1;
    access.offset += field.corner();
    access.begin += field.corner();
    access.row_span = field.last_byte - field.first_byte;
    access.bytes = (around.rows - 1) * access.row_step + access.row_span;
    if (around.part->rank > 1 && access.column_step > 0)
      around.columns = (access.row_span + access.column_step - 1) / access.column_step;
    around.accesses = {access, access};
    around.accesses[1].written = true;
    to_image(loop, image, around.accesses[1]);
    around.boxes = field.around();
    if (around.boxes.empty()) around.boxes.push_back({0, 0, 0, 0, 0});  // it is a move, of nothing
  }

  /// The kernel of a step that reads the arrays or this one of their images, and writes those or that one.
  Statement kernel_between(const Nest& loop, const Nest& step, int from, int to) const {
    Statement kernel = kernel_of(step);
    for (Access& access : kernel.accesses) access.memory = -1;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      for (std::size_t k = 0; from != arrays && k < kernel.part->operands.size(); ++k)
        if (kernel.accesses[k].scratch < 0 && fields_[f].overlaps(kernel.accesses[k]))
          to_image(loop, at(from) * fields_.size() + f, kernel.accesses[k]);
      const Statement& move = move_to(f, step);
      Access& result = kernel.accesses[move.moved];
      result = move.accesses[1];
      result.memory = -1;
      kernel.arguments[move.moved].strides = (*result.place)->strides;
      if (to != arrays) to_image(loop, at(to) * fields_.size() + f, result);
    }
    return kernel;
  }

  std::vector<std::unique_ptr<Nest>>& stores_;
  const BoundPlan& plan_;
  std::size_t from_ = 0, steps_ = 0, cut_ = 0;
  std::vector<Field> fields_;
};

}  // namespace

std::vector<std::unique_ptr<Nest>> take_in_place_loops(std::vector<std::unique_ptr<Nest>>& stores, const BoundPlan& plan) {
  return LoopFinder(stores, plan).find();
}

}  // namespace numjit::runtime
