// The rules of the proof, by kind of operation.
#include <numjit/trace/export/tile_labels.h>

#include <algorithm>

#include <fmt/format.h>

#include <numjit/array/node.h>
#include <numjit/ops/param_layout.h>

namespace numjit::tracing {
namespace {

using graph::Node;
using graph::NodeKind;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

dims shape_of(const array& a) { return dims(a.get()->shape, a.get()->rank); }

int rank_of(const array& a) { return a.get()->rank; }

int axis_from(std::int64_t raw, int rank) { return static_cast<int>(raw < 0 ? raw + rank : raw); }

std::int64_t product(const dims& shape, int to) {
  std::int64_t p = 1;
  for (int i = 0; i < to; ++i) p *= shape[i];
  return p;
}

/// Do the words of this op only say shapes? Those are compared as shapes.
bool words_are_shape(op_id op) { return op == op_id::reshape_view || op == op_id::broadcast_to || op == op_id::full; }

}  // namespace

int TileLabels::label_of(const ProgramSource& source) const {
  switch (source.kind) {
    case ProgramSource::Kind::argument: return argument_axes_[source.at];
    case ProgramSource::Kind::computed: return computed_[source.at];
    case ProgramSource::Kind::none:
    case ProgramSource::Kind::constant: return whole;
  }
  __builtin_unreachable();
}

std::string TileLabels::run(const std::vector<int>& argument_axes, std::vector<int>* result_axes) {
  argument_axes_ = argument_axes;
  std::string where;
  try {
    for (std::size_t s = 0; s < all_.steps.size(); ++s) {
      if (s >= part_.steps.size()) return part_.stopped;
      const ShapeWalk::Step &all = all_.steps[s], &part = part_.steps[s];
      const std::vector<Node>& nodes = all.step->graph.nodes;
      labels_.assign(nodes.size(), whole);
      std::size_t input = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const Node& n = nodes[i];
        if (n.kind == NodeKind::input) {
          labels_[i] = label_of(all.step->inputs[input++]);
        } else {
          where = fmt::format("{} at {}:{} ", op_text(n), n.where.file, n.where.line);
          check_params(all, part, i);
          const bool there = i < part.values.size();  // in a part, the operation is an error
          if (there || !words_are_shape(n.op)) labels_[i] = label_node(all, i);
          if (!there)
            throw Obstacle{words_are_shape(n.op) ? "has a size of its own: mark the axis by np::mark_dynamic where the "
                                                   "function is exported"
                                                 : "can't be done in parts: " + part_.stopped};
          if (n.kind != NodeKind::store) check_shapes(all.values[i], part.values[i], labels_[i]);
        }
        ++nodes_seen_;
      }
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].live) computed_.push_back(labels_[i]);
    }
  } catch (const Obstacle& obstacle) {
    return where + obstacle.text;
  }
  result_axes->clear();
  for (const ProgramSource& source : all_.results->results) result_axes->push_back(label_of(source));
  return "";
}

/// A value that is cut has its range of the axis and nothing else changed; a whole one has its shape.
void TileLabels::check_shapes(const array& all, const array& part, int label) const {
  dims expected = shape_of(all);
  if (label >= 0) {
    if (expected[label] != extent_) throw Obstacle{"does not keep the axis"};
    expected[label] = count_;
  }
  if (!(expected == shape_of(part))) throw Obstacle{"has a shape that depends on the size of the axis"};
}

void TileLabels::check_params(const ShapeWalk::Step& all, const ShapeWalk::Step& part, std::size_t i) const {
  const Node& n = all.step->graph.nodes[i];
  if (!words_are_shape(n.op) && !(all.params[i] == part.params[i])) throw Obstacle{"depends on the size of the axis"};
  for (const graph::Ref& ref : n.in) {
    if (ref.scalar < 0) continue;
    const runtime::ScalarValue &a = all.scalars[at(ref.scalar)], &b = part.scalars[at(ref.scalar)];
    if (a.integer != b.integer || a.real != b.real) throw Obstacle{"uses the size of the axis as a number"};
  }
}

int TileLabels::input_label(const Node& n, std::size_t k) const {
  return k < n.in.size() && n.in[k].node >= 0 ? labels_[at(n.in[k].node)] : whole;
}

