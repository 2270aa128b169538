// Cutting launches where the arrays that they read are joined.
#include <numjit/runtime/gpu/device_pieces.h>

#include <algorithm>
#include <set>
#include <utility>

#include <numjit/runtime/plan/joins.h>

namespace numjit::runtime::detail {
namespace {

constexpr std::int64_t least_elements = 1 << 12;
constexpr std::size_t most_boxes = 27;  // three intervals along each of three axes: all that rolls by one make

/// The index of an address in an array in C order. False: no element begins there.
bool index_of(const DeviceElements& array, const char* at, dims& index) {
  std::int64_t offset = at - array.place.host;
  index = array.shape;
  for (int a = 0; a < array.shape.size(); ++a) {
    index[a] = array.shape[a] > 1 ? offset / array.strides[a] : 0;
    if (index[a] >= array.shape[a]) return false;
    offset -= index[a] * array.strides[a];
  }
  return offset == 0;
}

/// The elements from `from` to before `to` of axes of an array, and where the first one stands in the launch's points.
struct Window {
  dims from, to, point;
};

class Cutter {
 public:
  Cutter(const Launch& launch, std::size_t inputs, std::size_t arrays, const FindJoin& find)
      : launch_(launch), inputs_(inputs), arrays_(arrays), find_(find), cuts_(static_cast<std::size_t>(launch.rank)) {}

  std::optional<std::vector<BoxLaunch>> launches() {
    seen_.resize(inputs_);
    for (std::size_t k = 0; k < inputs_; ++k) {
      const Join* join = find_(launch_.operands[k].data);
      if (join && !(look(*join, launch_.operands[k], seen_[k]) && cut(*join, window_of(seen_[k]), seen_[k].launch_axis)))
        return std::nullopt;
    }
    std::size_t count = 1;
    for (const auto& cuts : cuts_)
      if ((count *= cuts.size() + 1) > most_boxes) return std::nullopt;
    std::vector<BoxLaunch> boxes;
    add_boxes(boxes, dims(launch_.extent, launch_.rank), dims(launch_.extent, launch_.rank), 0);
    return boxes;
  }

 private:
  /// How the launch goes through a join: where it begins, and which axis of one is which of the other (-1: none).
  struct Seen {
    const Join* join = nullptr;
    dims start;
    std::vector<int> launch_axis;  // per axis of the join
    std::vector<int> join_axis;    // per axis of the launch
  };

  bool look(const Join& join, const LaunchOperand& operand, Seen& seen) const {
    const DeviceElements& whole = join.whole;
    seen.join = &join;
    if (!index_of(whole, operand.data, seen.start)) return false;
    seen.launch_axis.assign(static_cast<std::size_t>(whole.shape.size()), -1);
    seen.join_axis.assign(cuts_.size(), -1);
    for (int j = 0; j < launch_.rank; ++j) {
      if (launch_.extent[j] <= 1 || operand.strides[j] == 0) continue;
      int a = 0;
      while (a < whole.shape.size() && (whole.shape[a] <= 1 || whole.strides[a] != operand.strides[j])) ++a;
      if (a == whole.shape.size() || seen.launch_axis[static_cast<std::size_t>(a)] >= 0) return false;
      if (seen.start[a] + launch_.extent[j] > whole.shape[a]) return false;  // it goes on in the next row
      seen.launch_axis[static_cast<std::size_t>(a)] = j;
      seen.join_axis[static_cast<std::size_t>(j)] = a;
    }
    return true;
  }

  Window window_of(const Seen& seen) const {
    Window w{seen.start, seen.start, seen.start};
    for (int a = 0; a < w.from.size(); ++a) {
      const int j = seen.launch_axis[static_cast<std::size_t>(a)];
      w.to[a] += j < 0 ? 1 : launch_.extent[j];
      w.point[a] = 0;
    }
    return w;
  }

  /// Where one part ends and another begins, of parts that are joins themselves too.
  bool cut(const Join& join, const Window& window, const std::vector<int>& launch_axis) {
    const int axis = join.axis, j = launch_axis[static_cast<std::size_t>(axis)];
    for (const Join::Part& part : join.parts) {
      Window inside = window;
      inside.from[axis] = std::max(window.from[axis], part.from);
      inside.to[axis] = std::min(window.to[axis], part.to);
      if (inside.from[axis] >= inside.to[axis]) continue;
      inside.point[axis] += inside.from[axis] - window.from[axis];
      if (inside.from[axis] > window.from[axis]) cuts_[static_cast<std::size_t>(j)].insert(inside.point[axis]);
      const Join* nested = find_(part.elements.place.host);
      if (!nested) continue;
      dims start;
      if (!starts_in(*nested, part.elements, start)) return false;
      for (int a = 0; a < start.size(); ++a) {
        const std::int64_t move = start[a] - (a == axis ? part.from : 0);
        inside.from[a] += move;
        inside.to[a] += move;
      }
      if (!cut(*nested, inside, launch_axis)) return false;
    }
    return true;
  }

