// Iteration spaces, argument blocks and cost guesses for launches.
#include <numjit/runtime/launch/launch.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <numjit/base/config.h>

namespace numjit::runtime::detail {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;

std::vector<std::int64_t> item_sizes(const KernelSpec& spec) {
  std::vector<std::int64_t> sizes;
  for (dtype_id type : spec.operand_types) sizes.push_back(static_cast<std::int64_t>(dtype(type).itemsize()));
  for (std::uint16_t output : spec.outputs) sizes.push_back(static_cast<std::int64_t>(dtype(spec.nodes[output].type).itemsize()));
  return sizes;
}

std::vector<dtype_id> output_types(const KernelSpec& spec) {
  std::vector<dtype_id> types;
  for (std::uint16_t output : spec.outputs) types.push_back(spec.nodes[output].type);
  return types;
}

int parts_of(dtype_id type) { return dtype(type).kind() == 'c' ? 2 : 1; }

namespace {

/// Turns round the axes that the first output (or, where that stands still, all inputs) walks backwards.
void turn_axes(Space& space, std::size_t first_output) {
  for (Axis& axis : space.axes) {
    bool backwards = axis.stride[first_output] < 0;
    if (axis.stride[first_output] == 0) {
      backwards = std::any_of(axis.stride.begin(), axis.stride.end(), [](auto s) { return s < 0; }) &&
                  std::none_of(axis.stride.begin(), axis.stride.end(), [](auto s) { return s > 0; });
    }
    if (!backwards) continue;
    for (std::size_t i = 0; i < axis.stride.size(); ++i) {
      space.offset[i] += axis.stride[i] * (axis.extent - 1);
      axis.stride[i] = -axis.stride[i];
    }
  }
}

/// Should axis `a` stand outside of `b`? The output's strides decide, then each input's in turn.
bool outside(const Axis& a, const Axis& b, std::size_t first_output) {
  auto step = [](const Axis& axis, std::size_t i) { return std::llabs(axis.stride[i]); };
  for (std::size_t i = first_output; i < a.stride.size(); ++i)
    if (step(a, i) != step(b, i)) return step(a, i) > step(b, i);
  for (std::size_t i = 0; i < first_output; ++i)
    if (step(a, i) != step(b, i)) return step(a, i) > step(b, i);
  return false;
}

void merge_axes(Space& space) {
  std::vector<Axis> merged;
  for (Axis& axis : space.axes) {
    if (!merged.empty()) {
      Axis& outer = merged.back();
      bool joins = true;
      for (std::size_t i = 0; i < axis.stride.size(); ++i) joins = joins && outer.stride[i] == axis.stride[i] * axis.extent;
      if (joins) {
        axis.extent *= outer.extent;
        outer = std::move(axis);
        continue;
      }
    }
    merged.push_back(std::move(axis));
  }
  space.axes = std::move(merged);
}

}  // namespace

bool make_space(const KernelSpec& spec, const Launch& launch, Space& space) {
  const std::vector<std::int64_t> sizes = item_sizes(spec);
  const std::size_t arrays = sizes.size();
  space.offset.assign(arrays, 0);
  for (int a = 0; a < launch.rank; ++a) {
    Axis axis;
    axis.extent = launch.extent[a];
    axis.stride.resize(arrays);
    for (std::size_t i = 0; i < arrays; ++i) {
      std::int64_t bytes = axis.extent == 1 ? 0 : launch.operands[i].strides[a];
      if (bytes % sizes[i] != 0) return false;
      axis.stride[i] = bytes / sizes[i];
    }
    bool reduced = false;
    for (int level = 0; level < spec.reduction_levels; ++level)
      if (launch.reduced_axis[level] == a) {
        space.reduced[level] = axis;
        reduced = true;
      }
    if (reduced) continue;
    space.points *= axis.extent;
    if (axis.extent == 0) space.empty = true;
    if (axis.extent != 1) space.axes.push_back(std::move(axis));
  }
  if (space.empty) return true;
  const std::size_t first_output = spec.operand_types.size();
  turn_axes(space, first_output);
  std::stable_sort(space.axes.begin(), space.axes.end(),
                   [&](const Axis& a, const Axis& b) { return outside(a, b, first_output); });
  merge_axes(space);
  return true;
}

std::int64_t bytes_moved(const KernelSpec& spec, const Space& space) {
  std::vector<std::int64_t> bytes = item_sizes(spec);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const Axis& axis : space.axes)
      if (axis.stride[i] != 0) bytes[i] *= axis.extent;
    const bool input = i < spec.operand_types.size();
    for (int level = 0; input && level < spec.reduction_levels; ++level)
      if (space.reduced[level].stride[i] != 0) bytes[i] *= space.reduced[level].extent;
    sum += bytes[i];
  }
  return sum;
}

