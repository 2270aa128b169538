// Reductions by the GPU schedules: by chunks, whose results are reduced again by the same kernels until one is left.
// Nothing comes to the host in between.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <numjit/runtime/gpu/device_launch.h>
#include <numjit/runtime/launch/reduce_nodes.h>

namespace numjit::runtime::detail {
namespace {

using graph::KernelNodeKind;
using graph::KernelSpec;

/// The reduction alone, of values that are chunk results.
KernelSpec reducing(const ReduceNode& r) {
  KernelSpec spec;
  spec.operand_types = {r.value_type};
  const auto loops = info(r.op).loops;
  auto loop = static_cast<std::size_t>(r.loop);
  for (std::size_t l = 0; l < loops.size(); ++l)
    if (loops[l].in[0] == r.value_type && loops[l].out == r.result_type) loop = l;
  spec.nodes = {{KernelNodeKind::operand, {}, 0, r.value_type, 0, {}},
                {KernelNodeKind::reduce, r.op, static_cast<std::uint8_t>(loop), r.result_type, 0, {0, 0, 0}}};
  spec.outputs = {1};
  spec.reduction_levels = 1;
  return spec;
}

/// Types of the template gpu_pick, which follows the numbers of chunks that won to the elements in them.
KernelSpec picking(dtype_id winners, dtype_id indices) {
  KernelSpec spec;
  spec.operand_types = {winners, indices};
  spec.nodes = {{KernelNodeKind::operand, {}, 0, winners, 0, {}},
                {KernelNodeKind::operand, {}, 0, indices, 1, {}},
                {KernelNodeKind::cast, {}, 0, dtype_id::int64, 0, {1, 0, 0}}};
  spec.outputs = {2};
  return spec;
}

/// One kernel of the templates gpu_rows, gpu_short_rows and gpu_panel over the axes k, p, q, and a loop over the rest.
class RowsKernel {
 public:
  /// `axes` without the reduced one, outermost first; `out_types` and their strides are those that are stored.
  bool prepare(const KernelSpec& spec, const Axis& k, std::vector<Axis> axes, const std::vector<dtype_id>& out_types,
               bool partial, std::int64_t steps, const std::string& target, KernelSource& kernels, bool plain = false) {
    spec_ = &spec;
    inputs_ = spec.operand_types.size();
    item_.clear();
    for (dtype_id type : spec.operand_types) item_.push_back(size_of(type));
    for (dtype_id type : out_types) item_.push_back(size_of(type));
    const std::vector<std::int64_t> still(item_.size(), 0);
    while (axes.size() < 2) axes.insert(axes.begin(), Axis{1, still});
    p_ = axes.back();
    q_ = axes[axes.size() - 2];
    axes.resize(axes.size() - 2);
    outer_ = std::move(axes);
    KernelVariant variant;
    variant.target = target;
    for (std::size_t i = 0; i < inputs_; ++i) variant.inner_stride.push_back(stride_class(k.stride[i], steps));
    std::vector<std::int64_t> reach(item_.size(), 0);
    if (reachable_extent(k, reach) < steps) return false;
    auto extend = [&](const Axis& axis, std::int64_t extent) {
      for (std::size_t i = 0; i < reach.size(); ++i) reach[i] += std::llabs(axis.stride[i]) * (extent - 1);
    };
    extend(k, steps);
    p_most_ = std::min(p_.extent, reachable_extent(p_, reach));
    extend(p_, p_most_);
    const auto find = [&](const Blocks& blocks) {
      variant.schedule = blocks.schedule;
      variant.size_class = blocks.size_class | (partial ? size_class_partial : size_class_whole);
      return kernels.find(spec, variant, &name);
    };
    if (!plain) entry_ = find(choose_blocks(k, steps));
    if (!entry_) entry_ = find(whole_blocks(k, steps));  // which a bundle may have where it lacks the other
    if (!entry_) return false;
    const bool columns = variant.schedule == "gpu_short_rows" && (variant.size_class & device_short_columns);
    q_most_ = std::min(q_.extent, reachable_extent(q_, reach));
    if (!columns) q_most_ = std::min(q_most_, most_blocks);
    schedule = variant.schedule;
    counts_rows_ = schedule == "gpu_panel" || (schedule == "gpu_rows" && (variant.size_class & device_several_rows));
    block_.init(spec.operand_types, spec.scalar_types, counts_rows_ ? 2 : 1, out_types, 3, 2);
    for (std::size_t i = 0; i < item_.size(); ++i) {
      kernel_buffer& b = buffer(i);
      int d = 0;
      if (i < inputs_) CallBlock::set_stride(b, d++, variant.inner_stride[i] == 1 ? 1 : k.stride[i]);
      CallBlock::set_stride(b, d++, p_most_ == 1 ? 0 : p_.stride[i]);
      CallBlock::set_stride(b, d, q_most_ == 1 ? 0 : q_.stride[i]);
    }
    return true;
  }

