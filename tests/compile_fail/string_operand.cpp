// EXPECT: no match|no viable|no known conversion
// A string is no operand.
#include <numjit/np.h>
namespace np = numjit;
np::array f(const np::array& x) { return x + "one"; }
