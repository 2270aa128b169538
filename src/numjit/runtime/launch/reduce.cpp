// Reduction launches over one axis: rows (the reduced axis is the contiguous one) or panels (another is).
// Axes longer than a chunk give chunk results to scratch, which finish.cpp combines.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <numjit/base/thread_pool.h>
#include <numjit/runtime/launch/finish.h>
#include <numjit/runtime/launch/launch.h>
#include <numjit/runtime/launch/reduce_nodes.h>

namespace numjit::runtime::detail {
namespace {

using graph::KernelSpec;

/// A kernel axis whose last step may differ from the others (a shorter tile or chunk).
struct SplitAxis : Axis {
  std::int64_t full = 1;  // steps before the odd one
};

std::int64_t product(const std::vector<Axis>& axes) {
  std::int64_t n = 1;
  for (const Axis& axis : axes) n *= axis.extent;
  return n;
}

/// Columns that a panel is worth its lanes in memory for. Halide's vectors leave out what is not there; a page's kernels go
/// element by element.
#ifdef __wasm__
constexpr std::int64_t least_columns = 4;
#else
constexpr std::int64_t least_columns = 1;
#endif

class ReducePlan final : public LaunchPlan {
 public:
  ReducePlan(const KernelSpec& spec, const Space& space)
      : spec_(spec),
        inputs_(spec.operand_types.size()),
        reductions_(reduce_nodes(spec)),
        item_(item_sizes(spec)),
        offset_(space.offset),
        n_(space.reduced[0].extent),
        whole_(n_ >= 1 && n_ <= chunk_size),
        rest_(space.axes) {
    choose_template(space.reduced[0]);
    if (whole_) {
      out_types_ = output_types(spec);
    } else {
      chunks_ = (n_ + chunk_size - 1) / chunk_size;
      for (const ReduceNode& r : reductions_) {
        out_types_.push_back(r.value_type);
        if (r.is_arg) out_types_.push_back(dtype_id::int32);
      }
    }
    for (dtype_id type : out_types_) out_item_.push_back(static_cast<std::int64_t>(dtype(type).itemsize()));
    lay_out(space.reduced[0]);
    estimate_ns_ = 15 + ns_per_point(spec) * static_cast<double>(space.points) * static_cast<double>(n_);
    bytes = bytes_moved(spec, space);
  }

  bool prepare(KernelSource& kernels) {
    if (n_ > 0 && !prepare_kernel(kernels)) return false;
    if (whole_) return true;
    const std::int64_t results = product(result_axes_);
    for (const ReduceNode& r : reductions_) results_.emplace_back(static_cast<std::size_t>(results * r.result_size()));
    for (std::int64_t size : out_item_)
      scratch_.emplace_back(static_cast<std::size_t>(results * std::max<std::int64_t>(chunks_, 1) * size));
    return after_.prepare(spec_, reductions_, result_axes_, offset_, kernels);
  }

  const DirectKernel* direct() const override { return kernel_.entry ? &kernel_ : nullptr; }

  void run(const Launch& launch) override {
    if (n_ > 0) run_kernel(launch);
    if (!whole_) finish_chunks(launch);
  }

  std::int64_t chunks() const override {
    // Units are chunks, or the tiles of one chunk after the other.
    const bool in_order = outer_count_ == 1 && (panel_ || q_.extent == 1);
    return !whole_ && in_order ? chunks_ : 0;
  }
  void begin_chunks(const Launch& launch) override { block_.set_scalars(spec_, launch.scalars); }
  void run_chunks(const Launch& launch, std::int64_t from, std::int64_t to) override {
    const std::int64_t tiles = panel_ ? p_.extent : 1;
    run_units(launch, from * tiles, to * tiles);
  }

  void finish_chunks(const Launch& launch) override {
    for (std::size_t i = 0, buffer = 0; i < reductions_.size(); ++i) {
      const ReduceNode& r = reductions_[i];
      Partials partials;
      partials.chunks = chunks_;
      partials.width = panel_ ? x_.extent : 1;
      partials.chunk_step = partials.width;
      const std::int64_t rows = product(result_axes_) / partials.width;
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::int64_t at = row * chunks_ * partials.width;
        partials.values = scratch_[buffer].data() + at * r.value_size();
        if (r.is_arg) partials.indices = reinterpret_cast<const std::int32_t*>(scratch_[buffer + 1].data()) + at;
        finish_reduction(r.op, r.loop, partials, results_[i].data() + row * partials.width * r.result_size());
      }
      buffer += r.is_arg ? 2 : 1;
    }
    after_.run(launch, results_);
  }