/// Operands from `from` on, broadcast to `result`: those that are cut must meet in one axis, the others must not
/// have it.
int TileLabels::broadcast(const ShapeWalk::Step& step, const Node& n, const dims& result, std::size_t from) const {
  int label = whole;
  for (std::size_t k = from; k < n.in.size(); ++k) {
    const int own = input_label(n, k);
    if (own < 0) continue;
    const int here = own + result.size() - rank_of(step.values[at(n.in[k].node)]);
    if (label >= 0 && label != here) throw Obstacle{"brings two different axes together"};
    label = here;
  }
  if (label < 0) return whole;
  for (std::size_t k = from; k < n.in.size(); ++k) {
    if (n.in[k].node < 0 || input_label(n, k) >= 0) continue;
    const dims shape = shape_of(step.values[at(n.in[k].node)]);
    const int axis = label - (result.size() - shape.size());
    if (axis >= 0 && shape[axis] != 1) throw Obstacle{"takes values along the axis that are not cut"};
  }
  return label;
}

int TileLabels::reduction(const ShapeWalk::Step& step, const Node& n, const op_params& params) const {
  const array& x = step.values[at(n.in[0].node)];
  const int rank = rank_of(x), label = broadcast(step, n, shape_of(x));
  if (label < 0) return whole;
  bool reduced[max_rank] = {}, keepdims = false;
  const op_kind kind = info(n.op).kind;
  if (kind == op_kind::reduction) {
    const layout::reduction r = layout::reduction_of(params);
    keepdims = r.keepdims;
    for (int a = 0; a < rank; ++a) reduced[a] = !r.axes;
    if (r.axes)
      for (std::int64_t a : *r.axes) reduced[axis_from(a, rank)] = true;
  } else {
    const std::int64_t axis = layout::axis_of(params);
    keepdims = params.size() > 1 && params[1];
    for (int a = 0; a < rank; ++a) reduced[a] = axis == layout::none || a == axis_from(axis, rank);
  }
  if (reduced[label]) throw Obstacle{"reduces over the axis"};
  int place = label;
  for (int a = 0; a < label && !keepdims; ++a) place -= reduced[a];
  return place;
}

/// Scans and sorts: each line of their axis by itself.
int TileLabels::along_axis(const ShapeWalk::Step& step, const Node& n, const op_params& params) const {
  const int label = input_label(n, 0);
  if (label < 0) return whole;
  const std::int64_t axis = layout::axis_of(params);
  if (axis == layout::none || axis_from(axis, rank_of(step.values[at(n.in[0].node)])) == label)
    throw Obstacle{"goes along the axis"};
  return label;
}

int TileLabels::index(const Node& n, const op_params& params) const {
  const int label = input_label(n, 0);
  if (label < 0) return whole;
  int axis = 0, place = 0;
  for (int word = 0; word < params.size();) {
    const layout::index_entry e = layout::next_index_entry(params, word);
    if (e.kind == layout::index_entry::newaxis) {
      ++place;
      continue;
    }
    if (axis == label) {
      const bool all_of_it = e.kind == layout::index_entry::whole ||
                             (e.kind == layout::index_entry::slice && (e.start == layout::none || e.start == 0) &&
                              e.stop == layout::none && (e.step == layout::none || e.step == 1));
      if (!all_of_it) throw Obstacle{"takes a range or an element of the axis"};
      return place;
    }
    place += e.kind != layout::index_entry::integer;
    ++axis;
  }
  return place + label - axis;
}

/// The axis with as many elements before it and of the same extent.
int TileLabels::reshape(const ShapeWalk::Step& step, const Node& n, const dims& to) const {
  const int axis = input_label(n, 0);
  if (axis < 0) return whole;
  const dims from = shape_of(step.values[at(n.in[0].node)]);
  for (int a = 0; a < to.size(); ++a)
    if (to[a] == from[axis] && product(to, a) == product(from, axis)) return a;
  throw Obstacle{"does not keep the axis"};
}

int TileLabels::transpose(const Node& n, const op_params& params, int rank) const {
  const int label = input_label(n, 0);
  if (label < 0) return whole;
  const dims axes = layout::list_of(params);
  if (axes.empty()) return rank - 1 - label;
  for (int a = 0; a < axes.size(); ++a)
    if (axis_from(axes[a], rank) == label) return a;
  throw Obstacle{"does not keep the axis"};
}

int TileLabels::diagonal(const Node& n, const op_params& params, int rank) const {
  const int label = input_label(n, 0);
  if (label < 0) return whole;
  const int row = axis_from(params.size() > 1 ? params[1] : 0, rank);
  const int column = axis_from(params.size() > 2 ? params[2] : 1, rank);
  if (label == row || label == column) throw Obstacle{"goes along the axis"};
  return label - (row < label) - (column < label);
}

