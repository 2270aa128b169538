// EXPECT: deleted
// Indices are integers: a(1.5) is an error, as in NumPy.
#include <numjit/np.h>
namespace np = numjit;
np::array f(const np::array& x) { return x(1.5); }
