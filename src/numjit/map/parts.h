// A file that is larger than the memory given: read, computed and written part by part.
#pragma once

#include <numjit/map/stages.h>

namespace numjit::map {

/// Maps one file in parts along an axis along which its graphs prove the function independent. ValueError with the
/// bytes needed if there is no such axis, or the smallest parts are still too large.
void run_in_parts(MapContext& context, Item& item, Computer& computer);

}  // namespace numjit::map