std::uint8_t stride_class(std::int64_t stride, std::int64_t extent) {
  if (extent <= 1 || stride == 1) return 1;
  return stride == 0 ? 0 : 2;
}

std::int64_t reachable_extent(const Axis& axis, const std::vector<std::int64_t>& reach_already) {
  constexpr std::int64_t limit = INT32_MAX / 2;  // in parts: complex elements have two
  std::int64_t most = limit;
  for (std::size_t i = 0; i < axis.stride.size(); ++i) {
    std::int64_t step = std::llabs(axis.stride[i]);
    if (step == 0) continue;
    std::int64_t left = std::max<std::int64_t>(limit - reach_already[i], 0);
    most = std::min(most, step > limit ? 1 : left / step + 1);
  }
  return most;
}

double ns_per_point(const KernelSpec& spec) {
  double ns = 0;
  for (dtype_id type : spec.operand_types) ns += 0.06 * static_cast<double>(dtype(type).itemsize());
  if (spec.reduction_levels == 0)
    for (std::uint16_t output : spec.outputs) ns += 0.06 * static_cast<double>(dtype(spec.nodes[output].type).itemsize());
  for (const KernelNode& node : spec.nodes) {
    double width = static_cast<double>(dtype(node.type).itemsize()) / 8;
    // Complex functions compute several real ones, in double precision.
    const bool of_complex = node.kind == KernelNodeKind::op && parts_of(spec.nodes[node.in[0]].type) == 2;
    const double function_width = of_complex ? 6 : width;
    if (node.kind != KernelNodeKind::op) {
      ns += 0.05 * width;
      continue;
    }
    const op_cost cost = facts_of(node.op).cost;
    const bool is_function = cost == op_cost::function || cost == op_cost::long_function;
    ns += ns_of(cost) * (is_function ? function_width : width);
  }
  return ns;
}

KernelSpec extract_spec(const KernelSpec& spec, const std::vector<std::uint16_t>& outputs, const std::vector<std::uint16_t>& cuts,
                        std::vector<int>& sources) {
  KernelSpec part;
  part.scalar_types = spec.scalar_types;
  std::vector<int> place(spec.nodes.size(), -1);
  const int levels_off = cuts.empty() ? 0 : spec.nodes[cuts[0]].index + 1;
  auto add = [&](const KernelNode& node) {
    part.nodes.push_back(node);
    return static_cast<int>(part.nodes.size()) - 1;
  };
  auto visit = [&](auto&& self, std::uint16_t index) -> std::uint16_t {
    if (place[index] >= 0) return static_cast<std::uint16_t>(place[index]);
    const KernelNode& node = spec.nodes[index];
    const auto cut = std::find(cuts.begin(), cuts.end(), index);
    if (cut != cuts.end() || node.kind == KernelNodeKind::operand) {
      const auto number = static_cast<std::uint16_t>(sources.size());
      sources.push_back(cut != cuts.end() ? -1 - static_cast<int>(cut - cuts.begin()) : node.index);
      part.operand_types.push_back(node.type);
      place[index] = add({KernelNodeKind::operand, {}, 0, node.type, number, {}});
      return static_cast<std::uint16_t>(place[index]);
    }
    KernelNode copy = node;
    const bool is_op = node.kind == KernelNodeKind::op;
    const int count = is_op ? info(node.op).arity : node.kind == KernelNodeKind::scalar ? 0 : 1;
    for (int i = 0; i < count; ++i) copy.in[i] = self(self, node.in[i]);
    if (node.kind == KernelNodeKind::reduce) {
      copy.index = static_cast<std::uint16_t>(node.index - levels_off);
      part.reduction_levels = std::max<std::uint8_t>(part.reduction_levels, static_cast<std::uint8_t>(copy.index + 1));
    }
    place[index] = add(copy);
    return static_cast<std::uint16_t>(place[index]);
  };
  for (std::uint16_t output : outputs) part.outputs.push_back(visit(visit, output));
  return part;
}

