// What a handle needs besides its inline parts: hooks for value reads, sizes, base, the empty handle.
#include <numjit/array/array.h>
#include <numjit/array/remote.h>
#include <numjit/array/unusable.h>

namespace numjit {

namespace detail {

constinit value_hooks read_hooks{nullptr};

void throw_empty_handle() {
  throw ValueError("array", "the handle is empty: got a default-constructed or moved-from array, "
                            "expected one that holds a value. Assign an array to it first.");
}

void throw_unusable(std::string op, const node* n) {
  if (n->is(node::lazy) && n->deleter_context == no_values_mark)
    throw ValueError("vmap", "this array belongs to a level that has ended.");
  throw ValueError(std::move(op),
                   n->is(node::poisoned)
                       ? "array of a segment that did not complete: its value was never computed."
                       : "array is pending on another thread. Call x.eval() on the thread that made it.");
}

}  // namespace detail

std::int64_t array::shape(int axis) const {
  const node* n = get();
  if (axis < -n->rank || axis >= n->rank) [[unlikely]]
    throw IndexError("shape", "tuple index out of range: got axis " + std::to_string(axis) +
                                  " of an array of dimension " + std::to_string(n->rank) + ".");
  const int at = axis < 0 ? axis + n->rank : axis;
  // The other extents of an array are known although one is not.
  return n->shape[at] < detail::unknown_extents ? n->shape[at] : detail::sized(get())->shape[at];
}

std::int64_t array::len() const {
  const node* n = get();
  if (n->rank == 0) [[unlikely]] throw TypeError("len", "len() of unsized object");
  return shape(0);
}

std::string array::device() const {
  const node* n = get();
  return detail::device_name(n->is(node::lazy) ? detail::device_now() : n->device);
}

array array::base() const { return share(get()->base); }

}  // namespace numjit
