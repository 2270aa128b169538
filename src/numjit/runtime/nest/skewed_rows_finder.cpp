// Which steps run with lags, and with what lags.
#include <numjit/runtime/nest/skewed_rows_parts.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include <numjit/base/buffer_pool.h>
#include <numjit/base/thread_pool.h>
#include <numjit/runtime/plan/strides.h>

namespace numjit::runtime {
namespace {

/// Bytes of the rows at work, of all arrays: what stays in a core's second-level cache, and what in its share of the last.
constexpr std::int64_t window_bytes = 384 << 10, most_window_bytes = 1536 << 10;
/// Less than this is in the caches anyway.
constexpr std::int64_t least_bytes = 256 << 10;
constexpr std::int64_t least_rows = 32;
/// What one call of a kernel should take, beside what calling it does.
constexpr double least_call_ns = 1500;
/// Finding looks at all pairs.
constexpr std::size_t most_parts = 32, most_memories = 24;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

std::int64_t item_size(dtype_id type) { return static_cast<std::int64_t>(dtype(type).itemsize()); }

}  // namespace

class SkewedRows::Finder {
 public:
  Finder(const graph::Graph& graph, PlannedSteps& planned, const RunInputs& inputs)
      : graph_(graph), planned_(planned), inputs_(inputs) {}

  /// The run of steps that begins at `from`, null if there is none; `from` becomes the first step that may begin another.
  std::unique_ptr<SkewedRows> find(int& from, const std::vector<bool>& taken) {
    const int count = static_cast<int>(planned_.steps.size());
    while (from < count && (taken[at(from)] || !is_part(planned_.steps[at(from)]))) ++from;
    steps_.clear();
    int to = from;
    for (; to < count && !taken[at(to)] && steps_.size() < most_parts; ++to) {
      Step& step = planned_.steps[at(to)];
      if (step.kind == Step::Kind::view && step.resolve.empty()) continue;
      if (!is_part(step)) break;
      steps_.push_back(to);
    }
    // What cannot follow the others begins the next run.
    for (; steps_.size() >= 2; steps_.resize(cut_)) {
      std::unique_ptr<SkewedRows> made = make();
      if (cut_ < steps_.size()) {
        to = steps_[cut_];
        continue;
      }
      from = made ? steps_.back() + 1 : to;
      return made;
    }
    from = std::max(to, from + 1);
    return nullptr;
  }

 private:
  struct Place {
    int memory = -1;
    std::int64_t begin = 0, end = 0;  // bytes: addresses, or within a node without memory
    int root = -1;                    // that node; -1: addresses
    Argument* argument = nullptr;
    const LaunchOperand* layout = nullptr;
    std::size_t part = 0;
    std::int64_t row_span = 0;  // bytes of a row
  };

  static bool is_part(const Step& step) {
    if (step.kind != Step::Kind::fused || step.parts.size() != 1 || !step.resolve.empty() || !step.unknown.empty() ||
        !step.temporaries.empty())
      return false;
    const FusedPart& part = step.parts[0];
    if (part.call.spec().reduction_levels != 0 || !part.call.info().compiled || part.rank < 1 || part.arguments.empty() ||
        part.extent[0] < least_rows)
      return false;
    for (int axis = 0; axis < part.rank; ++axis)
      if (part.extent[axis] == 0) return false;
    return true;
  }

  std::unique_ptr<SkewedRows> make() {
    std::unique_ptr<SkewedRows> run(new SkewedRows);
    cut_ = steps_.size();
    run->first_ = steps_.front();
    run->last_ = steps_.back();
    assign_slots(*run);
    places_.clear();
    for (const int s : steps_) add_part(*run, planned_.steps[at(s)]);
    for (std::size_t p = 0; p < run->parts_.size(); ++p)
      for (std::size_t k = 0; k < run->parts_[p].arguments.size(); ++k) add_place(*run, p, k);
    if (!join_places(*run)) return nullptr;
    find_rows(*run);
    for (std::size_t p = 0; p < run->parts_.size() && p < cut_; ++p) find_lag(*run, p);
    if (cut_ < steps_.size() || !choose_block(*run) || !run->bind()) return nullptr;
    for (std::size_t p = 0; p + 1 < run->parts_.size(); ++p) find_inside(*run, p);
    return run;
  }

