// The memory of arrays in Python's tracemalloc.
#pragma once

#include "module.h"

namespace numjit::py {

void define_memory_trace(Module& m);

/// Tells tracemalloc of blocks that came while Python's lock was not held. With the lock held, on the thread that asked for them.
void tell_untold_blocks();

}  // namespace numjit::py