  /// `at`: first elements of the arrays. The kernel reduces `m` steps at each point; along its innermost axis it
  /// takes `count` points from `first` on.
  void run(const std::vector<devices::address>& at, const void* const* scalars, std::int64_t m, std::int64_t first,
           std::int64_t count, DeviceContext& context) {
    run_box(at, scalars, m, first, first + count, 0, q_.extent, context);
  }
  /// The same with the points of the next axis; of the innermost one, all `columns`.
  void run_second(const std::vector<devices::address>& at, const void* const* scalars, std::int64_t m, std::int64_t first,
                  std::int64_t count, std::int64_t columns, DeviceContext& context) {
    run_box(at, scalars, m, 0, columns, first, first + count, context);
  }

  std::string name, schedule;

 private:
  /// A schedule with the bits of its size class that shape its blocks.
  struct Blocks {
    std::string_view schedule;
    std::uint32_t size_class;
  };

  kernel_buffer& buffer(std::size_t i) {
    return i < inputs_ ? block_.in(static_cast<int>(i)) : block_.out(static_cast<int>(i - inputs_));
  }
  void run_box(const std::vector<devices::address>& at, const void* const* scalars, std::int64_t m, std::int64_t p0,
               std::int64_t p1, std::int64_t q0, std::int64_t q1, DeviceContext& context) {
    block_.set_scalars(*spec_, scalars);
    block_.parameter(0) = static_cast<std::int32_t>(m);
    const std::int64_t outer = product(outer_);
    for (std::int64_t o = 0; o < outer; ++o)
      for (std::int64_t q = q0; q < q1; q += q_most_)
        for (std::int64_t p = p0; p < p1; p += p_most_) {
          for (std::size_t i = 0; i < at.size(); ++i) {
            kernel_buffer& b = buffer(i);
            const std::int64_t offset = offset_at(outer_, i, o) + q * q_.stride[i] + p * p_.stride[i];
            b.device = at[i] + static_cast<devices::address>(offset * item_[i]);
            const int d = i < inputs_ ? 1 : 0;
            b.dim[d].extent = static_cast<std::int32_t>(std::min(p_most_, p1 - p));
            b.dim[d + 1].extent = static_cast<std::int32_t>(std::min(q_most_, q1 - q));
          }
          if (counts_rows_) block_.parameter(1) = static_cast<std::int32_t>(std::min(p_most_, p1 - p));
          context.call(entry_, block_.argv());
        }
  }
  /// Schedule of a block for each row, or for columns side by side: the same for any number and length of rows.
  Blocks whole_blocks(const Axis& k, std::int64_t steps) const {
    return {steps > 1 && is_panel(k, p_) ? "gpu_panel" : "gpu_rows", 0};
  }
  /// Schedule and shape of the blocks for rows of `steps` elements.
  Blocks choose_blocks(const Axis& k, std::int64_t steps) const {
    Blocks blocks = whole_blocks(k, steps);
    constexpr std::int64_t fewest_rows = 1 << 7, most_shared = 512;
    if (steps <= device_short_row && p_.extent * q_.extent >= fewest_rows) {
      blocks = {"gpu_short_rows", device_row_unit * std::bit_ceil(static_cast<std::uint32_t>(steps))};
      if (p_.extent < 32 && q_.extent >= 4 * p_.extent) blocks.size_class |= device_short_columns;
    } else if (blocks.schedule == "gpu_rows" && steps <= most_shared && p_.extent >= device_rows_of_block) {
      blocks.size_class = device_several_rows;
    }
    return blocks;
  }
  /// Columns side by side where the reduced axis is not the one that lies so.
  bool is_panel(const Axis& k, const Axis& p) const {
    int along_k = 0, along_p = 0;
    for (std::size_t i = 0; i < inputs_; ++i) {
      along_k += std::llabs(k.stride[i]) > 1;
      along_p += std::llabs(p.stride[i]) > 1;
    }
    return p.extent >= 16 && along_k > along_p;
  }