  /// `v = u.copy(); v[1:-1, 1:-1] = ...`, or zeros in place of the copy: does part `number` make rows whose inside the
  /// next one overwrites?
  void find_inside(SkewedRows& run, std::size_t number) const {
    Part& part = run.parts_[number];
    const Part& next = run.parts_[number + 1];
    const Step& step = planned_.steps[at(steps_[number])];
    if (step.group.size() != 1 || !(is_copy(step, part) || is_fill(step, part))) return;
    const std::size_t made = part.arguments.size() - 1;
    const Argument &copy = part.arguments[made], &over = next.arguments.back();
    const dtype_id type = (*copy.place)->type;
    const std::int64_t item = item_size(type);
    for (std::size_t k = 0; k <= made; ++k)
      if ((*part.arguments[k].place)->type != type || !is_contiguous(*part.part, k, item)) return;
    const std::size_t last = next.arguments.size() - 1;
    const LaunchOperand& layout = next.part->arguments[last];
    const int rank = next.part->rank;
    if (over.memory != copy.memory || (rank > 1 && layout.strides[rank - 1] != item)) return;
    std::int64_t run_bytes = item;  // dense within a row
    for (int axis = rank - 1; axis > 0; --axis) {
      if (layout.strides[axis] != run_bytes) return;
      run_bytes *= next.part->extent[axis];
    }
    for (std::size_t k = 0; k < last; ++k)
      if (next.arguments[k].memory == copy.memory) return;
    Inside inside;
    inside.row_bytes = part.part->arguments[made].strides[0];
    inside.first = over.row - copy.row;
    inside.last = inside.first + next.rows;
    inside.begin = over.delta - copy.delta - inside.first * inside.row_bytes;
    inside.end = inside.begin + run_bytes;
    if (inside.first < 0 || inside.last > part.rows || inside.begin < 0 || inside.end > inside.row_bytes) return;
    part.inside = inside;
  }

  bool is_copy(const Step& step, const Part& part) const {
    return graph_.nodes[at(step.group[0])].op == op_id::copy && part.arguments.size() == 2;
  }
  bool is_fill(const Step& step, const Part& part) const {
    return graph_.nodes[at(step.group[0])].op == op_id::full && part.arguments.size() == 1 && part.part->scalars.size() == 1 &&
           part.part->scalars[0].type == (*part.arguments[0].place)->type;
  }

  static bool is_contiguous(const FusedPart& part, std::size_t k, std::int64_t item) {
    for (int axis = part.rank; axis-- > 0; item *= part.extent[axis])
      if (part.arguments[k].strides[axis] != item) return false;
    return true;
  }

  /// Arrays that live within the run only share memory as they would if the steps ran one by one.
  void assign_slots(SkewedRows& run) const {
    run.slot_of_.assign(graph_.nodes.size(), -1);
    std::vector<bool> born(graph_.nodes.size(), false), dies(graph_.nodes.size(), false);
    for (int s = run.first_; s <= run.last_; ++s) {
      for (const int i : planned_.steps[at(s)].allocate) born[at(i)] = true;
      for (const int i : planned_.steps[at(s)].free_after) dies[at(i)] = born[at(i)] && !planned_.persistent[at(i)];
    }
    struct Slot {
      std::int64_t bytes, row;
      bool used;
    };
    std::vector<Slot> slots;
    for (int s = run.first_; s <= run.last_; ++s) {
      for (const int i : planned_.steps[at(s)].allocate) {
        if (!dies[at(i)]) continue;
        const node* n = inputs_.slot(i);
        const std::int64_t size = n->size * item_size(n->type);
        std::size_t slot = 0;
        while (slot < slots.size() && (slots[slot].used || slots[slot].bytes != size || slots[slot].row != n->strides[0])) ++slot;
        if (slot == slots.size()) slots.push_back({size, n->strides[0], true});
        slots[slot].used = true;
        run.slot_of_[at(i)] = static_cast<int>(slot);
      }
      for (const int i : planned_.steps[at(s)].free_after)
        if (run.slot_of_[at(i)] >= 0) slots[at(run.slot_of_[at(i)])].used = false;
    }
    constexpr std::int64_t line = numjit::detail::block_alignment;
    for (const Slot& slot : slots) {
      run.slots_.push_back(run.scratch_bytes_);
      run.scratch_bytes_ += (slot.bytes + line - 1) / line * line;
    }
  }

