// Says in one line where a program's std::vector is another type than the library's, and ends the compilation there.
#pragma once

#ifdef _GLIBCXX_DEBUG
#error "numjit is built without _GLIBCXX_DEBUG, with which std::vector is another type: use _GLIBCXX_ASSERTIONS."
#include "numjit is built without _GLIBCXX_DEBUG: use _GLIBCXX_ASSERTIONS"
#endif