 private:
  /// The ops after the reduction, for results that were finished here.
  class After {
   public:
    bool prepare(const KernelSpec& spec, const std::vector<ReduceNode>& reductions, const std::vector<Axis>& axes,
                 const std::vector<std::int64_t>& offset, KernelSource& kernels);
    void run(const Launch& launch, std::vector<std::vector<char>>& results);

   private:
    void copy_out(const Launch& launch, std::size_t output, const char* from) const;

    const KernelSpec* spec_ = nullptr;
    const std::vector<Axis>* axes_ = nullptr;
    const std::vector<std::int64_t>* offset_ = nullptr;
    std::vector<int> source_;          // per output: index of the reduction it is, or -1
    std::unique_ptr<KernelSpec> ops_;  // spec of the remaining ops; null if there are none
    std::vector<int> operands_;        // of ops_: spec operand, or -1 - reduction
    std::unique_ptr<LaunchPlan> plan_;
  };

  /// Panels run along another axis than the reduced one: better where that one is contiguous.
  void choose_template(const Axis& reduced) {
    auto cost = [&](const Axis& axis) {
      std::pair<int, std::int64_t> c{0, 0};
      for (std::size_t i = 0; i < inputs_; ++i) {
        c.first += stride_class(axis.stride[i], 2) == 2;
        c.second += std::llabs(axis.stride[i]);
      }
      return c;
    };
    if (n_ <= 1) return;
    auto take = [&](std::size_t a) {
      x_ = rest_[a];
      x_at_ = a;
      panel_ = true;
    };
    auto best = cost(reduced);
    for (std::size_t a = rest_.size(); a-- > 0;)
      if (auto c = cost(rest_[a]); c < best && best.first > 0 && (rest_[a].extent >= least_columns || n_ < chunk_lanes)) {
        best = c;
        take(a);
      }
    // Of a short row most lanes are empty: many of them side by side fill a vector.
    const bool extrema = std::all_of(reductions_.begin(), reductions_.end(),
                                     [](const ReduceNode& r) { return r.op == op_id::max || r.op == op_id::min; });
    if (!panel_ && n_ <= (extrema ? 8 : 4) && !rest_.empty() && rest_.back().extent >= 64) take(rest_.size() - 1);
    if (panel_) rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(x_at_));
  }

  /// An axis of the kernel: the inputs' strides, then the outputs' (scratch: `step`).
  Axis kernel_axis(const Axis& axis, std::int64_t step) const {
    Axis a;
    a.extent = axis.extent;
    a.stride.assign(axis.stride.begin(), axis.stride.begin() + static_cast<std::ptrdiff_t>(inputs_));
    for (std::size_t i = 0; i < out_item_.size(); ++i) a.stride.push_back(whole_ ? axis.stride[inputs_ + i] : step);
    return a;
  }

  Axis no_axis() const { return {1, std::vector<std::int64_t>(item_.size(), 0)}; }

  Axis take_last(std::vector<Axis>& axes) const {
    if (axes.empty()) return no_axis();
    Axis axis = std::move(axes.back());
    axes.pop_back();
    return axis;
  }

  /// Axis `axis` cut into tiles of `tile` elements; its step in scratch is `step` elements.
  SplitAxis tiles_of(const Axis& axis, std::int64_t tile, std::int64_t step) const {
    SplitAxis tiles;
    static_cast<Axis&>(tiles) = kernel_axis(axis, 0);
    for (std::size_t i = 0; i < tiles.stride.size(); ++i) tiles.stride[i] = i < inputs_ || whole_ ? tiles.stride[i] * tile : step;
    tiles.extent = (axis.extent + tile - 1) / tile;
    tiles.full = axis.extent / tile;
    return tiles;
  }

