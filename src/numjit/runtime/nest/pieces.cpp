// Finding and running kernels that see through arrays put together from others.
#include <numjit/runtime/nest/pieces.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <numjit/base/buffer_pool.h>
#include <numjit/ops/param_layout.h>
#include <numjit/runtime/nest/strided_copy.h>
#include <numjit/runtime/plan/joins.h>
#include <numjit/runtime/plan/strides.h>

namespace numjit::runtime {
namespace {

/// Smaller arrays are put together in less time than the borders take.
constexpr std::int64_t least_elements = 1 << 10;
/// Borders along the last axis are thin, or as wide as this, for whole vectors. Schedules for narrow arrays end below.
constexpr std::int64_t least_width = 16;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::int64_t item_size(dtype_id type) { return static_cast<std::int64_t>(dtype(type).itemsize()); }

}  // namespace

/// Indices lo to hi (not included) along each axis.
struct Pieces::Box {
  dims lo, hi;
  std::int64_t extent(int axis) const { return hi[axis] - lo[axis]; }
  std::int64_t size() const {
    std::int64_t n = 1;
    for (int axis = 0; axis < lo.size(); ++axis) n *= extent(axis);
    return n;
  }
};

/// An array that is there, or one that is put together of pieces along an axis.
struct Pieces::Array {
  struct Piece {
    int array = -1;
    dims start;                     // in that array
    std::int64_t from = 0, to = 0;  // along the axis, here
  };
  node* const* place = nullptr;  // null: it has pieces
  dims shape, strides;
  std::int64_t item = 0;
  int axis = 0;
  std::vector<Piece> pieces;
  std::vector<std::set<std::int64_t>> cuts;  // per axis: where one piece ends and another begins, of pieces' pieces too

  /// What of `box` lies in `piece`, by that array's indices. It may be empty.
  Box part_of(const Box& box, const Piece& piece) const {
    Box part = box;
    part.lo[axis] = std::max(part.lo[axis], piece.from) - piece.from;
    part.hi[axis] = std::min(part.hi[axis], piece.to) - piece.from;
    for (int a = 0; a < part.lo.size(); ++a) {
      part.lo[a] += piece.start[a];
      part.hi[a] += piece.start[a];
    }
    return part;
  }
};

/// Where a box of an array lies, all of it.
struct Pieces::Found {
  const Array* array = nullptr;
  std::int64_t offset = 0;
};

/// One launch. Inside it reads all where it is. A border first puts operands that have pieces together in scratch; a thin
/// one all arguments, its columns one behind the other: few long runs of elements for many short ones.
struct Pieces::Region {
  enum class Kind { inside, border, thin } kind = Kind::inside;
  Box box;
  std::vector<Found> found;           // inside: per operand
  std::vector<dims> strides;          // per argument, of the box's axes
  std::vector<std::int64_t> scratch;  // per argument, where its elements go; -1: nowhere
  std::vector<LaunchOperand> operands;
  std::unique_ptr<detail::LaunchPlan> plan;
};

Pieces::~Pieces() = default;

// ---- finding ----

class Pieces::Finder {
 public:
  Finder(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs)
      : graph_(graph), planned_(planned), inputs_(inputs) {}

  /// The steps before step `last`, and it.
  std::unique_ptr<Pieces> find(int last, int after) {
    Step& step = planned_.steps[at(last)];
    if (step.kind != Step::Kind::fused || step.parts.size() != 1 || step.store_target >= 0 || !step.resolve.empty() ||
        !step.unknown.empty() || !step.temporaries.empty())
      return nullptr;
    FusedPart& part = step.parts[0];
    if (part.call.spec().reduction_levels != 0 || !part.call.info().compiled || part.rank < 1 || part.arguments.empty())
      return nullptr;
    std::unique_ptr<Pieces> made(new Pieces);
    made->part_ = &part;
    made->last_ = last;
    made->shape_ = dims(part.extent, part.rank);
    if (!take_joins(*made, after) || !add_operands(*made) || !made->choose_regions() || !made->bind()) return nullptr;
    return made;
  }

 private:
  bool joins(const Step& step) const {
    if (step.kind == Step::Kind::fused)
      return step.parts.size() == 1 && step.store_target < 0 && step.group.size() == 1 && step.unknown.empty() &&
             is_plain_copy(step.group[0]);
    if (step.kind != Step::Kind::single || !is_join(graph_.nodes[at(step.node)].op)) return false;
    const node* result = inputs_.slot(step.node);
    const graph::Node& n = graph_.nodes[at(step.node)];
    return result->is(node::c_contiguous) && std::all_of(n.in.begin(), n.in.end(), [&](const graph::Ref& ref) {
             return ref.node >= 0 && inputs_.slot(ref.node)->type == result->type && inputs_.slot(ref.node)->rank == result->rank;
           });
  }

