// EXPECT: error: top-level comma expression in array subscript
// a[0, 1] is a[1] before C++23: NumPy's element (0, 1) is a(0, 1).
#include <numjit/np.h>
namespace np = numjit;
np::array f(const np::array& a) { return a[0, 1]; }
