// Where in user code an operation was called.
#pragma once

#include <numjit/base/needs_cxx20.h>

namespace numjit {

/// A place in user code. Its own type, so that it is never mistaken for an index argument.
struct location {
  const char* file = "";
  const char* function = "";
  int line = 0;

  static constexpr location here(const char* file = __builtin_FILE(),
                                 const char* function = __builtin_FUNCTION(),
                                 int line = __builtin_LINE()) {
    return {file, function, line};
  }
};

}  // namespace numjit