  bool is_plain_copy(int i) const {
    const graph::Node& n = graph_.nodes[at(i)];
    return n.op == op_id::copy && n.in[0].node >= 0 && inputs_.slot(n.in[0].node)->type == inputs_.slot(i)->type &&
           numjit::detail::same_shape(inputs_.slot(n.in[0].node), inputs_.slot(i)) && inputs_.slot(i)->is(node::c_contiguous);
  }

  static int node_of(const Step& step) { return step.kind == Step::Kind::fused ? step.group[0] : step.node; }

  /// Steps from behind `after` that put arrays together which nothing but each other and the kernel read.
  bool take_joins(Pieces& run, int after) const {
    run.joined_.assign(graph_.nodes.size(), false);
    std::vector<bool> dies(graph_.nodes.size(), false);
    for (int s = run.last_; s > after; --s) {
      const Step& step = planned_.steps[at(s)];
      if (!step.resolve.empty()) break;
      for (const int i : step.free_after) dies[at(i)] = !planned_.persistent[at(i)];
      if (s == run.last_ || step.kind == Step::Kind::view) continue;
      if (!joins(step) || !dies[at(node_of(step))]) break;
      run.joined_[at(node_of(step))] = true;
      run.first_ = s;
    }
    return std::find(run.joined_.begin(), run.joined_.end(), true) != run.joined_.end();
  }

  bool add_operands(Pieces& run) {
    bool any = false;
    const FusedPart& part = *run.part_;
    for (std::size_t k = 0; k < part.operands.size(); ++k) {
      const ArraySource& operand = part.operands[k];
      std::int64_t offset = 0;
      const int root = operand.node < 0 ? -1 : root_of(graph_, operand.node, inputs_, offset);
      if (root < 0 || !run.joined_[at(root)]) {
        run.array_of_.push_back(-1);
        continue;
      }
      // The kernel has to go through all of it, axis by axis.
      const node* array = inputs_.slot(operand.node);
      if (operand.view >= 0 || array->rank != part.rank || !std::equal(run.shape_.begin(), run.shape_.end(), array->shape))
        return false;
      run.array_of_.push_back(root == operand.node ? add(run, root) : add_view(run, operand.node));
      if (run.array_of_.back() < 0) return false;
      any = true;
    }
    count_bytes(run);
    return any;
  }

  /// Each array is read once, however often it is seen.
  void count_bytes(Pieces& run) const {
    std::set<int> roots;
    for (const auto& [i, number] : known_)
      if (run.arrays_[at(number)].place) roots.insert(graph_.root_of(i));
    for (const ArraySource& operand : run.part_->operands)
      if (operand.node >= 0 && !run.joined_[at(graph_.root_of(operand.node))]) roots.insert(graph_.root_of(operand.node));
    for (const ArraySource& output : run.part_->outputs) roots.insert(output.node);
    for (const int root : roots) run.bytes_ += inputs_.slot(root)->size * item_size(inputs_.slot(root)->type);
  }

  static Array laid_out(const node* n) {
    Array made;
    made.shape = dims(n->shape, n->rank);
    made.strides = dims(n->strides, n->rank);
    made.item = item_size(n->type);
    made.cuts.resize(at(n->rank));
    return made;
  }

  /// The number of an array, -1 if it can't be seen through.
  int add(Pieces& run, int i) {
    if (const auto known = known_.find(i); known != known_.end()) return known->second;
    const node* n = inputs_.slot(i);
    Array made = laid_out(n);
    if (run.joined_[at(i)]) {
      const graph::Node& op = graph_.nodes[at(i)];
      if (is_join(op.op)) {
        const op_params& params = *inputs_.params[at(i)];
        made.axis = normalize_axis("concatenate", layout::axis_of(params), n->rank);
        const auto length = [&](std::size_t k) { return inputs_.slot(op.in[k].node)->shape[made.axis]; };
        for (const JoinedPart& part : parts_of_join(op.op, params, op.in.size(), length))
          if (!add_piece(run, made, op.in[part.input].node, part)) return -1;
      } else if (!add_whole(run, made, op.in[0].node)) {
        return -1;
      }
    } else {
      made.place = inputs_.slots[at(i)];
    }
    run.arrays_.push_back(std::move(made));
    return known_[i] = static_cast<int>(run.arrays_.size()) - 1;
  }