  /// Gives the kernel's axes their meaning. Results (and scratch) lie in the order of result_axes_.
  void lay_out(const Axis& reduced) {
    result_axes_ = rest_;
    if (panel_) result_axes_.push_back(x_);
    std::vector<Axis> rest = rest_;
    const Axis plain_x = panel_ ? x_ : no_axis();
    const std::int64_t width = plain_x.extent;
    const std::int64_t row = width * std::max<std::int64_t>(chunks_, 1);  // scratch of one result row
    Axis chunked = reduced;                                               // outputs do not vary along it
    std::int64_t step = row;
    auto split = [](Axis axis) {
      SplitAxis s;
      static_cast<Axis&>(s) = std::move(axis);
      s.full = s.extent;
      return s;
    };
    k_ = kernel_axis(reduced, 0);
    if (panel_) {
      std::int64_t widest = 1;
      for (const ReduceNode& r : reductions_) widest = std::max(widest, r.value_size());
      tile_ = panel_columns(widest);
      x_kernel_ = kernel_axis(plain_x, 1);
      p_ = tiles_of(plain_x, tile_, tile_);
      if (whole_) {
        Axis last = take_last(rest);
        q_ = split(kernel_axis(last, step));
      } else {
        q_ = tiles_of(chunked, chunk_size, width);
      }
    } else if (whole_) {
      p_ = split(kernel_axis(take_last(rest), 0));
      q_ = split(kernel_axis(take_last(rest), 0));
    } else {
      p_ = tiles_of(chunked, chunk_size, 1);
      Axis last = take_last(rest);
      q_ = split(kernel_axis(last, step));
      step *= last.extent;
    }
    for (std::size_t a = rest.size(); a-- > 0; step *= rest[a].extent) outer_.insert(outer_.begin(), kernel_axis(rest[a], step));
    outer_count_ = product(outer_);
    if (!panel_) x_ = no_axis();
  }

  bool prepare_kernel(KernelSource& kernels) {
    KernelVariant variant;
    variant.schedule = panel_ ? "panel" : "rows";
    variant.size_class = whole_ ? size_class_whole : size_class_partial;
    const Axis& inner = panel_ ? x_kernel_ : k_;
    for (std::size_t i = 0; i < inputs_; ++i) variant.inner_stride.push_back(stride_class(inner.stride[i], inner.extent));
    if (panel_ && whole_)
      for (std::size_t i = inputs_; i < inner.stride.size(); ++i) variant.inner_stride.push_back(inner.stride[i] == 1 ? 1 : 2);

    // What the kernel counts in 32 bits must suffice.
    const std::int64_t steps = std::min(n_, chunk_size);
    std::vector<std::int64_t> reach(k_.stride.size(), 0);
    if (reachable_extent(k_, reach) < steps) return false;
    auto extend = [&](const Axis& axis, std::int64_t extent) {
      for (std::size_t i = 0; i < reach.size(); ++i) reach[i] += std::llabs(axis.stride[i]) * (extent - 1);
    };
    extend(k_, steps);
    if (panel_) {
      if (reachable_extent(x_kernel_, reach) < tile_) return false;
      extend(x_kernel_, tile_);
    }
    p_most_ = std::min(p_.extent, reachable_extent(p_, reach));
    extend(p_, p_most_);
    q_most_ = std::min(q_.extent, reachable_extent(q_, reach));

    entry_ = kernels.find(spec_, variant, &kernel);
    if (!entry_) return false;
    schedule = panel_ ? "panel" : "rows";
    fill_block(variant);
    direct_ = whole_ && outer_count_ == 1 && p_.full == p_.extent && p_most_ == p_.extent && q_most_ == q_.extent &&
              estimate_ns_ < numjit::detail::parallel_from_ns;
    if (direct_) {
      set_extents(block_, panel_ ? std::min(x_.extent, tile_) : 1, p_.extent, q_.extent, n_);
      make_direct();
    }
    return true;
  }

  void make_direct() {
    kernel_.entry = entry_;
    kernel_.argv = block_.argv();
    for (std::size_t i = 0; i < item_.size(); ++i) {
      kernel_.buffers.push_back(i < inputs_ ? &block_.in(static_cast<int>(i)) : &block_.out(static_cast<int>(i - inputs_)));
      kernel_.start_bytes.push_back(offset_[i] * item_[i]);
    }
  }

  void fill_block(const KernelVariant& variant) {
    const int axes_in = panel_ ? 4 : 3, axes_out = panel_ ? 3 : 2;
    block_.init(spec_.operand_types, spec_.scalar_types, 1, out_types_, axes_in, axes_out);
    for (std::size_t i = 0; i < inputs_ + out_item_.size(); ++i) {
      const bool input = i < inputs_;
      kernel_buffer& buffer = input ? block_.in(static_cast<int>(i)) : block_.out(static_cast<int>(i - inputs_));
      std::vector<std::int64_t> strides;
      if (panel_) strides.push_back(x_kernel_.stride[i]);
      if (input) strides.push_back(k_.stride[i]);
      strides.push_back(p_most_ == 1 ? 0 : p_.stride[i]);
      strides.push_back(q_most_ == 1 ? 0 : q_.stride[i]);
      if (i < variant.inner_stride.size() && variant.inner_stride[i] == 1) strides[0] = 1;
      for (std::size_t d = 0; d < strides.size(); ++d) CallBlock::set_stride(buffer, static_cast<int>(d), strides[d]);
    }
  }

