// Arrays of the Python module and devices.
#pragma once

#include "module.h"

namespace numjit::py {

void define_devices(Module& m);
/// A new array (no scalar) goes where new arrays belong: to the device of the innermost scope, or to config.device.
array placed_in_scope(array made);

}  // namespace numjit::py
