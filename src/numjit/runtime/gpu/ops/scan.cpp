// Scans on devices: totals of segments, those scanned, then each segment with what comes before it.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include <numjit/ops/param_layout.h>
#include <numjit/runtime/gpu/ops/ops.h>

namespace numjit::runtime::detail {
namespace {

using graph::KernelNode;
using graph::KernelNodeKind;
using graph::KernelSpec;

/// Appends casts of the last node.
void cast_through(KernelSpec& spec, const std::vector<dtype_id>& types) {
  for (dtype_id type : types) {
    const auto last = static_cast<std::uint16_t>(spec.nodes.size() - 1);
    spec.nodes.push_back({KernelNodeKind::cast, {}, 0, type, 0, {last, 0, 0}});
  }
  spec.outputs = {static_cast<std::uint16_t>(spec.nodes.size() - 1)};
}

}  // namespace

KernelSpec scan_spec(op_id join, const ScanTypes& types, bool with_before, bool stores_sums) {
  KernelSpec spec;
  const dtype_id sum = types.in.back();
  spec.operand_types = {types.in.front()};
  spec.nodes = {{KernelNodeKind::operand, {}, 0, types.in.front(), 0, {}}};
  cast_through(spec, {types.in.begin() + 1, types.in.end()});
  const auto element = static_cast<std::uint16_t>(spec.nodes.size() - 1);
  std::uint16_t left = element;
  if (with_before) {
    spec.operand_types.push_back(sum);
    spec.nodes.push_back({KernelNodeKind::operand, {}, 0, sum, 1, {}});
    ++left;
  }
  spec.nodes.push_back({KernelNodeKind::op, join, static_cast<std::uint8_t>(loop_over(join, sum)), sum, 0, {left, element, 0}});
  cast_through(spec, stores_sums ? std::vector<dtype_id>{sum} : types.out);
  return spec;
}

namespace {

/// Launches of the template over boxes of segments.
class Scanner {
 public:
  Scanner(op_id join, const ScanTypes& types, const DeviceOpCall& call)
      : plain_(scan_spec(join, types, false, false)),
        joined_(scan_spec(join, types, true, false)),
        totals_(scan_spec(join, types, false, true)),
        call_(call) {
    const ScanTypes sums{{types.in.back()}, {types.in.back()}};
    first_ = scan_spec(join, sums, false, true);
    seeded_ = scan_spec(join, sums, true, true);
  }

  /// Segments of `m` elements along `along` at the points of `axes`, the innermost of which is what a block shares.
  /// Strides: of input, `before` if there is one, output.
  bool launch(const KernelSpec& spec, std::uint32_t form, const std::vector<devices::address>& at, Axis along,
              std::vector<Axis> axes, std::int64_t m) {
    const std::size_t arrays = at.size();
    const Axis still{1, std::vector<std::int64_t>(arrays, 0)};
    while (axes.size() < 3) axes.insert(axes.begin(), still);
    along.extent = m;
    if (std::llabs(along.stride[0]) > 1 && std::llabs(axes.back().stride[0]) == 1) form |= scan_panel;
    KernelVariant variant;
    variant.schedule = "gpu_scan";
    variant.target = call_.target;
    variant.size_class = form;
    variant.inner_stride = {stride_class(along.stride[0], m)};
    if (arrays == 3) variant.inner_stride.push_back(0);
    const kernel_entry entry = call_.kernels.find(spec, variant, nullptr);
    if (!entry) return false;
    std::vector<std::int64_t> reach(arrays, 0);
    if (reachable_extent(along, reach) < m) return false;
    Axis inner[4] = {along, axes.back(), axes[axes.size() - 2], axes[axes.size() - 3]};
    axes.resize(axes.size() - 3);
    std::int64_t most[4];
    for (int k = 0; k < 4; ++k) {
      most[k] = std::min(inner[k].extent, reachable_extent(inner[k], reach));
      if (k > 1) most[k] = std::min(most[k], most_blocks);
      for (std::size_t i = 0; i < arrays; ++i) reach[i] += std::llabs(inner[k].stride[i]) * (most[k] - 1);
    }
    CallBlock block;
    const dtype_id stored = spec.nodes[spec.outputs[0]].type;
    block.init(spec.operand_types, {}, 2, {stored}, 4, 4);
    std::vector<std::int64_t> item;
    for (dtype_id type : spec.operand_types) item.push_back(size_of(type));
    item.push_back(size_of(stored));
    auto buffer = [&](std::size_t i) -> kernel_buffer& { return i + 1 < arrays ? block.in(static_cast<int>(i)) : block.out(0); };
    for (std::size_t i = 0; i < arrays; ++i)
      for (int k = 0; k < 4; ++k)
        CallBlock::set_stride(buffer(i), k, k == 0 && i == 0 && variant.inner_stride[0] == 1 ? 1 : inner[k].stride[i]);
    block.parameter(0) = static_cast<std::int32_t>(m);
    block.out(0).dim[0].extent = form & scan_totals ? 1 : static_cast<std::int32_t>(m);
    for (std::int64_t o = 0; o < product(axes); ++o)
      for (std::int64_t v = 0; v < inner[3].extent; v += most[3])
        for (std::int64_t u = 0; u < inner[2].extent; u += most[2])
          for (std::int64_t t = 0; t < inner[1].extent; t += most[1]) {
            const std::int64_t first[4] = {0, t, u, v};
            for (std::size_t i = 0; i < arrays; ++i) {
              std::int64_t offset = offset_at(axes, i, o);
              for (int k = 1; k < 4; ++k) {
                offset += first[k] * inner[k].stride[i];
                buffer(i).dim[k].extent = static_cast<std::int32_t>(std::min(most[k], inner[k].extent - first[k]));
              }
              buffer(i).device = at[i] + static_cast<devices::address>(offset * item[i]);
            }
            block.parameter(1) = block.out(0).dim[1].extent;
            call_.context.call(entry, block.argv());
          }
    return true;
  }