  const KernelSpec* spec_ = nullptr;
  std::size_t inputs_ = 0;
  std::vector<std::int64_t> item_;
  Axis p_, q_;
  std::vector<Axis> outer_;
  std::int64_t p_most_ = 1, q_most_ = 1;
  bool counts_rows_ = false;  // the kernel is told how many there are
  kernel_entry entry_ = nullptr;
  CallBlock block_;
};

/// Chunk results, `chunks` of each of `rows` results, reduced until one is left.
class Finish {
 public:
  bool prepare(const ReduceNode& r, std::int64_t rows, std::int64_t chunks, const std::string& target, KernelSource& kernels) {
    r_ = r;
    rows_ = rows;
    spec_ = std::make_unique<KernelSpec>(reducing(r));
    for (std::int64_t n = chunks;; n = made_of(n)) {
      levels_.push_back(std::make_unique<Level>());
      Level& level = *levels_.back();
      level.n = n;
      level.whole = n <= chunk_size;
      if (!prepare_level(level, target, kernels)) return false;
      if (r.is_arg && !prepare_pick(level, levels_.size() == 1, target, kernels)) return false;
      if (level.whole) return true;
    }
  }

  /// `values`, and for arg reductions `indices`, of all chunks; the results go to `to`, one after the other.
  void run(devices::address values, devices::address indices, devices::address to, DeviceContext& context) {
    for (const auto& pointer : levels_) {
      Level& level = *pointer;
      const std::int64_t made = level.whole ? 1 : made_of(level.n);
      auto room = [&](std::int64_t size) { return context.scratch(static_cast<std::size_t>(rows_ * made * size)); };
      if (level.whole) {
        // An arg reduction gives the number of the chunk that wins.
        const devices::address result = r_.is_arg ? room(8) : to;
        level.kernel.run({values, result}, nullptr, level.n, 0, rows_, context);
        if (r_.is_arg) pick(level, result, indices, to, made, context);
        return;
      }
      std::vector<devices::address> at{values, room(size_of(r_.value_type))};
      if (r_.is_arg) at.push_back(room(4));
      const std::int64_t full = level.n / chunk_size, rest = level.n % chunk_size;
      if (full > 0) level.kernel.run(at, nullptr, chunk_size, 0, full, context);
      if (rest > 0) level.kernel.run(at, nullptr, rest, full, 1, context);
      values = at[1];
      if (!r_.is_arg) continue;
      const devices::address combined = room(8);
      pick(level, at[2], indices, combined, made, context);
      indices = combined;
    }
  }

 private:
  struct Level {
    std::int64_t n = 0;  // values of a row
    bool whole = false, first = false;
    RowsKernel kernel;
    KernelSpec pick_spec;
    kernel_entry pick = nullptr;
  };

  static std::int64_t made_of(std::int64_t n) { return (n + chunk_size - 1) / chunk_size; }