  /// A part of a join goes through it axis by axis.
  static bool starts_in(const Join& join, const DeviceElements& part, dims& start) {
    if (part.shape.size() != join.whole.shape.size() || !index_of(join.whole, part.place.host, start)) return false;
    for (int a = 0; a < start.size(); ++a) {
      if (part.shape[a] > 1 && part.strides[a] != join.whole.strides[a]) return false;
      if (start[a] + part.shape[a] > join.whole.shape[a]) return false;
    }
    return true;
  }

  /// The array that is there at an index of a join.
  std::pair<char*, const dims*> resolve(const Join& join, dims index) const {
    const auto part =
        std::find_if(join.parts.begin(), join.parts.end(), [&](const Join::Part& p) { return index[join.axis] < p.to; });
    index[join.axis] -= part->from;
    const DeviceElements& elements = part->elements;
    if (const Join* nested = find_(elements.place.host)) {
      dims start;
      starts_in(*nested, elements, start);
      for (int a = 0; a < start.size(); ++a) start[a] += index[a];
      return resolve(*nested, std::move(start));
    }
    const char* data = elements.place.host;
    for (int a = 0; a < index.size(); ++a) data += index[a] * elements.strides[a];
    return {const_cast<char*>(data), &elements.strides};
  }

  void add_boxes(std::vector<BoxLaunch>& boxes, dims low, dims extent, int axis) const {
    if (axis == launch_.rank) return boxes.push_back(box(low, extent));
    std::int64_t from = 0;
    const auto add = [&](std::int64_t to) {
      low[axis] = from;
      extent[axis] = to - from;
      add_boxes(boxes, low, extent, axis + 1);
      from = to;
    };
    for (const std::int64_t cut : cuts_[static_cast<std::size_t>(axis)]) add(cut);
    add(launch_.extent[axis]);
  }

  BoxLaunch box(const dims& low, const dims& extent) const {
    const auto rank = static_cast<std::size_t>(launch_.rank);
    BoxLaunch made{extent, std::vector<LaunchOperand>(arrays_), std::vector<std::int64_t>(arrays_ * rank)};
    for (std::size_t k = 0; k < arrays_; ++k) {
      std::int64_t* const strides = made.strides.data() + k * rank;
      const LaunchOperand& operand = launch_.operands[k];
      made.operands[k] = {operand.data, strides};
      if (k < inputs_ && seen_[k].join) {
        dims index = seen_[k].start;
        for (int a = 0; a < index.size(); ++a)
          if (const int j = seen_[k].launch_axis[static_cast<std::size_t>(a)]; j >= 0) index[a] += low[j];
        const auto [data, steps] = resolve(*seen_[k].join, std::move(index));
        made.operands[k].data = data;
        for (std::size_t j = 0; j < rank; ++j) strides[j] = seen_[k].join_axis[j] < 0 ? 0 : (*steps)[seen_[k].join_axis[j]];
      } else {
        std::copy_n(operand.strides, rank, strides);
        for (std::size_t j = 0; j < rank; ++j) made.operands[k].data += low[static_cast<int>(j)] * strides[j];
      }
    }
    return made;
  }

  const Launch& launch_;
  const std::size_t inputs_, arrays_;
  const FindJoin& find_;
  std::vector<std::set<std::int64_t>> cuts_;  // per axis of the launch
  std::vector<Seen> seen_;                    // per input
};

}  // namespace

std::optional<Join> join_of(const DeviceOpCall& call) {
  const node* result = call.result;
  if (!is_join(call.op) || result->size < least_elements || !result->is(node::c_contiguous)) return std::nullopt;
  for (const node* n : call.in)
    if (n->type != result->type || n->rank != result->rank || numjit::detail::may_overlap(n, result)) return std::nullopt;
  return join_of_call(call);
}

std::optional<std::vector<BoxLaunch>> launches_in_pieces(const Launch& launch, std::size_t inputs, std::size_t arrays,
                                                         const FindJoin& find) {
  return Cutter(launch, inputs, arrays, find).launches();
}

}  // namespace numjit::runtime::detail
