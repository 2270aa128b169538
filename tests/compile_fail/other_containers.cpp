// EXPECT: (?s)\A(?=.*error:? .*numjit is built without _GLIBCXX_DEBUG, with which std::vector is another)(?:[^\n]*\n){1,10}\Z
// FLAGS: -D_GLIBCXX_DEBUG
// One line, and the compilation ends: the functions that take containers would be missing when it is linked.
#include <numjit/np.h>
namespace np = numjit;
np::array f(const np::array& x) { return x + 1; }
