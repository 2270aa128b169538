// Basic indexing as views, and stores to views.
#include <surface.h>

namespace numjit {

namespace detail {

namespace {

layout::index_entry entry_of(const index& i) {
  using layout::index_entry;
  switch (i.kind()) {
    case index::kind_t::integer: return index_entry::at(i.start());
    case index::kind_t::slice:
      if (i.step() == 0) throw ValueError("index", "slice step cannot be zero");
      return index_entry::range(i.start(), i.stop(), i.step());
    case index::kind_t::newaxis: return index_entry::new_axis();
    default: return index_entry::all();
  }
}

}  // namespace

#ifndef __EMSCRIPTEN__  // pages load no code for loops over elements
namespace {

/// The view of an array that has its memory; an empty handle for entries whose errors the general way explains.
array view_at_once(node* of, const index* entries, int n) {
  std::int64_t shape[max_rank], strides[max_rank], offset = 0;
  int rank = 0, axis = 0;
  auto append = [&](std::int64_t extent, std::int64_t stride) {
    if (rank < max_rank) shape[rank] = extent, strides[rank] = stride;
    ++rank;
  };
  for (int i = 0; i < n; ++i) {
    const index& e = entries[i];
    if (e.kind() == index::kind_t::newaxis) {
      append(1, 0);
      continue;
    }
    if (axis == of->rank || e.kind() == index::kind_t::ellipsis) return {};
    const std::int64_t extent = of->shape[axis], stride = of->strides[axis];
    ++axis;
    if (e.kind() == index::kind_t::whole) {
      append(extent, stride);
    } else if (e.kind() == index::kind_t::integer) {
      if (e.start() < -extent || e.start() >= extent) return {};
      offset += (e.start() < 0 ? e.start() + extent : e.start()) * stride;
    } else {
      if (e.step() == 0) return {};
      const layout::slice_range r = layout::resolve_slice(layout::index_entry::range(e.start(), e.stop(), e.step()), extent);
      if (r.length > 0) offset += r.first * stride;
      append(r.length, r.length > 1 ? stride * r.step : stride);
    }
  }
  for (; axis < of->rank; ++axis) append(of->shape[axis], of->strides[axis]);
  if (rank > max_rank) return {};
  return array::adopt(new_view(of, of->type, rank, shape, strides, offset));
}

}  // namespace
#endif

array index_view(const array& a, const index* entries, int n, const location& where) {
#ifndef __EMSCRIPTEN__
  if (node* of = a.get(); !of->is(node::lazy) && makes_views_at_once()) {
    if (array view = view_at_once(of, entries, n); !view.empty_handle()) return view;
  }
#endif
  const int rank = a.ndim();
  int consumed = 0, ellipses = 0;
  for (int i = 0; i < n; ++i) {
    index::kind_t k = entries[i].kind();
    ellipses += k == index::kind_t::ellipsis;
    consumed += k != index::kind_t::ellipsis && k != index::kind_t::newaxis;
  }
  if (ellipses > 1) throw IndexError("index", "an index can only have a single ellipsis ('...')");
  if (consumed > rank)
    throw IndexError("index", "too many indices for array: array is " + std::to_string(rank) + "-dimensional, but " +
                                  std::to_string(consumed) + " were indexed");
  op_params params;
  for (int i = 0; i < n; ++i) {
    if (entries[i].kind() == index::kind_t::ellipsis)
      for (int k = consumed; k < rank; ++k) layout::push(params, layout::index_entry::all());
    else
      layout::push(params, entry_of(entries[i]));
  }
  return call(op_id::index, {at(a, where)}, params);
}

array slice_axis(const operand& a, int axis, std::int64_t start, std::int64_t stop, std::int64_t step) {
  op_params params;
  for (int i = 0; i < axis; ++i) layout::push(params, layout::index_entry::all());
  layout::push(params, layout::index_entry::range(start, stop, step));
  return call(op_id::index, {a}, params);
}

array pick_axis(const operand& a, int axis, std::int64_t i) {
  op_params params;
  for (int k = 0; k < axis; ++k) layout::push(params, layout::index_entry::all());
  layout::push(params, layout::index_entry::at(i));
  return call(op_id::index, {a}, params);
}

}  // namespace detail

array& array::operator=(const operand& value) && {
  detail::before_write();
  detail::call(op_id::store, {detail::at(*this, value.where()), value});
  return *this;
}
array& array::operator=(const indexed_array& value) && { return std::move(*this) = operand(value); }
array& array::operator=(indexed_array&& value) && { return std::move(*this) = operand(value); }

array::array(const indexed_array& other) : array(static_cast<const array&>(other)) {}
array::array(indexed_array&& other) {
  other.settle();
  n_ = other.release_node();
}
array& array::operator=(const indexed_array& other) & { return *this = static_cast<const array&>(other); }
array& array::operator=(indexed_array&& other) & {
  other.settle();
  return *this = static_cast<array&&>(other);
}

}  // namespace numjit
