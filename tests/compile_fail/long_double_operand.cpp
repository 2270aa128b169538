// EXPECT: deleted
// long double is no dtype; it must not be rounded to float64 unasked.
#include <numjit/np.h>
namespace np = numjit;
np::array f(const np::array& x) { return np::multiply(x, 2.0L); }
