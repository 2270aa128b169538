// What compiled calls need to know of the Python code around an operation: who watches for its errors.
#pragma once

#include <numjit/trace/region.h>

#include "module.h"

namespace numjit::py {

/// While it lives, code of this thread belongs to a compiled call. Frames outside of the outermost one do not count.
class CallBorder {
 public:
  CallBorder();
  ~CallBorder();
  CallBorder(const CallBorder&) = delete;
  CallBorder& operator=(const CallBorder&) = delete;

 private:
  bool outermost_;
};

/// Remembers the exception that is set, of an error that tracing::keep_error() keeps.
void keep_exception() noexcept;
/// The body of a compiled call has raised: ends the call, and throws what it raised, or what an operation before that
/// throws, which eager code would have met first.
[[noreturn]] void throw_failure(tracing::Region& region);

/// Tells the recorder how to ask; once, at import.
void watch_errors();

}  // namespace numjit::py