void CallBlock::init(const std::vector<dtype_id>& in, const std::vector<dtype_id>& scalars, int parameters,
                     const std::vector<dtype_id>& out, int axes_in, int axes_out) {
  auto places = [](const std::vector<dtype_id>& types) {
    int n = 0;
    for (dtype_id type : types) n += parts_of(type);
    return n;
  };
  in_ = static_cast<int>(in.size());
  out_ = static_cast<int>(out.size());
  in_places_ = places(in);
  scalar_places_ = places(scalars);
  out_places_ = places(out);
  parameter_count_ = parameters;
  axes_in_ = axes_in;
  axes_out_ = axes_out;
  auto count = [](int n) { return static_cast<std::size_t>(n); };
  buffers_at_ = count(in_places_ + scalar_places_ + parameter_count_ + out_places_) * sizeof(void*);
  dims_at_ = buffers_at_ + count(in_ + out_) * sizeof(kernel_buffer);
  parameters_at_ = dims_at_ + count(in_ * axes_in_ + out_ * axes_out_) * sizeof(kernel_dim);
  bytes_ = (parameters_at_ + count(parameter_count_) * sizeof(std::int32_t) + 7) / 8 * 8;
  owned_ = std::make_unique<std::uint64_t[]>(bytes_ / 8);
  base_ = reinterpret_cast<char*>(owned_.get());
  for (int i = 0; i < in_ + out_; ++i) {
    kernel_buffer* buffer = new (&buffers()[i]) kernel_buffer;
    buffer->dimensions = i < in_ ? axes_in_ : axes_out_;
    buffer->type_lanes = static_cast<std::uint16_t>(parts_of(i < in_ ? in[count(i)] : out[count(i - in_)]));
  }
  auto* dims = reinterpret_cast<kernel_dim*>(base_ + dims_at_);
  for (int i = 0; i < in_ * axes_in_ + out_ * axes_out_; ++i) new (&dims[i]) kernel_dim;
  link();
}

void CallBlock::link() {
  void** argument = argv();
  auto* dims = reinterpret_cast<kernel_dim*>(base_ + dims_at_);
  for (int i = 0; i < in_; ++i, dims += axes_in_) {
    in(i).dim = dims;
    for (int part = 0; part < in(i).type_lanes; ++part) *argument++ = &in(i);
  }
  argument += scalar_places_;
  for (int i = 0; i < parameter_count_; ++i) *argument++ = &parameter(i);
  for (int i = 0; i < out_; ++i, dims += axes_out_) {
    out(i).dim = dims;
    for (int part = 0; part < out(i).type_lanes; ++part) *argument++ = &out(i);
  }
}

void CallBlock::set_scalars(const KernelSpec& spec, const void* const* values) {
  void** argument = argv() + in_places_;
  for (std::size_t i = 0; i < spec.scalar_types.size(); ++i) {
    char* value = static_cast<char*>(const_cast<void*>(values[i]));
    *argument++ = value;
    if (parts_of(spec.scalar_types[i]) == 2) *argument++ = value + dtype(spec.scalar_types[i]).itemsize() / 2;
  }
}

CallBlock CallBlock::copy_to(char* memory) const {
  CallBlock copy;
  std::memcpy(memory, base_, bytes_);
  copy.base_ = memory;
  copy.bytes_ = bytes_;
  copy.buffers_at_ = buffers_at_;
  copy.dims_at_ = dims_at_;
  copy.parameters_at_ = parameters_at_;
  copy.in_ = in_;
  copy.out_ = out_;
  copy.in_places_ = in_places_;
  copy.scalar_places_ = scalar_places_;
  copy.out_places_ = out_places_;
  copy.parameter_count_ = parameter_count_;
  copy.axes_in_ = axes_in_;
  copy.axes_out_ = axes_out_;
  copy.link();
  return copy;
}

namespace {
bool has_floats(const KernelSpec& spec) {
  return std::any_of(spec.nodes.begin(), spec.nodes.end(), [](const graph::KernelNode& node) {
    const char kind = dtype(node.type).kind();
    return (kind == 'f' && node.type != dtype_id::float16) || kind == 'c';
  });
}
}  // namespace

bool KernelSource::any_timed_out() const {
  return std::any_of(known_.begin(), known_.end(), [](const Known& known) {
    return known.kernel->state.load(std::memory_order_acquire) == KernelState::failed && known.kernel->timed_out;
  });
}

kernel_entry KernelSource::find(const KernelSpec& spec, KernelVariant variant, std::string* name) {
  variant.fast_math = is_fast() && has_floats(spec);
  Kernel* kernel = nullptr;
  for (const Known& known : known_)
    if (known.variant.schedule == variant.schedule && known.variant.inner_stride == variant.inner_stride &&
        known.variant.size_class == variant.size_class && known.variant.fast_math == variant.fast_math &&
        known.variant.target == variant.target && known.spec == spec)
      kernel = known.kernel.get();
  if (!kernel) {
    known_.push_back({spec, variant, get_kernel(spec, variant)});
    kernel = known_.back().kernel.get();
  }
  if (!kernel) return nullptr;
  // Under config().compile == sync a kernel that was queued before is waited for.
  if (kernel->state.load(std::memory_order_relaxed) == KernelState::queued && config().compile == compile_mode::sync)
    get_kernel(spec, variant);
  check_failure(*kernel);
  if (name) *name = kernel->name;
  return kernel->entry.load(std::memory_order_acquire);
}

}  // namespace numjit::runtime::detail