int TileLabels::windows(const Node& n, const op_params& params) const {
  const int label = input_label(n, 0);
  if (label >= 0 && layout::list_of(params)[label] != 1) throw Obstacle{"has windows over the axis"};
  return label;
}

int TileLabels::take(const ShapeWalk::Step& step, const Node& n, const op_params& params) const {
  const int from = input_label(n, 0), places = input_label(n, 1);
  if (from < 0 && places < 0) return whole;
  if (from >= 0 && places >= 0) throw Obstacle{"picks elements of what is cut at places that are cut"};
  const std::int64_t raw = layout::axis_of(params);
  const int rank = rank_of(step.values[at(n.in[0].node)]);
  const int added = n.in[1].node >= 0 ? rank_of(step.values[at(n.in[1].node)]) : 0;
  if (raw == layout::none) {
    if (from >= 0) throw Obstacle{"picks elements of all axes"};
    return places;
  }
  const int axis = axis_from(raw, rank);
  if (places >= 0) return axis + places;
  if (from == axis) throw Obstacle{"picks elements of the axis"};
  return from < axis ? from : from + added - 1;
}

int TileLabels::take_places(const ShapeWalk::Step& step, const Node& n, int result_rank) const {
  const int from = input_label(n, 0), indexed = static_cast<int>(n.in.size()) - 1;
  const int behind = rank_of(step.values[at(n.in[0].node)]) - indexed, index_rank = result_rank - behind;
  int label = whole;
  for (int k = 1; k <= indexed; ++k) {
    const int own = input_label(n, static_cast<std::size_t>(k));
    if (own < 0) continue;
    const int place = own + index_rank - rank_of(step.values[at(n.in[static_cast<std::size_t>(k)].node)]);
    if (label >= 0 && label != place) throw Obstacle{"brings two different axes together"};
    label = place;
  }
  if (from < 0 && label < 0) return whole;
  if (from >= 0 && label >= 0) throw Obstacle{"picks elements of what is cut at places that are cut"};
  if (from >= 0 && from < indexed) throw Obstacle{"picks elements of the axis"};
  if (from >= 0) return from - indexed + index_rank;
  for (int k = 1; k <= indexed; ++k) {
    if (n.in[static_cast<std::size_t>(k)].node < 0 || input_label(n, static_cast<std::size_t>(k)) >= 0) continue;
    const dims shape = shape_of(step.values[at(n.in[static_cast<std::size_t>(k)].node)]);
    const int axis = label - (index_rank - shape.size());
    if (axis >= 0 && shape[axis] != 1) throw Obstacle{"takes values along the axis that are not cut"};
  }
  return label;
}

int TileLabels::matmul(const ShapeWalk::Step& step, const Node& n, const dims& result) const {
  const int left = input_label(n, 0), right = input_label(n, 1);
  if (left < 0 && right < 0) return whole;
  const int ranks[2] = {rank_of(step.values[at(n.in[0].node)]), rank_of(step.values[at(n.in[1].node)])};
  const bool rows = ranks[0] > 1, columns = ranks[1] > 1;
  const int batch = result.size() - rows - columns;
  // Which axis of the result an axis of an operand becomes; the axis that is summed over becomes none.
  auto place = [&](int label, int operand) {
    const int rank = ranks[operand], kept = operand == 0 ? rank - 2 : rank - 1,
              summed = rank == 1      ? 0
                       : operand == 0 ? rank - 1
                                      : rank - 2;
    if (label == summed) throw Obstacle{"sums over the axis"};
    if (label == kept) return operand == 0 ? batch : batch + rows;
    return label + batch - (rank - 2);
  };
  const int of_left = left >= 0 ? place(left, 0) : whole, of_right = right >= 0 ? place(right, 1) : whole;
  const int label = std::max(of_left, of_right);
  if (of_left >= 0 && of_right >= 0 && (of_left != of_right || label >= batch))
    throw Obstacle{"brings two different axes together"};
  if (label < batch)
    for (int operand = 0; operand < 2; ++operand) {
      if ((operand == 0 ? left : right) >= 0) continue;
      const dims shape = shape_of(step.values[at(n.in[static_cast<std::size_t>(operand)].node)]);
      const int axis = label - (batch - (shape.size() - 2));
      if (shape.size() > 2 && axis >= 0 && shape[axis] != 1) throw Obstacle{"takes values along the axis that are not cut"};
    }
  return label;
}

