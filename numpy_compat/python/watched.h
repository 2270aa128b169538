// What compiled calls need to know of the Python code around an operation: who watches for its errors.
#pragma once

#include <numjit/trace/api/region.h>

#include "module.h"

namespace numjit::py {

/// The frame that made the outermost compiled call of this thread, while there is one: it and those around it do not count.
/// Only compared with.
inline constinit thread_local PyFrameObject* call_border = nullptr;
/// Before a compiled call begins.
inline void note_border() {
  if (!detail::recording) call_border = PyEval_GetFrame();
}

/// Remembers the exception that is set, of an error that tracing::keep_error() keeps.
void keep_exception() noexcept;
/// The body of a compiled call has raised: ends the call, and throws what it raised, or what an operation before that
/// throws, which eager code would have met first.
[[noreturn]] void throw_failure(tracing::Region& region);

/// Tells the recorder how to ask; once, at import.
void watch_errors();

}  // namespace numjit::py
