// EXPECT: deleted
// The memory of a temporary is gone before anybody uses the span.
#include <numjit/interop.h>
#include <numjit/np.h>
namespace np = numjit;
double f(const np::array& x) {
  double sum = 0;
  for (double v : np::as_span<double>(x * 2)) sum += v;
  return sum;
}
