// Copies whose axes lie in memory in another order than C's.
#include <algorithm>
#include <numeric>

#include <surface.h>

namespace numjit {

dims detail::memory_axes(const char* op, int rank, const array* like, char order) {
  dims axes;
  for (int i = 0; i < rank; ++i) axes.push_back(i);
  if (order == 'A') order = like && isfortran(*like) ? 'F' : 'C';
  if (order == 'F') {
    std::reverse(axes.begin(), axes.end());
  } else if (order == 'K') {
    if (!like || like->ndim() != rank || like->get()->is(node::c_contiguous) || like->get()->is(node::unsized)) return axes;
    if (isfortran(*like)) return memory_axes(op, rank, like, 'F');  // of axes of length 1 strides need not tell
    const dims strides = like->strides();
    std::stable_sort(axes.begin(), axes.end(), [&](std::int64_t i, std::int64_t j) {
      return std::abs(strides[static_cast<int>(i)]) > std::abs(strides[static_cast<int>(j)]);
    });
  } else if (order != 'C') {
    throw ValueError(op, std::string("order must be one of 'C', 'F', 'A', or 'K' (got '") + order + "')");
  }
  return axes;
}

array detail::permuted_back(array made, const dims& axes) {
  dims back = axes;
  for (int i = 0; i < axes.size(); ++i) back[static_cast<int>(axes[i])] = i;
  const array view = permute(made, back);
  node* n = made.get();
  if (n->base || n->is(node::lazy) || n->device != 0 || levels_are_open()) return view;
  detail::set_layout(n, n->type, view.ndim(), view.get()->shape, view.get()->strides);
  return made;
}

bool detail::lies_in_order(const array& x, char order) {
  memory_axes("asarray", x.ndim(), nullptr, order);  // checks the letter
  if (order == 'K') return true;
  if (order == 'A') return x.is_c_contiguous() || x.is_f_contiguous();
  return order == 'F' ? x.is_f_contiguous() : x.is_c_contiguous();
}

array detail::cast_in_order(const operand& a, dtype_id type, const array& like, char order) {
  const location_scope scope(a.where());
  const array x = to_array(a);
  const bool same = x.get()->type == type;
  auto convert = [&](const operand& from) { return same ? contiguous_copy(from) : cast(from, type); };
  const bool lies_so = order == 'K' && (like.get()->is(node::c_contiguous) || like.get()->is(node::unsized));
  if (order == 'C' || lies_so || x.ndim() < 2) return convert(x);
  const dims axes = memory_axes("copy", x.ndim(), like.ndim() == x.ndim() ? &like : &x, order);
  if (std::is_sorted(axes.begin(), axes.end())) return convert(x);
  return permuted_back(convert(permute(x, axes)), axes);
}

array detail::as_type(const operand& a, dtype_id t) {
  const location_scope scope(a.where());
  const array x = to_array(a);
  return x.get()->type == t ? x : cast_in_order(x, t, x, 'K');
}
array detail::as_floating(const operand& a) { return is_integral_type(type_of(a)) ? as_type(a, dtype_id::float64) : to_array(a); }

array detail::falling_as(const array& made, const array& like) {
  if (made.ndim() < 2 || made.get()->is(node::unsized)) return made;
  const char order = isfortran(like) ? 'F' : 'C';
  return lies_in_order(made, order) ? made : copy(made, order);
}

array detail::in_memory_order(const operand& a) {
  const array x = to_array(a);
  return x.get()->is(node::unsized) ? x : permute(x, joined_axes({x}, 0));
}

array detail::along_memory(const char* op, const operand& a, std::int64_t axis,
                           const std::function<array(const operand&, std::int64_t)>& fn) {
  const location_scope scope(a.where());
  const array x = to_array(a);
  const dims axes = memory_axes(op, x.ndim(), &x, 'K');
  if (std::is_sorted(axes.begin(), axes.end())) return fn(x, axis);
  const auto place = std::find(axes.begin(), axes.end(), normalize_axis(op, axis, x.ndim()));
  return permuted_back(fn(permute(x, axes), place - axes.begin()), axes);
}

// An insertion sort, as in NumPy: the order in which pairs are compared decides where some can't be told apart. One array
// against it is enough to leave two axes as they are.
dims detail::joined_axes(const array_list& arrays, int first) {
  enum class order { unknown, stays, swaps };
  const auto compare = [&](int axis, int outer) {
    order found = order::unknown;
    for (const array& a : arrays) {
      const node* n = a.get();
      if (n->shape[axis] == 1 || n->shape[outer] == 1 || n->strides[axis] == 0 || n->strides[outer] == 0) continue;
      if (std::abs(n->strides[axis]) <= std::abs(n->strides[outer])) return order::stays;
      found = order::swaps;
    }
    return found;
  };
  dims axes;
  for (int i = 0; first + i < arrays[0].ndim(); ++i) {
    int place = i;
    axes.push_back(first + i);
    for (int k = i - 1; k >= 0; --k) {
      const order found = compare(first + i, static_cast<int>(axes[k]));
      if (found == order::stays) break;
      if (found == order::swaps) place = k;
    }
    std::rotate(axes.begin() + place, axes.begin() + i, axes.begin() + i + 1);
  }
  return axes;
}

array copy(const operand& a) { return copy(a, 'K'); }
array copy(const operand& a, char order) {
  const location_scope scope(a.where());
  const array x = detail::to_array(a);
  return detail::cast_in_order(x, x.get()->type, x, order);
}

array asfortranarray(const operand& a, const array_options& o) {
  const location_scope scope(a.where());
  const array x = asarray(a, asarray_options{.dtype = o.dtype, .device = o.device});
  if (x.ndim() == 0) return detail::reshape_view(x, {1});
  return x.is_f_contiguous() ? x : copy(x, 'F');
}

bool isfortran(const array& a) { return a.is_f_contiguous() && !a.is_c_contiguous(); }

}  // namespace numjit