  bool prepare_level(Level& level, const std::string& target, KernelSource& kernels) {
    const std::int64_t made = made_of(level.n);
    std::vector<dtype_id> out{level.whole ? r_.result_type : r_.value_type};
    if (!level.whole && r_.is_arg) out.push_back(dtype_id::int32);
    Axis k{level.n, {1}}, row{rows_, {level.n}}, chunk{made, {chunk_size}};
    for (std::size_t i = 0; i < out.size(); ++i) {
      k.stride.push_back(0);
      row.stride.push_back(level.whole ? 1 : made);
      chunk.stride.push_back(1);
    }
    std::vector<Axis> axes = level.whole ? std::vector<Axis>{row} : std::vector<Axis>{row, chunk};
    // There are few, and their number depends on that of the elements: the kernel does not.
    return level.kernel.prepare(*spec_, k, std::move(axes), out, !level.whole, std::min(level.n, chunk_size), target, kernels,
                                true);
  }

  bool prepare_pick(Level& level, bool first, const std::string& target, KernelSource& kernels) {
    level.first = first;
    level.pick_spec = picking(level.whole ? dtype_id::int64 : dtype_id::int32, first ? dtype_id::int32 : dtype_id::int64);
    KernelVariant variant;
    variant.schedule = "gpu_pick";
    variant.target = target;
    variant.inner_stride = {1, 1, 1};
    level.pick = kernels.find(level.pick_spec, variant, nullptr);
    return level.pick != nullptr;
  }

  // to[row, g] = indices[row, c] + 1024 * c with c = 1024 * g + winners[row, g]; indices that were made here count
  // from the row's start already.
  void pick(Level& level, devices::address winners, devices::address indices, devices::address to, std::int64_t made,
            DeviceContext& context) const {
    CallBlock block;
    block.init(level.pick_spec.operand_types, {}, 1, {dtype_id::int64}, 2, 2);
    block.parameter(0) = static_cast<std::int32_t>(level.first ? chunk_size : 0);
    auto set = [&](kernel_buffer& b, devices::address at, std::int64_t n) {
      b.device = at;
      CallBlock::set_stride(b, 0, 1);
      CallBlock::set_stride(b, 1, n);
      b.dim[0].extent = static_cast<std::int32_t>(n);
      b.dim[1].extent = static_cast<std::int32_t>(rows_);
    };
    set(block.in(0), winners, made);
    set(block.in(1), indices, level.n);
    set(block.out(0), to, made);
    // Rows lie along the second axis of blocks.
    for (std::int64_t row = 0; row < rows_; row += most_blocks) {
      const std::int64_t count = std::min(most_blocks, rows_ - row);
      block.in(0).device = winners + static_cast<devices::address>(row * made * size_of(level.pick_spec.operand_types[0]));
      block.in(1).device = indices + static_cast<devices::address>(row * level.n * size_of(level.pick_spec.operand_types[1]));
      block.out(0).device = to + static_cast<devices::address>(row * made * 8);
      block.out(0).dim[1].extent = static_cast<std::int32_t>(count);
      context.call(level.pick, block.argv());
    }
  }

  ReduceNode r_{};
  std::int64_t rows_ = 0;
  std::unique_ptr<KernelSpec> spec_;
  std::vector<std::unique_ptr<Level>> levels_;
};

/// A reduction over one axis.
class Reduce final : public DevicePlan {
 public:
  Reduce(const KernelSpec& spec, const Space& space)
      : spec_(spec),
        inputs_(spec.operand_types.size()),
        item_(item_sizes(spec)),
        offset_(space.offset),
        k_(space.reduced[0]),
        rest_(space.axes),
        reductions_(reduce_nodes(spec)) {
    bytes = bytes_moved(spec, space);
  }

  bool prepare(const std::string& target, KernelSource& kernels) {
    if (k_.extent == 0) return false;
    whole_ = k_.extent <= chunk_size;
    if (whole_) {
      if (!kernel_.prepare(spec_, k_, rest_, output_types(spec_), false, k_.extent, target, kernels)) return false;
    } else if (!prepare_chunks(target, kernels)) {
      return false;
    }
    kernel = kernel_.name;
    schedule = kernel_.schedule;
    return true;
  }

