// One block for each storage that the arguments share.
#include <numjit/trace/record/copies.h>

#include <numjit/array/remote.h>

#include <algorithm>
#include <cstring>

#include <numjit/array/array.h>

namespace numjit::tracing {

void copy_sharing(const std::vector<node*>& from, std::vector<node*>& copies) {
  copies.assign(from.size(), nullptr);
  for (std::size_t i = 0; i < from.size(); ++i) {
    node* n = from[i];
    if (!n || copies[i]) continue;
    detail::byte_range all = detail::memory_range(n);
    for (node* other : from) {
      if (!other || detail::storage_owner(other) != detail::storage_owner(n)) continue;
      const detail::byte_range r = detail::memory_range(other);
      all = {std::min(all.low, r.low), std::max(all.high, r.high)};
    }
    const std::int64_t bytes = all.high - all.low;
    const array block = array::adopt(detail::new_node(dtype_id::uint8, 1, &bytes));
    detail::readable_on_host(n);
    if (bytes > 0) std::memcpy(block.get()->data, all.low, static_cast<std::size_t>(bytes));
    for (std::size_t k = i; k < from.size(); ++k) {
      node* other = from[k];
      if (!other || detail::storage_owner(other) != detail::storage_owner(n)) continue;
      node* view = detail::new_view(block.get(), other->type, other->rank, other->shape, other->strides, other->data - all.low);
      if (other->is(node::readonly)) view->flags |= node::readonly;
      copies[k] = view;
    }
  }
}

}  // namespace numjit::tracing
