// Where user code made a call of an op.
#pragma once

#include <numjit/base/location_provider.h>
#include <numjit/ops/bind.h>

namespace numjit {

inline location place_of(const op_call& call) {
  return detail::known_place(call.where.line || call.in.empty() ? call.where : call.in[0].where());
}

}  // namespace numjit
