// EXPECT: deleted|no match for
// The same through an operator.
#include <numjit/np.h>
namespace np = numjit;
np::array f(const np::array& x) { return x + 'a'; }
