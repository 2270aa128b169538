// Arrays put together from parts of others, as np.roll does, that devices do not make where only elementwise kernels read
// them: the points of a kernel are cut into boxes, in each of which all that is read lies in one part of an array that is
// there. The counterpart of pieces.h. Internal to runtime.
//
//   u + 0.1 * (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4 * u)
//
//     nine launches of one kernel:  the inside, by tiles of u, four edges and four corners
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <numjit/runtime/gpu/ops/joins.h>

namespace numjit::runtime::detail {

/// The array that a call puts together, if it is one of this kind; it is large enough that copies cost more than launches.
std::optional<Join> join_of(const DeviceOpCall& call);

/// A launch over a box of another one's points.
struct BoxLaunch {
  dims extent;
  std::vector<LaunchOperand> operands;
  std::vector<std::int64_t> strides;
};
/// The join that an address belongs to, or null.
using FindJoin = std::function<const Join*(const char* at)>;
/// The launches that do the work of one whose first `inputs` arrays may be joins, or parts of them, and whose last ones are
/// none. Nothing: it does not go through them axis by axis, or there would be too many.
std::optional<std::vector<BoxLaunch>> launches_in_pieces(const Launch& launch, std::size_t inputs, std::size_t arrays,
                                                         const FindJoin& find);

}  // namespace numjit::runtime::detail
