// Kernels that follow each other and read each other's results rolled, as the steps of a loop with periodic borders do.
//
//   for step in range(3): u = u + 0.1 * (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4 * u)
//
//   statement               reads   writes  behind
//   image of u              u       A       0 rows     of each row also the last columns before the first one, and the first
//   B = f(A)                A       B       1 row      ones behind the last one, so that the kernel reads all as it lies
//   columns around B        B       B       1 row
//   A = f(B)                B       A       2 rows
//   columns around A        A       A       2 rows
//   u = f(A)                A       u       3 rows
//
// Rows go round as well: behind the last row is a border as between the shares of two threads, with the first rows.
#include <algorithm>
#include <utility>

#include <numjit/base/buffer_pool.h>
#include <numjit/runtime/nest/nest.h>
#include <numjit/runtime/nest/pieces.h>
#include <numjit/runtime/nest/schedule.h>
#include <numjit/runtime/plan/strides.h>

namespace numjit::runtime {
namespace {

/// More steps are more loops.
constexpr std::size_t most_steps = 16;
/// Less than this is in the caches anyway.
constexpr std::int64_t least_bytes = 256 << 10;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// An array that is read rolled.
struct Image {
  node* const* place;
  int made_by = -1;      // which step's result it is, or -1: it is there
  std::size_t last = 0;  // step that reads it
  std::int64_t item;
  std::int64_t columns = 0;  // on each side
  bool is_stored = false;    // others read the array
  int scratch = -1;
  dims strides = {};
};

class PeriodicFinder {
 public:
  PeriodicFinder(std::vector<std::unique_ptr<Pieces>>& all, const BoundPlan& plan) : all_(all), plan_(plan) {}

  std::vector<std::unique_ptr<Nest>> find() {
    std::vector<std::unique_ptr<Nest>> found;
    for (std::size_t to = 0; from_ < all_.size(); from_ = to) {
      operands_.clear();
      for (to = from_; to < all_.size() && operands_.size() < most_steps && follows(to);) ++to;
      std::unique_ptr<Nest> nest;
      while (operands_.size() >= 2 && !(nest = make())) operands_.resize(std::min(operands_.size() - 1, cut_));
      to = from_ + (nest ? operands_.size() : 1);
      if (!nest) continue;
      std::fill(all_.begin() + static_cast<std::ptrdiff_t>(from_), all_.begin() + static_cast<std::ptrdiff_t>(to), nullptr);
      found.push_back(std::move(nest));
    }
    return found;
  }

 private:
  using Operands = std::vector<Pieces::Rolled>;

  const FusedPart& part_of(std::size_t step) const { return all_[from_ + step]->part(); }

  /// Does step `number` have rolled operands of one shape with those before it, and nothing between? Takes it.
  bool follows(std::size_t number) {
    if (!all_[number]) return false;
    const FusedPart &part = all_[number]->part(), &first = all_[from_]->part();
    if (number > from_) {
      for (int s = all_[number - 1]->last() + 1; s < all_[number]->first(); ++s)
        if (plan_.planned.steps[at(s)].kind != Step::Kind::view) return false;
      if (part.rank != first.rank || !std::equal(part.extent, part.extent + part.rank, first.extent)) return false;
    }
    if (!part.offsets.empty()) return false;
    for (const ArraySource& output : part.outputs)
      if (!plan_.inputs.slot(output.node)->is(node::c_contiguous) || plan_.inputs.slot(output.node)->rank != part.rank)
        return false;
    std::optional<Operands> operands = all_[number]->rolled_operands();
    if (!operands) return false;
    for (Pieces::Rolled& operand : *operands) {
      if (!operand.place) continue;
      const dims& ahead = operand.ahead;
      if (std::any_of(ahead.begin() + std::min(ahead.size(), 2), ahead.end(), [](std::int64_t n) { return n != 0; }))
        return false;
      if (!(operand.place = whole(operand.place))) return false;
    }
    operands_.push_back(std::move(*operands));
    return true;
  }

