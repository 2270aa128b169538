// Parts copied side by side.
#include <numjit/runtime/gpu/ops/joins.h>

#include <algorithm>

#include <numjit/runtime/plan/joins.h>

namespace numjit::runtime::detail {

Join join_of_call(const DeviceOpCall& call) {
  Join join{elements_of(call.result), normalize_axis("concatenate", layout::axis_of(call.params), call.result->rank), {}};
  const auto length = [&](std::size_t i) { return call.in[i]->shape[join.axis]; };
  for (const JoinedPart& part : parts_of_join(call.op, call.params, call.in.size(), length)) {
    DeviceElements elements = elements_of(call.in[part.input]);
    elements.shape[join.axis] = part.to - part.from;
    elements.place.host += part.begin * elements.strides[join.axis];
    join.parts.push_back({elements, part.from, part.to});
  }
  return join;
}

bool make_join(const Join& join, const DeviceOpCall& call) {
  return std::all_of(join.parts.begin(), join.parts.end(), [&](const Join::Part& part) {
    DeviceElements to = join.whole;
    to.shape = part.elements.shape;
    to.place.host += part.from * to.strides[join.axis];
    return copy_on(part.elements, to, call);
  });
}

bool run_concatenate_on(const DeviceOpCall& call) {
  const auto overlaps = [&](const node* n) { return numjit::detail::may_overlap(n, call.result); };
  if (std::any_of(call.in.begin(), call.in.end(), overlaps)) return false;
  return call.result->size == 0 || make_join(join_of_call(call), call);
}
bool run_roll_on(const DeviceOpCall& call) { return run_concatenate_on(call); }

}  // namespace numjit::runtime::detail
