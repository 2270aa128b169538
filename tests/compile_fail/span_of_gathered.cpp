// EXPECT: deleted
// Elements taken by a mask are a temporary too.
#include <numjit/interop.h>
#include <numjit/np.h>
namespace np = numjit;
double f(const np::array& x) { return np::as_span<const double>(x(x > 0))[0]; }