  void set_extents(CallBlock& block, std::int64_t x, std::int64_t np, std::int64_t nq, std::int64_t m) const {
    const int first = panel_ ? 1 : 0;
    for (int i = 0; i < static_cast<int>(out_item_.size()); ++i) {
      kernel_dim* dim = block.out(i).dim;
      if (panel_) dim[0].extent = static_cast<std::int32_t>(x);
      dim[first].extent = static_cast<std::int32_t>(np);
      dim[first + 1].extent = static_cast<std::int32_t>(nq);
    }
    block.parameter(0) = static_cast<std::int32_t>(m);
  }

  char* base_of(const Launch& launch, std::size_t i) {
    if (i < inputs_ || whole_) return launch.operands[i].data + offset_[i] * item_[i];
    return scratch_[i - inputs_].data();
  }

  void set_hosts(CallBlock& block, const Launch& launch, std::int64_t outer, std::int64_t p, std::int64_t q) {
    for (std::size_t i = 0; i < inputs_ + out_item_.size(); ++i) {
      std::int64_t at = p * p_.stride[i] + q * q_.stride[i];
      std::int64_t left = outer;
      for (std::size_t a = outer_.size(); a-- > 0; left /= outer_[a].extent) at += left % outer_[a].extent * outer_[a].stride[i];
      char* host = base_of(launch, i) + at * (i < inputs_ ? item_[i] : out_item_[i - inputs_]);
      (i < inputs_ ? block.in(static_cast<int>(i)) : block.out(static_cast<int>(i - inputs_))).host = host;
    }
  }

  void run_kernel(const Launch& launch) {
    block_.set_scalars(spec_, launch.scalars);
    if (direct_) {
      for (std::size_t i = 0; i < inputs_; ++i) block_.in(static_cast<int>(i)).host = base_of(launch, i);
      for (std::size_t i = inputs_; i < item_.size(); ++i) block_.out(static_cast<int>(i - inputs_)).host = base_of(launch, i);
      entry_(block_.argv());
      return;
    }
    const std::int64_t units = outer_count_ * q_.extent * p_.extent;
    const std::int64_t unit_points = std::min(n_, chunk_size) * (panel_ ? std::min(tile_, x_.extent) : 1);
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / unit_points);
    numjit::detail::parallel_plain_ranges(units, grain, estimate_ns_,
                                          [&](std::int64_t from, std::int64_t to) { run_units(launch, from, to); });
  }

  void run_units(const Launch& launch, std::int64_t from, std::int64_t to) {
    BlockCopy copy(block_);
    while (from < to) from += run_some(copy.block, launch, from, to);
  }

  /// Runs a rectangle at the start of units [from, to); returns how many units it had.
  std::int64_t run_some(CallBlock& block, const Launch& launch, std::int64_t from, std::int64_t to) {
    const std::int64_t p = from % p_.extent, q = from / p_.extent % q_.extent;
    const std::int64_t outer = from / (p_.extent * q_.extent);
    std::int64_t np = std::min(to - from, p_.extent - p), nq = 1;
    if (p == 0 && np == p_.extent) nq = std::min((to - from) / p_.extent, q_.extent - q);
    for (std::int64_t q0 = q; q0 < q + nq;) {
      const std::int64_t q1 = q0 < q_.full ? std::min({q + nq, q_.full, q0 + q_most_}) : q + nq;
      for (std::int64_t p0 = p; p0 < p + np;) {
        const std::int64_t p1 = p0 < p_.full ? std::min({p + np, p_.full, p0 + p_most_}) : p + np;
        const bool odd_p = p0 >= p_.full, odd_q = q0 >= q_.full;
        std::int64_t x = panel_ ? (odd_p ? x_.extent % tile_ : tile_) : 1;
        std::int64_t m = whole_ ? n_ : (panel_ ? odd_q : odd_p) ? n_ % chunk_size : chunk_size;
        set_extents(block, x, p1 - p0, q1 - q0, m);
        set_hosts(block, launch, outer, p0, q0);
        entry_(block.argv());
        p0 = p1;
      }
      q0 = q1;
    }
    return np * nq;
  }

  const KernelSpec& spec_;
  std::size_t inputs_;
  std::vector<ReduceNode> reductions_;
  std::vector<std::int64_t> item_, offset_, out_item_;
  std::vector<dtype_id> out_types_;
  std::int64_t n_;
  bool whole_, panel_ = false, direct_ = false;
  std::int64_t chunks_ = 0, tile_ = 1, outer_count_ = 1, p_most_ = 1, q_most_ = 1;
  std::vector<Axis> rest_;
  Axis x_;
  std::size_t x_at_ = 0;
  Axis x_kernel_, k_;
  SplitAxis p_, q_;
  std::vector<Axis> outer_;
  std::vector<Axis> result_axes_;
  std::vector<std::vector<char>> scratch_, results_;
  double estimate_ns_ = 0;
  kernel_entry entry_ = nullptr;
  CallBlock block_;
  DirectKernel kernel_;
  After after_;
};

