// EXPECT: (?s)\A(?=.*#?error:? .*"?numjit needs C\+\+20: compile with -std=c\+\+20 \(in CMake)(?:[^\n]*\n){1,10}\Z
// FLAGS: -std=c++17
// One line, and the compilation ends.
#include <numjit/np.h>
namespace np = numjit;
np::array f(const np::array& x) { return x + 1; }