  void add_part(SkewedRows& run, Step& step) const {
    Part part;
    part.part = &step.parts[0];
    const FusedPart& fused = *part.part;
    part.rows = fused.extent[0];
    part.estimate_ns = detail::ns_per_point(fused.call.spec()) * points_of(fused);
    run.estimate_ns_ += part.estimate_ns;
    part.arguments.resize(fused.arguments.size());
    for (std::size_t k = 0; k < part.arguments.size(); ++k) {
      Argument& argument = part.arguments[k];
      argument.place = fused.places[k];
      argument.written = k >= fused.operands.size();
      if (!fused.offsets.empty()) argument.offset = fused.offsets[k];
    }
    run.parts_.push_back(std::move(part));
  }

  void add_place(SkewedRows& run, std::size_t number, std::size_t k) {
    Part& part = run.parts_[number];
    Argument& argument = part.arguments[k];
    const FusedPart& fused = *part.part;
    const Step& step = planned_.steps[at(steps_[number])];
    const std::size_t inputs = fused.operands.size();
    const int node = k < inputs               ? fused.operands[k].node
                     : step.store_target >= 0 ? step.store_target
                                              : fused.outputs[k - inputs].node;
    std::int64_t offset = 0;
    const int root = root_of(graph_, node, inputs_, offset);
    Place place;
    place.argument = &argument;
    place.layout = &fused.arguments[k];
    place.part = number;
    argument.slot = run.slot_of_[at(root)];
    place.begin = argument.offset + offset;
    if (argument.slot >= 0) {
      argument.offset += offset;  // a view of such an array has no place of its own
      place.root = -2 - argument.slot;
    } else if (const char* data = inputs_.slot(root)->data) {
      place.begin += static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(data));
    } else {
      place.root = root;
    }
    const std::int64_t item = item_size(k < inputs ? fused.call.spec().operand_types[k] : (*argument.place)->type);
    std::int64_t low = 0, high = item;
    for (int axis = 0; axis < fused.rank; ++axis) {
      const std::int64_t reach = place.layout->strides[axis] * (fused.extent[axis] - 1);
      (reach < 0 ? low : high) += reach;
      if (axis == 0) continue;
      place.row_span = reach < 0 ? std::int64_t{1} << 62 : place.row_span + reach;
    }
    place.row_span = std::min(place.row_span, std::int64_t{1} << 61) + item;
    place.end = place.begin + high;
    place.begin += low;
    argument.delta = -low;  // of its first element, from the place's begin; join_places makes it the memory's
    places_.push_back(place);
  }

