// Pairs of groups as one: the first one's expression stands where the second reads its result, once for each place that is
// read, and graph/stencil.h finds that these are the same but for a shift.
#include <numjit/runtime/gpu/merge.h>

#include <algorithm>
#include <cstdlib>

#include <numjit/array/dims.h>
#include <numjit/graph/stencil.h>

namespace numjit::runtime::detail {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;

namespace {

constexpr std::size_t most_nodes = 48;  // computed again along the borders of blocks: a tenth to a quarter of the points
constexpr std::size_t most_operands = 96;

/// Where the points of a launch lie in a C-contiguous result: where they begin, and steps along its axes.
struct Steps {
  std::int64_t start[max_rank] = {};  // per axis of the result
  int axis[max_rank] = {};            // per axis of the launch
  std::int64_t step[max_rank] = {};
};
bool steps_in(const Launch& first, const std::int64_t* strides, std::int64_t offset, const Launch& second,
              const std::int64_t* seen, Steps& s) {
  for (int a = 0; a < first.rank; ++a) {
    if (first.extent[a] <= 1) continue;
    s.start[a] = offset / strides[a];
    offset %= strides[a];
  }
  if (offset != 0) return false;
  for (int j = 0; j < second.rank; ++j) {
    if (second.extent[j] <= 1 || seen[j] == 0) continue;
    const std::int64_t size = std::llabs(seen[j]);
    int a = 0;
    while (a < first.rank && (first.extent[a] <= 1 || size % strides[a] != 0 || size / strides[a] >= first.extent[a])) ++a;
    if (a == first.rank) return false;
    s.axis[j] = a;
    s.step[j] = seen[j] / strides[a];
  }
  return true;
}

std::int64_t bytes_of(const Launch& launch, dtype_id type) {
  std::int64_t n = size_of(type);
  for (int a = 0; a < launch.rank; ++a) n *= launch.extent[a];
  return n;
}

}  // namespace

bool may_wait(const KernelSpec& spec, const Launch& launch) {
  if (spec.reduction_levels > 0 || spec.outputs.size() != 1 || spec.nodes.size() > most_nodes || launch.rank < 2) return false;
  const std::int64_t* const stored = launch.operands[spec.operand_types.size()].strides;
  std::int64_t outer = INT64_MAX;
  for (int a = 0; a < launch.rank; ++a) {
    if (launch.extent[a] == 0) return false;
    if (launch.extent[a] == 1) continue;
    if (stored[a] > outer) return false;  // not in C's order
    outer = stored[a];
  }
  return launch.extent[launch.rank - 1] >= graph::stencil_tile_x;
}

void MergedCall::join(const std::vector<bool>& reads) {
  reads_ = reads;
  spec_ = {};
  sources_.clear();
  call_.reset();
  spec_.scalar_types = second_.scalar_types;
  spec_.scalar_types.insert(spec_.scalar_types.end(), first_.scalar_types.begin(), first_.scalar_types.end());
  std::vector<std::uint16_t> place(second_.nodes.size());
  auto add = [&](const KernelNode& node) {
    spec_.nodes.push_back(node);
    return static_cast<std::uint16_t>(spec_.nodes.size() - 1);
  };
  auto operand = [&](const Source& source, dtype_id type) {
    sources_.push_back(source);
    spec_.operand_types.push_back(type);
    return add({KernelNodeKind::operand, {}, 0, type, static_cast<std::uint16_t>(sources_.size() - 1), {}});
  };
  auto moved = [&](KernelNode node, const std::vector<std::uint16_t>& to) {
    for (int i = 0; i < graph::inputs_of(node); ++i) node.in[i] = to[node.in[i]];
    return add(node);
  };
  auto result_through = [&](int view) {
    std::vector<std::uint16_t> to(first_.nodes.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
      KernelNode node = first_.nodes[i];
      if (node.kind == KernelNodeKind::operand)
        to[i] = operand({view, node.index}, node.type);
      else {
        if (node.kind == KernelNodeKind::scalar)
          node.index = static_cast<std::uint16_t>(node.index + second_.scalar_types.size());
        to[i] = moved(node, to);
      }
    }
    return to[first_.outputs[0]];
  };
  for (std::size_t i = 0; i < place.size(); ++i) {
    const KernelNode& node = second_.nodes[i];
    if (node.kind != KernelNodeKind::operand)
      place[i] = moved(node, place);
    else
      place[i] = reads[node.index] ? result_through(node.index) : operand({node.index, -1}, node.type);
  }
  for (std::uint16_t output : second_.outputs) spec_.outputs.push_back(place[output]);
  call_ = std::make_unique<DeviceCall>(spec_, true);
}

bool MergedCall::lay_out(const Launch& first, const Launch& second) {
  const std::size_t own = sources_.size(), all = own + second_.outputs.size(), result = first_.operand_types.size();
  const auto rank = static_cast<std::size_t>(second.rank);
  const LaunchOperand& stored = first.operands[result];
  operands_.resize(all);
  strides_.assign(all * rank, 0);
  for (std::size_t i = 0; i < all; ++i) {
    std::int64_t* const to = strides_.data() + i * rank;
    const Source source = i < own ? sources_[i] : Source{static_cast<int>(second_.operand_types.size() + (i - own)), -1};
    const LaunchOperand& seen = second.operands[source.second];
    operands_[i] = {seen.data, to};
    if (source.first < 0) {
      std::copy_n(seen.strides, rank, to);
      continue;
    }
    const LaunchOperand& read = first.operands[source.first];
    Steps steps;
    if (!steps_in(first, stored.strides, seen.data - stored.data, second, seen.strides, steps)) return false;
    operands_[i].data = read.data;
    for (int a = 0; a < first.rank; ++a)
      if (first.extent[a] > 1) operands_[i].data += steps.start[a] * read.strides[a];
    for (std::size_t j = 0; j < rank; ++j) to[j] = steps.step[j] == 0 ? 0 : steps.step[j] * read.strides[steps.axis[j]];
  }
  scalars_.assign(second.scalars, second.scalars + second_.scalar_types.size());
  scalars_.insert(scalars_.end(), first.scalars, first.scalars + first_.scalar_types.size());
  return true;
}

bool MergedCall::run(const Launch& first, const Launch& second, const std::string& target, DeviceContext& context) {
  if (second_.reduction_levels > 0) return false;
  const std::size_t count = second_.operand_types.size(), result = first_.operand_types.size();
  const char* const low = first.operands[result].data;
  const char* const high = low + bytes_of(first, first_.nodes[first_.outputs[0]].type);
  std::vector<bool> reads(count);
  std::size_t times = 0;
  for (std::size_t k = 0; k < count; ++k) {
    reads[k] = low <= second.operands[k].data && second.operands[k].data < high;
    times += reads[k];
  }
  if (times < 2 || count + times * result > most_operands) return false;
  if (!call_ || reads != reads_) join(reads);
  if (!lay_out(first, second)) return false;
  Launch both = second;
  both.operands = operands_.data();
  both.scalars = scalars_.data();
  return call_->run(both, target, context);
}

}  // namespace numjit::runtime::detail
