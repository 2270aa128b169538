// EXPECT: designator|out-of-order|reorder
// Options stand in the order of NumPy's signature.
#include <numjit/np.h>
#ifdef __clang__
#pragma clang diagnostic error "-Wreorder-init-list"  // a warning there by default
#endif
namespace np = numjit;
np::array f(const np::array& x) { return np::sum(x, {.keepdims = true, .axis = 1}); }