  const KernelSpec& plain() const { return plain_; }
  const KernelSpec& joined() const { return joined_; }
  const KernelSpec& totals() const { return totals_; }

  /// sums[0], sums[0] (+) sums[1], ... one after the other, in place; `sums` of each row lie side by side.
  bool run_over(devices::address sums, std::int64_t rows, std::int64_t count) {
    const std::int64_t item = size_of(first_.operand_types[0]);
    for (std::int64_t begin = 0; begin < count; begin += scan_long_segment) {
      const std::int64_t m = std::min(scan_long_segment, count - begin);
      const devices::address at = sums + static_cast<devices::address>(begin * item);
      if (begin == 0) {
        if (!launch(first_, scan_long, {at, at}, {m, {1, 1}}, {{rows, {count, count}}}, m)) return false;
        continue;
      }
      const devices::address before = at - static_cast<devices::address>(item);
      if (!launch(seeded_, scan_long | scan_seeded, {at, before, at}, {m, {1, 0, 1}}, {{rows, {count, count, count}}}, m))
        return false;
    }
    return true;
  }

 private:
  KernelSpec plain_, joined_, totals_, first_, seeded_;
  const DeviceOpCall& call_;
};

bool is_integer(dtype_id type) { return dtype(type).kind() == 'i' || dtype(type).kind() == 'u'; }

/// Neighbours that are one axis for both arrays become one.
std::vector<Axis> merged(const std::vector<Axis>& axes) {
  std::vector<Axis> list;
  for (const Axis& axis : axes) {
    if (axis.extent == 1) continue;
    Axis* outer = list.empty() ? nullptr : &list.back();
    if (outer && outer->stride[0] == axis.stride[0] * axis.extent && outer->stride[1] == axis.stride[1] * axis.extent)
      *outer = {outer->extent * axis.extent, axis.stride};
    else
      list.push_back(axis);
  }
  return list;
}

}  // namespace

bool scan_lines(op_id join, const ScanTypes& types, devices::address from, devices::address to, const ScanLines& lines,
                const DeviceOpCall& call) {
  Scanner scanner(join, types, call);
  const Axis& k = lines.k;
  const std::vector<Axis> rest = merged(lines.rest);
  if (k.extent <= scan_segment) return scanner.launch(scanner.plain(), 0, {from, to}, k, rest, k.extent);
  const std::int64_t full = k.extent / scan_segment, left = k.extent % scan_segment, rows = product(rest);
  const std::int64_t sums = full - (left == 0 ? 1 : 0);  // nobody asks for the last one's
  const dtype_id type = types.in.back();
  const std::int64_t item = size_of(type);
  const devices::address before = call.context.scratch(static_cast<std::size_t>(rows * sums * item));
  // Rows and segments as the axes of a launch; the sums of a row lie side by side. Strides: input, sums, output.
  auto boxes = [&](std::int64_t count, bool with_sums, bool with_output) {
    std::vector<Axis> axes;
    std::int64_t step = rows * sums;
    auto add = [&](std::int64_t extent, std::int64_t in, std::int64_t middle, std::int64_t out) {
      Axis axis{extent, {in}};
      if (with_sums) axis.stride.push_back(middle);
      if (with_output) axis.stride.push_back(out);
      axes.push_back(std::move(axis));
    };
    for (const Axis& axis : rest) {
      step /= axis.extent;
      add(axis.extent, axis.stride[0], step, axis.stride[1]);
    }
    add(count, k.stride[0] * scan_segment, 1, k.stride[1] * scan_segment);
    // Columns that lie side by side stay innermost.
    if (axes.size() > 1 && std::llabs(k.stride[0]) > 1 && std::llabs(axes[axes.size() - 2].stride[0]) == 1)
      std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
    return axes;
  };
  auto element = [&](devices::address array, std::int64_t stride, std::int64_t segment, dtype_id of) {
    return array + static_cast<devices::address>(stride * segment * size_of(of));
  };
  if (!scanner.launch(scanner.totals(), scan_totals, {from, before}, {scan_segment, {k.stride[0], 0}}, boxes(sums, true, false),
                      scan_segment))
    return false;
  if (is_integer(type)) {  // any order gives the same
    const ScanLines inside{{sums, {1, 1}}, {{rows, {sums, sums}}}};
    if (!scan_lines(join, {{type}, {type}}, before, before, inside, call)) return false;
  } else if (!scanner.run_over(before, rows, sums)) {
    return false;
  }
  const dtype_id in_type = types.in.front(), out_type = types.out.back();
  if (!scanner.launch(scanner.plain(), 0, {from, to}, {scan_segment, {k.stride[0], k.stride[1]}}, rest, scan_segment))
    return false;
  const Axis along{scan_segment, {k.stride[0], 0, k.stride[1]}};
  const std::int64_t step_in = k.stride[0] * scan_segment, step_out = k.stride[1] * scan_segment;
  if (full > 1 &&
      !scanner.launch(scanner.joined(), 0, {element(from, step_in, 1, in_type), before, element(to, step_out, 1, out_type)},
                      along, boxes(full - 1, true, true), scan_segment))
    return false;
  return left == 0 || scanner.launch(scanner.joined(), 0,
                                     {element(from, step_in, full, in_type), element(before, 1, full - 1, type),
                                      element(to, step_out, full, out_type)},
                                     along, boxes(1, true, true), left);
}

ScanTypes scan_types(const op_loop& loop, dtype_id from, dtype_id result) {
  const dtype_id sum = loop.out == dtype_id::float16 ? dtype_id::float32 : loop.out;
  ScanTypes types{{from}, {}};
  for (dtype_id type : {loop.in[0], sum})
    if (types.in.back() != type) types.in.push_back(type);
  if (loop.out != sum || result == sum) types.out.push_back(loop.out);
  if (types.out.empty() || types.out.back() != result) types.out.push_back(result);
  return types;
}

bool run_scan_on(const DeviceOpCall& call) {
  const node* in = call.in[0];
  const node* result = call.result;
  if (result->size == 0) return true;
  const ScanTypes types = scan_types(info(call.op).loops[static_cast<std::size_t>(call.loop)], in->type, result->type);
  DeviceElements from = elements_of(in);
  const bool flat = layout::axis_of(call.params) == layout::none || in->rank == 0;
  if ((flat && !in->is(node::c_contiguous)) || numjit::detail::may_overlap(in, result)) {
    const devices::address memory = call.context.scratch(static_cast<std::size_t>(in->size * size_of(in->type)));
    const DeviceElements copy = packed_elements(memory, in->type, from.shape);
    if (!copy_on(from, copy, call)) return false;
    from = copy;
  }
  const DeviceElements to = elements_of(result);
  const std::int64_t in_item = size_of(in->type), out_item = size_of(result->type);
  ScanLines lines;
  if (flat) {
    lines.k = {in->size, {1, to.strides.size() ? to.strides[0] / out_item : 1}};
  } else {
    const int axis = normalize_axis(info(call.op).name, layout::axis_of(call.params), in->rank);
    for (int a = 0; a < in->rank; ++a) {
      if (from.strides[a] % in_item != 0 || to.strides[a] % out_item != 0) return false;
      const Axis line{from.shape[a], {from.strides[a] / in_item, to.strides[a] / out_item}};
      if (a == axis)
        lines.k = line;
      else
        lines.rest.push_back(line);
    }
  }
  return scan_lines(ufunc_of(call.op), types, address_of(from.place, false, call.context),
                    address_of(to.place, true, call.context), lines, call);
}

}  // namespace numjit::runtime::detail
