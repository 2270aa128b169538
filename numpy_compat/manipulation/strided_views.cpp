// Views of an array's memory by shape and strides, and windows over some of its axes.
#include <algorithm>
#include <functional>

#include <surface.h>

namespace numjit::lib {

array sliding_window_view(const operand& a, const shape_list& window, const window_options& options) {
  if (options.axis.all() && !options.writeable) return sliding_window_view(a, window);
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  std::vector<std::int64_t> axes;
  if (options.axis.all())
    for (int i = 0; i < x.ndim(); ++i) axes.push_back(i);
  for (const std::int64_t axis : options.axis.list()) axes.push_back(normalize_axis("sliding_window_view", axis, x.ndim()));
  if (options.axis.all() && window.size() != x.ndim())
    throw ValueError("sliding_window_view", "Since axis is `None`, must provide window_shape for all dimensions of `x`; got " +
                                                std::to_string(window.size()) + " window_shape elements and `x.ndim` is " +
                                                std::to_string(x.ndim()) + ".");
  if (static_cast<int>(axes.size()) != window.size())
    throw ValueError("sliding_window_view", "Must provide matching length window_shape and axis; got " +
                                                std::to_string(window.size()) + " window_shape elements and " +
                                                std::to_string(axes.size()) + " axes elements.");
  if (!options.writeable && std::is_sorted(axes.begin(), axes.end(), std::less_equal<>())) {
    // The operation has windows over all axes: of length 1 over the others, and those axes go away.
    dims whole = x.shape();
    std::fill(whole.begin(), whole.end(), 1);
    for (int i = 0; i < window.size(); ++i) whole[static_cast<int>(axes[static_cast<std::size_t>(i)])] = window[i];
    array view = sliding_window_view(x, whole);
    for (int axis = x.ndim() - 1; axis >= 0; --axis)
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) view = detail::pick_axis(view, x.ndim() + axis, 0);
    return view;
  }
  dims shape = x.shape(), strides = x.strides();
  for (int i = 0; i < window.size(); ++i) {
    const int axis = static_cast<int>(axes[static_cast<std::size_t>(i)]);
    if (window[i] < 0) throw ValueError("sliding_window_view", "window shape cannot contain negative values");
    shape[axis] -= window[i] - 1;
    if (shape[axis] < 0) throw ValueError("sliding_window_view", "window shape cannot be larger than input array shape");
    shape.push_back(window[i]);
    strides.push_back(x.strides()[axis]);
  }
  return stride_tricks::as_strided(x, shape, strides, {.writeable = options.writeable});
}

array stride_tricks::as_strided(const array& x, const shape_list& shape, const shape_list& strides,
                                const strided_options& options) {
  node* n = detail::concrete(x.get(), "data", {});
  if (shape.size() != strides.size()) throw ValueError("as_strided", "mismatch in length of strides and shape");
  const auto whole = detail::memory_range(detail::storage_owner(n));
  if (element_count(shape) > 0) {
    std::int64_t low = n->data - whole.low, high = low + static_cast<std::int64_t>(x.itemsize()), reach = 0;
    bool beyond = false;
    for (int i = 0; i < shape.size(); ++i)
      beyond |= __builtin_mul_overflow(shape[i] - 1, strides[i], &reach) ||
                __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high);
    if (beyond || low < 0 || high > whole.high - whole.low)
      throw ValueError("as_strided", "the view would reach outside of the array's memory.");
  }
  array view = array::adopt(detail::new_view(n, n->type, shape.size(), shape.data(), strides.data(), 0));
  detail::tell_view(x.get(), view.get(), {});
  if (!options.writeable) view.get()->flags |= node::readonly;
  return view;
}

}  // namespace numjit::lib
