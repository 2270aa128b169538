// From an array that owns memory to views of it, on other arrays of its shape.
#pragma once

#include <numjit/transform/applied.h>

namespace numjit::transform {

/// Is a step known by its place the whole array, whose owner has this shape?
bool is_identity(const ViewStep& step, const dims& owner_shape);
/// Numbers of the elements that it shows, in C order of the owner's.
array places_of(const ViewStep& step, const dims& owner_shape);

/// What a path leads to from `whole`: a view, or a copy where a step goes by the place in memory.
array read_along(const array& whole, const Path& path);

/// What a path leads to from `whole`, which is C-contiguous, to be stored into.
class StoredPart {
 public:
  StoredPart(const array& whole, const Path& path);
  const array& target() const { return target_; }
  /// What was stored into the target is in `whole` after this.
  void write_back();

 private:
  const array whole_;
  array places_;  // in `whole` of the target's elements; empty: it is a view
  array target_;
};

}  // namespace numjit::transform