  /// Where the array stands that this is all of, in its own layout; null if it is part of one that the steps may make.
  node* const* whole(node* const* place) const {
    std::int64_t offset = 0;
    const int i = node_at(place), root = root_of(plan_.graph, i, plan_.inputs, offset);
    if (root == i) return place;
    const node *part = *place, *all = plan_.inputs.slot(root);
    if (offset == 0 && numjit::detail::same_shape(part, all) && part->type == all->type &&
        std::equal(part->strides, part->strides + part->rank, all->strides))
      return plan_.inputs.slots[at(root)];
    return plan_.graph.nodes[at(root)].kind == graph::NodeKind::input ? place : nullptr;
  }

  /// Of the steps taken. Null: at most `cut_` of them.
  std::unique_ptr<Nest> make() {
    cut_ = 0;
    if (!find_images()) return nullptr;
    const std::size_t steps = operands_.size();
    std::size_t count = steps;
    for (const Image& image : images_)
      count += image.made_by < 0 ? 1 : static_cast<std::size_t>(image.columns > 0) + static_cast<std::size_t>(image.is_stored);
    auto nest = std::make_unique<Nest>("periodic rows", plan_, all_[from_]->first(), all_[from_ + steps - 1]->last(), count);
    nest->is_periodic = true;
    nest->last_row = part_of(0).extent[0];
    assign_scratch(*nest);
    std::vector<std::size_t> step_of(count, 0);
    std::size_t number = 0;
    for (const Image& image : images_)
      if (image.made_by < 0) make_fill(*nest, number++, image);
    for (std::size_t s = 0; s < steps; ++s) {
      step_of[number] = s;
      make_kernel(*nest, number++, s);
      for (const Image& image : images_)
        for (const bool stores : {false, true})
          if (image.made_by == static_cast<int>(s) && (stores ? image.is_stored : image.columns > 0)) {
            step_of[number] = s;
            stores ? make_store(*nest, number++, image) : make_columns(*nest, number++, image);
          }
    }
    nest->find_memories();
    NestSchedule schedule(*nest);
    for (std::size_t s = 0; s < count; ++s) {
      if (schedule.follows(s)) continue;
      cut_ = step_of[s];
      return nullptr;
    }
    return schedule.choose(least_bytes) && nest->bind() ? std::move(nest) : nullptr;
  }

  int node_at(node* const* place) const {
    return static_cast<int>(std::find(plan_.inputs.slots.begin(), plan_.inputs.slots.end(), place) - plan_.inputs.slots.begin());
  }

  Image* image_of(node* const* place) {
    const auto found = std::find_if(images_.begin(), images_.end(), [&](const Image& image) { return image.place == place; });
    return found == images_.end() ? nullptr : &*found;
  }

  /// What is read rolled, and the results that only the steps read. False: not by these.
  bool find_images() {
    images_.clear();
    for (std::size_t s = 0; s < operands_.size(); ++s) {
      const FusedPart& part = part_of(s);
      for (const Pieces::Rolled& operand : operands_[s]) {
        if (!operand.place) continue;
        Image* image = image_of(operand.place);
        if (!image) {
          const node* n = *operand.place;
          images_.push_back({operand.place, -1, 0, static_cast<std::int64_t>(dtype(n->type).itemsize())});
          image = &images_.back();
          if (n->rank != part.rank || !std::equal(part.extent, part.extent + part.rank, n->shape) ||
              n->strides[n->rank - 1] != image->item)
            return false;
        }
        image->last = s;
        if (part.rank > 1) image->columns = std::max(image->columns, std::abs(operand.ahead[1]));
      }
      for (const ArraySource& output : part.outputs) {
        if (image_of(plan_.inputs.slots[at(output.node)])) return false;  // read before it is made
        const bool is_read =
            std::any_of(operands_.begin() + static_cast<std::ptrdiff_t>(s) + 1, operands_.end(), [&](const Operands& later) {
              return std::any_of(later.begin(), later.end(),
                                 [&](const Pieces::Rolled& o) { return o.place == plan_.inputs.slots[at(output.node)]; });
            });
        if (!is_read) continue;
        images_.push_back({plan_.inputs.slots[at(output.node)], static_cast<int>(s), s,
                           static_cast<std::int64_t>(dtype(plan_.inputs.slot(output.node)->type).itemsize())});
        images_.back().is_stored = !plan_.dies(output.node, all_[from_]->first(), all_[from_ + operands_.size() - 1]->last());
      }
      if (!reads_whole_arrays(s)) return false;
    }
    // Where most results are stored anyway, as those that a gradient needs later, images are copies for nothing.
    const auto stored = std::count_if(images_.begin(), images_.end(), [](const Image& image) { return image.is_stored; });
    return 4 * static_cast<std::size_t>(stored) <= operands_.size();
  }

