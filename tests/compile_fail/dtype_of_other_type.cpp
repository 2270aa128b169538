// EXPECT: no dtype has this C\+\+ element type: expected bool, an integer, float, double, np::half or std::complex
// No dtype for long double.
#include <numjit/np.h>
namespace np = numjit;
np::dtype f() { return np::dtype_of<long double>(); }