  /// Part of an array that is put together: one piece of it.
  int add_view(Pieces& run, int i) {
    Array made = laid_out(inputs_.slot(i));
    if (!add_whole(run, made, i)) return -1;
    run.arrays_.push_back(std::move(made));
    return static_cast<int>(run.arrays_.size()) - 1;
  }

  bool add_whole(Pieces& run, Array& made, int input) {
    return made.shape[0] == 0 || add_piece(run, made, input, {0, 0, 0, made.shape[0]});
  }

  bool add_piece(Pieces& run, Array& made, int input, const JoinedPart& part) {
    std::int64_t offset = 0;
    const int root = root_of(graph_, input, inputs_, offset);
    const bool nested = run.joined_[at(root)];
    Array::Piece piece;
    piece.from = part.from;
    piece.to = part.to;
    piece.array = add(run, nested ? root : input);
    if (piece.array < 0) return false;
    piece.start = dims(made.shape);
    std::fill(piece.start.begin(), piece.start.end(), 0);
    const Array& of = run.arrays_[at(piece.array)];
    if (nested && !find_start(inputs_.slot(input), of, offset, piece.start)) return false;
    piece.start[made.axis] += part.begin;
    if (part.from > 0) made.cuts[at(made.axis)].insert(part.from);
    for (int axis = 0; axis < made.shape.size(); ++axis)
      for (const std::int64_t cut : of.cuts[at(axis)]) {
        const std::int64_t first = axis == made.axis ? part.from : 0, last = axis == made.axis ? part.to : made.shape[axis];
        const std::int64_t here = cut - piece.start[axis] + first;
        if (here > first && here < last) made.cuts[at(axis)].insert(here);
      }
    made.pieces.push_back(std::move(piece));
    return true;
  }

  /// Where a view begins in an array that has no memory yet: it must go through it axis by axis.
  static bool find_start(const node* view, const Array& of, std::int64_t offset, dims& start) {
    if (view->rank != of.shape.size() || offset < 0) return false;
    for (int axis = 0; axis < view->rank; ++axis) {
      if (view->shape[axis] > 1 && view->strides[axis] != of.strides[axis]) return false;
      start[axis] = offset / of.strides[axis];
      offset %= of.strides[axis];
      if (start[axis] + view->shape[axis] > of.shape[axis]) return false;
    }
    return offset == 0;
  }

  const graph::Graph& graph_;
  PlannedSteps& planned_;
  const RunInputs& inputs_;
  std::map<int, int> known_;  // graph node: its number among the arrays
};

std::vector<std::unique_ptr<Pieces>> Pieces::find(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs) {
  std::vector<std::unique_ptr<Pieces>> found;
  int after = -1;
  for (int s = 0; s < static_cast<int>(planned.steps.size()); ++s)
    if (auto made = Finder(graph, planned, inputs).find(s, after)) {
      found.push_back(std::move(made));
      after = s;
    }
  return found;
}

std::optional<std::vector<Pieces::Rolled>> Pieces::rolled_operands() const {
  std::vector<Rolled> operands(array_of_.size());
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (array_of_[k] < 0) continue;
    dims ahead(shape_);
    std::fill(ahead.begin(), ahead.end(), 0);
    const Array* array = &arrays_[at(array_of_[k])];
    for (; !array->place; array = &arrays_[at(array->pieces[0].array)]) {
      const Array::Piece &first = array->pieces[0], &last = array->pieces.back();
      const std::int64_t begin = first.start[array->axis];
      const bool is_rolled = array->pieces.size() == 2 && first.array == last.array &&
                             begin == array->shape[array->axis] - first.to &&
                             std::all_of(last.start.begin(), last.start.end(), [](std::int64_t i) { return i == 0; });
      if (!is_rolled && (array->pieces.size() != 1 || begin != 0)) return std::nullopt;
      if (arrays_[at(first.array)].shape != array->shape) return std::nullopt;
      ahead[array->axis] += begin;
    }
    for (int axis = 0; axis < ahead.size(); ++axis) {
      ahead[axis] %= shape_[axis];
      if (2 * ahead[axis] > shape_[axis]) ahead[axis] -= shape_[axis];
    }
    operands[k] = {array->place, ahead};
  }
  return operands;
}

/// Thin borders go through the kernel as one row. One for rows with an operand that stays the same in a row, but not from
/// row to row, would be another.
bool Pieces::can_be_thin() const {
  const int last = shape_.size() - 1;
  return last > 0 && std::all_of(part_->arguments.begin(), part_->arguments.end(), [&](const LaunchOperand& argument) {
           return argument.strides[last] != 0 ||
                  std::all_of(argument.strides, argument.strides + last, [](std::int64_t s) { return s == 0; });
         });
}