bool ReducePlan::After::prepare(const KernelSpec& spec, const std::vector<ReduceNode>& reductions, const std::vector<Axis>& axes,
                                const std::vector<std::int64_t>& offset, KernelSource& kernels) {
  spec_ = &spec;
  axes_ = &axes;
  offset_ = &offset;
  bool plain = true;
  for (std::uint16_t output : spec.outputs) {
    source_.push_back(-1);
    for (std::size_t r = 0; r < reductions.size(); ++r)
      if (reductions[r].node == output) source_.back() = static_cast<int>(r);
    plain = plain && source_.back() >= 0;
  }
  if (plain) return true;
  std::vector<std::uint16_t> cuts;
  for (const ReduceNode& r : reductions) cuts.push_back(r.node);
  ops_ = std::make_unique<KernelSpec>(extract_spec(spec, spec.outputs, cuts, operands_));
  Space space;
  for (const Axis& axis : axes) space.points *= axis.extent;
  const std::size_t inputs = spec.operand_types.size();
  std::int64_t step = space.points;
  for (const Axis& axis : axes) {
    step /= axis.extent;
    Axis to{axis.extent, {}};
    for (int source : operands_) to.stride.push_back(source < 0 ? step : axis.stride[static_cast<std::size_t>(source)]);
    for (std::size_t i = inputs; i < axis.stride.size(); ++i) to.stride.push_back(axis.stride[i]);
    space.axes.push_back(std::move(to));
  }
  for (int source : operands_) space.offset.push_back(source < 0 ? 0 : offset[static_cast<std::size_t>(source)]);
  for (std::size_t i = inputs; i < offset.size(); ++i) space.offset.push_back(offset[i]);
  plan_ = plan_elementwise(*ops_, space, kernels);
  return plan_ != nullptr;
}

void ReducePlan::After::copy_out(const Launch& launch, std::size_t output, const char* from) const {
  const std::size_t array = spec_->operand_types.size() + output;
  const auto size = static_cast<std::int64_t>(dtype(spec_->nodes[spec_->outputs[output]].type).itemsize());
  char* to = launch.operands[array].data + (*offset_)[array] * size;
  const std::int64_t count = product(*axes_);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t at = 0, left = i;
    for (std::size_t a = axes_->size(); a-- > 0; left /= (*axes_)[a].extent)
      at += left % (*axes_)[a].extent * (*axes_)[a].stride[array];
    std::memcpy(to + at * size, from + i * size, static_cast<std::size_t>(size));
  }
}

void ReducePlan::After::run(const Launch& launch, std::vector<std::vector<char>>& results) {
  if (!plan_) {
    for (std::size_t i = 0; i < source_.size(); ++i) copy_out(launch, i, results[static_cast<std::size_t>(source_[i])].data());
    return;
  }
  std::vector<LaunchOperand> operands;
  for (int source : operands_)
    operands.push_back(source < 0 ? LaunchOperand{results[static_cast<std::size_t>(-1 - source)].data(), nullptr}
                                  : launch.operands[source]);
  for (std::size_t i = 0; i < spec_->outputs.size(); ++i) operands.push_back(launch.operands[spec_->operand_types.size() + i]);
  Launch inner = launch;
  inner.operands = operands.data();
  plan_->run(inner);
}

}  // namespace

std::unique_ptr<LaunchPlan> plan_reduce(const KernelSpec& spec, const Space& space, KernelSource& kernels) {
  auto plan = std::make_unique<ReducePlan>(spec, space);
  if (!plan->prepare(kernels)) return nullptr;
  return plan;
}

}  // namespace numjit::runtime::detail