  void run(const std::vector<DevicePlace>& arrays, const void* const* scalars, DeviceContext& context) override {
    std::vector<devices::address> at;
    for (std::size_t i = 0; i < (whole_ ? arrays.size() : inputs_); ++i) at.push_back(start(arrays, i, context));
    if (whole_) {
      const std::int64_t along = rest_.empty() ? 1 : rest_.back().extent;
      kernel_.run(at, scalars, k_.extent, 0, along, context);
      return;
    }
    const std::int64_t rows = product(rest_);
    for (const ReduceNode& r : reductions_) {
      at.push_back(context.scratch(static_cast<std::size_t>(rows * chunks_ * size_of(r.value_type))));
      if (r.is_arg) at.push_back(context.scratch(static_cast<std::size_t>(rows * chunks_ * 4)));
    }
    const std::int64_t full = k_.extent / chunk_size, left = k_.extent % chunk_size;
    run_chunks(at, scalars, full, left, context);
    std::vector<devices::address> results;
    std::size_t buffer = inputs_;
    for (std::size_t i = 0; i < reductions_.size(); ++i) {
      const ReduceNode& r = reductions_[i];
      results.push_back(context.scratch(static_cast<std::size_t>(rows * size_of(r.result_type))));
      const devices::address values = at[buffer], indices = r.is_arg ? at[buffer + 1] : 0;
      finish_[i]->run(values, indices, results.back(), context);
      buffer += r.is_arg ? 2 : 1;
    }
    finish_outputs(arrays, scalars, results, context);
  }

 private:
  devices::address start(const std::vector<DevicePlace>& arrays, std::size_t i, DeviceContext& context) const {
    DevicePlace place = arrays[i];
    if (place.host)
      place.host += offset_[i] * item_[i];
    else
      place.memory += static_cast<devices::address>(offset_[i] * item_[i]);
    return address_of(place, i >= inputs_, context);
  }

  // The rest axes and the chunks; results of a row's chunks lie side by side.
  bool prepare_chunks(const std::string& target, KernelSource& kernels) {
    chunks_ = (k_.extent + chunk_size - 1) / chunk_size;
    std::vector<dtype_id> out;
    for (const ReduceNode& r : reductions_) {
      out.push_back(r.value_type);
      if (r.is_arg) out.push_back(dtype_id::int32);
    }
    auto inputs_of = [&](const Axis& axis, std::int64_t extent, std::int64_t times, std::int64_t step) {
      Axis a{extent, {}};
      for (std::size_t i = 0; i < inputs_; ++i) a.stride.push_back(axis.stride[i] * times);
      for (std::size_t i = 0; i < out.size(); ++i) a.stride.push_back(step);
      return a;
    };
    std::vector<Axis> axes;
    std::int64_t step = product(rest_) * chunks_;
    for (const Axis& axis : rest_) {
      step /= axis.extent;
      axes.push_back(inputs_of(axis, axis.extent, 1, step));
    }
    chunk_axis_ = inputs_of(k_, chunks_, chunk_size, 1);
    const Axis k = inputs_of(k_, k_.extent, 1, 0);
    // Columns side by side stay innermost; then the chunks are the next axis.
    columns_inside_ = !axes.empty() && axes.back().extent >= 16 && is_contiguous(axes.back()) && !is_contiguous(k);
    axes.insert(columns_inside_ ? axes.end() - 1 : axes.end(), chunk_axis_);
    axes_ = axes;
    if (!kernel_.prepare(spec_, k, axes, out, true, chunk_size, target, kernels)) return false;
    for (const ReduceNode& r : reductions_) {
      finish_.push_back(std::make_unique<Finish>());
      if (!finish_.back()->prepare(r, product(rest_), chunks_, target, kernels)) return false;
    }
    return prepare_outputs(target, kernels);
  }

  bool is_contiguous(const Axis& axis) const {
    for (std::size_t i = 0; i < inputs_; ++i)
      if (std::llabs(axis.stride[i]) > 1) return false;
    return true;
  }