/// The largest box without a cut, and the borders around it. False: they are too much of the whole.
bool Pieces::choose_regions() {
  const int rank = shape_.size();
  Box all{dims(shape_), shape_}, inside;
  std::fill(all.lo.begin(), all.lo.end(), 0);
  inside = all;
  for (int axis = 0; axis < rank; ++axis) {
    std::set<std::int64_t> cuts{0, shape_[axis]};
    for (const int array : array_of_)
      if (array >= 0) cuts.insert(arrays_[at(array)].cuts[at(axis)].begin(), arrays_[at(array)].cuts[at(axis)].end());
    std::int64_t widest = 0;
    for (auto cut = cuts.begin(), next = std::next(cut); next != cuts.end(); ++cut, ++next) {
      if (*next - *cut <= widest) continue;
      widest = *next - *cut;
      inside.lo[axis] = *cut;
      inside.hi[axis] = *next;
    }
  }
  if (all.size() < least_elements || shape_[rank - 1] < 4 * least_width || 4 * inside.size() < 3 * all.size()) return false;
  regions_.emplace_back();
  regions_[0].box = inside;
  Box left = all;
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t lo = inside.lo[axis], hi = inside.hi[axis], n = shape_[axis];
    const bool thin = axis == rank - 1 && std::max(lo, n - hi) < least_width && can_be_thin();
    const std::int64_t width = axis == rank - 1 && !thin ? least_width : 1;
    const auto add = [&](std::int64_t from, std::int64_t to) {
      if (from >= to) return;
      Region border;
      border.kind = thin ? Region::Kind::thin : Region::Kind::border;
      border.box = left;
      border.box.lo[axis] = from;
      border.box.hi[axis] = to;
      regions_.push_back(std::move(border));
    };
    add(0, lo > 0 ? std::max(lo, width) : 0);
    add(hi < n ? std::min(hi, n - width) : n, n);
    left.lo[axis] = lo;
    left.hi[axis] = hi;
  }
  return true;
}

Pieces::Found Pieces::resolve(int array, Box box) const {
  while (!arrays_[at(array)].place) {
    const Array& joined = arrays_[at(array)];
    const auto piece = std::find_if(joined.pieces.begin(), joined.pieces.end(),
                                    [&](const Array::Piece& p) { return box.lo[joined.axis] < p.to; });
    box = joined.part_of(box, *piece);
    array = piece->array;
  }
  Found found{&arrays_[at(array)], 0};
  for (int axis = 0; axis < box.lo.size(); ++axis) found.offset += box.lo[axis] * found.array->strides[axis];
  return found;
}

bool Pieces::bind() {
  bind_lanes();
  return std::all_of(regions_.begin(), regions_.end(), [&](Region& region) { return plan_region(region); });
}

/// Where an argument's elements lie in a region, and how much scratch that takes.
void Pieces::lay_out(Region& region, std::size_t k, std::int64_t& bytes) const {
  const int rank = shape_.size(), array = k < array_of_.size() ? array_of_[k] : -1;
  const bool thin = region.kind == Region::Kind::thin;
  const dims own(part_->arguments[k].strides, rank);
  region.found.emplace_back();
  region.scratch.push_back(-1);
  region.strides.push_back(own);
  if (array >= 0 && region.kind == Region::Kind::inside) {
    region.found[k] = resolve(array, region.box);
    region.strides[k] = region.found[k].array->strides;
  } else if (array >= 0 || thin) {
    if (std::all_of(own.begin(), own.end(), [](std::int64_t s) { return s == 0; })) return;
    constexpr std::int64_t line = numjit::detail::block_alignment;
    const int last = rank - 1;
    std::int64_t step = item_of(k);
    if (!thin) region.strides[k][last] = std::exchange(step, step * region.box.extent(last));
    for (int axis = last; axis-- > 0;) region.strides[k][axis] = std::exchange(step, step * region.box.extent(axis));
    if (thin) region.strides[k][last] = std::exchange(step, step * region.box.extent(last));
    region.scratch[k] = bytes;
    bytes += (step + line - 1) / line * line;
  }
}

std::int64_t Pieces::item_of(std::size_t k) const {
  const graph::KernelSpec& spec = part_->call.spec();
  return item_size(k < spec.operand_types.size() ? spec.operand_types[k] : (*part_->places[k])->type);
}

