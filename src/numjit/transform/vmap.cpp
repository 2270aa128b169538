// Calls of batched functions: axes in, axes out.
#include <numjit/transform/vmap.h>

#include <fmt/format.h>

#include <numjit/base/error.h>
#include <numjit/transform/batch.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {
namespace {

const char* const vmap_name = "vmap";

Randomness randomness_of(const std::string& text) {
  if (text == "error") return Randomness::error;
  if (text == "same") return Randomness::same;
  if (text == "different") return Randomness::different;
  throw ValueError(vmap_name, fmt::format("randomness is '{}', expected 'error', 'same' or 'different'.", text));
}

int checked_axis(const char* what, std::size_t number, int axis, int rank) {
  if (axis < -rank || axis >= rank)
    throw AxisError(vmap_name,
                    fmt::format("axis {} is out of bounds for {} {}, which has {} dimensions.", axis, what, number, rank));
  return axis < 0 ? axis + rank : axis;
}

}  // namespace

std::vector<batch_axis> axes_for(const std::vector<batch_axis>& axes, std::size_t count, const char* what) {
  if (axes.size() > 1 && axes.size() != count)
    throw ValueError(vmap_name, fmt::format("{} has {} entries, expected {} or one.", what, axes.size(), count));
  if (axes.size() == count) return axes;
  return std::vector<batch_axis>(count, axes.empty() ? batch_axis(0) : axes[0]);
}

BatchCall::BatchCall(std::optional<std::int64_t> axis_size, const std::string& randomness)
    : axis_size_(axis_size), randomness_(randomness_of(randomness)) {}
BatchCall::~BatchCall() = default;
void BatchCall::close() { level_.reset(); }

void BatchCall::add(int argument, array& leaf, const batch_axis& axis) {
  if (axis.is_none()) return;
  leaves_.push_back({&leaf, argument, checked_axis("argument", static_cast<std::size_t>(argument), axis.axis(), leaf.ndim())});
}

void BatchCall::begin() {
  if (leaves_.empty() && !axis_size_)
    throw ValueError(vmap_name, "no argument has an axis of examples: in_axes is none for all. Say axis_size.");
  const auto extent = [](const Leaf& l) { return shape_of(*l.leaf)[l.axis]; };
  const std::int64_t size = axis_size_ ? *axis_size_ : extent(leaves_[0]);
  for (const Leaf& l : leaves_) {
    if (extent(l) == size) continue;
    const std::string other = axis_size_
                                  ? fmt::format("axis_size is {}", size)
                                  : fmt::format("argument {} has {} along axis {}", leaves_[0].argument, size, leaves_[0].axis);
    const std::string where = axis_size_ || l.axis != leaves_[0].axis ? fmt::format(" along axis {}", l.axis) : "";
    throw ValueError(vmap_name, fmt::format("axis sizes differ: {}, argument {} has {}{}.", other, l.argument, extent(l), where));
  }
  level_ = std::make_unique<BatchLevel>(vmap_name, size, randomness_);
  for (const Leaf& l : leaves_) *l.leaf = level_->argument(*l.leaf, l.axis);
}

void BatchCall::finish(std::span<array* const> results, std::span<const batch_axis> axes) {
  std::vector<array> stacks;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (axes[i].is_none() && level_->is_batched(results[i]->get()))
      throw ValueError(vmap_name, fmt::format("out_axes is none for result {}, which is batched.", i));
    stacks.push_back(axes[i].is_none() ? *results[i] : level_->stack_of(*results[i]));
  }
  level_.reset();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (axes[i].is_none()) continue;
    const array moved = move_axis(stacks[i], 0, checked_axis("result", i, axes[i].axis(), rank_of(stacks[i])));
    *results[i] = moved.get()->is(node::readonly) ? detail::contiguous_copy(moved) : moved;
  }
}

}  // namespace numjit::transform
