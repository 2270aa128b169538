// Arrays put together from parts of others along an axis, on a device. Internal to runtime.
#pragma once

#include <vector>

#include <numjit/runtime/gpu/ops/ops.h>

namespace numjit::runtime::detail {

/// An array, and the arrays of its rank that it consists of, one behind the other along an axis.
struct Join {
  struct Part {
    DeviceElements elements;
    std::int64_t from = 0, to = 0;  // along the axis
  };
  DeviceElements whole;
  int axis = 0;
  std::vector<Part> parts;
};

/// What concatenate or roll puts together.
Join join_of_call(const DeviceOpCall& call);
/// Copies the parts to their places.
bool make_join(const Join& join, const DeviceOpCall& call);

}  // namespace numjit::runtime::detail
