// Elementwise launches: the two innermost axes go to the kernel, the rest is looped over here; big ones
// are split over the pool.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include <numjit/base/config.h>
#include <numjit/base/thread_pool.h>
#include <numjit/runtime/launch/launch.h>

namespace numjit::runtime::detail {
namespace {

using graph::KernelSpec;

class ElementwisePlan final : public LaunchPlan {
 public:
  ElementwisePlan(const KernelSpec& spec, const Space& space)
      : spec_(spec),
        inputs_(static_cast<int>(spec.operand_types.size())),
        outputs_(static_cast<int>(spec.outputs.size())),
        item_(item_sizes(spec)),
        start_bytes_(space.offset) {
    for (std::size_t i = 0; i < item_.size(); ++i) start_bytes_[i] *= item_[i];
    std::vector<std::int64_t> still(item_.size(), 0);
    axes_ = space.axes;
    while (axes_.size() < 2) axes_.insert(axes_.begin(), Axis{1, still});
    x_ = axes_.back();
    y_ = axes_[axes_.size() - 2];
    axes_.resize(axes_.size() - 2);
    for (const Axis& axis : axes_) outer_ *= axis.extent;

    x_most_ = std::min(x_.extent, reachable_extent(x_, still));
    for (std::size_t i = 0; i < still.size(); ++i) still[i] = std::llabs(x_.stride[i]) * (x_most_ - 1);
    y_most_ = std::min(y_.extent, reachable_extent(y_, still));
    estimate_ns_ = 10 + ns_per_point(spec) * static_cast<double>(space.points);
    // A small call goes straight to the kernel.
    direct_ = outer_ == 1 && x_most_ == x_.extent && y_most_ == y_.extent && estimate_ns_ < numjit::detail::parallel_from_ns;
    bytes = bytes_moved(spec, space);
  }

  bool prepare(KernelSource& kernels) {
    KernelVariant variant;
    variant.schedule = "elementwise";
    for (std::size_t i = 0; i < x_.stride.size(); ++i) variant.inner_stride.push_back(class_of(i));
    // A kernel never writes through stride 0; where the space has one point any class serves.
    for (int i = inputs_; i < inputs_ + outputs_; ++i)
      if (variant.inner_stride[static_cast<std::size_t>(i)] == 0) variant.inner_stride[static_cast<std::size_t>(i)] = 2;
    entry_ = kernels.find(spec_, variant, &kernel);
    if (!entry_) return false;
    schedule = "elementwise";
    block_.init(spec_.operand_types, spec_.scalar_types, 0, output_types(spec_), 2, 2);
    for (int i = 0; i < inputs_ + outputs_; ++i) {
      kernel_buffer& buffer = buffer_of(block_, i);
      auto index = static_cast<std::size_t>(i);
      // Stride 1 also where the extent is 1, since the variant says so.
      CallBlock::set_stride(buffer, 0, variant.inner_stride[index] == 1 ? 1 : x_.stride[index]);
      CallBlock::set_stride(buffer, 1, y_most_ == 1 ? 0 : y_.stride[index]);
      set_extents(buffer, x_most_, y_most_);
    }
    if (direct_) {
      kernel_.entry = entry_;
      kernel_.argv = block_.argv();
      kernel_.start_bytes = start_bytes_;
      for (int i = 0; i < inputs_; ++i) kernel_.buffers.push_back(&block_.in(i));
      for (int i = 0; i < outputs_; ++i) kernel_.buffers.push_back(&block_.out(i));
      kernel_.wants_fresh_outputs = outputs_ > 1;
    }
    return true;
  }

  const DirectKernel* direct() const override { return kernel_.entry ? &kernel_ : nullptr; }

  void run(const Launch& launch) override {
    block_.set_scalars(spec_, launch.scalars);
    const bool aliased = outputs_ > 1 && is_aliased(launch);
    if (direct_ && !aliased) {
      for (int i = 0; i < inputs_; ++i) block_.in(i).host = start(launch, i);
      for (int i = 0; i < outputs_; ++i) block_.out(i).host = start(launch, inputs_ + i);
      entry_(block_.argv());
      return;
    }
    const std::int64_t rows = outer_ * y_.extent;
    // Few long rows are split along x, many rows by rows.
    if (rows < 64 && x_.extent > rows) {
      numjit::detail::parallel_plain_ranges(x_.extent, 1024, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
        BlockCopy copy(block_);
        for (std::int64_t o = 0; o < outer_; ++o) run_block(copy.block, launch, aliased, o, 0, y_.extent, from, to);
      });
      return;
    }
    const std::int64_t grain = std::max<std::int64_t>(1, 1024 / x_.extent);
    numjit::detail::parallel_plain_ranges(rows, grain, estimate_ns_, [&](std::int64_t from, std::int64_t to) {
      BlockCopy copy(block_);
      run_rows(copy.block, launch, aliased, from, to);
    });
  }