  /// Are the operands that are not rolled no parts of images?
  bool reads_whole_arrays(std::size_t s) {
    const FusedPart& part = part_of(s);
    for (std::size_t k = 0; k < part.operands.size(); ++k) {
      if (operands_[s][k].place) continue;
      std::int64_t offset = 0;
      node* const* place = plan_.inputs.slots[at(part.operands[k].node)];
      Image* image = image_of(plan_.inputs.slots[at(root_of(plan_.graph, part.operands[k].node, plan_.inputs, offset))]);
      if (!image || image->made_by < 0) continue;
      if (whole(place) != image->place) return false;
      image->last = s;
    }
    return true;
  }

  /// Images that are done with leave their place to others.
  void assign_scratch(Nest& nest) {
    constexpr std::int64_t line = numjit::detail::block_alignment;
    const FusedPart& part = part_of(0);
    std::vector<const Image*> holds;
    for (Image& image : images_) {
      std::int64_t step = image.item;
      image.strides = dims(part.extent, part.rank);
      for (int axis = part.rank - 1; axis > 0; --axis) {
        image.strides[axis] = step;
        step *= part.extent[axis] + (axis == 1 ? 2 * image.columns : 0);
      }
      image.strides[0] = part.rank > 1 ? (step + line - 1) / line * line : step;
      const auto is_free = [&](const Image* other) {
        return static_cast<int>(other->last) < image.made_by && other->strides == image.strides &&
               other->columns == image.columns;
      };
      const auto found = std::find_if(holds.begin(), holds.end(), is_free);
      image.scratch = static_cast<int>(found - holds.begin());
      if (found == holds.end()) {
        nest.scratch.push_back({0, image.strides[0] * part.extent[0]});
        holds.push_back(&image);
      } else {
        *found = &image;
      }
      if (image.made_by >= 0 && !image.is_stored) nest.scratch_of[at(node_at(image.place))] = image.scratch;
    }
    for (std::size_t s = 0; s < operands_.size(); ++s)  // what is put together is not stored either
      for (std::size_t i = 0; i < nest.scratch_of.size(); ++i)
        if (all_[from_ + s]->keeps(static_cast<int>(i))) nest.scratch_of[i] = 0;
  }

  /// All elements of an image, or of some of its rows' columns, `ahead` of where they are.
  Access access_of(const Nest& nest, const Image& image, std::int64_t rows, std::int64_t columns, bool written) const {
    Access access;
    access.scratch = image.scratch;
    access.written = written;
    access.item = image.item;
    access.lay_out(part_of(0), image.strides.begin());
    access.offset = rows * access.row_step + columns * access.column_step;
    access.begin = nest.begin_of_scratch(at(image.scratch)) + access.offset;
    return access;
  }

  /// With the columns around it.
  Access written_image(const Nest& nest, const Image& image) const {
    Access access = access_of(nest, image, 0, -image.columns, true);
    access.row_span += 2 * image.columns * access.column_step;
    access.bytes += 2 * image.columns * access.column_step;
    return access;
  }

