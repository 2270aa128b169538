// Where user code made a call of an op.
#pragma once

#include <numjit/base/location_provider.h>
#include <numjit/ops/bind.h>

namespace numjit {

/// The place of the scope that the call is in, or the one that came with it, if one did.
inline location given_location(const op_call& call) {
  return detail::scoped_location(call.where.line || call.in.empty() ? call.where : call.in[0].where());
}
/// The place, which callers are asked for that bring none.
inline location location_of(const op_call& call) { return detail::known_location(given_location(call)); }

}  // namespace numjit