  // Axes are in the order of the output's strides: the outermost rows come first.
  bool can_run_first(std::int64_t rows) const override {
    const std::int64_t own = outer_ * y_.extent;
    return own % rows == 0 || (own == 1 && x_.extent % rows == 0);
  }
  void run_first(const Launch& launch, std::int64_t count, std::int64_t rows) override {
    const std::int64_t own = outer_ * y_.extent;
    block_.set_scalars(spec_, launch.scalars);
    const bool aliased = outputs_ > 1 && is_aliased(launch);
    if (own % rows == 0)
      run_rows(block_, launch, aliased, 0, own / rows * count);
    else
      run_block(block_, launch, aliased, 0, 0, 1, 0, x_.extent / rows * count);
  }
#ifndef __EMSCRIPTEN__  // in pages nothing asks
  bool can_run_corner(std::int64_t rows, std::int64_t columns) const override {
    if (axes_.empty()) return y_.extent == rows && x_.extent % columns == 0;
    return axes_.size() == 1 && outer_ == rows && y_.extent == columns;
  }
  void run_corner(const Launch& launch, std::int64_t rows, std::int64_t columns, std::int64_t of_columns) override {
    block_.set_scalars(spec_, launch.scalars);
    const bool aliased = outputs_ > 1 && is_aliased(launch);
    if (axes_.empty())
      run_block(block_, launch, aliased, 0, 0, rows, 0, x_.extent / of_columns * columns);
    else
      for (std::int64_t o = 0; o < rows; ++o) run_block(block_, launch, aliased, o, 0, columns, 0, x_.extent);
  }
#endif

 private:
  std::uint8_t class_of(std::size_t array) const {
    const bool may_be_channel =
        array < static_cast<std::size_t>(inputs_) && parts_of(spec_.operand_types[array]) == 1 && x_.extent > 1;
    if (may_be_channel && x_.stride[array] == 3) return stride_class_of_three;
    if (may_be_channel && x_.stride[array] == 4) return stride_class_of_four;
    return stride_class(x_.stride[array], x_.extent);
  }
  void run_rows(CallBlock& block, const Launch& launch, bool aliased, std::int64_t from, std::int64_t to) {
    while (from < to) {
      const std::int64_t o = from / y_.extent, y = from % y_.extent, count = std::min(to - from, y_.extent - y);
      run_block(block, launch, aliased, o, y, y + count, 0, x_.extent);
      from += count;
    }
  }

  char* start(const Launch& launch, int i) const {
    auto index = static_cast<std::size_t>(i);
    return launch.operands[i].data + start_bytes_[index];
  }

  /// Kernels with several outputs may write one output before they have read another's last input.
  bool is_aliased(const Launch& launch) const {
    for (int o = inputs_; o < inputs_ + outputs_; ++o)
      for (int i = 0; i < inputs_; ++i)
        if (launch.operands[o].data == launch.operands[i].data) return true;
    return false;
  }

  std::int64_t element_offset(std::size_t array, std::int64_t outer, std::int64_t y, std::int64_t x) const {
    std::int64_t at = y * y_.stride[array] + x * x_.stride[array];
    for (std::size_t a = axes_.size(); a-- > 0; outer /= axes_[a].extent) at += outer % axes_[a].extent * axes_[a].stride[array];
    return at;
  }

  void run_block(CallBlock& block, const Launch& launch, bool aliased, std::int64_t outer, std::int64_t y0, std::int64_t y1,
                 std::int64_t x0, std::int64_t x1) {
    const std::int64_t x_step = aliased ? std::min(x_most_, tile) : x_most_;
    const std::int64_t y_step = aliased ? 1 : y_most_;
    for (std::int64_t y = y0; y < y1; y += y_step)
      for (std::int64_t x = x0; x < x1; x += x_step) {
        const std::int64_t ny = std::min(y_step, y1 - y), nx = std::min(x_step, x1 - x);
        for (int i = 0; i < inputs_ + outputs_; ++i) {
          auto index = static_cast<std::size_t>(i);
          kernel_buffer& buffer = buffer_of(block, i);
          buffer.host = start(launch, i) + element_offset(index, outer, y, x) * item_[index];
          set_extents(buffer, nx, ny);
        }
        if (aliased)
          run_tile(block, nx);
        else if (const std::int64_t head = unaligned_head(block.out(0), nx, ny); head != 0)
          run_aligned(block, head, nx, ny);
        else
          entry_(block.argv());
      }
  }