bool Pieces::plan_region(Region& region) {
  const int rank = shape_.size();
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < part_->arguments.size(); ++k) lay_out(region, k, bytes);
  scratch_bytes_ = std::max(scratch_bytes_, bytes);
  region.operands.resize(part_->arguments.size());
  for (std::size_t k = 0; k < region.operands.size(); ++k) region.operands[k] = {nullptr, region.strides[k].begin()};
  Launch launch{rank, nullptr, {-1, -1}, region.operands.data(), nullptr};
  const std::int64_t size = region.box.size();
  dims extent(shape_);
  for (int axis = 0; axis < rank; ++axis) extent[axis] = region.box.extent(axis);
  std::vector<std::int64_t> row(region.operands.size());
  launch.extent = extent.begin();
  if (region.kind == Region::Kind::thin) {
    launch.rank = 1;
    launch.extent = &size;
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = region.scratch[k] >= 0 ? item_of(k) : 0;
      region.operands[k].strides = &row[k];
    }
  }
  detail::Space space;
  if (!detail::make_space(part_->call.spec(), launch, space)) return false;
  region.plan = detail::plan_elementwise(part_->call.spec(), space, kernels_);
  return region.plan != nullptr;
}

// ---- running ----

bool Pieces::run() {
  const RunScratch scratch(std::max<std::int64_t>(scratch_bytes_, 1));
  if (!scratch.data()) return false;
  for (Region& region : regions_) run_region(region, scratch.data());
  return true;
}

/// The first element in `box` of argument k, which is there.
char* Pieces::start_of(std::size_t k, const Box& box) const {
  char* data = (*part_->places[k])->data + (part_->offsets.empty() ? 0 : part_->offsets[k]);
  for (int axis = 0; axis < box.lo.size(); ++axis) data += box.lo[axis] * part_->arguments[k].strides[axis];
  return data;
}

void Pieces::run_region(Region& region, char* scratch) const {
  const std::size_t inputs = array_of_.size();
  for (std::size_t k = 0; k < region.operands.size(); ++k) {
    const int array = k < inputs ? array_of_[k] : -1;
    char* data = region.scratch[k] >= 0 ? scratch + region.scratch[k] : nullptr;
    if (region.found[k].array)
      data = (*region.found[k].array->place)->data + region.found[k].offset;
    else if (!data)
      data = start_of(k, region.box);
    else if (array >= 0)
      put_together(array, region.box, data, region.strides[k]);
    else if (k < inputs)
      copy({start_of(k, region.box), part_->arguments[k].strides}, {data, region.strides[k].begin()}, region.box, item_of(k));
    region.operands[k].data = data;
  }
  run_rows(*region.plan, *part_, region.operands.data());
  for (std::size_t k = inputs; k < region.operands.size(); ++k)
    if (region.scratch[k] >= 0)
      copy({region.operands[k].data, region.strides[k].begin()}, {start_of(k, region.box), part_->arguments[k].strides},
           region.box, item_of(k));
}

/// The elements of `box` to where axes have these strides.
void Pieces::put_together(int array, const Box& box, char* to, const dims& strides) const {
  const Array& from = arrays_[at(array)];
  if (from.place) {
    char* data = (*from.place)->data;
    for (int axis = 0; axis < strides.size(); ++axis) data += box.lo[axis] * from.strides[axis];
    return copy({data, from.strides.begin()}, {to, strides.begin()}, box, from.item);
  }
  for (const Array::Piece& piece : from.pieces) {
    const Box part = from.part_of(box, piece);
    const std::int64_t ahead = std::max(piece.from - box.lo[from.axis], std::int64_t{0});
    if (part.extent(from.axis) > 0) put_together(piece.array, part, to + ahead * strides[from.axis], strides);
  }
}

void Pieces::copy(LaunchOperand from, LaunchOperand to, const Box& box, std::int64_t item) {
  const int rank = box.lo.size();
  // The longest axis by runs, the others around it.
  int run = rank - 1;
  for (int axis = rank - 1; axis-- > 0;)
    if (box.extent(axis) > least_width * box.extent(run)) run = axis;
  dims index(box.lo);
  std::fill(index.begin(), index.end(), 0);
  for (int axis = 0; axis >= 0;) {
    copy_strided(from.data, from.strides[run], to.data, to.strides[run], box.extent(run), item);
    for (axis = rank - 1; axis >= 0; --axis) {
      if (axis == run) continue;
      from.data += from.strides[axis];
      to.data += to.strides[axis];
      if (++index[axis] < box.extent(axis)) break;
      from.data -= index[axis] * from.strides[axis];
      to.data -= index[axis] * to.strides[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace numjit::runtime
