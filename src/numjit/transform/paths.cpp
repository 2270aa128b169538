// Views along paths, and the places of those that no operation made under the level.
#include <numjit/transform/paths.h>

#include <algorithm>
#include <cstring>

#include <numjit/base/error.h>
#include <numjit/base/location_scope.h>
#include <numjit/transform/level.h>
#include <numjit/transform/shapes.h>

namespace numjit::transform {
namespace {

using detail::call;

/// Numbers of elements, in C order, of an array of this shape whose elements lie by `strides`, by how far they lie from its
/// first byte.
class NumberByOffset {
 public:
  NumberByOffset(const dims& shape, const dims& strides) {
    std::int64_t number = 1;
    for (int i = shape.size(); i-- > 0; number *= shape[i])
      if (shape[i] > 1) axes_.push_back({strides[i], shape[i], number});
    std::sort(axes_.begin(), axes_.end(), [](const Axis& a, const Axis& b) { return std::abs(a.stride) > std::abs(b.stride); });
  }
  /// -1 where none lies there.
  std::int64_t operator()(std::int64_t offset) const {
    std::int64_t number = 0;
    for (const Axis& axis : axes_) {
      const std::int64_t i = axis.stride == 0 ? 0 : offset / axis.stride;
      if (i < 0 || i >= axis.extent) return -1;
      offset -= i * axis.stride;
      number += i * axis.number;
    }
    return offset == 0 ? number : -1;
  }

 private:
  struct Axis {
    std::int64_t stride, extent, number;
  };
  std::vector<Axis> axes_;
};

array step_of(const array& a, const ViewStep& step) {
  const detail::location_override place(&step.where);
  // What was a view there may have to be a copy here: this array may lie in another order. Not of lengths that depended on data.
  const bool sized = std::none_of(step.shape.begin(), step.shape.end(),
                                  [](std::int64_t extent) { return extent >= detail::unknown_extents; });
  return step.op == op_id::reshape_view && sized ? reshaped(a, step.shape) : call(step.op, {a}, step.params);
}

bool goes_by_place(const Path& path, const dims& owner_shape) {
  for (const ViewStep* step : path.steps())
    if (step->op == ViewStep::by_place && !is_identity(*step, owner_shape)) return true;
  return false;
}

}  // namespace

bool is_identity(const ViewStep& step, const dims& owner_shape) {
  if (step.op == op_id::index && step.shape == owner_shape)
    return step.params == layout::index_params(std::vector<layout::index_entry>(static_cast<std::size_t>(owner_shape.size())));
  return step.op == ViewStep::by_place && step.shape == owner_shape && step.strides == step.owner_strides && step.offset == 0;
}

array places_of(const ViewStep& step, const dims& owner_shape) {
  const NumberByOffset number(owner_shape, step.owner_strides);
  const array places = array::adopt(detail::new_node(dtype_id::int64, step.shape.size(), step.shape.data()));
  auto* to = reinterpret_cast<std::int64_t*>(places.get()->data);
  dims at;
  at.resize(step.shape.size());
  for (std::int64_t k = 0, n = places.get()->size; k < n; ++k) {
    std::int64_t offset = step.offset;
    for (int i = 0; i < at.size(); ++i) offset += at[i] * step.strides[i];
    to[k] = number(offset);
    if (to[k] < 0) throw NotImplementedError("grad", "no derivative goes through a view that reads elements as another dtype.");
    for (int i = at.size(); i-- > 0;) {
      if (++at[i] < step.shape[i]) break;
      at[i] = 0;
    }
  }
  return places;
}

array read_along(const array& whole, const Path& path) {
  array a = whole;
  for (const ViewStep* step : path.steps()) {
    if (step->op != ViewStep::by_place)
      a = step_of(a, *step);
    else if (!is_identity(*step, shape_of(whole)))
      a = call(op_id::take, {reshaped(whole, dims{-1}), places_of(*step, shape_of(whole))}, layout::take_params(0));
  }
  return a;
}

StoredPart::StoredPart(const array& whole, const Path& path) : whole_(whole) {
  target_ = read_along(whole, path);
  const bool is_view = Level::memory_of(target_.get()) == Level::memory_of(whole.get());  // reshape copies what lies otherwise
  if (is_view && !goes_by_place(path, shape_of(whole))) return;
  places_ = read_along(reshaped(count_to(whole.get()->size), shape_of(whole)), path);
  target_ = detail::contiguous_copy(target_);
}

void StoredPart::write_back() {
  if (places_.empty_handle()) return;
  call(op_id::put_index, {reshaped(whole_, dims{-1}), reshaped(places_, dims{-1}), reshaped(target_, dims{-1})});
}

}  // namespace numjit::transform
