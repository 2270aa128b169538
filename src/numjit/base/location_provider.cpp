// The place of calls that bring none.
#include <numjit/base/location_provider.h>

namespace numjit::detail {

location (*location_provider)() = nullptr;

}  // namespace numjit::detail