  /// Overlapping places are one memory.
  bool join_places(SkewedRows& run) {
    std::sort(places_.begin(), places_.end(),
              [](const Place& a, const Place& b) { return std::tie(a.root, a.begin) < std::tie(b.root, b.begin); });
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Place& place = places_[i];
      const bool joins = i > 0 && place.root == places_[i - 1].root && place.begin < begin + run.memories_.back().bytes;
      if (!joins) {
        begin = place.begin;
        run.memories_.emplace_back();
      }
      Memory& memory = run.memories_.back();
      memory.bytes = std::max(memory.bytes, place.end - begin);
      memory.written |= place.argument->written;
      place.memory = place.argument->memory = static_cast<int>(run.memories_.size()) - 1;
      place.argument->delta += place.begin - begin;
    }
    return run.memories_.size() <= most_memories;
  }

  /// Rows of the memories that are written, and where in them the arguments begin. Parts that touch one without rows are
  /// no part of a run.
  void find_rows(const SkewedRows& run) {
    row_bytes_ = 0;
    for (int m = 0; m < static_cast<int>(run.memories_.size()); ++m) {
      std::vector<const Place*> in;
      std::int64_t step = 0;
      for (const Place& place : places_) {
        if (place.memory != m) continue;
        in.push_back(&place);
        step = std::max(step, std::abs(place.layout->strides[0]));
      }
      row_bytes_ += step;
      if (!run.memories_[at(m)].written) continue;
      const std::optional<std::int64_t> start = start_of_rows(in, step);
      for (const Place* place : in) {
        if (start)
          place->argument->row = (place->argument->delta + *start) / step;
        else
          cut_ = std::min(cut_, std::max<std::size_t>(place->part, 1));
      }
    }
  }

  /// Bytes from the begin of a row to the memory's first, such that every place keeps to its rows.
  static std::optional<std::int64_t> start_of_rows(const std::vector<const Place*>& in, std::int64_t step) {
    if (step <= 0) return {};
    for (const Place* place : in)
      if (place->layout->strides[0] != step || place->row_span > step) return {};
    for (const Place* first : in) {
      const std::int64_t start = (step - first->argument->delta % step) % step;
      const bool fits = std::all_of(in.begin(), in.end(), [&](const Place* place) {
        return (place->argument->delta + start) % step + place->row_span <= step;
      });
      if (fits) return start;
    }
    return {};
  }

  /// How far part `number` stays behind, and away from the borders.
  void find_lag(SkewedRows& run, std::size_t number) {
    Part& part = run.parts_[number];
    part.center = part.arguments.back().row;
    for (std::size_t earlier = 0; earlier < number; ++earlier) {
      const Part& other = run.parts_[earlier];
      for (const Argument& a : other.arguments)
        for (const Argument& b : part.arguments) {
          if (a.memory != b.memory || !(a.written || b.written) || a.row + other.rows <= b.row || b.row + part.rows <= a.row)
            continue;
          const std::int64_t needs = (b.row - a.row) + other.center - part.center;
          part.before = std::max(part.before, other.before - needs);
          part.behind = std::max(part.behind, other.behind + needs);
        }
    }
    run.ahead_ = std::max(run.ahead_, part.behind);
    run.border_rows_ = std::max(run.border_rows_, part.before + part.behind);
    const std::int64_t share = part.rows / numjit::detail::thread_count();
    if (number > 0 && (4 * run.border_rows_ > share || (run.ahead_ + 2) * row_bytes_ > most_window_bytes)) cut_ = number;
  }

  bool choose_block(SkewedRows& run) const {
    std::vector<int> parts_in(run.memories_.size());
    double slowest = 0;
    run.first_row_ = run.parts_[0].center;
    for (Part& part : run.parts_) {
      std::vector<bool> seen(run.memories_.size());
      for (const Argument& argument : part.arguments) {
        if (!seen[at(argument.memory)]) ++parts_in[at(argument.memory)];
        seen[at(argument.memory)] = true;
      }
      slowest = std::max(slowest, part.estimate_ns / static_cast<double>(part.rows));
      run.first_row_ = std::min(run.first_row_, part.center);
      run.last_row_ = std::max(run.last_row_, part.center + part.rows);
    }
    std::int64_t shared = 0;
    for (std::size_t m = 0; m < parts_in.size(); ++m) {
      run.bytes_ += run.memories_[m].bytes;
      if (parts_in[m] > 1) shared += run.memories_[m].bytes;
    }
    if (shared < least_bytes) return false;
    const auto worth = static_cast<std::int64_t>(least_call_ns / slowest) + 1;
    run.block_ = std::min(std::max(window_bytes / row_bytes_ - run.ahead_, worth), run.last_row_ - run.first_row_);
    run.most_ = std::max(run.block_, run.border_rows_);
    return run.block_ + run.ahead_ <= std::max(most_window_bytes / row_bytes_, worth + run.ahead_);
  }

  const graph::Graph& graph_;
  PlannedSteps& planned_;
  const RunInputs& inputs_;
  std::vector<int> steps_;  // of the parts at hand
  std::size_t cut_ = 0;     // parts from here on cannot follow the ones before
  std::vector<Place> places_;
  std::int64_t row_bytes_ = 0;  // of all memories
};

std::vector<std::unique_ptr<SkewedRows>> SkewedRows::find(const graph::Graph& graph, PlannedSteps& planned,
                                                          const RunInputs& inputs, const std::vector<bool>& taken) {
  std::vector<std::unique_ptr<SkewedRows>> found;
  Finder finder(graph, planned, inputs);
  for (int from = 0; from < static_cast<int>(planned.steps.size());)
    if (auto run = finder.find(from, taken)) found.push_back(std::move(run));
  return found;
}

}  // namespace numjit::runtime
