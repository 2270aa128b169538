// EXPECT: no known conversion for argument 2 .*reduce_options|does not refer to any field
// A misspelt option is an error, not ignored.
#include <numjit/np.h>
namespace np = numjit;
np::array f(const np::array& x) { return np::sum(x, {.axes = 1}); }
