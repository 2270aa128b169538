// Where in user code an operation was called, for callers that do not carry it along (Python).
#pragma once

#include <numjit/base/location_scope.h>

namespace numjit::detail {

/// Asked for a place only when a record is created or a break reported, and only if the call brought
/// none. Null: nobody knows. Texts must be immortal.
extern location (*location_provider)();

/// The place of a call: that of the scope it is in, its own, or that of the provider.
inline location known_location(const location& given) {
  const location& where = scoped_location(given);
  return where.line == 0 && location_provider ? location_provider() : where;
}

}  // namespace numjit::detail
