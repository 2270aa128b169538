// EXPECT: deleted
// A C++ bool is neither the index 0 or 1 nor a mask.
#include <numjit/np.h>
namespace np = numjit;
np::array f(const np::array& x) { return x(true); }