  // Full chunks have 1024 steps, the last one what is left.
  void run_chunks(const std::vector<devices::address>& at, const void* const* scalars, std::int64_t full, std::int64_t left,
                  DeviceContext& context) {
    if (!columns_inside_) {
      if (full > 0) kernel_.run(at, scalars, chunk_size, 0, full, context);
      if (left > 0) kernel_.run(at, scalars, left, full, 1, context);
      return;
    }
    const std::int64_t columns = axes_.back().extent;
    if (full > 0) kernel_.run_second(at, scalars, chunk_size, 0, full, columns, context);
    if (left > 0) kernel_.run_second(at, scalars, left, full, 1, columns, context);
  }

  // Results go to the outputs as they are, or through the ops after the reductions.
  bool prepare_outputs(const std::string& target, KernelSource& kernels) {
    bool plain = true;
    for (std::uint16_t output : spec_.outputs) {
      source_.push_back(-1);
      for (std::size_t r = 0; r < reductions_.size(); ++r)
        if (reductions_[r].node == output) source_.back() = static_cast<int>(r);
      plain = plain && source_.back() >= 0;
    }
    through_ops_ = !plain;
    if (!plain) {
      std::vector<std::uint16_t> cuts;
      for (const ReduceNode& r : reductions_) cuts.push_back(r.node);
      after_.push_back(std::make_unique<KernelSpec>(extract_spec(spec_, spec_.outputs, cuts, operands_)));
      std::vector<int> sources;
      for (int operand : operands_) sources.push_back(operand < 0 ? -1 : operand);
      for (std::size_t i = 0; i < spec_.outputs.size(); ++i) sources.push_back(static_cast<int>(inputs_ + i));
      plans_.push_back(plan_elementwise_on(*after_[0], space_over(rest_, offset_, sources), target, kernels));
      return plans_[0] != nullptr;
    }
    for (std::size_t i = 0; i < spec_.outputs.size(); ++i) {
      after_.push_back(std::make_unique<KernelSpec>(copying(spec_.nodes[spec_.outputs[i]].type)));
      plans_.push_back(
          plan_elementwise_on(*after_[i], space_over(rest_, offset_, {-1, static_cast<int>(inputs_ + i)}), target, kernels));
      if (!plans_.back()) return false;
    }
    return true;
  }

  void finish_outputs(const std::vector<DevicePlace>& arrays, const void* const* scalars,
                      const std::vector<devices::address>& results, DeviceContext& context) {
    if (through_ops_) {
      std::vector<DevicePlace> places;
      for (int operand : operands_)
        places.push_back(operand < 0 ? DevicePlace{nullptr, results[static_cast<std::size_t>(-1 - operand)]}
                                     : arrays[static_cast<std::size_t>(operand)]);
      for (std::size_t i = 0; i < spec_.outputs.size(); ++i) places.push_back(arrays[inputs_ + i]);
      plans_[0]->run(places, scalars, context);
      return;
    }
    for (std::size_t i = 0; i < spec_.outputs.size(); ++i)
      plans_[i]->run({{nullptr, results[static_cast<std::size_t>(source_[i])]}, arrays[inputs_ + i]}, nullptr, context);
  }