int TileLabels::concatenate(const ShapeWalk::Step& step, const Node& n, const op_params& params) const {
  const int label = broadcast(step, n, shape_of(step.values[at(n.in[0].node)]));
  if (label >= 0 && axis_from(layout::axis_of(params), rank_of(step.values[at(n.in[0].node)])) == label)
    throw Obstacle{"joins along the axis"};
  return label;
}

/// What is stored into a cut array is cut in the same axis, or does not have it.
int TileLabels::store(const ShapeWalk::Step& step, const Node& n) const {
  const int target = input_label(n, 0);
  const int label = broadcast(step, n, shape_of(step.values[at(n.in[0].node)]), 1);
  if (label >= 0 && label != target) throw Obstacle{"stores what is cut into an array that is not, or along another axis"};
  if (target < 0) return whole;
  for (std::size_t k = 1; k < n.in.size(); ++k) {
    if (n.in[k].node < 0 || input_label(n, k) >= 0) continue;
    const dims shape = shape_of(step.values[at(n.in[k].node)]);
    const int axis = target - (rank_of(step.values[at(n.in[0].node)]) - shape.size());
    if (axis >= 0 && shape[axis] != 1) throw Obstacle{"stores values along the axis that are not cut"};
  }
  return target;
}

/// One value everywhere: a part of it is a smaller one.
int TileLabels::fill(const ShapeWalk::Step& step, std::size_t i) const {
  const dims all = shape_of(step.values[i]);
  const dims part = shape_of(part_.steps[static_cast<std::size_t>(&step - all_.steps.data())].values[i]);
  for (int a = 0; a < all.size() && a < part.size(); ++a)
    if (all[a] != part[a]) return a;
  return whole;
}

/// `input` has the axes; its elements are looked for in another one.
int TileLabels::search(const Node& n, std::size_t input) const {
  if (input_label(n, 1 - input) >= 0) throw Obstacle{"searches in what is cut"};
  return input_label(n, input);
}

int TileLabels::length(const ShapeWalk::Step& step, const Node& n, const op_params& params) const {
  const int label = input_label(n, 0);
  const std::int64_t axis = layout::axis_of(params);
  if (label >= 0 && (axis == layout::none || axis_from(axis, rank_of(step.values[at(n.in[0].node)])) == label))
    throw Obstacle{"uses the size of the axis as a number"};
  return whole;
}

void TileLabels::require_whole_inputs(const Node& n, const char* otherwise) const {
  for (std::size_t k = 0; k < n.in.size(); ++k)
    if (input_label(n, k) >= 0) throw Obstacle{otherwise};
}

int TileLabels::label_node(const ShapeWalk::Step& step, std::size_t i) {
  const Node& n = step.step->graph.nodes[i];
  const op_params& params = step.params[i];
  if (n.kind == NodeKind::store) {
    // Each part would change it again.
    const int root = step.step->graph.root_of(n.in[0].node);
    if (step.step->graph.nodes[at(root)].kind == NodeKind::input && labels_[at(root)] < 0)
      throw Obstacle{"changes an array that each part takes whole"};
  }
  const dims result = n.kind == NodeKind::store ? dims() : shape_of(step.values[i]);
  auto rank = [&] { return rank_of(step.values[at(n.in[0].node)]); };
  switch (structure_of(n.op).axes) {
    case axis_rule::first_input: return input_label(n, 0);
    case axis_rule::broadcast: return broadcast(step, n, result);
    case axis_rule::all_but_its_axis: return along_axis(step, n, params);
    case axis_rule::all_but_reduced: return reduction(step, n, params);
    case axis_rule::where_in_first: return search(n, 1);
    case axis_rule::where_in_second: return search(n, 0);
    case axis_rule::length: return length(step, n, params);
    case axis_rule::index: return index(n, params);
    case axis_rule::reshape: return reshape(step, n, result);
    case axis_rule::transpose: return transpose(n, params, rank());
    case axis_rule::diagonal: return diagonal(n, params, rank());
    case axis_rule::windows: return windows(n, params);
    case axis_rule::fill: return fill(step, i);
    case axis_rule::join: return concatenate(step, n, params);
    case axis_rule::take: return take(step, n, params);
    case axis_rule::take_places: return take_places(step, n, result.size());
    case axis_rule::product: return matmul(step, n, result);
    case axis_rule::store: return store(step, n);
    case axis_rule::one_order: throw Obstacle{"draws random numbers in one order"};
    case axis_rule::none:
    case axis_rule::unsaid: break;
  }
  require_whole_inputs(n, n.kind == NodeKind::store ? "stores at places that the data decide" : "needs the whole of the axis");
  return whole;
}

}  // namespace numjit::tracing
