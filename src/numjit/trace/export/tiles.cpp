// Costs of calls, and the proof that one can be done in parts.
#include <numjit/trace/export/tiles.h>

#include <algorithm>

#include <fmt/format.h>

#include <numjit/array/node.h>
#include <numjit/ops/param_layout.h>
#include <numjit/trace/export/program_run.h>
#include <numjit/trace/export/shape_walk.h>
#include <numjit/trace/export/tile_labels.h>

namespace numjit::tracing {
namespace {

std::int64_t bytes_of(const node* n) { return n->size * static_cast<std::int64_t>(dtype(n->type).itemsize()); }

ArrayShape shape_of(const array& a) { return {a.get()->type, dims(a.get()->shape, a.get()->rank)}; }

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

/// The worst moment of a graph's run: what it makes and has not yet read for the last time.
std::int64_t peak_of(const ShapeWalk::Step& run, std::int64_t* kept) {
  const std::vector<graph::Node>& nodes = run.step->graph.nodes;
  std::vector<std::size_t> last(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    last[i] = nodes[i].live ? nodes.size() : i;
    for (const graph::Ref& ref : nodes[i].in) {
      if (ref.node < 0) continue;
      // A view keeps what it looks at.
      const auto root = at(run.step->graph.root_of(ref.node));
      last[root] = std::max(last[root], i);
    }
    if (nodes[i].kind == graph::NodeKind::view && nodes[i].live)
      last[at(run.step->graph.root_of(static_cast<int>(i)))] = nodes.size();
  }
  // What reads a view reads its root, whenever that is.
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].kind == graph::NodeKind::view) {
      const auto root = at(run.step->graph.root_of(static_cast<int>(i)));
      last[root] = std::max(last[root], last[i]);
    }
  std::vector<std::int64_t> freed(nodes.size() + 1);
  std::int64_t now = 0, peak = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind == graph::NodeKind::op) {
      const std::int64_t bytes = bytes_of(run.values[i].get());
      now += bytes;
      freed[last[i]] += bytes;
    }
    peak = std::max(peak, now);
    now -= freed[i];
  }
  *kept = now;
  return peak;
}

}  // namespace

std::int64_t ArrayShape::bytes() const { return element_count(shape) * static_cast<std::int64_t>(dtype(type).itemsize()); }

CallCost call_cost(const Program& program, const ProgramEntry& entry, const std::vector<ArrayShape>& arguments) {
  const ShapeWalk walk(program, entry, arguments);
  CallCost cost;
  for (const ArrayShape& a : arguments) cost.bytes += a.bytes();
  std::int64_t kept = 0, peak = 0;
  for (const ShapeWalk::Step& run : walk.steps) {
    if (run.values.size() < run.step->graph.nodes.size()) break;  // a length that depends on data ended it
    std::int64_t more = 0;
    peak = std::max(peak, kept + peak_of(run, &more));
    kept += more;
  }
  cost.bytes += peak;
  cost.complete = walk.results && !walk.reads;
  if (walk.results)
    for (const ProgramSource& source : walk.results->results)
      if (source.kind != ProgramSource::Kind::none) cost.results.push_back(shape_of(walk.value_of(source)));
  return cost;
}

std::vector<ArrayShape> part_of(const std::vector<ArrayShape>& arguments, const Tiling& tiling, std::int64_t count) {
  std::vector<ArrayShape> part = arguments;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (tiling.argument_axis[i] >= 0) part[i].shape[tiling.argument_axis[i]] = count;
  return part;
}

const ProgramEntry& entry_for(const Program& program, const std::vector<ArrayShape>& arguments) {
  std::vector<array> arrays;
  std::vector<node*> nodes;
  for (const ArrayShape& a : arguments) arrays.push_back(without_elements(a));
  for (const array& a : arrays) nodes.push_back(a.get());
  return find_entry(program, nodes, nullptr);
}

namespace {

/// The choices of axes for all arguments, given one, by the bytes that they cut.
std::vector<std::vector<int>> choices(const std::vector<ArrayShape>& arguments, std::size_t seed, int axis) {
  const std::int64_t extent = arguments[seed].shape[axis];
  std::vector<std::vector<int>> list{{}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::vector<int> options;
    if (i == seed) {
      options = {axis};
    } else {
      for (int a = 0; a < arguments[i].shape.size(); ++a)
        if (arguments[i].shape[a] == extent) options.push_back(a);
      options.push_back(-1);
    }
    std::vector<std::vector<int>> longer;
    for (const auto& begun : list)
      for (int option : options)
        if (longer.size() < 1024) {
          longer.push_back(begun);
          longer.back().push_back(option);
        }
    list = std::move(longer);
  }
  auto cut = [&](const std::vector<int>& axes) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) bytes += axes[i] >= 0 ? arguments[i].bytes() : 0;
    return bytes;
  };
  std::stable_sort(list.begin(), list.end(), [&](const auto& a, const auto& b) { return cut(a) > cut(b); });
  return list;
}

}  // namespace

TilingAnswer find_tiling(const Program& program, const ProgramEntry& entry, const std::vector<ArrayShape>& arguments) {
  TilingAnswer answer;
  if (arguments.empty()) return {std::nullopt, "it takes no arrays"};
  std::size_t seed = 0, furthest = 0;
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (arguments[i].bytes() > arguments[seed].bytes()) seed = i;
  const ShapeWalk whole(program, entry, arguments);
  if (!whole.results) return {std::nullopt, whole.stopped};
  if (whole.reads) return {std::nullopt, "the function reads values, which decide what it does"};
  for (int axis = 0; axis < arguments[seed].shape.size(); ++axis) {
    Tiling tiling;
    tiling.extent = arguments[seed].shape[axis];
    if (tiling.extent < 4) continue;  // parts have two elements or more
    for (const std::vector<int>& axes : choices(arguments, seed, axis)) {
      tiling.argument_axis = axes;
      // Some number of elements that is unlike the whole.
      const std::int64_t count = tiling.extent / 2;
      const ShapeWalk part(program, entry, part_of(arguments, tiling, count), true);
      TileLabels labels(whole, part, tiling.extent, count);
      const std::string why = labels.run(axes, &tiling.result_axis);
      if (why.empty()) return {tiling, ""};
      if (answer.why.empty() || labels.nodes_seen() > furthest) {
        answer.why = fmt::format("along axis {} of argument {}, {}", axis, seed, why);
        furthest = labels.nodes_seen();
      }
    }
  }
  if (answer.why.empty()) answer.why = "no axis of its largest argument has four elements or more";
  return answer;
}

}  // namespace numjit::tracing