  const KernelSpec& spec_;
  std::size_t inputs_;
  std::vector<std::int64_t> item_, offset_;
  Axis k_;
  std::vector<Axis> rest_, axes_;
  std::vector<ReduceNode> reductions_;
  bool whole_ = true, columns_inside_ = false, through_ops_ = false;
  std::int64_t chunks_ = 0;
  Axis chunk_axis_;
  RowsKernel kernel_;
  std::vector<std::unique_ptr<Finish>> finish_;
  std::vector<int> source_, operands_;
  std::vector<std::unique_ptr<KernelSpec>> after_;
  std::vector<std::unique_ptr<DevicePlan>> plans_;
};

}  // namespace

std::unique_ptr<DevicePlan> plan_reduce_on(const KernelSpec& spec, const Space& space, const std::string& target,
                                           KernelSource& kernels) {
  return prepared<Reduce>(spec, space, target, kernels);
}

namespace {

// ---- two reductions, one inside the other ----------------------------------------------------------

/// The inner one goes to scratch, the outer one reads it.
class Nested final : public DevicePlan {
 public:
  Nested(const KernelSpec& spec, const Space& space) : spec_(spec), inputs_(spec.operand_types.size()), item_(item_sizes(spec)) {
    for (std::size_t i = 0; i < spec.nodes.size(); ++i)
      if (spec.nodes[i].kind == KernelNodeKind::reduce && spec.nodes[i].index == 0)
        cuts_.push_back(static_cast<std::uint16_t>(i));
    inner_ = extract_spec(spec, cuts_, {}, inner_sources_);
    outer_ = extract_spec(spec, spec.outputs, cuts_, outer_sources_);
    axes_ = space.axes;
    axes_.push_back(space.reduced[1]);
    offset_ = space.offset;
    k_ = space.reduced[0];
    points_ = product(axes_);
    bytes = bytes_moved(spec, space);
  }

  bool prepare(const std::string& target, KernelSource& kernels) {
    std::vector<int> sources = inner_sources_;
    for (std::size_t i = 0; i < cuts_.size(); ++i) sources.push_back(-1);
    Space inside = space_over(axes_, offset_, sources);
    inside.reduced[0].extent = k_.extent;
    for (int s : sources) inside.reduced[0].stride.push_back(s < 0 ? 0 : k_.stride[static_cast<std::size_t>(s)]);
    first_ = plan_reduce_on(inner_, inside, target, kernels);
    if (!first_) return false;
    sources.clear();
    for (int s : outer_sources_) sources.push_back(s < 0 ? -1 : s);
    for (std::size_t i = 0; i < spec_.outputs.size(); ++i) sources.push_back(static_cast<int>(inputs_ + i));
    Space outside = space_over(axes_, offset_, sources);
    outside.reduced[0] = std::move(outside.axes.back());
    outside.axes.pop_back();
    outside.points = product(outside.axes);
    for (std::size_t i = outer_sources_.size(); i < sources.size(); ++i) outside.reduced[0].stride[i] = 0;
    second_ = plan_reduce_on(outer_, outside, target, kernels);
    if (!second_) return false;
    kernel = second_->kernel;
    schedule = "gpu nested reductions";
    return true;
  }

  void run(const std::vector<DevicePlace>& arrays, const void* const* scalars, DeviceContext& context) override {
    std::vector<DevicePlace> places, between;
    for (std::uint16_t cut : cuts_)
      between.push_back({nullptr, context.scratch(static_cast<std::size_t>(points_ * size_of(spec_.nodes[cut].type)))});
    for (int s : inner_sources_) places.push_back(arrays[static_cast<std::size_t>(s)]);
    places.insert(places.end(), between.begin(), between.end());
    first_->run(places, scalars, context);
    places.clear();
    for (int s : outer_sources_)
      places.push_back(s < 0 ? between[static_cast<std::size_t>(-1 - s)] : arrays[static_cast<std::size_t>(s)]);
    for (std::size_t i = inputs_; i < arrays.size(); ++i) places.push_back(arrays[i]);
    second_->run(places, scalars, context);
  }

 private:
  const KernelSpec& spec_;
  std::size_t inputs_;
  std::vector<std::int64_t> item_, offset_;
  std::vector<std::uint16_t> cuts_;
  std::vector<int> inner_sources_, outer_sources_;
  KernelSpec inner_, outer_;
  std::vector<Axis> axes_;
  Axis k_;
  std::int64_t points_ = 1;
  std::unique_ptr<DevicePlan> first_, second_;
};

}  // namespace

std::unique_ptr<DevicePlan> plan_nested_on(const KernelSpec& spec, const Space& space, const std::string& target,
                                           KernelSource& kernels) {
  return prepared<Nested>(spec, space, target, kernels);
}

}  // namespace numjit::runtime::detail