  /// Elements of each row before its first cache line begins, if vectors are better stored from there on: a store across
  /// two lines costs twice. 0 if rows begin with a line, or each elsewhere in one, or are short.
  std::int64_t unaligned_head(const kernel_buffer& out, std::int64_t nx, std::int64_t ny) const {
    const auto index = static_cast<std::size_t>(inputs_);
    const std::int64_t item = item_[index], over = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out.host) % line);
    if (over == 0 || over % item != 0 || x_.stride[index] != 1 || nx * item < shortest_aligned) return 0;
    return ny > 1 && y_.stride[index] * item % line != 0 ? 0 : (line - over) / item;
  }

  /// The call in `block` as two for some rows at a time: the first `head` elements of the rows, then the rest of them.
  void run_aligned(CallBlock& block, std::int64_t head, std::int64_t nx, std::int64_t ny) {
    std::int64_t row_bytes = 0;
    for (const std::int64_t item : item_) row_bytes += nx * item;
    const std::int64_t rows = std::clamp<std::int64_t>(rows_bytes / row_bytes, 1, ny);
    for (std::int64_t y = 0; y < ny; y += rows) {
      const std::int64_t count = std::min(rows, ny - y);
      for (const auto [by_x, by_y, extent] : {std::array{head, std::int64_t{0}, head}, std::array{-head, count, nx - head}}) {
        for (int i = 0; i < inputs_ + outputs_; ++i) set_extents(buffer_of(block, i), extent, count);
        entry_(block.argv());
        for (int i = 0; i < inputs_ + outputs_; ++i) {
          auto index = static_cast<std::size_t>(i);
          kernel_buffer& buffer = buffer_of(block, i);
          buffer.host += (by_x * x_.stride[index] + by_y * y_.stride[index]) * item_[index];
        }
      }
    }
  }

  kernel_buffer& buffer_of(CallBlock& block, int i) const { return i < inputs_ ? block.in(i) : block.out(i - inputs_); }
  static void set_extents(kernel_buffer& buffer, std::int64_t nx, std::int64_t ny) {
    buffer.dim[0].extent = static_cast<std::int32_t>(nx);
    buffer.dim[1].extent = static_cast<std::int32_t>(ny);
  }

  /// One row piece through scratch outputs, copied to their places when all inputs have been read.
  void run_tile(CallBlock& block, std::int64_t n) {
    std::unique_ptr<char[]> scratch(new char[static_cast<std::size_t>(outputs_) * tile * 16]);
    std::vector<char*> place;
    for (int o = 0; o < outputs_; ++o) {
      place.push_back(block.out(o).host);
      block.out(o).host = scratch.get() + o * tile * 16;
      CallBlock::set_stride(block.out(o), 0, 1);
    }
    entry_(block.argv());
    for (int o = 0; o < outputs_; ++o) {
      auto index = static_cast<std::size_t>(inputs_ + o);
      const auto size = static_cast<std::size_t>(item_[index]);
      const char* from = block.out(o).host;
      if (n == 1 || x_.stride[index] == 1) {
        std::memcpy(place[static_cast<std::size_t>(o)], from, static_cast<std::size_t>(n) * size);
      } else {
        char* to = place[static_cast<std::size_t>(o)];
        for (std::int64_t i = 0; i < n; ++i, from += size, to += x_.stride[index] * item_[index]) std::memcpy(to, from, size);
      }
    }
  }

  static constexpr std::int64_t tile = 2048;
  static constexpr std::int64_t line = 64;
  static constexpr std::int64_t shortest_aligned = 2048;  // bytes of a row
  static constexpr std::int64_t rows_bytes = 1 << 17;     // rows go to both calls while the cache has them

  const KernelSpec& spec_;
  int inputs_, outputs_;
  std::vector<std::int64_t> item_, start_bytes_;  // per array: of an element, before the first one
  std::vector<Axis> axes_;                        // beyond the kernel's two
  Axis x_, y_;
  std::int64_t outer_ = 1, x_most_ = 1, y_most_ = 1;
  double estimate_ns_ = 0;
  bool direct_ = false;
  kernel_entry entry_ = nullptr;
  CallBlock block_;
  DirectKernel kernel_;
};

}  // namespace

std::unique_ptr<LaunchPlan> plan_elementwise(const KernelSpec& spec, const Space& space, KernelSource& kernels) {
  if (is_narrow(spec, space)) return plan_narrow(spec, space, kernels);
  auto plan = std::make_unique<ElementwisePlan>(spec, space);
  if (!plan->prepare(kernels)) return nullptr;
  return plan;
}

}  // namespace numjit::runtime::detail
