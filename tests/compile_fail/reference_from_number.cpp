// EXPECT: no match|no viable|no known conversion|discards qualifiers
// A variable is rebound to arrays only; np::array(2.0) makes one of a number.
#include <numjit/np.h>
namespace np = numjit;
void f(np::array& x) { x = 2.0; }