  /// All elements of the array itself.
  Access array_of(const Nest& nest, const Image& image, bool written) const {
    Access access;
    access.place = image.place;
    access.item = image.item;
    access.written = written;
    nest.find_place(plan_, part_of(0), access, node_at(image.place), (*image.place)->strides);
    return access;
  }

  Statement& move_in(Nest& nest, std::size_t number) const {
    Statement& move = nest.statements[number];
    move.part = &all_[from_]->part();
    move.rows = move.part->extent[0];
    return move;
  }

  void make_fill(Nest& nest, std::size_t number, const Image& image) const {
    Statement& fill = move_in(nest, number);
    const node* n = *image.place;
    fill.accesses = {array_of(nest, image, false), written_image(nest, image)};
    fill.boxes = boxes_of(dims(n->shape, n->rank), n->strides, image.strides.begin(), image.item);
    for (Box& box : fill.boxes) box.to += image.columns > 0 ? image.columns * image.strides[1] : 0;
    add_columns(fill, image, n->strides);
    fill.estimate_ns = 0.1 * JointSteps::points_of(*fill.part);
    nest.estimate_ns += fill.estimate_ns;
  }

  /// Boxes of the columns around an image, from an array with these strides.
  static void add_columns(Statement& move, const Image& image, const std::int64_t* strides) {
    if (image.columns == 0) return;
    dims extent(move.part->extent, move.part->rank);
    const std::int64_t count = std::exchange(extent[1], image.columns);
    for (const auto& [column, to] : {std::pair{count - image.columns, std::int64_t{0}}, {0, image.columns + count}})
      for (Box box : boxes_of(extent, strides, image.strides.begin(), image.item)) {
        box.from += column * strides[1];
        box.to += to * image.strides[1];
        move.boxes.push_back(box);
      }
  }

  void make_store(Nest& nest, std::size_t number, const Image& image) const {
    Statement& move = move_in(nest, number);
    const node* n = *image.place;
    move.accesses = {access_of(nest, image, 0, 0, false), array_of(nest, image, true)};
    move.boxes = boxes_of(dims(n->shape, n->rank), image.strides.begin(), n->strides, image.item);
  }

  /// What is around an image, from the image itself.
  void make_columns(Nest& nest, std::size_t number, const Image& image) const {
    Statement& move = move_in(nest, number);
    move.accesses = {access_of(nest, image, 0, 0, false), written_image(nest, image)};
    add_columns(move, image, image.strides.begin());
  }

  void make_kernel(Nest& nest, std::size_t number, std::size_t s) {
    Step& step = plan_.planned.steps[at(all_[from_ + s]->last())];
    nest.make_kernel(plan_, number, step);
    Statement& kernel = nest.statements[number];
    for (std::size_t k = 0; k < kernel.accesses.size(); ++k) {
      const bool is_operand = k < kernel.part->operands.size();
      const ArraySource& source = is_operand ? kernel.part->operands[k] : kernel.part->outputs[k - kernel.part->operands.size()];
      const Pieces::Rolled* rolled = is_operand && operands_[s][k].place ? &operands_[s][k] : nullptr;
      const Image* image = image_of(rolled ? rolled->place : whole(plan_.inputs.slots[at(source.node)]));
      if (!image || (!rolled && image->made_by < 0)) continue;
      const std::int64_t columns = rolled && kernel.part->rank > 1 ? rolled->ahead[1] : 0;
      kernel.accesses[k] = access_of(nest, *image, rolled ? rolled->ahead[0] : 0, columns, !is_operand);
      kernel.arguments[k].strides = image->strides.begin();
    }
  }

  std::vector<std::unique_ptr<Pieces>>& all_;
  const BoundPlan& plan_;
  std::size_t from_ = 0, cut_ = 0;
  std::vector<Operands> operands_;  // of the steps at hand
  std::vector<Image> images_;
};

}  // namespace

std::vector<std::unique_ptr<Nest>> take_periodic_rows(std::vector<std::unique_ptr<Pieces>>& pieces, const BoundPlan& plan) {
  return PeriodicFinder(pieces, plan).find();
}

}  // namespace numjit::runtime
